// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/driver_extras.h"

#include <fmt/format.h>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/io/driver_words.h"
#include "sinew/io/gltf/json_access.h"

namespace sinew::io::gltf {
namespace {

const Json* member(const Json& owner, const char* key) {
  if (!owner.is_object()) return nullptr;
  const auto found = owner.find(key);
  return found == owner.end() ? nullptr : &*found;
}

const Json* extra_of(const Json& node, const char* key) {
  const Json* extras = member(node, "extras");
  const Json* ours = extras ? member(*extras, "sinew") : nullptr;
  return ours ? member(*ours, key) : nullptr;
}

const Json* driver_of(const Json& node) { return extra_of(node, "driver"); }

double finite_number(const Json& json, const char* what) {
  if (!json.is_number() || !std::isfinite(json.get<double>()))
    throw Error(fmt::format("its '{}' should contain only numbers", what));
  return json.get<double>();
}

// The joint that a name or the number of a node tells.
Index source_joint(const Json& source, const NodeGraph& graph, const Skeleton& skeleton) {
  if (source.is_string()) {
    const Index joint = skeleton.find(source.get_ref<const std::string&>());
    if (joint == kNone) throw Error(fmt::format("its source '{}' is not a joint", source.get<std::string>()));
    return joint;
  }
  if (!source.is_number_unsigned() || source.get<std::uint64_t>() >= graph.joint.size() ||
      graph.joint[source.get<std::size_t>()] == kNone)
    throw Error(fmt::format("its source {} is not a joint", source.dump()));
  return graph.joint[source.get<std::size_t>()];
}

std::vector<double> numbers_of(const Json& list, std::size_t count, const char* what) {
  if (!list.is_array() || list.size() != count)
    throw Error(fmt::format("its '{}' should be {} numbers", what, count == 3 ? "three" : "four"));
  std::vector<double> numbers;
  for (const Json& value : list) numbers.push_back(finite_number(value, what));
  return numbers;
}

void parse_numbers(const Json& json, Driver& driver) {
  // Unit axes and quaternions are left as they are, to the last bit.
  if (const Json* axis = member(json, "axis")) {
    driver.axis = Eigen::Map<const Vec3>(numbers_of(*axis, 3, "axis").data());
    if (!(driver.axis.norm() > 1e-9)) throw Error("its 'axis' has no direction");
    if (std::abs(driver.axis.norm() - 1) > 1e-9) driver.axis.normalize();
  }
  if (const Json* before = member(json, "before")) {
    driver.before.coeffs() = Eigen::Map<const Vec4>(numbers_of(*before, 4, "before").data());
    if (!(driver.before.norm() > 1e-9)) throw Error("its 'before' is not a quaternion");
    if (std::abs(driver.before.norm() - 1) > 1e-9) driver.before.normalize();
  }
  if (const Json* share = member(json, "share")) driver.share = finite_number(*share, "share");
  if (const Json* weight = member(json, "weight")) driver.weight = finite_number(*weight, "weight");
  if (!(driver.weight >= 0 && driver.weight <= 1)) throw Error("its 'weight' is not between 0 and 1");
}

void parse_lists(const Json& json, Driver& driver) {
  if (const Json* rows = member(json, "coefficients")) {
    if (!rows->is_array()) throw Error("its 'coefficients' should be lists of numbers");
    for (const Json& row : *rows) {
      if (!row.is_array()) throw Error("its 'coefficients' should be lists of numbers");
      driver.coefficients.emplace_back();
      for (const Json& value : row) driver.coefficients.back().push_back(finite_number(value, "coefficients"));
    }
  }
  if (const Json* keys = member(json, "keys")) {
    if (!keys->is_array()) throw Error("its 'keys' should be pairs of numbers");
    for (const Json& key : *keys) {
      if (!key.is_array() || key.size() != 2) throw Error("its 'keys' should be pairs of numbers");
      driver.keys.emplace_back(finite_number(key[0], "keys"), finite_number(key[1], "keys"));
    }
  }
}

// What is known of a driver of another kind: all its JSON, and its source if that is a joint.
Driver opaque_driver(const Json& json, const NodeGraph& graph, const Skeleton& skeleton) {
  Driver driver;
  driver.kind = Driver::Kind::kOpaque;
  driver.opaque = json.dump();
  try {
    if (const Json* source = member(json, "source")) driver.source = source_joint(*source, graph, skeleton);
  } catch (const Error&) {
    driver.source = kNone;  // Its source may be anything.
  }
  return driver;
}

Driver parse_driver(const Json& json, const NodeGraph& graph, const Skeleton& skeleton) {
  const Json* kind = member(json, "kind");
  if (!kind || !kind->is_string()) throw Error("it has no 'kind'");
  Driver driver;
  driver.kind = driver_kind(kind->get_ref<const std::string&>());
  if (driver.kind == Driver::Kind::kOpaque) return opaque_driver(json, graph, skeleton);
  const Json* source = member(json, "source");
  if (!source) throw Error("it has no 'source'");
  driver.source = source_joint(*source, graph, skeleton);
  parse_numbers(json, driver);
  parse_lists(json, driver);
  return driver;
}

// A driver of an unknown kind, with its source's number of today.
Json opaque_json(const Driver& driver, const Skeleton& skeleton, const std::vector<Index>& node_of_joint) {
  Json json = parse_json_text(driver.opaque);
  if (!json.is_object()) return Json();
  const Json* source = member(json, "source");
  if (source && source->is_number() && driver.source < skeleton.size()) json["source"] = node_of_joint[driver.source];
  return json;
}

Json driver_json(const Driver& driver, const Skeleton& skeleton, const std::vector<Index>& node_of_joint) {
  if (driver.kind == Driver::Kind::kOpaque) return opaque_json(driver, skeleton, node_of_joint);
  if (driver.source >= skeleton.size()) return Json();
  Json json = {{"kind", kDriverWords[static_cast<std::size_t>(driver.kind)]}};
  // A name outlives programs that number nodes anew; joints that share theirs are told by number.
  const std::string& name = skeleton.joints[driver.source].name;
  int same = 0;
  for (const Joint& joint : skeleton.joints) same += joint.name == name;
  if (same == 1 && !name.empty()) json["source"] = name;
  else json["source"] = node_of_joint[driver.source];
  json["axis"] = {driver.axis.x(), driver.axis.y(), driver.axis.z()};
  const bool shares = driver.kind == Driver::Kind::kTwistShare || driver.kind == Driver::Kind::kRotationShare;
  if (shares || driver.share != Driver().share) json["share"] = driver.share;
  if (driver.weight != 1) json["weight"] = driver.weight;
  const Quat& before = driver.before;
  if (before.coeffs() != Quat::Identity().coeffs()) json["before"] = {before.x(), before.y(), before.z(), before.w()};
  if (!driver.coefficients.empty()) json["coefficients"] = driver.coefficients;
  for (const auto& [angle, value] : driver.keys) json["keys"].push_back({angle, value});
  return json;
}

void erase_extra(Json& node, const char* key) {
  if (!extra_of(node, key)) return;
  Json& extras = node["extras"];
  extras["sinew"].erase(key);
  if (extras["sinew"].empty()) extras.erase("sinew");
  if (extras.empty()) node.erase("extras");
}

void set_extra(Json& node, const char* key, Json json) {
  Json& extras = node["extras"];
  // Extras may be anything; what is no object is kept beside ours.
  if (!extras.is_object()) extras = extras.is_null() ? Json::object() : Json({{"extras", extras}});
  if (!extras["sinew"].is_object()) extras["sinew"] = Json::object();
  extras["sinew"][key] = std::move(json);
}

RotationLimits parse_limits(const Json& json) {
  if (!json.is_array() || json.size() != 2) throw Error("its 'limits_deg' should be two lists of three numbers");
  RotationLimits limits;
  limits.lower_rad = kRadPerDegree * Eigen::Map<const Vec3>(numbers_of(json[0], 3, "limits_deg").data());
  limits.upper_rad = kRadPerDegree * Eigen::Map<const Vec3>(numbers_of(json[1], 3, "limits_deg").data());
  if ((limits.lower_rad.array() > limits.upper_rad.array()).any())
    throw Error("its 'limits_deg' end before they begin");
  return limits;
}

}  // namespace

Findings read_drivers(const GltfDocument& document, const NodeGraph& graph, Character& character) {
  const Json& nodes = array_at(document.json(), "nodes", "file");
  Skeleton& skeleton = character.rig.skeleton;
  Findings findings;
  for (Index n = 0; n < nodes.size(); ++n) {
    const Json* json = driver_of(nodes[n]);
    if (!json || graph.joint[n] == kNone) continue;
    Joint& joint = skeleton.joints[graph.joint[n]];
    try {
      joint.driver = parse_driver(*json, graph, skeleton);
      if (joint.role.empty()) joint.role = "helper";
      if (joint.driver->kind == Driver::Kind::kOpaque) findings.push_back({"gltf.driver", joint.name, kOpaqueDriver});
    } catch (const Error& error) {
      findings.push_back({"gltf.driver", joint.name, fmt::format("A driver was left out: {}.", error.what())});
    }
  }
  return findings;
}

void write_drivers(Json& nodes, const Skeleton& skeleton, const std::vector<Index>& node_of_joint) {
  for (Index j = 0; j < skeleton.size(); ++j) {
    Json& node = nodes[node_of_joint[j]];
    const std::optional<Driver>& driver = skeleton.joints[j].driver;
    Json json = driver ? driver_json(*driver, skeleton, node_of_joint) : Json();
    if (json.is_null()) {
      erase_extra(node, "driver");
      continue;
    }
    set_extra(node, "driver", std::move(json));
  }
}

Findings read_joint_extras(const GltfDocument& document, const NodeGraph& graph, Character& character) {
  const Json& nodes = array_at(document.json(), "nodes", "file");
  Skeleton& skeleton = character.rig.skeleton;
  Findings findings;
  for (Index n = 0; n < nodes.size(); ++n) {
    const Json* json = extra_of(nodes[n], "joint");
    if (!json || graph.joint[n] == kNone) continue;
    Joint& joint = skeleton.joints[graph.joint[n]];
    try {
      if (const Json* role = member(*json, "role"); role && role->is_string() && joint.role.empty())
        joint.role = role->get<std::string>();
      if (const Json* mirror = member(*json, "mirror")) joint.mirror = source_joint(*mirror, graph, skeleton);
      if (const Json* limits = member(*json, "limits_deg")) joint.limits = parse_limits(*limits);
    } catch (const Error& error) {
      findings.push_back(
          {"gltf.joint", joint.name, fmt::format("What it says of the joint is not used: {}.", error.what())});
    }
  }
  // Partners that do not point back, as after an edit elsewhere, are none.
  std::vector<Index> partners;
  for (const Joint& joint : skeleton.joints) partners.push_back(joint.mirror);
  for (Index j = 0; j < skeleton.size(); ++j)
    if (partners[j] != kNone && (partners[j] >= skeleton.size() || partners[partners[j]] != j))
      skeleton.joints[j].mirror = kNone;
  return findings;
}

void write_joint_extras(Json& nodes, const Skeleton& skeleton, const std::vector<Index>& node_of_joint) {
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    Json& node = nodes[node_of_joint[j]];
    Json json;
    if (!joint.role.empty() && joint.role != "end" && joint.role != "helper") json["role"] = joint.role;
    if (joint.mirror != kNone && joint.mirror < skeleton.size() && !json.is_null())
      json["mirror"] = node_of_joint[joint.mirror];
    if (joint.limits) {
      const auto list = [](const Vec3& rad) {
        const Vec3 deg = rad / kRadPerDegree;
        return Json::array({deg.x(), deg.y(), deg.z()});
      };
      json["limits_deg"] = Json::array({list(joint.limits->lower_rad), list(joint.limits->upper_rad)});
    }
    if (json.is_null()) erase_extra(node, "joint");
    else set_extra(node, "joint", std::move(json));
  }
}

}  // namespace sinew::io::gltf
