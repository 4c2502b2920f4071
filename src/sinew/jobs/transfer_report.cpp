// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/transfer_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace sinew::jobs {
namespace {

/// Below this confidence a vertex is worth a look.
constexpr float kWorthALook = 0.5F;

struct LevelLook {
  const char* text;
  const char* id;
  const char* color;
  float red, green, blue;  // Linear.
};

// From good to bad: green, blue, yellow, orange, red; lightness differs as well.
constexpr std::array<LevelLook, transfer::kLevels> kLooks = {{
    {"matched as they should be", "matched", "green", 0.05F, 0.45F, 0.12F},
    {"found by a wider cone", "widened", "blue", 0.05F, 0.2F, 0.8F},
    {"from inside the reference, as the bone lies outside there", "inside", "yellow", 0.9F, 0.8F, 0.05F},
    {"spread along the surface from those around", "inpainted", "orange", 0.9F, 0.35F, 0.0F},
    {"copied from the nearest of another shell", "copied", "red", 0.7F, 0.03F, 0.03F},
}};

const LevelLook& look_of(transfer::Level level) { return kLooks[static_cast<std::size_t>(level)]; }

}  // namespace

std::string map_table(const transfer::JointMap& map, const Skeleton& reference, const Skeleton& target) {
  std::size_t first = 9, second = 6;
  for (const transfer::MappedJoint& joint : map.joints) {
    first = std::max(first, reference.joints[joint.reference].name.size());
    second = std::max(second, target.joints[joint.target].name.size());
  }
  first = std::min<std::size_t>(first, 40), second = std::min<std::size_t>(second, 40);
  std::string text;
  for (const transfer::MappedJoint& joint : map.joints)
    text += fmt::format("           {:<{}} → {:<{}}  {}\n", reference.joints[joint.reference].name, first,
                        target.joints[joint.target].name, second, joint.by);
  return text;
}

Json map_json(const transfer::JointMap& map, const Skeleton& reference, const Skeleton& target) {
  Json table = Json::array();
  for (const transfer::MappedJoint& joint : map.joints)
    table.push_back({{"reference", reference.joints[joint.reference].name},
                     {"target", target.joints[joint.target].name},
                     {"by", joint.by}});
  return table;
}

std::string some_names(const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 6;
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kListed)));
  return fmt::format("{}{}", fmt::join(first, ", "),
                     names.size() > kListed ? fmt::format(" and {} more", names.size() - kListed) : "");
}

const char* level_text(transfer::Level level) { return look_of(level).text; }
const char* level_color(transfer::Level level) { return look_of(level).color; }

std::vector<Vec4f> level_colors(const transfer::Transferred& made, const std::vector<Index>& vertices,
                                std::size_t vertex_count) {
  std::vector<Vec4f> colors(vertex_count, Vec4f(0.3F, 0.3F, 0.3F, 1.0F));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const LevelLook& look = look_of(made.level[i]);
    const float light = 0.15F + 0.85F * std::clamp(made.confidence[i], 0.0F, 1.0F);
    colors[vertices[i]] = Vec4f(light * look.red, light * look.green, light * look.blue, 1.0F);
  }
  return colors;
}

std::string transferred_text(const transfer::Transferred& made, bool colors) {
  std::string text;
  for (std::size_t l = 0; l < transfer::kLevels; ++l) {
    if (made.levels[l] == 0) continue;
    text += fmt::format("{} {} {} {}{}\n", l == 0 ? "weights   " : "          ", made.levels[l],
                        made.levels[l] == 1 ? "vertex" : "vertices", kLooks[l].text,
                        colors ? fmt::format(" ({})", kLooks[l].color) : "");
  }
  const Json figures = transferred_json(made);
  const auto doubtful = figures["low_confidence"].get<std::size_t>();
  text += fmt::format(
      "confidence {:.2f} in the mean{}\n", figures["mean_confidence"].get<double>(),
      doubtful > 0 ? fmt::format("; {} {} worth a look", doubtful, doubtful == 1 ? "vertex" : "vertices") : "");
  return text;
}

Json transferred_json(const transfer::Transferred& made) {
  double sum = 0;
  for (const float confidence : made.confidence) sum += static_cast<double>(confidence);
  const auto doubtful =
      std::count_if(made.confidence.begin(), made.confidence.end(), [](float c) { return c < kWorthALook; });
  Json levels = Json::object();
  for (std::size_t l = 0; l < transfer::kLevels; ++l) levels[kLooks[l].id] = made.levels[l];
  Json figures = {{"vertices", made.level.size()},
                  {"levels", std::move(levels)},
                  {"mean_confidence", made.confidence.empty() ? 0 : sum / static_cast<double>(made.confidence.size())},
                  {"low_confidence", doubtful},
                  {"rays", made.rays},
                  {"vertex_bones", made.vertex_bones}};
  for (const auto& item : made.metrics.items()) figures[item.key()] = item.value();
  return figures;
}

}  // namespace sinew::jobs
