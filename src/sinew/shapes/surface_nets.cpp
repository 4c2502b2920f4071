// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/surface_nets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "sinew/core/parallel.h"

namespace sinew::shapes {
namespace {

using Cell = std::array<int, 3>;

/// Edge `axis·4 + u + 2v` of a cell: along `axis`, at offset u along the next axis and v along the one after.
constexpr int kEdges = 12;

int edge_of(int axis, int u, int v) { return axis * 4 + u + 2 * v; }

/// The grid of samples: x from −half to half, y and z from 0, in cells.
struct Grid {
  Vec3 origin;
  double cell = 0;
  int half = 0;
  std::array<int, 3> samples{};
  std::vector<double> values;

  std::size_t at(const Cell& p) const {
    return (static_cast<std::size_t>(p[2]) * static_cast<std::size_t>(samples[1]) + static_cast<std::size_t>(p[1])) *
               static_cast<std::size_t>(samples[0]) + static_cast<std::size_t>(p[0]);
  }
  Vec3 place(const Cell& p) const {
    return {cell * (p[0] - half), origin.y() + cell * p[1], origin.z() + cell * p[2]};
  }
  bool inside(const Cell& p) const { return values[at(p)] < 0; }
};

Grid sample(const MirroredField& field, const Box& bounds, double cell) {
  Grid grid;
  grid.cell = cell;
  grid.half = static_cast<int>(std::ceil(std::max(bounds.upper.x(), -bounds.lower.x()) / cell)) + 1;
  grid.origin = {0, bounds.lower.y() - cell, bounds.lower.z() - cell};
  grid.samples = {2 * grid.half + 1, static_cast<int>(std::ceil(bounds.extent().y() / cell)) + 3,
                  static_cast<int>(std::ceil(bounds.extent().z() / cell)) + 3};
  const std::size_t rows = static_cast<std::size_t>(grid.samples[1]) * static_cast<std::size_t>(grid.samples[2]);
  grid.values.resize(rows * static_cast<std::size_t>(grid.samples[0]));
  parallel_for(rows, [&](std::size_t row) {
    const int y = static_cast<int>(row) % grid.samples[1];
    const int z = static_cast<int>(row) / grid.samples[1];
    for (int x = grid.half; x < grid.samples[0]; ++x) {
      const double value = field(grid.place({x, y, z}));
      grid.values[grid.at({x, y, z})] = value;
      grid.values[grid.at({2 * grid.half - x, y, z})] = value;
    }
  }, 8);
  return grid;
}

/// A cell that the surface passes through: which sheet each cut edge belongs to.
struct ActiveCell {
  Cell cell;
  std::array<int, kEdges> sheet;  ///< −1 where the edge is not cut.
  int sheet_count = 0;
};

Cell corner_of(const Cell& cell, int axis, int along, int u, int v) {
  Cell p = cell;
  p[static_cast<std::size_t>(axis)] += along;
  p[static_cast<std::size_t>((axis + 1) % 3)] += u;
  p[static_cast<std::size_t>((axis + 2) % 3)] += v;
  return p;
}

class Sets {
 public:
  Sets() { for (int i = 0; i < kEdges; ++i) parent_[static_cast<std::size_t>(i)] = i; }
  int find(int i) const {
    while (parent_[static_cast<std::size_t>(i)] != i) i = parent_[static_cast<std::size_t>(i)];
    return i;
  }
  void join(int a, int b) { parent_[static_cast<std::size_t>(std::max(find(a), find(b)))] = std::min(find(a), find(b)); }

 private:
  std::array<int, kEdges> parent_;
};

/// Joins the cut edges around one face of a cell. Where all four are cut, the two inside corners are kept apart: the two
/// cells at the face then agree, for the rule looks at the face alone.
void join_face(const Grid& grid, const Cell& cell, int axis, int side, Sets& sets) {
  const int a = (axis + 1) % 3;
  const int b = (axis + 2) % 3;
  const std::array<std::array<int, 2>, 4> ring = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
  // Edge i runs from corner i to corner i + 1: along a, b, a, b.
  const std::array<int, 4> edges = {edge_of(a, 0, side), edge_of(b, side, 1), edge_of(a, 1, side), edge_of(b, side, 0)};
  std::array<bool, 4> in{};
  for (std::size_t i = 0; i < 4; ++i) in[i] = grid.inside(corner_of(cell, axis, side, ring[i][0], ring[i][1]));
  std::array<int, 4> cut{};
  std::size_t cuts = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    if (in[i] != in[(i + 1) % 4]) cut[cuts++] = edges[i];
  }
  if (cuts == 2) sets.join(cut[0], cut[1]);
  if (cuts == 4) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (in[i]) sets.join(edges[(i + 3) % 4], edges[i]);
    }
  }
}

ActiveCell classify(const Grid& grid, const Cell& cell) {
  ActiveCell active{cell, {}, 0};
  active.sheet.fill(-1);
  Sets sets;
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) join_face(grid, cell, axis, side, sets);
  }
  std::array<int, kEdges> number;
  number.fill(-1);
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 0; k < 4; ++k) {
      const int u = k & 1;
      const int v = k >> 1;
      if (grid.inside(corner_of(cell, axis, 0, u, v)) == grid.inside(corner_of(cell, axis, 1, u, v))) continue;
      const int edge = edge_of(axis, u, v);
      int& sheet = number[static_cast<std::size_t>(sets.find(edge))];
      if (sheet < 0) sheet = active.sheet_count++;
      active.sheet[static_cast<std::size_t>(edge)] = sheet;
    }
  }
  return active;
}

/// Mean of the points where one sheet cuts the edges of its cell.
Vec3 sheet_point(const Grid& grid, const ActiveCell& active, int sheet) {
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 0; k < 4; ++k) {
      if (active.sheet[static_cast<std::size_t>(edge_of(axis, k & 1, k >> 1))] != sheet) continue;
      const Cell from = corner_of(active.cell, axis, 0, k & 1, k >> 1);
      const Cell to = corner_of(active.cell, axis, 1, k & 1, k >> 1);
      const double f = grid.values[grid.at(from)];
      const double t = f / (f - grid.values[grid.at(to)]);
      sum += (1 - t) * grid.place(from) + t * grid.place(to);
      ++count;
    }
  }
  return sum / count;
}

/// The edge of the mirrored cell that is the mirror image of an edge.
int mirrored_edge(int edge) {
  const int axis = edge / 4;
  if (axis == 0) return edge;
  return axis == 1 ? edge ^ 2 : edge ^ 1;
}

struct Cells {
  std::vector<ActiveCell> active;
  std::map<std::size_t, std::size_t> index;  ///< Lower corner's sample to place in `active`.
  std::vector<Index> first_vertex;

  Index vertex(const Grid& grid, const Cell& cell, int edge) const {
    const std::size_t i = index.at(grid.at(cell));
    return first_vertex[i] + static_cast<Index>(active[i].sheet[static_cast<std::size_t>(edge)]);
  }
};

Cells find_cells(const Grid& grid) {
  Cells cells;
  Index vertices = 0;
  for (int z = 0; z + 1 < grid.samples[2]; ++z) {
    for (int y = 0; y + 1 < grid.samples[1]; ++y) {
      for (int x = 0; x + 1 < grid.samples[0]; ++x) {
        int count = 0;
        for (int k = 0; k < 8; ++k) count += grid.inside({x + (k & 1), y + ((k >> 1) & 1), z + (k >> 2)}) ? 1 : 0;
        if (count == 0 || count == 8) continue;
        cells.index[grid.at({x, y, z})] = cells.active.size();
        cells.active.push_back(classify(grid, {x, y, z}));
        cells.first_vertex.push_back(vertices);
        vertices += static_cast<Index>(cells.active.back().sheet_count);
      }
    }
  }
  return cells;
}

void add_vertices(const Grid& grid, const Cells& cells, QuadSurface& surface) {
  for (const ActiveCell& active : cells.active) {
    const Cell mirrored = {2 * grid.half - 1 - active.cell[0], active.cell[1], active.cell[2]};
    for (int sheet = 0; sheet < active.sheet_count; ++sheet) {
      const auto edge = std::find(active.sheet.begin(), active.sheet.end(), sheet) - active.sheet.begin();
      surface.mirror.push_back(cells.vertex(grid, mirrored, mirrored_edge(static_cast<int>(edge))));
      surface.positions.push_back(sheet_point(grid, active, sheet));
    }
  }
}

void add_quads(const Grid& grid, const Cells& cells, QuadSurface& surface) {
  const std::array<std::array<int, 2>, 4> around = {{{-1, -1}, {0, -1}, {0, 0}, {-1, 0}}};
  for (int z = 0; z < grid.samples[2]; ++z) {
    for (int y = 0; y < grid.samples[1]; ++y) {
      for (int x = 0; x < grid.samples[0]; ++x) {
        for (int axis = 0; axis < 3; ++axis) {
          const Cell from = {x, y, z};
          const Cell to = corner_of(from, axis, 1, 0, 0);
          if (to[static_cast<std::size_t>(axis)] >= grid.samples[static_cast<std::size_t>(axis)]) continue;
          if (grid.inside(from) == grid.inside(to)) continue;
          std::array<Index, 4> quad{};
          for (std::size_t i = 0; i < 4; ++i) {
            const Cell cell = corner_of(from, axis, 0, around[i][0], around[i][1]);
            quad[i] = cells.vertex(grid, cell, edge_of(axis, -around[i][0], -around[i][1]));
          }
          if (!grid.inside(from)) std::reverse(quad.begin(), quad.end());
          surface.quads.push_back(quad);
        }
      }
    }
  }
}

/// Vertices with positive x decide; the others follow.
void make_symmetric(QuadSurface& surface) {
  for (std::size_t i = 0; i < surface.positions.size(); ++i) {
    const Vec3& other = surface.positions[surface.mirror[i]];
    if (other.x() > surface.positions[i].x()) surface.positions[i] = {-other.x(), other.y(), other.z()};
  }
}

Vec3 gradient(const MirroredField& field, const Vec3& p, double step) {
  Vec3 g;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 offset = step * Vec3::Unit(axis);
    g[axis] = (field(p + offset) - field(p - offset)) / (2 * step);
  }
  return g;
}

Vec3 project(const MirroredField& field, Vec3 p, double cell) {
  for (int i = 0; i < 2; ++i) {
    const Vec3 g = gradient(field, p, 0.05 * cell);
    const double square = g.squaredNorm();
    if (square < 1e-12) break;
    Vec3 step = -field(p) / square * g;
    // A field is only nearly a distance; no step longer than half a cell is to be trusted.
    if (step.norm() > 0.5 * cell) step *= 0.5 * cell / step.norm();
    p += step;
  }
  return p;
}

}  // namespace

QuadSurface surface_nets(const MirroredField& field, const Box& bounds, double cell) {
  const Grid grid = sample(field, bounds, cell);
  const Cells cells = find_cells(grid);
  QuadSurface surface;
  add_vertices(grid, cells, surface);
  add_quads(grid, cells, surface);
  make_symmetric(surface);
  return surface;
}

void relax(QuadSurface& surface, const MirroredField& field, double cell, int rounds) {
  std::vector<std::vector<Index>> neighbours(surface.positions.size());
  for (const std::array<Index, 4>& quad : surface.quads) {
    // Each edge has two faces that run along it in opposite directions, so this finds every neighbour once.
    for (std::size_t i = 0; i < 4; ++i) neighbours[quad[i]].push_back(quad[(i + 1) % 4]);
  }
  for (int round = 0; round < rounds; ++round) {
    std::vector<Vec3> moved(surface.positions.size());
    parallel_for(moved.size(), [&](std::size_t i) {
      Vec3 mean = Vec3::Zero();
      for (const Index j : neighbours[i]) mean += surface.positions[j];
      mean /= static_cast<double>(neighbours[i].size());
      moved[i] = project(field, 0.4 * surface.positions[i] + 0.6 * mean, cell);
    }, 256);
    surface.positions = std::move(moved);
    make_symmetric(surface);
  }
}

bool is_closed_manifold(const QuadSurface& surface) {
  // `next[v]`: from the neighbour behind v in a face to the one before it. Walking it goes round the fan of v.
  std::vector<std::map<Index, Index>> next(surface.positions.size());
  for (const std::array<Index, 4>& quad : surface.quads) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (!next[quad[i]].emplace(quad[(i + 1) % 4], quad[(i + 3) % 4]).second) return false;
    }
  }
  return std::all_of(next.begin(), next.end(), [](const std::map<Index, Index>& fan) {
    if (fan.size() < 3) return false;
    std::size_t steps = 0;
    Index at = fan.begin()->first;
    do {
      const auto found = fan.find(at);
      if (found == fan.end()) return false;
      at = found->second;
      ++steps;
    } while (at != fan.begin()->first && steps <= fan.size());
    return steps == fan.size();
  });
}

}  // namespace sinew::shapes
