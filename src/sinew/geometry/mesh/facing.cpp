// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/facing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/fast_winding.h"

namespace sinew::geometry {
namespace {

// Less volume than this, as a fraction of what a ball of the same area holds, is none.
constexpr double kFlat = 0.01;
// Samples of an inward shell that must lie inside others for a cavity.
constexpr double kEnclosed = 0.9;
constexpr Index kSamplesPerShell = 64;

// Per vertex the first vertex at the same place, whatever part it belongs to.
std::vector<Index> joined_places(const TriangleSoup& soup) {
  std::vector<Index> order(soup.positions.size()), place(soup.positions.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto key = [&](Index v) {
    const Vec3& p = soup.positions[v];
    return std::array<double, 3>{p.x(), p.y(), p.z()};
  };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const auto ka = key(a), kb = key(b);
    return ka != kb ? ka < kb : a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    place[order[i]] = i > 0 && key(order[i]) == key(order[i - 1]) ? place[order[i - 1]] : order[i];
  return place;
}

struct EdgeUse {
  std::uint64_t edge;  // Smaller place, larger place.
  Index triangle;
  bool forward;  // From the smaller to the larger.
};

struct EdgeNeighbour {
  Index triangle = kNone;
  bool agrees = true;  // Both run along the edge in opposite directions.
};

// Across each edge of each triangle, where exactly one other triangle uses it.
std::vector<std::array<EdgeNeighbour, 3>> edge_neighbours(const TriangleSoup& soup) {
  const std::vector<Index> place = joined_places(soup);
  std::vector<EdgeUse> uses;
  uses.reserve(3 * soup.triangles.size());
  for (Index t = 0; t < soup.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = place[soup.triangles[t][k]], b = place[soup.triangles[t][(k + 1) % 3]];
      if (a != b) uses.push_back({(std::uint64_t{std::min(a, b)} << 32) | std::max(a, b), t, a < b});
    }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& x, const EdgeUse& y) {
    return x.edge != y.edge ? x.edge < y.edge : x.triangle < y.triangle;
  });
  std::vector<std::array<EdgeNeighbour, 3>> result(soup.triangles.size());
  std::vector<std::uint8_t> filled(soup.triangles.size(), 0);
  for (std::size_t i = 0; i < uses.size();) {
    std::size_t end = i + 1;
    while (end < uses.size() && uses[end].edge == uses[i].edge) ++end;
    if (end - i == 2 && uses[i].triangle != uses[i + 1].triangle) {
      const bool agrees = uses[i].forward != uses[i + 1].forward;
      const Index a = uses[i].triangle, b = uses[i + 1].triangle;
      result[a][filled[a]++] = {b, agrees};
      result[b][filled[b]++] = {a, agrees};
    }
    i = end;
  }
  return result;
}

struct Shell {
  std::vector<Index> triangles;
  bool mended = false;
  bool inward = false;
};

class Turner {
 public:
  Turner(const TriangleSoup& soup, std::vector<std::int8_t>& signs) : soup_(soup), signs_(signs) {}

  // Gathers the shell of `seed` and makes its triangles agree.
  Shell gather(Index seed, const std::vector<std::array<EdgeNeighbour, 3>>& neighbours) {
    Shell shell;
    shell.triangles.push_back(seed);
    signs_[seed] = 1;
    for (std::size_t i = 0; i < shell.triangles.size(); ++i) {
      const Index t = shell.triangles[i];
      for (const EdgeNeighbour& neighbour : neighbours[t]) {
        if (neighbour.triangle == kNone || signs_[neighbour.triangle] != 0) continue;
        signs_[neighbour.triangle] = static_cast<std::int8_t>(neighbour.agrees ? signs_[t] : -signs_[t]);
        shell.triangles.push_back(neighbour.triangle);
      }
    }
    std::sort(shell.triangles.begin(), shell.triangles.end());
    double kept = 0, turned = 0;
    for (const Index t : shell.triangles) (signs_[t] > 0 ? kept : turned) += area(t).norm();
    shell.mended = std::any_of(shell.triangles.begin(), shell.triangles.end(),
                               [&](Index t) { return signs_[t] != signs_[shell.triangles.front()]; });
    if (turned > kept) turn(shell);
    shell.inward = faces_inwards(shell);
    return shell;
  }

  void turn(const Shell& shell) {
    for (const Index t : shell.triangles) signs_[t] = static_cast<std::int8_t>(-signs_[t]);
  }

  Vec3 center(Index t) const { return (soup_.corner(t, 0) + soup_.corner(t, 1) + soup_.corner(t, 2)) / 3; }

 private:
  Vec3 area(Index t) const {
    return 0.5 * (soup_.corner(t, 1) - soup_.corner(t, 0)).cross(soup_.corner(t, 2) - soup_.corner(t, 0));
  }

  bool faces_inwards(const Shell& shell) const {
    Vec3 weighted = Vec3::Zero();
    double total = 0;
    for (const Index t : shell.triangles) {
      const double a = area(t).norm();
      weighted += a * center(t);
      total += a;
    }
    if (!(total > 0)) return false;
    const Vec3 middle = weighted / total;
    double volume = 0;
    for (const Index t : shell.triangles) volume += signs_[t] * area(t).dot(center(t) - middle) / 3;
    constexpr double kBall = 0.09403;  // Volume of a ball over its area to the power 1.5: 1 / (6 √π).
    return volume < -kFlat * kBall * std::pow(total, 1.5);
  }

  const TriangleSoup& soup_;
  std::vector<std::int8_t>& signs_;
};

// How much of a shell lies inside what `others` goes round.
double enclosed_part(const Shell& shell, const Turner& turner, const FastWinding& others) {
  const auto count = static_cast<Index>(shell.triangles.size());
  const Index samples = std::min(count, kSamplesPerShell);
  Index inside = 0;
  for (Index i = 0; i < samples; ++i) {
    const auto pick = static_cast<std::size_t>(std::uint64_t{i} * count / samples);
    inside += others.at(turner.center(shell.triangles[pick])) > 0.5 ? 1 : 0;
  }
  return static_cast<double>(inside) / samples;
}

}  // namespace

Facing solid_facing(const TriangleSoup& soup) {
  Facing result;
  result.signs.assign(soup.triangles.size(), 0);
  if (soup.triangles.empty()) return result;
  require_solid_input(soup, "the facing of its shells");
  const std::vector<std::array<EdgeNeighbour, 3>> neighbours = edge_neighbours(soup);
  Turner turner(soup, result.signs);
  std::vector<Shell> inward;
  for (Index t = 0; t < soup.triangles.size(); ++t) {
    if (result.signs[t] != 0) continue;
    Shell shell = turner.gather(t, neighbours);
    ++result.shells;
    if (shell.mended) ++result.mended_shells;
    if (shell.inward) inward.push_back(std::move(shell));
  }
  if (inward.empty()) return result;
  std::vector<std::int8_t> outward = result.signs;
  for (const Shell& shell : inward)
    for (const Index t : shell.triangles) outward[t] = 0;
  const FastWinding others(soup, outward);
  std::vector<std::uint8_t> cavity(inward.size());
  parallel_for(
      inward.size(), [&](std::size_t i) { cavity[i] = enclosed_part(inward[i], turner, others) >= kEnclosed ? 1 : 0; },
      1);
  for (std::size_t i = 0; i < inward.size(); ++i) {
    if (cavity[i] != 0) {
      ++result.cavities;
      continue;
    }
    turner.turn(inward[i]);
    ++result.turned_shells;
  }
  return result;
}

}  // namespace sinew::geometry
