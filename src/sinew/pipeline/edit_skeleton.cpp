// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/edit_skeleton.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/motion/names/shape_roles.h"
#include "sinew/pipeline/joint_axes.h"
#include "sinew/pipeline/rebase_clips.h"
#include "sinew/pipeline/skeleton_plan.h"
#include "sinew/rigging/build/build_skeleton.h"

namespace sinew::pipeline {
namespace {

constexpr double kSamePose = 1e-5;  // Of the size: bind matrices that put a vertex to the same place.

Index find_joint(const Skeleton& skeleton, const std::string& name) {
  const Index joint = skeleton.find(name);
  std::vector<std::string> known;
  for (const Joint& j : skeleton.joints) known.push_back(j.name);
  if (joint == kNone) throw Error(fmt::format("There is no joint '{}'.{}", name, did_you_mean(name, known)));
  if (std::count(known.begin(), known.end(), name) > 1)
    throw Error(fmt::format("Several joints have the name '{}'.", name));
  return joint;
}

/// A skeleton that is being edited. Joints keep their numbers until the end; added ones follow.
class SkeletonEditor {
 public:
  explicit SkeletonEditor(Character character) : before_(std::move(character)), rig_(before_.rig) {
    frames_ = rest_matrices(rig_.skeleton);
    gone_.assign(rig_.skeleton.joints.size(), 0);
  }

  void remove(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const Index j = find_joint(before_.rig.skeleton, name);
      if (rig_.skeleton.joints[j].parent == kNone)
        throw Error(fmt::format("'{}' is a root: no joint above it could take its weights.", name));
      gone_[j] = 1;
    }
    for (Index j = 0; j < rig_.skeleton.size(); ++j) {
      Index& parent = rig_.skeleton.joints[j].parent;
      while (parent != kNone && gone_[parent] != 0) parent = before_.rig.skeleton.joints[parent].parent;
    }
    for (Index j = rig_.skeleton.size(); j-- > 0;)
      if (gone_[j] != 0) hand_over(j, rig_.skeleton.joints[j].parent);
  }

  void reparent(const std::map<std::string, std::string>& pairs) {
    for (const auto& [child, parent] : pairs) {
      const Index c = find_joint(before_.rig.skeleton, child), p = find_joint(before_.rig.skeleton, parent);
      if (gone_[c] != 0 || gone_[p] != 0)
        throw Error(fmt::format("'{}' cannot be attached to '{}', because one of them is removed.", child, parent));
      rig_.skeleton.joints[c].parent = p;
      for (Index j = p; j != kNone; j = rig_.skeleton.joints[j].parent)
        if (j == c) throw Error(fmt::format("'{}' cannot be attached to '{}', which is below it.", child, parent));
    }
  }

  // Limbs in one piece, below the hips. Joints between those with roles stay.
  std::vector<std::string> attach_limbs(const motion::Recognition& roles) {
    using motion::BodyPart;
    std::vector<std::string> attached;
    const Index hips = roles.find(BodyPart::kHips);
    Index top = hips;
    for (const BodyPart part : {BodyPart::kSpine, BodyPart::kChest})
      for (const Index j : roles.chain(part))
        if (gone_[j] == 0) top = j;
    const auto attach = [&](Index child, Index parent) {
      if (child == kNone || parent == kNone || gone_[child] != 0 || gone_[parent] != 0) return;
      if (is_below(child, parent) || is_below(parent, child)) return;
      rig_.skeleton.joints[child].parent = parent;
      attached.push_back(before_.rig.skeleton.joints[child].name);
    };
    for (const motion::Side side : {motion::Side::kLeft, motion::Side::kRight}) {
      const auto of = [&](BodyPart part) { return roles.find(part, side); };
      attach(of(BodyPart::kThigh), hips);
      attach(of(BodyPart::kShin), of(BodyPart::kThigh));
      attach(of(BodyPart::kFoot), of(BodyPart::kShin));
      attach(of(BodyPart::kToes), of(BodyPart::kFoot));
      const Index shoulder = of(BodyPart::kShoulder), upper = of(BodyPart::kUpperArm);
      if (hips != kNone && shoulder != kNone && !is_below(shoulder, hips)) attach(shoulder, top);
      if (shoulder != kNone) attach(upper, shoulder);
      else if (hips != kNone && upper != kNone && !is_below(upper, hips)) attach(upper, top);
      attach(of(BodyPart::kForearm), upper);
      attach(of(BodyPart::kHand), of(BodyPart::kForearm));
    }
    return attached;
  }

  // The joint above the hips that moves the whole character, with the axes of the model. Returns its number if it
  // existed; `added` tells whether it did not.
  Index give_root(Index hips, const rigging::Preset& preset, const Vec3& position, std::vector<std::string>& names,
                  bool& added) {
    Index root = kNone;
    for (Index j = rig_.skeleton.joints[hips].parent; j != kNone; j = rig_.skeleton.joints[j].parent)
      if (j < names.size() && (rig_.skeleton.joints[j].deforming || lower_case(names[j]) == lower_case(preset.root)))
        root = j;
    added = root == kNone;
    for (std::string& name : names)
      if (name == preset.root) name += "_old";
    if (!added) {
      names[root] = preset.root;
      return root;
    }
    Joint joint;
    joint.name = preset.root;
    joint.parent = rig_.skeleton.joints[hips].parent;
    joint.deforming = preset.all_bones;
    root = rig_.skeleton.size();
    rig_.skeleton.joints[hips].parent = root;
    rig_.skeleton.joints.push_back(std::move(joint));
    // Its unit is that of the skeleton.
    const Mat3 above = rig_.skeleton.joints[root].parent == kNone
                           ? Mat3(Mat3::Identity())
                           : Mat3(frames_[rig_.skeleton.joints[root].parent].topLeftCorner<3, 3>());
    Mat4 frame = Mat4::Identity();
    frame.topLeftCorner<3, 3>() *= std::cbrt(std::abs(above.determinant()));
    frame.topRightCorner<3, 1>() = position;
    frames_.push_back(frame);
    gone_.push_back(0);
    for (Skin& skin : rig_.skins) {
      if (!preset.all_bones) continue;
      skin.joints.push_back(root);
      skin.inverse_bind.push_back(frame.inverse());
    }
    return root;
  }

  // Per joint of the input: its number in the result, or kNone.
  const std::vector<Index>& new_numbers() const { return new_of_; }

  void add(const std::map<std::string, Vec3>& joints) {
    for (const auto& [word, position] : joints) {
      const std::size_t at = word.rfind('@');
      if (at == std::string::npos || at == 0)
        throw Error(fmt::format("'{}' does not name a joint and its parent as NAME@PARENT.", word));
      const Index parent = find_joint(rig_.skeleton, word.substr(at + 1));
      if (parent < gone_.size() && gone_[parent] != 0)
        throw Error(fmt::format("'{}' is removed, so nothing can be attached to it.", word.substr(at + 1)));
      add_joint(word.substr(0, at), parent, position);
    }
  }

  void add_root() {
    std::string name = "Root";
    for (int i = 2; rig_.skeleton.find(name) != kNone; ++i) name = fmt::format("Root{}", i);
    const auto root = static_cast<Index>(rig_.skeleton.joints.size());
    for (Joint& joint : rig_.skeleton.joints)
      if (joint.parent == kNone) joint.parent = root;
    add_joint(name, kNone, Vec3::Zero());
  }

  void rename(const std::vector<std::string>& names) {
    for (std::size_t j = 0; j < names.size(); ++j) rig_.skeleton.joints[j].name = names[j];
    std::map<std::string, Index> count;
    for (Index j = 0; j < rig_.skeleton.size(); ++j) count[rig_.skeleton.joints[j].name] += gone_[j] == 0;
    for (Index j = 0; j < rig_.skeleton.size(); ++j) {
      const std::string& name = rig_.skeleton.joints[j].name;
      if (name.empty()) throw Error("A joint cannot have an empty name.");
      // Files in which names occur twice are taken as they are.
      const bool is_new = j >= before_.rig.skeleton.size() || name != before_.rig.skeleton.joints[j].name;
      if (is_new && gone_[j] == 0 && count[name] > 1)
        throw Error(fmt::format("Two joints would have the name '{}'.", name));
    }
  }

  SkeletonResult finish() {
    SkeletonResult result;
    result.findings = std::move(findings_);
    const std::vector<Index> order = parents_first();
    new_of_.assign(rig_.skeleton.joints.size(), kNone);
    for (Index n = 0; n < order.size(); ++n) new_of_[order[n]] = n;
    for (Index j = 0; j < gone_.size(); ++j)
      if (gone_[j] != 0 && before_.rig.skeleton.joints[j].source != kNone)
        result.removed_nodes.push_back(before_.rig.skeleton.joints[j].source);
    result.largest_move = largest_move();
    result.character = before_;
    result.character.rig = renumbered(order);
    result.longer_clips = rebase_clips(before_, new_of_, result.character);
    return result;
  }

 private:
  bool is_below(Index joint, Index above) const {
    for (Index j = joint; j != kNone; j = rig_.skeleton.joints[j].parent)
      if (j == above) return true;
    return false;
  }

  void add_joint(const std::string& name, Index parent, const Vec3& position) {
    Joint joint;
    joint.name = name;
    joint.parent = parent;
    Mat4 frame = parent == kNone ? Mat4(Mat4::Identity()) : frames_[parent];
    frame.topLeftCorner<3, 3>() = polar(Mat3(frame.topLeftCorner<3, 3>())).rotation;
    frame.topRightCorner<3, 1>() = position;
    rig_.skeleton.joints.push_back(std::move(joint));
    frames_.push_back(frame);
    gone_.push_back(0);
  }

  // Weights, parts and skins of a joint that goes.
  void hand_over(Index joint, Index heir) {
    for (Skin& skin : rig_.skins) {
      const auto found = std::find(skin.joints.begin(), skin.joints.end(), joint);
      if (found == skin.joints.end()) continue;
      const auto k = static_cast<std::size_t>(found - skin.joints.begin());
      const Mat4 bind = frames_[heir].inverse() * frames_[joint] * skin.inverse_bind[k];
      const auto other = std::find(skin.joints.begin(), skin.joints.end(), heir);
      if (other == skin.joints.end()) {
        skin.joints[k] = heir;
        skin.inverse_bind[k] = bind;
        rig_.skeleton.joints[heir].deforming = true;
        continue;
      }
      const Mat4& have = skin.inverse_bind[static_cast<std::size_t>(other - skin.joints.begin())];
      if ((frames_[heir] * (have - bind)).cwiseAbs().maxCoeff() > kSamePose * std::max(1.0, rig_.mesh.size()))
        findings_.push_back({"skeleton.bind", rig_.skeleton.joints[joint].name,
                             fmt::format("It was not bound where it rests, so vertices that now follow '{}' move.",
                                         rig_.skeleton.joints[heir].name)});
      skin.joints.erase(found);
      skin.inverse_bind.erase(skin.inverse_bind.begin() + static_cast<std::ptrdiff_t>(k));
    }
    for (MeshPart& part : rig_.mesh.parts)
      if (part.joint == joint) part.joint = heir;
    SkinWeights weights;
    std::vector<Influence> row;
    for (Index v = 0; v < rig_.weights.row_count(); ++v) {
      row.clear();
      float moved = 0;
      for (const Influence& i : rig_.weights.row(v))
        if (i.joint == joint) moved += i.weight;
        else row.push_back(i);
      const auto at = std::find_if(row.begin(), row.end(), [&](const Influence& i) { return i.joint == heir; });
      if (moved != 0 && at != row.end()) at->weight += moved;
      else if (moved != 0) row.push_back({heir, moved});
      weights.add_row(row);
    }
    rig_.weights = std::move(weights);
  }

  std::vector<Index> parents_first() const {
    std::vector<Index> order;
    std::vector<char> placed(rig_.skeleton.joints.size(), 0);
    const auto place = [&](Index joint) {
      std::vector<Index> way;
      for (Index j = joint; j != kNone && placed[j] == 0; j = rig_.skeleton.joints[j].parent) way.push_back(j);
      for (; !way.empty(); way.pop_back()) order.push_back(way.back()), placed[way.back()] = 1;
    };
    for (Index j = 0; j < rig_.skeleton.size(); ++j)
      if (gone_[j] == 0) place(j);
    return order;
  }

  Joint renumbered_joint(Index j) {
    Joint joint = rig_.skeleton.joints[j];
    const bool same = j < before_.rig.skeleton.size() && joint.parent == before_.rig.skeleton.joints[j].parent;
    if (!same) {
      const Decomposed local =
          decompose(joint.parent == kNone ? frames_[j] : Mat4(frames_[joint.parent].inverse() * frames_[j]));
      joint.rest = local.transform;
      joint.shear =
          (local.shear - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-6 ? Mat3(Mat3::Identity()) : local.shear;
    }
    const auto number = [&](Index old) { return old == kNone ? kNone : new_of_[old]; };
    joint.parent = number(joint.parent);
    joint.mirror = number(joint.mirror);
    if (joint.driver && joint.driver->source != kNone && new_of_[joint.driver->source] == kNone) {
      findings_.push_back(
          {"skeleton.driver", joint.name, "The joint that drives it is removed, so its driver is, too."});
      joint.driver.reset();
    } else if (joint.driver) {
      joint.driver->source = number(joint.driver->source);
    }
    return joint;
  }

  Rig renumbered(const std::vector<Index>& order) {
    Rig rig = rig_;
    rig.skeleton.joints.clear();
    for (const Index j : order) rig.skeleton.joints.push_back(renumbered_joint(j));
    for (Skin& skin : rig.skins)
      for (Index& joint : skin.joints) joint = new_of_[joint];
    for (MeshPart& part : rig.mesh.parts)
      if (part.joint != kNone) part.joint = new_of_[part.joint];
    SkinWeights weights;
    std::vector<Influence> row;
    for (Index v = 0; v < rig_.weights.row_count(); ++v) {
      row.assign(rig_.weights.row(v).begin(), rig_.weights.row(v).end());
      for (Influence& i : row) i.joint = new_of_[i.joint];
      weights.add_row(row);
    }
    rig.weights = std::move(weights);
    return rig;
  }

  // Where vertices are at rest, by the weights before and now.
  double largest_move() const {
    double most = 0;
    const Rig& old = before_.rig;
    for (Index p = 0; p < old.mesh.parts.size(); ++p) {
      const MeshPart& part = old.mesh.parts[p];
      if (part.skin == kNone || old.weights.empty()) continue;
      const std::vector<Mat4> bind = inverse_bind_of_part(old, p), bind_now = inverse_bind_of_part(rig_, p);
      for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
        Vec3 change = Vec3::Zero();
        for (const Influence& i : old.weights.row(v))
          change -=
              static_cast<double>(i.weight) * transform_point(frames_[i.joint] * bind[i.joint], old.mesh.positions[v]);
        for (const Influence& i : rig_.weights.row(v))
          change += static_cast<double>(i.weight) *
                    transform_point(frames_[i.joint] * bind_now[i.joint], old.mesh.positions[v]);
        most = std::max(most, change.norm());
      }
    }
    return most / std::max(1e-30, old.mesh.size());
  }

  Character before_;
  Rig rig_;
  std::vector<Mat4> frames_;  // At rest, of all joints.
  std::vector<char> gone_;
  std::vector<Index> new_of_;
  Findings findings_;
};

}  // namespace

namespace {

// "JOINT.x" and "lower:upper", in degrees. A joint of which only some axes are given turns freely about the others.
void set_limit(Skeleton& skeleton, const std::string& key, const std::string& text) {
  const std::size_t dot = key.rfind('.');
  const int axis = dot == std::string::npos || dot + 2 != key.size() ? -1 : key.back() - 'x';
  char* middle = nullptr;
  char* end = nullptr;
  const double lower = std::strtod(text.c_str(), &middle);
  const bool two = middle != text.c_str() && *middle == ':' && middle[1] != '\0';
  const double upper = two ? std::strtod(middle + 1, &end) : 0;
  if (axis < 0 || axis > 2 || !two || *end != '\0' || !(lower >= -180) || !(upper <= 180) || !(lower <= upper))
    throw Error(
        fmt::format("The option 'limits' takes a joint, an axis and two angles from -180 to 180 in degrees, such "
                    "as Knee.x=0:150, not '{}={}'.",
                    key, text));
  Joint& joint = skeleton.joints[find_joint(skeleton, key.substr(0, dot))];
  if (!joint.limits) joint.limits = RotationLimits{};
  joint.limits->lower_rad[axis] = radians(lower);
  joint.limits->upper_rad[axis] = radians(upper);
}

}  // namespace

std::vector<std::string> preset_names(const rigging::Preset& preset, const motion::Recognition& roles) {
  std::vector<std::string> names(roles.roles.size());
  std::vector<Index> trunk = roles.chain(motion::BodyPart::kSpine);
  for (const Index j : roles.chain(motion::BodyPart::kChest)) trunk.push_back(j);
  for (Index j = 0; j < names.size(); ++j) {
    if (roles.roles[j].empty()) continue;
    const auto at = std::find(trunk.begin(), trunk.end(), j);
    if (at != trunk.end() && !preset.trunk.empty()) {
      const auto k = static_cast<std::size_t>(at - trunk.begin());
      if (k < preset.trunk.size()) names[j] = preset.prefix + preset.trunk[k];
      continue;
    }
    std::string plain = motion::joint_name("sinew", roles.roles[j]);
    // The templates call what follows the foot by another name in animals.
    if (roles.build == motion::Build::kHumanoid && plain.ends_with("FootPaw"))
      plain.replace(plain.size() - 7, 7, "Toes");
    if (!plain.empty()) names[j] = rigging::joint_name(preset, motion::role_name(roles.roles[j]), plain);
  }
  std::set<std::string> seen;
  for (std::string& name : names)
    if (!name.empty() && !seen.insert(name).second) name.clear();
  return names;
}

namespace {

void name_by_roles(const rigging::Preset& preset, const motion::Recognition& roles, std::vector<std::string>& names) {
  const std::vector<std::string> found = preset_names(preset, roles);
  // A joint of no role gives way if it has the name of another's role.
  for (std::size_t j = 0; j < names.size(); ++j)
    if (!found[j].empty()) names[j] = found[j];
    else if (std::find(found.begin(), found.end(), names[j]) != found.end()) names[j] += "_old";
}

// Roles for the joints of an edited skeleton.
motion::Recognition renumbered_roles(const motion::Recognition& roles, const std::vector<Index>& new_of, Index count) {
  motion::Recognition result = roles;
  result.roles.assign(count, {});
  for (std::size_t j = 0; j < roles.roles.size(); ++j)
    if (new_of[j] != kNone) result.roles[new_of[j]] = roles.roles[j];
  return result;
}

void give_axes(const motion::Recognition& roles, const rigging::Preset& preset, SkeletonResult& result) {
  Character& character = result.character;
  std::vector<Quat> turns = turns_to_preset(character.rig.skeleton, roles, preset);
  // A root has the axes of the model.
  if (const Index root = preset.root.empty() ? kNone : character.rig.skeleton.find(preset.root); root != kNone) {
    const Mat4 frame = rest_matrices(character.rig.skeleton)[root];
    turns[root] = Quat(Mat3(polar(Mat3(frame.topLeftCorner<3, 3>())).rotation.transpose())).normalized();
  }
  AxesResult axes = rotate_axes(character, std::move(turns));
  result.preset.axes = static_cast<Index>(axes.changed.size());
  for (const Index j : axes.changed)
    if (const Index node = character.rig.skeleton.joints[j].source; node != kNone)
      result.rotated_nodes.emplace_back(node, axes.turns[j]);
  result.findings.insert(result.findings.end(), axes.findings.begin(), axes.findings.end());
  // All keys of these clips are written again.
  std::erase_if(result.longer_clips, [&](const auto& clip) {
    return std::find(axes.clips.begin(), axes.clips.end(), clip.first) != axes.clips.end();
  });
  for (const Index clip : axes.clips) result.longer_clips.emplace_back(clip, 0);
}

}  // namespace

SkeletonResult edit_skeleton(Character character, const SkeletonOptions& options) {
  const Skeleton& skeleton = character.rig.skeleton;
  if (skeleton.empty()) throw Error("The character has no skeleton.");
  const motion::Recognition by_name = motion::recognize(skeleton);
  const motion::Recognition by_shape = motion::recognize_by_shape(character.rig);
  std::vector<JointNaming> naming;
  std::vector<std::string> names;
  for (Index j = 0; j < skeleton.size(); ++j) {
    naming.push_back(
        {skeleton.joints[j].name, "", motion::role_name(by_name.roles[j]), motion::role_name(by_shape.roles[j])});
    names.push_back(skeleton.joints[j].name);
  }
  const std::string* word = std::get_if<std::string>(&options.preset);
  const bool has_preset = !word || !word->empty(), whole = has_preset && options.preset_use == PresetUse::kAll;
  const rigging::Preset preset =
      !word ? std::get<rigging::Preset>(options.preset) : rigging::find_preset(word->empty() ? "plain" : *word);
  const bool shape = options.names == NameSource::kAuto && by_name.build == motion::Build::kUnknown;
  const motion::Recognition& roles = shape ? by_shape : by_name;
  if (options.names == NameSource::kAuto || has_preset) name_by_roles(preset, roles, names);
  for (const auto& [from, to] : options.rename) names[find_joint(skeleton, from)] = to;
  for (const auto& [joint, range] : options.limits) set_limit(character.rig.skeleton, joint, range);
  std::vector<Index> planned;
  const Vec3 ground = rigging::root_position(plan_of_roles(skeleton, roles, planned));
  SkeletonEditor editor(std::move(character));
  editor.remove(options.remove);
  editor.reparent(options.reparent);
  PresetChanges changes;
  if (whole) changes.attached = editor.attach_limbs(roles);
  if (const Index hips = roles.find(motion::BodyPart::kHips); whole && !preset.root.empty() && hips != kNone) {
    bool added = false;
    editor.give_root(hips, preset, ground, names, added);
    if (added) changes.root = preset.root;
  }
  editor.add(options.add);
  if (options.add_root) editor.add_root();
  editor.rename(names);
  SkeletonResult result = editor.finish();
  result.preset = std::move(changes);
  if (whole)
    give_axes(renumbered_roles(roles, editor.new_numbers(), result.character.rig.skeleton.size()), preset, result);
  for (std::size_t j = 0; j < naming.size(); ++j) naming[j].after = names[j];
  result.naming = std::move(naming);
  return result;
}

}  // namespace sinew::pipeline
