// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>

#include "sinew/geometry/mesh/decimate.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/io/asset.h"
#include "sinew/lab/retargeting/family.h"
#include "sinew/lab/transfer/known_rigs.h"
#include "sinew/transfer/surface/closest_point.h"
#include "sinew/transfer/surface/detail.h"
#include "sinew/transfer/surface/garment.h"
#include "sinew/transfer/surface/inpaint_transfer.h"

namespace sinew::lab {
namespace {

constexpr int kDetailPoses = 10;

struct CutTorso {
  Mesh mesh;
  SkinWeights truth;
};

// Faces around the middle of the body, displaced along the normals by a share of the height.
CutTorso displaced_torso(const Rig& body, double offset) {
  const Mesh& mesh = body.mesh;
  const Box box = mesh.bounds();
  const double height = box.extent().y();
  const geometry::Welding welding = geometry::weld(mesh);
  const std::vector<Vec3> normals = geometry::vertex_normals(mesh, &welding);
  const SkinWeights rows = body.weights.normalized();
  const auto of_torso = [&](Index v) {
    const double up = (mesh.positions[v].y() - box.lower.y()) / height;
    return up > 0.42 && up < 0.86 && std::abs(mesh.positions[v].x() - box.center().x()) < 0.25 * height;
  };
  CutTorso torso;
  std::vector<Index> number(mesh.vertex_count(), kNone), corners;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    corners.assign(mesh.face(f).begin(), mesh.face(f).end());
    bool whole = true;
    for (const Index v : corners) whole = whole && of_torso(v);
    if (!whole) continue;
    for (Index& v : corners) {
      if (number[v] == kNone) {
        number[v] = torso.mesh.vertex_count();
        torso.mesh.positions.push_back(mesh.positions[v] + offset * height * normals[v]);
        torso.truth.add_row(rows.row(v));
      }
      v = number[v];
    }
    torso.mesh.add_face(corners);
  }
  MeshPart part;
  part.vertex_count = torso.mesh.vertex_count();
  part.face_count = torso.mesh.face_count();
  torso.mesh.parts.push_back(part);
  return torso;
}

using SurfaceTransfer = transfer::WeightTransfer (*)(const transfer::Reference&, const transfer::TransferBody&,
                                                     const transfer::TransferOptions&, const Progress&);

double posed_surface_distance(const KnownRig& body, const SkinWeights& rows, const Mesh& coarse,
                              const SkinWeights& coarse_rows) {
  double sum = 0;
  for (int pose = 0; pose < kDetailPoses; ++pose) {
    const std::vector<Mat4> motion = random_motion(body.rig.skeleton, static_cast<unsigned>(pose + 1));
    Mesh moved = coarse;
    moved.positions = blended_positions(coarse, coarse_rows, motion);
    const geometry::RayScene scene(moved);
    const std::vector<Vec3> fine = blended_positions(body.rig.mesh, rows, motion);
    for (const geometry::ClosestPoint& point : scene.closest_points(fine)) sum += point.distance * point.distance;
  }
  return std::sqrt(sum / kDetailPoses / static_cast<double>(body.rig.mesh.vertex_count())) / body.rig.mesh.size();
}

// A made human, and real bodies if there is data.
std::vector<KnownRig> surface_bodies(const ReproduceOptions& options, int vertices, const Progress& progress) {
  std::vector<KnownRig> bodies = {bound_alone(family_member(0, "a", 0, vertices).rig, "made human")};
  for (const char* name : {"human-bunny", "CesiumMan", "RiggedFigure", "VALID_Asian_F_1_Default"}) {
    const std::filesystem::path path = std::filesystem::path(options.data) / "rigged" / fmt::format("{}.glb", name);
    if (!options.data.empty() && std::filesystem::exists(path))
      bodies.push_back(bound_alone(io::load(path, {}, progress).character.rig, name));
  }
  return bodies;
}

}  // namespace

void retarget_garments(const ReproduceOptions& options, int vertices, const Progress& progress, Reproduction& result) {
  ResultTable table{.id = "garments",
                    .title = "Torsos displaced along their normals by a share of the height",
                    .note = "Half the sum of differences of a row, mean.",
                    .header = {"body", "method", "0.5 %", "2 %", "5 %"},
                    .rows = {}};
  ResultTable times = table;
  times.id = "garment_times", times.title = "Seconds for the same", times.note = "";
  for (const KnownRig& body : surface_bodies(options, vertices, progress)) {
    const transfer::Reference reference = body.reference();
    double ours[3] = {}, published[3] = {};
    for (const auto& [name, method] : std::initializer_list<std::pair<const char*, SurfaceTransfer>>{
             {"closest point", transfer::transfer_closest_point},
             {"published inpainting", transfer::transfer_inpaint},
             {"garment", transfer::transfer_garment}}) {
      std::vector<std::string> row = {body.name, name}, time = row;
      for (int i = 0; i < 3; ++i) {
        constexpr double kOffsets[3] = {0.005, 0.02, 0.05};
        progress.check();
        const CutTorso torso = displaced_torso(body.rig, kOffsets[i]);
        const auto start = std::chrono::steady_clock::now();
        const transfer::WeightTransfer made =
            method(reference, {torso.mesh, body.rig.skeleton, reference.joints}, {}, progress);
        time.push_back(
            fmt::format("{:.3f}", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
        const double error = mean_difference_of(made.weights, torso.truth);
        row.push_back(fmt::format("{:.4f}", error));
        if (method == transfer::transfer_garment) ours[i] = error;
        if (method == transfer::transfer_inpaint) published[i] = error;
      }
      table.rows.push_back(row), times.rows.push_back(time);
    }
    for (int i = 0; i < 3; ++i)
      if (!(ours[i] < published[i]))
        result.misses.push_back(
            {"reproduce.retargeting", body.name,
             "The method 'garment' is not better than published inpainting at one of the distances."});
  }
  result.tables.push_back(std::move(table));
  result.times.push_back(std::move(times));
}

void retarget_details(const ReproduceOptions& options, int vertices, const Progress& progress, Reproduction& result) {
  ResultTable table{.id = "details",
                    .title = "Levels of detail, posed: distance of the fine surface from the coarse one",
                    .note =
                        "Root mean square over ten random poses, in thousandths of the size. The first column is the "
                        "distance at rest.",
                    .header = {"body", "triangles", "rest", "closest point", "detail"},
                    .rows = {}};
  for (const KnownRig& body : surface_bodies(options, vertices, progress)) {
    const transfer::Reference reference = body.reference();
    for (const double share : {0.5, 0.25, 0.1}) {
      progress.check();
      geometry::DecimateOptions fewer;
      fewer.target_triangles = static_cast<Index>(share * static_cast<double>(triangulate(body.rig.mesh).size()));
      const Mesh coarse = geometry::decimate(body.rig.mesh, fewer).mesh;
      const transfer::TransferBody target{coarse, body.rig.skeleton, reference.joints};
      double rest = 0;
      for (const geometry::ClosestPoint& point : geometry::RayScene(coarse).closest_points(body.rig.mesh.positions))
        rest += point.distance * point.distance;
      rest = std::sqrt(rest / static_cast<double>(body.rig.mesh.vertex_count())) / body.rig.mesh.size();
      const double closest = posed_surface_distance(
          body, reference.weights, coarse, transfer::transfer_closest_point(reference, target, {}, progress).weights);
      const double detail = posed_surface_distance(body, reference.weights, coarse,
                                                   transfer::transfer_detail(reference, target, {}, progress).weights);
      table.rows.push_back({body.name, fmt::format("{:.0f} %", 100 * share), fmt::format("{:.4f}", 1000 * rest),
                            fmt::format("{:.4f}", 1000 * closest), fmt::format("{:.4f}", 1000 * detail)});
      if (!(detail < closest))
        result.misses.push_back({"reproduce.retargeting", body.name,
                                 "The method 'detail' is not better than closest points at one of the levels."});
    }
  }
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
