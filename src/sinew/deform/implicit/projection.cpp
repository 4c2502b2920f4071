// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/projection.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/core/parallel.h"

namespace sinew::deform {
namespace {

constexpr float kFitted = 1e-3F;       ///< Of the field; about a thousandth of the radius of support in length.
constexpr float kReportedFit = 1e-2F;  ///< The same after all passes and reductions.
constexpr float kExact = 1e-4F;        ///< Where steps end.
constexpr float kOff = 0.02F;   ///< Of the field, from which on a vertex needs its correction of the frame before.
constexpr float kMet = 0.05F;   ///< Of the field, from which on skin that faces other skin is in contact.
constexpr float kHeld = 0.15F;  ///< Of the field: skin in a fold that is off by less is held less, down to not at all.
constexpr float kLongestStep = 0.08F;  ///< In radii of support.
constexpr float kFlat = 5e-3F;         ///< Gradient per radius below which there is no way to go.
constexpr float kDamping = 0.25F;      ///< Gradient per radius below which steps become shorter.
constexpr float kNoDirection = 0.1F;   ///< The same for the gradient at the start.
/// Cosines between gradients of two parts in contact, joined and not. Narrow ramps between them are jumps: gradients
/// turn by a right angle within a few frames (0.6 to 0.85 and −0.2 to 0.4 let Rogue's foot move by 3.5 ‰ in 1/480 s).
constexpr float kFacingContact = 0.5F, kAlongContact = 0.95F, kOpposed = -0.6F, kAlongside = 0.5F;
constexpr float kCloseTo = 0.15F, kAwayFrom = 0.4F;  ///< In radii: how far outside of its own part skin meets.
constexpr float kMeetStep = 0.7F;
constexpr int kMeetSteps = 6;
/// How much corrections of neighbours may differ, in lengths of edges: without and with contact.
constexpr float kUneven = 0.15F, kUnevenContact = 0.3F;
constexpr int kEvenRounds = 3;
constexpr int kBetaRounds = 3;
constexpr float kUnsmoothed = 1e-3F;  ///< Of a contact, below which skin is not smoothed.
constexpr std::size_t kGrain = 256;

/// One vertex on its way to its field. Nothing on the way is a choice between two: where it ends changes with where it
/// starts and with the pose. It walks along the gradient at its start. If every step followed the gradient anew,
/// vertices between two parts would end at the one or at the other, however close they start. Measured on a walking
/// human, a horse and CesiumMan, largest change of a correction in 1/15000 s: 0.6, 1.8 and 2.0 thousandths of the size
/// with new gradients, 0.05, 0.07 and 0.2 with these rules. Walks that stop at the first turn of the gradient are worse
/// still.
struct Walk {
  const PosedFields& fields;
  const Family& family;
  float iso;
  Vec3f x;
  FamilyValue at;
  VertexStatus status = VertexStatus::kUnfinished;
  float stop = 0;  ///< How much it is held, because it faced other skin on its way out.
  float beta = 0;  ///< How much of a contact was met on the way.

  Walk(const PosedFields& posed, const Family& parts, float target, const Vec3f& start)
      : fields(posed), family(parts), iso(target), x(start), at(posed.evaluate(parts, start)) {}

  /// The mean of the parts, not that of the part that leads, which changes suddenly.
  float radius() const {
    float sum = 0;
    for (std::size_t m = 0; m < family.count; ++m) sum += fields.parts[family.parts[m]].posed_radius;
    return sum / static_cast<float>(family.count);
  }

  void go(int steps, float share) {
    if (at.lead < 0) {
      status = VertexStatus::kOutside;
      return;
    }
    const float r = radius(), damping = kDamping * kDamping / (r * r), longest = kLongestStep * r;
    // Shorter than 1 where gradients cancel each other out and have no direction.
    const Vec3f along = at.gradient / std::sqrt(at.gradient.squaredNorm() + kNoDirection * kNoDirection / (r * r));
    const float steepness = at.gradient.norm() * r;
    const FamilyValue begin = at;
    // On the way out, skin that faces other skin stops between the two: it looks for a value between its own and the
    // one that it has there, and does not go back to its own. If it took smaller steps instead, a dozen of them would
    // still take it nearly as far unless it is held completely, so that it would be let go at once.
    float goal = iso + stop * std::max(0.0F, at.field - iso);
    for (int i = 0; i < steps; ++i) {
      const float error = iso - at.field;
      if (error < 0) {
        stop = std::max(stop, at.opposed * std::min(1.0F, -error / kMet));
        beta = std::max(beta, stop * std::min(1.0F, -error / kMet));
        goal = std::max(goal, iso - at.opposed * std::min(1.0F, -error / kHeld) * error);
      }
      const float way = goal - at.field;
      if (std::abs(way) < kExact) break;
      const float slope = std::max(0.0F, at.gradient.dot(along));
      Vec3f step = share * way * slope / (at.gradient.squaredNorm() + damping) * along;
      const float length = step.norm();
      if (length > longest) step *= longest / length;
      x += step;
      at = fields.evaluate(family, x, &begin);
      if (at.lead < 0) break;
    }
    if (at.lead < 0 || steepness < kFlat) status = VertexStatus::kOutside;
    else if (beta >= 0.5F) status = VertexStatus::kContact;
    else if (std::abs(iso - at.field) < kFitted) status = VertexStatus::kFitted;
  }
};

}  // namespace

void Projection::check_fit(const PosedFields& fields, std::span<const float> iso, std::span<const Vec3f> x) {
  parallel_for(
      skin_.size(),
      [&](std::size_t v) {
        if (status_[v] != VertexStatus::kFitted) return;
        const float off = iso[v] - fields.evaluate(skin_.families[skin_.family[v]], x[v]).field;
        if (std::abs(off) > kReportedFit) status_[v] = VertexStatus::kUnfinished;
      },
      kGrain);
}

float Projection::need(std::size_t v) const { return std::min(1.0F, std::max(error_[v] / kOff, beta_[v] / kMet)); }

void Projection::project(const PosedFields& fields, std::span<const float> iso, std::span<Vec3f> x, Pass pass) {
  parallel_for(
      skin_.size(),
      [&](std::size_t v) {
        if (skin_.frozen[v] != 0) return;
        // Only what was moved on needs it again; a little of it where it was moved little.
        const float share = pass == Pass::kFirst ? 1 : std::min(1.0F, error_[v] / kFitted);
        if (!(share > 1e-3F)) return;
        Walk walk(fields, skin_.families[skin_.family[v]], iso[v], x[v]);
        const float start = std::abs(iso[v] - walk.at.field);
        if (pass == Pass::kRelaxed) walk.stop = stop_[v];
        walk.go(options_.steps, options_.step);
        x[v] += share * (walk.x - x[v]);
        normals_[v] = walk.at.gradient;
        status_[v] = walk.status;
        if (pass == Pass::kFirst) error_[v] = start;
        stop_[v] += share * (walk.stop - stop_[v]);
        beta_[v] = std::max(beta_[v], share * walk.beta);
      },
      kGrain);
}

void Projection::meet_block(const PosedFields& fields, const ImplicitSkin::Block& block, std::span<Vec3f> x) {
  Vec3f lower = x[block.begin], upper = lower;
  for (Index v = block.begin; v < block.end; ++v) lower = lower.cwiseMin(x[v]), upper = upper.cwiseMax(x[v]);
  const Vec3f middle = 0.5F * (lower + upper);
  const float reach = 0.5F * (upper - lower).norm();
  std::array<Index, 64> close;
  std::size_t count = 0;
  for (const Index part : skin_.near[block.owner]) {
    const PosedPart& posed = fields.parts[part];
    if (posed.grid == nullptr) continue;
    const Eigen::Array3f cells = (posed.to_cells * middle + posed.offset).array();
    const float cell_reach = reach * posed.to_cells.row(0).norm();
    const auto& nodes = posed.grid->layout().nodes;
    const Eigen::Array3f last(static_cast<float>(nodes[0]), static_cast<float>(nodes[1]), static_cast<float>(nodes[2]));
    // The outermost cells, as far as the support reaches, are outside of the part.
    if ((cells + cell_reach < 0.0F).any() || (cells - cell_reach > last).any()) continue;
    if (count < close.size()) close[count++] = part;
  }
  if (count == 0) return;
  for (Index v = block.begin; v < block.end; ++v) {
    if (skin_.solid[v] != 0) continue;
    for (std::size_t c = 0; c < count; ++c) meet_part(fields, block.owner, close[c], v, x[v]);
  }
}

/// How far skin is beyond the surface on which its own part and another one are equally deep, in radii.
struct Projection::Crossing {
  PartValue own, other;
  float depth = 0;

  bool at(const PosedFields& fields, Index owner, Index part, float allowed, const Vec3f& x) {
    if (!part_value(fields.parts[part], x, other) || !part_value(fields.parts[owner], x, own)) return false;
    depth = own.q - other.q + kContactGap - allowed;
    return depth > 0;
  }
};

void Projection::meet_part(const PosedFields& fields, Index owner, Index part, Index v, Vec3f& x) {
  float allowed = 0;
  for (Index o = skin_.overlap_offsets[v]; o < skin_.overlap_offsets[v + 1]; ++o)
    if (skin_.overlaps[o].part == part) allowed = skin_.overlaps[o].depth;
  Crossing crossing;
  if (!crossing.at(fields, owner, part, allowed, x) || crossing.own.q >= kAwayFrom) return;
  const Vec3f &g = crossing.own.gradient, &h = crossing.other.gradient;
  const float cosine = g.dot(h) / std::sqrt(g.squaredNorm() * h.squaredNorm() + 1e-30F);
  const bool joined = joined_[owner] == part || joined_[part] == owner;
  const float how = ramp_down(crossing.own.q, kCloseTo, kAwayFrom) *
                    ramp_down(cosine, joined ? kFacingContact : kOpposed, joined ? kAlongContact : kAlongside);
  if (!(how > 0)) return;
  const float met = how * std::min(1.0F, crossing.depth / kMet);
  // How far it applies is decided where the vertex starts. On the way it would grow with every step, and a vertex that
  // hardly touches would be thrown as far as one that is deep inside.
  const float r = fields.parts[owner].posed_radius, longest = kLongestStep * r, damping = kDamping * kDamping / (r * r);
  Vec3f y = x;
  for (int step = 0; step < kMeetSteps; ++step) {
    const Vec3f n = crossing.own.gradient - crossing.other.gradient;
    Vec3f move = -kMeetStep * crossing.depth / (n.squaredNorm() + damping) * n;
    const float length = move.norm();
    if (length > longest) move *= longest / length;
    y += move;
    if (!crossing.at(fields, owner, part, allowed, y)) break;
  }
  x += how * (y - x);
  beta_[v] = std::max(beta_[v], met);
  if (met >= 0.5F) status_[v] = VertexStatus::kContact;
}

void Projection::meet(const PosedFields& fields, std::span<Vec3f> x) {
  parallel_for(
      skin_.blocks.size(),
      [&](std::size_t b) {
        if (skin_.blocks[b].owner != kNone) meet_block(fields, skin_.blocks[b], x);
      },
      8);
}

/// Vertices that started far from their field slide to where they were among their neighbours, in the tangent plane.
void Projection::relax(std::span<Vec3f> x) {
  parallel_for(
      skin_.size(),
      [&](std::size_t v) {
        next_[v] = x[v];
        if (error_[v] < kExact) return;
        const float off = 1 - std::min(error_[v] - kExact, 1.0F), mu = 1 - off * off * off * off;
        const float squared = normals_[v].squaredNorm();
        Vec3f mean = Vec3f::Zero();
        float sum = 0;
        for (Index i = skin_.rings.offsets[v]; i < skin_.rings.offsets[v + 1]; ++i) {
          mean += skin_.ring_weights[i] * x[skin_.rings.items[i]];
          sum += skin_.ring_weights[i];
        }
        if (!(sum > 0) || !(squared > 0)) return;
        Vec3f move = mean - x[v];
        move -= normals_[v].dot(move) / squared * normals_[v];
        next_[v] += mu * move;
      },
      kGrain);
  std::copy(next_.begin(), next_.end(), x.begin());
}

/// Skin in contact moves to the mean of its neighbours; the less it is in contact, the more it only slides along its
/// field. (Projecting it again afterwards, from another point, is where vertices in folds moved most suddenly.)
void Projection::smooth(const PosedFields& fields, std::span<Vec3f> x) {
  const auto ring_mean = [&](std::size_t v, auto value, const auto& of) {
    for (Index i = skin_.rings.offsets[v]; i < skin_.rings.offsets[v + 1]; ++i) value += of(skin_.rings.items[i]);
    return decltype(value)(value /
                           static_cast<float>(std::max(1U, skin_.rings.offsets[v + 1] - skin_.rings.offsets[v])));
  };
  for (int round = 0; round < kBetaRounds; ++round) {
    parallel_for(
        skin_.size(),
        [&](std::size_t v) {
          next_beta_[v] = 0.5F * (beta_[v] + ring_mean(v, 0.0F, [&](Index w) { return beta_[w]; }));
        },
        4096);
    std::swap(beta_, next_beta_);
  }
  for (int round = 0; round < options_.smoothings; ++round) {
    parallel_for(
        skin_.size(),
        [&](std::size_t v) {
          next_[v] = x[v];
          const float strength = std::min(1.0F, beta_[v]) - kUnsmoothed;
          if (!(strength > 0) || skin_.frozen[v] != 0) return;
          Vec3f mean = Vec3f::Zero();
          float sum = 0;
          for (Index i = skin_.rings.offsets[v]; i < skin_.rings.offsets[v + 1]; ++i) {
            mean += skin_.ring_weights[i] * x[skin_.rings.items[i]];
            sum += skin_.ring_weights[i];
          }
          if (!(sum > 0)) return;
          Vec3f move = mean - x[v];
          if (const Index owner = skin_.owner[v]; owner != kNone) {
            const float flat = kNoDirection / fields.parts[owner].posed_radius;
            const Vec3f& n = normals_[v];
            move -= std::max(0.0F, 1 - 4 * strength) * n.dot(move) / (n.squaredNorm() + flat * flat) * n;
          }
          next_[v] += strength * move;
        },
        1024);
    std::copy(next_.begin(), next_.end(), x.begin());
  }
}

/// Limits how much the correction of a vertex differs from that of its neighbours, by the length of edges: more would
/// tear the skin, and is what a vertex does that alone has found another way.
void Projection::even_out(std::span<Vec3f> x, float most) {
  const auto stir = [&] {
    parallel_for(
        skin_.size(), [&](std::size_t v) { stirred_[v] = static_cast<char>(x[v] != start_[v]); }, 4096);
  };
  for (int round = 0; round < kEvenRounds; ++round) {
    stir();
    parallel_for(
        skin_.size(),
        [&](std::size_t v) {
          next_[v] = x[v];
          const Index begin = skin_.rings.offsets[v], end = skin_.rings.offsets[v + 1];
          if (skin_.frozen[v] != 0 || begin == end) return;
          char any = stirred_[v];
          for (Index i = begin; i < end; ++i) any |= stirred_[skin_.rings.items[i]];
          if (any == 0) return;
          Vec3f mean = Vec3f::Zero();
          for (Index i = begin; i < end; ++i) mean += x[skin_.rings.items[i]] - start_[skin_.rings.items[i]];
          mean /= static_cast<float>(end - begin);
          const Vec3f difference = x[v] - start_[v] - mean;
          const float t = difference.squaredNorm() / (most * most * skin_.edge[v] * skin_.edge[v]);
          if (t < 1e-4F) return;
          next_[v] = start_[v] + mean + difference / std::sqrt(std::sqrt(1 + t * t));
        },
        1024);
    std::copy(next_.begin(), next_.end(), x.begin());
  }
}

void Projection::run(const PosedFields& fields, std::span<const float> iso, std::span<Vec3f> x) {
  const std::size_t count = skin_.size();
  status_.assign(count, VertexStatus::kFrozen);
  normals_.assign(count, Vec3f::Zero());
  next_.resize(count);
  stirred_.resize(count);
  next_beta_.resize(count);
  error_.assign(count, 0);
  stop_.assign(count, 0);
  beta_.assign(count, 0);
  start_.assign(x.begin(), x.end());
  project(fields, iso, x, Pass::kFirst);
  for (int round = 0; round < options_.relaxations; ++round) {
    relax(x);
    project(fields, iso, x, Pass::kRelaxed);
  }
  even_out(x, kUneven);
  if (options_.contact) meet(fields, x);
  if (!std::all_of(beta_.begin(), beta_.end(), [](float b) { return b == 0; })) {
    smooth(fields, x);
    if (options_.contact) meet(fields, x);
  }
  even_out(x, kUnevenContact);
}

}  // namespace sinew::deform
