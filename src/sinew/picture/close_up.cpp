// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/close_up.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::picture {
namespace {

// Bounds of a region, in limb radii.
constexpr double kLeastReach = 2.2;
constexpr double kMostReach = 4;
// Vertices of which the joint and its descendants have such a share are where the skin bends most.
constexpr double kLeastShare = 0.2;
constexpr double kMostShare = 0.8;
// Below the first angle a joint counts as straight, above the second as bent.
constexpr double kStraight_rad = radians(4);
constexpr double kBent_rad = radians(25);
constexpr std::size_t kSamples = 600;
// Distance of the eye in radii of the region; the camera that is fitted later is about as far.
constexpr double kEyeDistance = 4.5;
// How much more a vertex of the largest interest counts than one of none.
constexpr double kInterest = 4;

Vec3 position_of(const Mat4& matrix) { return matrix.topRightCorner<3, 1>(); }

/// A point on the skin that should be seen.
struct Sample {
  Vec3 position;
  Vec3 normal;
  double weight = 0;
};

/// The two bones at a joint, and how it is bent.
struct Bend {
  Vec3 in = Vec3::Zero();    ///< From the previous joint to this one; zero if there is none.
  Vec3 out = Vec3::Zero();   ///< To the next one; zero if there is none.
  Vec3 axis = Vec3::Zero();  ///< The axis of the bend, of unit length; zero for a straight joint.
  double amount = 0;         ///< From 0, straight, to 1, bent.
};

double smooth_step(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// Directions over the whole sphere, mirrored in x = 0.
std::vector<Vec3> all_directions() {
  std::vector<Vec3> result;
  constexpr int kRows = 11;
  for (int row = 0; row < kRows; ++row) {
    const double elevation = radians(-75.0 + 15 * row);
    const int count = 2 * std::max(2, static_cast<int>(std::lround(10 * std::cos(elevation))));
    for (int k = 0; k < count; ++k) {
      const double azimuth = kTwoPi * k / count;
      result.emplace_back(std::sin(azimuth) * std::cos(elevation), std::sin(elevation),
                          std::cos(azimuth) * std::cos(elevation));
    }
  }
  result.push_back(Vec3::UnitY());
  return result;
}

/// How well a direction shows the bend, apart from what is in the way; at most 1.
double quality(const Vec3& direction, const Bend& bend) {
  const double facing = std::abs(direction.dot(bend.axis));
  double result = 1 - 0.8 * bend.amount * (1 - facing * facing);
  for (const Vec3& bone : {bend.in, bend.out}) {
    if (bone.isZero()) continue;
    const double along = direction.dot(bone.normalized());
    result *= 1 - 0.55 * along * along;
  }
  const double height = direction.y();
  result *= 1 - (height > 0 ? 0.2 : 0.45) * height * height;
  // Where two sides are equally good, the one nearer to the character's front.
  return result * (1 + 0.03 * direction.z());
}

}  // namespace

struct CloseUpFinder::Impl {
  const Rig& rig;
  const PictureFrame& frame;
  std::span<const float> interest;
  SkinWeights weights;
  geometry::Welding welding;
  geometry::Lists rings;
  std::vector<geometry::TriangleVertices> triangles;
  geometry::RayScene scene;
  std::vector<std::vector<Index>> children;
  std::vector<Mat4> rest;
  double size = 0;

  Impl(const Rig& character, const PictureFrame& posed, std::span<const float> values)
      : rig(character),
        frame(posed),
        interest(values),
        weights(character.weights.normalized()),
        welding(geometry::weld(character.mesh)),
        rings(geometry::one_rings(character.mesh, &welding)),
        triangles(geometry::triangle_vertices(character.mesh)),
        scene(geometry::TriangleSoup{frame.positions, triangles}),
        children(character.skeleton.children()),
        rest(rest_matrices(character.skeleton)) {
    Box box;
    for (const Vec3& p : frame.positions) box.extend(p);
    size = box.diagonal();
  }

  Vec3 place(Index joint) const { return position_of(frame.joints[joint]); }
  bool apart(Index a, Index b) const { return (place(a) - place(b)).norm() > 1e-4 * size; }

  /// Whether each joint is the given one or below it.
  std::vector<char> below(Index joint) const {
    std::vector<char> result(rig.skeleton.size(), 0);
    result[joint] = 1;
    for (Index j = joint + 1; j < rig.skeleton.size(); ++j)
      if (rig.skeleton.joints[j].parent != kNone && result[rig.skeleton.joints[j].parent] != 0) result[j] = 1;
    return result;
  }

  /// Calls `visit(vertex, influence)` for all influences; rigid parts have one.
  template <class Visit>
  void for_each_influence(const Visit& visit) const {
    for (const MeshPart& part : rig.mesh.parts)
      for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
        if (part.skin == kNone) {
          if (part.joint != kNone) visit(v, Influence{part.joint, 1.0F});
        } else if (v < weights.row_count()) {
          for (const Influence& influence : weights.row(v)) visit(v, influence);
        }
  }

  /// Per vertex the weight of the marked joints.
  std::vector<double> share_of(const std::vector<char>& marked) const {
    std::vector<double> result(frame.positions.size(), 0);
    for_each_influence([&](Index v, const Influence& i) {
      if (marked[i.joint] != 0) result[v] += static_cast<double>(i.weight);
    });
    return result;
  }

  Index previous(Index joint) const {
    for (Index j = rig.skeleton.joints[joint].parent; j != kNone; j = rig.skeleton.joints[j].parent)
      if (apart(j, joint)) return j;
    return kNone;
  }

  /// The end of the bone to the child that moves most, with all below it.
  Vec3 next_place(Index joint) const {
    std::vector<double> sums(rig.skeleton.size(), 0);
    for_each_influence([&](Index, const Influence& i) { sums[i.joint] += static_cast<double>(i.weight); });
    for (Index j = rig.skeleton.size(); j-- > 0;)
      if (rig.skeleton.joints[j].parent != kNone) sums[rig.skeleton.joints[j].parent] += sums[j];
    Index best = kNone;
    for (const Index child : children[joint])
      if (apart(child, joint) && (best == kNone || sums[child] > sums[best])) best = child;
    if (best != kNone) return place(best);
    const std::optional<Vec3>& end = rig.skeleton.joints[joint].end_local;
    return end ? transform_point(frame.joints[joint], *end) : place(joint);
  }

  Bend bend_of(Index joint) const {
    Bend bend;
    const Index before = previous(joint);
    if (before != kNone) bend.in = place(joint) - place(before);
    bend.out = next_place(joint) - place(joint);
    // The rotation from rest, without the part of it that twists the bone.
    const Index parent = rig.skeleton.joints[joint].parent;
    const auto relative = [&](const std::vector<Mat4>& joints) -> Mat4 {
      return parent == kNone ? joints[joint] : Mat4(joints[parent].inverse() * joints[joint]);
    };
    const Quat turn =
        decompose(relative(rest)).transform.rotation.conjugate() * decompose(relative(frame.joints)).transform.rotation;
    const Mat3 to_model = decompose(frame.joints[joint]).transform.rotation.toRotationMatrix();
    Quat swing = turn;
    if (!bend.out.isZero()) swing = swing_twist(turn, Vec3(to_model.transpose() * bend.out.normalized())).swing;
    const Vec3 rotation = rotation_log(swing);
    bend.amount = smooth_step(kStraight_rad, kBent_rad, rotation.norm());
    if (bend.amount > 0) bend.axis = to_model * rotation.normalized();
    if (bend.amount > 0.5 || bend.in.isZero() || bend.out.isZero()) return bend;
    // Straight as seen from rest, but the bones may form an angle at rest.
    const Vec3 across = bend.in.normalized().cross(bend.out.normalized());
    const double amount = 0.5 * smooth_step(0.2, 0.6, across.norm());
    if (amount > bend.amount) bend.amount = amount, bend.axis = across.normalized();
    return bend;
  }

  /// Half of the vertices that bend with the joint are nearer to it than this. Zero if nothing follows the joint.
  double limb_radius(Index joint, const std::vector<double>& share) const {
    // Linear blending collapses the skin at twists, so the pose in which the skin was attached counts, too.
    std::vector<Vec3> bound(rig.skins.size());
    for (Index s = 0; s < bound.size(); ++s) bound[s] = position_of(bind_pose_matrices(rig, s)[joint]);
    std::vector<double> now, before, all;
    for (const MeshPart& part : rig.mesh.parts)
      for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
        if (!(share[v] > 0)) continue;
        all.push_back((frame.positions[v] - place(joint)).norm());
        if (share[v] < kLeastShare || share[v] > kMostShare) continue;
        now.push_back(all.back());
        if (part.skin != kNone) before.push_back((rig.mesh.positions[v] - bound[part.skin]).norm());
      }
    if (all.empty()) return 0;
    const auto median = [](std::vector<double>& values) {
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
      std::nth_element(values.begin(), middle, values.end());
      return *middle;
    };
    const double nearest = *std::min_element(all.begin(), all.end());
    const double posed = std::max({median(now.empty() ? all : now), nearest, 1e-3 * size});
    return before.empty() ? posed : std::clamp(median(before), posed, 2.5 * posed);
  }

  /// Vertices around a joint, and how far they may be from it on the side of each bone.
  struct Region {
    std::vector<Index> vertices;
    double inner = 0, outer = 0;
  };

  Region region(Index joint, const Bend& bend) const {
    std::vector<double> share = share_of(below(joint));
    const auto bends = [&](double s) { return s >= kLeastShare && s <= kMostShare; };
    if (std::none_of(share.begin(), share.end(), bends)) {
      // A root, or rigid pieces: the skin of the joint itself.
      std::vector<char> only(rig.skeleton.size(), 0);
      only[joint] = 1;
      share = share_of(only);
    }
    const double radius = limb_radius(joint, share);
    if (!(radius > 0)) return {};
    const auto reach = [&](const Vec3& bone) {
      return std::clamp(0.5 * bone.norm(), kLeastReach * radius, kMostReach * radius);
    };
    const double inner = reach(bend.in), outer = reach(bend.out);
    return {connected(joint, share, inner, outer), inner, outer};
  }

  /// The skin that is connected with the place where it bends, no farther than the reach on either side of the joint.
  std::vector<Index> connected(Index joint, const std::vector<double>& share, double inner, double outer) const {
    std::vector<char> state(welding.count(), 0);  // 1: near enough, 2: reached.
    std::vector<Index> stack;
    const auto reached = [&](Index w) { state[w] = 2, stack.push_back(w); };
    Index nearest = kNone;
    double least = std::numeric_limits<double>::infinity();
    for (Index w = 0; w < welding.count(); ++w) {
      const Index v = welding.first[w];
      const double distance = (frame.positions[v] - place(joint)).norm();
      if (distance <= (share[v] < 0.5 ? inner : outer)) state[w] = 1;
      if (share[v] > 0 && distance < least) least = distance, nearest = w;
    }
    for (Index w = 0; w < welding.count(); ++w)
      if (const double s = share[welding.first[w]]; state[w] == 1 && s > 0.02 && s < 0.98) reached(w);
    if (stack.empty() && nearest != kNone) reached(nearest);
    while (!stack.empty()) {
      const Index at = stack.back();
      stack.pop_back();
      for (const Index w : rings[at])
        if (state[w] == 1) reached(w);
    }
    std::vector<Index> result;
    for (Index v = 0; v < frame.positions.size(); ++v)
      if (state[welding.welded[v]] == 2) result.push_back(v);
    return result;
  }

  /// Points spread evenly over the triangles of a region.
  std::vector<Sample> samples(const std::vector<Index>& vertices) const {
    std::vector<char> inside(frame.positions.size(), 0);
    float most = 0;
    for (const Index v : vertices) {
      inside[v] = 1;
      if (!interest.empty()) most = std::max(most, interest[v]);
    }
    std::vector<std::pair<std::size_t, double>> areas;
    double total = 0;
    // Of a coarse mesh there may be no whole triangle in the region.
    for (int corners = 3; corners > 0 && !(total > 0); --corners)
      for (std::size_t t = 0; t < triangles.size(); ++t) {
        const auto [a, b, c] = triangles[t];
        if (inside[a] + inside[b] + inside[c] < corners) continue;
        total += cross(t).norm();
        areas.emplace_back(t, total);
      }
    std::vector<Sample> result;
    if (!(total > 0)) return result;
    std::size_t at = 0;
    for (std::size_t k = 0; k < kSamples; ++k) {
      const double target = total * (static_cast<double>(k) + 0.5) / kSamples;
      while (at + 1 < areas.size() && areas[at].second < target) ++at;
      const std::size_t t = areas[at].first;
      // An additive sequence that is even in the unit square, folded into the triangle.
      double u = std::fmod(0.5 + 0.7548776662466927 * static_cast<double>(k), 1.0);
      double v = std::fmod(0.5 + 0.5698402909980532 * static_cast<double>(k), 1.0);
      if (u + v > 1) u = 1 - u, v = 1 - v;
      const auto mix = [&, &corners = triangles[t]](const auto& values) {
        return (1 - u - v) * values[corners[0]] + u * values[corners[1]] + v * values[corners[2]];
      };
      Sample sample{mix(frame.positions), cross(t).normalized(), 1};
      if (most > 0) sample.weight += kInterest * mix(interest) / static_cast<double>(most);
      result.push_back(sample);
    }
    return result;
  }

  /// The normal of a triangle, twice as long as its area.
  Vec3 cross(std::size_t t) const {
    const auto [a, b, c] = triangles[t];
    return (frame.positions[b] - frame.positions[a]).cross(frame.positions[c] - frame.positions[a]);
  }

  /// The share of the samples that the eye sees, each by the area that it fills in the picture.
  double visible(const std::vector<Sample>& points, const Vec3& eye) const {
    std::vector<geometry::Ray> rays;
    std::vector<double> gains;
    double total = 0;
    for (const Sample& sample : points) {
      const Vec3 direction = (eye - sample.position).normalized();
      rays.push_back({sample.position, direction, 2e-4 * size, (eye - sample.position).norm()});
      gains.push_back(sample.weight * std::abs(direction.dot(sample.normal)));
      total += sample.weight;
    }
    const std::vector<std::uint8_t> hidden = scene.occluded(rays);
    double sum = 0;
    for (std::size_t i = 0; i < rays.size(); ++i)
      if (hidden[i] == 0) sum += gains[i];
    return total > 0 ? sum / total : 0;
  }
};

CloseUpFinder::CloseUpFinder(const Rig& rig, const PictureFrame& frame, std::span<const float> interest)
    : impl_(std::make_unique<const Impl>(rig, frame, interest)) {}
CloseUpFinder::CloseUpFinder(CloseUpFinder&&) noexcept = default;
CloseUpFinder& CloseUpFinder::operator=(CloseUpFinder&&) noexcept = default;
CloseUpFinder::~CloseUpFinder() = default;

std::vector<Index> CloseUpFinder::region(Index joint) const {
  return impl_->region(joint, impl_->bend_of(joint)).vertices;
}

PictureCloseUp CloseUpFinder::close_up(Index joint, std::span<const Vec3> other) const {
  PictureCloseUp result;
  const Bend bend = impl_->bend_of(joint);
  const Impl::Region region = impl_->region(joint, bend);
  if (region.vertices.empty()) return result;
  for (const Index v : region.vertices) result.points.push_back(impl_->frame.positions[v]);
  // The bones, too: a coarse mesh has few vertices along them.
  for (const auto& [bone, reach] : {std::pair(Vec3(-bend.in), region.inner), std::pair(bend.out, region.outer)})
    result.points.emplace_back(impl_->place(joint) + bone * std::min(1.0, 0.8 * reach / std::max(bone.norm(), 1e-30)));
  Box box;
  for (const Vec3& p : result.points) box.extend(p);
  const double radius = 0.5 * box.diagonal();
  const std::vector<Sample> points = impl_->samples(region.vertices);
  std::vector<Vec3> directions = all_directions();
  if (bend.amount > 0)
    for (const double side : {1.0, -1.0}) directions.emplace_back(side * bend.axis);
  if (!other.empty())
    for (const Index v : region.vertices)
      if ((other[v] - impl_->place(joint)).norm() < 1.2 * std::max(region.inner, region.outer))
        result.points.push_back(other[v]);
  double most = -1;
  for (const Vec3& direction : directions) {
    const double bound = quality(direction, bend);
    if (bound <= most) continue;
    const double score = bound * impl_->visible(points, box.center() + kEyeDistance * radius * direction);
    if (score > most) most = score, result.back = direction;
  }
  return result;
}

}  // namespace sinew::picture
