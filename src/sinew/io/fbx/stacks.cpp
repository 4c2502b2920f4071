// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/fbx/stacks.h"

#include <algorithm>

namespace sinew::io::fbx {
namespace {

constexpr std::array<std::string_view, 3> kMovedProperties = {"Lcl Translation", "Lcl Rotation", "Lcl Scaling"};
constexpr std::array<std::string_view, 3> kComponents = {"d|X", "d|Y", "d|Z"};
constexpr std::string_view kPercent = "DeformPercent";

double combined(double before, const Contribution& layer, std::size_t component, double time_s, bool scale) {
  const Curve* curve = layer.curves[component];
  if (curve == nullptr && (layer.way != Contribution::Way::kReplace || !layer.constants[component])) return before;
  const double value = curve != nullptr ? curve->at(time_s) : *layer.constants[component];
  switch (layer.way) {
    case Contribution::Way::kReplace:
      return value;
    case Contribution::Way::kAdd:
      return scale ? before * (1 + layer.weight * (value - 1)) : before + layer.weight * value;
    case Contribution::Way::kOverride:
      break;
  }
  return before + layer.weight * (value - before);
}

void apply(const std::vector<Contribution>& layers, double time_s, bool scale, Vec3& value) {
  for (const Contribution& layer : layers)
    for (std::size_t i = 0; i < 3; ++i) {
      double& component = value[static_cast<Eigen::Index>(i)];
      component = combined(component, layer, i, time_s, scale);
    }
}

const Curve* curve_of(Index object, Import& import, CurveTable& curves, std::uint64_t& dropped) {
  const auto known = curves.find(object);
  if (known != curves.end()) return &known->second;
  Curve curve = read_curve(*import.objects[object].record, import.arrays, dropped);
  return &curves.emplace(object, std::move(curve)).first->second;
}

// The curves and constants of an AnimationCurveNode. A property of one component uses the first place.
Contribution read_contribution(Index curve_node, Import& import, CurveTable& curves, std::uint64_t& dropped) {
  Contribution result;
  const Properties properties = import.objects.properties(curve_node);
  const auto constant = [&](std::string_view name) -> std::optional<double> {
    return properties.has(name) ? std::optional(properties.number(name, 0)) : std::nullopt;
  };
  for (std::size_t i = 0; i < 3; ++i) result.constants[i] = constant(kComponents[i]);
  if (!result.constants[0]) result.constants[0] = constant("d|DeformPercent");
  for (const Link& link : import.objects.children(curve_node)) {
    if (import.objects[link.object].kind != "AnimationCurve") continue;
    const auto place = std::find(kComponents.begin(), kComponents.end(), link.property);
    const auto component =
        place == kComponents.end() ? std::size_t{0} : static_cast<std::size_t>(place - kComponents.begin());
    const Curve* curve = curve_of(link.object, import, curves, dropped);
    if (!curve->keys().empty()) result.curves[component] = curve;
  }
  return result;
}

void read_layer_of_stack(Index layer, bool base, Import& import, CurveTable& curves, Stack& stack,
                         std::uint64_t& dropped) {
  const Properties properties = import.objects.properties(layer);
  for (const Index curve_node : import.objects.children(layer, "AnimationCurveNode")) {
    std::optional<Contribution> contribution;
    for (const Link& target : import.objects.parents(curve_node)) {
      const auto property = std::find(kMovedProperties.begin(), kMovedProperties.end(), target.property);
      const Index node = import.node_of[target.object];
      const bool moves_node = property != kMovedProperties.end() && node != kNone && node != 0;
      if (!moves_node && target.property != kPercent) continue;
      if (!contribution) {
        contribution = read_contribution(curve_node, import, curves, dropped);
        if (!base) {
          contribution->way =
              properties.integer("BlendMode", 0) == 0 ? Contribution::Way::kAdd : Contribution::Way::kOverride;
          contribution->weight = properties.number("Weight", 100) / 100;
        }
      }
      import.take_rows(1);
      stack.has_curves = stack.has_curves || contribution->moves();
      if (moves_node) {
        const auto place = static_cast<std::size_t>(property - kMovedProperties.begin());
        stack.nodes[node][place].push_back(*contribution);
      } else {
        stack.channels[target.object].push_back(*contribution);
      }
    }
  }
}

}  // namespace

Pose Stack::pose(Index node, const Pose& rest, double time_s) const {
  Pose pose = rest;
  const auto found = nodes.find(node);
  if (found == nodes.end()) return pose;
  apply(found->second[kTranslation], time_s, false, pose.translation);
  apply(found->second[kRotation], time_s, false, pose.rotation_deg);
  apply(found->second[kScaling], time_s, true, pose.scaling);
  return pose;
}

double Stack::percent(Index channel, double rest, double time_s) const {
  const auto found = channels.find(channel);
  if (found == channels.end()) return rest;
  double value = rest;
  for (const Contribution& layer : found->second) value = combined(value, layer, 0, time_s, false);
  return value;
}

bool Stack::moves(Index node, Property property) const {
  const auto found = nodes.find(node);
  if (found == nodes.end()) return false;
  const std::vector<Contribution>& layers = found->second[property];
  return std::any_of(layers.begin(), layers.end(), [](const Contribution& layer) { return layer.moves(); });
}

Stack read_stack(Index stack, Import& import, CurveTable& curves, std::uint64_t& dropped) {
  Stack result;
  result.name = import.objects[stack].name;
  const Properties properties = import.objects.properties(stack);
  result.start_s = static_cast<double>(properties.integer("LocalStart", 0)) / kTicksPerSecond;
  const double stop_s = static_cast<double>(properties.integer("LocalStop", 0)) / kTicksPerSecond;
  if (stop_s > result.start_s) result.stop_s = stop_s;
  bool base = true;
  for (const Index layer : import.objects.children(stack, "AnimationLayer")) {
    read_layer_of_stack(layer, base, import, curves, result, dropped);
    base = false;
  }
  return result;
}

}  // namespace sinew::io::fbx
