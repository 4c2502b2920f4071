// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/subject.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sinew/core/error.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::binding {
namespace {

constexpr double kShortestBone = 1e-6;  // Of the mesh's size.

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

Bone bone_between(Index joint, Index child, const Vec3& a, const Vec3& b) {
  Bone bone{joint, child, a, b, b - a, 0};
  bone.length = bone.direction.norm();
  bone.direction /= bone.length;
  return bone;
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

  TreeBuilder(const Subject& s, BoneTree& t)
      : subject(s),
        tree(t),
        shortest(kShortestBone * s.mesh.size()),
        places(t.parent.size()),
        has_bone(t.parent.size(), 0),
        too_short(t.parent.size(), 0),
        ends(t.parent.size()) {}

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
      }
      if (!end) continue;
      ends[j] = bone_between(j, kNone, place, *end);
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
