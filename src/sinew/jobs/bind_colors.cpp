// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/bind_colors.h"

#include <algorithm>
#include <array>

namespace sinew::jobs {
namespace {

struct NamedColor {
  const char* name;
  float red, green, blue;  // Linear.
};

// Far apart, also for most who confuse red and green: lightness differs as well.
constexpr std::array<NamedColor, 10> kPalette = {{{"orange", 0.9F, 0.35F, 0.0F},
                                                  {"blue", 0.0F, 0.17F, 0.75F},
                                                  {"green", 0.0F, 0.4F, 0.1F},
                                                  {"yellow", 0.9F, 0.8F, 0.05F},
                                                  {"sky", 0.1F, 0.5F, 0.85F},
                                                  {"magenta", 0.6F, 0.1F, 0.45F},
                                                  {"red", 0.7F, 0.03F, 0.03F},
                                                  {"mint", 0.3F, 0.85F, 0.5F},
                                                  {"violet", 0.25F, 0.08F, 0.6F},
                                                  {"pink", 0.9F, 0.45F, 0.5F}}};

}  // namespace

const char* debug_color_name(std::size_t origin) { return kPalette[origin % kPalette.size()].name; }

std::vector<Vec4f> debug_colors(const binding::BindResult& bound, const std::vector<Index>& vertices,
                                std::size_t vertex_count) {
  std::vector<Vec4f> colors(vertex_count, Vec4f(0.3F, 0.3F, 0.3F, 1.0F));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const NamedColor& color = kPalette[bound.origin[i] % kPalette.size()];
    const float light = 0.15F + 0.85F * std::clamp(bound.confidence[i], 0.0F, 1.0F);
    colors[vertices[i]] = Vec4f(light * color.red, light * color.green, light * color.blue, 1.0F);
  }
  return colors;
}

}  // namespace sinew::jobs
