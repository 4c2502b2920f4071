// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The objects of an FBX file, their properties and how they are connected.

#include <map>
#include <unordered_map>

#include "sinew/core/math.h"
#include "sinew/io/fbx/records.h"

namespace sinew::io::fbx {

/// Properties of an object; those that it does not state come from the template of its class.
class Properties {
 public:
  Properties() = default;
  Properties(const Record* own, const Record* defaults) : own_(own), defaults_(defaults) {}

  /// The record of a property, or null. Its values begin at position 4.
  const Record* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  double number(std::string_view name, double fallback) const;
  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  std::optional<Vec3> vector(std::string_view name) const;

 private:
  const Record* own_ = nullptr;
  const Record* defaults_ = nullptr;
};

struct Object {
  std::int64_t id = 0;
  std::string name;
  std::string_view kind;  ///< "Model", "Geometry", "Deformer", …
  std::string_view type;  ///< "Mesh", "LimbNode", "Skin", "Cluster", …
  const Record* record = nullptr;
};

/// One end of a connection.
struct Link {
  Index object = kNone;
  std::string_view property;  ///< That it is connected to; empty for the whole object.
};

/// Objects by number. Number 0 is the scene itself, which the file calls object 0.
class Objects {
 public:
  /// \pre the records outlive this.
  explicit Objects(const Record& root);

  const std::vector<Object>& all() const { return objects_; }
  const Object& operator[](Index object) const { return objects_[object]; }
  Index size() const { return static_cast<Index>(objects_.size()); }
  /// What is connected to an object, and what it is connected to, in the order of the file.
  const std::vector<Link>& children(Index object) const { return children_[object]; }
  const std::vector<Link>& parents(Index object) const { return parents_[object]; }
  /// The children of one kind and, unless it is empty, one type. Objects that are connected to a property only, such as
  /// the target of a camera, are not among them.
  std::vector<Index> children(Index object, std::string_view kind, std::string_view type = {}) const;
  Properties properties(Index object) const;
  Properties settings() const { return Properties(settings_, nullptr); }
  Index find(std::int64_t id) const;

 private:
  void read_objects(const Record& list);
  void read_connections(const Record& list);
  void read_templates(const Record& definitions);

  std::vector<Object> objects_;
  std::unordered_map<std::int64_t, Index> by_id_;
  std::vector<std::vector<Link>> children_, parents_;
  std::map<std::string_view, const Record*> templates_;  // Properties by class.
  const Record* settings_ = nullptr;
};

}  // namespace sinew::io::fbx
