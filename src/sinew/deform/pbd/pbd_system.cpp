// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_system.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/voxels/tets.h"

namespace sinew::deform {
namespace {

constexpr std::uint32_t kFill = kNone;  ///< A corner that a constraint of fewer does not have.
constexpr std::size_t kGroupsPerTask = 64;
/// From joints' turns to that of a tetrahedron, as it is predicted. Later sweeps keep it: what they solve is then
/// linear, and has no other minimum to jump to. Following by a step a sweep, the fox that runs jumped by 0.003 of its
/// size.
constexpr int kFirstTurnSteps = 2;
constexpr double kBentRad = kPi / 9;   ///< A joint that bends by 20° counts as bent.
constexpr double kStillRad = 1e-6;     ///< And by less than rounding may bring about, as not bent at all.
constexpr double kShiftedCells = 0.2;  ///< A joint that is moved out of its place counts as bent.
constexpr float kSmoothing = 0.5F;
constexpr float kVolumeCompliance = 0.05F;  ///< About Σw|∇V|² of a tetrahedron of the lattice at rest.

/// Places along a curve that stays near itself, so that what is near in space is near in memory.
std::uint64_t morton(const Vec3& p, const Box& box) {
  std::uint64_t code = 0;
  const double longest = std::max(box.extent().maxCoeff(), 1e-30);
  for (int k = 0; k < 3; ++k) {
    const auto at = static_cast<std::uint64_t>(std::clamp((p[k] - box.lower[k]) / longest, 0.0, 1.0) * 1023);
    for (int bit = 0; bit < 10; ++bit) code |= ((at >> bit) & 1U) << (3 * bit + k);
  }
  return code;
}

}  // namespace

std::vector<Index> colour_constraints(std::span<const std::array<std::uint32_t, 4>> constraints,
                                      std::size_t particles) {
  // Bits of the colours that a particle's constraints have; more words where valences ask for it.
  std::size_t words = 2;
  std::vector<std::uint64_t> used(particles * words, 0);
  std::vector<Index> colours;
  colours.reserve(constraints.size());
  for (const auto& corners : constraints) {
    Index colour = 0;
    for (;; ++colour) {
      if (colour / 64 >= words) {
        std::vector<std::uint64_t> wider(particles * (words + 1), 0);
        for (std::size_t p = 0; p < particles; ++p)
          for (std::size_t w = 0; w < words; ++w) wider[p * (words + 1) + w] = used[p * words + w];
        used = std::move(wider);
        ++words;
      }
      const bool taken = std::any_of(corners.begin(), corners.end(), [&](std::uint32_t p) {
        return p != kFill && ((used[p * words + colour / 64] >> (colour % 64)) & 1U) != 0;
      });
      if (!taken) break;
    }
    for (const std::uint32_t p : corners)
      if (p != kFill) used[p * words + colour / 64] |= std::uint64_t{1} << (colour % 64);
    colours.push_back(colour);
  }
  return colours;
}

/// Puts the constraints of a body in order.
class PbdSystem::Builder {
 public:
  Builder(PbdSystem& system, const PbdBody& body) : system_(system), body_(body) {}

  void run() {
    const std::vector<std::vector<Index>> tets_of_island = split();
    double volume = 0;
    std::size_t count = 0;
    for (const auto& tets : tets_of_island)
      for (const Index t : tets) volume += geometry::tet_volume(body_.tets, t), ++count;
    mean_volume_ = count == 0 ? 1 : volume / static_cast<double>(count) / std::pow(body_.cell, 3);
    edge_length_ = std::cbrt(6 * std::sqrt(2.0) * mean_volume_);
    system_.longest_step_ = static_cast<float>(0.2 * edge_length_);
    local_.assign(body_.tets.positions.size(), kNone);
    for (const auto& tets : tets_of_island) add_island(tets);
  }

 private:
  /// Tetrahedra with a particle that may move, by islands: those that share such a particle. The largest first.
  std::vector<std::vector<Index>> split() const {
    geometry::UnionFind sets(body_.tets.positions.size());
    for (const auto& tet : body_.tets.tets) {
      Index first = kNone;
      for (const Index v : tet) {
        if (body_.free[v] == 0) continue;
        if (first == kNone) first = v;
        else sets.join(first, v);
      }
    }
    std::vector<Index> number(body_.tets.positions.size(), kNone);
    std::vector<std::vector<Index>> islands;
    for (Index t = 0; t < body_.tets.tets.size(); ++t)
      for (const Index v : body_.tets.tets[t]) {
        if (body_.free[v] == 0) continue;
        Index& n = number[sets.find(v)];
        if (n == kNone) n = static_cast<Index>(islands.size()), islands.emplace_back();
        islands[n].push_back(t);
        break;
      }
    std::stable_sort(islands.begin(), islands.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    return islands;
  }

  void add_island(const std::vector<Index>& tets) {
    Island island;
    island.first_particle = system_.particle_of_.size();
    std::vector<Index> particles;
    for (const Index t : tets) particles.insert(particles.end(), body_.tets.tets[t].begin(), body_.tets.tets[t].end());
    std::sort(particles.begin(), particles.end());
    particles.erase(std::unique(particles.begin(), particles.end()), particles.end());
    Box box;
    for (const Index v : particles) box.extend(body_.tets.positions[v]);
    std::vector<std::pair<std::uint64_t, Index>> order;
    for (const Index v : particles) order.emplace_back(morton(body_.tets.positions[v], box), v);
    std::sort(order.begin(), order.end());
    for (const auto& [code, v] : order) {
      local_[v] = static_cast<Index>(system_.particle_of_.size());
      system_.particle_of_.push_back(v);
      system_.inverse_mass_.push_back(body_.free[v] != 0 ? static_cast<float>(1 / body_.mass[v]) : 0.0F);
      // What collapsed onto its bone may come back, and a cell more.
      const double distance = body_.anchors[v].joint == kNone ? 0 : body_.anchors[v].distance;
      system_.farthest_.push_back(static_cast<float>(distance / body_.cell + 1));
    }
    add_joints(particles, island);
    fill_ = static_cast<std::uint32_t>(system_.particle_of_.size());
    system_.particle_of_.push_back(kNone);
    system_.inverse_mass_.push_back(0);
    system_.farthest_.push_back(0);
    island.particle_count = system_.particle_of_.size() - island.first_particle;
    add_edges(tets, island);
    add_tets(tets, island);
    add_binds(order, island);
    system_.islands_.push_back(std::move(island));
  }

  void add_joints(const std::vector<Index>& particles, Island& island) const {
    if (body_.areas.empty()) return;
    for (const Index v : particles)
      for (const Influence& area : body_.areas.row(v)) island.joints.push_back(area.joint);
    std::sort(island.joints.begin(), island.joints.end());
    island.joints.erase(std::unique(island.joints.begin(), island.joints.end()), island.joints.end());
  }

  /// Who is at the other ends of a particle's edges.
  void add_neighbours(const std::vector<std::pair<Index, Index>>& edges, Island& island) {
    std::vector<std::vector<std::uint32_t>> lists(island.particle_count);
    for (const auto& [a, b] : edges) {
      lists[a - island.first_particle].push_back(b);
      lists[b - island.first_particle].push_back(a);
    }
    for (const auto& list : lists) {
      island.neighbours.push_back(system_.neighbours_.size());
      system_.neighbours_.insert(system_.neighbours_.end(), list.begin(), list.end());
    }
    island.neighbours.push_back(system_.neighbours_.size());
  }

  /// Constraints by colour, and within a colour in the order given.
  std::vector<std::vector<std::size_t>> by_colour(const std::vector<std::array<std::uint32_t, 4>>& constraints) {
    std::vector<std::vector<std::size_t>> classes;
    const std::vector<Index> colours = colour_constraints(constraints, system_.particle_of_.size());
    for (std::size_t c = 0; c < colours.size(); ++c) {
      if (colours[c] >= classes.size()) classes.resize(colours[c] + 1);
      classes[colours[c]].push_back(c);
    }
    system_.most_colours_ = std::max(system_.most_colours_, classes.size());
    return classes;
  }

  void add_edges(const std::vector<Index>& tets, Island& island) {
    std::vector<std::pair<Index, Index>> edges;
    for (const Index t : tets)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j) {
          const Index a = body_.tets.tets[t][i], b = body_.tets.tets[t][j];
          if (body_.free[a] != 0 || body_.free[b] != 0)
            edges.emplace_back(std::min(local_[a], local_[b]), std::max(local_[a], local_[b]));
        }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    add_neighbours(edges, island);
    std::vector<std::array<std::uint32_t, 4>> constraints;
    for (const auto& [a, b] : edges) constraints.push_back({a, b, kFill, kFill});
    for (const auto& which : by_colour(constraints)) {
      const std::size_t begin = system_.edge_a_.size();
      for (const std::size_t e : which) {
        const auto& [a, b] = edges[e];
        const Vec3 way = place(a) - place(b);
        push_edge(a, b, static_cast<float>(way.norm() / body_.cell));
      }
      while (system_.edge_a_.size() % kPbdWidth != 0) push_edge(fill_, fill_, 0);
      island.edge_colours.emplace_back(begin, system_.edge_a_.size());
    }
    system_.edge_count_ += edges.size();
  }

  void push_edge(std::uint32_t a, std::uint32_t b, float length) {
    system_.edge_a_.push_back(a);
    system_.edge_b_.push_back(b);
    system_.edge_length_.push_back(length);
  }

  Vec3 place(Index local) const { return body_.tets.positions[system_.particle_of_[local]]; }

  void add_tets(const std::vector<Index>& tets, Island& island) {
    std::vector<std::pair<std::uint32_t, Index>> order;  // In the order of their first particles.
    for (const Index t : tets) {
      const auto& tet = body_.tets.tets[t];
      order.emplace_back(std::min({local_[tet[0]], local_[tet[1]], local_[tet[2]], local_[tet[3]]}), t);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::array<std::uint32_t, 4>> constraints;
    for (const auto& [first, t] : order) {
      const auto& tet = body_.tets.tets[t];
      constraints.push_back({local_[tet[0]], local_[tet[1]], local_[tet[2]], local_[tet[3]]});
    }
    island.tets.first = groups();
    for (const auto& which : by_colour(constraints)) {
      const std::size_t begin = groups();
      for (std::size_t i = 0; i < which.size(); ++i) {
        if (i % kPbdWidth == 0) add_group();
        set_lane(i % kPbdWidth, order[which[i]].second);
      }
      island.tet_colours.emplace_back(begin, groups());
    }
    island.tets.second = groups();
    system_.tet_count_ += tets.size();
  }

  std::size_t groups() const { return system_.tet_volume_.size() / kPbdWidth; }

  void add_group() {
    system_.tet_corners_.resize(system_.tet_corners_.size() + 4 * kPbdWidth, fill_);
    system_.tet_volume_.resize(system_.tet_volume_.size() + kPbdWidth, 0.0F);
    system_.tet_shares_.resize(system_.tet_shares_.size() + 4 * kPbdWidth, 0.25F);
    system_.tet_distances_.resize(system_.tet_distances_.size() + 4 * kPbdWidth, 0.0F);
    system_.tet_inverse_.resize(system_.tet_inverse_.size() + 9 * kPbdWidth, 0.0F);
    system_.tet_compliance_.resize(system_.tet_compliance_.size() + kPbdWidth, 1.0F);
    system_.tet_joints_.resize(system_.tet_joints_.size() + kPbdWidth);
  }

  void set_lane(std::size_t lane, Index t) {
    const std::size_t group = groups() - 1;
    const auto& tet = body_.tets.tets[t];
    double all = 0;
    Vec3 middle = Vec3::Zero();
    for (const Index v : tet) all += body_.mass[v], middle += body_.mass[v] * body_.tets.positions[v];
    middle /= all;
    Mat3 edges;
    for (std::size_t c = 0; c < 4; ++c) {
      const std::size_t at = (group * 4 + c) * kPbdWidth + lane;
      system_.tet_corners_[at] = local_[tet[c]];
      system_.tet_shares_[at] = static_cast<float>(body_.mass[tet[c]] / all);
      system_.tet_distances_[at] = static_cast<float>((body_.tets.positions[tet[c]] - middle).norm() / body_.cell);
      if (c > 0)
        edges.col(static_cast<Eigen::Index>(c) - 1) =
            (body_.tets.positions[tet[c]] - body_.tets.positions[tet[0]]) / body_.cell;
    }
    const Mat3 inverse = edges.inverse();
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column)
        system_.tet_inverse_[(group * 9 + static_cast<std::size_t>(3 * row + column)) * kPbdWidth + lane] =
            static_cast<float>(inverse(row, column));
    const double volume = edges.determinant() / 6;
    system_.tet_volume_[group * kPbdWidth + lane] = static_cast<float>(volume);
    const Index owner = owner_of(tet);
    system_.tet_joints_[group * kPbdWidth + lane] = turning_joints(tet, owner);
    const PbdSettings& settings = system_.settings_;
    const bool corotated = settings.material == PbdMaterial::kCorotated;
    double stiffness = settings.energy > 0 ? settings.energy : 1;
    if (owner != kNone && !settings.joint_stiffness.empty()) stiffness *= settings.joint_stiffness[owner];
    if (!settings.particle_stiffness.empty()) {
      double log_factor = 0;
      for (const Index v : tet) log_factor += 0.25 * std::log(settings.particle_stiffness[v]);
      stiffness *= std::exp(log_factor);
    }
    const double compliance =
        corotated ? settings.sweeps / (stiffness * edge_length_ * edge_length_ * volume / mean_volume_) : 1 / stiffness;
    // Without compliance a tetrahedron with three corners held would fling the fourth away.
    system_.tet_compliance_[group * kPbdWidth + lane] =
        static_cast<float>(std::max(compliance, corotated ? 1e-6 : 0.01));
  }

  /// The joints that move a tetrahedron most, the heaviest first.
  std::array<Influence, kTurnJoints> turning_joints(const std::array<Index, 4>& tet, Index owner) const {
    std::array<Influence, kTurnJoints> result;
    if (body_.weights.empty()) {
      result[0] = {owner, 1};
      return result;
    }
    std::map<Index, float> sums;
    for (const Index v : tet)
      for (const Influence& influence : body_.weights.row(v)) sums[influence.joint] += influence.weight;
    std::vector<Influence> row;
    for (const auto& [joint, weight] : sums) row.push_back({joint, weight});
    cap_row(row, kTurnJoints);
    std::copy(row.begin(), row.end(), result.begin());
    return result;
  }

  /// The joint that most corners follow; of equals the first corner's.
  Index owner_of(const std::array<Index, 4>& tet) const {
    Index best = kNone;
    int most = 0;
    for (const Index v : tet) {
      int same = 0;
      for (const Index u : tet) same += body_.owner[u] == body_.owner[v] ? 1 : 0;
      if (same > most) most = same, best = body_.owner[v];
    }
    return best;
  }

  void add_binds(const std::vector<std::pair<std::uint64_t, Index>>& order, Island& island) {
    island.binds.first = system_.bind_particles_.size();
    for (const auto& [code, v] : order) {
      const PbdBody::Anchor& anchor = body_.anchors[v];
      if (body_.free[v] == 0 || anchor.joint == kNone) continue;
      push_bind(local_[v], anchor.joint, anchor.point, static_cast<float>(anchor.distance / body_.cell));
      ++system_.bind_count_;
    }
    while (system_.bind_particles_.size() % kPbdWidth != 0) push_bind(fill_, kNone, Vec3::Zero(), 0);
    island.binds.second = system_.bind_particles_.size();
  }

  void push_bind(std::uint32_t particle, Index joint, const Vec3& point, float distance) {
    system_.bind_particles_.push_back(particle);
    system_.bind_joint_.push_back(joint);
    system_.bind_point_.push_back(point);
    system_.bind_distance_.push_back(distance);
  }

  PbdSystem& system_;
  const PbdBody& body_;
  double mean_volume_ = 1, edge_length_ = 1;
  std::vector<Index> local_;
  std::uint32_t fill_ = 0;
};

PbdSystem::PbdSystem(const PbdBody& body, const PbdSettings& settings) : settings_(settings), unit_(body.cell) {
  if (body.tets.tets.empty()) return;
  Box box;
  for (const Vec3& p : body.tets.positions) box.extend(p);
  size_ = box.diagonal() / body.cell;
  against_ = body.against;
  areas_ = body.areas;
  for (const Mat4& frame : body.bind) joint_places_.emplace_back(frame.topRightCorner<3, 1>());
  Builder(*this, body).run();
}

/// How far joints are bent: by their motion against that of the joint they bend against.
void PbdSystem::measure_bends(Scratch& scratch, std::span<const Mat4> motions) const {
  scratch.bent.assign(motions.size(), 0.0F);
  for (std::size_t j = 0; j < std::min(motions.size(), against_.size()); ++j) {
    if (against_[j] == kNone) continue;
    const Mat4& other = motions[against_[j]];
    // Not its inverse, which a joint of scale 0 does not have. For a turn by a small angle this is the angle, scaled.
    const double size = std::max(std::cbrt(std::abs(other.topLeftCorner<3, 3>().determinant())), 1e-30);
    const Vec3 shift = transform_point(motions[j], joint_places_[j]) - transform_point(other, joint_places_[j]);
    const double angle =
        (motions[j].topLeftCorner<3, 3>() - other.topLeftCorner<3, 3>()).norm() / (std::sqrt(2.0) * size);
    const double much = angle / kBentRad + shift.norm() / (size * kShiftedCells * unit_);
    const double t = std::clamp((much - kStillRad / kBentRad) / (1 - kStillRad / kBentRad), 0.0, 1.0);
    scratch.bent[j] = static_cast<float>(t * t * (3 - 2 * t));
  }
}

PbdSystem::Outcome PbdSystem::solve(Scratch& scratch, std::span<const Vec3f> predicted, std::span<const Mat4> motions,
                                    std::span<Vec3f> corrections) const {
  Outcome outcome;
  scratch.particles.resize(particle_of_.size());
  scratch.steps.resize(particle_of_.size());
  scratch.next.resize(particle_of_.size());
  scratch.lambda.resize(tet_volume_.size());
  scratch.turn.resize(4 * tet_volume_.size());
  scratch.anchors.resize(3 * bind_particles_.size());
  scratch.joint_turns.resize(motions.size());
  std::fill(corrections.begin(), corrections.end(), Vec3f::Zero());
  for (std::size_t j = 0; j < motions.size(); ++j) {
    const Quat q(polar(motions[j].topLeftCorner<3, 3>()).rotation);
    scratch.joint_turns[j] = {static_cast<float>(q.x()), static_cast<float>(q.y()), static_cast<float>(q.z()),
                              static_cast<float>(q.w())};
  }
  measure_bends(scratch, motions);
  std::vector<Outcome> outcomes(islands_.size());
  parallel_for(
      islands_.size(),
      [&](std::size_t i) {
        const Island& island = islands_[i];
        const bool still = !areas_.empty() && std::none_of(island.joints.begin(), island.joints.end(),
                                                           [&](Index j) { return scratch.bent[j] > 0; });
        if (still) return;
        place_anchors(island, scratch, motions, predicted[particle_of_[island.first_particle]]);
        const bool solved = solve_island(island, scratch, predicted);
        if (!solved) predict_island(island, scratch, predicted);
        if (solved) write_corrections(island, scratch, predicted, corrections);
        outcomes[i] = {solved ? 0U : 1U, inverted_tets(island, scratch)};
      },
      1);
  for (const Outcome& island : outcomes) {
    outcome.islands_given_up += island.islands_given_up;
    outcome.inverted += island.inverted;
  }
  return outcome;
}

void PbdSystem::place_anchors(const Island& island, Scratch& scratch, std::span<const Mat4> motions,
                              const Vec3f& origin) const {
  for (std::size_t b = island.binds.first; b < island.binds.second; ++b) {
    Vec3 at = Vec3::Zero();
    if (bind_joint_[b] != kNone)
      at = (transform_point(motions[bind_joint_[b]], bind_point_[b]) - origin.cast<double>()) / unit_;
    for (std::size_t k = 0; k < 3; ++k)
      scratch.anchors[(b / kPbdWidth * 3 + k) * kPbdWidth + b % kPbdWidth] =
          static_cast<float>(at[static_cast<Eigen::Index>(k)]);
  }
}

/// Smooths what particles were moved by, fades it out where joints are not bent, and bounds it, without a corner.
void PbdSystem::write_corrections(const Island& island, Scratch& scratch, std::span<const Vec3f> predicted,
                                  std::span<Vec3f> corrections) const {
  const Vec3f origin = predicted[particle_of_[island.first_particle]];
  const auto scale = static_cast<float>(1 / unit_);
  const std::size_t first = island.first_particle, count = island.particle_count - 1;
  parallel_for(count, [&](std::size_t i) {
    const PbdParticle& p = scratch.particles[first + i];
    const Vec3f before = (predicted[particle_of_[first + i]] - origin) * scale;
    scratch.steps[first + i] =
        inverse_mass_[first + i] == 0 ? Vec3f(Vec3f::Zero()) : Vec3f(Vec3f(p.x, p.y, p.z) - before);
  });
  for (int round = 0; round < settings_.smoothings; ++round) {
    const auto mean_of = [&](std::size_t i) {
      const std::size_t begin = island.neighbours[i], end = island.neighbours[i + 1];
      Vec3f& to = scratch.next[first + i] = scratch.steps[first + i];
      if (inverse_mass_[first + i] == 0 || begin == end) return;
      Vec3f mean = Vec3f::Zero();
      for (std::size_t n = begin; n < end; ++n) mean += scratch.steps[neighbours_[n]];
      to += kSmoothing * (mean / static_cast<float>(end - begin) - scratch.steps[first + i]);
    };
    parallel_for(count, mean_of);
    parallel_for(count, [&](std::size_t i) { scratch.steps[first + i] = scratch.next[first + i]; });
  }
  parallel_for(count, [&](std::size_t i) {
    const std::size_t p = first + i;
    if (inverse_mass_[p] == 0) return;
    float still = areas_.empty() ? 0.0F : 1.0F;
    if (!areas_.empty())
      for (const Influence& area : areas_.row(particle_of_[p])) still *= 1 - area.weight * scratch.bent[area.joint];
    const float ratio = scratch.steps[p].squaredNorm() / (farthest_[p] * farthest_[p]);
    const float bounded = 1 / std::sqrt(std::sqrt(1 + ratio * ratio));
    const Vec3f step = (1 - still) * bounded * scratch.steps[p];
    corrections[particle_of_[p]] = static_cast<float>(unit_) * step;
    const Vec3f at = (predicted[particle_of_[p]] - origin) * scale + step;
    scratch.particles[p] = {at.x(), at.y(), at.z(), inverse_mass_[p]};
  });
}

Index PbdSystem::inverted_tets(const Island& island, const Scratch& scratch) const {
  Index count = 0;
  for (std::size_t lane = island.tets.first * kPbdWidth; lane < island.tets.second * kPbdWidth; ++lane) {
    if (tet_volume_[lane] == 0) continue;  // It fills up a group.
    const auto corner = [&](std::size_t c) {
      const PbdParticle& p = scratch.particles[tet_corners_[(lane / kPbdWidth * 4 + c) * kPbdWidth + lane % kPbdWidth]];
      return Vec3f(p.x, p.y, p.z);
    };
    const Vec3f a = corner(0);
    if (!((corner(1) - a).cross(corner(2) - a).dot(corner(3) - a) > 0)) ++count;
  }
  return count;
}

void PbdSystem::predict_island(const Island& island, Scratch& scratch, std::span<const Vec3f> predicted) const {
  const Vec3f origin = predicted[particle_of_[island.first_particle]];
  const auto scale = static_cast<float>(1 / unit_);
  PbdParticle* particles = scratch.particles.data();
  const std::size_t last = island.first_particle + island.particle_count - 1;
  for (std::size_t p = island.first_particle; p < last; ++p) {
    const Vec3f at = (predicted[particle_of_[p]] - origin) * scale;
    particles[p] = {at.x(), at.y(), at.z(), inverse_mass_[p]};
  }
  particles[last] = {0, 0, 0, 0};
}

/// The rotation that each tetrahedron starts from: the mean of its joints' turns, found by two steps towards the
/// largest eigenvector of Σ w·q·qᵀ (F. L. Markley et al., "Averaging quaternions", 2007), which has no signs to choose.
void PbdSystem::start_turns(const Island& island, Scratch& scratch) const {
  using Turn = Eigen::Vector4f;
  parallel_for((island.tets.second - island.tets.first) * kPbdWidth,
               [&](std::size_t i) {
                 const std::size_t lane = island.tets.first * kPbdWidth + i;
                 const auto& joints = tet_joints_[lane];
                 Turn turn(0, 0, 0, 1);
                 if (joints[0].joint != kNone) turn = Turn::Map(scratch.joint_turns[joints[0].joint].data());
                 for (int step = 0; step < 2 && joints[1].joint != kNone; ++step) {
                   Turn sum = Turn::Zero();
                   for (const Influence& influence : joints) {
                     if (influence.joint == kNone) break;
                     const Turn q = Turn::Map(scratch.joint_turns[influence.joint].data());
                     sum += influence.weight * q.dot(turn) * q;
                   }
                   turn = sum.normalized();
                 }
                 for (std::size_t k = 0; k < 4; ++k)
                   scratch.turn[(lane / kPbdWidth * 4 + k) * kPbdWidth + lane % kPbdWidth] =
                       turn[static_cast<Eigen::Index>(k)];
               },
               4096);
}

bool PbdSystem::solve_island(const Island& island, Scratch& scratch, std::span<const Vec3f> predicted) const {
  const Vec3f origin = predicted[particle_of_[island.first_particle]];
  const auto scale = static_cast<float>(1 / unit_);
  PbdParticle* particles = scratch.particles.data();
  const std::size_t last = island.first_particle + island.particle_count - 1;
  predict_island(island, scratch, predicted);
  const bool corotated = settings_.material == PbdMaterial::kCorotated;
  std::fill(scratch.lambda.begin() + static_cast<std::ptrdiff_t>(island.tets.first * kPbdWidth),
            scratch.lambda.begin() + static_cast<std::ptrdiff_t>(island.tets.second * kPbdWidth), 0.0F);
  if (corotated) start_turns(island, scratch);
  const PbdEdges edges{edge_a_.data(), edge_b_.data(), edge_length_.data()};
  const PbdBinds binds{bind_particles_.data(), scratch.anchors.data(), bind_distance_.data()};
  PbdTets tets{tet_corners_.data(),
               tet_volume_.data(),
               tet_shares_.data(),
               tet_distances_.data(),
               tet_inverse_.data(),
               tet_compliance_.data(),
               scratch.lambda.data(),
               scratch.turn.data(),
               1e-6F,
               longest_step_,
               1,
               kFirstTurnSteps,
               corotated ? kVolumeCompliance : 0.0F};
  const auto share = [&](double stiffness) {
    return static_cast<float>(1 - std::pow(1 - std::min(stiffness, 1.0), 1.0 / settings_.sweeps));
  };
  tets.volume_share = share(settings_.volume);
  // Energy works against volume, so it leaves the last sweeps to it. Volume alone does not follow the pose smoothly
  // where tetrahedra are inverted: with energy in half of the sweeps and a fifth of the compliance, more of the volume
  // comes back (0.63 instead of 0.53 at a real knee), but steps at four times the frame rate are 0.58 as long instead
  // of 0.28.
  const int shape_sweeps = settings_.volume > 0 ? (7 * settings_.sweeps + 9) / 10 : settings_.sweeps;
  const float stretch = share(settings_.stretch), bind = share(settings_.bind);
  for (int sweep = 0; sweep < settings_.sweeps; ++sweep) {
    const bool back = sweep % 2 != 0;
    for (std::size_t c = 0; c < island.edge_colours.size() && settings_.stretch > 0; ++c) {
      const auto& [begin, end] = island.edge_colours[back ? island.edge_colours.size() - 1 - c : c];
      parallel_blocks((end - begin) / kPbdWidth, 4 * kGroupsPerTask,
                      [&, first = begin](std::size_t from, std::size_t to) {
                        project_edges(particles, edges, first + from * kPbdWidth, first + to * kPbdWidth, stretch);
                      });
    }
    if (settings_.bind > 0) project_binds(particles, binds, island.binds.first, island.binds.second, bind);
    const bool shapes = settings_.energy > 0 && sweep < shape_sweeps;
    for (std::size_t c = 0; c < island.tet_colours.size() && (shapes || settings_.volume > 0); ++c) {
      const auto& [begin, end] = island.tet_colours[back ? island.tet_colours.size() - 1 - c : c];
      parallel_blocks(end - begin, kGroupsPerTask, [&, first = begin](std::size_t from, std::size_t to) {
        if (!shapes) project_volumes(particles, tets, first + from, first + to);
        else if (corotated) project_corotated(particles, tets, first + from, first + to);
        else project_springs(particles, tets, first + from, first + to);
      });
    }
    tets.turn_steps = 0;
  }
  const auto farthest = static_cast<float>(0.5 * size_);
  for (std::size_t p = island.first_particle; p < last; ++p) {
    const Vec3f before = (predicted[particle_of_[p]] - origin) * scale;
    const float way = (Vec3f(particles[p].x, particles[p].y, particles[p].z) - before).norm();
    if (!(way <= farthest)) return false;
  }
  return true;
}

}  // namespace sinew::deform
