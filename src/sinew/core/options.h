// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Options have one place. An options struct lists its fields once, in a static `visit`:
///
///     struct CapOptions {
///       int max_influences = 4;
///       template <class Self, class Visitor>
///       static void visit(Self& self, Visitor&& v) {
///         v(Field("max_influences", "Most joints that may move one vertex.").range(1, 64), self.max_influences);
///       }
///     };
///
/// Command-line flags (`--max-influences`), JSON keys, tables in the docs and later the studio's controls and Python's
/// keywords are made from that list through `OptionList`.

#include <algorithm>
#include <concepts>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinew/core/json.h"

namespace sinew {

/// What has to be done again when an option changes.
enum class Effect { kJob, kRebind, kFrame };

/// What an option is set for.
enum class Scope { kGlobal, kPerJoint };

/// All that is said about one option, apart from its value.
struct Field {
  std::string name;      ///< snake_case; the flag is the same with dashes.
  std::string sentence;  ///< What it does, for people.
  std::string unit;      ///< "m", "rad", "s", "px", "" for a plain number.
  std::string metavar;   ///< What stands for the value in a help text; empty for the type's own.
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;  ///< Allowed words, when not empty.
  Effect effect = Effect::kJob;
  Scope scope = Scope::kGlobal;

  Field(std::string field_name, std::string what) : name(std::move(field_name)), sentence(std::move(what)) {}
  Field range(double low, double high) && { minimum = low, maximum = high; return std::move(*this); }
  Field in(std::string unit_name) && { unit = std::move(unit_name); return std::move(*this); }
  Field as(std::string value_name) && { metavar = std::move(value_name); return std::move(*this); }
  Field one_of(std::vector<std::string> words) && { choices = std::move(words); return std::move(*this); }
  Field affects(Effect what) && { effect = what; return std::move(*this); }
  Field per_joint() && { scope = Scope::kPerJoint; return std::move(*this); }
};

/// The kinds of value an option may have.
enum class OptionType { kFlag, kInteger, kNumber, kText, kTextList };

/// One field bound to one options object.
struct Option {
  Field field;
  OptionType type;
  bool optional = false;  ///< A std::optional member: null when not given.
  Json initial;           ///< The value when the list was made: the default, on a fresh object.
  std::function<Json()> get;
  std::function<void(const Json&)> set;  ///< \throws Error when the value has another type or is out of range.

  /// "--max-influences" for "max_influences".
  std::string flag() const;
};

/// \throws Error naming the option, if the value does not fit the field.
void check_option(const Field& field, OptionType type, bool optional, const Json& value);

/// Turns a word of the command line into the JSON value the option takes. \throws Error if it cannot be.
Json parse_option(const Option& option, const std::string& word);

namespace detail {

template <class T>
struct OptionTraits;
template <>
struct OptionTraits<bool> { static constexpr OptionType type = OptionType::kFlag; };
template <std::integral T>
struct OptionTraits<T> { static constexpr OptionType type = OptionType::kInteger; };
template <std::floating_point T>
struct OptionTraits<T> { static constexpr OptionType type = OptionType::kNumber; };
template <>
struct OptionTraits<std::string> { static constexpr OptionType type = OptionType::kText; };
template <>
struct OptionTraits<std::vector<std::string>> { static constexpr OptionType type = OptionType::kTextList; };

template <class T>
struct Unwrapped { using type = T; static constexpr bool optional = false; };
template <class T>
struct Unwrapped<std::optional<T>> { using type = T; static constexpr bool optional = true; };

}  // namespace detail

/// All options of an object, without its type. Valid as long as the object lives.
class OptionList {
 public:
  OptionList() = default;

  template <class Options>
  explicit OptionList(Options& options) {
    Options::visit(options, [this]<class T>(Field field, T& member) { this->add(std::move(field), member); });
  }

  const std::vector<Option>& options() const { return options_; }

  /// The option of that name, or nullptr.
  const Option* find(std::string_view name) const;

  /// All values, in the order of the fields.
  Json to_json() const;

  /// Sets the values named in an object. \throws Error for an unknown name or a value that does not fit; then nothing
  /// is changed.
  void from_json(const Json& values);

 private:
  template <class T>
  void add(Field field, T& member) {
    using U = detail::Unwrapped<T>;
    using V = typename U::type;
    if constexpr (std::integral<V> && !std::same_as<V, bool>) {
      // What the member cannot hold is out of range, not cut off.
      field.minimum = std::max(field.minimum, static_cast<double>(std::numeric_limits<V>::lowest()));
      field.maximum = std::min(field.maximum, static_cast<double>(std::numeric_limits<V>::max()));
    }
    Option option{std::move(field), detail::OptionTraits<V>::type, U::optional, Json(), {}, {}};
    option.get = [&member]() -> Json {
      if constexpr (U::optional) return member ? Json(*member) : Json();
      else return Json(member);
    };
    option.initial = option.get();
    option.set = [&member, shape = option.field, type = option.type](const Json& value) {
      check_option(shape, type, U::optional, value);
      if constexpr (U::optional) {
        if (value.is_null()) member.reset();
        else member = value.get<V>();
      } else {
        member = value.get<V>();
      }
    };
    options_.push_back(std::move(option));
  }

  std::vector<Option> options_;
};

/// The word of `known` nearest to `word` by edit distance, if it is near enough to be meant; else empty.
std::string closest_word(std::string_view word, const std::vector<std::string>& known);

}  // namespace sinew
