// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/helpers_json.h"

#include <string>
#include <vector>

namespace sinew::pipeline {
namespace {

const std::string& helper_name(const HelpersResult& result, Index joint) {
  return result.character.rig.skeleton.joints[joint].name;
}

}  // namespace

Json twist_json(const HelpersResult& result, const TwistBoneResult& twist) {
  const rigging::TwistBone& bone = twist.joints.bone;
  std::vector<std::string> helpers;
  for (const Index helper : twist.joints.helpers) helpers.push_back(helper_name(result, helper));
  return {{"joint", helper_name(result, bone.joint)},
          {"child", helper_name(result, bone.child)},
          {"from", bone.near ? "near" : "far"},
          {"helpers", helpers},
          {"vertices", twist.joints.vertices},
          {"thinnest",
           {{"before", twist.before.thinnest},
            {"after", twist.after.thinnest},
            {"formula", twist.formula_section},
            {"slbs", twist.slbs_section}}},
          {"off_slbs_rel",
           {{"before", {{"rms", twist.before.rms_rel}, {"max", twist.before.max_rel}}},
            {"after", {{"rms", twist.after.rms_rel}, {"max", twist.after.max_rel}}}}}};
}

Json reductions_json(const HelpersResult& result) {
  Json list = Json::array();
  for (const HelperReduction& reduction : result.reductions)
    list.push_back({{"joint", helper_name(result, reduction.joint)},
                    {"kind", reduction.twist ? "twist" : "bend"},
                    {"strength", reduction.strength},
                    {"pose", reduction.pose},
                    {"figure", reduction.figure},
                    {"before", reduction.before},
                    {"full", reduction.full}});
  return list;
}

}  // namespace sinew::pipeline
