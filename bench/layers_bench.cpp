// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Counts skin that comes through clothes, without and with `--contact layers`, by a check that shares nothing with it.
//
//     layers_bench CLIP EVERY FILE…     every so many frames of a built-in clip, 30 per second
//
// A vertex is covered if, in the bind pose, the nearest point of another shell that faces the same way, within 3 % of
// the size, is in front of it. It is outside in a frame if the nearest point of the triangles of that shell that face
// the same way at binding, within 6 % of the size, is behind it; and seen if a quarter of 32 directions outwards are
// free. The columns are covered vertices, then outside and seen, each without and with layers, and the largest step of
// the correction at 480 frames per second as a share of that at 120.

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/io/asset.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/pipeline/play.h"

namespace {

using namespace sinew;

constexpr double kCover_rel = 0.03, kSearch_rel = 0.06, kSameWay = 0.3, kOutside_rel = 1e-5;
constexpr int kDirections = 32;

struct CoveredVertex {
  Index vertex = 0, shell = 0;
  Vec3 normal = Vec3::Zero();
};

struct Count {
  int outside = 0, seen = 0;
};

class Checker {
 public:
  explicit Checker(const Mesh& mesh) : mesh_(mesh), welding_(geometry::weld(mesh)), triangles_(triangulate(mesh)) {
    shells_ = geometry::components(mesh, &welding_);
    const std::vector<Vec3> normals = geometry::vertex_normals(mesh, &welding_);
    for (const Triangle& t : triangles_) {
      const Vec3 a = at(t, 0), b = at(t, 1), c = at(t, 2);
      normals_.push_back((b - a).cross(c - a).normalized());
      middles_.push_back((a + b + c) / 3);
    }
    const geometry::RayScene scene(mesh);
    for (const Index v : welding_.first) {
      const Index own = shells_.of_vertex[v];
      if (own == kNone) continue;
      const auto accept = [&](Index t) { return shell_of(t) != own && normals_[t].dot(normals[v]) > kSameWay; };
      const auto closest = scene.closest_point(mesh.positions[v], kCover_rel * mesh.size(), accept);
      if (closest && (closest.point - mesh.positions[v]).dot(normals_[closest.triangle]) > 0.5 * closest.distance)
        covered_.push_back({v, shell_of(closest.triangle), normals[v]});
    }
  }

  std::size_t covered() const { return covered_.size(); }

  Count count(std::span<const Vec3f> positions) const {
    Mesh posed = mesh_;
    for (Index v = 0; v < posed.positions.size(); ++v) posed.positions[v] = positions[v].cast<double>();
    const geometry::RayScene scene(posed);
    const std::vector<Vec3> normals = geometry::vertex_normals(posed, &welding_);
    const double size = mesh_.size();
    Count result;
    for (const CoveredVertex& covered : covered_) {
      const Vec3 p = posed.positions[covered.vertex];
      const auto accept = [&](Index t) {
        return shell_of(t) == covered.shell && normals_[t].dot(covered.normal) > kSameWay &&
               (middles_[t] - mesh_.positions[covered.vertex]).norm() < kSearch_rel * size;
      };
      const auto closest = scene.closest_point(p, kSearch_rel * size, accept);
      if (!closest) continue;
      const Triangle& t = triangles_[closest.triangle];
      const Vec3 a = posed.positions[t.vertices[0]], b = posed.positions[t.vertices[1]],
                 c = posed.positions[t.vertices[2]];
      if (!((p - closest.point).dot((b - a).cross(c - a).normalized()) > kOutside_rel * size)) continue;
      ++result.outside;
      result.seen += seen(scene, p, normals[covered.vertex], size) ? 1 : 0;
    }
    return result;
  }

 private:
  Vec3 at(const Triangle& t, std::size_t k) const { return mesh_.positions[t.vertices[k]]; }
  Index shell_of(Index t) const { return shells_.of_vertex[triangles_[t].vertices[0]]; }

  static bool seen(const geometry::RayScene& scene, const Vec3& p, const Vec3& normal, double size) {
    const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), normal);
    int free = 0;
    for (int k = 0; k < kDirections; ++k) {
      const double z = (k + 0.5) / kDirections, angle = k * kPi * (3 - std::sqrt(5.0)), r = std::sqrt(1 - z * z);
      const Vec3 direction = turn * Vec3(r * std::cos(angle), r * std::sin(angle), z);
      free += scene.occluded(geometry::Ray{p, direction, 1e-4 * size, 2 * size}) ? 0 : 1;
    }
    return 4 * free >= kDirections;
  }

  const Mesh& mesh_;
  geometry::Welding welding_;
  std::vector<Triangle> triangles_;
  geometry::Components shells_;
  std::vector<Vec3> normals_, middles_;
  std::vector<CoveredVertex> covered_;
};

double largest_step(pipeline::Playback& plain, pipeline::Playback& layers, double fps) {
  double most = 0;
  std::vector<Vec3f> before;
  for (double time = 0; time < 1; time += 1 / fps) {
    const auto a = layers.at(time), b = plain.at(time);
    std::vector<Vec3f> now(a.begin(), a.end());
    for (std::size_t v = 0; v < now.size(); ++v) now[v] -= b[v];
    for (std::size_t v = 0; v < before.size(); ++v)
      most = std::max(most, static_cast<double>((now[v] - before[v]).norm()));
    before = std::move(now);
  }
  return most;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    fmt::print(stderr, "layers_bench CLIP EVERY FILE...\n");
    return 2;
  }
  const std::string clip = arguments[1];
  const int every = std::max(1, std::atoi(arguments[2]));
  for (int i = 3; i < count; ++i) {
    const io::Asset asset = io::load(arguments[i]);
    const Skeleton& skeleton = asset.character.rig.skeleton;
    pipeline::DeformerOptions options;
    options.never_worse = false;
    pipeline::Playback plain(asset.character, motion::builtin_clip(skeleton, clip), options);
    options.contact.use = deform::ContactUse::kLayers;
    pipeline::Playback layers(asset.character, motion::builtin_clip(skeleton, clip), options);
    const Checker checker(asset.character.rig.mesh);
    Count before, after;
    for (int frame = 0; plain.next() && layers.next(); ++frame) {
      if (frame % every != 0) continue;
      const Count a = checker.count(plain.positions()), b = checker.count(layers.positions());
      before.outside += a.outside, before.seen += a.seen;
      after.outside += b.outside, after.seen += b.seen;
    }
    const double steps = largest_step(plain, layers, 120);
    fmt::print("{}: {} covered, outside {} -> {}, seen {} -> {}, step {:.2f}\n", arguments[i], checker.covered(),
               before.outside, after.outside, before.seen, after.seen,
               steps > 0 ? largest_step(plain, layers, 480) / steps : 0.0);
    std::fflush(stdout);
  }
}
