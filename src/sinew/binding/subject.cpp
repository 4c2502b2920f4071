// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/subject.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "sinew/binding/face_joints.h"
#include "sinew/core/error.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::binding {
namespace {

constexpr double kShortestBone = 1e-6;               // Of the mesh's size.
constexpr double kEyeReach = 1.1, kFaceReach = 1.5;  // Of the distance of the nearest vertex.
constexpr double kLeastFaceReach = 0.01;             // Of the mesh's size.
constexpr double kFaceEnd = 0.1;                     // Of the bone before: the end segment of a joint of a face.
constexpr double kBesideBone = 0.8;   // Along a bone: a joint that is located before this is beside the bone,
constexpr double kBeyondBone = 0.95;  // and one after this continues it.

void check_subject(const Subject& subject) {
  const std::size_t count = subject.skeleton.joints.size();
  if (subject.joints.size() != count || subject.bound.size() != count)
    throw Error(
        "The joint lists of the subject and its skeleton differ in length. Provide one matrix and one flag for every "
        "joint.");
  if (std::none_of(subject.bound.begin(), subject.bound.end(), [](char bound) { return bound != 0; }))
    throw Error("No joint of the skeleton may move the skin. Bind at least one joint.");
  for (std::size_t j = 0; j < count; ++j)
    if (!subject.joints[j].allFinite())
      throw Error("The joint '" + subject.skeleton.joints[j].name +
                  "' has a bind matrix that is not finite. Repair the skeleton, or do not bind this joint.");
}

// Who is above and below whom, joints that are not bound passed over.
void link_joints(const Subject& subject, BoneTree& tree) {
  const Index count = subject.skeleton.size();
  tree.parent.assign(count, kNone);
  tree.children.resize(count);
  for (Index j = 0; j < count; ++j) {
    Index above = subject.skeleton.joints[j].parent;
    if (above != kNone && subject.bound[above] == 0) above = tree.parent[above];
    tree.parent[j] = above;
    if (subject.bound[j] == 0) continue;
    tree.joints.push_back(j);
    if (above != kNone) tree.children[above].push_back(j);
  }
}

// Where a point is along the bone that ends at a joint: 0 at the joint above, 1 at the joint itself.
double along_incoming(const Subject& subject, const BoneTree& tree, Index joint, const Vec3& p) {
  const Vec3 start = subject.position(tree.parent[joint]), way = subject.position(joint) - start;
  return (p - start).dot(way) / way.squaredNorm();
}

// Some rigs attach a limb to the far joint of the bone that it sits beside: in 3ds Max, the legs are children of the
// first joint of the spine, and the collar bones are children of the neck. A bone from there back to the limb would
// give the chest to the neck. Such a limb counts as a child of the near joint.
void lift_limbs(const Subject& subject, BoneTree& tree) {
  std::vector<std::pair<Index, Index>> lifted;  // A limb and the joint that it sits beside.
  const double shortest = kShortestBone * subject.mesh.size();
  for (const Index j : tree.joints) {
    const Index above = tree.parent[j];
    if (above == kNone || tree.children[j].size() < 2 ||
        !((subject.position(j) - subject.position(above)).norm() > shortest))
      continue;
    const auto along = [&](Index child) { return along_incoming(subject, tree, j, subject.position(child)); };
    const auto& children = tree.children[j];
    if (std::none_of(children.begin(), children.end(), [&](Index child) { return along(child) > kBeyondBone; }))
      continue;
    for (const Index child : children)
      if (!tree.children[child].empty() && along(child) < kBesideBone) lifted.emplace_back(child, above);
  }
  for (const auto& [limb, above] : lifted) {
    std::erase(tree.children[tree.parent[limb]], limb);
    auto& siblings = tree.children[above];
    siblings.insert(std::lower_bound(siblings.begin(), siblings.end(), limb), limb);
    tree.parent[limb] = above;
  }
}

Bone bone_between(Index joint, Index child, const Vec3& a, const Vec3& b) {
  Bone bone{joint, child, a, b, b - a, 0, 0};
  bone.length = bone.direction.norm();
  bone.direction /= bone.length;
  return bone;
}

// The distance of the nearest vertex.
double nearest_skin(const Mesh& mesh, const Vec3& p) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& q : mesh.positions) least = std::min(least, (q - p).squaredNorm());
  return std::sqrt(least);
}

// Where a joint's own segment ends, if it says so itself.
std::optional<Vec3> own_end(const Subject& subject, Index joint, double shortest) {
  const auto& end = subject.skeleton.joints[joint].end_local;
  if (!end) return std::nullopt;
  const Vec3 b = transform_point(subject.joints[joint], *end);
  if (!b.allFinite() || !((b - subject.position(joint)).norm() > shortest)) return std::nullopt;
  return b;
}

// The place of the only child of a joint, an end node as the joint has none that is bound.
std::optional<Vec3> end_node(const Subject& subject, const std::vector<Index>& children, Index joint, double shortest) {
  if (children.size() != 1) return std::nullopt;
  const Vec3 b = subject.position(children.front());
  if (!((b - subject.position(joint)).norm() > shortest)) return std::nullopt;
  return b;
}

// The end of the segment of a joint about which nothing is known.
Vec3 lone_end(const Mesh& mesh, const Vec3& place) {
  const Vec3 extent = mesh.bounds().extent();
  int axis = 0;
  extent.maxCoeff(&axis);
  Vec3 end = place;
  end[axis] += extent[axis] > 0 ? extent[axis] : 1.0;
  return end;
}

// The steps of `bone_tree`: the end segments need to know which joints lie at one place.
struct TreeBuilder {
  const Subject& subject;
  BoneTree& tree;
  double shortest;
  geometry::UnionFind places;   // Joints that bones left out hold together.
  std::vector<char> has_bone;   // Per place: whether a bone begins there.
  std::vector<char> too_short;  // Per joint: whether the bone to it is left out.
  std::vector<Bone> ends;       // Per joint: its end segment, length 0 where it has none.
  std::vector<FaceJoint> face;  // Per joint: what it moves of a face, if it is a leaf.

  TreeBuilder(const Subject& s, BoneTree& t)
      : subject(s),
        tree(t),
        shortest(kShortestBone * s.mesh.size()),
        places(t.parent.size()),
        has_bone(t.parent.size(), 0),
        too_short(t.parent.size(), 0),
        ends(t.parent.size()),
        face(t.parent.size(), FaceJoint::kNone) {
    for (const Index j : tree.joints)
      if (tree.children[j].empty() && tree.parent[j] != kNone) face[j] = face_joint(subject.skeleton.joints[j].name);
  }

  // The tip of a head that has only joints of its face to tell how large it is.
  std::optional<Vec3> end_of_head(Index joint) const {
    if (tree.parent[joint] == kNone || too_short[joint] != 0) return std::nullopt;
    double longest = 0;
    bool has_face = false;
    for (const Index child : tree.children[joint]) {
      longest = std::max(longest, (subject.position(child) - subject.position(joint)).norm());
      has_face = has_face || face[child] != FaceJoint::kNone;
    }
    if (!has_face || !(longest > shortest)) return std::nullopt;
    const Vec3 way = subject.position(joint) - subject.position(tree.parent[joint]);
    return subject.position(joint) + longest * way.normalized();
  }

  void limit_face(Index joint, Bone& end) const {
    if (face[joint] == FaceJoint::kNone) return;
    const double near = nearest_skin(subject.mesh, end.a);
    end.reach = face[joint] == FaceJoint::kEye ? kEyeReach * near
                                               : std::max(kFaceReach * near, kLeastFaceReach * subject.mesh.size());
    end.reach = std::max(end.reach, shortest);
  }

  double gap(Index child) const { return (subject.position(child) - subject.position(tree.parent[child])).norm(); }

  void find_short_bones() {
    for (const Index j : tree.joints) {
      if (tree.parent[j] == kNone || gap(j) > shortest) continue;
      too_short[j] = 1;
      places.join(j, tree.parent[j]);
    }
    for (const Index j : tree.joints)
      if (tree.parent[j] != kNone && too_short[j] == 0) has_bone[places.find(tree.parent[j])] = 1;
  }

  // Whether a bone to a child runs there anyway.
  bool leads_to_a_child(Index joint, const Vec3& end) const {
    return std::any_of(tree.children[joint].begin(), tree.children[joint].end(), [&](Index child) {
      return (subject.position(child) - end).norm() <= 1e-3 * (end - subject.position(joint)).norm();
    });
  }

  // Ends that the skeleton tells, or that go on from a bone.
  void find_ends() {
    const auto children = subject.skeleton.children();
    for (const Index j : tree.joints) {
      const Vec3 place = subject.position(j);
      std::optional<Vec3> end = own_end(subject, j, shortest);
      if (end && leads_to_a_child(j, *end)) end.reset();
      if (tree.children[j].empty()) {
        if (!end) end = end_node(subject, children[j], j, shortest);
        if (!end && tree.parent[j] != kNone && too_short[j] == 0)
          end = place + (place - subject.position(tree.parent[j]));
        if (end && face[j] != FaceJoint::kNone) end = place + kFaceEnd * (*end - place);
      } else if (!end) {
        end = end_of_head(j);
        if (end && leads_to_a_child(j, *end)) end.reset();
      }
      if (!end) continue;
      ends[j] = bone_between(j, kNone, place, *end);
      limit_face(j, ends[j]);
      has_bone[places.find(j)] = 1;
    }
    // The rest: leaves at the place of the joint above. One stands for each place where nothing begins.
    for (const Index j : tree.joints) {
      if (!tree.children[j].empty() || has_bone[places.find(j)] != 0) continue;
      Index top = j;
      while (too_short[top] != 0) top = tree.parent[top];
      const Vec3 place = subject.position(j);
      const Vec3 end = tree.parent[top] == kNone
                           ? lone_end(subject.mesh, place)
                           : Vec3(place + (subject.position(top) - subject.position(tree.parent[top])));
      ends[j] = bone_between(j, kNone, place, end);
      has_bone[places.find(j)] = 1;
    }
  }

  void add_bone(const Bone& bone) {
    const auto index = static_cast<Index>(tree.bones.size());
    tree.outgoing[bone.joint].push_back(index);
    if (!bone.is_end()) tree.incoming[bone.child] = index;
    tree.bones.push_back(bone);
  }

  void add_bones() {
    tree.outgoing.resize(tree.parent.size());
    tree.incoming.assign(tree.parent.size(), kNone);
    for (const Index j : tree.joints) {
      for (const Index child : tree.children[j])
        if (too_short[child] == 0) add_bone(bone_between(j, child, subject.position(j), subject.position(child)));
      if (ends[j].length > 0) add_bone(ends[j]);
    }
    for (Index j = 0; j < tree.parent.size(); ++j) tree.place.push_back(places.find(j));
    for (const Index j : tree.joints)
      if (face[j] == FaceJoint::kEye) tree.eyes.push_back(j);
    for (const Index j : tree.joints)
      if (too_short[j] != 0) {
        tree.incoming[j] = tree.incoming[tree.parent[j]];
        tree.parent[j] = tree.parent[tree.parent[j]];
      }
  }
};

}  // namespace

Subject rest_subject(const Mesh& mesh, const Skeleton& skeleton) {
  return {mesh, skeleton, rest_matrices(skeleton), std::vector<char>(skeleton.joints.size(), 1)};
}

BoneTree bone_tree(const Subject& subject) {
  check_subject(subject);
  BoneTree tree;
  link_joints(subject, tree);
  lift_limbs(subject, tree);
  TreeBuilder builder(subject, tree);
  builder.find_short_bones();
  builder.find_ends();
  builder.add_bones();
  return tree;
}

BonePoint closest_on_bone(const Bone& bone, const Vec3& p) {
  BonePoint closest;
  closest.along = (p - bone.a).dot(bone.direction) / bone.length;
  closest.point = bone.a + std::clamp(closest.along, 0.0, 1.0) * (bone.b - bone.a);
  closest.distance = (p - closest.point).norm();
  return closest;
}

}  // namespace sinew::binding
