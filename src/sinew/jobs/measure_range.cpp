// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/measure_range.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"

namespace sinew::jobs {
namespace {

using pipeline::RangeCase;
using pipeline::RangeMethod;
using pipeline::RangeResult;

constexpr std::size_t kMostListed = 12;

int degrees(const motion::RangePose& pose) { return static_cast<int>(std::lround(sinew::degrees(pose.angle_rad))); }

std::string pose_name(const motion::RangePose& pose, const Skeleton& skeleton) {
  return fmt::format("{} {} {}° ({})", pose.group, pose.move, degrees(pose), skeleton.joints[pose.joint].name);
}

/// The median of |V − V₀| / V₀, or a dash.
std::string median_error(const RangeResult& result, const RangeMethod& method, bool twist) {
  std::vector<double> errors;
  for (const RangeCase& c : method.cases)
    if (result.poses[c.pose].twist == twist && c.volume_error >= 0) errors.push_back(c.volume_error);
  if (errors.empty()) return "–";
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2), errors.end());
  return fmt::format("{:.3f}", errors[errors.size() / 2]);
}

/// The thinnest section of limbs twisted by half a turn.
std::string thinnest_twist(const RangeResult& result, const RangeMethod& method) {
  double least = 2;
  for (const RangeCase& c : method.cases)
    if (result.poses[c.pose].twist && result.poses[c.pose].group != "neck" && degrees(result.poses[c.pose]) == 180 &&
        c.section >= 0)
      least = std::min(least, c.section);
  return least > 1.5 ? "–" : fmt::format("{:.2f}", least);
}

Index folds_of(const RangeMethod& method) {
  Index sum = 0;
  for (const RangeCase& c : method.cases) sum += c.figures.folded;
  return sum;
}

}  // namespace

std::string range_text(const RangeResult& result, const Skeleton& skeleton) {
  std::string text =
      fmt::format("{:<18}{:<8}{:>7}{:>7}{:>9}{:>10}{:>8}{:>15}{:>16}{:>15}\n", "method", "base", "tears", "worse",
                  "stretch", "× base", "folds", "bends: volume", "twists: volume", "thinnest 180°");
  for (const RangeMethod& method : result.methods) {
    const RangeMethod& base = result.base_of(method);
    const bool first = &method == &base;
    text += fmt::format("{:<18}{:<8}{:>7}{:>7}{:>9.2f}{:>10}{:>8}{:>15}{:>16}{:>15}\n", method.name,
                        first ? "–" : base.name, first ? "–" : fmt::format("{}", method.tears()),
                        first ? "–" : fmt::format("{}", method.worse()), method.largest_stretch(),
                        first ? "–" : fmt::format("{:.2f}", method.largest_stretch_ratio(base)), folds_of(method),
                        median_error(result, method, false), median_error(result, method, true),
                        thinnest_twist(result, method));
  }
  text +=
      fmt::format("\n{} poses. Worse: the surface is worse than by the base of the method in at least one figure.\n",
                  result.poses.size());
  for (const RangeMethod& method : result.methods) {
    const RangeMethod& base = result.base_of(method);
    std::vector<const RangeCase*> worse;
    for (const RangeCase& c : method.cases)
      if (!c.worse.empty()) worse.push_back(&c);
    if (worse.empty()) continue;
    std::stable_sort(worse.begin(), worse.end(),
                     [](const RangeCase* a, const RangeCase* b) { return a->figures.stretch > b->figures.stretch; });
    text += fmt::format("\n{}, worse than {}:\n", method.name, base.name);
    for (std::size_t i = 0; i < std::min(worse.size(), kMostListed); ++i) {
      const RangeCase& c = *worse[i];
      const auto &now = c.figures, &before = base.cases[c.pose].figures;
      text += fmt::format("  {:<48} {}: stretch {:.2f} ({:.2f}), folds {} ({}), intersections {} ({})\n",
                          pose_name(result.poses[c.pose], skeleton), fmt::join(c.worse, ", "), now.stretch,
                          before.stretch, now.folded, before.folded, now.intersections, before.intersections);
    }
    if (worse.size() > kMostListed) text += fmt::format("  and {} more\n", worse.size() - kMostListed);
  }
  return text;
}

Json range_json(const RangeResult& result, const Skeleton& skeleton) {
  Json methods = Json::array();
  for (const RangeMethod& method : result.methods) {
    const RangeMethod& base = result.base_of(method);
    Json entry = {{"method", method.name},
                  {"base", base.name},
                  {"tears", method.tears()},
                  {"worse", method.worse()},
                  {"largest_stretch", method.largest_stretch()},
                  {"largest_stretch_ratio", method.largest_stretch_ratio(base)},
                  {"median_volume_error", method.median_volume_error()},
                  {"cases", Json::array()}};
    for (const RangeCase& c : method.cases) {
      const motion::RangePose& pose = result.poses[c.pose];
      Json figures = {{"group", pose.group},
                      {"move", pose.move},
                      {"joint", skeleton.joints[pose.joint].name},
                      {"angle_deg", degrees(pose)},
                      {"stretch", c.figures.stretch},
                      {"folded_edges", c.figures.folded},
                      {"flipped_faces", c.figures.flipped},
                      {"intersections", c.figures.intersections},
                      {"gap_rel", c.figures.gap_rel},
                      {"worse", c.worse},
                      {"tear", c.tear}};
      if (c.volume_error >= 0) figures["volume_change"] = c.volume_change;
      if (c.section >= 0) figures["section"] = c.section;
      entry["cases"].push_back(std::move(figures));
    }
    methods.push_back(std::move(entry));
  }
  return {{"range_of_motion", {{"poses", result.poses.size()}, {"methods", std::move(methods)}}}};
}

std::string range_csv(const RangeResult& result, const Skeleton& skeleton) {
  std::string text =
      "method,group,move,joint,angle_deg,stretch,folded,flipped,intersections,gap_rel,volume_change,section,worse,"
      "tear\n";
  for (const RangeMethod& method : result.methods)
    for (const RangeCase& c : method.cases) {
      const motion::RangePose& pose = result.poses[c.pose];
      std::string joint = skeleton.joints[pose.joint].name;
      std::replace(joint.begin(), joint.end(), '"', '\'');
      text += fmt::format(
          "{},{},{},\"{}\",{},{:.6g},{},{},{},{:.6g},{},{},{},{}\n", method.name, pose.group, pose.move, joint,
          degrees(pose), c.figures.stretch, c.figures.folded, c.figures.flipped, c.figures.intersections,
          c.figures.gap_rel, c.volume_error >= 0 ? fmt::format("{:.6g}", c.volume_change) : "",
          c.section >= 0 ? fmt::format("{:.6g}", c.section) : "", fmt::join(c.worse, "+"), c.tear ? 1 : 0);
    }
  return text;
}

}  // namespace sinew::jobs
