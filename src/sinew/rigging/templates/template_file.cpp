// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/templates/template_file.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "sinew/core/text.h"
#include "sinew/rigging/templates/embedded.h"
#include "sinew/rigging/templates/json_fields.h"

namespace sinew::rigging {
namespace {

const std::vector<std::string>& placement_words() {
  static const std::vector<std::string> words = {"searched", "ratio", "derived"};
  return words;
}

class TemplateReader {
 public:
  explicit TemplateReader(std::string where) : where_(std::move(where)) {}

  Template run(const Json& json) {
    const JsonFields fields(json, where_, {"version", "name", "plan", "joints", "limbs"});
    fields.need("version");
    fields.read("version", result_.version);
    if (result_.version != 1) fields.fail("version", "should be 1, the only supported version");
    fields.need("name");
    fields.read("name", result_.name);
    if (result_.name.empty()) fields.fail("name", "should be a word");
    fields.read("plan", result_.plan);
    const Json& joints = fields.need("joints");
    if (!joints.is_array() || joints.empty()) fields.fail("joints", "should be a list of at least one joint");
    list_names(joints);
    for (std::size_t j = 0; j < joints.size(); ++j) joint(joints[j], j);
    if (fields.has("limbs")) {
      const Json& limbs = fields.need("limbs");
      if (!limbs.is_array()) fields.fail("limbs", "should be a list");
      for (std::size_t i = 0; i < limbs.size(); ++i) limb(limbs[i], i);
    }
    check_roles();
    check_partners();
    check_bones();
    for (const Finding& finding : validate(result_))
      throw Error(fmt::format("{}: {}: {}", where_, finding.where, finding.text));
    return std::move(result_);
  }

 private:
  std::string place(std::size_t j) const { return fmt::format("{}: joint {} '{}'", where_, j + 1, names_[j]); }

  void list_names(const Json& joints) {
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const std::string where = fmt::format("{}: joint {}", where_, j + 1);
      const JsonFields fields(joints[j], where,
                              {"name", "parent", "position", "partner", "role", "placement", "chain", "fraction",
                               "limits_rad", "roll_axis", "optional", "foot", "fat"});
      std::string name;
      fields.need("name");
      fields.read("name", name);
      if (name.empty()) fields.fail("name", "should be a word");
      if (std::find(names_.begin(), names_.end(), name) != names_.end())
        throw Error(
            fmt::format("{}: another joint is also called '{}'. Every joint needs a name of its own.", where, name));
      names_.push_back(name);
    }
  }

  Index find_joint(const std::string& name, const std::string& where, const char* key) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end())
      throw Error(fmt::format("{}: '{}' names the joint '{}', which does not exist.{}", where, key, name,
                              did_you_mean(name, names_)));
    return static_cast<Index>(found - names_.begin());
  }

  void joint(const Json& json, std::size_t j) {
    const std::string where = place(j);
    std::vector<std::string> keys;
    for (const auto& item : json.items()) keys.push_back(item.key());  // Checked by list_names.
    const JsonFields fields(json, where, keys);
    Template::Joint joint;
    joint.name = names_[j];
    fields.need("position");
    fields.read("position", joint.position);
    if (j > 0 && !fields.has("parent"))
      throw Error(where + ": 'parent' is missing. Every joint except the first, the root, needs a parent.");
    if (std::string name; fields.has("parent")) {
      fields.read("parent", name);
      joint.parent = find_joint(name, where, "parent");
      if (joint.parent >= j)
        throw Error(fmt::format("{}: its parent '{}' does not come before it. List parents first.", where, name));
    }
    if (std::string name; fields.has("partner")) {
      fields.read("partner", name);
      joint.partner = find_joint(name, where, "partner");
    }
    fields.read("role", joint.role);
    std::size_t placement = 0;
    fields.read_choice("placement", placement_words(), placement);
    joint.placement = static_cast<Template::Placement>(placement);
    fields.read("chain", joint.chain);
    fields.read("fraction", joint.fraction);
    if (fields.has("limits_rad")) joint.limits = limits(fields.need("limits_rad"), where);
    fields.read("roll_axis", joint.roll_axis);
    if (!(joint.roll_axis.norm() > 1e-9)) fields.fail("roll_axis", "should be a vector of non-zero length");
    fields.read("optional", joint.optional);
    fields.read("foot", joint.foot);
    fields.read("fat", joint.fat);
    result_.joints.push_back(std::move(joint));
  }

  static RotationLimits limits(const Json& json, const std::string& where) {
    const JsonFields fields(json, where + ": 'limits_rad'", {"lower", "upper"});
    RotationLimits limits;
    fields.need("lower");
    fields.need("upper");
    fields.read("lower", limits.lower_rad);
    fields.read("upper", limits.upper_rad);
    if (!(limits.lower_rad.array() <= limits.upper_rad.array()).all())
      fields.fail("lower", fmt::format("should not exceed 'upper' on any axis, {}", json["upper"].dump()));
    return limits;
  }

  void limb(const Json& json, std::size_t i) {
    const JsonFields fields(json, fmt::format("{}: limb {}", where_, i + 1),
                            {"name", "kind", "joints", "inset", "beyond", "tip"});
    Template::Limb limb;
    fields.need("name");
    fields.read("name", limb.name);
    fields.need("kind");
    fields.read("kind", limb.kind);
    std::vector<std::string> names;
    fields.need("joints");
    fields.read("joints", names);
    for (const std::string& name : names) limb.joints.push_back(find_joint(name, fields.where(), "joints"));
    fields.read("inset", limb.inset);
    fields.read("beyond", limb.beyond);
    if (json.contains("tip")) {
      limb.tip = Vec3::Zero();
      fields.read("tip", *limb.tip);
    }
    result_.limbs.push_back(std::move(limb));
  }

  void check_roles() const {
    std::set<std::string> roles;
    for (std::size_t j = 0; j < result_.joints.size(); ++j)
      if (const std::string& role = result_.joints[j].role; !role.empty() && !roles.insert(role).second)
        throw Error(fmt::format("{}: another joint also has the role '{}'.", place(j), role));
  }

  void check_partners() const {
    const auto& joints = result_.joints;
    double size = 0;
    for (const Template::Joint& joint : joints) size = std::max(size, joint.position.cwiseAbs().maxCoeff());
    for (Index j = 0; j < joints.size(); ++j) {
      const Index k = joints[j].partner;
      if (k == kNone) continue;
      if (k == j) throw Error(place(j) + ": it is its own partner. Joints in the middle of the body have no partner.");
      if (joints[k].partner != j)
        throw Error(fmt::format("{}: its partner '{}' does not name it as its partner.", place(j), names_[k]));
      const Vec3 mirrored = joints[k].position.cwiseProduct(Vec3(-1, 1, 1));
      if (!((joints[j].position - mirrored).norm() <= 1e-6 * size))
        throw Error(
            fmt::format("{}: its position is not the mirror image of that of '{}'. The positions of partners differ "
                        "only in the sign of x.",
                        place(j), names_[k]));
      const Index a = joints[j].parent, b = joints[k].parent;
      if (a != b && (a == kNone || joints[a].partner != b))
        throw Error(fmt::format("{}: its parent and that of its partner '{}' are neither the same joint nor partners.",
                                place(j), names_[k]));
    }
  }

  void check_bones() const {
    std::size_t searched = 0;
    for (Index j = 0; j < result_.joints.size(); ++j) {
      const Template::Joint& joint = result_.joints[j];
      searched += joint.placement == Template::Placement::kSearched;
      if (joint.parent != kNone && !((joint.position - result_.joints[joint.parent].position).norm() > 1e-9))
        throw Error(fmt::format("{}: it is at the same position as its parent '{}'.", place(j), names_[joint.parent]));
    }
    if (searched < 2 && !result_.plan)
      throw Error(where_ +
                  ": it has fewer than two joints whose placement is \"searched\", so there is nothing to fit.");
  }

  std::string where_;
  std::vector<std::string> names_;
  Template result_;
};

Json list_of(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

Json joint_to_json(const Template& owner, const Template::Joint& joint) {
  const Template::Joint usual;
  Json json = {{"name", joint.name}};
  if (joint.parent != kNone) json["parent"] = owner.joints[joint.parent].name;
  json["position"] = list_of(joint.position);
  if (joint.partner != kNone) json["partner"] = owner.joints[joint.partner].name;
  if (!joint.role.empty()) json["role"] = joint.role;
  if (joint.placement != usual.placement)
    json["placement"] = placement_words()[static_cast<std::size_t>(joint.placement)];
  if (!joint.chain.empty()) json["chain"] = joint.chain;
  if (joint.fraction != usual.fraction) json["fraction"] = joint.fraction;
  if (joint.limits)
    json["limits_rad"] = {{"lower", list_of(joint.limits->lower_rad)}, {"upper", list_of(joint.limits->upper_rad)}};
  if (joint.roll_axis != usual.roll_axis) json["roll_axis"] = list_of(joint.roll_axis);
  if (joint.optional) json["optional"] = true;
  if (joint.foot) json["foot"] = true;
  if (joint.fat) json["fat"] = true;
  return json;
}

std::vector<Template> read_embedded_templates() {
  std::vector<Template> result;
  for (const EmbeddedFile& file : embedded_templates())
    result.push_back(read_template(file.text, "the built-in template '" + file.name + "'"));
  // The order in which they are tried; one that is not listed comes last.
  constexpr std::array<const char*, 10> kOrder = {
      "human", "quadruped", "bird", "hand", "tailed_biped", "winged_quadruped", "insect", "spider", "fish", "snake"};
  std::stable_sort(result.begin(), result.end(), [&](const Template& a, const Template& b) {
    return std::find(kOrder.begin(), kOrder.end(), a.name) < std::find(kOrder.begin(), kOrder.end(), b.name);
  });
  return result;
}

}  // namespace

Template read_template(const Json& json, const std::string& where) { return TemplateReader(where).run(json); }

Template read_template(const std::string& text, const std::string& where) {
  return read_template(parse_json(text, where), where);
}

Json write_template(const Template& skeleton_template) {
  Json json = {{"version", skeleton_template.version}, {"name", skeleton_template.name}};
  if (skeleton_template.plan) json["plan"] = true;
  Json& joints = json["joints"] = Json::array();
  for (const Template::Joint& joint : skeleton_template.joints)
    joints.push_back(joint_to_json(skeleton_template, joint));
  if (skeleton_template.limbs.empty()) return json;
  Json& limbs = json["limbs"] = Json::array();
  for (const Template::Limb& limb : skeleton_template.limbs) {
    Json names = Json::array();
    for (const Index j : limb.joints) names.push_back(skeleton_template.joints[j].name);
    limbs.push_back({{"name", limb.name},
                     {"kind", limb.kind},
                     {"joints", std::move(names)},
                     {"inset", limb.inset},
                     {"beyond", limb.beyond}});
    if (limb.tip) limbs.back()["tip"] = {limb.tip->x(), limb.tip->y(), limb.tip->z()};
  }
  return json;
}

const std::vector<Template>& all_templates() {
  static const std::vector<Template> all = read_embedded_templates();
  return all;
}

const std::vector<Template>& templates() {
  static const std::vector<Template> searched = [] {
    std::vector<Template> result = all_templates();
    std::erase_if(result, [](const Template& t) { return t.plan; });
    return result;
  }();
  return searched;
}

const Template& find_template(const std::string& name) {
  for (const Template& candidate : templates())
    if (candidate.name == name) return candidate;
  std::vector<std::string> known;
  for (const Template& candidate : all_templates()) {
    if (candidate.name == name) return candidate;
    known.push_back(candidate.name);
  }
  throw Error(fmt::format("There is no template '{}'. Available templates: {}.{}", name, fmt::join(known, ", "),
                          did_you_mean(name, known)));
}

}  // namespace sinew::rigging
