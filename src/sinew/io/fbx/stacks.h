// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Animation stacks: which curves move which properties, and the values that the layers give together.

#include <array>
#include <limits>
#include <map>

#include "sinew/io/fbx/curves.h"
#include "sinew/io/fbx/import.h"

namespace sinew::io::fbx {

/// What one layer does to one property: a number per component, by a curve or a constant.
struct Contribution {
  enum class Way { kReplace, kAdd, kOverride } way = Way::kReplace;
  double weight = 1;
  std::array<const Curve*, 3> curves = {};
  std::array<std::optional<double>, 3> constants = {};

  bool moves() const { return curves[0] != nullptr || curves[1] != nullptr || curves[2] != nullptr; }
};

/// One animation stack.
struct Stack {
  enum Property { kTranslation, kRotation, kScaling };

  std::string name;
  /// The span that the stack shows; keys outside it are not played. Without end unless the file states one.
  double start_s = 0, stop_s = std::numeric_limits<double>::infinity();
  bool has_curves = false;
  /// Per node and property, in the order of the layers. Only nodes with contributions are listed.
  std::map<Index, std::array<std::vector<Contribution>, 3>> nodes;
  /// Per blend shape channel, likewise; the first component counts.
  std::map<Index, std::vector<Contribution>> channels;

  /// The pose of a node at a time.
  Pose pose(Index node, const Pose& rest, double time_s) const;
  double percent(Index channel, double rest, double time_s) const;
  /// Whether a curve moves a property of a node.
  bool moves(Index node, Property property) const;
};

/// Curves by object. Pointers into it stay valid.
using CurveTable = std::map<Index, Curve>;

/// Reads a stack; its curves go into the table.
Stack read_stack(Index stack, Import& import, CurveTable& curves, std::uint64_t& dropped);

}  // namespace sinew::io::fbx
