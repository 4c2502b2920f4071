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

using ShellErrors = std::array<double, 4>;  // Closest point, inpainting, garment, automatic.

struct ShellSums {
  Index shells = 0, vertices = 0, refused = 0;
  ShellErrors error = {};  // Sums over vertices.
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
  ShellSums sums;
  for (Index s = 0; s < shells.count; ++s) {
    if (count[s] < kGarmentVertices || count[s] > kGarmentShare * static_cast<double>(rig.mesh.vertex_count()) ||
        boxes[s].diagonal() < kGarmentSize * rig.mesh.size())
      continue;
    progress.check();
    std::vector<char> on(rig.mesh.face_count(), 0), off(rig.mesh.face_count(), 1);
    for (Index f = 0; f < rig.mesh.face_count(); ++f)
      if (shells.of_face[f] == s) on[f] = 1, off[f] = 0;
    const CutShell garment = cut_faces(rig, on), rest = cut_faces(rig, off);
    const transfer::Reference reference{{rest.mesh, rig.skeleton, frames}, rest.rows};
    const transfer::TransferBody target{garment.mesh, rig.skeleton, frames};
    ShellErrors error = {};
    try {
      error = {
          mean_difference_of(transfer::transfer_closest_point(reference, target, {}, progress).weights, garment.rows),
          mean_difference_of(transfer::transfer_inpaint(reference, target, {}, progress).weights, garment.rows),
          mean_difference_of(transfer::transfer_garment(reference, target, {}, progress).weights, garment.rows),
          mean_difference_of(transferred_automatically(reference, target, progress), garment.rows)};
    } catch (const Error&) {
      ++sums.refused;
      continue;
    }
    ++sums.shells;
    sums.vertices += garment.mesh.vertex_count();
    for (std::size_t m = 0; m < error.size(); ++m) sums.error[m] += error[m] * garment.mesh.vertex_count();
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
                        "vertices; surfaces that nothing is near are refused.",
                    .header = {"character", "shells", "vertices", "refused", "closest point", "published inpainting",
                               "garment", "auto"},
                    .rows = {}};
  ShellSums all;
  const auto add = [&](const std::string& name, const ShellSums& sums) {
    std::vector<std::string> row = {name, fmt::format("{}", sums.shells), fmt::format("{}", sums.vertices),
                                    fmt::format("{}", sums.refused)};
    for (const double error : sums.error)
      row.push_back(fmt::format("{:.4f}", error / std::max<Index>(1, sums.vertices)));
    table.rows.push_back(std::move(row));
  };
  for (const char* file : kShellFiles) {
    const fs::path path = fs::path(options.data) / file;
    if (!fs::exists(path)) continue;
    const std::string name = path.stem().string();
    const ShellSums sums = shell_sums(bound_alone(io::load(path, {}, progress).character.rig, name), progress);
    if (sums.shells == 0) continue;
    add(name, sums);
    all.shells += sums.shells, all.vertices += sums.vertices, all.refused += sums.refused;
    for (std::size_t m = 0; m < all.error.size(); ++m) all.error[m] += sums.error[m];
  }
  if (table.rows.empty()) return;
  add("all", all);
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
