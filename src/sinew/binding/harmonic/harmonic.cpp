// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/harmonic/harmonic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "sinew/binding/auto/layers_rows.h"
#include "sinew/binding/edit/weight_tools.h"
#include "sinew/binding/heat/heat_solver.h"
#include "sinew/binding/voxel/voxel_bones.h"
#include "sinew/binding/voxel/voxel_vertices.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/voxels/voxel_distances.h"
#include "sinew/geometry/voxels/voxel_distances_seeds.h"

namespace sinew::binding {
namespace {

using geometry::SolidVoxels;
using geometry::VoxelField;

constexpr std::size_t kMostHarmonicVoxels = 20000;  // A factor of more takes seconds.
constexpr double kHoldHarmonic = 1e4;  // How firmly boundary values are held, against what a voxel conducts.
constexpr float kOnBone = 0.9F;        // Voxels that a bone passes, from their centres.
constexpr double kBridgeShare = 0.05;  // What a gap between shells conducts, against the body.
constexpr double kLeastHarmonic = 1e-4;
constexpr std::size_t kFaceSteps = 6;

// Boundary values: per voxel the joints that hold it.
struct HeldVoxels {
  std::vector<std::map<Index, double>> shares;  // Column → share; they need not sum to 1.

  explicit HeldVoxels(std::size_t voxels) : shares(voxels) {}
  void add(Index voxel, Index column, double share) { shares[voxel][column] += share; }
};

class HarmonicRun {
 public:
  HarmonicRun(const Subject& subject, const HarmonicOptions& options, const Progress& progress)
      : subject_(subject), options_(options), progress_(progress), tree_(bone_tree(subject)) {
    find_voxels();
    leaks_ = std::make_unique<geometry::VoxelLeaks>(subject.mesh, voxels_, progress);
    distances_ = std::make_unique<geometry::VoxelDistances>(voxels_, leaks_.get(), geometry::VoxelMetric::kMarching);
    welding_ = geometry::weld(subject.mesh);
    bones_ = joint_bones(subject, tree_, voxels_);
  }

  BindResult run(const std::vector<PinnedRow>& pins, const BindOptions& common);

 private:
  void find_voxels() {
    std::vector<geometry::Segment> all;
    for (const Bone& bone : tree_.bones) all.push_back({bone.a, bone.b});
    resolution_ = options_.resolution;
    for (int attempt = 0; attempt < 4; ++attempt) {
      voxels_ = geometry::solid_voxels(subject_.mesh, {.resolution = resolution_}, all, progress_);
      if (voxels_.solid.size() <= kMostHarmonicVoxels || resolution_ <= 16) return;
      const double fits =
          std::cbrt(static_cast<double>(kMostHarmonicVoxels) / static_cast<double>(voxels_.solid.size()));
      resolution_ = std::max(16, static_cast<int>(0.97 * fits * resolution_));
    }
  }

  // Voxels of the bones, the field of the nearest one, and bridges to shells that it does not reach.
  HeldVoxels hold_bones() {
    HeldVoxels held(voxels_.solid.size());
    const geometry::BoneSeeder seeder(*distances_);
    std::vector<geometry::VoxelSeed> all;
    VoxelField work;
    for (Index k = 0; k < bones_.size(); ++k) {
      progress_.check();
      for (geometry::VoxelSeed seed : seeder.seeds(bones_[k].segments, work).seeds) {
        if (seed.distance <= kOnBone) held.add(seed.solid, k, 1);
        seed.source = k;
        all.push_back(seed);
      }
    }
    distances_->search(all, nearest_, VoxelField::kUnreached, true, progress_);
    for (int round = 0; round < 4; ++round) {
      const std::vector<geometry::VoxelBridge> found = geometry::bridges_to_shells(voxels_, nearest_);
      if (found.empty()) break;
      bridges_.insert(bridges_.end(), found.begin(), found.end());
      distances_->add_bridges(found);
      distances_->search(all, nearest_, VoxelField::kUnreached, true, progress_);
    }
    return held;
  }

  double conductivity(Index voxel) const {
    const float d = nearest_.distance[voxel];
    return std::isfinite(d) ? std::pow(static_cast<double>(d) + 0.5, -options_.focus) : 0;
  }

  // Whether a diagonal step is the only open way between two voxels: sheets of one voxel.
  bool only_diagonal(Index voxel, Index other) const {
    for (std::size_t step = 0; step < kFaceSteps; ++step) {
      const Index between = distances_->neighbour(voxel, step);
      if (between == kNone) continue;
      for (std::size_t next = 0; next < geometry::kVoxelSteps; ++next)
        if (distances_->neighbour(between, next) == other) return false;
    }
    return true;
  }

  geometry::SparseMatrix stiffness() const {
    std::vector<geometry::MatrixEntry> entries;
    entries.reserve(voxels_.solid.size() * 8);
    const auto link = [&](Index i, Index j, double factor) {
      const double a = conductivity(i), b = conductivity(j);
      if (!(a > 0 && b > 0)) return;
      const double value = factor * 2 * a * b / (a + b);
      entries.push_back({i, j, -value});
      entries.push_back({j, i, -value});
      entries.push_back({i, i, value});
      entries.push_back({j, j, value});
    };
    for (Index i = 0; i < voxels_.solid.size(); ++i)
      for (std::size_t step = 0; step < geometry::kVoxelSteps; ++step) {
        const Index j = distances_->neighbour(i, step);
        if (j == kNone || j <= i) continue;
        if (step < kFaceSteps) link(i, j, 1);
        else if (only_diagonal(i, j)) link(i, j, 0.5);
      }
    for (const geometry::VoxelBridge& bridge : bridges_) link(bridge.from, bridge.to, kBridgeShare);
    return geometry::assemble(static_cast<Index>(voxels_.solid.size()), entries);
  }

  void hold_pins(const std::vector<PinnedRow>& pins, HeldVoxels& held) const {
    std::map<Index, Index> column;
    for (Index k = 0; k < bones_.size(); ++k) column[bones_[k].joint] = k;
    std::map<Index, int> count;
    for (const PinnedRow& pin : pins) {
      const VoxelStencil& stencil = stencils_[welding_.welded[pin.vertex]];
      if (stencil.kind == VoxelStencil::Kind::kFar) continue;
      const auto best = std::max_element(stencil.weight.begin(), stencil.weight.end()) - stencil.weight.begin();
      const Index voxel = stencil.solid[static_cast<std::size_t>(best)];
      if (count[voxel]++ == 0) held.shares[voxel].clear();
      for (const Influence& influence : pin.row)
        if (const auto known = column.find(influence.joint); known != column.end())
          held.add(voxel, known->second, static_cast<double>(influence.weight));
    }
  }

  // Rows of the voxels.
  std::vector<WeightRow> solve(const HeldVoxels& held) {
    const geometry::SparseMatrix a = stiffness();
    std::vector<double> rate(voxels_.solid.size(), 0);
    std::vector<std::vector<HeatSource>> sources(bones_.size());
    for (Index i = 0; i < rate.size(); ++i) {
      double sum = 0;
      for (const auto& [column, share] : held.shares[i]) sum += share;
      if (!(sum > 0)) continue;
      rate[i] = kHoldHarmonic * std::max(conductivity(i), 1e-6);
      for (const auto& [column, share] : held.shares[i]) sources[column].push_back({i, share / sum});
    }
    std::vector<Vec3> positions;
    for (const std::size_t voxel : voxels_.solid) {
      const std::array<Index, 3> at = voxels_.coordinates(voxel);
      positions.emplace_back(at[0], at[1], at[2]);
    }
    const HeatSolver solver(a, rate, positions);
    regularized_ = solver.regularized() || solver.failed();
    const std::vector<HeatColumn> columns = solver.solve(sources, kLeastHarmonic, progress_);
    std::vector<WeightRow> rows(rate.size());
    for (std::size_t k = 0; k < columns.size(); ++k)
      for (std::size_t n = 0; n < columns[k].rows.size(); ++n)
        rows[columns[k].rows[n]].push_back({bones_[k].joint, columns[k].values[n]});
    return rows;
  }

  Index nearest_joint(const Vec3& p) const {
    Index best = tree_.bones.front().joint;
    double least = std::numeric_limits<double>::infinity();
    for (const Bone& bone : tree_.bones) {
      const double distance = competing_distance(bone, closest_on_bone(bone, p).distance);
      if (distance < least) least = distance, best = bone.joint;
    }
    return best;
  }

  const Subject& subject_;
  const HarmonicOptions& options_;
  const Progress& progress_;
  BoneTree tree_;
  int resolution_ = 0;
  SolidVoxels voxels_;
  std::unique_ptr<geometry::VoxelLeaks> leaks_;
  std::unique_ptr<geometry::VoxelDistances> distances_;
  geometry::Welding welding_;
  std::vector<JointBones> bones_;  // The columns.
  VoxelField nearest_;
  std::vector<geometry::VoxelBridge> bridges_;
  std::vector<VoxelStencil> stencils_;
  bool regularized_ = false;
};

BindResult HarmonicRun::run(const std::vector<PinnedRow>& pins, const BindOptions& common) {
  progress_.step("bones", 0.2);
  HeldVoxels held = hold_bones();
  stencils_ =
      voxel_stencils(subject_.mesh, welding_.first, voxels_, leaks_.get(), nearest_, geometry::VoxelMetric::kMarching);
  hold_pins(pins, held);
  progress_.step("solving", 0.4);
  const std::vector<WeightRow> voxel_rows = solve(held);
  progress_.step("rows", 0.9);
  std::vector<WeightRow> rows(stencils_.size());
  std::vector<char> far(stencils_.size(), 0);
  parallel_for(
      rows.size(),
      [&](std::size_t w) {
        RowSum sum;
        for (std::size_t k = 0; k < 8 && stencils_[w].solid[k] != kNone; ++k)
          sum.add(voxel_rows[stencils_[w].solid[k]], static_cast<double>(stencils_[w].weight[k]));
        far[w] = sum.empty() ? 1 : 0;
        rows[w] =
            far[w] != 0 ? WeightRow{{nearest_joint(subject_.mesh.positions[welding_.first[w]]), 1.0F}} : sum.take();
      },
      512);
  for (const PinnedRow& pin : pins) rows[welding_.welded[pin.vertex]] = pin.row;
  SkinWeights weights;
  for (const WeightRow& row : rows) weights.add_row(row);
  if (const int rounds = common.smooth.value_or(0); rounds > 0)
    weights = smoothed(weights, geometry::one_rings(subject_.mesh, &welding_), rounds);

  BindResult bound;
  bound.weights = unwelded(capped_rows(weights, common.influence_limit()), welding_);
  bound.origins = {{"harmonic", "inside the body"}, {"nearest", "nothing that bones reach is near"}};
  Index lost = 0;
  for (const Index w : welding_.welded) {
    bound.origin.push_back(static_cast<std::uint8_t>(far[w]));
    bound.confidence.push_back(far[w] != 0 ? 0.25F : 0.9F);
    lost += static_cast<Index>(far[w]);
  }
  if (lost > 0)
    bound.fallbacks.push_back({"harmonic.far", "nearest bone", lost,
                               "Vertices far from everything that bones reach follow the nearest bone."});
  if (regularized_)
    bound.fallbacks.push_back({"harmonic.regularized", "a heavier diagonal", 1,
                               "The equation is numerically singular. A small multiple of its diagonal was added."});
  bound.metrics = Json{{"resolution", resolution_},
                       {"voxel_size", voxels_.cell},
                       {"solid_voxels", voxels_.solid.size()},
                       {"closed_steps", leaks_->closed_steps()},
                       {"bridges", bridges_.size()}};
  return bound;
}

}  // namespace

BindResult bind_quasi_harmonic(const Subject& subject, const HarmonicOptions& options,
                               const std::vector<PinnedRow>& pins, const BindOptions& common,
                               const Progress& progress) {
  return HarmonicRun(subject, options, progress).run(pins, common);
}

BindResult bind_by_harmonics(const Subject& subject, const HarmonicOptions& options, const BindOptions& common,
                             const Progress& progress) {
  return bind_quasi_harmonic(subject, options, {}, common, progress);
}

BinderMethod harmonic_method() {
  return binder_method("harmonic", "quasi-harmonic",
                       "Solves an equation inside the body. Smooth weights for bodies with few bones and thick parts.",
                       bind_by_harmonics);
}

PinnedBinderMethod pinned_harmonic_method() {
  return {harmonic_method().id, [](const Subject& subject, const AnyOptions& own, const BindOptions& common,
                                   const std::vector<PinnedRow>& pins, const Progress& progress) {
            return bind_quasi_harmonic(subject, own.as<HarmonicOptions>(), pins, common, progress);
          }};
}

}  // namespace sinew::binding
