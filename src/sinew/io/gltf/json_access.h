// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Reading untrusted JSON: every look-up says what is wrong and where.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sinew/core/error.h"
#include "sinew/core/json.h"
#include "sinew/core/math.h"

namespace sinew::io::gltf {

/// The array `owner[key]`, or an empty one if there is none. \throws Error if it is something else.
const Json& array_at(const Json& owner, const char* key, const std::string& where);

/// The object `owner[key]`, or an empty one if there is none. \throws Error if it is something else.
const Json& object_at(const Json& owner, const char* key, const std::string& where);

/// An element that must be an object.
const Json& element_at(const Json& array, std::size_t index, const std::string& where);

/// A whole number ≥ 0, or `fallback` if there is none.
std::uint64_t size_at(const Json& owner, const char* key, std::uint64_t fallback, const std::string& where);

/// An index below `limit`, or kNone if there is none.
Index index_at(const Json& owner, const char* key, std::size_t limit, const std::string& where);

/// An index that must be there.
Index required_index(const Json& owner, const char* key, std::size_t limit, const std::string& where);

double number_at(const Json& owner, const char* key, double fallback, const std::string& where);
bool flag_at(const Json& owner, const char* key, bool fallback, const std::string& where);
std::string text_at(const Json& owner, const char* key, const std::string& where);

/// Fills `values` from an array of just that many finite numbers. False if there is none.
bool numbers_at(const Json& owner, const char* key, std::span<double> values, const std::string& where);

/// "accessor 3"
std::string place(std::string_view kind, std::size_t index);

}  // namespace sinew::io::gltf
