// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/predicates.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace sinew::geometry {
namespace {

// Half the distance from 1 to the next double; the filters' bounds are Shewchuk's.
constexpr double kEpsilon = 0x1p-53;
constexpr double kBound2 = (3 + 16 * kEpsilon) * kEpsilon;
constexpr double kBound3 = (7 + 56 * kEpsilon) * kEpsilon;

struct Two {
  double high;
  double low;
};

Two two_sum(double a, double b) {
  const double x = a + b;
  const double b_virtual = x - a;
  return {x, (a - (x - b_virtual)) + (b - b_virtual)};
}

Two two_product(double a, double b) {
  const double x = a * b;
  return {x, std::fma(a, b, -x)};
}

// A number as an unrounded sum of doubles that do not overlap, smallest first, without zeros. `N` terms at most.
template <std::size_t N>
struct Expansion {
  std::array<double, N> term;
  std::size_t count = 0;

  void add(double value) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Two sum = two_sum(value, term[i]);
      value = sum.high;
      if (sum.low != 0) term[kept++] = sum.low;
    }
    if (value != 0) term[kept++] = value;
    count = kept;
  }
  int sign() const { return count == 0 ? 0 : (term[count - 1] > 0 ? 1 : -1); }
};

template <std::size_t N, std::size_t M>
void add_to(Expansion<N>& sum, const Expansion<M>& more) {
  for (std::size_t i = 0; i < more.count; ++i) sum.add(more.term[i]);
}

template <std::size_t N, std::size_t M>
Expansion<2 * N * M> product(const Expansion<N>& a, const Expansion<M>& b, double factor = 1) {
  Expansion<2 * N * M> result;
  for (std::size_t i = 0; i < a.count; ++i)
    for (std::size_t j = 0; j < b.count; ++j) {
      const Two p = two_product(a.term[i] * factor, b.term[j]);
      result.add(p.low);
      result.add(p.high);
    }
  return result;
}

Expansion<2> difference(double a, double b) {
  const Two d = two_sum(a, -b);
  Expansion<2> result;
  result.add(d.low);
  result.add(d.high);
  return result;
}

// a·d − b·c.
Expansion<16> minor(const Expansion<2>& a, const Expansion<2>& b, const Expansion<2>& c, const Expansion<2>& d) {
  Expansion<16> result;
  add_to(result, product(a, d));
  add_to(result, product(b, c, -1));
  return result;
}

int exact2d(const Vec2& a, const Vec2& b, const Vec2& c) {
  return minor(difference(a.x(), c.x()), difference(a.y(), c.y()), difference(b.x(), c.x()), difference(b.y(), c.y()))
      .sign();
}

int exact3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  std::array<std::array<Expansion<2>, 3>, 3> m;
  for (int k = 0; k < 3; ++k) {
    m[0][static_cast<std::size_t>(k)] = difference(b[k], a[k]);
    m[1][static_cast<std::size_t>(k)] = difference(c[k], a[k]);
    m[2][static_cast<std::size_t>(k)] = difference(d[k], a[k]);
  }
  Expansion<192> sum;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    add_to(sum, product(m[2][k], minor(m[0][i], m[0][j], m[1][i], m[1][j])));
  }
  return sum.sign();
}

}  // namespace

int orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (a.x() - c.x()) * (b.y() - c.y());
  const double right = (a.y() - c.y()) * (b.x() - c.x());
  const double det = left - right;
  const double bound = kBound2 * (std::abs(left) + std::abs(right));
  if (det > bound) return 1;
  if (-det > bound) return -1;
  return exact2d(a, b, c);
}

int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const double bx = b.x() - a.x(), by = b.y() - a.y(), bz = b.z() - a.z();
  const double cx = c.x() - a.x(), cy = c.y() - a.y(), cz = c.z() - a.z();
  const double dx = d.x() - a.x(), dy = d.y() - a.y(), dz = d.z() - a.z();
  const double bycz = by * cz, bzcy = bz * cy, bzcx = bz * cx, bxcz = bx * cz, bxcy = bx * cy, bycx = by * cx;
  const double det = dx * (bycz - bzcy) + dy * (bzcx - bxcz) + dz * (bxcy - bycx);
  const double permanent = std::abs(dx) * (std::abs(bycz) + std::abs(bzcy)) +
                           std::abs(dy) * (std::abs(bzcx) + std::abs(bxcz)) +
                           std::abs(dz) * (std::abs(bxcy) + std::abs(bycx));
  const double bound = kBound3 * permanent;
  if (det > bound) return 1;
  if (-det > bound) return -1;
  return exact3d(a, b, c, d);
}

bool collinear(const Vec3& a, const Vec3& b, const Vec3& c) {
  for (int drop = 0; drop < 3; ++drop) {
    const int i = (drop + 1) % 3, j = (drop + 2) % 3;
    if (orient2d({a[i], a[j]}, {b[i], b[j]}, {c[i], c[j]}) != 0) return false;
  }
  return true;
}

}  // namespace sinew::geometry
