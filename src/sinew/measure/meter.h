// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <vector>

#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/measure/bulge.h"
#include "sinew/measure/contacts.h"
#include "sinew/measure/enclosed_volume.h"
#include "sinew/measure/joint_sections.h"
#include "sinew/measure/shape.h"
#include "sinew/measure/surface_change.h"

namespace sinew::measure {

struct MeterOptions {
  int planes = 8;
  double shrink = 0.02;
  bool intersections = true;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("planes", "Number of cross-sections in each half of a bone. More find thinner spots but take longer.")
          .range(1, 200),
      self.planes);
    v(Field("shrink", "Fraction of the limb radius by which the skin shrinks before intersections are counted again.")
          .range(0, 0.5),
      self.shrink);
    v(Field("intersections", "Find intersecting triangles and measure how deep they penetrate."), self.intersections);
  }
};

/// All measurements of one frame.
struct FrameFigures {
  std::vector<double> part_volumes;  ///< Volumes of the measured parts, in m³.
  double volume = 0;                 ///< Their sum.
  double loss = 0;  ///< (V₀ − V) / V₀ of the sum; negative for a gain. 0 if no part has a volume.
  std::vector<JointSection> sections;
  std::vector<JointBulge> bulges;
  EdgeStretch stretch;
  double roughness = 0;
  std::optional<Contacts> contacts;

  /// Returns the joint with the thinnest section, or with the largest bulge; null if there is none.
  const JointSection* thinnest() const;
  const JointBulge* largest_bulge() const;
};

/// Measures many frames of one rig against the shape in which it was bound.
class Meter {
 public:
  /// n log n. \pre the rig is valid. \throws Cancelled.
  explicit Meter(const Rig& rig, const MeterOptions& options = {}, const Progress& progress = {});

  const Shape& bound() const { return bound_; }
  const Limbs& limbs() const { return limbs_; }
  const EnclosedVolume& enclosed() const { return *volume_; }
  /// Reports parts whose volume is not measured or is measured with caps, and joints that no section surrounds.
  const Findings& findings() const { return findings_; }
  double size() const { return size_; }  ///< Diagonal of the bound shape's box.

  /// \throws Error if a position is not finite; Cancelled.
  FrameFigures measure(const Shape& posed, const Progress& progress = {}) const;

 private:
  void find_gaps(const Rig& rig);

  MeterOptions options_;
  Mesh mesh_;  ///< Without morphs, in the bound shape.
  Shape bound_;
  Limbs limbs_;
  geometry::Welding welding_;
  std::optional<EnclosedVolume> volume_;
  std::optional<JointSections> sections_;
  std::optional<JointBulges> bulges_;
  std::optional<SurfaceChange> surface_;
  Findings findings_;
  double rest_volume_ = 0;
  double size_ = 0;
};

}  // namespace sinew::measure
