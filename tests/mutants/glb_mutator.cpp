// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "tests/mutants/glb_mutator.h"

#include <cstring>
#include <limits>

namespace sinew::test {
namespace {

std::uint32_t word_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

void append_word(std::string& bytes, std::size_t value) {
  const auto narrow = static_cast<std::uint32_t>(value);
  bytes.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
}

class Mutator {
 public:
  Mutator(GlbParts& parts, std::mt19937_64& random) : parts_(parts), random_(random) {}

  void run() {
    const std::size_t changes = 1 + pick(4);
    for (std::size_t i = 0; i < changes; ++i) {
      switch (pick(8)) {
        case 0:
        case 1:
          change_value();
          break;
        case 2:
          change_number();
          break;
        case 3:
          change_node();
          break;
        case 4:
        case 5:
          change_elements();
          break;
        case 6:
          change_shape();
          break;
        case 7:
          change_list();
          break;
      }
    }
  }

 private:
  std::size_t pick(std::size_t count) { return count == 0 ? 0 : random_() % count; }
  template <class T, std::size_t N>
  T any_of(const T (&values)[N]) {
    return values[pick(N)];
  }

  double number() {
    constexpr double kNumbers[] = {0,    -0.0, 1,    -1,    0.5,  2,     1e-3,  1e3,   1e6,        1e9,
                                   1e12, 1e20, 1e38, -1e38, 3e38, 1e-12, 1e-30, 1e-45, 4294967295, 2147483648.0};
    return any_of(kNumbers);
  }
  float strange_float() {
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    const float kFloats[] = {std::numeric_limits<float>::quiet_NaN(),
                             kInfinite,
                             -kInfinite,
                             std::numeric_limits<float>::max(),
                             std::numeric_limits<float>::denorm_min(),
                             0.0F,
                             -1.0F,
                             1.0F,
                             1e6F,
                             1e-6F,
                             1e20F};
    return any_of(kFloats);
  }
  Json any_value() {
    switch (pick(9)) {
      case 0:
        return nullptr;
      case 1:
        return -1;
      case 2:
        return number();
      case 3:
        return "text";
      case 4:
        return Json::array();
      case 5:
        return Json::object();
      case 6:
        return true;
      case 7:
        return 4294967296U;
      default:
        return static_cast<std::uint64_t>(pick(300));
    }
  }

  // Every value of the document, so that each is as likely as any other.
  static void collect(Json& value, std::vector<Json*>& all) {
    all.push_back(&value);
    if (value.is_structured())
      for (Json& child : value) collect(child, all);
  }
  Json& some_value() {
    std::vector<Json*> all;
    collect(parts_.json, all);
    return *all[pick(all.size())];
  }

  void change_value() {
    Json& value = some_value();
    if (value.is_object() && !value.empty() && pick(2) == 0) {
      auto entry = value.begin();
      std::advance(entry, pick(value.size()));
      value.erase(entry);
    } else if (&value != &parts_.json) {
      value = pick(4) == 0 ? Json(some_value()) : any_value();
    }
  }

  void change_number() {
    for (int attempt = 0; attempt < 50; ++attempt) {
      Json& value = some_value();
      if (!value.is_number()) continue;
      if (value.is_number_float()) value = pick(2) == 0 ? number() : value.get<double>() * number();
      else value = pick(2) == 0 ? static_cast<std::int64_t>(pick(40)) : value.get<std::int64_t>() + 1;
      return;
    }
  }

  Json* some_of(const char* list) {
    const auto found = parts_.json.find(list);
    if (found == parts_.json.end() || !found->is_array() || found->empty()) return nullptr;
    Json& element = (*found)[pick(found->size())];
    return element.is_object() ? &element : nullptr;
  }

  void change_node() {
    Json* node = some_of("nodes");
    if (!node) return;
    node->erase("matrix");
    switch (pick(4)) {
      case 0:
        (*node)["scale"] = {number(), number(), pick(2) == 0 ? 0.0 : number()};
        break;
      case 1:
        (*node)["translation"] = {number(), number(), number()};
        break;
      case 2:
        (*node)["rotation"] = {number(), number(), number(), number()};
        break;
      case 3: {
        const double same = number();
        (*node)["scale"] = {same, same, same};
        break;
      }
    }
  }

  // Where the elements of an accessor of floats or indices lie.
  struct Place {
    std::size_t offset = 0, count = 0, width = 0;
    bool floats = false;
  };
  bool find_place(Place& place) {
    Json* accessor = some_of("accessors");
    if (!accessor || !accessor->contains("bufferView") || !(*accessor)["bufferView"].is_number_unsigned()) return false;
    const auto views = parts_.json.find("bufferViews");
    const auto index = (*accessor)["bufferView"].get<std::size_t>();
    if (views == parts_.json.end() || !views->is_array() || index >= views->size() || !(*views)[index].is_object())
      return false;
    const auto whole = [](const Json& owner, const char* key) -> std::size_t {
      const auto found = owner.find(key);
      return found != owner.end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
    };
    const std::size_t type = whole(*accessor, "componentType");
    place.floats = type == 5126;
    place.width = type == 5126 || type == 5125 ? 4 : type == 5123 ? 2 : 1;
    const std::size_t length = whole((*views)[index], "byteLength");
    place.offset = whole((*views)[index], "byteOffset");
    if (place.offset >= parts_.binary.size()) return false;
    place.count = std::min(length, parts_.binary.size() - place.offset) / place.width;
    return place.count > 0;
  }

  void change_elements() {
    Place place;
    if (!find_place(place)) return;
    const std::size_t some = 1 + pick(pick(3) == 0 ? place.count : 4);
    const float strange = strange_float();
    for (std::size_t i = 0; i < some; ++i) {
      char* at = parts_.binary.data() + place.offset + pick(place.count) * place.width;
      const auto integer = static_cast<std::uint32_t>(random_());
      if (place.floats) std::memcpy(at, &strange, place.width);
      else std::memcpy(at, &integer, place.width);
    }
  }

  // All floats of an accessor at once: scaled, flattened, moved away, in one point; all indices the same.
  void change_shape() {
    Place place;
    if (!find_place(place)) return;
    const std::size_t how = pick(4), axis = pick(3);
    const double factor = number();
    for (std::size_t i = 0; i < place.count; ++i) {
      char* at = parts_.binary.data() + place.offset + i * place.width;
      if (!place.floats) {
        if (how == 0) std::memset(at, 0, place.width);
        continue;
      }
      float value = 0;
      std::memcpy(&value, at, sizeof value);
      if (how == 0) value = static_cast<float>(value * factor);
      else if (how == 1 && i % 3 == axis) value = 0;
      else if (how == 2) value = static_cast<float>(value + factor);
      else if (how == 3) value = 0;
      std::memcpy(at, &value, sizeof value);
    }
  }

  void change_list() {
    Json& value = some_value();
    if (!value.is_array() || value.empty()) return;
    const std::size_t at = pick(value.size());
    if (pick(2) == 0) value.erase(at);
    else value.push_back(Json(value[at]));
  }

  GlbParts& parts_;
  std::mt19937_64& random_;
};

}  // namespace

GlbParts split_glb(const std::string& bytes) {
  const std::size_t length = word_at(bytes, 12);
  GlbParts parts;
  parts.json = parse_json_text(std::string_view(bytes).substr(20, length));
  if (bytes.size() > 28 + length) parts.binary = bytes.substr(28 + length);
  return parts;
}

std::string join_glb(const GlbParts& parts) {
  std::string text = parts.json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 3) / 4 * 4, ' ');
  std::string glb = "glTF";
  append_word(glb, 2);
  append_word(glb, 12 + 8 + text.size() + 8 + parts.binary.size());
  append_word(glb, text.size());
  glb += "JSON" + text;
  append_word(glb, parts.binary.size());
  glb += std::string("BIN\0", 4) + parts.binary;
  return glb;
}

void mutate_glb(GlbParts& parts, std::mt19937_64& random) { Mutator(parts, random).run(); }

}  // namespace sinew::test
