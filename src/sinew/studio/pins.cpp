// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/pins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <queue>
#include <unordered_map>

#include "sinew/core/error.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/io/file.h"

namespace sinew::studio {
namespace {

static_assert(sizeof(Pin) == 8);

bool contains(std::span<const Index> values, Index value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// A bell that is 1 in the middle and leaves the rim at 0 with no edge.
double falloff(double share) {
  const double s = 1 - share * share;
  return s <= 0 ? 0 : s * s;
}

}  // namespace

std::string pins_to_text(std::span<const Pin> pins) { return io::base64_encode(std::as_bytes(pins)); }

std::vector<Pin> pins_from_text(std::string_view text) {
  const io::Bytes bytes = io::base64_decode(text);
  if (bytes.size() % sizeof(Pin) != 0) throw Error("The painted weights of a recipe are incomplete.");
  std::vector<Pin> pins(bytes.size() / sizeof(Pin));
  std::memcpy(pins.data(), bytes.data(), bytes.size());
  for (const Pin& pin : pins)
    if (!(pin.value >= 0 && pin.value <= 1)) throw Error("A painted weight of a recipe is not between 0 and 1.");
  return pins;
}

void set_weight(std::vector<Influence>& row, Index joint, float value, std::span<const Index> locked) {
  if (contains(locked, joint)) return;
  float fixed = 0, rest = 0;
  for (const Influence& influence : row) {
    if (influence.joint == joint) continue;
    (contains(locked, influence.joint) ? fixed : rest) += influence.weight;
  }
  const float most = std::max(0.0F, 1 - fixed);
  value = rest > 0 ? std::min(value, most) : most;
  const float factor = rest > 0 ? (most - value) / rest : 0;
  bool found = false;
  for (Influence& influence : row) {
    if (influence.joint == joint) {
      influence.weight = value;
      found = true;
    } else if (!contains(locked, influence.joint)) {
      influence.weight *= factor;
    }
  }
  if (!found && value > 0) row.push_back({joint, value});
  std::erase_if(row, [](const Influence& influence) { return !(influence.weight > 0); });
}

void apply_pins(Rig& rig, Index joint, std::span<const Pin> pins, std::span<const Index> locked, bool open) {
  if (rig.weights.empty()) throw Error("The character has no weights to paint. Rig it, or compute weights first.");
  std::unordered_map<Index, float> value_of;
  for (const Pin& pin : pins) {
    if (pin.vertex >= rig.mesh.vertex_count())
      throw Error("A painted weight of the recipe belongs to a vertex that the mesh does not have.");
    value_of[pin.vertex] = pin.value;
  }
  std::vector<char> takes(rig.mesh.vertex_count(), 0);
  for (const MeshPart& part : rig.mesh.parts) {
    if (part.skin == kNone || !contains(rig.skins[part.skin].joints, joint)) continue;
    std::fill_n(takes.begin() + part.first_vertex, part.vertex_count, char{1});
  }
  SkinWeights result;
  result.reserve(rig.weights.row_count(), rig.weights.influence_count() + pins.size());
  const SkinWeights normalized = rig.weights.normalized();
  std::vector<Influence> row;
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    const auto found = value_of.find(v);
    if (found == value_of.end() || takes[v] == 0) {
      result.add_row(rig.weights.row(v));
      continue;
    }
    const auto old = open ? rig.weights.row(v) : normalized.row(v);
    row.assign(old.begin(), old.end());
    if (open) {
      std::erase_if(row, [&](const Influence& influence) { return influence.joint == joint; });
      if (found->second > 0) row.push_back({joint, found->second});
    } else {
      set_weight(row, joint, found->second, locked);
    }
    result.add_row(row);
  }
  rig.weights = std::move(result);
}

BrushSurface::BrushSurface(const Mesh& mesh) : welding_(geometry::weld(mesh)) {
  const geometry::TriangleSurface surface = geometry::triangle_surface(mesh, welding_);
  graph_ = geometry::edge_graph(surface.positions, surface.triangles);
  copy_begin_.assign(welding_.count() + 1, 0);
  for (const Index w : welding_.welded) ++copy_begin_[w + 1];
  for (Index w = 0; w < welding_.count(); ++w) copy_begin_[w + 1] += copy_begin_[w];
  copies_.resize(welding_.welded.size());
  std::vector<Index> fill(copy_begin_.begin(), copy_begin_.end() - 1);
  for (Index v = 0; v < welding_.welded.size(); ++v) copies_[fill[welding_.welded[v]]++] = v;
}

std::vector<Pin> BrushSurface::dab(const Brush& brush, Index near_vertex, const Vec3& point,
                                   std::vector<float>& weights) const {
  // The shortest paths along edges are up to √2 longer than those along a flat surface; the straight distance never is.
  constexpr double kEdgePath = 1.4142135623730951;
  struct Step {
    double length;
    Index vertex;
    bool operator>(const Step& other) const { return length > other.length; }
  };
  std::unordered_map<Index, double> reached;
  std::priority_queue<Step, std::vector<Step>, std::greater<>> open;
  const Index start = welding_.welded[near_vertex];
  open.push({(graph_.positions[start] - point).norm(), start});
  while (!open.empty()) {
    const Step step = open.top();
    open.pop();
    if (!reached.try_emplace(step.vertex, step.length).second) continue;
    for (Index k = graph_.offsets[step.vertex]; k < graph_.offsets[step.vertex + 1]; ++k) {
      const double length = step.length + graph_.lengths[k];
      if (length <= kEdgePath * brush.radius && reached.find(graph_.neighbours[k]) == reached.end())
        open.push({length, graph_.neighbours[k]});
    }
  }
  std::vector<std::pair<Index, float>> changed;
  for (const auto& [vertex, length] : reached) {
    const double distance = std::max((graph_.positions[vertex] - point).norm(), length / kEdgePath);
    const double share = brush.strength * falloff(distance / brush.radius);
    if (!(share > 0)) continue;
    const double old = weights[welding_.first[vertex]];
    double value = old;
    if (brush.mode == BrushMode::kAdd) value = old + share;
    else if (brush.mode == BrushMode::kSubtract) value = old - share;
    else if (brush.mode == BrushMode::kReplace) value = old + share * (brush.value - old);
    else {
      double sum = 0, count = 0;
      for (Index k = graph_.offsets[vertex]; k < graph_.offsets[vertex + 1]; ++k, ++count)
        sum += weights[welding_.first[graph_.neighbours[k]]];
      if (count > 0) value = old + share * (sum / count - old);
    }
    changed.emplace_back(vertex, static_cast<float>(std::clamp(value, 0.0, 1.0)));
  }
  std::sort(changed.begin(), changed.end());
  std::vector<Pin> pins;
  for (const auto& [vertex, value] : changed)
    for (Index c = copy_begin_[vertex]; c < copy_begin_[vertex + 1]; ++c) {
      weights[copies_[c]] = value;
      pins.push_back({copies_[c], value});
    }
  return pins;
}

}  // namespace sinew::studio
