// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/core/tissue.h"
#include "sinew/deform/pbd/pbd_body.h"

namespace sinew::deform {

/// What the inside of a body is made of: per joint by name, and painted on the skin.
class TissueMap {
 public:
  /// `by_name` gives the preset of single joints; all others are skin. `painted` is per vertex of the mesh, or empty; a
  /// vertex without a value is as its joints are. \throws Error for joints and materials that do not exist.
  TissueMap(const Rig& rig, const std::map<std::string, std::string>& by_name,
            std::span<const std::optional<Tissue>> painted);

  /// Everything is skin.
  bool plain() const { return by_joint_.empty() && painted_.empty(); }

  /// The tissue of each particle: the mean of its joints', and of the nearest skin where that is painted. Joints that
  /// nobody names have `unnamed`, one factor on the stiffness per joint, or none.
  std::vector<Tissue> of_particles(const PbdBody& body, std::span<const double> unnamed = {}) const;

  const std::map<Index, Tissue>& by_joint() const { return by_joint_; }
  std::span<const std::optional<Tissue>> painted() const { return painted_; }

 private:
  const Rig& rig_;
  std::map<Index, Tissue> by_joint_;
  std::span<const std::optional<Tissue>> painted_;
};

}  // namespace sinew::deform
