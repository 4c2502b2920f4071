// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <utility>

#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/io/asset.h"
#include "sinew/lab/retargeting/family.h"
#include "sinew/lab/transfer/known_rigs.h"
#include "sinew/transfer/method.h"
#include "sinew/transfer/surface/closest_point.h"
#include "sinew/transfer/surface/garment.h"
#include "sinew/transfer/surface/inpaint_transfer.h"

namespace sinew::lab {
namespace {

namespace fs = std::filesystem;

/// A shell counts as clothes, hair or armour if it is this large, relative to the character, and not the largest.
constexpr double kGarmentSize = 0.1, kGarmentShare = 0.5;
constexpr Index kGarmentVertices = 30;
constexpr std::array kShellFiles = {"zoo/people/Male_Suit.fbx",
                                    "zoo/people/Female_Casual.fbx",
                                    "zoo/people/Female_Dress.fbx",
                                    "zoo/people/Female_Party_01.fbx",
                                    "zoo/people/Business_Female_04.fbx",
                                    "zoo/people/Construction_Male_03.fbx",
                                    "zoo/people/Military_Male_03.fbx",
                                    "zoo/people/AIAN_M_1_Busi.glb",
                                    "zoo/stylised/Rogue.glb",
                                    "zoo/stylised/100Avatars_003_Jimmy.vrm",
                                    "rigged/Knight.glb",
                                    "rigged/Godette_vrm_v4.vrm"};

/// Some faces of a character, with their rows.
struct CutShell {
  Mesh mesh;
  SkinWeights rows;
};

CutShell cut_faces(const Rig& rig, const std::vector<char>& chosen) {
  CutShell cut;
  std::vector<Index> number(rig.mesh.positions.size(), kNone), corners;
  for (Index f = 0; f < rig.mesh.face_count(); ++f) {
    if (chosen[f] == 0) continue;
    corners.assign(rig.mesh.face(f).begin(), rig.mesh.face(f).end());
    for (Index& v : corners) {
      if (number[v] == kNone) {
        number[v] = cut.mesh.vertex_count();
        cut.mesh.positions.push_back(rig.mesh.positions[v]);
        cut.rows.add_row(rig.weights.row(v));
      }
      v = number[v];
    }
    cut.mesh.add_face(corners);
  }
  MeshPart part;
  part.vertex_count = cut.mesh.vertex_count(), part.face_count = cut.mesh.face_count();
  cut.mesh.parts = {part};
  return cut;
}

using ShellErrors = std::array<double, 3>;  // Closest point, inpainting, garment.

/// Shells of one character that are also transferred by the method auto, which takes seconds each: the largest ones.
constexpr std::size_t kAutomaticShells = 2;

struct ShellSums {
  Index shells = 0, vertices = 0, refused = 0;
  ShellErrors error = {};  // Sums over vertices.
  Index automatic_vertices = 0;
  double automatic = 0, automatic_garment = 0;  // The same, of the largest shells: by auto, and by garment.

  void add(const ShellSums& other) {
    shells += other.shells, vertices += other.vertices, refused += other.refused;
    for (std::size_t m = 0; m < error.size(); ++m) error[m] += other.error[m];
    automatic_vertices += other.automatic_vertices;
    automatic += other.automatic, automatic_garment += other.automatic_garment;
  }
};

// As the program transfers without a method.
SkinWeights transferred_automatically(const transfer::Reference& reference, const transfer::TransferBody& target,
                                      const Progress& progress) {
  std::vector<std::pair<Index, Index>> joints;
  for (Index j = 0; j < reference.skeleton.size(); ++j)
    if (reference.skeleton.joints[j].deforming) joints.emplace_back(j, j);
  const transfer::Correspondence same = transfer::correspond(reference.skeleton, target.skeleton, joints);
  const transfer::TransferMethod& method = transfer::methods().find("auto");
  return method.transfer({reference, target, same}, {}, method.options, progress).weights;
}

// Takes every large shell off in turn and gives it the rows of the rest.
ShellSums shell_sums(const KnownRig& known, const Progress& progress) {
  const Rig& rig = known.rig;
  const geometry::Welding welding = geometry::weld(rig.mesh);
  const geometry::Components shells = geometry::components(rig.mesh, &welding);
  const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
  std::vector<Box> boxes(shells.count);
  std::vector<Index> count(shells.count, 0);
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
    if (const Index s = shells.of_vertex[v]; s != kNone) boxes[s].extend(rig.mesh.positions[v]), ++count[s];
  std::vector<Index> chosen;
  for (Index s = 0; s < shells.count; ++s)
    if (count[s] >= kGarmentVertices && count[s] <= kGarmentShare * static_cast<double>(rig.mesh.vertex_count()) &&
        boxes[s].diagonal() >= kGarmentSize * rig.mesh.size())
      chosen.push_back(s);
  std::stable_sort(chosen.begin(), chosen.end(), [&](Index a, Index b) { return count[a] > count[b]; });
  ShellSums sums;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Index s = chosen[i];
    progress.check();
    std::vector<char> on(rig.mesh.face_count(), 0), off(rig.mesh.face_count(), 1);
    for (Index f = 0; f < rig.mesh.face_count(); ++f)
      if (shells.of_face[f] == s) on[f] = 1, off[f] = 0;
    const CutShell garment = cut_faces(rig, on), rest = cut_faces(rig, off);
    const transfer::Reference reference{{rest.mesh, rig.skeleton, frames}, rest.rows};
    const transfer::TransferBody target{garment.mesh, rig.skeleton, frames};
    try {
      ShellSums one{1, garment.mesh.vertex_count(), 0, {}, 0, 0, 0};
      const double vertices = one.vertices;
      one.error = {
          vertices * mean_difference_of(transfer::transfer_closest_point(reference, target, {}, progress).weights,
                                        garment.rows),
          vertices *
              mean_difference_of(transfer::transfer_inpaint(reference, target, {}, progress).weights, garment.rows),
          vertices *
              mean_difference_of(transfer::transfer_garment(reference, target, {}, progress).weights, garment.rows)};
      if (i < kAutomaticShells) {
        one.automatic_vertices = one.vertices;
        one.automatic =
            vertices * mean_difference_of(transferred_automatically(reference, target, progress), garment.rows);
        one.automatic_garment = one.error[2];
      }
      sums.add(one);
    } catch (const Error&) {
      ++sums.refused;
    }
  }
  return sums;
}

}  // namespace

void retarget_shells(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  ResultTable table{.id = "shells",
                    .title = "Clothes, hair and armour of real characters, given rows by the rest of the character",
                    .note =
                        "Every connected surface of at least a tenth of the size that is not most of the character is "
                        "taken off in turn. Half the sum of differences from the artist's rows, mean over the "
                        "vertices; surfaces that nothing is near are refused. The last two columns are of the two "
                        "largest surfaces of each character.",
                    .header = {"character", "shells", "vertices", "refused", "closest point", "published inpainting",
                               "garment", "largest: garment", "largest: auto"},
                    .rows = {}};
  ShellSums all;
  const auto add = [&](const std::string& name, const ShellSums& sums) {
    std::vector<std::string> row = {name, fmt::format("{}", sums.shells), fmt::format("{}", sums.vertices),
                                    fmt::format("{}", sums.refused)};
    for (const double error : sums.error)
      row.push_back(fmt::format("{:.4f}", error / std::max<Index>(1, sums.vertices)));
    for (const double error : {sums.automatic_garment, sums.automatic})
      row.push_back(fmt::format("{:.4f}", error / std::max<Index>(1, sums.automatic_vertices)));
    table.rows.push_back(std::move(row));
  };
  for (const char* file : kShellFiles) {
    const fs::path path = fs::path(options.data) / file;
    if (!fs::exists(path)) continue;
    const std::string name = path.stem().string();
    const ShellSums sums = shell_sums(bound_alone(io::load(path, {}, progress).character.rig, name), progress);
    if (sums.shells == 0) continue;
    add(name, sums);
    all.add(sums);
  }
  if (table.rows.empty()) return;
  add("all", all);
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
