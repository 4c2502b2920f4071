// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/joint_sections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::measure {
namespace {

constexpr double kLeastCosine = 0.258819045102521;  // 75°
/// How far along a bone a section is looked at beside a plane: one that lies in the face at a limb's end has no size.
constexpr double kSteady = 0.005;

Vec3 direction(const BoneEnds& bone) {
  const double length = bone.length();
  return length > 0 ? Vec3((bone.b - bone.a) / length) : Vec3(Vec3::Zero());
}

}  // namespace

JointSections::JointSections(const Rig& rig, const geometry::Welding& welding, const Shape& bound, const Limbs& limbs,
                             Index planes)
    : skeleton_(rig.skeleton), bones_(limbs.owners.segments) {
  std::vector<std::vector<Index>> in(skeleton_.size()), out(skeleton_.size());
  for (Index s = 0; s < bones_.size(); ++s) {
    out[bones_[s].joint].push_back(s);
    if (bones_[s].child != kNone) in[bones_[s].child].push_back(s);
  }
  const std::vector<BoneEnds> ends = all_ends(bound);
  geometry::TriangleSurface surface = geometry::triangle_surface(rig.mesh, welding);
  Box box;
  for (const Vec3& p : bound.positions) box.extend(p);
  const double size = box.diagonal();
  const geometry::SectionCutter cutter(surface);
  for (Index j = 0; j < skeleton_.size(); ++j) {
    if (in[j].empty() || limbs.moves[j] == 0) continue;
    const BoneEnds& bone = ends[in[j].front()];
    const geometry::Section across = cutter.cut(bone.a, bone.b, 1);
    const double radius = across.surrounded ? std::sqrt(std::abs(across.area) / kPi) : 0;
    add_probes(j, in[j], out[j], ends, radius, planes);
  }
  parallel_for(
      probes_.size(), [&](std::size_t i) { cut(probes_[i], surface, cutter, ends, size); }, 1);
  probes_.erase(std::remove_if(probes_.begin(), probes_.end(), [](const Probe& probe) { return probe.pieces.empty(); }),
                probes_.end());
  // From welded vertices to the mesh's own.
  for (Probe& probe : probes_)
    for (Piece& piece : probe.pieces)
      for (Crossing* crossing : {&piece.from, &piece.to})
        crossing->a = welding.first[crossing->a], crossing->b = welding.first[crossing->b];
}

void JointSections::add_probes(Index joint, const std::vector<Index>& in, const std::vector<Index>& out,
                               const std::vector<BoneEnds>& ends, double radius, Index planes) {
  const auto tilt_at = [&](double distance) { return radius > 0 ? std::max(0.0, 1 - distance / radius) : 0.0; };
  for (const Index before : in) {
    // The bone that goes on most nearly straight, for the side of the joint that all leaving bones share.
    Index straight = kNone;
    for (const Index after : out)
      if (straight == kNone ||
          direction(ends[after]).dot(direction(ends[before])) > direction(ends[straight]).dot(direction(ends[before])))
        straight = after;
    const double length = ends[before].length();
    for (Index k = 1; k <= planes; ++k) {
      const double share = 0.5 * k / planes;
      probes_.push_back({joint, before, straight, 1 - share, straight == kNone ? 0 : tilt_at(share * length)});
    }
    if (out.empty()) probes_.push_back({joint, before, kNone, 1, 0});
    for (const Index after : out) {
      probes_.push_back({joint, before, after, 1, 1});
      probes_.push_back({joint, after, before, 0, 1});
      for (Index k = 1; k <= planes; ++k) {
        const double share = 0.5 * k / planes;
        probes_.push_back({joint, after, before, share, tilt_at(share * ends[after].length())});
      }
    }
  }
}

std::vector<BoneEnds> JointSections::all_ends(const Shape& shape) const {
  std::vector<BoneEnds> ends;
  ends.reserve(bones_.size());
  for (const Segmentation::Segment& bone : bones_) ends.push_back(bone_ends(skeleton_, bone, shape.joints));
  return ends;
}

JointSections::Plane JointSections::plane_of(const Probe& probe, const std::vector<BoneEnds>& ends) {
  Plane plane;
  const BoneEnds& bone = ends[probe.on];
  const Vec3 along = direction(bone);
  plane.point = bone.a + probe.at * (bone.b - bone.a);
  Vec3 normal = along;
  if (probe.other != kNone) normal = (1 - probe.tilt / 2) * along + probe.tilt / 2 * direction(ends[probe.other]);
  const double length = normal.norm();
  if (!(length > 1e-9)) return plane;
  plane.normal = normal / length;
  plane.cosine = plane.normal.dot(along);
  return plane;
}

void JointSections::cut(Probe& probe, const geometry::TriangleSurface& surface, const geometry::SectionCutter& cutter,
                        const std::vector<BoneEnds>& ends, double size) const {
  const Plane plane = plane_of(probe, ends);
  if (plane.cosine < kLeastCosine) return;
  const auto section_at = [&](double shift) {
    const Vec3 point = plane.point + shift * plane.normal;
    return cutter.cut(point, point + plane.normal, 0);
  };
  const geometry::Section section = section_at(0);
  const double area = std::abs(section.area), shift = kSteady * ends[probe.on].length();
  if (!section.surrounded || area <= 1e-10 * size * size) return;
  for (const double side : {-shift, shift}) {
    const geometry::Section beside = section_at(side);
    if (!beside.surrounded || std::abs(beside.area) < area / 2 || std::abs(beside.area) > 2 * area) return;
  }
  probe.pieces = pieces_of(surface, plane, section, size);
  probe.area = seen(probe, surface.positions, ends).area;
  if (std::abs(probe.area) <= 1e-10 * size * size) probe.pieces.clear();
}

std::vector<JointSections::Piece> JointSections::pieces_of(const geometry::TriangleSurface& surface, const Plane& plane,
                                                           const geometry::Section& section, double size) {
  std::vector<Piece> pieces;
  std::unordered_map<std::uint64_t, Index> at_edge;  // A piece that ends there.
  std::vector<std::pair<Index, Index>> joined;
  const auto height = [&](Index v) { return (surface.positions[v] - plane.point).dot(plane.normal); };
  for (const std::array<Index, 3>& t : surface.triangles) {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    const std::array<double, 3> h = {height(t[0]), height(t[1]), height(t[2])};
    const int above = (h[0] >= 0) + (h[1] >= 0) + (h[2] >= 0);
    if (above == 0 || above == 3) continue;
    std::size_t k = 0;  // The corner that is alone on its side.
    while ((h[k] >= 0) != (above == 1)) ++k;
    const auto crossing = [&](std::size_t i) { return Crossing{t[k], t[i], h[k] / (h[k] - h[i])}; };
    const std::size_t next = (k + 1) % 3, before = (k + 2) % 3;
    Piece piece{crossing(next), crossing(before)};
    if (above != 1) std::swap(piece.from, piece.to);
    const auto number = static_cast<Index>(pieces.size());
    for (const Index v : {t[next], t[before]}) {
      const std::uint64_t key = (std::uint64_t{std::min(t[k], v)} << 32) | std::max(t[k], v);
      const auto [place, fresh] = at_edge.try_emplace(key, number);
      if (!fresh) joined.emplace_back(place->second, number);
    }
    pieces.push_back(piece);
  }
  geometry::UnionFind curves(pieces.size());
  for (const auto& [a, b] : joined) curves.join(a, b);
  // A curve counts if its first point is one of the section's.
  std::vector<char> counts(pieces.size(), 0);
  const double near = 1e-9 * size;
  for (Index i = 0; i < pieces.size(); ++i) {
    if (curves.find(i) != i) continue;
    const Crossing& c = pieces[i].from;
    const Vec3 p = (1 - c.at) * surface.positions[c.a] + c.at * surface.positions[c.b];
    for (const geometry::SectionLoop& loop : section.loops)
      if (std::any_of(loop.points.begin(), loop.points.end(), [&](const Vec3& q) { return (p - q).norm() <= near; }))
        counts[i] = 1;
  }
  std::vector<Piece> kept;
  for (Index i = 0; i < pieces.size(); ++i)
    if (counts[curves.find(i)] != 0) kept.push_back(pieces[i]);
  return kept;
}

JointSections::Seen JointSections::seen(const Probe& probe, const std::vector<Vec3>& positions,
                                        const std::vector<BoneEnds>& ends) const {
  const auto point = [&](const Crossing& c) { return Vec3((1 - c.at) * positions[c.a] + c.at * positions[c.b]); };
  Seen result;
  for (const Piece& piece : probe.pieces)
    result.middle += (point(piece.from) + point(piece.to)) / (2.0 * static_cast<double>(probe.pieces.size()));
  // Where the surface is open, the middle closes the curve.
  Vec3 area = Vec3::Zero();
  for (const Piece& piece : probe.pieces)
    area += (point(piece.from) - result.middle).cross(point(piece.to) - result.middle) / 2;
  result.area = area.dot(direction(ends[probe.on]));
  return result;
}

std::vector<JointSection> JointSections::measure(const Shape& posed) const {
  const std::vector<BoneEnds> ends = all_ends(posed);
  std::vector<Seen> found(probes_.size());
  parallel_for(
      probes_.size(), [&](std::size_t i) { found[i] = seen(probes_[i], posed.positions, ends); }, 16);
  std::vector<JointSection> result;
  for (std::size_t i = 0; i < probes_.size(); ++i) {
    const Probe& probe = probes_[i];
    if (result.empty() || result.back().joint != probe.joint) {
      result.emplace_back();
      result.back().joint = probe.joint;
    }
    JointSection& joint = result.back();
    const double ratio = std::max(0.0, found[i].area / probe.area);
    if (joint.compared++ > 0 && ratio >= joint.thinnest) continue;
    joint.thinnest = ratio, joint.area = std::abs(found[i].area), joint.rest_area = std::abs(probe.area);
    joint.place = found[i].middle;
  }
  return result;
}

}  // namespace sinew::measure
