// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Weights that a person stated, and the brush that states them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/operators/geodesic.h"

namespace sinew::studio {

/// The weight of one joint at one vertex.
struct Pin {
  Index vertex = kNone;
  float value = 0;
};

/// Pins as base64 of pairs of 32-bit numbers, so that a recipe keeps every bit. \throws Error for other texts.
std::string pins_to_text(std::span<const Pin> pins);
std::vector<Pin> pins_from_text(std::string_view text);

/// Sets the weight of a joint in a row that sums to 1. The others share the rest in proportion; where there are none,
/// the joint keeps all. Weights of `locked` joints stay as they are, and limit the value.
void set_weight(std::vector<Influence>& row, Index joint, float value, std::span<const Index> locked);

/// Applies pins of one joint to the weights of a rig. Skins that do not list the joint are left alone, as are vertices
/// of parts without a skin. `open`: the other weights of a row stay as they are, so that its sum is no longer 1.
/// \throws Error if a vertex is out of range or there are no weights.
void apply_pins(Rig& rig, Index joint, std::span<const Pin> pins, std::span<const Index> locked, bool open = false);

enum class BrushMode { kAdd, kSubtract, kReplace, kSmooth };

struct Brush {
  BrushMode mode = BrushMode::kAdd;
  Index joint = kNone;
  double radius = 0.05;  ///< In metres.
  double strength = 0.5;
  double value = 1;  ///< Of kReplace.
  std::vector<Index> locked;
};

/// Paints weights on a surface. A stroke is a row of dabs, whose effect falls off along the surface: fingers that touch
/// do not mix.
class BrushSurface {
 public:
  explicit BrushSurface(const Mesh& mesh);

  /// Applies one dab at a point of a face and returns the vertices that it reached, with their new weights; `weights`
  /// are those of the joint per vertex of the mesh, and are changed. About k log k for k vertices within reach.
  std::vector<Pin> dab(const Brush& brush, Index near_vertex, const Vec3& point, std::vector<float>& weights) const;

 private:
  geometry::Welding welding_;
  geometry::EdgeGraph graph_;
  std::vector<Index> copy_begin_, copies_;  ///< Per welded vertex: its vertices of the mesh.
};

}  // namespace sinew::studio
