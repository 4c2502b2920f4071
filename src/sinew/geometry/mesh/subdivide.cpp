// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// The levels work on connectivity alone: each gives its stencil rows, which are multiplied into one matrix, and
// positions and morphs are computed once at the end. Rows are merged by sorting their few entries, so that the order of
// every sum is fixed.

#include "sinew/geometry/mesh/subdivide.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/edge_table.h"
#include "sinew/geometry/mesh/part_ranges.h"

namespace sinew::geometry {
namespace {

// Collects the terms of one row and appends them with equal vertices added up.
class RowMerger {
 public:
  void add(Index vertex, double weight) {
    keys_.push_back((std::uint64_t{vertex} << 32) | static_cast<std::uint64_t>(weights_.size()));
    weights_.push_back(weight);
  }

  void finish(Stencils& out) {
    std::sort(keys_.begin(), keys_.end());
    Index last = kNone;
    for (const std::uint64_t key : keys_) {
      const auto vertex = static_cast<Index>(key >> 32);
      const double weight = weights_[static_cast<std::uint32_t>(key)];
      if (vertex == last) {
        out.weights.back() += weight;
        continue;
      }
      out.vertices.push_back(vertex);
      out.weights.push_back(weight);
      last = vertex;
    }
    out.offsets.push_back(static_cast<std::uint32_t>(out.vertices.size()));
    keys_.clear();
    weights_.clear();
  }

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<double> weights_;
};

// Rows made by `fill(row, merger)`, in parallel blocks.
template <class Fill>
Stencils make_rows(std::size_t count, Fill&& fill) {
  return parallel_reduce(
      count, Stencils{},
      [&](std::size_t begin, std::size_t end) {
        Stencils rows;
        RowMerger merger;
        for (std::size_t i = begin; i < end; ++i) {
          fill(static_cast<Index>(i), merger);
          merger.finish(rows);
        }
        return rows;
      },
      [](Stencils a, Stencils b) {
        if (a.size() == 0) return b;
        if (a.vertices.size() + b.vertices.size() >= kNone)
          throw Error("Subdivision would need more vertex weights than can be indexed. Use fewer levels.");
        const auto shift = static_cast<std::uint32_t>(a.vertices.size());
        for (Index i = 1; i <= b.size(); ++i) a.offsets.push_back(shift + b.offsets[i]);
        a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
        a.weights.insert(a.weights.end(), b.weights.begin(), b.weights.end());
        return a;
      },
      8192);
}

// Row i: the rows of `before` that row i of `after` names, weighted.
Stencils times(const Stencils& after, const Stencils& before) {
  return make_rows(after.size(), [&](Index i, RowMerger& merger) {
    for (std::uint32_t k = after.offsets[i]; k < after.offsets[i + 1]; ++k) {
      const Index middle = after.vertices[k];
      for (std::uint32_t j = before.offsets[middle]; j < before.offsets[middle + 1]; ++j)
        merger.add(before.vertices[j], after.weights[k] * before.weights[j]);
    }
  });
}

// One value per old value, edge and face point of a layer, and where they lie in the new one.
struct LayerPlan {
  EdgeTable edges;
  std::vector<Index> face_point;  // Per face: its number among the face points; kNone where there is none.
  std::vector<Index> point_face;  // The other way round.
};

// Numbers a point for every face that wants one and whose corners all have a value.
LayerPlan plan_layer(const Mesh& mesh, SubdivisionScheme scheme, std::span<const Index> ids, Index id_count) {
  LayerPlan plan;
  plan.edges = edge_table(mesh.face_offsets, ids, id_count);
  plan.face_point.assign(mesh.face_count(), kNone);
  const Index least = scheme == SubdivisionScheme::kMidpoint ? 4 : 3;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const Index begin = mesh.face_offsets[f], end = mesh.face_offsets[f + 1];
    if (end - begin < least || std::find(ids.begin() + begin, ids.begin() + end, kNone) != ids.begin() + end) continue;
    plan.face_point[f] = static_cast<Index>(plan.point_face.size());
    plan.point_face.push_back(f);
  }
  return plan;
}

// What the edge and face points of a layer are called among the new values.
struct Numbering {
  std::vector<Index> old, edge, face;
};

Numbering number_in_order(const LayerPlan& plan, Index id_count) {
  Numbering n;
  Index next = 0;
  const auto fill = [&next](std::vector<Index>& list, std::size_t count) {
    list.resize(count);
    for (Index& number : list) number = next++;
  };
  fill(n.old, id_count);
  fill(n.edge, plan.edges.ends.size());
  fill(n.face, plan.point_face.size());
  return n;
}

// Part by part, so that the vertices of each stay together; sets the parts' new ranges of vertices.
Numbering number_by_part(const LayerPlan& plan, const Mesh& mesh, std::vector<MeshPart>& parts) {
  Numbering n;
  n.old.resize(mesh.vertex_count());
  n.edge.resize(plan.edges.ends.size());
  n.face.resize(plan.point_face.size());
  Index next = 0, e = 0, q = 0;
  const std::vector<PartRange> ranges = part_ranges(mesh);
  for (std::size_t p = 0; p < ranges.size(); ++p) {
    const Index first = next;
    const Index end_vertex = ranges[p].first_vertex + ranges[p].vertex_count;
    const Index end_face = ranges[p].first_face + ranges[p].face_count;
    for (Index v = ranges[p].first_vertex; v < end_vertex; ++v) n.old[v] = next++;
    for (; e < n.edge.size() && plan.edges.ends[e][0] < end_vertex; ++e) n.edge[e] = next++;
    for (; q < n.face.size() && plan.point_face[q] < end_face; ++q) n.face[q] = next++;
    if (parts.empty()) continue;
    parts[p].first_vertex = first;
    parts[p].vertex_count = next - first;
  }
  return n;
}

// The value of every child corner of the polygon `face`, in order, as `out(value)`.
template <class Out>
void for_child_corners(const Mesh& mesh, SubdivisionScheme scheme, Index face, std::span<const Index> ids,
                       const LayerPlan& plan, const Numbering& n, Out&& out) {
  const Index begin = mesh.face_offsets[face], size = mesh.face_offsets[face + 1] - begin;
  if (size < 3) return;
  const auto corner = [&](Index i) { return ids[begin + i] == kNone ? kNone : n.old[ids[begin + i]]; };
  const auto edge = [&](Index i) {  // From corner i to the next.
    if (plan.edges.corner_edge[begin + i] != kNone) return n.edge[plan.edges.corner_edge[begin + i]];
    return ids[begin + (i + 1) % size] == kNone ? kNone : corner(i);  // No edge between a vertex and itself.
  };
  if (size == 3 && scheme == SubdivisionScheme::kMidpoint) {
    for (Index i = 0; i < 3; ++i) out(corner(i)), out(edge(i)), out(edge((i + 2) % 3));
    for (Index i = 0; i < 3; ++i) out(edge(i));
    return;
  }
  const Index middle = plan.face_point[face] == kNone ? kNone : n.face[plan.face_point[face]];
  for (Index i = 0; i < size; ++i) out(corner(i)), out(edge(i)), out(middle), out(edge((i + size - 1) % size));
}

// The values of a layer at old places, in the middle of edges and of faces.
template <class T>
std::vector<T> interpolate_layer(const Mesh& mesh, std::span<const Index> ids, const LayerPlan& plan,
                                 const Numbering& n, const std::vector<T>& values) {
  std::vector<T> result(n.old.size() + n.edge.size() + n.face.size());
  for (std::size_t i = 0; i < n.old.size(); ++i) result[n.old[i]] = values[i];
  for (std::size_t e = 0; e < n.edge.size(); ++e)
    result[n.edge[e]] = 0.5F * (values[plan.edges.ends[e][0]] + values[plan.edges.ends[e][1]]);
  for (std::size_t q = 0; q < n.face.size(); ++q) {
    const Index begin = mesh.face_offsets[plan.point_face[q]], end = mesh.face_offsets[plan.point_face[q] + 1];
    T sum = T::Zero();
    for (Index c = begin; c < end; ++c) sum += values[ids[c]];
    result[n.face[q]] = sum / static_cast<float>(end - begin);
  }
  return result;
}

// Lists of edges and of corners around each vertex.
struct Star {
  std::vector<Index> edge_offsets, edges, corner_offsets, corners, corner_face;

  Star(const Mesh& mesh, const EdgeTable& table) {
    corner_face.resize(mesh.face_vertices.size());
    for (Index f = 0; f < mesh.face_count(); ++f)
      std::fill(corner_face.begin() + mesh.face_offsets[f], corner_face.begin() + mesh.face_offsets[f + 1], f);
    bucket(mesh.vertex_count(), corner_offsets, corners, [&](auto&& visit) {
      for (Index c = static_cast<Index>(corner_face.size()); c-- > 0;) {
        const Index f = corner_face[c];
        if (mesh.face_offsets[f + 1] - mesh.face_offsets[f] >= 3) visit(mesh.face_vertices[c], c);
      }
    });
    bucket(mesh.vertex_count(), edge_offsets, edges, [&](auto&& visit) {
      for (Index e = table.size(); e-- > 0;)
        for (const Index v : table.ends[e]) visit(v, e);
    });
  }

  std::span<const Index> edges_at(Index v) const {
    return {edges.data() + edge_offsets[v], edge_offsets[v + 1] - edge_offsets[v]};
  }
  std::span<const Index> corners_at(Index v) const {
    return {corners.data() + corner_offsets[v], corner_offsets[v + 1] - corner_offsets[v]};
  }

 private:
  // `list(visit)` calls visit(vertex, item) with items in decreasing order.
  template <class List>
  static void bucket(Index count, std::vector<Index>& offsets, std::vector<Index>& items, List&& list) {
    offsets.assign(count + std::size_t{1}, 0);
    list([&](Index v, Index) { ++offsets[v]; });
    Index sum = 0;
    for (Index& offset : offsets) offset = sum += offset;
    items.resize(sum);
    list([&](Index v, Index item) { items[--offsets[v]] = item; });
  }
};

void add_face_mean(const Mesh& mesh, Index face, double weight, RowMerger& merger) {
  const auto vertices = mesh.face(face);
  for (const Index v : vertices) merger.add(v, weight / static_cast<double>(vertices.size()));
}

void smooth_edge_row(const Mesh& mesh, const EdgeTable& table, const Star& star, Index e, RowMerger& merger) {
  const auto around = table.around(e);
  const bool crease = around.size() != 2;
  for (const Index v : table.ends[e]) merger.add(v, crease ? 0.5 : 0.25);
  if (crease) return;
  for (const Index c : around) add_face_mean(mesh, star.corner_face[c], 0.25, merger);
}

void smooth_vertex_row(const Mesh& mesh, const EdgeTable& table, const Star& star, Index v, RowMerger& merger) {
  const auto edges = star.edges_at(v);
  const auto corners = star.corners_at(v);
  const auto other = [&](Index e) { return table.ends[e][0] == v ? table.ends[e][1] : table.ends[e][0]; };
  const auto crease = [&](Index e) { return table.around(e).size() != 2; };
  const auto creases = std::count_if(edges.begin(), edges.end(), crease);
  if (creases == 2) {
    merger.add(v, 0.75);
    for (const Index e : edges)
      if (crease(e)) merger.add(other(e), 0.125);
  } else if (creases > 2 || edges.size() < 2 || corners.empty()) {
    merger.add(v, 1);
  } else {
    // (F + 2R + (n − 3)P)/n, with F the mean of the face points and R that of the edges' middles.
    const auto n = static_cast<double>(edges.size()), faces = static_cast<double>(corners.size());
    merger.add(v, (n - 2) / n);
    for (const Index e : edges) merger.add(other(e), 1 / (n * n));
    for (const Index c : corners) add_face_mean(mesh, star.corner_face[c], 1 / (n * faces), merger);
  }
}

Stencils level_rows(const Mesh& mesh, SubdivisionScheme scheme, const LayerPlan& plan, const Numbering& n) {
  const bool smooth = scheme == SubdivisionScheme::kCatmullClark;
  const Star star(mesh, plan.edges);
  // Which old vertex, edge or face point each new vertex is.
  const auto old = static_cast<Index>(n.old.size()), edges = static_cast<Index>(n.edge.size());
  std::vector<Index> source(n.old.size() + n.edge.size() + n.face.size());
  for (Index i = 0; i < old; ++i) source[n.old[i]] = i;
  for (Index e = 0; e < edges; ++e) source[n.edge[e]] = old + e;
  for (Index q = 0; q < n.face.size(); ++q) source[n.face[q]] = old + edges + q;
  return make_rows(source.size(), [&](Index i, RowMerger& merger) {
    const Index s = source[i];
    if (s >= old + edges) add_face_mean(mesh, plan.point_face[s - old - edges], 1, merger);
    else if (s < old && smooth) smooth_vertex_row(mesh, plan.edges, star, s, merger);
    else if (s < old) merger.add(s, 1);
    else if (smooth) smooth_edge_row(mesh, plan.edges, star, s - old, merger);
    else
      for (const Index v : plan.edges.ends[s - old]) merger.add(v, 0.5);
  });
}

// The number of children of a face and of the corners of each.
std::pair<Index, Index> children(SubdivisionScheme scheme, std::size_t corners) {
  if (corners < 3) return {0, 0};
  if (corners == 3 && scheme == SubdivisionScheme::kMidpoint) return {4, 3};
  return {static_cast<Index>(corners), 4};
}

void check_counts(const Mesh& mesh, SubdivisionScheme scheme) {
  std::uint64_t corners = 0;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto [count, size] = children(scheme, mesh.face(f).size());
    corners += std::uint64_t{count} * size;
  }
  if (corners >= kNone)
    throw Error(
        fmt::format("Subdivision would create {} face corners, more than can be indexed. Use fewer levels.", corners));
}

void subdivide_uvs(const Mesh& mesh, SubdivisionScheme scheme, const LayerPlan& vertex_plan, const Numbering& numbers,
                   Mesh& out) {
  if (mesh.uvs.empty()) return;
  if (mesh.uvs.corners.empty()) {
    out.uvs.values = interpolate_layer(mesh, mesh.face_vertices, vertex_plan, numbers, mesh.uvs.values);
    return;
  }
  const auto count = static_cast<Index>(mesh.uvs.values.size());
  const LayerPlan plan = plan_layer(mesh, scheme, mesh.uvs.corners, count);
  const Numbering n = number_in_order(plan, count);
  out.uvs.values = interpolate_layer(mesh, mesh.uvs.corners, plan, n, mesh.uvs.values);
  out.uvs.corners.reserve(out.face_vertices.size());
  for (Index f = 0; f < mesh.face_count(); ++f)
    for_child_corners(mesh, scheme, f, mesh.uvs.corners, plan, n, [&](Index v) { out.uvs.corners.push_back(v); });
}

// One level of everything but positions and morphs, which wait for the stencils of all levels.
void subdivide_once(Subdivided& state, SubdivisionScheme scheme) {
  const Mesh& mesh = state.mesh;
  check_counts(mesh, scheme);
  const LayerPlan plan = plan_layer(mesh, scheme, mesh.face_vertices, mesh.vertex_count());
  Mesh out;
  out.parts = mesh.parts;
  const Numbering n = number_by_part(plan, mesh, out.parts);
  std::vector<Index> parents, first_child(mesh.face_count() + std::size_t{1}, 0);
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto [count, size] = children(scheme, mesh.face(f).size());
    for (Index i = 0; i < count; ++i) {
      out.face_offsets.push_back(out.face_offsets.back() + size);
      parents.push_back(state.parent_face[f]);
      if (!mesh.face_materials.empty()) out.face_materials.push_back(mesh.face_materials[f]);
    }
    first_child[f + 1] = out.face_count();
    for_child_corners(mesh, scheme, f, mesh.face_vertices, plan, n, [&](Index v) { out.face_vertices.push_back(v); });
  }
  for (MeshPart& part : out.parts) {
    const Index end = first_child[part.first_face + part.face_count];
    part.first_face = first_child[part.first_face];
    part.face_count = end - part.first_face;
  }
  subdivide_uvs(mesh, scheme, plan, n, out);
  if (!mesh.colors.empty()) out.colors = interpolate_layer(mesh, mesh.face_vertices, plan, n, mesh.colors);
  const Stencils rows = level_rows(mesh, scheme, plan, n);
  state.stencils = state.stencils.size() == 0 ? rows : times(rows, state.stencils);
  for (Index& v : state.kept) v = n.old[v];
  out.positions.resize(n.old.size() + n.edge.size() + n.face.size());
  state.mesh = std::move(out);
  state.parent_face = std::move(parents);
}

void subdivide_morphs(const Mesh& old, const Stencils& stencils, Mesh& mesh) {
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    MeshPart& part = mesh.parts[p];
    const Index first = old.parts[p].first_vertex;
    for (std::size_t m = 0; m < part.morphs.size(); ++m) {
      const std::vector<Vec3f>& before = old.parts[p].morphs[m].deltas;
      std::vector<Vec3f>& after = part.morphs[m].deltas;
      after.resize(part.vertex_count);
      parallel_for(after.size(), [&](std::size_t i) {
        const std::size_t row = part.first_vertex + i;
        Vec3 sum = Vec3::Zero();
        for (std::uint32_t k = stencils.offsets[row]; k < stencils.offsets[row + 1]; ++k)
          sum += stencils.weights[k] * before[stencils.vertices[k] - first].cast<double>();
        after[i] = sum.cast<float>();
      });
    }
  }
}

}  // namespace

std::vector<Vec3> Stencils::apply(std::span<const Vec3> old) const {
  std::vector<Vec3> result(size(), Vec3::Zero());
  parallel_for(result.size(), [&](std::size_t i) {
    for (std::uint32_t k = offsets[i]; k < offsets[i + 1]; ++k) result[i] += weights[k] * old[vertices[k]];
  });
  return result;
}

std::vector<double> Stencils::apply(std::span<const double> values, std::size_t columns) const {
  std::vector<double> result(size() * columns, 0.0);
  parallel_for(size(), [&](std::size_t i) {
    for (std::uint32_t k = offsets[i]; k < offsets[i + 1]; ++k)
      for (std::size_t j = 0; j < columns; ++j)
        result[i * columns + j] += weights[k] * values[vertices[k] * columns + j];
  });
  return result;
}

Subdivided subdivide(const Mesh& mesh, SubdivisionScheme scheme, int levels) {
  if (levels < 0) throw Error(fmt::format("A mesh cannot be subdivided {} times. Use 0 or more levels.", levels));
  Subdivided state;
  state.mesh = mesh;
  state.mesh.normals = {};
  state.kept.resize(mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) state.kept[v] = v;
  state.parent_face.resize(mesh.face_count());
  for (Index f = 0; f < mesh.face_count(); ++f) state.parent_face[f] = f;
  if (levels == 0 || mesh.positions.empty()) {
    state.stencils = make_rows(mesh.vertex_count(), [](Index i, RowMerger& merger) { merger.add(i, 1); });
    return state;
  }
  for (int level = 0; level < levels; ++level) subdivide_once(state, scheme);
  state.mesh.positions = state.stencils.apply(mesh.positions);
  subdivide_morphs(mesh, state.stencils, state.mesh);
  return state;
}

}  // namespace sinew::geometry
