// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/soft_motion.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/deform/pbd/pbd_system.h"

namespace sinew::deform {
namespace {

constexpr double kSubsteps_hz = 240;
constexpr int kMostSubsteps = 64;
/// Of shorter frames, differences of positions are mostly rounding.
constexpr double kShortest_s = 1e-3;
/// A step this large in one frame, relative to the size, is a jump: nothing lives through it.
constexpr double kTargetJump = 0.5;
constexpr float kLongestVolumeStep = 0.5F;  ///< Units by which a corner moves at most for a volume, at once.
constexpr int kEnergyHalvings = 8;
/// Energy per node, in unit²/s², below which tissue that nothing pushes is at rest: about a micrometre.
constexpr double kAtRest = 1e-6;
constexpr std::size_t kSoftGroupsPerTask = 64;

/// The constraints of each colour, in their order.
template <std::size_t N>
std::vector<std::vector<std::size_t>> soft_by_colour(const std::vector<std::array<Index, N>>& constraints,
                                                     const std::vector<std::size_t>& which, std::size_t nodes) {
  std::vector<std::array<std::uint32_t, 4>> corners;
  for (const std::size_t c : which) {
    std::array<std::uint32_t, 4> padded = {kNone, kNone, kNone, kNone};
    std::copy(constraints[c].begin(), constraints[c].end(), padded.begin());
    corners.push_back(padded);
  }
  std::vector<std::vector<std::size_t>> classes;
  const std::vector<Index> colours = colour_constraints(corners, nodes);
  for (std::size_t i = 0; i < colours.size(); ++i) {
    if (colours[i] >= classes.size()) classes.resize(colours[i] + 1);
    classes[colours[i]].push_back(which[i]);
  }
  return classes;
}

Vec3f particle_place(const PbdParticle& p) { return {p.x, p.y, p.z}; }

}  // namespace

SoftMotion::SoftMotion(const SoftBody& body) : unit_(body.unit), size_(body.size) {
  for (std::size_t i = 0; i < body.mass.size(); ++i) {
    const bool moves = body.hold[i] > 0 && body.mass[i] > 0;
    mass_.push_back(moves ? static_cast<float>(body.mass[i]) : 0.0F);
    inverse_mass_.push_back(moves ? static_cast<float>(1 / body.mass[i]) : 0.0F);
    hold_.push_back(static_cast<float>(body.hold[i]));
    damping_.push_back(static_cast<float>(2 * body.damping[i] * body.hold[i]));
    farthest_.push_back(static_cast<float>(body.farthest[i] / body.unit));
    moving_ += moves ? 1 : 0;
  }
  add_edges(body);
  add_tets(body);
}

void SoftMotion::add_edges(const SoftBody& body) {
  std::vector<std::size_t> which;
  for (std::size_t e = 0; e < body.edges.size(); ++e)
    if (body.edge_stiffness[e] > 0 && inverse_mass_[body.edges[e][0]] + inverse_mass_[body.edges[e][1]] > 0)
      which.push_back(e);
  edge_count_ = which.size();
  const auto fill = static_cast<std::uint32_t>(nodes());  // A held node of no body.
  const auto push = [&](std::uint32_t a, std::uint32_t b, double compliance) {
    edge_a_.push_back(a), edge_b_.push_back(b);
    edge_compliance_.push_back(static_cast<float>(compliance));
  };
  for (const auto& colour : soft_by_colour(body.edges, which, nodes())) {
    const std::size_t begin = edge_a_.size();
    for (const std::size_t e : colour) push(body.edges[e][0], body.edges[e][1], 1 / body.edge_stiffness[e]);
    while (edge_a_.size() % kPbdWidth != 0) push(fill, fill, 1);
    edge_colours_.emplace_back(begin, edge_a_.size());
  }
}

void SoftMotion::add_tets(const SoftBody& body) {
  std::vector<std::size_t> which;
  for (std::size_t t = 0; t < body.tets.size(); ++t)
    if (body.volume_stiffness[t] > 0 &&
        std::any_of(body.tets[t].begin(), body.tets[t].end(), [&](Index i) { return inverse_mass_[i] > 0; }))
      which.push_back(t);
  tet_count_ = which.size();
  const auto fill = static_cast<std::uint32_t>(nodes());
  for (const auto& colour : soft_by_colour(body.tets, which, nodes())) {
    const std::size_t begin = tet_compliance_.size() / kPbdWidth;
    for (std::size_t i = 0; i < colour.size(); ++i) {
      const std::size_t lane = i % kPbdWidth;
      if (lane == 0) {
        tet_corners_.resize(tet_corners_.size() + 4 * kPbdWidth, fill);
        tet_compliance_.resize(tet_compliance_.size() + kPbdWidth, 1.0F);
      }
      const std::size_t group = tet_compliance_.size() / kPbdWidth - 1;
      for (std::size_t c = 0; c < 4; ++c) tet_corners_[(group * 4 + c) * kPbdWidth + lane] = body.tets[colour[i]][c];
      tet_compliance_[group * kPbdWidth + lane] = static_cast<float>(1 / body.volume_stiffness[colour[i]]);
    }
    tet_colours_.emplace_back(begin, tet_compliance_.size() / kPbdWidth);
  }
}

/// The positions that displacements of the frame start from, and what pushes nodes. Returns false if there is nothing
/// to compute.
bool SoftMotion::follow_targets(State& state, std::span<const Vec3> targets, std::span<const Vec3> gravity,
                                double dt_s) const {
  const std::size_t count = nodes();
  if (!state.started || !(dt_s > 0)) {
    for (auto* list :
         {&state.offset, &state.rate, &state.push, &state.gravity, &state.old, &state.first_offset, &state.shown})
      list->assign(count, Vec3f::Zero());
    state.targets.assign(targets.begin(), targets.end());
    state.speeds.assign(count, Vec3::Zero());
    state.known.assign(count, 0);
    state.work.assign(count, 0.0F);
    state.base.assign(count + 1, {0, 0, 0, 0});
    state.particles = state.base;
    state.length.assign(edge_a_.size(), 0.0F);
    state.volume.assign(tet_compliance_.size(), 0.0F);
    state.waiting_s = state.energy = 0;
    state.substeps = 0;
    state.started = true;
    state.moving = false;
    return false;
  }
  const Vec3 origin = targets.empty() ? Vec3(Vec3::Zero()) : targets[0];
  parallel_for(count, [&](std::size_t i) {
    const Vec3 step = targets[i] - state.targets[i], speed = step / dt_s;
    Vec3 push = Vec3::Zero();
    if (!(step.norm() <= kTargetJump * size_)) {
      state.known[i] = 0;
      state.offset[i].setZero(), state.rate[i].setZero();
    } else {
      if (state.known[i] != 0) push = (state.speeds[i] - speed) / (dt_s * unit_);
      state.speeds[i] = speed;
      state.known[i] = 1;
    }
    state.targets[i] = targets[i];
    state.push[i] = push.cast<float>();
    state.gravity[i] = gravity.empty() ? Vec3f(Vec3f::Zero()) : Vec3f((gravity[i] / unit_).cast<float>());
    const Vec3f at = ((targets[i] - origin) / unit_).cast<float>();
    state.base[i] = {at.x(), at.y(), at.z(), inverse_mass_[i]};
    state.work[i] = 0;
  });
  // A body at rest stays exactly where it is.
  const auto pushed = [&](std::size_t i) {
    return mass_[i] > 0 && !(state.push[i].isZero(0) && state.gravity[i].isZero(0));
  };
  state.pushed = false;
  for (std::size_t i = 0; i < count && !state.pushed; ++i) state.pushed = pushed(i);
  state.moving = state.moving || state.pushed;
  return state.moving;
}

/// Lengths and volumes between the targets.
void SoftMotion::measure_rest(State& state) const {
  parallel_for(edge_a_.size(), [&](std::size_t e) {
    state.length[e] = (particle_place(state.base[edge_a_[e]]) - particle_place(state.base[edge_b_[e]])).norm();
  });
  parallel_for(tet_compliance_.size(), [&](std::size_t t) {
    const auto corner = [&](std::size_t c) {
      return particle_place(state.base[tet_corners_[(t / kPbdWidth * 4 + c) * kPbdWidth + t % kPbdWidth]]);
    };
    const Vec3f a = corner(0);
    state.volume[t] = (corner(1) - a).dot((corner(2) - a).cross(corner(3) - a)) / 6;
  });
}

void SoftMotion::substep(State& state, float h) const {
  PbdParticle* particles = state.particles.data();
  parallel_for(nodes(), [&](std::size_t i) {
    particles[i] = state.base[i];
    if (mass_[i] == 0) return;
    Vec3f rate = state.rate[i];
    const float before = rate.squaredNorm();
    rate += h * state.push[i];
    state.work[i] += 0.5F * mass_[i] * (rate.squaredNorm() - before);
    // Implicit in damping and hold, so that tissue at rest hangs where gravity and its hold are equal.
    const float pull = hold_[i] * hold_[i];
    rate = (rate + h * (state.gravity[i] - pull * state.offset[i])) / (1 + damping_[i] * h + pull * h * h);
    state.old[i] = state.offset[i];
    const Vec3f offset = state.offset[i] + h * rate;
    particles[i].x += offset.x(), particles[i].y += offset.y(), particles[i].z += offset.z();
  });
  particles[nodes()] = {0, 0, 0, 0};
  const PbdEdges edges{edge_a_.data(), edge_b_.data(), state.length.data(), edge_compliance_.data()};
  PbdTets tets;
  tets.corners = tet_corners_.data();
  tets.volume = state.volume.data();
  tets.compliance = tet_compliance_.data();
  tets.longest_step = kLongestVolumeStep;
  const float scale = 1 / (h * h);
  for (const auto& [begin, end] : edge_colours_)
    parallel_blocks((end - begin) / kPbdWidth, 4 * kSoftGroupsPerTask,
                    [&, first = begin](std::size_t from, std::size_t to) {
                      project_soft_edges(particles, edges, first + from * kPbdWidth, first + to * kPbdWidth, scale);
                    });
  for (const auto& [begin, end] : tet_colours_)
    parallel_blocks(end - begin, kSoftGroupsPerTask, [&, first = begin](std::size_t from, std::size_t to) {
      project_soft_volumes(particles, tets, first + from, first + to, scale);
    });
  parallel_for(nodes(), [&](std::size_t i) {
    if (mass_[i] == 0) return;
    state.offset[i] = particle_place(particles[i]) - particle_place(state.base[i]);
    state.rate[i] = (state.offset[i] - state.old[i]) / h;
  });
}

double SoftMotion::kinetic(const State& state) const {
  return parallel_reduce(
      nodes(), 0.0,
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i)
          sum += 0.5 * static_cast<double>(mass_[i] * state.rate[i].squaredNorm());
        return sum;
      },
      [](double a, double b) { return a + b; });
}

/// Of all constraints, and of gravity.
double SoftMotion::potential(const State& state, std::span<const Vec3f> offset) const {
  const auto add = [](double a, double b) { return a + b; };
  const auto at = [&](std::uint32_t i) {
    return i == nodes() ? Vec3f(Vec3f::Zero()) : Vec3f(particle_place(state.base[i]) + offset[i]);
  };
  const double nodes_sum = parallel_reduce(
      nodes(), 0.0,
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i)
          sum += static_cast<double>(
              mass_[i] * (0.5F * hold_[i] * hold_[i] * offset[i].squaredNorm() - state.gravity[i].dot(offset[i])));
        return sum;
      },
      add);
  const double edges_sum = parallel_reduce(
      edge_a_.size(), 0.0,
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t e = begin; e < end; ++e) {
          const auto error = static_cast<double>((at(edge_a_[e]) - at(edge_b_[e])).norm() - state.length[e]);
          sum += 0.5 * error * error / static_cast<double>(edge_compliance_[e]);
        }
        return sum;
      },
      add);
  const double tets_sum = parallel_reduce(
      tet_compliance_.size(), 0.0,
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t t = begin; t < end; ++t) {
          const auto corner = [&](std::size_t c) {
            return at(tet_corners_[(t / kPbdWidth * 4 + c) * kPbdWidth + t % kPbdWidth]);
          };
          const Vec3f a = corner(0);
          const float volume = (corner(1) - a).dot((corner(2) - a).cross(corner(3) - a)) / 6;
          const auto error = static_cast<double>(volume - state.volume[t]);
          sum += 0.5 * error * error / static_cast<double>(tet_compliance_[t]);
        }
        return sum;
      },
      add);
  return nodes_sum + edges_sum + tets_sum;
}

/// Constraints that were solved one after the other may have moved nodes where they have more energy than before. Then
/// speeds are reduced, and where that is not enough, displacements go back towards those of the frame before, which
/// have no more than allowed.
void SoftMotion::keep_energy(State& state, double most) const {
  double stored = potential(state, state.offset);
  const double motion = kinetic(state);
  state.taken_back = 0;
  if (stored + motion <= most) {
    state.energy = stored + motion;
    return;
  }
  state.taken_back = (stored + motion - most) / std::max(std::abs(most), stored + motion);
  float kept = 0;
  for (int halving = 0; stored > most && halving < kEnergyHalvings; ++halving) {
    for (std::size_t i = 0; i < nodes(); ++i)
      state.offset[i] = halving + 1 == kEnergyHalvings ? state.first_offset[i]
                                                       : Vec3f(0.5F * (state.offset[i] + state.first_offset[i]));
    stored = potential(state, state.offset);
  }
  if (stored < most && motion > 0)
    kept = static_cast<float>(0.999999 * std::sqrt(std::min(1.0, (most - stored) / motion)));
  for (Vec3f& rate : state.rate) rate *= kept;
  state.energy = stored + kinetic(state);
}

/// Bounds displacements, without a corner.
void SoftMotion::show(State& state) const {
  parallel_for(nodes(), [&](std::size_t i) {
    const float ratio = farthest_[i] > 0 ? state.offset[i].squaredNorm() / (farthest_[i] * farthest_[i]) : 0.0F;
    state.shown[i] = static_cast<float>(unit_) / std::sqrt(std::sqrt(1 + ratio * ratio)) * state.offset[i];
  });
}

void SoftMotion::advance(State& state, std::span<const Vec3> targets, std::span<const Vec3> gravity,
                         double dt_s) const {
  state.taken_back = 0;
  if (state.started && dt_s > 0) {
    state.waiting_s += dt_s;
    if (state.waiting_s < kShortest_s) return;
    dt_s = state.waiting_s;
    state.waiting_s = 0;
  }
  if (!follow_targets(state, targets, gravity, dt_s)) return;
  measure_rest(state);
  state.first_offset = state.offset;
  const double before = potential(state, state.offset) + kinetic(state);
  state.substeps = std::clamp(static_cast<int>(std::ceil(dt_s * kSubsteps_hz - 1e-6)), 1, kMostSubsteps);
  for (int s = 0; s < state.substeps; ++s) substep(state, static_cast<float>(dt_s / state.substeps));
  double work = 0;
  for (const float w : state.work) work += static_cast<double>(w);
  keep_energy(state, before + work);
  if (!std::isfinite(state.energy)) {  // Targets that are not finite have no soft motion.
    state.started = false;
    follow_targets(state, targets, gravity, 0);
    return;
  }
  if (!state.pushed && state.energy < kAtRest * static_cast<double>(moving_)) {
    for (auto* list : {&state.offset, &state.rate}) std::fill(list->begin(), list->end(), Vec3f::Zero());
    state.energy = 0;
    state.moving = false;
  }
  show(state);
}

}  // namespace sinew::deform
