// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/picture_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <unordered_map>

#include "sinew/core/parallel.h"
#include "sinew/core/rotation_between.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::picture {
namespace {

constexpr double kSmoothCosine = 0.6428;   // 50°
constexpr std::size_t kMostCompared = 48;  // Faces around a vertex; above, the vertex is smooth.

struct KeyHash {
  std::size_t operator()(const std::array<Index, 4>& key) const {
    std::uint64_t h = 0x9E3779B97F4A7C15U;
    for (const Index value : key) {
      h ^= value;
      h *= 0xFF51AFD7ED558CCDU;
      h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
  }
};
using Numbers = std::unordered_map<std::array<Index, 4>, Index, KeyHash>;

template <class T>
Index value_of(const CornerLayer<T>& layer, Index corner, Index vertex) {
  if (layer.empty()) return kNone;
  const Index at = layer.corners.empty() ? vertex : layer.corners[corner];
  return at < layer.values.size() ? at : kNone;
}

/// Direction and angle of a polygon at one corner: unit normal times the angle, zero for a degenerate corner.
Vec3 corner_normal(const std::vector<Vec3>& positions, std::span<const Index> face, std::size_t i) {
  const Vec3& p = positions[face[i]];
  const Vec3 forward = positions[face[(i + 1) % face.size()]] - p;
  const Vec3 backward = positions[face[(i + face.size() - 1) % face.size()]] - p;
  const Vec3 normal = forward.cross(backward);
  const double length = normal.norm();
  if (!(length > 0)) return Vec3::Zero();
  return normal * (std::atan2(length, forward.dot(backward)) / length);
}

/// Newell's normal of a polygon.
Vec3 face_normal(const Mesh& mesh, Index f) {
  const std::span<const Index> face = mesh.face(f);
  Vec3 sum = Vec3::Zero();
  if (face.size() < 3) return sum;
  for (std::size_t i = 1; i + 1 < face.size(); ++i)
    sum += (mesh.positions[face[i]] - mesh.positions[face[0]])
               .cross(mesh.positions[face[i + 1]] - mesh.positions[face[0]]);
  return sum.squaredNorm() > 0 ? Vec3(sum.normalized()) : Vec3(Vec3::Zero());
}

/// Smooth groups of a mesh without normals: at each welded vertex the faces that can be reached by steps of less than
/// the limit.
std::vector<Index> groups_by_angle(const Mesh& mesh, const std::vector<Index>& welded, Index welded_count,
                                   Index& count) {
  std::vector<Index> begin(welded_count + 1, 0);
  for (const Index v : mesh.face_vertices) ++begin[welded[v] + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Index> corners(mesh.face_vertices.size());
  std::vector<Index> faces(corners.size());
  std::vector<Index> fill(begin.begin(), begin.end() - 1);
  for (Index f = 0; f < mesh.face_count(); ++f)
    for (Index c = mesh.face_offsets[f]; c < mesh.face_offsets[f + 1]; ++c) {
      const Index slot = fill[welded[mesh.face_vertices[c]]]++;
      corners[slot] = c;
      faces[slot] = f;
    }
  std::vector<Vec3> normals(mesh.face_count());
  parallel_for(normals.size(), [&](std::size_t f) { normals[f] = face_normal(mesh, static_cast<Index>(f)); });
  std::vector<Index> group(corners.size(), kNone);
  std::vector<Index> stack;
  count = 0;
  for (Index w = 0; w < welded_count; ++w) {
    const bool compare = begin[w + 1] - begin[w] <= kMostCompared;
    for (Index s = begin[w]; s < begin[w + 1]; ++s) {
      if (group[corners[s]] != kNone) continue;
      group[corners[s]] = count;
      stack.assign(1, s);
      while (!stack.empty()) {
        const Index at = stack.back();
        stack.pop_back();
        for (Index t = s + 1; t < begin[w + 1]; ++t) {
          if (group[corners[t]] != kNone) continue;
          if (compare && normals[faces[at]].dot(normals[faces[t]]) < kSmoothCosine) continue;
          group[corners[t]] = count;
          if (compare) stack.push_back(t);
        }
      }
      ++count;
    }
  }
  return group;
}

/// Smooth groups of a mesh with normals: corners of one welded vertex whose normals are bit-equal.
std::vector<Index> groups_by_normal(const Mesh& mesh, const std::vector<Index>& welded, Index& count) {
  Numbers numbers;
  numbers.reserve(mesh.positions.size());
  std::vector<Index> group(mesh.face_vertices.size());
  for (Index c = 0; c < group.size(); ++c) {
    const Index vertex = mesh.face_vertices[c];
    const Index at = value_of(mesh.normals, c, vertex);
    std::array<Index, 4> key = {welded[vertex], kNone, kNone, kNone};
    if (at != kNone) std::memcpy(&key[1], mesh.normals.values[at].data(), 3 * sizeof(float));
    group[c] = numbers.try_emplace(key, static_cast<Index>(numbers.size())).first->second;
  }
  count = static_cast<Index>(numbers.size());
  return group;
}

}  // namespace

PictureSurface::PictureSurface(const Mesh& mesh) : mesh_(mesh) {
  const geometry::Welding welding = geometry::weld(mesh);
  welded_ = welding.welded;
  corner_group_ = mesh.normals.empty() ? groups_by_angle(mesh, welded_, welding.count(), group_count_)
                                       : groups_by_normal(mesh, welded_, group_count_);
  Numbers numbers;
  numbers.reserve(mesh.positions.size());
  corner_.resize(mesh.face_vertices.size());
  for (Index c = 0; c < corner_.size(); ++c) {
    const Index vertex = mesh.face_vertices[c];
    const Index uv = value_of(mesh.uvs, c, vertex);
    const Index normal = value_of(mesh.normals, c, vertex);
    const auto [place, added] =
        numbers.try_emplace({vertex, uv, normal, corner_group_[c]}, static_cast<Index>(sources_.size()));
    corner_[c] = place->second;
    if (!added) continue;
    sources_.push_back(vertex);
    uvs_.push_back(uv);
    file_normals_.push_back(normal);
    groups_.push_back(corner_group_[c]);
  }
}

std::vector<Index> PictureSurface::triangles(std::span<const Index> slot_of_face, Index slots,
                                             std::vector<Index>& starts) const {
  const std::vector<Triangle> all = triangulate(mesh_);
  starts.assign(slots + 1, 0);
  for (const Triangle& t : all) ++starts[slot_of_face[t.face] + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<Index> fill(starts.begin(), starts.end() - 1);
  std::vector<Index> result(3 * all.size());
  for (const Triangle& t : all) {
    const std::size_t at = fill[slot_of_face[t.face]]++;
    for (std::size_t k = 0; k < 3; ++k) result[3 * at + k] = corner_[t.corners[k]];
  }
  return result;
}

std::vector<Index> PictureSurface::edges() const {
  std::vector<Index> shown(mesh_.positions.size(), kNone);  // Per welded vertex: a render vertex.
  std::vector<std::uint64_t> keys;
  keys.reserve(corner_.size());
  for (Index f = 0; f < mesh_.face_count(); ++f) {
    const std::span<const Index> face = mesh_.face(f);
    for (std::size_t i = 0; i < face.size(); ++i) {
      const Index a = welded_[face[i]];
      const Index b = welded_[face[(i + 1) % face.size()]];
      if (shown[a] == kNone) shown[a] = corner_[mesh_.face_offsets[f] + i];
      if (a != b) keys.push_back(std::uint64_t{std::min(a, b)} << 32 | std::max(a, b));
    }
  }
  parallel_sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<Index> result;
  result.reserve(2 * keys.size());
  for (const std::uint64_t key : keys) {
    result.push_back(shown[key >> 32]);
    result.push_back(shown[key & 0xFFFFFFFFU]);
  }
  return result;
}

std::vector<Vec3> PictureSurface::group_normals(const std::vector<Vec3>& positions) const {
  std::vector<Vec3> sums(group_count_, Vec3::Zero());
  for (Index f = 0; f < mesh_.face_count(); ++f) {
    const std::span<const Index> face = mesh_.face(f);
    if (face.size() < 3) continue;
    for (std::size_t i = 0; i < face.size(); ++i)
      sums[corner_group_[mesh_.face_offsets[f] + i]] += corner_normal(positions, face, i);
  }
  for (Vec3& sum : sums)
    if (sum.squaredNorm() > 1e-24) sum.normalize();
    else sum.setZero();
  return sums;
}

std::vector<Vec3f> PictureSurface::normals(const std::vector<Vec3>& positions) const {
  const std::vector<Vec3> now = group_normals(positions);
  const std::vector<Vec3> before = mesh_.normals.empty() ? std::vector<Vec3>() : group_normals(mesh_.positions);
  std::vector<Vec3f> result(sources_.size());
  parallel_for(result.size(), [&](std::size_t i) {
    const Vec3& turned = now[groups_[i]];
    if (file_normals_[i] == kNone) {
      result[i] = turned.cast<float>();
      return;
    }
    const Vec3 said = mesh_.normals.values[file_normals_[i]].cast<double>();
    const Vec3& origin = before[groups_[i]];
    const bool known = !turned.isZero() && !origin.isZero();
    const Vec3 normal = known ? Vec3(rotation_between(origin, turned) * said) : said;
    result[i] = normal.cast<float>();
  });
  return result;
}

}  // namespace sinew::picture
