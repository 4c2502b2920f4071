// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/truth.h"

#include <utility>

namespace sinew::shapes {
namespace {

Json number_or_null(Index index) { return index == kNone ? Json() : Json(index); }

Json json_point(const Vec3& p) { return Json::array({p.x(), p.y(), p.z()}); }

Json joints_of(const Skeleton& skeleton) {
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  Json joints = Json::array();
  for (Index i = 0; i < skeleton.size(); ++i) {
    const Joint& joint = skeleton.joints[i];
    Json json;
    json["name"] = joint.name;
    json["parent"] = number_or_null(joint.parent);
    json["position"] = json_point(rest[i].topRightCorner<3, 1>());
    if (joint.end_local) json["end"] = json_point(transform_point(rest[i], *joint.end_local));
    if (!joint.role.empty()) json["role"] = joint.role;
    if (joint.mirror != kNone) json["mirror"] = joint.mirror;
    joints.push_back(std::move(json));
  }
  return joints;
}

Json weights_of(const SkinWeights& weights) {
  Json rows = Json::array();
  for (Index i = 0; i < weights.row_count(); ++i) {
    Json row = Json::array();
    for (const Influence& influence : weights.row(i)) {
      row.push_back(influence.joint);
      row.push_back(influence.weight);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Json truth(const Finished& finished, std::string_view kind, const MakeOptions& options) {
  const Made& made = finished.made;
  const Rig& rig = made.character.rig;
  MakeOptions copy = options;
  Json json;
  json["schema"] = "sinew-truth";
  json["version"] = 1;
  json["kind"] = std::string(kind);
  json["options"] = OptionList(copy).to_json();
  json["vertex_count"] = rig.mesh.vertex_count();
  json["joints"] = joints_of(rig.skeleton);
  json["template_joints"] = Json::array();
  for (const Made::TemplateJoint& joint : made.template_joints)
    json["template_joints"].push_back({{"name", joint.name}, {"joint", number_or_null(joint.joint)}});
  json["segments"] = Json::array();
  for (const Segmentation::Segment& segment : made.owners.segments)
    json["segments"].push_back({{"joint", segment.joint}, {"child", number_or_null(segment.child)}});
  json["owner"] = made.owners.owner;
  json["along"] = made.owners.along;
  json["weights"] = weights_of(rig.weights);
  json["specks"] = finished.specks;
  return json;
}

}  // namespace sinew::shapes
