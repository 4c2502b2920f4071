// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/delta_mush.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <array>
#include <utility>
#include <vector>

#include "sinew/core/parallel.h"
#include "sinew/deform/blend/kernels.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/deform/blend/skin_layout.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::deform {
namespace {

constexpr std::size_t kMushGrain = 2048;

using Points = std::vector<Point4>;

Vec3f point_of(const Point4& p) { return {p.at[0], p.at[1], p.at[2]}; }

// Factors that make two sums of ring edges the derivatives of the surface, in the least-squares sense, along two
// directions that span the ring best. Any affine image of the ring has the images of these directions. Zero for a ring
// in a line.
void tangent_factors(const Points& points, Index i, std::span<const Index> ring, float* out) {
  std::vector<Vec3> edges;
  Mat3 spread = Mat3::Zero();
  for (const Index k : ring) {
    edges.push_back((point_of(points[k]) - point_of(points[i])).cast<double>());
    spread += edges.back() * edges.back().transpose();
  }
  std::fill(out, out + 2 * ring.size(), 0.0F);
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(spread);
  const Vec3 values = eigen.eigenvalues();
  if (!(values[1] > 1e-8 * values[2])) return;
  for (int axis = 0; axis < 2; ++axis) {
    const Vec3 direction = eigen.eigenvectors().col(2 - axis);
    for (std::size_t k = 0; k < ring.size(); ++k)
      out[2 * k + static_cast<std::size_t>(axis)] = static_cast<float>(edges[k].dot(direction) / values[2 - axis]);
  }
}

class DeltaMush final : public Deformer {
 public:
  DeltaMush(std::unique_ptr<Deformer> inner, const Rig& rig, const DeltaMushOptions& options, const Progress& progress,
            std::optional<PoseLimits> limits)
      : inner_(std::move(inner)),
        welding_(geometry::weld(rig.mesh)),
        rings_(geometry::one_rings(rig.mesh, &welding_)),
        origin_(rig.mesh.bounds().center().cast<float>()),
        rest_normals_(vertex_normals_of(rig.mesh)),
        rounds_(options.rounds),
        limits_(std::move(limits)) {
    progress.step("smoothing the rest pose");
    set_rounds(options.strength);
    keep_mesh(rig.mesh);
    tangents_.resize(2 * rings_.items.size());
    Points points, scratch;
    smoothed_rest({}, points, scratch);
    parallel_for(points.size(), [&](std::size_t i) {
      tangent_factors(points, static_cast<Index>(i), rings_[i], tangents_.data() + std::size_t{2} * rings_.offsets[i]);
    });
  }

  std::unique_ptr<State> make_state() const override {
    auto state = std::make_unique<MushState>();
    state->inner = inner_->make_state();
    return state;
  }

  bool needs_history() const override { return inner_->needs_history(); }

  void deform(State& state, const FrameInput& input, const FrameOutput& output) const override {
    auto& own = static_cast<MushState&>(state);
    inner_->deform(*own.inner, input, output);
    if (!own.prepared || own.morph_weights != input.pose.morph_weights) prepare_rest(own, input.pose.morph_weights);
    own.points.resize(welding_.first.size());
    parallel_for(
        own.points.size(),
        [&](std::size_t i) {
          const Vec3f p = output.positions[welding_.first[i]] - origin_;
          own.points[i] = {{p.x(), p.y(), p.z(), 0}};
        },
        kMushGrain);
    smooth(own.points, own.scratch);
    own.frames.resize(own.points.size());
    make_frames(own.points, own.frames);
    if (limits_) {
      own.factors.resize(limits_->vertex_count());
      limits_->evaluate(input.pose.joints, own.limit_scratch, own.factors);
    }
    put_details_back(own, output);
  }

  std::vector<Overlay> overlays(State& state, const FrameInput& input) const override {
    return inner_->overlays(*static_cast<MushState&>(state).inner, input);
  }

 private:
  struct MushState final : State {
    std::unique_ptr<State> inner;
    bool prepared = false;
    std::vector<std::vector<double>> morph_weights;  // Those `details` and `normals` are for.
    std::vector<Vec3f> details;                      // Per welded vertex, in its rest frame.
    std::vector<Vec3f> normals;                      // Per vertex of the mesh, in the rest frame of its welded one.
    std::vector<bool> framed;                        // Per welded vertex: it has a rest frame.
    Points points, scratch;
    std::vector<MushFrame> frames;
    std::vector<float> factors;  // Per vertex of the mesh.
    PoseLimits::Scratch limit_scratch;
  };

  // Vertices without a ring keep all of themselves.
  void set_rounds(double strength) {
    keep_.assign(rings_.size(), 1.0F);
    share_.assign(rings_.size(), 0.0F);
    for (Index i = 0; i < rings_.size(); ++i) {
      if (rings_[i].empty()) continue;
      keep_[i] = static_cast<float>(1 - strength);
      share_[i] = static_cast<float>(strength / static_cast<double>(rings_[i].size()));
    }
  }

  // What of the mesh is needed when morphs change.
  void keep_mesh(const Mesh& mesh) {
    rest_.positions = mesh.positions;
    rest_.parts = mesh.parts;
  }

  MushRings kernel_rings() const {
    return {rings_.offsets.data(), rings_.items.data(), keep_.data(), share_.data(), tangents_.data()};
  }

  void smooth(Points& points, Points& scratch) const {
    const MushRings rings = kernel_rings();
    scratch.resize(points.size());
    for (int round = 0; round < rounds_; ++round) {
      parallel_blocks(points.size(), kMushGrain, [&](std::size_t begin, std::size_t end) {
        smooth_points(rings, points.data(), scratch.data(), begin, end);
      });
      points.swap(scratch);
    }
  }

  void make_frames(const Points& points, std::vector<MushFrame>& frames) const {
    const MushRings rings = kernel_rings();
    parallel_blocks(points.size(), kMushGrain, [&](std::size_t begin, std::size_t end) {
      mush_frames(rings, points.data(), frames.data(), begin, end);
    });
  }

  // The rest surface, smoothed; what it was before comes back.
  Points smoothed_rest(const std::vector<std::vector<double>>& morph_weights, Points& points, Points& scratch) const {
    const std::vector<Vec3> positions = morphed_positions(rest_, morph_weights);
    points.resize(welding_.first.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3f p = (positions[welding_.first[i]] - origin_.cast<double>()).cast<float>();
      points[i] = {{p.x(), p.y(), p.z(), 0}};
    }
    Points before = points;
    smooth(points, scratch);
    return before;
  }

  static Vec3f into(const MushFrame& frame, const Vec3f& v) {
    const float* const e = frame.at;
    return {e[0] * v[0] + e[1] * v[1] + e[2] * v[2], e[3] * v[0] + e[4] * v[1] + e[5] * v[2],
            e[6] * v[0] + e[7] * v[1] + e[8] * v[2]};
  }

  static Vec3f out_of(const MushFrame& frame, const Vec3f& v) {
    const float* const e = frame.at;
    return {e[0] * v[0] + e[3] * v[1] + e[6] * v[2], e[1] * v[0] + e[4] * v[1] + e[7] * v[2],
            e[2] * v[0] + e[5] * v[1] + e[8] * v[2]};
  }

  // A rotation, not what is left of one where the ring lies in a line.
  static bool is_frame(const MushFrame& frame) {
    const float* const e = frame.at;
    return e[6] * e[6] + e[7] * e[7] + e[8] * e[8] > 0.5F;
  }

  void prepare_rest(MushState& state, const std::vector<std::vector<double>>& morph_weights) const {
    const Points before = smoothed_rest(morph_weights, state.points, state.scratch);
    state.frames.resize(before.size());
    make_frames(state.points, state.frames);
    state.details.resize(before.size());
    state.framed.resize(before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      state.framed[i] = is_frame(state.frames[i]);
      state.details[i] = into(state.frames[i], point_of(before[i]) - point_of(state.points[i]));
    }
    state.normals.resize(rest_normals_.size());
    for (std::size_t v = 0; v < rest_normals_.size(); ++v)
      state.normals[v] = into(state.frames[welding_.welded[v]], rest_normals_[v]);
    state.morph_weights = morph_weights;
    state.prepared = true;
  }

  void put_details_back(const MushState& state, const FrameOutput& output) const {
    parallel_for(
        output.positions.size(),
        [&](std::size_t v) {
          const Index i = welding_.welded[v];
          const MushFrame& frame = state.frames[i];
          if (!state.framed[i] || !is_frame(frame)) return;
          const Vec3f smoothed = point_of(state.points[i]) + out_of(frame, state.details[i]) + origin_;
          const float factor = limits_ ? state.factors[v] : 1.0F;
          output.positions[v] =
              factor == 1 ? smoothed : Vec3f(output.positions[v] + factor * (smoothed - output.positions[v]));
          if (output.normals.empty() || factor == 0) return;
          const Vec3f normal = out_of(frame, state.normals[v]);
          output.normals[v] =
              factor == 1 ? normal : Vec3f((output.normals[v] + factor * (normal - output.normals[v])).normalized());
        },
        kMushGrain);
  }

  std::unique_ptr<Deformer> inner_;
  geometry::Welding welding_;
  geometry::Lists rings_;
  Vec3f origin_;
  std::vector<Vec3f> rest_normals_;
  int rounds_;
  std::optional<PoseLimits> limits_;
  std::vector<float> keep_, share_, tangents_;
  Mesh rest_;  // Positions and morphs only.
};

}  // namespace

std::unique_ptr<Deformer> bind_delta_mush(std::unique_ptr<Deformer> inner, const Rig& rig,
                                          const DeltaMushOptions& options, const Progress& progress,
                                          std::optional<PoseLimits> limits) {
  DeltaMushOptions checked = options;
  OptionList(checked).validate();
  return std::make_unique<DeltaMush>(std::move(inner), rig, checked, progress, std::move(limits));
}

}  // namespace sinew::deform
