// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Measures the joint that a person looks at, while it moves.

#include <map>
#include <mutex>
#include <span>

#include "sinew/geometry/mesh/weld.h"
#include "sinew/measure/enclosed_volume.h"
#include "sinew/measure/joint_sections.h"
#include "sinew/measure/joint_volume.h"
#include "sinew/measure/shape.h"

namespace sinew::studio {

/// What is measured of a posed character, as shares of the bind pose.
struct GaugeReading {
  double thinnest = -1;      ///< The thinnest section near the joint; −1 if the joint has none.
  double joint_volume = -1;  ///< Of the skin that the joint bends; −1 if it encloses nothing.
  double volume = -1;        ///< Of the whole character; −1 if it encloses nothing.
};

class Gauge {
 public:
  /// The rig must outlive it. Some tens of milliseconds for a person. \throws Error if nothing can be measured.
  explicit Gauge(const Rig& rig);

  /// `joint` may be kNone: then only the volume is measured. Linear in the triangles.
  GaugeReading read(std::span<const Vec3f> positions, const std::vector<Mat4>& joints, Index joint) const;

 private:
  geometry::Welding welding_;
  measure::Shape bound_;
  measure::Limbs limbs_;
  measure::JointSections sections_;
  measure::JointVolumes volumes_;
  measure::EnclosedVolume whole_;
  double rest_volume_ = 0;
  mutable std::mutex mutex_;  ///< Of what is kept.
  mutable std::map<Index, measure::JointVolumes::Region> regions_;
};

}  // namespace sinew::studio
