// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/implicit_skin.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/implicit/skin_surface.h"

namespace sinew::deform {
namespace {

constexpr float kLeastShare = 0.01F;  ///< Weight from which on a joint's part is in the family of a vertex.
constexpr float kRigid = 0.999F;      ///< Weight of one joint from which on skin is rigid.
constexpr Index kBlock = 64;          ///< Vertices in a block.
constexpr double kSmallShell = 0.5;   ///< Of the support, across a shell that keeps its shape.
constexpr std::size_t kCarriers = 6;
constexpr float kOnSurface = 0.06F, kOffSurface = 0.2F;  ///< Of the field, from ½: skin that a function describes.
constexpr float kAskew = 0.4F, kAligned = 0.8F;          ///< Cosines between normals of the skin and of the field.
constexpr int kTrustRounds = 4;
constexpr float kRounding = 1e-5F;  ///< In radii: values in a pose differ from those at binding by less.

/// 0 up to `low`, 1 from `high` on, smooth between.
float ramp(float x, float low, float high) {
  const float t = std::clamp((x - low) / (high - low), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

/// Interleaves the bits of three 10-bit numbers.
std::uint32_t morton(const Vec3& unit) {
  std::uint32_t code = 0;
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    const auto n = static_cast<std::uint32_t>(std::clamp(unit[axis], 0.0, 1.0) * 1023);
    for (std::uint32_t bit = 0; bit < 10; ++bit)
      code |= (n >> bit & 1U) << (3 * bit + static_cast<std::uint32_t>(axis));
  }
  return code;
}

/// M. S. Floater, "Mean value coordinates", 2003, of a vertex among its neighbours in the plane across its normal.
/// Empty at borders, and where a weight would not be positive.
std::vector<float> mean_value_weights(const SkinSurface& surface, Index v, Index triangles) {
  const auto ring = surface.rings[v];
  const Vec3 n = surface.normals[v];
  if (ring.size() < 3 || triangles != ring.size() || !(n.norm() > 0)) return {};
  const Vec3 x = n.unitOrthogonal(), y = n.cross(x);
  struct Spoke {
    double angle, length;
    std::size_t at;
  };
  std::vector<Spoke> spokes;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Vec3 d = surface.positions[ring[i]] - surface.positions[v];
    const Vec2 flat(d.dot(x), d.dot(y));
    if (!(flat.norm() > 1e-3 * d.norm())) return {};
    spokes.push_back({std::atan2(flat.y(), flat.x()), flat.norm(), i});
  }
  std::sort(spokes.begin(), spokes.end(),
            [](const Spoke& a, const Spoke& b) { return a.angle != b.angle ? a.angle < b.angle : a.at < b.at; });
  std::vector<double> tangents;
  for (std::size_t i = 0; i < spokes.size(); ++i) {
    double gap = spokes[(i + 1) % spokes.size()].angle - spokes[i].angle;
    if (i + 1 == spokes.size()) gap += kTwoPi;
    if (!(gap > 1e-6 && gap < 0.98 * kPi)) return {};
    tangents.push_back(std::tan(gap / 2));
  }
  std::vector<float> weights(ring.size());
  double sum = 0;
  for (std::size_t i = 0; i < spokes.size(); ++i) {
    const double w = (tangents[(i + spokes.size() - 1) % spokes.size()] + tangents[i]) / spokes[i].length;
    weights[spokes[i].at] = static_cast<float>(w);
    sum += w;
  }
  for (float& w : weights) w = static_cast<float>(static_cast<double>(w) / sum);
  return weights;
}

class SkinMaker {
 public:
  SkinMaker(const Rig& rig, const ImplicitBody& body, std::span<const FieldOperator> operators, int reach)
      : body_(body), surface_(make_skin_surface(rig)), near_(near_parts(body, reach)) {
    pose_parts(body, std::vector<Mat4>(body.bind.size(), Mat4::Identity()), Vec3::Zero(), posed_);
    fields_ = {posed_, operators};
    size_ = rig.mesh.size();
  }

  ImplicitSkin run() {
    find_families();
    find_owners();
    find_solids();
    sort();
    weigh_rings();
    smooth_trust();
    find_overlaps();
    find_riders();
    skin_.near = std::move(near_);
    return std::move(skin_);
  }

 private:
  /// The parts with a share in a vertex, largest share first.
  std::vector<std::pair<Index, float>> shares_of(Index v) const {
    std::map<Index, float> shares;
    for (const Influence& influence : surface_.rows[v]) {
      const Index part = body_.part_of_joint[influence.joint];
      if (part != kNone) shares[part] += influence.weight;
    }
    std::vector<std::pair<Index, float>> sorted(shares.begin(), shares.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return sorted;
  }

  void find_families() {
    std::map<Family, Index> known;
    family_.resize(surface_.size());
    trust_.resize(surface_.size());
    for (Index v = 0; v < surface_.size(); ++v) {
      std::vector<Index> parts;
      for (const auto& [part, share] : shares_of(v))
        if (parts.size() < kMostFamily && share >= kLeastShare) parts.push_back(part);
      std::sort(parts.begin(), parts.end());
      Family family;
      family.count = static_cast<std::uint8_t>(parts.size());
      family.above.fill(-1);
      for (std::size_t m = 0; m < parts.size(); ++m) {
        family.parts[m] = static_cast<std::uint16_t>(parts[m]);
        const auto above = std::find(parts.begin(), parts.end(), body_.parts[parts[m]].parent);
        if (above != parts.end()) family.above[m] = static_cast<std::int8_t>(above - parts.begin());
      }
      family_[v] = known.emplace(family, static_cast<Index>(known.size())).first->second;
      float own = 0;
      for (const Influence& influence : surface_.rows[v])
        if (body_.own[influence.joint] != 0) own += influence.weight;
      trust_[v] = ramp(own, 0.5F, 0.95F);
    }
    skin_.families.resize(known.size());
    for (const auto& [family, number] : known) skin_.families[number] = family;
  }

  /// The part that moves a vertex most. Not the one that it is deepest in: the skin of a heel may lie inside of the
  /// shin's function, but leaves it with the foot.
  void find_owners() {
    owner_.assign(surface_.size(), kNone);
    for (Index v = 0; v < surface_.size(); ++v)
      if (const auto shares = shares_of(v); !shares.empty() && shares.front().second >= kLeastShare)
        owner_[v] = shares.front().first;
  }

  /// Shells that one joint moves as a whole, and parts that consist of nothing else: skin does not give way to them,
  /// because a sword at rest is often already inside of the hand or the cape that it touches.
  void find_solids() {
    std::vector<Index> joint(surface_.shells, kNone);
    std::vector<char> solid(surface_.shells, 1);
    for (Index v = 0; v < surface_.size(); ++v) {
      const Index shell = surface_.shell[v];
      if (shell == kNone) continue;
      if (joint[shell] == kNone && !surface_.rows[v].empty()) joint[shell] = surface_.rows[v].front().joint;
      if (!single(v) || surface_.rows[v].front().joint != joint[shell]) solid[shell] = 0;
    }
    solid_.resize(surface_.size());
    std::vector<char> soft(body_.parts.size(), 0);
    for (Index v = 0; v < surface_.size(); ++v) {
      solid_[v] = static_cast<char>(surface_.shell[v] == kNone || solid[surface_.shell[v]] != 0);
      if (solid_[v] != 0) continue;
      const Family& family = skin_.families[family_[v]];
      for (std::size_t m = 0; m < family.count; ++m) soft[family.parts[m]] = 1;
    }
    for (std::vector<Index>& others : near_) std::erase_if(others, [&](Index part) { return soft[part] == 0; });
  }

  /// How well the field describes the skin at a vertex, from 0 to 1: the skin is near its surface and faces the same
  /// way. Between parts, where there are no samples, functions may close in any way.
  float likeness(Index v, const FamilyValue& value) const {
    const float length = value.gradient.norm();
    if (!(length > 0)) return 0;
    const float facing = -value.gradient.dot(surface_.normals[v].cast<float>()) / length;
    return ramp_down(std::abs(value.field - 0.5F), kOnSurface, kOffSurface) * ramp(facing, kAskew, kAligned);
  }

  /// Lets trust change slowly along the skin, and never exceed what a vertex has by itself.
  void smooth_trust() {
    std::vector<float> own = skin_.trust, next = own;
    for (int round = 0; round < kTrustRounds; ++round) {
      for (Index v = 0; v < skin_.size(); ++v) {
        float sum = skin_.trust[v];
        Index count = 1;
        for (const Index w : skin_.rings[v]) {
          if (skin_.frozen[w] != 0) continue;
          sum += skin_.trust[w];
          ++count;
        }
        next[v] = std::min(own[v], sum / static_cast<float>(count));
      }
      skin_.trust = next;
    }
  }

  bool single(Index v) const { return !surface_.rows[v].empty() && surface_.rows[v].front().weight >= kRigid; }

  bool rigid(Index v) const {
    if (!single(v)) return false;
    const Index joint = surface_.rows[v].front().joint;
    const auto ring = surface_.rings[v];
    return std::all_of(ring.begin(), ring.end(),
                       [&](Index w) { return single(w) && surface_.rows[w].front().joint == joint; });
  }

  /// Sorts by owner and along a curve that fills space, and copies what a frame needs in that order.
  void sort() {
    order_.resize(surface_.size());
    std::iota(order_.begin(), order_.end(), 0);
    Box box;
    for (const Vec3& p : surface_.positions) box.extend(p);
    std::vector<std::uint32_t> codes;
    const double extent = std::max(box.extent().maxCoeff(), 1e-12);
    for (const Vec3& p : surface_.positions) codes.push_back(morton((p - box.lower) / extent));
    std::sort(order_.begin(), order_.end(), [&](Index a, Index b) {
      if (owner_[a] != owner_[b]) return owner_[a] < owner_[b];
      return codes[a] != codes[b] ? codes[a] < codes[b] : a < b;
    });
    place_.resize(order_.size());
    for (Index i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
    for (Index i = 0; i < order_.size(); ++i) {
      const Index v = order_[i];
      const Family& family = skin_.families[family_[v]];
      const Vec3f at = surface_.positions[v].cast<float>();
      const FamilyValue value = fields_.evaluate(family, at);
      skin_.rest.push_back(at);
      skin_.family.push_back(family_[v]);
      skin_.iso.push_back(value.field);
      skin_.owner.push_back(owner_[v]);
      skin_.trust.push_back(value.field > 0 ? trust_[v] * likeness(v, value) : 0);
      skin_.frozen.push_back(static_cast<char>(family.count == 0 || value.field <= 0 || rigid(v)));
      skin_.solid.push_back(solid_[v]);
      for (const Index copy : surface_.copies[v]) skin_.copies.items.push_back(copy);
      skin_.copies.offsets.push_back(static_cast<Index>(skin_.copies.items.size()));
      const bool fresh =
          skin_.blocks.empty() || skin_.blocks.back().owner != owner_[v] || i - skin_.blocks.back().begin >= kBlock;
      if (fresh) skin_.blocks.push_back({i, i, owner_[v]});
      skin_.blocks.back().end = i + 1;
    }
    for (const auto& t : surface_.triangles) skin_.triangles.push_back({place_[t[0]], place_[t[1]], place_[t[2]]});
  }

  void weigh_rings() {
    std::vector<Index> triangles(surface_.size(), 0);
    for (const auto& t : surface_.triangles)
      for (const Index v : t) ++triangles[v];
    for (const Index v : order_) {
      const auto ring = surface_.rings[v];
      std::vector<float> weights = mean_value_weights(surface_, v, triangles[v]);
      if (weights.empty()) weights.assign(ring.size(), 0);
      for (std::size_t i = 0; i < ring.size(); ++i) {
        skin_.rings.items.push_back(place_[ring[i]]);
        skin_.ring_weights.push_back(weights[i]);
      }
      skin_.rings.offsets.push_back(static_cast<Index>(skin_.rings.items.size()));
      double sum = 0;
      for (const Index w : ring) sum += (surface_.positions[w] - surface_.positions[v]).norm();
      skin_.edge.push_back(
          static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(1, ring.size())) + 1e-12));
    }
  }

  void find_overlaps() {
    skin_.overlap_offsets.push_back(0);
    for (Index i = 0; i < skin_.size(); ++i) {
      PartValue own, other;
      if (skin_.owner[i] != kNone && part_value(posed_[skin_.owner[i]], skin_.rest[i], own))
        for (const Index part : near_[skin_.owner[i]])
          if (part_value(posed_[part], skin_.rest[i], other) && other.q < own.q + kContactGap)
            skin_.overlaps.push_back({part, own.q - other.q + kContactGap + kRounding});
      skin_.overlap_offsets.push_back(static_cast<Index>(skin_.overlaps.size()));
    }
  }

  /// Small shells, and the vertices of larger ones nearest to each.
  void find_riders() {
    std::vector<Box> boxes(surface_.shells);
    std::vector<std::vector<Index>> members(surface_.shells);
    for (Index v = 0; v < surface_.size(); ++v)
      if (surface_.shell[v] != kNone) {
        boxes[surface_.shell[v]].extend(surface_.positions[v]);
        members[surface_.shell[v]].push_back(v);
      }
    std::vector<char> small(surface_.shells, 0);
    for (Index s = 0; s < surface_.shells; ++s) {
      const Index owner = owner_[members[s].front()];
      small[s] = static_cast<char>(owner != kNone && boxes[s].diagonal() < kSmallShell * body_.parts[owner].radius);
    }
    if (std::all_of(small.begin(), small.end(), [](char c) { return c != 0; })) return;
    for (Index s = 0; s < surface_.shells; ++s) {
      if (small[s] == 0) continue;
      const bool still =
          std::all_of(members[s].begin(), members[s].end(), [&](Index v) { return skin_.frozen[place_[v]] != 0; });
      if (still && static_cast<double>(boxes[s].diagonal()) < 1e-3 * size_) continue;
      ImplicitSkin::Rider rider;
      for (const Index v : members[s]) rider.vertices.push_back(place_[v]);
      std::vector<std::pair<double, Index>> nearest;
      for (Index v = 0; v < surface_.size(); ++v)
        if (surface_.shell[v] != kNone && small[surface_.shell[v]] == 0)
          nearest.push_back({(surface_.positions[v] - boxes[s].center()).squaredNorm(), v});
      const std::size_t count = std::min(kCarriers, nearest.size());
      std::partial_sort(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(count), nearest.end());
      for (std::size_t i = 0; i < count; ++i) rider.carriers.push_back(place_[nearest[i].second]);
      skin_.riders.push_back(std::move(rider));
    }
  }

  const ImplicitBody& body_;
  SkinSurface surface_;
  std::vector<std::vector<Index>> near_;
  std::vector<PosedPart> posed_;
  PosedFields fields_;
  double size_ = 1;
  std::vector<Index> family_, owner_, order_, place_;
  std::vector<float> trust_;
  std::vector<char> solid_;
  ImplicitSkin skin_;
};

}  // namespace

std::vector<std::vector<Index>> near_parts(const ImplicitBody& body, int reach) {
  std::vector<std::vector<Index>> joined(body.parts.size()), near(body.parts.size());
  for (Index p = 0; p < body.parts.size(); ++p)
    if (const Index above = body.parts[p].parent; above != kNone)
      joined[p].push_back(above), joined[above].push_back(p);
  for (Index p = 0; p < body.parts.size(); ++p) {
    std::vector<int> distance(body.parts.size(), -1);
    std::vector<Index> queue = {p};
    distance[p] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const Index other : joined[queue[i]])
        if (distance[other] < 0 && distance[queue[i]] < reach) {
          distance[other] = distance[queue[i]] + 1;
          queue.push_back(other);
        }
    near[p].assign(queue.begin() + 1, queue.end());
    std::sort(near[p].begin(), near[p].end());
  }
  return near;
}

void pose_parts(const ImplicitBody& body, std::span<const Mat4> motions, const Vec3& origin,
                std::vector<PosedPart>& parts) {
  parts.resize(body.parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ImplicitPart& from = body.parts[p];
    const Mat3 linear = motions[from.joint].topLeftCorner<3, 3>();
    const double determinant = linear.determinant(), scale = std::cbrt(std::abs(determinant));
    parts[p].radius = static_cast<float>(from.radius);
    parts[p].posed_radius = static_cast<float>(from.radius * scale);
    parts[p].grid = std::abs(determinant) > 1e-9 ? &from.grid : nullptr;
    if (parts[p].grid == nullptr) continue;
    const FieldGrid::Layout& layout = from.grid.layout();
    const Mat3 to_cells = layout.axes.transpose() / layout.cell * linear.inverse();
    const Vec3 shift = motions[from.joint].topRightCorner<3, 1>();
    parts[p].to_cells = to_cells.cast<float>();
    parts[p].offset =
        (to_cells * (origin - shift) - layout.axes.transpose() * layout.origin / layout.cell).cast<float>();
  }
}

ImplicitSkin make_implicit_skin(const Rig& rig, const ImplicitBody& body, std::span<const FieldOperator> operators,
                                int reach) {
  return SkinMaker(rig, body, operators, reach).run();
}

}  // namespace sinew::deform
