// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Options are defined once. An options struct lists its fields in a static `visit`:
///
///     enum class Area { kJoints, kBody };
///     constexpr auto option_words(Area) { return std::array{"joints", "body"}; }
///
///     struct AreaOptions {
///       Area area = Area::kJoints;
///       double angle_rad = 0.5;
///       template <class Self, class Visitor>
///       static void visit(Self& self, Visitor&& v) {
///         v(Field("area", "Where the method acts."), self.area);
///         v(Field("angle", "Half the opening angle of the cone.").degrees().range(0, 90), self.angle_rad);
///       }
///     };
///
/// Command-line flags (`--area`), JSON keys, the tables in the docs, and later the studio's controls and Python's
/// keywords come from that list through `OptionList`. Texts name an option as the field does; programs add the dashes.
///
/// A member is a bool, a number, a string, a list of strings, an enum with `option_words`, a `Vec3`, a map from names
/// to numbers, strings or positions, or a `std::optional` of one of these. A `MethodChoice` (core/method.h) brings the
/// options of methods.

#include <algorithm>
#include <concepts>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/core/math.h"

namespace sinew {

/// Everything that describes one option, apart from its value.
struct Field {
  std::string name;      ///< In snake_case; the flag is the same with dashes.
  std::string sentence;  ///< What the option does, for people.
  std::string unit;      ///< "m", "degrees", "s", "px", or "" for a plain number. People and JSON use this unit.
  std::string metavar;   ///< The placeholder of the value in a help text; empty for the default of the type.
  double minimum = -std::numeric_limits<double>::infinity();  ///< In `unit`.
  double maximum = std::numeric_limits<double>::infinity();   ///< In `unit`.
  std::vector<std::string> choices;                           ///< The allowed words, unless empty.
  bool open_choices = false;                                  ///< `choices` are shown, but `set` checks the word.
  double member_per_unit = 1;                                 ///< The member is the value times this.
  bool repeats = false;  ///< A list whose flag is given once per item, and whose items may contain commas.

  Field(std::string field_name, std::string what) : name(std::move(field_name)), sentence(std::move(what)) {}
  Field range(double low, double high) && {
    minimum = low, maximum = high;
    return std::move(*this);
  }
  Field in(std::string unit_name) && {
    unit = std::move(unit_name);
    return std::move(*this);
  }
  /// An angle: degrees for people and in JSON, radians in the member.
  Field degrees() && {
    unit = "degrees", member_per_unit = std::numbers::pi / 180;
    return std::move(*this);
  }
  Field as(std::string value_name) && {
    metavar = std::move(value_name);
    return std::move(*this);
  }
  Field repeated() && {
    repeats = true;
    return std::move(*this);
  }
  Field one_of(std::vector<std::string> words) && {
    choices = std::move(words);
    return std::move(*this);
  }
};

/// The types of value that an option can have.
enum class OptionType { kFlag, kInteger, kNumber, kText, kTextList, kVector, kTextMap, kNumberMap, kVectorMap };

/// One field bound to one options object.
struct Option {
  Field field;
  OptionType type;
  bool optional = false;        ///< A std::optional member: null unless it is given.
  bool chooses_method = false;  ///< A `MethodChoice`: the value decides which group of options is active.
  Json initial;                 ///< The value when the list was made: the default, on a fresh object.
  std::function<Json()> get;
  std::function<void(const Json&)> set;  ///< \throws Error if the value has another type or is out of range.

  /// One method that a `MethodChoice` offers.
  struct MethodLine {
    std::string id, name, when;
  };
  std::vector<MethodLine> methods = {};

  /// "--max-influences" for "max_influences".
  std::string flag() const;
};

/// \throws Error that names the option if the value does not fit the field.
void check_option(const Field& field, OptionType type, bool optional, const Json& value);

/// Converts a word of the command line to the JSON value of the option. \throws Error if the word does not fit.
Json parse_option(const Option& option, const std::string& word);

namespace detail {

template <class T>
concept WordEnum = std::is_enum_v<T> && requires(T value) {
  option_words(value);
};

template <class T>
struct OptionTraits;
template <>
struct OptionTraits<bool> {
  static constexpr OptionType type = OptionType::kFlag;
};
template <std::integral T>
struct OptionTraits<T> {
  static constexpr OptionType type = OptionType::kInteger;
};
template <std::floating_point T>
struct OptionTraits<T> {
  static constexpr OptionType type = OptionType::kNumber;
};
template <WordEnum T>
struct OptionTraits<T> {
  static constexpr OptionType type = OptionType::kText;
};
template <>
struct OptionTraits<std::string> {
  static constexpr OptionType type = OptionType::kText;
};
template <>
struct OptionTraits<std::vector<std::string>> {
  static constexpr OptionType type = OptionType::kTextList;
};
template <>
struct OptionTraits<Vec3> {
  static constexpr OptionType type = OptionType::kVector;
};
template <>
struct OptionTraits<std::map<std::string, std::string>> {
  static constexpr OptionType type = OptionType::kTextMap;
};
template <>
struct OptionTraits<std::map<std::string, double>> {
  static constexpr OptionType type = OptionType::kNumberMap;
};
template <>
struct OptionTraits<std::map<std::string, Vec3>> {
  static constexpr OptionType type = OptionType::kVectorMap;
};

template <class T>
struct Unwrapped {
  using type = T;
  static constexpr bool optional = false;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using type = T;
  static constexpr bool optional = true;
};

/// A number in the unit of the field, without the rounding of the conversion: 15 for 15° in radians.
double in_units(double member, double member_per_unit);

template <class V>
Json to_json_value(const V& value, const Field& field) {
  if constexpr (WordEnum<V>) {
    return Json(option_words(value)[static_cast<std::size_t>(value)]);
  } else if constexpr (std::same_as<V, Vec3>) {
    return Json{value.x(), value.y(), value.z()};
  } else if constexpr (std::same_as<V, std::map<std::string, Vec3>>) {
    Json object = Json::object();
    for (const auto& [name, vector] : value) object[name] = Json{vector.x(), vector.y(), vector.z()};
    return object;
  } else if constexpr (std::floating_point<V>) {
    return Json(in_units(value, field.member_per_unit));
  } else {
    return Json(value);
  }
}

template <class V>
V from_json_value(const Json& value, const Field& field) {
  const auto vector = [](const Json& v) { return Vec3(v[0].get<double>(), v[1].get<double>(), v[2].get<double>()); };
  if constexpr (WordEnum<V>) {
    const auto words = option_words(V{});
    const auto found = std::find(words.begin(), words.end(), value.get<std::string>());
    return static_cast<V>(found - words.begin());
  } else if constexpr (std::same_as<V, Vec3>) {
    return vector(value);
  } else if constexpr (std::same_as<V, std::map<std::string, Vec3>>) {
    V map;
    for (const auto& [name, item] : value.items()) map[name] = vector(item);
    return map;
  } else if constexpr (std::floating_point<V>) {
    return static_cast<V>(value.get<double>() * field.member_per_unit);
  } else {
    return value.get<V>();
  }
}

}  // namespace detail

class MethodChoice;
struct OptionGroup;

/// All options of an object, without its type. Valid as long as the object lives and is not moved.
class OptionList {
 public:
  OptionList();
  OptionList(const OptionList&);
  OptionList(OptionList&&) noexcept;
  OptionList& operator=(const OptionList&);
  OptionList& operator=(OptionList&&) noexcept;
  ~OptionList();

  template <class Options>
  requires requires(Options& o) {
    Options::visit(o, [](const Field&, auto&) {});
  }
  explicit OptionList(Options& options) : OptionList() {
    Options::visit(options, [this]<class T>(Field field, T& member) { this->add(std::move(field), member); });
  }

  /// The object's own options; those of methods are in `groups`.
  const std::vector<Option>& options() const { return options_; }

  /// One group for each method that a `MethodChoice` among the options can choose and that has options.
  const std::vector<OptionGroup>& groups() const { return groups_; }

  /// The object's own options, followed by those of the chosen methods.
  std::vector<const Option*> active() const;

  /// The active option of that name, or nullptr.
  const Option* find(std::string_view name) const;

  /// All values, in the order of the fields. The options of each chosen method form an object under the method's id:
  /// `{"method": "pbd", "pbd": {"sweeps": 12}}`.
  Json to_json() const;

  /// Sets the values named in an object of that form. \throws Error for an unknown name or a value that does not fit;
  /// then nothing is changed.
  void from_json(const Json& values);

  /// \throws Error if a value does not fit its field. Programs that set members directly call this.
  void validate() const;

 private:
  template <class T>
  void add(Field field, T& member);
  void add_choice(Field field, MethodChoice& choice);
  void check(const Json& values, const std::string& where) const;

  std::vector<Option> options_;
  std::vector<OptionGroup> groups_;
};

/// The options of one method among those of a `MethodChoice`.
struct OptionGroup {
  std::string id;      ///< Of the method.
  std::string choice;  ///< Name of the option that chooses it, such as "method".
  std::string when;    ///< The method's line on when to use it.
  std::function<bool()> chosen;
  OptionList list;
};

template <class T>
void OptionList::add(Field field, T& member) {
  if constexpr (std::is_same_v<T, MethodChoice>) {
    add_choice(std::move(field), member);
  } else {
    using U = detail::Unwrapped<T>;
    using V = typename U::type;
    if constexpr (std::integral<V> && !std::same_as<V, bool>) {
      // A value that the member cannot hold is out of range; it is never truncated.
      field.minimum = std::max(field.minimum, static_cast<double>(std::numeric_limits<V>::lowest()));
      field.maximum = std::min(field.maximum, static_cast<double>(std::numeric_limits<V>::max()));
    }
    if constexpr (detail::WordEnum<V>)
      for (const auto& word : option_words(V{})) field.choices.emplace_back(word);
    Option option{std::move(field), detail::OptionTraits<V>::type, U::optional, false, Json(), {}, {}};
    option.get = [&member, shape = option.field]() -> Json {
      if constexpr (U::optional) return member ? detail::to_json_value<V>(*member, shape) : Json();
      else return detail::to_json_value<V>(member, shape);
    };
    option.initial = option.get();
    option.set = [&member, shape = option.field, type = option.type](const Json& value) {
      check_option(shape, type, U::optional, value);
      if constexpr (U::optional) {
        if (value.is_null()) member.reset();
        else member = detail::from_json_value<V>(value, shape);
      } else {
        member = detail::from_json_value<V>(value, shape);
      }
    };
    options_.push_back(std::move(option));
  }
}

}  // namespace sinew
