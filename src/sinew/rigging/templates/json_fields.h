// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Strict reading of JSON that people write by hand: every wrong thing is an Error that says where it is.

#include <map>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/json.h"
#include "sinew/core/math.h"

namespace sinew::rigging {

/// JSON of a text. \throws Error with `where` and the place for what is no JSON, or for a key that comes twice in an
/// object.
Json parse_json(const std::string& text, const std::string& where);

/// The fields of a JSON object. Refers to it.
class JsonFields {
 public:
  /// \throws Error if it is no object or has a key that is not among `known`.
  JsonFields(const Json& json, std::string where, const std::vector<std::string>& known);

  const std::string& where() const { return where_; }
  bool has(const char* key) const { return json_.contains(key); }
  /// \throws Error if it is missing.
  const Json& need(const char* key) const;

  /// Reads a field into `value` if it is there. \throws Error if it is of another kind or not finite.
  void read(const char* key, std::string& value) const;
  void read(const char* key, bool& value) const;
  void read(const char* key, int& value) const;
  void read(const char* key, double& value) const;
  void read(const char* key, Vec3& value) const;
  void read(const char* key, std::vector<std::string>& value) const;
  void read(const char* key, std::map<std::string, std::string>& value) const;
  /// One of some words; `value` becomes its place among them.
  void read_choice(const char* key, const std::vector<std::string>& choices, std::size_t& value) const;

  /// \throws Error: `where`, the field and `should`, a half sentence such as "should be a number".
  [[noreturn]] void fail(const char* key, const std::string& should) const;

 private:
  const Json* find(const char* key) const;
  const Json& json_;
  std::string where_;
};

}  // namespace sinew::rigging
