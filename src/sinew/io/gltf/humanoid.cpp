// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/humanoid.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/io/gltf/json_access.h"

namespace sinew::io::gltf {
namespace {

constexpr const char* kConstraint = "VRMC_node_constraint";

// Extensions that name no node, or whose numbers of nodes are visited here.
constexpr const char* kKnown[] = {"KHR_materials_",          "KHR_texture_",         "EXT_texture_",
                                  "MSFT_texture_",           "KHR_lights_punctual",  "KHR_xmp",
                                  "KHR_mesh_quantization",   "FB_ngon_encoding",     "KHR_draco_mesh_compression",
                                  "EXT_meshopt_compression", "KHR_node_visibility",  "KHR_techniques_webgl",
                                  "EXT_mesh_manifold",       "VRMC_materials_mtoon", "VRMC_vrm",
                                  "VRMC_springBone",         "VRMC_node_constraint"};

// The member at the end of a path of keys, or null.
Json* member_at(Json& owner, std::initializer_list<const char*> path) {
  Json* at = &owner;
  for (const char* key : path) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(key);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

// The elements of a list or table at the end of a path; none if it is something else.
template <class Body>
void each(Json& owner, std::initializer_list<const char*> path, Body&& body) {
  Json* list = member_at(owner, path);
  if (!list || !list->is_structured()) return;
  for (Json& element : *list) body(element);
}

bool is_gone(const Json& number, const std::vector<bool>& gone) {
  return number.is_number_integer() && number.get<std::int64_t>() >= 0 && number.get<std::uint64_t>() < gone.size() &&
         gone[number.get<std::size_t>()];
}

bool names_gone(const Json& owner, const char* key, const std::vector<bool>& gone) {
  if (!owner.is_object()) return false;
  const auto found = owner.find(key);
  return found != owner.end() && is_gone(*found, gone);
}

// Takes elements out of a list. Returns the new number of each, kNone for those that went.
template <class Test>
std::vector<Index> take_out(Json& list, Test&& test) {
  std::vector<Index> fresh;
  Json kept = Json::array();
  for (Json& element : list) {
    const bool goes = test(element);
    fresh.push_back(goes ? kNone : static_cast<Index>(kept.size()));
    if (!goes) kept.push_back(std::move(element));
  }
  list = std::move(kept);
  return fresh;
}

std::size_t count_gone(const std::vector<Index>& fresh) {
  return static_cast<std::size_t>(std::count(fresh.begin(), fresh.end(), kNone));
}

// Numbers in a list that follow a list of which some elements went.
void renumber(Json& numbers, const std::vector<Index>& fresh) {
  if (!numbers.is_array()) return;
  Json kept = Json::array();
  for (const Json& number : numbers)
    if (number.is_number_unsigned() && number.get<std::size_t>() < fresh.size() &&
        fresh[number.get<std::size_t>()] != kNone)
      kept.push_back(fresh[number.get<std::size_t>()]);
  numbers = std::move(kept);
}

void tell(std::vector<std::string>& told, std::size_t count, const char* one, const char* many) {
  if (count > 0) told.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
}

void forget_in_vrm1(Json& vrm, const std::vector<bool>& gone, std::vector<std::string>& told) {
  if (Json* bones = member_at(vrm, {"humanoid", "humanBones"}); bones && bones->is_object()) {
    std::vector<std::string> names;
    for (const auto& bone : bones->items())
      if (names_gone(bone.value(), "node", gone)) names.push_back(bone.key());
    for (const std::string& name : names) bones->erase(name);
    tell(told, names.size(), "bone of the humanoid", "bones of the humanoid");
  }
  if (Json* notes = member_at(vrm, {"firstPerson", "meshAnnotations"}); notes && notes->is_array())
    take_out(*notes, [&](const Json& note) { return names_gone(note, "node", gone); });
  for (const char* kind : {"preset", "custom"})
    each(vrm, {"expressions", kind}, [&](Json& expression) {
      if (Json* binds = member_at(expression, {"morphTargetBinds"}); binds && binds->is_array())
        take_out(*binds, [&](const Json& bind) { return names_gone(bind, "node", gone); });
    });
}

void forget_springs(Json& springs, const std::vector<bool>& gone, std::vector<std::string>& told) {
  if (Json* colliders = member_at(springs, {"colliders"}); colliders && colliders->is_array()) {
    const std::vector<Index> fresh =
        take_out(*colliders, [&](const Json& collider) { return names_gone(collider, "node", gone); });
    each(springs, {"colliderGroups"}, [&](Json& group) {
      if (Json* numbers = member_at(group, {"colliders"})) renumber(*numbers, fresh);
    });
    tell(told, count_gone(fresh), "collider", "colliders");
  }
  Json* groups = member_at(springs, {"colliderGroups"});
  if (groups && groups->is_array()) {
    const std::vector<Index> fresh = take_out(*groups, [](Json& group) {
      const Json* numbers = member_at(group, {"colliders"});
      return numbers && numbers->empty();
    });
    each(springs, {"springs"}, [&](Json& spring) {
      if (Json* numbers = member_at(spring, {"colliderGroups"})) renumber(*numbers, fresh);
    });
  }
  Json* list = member_at(springs, {"springs"});
  if (!list || !list->is_array()) return;
  const std::vector<Index> fresh = take_out(*list, [&](Json& spring) {
    if (names_gone(spring, "center", gone)) spring.erase("center");
    Json* joints = member_at(spring, {"joints"});
    if (!joints || !joints->is_array()) return false;
    take_out(*joints, [&](const Json& joint) { return names_gone(joint, "node", gone); });
    return joints->size() < 2;
  });
  tell(told, count_gone(fresh), "spring", "springs");
}

void forget_in_vrm0(Json& vrm, const std::vector<bool>& gone, std::vector<std::string>& told) {
  if (Json* bones = member_at(vrm, {"humanoid", "humanBones"}); bones && bones->is_array())
    tell(told, count_gone(take_out(*bones, [&](const Json& bone) { return names_gone(bone, "node", gone); })),
         "bone of the humanoid", "bones of the humanoid");
  if (Json* first = member_at(vrm, {"firstPerson"}); first && names_gone(*first, "firstPersonBone", gone))
    (*first)["firstPersonBone"] = -1;
  std::vector<Index> fresh;
  if (Json* groups = member_at(vrm, {"secondaryAnimation", "colliderGroups"}); groups && groups->is_array()) {
    fresh = take_out(*groups, [&](const Json& group) { return names_gone(group, "node", gone); });
    tell(told, count_gone(fresh), "collider", "colliders");
  }
  Json* springs = member_at(vrm, {"secondaryAnimation", "boneGroups"});
  if (!springs || !springs->is_array()) return;
  tell(told,
       count_gone(take_out(*springs,
                           [&](Json& spring) {
                             if (names_gone(spring, "center", gone)) spring["center"] = -1;
                             if (Json* numbers = member_at(spring, {"colliderGroups"})) renumber(*numbers, fresh);
                             Json* bones = member_at(spring, {"bones"});
                             if (!bones || !bones->is_array()) return false;
                             take_out(*bones, [&](const Json& bone) { return is_gone(bone, gone); });
                             return bones->empty();
                           })),
       "spring", "springs");
}

void forget_constraints(Json& json, const std::vector<bool>& gone, std::vector<std::string>& told) {
  std::size_t count = 0;
  each(json, {"nodes"}, [&](Json& node) {
    Json* constraint = member_at(node, {"extensions", kConstraint, "constraint"});
    if (!constraint || !constraint->is_object()) return;
    const bool goes = std::any_of(constraint->begin(), constraint->end(),
                                  [&](const Json& kind) { return names_gone(kind, "source", gone); });
    if (!goes) return;
    node["extensions"].erase(kConstraint);
    if (node["extensions"].empty()) node.erase("extensions");
    ++count;
  });
  tell(told, count, "constraint", "constraints");
}

// VRM 0.x counts the joints of a thumb otherwise.
std::string vrm0_bone(std::string bone) {
  const auto swap = [&](const char* from, const char* to) {
    const std::size_t at = bone.find(from);
    if (at == std::string::npos) return false;
    bone.replace(at, std::string(from).size(), to);
    return true;
  };
  if (!swap("ThumbProximal", "ThumbIntermediate")) swap("ThumbMetacarpal", "ThumbProximal");
  return bone;
}

}  // namespace

void write_humanoid(DocumentEditor& editor, const Humanoid& humanoid, const std::vector<Index>& node_of_joint) {
  Json* vrm0 = member_at(editor.json, {"extensions", "VRM"});
  Json* vrm1 = member_at(editor.json, {"extensions", "VRMC_vrm"});
  if (vrm0) {
    Json bones = Json::array();
    for (const auto& [bone, joint] : humanoid.bones)
      bones.push_back({{"bone", vrm0_bone(bone)}, {"node", node_of_joint[joint]}, {"useDefaultValues", true}});
    (*vrm0)["humanoid"]["humanBones"] = std::move(bones);
  }
  if (!vrm1 && (vrm0 || !humanoid.create)) return;
  if (!vrm1) {
    Json meta = {{"name", humanoid.name}, {"authors", {"unknown"}}, {"licenseUrl", "https://vrm.dev/licenses/1.0/"}};
    editor.json["extensions"]["VRMC_vrm"] = {{"specVersion", "1.0"}, {"meta", std::move(meta)}};
    editor.use_extension("VRMC_vrm");
    vrm1 = member_at(editor.json, {"extensions", "VRMC_vrm"});
  }
  Json bones = Json::object();
  for (const auto& [bone, joint] : humanoid.bones) bones[bone] = {{"node", node_of_joint[joint]}};
  (*vrm1)["humanoid"]["humanBones"] = std::move(bones);
}

std::vector<std::string> forget_nodes(Json& json, const std::vector<bool>& gone) {
  std::vector<std::string> told;
  if (Json* vrm = member_at(json, {"extensions", "VRMC_vrm"})) forget_in_vrm1(*vrm, gone, told);
  if (Json* vrm = member_at(json, {"extensions", "VRM"})) forget_in_vrm0(*vrm, gone, told);
  if (Json* springs = member_at(json, {"extensions", "VRMC_springBone"})) forget_springs(*springs, gone, told);
  forget_constraints(json, gone, told);
  return told;
}

void visit_node_numbers(Json& json, const std::function<void(Json&)>& visit) {
  const auto number = [&](Json& owner, std::initializer_list<const char*> path) {
    Json* found = member_at(owner, path);
    if (found && found->is_number_integer() && found->get<std::int64_t>() >= 0) visit(*found);
  };
  const auto numbers = [&](Json& owner, const char* key) {
    each(owner, {key}, [&](Json& element) {
      if (element.is_number_unsigned()) visit(element);
    });
  };
  each(json, {"scenes"}, [&](Json& scene) { numbers(scene, "nodes"); });
  each(json, {"nodes"}, [&](Json& node) {
    numbers(node, "children");
    each(node, {"extensions", kConstraint, "constraint"}, [&](Json& kind) { number(kind, {"source"}); });
  });
  each(json, {"skins"}, [&](Json& skin) {
    numbers(skin, "joints");
    number(skin, {"skeleton"});
  });
  each(json, {"animations"}, [&](Json& animation) {
    each(animation, {"channels"}, [&](Json& channel) { number(channel, {"target", "node"}); });
  });
  if (Json* vrm = member_at(json, {"extensions", "VRMC_vrm"})) {
    each(*vrm, {"humanoid", "humanBones"}, [&](Json& bone) { number(bone, {"node"}); });
    each(*vrm, {"firstPerson", "meshAnnotations"}, [&](Json& note) { number(note, {"node"}); });
    for (const char* kind : {"preset", "custom"})
      each(*vrm, {"expressions", kind}, [&](Json& expression) {
        each(expression, {"morphTargetBinds"}, [&](Json& bind) { number(bind, {"node"}); });
      });
  }
  if (Json* springs = member_at(json, {"extensions", "VRMC_springBone"})) {
    each(*springs, {"colliders"}, [&](Json& collider) { number(collider, {"node"}); });
    each(*springs, {"springs"}, [&](Json& spring) {
      number(spring, {"center"});
      each(spring, {"joints"}, [&](Json& joint) { number(joint, {"node"}); });
    });
  }
  if (Json* vrm = member_at(json, {"extensions", "VRM"})) {
    each(*vrm, {"humanoid", "humanBones"}, [&](Json& bone) { number(bone, {"node"}); });
    number(*vrm, {"firstPerson", "firstPersonBone"});
    each(*vrm, {"secondaryAnimation", "colliderGroups"}, [&](Json& group) { number(group, {"node"}); });
    each(*vrm, {"secondaryAnimation", "boneGroups"}, [&](Json& spring) {
      number(spring, {"center"});
      numbers(spring, "bones");
    });
  }
}

bool node_numbers_are_known(const Json& json) {
  const Json& used = array_at(json, "extensionsUsed", "file");
  return std::all_of(used.begin(), used.end(), [](const Json& name) {
    if (!name.is_string()) return false;
    const auto& text = name.get_ref<const std::string&>();
    return text == "VRM" || std::any_of(std::begin(kKnown), std::end(kKnown),
                                        [&](const char* start) { return text.starts_with(start); });
  });
}

}  // namespace sinew::io::gltf
