// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/ode.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/parallel.h"
#include "sinew/deform/bind_frames.h"
#include "sinew/deform/blend/dqs.h"
#include "sinew/deform/curves/curve_lines.h"
#include "sinew/deform/curves/curve_motion.h"
#include "sinew/deform/curves/pose_shapes.h"
#include "sinew/deform/curves/vertex_motion.h"
#include "sinew/geometry/curves/curves.h"
#include "sinew/geometry/mesh/adjacency.h"

namespace sinew::deform {
namespace {

/// Faster modes follow the body to a tenth of a millimetre in any motion of a living being.
constexpr double kFastestKept = 300;
/// Length of a loop for which `hold` is told: a slim trunk. Skin of thinner limbs lies closer to its bone.
constexpr double kHeldLength_m = 0.6;
/// No displacement exceeds this share of the size, and none a quarter of the loop's length.
constexpr float kMostMoved = 0.03F;
/// A step this large in one frame, relative to the size, is a jump: nothing lives through it.
constexpr float kJump = 0.5F;

/// Rounds of averaging among neighbours, so that curves of different length, which are held differently, do not part.
constexpr int kEvenRounds = 10;

double hold_of(SkinMaterial material) {
  switch (material) {
    case SkinMaterial::kFat:
      return 20;
    case SkinMaterial::kMuscle:
      return 60;
    case SkinMaterial::kRubber:
      return 80;
    case SkinMaterial::kSkin:
      break;
  }
  return 40;
}

/// What one mode has come to.
struct ModeState {
  Vec3f value = Vec3f::Zero();
  Vec3f rate = Vec3f::Zero();
};

class OdeState final : public Deformer::State {
 public:
  std::unique_ptr<Deformer::State> base;
  std::vector<FloatMotion> joints;
  std::vector<Vec3f> last, speed;   // Of nodes, by the base alone.
  std::vector<Vec3f> push, moved;   // Per node: acceleration at rest, and displacement.
  std::vector<Vec3f> shift, other;  // Per welded vertex.
  std::vector<Vec3f> target;        // Per vertex: what examples give.
  std::vector<ModeState> modes;
  int frames = 0;
};

class OdeDeformer final : public Deformer {
 public:
  OdeDeformer(const Rig& rig, const OdeOptions& options, const Progress& progress,
              std::span<const std::vector<Vec3>> examples)
      : base_(bind_dqs(rig, progress)),
        options_(options),
        rows_(motion_rows(rig)),
        welding_(geometry::weld(rig.mesh)),
        rings_(geometry::one_rings(rig.mesh, &welding_)) {
    size_ = static_cast<float>(rig.mesh.size());
    for (const Mat4& frame : bind_frames(rig)) unbind_.push_back(frame.inverse());
    if (rig.mesh.face_count() > 0) lines_ = curve_lines(geometry::find_curves(rig.mesh, {}, progress), rig.mesh);
    else lines_.vertex_offsets.assign(rig.mesh.positions.size() + 1, 0);
    find_modes(rig.mesh);
    if (!examples.empty()) shapes_ = std::make_unique<PoseShapes>(rig, examples);
  }

  std::unique_ptr<State> make_state() const override {
    auto state = std::make_unique<OdeState>();
    state->base = base_->make_state();
    state->joints.resize(unbind_.size());
    for (auto* list : {&state->last, &state->speed, &state->push, &state->moved})
      list->assign(lines_.node_count(), Vec3f::Zero());
    state->modes.resize(turns_.size());
    state->shift.resize(welding_.count());
    state->other.resize(welding_.count());
    if (shapes_) state->target.resize(lines_.vertex_offsets.size() - 1);
    return state;
  }

  bool needs_history() const override { return true; }

  void deform(State& any, const FrameInput& input, const FrameOutput& output) const override {
    auto& state = static_cast<OdeState&>(any);
    base_->deform(*state.base, input, output);
    for (Index j = 0; j < unbind_.size(); ++j) {
      Mat4 motion = input.pose.joints[j] * unbind_[j];
      const Mat3 linear = motion.topLeftCorner<3, 3>();
      motion.topLeftCorner<3, 3>() = std::abs(linear.determinant()) > 1e-12 ? polar(linear).rotation : Mat3::Identity();
      state.joints[j] = float_motion(motion);
    }
    if (shapes_) shapes_->evaluate(input.pose, state.target);
    accelerate(state, static_cast<float>(input.dt_s), output.positions);
    move_modes(state, input.dt_s);
    displace(state, output.positions);
  }

 private:
  struct LineModes {
    Index basis = 0, kept = 0;
    std::size_t first = 0;
    float most = 0;  // Longest displacement of a node.
  };

  void find_modes(const Mesh& mesh) {
    const double metres = metres_per_unit(mesh, options_.body_height);
    const double strip = std::sqrt(material_numbers(options_.material).strip_stiffness());
    const double hold = options_.hold > 0 ? options_.hold : hold_of(options_.material);
    std::map<std::pair<Index, bool>, Index> known;
    std::vector<BeamModes> all;
    for (const CurveLines::Line& line : lines_.lines) {
      LineModes own_modes;
      // Uneven lines are taken as even: inertia needs no more.
      const auto [entry, fresh] = known.try_emplace({line.count, line.closed}, static_cast<Index>(all.size()));
      if (fresh) all.push_back(line.closed ? closed_modes(line.count) : open_modes(line.count, CurveEnds::kGuided));
      own_modes.basis = entry->second;
      own_modes.first = turns_.size();
      const double length = line.length * metres;
      const double held = hold * std::max(1.0, kHeldLength_m / length);
      own_modes.most = std::min(kMostMoved * size_, static_cast<float>(0.25 * line.length));
      const Eigen::VectorXd& rates = all[own_modes.basis].rates;
      for (Eigen::Index k = 0; k < rates.size(); ++k) {
        const double bend = strip * rates[k] / (length * length);
        const double turn = std::sqrt(bend * bend + held * held);
        if (turn > kFastestKept) break;
        turns_.push_back(turn);
        ++own_modes.kept;
      }
      modes_.push_back(own_modes);
    }
    std::vector<Index> most(all.size(), 0);
    for (const LineModes& m : modes_) most[m.basis] = std::max(most[m.basis], m.kept);
    for (std::size_t b = 0; b < all.size(); ++b) {
      bases_.push_back(all[b].shapes.leftCols(most[b]).cast<float>());
      masses_.push_back(all[b].mass.cast<float>());
    }
  }

  // The vertex whose motion a node has: nodes of level sets take that of the nearest of their vertices.
  Index vertex_of(Index node) const {
    const Share* best = &lines_.node_shares[lines_.node_offsets[node]];
    for (Index s = lines_.node_offsets[node]; s < lines_.node_offsets[node + 1]; ++s)
      if (lines_.node_shares[s].weight > best->weight) best = &lines_.node_shares[s];
    return best->of;
  }

  // What pushes each node, in its space at rest: the opposite of its acceleration.
  void accelerate(OdeState& state, float dt, std::span<const Vec3f> positions) const {
    const bool first = state.frames == 0 || !(dt > 0);
    const bool second = !first && state.frames == 1;
    parallel_for(lines_.node_count(), [&](std::size_t n) {
      const Index v = vertex_of(static_cast<Index>(n));
      const Vec3f here = positions[v], step = here - state.last[n];
      state.last[n] = here;
      state.push[n].setZero();
      if (first || step.norm() > kJump * size_) {
        state.speed[n].setZero();
        return;
      }
      const Vec3f speed = step / dt;
      if (!second)
        state.push[n] = -static_cast<float>(options_.inertia) *
                        VertexMotion(rows_.of(v), state.joints).undo_turn((speed - state.speed[n]) / dt);
      state.speed[n] = speed;
    });
    state.frames = first ? 1 : std::min(state.frames + 1, 2);
    if (first)
      for (ModeState& mode : state.modes) mode = {};
  }

  // Modes with critical damping under a push that is constant over the frame: exact, whatever its length.
  void move_modes(OdeState& state, double dt) const {
    parallel_for(
        modes_.size(),
        [&](std::size_t l) {
          const LineModes& own = modes_[l];
          const CurveLines::Line& line = lines_.lines[l];
          const Eigen::MatrixXf& basis = bases_[own.basis];
          const Eigen::VectorXf& mass = masses_[own.basis];
          for (Index i = 0; i < line.count; ++i) state.moved[line.first + i].setZero();
          for (Index k = 0; k < own.kept; ++k) {
            ModeState& mode = state.modes[own.first + k];
            const auto turn = static_cast<float>(turns_[own.first + k]), time = static_cast<float>(dt);
            const float* shape = basis.data() + static_cast<std::size_t>(k) * line.count;
            if (dt > 0) {
              Vec3f push = Vec3f::Zero();
              for (Index i = 0; i < line.count; ++i) push += mass[i] * shape[i] * state.push[line.first + i];
              const Vec3f rest = push / (turn * turn);
              const float fade = std::exp(-turn * time);
              const Vec3f off = mode.value - rest, pull = mode.rate + turn * off;
              mode.value = rest + fade * (off + time * pull);
              mode.rate = fade * (mode.rate - turn * time * pull);
            }
            for (Index i = 0; i < line.count; ++i) state.moved[line.first + i] += shape[i] * mode.value;
          }
          // A smooth limit, beyond which skin would tear.
          for (Index i = 0; i < line.count; ++i) {
            Vec3f& moved = state.moved[line.first + i];
            moved *= own.most / std::sqrt(own.most * own.most + moved.squaredNorm());
          }
        },
        32);
  }

  // Displacements of vertices, evened out among neighbours.
  void spread(OdeState& state) const {
    parallel_for(welding_.count(), [&](std::size_t i) {
      const Index v = welding_.first[i];
      Vec3f q = Vec3f::Zero();
      for (Index s = lines_.vertex_offsets[v]; s < lines_.vertex_offsets[v + 1]; ++s)
        q += lines_.vertex_shares[s].weight * state.moved[lines_.vertex_shares[s].of];
      state.shift[i] = q;
    });
    for (int round = 0; round < kEvenRounds; ++round) {
      parallel_for(welding_.count(), [&](std::size_t i) {
        const std::span<const Index> ring = rings_[i];
        Vec3f sum = Vec3f::Zero();
        for (const Index w : ring) sum += state.shift[w];
        state.other[i] =
            ring.empty() ? state.shift[i] : Vec3f(0.5F * state.shift[i] + 0.5F / static_cast<float>(ring.size()) * sum);
      });
      std::swap(state.shift, state.other);
    }
  }

  void displace(OdeState& state, std::span<Vec3f> positions) const {
    spread(state);
    parallel_for(positions.size(), [&](std::size_t v) {
      Vec3f q = state.shift[welding_.welded[v]];
      if (shapes_) q += state.target[v];
      if (q.isZero(0)) return;
      positions[v] += rotated(VertexMotion(rows_.of(v), state.joints).turn, q);
    });
  }

  std::unique_ptr<Deformer> base_;
  OdeOptions options_;
  MotionRows rows_;
  geometry::Welding welding_;
  geometry::Lists rings_;
  std::vector<Mat4> unbind_;
  CurveLines lines_;
  std::vector<LineModes> modes_;
  std::vector<double> turns_;  // Radians per second of each kept mode.
  std::vector<Eigen::MatrixXf> bases_;
  std::vector<Eigen::VectorXf> masses_;
  std::unique_ptr<PoseShapes> shapes_;
  float size_ = 1;
};

}  // namespace

std::unique_ptr<Deformer> bind_ode(const Rig& rig, const OdeOptions& options, const Progress& progress,
                                   std::span<const std::vector<Vec3>> examples) {
  return std::make_unique<OdeDeformer>(rig, options, progress, examples);
}

DeformerMethod ode_method() {
  DeformerMethod method;
  method.id = "ode";
  method.name = "curve-dynamics";
  method.when = "Skin with inertia on its curves, and example shapes; depends on the frames before.";
  method.options = OdeOptions{};
  method.uses_examples = true;
  method.bind = [](const Rig& rig, const MethodInputs& inputs, const AnyOptions& options, const Progress& progress) {
    return bind_ode(rig, options.as<OdeOptions>(), progress, inputs.examples);
  };
  return method;
}

}  // namespace sinew::deform
