// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/controls.h"

#include <array>
#include <cmath>

#include "sinew/binding/binder.h"
#include "sinew/binding/pinned.h"
#include "sinew/deform/deformer.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/animate.h"
#include "sinew/pipeline/rig_options.h"
#include "sinew/studio/recipe.h"

namespace sinew::studio {
namespace {

const char* type_name(OptionType type) {
  constexpr std::array names = {"flag", "integer", "number", "text", "list", "vector", "texts", "numbers", "vectors"};
  return names[static_cast<std::size_t>(type)];
}

template <class Registry>
Json methods_json(const Registry& registry) {
  Json list = Json::array();
  for (const auto& entry : registry.entries()) {
    AnyOptions options = entry.options;
    list.push_back(
        {{"id", entry.id}, {"name", entry.name}, {"when", entry.when}, {"options", options_json(options.list())}});
  }
  return list;
}

/// Options of the step `rig` that a person chooses by looking.
Json rig_controls() {
  RigStep step;
  return options_json(OptionList(step));
}

Json clip_controls() {
  pipeline::AnimateOptions options;
  return options_json(OptionList(options));
}

}  // namespace

Json options_json(const OptionList& list) {
  Json result = Json::array();
  for (const Option& option : list.options()) {
    const Field& field = option.field;
    Json item = {{"name", field.name},          {"sentence", field.sentence},
                 {"unit", field.unit},          {"type", type_name(option.type)},
                 {"optional", option.optional}, {"value", option.get()}};
    if (std::isfinite(field.minimum)) item["min"] = field.minimum;
    if (std::isfinite(field.maximum)) item["max"] = field.maximum;
    if (!field.choices.empty()) item["choices"] = field.choices;
    result.push_back(std::move(item));
  }
  return result;
}

Json export_formats() {
  Json words = Json::array();
  for (const auto& format : io::formats().entries())
    if (format.make.write)
      for (const std::string& ending : format.make.endings) words.push_back(ending.substr(1));
  return words;
}

Json controls_json() {
  Json binders = methods_json(binding::binders());
  for (Json& binder : binders)
    binder["takes_pins"] = binding::takes_pins(MethodChoice(binding::binders(), binder["id"].get<std::string>()));
  Json endings = Json::array();
  for (const auto& format : io::formats().entries())
    if (format.make.read)
      for (const std::string& ending : format.make.endings) endings.push_back(ending);
  return {{"deformers", methods_json(deform::deformers())},
          {"binders", binders},
          {"endings", endings},
          {"exports", export_formats()},
          {"templates", pipeline::template_words()},
          {"presets", pipeline::preset_words()},
          {"rig", rig_controls()},
          {"clips", clip_controls()}};
}

}  // namespace sinew::studio
