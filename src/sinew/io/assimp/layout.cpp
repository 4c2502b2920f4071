// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Where nodes stand: unit, axes and the skeleton.

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/io/assimp/build.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io::assimp {
namespace {

// A matrix that only moves, turns, mirrors and scales evenly.
bool is_similarity(const Mat4& m) {
  const Mat3 a = m.topLeftCorner<3, 3>();
  const double scale = std::cbrt(std::abs(a.determinant()));
  return scale > 1e-12 && ((a.transpose() * a) / (scale * scale) - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-4;
}

std::string axis_word(std::int32_t axis, std::int32_t sign) {
  return std::string(sign < 0 ? "-" : "+") + static_cast<char>('x' + axis);
}

// FBX: rows are the file's right, up and front, which become +X, +Y and +Z.
Mat3 fbx_axes(const SceneFacts& facts, Asset& asset) {
  const auto good = [](std::int32_t axis, std::int32_t sign) {
    return axis >= 0 && axis < 3 && (sign == 1 || sign == -1);
  };
  if (!good(facts.up, facts.up_sign) || !good(facts.front, facts.front_sign) || !good(facts.right, facts.right_sign) ||
      facts.up == facts.front || facts.up == facts.right || facts.front == facts.right) {
    asset.warnings.push_back(
        {"fbx.axes", "", "The file does not specify its axes correctly; y is assumed to be up and z forward."});
    return Mat3::Identity();
  }
  asset.contents["up"] = axis_word(facts.up, facts.up_sign);
  asset.contents["forward"] = axis_word(facts.front, facts.front_sign);
  Mat3 axes = Mat3::Zero();
  axes(0, facts.right) = facts.right_sign;
  axes(1, facts.up) = facts.up_sign;
  axes(2, facts.front) = facts.front_sign;
  return axes;
}

double fbx_unit(const SceneFacts& facts, Asset& asset) {
  double centimetres = facts.unit_scale;
  if (!std::isfinite(centimetres) || centimetres < 1e-6 || centimetres > 1e9) {
    asset.warnings.push_back(
        {"fbx.unit", "", "The file does not specify its unit correctly; centimetres are assumed."});
    centimetres = 1;
  }
  asset.contents["unit_in_metres"] = centimetres * 0.01;
  return centimetres * 0.01;
}

// What Assimp did for COLLADA, read back from the root.
void describe_root(const Mat4& root, Asset& asset) {
  const Mat3 linear = root.topLeftCorner<3, 3>();
  const double scale = std::cbrt(std::abs(linear.determinant()));
  asset.contents["unit_in_metres"] = std::round(scale * 1e6) / 1e6;
  int up = 1;
  linear.row(1).cwiseAbs().maxCoeff(&up);
  asset.contents["up"] = axis_word(up, linear(1, up) < 0 ? -1 : 1);
}

bool is_end_node(const std::string& name) {
  for (const char* ending : {"_end", "_End", "_END", "End Site", "Nub", "_leaf"})
    if (name.ends_with(ending)) return true;
  return false;
}

std::vector<bool> bones_of(const Scene& scene) {
  std::vector<bool> is_bone(scene.nodes.size(), false);
  for (const SceneMesh& mesh : scene.meshes)
    for (const SceneBone& bone : mesh.bones) is_bone[bone.node] = true;
  return is_bone;
}

std::vector<bool> moved_nodes(const Scene& scene) {
  std::vector<bool> moved(scene.nodes.size(), false);
  for (const SceneClip& clip : scene.clips)
    for (const SceneChannel& channel : clip.channels) moved[channel.node] = true;
  return moved;
}

// Whether a node shows a mesh that no bones move.
bool has_rigid_mesh(const Scene& scene, const SceneNode& node) {
  return std::any_of(node.meshes.begin(), node.meshes.end(),
                     [&](Index mesh) { return scene.meshes[mesh].bones.empty(); });
}

std::vector<bool> wanted_nodes(const Scene& scene, const std::vector<bool>& is_bone) {
  std::vector<bool> wanted = moved_nodes(scene);
  const auto any = [](const std::vector<bool>& list) {
    return std::find(list.begin(), list.end(), true) != list.end();
  };
  const bool moves = any(is_bone) || any(wanted);
  std::vector<bool> below(scene.nodes.size(), false);
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    const SceneNode& node = scene.nodes[n];
    below[n] = is_bone[n] || (n > 0 && below[node.parent]);
    const bool skinned_only = !node.meshes.empty() && !has_rigid_mesh(scene, node);
    if (is_bone[n] || (below[n] && !skinned_only) || (moves && has_rigid_mesh(scene, node))) wanted[n] = true;
  }
  for (std::size_t n = scene.nodes.size(); n-- > 1;)
    if (wanted[n]) wanted[scene.nodes[n].parent] = true;
  return wanted;
}

// The frame that takes the unit, and an even scale of the root joint (Blender's armatures have 100), out of a tree.
Mat4 tree_frame(const Mat4& to_model, const Mat4& root_local) {
  const Mat3 linear = to_model.topLeftCorner<3, 3>();
  const double unit = std::cbrt(std::abs(linear.determinant()));
  const Decomposed parts = decompose(root_local);
  const Vec3& scale = parts.transform.scale;
  const bool even = scale.minCoeff() > 1e-9 && scale.maxCoeff() - scale.minCoeff() < 1e-4 * scale.maxCoeff() &&
                    parts.shear.isIdentity(1e-4);
  const double factor = 1 / (unit * (even ? scale.mean() : 1.0));
  Mat4 frame = Mat4::Identity();
  frame.diagonal() << (linear.determinant() < 0 ? -factor : factor), factor, factor, 1;
  return frame;
}

}  // namespace

Layout lay_out(const Scene& scene, const FormatTraits& traits, Asset& asset) {
  Layout layout;
  if (traits.fbx) {
    layout.to_model.topLeftCorner<3, 3>() = fbx_unit(scene.facts, asset) * fbx_axes(scene.facts, asset);
    asset.states_space = true;
  }
  if (traits.collada) {
    describe_root(scene.nodes.front().local, asset);
    asset.states_space = true;
  }
  // Most formats have no root node: Assimp makes one. It says only where the scene stands.
  const bool fold = is_similarity(scene.nodes.front().local) && !bones_of(scene)[0] && !moved_nodes(scene)[0];
  if (fold) layout.to_model = layout.to_model * scene.nodes.front().local;
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    const SceneNode& node = scene.nodes[n];
    if (n == 0) layout.world.push_back(fold ? Mat4(Mat4::Identity()) : node.local);
    else layout.world.push_back(layout.world[node.parent] * node.local);
    layout.is_root.push_back(fold ? n > 0 && node.parent == 0 : n == 0);
    if (!(layout.to_model * layout.world[n]).allFinite())
      throw Error(fmt::format("The transform of the node '{}' is not finite.", to_utf8(node.name)));
  }
  layout.frame.assign(scene.nodes.size(), Mat4::Identity());
  layout.joint.assign(scene.nodes.size(), kNone);
  return layout;
}

void build_skeleton(const Scene& scene, Layout& layout, Asset& asset) {
  Skeleton& skeleton = asset.character.rig.skeleton;
  const std::vector<bool> is_bone = bones_of(scene);
  const std::vector<bool> wanted = wanted_nodes(scene, is_bone), moved = moved_nodes(scene);
  std::uint64_t straightened = 0;
  for (Index n = 0; n < scene.nodes.size(); ++n) {
    // Below a folded root every tree is its own; the root itself is no joint.
    if (!wanted[n] || (n == 0 && !layout.is_root[0])) continue;
    const SceneNode& node = scene.nodes[n];
    Joint joint;
    joint.name = to_utf8(node.name);
    if (joint.name.empty()) joint.name = fmt::format("node_{}", n);
    joint.deforming = is_bone[n];
    joint.source = n;
    Mat4 local;
    if (layout.is_root[n]) {
      layout.frame[n] = tree_frame(layout.to_model, node.local);
      local = layout.model(n);
    } else {
      layout.frame[n] = layout.frame[node.parent];
      joint.parent = layout.joint[node.parent];
      local = layout.frame[n].inverse() * node.local * layout.frame[n];
    }
    const Decomposed parts = decompose(local);
    joint.rest = parts.transform;
    // Clips say all of a node's transform, and cannot say shear: a node that they move has none.
    if (!parts.shear.isIdentity(1e-5)) {
      if (moved[n]) ++straightened;
      else joint.shear = parts.shear;
    }
    for (int i = 0; i < 3; ++i)  // Rounding of the file's own numbers, not a scale.
      if (std::abs(joint.rest.scale[i] - 1) < 1e-5) joint.rest.scale[i] = 1;
    if (is_end_node(joint.name)) {
      joint.role = "end";
      if (joint.parent != kNone) skeleton.joints[joint.parent].end_local = joint.rest.translation;
    }
    layout.joint[n] = skeleton.size();
    skeleton.joints.push_back(std::move(joint));
  }
  if (straightened > 0)
    asset.warnings.push_back(
        {"assimp.shear", "",
         fmt::format("{} node(s) that clips move are sheared at rest; clips cannot represent shear, so it is left out.",
                     straightened)});
  const auto children = skeleton.children();
  for (Index j = 0; j < skeleton.size(); ++j)
    if (skeleton.joints[j].end_local && children[j].size() != 1) skeleton.joints[j].end_local.reset();
}

}  // namespace sinew::io::assimp
