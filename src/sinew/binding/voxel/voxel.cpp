// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/voxel/voxel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/binding/voxel/voxel_falloff.h"
#include "sinew/binding/voxel/voxel_matrix.h"
#include "sinew/core/parallel.h"
#include "sinew/core/text.h"
#include "sinew/geometry/mesh/adjacency.h"

namespace sinew::binding {
namespace {

constexpr float kThin = 3;               // Voxels: what is thinner is measured badly.
constexpr double kManyUndecided = 0.02;  // Of the solid voxels.

// How sure one can be of a vertex, by the way its distances were found.
constexpr std::array<float, 4> kConfidence = {1.0F, 0.6F, 0.4F, 0.2F};

std::string some_names(const Skeleton& skeleton, std::span<const Index> joints) {
  std::vector<std::string> names;
  for (const Index joint : joints) names.push_back("'" + skeleton.joints[joint].name + "'");
  return join_some(names, 5);
}

}  // namespace

struct VoxelBinding::Data {
  VoxelMatrix matrix;
  geometry::Lists rings;  // Of welded vertices.
  Skeleton skeleton;
  VoxelOptions made_with;

  VoxelFalloff falloff(double stiffness) const {
    return {.published = made_with.steps == VoxelSteps::kChamfer, .falloff = stiffness, .size = matrix.size};
  }

  std::array<std::uint64_t, 4> count_ways() const {
    std::array<std::uint64_t, 4> counts = {};
    for (const Index w : matrix.welding.welded) ++counts[static_cast<std::size_t>(matrix.way[w])];
    return counts;
  }

  // Joints around which the body is too thin for these voxels.
  std::vector<Index> thin_joints() const {
    std::vector<Index> thin;
    for (std::size_t k = 0; k < matrix.joints.size(); ++k)
      if (matrix.thickness[k] > 0 && matrix.thickness[k] < kThin) thin.push_back(matrix.joints[k]);
    return thin;
  }

  void add_warnings(BindResult& bound, const std::array<std::uint64_t, 4>& ways) const;
  void add_metrics(BindResult& bound, const std::array<std::uint64_t, 4>& ways) const;
};

void VoxelBinding::Data::add_warnings(BindResult& bound, const std::array<std::uint64_t, 4>& ways) const {
  const auto warn = [&](const char* code, std::span<const Index> joints, std::string text) {
    bound.findings.push_back({code, skeleton.joints[joints.front()].name, std::move(text)});
  };
  if (!matrix.outside.empty())
    warn("voxel.bones_outside", matrix.outside,
         fmt::format("The bones of {} joints are outside the body: {}. The nearest part of the body is used for them.",
                     matrix.outside.size(), some_names(skeleton, matrix.outside)));
  if (!matrix.stray.empty())
    warn("voxel.bones_stray", matrix.stray,
         fmt::format(
             "Bones of {} joints extend beyond the bounding box of the mesh: {}. Only the parts inside it count.",
             matrix.stray.size(), some_names(skeleton, matrix.stray)));
  if (const std::vector<Index> thin = thin_joints(); !thin.empty())
    warn("voxel.thin", thin,
         fmt::format("Around {} joints the body is thinner than {} voxels: {}. Use a resolution higher than {}.",
                     thin.size(), kThin, some_names(skeleton, thin), matrix.resolution));
  if (matrix.resolution < made_with.resolution)
    bound.findings.push_back(
        {"voxel.coarse", "",
         fmt::format(
             "The voxels are coarser than requested, {} instead of {} along the longest side, so that {} joints take "
             "bounded time. Large closed boxes and loose triangles cause this.",
             matrix.resolution, made_with.resolution, matrix.joints.size())});
  if (static_cast<double>(matrix.undecided) > kManyUndecided * static_cast<double>(matrix.solid))
    bound.findings.push_back({"voxel.undecided", "",
                              fmt::format("For {} of {} voxels it is unclear whether they are inside, because the "
                                          "surface has holes. The winding number decided.",
                                          matrix.undecided, matrix.grid)});
  if (matrix.unguarded)
    bound.findings.push_back({"voxel.unguarded", "",
                              "The surface encloses so little that steps between surfaces that are close together are "
                              "not prevented."});
  if (ways[3] > 0)
    bound.findings.push_back(
        {"voxel.far", "",
         fmt::format(
             "{} vertices are far from everything that a bone reaches. Straight-line distances are used for them.",
             ways[3])});
}

void VoxelBinding::Data::add_metrics(BindResult& bound, const std::array<std::uint64_t, 4>& ways) const {
  const std::vector<Index> thin = thin_joints();
  float thinnest = std::numeric_limits<float>::infinity();
  for (const float t : matrix.thickness)
    if (t > 0) thinnest = std::min(thinnest, t);
  bound.metrics = Json{{"resolution", matrix.resolution},
                       {"voxel_size", matrix.cell},
                       {"voxels", matrix.grid},
                       {"solid_voxels", matrix.solid},
                       {"undecided_voxels", matrix.undecided},
                       {"closed_steps", matrix.closed_steps},
                       {"joints_with_bones", matrix.joints.size()},
                       {"joints_outside", matrix.outside.size()},
                       {"joints_half_outside", matrix.leaving.size()},
                       {"joints_in_thin_parts", thin.size()},
                       {"thinnest_part_voxels", std::isfinite(thinnest) ? thinnest : 0.0F},
                       {"vertices_over_gaps", ways[1]},
                       {"vertices_beside_voxels", ways[2]},
                       {"vertices_far", ways[3]}};
}

VoxelBinding::VoxelBinding(const Subject& subject, const VoxelOptions& options, const Progress& progress,
                           std::optional<double> reach) {
  auto data = std::make_unique<Data>();
  const BoneTree tree = bone_tree(subject);
  data->skeleton.joints = subject.skeleton.joints;
  data->made_with = options;
  const double needed =
      options.steps == VoxelSteps::kChamfer ? std::numeric_limits<double>::infinity() : VoxelFalloff::kReach;
  data->matrix = voxel_matrix(subject, tree, options, reach.value_or(needed), progress);
  data->rings = geometry::one_rings(subject.mesh, &data->matrix.welding);
  data_ = std::move(data);
}

VoxelBinding::VoxelBinding(VoxelBinding&&) noexcept = default;
VoxelBinding& VoxelBinding::operator=(VoxelBinding&&) noexcept = default;
VoxelBinding::~VoxelBinding() = default;

std::span<const Index> VoxelBinding::joints() const { return data_->matrix.joints; }

std::span<const float> VoxelBinding::distances(Index vertex) const {
  return data_->matrix.row(data_->matrix.welding.welded[vertex]);
}

SkinWeights VoxelBinding::weights(double stiffness, const BindOptions& common) const {
  const VoxelMatrix& matrix = data_->matrix;
  const VoxelFalloff falloff = data_->falloff(stiffness);
  const int rounds = common.smooth.value_or(0), limit = common.influence_limit();
  // Smoothing sees all influences; otherwise rows are cut to length at once.
  const std::size_t slots =
      rounds > 0 || limit == 0 ? std::max<std::size_t>(1, matrix.joints.size()) : static_cast<std::size_t>(limit);
  const std::size_t count = matrix.welding.count();
  std::vector<Influence> rows(count * slots);
  parallel_blocks(count, 2048, [&](std::size_t begin, std::size_t end) {
    std::vector<Influence> row;
    for (std::size_t v = begin; v < end; ++v) {
      voxel_weights(matrix.row(static_cast<Index>(v)), matrix.joints, falloff, row);
      cap_row(row, static_cast<int>(slots));
      std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(v * slots));
    }
  });
  const auto row_of = [&](std::size_t welded) {
    const Influence* first = rows.data() + welded * slots;
    std::size_t length = 0;
    while (length < slots && first[length].joint != kNone) ++length;
    return std::span<const Influence>(first, length);
  };
  SkinWeights weights;
  if (rounds == 0) {
    weights.reserve(matrix.welding.welded.size(), matrix.welding.welded.size() * slots);
    for (const Index w : matrix.welding.welded) weights.add_row(row_of(w));
    return weights;
  }
  weights.reserve(count, count * slots);
  for (std::size_t w = 0; w < count; ++w) weights.add_row(row_of(w));
  return smoothed_on_mesh(weights, data_->rings, rounds, limit, matrix.welding);
}

BindResult VoxelBinding::result(double falloff, const BindOptions& common) const {
  const VoxelMatrix& matrix = data_->matrix;
  BindResult bound;
  bound.weights = weights(falloff, common);
  bound.origins = {{"voxel", "distances inside the body"},
                   {"voxel", "distances across a gap: nothing solid connects it to a bone"},
                   {"voxel", "distances from the nearest voxel: the vertex is outside all voxels"},
                   {"voxel", "straight-line distances: nothing that bones reach is near"}};
  for (const Index w : matrix.welding.welded) {
    const auto way = static_cast<std::size_t>(matrix.way[w]);
    bound.origin.push_back(static_cast<std::uint8_t>(way));
    float thickness = kThin;
    const std::span<const float> row = matrix.row(w);
    const auto nearest = static_cast<std::size_t>(std::min_element(row.begin(), row.end()) - row.begin());
    if (matrix.thickness[nearest] > 0) thickness = std::min(thickness, matrix.thickness[nearest]);
    bound.confidence.push_back(kConfidence[way] * (0.5F + 0.5F * thickness / kThin));
  }
  const std::array<std::uint64_t, 4> ways = data_->count_ways();
  const std::array<const char*, 4> codes = {"", "voxel.shell", "voxel.beside", "voxel.far"};
  const std::array<const char*, 4> texts = {
      "", "Vertices of shells that nothing solid connects to a bone use the distances of the body next to them.",
      "Vertices outside all voxels use the distances of the nearest voxel.",
      "Vertices far from everything that bones reach are bound by straight-line distances."};
  for (std::size_t way = 1; way < 4; ++way)
    if (ways[way] > 0) bound.fallbacks.push_back({codes[way], way == 3 ? "distance" : "voxel", ways[way], texts[way]});
  data_->add_warnings(bound, ways);
  data_->add_metrics(bound, ways);
  return bound;
}

BindResult bind_by_voxels(const Subject& subject, const VoxelOptions& options, const BindOptions& common,
                          const Progress& progress) {
  return VoxelBinding(subject, options, progress).result(options.falloff, common);
}

BinderMethod voxel_method() {
  return binder_method("voxel", "geodesic-voxel",
                       "Measures distances inside the body. Works on any mesh, however broken.", bind_by_voxels);
}

}  // namespace sinew::binding
