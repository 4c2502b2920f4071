// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/voxel_leaks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::geometry {

const std::array<std::array<int, 3>, kVoxelSteps> kVoxelStep = {{
    {1, 0, 0},  {-1, 0, 0},   {0, 1, 0},   {0, -1, 0},  {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
    {-1, 1, 0}, {1, 0, 1},    {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1},  {0, -1, 1},
    {1, 1, 1},  {-1, -1, -1}, {1, 1, -1},  {-1, -1, 1}, {1, -1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, 1, 1},
}};

namespace {

constexpr double kDepth = 0.25;  // Voxels from the surface to an anchor behind it.
constexpr float kBend = 0.5F;    // Cosine between normals of neighbours that are one smooth surface.
constexpr float kOneSurface =
    0.9F;  // Share of the area left when the normals of a voxel with one surface are added up.

// A small piece of a triangle. Lengths in voxels, from the lowest corner of the grid.
struct Sample {
  Vec3f point;
  Vec3f area;  // Normal times area, out of the body.
  Index shell;
};

// A piece of surface as a plane.
struct Sheet {
  Vec3f point = Vec3f::Zero();
  Vec3f normal = Vec3f::Zero();  // Out of the body.
  Index shell = kNone;           // kNone: there is none.
  bool bent = false;             // The voxel holds more than this one.
};

Vec3f in_voxels(const SolidVoxels& voxels, const Vec3& p) { return ((p - voxels.origin) / voxels.cell).cast<float>(); }

Vec3 in_model(const SolidVoxels& voxels, const Vec3f& p) { return voxels.origin + voxels.cell * p.cast<double>(); }

std::ptrdiff_t voxel_at(const SolidVoxels& voxels, const Vec3f& p) {
  std::array<Index, 3> at;
  for (std::size_t k = 0; k < 3; ++k) {
    const float c = std::floor(p[static_cast<Eigen::Index>(k)]);
    if (!(c >= 0) || !(c < static_cast<float>(voxels.counts[k]))) return -1;
    at[k] = static_cast<Index>(c);
  }
  return static_cast<std::ptrdiff_t>(voxels.index(at[0], at[1], at[2]));
}

Vec3f center_of(const SolidVoxels& voxels, std::size_t voxel) {
  const std::array<Index, 3> at = voxels.coordinates(voxel);
  return Vec3f(static_cast<float>(at[0]) + 0.5F, static_cast<float>(at[1]) + 0.5F, static_cast<float>(at[2]) + 0.5F);
}

float in_front(const Sheet& sheet, const Vec3f& p) { return (p - sheet.point).dot(sheet.normal); }

// How the triangles of a mesh lie: which way is out, and which piece they belong to.
struct OrientedTriangles {
  std::vector<TriangleVertices> triangles;
  std::vector<std::int8_t> signs;
  Welding welding;
  std::vector<Index> shell_of_vertex;

  explicit OrientedTriangles(const Mesh& mesh) : triangles(triangle_vertices(mesh)), welding(weld(mesh)) {
    signs = solid_facing({mesh.positions, triangles}).signs;
    shell_of_vertex = components(mesh, &welding).of_vertex;
  }
};

// Triangles cut into pieces of at most half a voxel; those of one voxel can be looked at together.
class SheetSamples {
 public:
  SheetSamples(const Mesh& mesh, const OrientedTriangles& oriented, const SolidVoxels& voxels, const Progress& progress)
      : voxels_(voxels) {
    constexpr std::size_t kGrain = 2048;
    const std::size_t count = oriented.triangles.size();
    choose_density(mesh, oriented);
    std::vector<std::vector<Sample>> chunks((count + kGrain - 1) / kGrain);
    parallel_blocks(count, kGrain, [&](std::size_t begin, std::size_t end) {
      progress.check();
      for (std::size_t t = begin; t < end; ++t) {
        const TriangleVertices& v = oriented.triangles[t];
        cut(in_voxels(voxels, mesh.positions[v[0]]), in_voxels(voxels, mesh.positions[v[1]]),
            in_voxels(voxels, mesh.positions[v[2]]), oriented.signs[t], oriented.shell_of_vertex[v[0]],
            chunks[begin / kGrain]);
      }
    });
    for (const auto& chunk : chunks) samples_.insert(samples_.end(), chunk.begin(), chunk.end());
    sort_by_voxel();
  }

  // Calls `body(solid voxel, sample numbers)`, where the numbers are the low halves of the keys; in parallel.
  template <class Body>
  void for_each_voxel(Body&& body) const {
    parallel_for(
        groups_.empty() ? 0 : groups_.size() - 1,
        [&](std::size_t g) {
          const std::span<const std::uint64_t> keys(keys_.data() + groups_[g], groups_[g + 1] - groups_[g]);
          body(static_cast<Index>(keys[0] >> 32), keys);
        },
        512);
  }

  const Sample& of(std::uint64_t key) const { return samples_[key & 0xFFFFFFFFU]; }

 private:
  // Two samples along the side of a voxel; fewer where hundreds of surfaces lie in one another and memory would end.
  void choose_density(const Mesh& mesh, const OrientedTriangles& oriented) {
    constexpr double kMostSamples = 1.5e7;
    double count = 0;
    for (const TriangleVertices& v : oriented.triangles) {
      const double pieces =
          piece_count(in_voxels(voxels_, mesh.positions[v[0]]), in_voxels(voxels_, mesh.positions[v[1]]),
                      in_voxels(voxels_, mesh.positions[v[2]]));
      count += pieces * pieces;
    }
    if (count > kMostSamples) per_side_ *= static_cast<float>(std::sqrt(kMostSamples / count));
  }

  int piece_count(const Vec3f& a, const Vec3f& b, const Vec3f& c) const {
    const float longest = std::sqrt(std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()}));
    return std::clamp(static_cast<int>(std::ceil(per_side_ * longest)), 1, 4096);
  }

  void cut(const Vec3f& a, const Vec3f& b, const Vec3f& c, int sign, Index shell, std::vector<Sample>& out) const {
    const Vec3f area = 0.5F * static_cast<float>(sign) * (b - a).cross(c - a);
    if (!(area.squaredNorm() > 0)) return;
    const int n = piece_count(a, b, c);
    const Vec3f u = (b - a) / static_cast<float>(n), v = (c - a) / static_cast<float>(n);
    const Vec3f piece = area / static_cast<float>(n * n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n - j; ++i) {
        const Vec3f corner = a + static_cast<float>(i) * u + static_cast<float>(j) * v;
        out.push_back({corner + (u + v) / 3, piece, shell});
        if (i + j + 1 < n) out.push_back({corner + (u + v) * (2.0F / 3), piece, shell});
      }
  }

  void sort_by_voxel() {
    keys_.reserve(samples_.size());
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const std::ptrdiff_t voxel = voxel_at(voxels_, samples_[i].point);
      if (voxel < 0 || voxels_.ids[static_cast<std::size_t>(voxel)] == kNone) continue;
      keys_.push_back(std::uint64_t{voxels_.ids[static_cast<std::size_t>(voxel)]} << 32 | i);
    }
    parallel_sort(keys_);
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (i == 0 || keys_[i] >> 32 != keys_[i - 1] >> 32) groups_.push_back(i);
    groups_.push_back(keys_.size());
  }

  const SolidVoxels& voxels_;
  float per_side_ = 2;
  std::vector<Sample> samples_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> groups_;
};

// The sheet of every solid voxel, and where to look closely.
class SheetFinder {
 public:
  explicit SheetFinder(const SolidVoxels& voxels) : voxels_(voxels), sheets_(voxels.solid.size()) {
    for (std::size_t s = 0; s < kVoxelSteps; ++s)
      offsets_[s] = kVoxelStep[s][0] + std::ptrdiff_t{voxels.counts[0]} *
                                           (kVoxelStep[s][1] + std::ptrdiff_t{voxels.counts[1]} * kVoxelStep[s][2]);
  }

  void find(const SheetSamples& samples) {
    samples.for_each_voxel(
        [&](Index id, std::span<const std::uint64_t> keys) { sheets_[id] = group(samples, id, keys); });
    inherit();
    std::vector<std::uint8_t> bent(sheets_.size(), 0);
    parallel_for(sheets_.size(), [&](std::size_t id) { bent[id] = is_bent(static_cast<Index>(id)) ? 1 : 0; });
    close_.assign(sheets_.size(), 0);
    parallel_for(sheets_.size(), [&](std::size_t id) {
      close_[id] = bent[id];
      for (std::size_t s = 0; s < kVoxelSteps && close_[id] == 0; ++s) {
        const Index n = neighbour(static_cast<Index>(id), s);
        if (n != kNone && bent[n] != 0) close_[id] = 1;
      }
    });
  }

  Index neighbour(Index id, std::size_t step) const {
    return voxels_.ids[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(voxels_.solid[id]) + offsets_[step])];
  }
  const Sheet& sheet(Index id) const { return sheets_[id]; }
  // Whether there may be a gap nearby.
  bool near_bend(Index id) const { return close_[id] != 0; }

 private:
  bool is_boundary(Index id) const { return voxels_.classes[voxels_.solid[id]] == VoxelClass::kBoundary; }

  // Of the samples of the largest one's shell, those that look its way and those that look the other are two sheets;
  // the voxel takes that which its centre lies deeper behind.
  Sheet group(const SheetSamples& samples, Index id, std::span<const std::uint64_t> keys) const {
    const auto rank = [](const Sample& s) {
      return std::make_tuple(-s.area.squaredNorm(), s.point.x(), s.point.y(), s.point.z());
    };
    const Sample* lead = &samples.of(keys[0]);
    for (const std::uint64_t key : keys)
      if (rank(samples.of(key)) < rank(*lead)) lead = &samples.of(key);
    std::array<Vec3f, 2> area = {Vec3f::Zero(), Vec3f::Zero()}, point = area;
    std::array<float, 2> weight = {0, 0};
    for (const std::uint64_t key : keys) {
      const Sample& s = samples.of(key);
      if (s.shell != lead->shell) continue;
      const std::size_t side = s.area.dot(lead->area) < 0 ? 1 : 0;
      const float size = s.area.norm();
      area[side] += s.area;
      point[side] += size * s.point;
      weight[side] += size;
    }
    const bool bent = (area[0] + area[1]).norm() < kOneSurface * (weight[0] + weight[1]);
    std::array<Sheet, 2> found;
    for (std::size_t side = 0; side < 2; ++side)
      if (area[side].norm() > 0) found[side] = {point[side] / weight[side], area[side].normalized(), lead->shell, bent};
    const Vec3f center = center_of(voxels_, voxels_.solid[id]);
    return found[1].shell != kNone && in_front(found[1], center) < in_front(found[0], center) ? found[1] : found[0];
  }

  // Boundary voxels that a surface touches between two samples take the sheet of the nearest neighbour.
  void inherit() {
    std::vector<std::pair<Index, Sheet>> taken;
    for (Index id = 0; id < sheets_.size(); ++id) {
      if (sheets_[id].shell != kNone || !is_boundary(id)) continue;
      const Vec3f center = center_of(voxels_, voxels_.solid[id]);
      float nearest = std::numeric_limits<float>::infinity();
      const Sheet* from = nullptr;
      for (std::size_t s = 0; s < kVoxelSteps; ++s) {
        const Index n = neighbour(id, s);
        if (n == kNone || sheets_[n].shell == kNone) continue;
        const float distance = (sheets_[n].point - center).squaredNorm();
        if (distance < nearest) nearest = distance, from = &sheets_[n];
      }
      if (from != nullptr) taken.emplace_back(id, *from);
    }
    for (const auto& [id, sheet] : taken) sheets_[id] = sheet;
  }

  bool is_bent(Index id) const {
    if (sheets_[id].shell == kNone) return false;
    if (sheets_[id].bent) return true;
    for (std::size_t s = 0; s < kVoxelSteps; ++s) {
      const Index n = neighbour(id, s);
      if (n != kNone && sheets_[n].shell == sheets_[id].shell && sheets_[n].normal.dot(sheets_[id].normal) < kBend)
        return true;
    }
    return false;
  }

  const SolidVoxels& voxels_;
  std::array<std::ptrdiff_t, kVoxelSteps> offsets_;
  std::vector<Sheet> sheets_;
  std::vector<std::uint8_t> close_;
};

std::vector<Vec3f> vertex_normals_out(const Mesh& mesh, const OrientedTriangles& oriented, const SolidVoxels& voxels) {
  std::vector<Vec3f> normals(oriented.welding.count(), Vec3f::Zero());
  for (std::size_t t = 0; t < oriented.triangles.size(); ++t) {
    const TriangleVertices& v = oriented.triangles[t];
    const Vec3f a = in_voxels(voxels, mesh.positions[v[0]]);
    const Vec3f area = static_cast<float>(oriented.signs[t]) *
                       (in_voxels(voxels, mesh.positions[v[1]]) - a).cross(in_voxels(voxels, mesh.positions[v[2]]) - a);
    for (const Index vertex : v) normals[oriented.welding.welded[vertex]] += area;
  }
  return normals;
}

}  // namespace

// The surface, and the points between which it may lie.
struct VoxelLeaks::Walls {
  struct Anchor {
    Vec3 point = Vec3::Zero();
    Index shell = kNone;  // kNone: inside, or not known.
  };
  RayScene scene;
  std::vector<Index> shell_of_triangle;
  Index shells = 0;
  double cell = 0;
  std::vector<Anchor> anchors;   // Per solid voxel.
  std::vector<Anchor> vertices;  // Per vertex.

  Walls(const Mesh& mesh, const OrientedTriangles& oriented, const SolidVoxels& voxels)
      : scene(TriangleSoup{mesh.positions, oriented.triangles}), cell(voxels.cell) {
    for (const TriangleVertices& t : oriented.triangles) {
      shell_of_triangle.push_back(oriented.shell_of_vertex[t[0]]);
      if (shell_of_triangle.back() != kNone) shells = std::max(shells, shell_of_triangle.back() + 1);
    }
  }

  TriangleFilter of_shell(Index shell) const {
    if (shells <= 1) return {};
    return [this, shell](Index triangle) { return shell_of_triangle[triangle] == shell; };
  }

  // A quarter of a voxel behind a surface, or half the way through what is thinner.
  Vec3 behind(const Vec3& point, const Vec3& normal, Index shell) const {
    const double start = 1e-3 * cell, depth = kDepth * cell;
    const RayHit hit = scene.nearest_hit({point, -normal, start, 2 * depth}, of_shell(shell));
    return point - (hit ? 0.5 * hit.t : depth) * normal;
  }

  bool between(const Anchor& a, const Anchor& b) const {
    const Index shell = a.shell != kNone ? a.shell : b.shell;
    if (shell == kNone || (a.shell != kNone && b.shell != kNone && a.shell != b.shell)) return false;
    const Vec3 way = b.point - a.point;
    if (!(way.squaredNorm() > 0) || !scene.occluded({a.point, way, 0, 1}, of_shell(shell))) return false;
    // What lies in other shells only is not on another side of this one.
    return shells <= 1 || a.shell == b.shell || inside(a.shell == kNone ? a.point : b.point, shell);
  }

  // By the crossings of three rays.
  bool inside(const Vec3& point, Index shell) const {
    int odd = 0;
    for (const Vec3& direction : {Vec3(0.8, 0.53, 0.28), Vec3(-0.37, 0.71, -0.6), Vec3(0.21, -0.64, 0.74)})
      odd += scene.all_hits({point, direction}, of_shell(shell)).size() % 2 == 1 ? 1 : 0;
    return odd >= 2;
  }
};

VoxelLeaks::VoxelLeaks(const Mesh& mesh, const SolidVoxels& voxels, const Progress& progress) {
  progress.step("leaks", 0);
  const OrientedTriangles oriented(mesh);
  progress.step("leaks", 0.3);
  SheetFinder sheets(voxels);
  sheets.find(SheetSamples(mesh, oriented, voxels, progress));
  progress.step("leaks", 0.6);
  auto walls = std::make_unique<Walls>(mesh, oriented, voxels);
  const std::size_t count = voxels.solid.size();
  walls->anchors.resize(count);
  parallel_for(
      count,
      [&](std::size_t i) {
        const Sheet& sheet = sheets.sheet(static_cast<Index>(i));
        Walls::Anchor& anchor = walls->anchors[i];
        anchor.point = voxels.center(voxels.solid[i]);
        anchor.shell = sheet.shell;
        if (sheet.shell == kNone) return;
        anchor.point = walls->behind(in_model(voxels, sheet.point), sheet.normal.cast<double>(), sheet.shell);
      },
      1024);
  closed_.assign(count, 0);
  parallel_blocks(count, 1024, [&](std::size_t begin, std::size_t end) {
    progress.check();
    for (std::size_t i = begin; i < end; ++i) {
      if (!sheets.near_bend(static_cast<Index>(i))) continue;
      for (std::size_t s = 0; s < kVoxelSteps; ++s) {
        const Index n = sheets.neighbour(static_cast<Index>(i), s);
        // Each pair once: from the lower, or from the one that is looked at.
        if (n == kNone || (n < i && sheets.near_bend(n))) continue;
        if (walls->between(walls->anchors[i], walls->anchors[n])) closed_[i] |= 1U << s;
      }
    }
  });
  for (Index i = 0; i < count; ++i)
    for (std::size_t s = 0; s < kVoxelSteps && closed_[i] != 0; ++s)
      if ((closed_[i] >> s & 1U) != 0) closed_[sheets.neighbour(i, s)] |= 1U << (s ^ 1U);
  std::size_t bits = 0;
  for (const std::uint32_t mask : closed_) bits += static_cast<std::size_t>(std::popcount(mask));
  closed_steps_ = static_cast<Index>(bits / 2);

  const std::vector<Vec3f> normals = vertex_normals_out(mesh, oriented, voxels);
  walls->vertices.resize(mesh.positions.size());
  parallel_for(
      mesh.positions.size(),
      [&](std::size_t v) {
        const Vec3f& normal = normals[oriented.welding.welded[v]];
        walls->vertices[v].point = mesh.positions[v];
        if (!(normal.squaredNorm() > 0)) return;
        walls->vertices[v].shell = oriented.shell_of_vertex[v];
        walls->vertices[v].point =
            walls->behind(mesh.positions[v], normal.normalized().cast<double>(), oriented.shell_of_vertex[v]);
      },
      1024);
  walls_ = std::move(walls);
}

VoxelLeaks::VoxelLeaks(VoxelLeaks&&) noexcept = default;
VoxelLeaks& VoxelLeaks::operator=(VoxelLeaks&&) noexcept = default;
VoxelLeaks::~VoxelLeaks() = default;

bool VoxelLeaks::parted(Index vertex, Index solid) const {
  return walls_->between(walls_->vertices[vertex], walls_->anchors[solid]);
}

Vec3 VoxelLeaks::behind(Index vertex) const { return walls_->vertices[vertex].point; }

}  // namespace sinew::geometry
