// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/surface/patch_grid.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sinew::shapes {
namespace {

/// The fine vertices of one quad of the cage, (side+1)² of them, and its fine faces.
struct Patch {
  Index side = 1;
  std::vector<Index> vertices;
  std::vector<Index> faces;

  Index vertex(Index i, Index j) const { return vertices[j * (side + 1) + i]; }
  Index face(Index i, Index j) const { return faces[j * side + i]; }
};

/// The patch after one more subdivision of the whole mesh: child i of face f is face 4f+i and begins at corner i.
Patch refined(const Patch& patch, const Mesh& before, const Mesh& after) {
  Patch fine;
  fine.side = 2 * patch.side;
  fine.vertices.assign(static_cast<std::size_t>(fine.side + 1) * (fine.side + 1), kNone);
  fine.faces.assign(static_cast<std::size_t>(fine.side) * fine.side, kNone);
  constexpr std::array<std::array<Index, 2>, 4> kCorner = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
  for (Index j = 0; j < patch.side; ++j) {
    for (Index i = 0; i < patch.side; ++i) {
      const Index face = patch.face(i, j);
      const auto corners = before.face(face);
      const auto first =
          static_cast<Index>(std::find(corners.begin(), corners.end(), patch.vertex(i, j)) - corners.begin());
      for (Index c = 0; c < 4; ++c) {
        const Index child = 4 * face + (first + c) % 4;
        const auto quad = after.face(child);
        const auto& here = kCorner[c];
        const auto& next = kCorner[(c + 1) % 4];
        const auto put = [&](Index x, Index y, Index v) {
          fine.vertices[(2 * j + y) * (fine.side + 1) + 2 * i + x] = v;
        };
        put(2 * here[0], 2 * here[1], quad[0]);
        put(here[0] + next[0], here[1] + next[1], quad[1]);
        put(1, 1, quad[2]);
        fine.faces[(2 * j + here[1]) * fine.side + 2 * i + here[0]] = child;
      }
    }
  }
  return fine;
}

Mesh mesh_of(const Cage& cage) {
  Mesh mesh;
  mesh.positions = cage.positions();
  for (const std::array<Index, 4>& quad : cage.quads()) mesh.add_face(quad);
  MeshPart part;
  part.vertex_count = mesh.vertex_count();
  part.face_count = mesh.face_count();
  mesh.parts.push_back(std::move(part));
  return mesh;
}

/// Rows of a grid that is sampled at `cuts` steps a side.
class Sampler {
 public:
  Sampler(const geometry::Stencils& fine, FineGrid& out) : fine_(fine), out_(out) {}

  Index add(const Patch& patch, Index a, Index b, Index cuts) {
    const auto [i, s] = split(a, patch.side, cuts);
    const auto [j, t] = split(b, patch.side, cuts);
    std::map<Index, double> row;
    const auto take = [&](Index x, Index y, double weight) {
      if (weight == 0) return;
      const Index v = patch.vertex(x, y);
      for (std::uint32_t k = fine_.offsets[v]; k < fine_.offsets[v + 1]; ++k)
        row[fine_.vertices[k]] += weight * fine_.weights[k];
    };
    const Index i1 = std::min(i + 1, patch.side);
    const Index j1 = std::min(j + 1, patch.side);
    take(i, j, (1 - s) * (1 - t));
    take(i1, j, s * (1 - t));
    take(i, j1, (1 - s) * t);
    take(i1, j1, s * t);
    for (const auto& [vertex, weight] : row) {
      out_.stencils.vertices.push_back(vertex);
      out_.stencils.weights.push_back(weight);
    }
    out_.stencils.offsets.push_back(static_cast<std::uint32_t>(out_.stencils.vertices.size()));
    return out_.stencils.size() - 1;
  }

 private:
  /// The cell and the place in it of sample `a`, exactly.
  static std::pair<Index, double> split(Index a, Index side, Index cuts) {
    const Index scaled = a * side;
    return {scaled / cuts, static_cast<double>(scaled % cuts) / cuts};
  }

  const geometry::Stencils& fine_;
  FineGrid& out_;
};

std::vector<Patch> refined_patches(const Mesh& coarse, int levels) {
  std::vector<Patch> patches;
  for (Index f = 0; f < coarse.face_count(); ++f) {
    const auto q = coarse.face(f);
    patches.push_back({1, {q[0], q[1], q[3], q[2]}, {f}});
  }
  Mesh mesh = coarse;
  for (int level = 0; level < levels; ++level) {
    Mesh next = geometry::subdivide(mesh, geometry::SubdivisionScheme::kCatmullClark).mesh;
    for (Patch& patch : patches) patch = refined(patch, mesh, next);
    mesh = std::move(next);
  }
  return patches;
}

/// Samples every patch at cuts+1 places a side; corners and edges once for all patches that share them.
class GridBuilder {
 public:
  GridBuilder(const Mesh& coarse, std::vector<Patch> patches, const geometry::Stencils& fine, Index cuts, FineGrid& out)
      : coarse_(coarse), patches_(std::move(patches)), cuts_(cuts), out_(out), sampler_(fine, out) {
    grids_.assign(patches_.size(), std::vector<Index>(static_cast<std::size_t>(cuts + 1) * (cuts + 1), kNone));
  }

  /// In the cage's order: a vertex keeps its number.
  void add_corners() {
    std::vector<std::pair<std::size_t, std::size_t>> home(coarse_.vertex_count());
    for (std::size_t f = 0; f < patches_.size(); ++f)
      for (std::size_t c = 0; c < 4; ++c) home[coarse_.face(static_cast<Index>(f))[c]] = {f, c};
    for (const auto& [patch, c] : home) {
      const auto [a, b] = corner(c);
      corners_.push_back(sampler_.add(patches_[patch], a, b, cuts_));
    }
  }

  void add_edges() {
    std::map<std::pair<Index, Index>, std::vector<Index>> edges;
    for (std::size_t f = 0; f < patches_.size(); ++f) {
      const auto q = coarse_.face(static_cast<Index>(f));
      for (std::size_t c = 0; c < 4; ++c) {
        const auto here = corner(c);
        const auto next = corner((c + 1) % 4);
        slot(f, here.first, here.second) = corners_[q[c]];
        std::vector<Index>& points = edges[std::minmax(q[c], q[(c + 1) % 4])];
        const bool fresh = points.empty();
        for (Index k = 1; k < cuts_; ++k) {
          const Index a = (here.first * (cuts_ - k) + next.first * k) / cuts_;
          const Index b = (here.second * (cuts_ - k) + next.second * k) / cuts_;
          if (fresh) points.push_back(sampler_.add(patches_[f], a, b, cuts_));
          // The edge was sampled from the other end when the neighbour came first.
          slot(f, a, b) = fresh ? points.back() : points[cuts_ - 1 - k];
        }
      }
    }
  }

  void add_insides() {
    for (std::size_t f = 0; f < patches_.size(); ++f)
      for (Index b = 1; b < cuts_; ++b)
        for (Index a = 1; a < cuts_; ++a) slot(f, a, b) = sampler_.add(patches_[f], a, b, cuts_);
  }

  void add_quads() {
    for (std::size_t f = 0; f < patches_.size(); ++f)
      for (Index b = 0; b < cuts_; ++b)
        for (Index a = 0; a < cuts_; ++a)
          out_.quads.push_back({slot(f, a, b), slot(f, a + 1, b), slot(f, a + 1, b + 1), slot(f, a, b + 1)});
  }

 private:
  std::pair<Index, Index> corner(std::size_t c) const { return {c == 1 || c == 2 ? cuts_ : 0, c >= 2 ? cuts_ : 0}; }
  Index& slot(std::size_t f, Index a, Index b) { return grids_[f][b * (cuts_ + 1) + a]; }

  const Mesh& coarse_;
  std::vector<Patch> patches_;
  Index cuts_;
  FineGrid& out_;
  Sampler sampler_;
  std::vector<Index> corners_;  ///< Per vertex of the cage.
  std::vector<std::vector<Index>> grids_;
};

}  // namespace

FineGrid refine(const Cage& cage, Index cuts) {
  const bool power_of_two = (cuts & (cuts - 1)) == 0;
  int levels = 1;
  while ((Index{1} << levels) < (power_of_two ? cuts : 2 * cuts)) ++levels;
  const Mesh coarse = mesh_of(cage);
  const geometry::Stencils fine =
      geometry::subdivide(coarse, geometry::SubdivisionScheme::kCatmullClark, levels).stencils;
  FineGrid out;
  GridBuilder builder(coarse, refined_patches(coarse, levels), fine, cuts, out);
  builder.add_corners();
  builder.add_edges();
  builder.add_insides();
  builder.add_quads();
  out.positions = out.stencils.apply(cage.positions());
  return out;
}

}  // namespace sinew::shapes
