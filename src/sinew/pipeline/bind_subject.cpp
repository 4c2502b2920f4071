// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bind_subject.h"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>

#include "sinew/core/text.h"
#include "sinew/pipeline/bind_names.h"

namespace sinew::pipeline {
namespace {

/// Skins that put a joint farther apart than this share of the mesh's size disagree.
constexpr double kSkinsAgree = 0.01;

std::vector<Index> vertices_per_skin(const Rig& rig) {
  std::vector<Index> vertices(rig.skins.size(), 0);
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone) vertices[part.skin] += part.vertex_count;
  return vertices;
}

// Where a skin puts its joints, and how heavy its word is.
struct JointPlaces {
  std::vector<Mat4> matrix;
  std::vector<Index> skin;  // Whose word holds; kNone for none.
  std::vector<double> apart;
};

JointPlaces places_by_skins(const Rig& rig) {
  const std::vector<Index> vertices = vertices_per_skin(rig);
  const std::size_t count = rig.skeleton.joints.size();
  JointPlaces places{std::vector<Mat4>(count, Mat4::Identity()), std::vector<Index>(count, kNone),
                     std::vector<double>(count, 0.0)};
  // The heaviest first; of equal ones the first.
  std::vector<Index> order(rig.skins.size());
  for (Index s = 0; s < order.size(); ++s) order[s] = s;
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return vertices[a] > vertices[b]; });
  for (const Index s : order)
    for (std::size_t k = 0; k < rig.skins[s].joints.size(); ++k) {
      const Index j = rig.skins[s].joints[k];
      const Mat4 bind = rig.skins[s].inverse_bind[k].inverse();
      if (!bind.allFinite()) continue;
      if (places.skin[j] == kNone) {
        places.matrix[j] = bind;
        places.skin[j] = s;
      } else if (vertices[s] > 0) {
        const Vec3 here = bind.topRightCorner<3, 1>(), there = places.matrix[j].topRightCorner<3, 1>();
        places.apart[j] = std::max(places.apart[j], (here - there).norm());
      }
    }
  return places;
}

void set_named(const Skeleton& skeleton, const std::vector<std::string>& names, std::vector<char>& bound) {
  for (const std::string& name : names) {
    bool found = false;
    for (Index j = 0; j < skeleton.size(); ++j)
      if (skeleton.joints[j].name == name) bound[j] = 1, found = true;
    if (!found) throw unknown_joint(skeleton, name);
  }
}

bool any_set(const std::vector<char>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](char flag) { return flag != 0; });
}

// The rows of parts that have a skin: what hangs rigidly on a node says nothing about which joints move a skin.
SkinWeights skinned_rows(const Rig& rig) {
  SkinWeights weights;
  if (rig.weights.empty()) return weights;
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone)
      for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
        weights.add_row(rig.weights.row(v));
  return weights;
}

// Nodes that are there for a mesh alone.
void leave_out_mesh_nodes(const Rig& rig, std::vector<char>& bound) {
  const auto children = rig.skeleton.children();
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin == kNone && part.joint != kNone && children[part.joint].empty() &&
        !rig.skeleton.joints[part.joint].deforming)
      bound[part.joint] = 0;
}

// The only child of a joint that may say where it ends; kNone for none or several.
Index end_node(const Rig& rig, const std::vector<Index>& children, const std::vector<Mat4>& frames, Index joint) {
  Index found = kNone;
  for (const Index child : children) {
    const Joint& node = rig.skeleton.joints[child];
    const NodeUse use = node_use(node.name, node.role);
    const bool of_mesh = std::any_of(rig.mesh.parts.begin(), rig.mesh.parts.end(),
                                     [&](const MeshPart& part) { return part.skin == kNone && part.joint == child; });
    const bool apart = frames[child].topRightCorner<3, 1>() != frames[joint].topRightCorner<3, 1>();
    if (of_mesh || use == NodeUse::kControl || use == NodeUse::kSocket || !apart) continue;
    if (found != kNone) return kNone;
    found = child;
  }
  return found;
}

}  // namespace

std::vector<Mat4> binding_matrices(const Rig& rig, Findings& warnings) {
  JointPlaces places = places_by_skins(rig);
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    if (places.skin[j] != kNone) continue;
    const Joint& joint = rig.skeleton.joints[j];
    if (joint.parent == kNone) {
      places.matrix[j] = rest[j];
      continue;
    }
    Mat4 local = joint.rest.matrix();
    local.topLeftCorner<3, 3>() *= joint.shear;
    places.matrix[j] = places.matrix[joint.parent] * local;
  }
  const double size = rig.mesh.size();
  const auto worst = std::max_element(places.apart.begin(), places.apart.end());
  if (size > 0 && worst != places.apart.end() && *worst > kSkinsAgree * size) {
    const auto joint = static_cast<std::size_t>(worst - places.apart.begin());
    warnings.push_back({"bind.skins_disagree", rig.skeleton.joints[joint].name,
                        fmt::format("Skins were bound in different poses: the positions of '{}' differ by {:.2g} of "
                                    "the character's size. The skin with the most vertices determines the positions.",
                                    rig.skeleton.joints[joint].name, *worst / size)});
  }
  return std::move(places.matrix);
}

Error unknown_joint(const Skeleton& skeleton, const std::string& name) {
  std::vector<std::string> known;
  for (const Joint& joint : skeleton.joints) known.push_back(joint.name);
  return Error(fmt::format("There is no joint '{}' in the skeleton.{}", name, did_you_mean(name, known)));
}

std::vector<char> joints_to_bind(const Skeleton& skeleton, const SkinWeights& weights,
                                 const std::vector<std::string>& names) {
  const std::size_t count = skeleton.joints.size();
  if (count == 0) throw Error("There is no skeleton, so there are no joints to bind to.");
  std::vector<char> bound(count, 0);
  if (!names.empty()) {
    set_named(skeleton, names, bound);
    return bound;
  }
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& influence : weights.row(v))
      if (influence.weight > 0) bound[influence.joint] = 1;
  if (any_set(bound)) return bound;
  std::vector<char> candidates(count, 0);
  for (Index j = 0; j < skeleton.size(); ++j) candidates[j] = skeleton.joints[j].deforming ? 1 : 0;
  if (!any_set(candidates)) candidates.assign(count, 1);
  bound = joints_of_skin(skeleton, candidates);
  if (!any_set(bound))
    throw Error(
        "No joint is left to bind to: according to their names, all joints are ends, controls or sockets. List those "
        "that should move the skin in the option 'joints'.");
  return bound;
}

Skeleton with_leaf_ends(const Rig& rig, const std::vector<Mat4>& frames, const std::vector<char>& bound) {
  Skeleton skeleton = rig.skeleton;
  const auto children = skeleton.children();
  // Whether a bound joint lies below, and the next bound one above.
  std::vector<char> goes_on(skeleton.joints.size(), 0);
  std::vector<Index> above(skeleton.joints.size(), kNone);
  for (Index j = skeleton.size(); j-- > 0;)
    if (const Index parent = skeleton.joints[j].parent; parent != kNone && (bound[j] != 0 || goes_on[j] != 0))
      goes_on[parent] = 1;
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    if (parent != kNone) above[j] = bound[parent] != 0 ? parent : above[parent];
  }
  for (Index j = 0; j < skeleton.size(); ++j) {
    if (bound[j] == 0 || goes_on[j] != 0 || children[j].empty()) continue;
    const Vec3 place = frames[j].topRightCorner<3, 1>();
    const Index end = end_node(rig, children[j], frames, j);
    if (end == kNone && above[j] == kNone) continue;
    const Vec3 tip = end != kNone ? Vec3(frames[end].topRightCorner<3, 1>())
                                  : Vec3(2 * place - frames[above[j]].topRightCorner<3, 1>());
    const Vec3 local = transform_point(frames[j].inverse(), tip);
    if (local.allFinite()) skeleton.joints[j].end_local = local;
  }
  return skeleton;
}

binding::Subject bind_subject(const Rig& rig, const std::vector<std::string>& joint_names, Findings& warnings) {
  std::vector<char> bound = joints_to_bind(rig.skeleton, skinned_rows(rig), joint_names);
  if (joint_names.empty()) {
    std::vector<char> without = bound;
    leave_out_mesh_nodes(rig, without);
    if (any_set(without)) bound = std::move(without);
  }
  return {rig.mesh, rig.skeleton, binding_matrices(rig, warnings), std::move(bound)};
}

}  // namespace sinew::pipeline
