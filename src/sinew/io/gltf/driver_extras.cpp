// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/driver_extras.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

#include "sinew/io/gltf/json_access.h"

namespace sinew::io::gltf {
namespace {

constexpr std::array<const char*, 4> kDriverKinds = {"twist_share", "aim", "polynomial", "driven_keys"};

const Json* member(const Json& owner, const char* key) {
  if (!owner.is_object()) return nullptr;
  const auto found = owner.find(key);
  return found == owner.end() ? nullptr : &*found;
}

const Json* driver_of(const Json& node) {
  const Json* extras = member(node, "extras");
  const Json* ours = extras ? member(*extras, "sinew") : nullptr;
  return ours ? member(*ours, "driver") : nullptr;
}

double finite_number(const Json& json, const char* what) {
  if (!json.is_number() || !std::isfinite(json.get<double>()))
    throw Error(fmt::format("its '{}' should be made of numbers", what));
  return json.get<double>();
}

// The joint that a name or the number of a node tells.
Index source_joint(const Json& source, const NodeGraph& graph, const Skeleton& skeleton) {
  if (source.is_string()) {
    const Index joint = skeleton.find(source.get_ref<const std::string&>());
    if (joint == kNone) throw Error(fmt::format("its source '{}' is no joint", source.get<std::string>()));
    return joint;
  }
  if (!source.is_number_unsigned() || source.get<std::uint64_t>() >= graph.joint.size() ||
      graph.joint[source.get<std::size_t>()] == kNone)
    throw Error(fmt::format("its source {} is no joint", source.dump()));
  return graph.joint[source.get<std::size_t>()];
}

Driver parse_driver(const Json& json, const NodeGraph& graph, const Skeleton& skeleton) {
  Driver driver;
  const Json* kind = member(json, "kind");
  std::size_t number = 0;
  while (number < kDriverKinds.size() && !(kind && *kind == kDriverKinds[number])) ++number;
  if (number == kDriverKinds.size()) throw Error("its 'kind' is not twist_share, aim, polynomial or driven_keys");
  driver.kind = static_cast<Driver::Kind>(number);
  const Json* source = member(json, "source");
  if (!source) throw Error("it has no 'source'");
  driver.source = source_joint(*source, graph, skeleton);
  if (const Json* axis = member(json, "axis")) {
    if (!axis->is_array() || axis->size() != 3) throw Error("its 'axis' should be three numbers");
    for (std::size_t i = 0; i < 3; ++i) driver.axis[static_cast<Eigen::Index>(i)] = finite_number((*axis)[i], "axis");
    if (!(driver.axis.norm() > 1e-9)) throw Error("its 'axis' has no direction");
    // A unit axis is left as it is, to the last bit.
    if (std::abs(driver.axis.norm() - 1) > 1e-9) driver.axis.normalize();
  }
  if (const Json* share = member(json, "share")) driver.share = finite_number(*share, "share");
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
  return driver;
}

Json driver_json(const Driver& driver, const Skeleton& skeleton, const std::vector<Index>& node_of_joint) {
  Json json = {{"kind", kDriverKinds[static_cast<std::size_t>(driver.kind)]}};
  // A name outlives programs that number nodes anew; joints that share theirs are told by number.
  const std::string& name = skeleton.joints[driver.source].name;
  int same = 0;
  for (const Joint& joint : skeleton.joints) same += joint.name == name;
  if (same == 1 && !name.empty()) json["source"] = name;
  else json["source"] = node_of_joint[driver.source];
  json["axis"] = {driver.axis.x(), driver.axis.y(), driver.axis.z()};
  if (driver.kind == Driver::Kind::kTwistShare || driver.share != Driver().share) json["share"] = driver.share;
  if (!driver.coefficients.empty()) json["coefficients"] = driver.coefficients;
  for (const auto& [angle, value] : driver.keys) json["keys"].push_back({angle, value});
  return json;
}

void erase_driver(Json& node) {
  if (!driver_of(node)) return;
  Json& extras = node["extras"];
  extras["sinew"].erase("driver");
  if (extras["sinew"].empty()) extras.erase("sinew");
  if (extras.empty()) node.erase("extras");
}

}  // namespace

void read_drivers(GltfDocument& document, const NodeGraph& graph, Character& character) {
  const Json& nodes = array_at(document.json(), "nodes", "file");
  Skeleton& skeleton = character.rig.skeleton;
  for (Index n = 0; n < nodes.size(); ++n) {
    const Json* json = driver_of(nodes[n]);
    if (!json || graph.joint[n] == kNone) continue;
    Joint& joint = skeleton.joints[graph.joint[n]];
    try {
      joint.driver = parse_driver(*json, graph, skeleton);
      if (joint.role.empty()) joint.role = "helper";
    } catch (const Error& error) {
      document.warnings.push_back({"gltf.driver", joint.name, fmt::format("A driver was left out: {}.", error.what())});
    }
  }
}

void write_drivers(Json& nodes, const Skeleton& skeleton, const std::vector<Index>& node_of_joint) {
  for (Index j = 0; j < skeleton.size(); ++j) {
    Json& node = nodes[node_of_joint[j]];
    const std::optional<Driver>& driver = skeleton.joints[j].driver;
    if (!driver || driver->source >= skeleton.size()) {
      erase_driver(node);
      continue;
    }
    Json& extras = node["extras"];
    // Extras may be anything; what is no object is kept beside ours.
    if (!extras.is_object()) extras = extras.is_null() ? Json::object() : Json({{"extras", extras}});
    if (!extras["sinew"].is_object()) extras["sinew"] = Json::object();
    extras["sinew"]["driver"] = driver_json(*driver, skeleton, node_of_joint);
  }
}

}  // namespace sinew::io::gltf
