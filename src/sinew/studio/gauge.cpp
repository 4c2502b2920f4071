// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/gauge.h"

#include <algorithm>

namespace sinew::studio {

Gauge::Gauge(const Rig& rig)
    : welding_(geometry::weld(rig.mesh)),
      bound_(measure::bound_shape(rig)),
      limbs_(measure::limbs(rig, bound_)),
      sections_(rig, welding_, bound_, limbs_),
      volumes_(rig, welding_, limbs_),
      whole_(rig.mesh, welding_),
      rest_volume_(whole_.total(bound_.positions)) {}

GaugeReading Gauge::read(std::span<const Vec3f> positions, const std::vector<Mat4>& joints, Index joint) const {
  measure::Shape shape{{}, joints};
  shape.positions.reserve(positions.size());
  for (const Vec3f& p : positions) shape.positions.push_back(p.cast<double>());
  GaugeReading reading;
  if (rest_volume_ > 0) reading.volume = whole_.total(shape.positions) / rest_volume_;
  if (joint == kNone) return reading;
  for (const measure::JointSection& section : sections_.measure(shape))
    if (section.joint == joint && section.compared > 0) reading.thinnest = section.thinnest;
  const std::lock_guard lock(mutex_);
  auto region = regions_.find(joint);
  if (region == regions_.end()) region = regions_.emplace(joint, volumes_.region(joint, false)).first;
  if (region->second.rest_volume > 0)
    reading.joint_volume = region->second.volume(shape.positions) / region->second.rest_volume;
  return reading;
}

}  // namespace sinew::studio
