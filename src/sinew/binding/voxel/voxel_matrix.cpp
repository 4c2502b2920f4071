// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/voxel/voxel_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "sinew/binding/voxel/voxel_bones.h"
#include "sinew/binding/voxel/voxel_vertices.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/segment.h"
#include "sinew/geometry/voxels/voxel_distances.h"
#include "sinew/geometry/voxels/voxel_distances_seeds.h"
#include "sinew/geometry/voxels/voxel_leaks.h"

namespace sinew::binding {
namespace {

using namespace geometry;

constexpr int kBridgeRounds = 4;      // Buttons on a shirt on a body.
constexpr double kMostBytes = 3.0e9;  // Of a run, as far as it can be told beforehand.
constexpr double kVoxelBytes = 6;     // Class, votes and number of a voxel.
// A way inside the body counts longer, up to thrice, where it is more than 1.4 times the straight one: twice at 1.9.
constexpr float kDetour = 1.4F, kPerDetour = 2.0F, kMostDetour = 3.0F;
// Joints × solid voxels, in full cubes of voxels: 80 million at a resolution of 256, for which searches take about 25 s
// of processor time. Characters need up to 4.5 cubes; a box that fills the grid or a soup of triangles 20 to 100.
constexpr double kMostCubes = 4.8;
// Of the solid voxels: if votes leave more undecided, what is enclosed means little, and a quarter of the work must do.
// Skins with holes have up to 0.17, soups of hundreds of triangles 0.35 to 10.
constexpr double kSoupUndecided = 0.25, kSoupShare = 0.25;
constexpr int kProbe = 64, kProbeFrom = 160;  // Resolutions: of a first look, and from which on it saves time.
// Of a soup. Each undecided voxel asks for a winding number: at 256 these alone take a minute for 1,000 triangles.
constexpr int kSoupResolution = 128;
constexpr int kLeastResolution = 16;
constexpr double kSolidBytes = 110;  // Links, sheets, masks of a solid voxel, and the fields of two workers.

// Fields are as large as the solid: as many as there are workers, no more.
class FieldPool {
 public:
  template <class Body>
  void with(Body&& body) {
    std::unique_ptr<VoxelField> field;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        field = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (!field) field = std::make_unique<VoxelField>();
    body(*field);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(field));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<VoxelField>> idle_;
};

void require_memory(double bytes, int resolution) {
  if (bytes <= kMostBytes) return;
  // Bytes grow with the cube of the resolution.
  const int fits = std::max(16, static_cast<int>(resolution * std::cbrt(kMostBytes / bytes) / 16) * 16);
  throw Error(
      fmt::format("A resolution of {} would need about {:.1f} GB for the voxels of this mesh. The limit is {:.0f} GB. "
                  "A resolution of about {} fits.",
                  resolution, bytes / 1e9, kMostBytes / 1e9, std::min(fits, resolution - 1)));
}

// Before anything is made: the grid alone.
void require_grid(const Mesh& mesh, int resolution) {
  for (std::size_t v = 0; v < mesh.positions.size(); ++v)
    if (!mesh.positions[v].allFinite())
      throw Error(fmt::format("Vertex {} has a position that is not finite. Repair the mesh first.", v));
  Box box;
  for (const Index v : mesh.face_vertices) box.extend(mesh.positions[v]);
  if (box.empty())
    throw Error(
        "The mesh has no faces, so there is nothing solid to measure distances in. Use another method, such as "
        "distance.");
  const double cell = box.extent().maxCoeff() / resolution;
  double voxels = 1;
  for (int k = 0; k < 3; ++k) voxels *= (cell > 0 ? box.extent()[k] / cell : resolution) + 6;
  require_memory(voxels * kVoxelBytes, resolution);
}

std::size_t joints_with_bones(const BoneTree& tree) {
  return static_cast<std::size_t>(std::count_if(tree.joints.begin(), tree.joints.end(),
                                                [&](Index joint) { return !tree.outgoing[joint].empty(); }));
}

bool is_soup(const SolidVoxels& voxels) {
  return static_cast<double>(voxels.undecided) > kSoupUndecided * static_cast<double>(voxels.solid.size());
}

// The work that voxels mean for so many joints, as a multiple of what is allowed at their resolution.
double excess(const SolidVoxels& voxels, int resolution, std::size_t joints) {
  const double cubes = static_cast<double>(joints * voxels.solid.size()) / std::pow(resolution, 3);
  return cubes / (is_soup(voxels) ? kSoupShare * kMostCubes : kMostCubes);
}

int coarser(int resolution, double excess) {
  return std::max(kLeastResolution, std::min(resolution - 1, static_cast<int>(resolution / std::cbrt(excess))));
}

class MatrixBuilder {
 public:
  MatrixBuilder(const Subject& subject, const BoneTree& tree, const VoxelOptions& options, const Progress& progress)
      : subject_(subject),
        progress_(progress),
        metric_(options.steps == VoxelSteps::kChamfer ? VoxelMetric::kChamfer : VoxelMetric::kMarching) {
    require_grid(subject.mesh, options.resolution);
    std::vector<Segment> all;
    for (const Bone& bone : tree.bones) all.push_back({bone.a, bone.b});
    make_voxels(options.resolution, joints_with_bones(tree), all);
    require_memory(static_cast<double>(voxels_.classes.size()) * kVoxelBytes +
                       static_cast<double>(voxels_.solid.size()) * kSolidBytes,
                   options.resolution);
    // In a soup every voxel is beside another surface: 4 million rays through 1,000 shells take 40 s, for steps between
    // surfaces that enclose nothing.
    matrix_.unguarded = options.leak_guard && is_soup(voxels_);
    if (options.leak_guard && !matrix_.unguarded)
      leaks_ = std::make_unique<VoxelLeaks>(subject.mesh, voxels_, progress);
    distances_ = std::make_unique<VoxelDistances>(voxels_, leaks_.get(), metric_);
    matrix_.welding = weld(subject.mesh);
    bones_ = joint_bones(subject, tree, voxels_);
    for (const JointBones& bones : bones_) matrix_.joints.push_back(bones.joint);
  }

  VoxelMatrix build(double reach) {
    find_seeds();
    VoxelField nearest;
    find_nearest(nearest);
    stencils_ = voxel_stencils(subject_.mesh, matrix_.welding.first, voxels_, leaks_.get(), nearest, metric_);
    set_ways();
    set_limit(nearest, reach);
    set_thickness(nearest);
    fill();
    describe();
    return std::move(matrix_);
  }

 private:
  std::size_t columns() const { return matrix_.joints.size(); }

  // At the resolution asked for, or a lower one if the searches would take more work than is allowed.
  void make_voxels(int asked, std::size_t joints, std::span<const Segment> bones) {
    int resolution = asked;
    if (asked >= kProbeFrom) {
      // Only a rough guess: at a low resolution more of the solid is surface.
      constexpr double kSure = 1.5;
      const SolidVoxels probe = solid_voxels(subject_.mesh, {.resolution = kProbe}, bones, progress_);
      const double guess = excess(probe, kProbe, joints);
      if (guess > kSure) resolution = coarser(asked, guess / kSure);
      if (is_soup(probe)) resolution = std::min(resolution, kSoupResolution);
    }
    while (true) {
      voxels_ = solid_voxels(subject_.mesh, {.resolution = resolution}, bones, progress_);
      const double cells = std::pow(static_cast<double>(resolution) / asked, 3);
      const double over = excess(voxels_, resolution, joints) * cells;
      if (over <= 1 || resolution <= kLeastResolution) break;
      resolution = coarser(resolution, over);
    }
    matrix_.resolution = resolution;
  }

  void find_seeds() {
    progress_.step("bones", 0);
    const BoneSeeder seeder(*distances_);
    seeds_.resize(columns());
    parallel_for(
        columns(),
        [&](std::size_t k) {
          pool_.with([&](VoxelField& field) { seeds_[k] = seeder.seeds(bones_[k].segments, field); });
        },
        1);
  }

  // Distance and column of the nearest joint, for all voxels, and bridges to what is not reached.
  void find_nearest(VoxelField& nearest) {
    std::vector<VoxelSeed> all;
    for (std::size_t k = 0; k < columns(); ++k)
      for (VoxelSeed seed : seeds_[k].seeds) {
        seed.source = static_cast<Index>(k);
        all.push_back(seed);
      }
    distances_->search(all, nearest, VoxelField::kUnreached, true, progress_);
    body_.resize(voxels_.solid.size());
    for (std::size_t i = 0; i < body_.size(); ++i) body_[i] = nearest.distance[i] < VoxelField::kUnreached ? 1 : 0;
    for (int round = 0; round < kBridgeRounds; ++round) {
      const std::vector<VoxelBridge> bridges = bridges_to_shells(voxels_, nearest);
      if (bridges.empty()) break;
      matrix_.bridges += bridges.size();
      distances_->add_bridges(bridges);
      distances_->search(all, nearest, VoxelField::kUnreached, true, progress_);
    }
  }

  void set_ways() {
    matrix_.way.resize(stencils_.size());
    for (std::size_t v = 0; v < stencils_.size(); ++v) {
      const VoxelStencil& s = stencils_[v];
      if (s.kind == VoxelStencil::Kind::kFar) matrix_.way[v] = VoxelWay::kFar;
      else if (s.kind == VoxelStencil::Kind::kBeside) matrix_.way[v] = VoxelWay::kBeside;
      else matrix_.way[v] = body_[s.solid[0]] != 0 ? VoxelWay::kBody : VoxelWay::kShell;
    }
  }

  // Weights vanish where a joint is `reach` times as far as the nearest: no search need go farther than that.
  void set_limit(const VoxelField& nearest, double reach) {
    float farthest = 0;
    for (const VoxelStencil& s : stencils_)
      if (s.kind != VoxelStencil::Kind::kFar) farthest = std::max(farthest, voxel_distance(s, nearest));
    limit_ = std::isfinite(reach) ? static_cast<float>(reach) * farthest + 2 : VoxelField::kUnreached;
    matrix_.limit = voxels_.cell * static_cast<double>(limit_);
  }

  // Twice the largest depth among the voxels that are nearest to a joint.
  void set_thickness(const VoxelField& nearest) {
    std::vector<VoxelSeed> surface;
    for (Index i = 0; i < voxels_.solid.size(); ++i)
      if (voxels_.classes[voxels_.solid[i]] == VoxelClass::kBoundary) surface.push_back({i, 0.5F, 0});
    VoxelField depth;
    VoxelDistances(voxels_, nullptr, VoxelMetric::kChamfer)
        .search(surface, depth, VoxelField::kUnreached, false, progress_);
    matrix_.thickness.assign(columns(), 0);
    for (std::size_t i = 0; i < depth.distance.size(); ++i)
      if (nearest.source[i] != kNone && body_[i] != 0 && depth.distance[i] < VoxelField::kUnreached) {
        float& most = matrix_.thickness[nearest.source[i]];
        most = std::max(most, 2 * depth.distance[i]);
      }
  }

  void fill() {
    const std::size_t rows = stencils_.size();
    matrix_.distance.resize(rows * columns());
    const auto cell = static_cast<float>(voxels_.cell);
    parallel_for(
        columns(),
        [&](std::size_t k) {
          progress_.step("distances", static_cast<double>(k) / static_cast<double>(columns()));
          pool_.with([&](VoxelField& field) {
            distances_->search(seeds_[k].seeds, field, limit_, false, progress_);
            for (std::size_t v = 0; v < rows; ++v) {
              const bool far = stencils_[v].kind == VoxelStencil::Kind::kFar;
              const float inside = far ? straight(v, k) : cell * voxel_distance(stencils_[v], field);
              matrix_.distance[v * columns() + k] =
                  far || metric_ == VoxelMetric::kChamfer || !std::isfinite(inside) ? inside : lengthened(inside, v, k);
            }
          });
        },
        1);
    // No row without a number.
    for (std::size_t v = 0; v < rows; ++v) {
      const auto row = matrix_.distance.begin() + static_cast<std::ptrdiff_t>(v * columns());
      if (std::any_of(row, row + static_cast<std::ptrdiff_t>(columns()), [](float d) { return std::isfinite(d); }))
        continue;
      for (std::size_t k = 0; k < columns(); ++k) matrix_.distance[v * columns() + k] = straight(v, k);
      matrix_.way[v] = VoxelWay::kFar;
    }
  }

  // What lies across a gap, and is reached by a detour only, should not move a vertex however near the nearest joint
  // is.
  float lengthened(float inside, std::size_t v, std::size_t k) const {
    const auto cell = static_cast<float>(voxels_.cell);
    const float detour = (inside - cell) / (straight(v, k) + cell);
    return inside * std::clamp(1 + kPerDetour * (detour - kDetour), 1.0F, kMostDetour);
  }

  float straight(std::size_t v, std::size_t k) const {
    const Vec3& p = subject_.mesh.positions[matrix_.welding.first[v]];
    double best = std::numeric_limits<double>::infinity();
    for (const Segment& bone : bones_[k].segments) best = std::min(best, geometry::segment_distance(p, bone.a, bone.b));
    return static_cast<float>(best);
  }

  void describe() {
    Box box;
    for (const Index v : subject_.mesh.face_vertices) box.extend(subject_.mesh.positions[v]);
    matrix_.size = box.diagonal();
    matrix_.cell = voxels_.cell;
    matrix_.grid = voxels_.classes.size();
    matrix_.solid = voxels_.solid.size();
    matrix_.undecided = voxels_.undecided;
    if (leaks_) matrix_.closed_steps = leaks_->closed_steps();
    for (std::size_t k = 0; k < columns(); ++k) {
      if (seeds_[k].all_outside) matrix_.outside.push_back(matrix_.joints[k]);
      else if (2 * seeds_[k].outside > seeds_[k].samples) matrix_.leaving.push_back(matrix_.joints[k]);
      if (seeds_[k].clipped) matrix_.stray.push_back(matrix_.joints[k]);
    }
  }

  const Subject& subject_;
  const Progress& progress_;
  const VoxelMetric metric_;
  std::vector<JointBones> bones_;  // Per column.
  SolidVoxels voxels_;
  std::unique_ptr<VoxelLeaks> leaks_;
  std::unique_ptr<VoxelDistances> distances_;
  std::vector<BoneSeeds> seeds_;
  std::vector<VoxelStencil> stencils_;
  std::vector<std::uint8_t> body_;  // Per solid voxel: reached inside the body.
  float limit_ = 0;
  FieldPool pool_;
  VoxelMatrix matrix_;
};

}  // namespace

VoxelMatrix voxel_matrix(const Subject& subject, const BoneTree& tree, const VoxelOptions& options, double reach,
                         const Progress& progress) {
  return MatrixBuilder(subject, tree, options, progress).build(reach);
}

}  // namespace sinew::binding
