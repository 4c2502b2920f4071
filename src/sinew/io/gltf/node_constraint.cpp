// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/node_constraint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sinew/io/gltf/driver_extras.h"
#include "sinew/io/gltf/json_access.h"

namespace sinew::io::gltf {
namespace {

constexpr double kExact = 1e-9;
constexpr double kReadable = 1e-6;  // Files have their rotations in single precision.
constexpr std::array<const char*, 3> kRollAxes = {"X", "Y", "Z"};
constexpr std::array<const char*, 6> kAimAxes = {"PositiveX", "NegativeX", "PositiveY",
                                                 "NegativeY", "PositiveZ", "NegativeZ"};

const Json* constraint_of(const Json& node) {
  const auto extensions = node.find("extensions");
  if (extensions == node.end() || !extensions->is_object()) return nullptr;
  const auto found = extensions->find(kNodeConstraint);
  return found == extensions->end() ? nullptr : &*found;
}

Quat model_rotation(const Skeleton& skeleton, Index joint) {
  Quat q = Quat::Identity();
  for (Index j = joint; j != kNone; j = skeleton.joints[j].parent) q = skeleton.joints[j].rest.rotation * q;
  return q;
}

// An axis of the source in the frame of the driven joint as a driver takes it: where it lies in the model at rest.
Vec3 axis_through_model(const Skeleton& skeleton, Index joint, Index source, const Vec3& axis) {
  return model_rotation(skeleton, joint).conjugate() * (model_rotation(skeleton, source) * axis);
}

// The same as a roll constraint takes it: both joints' parents count as one frame.
Vec3 axis_through_parents(const Skeleton& skeleton, Index joint, Index source, const Vec3& axis) {
  return skeleton.joints[joint].rest.rotation.conjugate() * (skeleton.joints[source].rest.rotation * axis);
}

// 2k or 2k+1 for the positive or negative axis k that a unit vector is, or −1.
int signed_axis(const Vec3& v) {
  for (int k = 0; k < 3; ++k) {
    if ((v - Vec3::Unit(k)).norm() < kExact) return 2 * k;
    if ((v + Vec3::Unit(k)).norm() < kExact) return 2 * k + 1;
  }
  return -1;
}

// Whether nothing above a joint bends angles.
bool grows_evenly_above(const Skeleton& skeleton, Index joint) {
  for (Index j = skeleton.joints[joint].parent; j != kNone; j = skeleton.joints[j].parent) {
    const Joint& above = skeleton.joints[j];
    const Vec3& s = above.rest.scale;
    const bool even = s.minCoeff() > 0 && s.maxCoeff() - s.minCoeff() <= kExact * s.maxCoeff();
    if (!even || above.shear != Mat3::Identity()) return false;
  }
  return true;
}

// ---- Reading.

Index source_of(const Json& constraint, const NodeGraph& graph, Index node) {
  const auto source = constraint.find("source");
  if (source == constraint.end() || !source->is_number_unsigned() ||
      source->get<std::uint64_t>() >= graph.joint.size() || graph.joint[source->get<std::size_t>()] == kNone)
    throw Error("its source is not a joint");
  if (source->get<std::size_t>() == node) throw Error("its source is the node itself");
  return graph.joint[source->get<std::size_t>()];
}

template <std::size_t N>
std::size_t word_of(const Json& constraint, const char* key, const std::array<const char*, N>& words) {
  const auto found = constraint.find(key);
  for (std::size_t i = 0; i < N; ++i)
    if (found != constraint.end() && *found == words[i]) return i;
  throw Error(fmt::format("its '{}' is unknown", key));
}

double weight_of(const Json& constraint) {
  const auto found = constraint.find("weight");
  if (found == constraint.end()) return 1;
  if (!found->is_number() || !(found->get<double>() >= 0 && found->get<double>() <= 1))
    throw Error("its weight is not between 0 and 1");
  return found->get<double>();
}

// \throws Error with half a sentence if the constraint cannot be understood, or not be said by a driver.
Driver parse_constraint(const Json& extension, const NodeGraph& graph, const Skeleton& skeleton, Index node) {
  if (!extension.is_object()) throw Error("it is not an object");
  const auto version = extension.find("specVersion");
  if (version == extension.end() || !version->is_string() || !version->get_ref<const std::string&>().starts_with("1.0"))
    throw Error("its version is not 1.0");
  const auto constraint = extension.find("constraint");
  if (constraint == extension.end() || !constraint->is_object()) throw Error("it has no 'constraint'");
  const auto kind_of = [&](const char* word) {
    const auto found = constraint->find(word);
    return found != constraint->end() && found->is_object() ? &*found : nullptr;
  };
  const Json *roll = kind_of("roll"), *aim = kind_of("aim"), *rotation = kind_of("rotation");
  if ((roll != nullptr) + (aim != nullptr) + (rotation != nullptr) != 1)
    throw Error("it should be roll, aim or rotation");
  const Json& values = roll ? *roll : aim ? *aim : *rotation;
  Driver driver;
  driver.source = source_of(values, graph, node);
  if (aim) {
    driver.kind = Driver::Kind::kAim;
    driver.weight = weight_of(values);
    const std::size_t axis = word_of(values, "aimAxis", kAimAxes);
    driver.axis = (axis % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(static_cast<int>(axis / 2));
    return driver;
  }
  driver.share = weight_of(values);
  driver.kind = rotation ? Driver::Kind::kRotationShare : Driver::Kind::kTwistShare;
  if (rotation) return driver;
  const Index joint = graph.joint[node];
  const Vec3 axis = Vec3::Unit(static_cast<int>(word_of(values, "rollAxis", kRollAxes)));
  driver.axis = axis_through_parents(skeleton, driver.source, joint, axis).normalized();
  if ((axis_through_model(skeleton, joint, driver.source, driver.axis) - axis).norm() > kReadable)
    throw Error("its axis and that of its source differ at rest, which no driver can represent");
  return driver;
}

std::optional<Driver> understood(const Json& extension, const NodeGraph& graph, const Skeleton& skeleton, Index node) {
  try {
    return parse_constraint(extension, graph, skeleton, node);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Which driven joints must stand before a driver can be evaluated, as motion::Drivers has it.
std::vector<Index> needs_of_driver(const Skeleton& skeleton, Index joint) {
  std::vector<Index> needed;
  const Driver& driver = *skeleton.joints[joint].driver;
  const auto add = [&](Index j) {
    if (skeleton.joints[j].driver) needed.push_back(j);
  };
  if (driver.kind == Driver::Kind::kOpaque || driver.source >= skeleton.size()) return needed;
  if (driver.kind != Driver::Kind::kAim) add(driver.source);
  else
    for (const Index start : {driver.source, skeleton.joints[joint].parent})
      for (Index j = start; j != kNone; j = skeleton.joints[j].parent) add(j);
  return needed;
}

bool needs_itself(const Skeleton& skeleton, Index joint) {
  std::vector<bool> seen(skeleton.joints.size(), false);
  std::vector<Index> stack = needs_of_driver(skeleton, joint);
  while (!stack.empty()) {
    const Index j = stack.back();
    stack.pop_back();
    if (j == joint) return true;
    if (seen[j]) continue;
    seen[j] = true;
    const std::vector<Index> more = needs_of_driver(skeleton, j);
    stack.insert(stack.end(), more.begin(), more.end());
  }
  return false;
}

// ---- Writing.

bool equal_but_source(const Driver& a, const Driver& b) {
  return a.kind == b.kind && a.axis == b.axis && a.share == b.share && a.weight == b.weight &&
         a.coefficients == b.coefficients && a.keys == b.keys && a.before.coeffs() == b.before.coeffs() &&
         a.opaque == b.opaque;
}

bool nearly_equal_but_source(const Driver& a, const Driver& b) {
  return a.kind == b.kind && (a.axis - b.axis).norm() < kExact && a.share == b.share && a.weight == b.weight;
}

// What a document said before it was edited, by node.
class BeforeEdit {
 public:
  BeforeEdit(const GltfDocument& document, bool fresh) : document_(document) {
    if (fresh) return;
    graph_ = read_nodes(document);
    read_skeleton(document, graph_, character_);
    read_drivers(document, graph_, character_);
    read_constraints(document, graph_, character_);
  }

  // Whether a node's constraint can stay: its driver is the one that was read, and the constraint means what it meant.
  bool still_holds(Index node, const std::optional<Driver>& driver, const Skeleton& skeleton,
                   const std::vector<Index>& node_of_joint, const NodeGraph& graph_now) const {
    if (node >= graph_.joint.size() || graph_.joint[node] == kNone) return !driver;
    const Skeleton& then = character_.rig.skeleton;
    const std::optional<Driver>& old = then.joints[graph_.joint[node]].driver;
    if (driver.has_value() != old.has_value()) return false;
    if (!driver) return true;
    const Index source_now = driver->source < skeleton.size() ? node_of_joint[driver->source] : kNone;
    const Index source_then = old->source < then.size() ? then.joints[old->source].source : kNone;
    if (source_now != source_then || !equal_but_source(*driver, *old)) return false;
    const Json& extension = *constraint_of(array_at(document_.json(), "nodes", "file")[node]);
    const std::optional<Driver> meant = understood(extension, graph_, then, node);
    if (!meant) return true;
    const std::optional<Driver> means = understood(extension, graph_now, skeleton, node);
    return means && nearly_equal_but_source(*meant, *means);
  }

 private:
  const GltfDocument& document_;
  NodeGraph graph_;
  Character character_;
};

void erase_constraint(Json& node) {
  node["extensions"].erase(kNodeConstraint);
  if (node["extensions"].empty()) node.erase("extensions");
}

void erase_word(Json& json, const char* list) {
  const auto found = json.find(list);
  if (found == json.end() || !found->is_array()) return;
  const auto word = std::find(found->begin(), found->end(), Json(kNodeConstraint));
  if (word != found->end()) found->erase(word);
  if (found->empty()) json.erase(list);
}

}  // namespace

Json constraint_json(const Skeleton& skeleton, Index joint, const std::vector<Index>& node_of_joint) {
  const Joint& self = skeleton.joints[joint];
  if (!self.driver || self.driver->source >= skeleton.size() || self.driver->source == joint) return Json();
  const Driver& driver = *self.driver;
  const Joint& source = skeleton.joints[driver.source];
  if (self.shear != Mat3::Identity() || source.shear != Mat3::Identity() || !(driver.axis.norm() > kExact))
    return Json();
  const bool aims = driver.kind == Driver::Kind::kAim;
  // A constraint counts from the rest pose.
  if (!aims && driver.before.vec().norm() > kExact) return Json();
  const double weight = aims ? driver.weight : driver.share;
  if (!(weight >= 0 && weight <= 1)) return Json();
  Json values = {{"source", node_of_joint[driver.source]}};
  const char* word = nullptr;
  if (driver.kind == Driver::Kind::kTwistShare) {
    const Vec3 axis = axis_through_parents(skeleton, joint, driver.source, driver.axis.normalized());
    const Vec3 ours = axis_through_model(skeleton, joint, driver.source, driver.axis.normalized());
    // A roll about an axis is one about its opposite.
    const int number = signed_axis(axis);
    if (number < 0 || (axis - ours).norm() > kExact) return Json();
    word = "roll";
    values["rollAxis"] = kRollAxes[static_cast<std::size_t>(number / 2)];
  } else if (aims) {
    const int number = signed_axis(driver.axis.normalized());
    if (number < 0 || !grows_evenly_above(skeleton, joint)) return Json();
    word = "aim";
    values["aimAxis"] = kAimAxes[static_cast<std::size_t>(number)];
  } else if (driver.kind == Driver::Kind::kRotationShare) {
    word = "rotation";
  } else {
    return Json();
  }
  values["weight"] = weight;
  return {{"specVersion", "1.0"}, {"constraint", {{word, std::move(values)}}}};
}

Findings read_constraints(const GltfDocument& document, const NodeGraph& graph, Character& character) {
  Findings findings;
  const Json& nodes = array_at(document.json(), "nodes", "file");
  Skeleton& skeleton = character.rig.skeleton;
  const auto tell = [&](const Joint& joint, const std::string& why) {
    findings.push_back(
        {"gltf.constraint", joint.name, fmt::format("Its {} is kept but not evaluated: {}.", kNodeConstraint, why)});
  };
  std::vector<Index> read;
  for (Index n = 0; n < nodes.size(); ++n) {
    const Json* extension = constraint_of(nodes[n]);
    if (!extension || graph.joint[n] == kNone) continue;
    Joint& joint = skeleton.joints[graph.joint[n]];
    if (joint.driver) continue;
    try {
      joint.driver = parse_constraint(*extension, graph, skeleton, n);
      read.push_back(graph.joint[n]);
    } catch (const Error& error) {
      tell(joint, error.what());
    }
  }
  for (const Index j : read) {
    Joint& joint = skeleton.joints[j];
    if (needs_itself(skeleton, j)) {
      joint.driver.reset();
      tell(joint, "it depends on itself in a cycle");
    } else if (joint.role.empty()) {
      joint.role = "helper";
    }
  }
  return findings;
}

void write_constraints(DocumentEditor& editor, const GltfDocument& document, const Skeleton& skeleton,
                       const std::vector<Index>& node_of_joint, bool fresh) {
  const BeforeEdit before(document, fresh);
  Json& nodes = editor.list("nodes");
  NodeGraph now;  // Only its joints are asked for.
  now.joint.assign(nodes.size(), kNone);
  for (Index j = 0; j < skeleton.size(); ++j) now.joint[node_of_joint[j]] = j;
  bool set = false, erased = false;
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index n = node_of_joint[j];
    const bool has = constraint_of(nodes[n]) != nullptr;
    if (has && before.still_holds(n, skeleton.joints[j].driver, skeleton, node_of_joint, now)) continue;
    Json extension = constraint_json(skeleton, j, node_of_joint);
    if (!extension.is_null()) {
      nodes[n]["extensions"][kNodeConstraint] = std::move(extension);
      set = true;
    } else if (has) {
      erase_constraint(nodes[n]);
      erased = true;
    }
  }
  const bool any = std::any_of(nodes.begin(), nodes.end(), [](const Json& node) { return constraint_of(node); });
  // A new list in the document moves those that are there: `nodes` is not to be used from here on.
  if (set) editor.use_extension(kNodeConstraint);
  if (erased && !any) {
    erase_word(editor.json, "extensionsUsed");
    erase_word(editor.json, "extensionsRequired");
  }
}

}  // namespace sinew::io::gltf
