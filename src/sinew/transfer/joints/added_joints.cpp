// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/joints/added_joints.h"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "sinew/core/rotation.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/geometry/spatial/segment.h"
#include "sinew/transfer/match/joint_turns.h"

namespace sinew::transfer {
namespace {

constexpr double kNoOffset_rel = 1e-6;
constexpr double kLeastRadial = 0.2, kMostRadial = 5;

/// A mesh to be asked how far its skin is.
struct SkinDistance {
  explicit SkinDistance(const Mesh& mesh)
      : triangles(geometry::triangle_vertices(mesh)), positions(mesh.positions), scene({positions, triangles}) {}

  /// To the nearest place where a ray leaves the body; 0 if there is none.
  double distance(const Vec3& from, const Vec3& direction) const {
    const auto leaves = [&](Index t) {
      const auto& [a, b, c] = triangles[t];
      return (positions[b] - positions[a]).cross(positions[c] - positions[a]).dot(direction) > 0;
    };
    geometry::Ray ray;
    ray.origin = from;
    ray.direction = direction;
    const geometry::RayHit hit = scene.nearest_hit(ray, leaves);
    return hit ? hit.t : 0;
  }

  std::vector<geometry::TriangleVertices> triangles;
  std::span<const Vec3> positions;
  geometry::RayScene scene;
};

/// How places and directions around an added joint correspond.
struct Mapping {
  Vec3 reference_origin = Vec3::Zero(), target_origin = Vec3::Zero();
  Mat3 turn = Mat3::Identity();   // Target's model space to the reference's.
  Mat3 scale = Mat3::Identity();  // In the reference's model space.

  Vec3 place(const Vec3& p) const { return target_origin + turn.transpose() * (scale * (p - reference_origin)); }
};

// Bones that share a joint are equally far from a place beyond it, up to rounding: geometry::segment_distance() rounds
// otherwise and would choose another one.
double distance_to_bone(const Vec3& p, const Vec3& a, const Vec3& b) {
  return (geometry::segment_point(p, a, b) - p).norm();
}

class Adder {
 public:
  Adder(const TransferBody& reference, const TransferBody& target, const Correspondence& correspondence,
        Placement placement, Directions directions)
      : reference_(reference),
        target_(target),
        correspondence_(correspondence),
        placement_(placement),
        bones_(paired_bones(reference, target, correspondence, directions)),
        mean_ratio_(mean_length_ratio(reference, target, bones_)),
        mappings_(reference.joints.size()) {
    result_.skeleton = target.skeleton;
    result_.joints = target.joints;
    result_.of_reference.assign(reference.joints.size(), kNone);
    for (const JointPair& pair : correspondence.pairs) result_.of_reference[pair.reference] = pair.target;
    for (const Joint& joint : target.skeleton.joints) names_.insert(joint.name);
  }

  AddedJoints add(const std::vector<char>& wanted) {
    for (Index j = 0; j < reference_.skeleton.size(); ++j)
      if (wanted[j] != 0 && result_.of_reference[j] == kNone) add_one(j);
    for (const Index j : added_) set_mirror(j);
    const TransferBody extended{target_.mesh, result_.skeleton, result_.joints};
    const JointTurns turns(reference_, extended, correspondence_, bones_);
    for (const Index j : added_) add_driver(j, extended, turns);
    return std::move(result_);
  }

 private:
  /// The nearest joint above that the target has, or has got.
  Index above(Index joint) const {
    Index j = reference_.skeleton.joints[joint].parent;
    while (j != kNone && result_.of_reference[j] == kNone) j = reference_.skeleton.joints[j].parent;
    return j;
  }

  /// Card, H2: along the bone as its length, across as far as the skin is.
  Mapping scaled_mapping(Index joint, Index pair) {
    const Vec3 place = reference_.position(joint);
    const PairedBone* bone = &bones_[pair].front();
    for (const PairedBone& other : bones_[pair])
      if (distance_to_bone(place, other.reference_a, other.reference_b) <
          distance_to_bone(place, bone->reference_a, bone->reference_b))
        bone = &other;
    Mapping mapping;
    mapping.reference_origin = bone->reference_a;
    mapping.target_origin = bone->target_a;
    mapping.turn = bone->turn;
    mapping.scale = mean_ratio_ * Mat3::Identity();
    const double length_r = bone->reference_length(), length_t = bone->target_length();
    if (!(length_r > 0 && length_t > 0)) return mapping;
    const Vec3 axis = (bone->reference_b - bone->reference_a) / length_r;
    const double along = (place - bone->reference_a).dot(axis);
    const Vec3 across = place - bone->reference_a - along * axis;
    double radial = 1;
    if (across.norm() > kNoOffset_rel * reference_.mesh.size())
      radial = radial_ratio(joint, *bone, std::clamp(along / length_r, 0.0, 1.0), across.normalized());
    const Mat3 projection = axis * axis.transpose();
    mapping.scale = (length_t / length_r) * projection + radial * (Mat3::Identity() - projection);
    return mapping;
  }

  double radial_ratio(Index joint, const PairedBone& bone, double t, const Vec3& direction) {
    if (!reference_skin_) reference_skin_.emplace(reference_.mesh), target_skin_.emplace(target_.mesh);
    const double rho_r =
        reference_skin_->distance(bone.reference_a + t * (bone.reference_b - bone.reference_a), direction);
    const double rho_t =
        target_skin_->distance(bone.target_a + t * (bone.target_b - bone.target_a), bone.turn.transpose() * direction);
    if (rho_r > 0 && rho_t > 0) return std::clamp(rho_t / rho_r, kLeastRadial, kMostRadial);
    result_.warnings.push_back({"transfer.place", reference_.skeleton.joints[joint].name,
                                fmt::format("No skin of the {} was found next to its bone; its distance from the bone "
                                            "was scaled with the length of the bone.",
                                            rho_r > 0 ? "target" : "reference")});
    return bone.target_length() / bone.reference_length();
  }

  Mapping mapping_of(Index joint, Index parent) {
    if (parent == kNone) {
      Mapping mapping;
      mapping.turn = correspondence_.turn;
      mapping.scale = mean_ratio_ * Mat3::Identity();
      if (correspondence_.pairs.empty()) return mapping;
      mapping.reference_origin = reference_.position(correspondence_.pairs.front().reference);
      mapping.target_origin = target_.position(correspondence_.pairs.front().target);
      return mapping;
    }
    const Index here = result_.of_reference[parent];
    if (placement_ == Placement::kCopied) {
      const Mat3 frame = polar(result_.joints[here].topLeftCorner<3, 3>()).rotation;
      return {reference_.position(parent), result_.joints[here].topRightCorner<3, 1>(),
              reference_.frame(parent) * frame.transpose(), Mat3::Identity()};
    }
    const Index pair = correspondence_.of_reference(parent);
    if (pair != kNone) return scaled_mapping(joint, pair);
    Mapping mapping = mappings_[parent];
    mapping.reference_origin = reference_.position(parent);
    mapping.target_origin = result_.joints[here].topRightCorner<3, 1>();
    return mapping;
  }

  void add_one(Index joint) {
    const Index parent = above(joint);
    const Mapping mapping = mapping_of(joint, parent);
    const Joint& original = reference_.skeleton.joints[joint];
    Joint fresh;
    fresh.name = original.name;
    for (int number = 2; !names_.insert(fresh.name).second; ++number)
      fresh.name = fmt::format("{}_{}", original.name, number);
    fresh.parent = parent == kNone ? kNone : result_.of_reference[parent];
    fresh.deforming = original.deforming;
    fresh.role = original.role;
    fresh.limits = original.limits;

    const Mat4 outer = fresh.parent == kNone ? Mat4(Mat4::Identity()) : result_.joints[fresh.parent];
    const double volume = std::abs(outer.topLeftCorner<3, 3>().determinant());
    const double size = volume > 0 ? std::cbrt(volume) : 1;
    Mat4 frame = Mat4::Identity();
    frame.topLeftCorner<3, 3>() =
        mapping.turn.transpose() * reference_.frame(joint) * (size * original.rest.scale).asDiagonal();
    frame.topRightCorner<3, 1>() = mapping.place(reference_.position(joint));
    const Mat4 local = volume > 0 ? Mat4(outer.inverse() * frame) : frame;
    const Decomposed parts = decompose(local);
    fresh.rest = parts.transform;
    fresh.shear = parts.shear;
    if ((fresh.rest.scale - original.rest.scale).norm() < 1e-9) fresh.rest.scale = original.rest.scale;
    if (original.end_local) {
      const Mat3 back = frame.topLeftCorner<3, 3>().inverse();
      const Vec3 end = reference_.joints[joint].topLeftCorner<3, 3>() * *original.end_local;
      if (back.allFinite()) fresh.end_local = back * (mapping.turn.transpose() * (mapping.scale * end));
    }
    mappings_[joint] = mapping;
    added_.push_back(joint);
    result_.of_reference[joint] = result_.skeleton.size();
    result_.skeleton.joints.push_back(std::move(fresh));
    result_.joints.push_back(frame);
  }

  void set_mirror(Index joint) {
    const Index partner = reference_.skeleton.joints[joint].mirror;
    if (partner == kNone || result_.of_reference[partner] == kNone) return;
    const Index here = result_.of_reference[joint], there = result_.of_reference[partner];
    Index& back = result_.skeleton.joints[there].mirror;
    if (back != kNone && back != here) return;
    result_.skeleton.joints[here].mirror = there;
    back = here;
  }

  void add_driver(Index joint, const TransferBody& extended, const JointTurns& turns) {
    const std::optional<Driver>& driver = reference_.skeleton.joints[joint].driver;
    if (!driver) return;
    const Index here = result_.of_reference[joint];
    const bool known = driver->kind != Driver::Kind::kOpaque;
    const Index source = driver->source < reference_.skeleton.size() ? driver->source : kNone;
    const Index partner = source == kNone ? kNone : result_.of_reference[source];
    if (known && partner == kNone) {
      result_.warnings.push_back(
          {"transfer.driver", result_.skeleton.joints[here].name,
           source == kNone
               ? std::string("Its driver has no source and was left out.")
               : fmt::format("Its driver was left out because the target does not have '{}', the joint that drives it.",
                             reference_.skeleton.joints[source].name)});
      return;
    }
    if (!known)
      result_.warnings.push_back({"transfer.driver", result_.skeleton.joints[here].name,
                                  "Its driver has an unknown kind and was copied unchanged; check whether it fits."});
    result_.skeleton.joints[here].driver =
        known ? transferred_driver(*driver, reference_, extended, turns, {source, partner}, {joint, here},
                                   mappings_[joint].scale)
              : *driver;
    result_.skeleton.joints[here].driver->source = partner;
  }

  const TransferBody& reference_;
  const TransferBody& target_;
  const Correspondence& correspondence_;
  Placement placement_;
  std::vector<std::vector<PairedBone>> bones_;
  double mean_ratio_;
  std::vector<Mapping> mappings_;  // Per joint of the reference.
  std::vector<Index> added_;       // Joints of the reference.
  std::set<std::string> names_;
  std::optional<SkinDistance> reference_skin_, target_skin_;
  AddedJoints result_;
};

}  // namespace

AddedJoints add_joints(const TransferBody& reference, const TransferBody& target, const Correspondence& correspondence,
                       const std::vector<char>& wanted, Placement placement, Directions directions) {
  return Adder(reference, target, correspondence, placement, directions).add(wanted);
}

}  // namespace sinew::transfer
