// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/pose_file.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/core/options.h"
#include "sinew/core/text.h"

namespace sinew::motion {
namespace {

class PoseReader {
 public:
  explicit PoseReader(const Rig& rig) : rig_(rig), axes_(bone_axes(rig.skeleton)), pose_(rest_pose(rig)) {
    for (Index j = 0; j < rig.skeleton.size(); ++j) ++count_[rig.skeleton.joints[j].name];
    pose_.twist_rad.assign(rig.skeleton.joints.size(), 0);
  }

  Pose run(const Json& json) {
    object(json, "The pose");
    keys(json, "The pose", {"space", "joints", "morphs"});
    if (const auto space = json.find("space"); space != json.end()) {
      if (!space->is_string() || (*space != "rest" && *space != "local"))
        throw Error(fmt::format("The pose: 'space' must be \"rest\" or \"local\", not {}.", space->dump()));
      local_ = *space == "local";
    }
    if (const auto joints = json.find("joints"); joints != json.end()) {
      object(*joints, "The pose's 'joints'");
      for (const auto& [name, entry] : joints->items()) joint(name, entry);
    }
    if (const auto morphs = json.find("morphs"); morphs != json.end()) {
      object(*morphs, "The pose's 'morphs'");
      for (const auto& [name, entry] : morphs->items()) part(name, entry);
    }
    return std::move(pose_);
  }

 private:
  static void object(const Json& json, const std::string& where) {
    if (!json.is_object()) throw Error(where + " must be a JSON object.");
  }

  static void keys(const Json& json, const std::string& where, const std::vector<std::string>& known) {
    for (const auto& [key, value] : json.items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        throw Error(fmt::format("{} has an unknown key '{}'.{}", where, key, did_you_mean(key, known)));
  }

  static double number(const Json& json, const std::string& where, const char* key) {
    if (!json.is_number() || !std::isfinite(json.get<double>()))
      throw Error(fmt::format("{}: '{}' must contain numbers, not {}.", where, key, json.dump()));
    return json.get<double>();
  }

  template <class Vector>
  static bool numbers(const Json& owner, const char* key, Vector&& values, const std::string& where) {
    const auto found = owner.find(key);
    if (found == owner.end()) return false;
    if (!found->is_array() || found->size() != static_cast<std::size_t>(values.size()))
      throw Error(fmt::format("{}: '{}' must be a list of {} numbers.", where, key, values.size()));
    for (Eigen::Index i = 0; i < values.size(); ++i)
      values[i] = number((*found)[static_cast<std::size_t>(i)], where, key);
    return true;
  }

  Index find_joint(const std::string& name) const {
    const auto found = count_.find(name);
    if (found == count_.end()) {
      std::vector<std::string> known;
      for (const Joint& joint : rig_.skeleton.joints) known.push_back(joint.name);
      throw Error(fmt::format("The pose names a joint '{}', which the skeleton does not have.{}", name,
                              did_you_mean(name, known)));
    }
    if (found->second > 1)
      throw Error(
          fmt::format("The pose names a joint '{}', but the skeleton has {} joints of that name. Rename them first.",
                      name, found->second));
    return rig_.skeleton.find(name);
  }

  static Quat rotation(const Json& json, const std::string& where) {
    if (json.is_array()) {
      Vec4 q;
      if (json.size() != 4)
        throw Error(where + ": 'rotation' must be a quaternion [x, y, z, w] or {\"euler_deg\": …}.");
      for (std::size_t i = 0; i < 4; ++i) q[static_cast<Eigen::Index>(i)] = number(json[i], where, "rotation");
      if (!(q.norm() > 1e-6)) throw Error(where + ": 'rotation' is a quaternion of length zero.");
      return Quat(q[3], q[0], q[1], q[2]).normalized();
    }
    if (!json.is_object() || !json.contains("euler_deg"))
      throw Error(where + ": 'rotation' must be a quaternion [x, y, z, w] or {\"euler_deg\": [a, b, c]}.");
    keys(json, where + " 'rotation'", {"euler_deg", "order"});
    Vec3 angles = Vec3::Zero();
    numbers(json, "euler_deg", angles, where);
    std::string order = "xyz";
    if (const auto given = json.find("order"); given != json.end()) {
      if (!given->is_string()) throw Error(where + ": 'order' must be a string such as \"xyz\".");
      order = given->get<std::string>();
    }
    std::string letters = order;
    std::sort(letters.begin(), letters.end());
    if (letters != "xyz")
      throw Error(fmt::format("{}: 'order' must be a permutation of 'xyz', not '{}'.", where, order));
    return rotation_from_euler(kRadPerDegree * angles, order.c_str());
  }

  void joint(const std::string& name, const Json& json) {
    const std::string where = fmt::format("The pose's joint '{}'", name);
    const Index j = find_joint(name);
    object(json, where);
    keys(json, where, {"rotation", "twist_deg", "translation", "scale"});
    const Transform& rest = rig_.skeleton.joints[j].rest;
    Transform& local = pose_.local[j];
    if (const auto found = json.find("rotation"); found != json.end()) {
      const Quat given = rotation(*found, where);
      local.rotation = local_ ? given : (rest.rotation * given).normalized();
    }
    double& twist = pose_.twist_rad[j];
    twist = twist_angle_rad(delta_rotation(rest, local), axes_[j]);
    if (const auto found = json.find("twist_deg"); found != json.end()) {
      const double angle = kRadPerDegree * number(*found, where, "twist_deg");
      local.rotation = (local.rotation * Quat(Eigen::AngleAxisd(angle, axes_[j]))).normalized();
      twist += angle;
    }
    Vec3 v;
    if (numbers(json, "translation", v, where))
      local.translation = local_ ? v : Vec3(rest.translation + rest.rotation * v);
    if (numbers(json, "scale", v, where)) local.scale = local_ ? v : rest.scale.cwiseProduct(v);
  }

  void part(const std::string& name, const Json& json) {
    const std::string where = fmt::format("The pose's part '{}'", name);
    const auto& parts = rig_.mesh.parts;
    std::vector<std::string> known;
    Index found = kNone;
    for (Index p = 0; p < parts.size(); ++p) {
      if (parts[p].name == name && found == kNone) found = p;
      known.push_back(parts[p].name);
    }
    if (found == kNone)
      throw Error(
          fmt::format("The pose names a part '{}', which the mesh does not have.{}", name, did_you_mean(name, known)));
    object(json, where);
    std::vector<std::string> morphs;
    for (const Morph& morph : parts[found].morphs) morphs.push_back(morph.name);
    for (const auto& [key, value] : json.items()) {
      const auto morph = std::find(morphs.begin(), morphs.end(), key);
      if (morph == morphs.end())
        throw Error(fmt::format("{} has no morph '{}'.{}", where, key, did_you_mean(key, morphs)));
      pose_.morph_weights[found][static_cast<std::size_t>(morph - morphs.begin())] = number(value, where, key.c_str());
    }
  }

  const Rig& rig_;
  std::vector<Vec3> axes_;
  std::unordered_map<std::string, int> count_;
  Pose pose_;
  bool local_ = false;
};

}  // namespace

Pose pose_from_json(const Json& json, const Rig& rig) { return PoseReader(rig).run(json); }

}  // namespace sinew::motion
