// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/text/mtl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sinew/core/text.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io {
namespace {

bool is_space_or_tab(char c) { return c == ' ' || c == '\t'; }

// Takes the first word off a text.
std::string_view take_word(std::string_view& text) {
  while (!text.empty() && is_space_or_tab(text.front())) text.remove_prefix(1);
  std::size_t length = 0;
  while (length < text.size() && !is_space_or_tab(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  while (!text.empty() && is_space_or_tab(text.front())) text.remove_prefix(1);
  return word;
}

struct Texture {
  std::string_view file;  // All that stands after the options: names may have blanks.
  bool moved = false;     // An option shifts, scales or clamps it.
};

// Options before a file name: how many words each takes, or as many as three numbers.
Texture split_texture(std::string_view text) {
  Texture texture;
  while (text.starts_with('-')) {
    std::string_view rest = text;
    const std::string option = lower_case(take_word(rest));
    int words = -1;
    for (const char* one :
         {"-blendu", "-blendv", "-bm", "-boost", "-cc", "-clamp", "-imfchan", "-texres", "-type", "-colorspace"})
      if (option == one) words = 1;
    if (option == "-mm") words = 2;
    if (option == "-o" || option == "-s" || option == "-t") {
      for (int i = 0; i < 3; ++i) {
        std::string_view after = rest;
        const std::optional<double> value = parse_number(take_word(after));
        if (!value || after.empty()) break;
        texture.moved = texture.moved || *value != (option == "-s" ? 1.0 : 0.0);
        rest = after;
      }
      words = 0;
    }
    if (words < 0) break;  // A file name that begins with a dash.
    for (int i = 0; i < words; ++i) take_word(rest);
    text = rest;
  }
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  texture.file = text;
  return texture;
}

class MtlParser {
 public:
  MtlParser(std::string_view text, const std::string& file_name)
      : text_(text), file_name_(file_name), scan_(text, file_name, TextRules{true, false}) {}

  MtlFile run() {
    while (!scan_.at_end()) {
      const std::string key = lower_case(scan_.word());
      if (!key.empty()) statement(key);
      scan_.next_line();
    }
    finish_material();
    if (bad_values_ > 0)
      file_.findings.push_back(
          {"mtl.bad_value", file_name_,
           fmt::format("{} value(s) could not be read, the first on line {}; defaults are used instead.", bad_values_,
                       first_bad_line_)});
    return std::move(file_);
  }

 private:
  // What decides over the material once all its lines are known.
  struct State {
    std::optional<double> specular_exponent, roughness, dissolve, transparency;
    std::optional<Vec3f> diffuse, emissive;
    std::string norm, bump;
  };

  void statement(const std::string& key) {
    if (key == "newmtl") {
      finish_material();
      file_.materials.emplace_back();
      file_.materials.back().material.name = to_utf8(scan_.rest_of_line());
      return;
    }
    const bool texture =
        key.starts_with("map_") || key == "bump" || key == "norm" || key == "disp" || key == "decal" || key == "refl";
    if (texture) {
      texture_statement(key);
      return;
    }
    if (file_.materials.empty()) return;
    if (key == "kd") color(state_.diffuse);
    else if (key == "ke") color(state_.emissive);
    else if (key == "d") dissolve();
    else if (key == "tr") value(state_.transparency, 0, 1);
    else if (key == "ns") value(state_.specular_exponent, 0, 1e9);
    else if (key == "pr") value(state_.roughness, 0, 1);
    else if (key == "pm") {
      std::optional<double> metallic;
      value(metallic, 0, 1);
      if (metallic) file_.materials.back().material.metallic = static_cast<float>(*metallic);
    }
  }

  void bad_value() {
    if (bad_values_++ == 0) first_bad_line_ = scan_.line();
  }

  std::optional<double> finite(std::string_view word) {
    const std::optional<double> number = parse_number(word);
    if (number && std::isfinite(*number)) return number;
    bad_value();
    return std::nullopt;
  }

  void value(std::optional<double>& out, double least, double most) {
    if (const std::optional<double> number = finite(scan_.word())) out = std::clamp(*number, least, most);
  }

  void dissolve() {  // "d 0.5", or "d -halo 0.5".
    std::string_view word = scan_.word();
    if (word == "-halo") word = scan_.word();
    if (const std::optional<double> number = finite(word)) state_.dissolve = std::clamp(*number, 0.0, 1.0);
  }

  void color(std::optional<Vec3f>& out) {
    std::string_view word = scan_.word();
    if (word == "spectral" || word == "xyz") return;
    Vec3f result;
    for (int i = 0; i < 3; ++i) {
      if (i > 0 && word.empty()) {  // One number is a grey.
        result[i] = result[i - 1];
        continue;
      }
      const std::optional<double> number = finite(word);
      if (!number) return;
      result[i] = static_cast<float>(std::clamp(*number, 0.0, 1.0));
      word = scan_.word();
    }
    out = result;
  }

  void texture_statement(const std::string& key) {
    const Texture texture = split_texture(scan_.rest_of_line());
    if (texture.file.empty()) return;
    const std::string file(texture.file);
    file_.references.push_back({static_cast<std::size_t>(texture.file.data() - text_.data()), file});
    if (file_.materials.empty()) return;
    MtlMaterial& material = file_.materials.back();
    bool used = true;
    if (key == "map_kd") material.base_color_file = file;
    else if (key == "map_d") material.alpha_file = file;
    else if (key == "map_ke") material.emissive_file = file;
    else if (key == "norm" || key == "map_kn") state_.norm = file;
    else if (key == "bump" || key == "map_bump") state_.bump = file;
    else used = false;
    if (used && texture.moved)
      file_.findings.push_back({"mtl.texture_option", material.material.name,
                                fmt::format("The texture {} is shifted or scaled; this is not kept.", to_utf8(file))});
  }

  void finish_material() {
    if (!file_.materials.empty()) {
      MtlMaterial& entry = file_.materials.back();
      Material& material = entry.material;
      entry.normal_file = state_.norm.empty() ? state_.bump : state_.norm;
      // A texture multiplies Kd; some programs write black beside one and mean the texture alone.
      Vec3f base = state_.diffuse.value_or(Vec3f::Ones());
      if (!entry.base_color_file.empty() && base.isZero()) base.setOnes();
      const double alpha = state_.dissolve.value_or(1 - state_.transparency.value_or(0));
      material.base_color << base, static_cast<float>(alpha);
      if (alpha < 1 || !entry.alpha_file.empty()) material.alpha = Material::Alpha::kBlend;
      if (state_.roughness) material.roughness = static_cast<float>(*state_.roughness);
      else if (state_.specular_exponent)
        material.roughness = static_cast<float>(std::sqrt(2 / (*state_.specular_exponent + 2)));
      material.emissive = state_.emissive.value_or(Vec3f::Zero());
      if (!entry.emissive_file.empty() && material.emissive.isZero()) material.emissive.setOnes();
    }
    state_ = {};
  }

  std::string_view text_;
  const std::string& file_name_;
  TextScanner scan_;
  MtlFile file_;
  State state_;
  std::uint64_t bad_values_ = 0;
  std::uint64_t first_bad_line_ = 0;
};

void line(std::string& out, std::string_view key, std::initializer_list<float> values) {
  out += key;
  for (const float value : values) {
    out += ' ';
    append_number(out, value);
  }
  out += '\n';
}

}  // namespace

MtlFile parse_mtl(std::string_view text, const std::string& file_name) { return MtlParser(text, file_name).run(); }

std::string format_mtl(const std::vector<Material>& materials, const std::vector<std::string>& names,
                       const std::vector<std::string>& image_files) {
  std::string out;
  const auto texture = [&](std::string_view key, Index image) {
    if (image == kNone || image_files[image].empty()) return;
    out.append(key).append(" ").append(image_files[image]).append("\n");
  };
  for (std::size_t i = 0; i < materials.size(); ++i) {
    const Material& m = materials[i];
    out.append("\nnewmtl ").append(names[i]).append("\n");
    line(out, "Kd", {m.base_color[0], m.base_color[1], m.base_color[2]});
    line(out, "Ke", {m.emissive[0], m.emissive[1], m.emissive[2]});
    const float exponent = m.roughness > 0.045F ? 2 / (m.roughness * m.roughness) - 2 : 1000.0F;
    line(out, "Ns", {std::clamp(exponent, 0.0F, 1000.0F)});
    line(out, "d", {m.alpha == Material::Alpha::kOpaque ? 1.0F : m.base_color[3]});
    line(out, "Pr", {m.roughness});
    line(out, "Pm", {m.metallic});
    texture("map_Kd", m.base_color_image);
    if (m.alpha != Material::Alpha::kOpaque) texture("map_d", m.base_color_image);
    texture("map_Ke", m.emissive_image);
    texture("norm", m.normal_image);
  }
  return out;
}

}  // namespace sinew::io
