// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/kernels.h"

#include <cstring>

#include "sinew/deform/kernel_dispatch.h"

// Vectors without a size at compile time cannot be members of structs.
#include <hwy/detect_targets.h>
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sinew/deform/blend/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sinew::deform {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most a block's width: wider registers would need wider blocks, whose vertices share fewer joints.
using LaneTag = hn::CappedTag<float, kBlockWidth>;
using V = hn::Vec<LaneTag>;

struct V3 {
  V x, y, z;
};
struct Row {
  V x, y, z, t;
};
struct Affine {
  Row a, b, c;
};

HWY_INLINE V3 cross(const V3& u, const V3& v) {
  return {hn::NegMulAdd(u.z, v.y, hn::Mul(u.y, v.z)), hn::NegMulAdd(u.x, v.z, hn::Mul(u.z, v.x)),
          hn::NegMulAdd(u.y, v.x, hn::Mul(u.x, v.y))};
}

HWY_INLINE V dot(const V3& u, const V3& v) { return hn::MulAdd(u.x, v.x, hn::MulAdd(u.y, v.y, hn::Mul(u.z, v.z))); }

// Zero stays zero.
HWY_INLINE V inverse_length(LaneTag d, V squared) {
  return hn::Div(hn::Set(d, 1.0F), hn::Sqrt(hn::Max(squared, hn::Set(d, 1e-36F))));
}

HWY_INLINE V3 unit(LaneTag d, const V3& v) {
  const V k = inverse_length(d, dot(v, v));
  return {hn::Mul(v.x, k), hn::Mul(v.y, k), hn::Mul(v.z, k)};
}

HWY_INLINE Row scaled_row(LaneTag d, V w, const float* HWY_RESTRICT m) {
  return {hn::Mul(w, hn::Set(d, m[0])), hn::Mul(w, hn::Set(d, m[1])), hn::Mul(w, hn::Set(d, m[2])),
          hn::Mul(w, hn::Set(d, m[3]))};
}

HWY_INLINE void add_row(LaneTag d, V w, const float* HWY_RESTRICT m, Row& row) {
  row.x = hn::MulAdd(w, hn::Set(d, m[0]), row.x);
  row.y = hn::MulAdd(w, hn::Set(d, m[1]), row.y);
  row.z = hn::MulAdd(w, hn::Set(d, m[2]), row.z);
  row.t = hn::MulAdd(w, hn::Set(d, m[3]), row.t);
}

// What a block's vertices have in common, from one lane on.
struct BlockView {
  const std::uint32_t* HWY_RESTRICT slots;
  const float* HWY_RESTRICT weights;
  std::size_t count;
};

HWY_INLINE Affine blended_matrix(LaneTag d, const BlockView& view, const float* HWY_RESTRICT matrices) {
  const float* HWY_RESTRICT m = matrices + std::size_t{12} * view.slots[0];
  V w = hn::Load(d, view.weights);
  Affine blend{scaled_row(d, w, m), scaled_row(d, w, m + 4), scaled_row(d, w, m + 8)};
  for (std::size_t k = 1; k < view.count; ++k) {
    m = matrices + std::size_t{12} * view.slots[k];
    w = hn::Load(d, view.weights + k * kBlockWidth);
    add_row(d, w, m, blend.a);
    add_row(d, w, m + 4, blend.b);
    add_row(d, w, m + 8, blend.c);
  }
  return blend;
}

HWY_INLINE V apply_row(const Row& r, const V3& v) {
  return hn::MulAdd(r.x, v.x, hn::MulAdd(r.y, v.y, hn::MulAdd(r.z, v.z, r.t)));
}

HWY_INLINE V3 apply(const Affine& m, const V3& v) { return {apply_row(m.a, v), apply_row(m.b, v), apply_row(m.c, v)}; }

HWY_INLINE V3 apply_linear(const Affine& m, const V3& v) {
  return {dot({m.a.x, m.a.y, m.a.z}, v), dot({m.b.x, m.b.y, m.b.z}, v), dot({m.c.x, m.c.y, m.c.z}, v)};
}

// The columns of the cofactor matrix are the cross products of the other two columns; so are its rows of the other
// rows.
HWY_INLINE V3 apply_cofactors(const Affine& m, const V3& v) {
  const V3 a{m.a.x, m.a.y, m.a.z}, b{m.b.x, m.b.y, m.b.z}, c{m.c.x, m.c.y, m.c.z};
  return {dot(cross(b, c), v), dot(cross(c, a), v), dot(cross(a, b), v)};
}

HWY_INLINE V3 load3(LaneTag d, const Lanes* lanes, std::size_t lane) {
  return {hn::Load(d, lanes[0].at + lane), hn::Load(d, lanes[1].at + lane), hn::Load(d, lanes[2].at + lane)};
}

// Twelve bytes to each vertex of the lanes, in the file's order.
HWY_INLINE void store3(LaneTag d, const V3& v, const BlendJob& job, std::size_t index, std::size_t lane, float* out) {
  const SkinBlock& block = job.blocks[index];
  if (block.consecutive) {
    hn::StoreInterleaved3(v.x, v.y, v.z, d, out + 3 * (block.first_vertex + lane));
    return;
  }
  // Four numbers each, so that a vertex is never read from two stores that are still on their way.
  HWY_ALIGN float mixed[4 * kBlockWidth];
  hn::StoreInterleaved4(v.x, v.y, v.z, v.z, d, mixed);
  // Lanes beyond the last vertex repeat it, so that the loop has a fixed length and the same bytes are written again.
  const std::uint32_t* HWY_RESTRICT vertices = job.scattered + block.first_vertex + lane;
  for (std::size_t i = 0; i < hn::Lanes(d); ++i)
    std::memcpy(out + std::size_t{3} * vertices[i], mixed + 4 * i, 3 * sizeof(float));
}

HWY_INLINE V3 placed(LaneTag d, const V3& v, const BlendJob& job) {
  const V size = hn::Set(d, job.size);
  return {hn::MulAdd(v.x, size, hn::Set(d, job.origin[0])), hn::MulAdd(v.y, size, hn::Set(d, job.origin[1])),
          hn::MulAdd(v.z, size, hn::Set(d, job.origin[2]))};
}

HWY_INLINE BlockView view_of(const BlendJob& job, std::size_t index, std::size_t lane) {
  const SkinBlock& block = job.blocks[index];
  return {job.slot_lists + block.first_slot, job.weights[block.first_weight].at + lane, block.slot_count};
}

// Blocks go through in batches: first all sums, then all square roots and writes. In one go a block is one long chain
// of operations that wait for each other, too long for the processor to begin the next one meanwhile.
constexpr std::size_t kBatch = 8;

struct Batch {
  Lanes positions[3 * kBatch];
  Lanes normals[3 * kBatch];
};

HWY_INLINE void keep3(LaneTag d, const V3& v, Lanes* lanes, std::size_t lane) {
  hn::Store(v.x, d, lanes[0].at + lane);
  hn::Store(v.y, d, lanes[1].at + lane);
  hn::Store(v.z, d, lanes[2].at + lane);
}

template <bool kNormals, bool kUnit>
HWY_INLINE void write_batch(const BlendJob& job, const Batch& batch, std::size_t begin, std::size_t end) {
  const LaneTag d;
  for (std::size_t index = begin; index < end; ++index)
    for (std::size_t lane = 0; lane < kBlockWidth; lane += hn::Lanes(d)) {
      const std::size_t at = 3 * (index - begin);
      store3(d, placed(d, load3(d, batch.positions + at, lane), job), job, index, lane, job.positions);
      if constexpr (kNormals) {
        const V3 n = load3(d, batch.normals + at, lane);
        store3(d, kUnit ? unit(d, n) : n, job, index, lane, job.normals);
      }
    }
}

// Some lanes of a block through the blend of its matrices. May work in place.
template <bool kNormals, bool kCofactors>
HWY_INLINE void blend_lanes(const BlendJob& job, std::size_t index, std::size_t lane, const Lanes* from,
                            const Lanes* from_normals, Lanes* to, Lanes* to_normals) {
  const LaneTag d;
  const Affine m = blended_matrix(d, view_of(job, index, lane), job.matrices);
  keep3(d, apply(m, load3(d, from, lane)), to, lane);
  if constexpr (kNormals) {
    const V3 n = load3(d, from_normals, lane);
    keep3(d, kCofactors ? apply_cofactors(m, n) : apply_linear(m, n), to_normals, lane);
  }
}

template <bool kNormals, bool kCofactors>
HWY_INLINE void linear_blocks(const BlendJob& job, std::size_t begin, std::size_t end) {
  const LaneTag d;
  Batch batch;
  for (std::size_t start = begin; start < end; start += kBatch) {
    const std::size_t stop = start + kBatch < end ? start + kBatch : end;
    for (std::size_t index = start; index < stop; ++index)
      for (std::size_t lane = 0; lane < kBlockWidth; lane += hn::Lanes(d)) {
        const std::size_t at = 3 * (index - start);
        blend_lanes<kNormals, kCofactors>(job, index, lane, job.rest_positions + 3 * index,
                                          job.rest_normals + 3 * index, batch.positions + at, batch.normals + at);
      }
    write_batch<kNormals, true>(job, batch, start, stop);
  }
}

void blend_linear(const BlendJob& job, std::size_t begin, std::size_t end) {
  if (!job.normals) linear_blocks<false, false>(job, begin, end);
  else if (job.cofactor_normals) linear_blocks<true, true>(job, begin, end);
  else linear_blocks<true, false>(job, begin, end);
}

struct Turn {
  V sine, cosine;
};

// sin(2πx) and cos(2πx) for |x| ≤ ½, from those of half the angle so that no quadrants are needed; these are
// polynomials of the least largest error, 7e-9 and 5e-8.
HWY_INLINE Turn sine_and_cosine(LaneTag d, V x) {
  const V squared = hn::Mul(x, x);
  V half_sine = hn::Set(d, 7.76594083e-2F);
  half_sine = hn::MulAdd(half_sine, squared, hn::Set(d, -5.9829216e-1F));
  half_sine = hn::MulAdd(half_sine, squared, hn::Set(d, 2.55007766F));
  half_sine = hn::MulAdd(half_sine, squared, hn::Set(d, -5.16771009F));
  half_sine = hn::Mul(x, hn::MulAdd(half_sine, squared, hn::Set(d, 3.14159264F)));
  V half_cosine = hn::Set(d, 2.19696799e-1F);
  half_cosine = hn::MulAdd(half_cosine, squared, hn::Set(d, -1.33188016F));
  half_cosine = hn::MulAdd(half_cosine, squared, hn::Set(d, 4.05841191F));
  half_cosine = hn::MulAdd(half_cosine, squared, hn::Set(d, -4.93479286F));
  half_cosine = hn::MulAdd(half_cosine, squared, hn::Set(d, 9.99999953e-1F));
  const V twice = hn::Add(half_sine, half_sine);
  return {hn::Mul(twice, half_cosine), hn::NegMulAdd(twice, half_sine, hn::Set(d, 1.0F))};
}

// What rounding took from the product of a and b, exactly: by one fused operation, or, where the processor has none, by
// T. J. Dekker's products of halves ("A floating-point technique for extending the available precision", 1971).
#if HWY_NATIVE_FMA
HWY_INLINE V rounding_of(LaneTag, V a, V b, V product) { return hn::MulSub(a, b, product); }
#else
HWY_INLINE V upper_half(LaneTag d, V a) {
  const V wide = hn::Mul(a, hn::Set(d, 4097.0F));
  return hn::Sub(wide, hn::Sub(wide, a));
}

HWY_INLINE V rounding_of(LaneTag d, V a, V b, V product) {
  const V a_high = upper_half(d, a), a_low = hn::Sub(a, a_high);
  const V b_high = upper_half(d, b), b_low = hn::Sub(b, b_high);
  const V most = hn::Sub(hn::Mul(a_high, b_high), product);
  const V mixed = hn::Add(hn::Add(most, hn::Mul(a_high, b_low)), hn::Mul(a_low, b_high));
  return hn::Add(mixed, hn::Mul(a_low, b_low));
}
#endif

HWY_INLINE Turn turn_of(LaneTag d, const TwistRun& run, V share) {
  // Of share times turns only what is beyond whole turns counts; what rounding took from the product is added again, so
  // that thousands of turns are as exact as one.
  const V turns = hn::Set(d, run.turns), product = hn::Mul(share, turns);
  if (run.turns >= -0.5F && run.turns <= 0.5F)
    return sine_and_cosine(d, hn::MulAdd(share, hn::Set(d, run.turns_rest), product));
  const V rounding = rounding_of(d, share, turns, product);
  const V beyond = hn::Add(hn::Sub(product, hn::Round(product)), rounding);
  return sine_and_cosine(d, hn::MulAdd(share, hn::Set(d, run.turns_rest), beyond));
}

HWY_INLINE V3 turned(const Turn& turn, const V3& v) {
  return {hn::NegMulAdd(turn.sine, v.y, hn::Mul(turn.cosine, v.x)),
          hn::MulAdd(turn.sine, v.x, hn::Mul(turn.cosine, v.y)), v.z};
}

// What the slope of the twist does to a normal, before the turn: with w = z × r and g the gradient of the angle the
// surface goes by 1 + w gᵀ, whose cofactors are (1 + g·w) − g wᵀ.
HWY_INLINE V3 sheared_normal(LaneTag d, const TwistRun& run, const V3& v, const V3& n, const V3& gradient) {
  const V angle = hn::Set(d, run.angle_rad), one = hn::Set(d, 1.0F);
  const V slope = hn::MulSub(gradient.y, v.x, hn::Mul(gradient.x, v.y));
  const V along = hn::MulAdd(angle, slope, one);
  const V across = hn::Mul(angle, hn::MulSub(v.x, n.y, hn::Mul(v.y, n.x)));
  return {hn::NegMulAdd(across, gradient.x, hn::Mul(along, n.x)),
          hn::NegMulAdd(across, gradient.y, hn::Mul(along, n.y)),
          hn::NegMulAdd(across, gradient.z, hn::Mul(along, n.z))};
}

HWY_INLINE Row row_of(LaneTag d, const float* HWY_RESTRICT m) {
  return {hn::Set(d, m[0]), hn::Set(d, m[1]), hn::Set(d, m[2]), hn::Set(d, m[3])};
}

template <bool kNormals>
HWY_INLINE void twist_block(const BlendJob& job, std::size_t index, std::size_t lane, Lanes* positions,
                            Lanes* normals) {
  const LaneTag d;
  const TwistRun& run = job.twists[job.runs[index]];
  V3 v = load3(d, job.rest_positions + 3 * index, lane);
  V3 n = v;
  if constexpr (kNormals) n = load3(d, job.twist_normals + 6 * index, lane);
  if (run.turns != 0) {
    const Turn turn = turn_of(d, run, hn::Load(d, job.twist_shares[index].at + lane));
    if constexpr (kNormals)
      n = turned(turn, sheared_normal(d, run, v, n, load3(d, job.twist_normals + 6 * index + 3, lane)));
    v = turned(turn, v);
  }
  const Affine m{row_of(d, run.matrix), row_of(d, run.matrix + 4), row_of(d, run.matrix + 8)};
  keep3(d, apply(m, v), positions, lane);
  if constexpr (kNormals) keep3(d, apply_linear(m, n), normals, lane);
}

template <bool kNormals, bool kCofactors>
HWY_INLINE void twisted_blocks(const BlendJob& job, std::size_t begin, std::size_t end) {
  const LaneTag d;
  Batch batch;
  for (std::size_t start = begin; start < end; start += kBatch) {
    const std::size_t stop = start + kBatch < end ? start + kBatch : end;
    for (std::size_t index = start; index < stop; ++index)
      for (std::size_t lane = 0; lane < kBlockWidth; lane += hn::Lanes(d)) {
        const std::size_t at = 3 * (index - start);
        twist_block<kNormals>(job, index, lane, batch.positions + at, batch.normals + at);
        blend_lanes<kNormals, kCofactors>(job, index, lane, batch.positions + at, batch.normals + at,
                                          batch.positions + at, batch.normals + at);
      }
    write_batch<kNormals, true>(job, batch, start, stop);
  }
}

void blend_twisted(const BlendJob& job, std::size_t begin, std::size_t end) {
  if (!job.normals) twisted_blocks<false, false>(job, begin, end);
  else if (job.cofactor_normals) twisted_blocks<true, true>(job, begin, end);
  else twisted_blocks<true, false>(job, begin, end);
}

struct Quaternion {
  V w;
  V3 v;
};

HWY_INLINE Quaternion broadcast(LaneTag d, const float* HWY_RESTRICT q) {
  return {hn::Set(d, q[0]), {hn::Set(d, q[1]), hn::Set(d, q[2]), hn::Set(d, q[3])}};
}

HWY_INLINE V dot(const Quaternion& p, const Quaternion& q) { return hn::MulAdd(p.w, q.w, dot(p.v, q.v)); }

HWY_INLINE void add_scaled(V w, const Quaternion& q, Quaternion& sum) {
  sum.w = hn::MulAdd(w, q.w, sum.w);
  sum.v.x = hn::MulAdd(w, q.v.x, sum.v.x);
  sum.v.y = hn::MulAdd(w, q.v.y, sum.v.y);
  sum.v.z = hn::MulAdd(w, q.v.z, sum.v.z);
}

HWY_INLINE void scale(V k, Quaternion& q) {
  q = {hn::Mul(q.w, k), {hn::Mul(q.v.x, k), hn::Mul(q.v.y, k), hn::Mul(q.v.z, k)}};
}

struct DualQuaternion {
  Quaternion real, dual;
};

// Within this of a right angle two rotations are half a turn apart, and rounding must not choose the side.
constexpr float kHalfTurnMargin = 1e-6F;
// Weights this close to the largest one, as a share of it, are equal to it.
constexpr float kEqualWeights = 1e-4F;
// Sums this close in length are equally long.
constexpr float kEqualLengths = 1e-5F;

// The sign of each rotation of a list, where all pairs of them agree about these: then all joints may be the pivot and
// the sum is the same.
struct ListSigns {
  static constexpr std::size_t kMost = 32;
  const std::uint32_t* slots = nullptr;
  std::size_t count = 0;
  bool agree = false;
  float of[kMost] = {};
};

inline float product(const float* HWY_RESTRICT p, const float* HWY_RESTRICT q) {
  return (p[0] * q[0] + p[1] * q[1]) + (p[2] * q[2] + p[3] * q[3]);
}

inline void find_signs(const BlockView& view, const float* HWY_RESTRICT palette, ListSigns& signs) {
  if (signs.slots == view.slots && signs.count == view.count) return;
  signs.slots = view.slots;
  signs.count = view.count;
  signs.agree = view.count <= ListSigns::kMost;
  if (!signs.agree) return;
  const float* const first = palette + std::size_t{8} * view.slots[0];
  bool near = true;
  signs.of[0] = 1;
  for (std::size_t k = 1; k < view.count; ++k) {
    const float along = product(first, palette + std::size_t{8} * view.slots[k]);
    signs.of[k] = along < -kHalfTurnMargin ? -1.0F : 1.0F;
    // Less than 45° from the first, or from its opposite: less than 90° from each other.
    near = near && along * signs.of[k] > 0.7072F;
  }
  for (std::size_t k = 1; !near && signs.agree && k < view.count; ++k)
    for (std::size_t j = 1; signs.agree && j < k; ++j) {
      const float along = product(palette + std::size_t{8} * view.slots[j], palette + std::size_t{8} * view.slots[k]);
      signs.agree = (along < -kHalfTurnMargin) == (signs.of[j] != signs.of[k]);
    }
}

HWY_INLINE V signed_weight(LaneTag d, V w, const Quaternion& q, const Quaternion& pivot) {
  return hn::IfThenElse(hn::Lt(dot(q, pivot), hn::Set(d, -kHalfTurnMargin)), hn::Neg(w), w);
}

// How long the sum of all rotations is, squared, with their signs chosen against a pivot's.
HWY_INLINE V sum_length(LaneTag d, const BlockView& view, const float* HWY_RESTRICT palette, const Quaternion& pivot) {
  const V zero = hn::Zero(d);
  Quaternion sum{zero, {zero, zero, zero}};
  for (std::size_t k = 0; k < view.count; ++k) {
    const Quaternion q = broadcast(d, palette + std::size_t{8} * view.slots[k]);
    add_scaled(signed_weight(d, hn::Load(d, view.weights + k * kBlockWidth), q, pivot), q, sum);
  }
  return dot(sum, sum);
}

// The rotation of each lane's heaviest joint. Of equally heavy ones that with the longest sum, which does not depend on
// the order of joints; of equally long sums, which only symmetric motions have, the first.
HWY_INLINE Quaternion pivot_rotation(LaneTag d, const BlockView& view, const float* HWY_RESTRICT palette) {
  V heaviest = hn::Load(d, view.weights);
  for (std::size_t k = 1; k < view.count; ++k)
    heaviest = hn::Max(heaviest, hn::Load(d, view.weights + k * kBlockWidth));
  const V least = hn::Mul(heaviest, hn::Set(d, 1 - kEqualWeights));
  Quaternion pivot = broadcast(d, palette + std::size_t{8} * view.slots[0]);
  V longest = hn::Set(d, -1.0F);
  for (std::size_t k = 0; k < view.count; ++k) {
    const auto heavy = hn::Ge(hn::Load(d, view.weights + k * kBlockWidth), least);
    if (hn::AllFalse(d, heavy)) continue;
    const Quaternion q = broadcast(d, palette + std::size_t{8} * view.slots[k]);
    const V length = sum_length(d, view, palette, q);
    const auto better = hn::And(heavy, hn::Gt(length, hn::Mul(longest, hn::Set(d, 1 + kEqualLengths))));
    longest = hn::IfThenElse(better, length, longest);
    pivot.w = hn::IfThenElse(better, q.w, pivot.w);
    pivot.v.x = hn::IfThenElse(better, q.v.x, pivot.v.x);
    pivot.v.y = hn::IfThenElse(better, q.v.y, pivot.v.y);
    pivot.v.z = hn::IfThenElse(better, q.v.z, pivot.v.z);
  }
  return pivot;
}

// Kavan et al. 2008, with the sign of each rotation chosen against the pivot's. All signed rotations then lie on the
// pivot's side, so the sum is at least as long as the pivot's weight and there is always something to divide by.
HWY_INLINE DualQuaternion blended_motion(LaneTag d, const BlockView& view, const float* HWY_RESTRICT palette,
                                         const ListSigns& signs) {
  const V zero = hn::Zero(d);
  DualQuaternion sum{{zero, {zero, zero, zero}}, {zero, {zero, zero, zero}}};
  const Quaternion pivot = signs.agree ? sum.real : pivot_rotation(d, view, palette);
  for (std::size_t k = 0; k < view.count; ++k) {
    const float* HWY_RESTRICT entry = palette + std::size_t{8} * view.slots[k];
    const Quaternion q = broadcast(d, entry);
    V w = hn::Load(d, view.weights + k * kBlockWidth);
    w = signs.agree ? hn::Mul(w, hn::Set(d, signs.of[k])) : signed_weight(d, w, q, pivot);
    add_scaled(w, q, sum.real);
    add_scaled(w, broadcast(d, entry + 4), sum.dual);
  }
  const V k = inverse_length(d, dot(sum.real, sum.real));
  scale(k, sum.real);
  scale(k, sum.dual);
  return sum;
}

// 2 q × (q × v + w v), what a unit quaternion adds to a vector.
HWY_INLINE V3 turn_of(const Quaternion& q, const V3& v) {
  const V3 c = cross(q.v, v);
  const V3 inner{hn::MulAdd(q.w, v.x, c.x), hn::MulAdd(q.w, v.y, c.y), hn::MulAdd(q.w, v.z, c.z)};
  const V3 half = cross(q.v, inner);
  return {hn::Add(half.x, half.x), hn::Add(half.y, half.y), hn::Add(half.z, half.z)};
}

HWY_INLINE V3 sum_of(const V3& u, const V3& v) { return {hn::Add(u.x, v.x), hn::Add(u.y, v.y), hn::Add(u.z, v.z)}; }

HWY_INLINE V3 translation_of(const DualQuaternion& q) {
  const V3 c = cross(q.real.v, q.dual.v);
  const V3 half{hn::MulAdd(q.real.w, q.dual.v.x, hn::NegMulAdd(q.dual.w, q.real.v.x, c.x)),
                hn::MulAdd(q.real.w, q.dual.v.y, hn::NegMulAdd(q.dual.w, q.real.v.y, c.y)),
                hn::MulAdd(q.real.w, q.dual.v.z, hn::NegMulAdd(q.dual.w, q.real.v.z, c.z))};
  return {hn::Add(half.x, half.x), hn::Add(half.y, half.y), hn::Add(half.z, half.z)};
}

template <bool kNormals, bool kStretch>
HWY_INLINE void dual_quaternion_block(const BlendJob& job, std::size_t index, std::size_t lane, Lanes* positions,
                                      Lanes* normals, ListSigns& signs) {
  const LaneTag d;
  const BlockView view = view_of(job, index, lane);
  find_signs(view, job.dual_quaternions, signs);
  V3 v = load3(d, job.rest_positions + 3 * index, lane);
  V3 n = v;
  if constexpr (kNormals) n = load3(d, job.rest_normals + 3 * index, lane);
  if constexpr (kStretch) {
    const Affine m = blended_matrix(d, view, job.matrices);
    v = apply(m, v);
    if constexpr (kNormals) n = apply_cofactors(m, n);
  }
  const DualQuaternion q = blended_motion(d, view, job.dual_quaternions, signs);
  keep3(d, sum_of(sum_of(v, turn_of(q.real, v)), translation_of(q)), positions, lane);
  if constexpr (kNormals) keep3(d, sum_of(n, turn_of(q.real, n)), normals, lane);
}

template <bool kNormals, bool kStretch>
HWY_INLINE void dual_quaternion_blocks(const BlendJob& job, std::size_t begin, std::size_t end) {
  const LaneTag d;
  Batch batch;
  ListSigns signs;
  for (std::size_t start = begin; start < end; start += kBatch) {
    const std::size_t stop = start + kBatch < end ? start + kBatch : end;
    for (std::size_t index = start; index < stop; ++index)
      for (std::size_t lane = 0; lane < kBlockWidth; lane += hn::Lanes(d)) {
        const std::size_t at = 3 * (index - start);
        dual_quaternion_block<kNormals, kStretch>(job, index, lane, batch.positions + at, batch.normals + at, signs);
      }
    // A rotation leaves lengths as they are.
    write_batch<kNormals, kStretch>(job, batch, start, stop);
  }
}

void blend_dual_quaternions(const BlendJob& job, std::size_t begin, std::size_t end) {
  if (job.normals) {
    if (job.matrices) dual_quaternion_blocks<true, true>(job, begin, end);
    else dual_quaternion_blocks<true, false>(job, begin, end);
  } else {
    if (job.matrices) dual_quaternion_blocks<false, true>(job, begin, end);
    else dual_quaternion_blocks<false, false>(job, begin, end);
  }
}

using TurnTag = hn::CappedTag<double, 8>;
using T = hn::Vec<TurnTag>;

struct T9 {
  T at[9];
};

HWY_INLINE T9 load9(TurnTag d, const double* HWY_RESTRICT from, std::size_t stride) {
  T9 m;
  for (std::size_t e = 0; e < 9; ++e) m.at[e] = hn::LoadU(d, from + e * stride);
  return m;
}

HWY_INLINE T sum_of_products(const T9& a, const T9& b, std::size_t first, std::size_t end) {
  T sum = hn::Mul(a.at[first], b.at[first]);
  for (std::size_t e = first + 1; e < end; ++e) sum = hn::MulAdd(a.at[e], b.at[e], sum);
  return sum;
}

HWY_INLINE T9 cofactors(const T9& m) {
  T9 c;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column) {
      const std::size_t r = (row + 1) % 3, s = (row + 2) % 3, u = (column + 1) % 3, v = (column + 2) % 3;
      c.at[3 * row + column] =
          hn::NegMulAdd(m.at[3 * r + v], m.at[3 * s + u], hn::Mul(m.at[3 * r + u], m.at[3 * s + v]));
    }
  return c;
}

// from⁻¹ · to but for a factor that is positive if `from` does not mirror: the transposed cofactors do for an inverse.
HWY_INLINE T9 between(const T9& cofactors_of_from, const T9& to) {
  T9 m;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column) {
      T sum = hn::Mul(cofactors_of_from.at[row], to.at[column]);
      sum = hn::MulAdd(cofactors_of_from.at[3 + row], to.at[3 + column], sum);
      m.at[3 * row + column] = hn::MulAdd(cofactors_of_from.at[6 + row], to.at[6 + column], sum);
    }
  return m;
}

void nearest_turns(const TurnPairs& pairs) {
  const TurnTag d;
  const T one = hn::Set(d, 1.0), half = hn::Set(d, 0.5), least = hn::Set(d, 1e-6), tiny = hn::Set(d, 1e-300);
  for (std::size_t i = 0; i < pairs.stride; i += hn::Lanes(d)) {
    const T9 from = load9(d, pairs.from + i, pairs.stride);
    const T9 inverse = cofactors(from);
    const T determinant = sum_of_products(from, inverse, 0, 3), size = sum_of_products(from, from, 0, 9);
    // Of unit size; that of a rotation is √3.
    T9 x = between(inverse, load9(d, pairs.to + i, pairs.stride));
    const T length = hn::Sqrt(hn::Max(sum_of_products(x, x, 0, 9), tiny));
    const T unit = hn::CopySign(hn::Div(hn::Set(d, 1.7320508075688772), length), determinant);
    for (T& e : x.at) e = hn::Mul(e, unit);
    T9 c = cofactors(x);
    T volume = sum_of_products(x, c, 0, 3);
    const auto good =
        hn::And(hn::Gt(volume, least), hn::Gt(hn::Abs(determinant), hn::Mul(least, hn::Mul(size, hn::Sqrt(size)))));
    // Newton's steps towards the rotation, the first two with a factor that brings the stretches around 1; at most so
    // many as stretches of a millionth of each other take.
    for (int step = 0; step < 16; ++step) {
      T factor = one;
      if (step < 2)
        factor = hn::Sqrt(hn::Sqrt(
            hn::Max(hn::Div(sum_of_products(c, c, 0, 9), hn::Mul(hn::Mul(volume, volume), sum_of_products(x, x, 0, 9))),
                    tiny)));
      const T mine = hn::Mul(half, factor), other = hn::Div(half, hn::Mul(factor, volume));
      T change = hn::Zero(d);
      for (std::size_t e = 0; e < 9; ++e) {
        const T next = hn::MulAdd(mine, x.at[e], hn::Mul(other, c.at[e]));
        change = hn::Max(change, hn::Abs(hn::Sub(next, x.at[e])));
        x.at[e] = next;
      }
      // The next step would change the square of this.
      if (hn::AllTrue(d, hn::Or(hn::Lt(change, hn::Set(d, 1e-8)), hn::Not(good)))) break;
      c = cofactors(x);
      volume = sum_of_products(x, c, 0, 3);
    }
    for (std::size_t e = 0; e < 9; ++e) hn::StoreU(x.at[e], d, pairs.turn + e * pairs.stride + i);
    hn::StoreU(hn::IfThenElseZero(good, one), d, pairs.found + i);
  }
}

// A point's four numbers at once; one at a time where the processor has no vectors.
using PointTag = hn::CappedTag<float, 4>;

void smooth_points(const MushRings& rings, const Point4* HWY_RESTRICT from, Point4* HWY_RESTRICT to, std::size_t begin,
                   std::size_t end) {
  const PointTag d;
  for (std::size_t i = begin; i < end; ++i)
    for (std::size_t c = 0; c < 4; c += hn::Lanes(d)) {
      auto sum = hn::Zero(d);
      for (std::uint32_t k = rings.offsets[i]; k < rings.offsets[i + 1]; ++k)
        sum = hn::Add(sum, hn::Load(d, from[rings.neighbours[k]].at + c));
      const auto own = hn::Mul(hn::Load(d, from[i].at + c), hn::Set(d, rings.keep[i]));
      hn::Store(hn::MulAdd(sum, hn::Set(d, rings.share[i]), own), d, to[i].at + c);
    }
}

// Both tangents of up to a block's width of points.
HWY_INLINE void ring_tangents(const MushRings& rings, const Point4* HWY_RESTRICT points, std::size_t begin,
                              std::size_t count, Point4* HWY_RESTRICT first, Point4* HWY_RESTRICT second) {
  const PointTag d;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < 4; c += hn::Lanes(d)) {
      const auto center = hn::Load(d, points[begin + i].at + c);
      auto t = hn::Zero(d), u = hn::Zero(d);
      for (std::uint32_t k = rings.offsets[begin + i]; k < rings.offsets[begin + i + 1]; ++k) {
        const auto edge = hn::Sub(hn::Load(d, points[rings.neighbours[k]].at + c), center);
        t = hn::MulAdd(edge, hn::Set(d, rings.tangents[2 * k]), t);
        u = hn::MulAdd(edge, hn::Set(d, rings.tangents[2 * k + 1]), u);
      }
      hn::Store(t, d, first[i].at + c);
      hn::Store(u, d, second[i].at + c);
    }
}

void mush_frames(const MushRings& rings, const Point4* points, MushFrame* frames, std::size_t begin, std::size_t end) {
  const LaneTag d;
  Point4 first[kBlockWidth] = {}, second[kBlockWidth] = {};
  HWY_ALIGN float axes[9][kBlockWidth];
  for (std::size_t start = begin; start < end; start += kBlockWidth) {
    const std::size_t count = end - start < kBlockWidth ? end - start : kBlockWidth;
    ring_tangents(rings, points, start, count, first, second);
    for (std::size_t lane = 0; lane < kBlockWidth; lane += hn::Lanes(d)) {
      V3 t, u;
      V unused;
      hn::LoadInterleaved4(d, first[lane].at, t.x, t.y, t.z, unused);
      hn::LoadInterleaved4(d, second[lane].at, u.x, u.y, u.z, unused);
      const V3 e0 = unit(d, t);
      const V3 e2 = unit(d, cross(e0, unit(d, u)));
      const V3 e1 = cross(e2, e0);
      const V* const parts[9] = {&e0.x, &e0.y, &e0.z, &e1.x, &e1.y, &e1.z, &e2.x, &e2.y, &e2.z};
      for (std::size_t k = 0; k < 9; ++k) hn::Store(*parts[k], d, axes[k] + lane);
    }
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < 9; ++k) frames[start + i].at[k] = axes[k][i];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew::deform
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew::deform {

void blend_linear(const BlendJob& job, std::size_t begin, std::size_t end) {
  SINEW_CHOSEN_KERNEL(blend_linear)(job, begin, end);
}

void blend_twisted(const BlendJob& job, std::size_t begin, std::size_t end) {
  SINEW_CHOSEN_KERNEL(blend_twisted)(job, begin, end);
}

void blend_dual_quaternions(const BlendJob& job, std::size_t begin, std::size_t end) {
  SINEW_CHOSEN_KERNEL(blend_dual_quaternions)(job, begin, end);
}

void nearest_turns(const TurnPairs& pairs) { SINEW_CHOSEN_KERNEL(nearest_turns)(pairs); }

void smooth_points(const MushRings& rings, const Point4* from, Point4* to, std::size_t begin, std::size_t end) {
  SINEW_CHOSEN_KERNEL(smooth_points)(rings, from, to, begin, end);
}

void mush_frames(const MushRings& rings, const Point4* points, MushFrame* frames, std::size_t begin, std::size_t end) {
  SINEW_CHOSEN_KERNEL(mush_frames)(rings, points, frames, begin, end);
}

}  // namespace sinew::deform
#endif
