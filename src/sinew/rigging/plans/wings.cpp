// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/wings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace sinew::rigging {
namespace {

// Half the span of spread wings, at least, in depths of the body: of what may have none, and of birds.
constexpr double kSpread = 3.2, kHalfSpread = 2;
// Joints by their distance from the mirror plane, in half spans: those of an eagle.
constexpr std::array<double, 3> kWingJoints = {0.13, 0.32, 0.56};
constexpr double kWingBone = 0.3;  // Where the bones are, in chords from the front edge.

/// A section of both wings, the right one mirrored.
struct WingSection {
  double count = 0, height = 0;
  double front = -std::numeric_limits<double>::infinity(), rear = std::numeric_limits<double>::infinity();
};

}  // namespace

bool find_wings(const BodyVoxels& body, double leg_top, const std::string& kind, JointPlaces& places) {
  double deepest = 0;
  for (Index v = 0; v < body.places.size(); ++v) deepest = std::max(deepest, body.ways.depth(v));
  double span = 0;
  for (const Vec3& p : body.places)
    if (p.y() > leg_top) span = std::max(span, std::abs(p.x()));
  const bool arm = kind == "arm";
  if (span < (arm ? kHalfSpread : kSpread) * deepest || span < 0.3 * body.height) return false;
  const double step = 2 * body.cell;
  std::vector<WingSection> sections(static_cast<std::size_t>(span / step) + 1);
  for (const Vec3& p : body.places) {
    if (p.y() <= leg_top) continue;
    WingSection& section = sections[std::min(static_cast<std::size_t>(std::abs(p.x()) / step), sections.size() - 1)];
    ++section.count;
    section.height += p.y();
    section.front = std::max(section.front, p.z());
    section.rear = std::min(section.rear, p.z());
  }
  const auto at = [&](double x) {
    std::size_t i = std::min(static_cast<std::size_t>(x / step), sections.size() - 1);
    while (i > 0 && sections[i].count == 0) --i;
    const WingSection& s = sections[i];
    return Vec3(x, s.height / std::max(1.0, s.count), s.front - kWingBone * (s.front - s.rear));
  };
  const auto mirrored = [](const Vec3& p) { return Vec3(-p.x(), p.y(), p.z()); };
  const std::array<std::string, 3> roles = arm ? std::array<std::string, 3>{"upper_arm", "forearm", "hand"}
                                               : std::array<std::string, 3>{"wing_1", "wing_2", "wing_3"};
  const double shoulder = std::max(kWingJoints[0] * span, 0.8 * deepest);
  for (std::size_t k = 0; k < 3; ++k) {
    const double share = (kWingJoints[k] - kWingJoints[0]) / (1 - kWingJoints[0]);
    Vec3 p = at(shoulder + share * (span - shoulder));
    // The chord of the first section is that of the whole body.
    if (k == 0) p.z() = at(std::min(1.6 * p.x(), 0.5 * (shoulder + span))).z();
    places.set_pair(roles[k], p, mirrored(p));
  }
  const Vec3 tip = at(0.97 * span);
  places.end_pair(roles[2], tip, mirrored(tip));
  return true;
}

void place_folded_wings(const BodyVoxels& body, const BirdTrunk& trunk, JointPlaces& places) {
  // Of a hen: shares of the height from belly to back, of the way from the hips to the breast, and of half the width.
  struct Place {
    const char* role;
    double up, ahead, out;
  };
  constexpr std::array<Place, 4> kFolded = {{{"upper_arm", 0.88, 0.49, 0.44},
                                             {"forearm", 0.7, 0.33, 0.55},
                                             {"hand", 0.6, 0.6, 0.8},
                                             {"tip", 0.6, -0.35, 0.75}}};
  const double tall = trunk.back - trunk.belly, length = trunk.breast - trunk.hips;
  const auto half_width = [&](double y, double z) {
    double widest = 0;
    for (const Vec3& p : body.places)
      if (std::abs(p.y() - y) < 1.5 * body.cell && std::abs(p.z() - z) < 1.5 * body.cell)
        widest = std::max(widest, std::abs(p.x()));
    return widest;
  };
  for (const Place& place : kFolded) {
    Vec3 p(0, trunk.belly + place.up * tall, trunk.hips + place.ahead * length);
    // A back that slopes may be lower here.
    while (half_width(p.y(), p.z()) < 2 * body.cell && p.y() > trunk.belly + 0.4 * tall) p.y() -= 0.04 * tall;
    p.x() = place.out * half_width(p.y(), p.z());
    const Vec3 image(-p.x(), p.y(), p.z());
    if (std::string(place.role) == "tip") places.end_pair("hand", p, image);
    else places.set_pair(place.role, p, image);
  }
}

}  // namespace sinew::rigging
