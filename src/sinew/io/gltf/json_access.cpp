// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/json_access.h"

#include <fmt/format.h>

#include <cmath>

namespace sinew::io::gltf {
namespace {

[[noreturn]] void fail(const std::string& where, const char* key, std::string_view what) {
  throw Error(fmt::format("{}: '{}' {}.", where, key, what));
}

const Json* find(const Json& owner, const char* key) {
  if (!owner.is_object()) return nullptr;
  const auto found = owner.find(key);
  return found == owner.end() ? nullptr : &*found;
}

}  // namespace

const Json& array_at(const Json& owner, const char* key, const std::string& where) {
  static const Json empty = Json::array();
  const Json* value = find(owner, key);
  if (!value) return empty;
  if (!value->is_array()) fail(where, key, "must be a list");
  return *value;
}

const Json& object_at(const Json& owner, const char* key, const std::string& where) {
  static const Json empty = Json::object();
  const Json* value = find(owner, key);
  if (!value) return empty;
  if (!value->is_object()) fail(where, key, "must be an object");
  return *value;
}

const Json& element_at(const Json& array, std::size_t index, const std::string& where) {
  if (!array[index].is_object()) throw Error(where + " is not an object.");
  return array[index];
}

std::uint64_t size_at(const Json& owner, const char* key, std::uint64_t fallback, const std::string& where) {
  const Json* value = find(owner, key);
  if (!value) return fallback;
  // Some exporters write 12.0 for 12.
  if (value->is_number_float()) {
    const double number = value->get<double>();
    if (number >= 0 && number < 9e15 && number == std::floor(number)) return static_cast<std::uint64_t>(number);
  }
  if (!value->is_number_integer() || (!value->is_number_unsigned() && value->get<std::int64_t>() < 0))
    fail(where, key, "must be a whole number of at least 0");
  return value->get<std::uint64_t>();
}

Index index_at(const Json& owner, const char* key, std::size_t limit, const std::string& where) {
  if (!find(owner, key)) return kNone;
  const std::uint64_t value = size_at(owner, key, 0, where);
  if (value >= limit) fail(where, key, fmt::format("is {}, but there are only {}", value, limit));
  return static_cast<Index>(value);
}

Index required_index(const Json& owner, const char* key, std::size_t limit, const std::string& where) {
  const Index index = index_at(owner, key, limit, where);
  if (index == kNone) fail(where, key, "is missing");
  return index;
}

double number_at(const Json& owner, const char* key, double fallback, const std::string& where) {
  const Json* value = find(owner, key);
  if (!value) return fallback;
  if (!value->is_number() || !std::isfinite(value->get<double>())) fail(where, key, "must be a number");
  return value->get<double>();
}

bool flag_at(const Json& owner, const char* key, bool fallback, const std::string& where) {
  const Json* value = find(owner, key);
  if (!value) return fallback;
  if (!value->is_boolean()) fail(where, key, "must be true or false");
  return value->get<bool>();
}

std::string text_at(const Json& owner, const char* key, const std::string& where) {
  const Json* value = find(owner, key);
  if (!value) return {};
  if (!value->is_string()) fail(where, key, "must be a string");
  return value->get<std::string>();
}

bool numbers_at(const Json& owner, const char* key, std::span<double> values, const std::string& where) {
  const Json* list = find(owner, key);
  if (!list) return false;
  if (!list->is_array() || list->size() != values.size())
    fail(where, key, fmt::format("must be a list of {} numbers", values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Json& value = (*list)[i];
    if (!value.is_number() || !std::isfinite(value.get<double>())) fail(where, key, "must hold numbers only");
    values[i] = value.get<double>();
  }
  return true;
}

std::string place(std::string_view kind, std::size_t index) { return fmt::format("{} {}", kind, index); }

}  // namespace sinew::io::gltf
