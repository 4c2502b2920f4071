// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/marching_cubes.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "sinew/geometry/spatial/random.h"

namespace sinew::geometry {
namespace {

constexpr int kCubeEdges = 12;

/// Corners are numbered x + 2y + 4z; edges axis·4 + u + 2v, with u and v the offsets along the next two axes.
struct CubeEdge {
  int axis = 0;
  int from = 0;  ///< Corner.
  int to = 0;
  unsigned faces = 0;  ///< Bit axis·2 + side for the two faces it lies on.
};

struct CubeTables {
  std::array<CubeEdge, kCubeEdges> edges;
  std::array<std::array<int, 4>, 6> face_corners;  ///< Counter-clockwise seen from outside the cube.
  std::array<std::array<int, 8>, 8> edge_between;

  CubeTables() {
    for (int axis = 0; axis < 3; ++axis) {
      const int b = (axis + 1) % 3;
      const int c = (axis + 2) % 3;
      for (int k = 0; k < 4; ++k) {
        const int u = k & 1;
        const int v = k >> 1;
        const int from = (u << b) | (v << c);
        const int to = from | (1 << axis);
        const int edge = axis * 4 + k;
        edges[static_cast<std::size_t>(edge)] = {axis, from, to, (1U << (b * 2 + u)) | (1U << (c * 2 + v))};
        edge_between[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = edge;
        edge_between[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)] = edge;
      }
      const std::array<int, 4> round = {0, 1 << b, (1 << b) | (1 << c), 1 << c};
      for (std::size_t i = 0; i < 4; ++i) {
        face_corners[static_cast<std::size_t>(axis * 2)][i] = round[(4 - i) % 4];
        face_corners[static_cast<std::size_t>(axis * 2 + 1)][i] = round[i] | (1 << axis);
      }
    }
  }
};

const CubeTables& cube_tables() {
  static const CubeTables tables;
  return tables;
}

class Marcher {
 public:
  explicit Marcher(const DistanceField& field) : field_(field) {
    for (std::size_t i = 0; i < 3; ++i) n_[i] = field.samples[i];
    const std::size_t layer = static_cast<std::size_t>(n_[0]) * n_[1];
    for (auto& edges : lower_) edges.assign(layer, kNone);
    for (auto& edges : upper_) edges.assign(layer, kNone);
  }

  TriangleSurface march() {
    add_layer(0, lower_);
    for (Index z = 0; z + 1 < n_[2]; ++z) {
      add_layer(z + 1, upper_);
      add_upright(z);
      for (Index y = 0; y + 1 < n_[1]; ++y)
        for (Index x = 0; x + 1 < n_[0]; ++x) fill_cell(x, y, z);
      std::swap(lower_, upper_);
    }
    return std::move(surface_);
  }

 private:
  /// Vertices on the x, y and z edges that begin in one layer of samples.
  using Layer = std::array<std::vector<Index>, 3>;

  std::size_t at(Index x, Index y) const { return static_cast<std::size_t>(y) * n_[0] + x; }
  float value(Index x, Index y, Index z) const {
    return field_.values[static_cast<std::size_t>(z) * n_[0] * n_[1] + at(x, y)];
  }

  Index cut(Index x, Index y, Index z, int axis) {
    std::array<Index, 3> end = {x, y, z};
    if (++end[static_cast<std::size_t>(axis)] >= n_[static_cast<std::size_t>(axis)]) return kNone;
    const double a = value(x, y, z);
    const double b = value(end[0], end[1], end[2]);
    if ((a < 0) == (b < 0)) return kNone;
    const double t = std::clamp(a / (a - b), 0.1, 0.9);
    surface_.positions.push_back(field_.origin + field_.cell * (Vec3(x, y, z) + t * Vec3::Unit(axis)));
    return static_cast<Index>(surface_.positions.size() - 1);
  }

  void add_layer(Index z, Layer& layer) {
    for (Index y = 0; y < n_[1]; ++y)
      for (Index x = 0; x < n_[0]; ++x)
        for (int axis = 0; axis < 2; ++axis) layer[static_cast<std::size_t>(axis)][at(x, y)] = cut(x, y, z, axis);
  }
  void add_upright(Index z) {
    for (Index y = 0; y < n_[1]; ++y)
      for (Index x = 0; x < n_[0]; ++x) lower_[2][at(x, y)] = cut(x, y, z, 2);
  }

  Index vertex(Index x, Index y, const CubeEdge& edge) const {
    const Layer& layer = (edge.from & 4) ? upper_ : lower_;
    return layer[static_cast<std::size_t>(edge.axis)]
                [at(x + static_cast<Index>(edge.from & 1), y + static_cast<Index>((edge.from >> 1) & 1))];
  }

  void fill_cell(Index x, Index y, Index z) {
    unsigned inside = 0;
    for (unsigned corner = 0; corner < 8; ++corner)
      if (value(x + (corner & 1), y + ((corner >> 1) & 1), z + (corner >> 2)) < 0) inside |= 1U << corner;
    if (inside == 0 || inside == 255) return;
    std::array<int, kCubeEdges> next;
    next.fill(-1);
    for (const std::array<int, 4>& corners : cube_tables().face_corners) link_face(corners, inside, next);
    for (int start = 0; start < kCubeEdges; ++start) {
      std::array<int, kCubeEdges> loop{};
      std::size_t size = 0;
      int at_edge = start;
      while (next[static_cast<std::size_t>(at_edge)] >= 0) {
        loop[size++] = at_edge;
        const int following = next[static_cast<std::size_t>(at_edge)];
        next[static_cast<std::size_t>(at_edge)] = -1;
        at_edge = following;
      }
      if (size >= 3) fill_loop(x, y, z, loop, size);
    }
  }

  /// Along a face's border, from where it enters the inside to where it leaves it again.
  static void link_face(const std::array<int, 4>& corners, unsigned inside, std::array<int, kCubeEdges>& next) {
    const auto is_in = [&](std::size_t i) { return (inside >> corners[i % 4]) & 1U; };
    const auto edge = [&](std::size_t i) {
      return cube_tables()
          .edge_between[static_cast<std::size_t>(corners[i % 4])][static_cast<std::size_t>(corners[(i + 1) % 4])];
    };
    for (std::size_t i = 0; i < 4; ++i) {
      if (is_in(i) || !is_in(i + 1)) continue;
      std::size_t last = i + 1;
      while (is_in(last + 1)) ++last;
      next[static_cast<std::size_t>(edge(i))] = edge(last);
    }
  }

  /// A fan from a corner none of whose diagonals lies in a face of the cell, where the neighbour could have the same
  /// one.
  void fill_loop(Index x, Index y, Index z, const std::array<int, kCubeEdges>& loop, std::size_t size) {
    const auto& edges = cube_tables().edges;
    const std::uint64_t salt =
        Random((static_cast<std::uint64_t>(z) << 42) ^ (static_cast<std::uint64_t>(y) << 21) ^ x).next();
    std::size_t best = 0;
    int least = std::numeric_limits<int>::max();
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t start = (k + salt) % size;
      int flat = 0;
      for (std::size_t i = 2; i + 1 < size; ++i) {
        const CubeEdge& other = edges[static_cast<std::size_t>(loop[(start + i) % size])];
        flat += (edges[static_cast<std::size_t>(loop[start])].faces & other.faces) ? 1 : 0;
      }
      if (flat < least) least = flat, best = start;
    }
    std::array<Index, kCubeEdges> corners{};
    for (std::size_t i = 0; i < size; ++i)
      corners[i] = vertex(x, y, edges[static_cast<std::size_t>(loop[(best + i) % size])]);
    for (std::size_t i = 1; i + 1 < size; ++i) surface_.triangles.push_back({corners[0], corners[i], corners[i + 1]});
  }

  const DistanceField& field_;
  std::array<Index, 3> n_{};
  Layer lower_;
  Layer upper_;
  TriangleSurface surface_;
};

}  // namespace

TriangleSurface marching_cubes(const DistanceField& field) { return Marcher(field).march(); }

}  // namespace sinew::geometry
