// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/helpers/twist_joints.h"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/core/rotation_between.h"

namespace sinew::rigging {
namespace {

constexpr int kMostTwistJoints = 15;
// An axis of the parent this near to the bone is the bone's.
constexpr double kAlongAxis = 1e-9;  ///< As exactly as a file's constraints ask for.

Mat4 local_matrix(const Joint& joint) {
  Mat4 local = joint.rest.matrix();
  local.topLeftCorner<3, 3>() *= joint.shear;
  return local;
}

// A joint's rest frame in that of one above it.
Mat4 relative_rest(const Skeleton& skeleton, Index joint, Index above) {
  Mat4 m = Mat4::Identity();
  for (Index j = joint; j != above; j = skeleton.joints[j].parent) m = local_matrix(skeleton.joints[j]) * m;
  return m;
}

// Per joint: whether it is `top` or lies below.
std::vector<char> at_or_below(const Skeleton& skeleton, Index top) {
  std::vector<char> below(skeleton.joints.size(), 0);
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    below[j] = j == top || (parent != kNone && below[parent] != 0) ? 1 : 0;
  }
  return below;
}

// Per joint its share of the bone's twist before there are twist joints; the bone's own joint counts apart.
std::vector<double> shares_of_joints(const Skeleton& skeleton, const TwistBone& bone) {
  const std::vector<char> beyond = at_or_below(skeleton, bone.near ? bone.joint : bone.child);
  std::vector<double> shares(skeleton.joints.size(), 0);
  for (Index j = 0; j < skeleton.size(); ++j) {
    if (beyond[j] != 0) {
      shares[j] = 1;
    } else if (const auto& driver = skeleton.joints[j].driver; driver && !bone.near && driver->source == bone.child) {
      if (driver->kind == Driver::Kind::kTwistShare || driver->kind == Driver::Kind::kRotationShare)
        shares[j] = std::clamp(driver->share, 0.0, 1.0);
      else if (driver->kind == Driver::Kind::kPolynomial) shares[j] = 0.5;
    }
  }
  return shares;
}

// The turn from the parent's axes to the helper's.
Quat helper_turn(const Vec3& direction) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {1.0, -1.0})
      if ((direction - sign * Vec3::Unit(axis)).norm() < kAlongAxis) return Quat::Identity();
  return rotation_between(Vec3::UnitY(), direction);
}

void list_helper(Rig& rig, Index joint, Index helper, const Mat4& inverse_local) {
  for (Skin& skin : rig.skins) {
    const auto at = std::find(skin.joints.begin(), skin.joints.end(), joint);
    if (at == skin.joints.end()) continue;
    const Mat4 bind = inverse_local * skin.inverse_bind[static_cast<std::size_t>(at - skin.joints.begin())];
    skin.joints.push_back(helper);
    skin.inverse_bind.push_back(bind);
    rig.skeleton.joints[helper].deforming = true;
  }
}

// Deals a weight out to two joints; the sum stays to the bit, since the smaller part is an exact difference.
void deal_out(float weight, double part, Index first, Index second, std::vector<Influence>& row) {
  float to_second = static_cast<float>(static_cast<double>(weight) * part);
  float to_first = weight - to_second;
  if (to_second < to_first) {
    to_first = static_cast<float>(static_cast<double>(weight) * (1 - part));
    to_second = weight - to_first;
  }
  if (to_first > 0) row.push_back({first, to_first});
  if (to_second > 0) row.push_back({second, to_second});
}

/// How one bone's joint passes its weights on.
struct TwistDealer {
  const TwistBone& bone;
  const std::vector<double>& shares;
  std::vector<Index> nodes;  // With shares first/(n+1), (first+1)/(n+1), ….
  int first = 0;
  int count = 0;

  void deal(std::span<const Influence> row, double place, double strength, std::vector<Influence>& out) const {
    double all = 0, own = 0, others = 0;
    for (const Influence& influence : row) {
      if (!(influence.weight > 0) || !std::isfinite(influence.weight)) continue;
      all += influence.weight;
      if (influence.joint == bone.joint) own += influence.weight;
      else others += shares[influence.joint] * influence.weight;
    }
    const double wanted = own > 0 ? (place * all - others) / own : 0;
    const auto last = static_cast<double>(nodes.size() - 1), unchanged = bone.near ? last : 0;
    const double full = std::clamp(wanted * (count + 1) - first, 0.0, last);
    const double steps = strength == 1 ? full : unchanged + strength * (full - unchanged);
    const auto lower = std::min(static_cast<std::size_t>(steps), nodes.size() - 2);
    for (const Influence& influence : row) {
      if (influence.joint != bone.joint || !(influence.weight > 0) || !std::isfinite(influence.weight))
        out.push_back(influence);
      else deal_out(influence.weight, steps - static_cast<double>(lower), nodes[lower], nodes[lower + 1], out);
    }
  }
};

Index deal_rows(Rig& rig, const TwistDealer& dealer, std::span<const float> places, std::span<const float> strength) {
  SkinWeights weights;
  weights.reserve(rig.mesh.positions.size(), rig.weights.influence_count() + rig.mesh.positions.size() / 4);
  std::vector<Influence> row;
  Index changed = 0;
  for (const MeshPart& part : rig.mesh.parts)
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      const auto before = rig.weights.row(v);
      const bool moved = part.skin != kNone &&
                         std::any_of(before.begin(), before.end(),
                                     [&](const Influence& influence) { return influence.joint == dealer.bone.joint; });
      row.clear();
      if (moved) dealer.deal(before, places[v], strength.empty() ? 1.0 : static_cast<double>(strength[v]), row);
      weights.add_row(moved ? std::span<const Influence>(row) : before);
      const auto after = weights.row(v);
      if (moved && !std::equal(before.begin(), before.end(), after.begin(), after.end())) ++changed;
    }
  rig.weights = std::move(weights);
  return changed;
}

}  // namespace

double twist_section(double angle_rad, int joints) {
  const double c = std::cos(angle_rad / (2 * (joints + 1)));
  return c * c;
}

int twist_joints_needed(double angle_rad, double least_section) {
  for (int n = 1; n < kMostTwistJoints; ++n)
    // Beyond a half turn from one to the next the formula comes back.
    if (std::abs(angle_rad) / (n + 1) < kPi && twist_section(angle_rad, n) >= least_section) return n;
  return kMostTwistJoints;
}

Vec3 twist_bone_local(const Skeleton& skeleton, const TwistBone& bone) {
  return relative_rest(skeleton, bone.child, bone.joint).topRightCorner<3, 1>();
}

Vec3 twist_axis(const Skeleton& skeleton, const TwistBone& bone) {
  const Joint& joint = skeleton.joints[bone.joint];
  const Vec3 along = twist_bone_local(skeleton, bone);
  // The frame in which a joint turns is that before its own scale.
  if (bone.near) return joint.rest.scale.cwiseProduct(joint.shear * along).normalized();
  Quat turn = Quat::Identity();
  for (Index j = bone.child; j != bone.joint; j = skeleton.joints[j].parent)
    turn = skeleton.joints[j].rest.rotation * turn;
  return (turn.conjugate() * along).normalized();
}

std::vector<float> twist_places(const Rig& rig, const Segmentation& segmentation, std::span<const float> share,
                                const TwistBone& bone, const std::vector<Mat4>& frames) {
  const std::vector<char> beyond = at_or_below(rig.skeleton, bone.child);
  const bool known =
      std::any_of(segmentation.segments.begin(), segmentation.segments.end(),
                  [&](const Segmentation::Segment& s) { return s.joint == bone.joint && s.child == bone.child; });
  const Vec3 start = frames[bone.joint].topRightCorner<3, 1>(),
             link = frames[bone.child].topRightCorner<3, 1>() - start;
  std::vector<float> places(rig.mesh.positions.size(), 0.0F);
  parallel_for(places.size(), [&](std::size_t v) {
    if (segmentation.owner[v] == kNone) return;
    const Segmentation::Segment& owner = segmentation.segments[segmentation.owner[v]];
    if (beyond[owner.joint] != 0) places[v] = 1;
    else if (owner.joint != bone.joint) places[v] = 0;
    else if (known) places[v] = owner.child == bone.child ? std::clamp(share[v], 0.0F, 1.0F) : 0.0F;
    else if (link.squaredNorm() > 0)
      places[v] =
          static_cast<float>(std::clamp((rig.mesh.positions[v] - start).dot(link) / link.squaredNorm(), 0.0, 1.0));
  });
  return places;
}

std::string helper_name(const Skeleton& skeleton, const std::string& joint, const std::string& kind, int number) {
  // A side at the end stays there, so that programs that mirror by name still find the partner.
  std::string stem = joint, side;
  if (stem.size() > 2 && std::string("._- ").find(stem[stem.size() - 2]) != std::string::npos &&
      std::string("lLrR").find(stem.back()) != std::string::npos) {
    side = stem.substr(stem.size() - 2);
    stem.resize(stem.size() - 2);
  }
  const bool words =
      !side.empty() || std::none_of(stem.begin(), stem.end(), [](unsigned char c) { return std::isupper(c) != 0; });
  std::string word = kind;
  if (words) word[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
  const std::string base = stem + (words ? "_" : "") + word;
  for (int n = number;; ++n) {
    std::string name = base + (n == 0 ? "" : fmt::format("{}{}", words ? "_" : "", n)) + side;
    if (skeleton.find(name) == kNone) return name;
    if (n == 0) n = 1;
  }
}

TwistJoints add_twist_joints(Rig& rig, const TwistBone& bone, int count, std::span<const float> places,
                             std::span<const float> strength) {
  Skeleton& skeleton = rig.skeleton;
  const Vec3 along = twist_bone_local(skeleton, bone);
  if (!along.allFinite() || along.norm() < 1e-9)
    throw Error(
        fmt::format("The joints '{}' and '{}' are at the same position, so there is no bone to add twist joints to.",
                    skeleton.joints[bone.joint].name, skeleton.joints[bone.child].name));
  const std::vector<double> before = shares_of_joints(skeleton, bone);
  const Vec3 axis = twist_axis(skeleton, bone);
  const Quat turn = helper_turn(along.normalized());
  TwistJoints added;
  added.bone = bone;
  for (int k = 1; k <= count; ++k) {
    const double share = static_cast<double>(k) / (count + 1);
    Joint helper;
    helper.name = helper_name(skeleton, skeleton.joints[bone.joint].name, "Twist", count == 1 ? 0 : k);
    helper.parent = bone.joint;
    helper.rest.translation = share * along;
    helper.rest.rotation = turn;
    helper.role = "helper";
    Driver driver;
    driver.kind = Driver::Kind::kTwistShare;
    driver.source = bone.near ? bone.joint : bone.child;
    driver.axis = axis;
    driver.share = bone.near ? share - 1 : share;
    helper.driver = driver;
    const Mat4 inverse = helper.rest.matrix().inverse();
    added.helpers.push_back(skeleton.size());
    skeleton.joints.push_back(std::move(helper));
    list_helper(rig, bone.joint, added.helpers.back(), inverse);
  }
  TwistDealer dealer{bone, before, {}, bone.near ? 1 : 0, count};
  if (!bone.near) dealer.nodes.push_back(bone.joint);
  dealer.nodes.insert(dealer.nodes.end(), added.helpers.begin(), added.helpers.end());
  if (bone.near) dealer.nodes.push_back(bone.joint);
  added.vertices = deal_rows(rig, dealer, places, strength);
  return added;
}

}  // namespace sinew::rigging
