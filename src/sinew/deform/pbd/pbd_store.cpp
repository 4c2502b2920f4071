// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_store.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/deform/byte_stream.h"

namespace sinew::deform {
namespace {

static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Mat4) == 16 * sizeof(double), "without gaps");

constexpr std::size_t kAnchorBytes = sizeof(Index) + 4 * sizeof(double);
constexpr std::size_t kRiderBytes = 5 * sizeof(Index) + 4 * sizeof(float);

/// All that a body holds, named once for writing and reading. A member that is added to `PbdBody` or its parts stops
/// this from compiling: add it here, check it below, and raise `kPbdBodyVersion`.
template <class Stream, class Body>
void pass_body(Stream& stream, Body& body) {
  auto& [tets, cell, mass, weights, owner, free, bind, against, areas, anchors, riders, resting, distances, outside,
         without, smallest, largest] = body;
  auto& [positions, corners] = tets;
  stream.list(positions), stream.list(corners), stream.number(cell), stream.list(mass), stream.rows(weights);
  stream.list(owner), stream.list(free), stream.list(bind), stream.list(against), stream.rows(areas);
  stream.each(anchors, kAnchorBytes, [&](auto& anchor) {
    auto& [joint, point, distance] = anchor;
    stream.number(joint), stream.number(point), stream.number(distance);
  });
  const auto pass_rider = [&](auto& rider) {
    auto& [vertex, of_tet, shares] = rider;
    stream.number(vertex), stream.number(of_tet), stream.number(shares);
  };
  stream.each(riders, kRiderBytes, pass_rider);
  stream.each(resting, kRiderBytes, pass_rider);
  stream.list(distances);
  stream.number(outside), stream.number(without), stream.number(smallest), stream.number(largest);
}

/// Whether a body that was read can be used: every index points to something, every number is one.
class BodyCheck {
 public:
  BodyCheck(const PbdBody& body, Index vertices, Index joints) : body_(body), vertices_(vertices), joints_(joints) {}

  bool sound() const { return sizes() && numbers() && particles() && skin(); }

 private:
  bool sizes() const {
    // Without tetrahedra nothing is known of particles.
    const std::size_t count = body_.tets.tets.empty() ? 0 : body_.tets.positions.size();
    if (count > 0 && body_.against.size() != joints_) return false;
    if (body_.areas.row_count() != 0 && body_.areas.row_count() != count) return false;
    return body_.bind.size() == joints_ && body_.mass.size() == count && body_.weights.row_count() == count &&
           body_.owner.size() == count && body_.free.size() == count && body_.anchors.size() == count &&
           body_.bone_distance.size() == count && (count > 0 || (body_.riders.empty() && body_.resting_riders.empty()));
  }

  bool numbers() const {
    const auto finite = [](const auto& matrix) { return matrix.allFinite(); };
    return std::isfinite(body_.cell) && (body_.cell > 0 || body_.tets.tets.empty()) &&
           std::isfinite(body_.smallest_angle_rad) && std::isfinite(body_.largest_angle_rad) &&
           std::all_of(body_.tets.positions.begin(), body_.tets.positions.end(), finite) &&
           std::all_of(body_.bind.begin(), body_.bind.end(), finite) && validate(body_.tets).empty();
  }

  bool is_joint(Index joint) const { return joint == kNone || joint < joints_; }

  bool particles() const {
    for (std::size_t p = 0; p < body_.mass.size(); ++p) {
      const PbdBody::Anchor& anchor = body_.anchors[p];
      if (!(body_.mass[p] > 0) || !std::isfinite(body_.mass[p]) || !is_joint(body_.owner[p]) ||
          (body_.free[p] != 0 && body_.free[p] != 1) || !is_joint(anchor.joint) || !anchor.point.allFinite() ||
          !(anchor.distance >= 0) || !std::isfinite(anchor.distance) || !(body_.bone_distance[p] >= 0) ||
          !std::isfinite(body_.bone_distance[p]))
        return false;
    }
    // Joints bend against joints, and never in a circle.
    for (std::size_t j = 0; j < body_.against.size(); ++j) {
      Index above = body_.against[j];
      for (std::size_t steps = 0; above != kNone; ++steps, above = body_.against[above])
        if (above >= joints_ || steps > body_.against.size()) return false;
    }
    return validate(body_.weights, joints_).empty() && validate(body_.areas, joints_).empty();
  }

  bool skin() const { return ride(body_.riders) && ride(body_.resting_riders); }

  bool ride(const std::vector<PbdBody::Rider>& riders) const {
    for (std::size_t r = 0; r < riders.size(); ++r) {
      const PbdBody::Rider& rider = riders[r];
      if (rider.vertex >= vertices_ || (r > 0 && rider.vertex <= riders[r - 1].vertex)) return false;
      for (const Index corner : rider.corners)
        if (corner >= body_.mass.size()) return false;
      for (const float share : rider.shares)
        if (!std::isfinite(share)) return false;
    }
    return true;
  }

  const PbdBody& body_;
  Index vertices_, joints_;
};

}  // namespace

std::vector<std::byte> write_pbd_body(const PbdBody& body) {
  ByteWriter writer;
  writer.number(kPbdBodyVersion);
  pass_body(writer, body);
  return std::move(writer.bytes);
}

std::optional<PbdBody> read_pbd_body(std::span<const std::byte> bytes, Index vertex_count, Index joint_count) {
  ByteReader reader(bytes);
  std::uint32_t version = 0;
  reader.number(version);
  if (version != kPbdBodyVersion) return std::nullopt;
  PbdBody body;
  pass_body(reader, body);
  if (!reader.at_end() || !BodyCheck(body, vertex_count, joint_count).sound()) return std::nullopt;
  return body;
}

}  // namespace sinew::deform
