// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_kernels.h"

#include <cstring>

#include "sinew/deform/kernel_dispatch.h"

// Vectors without a size at compile time cannot be members of structs.
#include <hwy/detect_targets.h>
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sinew/deform/pbd/pbd_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sinew::deform {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kPbdWidth>;
using F = hn::Vec<Tag>;

/// Tiny against any length that matters: positions are relative to the size of a tetrahedron.
constexpr float kNothing = 1e-20F;
constexpr float kAmbiguous = 1;  ///< Square of the trace of RᵀF, 3 at rest, below which rotations follow slowly.

struct P3 {
  F x, y, z;
};
/// Particles of the lanes.
struct P4 {
  P3 p;
  F w;
};

HWY_INLINE P3 sub(const P3& a, const P3& b) { return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)}; }
HWY_INLINE P3 add(const P3& a, const P3& b) { return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)}; }
HWY_INLINE P3 scale(F s, const P3& a) { return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)}; }
/// a + s·b
HWY_INLINE P3 axpy(F s, const P3& b, const P3& a) {
  return {hn::MulAdd(s, b.x, a.x), hn::MulAdd(s, b.y, a.y), hn::MulAdd(s, b.z, a.z)};
}
HWY_INLINE F dot(const P3& u, const P3& v) { return hn::MulAdd(u.x, v.x, hn::MulAdd(u.y, v.y, hn::Mul(u.z, v.z))); }
HWY_INLINE P3 cross(const P3& u, const P3& v) {
  return {hn::NegMulAdd(u.z, v.y, hn::Mul(u.y, v.z)), hn::NegMulAdd(u.x, v.z, hn::Mul(u.z, v.x)),
          hn::NegMulAdd(u.y, v.x, hn::Mul(u.x, v.y))};
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE P4 load_particles(Tag d, const PbdParticle* HWY_RESTRICT particles,
                             const std::uint32_t* HWY_RESTRICT which) {
  const PbdParticle& p = particles[*which];
  return {{hn::Set(d, p.x), hn::Set(d, p.y), hn::Set(d, p.z)}, hn::Set(d, p.w)};
}

HWY_INLINE void store_particles(Tag, const P4& p, PbdParticle* HWY_RESTRICT particles,
                                const std::uint32_t* HWY_RESTRICT which) {
  particles[*which] = {hn::GetLane(p.p.x), hn::GetLane(p.p.y), hn::GetLane(p.p.z), hn::GetLane(p.w)};
}
#else
// Particles are loaded whole, four numbers each, and turned over in registers. Through memory instead, by eight short
// stores and then long loads that have to wait for all of them, and with roots taken for every step (`move_corners`), a
// sweep took twice as long.

/// Rows to columns and back, in every block of four lanes.
HWY_INLINE void transpose_blocks(Tag d, F& a, F& b, F& c, F& e) {
  const F ac = hn::InterleaveLower(d, a, c), be = hn::InterleaveLower(d, b, e);
  const F ac_up = hn::InterleaveUpper(d, a, c), be_up = hn::InterleaveUpper(d, b, e);
  a = hn::InterleaveLower(d, ac, be);
  b = hn::InterleaveUpper(d, ac, be);
  c = hn::InterleaveLower(d, ac_up, be_up);
  e = hn::InterleaveUpper(d, ac_up, be_up);
}

using Quarter = hn::FixedTag<float, 4>;

/// The particles of lane i of each block.
HWY_INLINE F load_row(Tag d, const PbdParticle* HWY_RESTRICT particles, const std::uint32_t* HWY_RESTRICT which) {
#if HWY_MAX_BYTES >= 32
  const Quarter q;
  return hn::Combine(d, hn::Load(q, &particles[which[4]].x), hn::Load(q, &particles[which[0]].x));
#else
  return hn::Load(d, &particles[which[0]].x);
#endif
}

HWY_INLINE void store_row(Tag d, F row, PbdParticle* HWY_RESTRICT particles, const std::uint32_t* HWY_RESTRICT which) {
#if HWY_MAX_BYTES >= 32
  const Quarter q;
  hn::Store(hn::LowerHalf(q, row), q, &particles[which[0]].x);
  hn::Store(hn::UpperHalf(q, row), q, &particles[which[4]].x);
  (void)d;
#else
  hn::Store(row, d, &particles[which[0]].x);
#endif
}

HWY_INLINE P4 load_particles(Tag d, const PbdParticle* HWY_RESTRICT particles,
                             const std::uint32_t* HWY_RESTRICT which) {
  P4 result{{load_row(d, particles, which), load_row(d, particles, which + 1), load_row(d, particles, which + 2)},
            load_row(d, particles, which + 3)};
  transpose_blocks(d, result.p.x, result.p.y, result.p.z, result.w);
  return result;
}

HWY_INLINE void store_particles(Tag d, P4 p, PbdParticle* HWY_RESTRICT particles,
                                const std::uint32_t* HWY_RESTRICT which) {
  transpose_blocks(d, p.p.x, p.p.y, p.p.z, p.w);
  store_row(d, p.p.x, particles, which);
  store_row(d, p.p.y, particles, which + 1);
  store_row(d, p.p.z, particles, which + 2);
  store_row(d, p.w, particles, which + 3);
}
#endif

void edges_of_colour(PbdParticle* HWY_RESTRICT particles, const PbdEdges& edges, std::size_t begin, std::size_t end,
                     float stiffness) {
  const Tag d;
  const F k = hn::Set(d, stiffness), nothing = hn::Set(d, kNothing), zero = hn::Zero(d);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    P4 a = load_particles(d, particles, edges.a + i), b = load_particles(d, particles, edges.b + i);
    const P3 way = sub(a.p, b.p);
    const F squared = dot(way, way), masses = hn::Add(a.w, b.w);
    const F length = hn::Sqrt(hn::Max(squared, nothing)), rest = hn::LoadU(d, edges.length + i);
    const F error = hn::Sub(length, rest);
    // A collapsed edge has no direction: it grows from what it has, by no more than its share each time.
    F s = hn::Div(hn::Mul(k, error), hn::Max(hn::Mul(hn::Max(length, rest), masses), nothing));
    s = hn::IfThenElse(hn::Gt(hn::Mul(squared, masses), nothing), s, zero);
    a.p = axpy(hn::Neg(hn::Mul(a.w, s)), way, a.p);
    b.p = axpy(hn::Mul(b.w, s), way, b.p);
    store_particles(d, a, particles, edges.a + i);
    store_particles(d, b, particles, edges.b + i);
  }
}

void soft_edges_of_colour(PbdParticle* HWY_RESTRICT particles, const PbdEdges& edges, std::size_t begin,
                          std::size_t end, float compliance_scale) {
  const Tag d;
  const F nothing = hn::Set(d, kNothing), zero = hn::Zero(d), scaled = hn::Set(d, compliance_scale);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    P4 a = load_particles(d, particles, edges.a + i), b = load_particles(d, particles, edges.b + i);
    const P3 way = sub(a.p, b.p);
    const F squared = dot(way, way), masses = hn::Add(a.w, b.w);
    const F length = hn::Sqrt(hn::Max(squared, nothing)), rest = hn::LoadU(d, edges.length + i);
    const F all = hn::MulAdd(scaled, hn::LoadU(d, edges.compliance + i), masses);
    F s = hn::Div(hn::Sub(length, rest), hn::Max(hn::Mul(hn::Max(length, rest), all), nothing));
    s = hn::IfThenElse(hn::Gt(hn::Mul(squared, masses), nothing), s, zero);
    a.p = axpy(hn::Neg(hn::Mul(a.w, s)), way, a.p);
    b.p = axpy(hn::Mul(b.w, s), way, b.p);
    store_particles(d, a, particles, edges.a + i);
    store_particles(d, b, particles, edges.b + i);
  }
}

struct Tet {
  P4 v[4];
};

HWY_INLINE Tet load_tet(Tag d, const PbdParticle* particles, const std::uint32_t* corners) {
  Tet t;
  for (std::size_t c = 0; c < 4; ++c) t.v[c] = load_particles(d, particles, corners + c * kPbdWidth);
  return t;
}

HWY_INLINE void store_tet(Tag d, const Tet& t, PbdParticle* particles, const std::uint32_t* corners) {
  for (std::size_t c = 0; c < 4; ++c) store_particles(d, t.v[c], particles, corners + c * kPbdWidth);
}

/// Moves each corner by w·s·g, but no farther than allowed. Hardly ever is that too far, so roots are taken only then.
HWY_INLINE void move_corners(Tag d, Tet& t, const P3* g, F s, F longest) {
  P3 step[4];
  F squared[4];
  for (std::size_t c = 0; c < 4; ++c) {
    step[c] = scale(hn::Mul(t.v[c].w, s), g[c]);
    squared[c] = dot(step[c], step[c]);
  }
  const F limit = hn::Mul(longest, longest);
  const F most = hn::Max(hn::Max(squared[0], squared[1]), hn::Max(squared[2], squared[3]));
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Le(most, limit)))) {
    for (std::size_t c = 0; c < 4; ++c) {
      const F keep = hn::Div(longest, hn::Sqrt(hn::Max(squared[c], limit)));
      step[c] = scale(hn::IfThenElse(hn::Le(squared[c], limit), hn::Set(d, 1.0F), keep), step[c]);
    }
  }
  for (std::size_t c = 0; c < 4; ++c) t.v[c].p = add(t.v[c].p, step[c]);
}

/// One step against a compliant constraint of value C with gradients g. Where `acts` is false nothing moves. With a
/// multiplier it is that of extended position-based dynamics, which many sweeps do not make stiffer. Near C = 0, where
/// g turns about, a multiplier would go on pushing along it and make the result jump.
template <bool with_multiplier, class M>
HWY_INLINE void compliant_step(Tag d, Tet& t, const P3* g, F value, M acts, const PbdTets& tets, std::size_t group,
                               std::size_t lane) {
  const F compliance = hn::LoadU(d, tets.compliance + group * kPbdWidth + lane);
  F masses = compliance, error = value;
  for (std::size_t c = 0; c < 4; ++c) masses = hn::MulAdd(t.v[c].w, dot(g[c], g[c]), masses);
  float* lambdas = tets.lambda + group * kPbdWidth + lane;
  if constexpr (with_multiplier) error = hn::MulAdd(compliance, hn::LoadU(d, lambdas), value);
  F step = hn::Div(hn::Neg(error), hn::Max(masses, hn::Set(d, kNothing)));
  step = hn::IfThenElse(acts, step, hn::Zero(d));
  if constexpr (with_multiplier) hn::StoreU(hn::Add(hn::LoadU(d, lambdas), step), d, lambdas);
  move_corners(d, t, g, step, hn::Set(d, tets.longest_step));
}

/// `share` of the error is taken away; `compliance` is weighed against the masses.
HWY_INLINE void keep_volume(Tag d, Tet& t, const PbdTets& tets, std::size_t group, std::size_t lane, F share,
                            F compliance) {
  const F sixth = hn::Set(d, 1.0F / 6), zero = hn::Zero(d), nothing = hn::Set(d, kNothing);
  const P3 a = sub(t.v[1].p, t.v[0].p), b = sub(t.v[2].p, t.v[0].p), c = sub(t.v[3].p, t.v[0].p);
  P3 g[4];
  g[1] = scale(sixth, cross(b, c));
  g[2] = scale(sixth, cross(c, a));
  g[3] = scale(sixth, cross(a, b));
  g[0] = sub(sub(sub({zero, zero, zero}, g[1]), g[2]), g[3]);
  const F rest = hn::LoadU(d, tets.volume + group * kPbdWidth + lane);
  const F error = hn::Sub(dot(a, g[1]), rest);
  F masses = zero;
  for (std::size_t i = 0; i < 4; ++i) masses = hn::MulAdd(t.v[i].w, dot(g[i], g[i]), masses);
  // What fills up has no volume and no masses. What collapsed to a line or a point has no gradient to go along: the
  // constraint gives way there, as a compliant one.
  F s = hn::Div(hn::Neg(hn::Mul(share, error)), hn::Max(hn::Add(masses, compliance), nothing));
  s = hn::IfThenElse(hn::Gt(masses, nothing), s, zero);
  move_corners(d, t, g, s, hn::Set(d, tets.longest_step));
}

HWY_INLINE void keep_distances(Tag d, Tet& t, const PbdTets& tets, std::size_t group, std::size_t lane) {
  const F zero = hn::Zero(d), nothing = hn::Set(d, kNothing);
  const float* shares = tets.shares + group * 4 * kPbdWidth + lane;
  const float* distances = tets.distances + group * 4 * kPbdWidth + lane;
  P3 middle{zero, zero, zero};
  for (std::size_t c = 0; c < 4; ++c) middle = axpy(hn::LoadU(d, shares + c * kPbdWidth), t.v[c].p, middle);
  P3 pull[4];
  P3 all{zero, zero, zero};
  F squares = zero;
  for (std::size_t c = 0; c < 4; ++c) {
    const P3 r = sub(t.v[c].p, middle);
    const F length = hn::Sqrt(hn::Max(dot(r, r), nothing));
    const F error = hn::Sub(length, hn::LoadU(d, distances + c * kPbdWidth));
    squares = hn::MulAdd(error, error, squares);
    pull[c] = scale(hn::Div(error, length), r);
    all = add(all, pull[c]);
  }
  const F value = hn::Sqrt(hn::Max(squares, nothing));
  const F inverse = hn::Div(hn::Set(d, 1.0F), value);
  P3 g[4];
  for (std::size_t c = 0; c < 4; ++c)
    g[c] = scale(inverse, axpy(hn::Neg(hn::LoadU(d, shares + c * kPbdWidth)), all, pull[c]));
  compliant_step<true>(d, t, g, value, hn::Gt(value, hn::Set(d, tets.smallest)), tets, group, lane);
}

struct Q4 {
  F x, y, z, w;
};

HWY_INLINE Q4 unit(Tag d, const Q4& q) {
  const F squared = hn::MulAdd(q.x, q.x, hn::MulAdd(q.y, q.y, hn::MulAdd(q.z, q.z, hn::Mul(q.w, q.w))));
  const F s = hn::Div(hn::Set(d, 1.0F), hn::Sqrt(hn::Max(squared, hn::Set(d, kNothing))));
  return {hn::Mul(q.x, s), hn::Mul(q.y, s), hn::Mul(q.z, s), hn::Mul(q.w, s)};
}

/// a·b
HWY_INLINE Q4 product(const Q4& a, const Q4& b) {
  return {hn::MulAdd(a.w, b.x, hn::MulAdd(a.x, b.w, hn::NegMulAdd(a.z, b.y, hn::Mul(a.y, b.z)))),
          hn::MulAdd(a.w, b.y, hn::MulAdd(a.y, b.w, hn::NegMulAdd(a.x, b.z, hn::Mul(a.z, b.x)))),
          hn::MulAdd(a.w, b.z, hn::MulAdd(a.z, b.w, hn::NegMulAdd(a.y, b.x, hn::Mul(a.x, b.y)))),
          hn::Sub(hn::Mul(a.w, b.w), hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z))))};
}

/// The columns of a rotation.
HWY_INLINE void columns(Tag d, const Q4& q, P3* out) {
  const F one = hn::Set(d, 1.0F), two = hn::Set(d, 2.0F);
  const F xx = hn::Mul(q.x, q.x), yy = hn::Mul(q.y, q.y), zz = hn::Mul(q.z, q.z);
  const F xy = hn::Mul(q.x, q.y), xz = hn::Mul(q.x, q.z), yz = hn::Mul(q.y, q.z);
  const F wx = hn::Mul(q.w, q.x), wy = hn::Mul(q.w, q.y), wz = hn::Mul(q.w, q.z);
  out[0] = {hn::NegMulAdd(two, hn::Add(yy, zz), one), hn::Mul(two, hn::Add(xy, wz)), hn::Mul(two, hn::Sub(xz, wy))};
  out[1] = {hn::Mul(two, hn::Sub(xy, wz)), hn::NegMulAdd(two, hn::Add(xx, zz), one), hn::Mul(two, hn::Add(yz, wx))};
  out[2] = {hn::Mul(two, hn::Add(xz, wy)), hn::Mul(two, hn::Sub(yz, wx)), hn::NegMulAdd(two, hn::Add(xx, yy), one)};
}

/// One step of the rotation towards that nearest to f: M. Müller et al., "A robust method to extract the rotational
/// part of deformations", 2016. It turns by a vector whose tangent stands for the angle, so that no sine is needed.
HWY_INLINE Q4 follow(Tag d, const Q4& q, const P3* f) {
  P3 r[3];
  columns(d, q, r);
  const P3 turn = add(add(cross(r[0], f[0]), cross(r[1], f[1])), cross(r[2], f[2]));
  const F along = hn::Add(hn::Add(dot(r[0], f[0]), dot(r[1], f[1])), dot(r[2], f[2]));
  // Near 0 the nearest rotation is ambiguous (f is inside out): there the steps become small, instead of endless.
  const F s = hn::Div(hn::Set(d, 0.5F), hn::Sqrt(hn::MulAdd(along, along, hn::Set(d, kAmbiguous))));
  const Q4 step{hn::Mul(s, turn.x), hn::Mul(s, turn.y), hn::Mul(s, turn.z), hn::Set(d, 1.0F)};
  return unit(d, product(step, q));
}

HWY_INLINE void keep_shape(Tag d, Tet& t, const PbdTets& tets, std::size_t group, std::size_t lane) {
  const F zero = hn::Zero(d), nothing = hn::Set(d, kNothing);
  const float* inverse = tets.inverse_rest + group * 9 * kPbdWidth + lane;
  const P3 edge[3] = {sub(t.v[1].p, t.v[0].p), sub(t.v[2].p, t.v[0].p), sub(t.v[3].p, t.v[0].p)};
  P3 f[3];
  for (std::size_t column = 0; column < 3; ++column) {
    f[column] = {zero, zero, zero};
    for (std::size_t row = 0; row < 3; ++row)
      f[column] = axpy(hn::LoadU(d, inverse + (3 * row + column) * kPbdWidth), edge[row], f[column]);
  }
  float* turns = tets.turn + group * 4 * kPbdWidth + lane;
  Q4 q{hn::LoadU(d, turns), hn::LoadU(d, turns + kPbdWidth), hn::LoadU(d, turns + 2 * kPbdWidth),
       hn::LoadU(d, turns + 3 * kPbdWidth)};
  for (int step = 0; step < tets.turn_steps; ++step) q = follow(d, q, f);
  hn::StoreU(q.x, d, turns);
  hn::StoreU(q.y, d, turns + kPbdWidth);
  hn::StoreU(q.z, d, turns + 2 * kPbdWidth);
  hn::StoreU(q.w, d, turns + 3 * kPbdWidth);
  P3 r[3];
  columns(d, q, r);
  F squares = zero;
  for (std::size_t column = 0; column < 3; ++column) {
    f[column] = sub(f[column], r[column]);
    squares = hn::Add(squares, dot(f[column], f[column]));
  }
  const F value = hn::Sqrt(hn::Max(squares, nothing));
  const F scaled = hn::Div(hn::Set(d, 1.0F), value);
  // Gradients: (F − R)/C times the transposed inverse of the rest edges.
  P3 g[4];
  g[0] = {zero, zero, zero};
  for (std::size_t row = 0; row < 3; ++row) {
    P3 sum{zero, zero, zero};
    for (std::size_t column = 0; column < 3; ++column)
      sum = axpy(hn::LoadU(d, inverse + (3 * row + column) * kPbdWidth), f[column], sum);
    g[row + 1] = scale(scaled, sum);
    g[0] = sub(g[0], g[row + 1]);
  }
  compliant_step<false>(d, t, g, value, hn::Gt(value, hn::Set(d, tets.smallest)), tets, group, lane);
}

enum class Energy { kSprings, kCorotated, kNone };

template <Energy energy>
HWY_INLINE void tets_of_colour(PbdParticle* HWY_RESTRICT particles, const PbdTets& tets, std::size_t begin,
                               std::size_t end) {
  const Tag d;
  for (std::size_t group = begin; group < end; ++group)
    for (std::size_t lane = 0; lane < kPbdWidth; lane += hn::Lanes(d)) {
      const std::uint32_t* corners = tets.corners + group * 4 * kPbdWidth + lane;
      Tet t = load_tet(d, particles, corners);
      if constexpr (energy == Energy::kSprings) keep_distances(d, t, tets, group, lane);
      if constexpr (energy == Energy::kCorotated) keep_shape(d, t, tets, group, lane);
      if (tets.volume_share > 0)
        keep_volume(d, t, tets, group, lane, hn::Set(d, tets.volume_share), hn::Set(d, tets.volume_compliance));
      store_tet(d, t, particles, corners);
    }
}

void springs_of_colour(PbdParticle* particles, const PbdTets& tets, std::size_t begin, std::size_t end) {
  tets_of_colour<Energy::kSprings>(particles, tets, begin, end);
}
void corotated_of_colour(PbdParticle* particles, const PbdTets& tets, std::size_t begin, std::size_t end) {
  tets_of_colour<Energy::kCorotated>(particles, tets, begin, end);
}
void volumes_of_colour(PbdParticle* particles, const PbdTets& tets, std::size_t begin, std::size_t end) {
  tets_of_colour<Energy::kNone>(particles, tets, begin, end);
}

void soft_volumes_of_colour(PbdParticle* HWY_RESTRICT particles, const PbdTets& tets, std::size_t begin,
                            std::size_t end, float compliance_scale) {
  const Tag d;
  const F scaled = hn::Set(d, compliance_scale), one = hn::Set(d, 1.0F);
  for (std::size_t group = begin; group < end; ++group)
    for (std::size_t lane = 0; lane < kPbdWidth; lane += hn::Lanes(d)) {
      const std::uint32_t* corners = tets.corners + group * 4 * kPbdWidth + lane;
      Tet t = load_tet(d, particles, corners);
      keep_volume(d, t, tets, group, lane, one,
                  hn::Mul(scaled, hn::LoadU(d, tets.compliance + group * kPbdWidth + lane)));
      store_tet(d, t, particles, corners);
    }
}

void binds_of_list(PbdParticle* HWY_RESTRICT particles, const PbdBinds& binds, std::size_t begin, std::size_t end,
                   float stiffness) {
  const Tag d;
  const F k = hn::Set(d, stiffness), nothing = hn::Set(d, kNothing), zero = hn::Zero(d);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const std::size_t group = i / kPbdWidth, lane = i % kPbdWidth;
    P4 p = load_particles(d, particles, binds.particles + i);
    const float* anchors = binds.anchors + group * 3 * kPbdWidth + lane;
    const P3 anchor{hn::LoadU(d, anchors), hn::LoadU(d, anchors + kPbdWidth), hn::LoadU(d, anchors + 2 * kPbdWidth)};
    const P3 way = sub(p.p, anchor);
    const F length = hn::Sqrt(hn::Max(dot(way, way), nothing));
    const F rest = hn::LoadU(d, binds.distance + i);
    F s = hn::Div(hn::Mul(k, hn::Sub(rest, length)), hn::Max(length, rest));
    s = hn::IfThenElse(hn::Gt(hn::Mul(rest, p.w), zero), s, zero);
    p.p = axpy(s, way, p.p);
    store_particles(d, p, particles, binds.particles + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew::deform
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sinew::deform {

void project_edges(PbdParticle* particles, const PbdEdges& edges, std::size_t begin, std::size_t end, float stiffness) {
  SINEW_CHOSEN_KERNEL(edges_of_colour)(particles, edges, begin, end, stiffness);
}
void project_soft_edges(PbdParticle* particles, const PbdEdges& edges, std::size_t begin, std::size_t end,
                        float scale) {
  SINEW_CHOSEN_KERNEL(soft_edges_of_colour)(particles, edges, begin, end, scale);
}
void project_soft_volumes(PbdParticle* particles, const PbdTets& tets, std::size_t begin, std::size_t end,
                          float scale) {
  SINEW_CHOSEN_KERNEL(soft_volumes_of_colour)(particles, tets, begin, end, scale);
}
void project_springs(PbdParticle* particles, const PbdTets& tets, std::size_t begin, std::size_t end) {
  SINEW_CHOSEN_KERNEL(springs_of_colour)(particles, tets, begin, end);
}
void project_corotated(PbdParticle* particles, const PbdTets& tets, std::size_t begin, std::size_t end) {
  SINEW_CHOSEN_KERNEL(corotated_of_colour)(particles, tets, begin, end);
}
void project_volumes(PbdParticle* particles, const PbdTets& tets, std::size_t begin, std::size_t end) {
  SINEW_CHOSEN_KERNEL(volumes_of_colour)(particles, tets, begin, end);
}
void project_binds(PbdParticle* particles, const PbdBinds& binds, std::size_t begin, std::size_t end, float stiffness) {
  SINEW_CHOSEN_KERNEL(binds_of_list)(particles, binds, begin, end, stiffness);
}

}  // namespace sinew::deform
#endif
