// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/fbx/objects.h"

namespace sinew::io::fbx {
namespace {

constexpr std::size_t kFirstPropertyValue = 4;  // After name, type, label and flags.
constexpr std::string_view kProperties = "Properties70";

const Record* property_in(const Record* list, std::string_view name) {
  if (list == nullptr) return nullptr;
  for (const Record& property : list->children)
    if (property.text(0) == name) return &property;
  return nullptr;
}

}  // namespace

const Record* Properties::find(std::string_view name) const {
  const Record* own = property_in(own_, name);
  return own != nullptr ? own : property_in(defaults_, name);
}

double Properties::number(std::string_view name, double fallback) const {
  const Record* property = find(name);
  const Value* value = property == nullptr ? nullptr : property->value(kFirstPropertyValue);
  return value == nullptr ? fallback : value->number().value_or(fallback);
}

std::int64_t Properties::integer(std::string_view name, std::int64_t fallback) const {
  const Record* property = find(name);
  const Value* value = property == nullptr ? nullptr : property->value(kFirstPropertyValue);
  return value == nullptr ? fallback : value->integer().value_or(fallback);
}

std::optional<Vec3> Properties::vector(std::string_view name) const {
  const Record* property = find(name);
  if (property == nullptr || property->values.size() < kFirstPropertyValue + 3) return std::nullopt;
  Vec3 result;
  for (int i = 0; i < 3; ++i) {
    const auto number = property->values[kFirstPropertyValue + static_cast<std::size_t>(i)].number();
    if (!number) return std::nullopt;
    result[i] = *number;
  }
  return result;
}

Objects::Objects(const Record& root) {
  objects_.emplace_back().kind = "Scene";
  by_id_.emplace(0, 0);
  if (const Record* settings = root.find("GlobalSettings")) settings_ = settings->find(kProperties);
  if (const Record* definitions = root.find("Definitions")) read_templates(*definitions);
  if (const Record* list = root.find("Objects")) read_objects(*list);
  children_.resize(objects_.size());
  parents_.resize(objects_.size());
  if (const Record* list = root.find("Connections")) read_connections(*list);
}

void Objects::read_templates(const Record& definitions) {
  for (const Record& type : definitions.children) {
    const Record* model = type.name == "ObjectType" ? type.find("PropertyTemplate") : nullptr;
    if (model == nullptr) continue;
    if (const Record* properties = model->find(kProperties)) templates_.emplace(type.text(0), properties);
  }
}

void Objects::read_objects(const Record& list) {
  for (const Record& record : list.children) {
    const auto id = record.values.empty() ? std::nullopt : record.values[0].integer();
    if (!id || *id == 0) continue;
    if (!by_id_.emplace(*id, size()).second) continue;  // Nothing can refer to the second of one number.
    Object& object = objects_.emplace_back();
    object.id = *id;
    // The name is followed by a separator and the class.
    const std::string_view name = record.text(1);
    object.name = name.substr(0, name.find(std::string_view("\0\x01", 2)));
    object.kind = record.name;
    object.type = record.text(2);
    object.record = &record;
  }
}

void Objects::read_connections(const Record& list) {
  for (const Record& record : list.children) {
    const std::string_view way = record.text(0);
    if (record.values.size() < 3 || (way != "OO" && way != "OP")) continue;
    const Index child = find(record.values[1].integer().value_or(-1));
    const Index parent = find(record.values[2].integer().value_or(-1));
    if (child == kNone || parent == kNone || child == 0 || child == parent) continue;
    const std::string_view property = record.text(3);
    children_[parent].push_back({child, property});
    parents_[child].push_back({parent, property});
  }
}

Index Objects::find(std::int64_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? kNone : found->second;
}

std::vector<Index> Objects::children(Index object, std::string_view kind, std::string_view type) const {
  std::vector<Index> result;
  for (const Link& link : children_[object])
    if (link.property.empty() && objects_[link.object].kind == kind &&
        (type.empty() || objects_[link.object].type == type))
      result.push_back(link.object);
  return result;
}

Properties Objects::properties(Index object) const {
  const Object& target = objects_[object];
  const auto defaults = templates_.find(target.kind);
  return Properties(target.record == nullptr ? nullptr : target.record->find(kProperties),
                    defaults == templates_.end() ? nullptr : defaults->second);
}

}  // namespace sinew::io::fbx
