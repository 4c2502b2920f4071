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
constexpr float kExact = 1e-4F;        ///< Where steps end.
constexpr float kLongestStep = 0.15F;  ///< In radii of support.
constexpr float kFlat = 1e-4F;         ///< Gradient per radius below which there is no direction.
/// Cosines between the gradients before and after a step. On the way out, two parts that meet form a fold; on the way
/// in they form a ridge, where the way goes on as long as there is one.
constexpr float kStopOut = 0.7F, kGoOnOut = 0.9F, kStopIn = 0.42F, kGoOnIn = 0.71F;
/// Cosines between gradients of two parts in contact: of parts that are joined, and of others.
constexpr float kOpposedJoined = 0.6F, kAlongsideJoined = 0.85F, kOpposed = 0.1F, kAlongside = 0.3F;
constexpr float kNearSurface = 0.05F;  ///< In radii: how far outside of its own part skin is in contact.
constexpr float kMeetStep = 0.7F;
constexpr int kMeetSteps = 4;
constexpr int kSheetSteps = 4;
constexpr int kBetaRounds = 3;
constexpr std::size_t kGrain = 256;

float ramp_down(float x, float low, float high) {
  const float t = std::clamp((high - x) / (high - low), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

/// One vertex on its way to its field.
struct Walk {
  const PosedFields& fields;
  const Family& family;
  float iso;
  Vec3f x;
  FamilyValue at;
  VertexStatus status = VertexStatus::kUnfinished;
  float beta = 0;  ///< How much of a contact was met on the way.
  Vec3f sheet = Vec3f::Zero();

  Walk(const PosedFields& posed, const Family& parts, float target, const Vec3f& start)
      : fields(posed), family(parts), iso(target), x(start), at(posed.evaluate(parts, start)) {}

  float radius() const {
    return fields.parts[family.parts[static_cast<std::size_t>(std::max(at.lead, 0))]].posed_radius;
  }

  /// Where two members are equally deep on the way from x by `step`; `share` of the way.
  float sheet_share(int before, int after, const Vec3f& step) const {
    const PosedPart& a = fields.parts[family.parts[static_cast<std::size_t>(before)]];
    const PosedPart& b = fields.parts[family.parts[static_cast<std::size_t>(after)]];
    const auto difference = [&](float share) {
      PartValue va, vb;
      part_value(a, x + share * step, va);
      part_value(b, x + share * step, vb);
      return vb.q - va.q - kContactGap;  // Positive while the first is the deeper.
    };
    float low = 0, high = 1, at_low = difference(0), at_high = difference(1);
    if (!(at_low > 0) || !(at_high < 0)) return 0;  // Already there.
    for (int i = 0; i < kSheetSteps; ++i) {
      const float middle = low + (high - low) * at_low / (at_low - at_high), value = difference(middle);
      if (value > 0) low = middle, at_low = value;
      else high = middle, at_high = value;
    }
    return low + (high - low) * at_low / (at_low - at_high);
  }

  void go(int steps, float share) {
    if (at.lead < 0) {
      status = VertexStatus::kOutside;
      return;
    }
    for (int i = 0; i < steps; ++i) {
      const float error = iso - at.field, squared = at.gradient.squaredNorm(), r = radius();
      if (std::abs(error) < kExact) break;
      if (squared < kFlat * kFlat / (r * r)) {
        status = VertexStatus::kOutside;
        break;
      }
      Vec3f step = share * error / squared * at.gradient;
      const float length = step.norm();
      if (length > kLongestStep * r) step *= kLongestStep * r / length;
      const FamilyValue next = fields.evaluate(family, x + step);
      const float cosine = at.gradient.dot(next.gradient) / std::sqrt(squared * next.gradient.squaredNorm() + 1e-30F);
      const float stop = next.lead < 0 ? 0
                         : error < 0   ? ramp_down(cosine, kStopOut, kGoOnOut)
                                       : ramp_down(cosine, kStopIn, kGoOnIn);
      if (stop > beta) {
        sheet = next.lead != at.lead ? Vec3f(x + sheet_share(at.lead, next.lead, step) * step) : x;
        beta = stop;
        if (beta >= 1) break;
      }
      x += step;
      at = next;
    }
    if (beta > 0) x += beta * (sheet - x);
    if (beta >= 0.5F) status = VertexStatus::kContact;
    else if (std::abs(iso - at.field) < kFitted) status = VertexStatus::kFitted;
  }
};

}  // namespace

void Projection::project(const PosedFields& fields, std::span<const float> iso, std::span<Vec3f> x, bool again) {
  parallel_for(
      skin_.size(),
      [&](std::size_t v) {
        if (skin_.frozen[v] != 0 || (again && error_[v] < kExact && beta_[v] == 0)) return;
        Walk walk(fields, skin_.families[skin_.family[v]], iso[v], x[v]);
        const float start = std::abs(iso[v] - walk.at.field);
        walk.go(options_.steps, options_.step);
        x[v] = walk.x;
        normals_[v] = walk.at.gradient;
        status_[v] = walk.status;
        if (!again) error_[v] = start;
        beta_[v] = std::max(beta_[v], walk.beta);
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
  for (const Index part : near_[block.owner]) {
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
  const PosedPart& own_part = fields.parts[block.owner];
  for (Index v = block.begin; v < block.end; ++v) {
    for (int step = 0; step < kMeetSteps; ++step) {
      PartValue own;
      bool looked = false;
      Vec3f move = Vec3f::Zero();
      float worst = 0, how = 0;
      for (std::size_t c = 0; c < count; ++c) {
        PartValue other;
        if (!part_value(fields.parts[close[c]], x[v], other) || other.q >= kNearSurface) continue;
        if (!looked && !part_value(own_part, x[v], own)) break;
        looked = true;
        if (own.q >= kNearSurface) break;
        float allowed = 0;
        for (Index o = skin_.overlap_offsets[v]; o < skin_.overlap_offsets[v + 1]; ++o)
          if (skin_.overlaps[o].part == close[c]) allowed = skin_.overlaps[o].depth;
        const float crossed = own.q - other.q + kContactGap - allowed;
        if (crossed <= worst) continue;
        const float cosine = own.gradient.dot(other.gradient) /
                             std::sqrt(own.gradient.squaredNorm() * other.gradient.squaredNorm() + 1e-30F);
        const bool joined = joined_[block.owner] == close[c] || joined_[close[c]] == block.owner;
        const float opposed =
            joined ? ramp_down(cosine, kOpposedJoined, kAlongsideJoined) : ramp_down(cosine, kOpposed, kAlongside);
        if (opposed <= 0) continue;
        const Vec3f n = own.gradient - other.gradient;
        worst = crossed;
        how = opposed;
        move = -kMeetStep * opposed * crossed / n.squaredNorm() * n;
      }
      if (worst <= 0) break;
      const float longest = kLongestStep * own_part.posed_radius, length = move.norm();
      if (length > longest) move *= longest / length;
      x[v] += move;
      beta_[v] = std::max(beta_[v], how * std::min(1.0F, worst / 0.05F));
      if (how >= 0.5F) status_[v] = VertexStatus::kContact;
    }
  }
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
        const float off = 1 - std::min(error_[v], 1.0F), mu = 1 - off * off * off * off;
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

void Projection::smooth(std::span<Vec3f> x) {
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
          if (beta_[v] < 1e-3F) return;
          Vec3f mean = Vec3f::Zero();
          float sum = 0;
          for (Index i = skin_.rings.offsets[v]; i < skin_.rings.offsets[v + 1]; ++i) {
            mean += skin_.ring_weights[i] * x[skin_.rings.items[i]];
            sum += skin_.ring_weights[i];
          }
          if (sum > 0) next_[v] += std::min(1.0F, beta_[v]) * (mean - x[v]);
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
  next_beta_.resize(count);
  error_.assign(count, 0);
  beta_.assign(count, 0);
  project(fields, iso, x, false);
  for (int round = 0; round < options_.relaxations; ++round) {
    relax(x);
    project(fields, iso, x, true);
  }
  if (options_.contact) meet(fields, x);
  if (std::all_of(beta_.begin(), beta_.end(), [](float b) { return b == 0; })) return;
  smooth(x);
  project(fields, iso, x, true);
  if (options_.contact) meet(fields, x);
}

}  // namespace sinew::deform
