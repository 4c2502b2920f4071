// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/human_clothes.h"

#include <algorithm>
#include <utility>

namespace sinew::shapes {
namespace {

constexpr double kShirtGap = 0.016;
constexpr Index kHem = 1;  ///< Rings of the trunk and the arms where the shirt ends.
constexpr Index kCollar = 9;
constexpr Index kSleeve = 4;
constexpr double kTrouserGap = 0.008;  ///< Under the shirt where both lie on the skin.
constexpr Index kBelt = 2;
constexpr Index kCuff = 10;

/// Unit normals of a cage, by the areas of its quads.
std::vector<Vec3> cage_normals(const Cage& cage) {
  std::vector<Vec3> normals(cage.positions().size(), Vec3::Zero());
  for (const std::array<Index, 4>& q : cage.quads()) {
    const auto& p = cage.positions();
    const Vec3 normal = (p[q[2]] - p[q[0]]).cross(p[q[3]] - p[q[1]]);
    for (const Index v : q) normals[v] += normal;
  }
  for (Vec3& normal : normals) normal.normalize();
  return normals;
}

/// The part of the skin that lies between vertices of these rings, moved outwards.
Cage garment(const HumanCage& body, const std::vector<const Loop*>& rings, double gap) {
  const std::vector<Vec3> normals = cage_normals(body.cage);
  std::vector<Index> number(body.cage.positions().size(), kNone);
  Cage cage;
  for (const Loop* ring : rings)
    for (const Index v : *ring)
      if (number[v] == kNone) number[v] = cage.add(body.cage.positions()[v] + gap * normals[v], body.cage.mixes()[v]);
  for (const std::array<Index, 4>& q : body.cage.quads()) {
    const std::array<Index, 4> moved = {number[q[0]], number[q[1]], number[q[2]], number[q[3]]};
    if (std::find(moved.begin(), moved.end(), kNone) == moved.end()) cage.add_quad(moved);
  }
  cage.drop_unused();
  return cage;
}

Cage shirt(const HumanCage& body, double gap) {
  std::vector<const Loop*> rings;
  for (Index row = kHem; row <= kCollar; ++row) rings.push_back(&body.trunk[row]);
  for (const std::vector<Loop>& arm : body.arms)
    for (Index row = 0; row <= kSleeve; ++row) rings.push_back(&arm[row]);
  return garment(body, rings, gap);
}

Cage trousers(const HumanPlan& plan, HumanCage body, double gap) {
  // Cloth hangs clear of the saddle between the legs, where the normals of a coarse net are not to be trusted.
  const Index crotch = body.legs[0][0].back();
  body.cage.positions()[crotch] -= 2 * gap * plan.plan.frame(plan.trunk[0]).col(1);
  std::vector<const Loop*> rings;
  for (Index row = 0; row <= kBelt; ++row) rings.push_back(&body.trunk[row]);
  for (const std::vector<Loop>& leg : body.legs)
    for (Index row = 0; row <= kCuff; ++row) rings.push_back(&leg[row]);
  return garment(body, rings, gap);
}

/// Strips that hang from the crown: long ones over the sides and the back of the head, short ones over the brow.
Cage hair(const HumanPlan& plan, const HumanCage& body) {
  const std::vector<Vec3> normals = cage_normals(body.cage);
  const double k = plan.shape.head;
  const auto top = static_cast<Index>(body.trunk.size() - 1);
  const Mat3& frame = plan.plan.frame(plan.trunk[4]);
  Vec3 crown = Vec3::Zero();
  for (const Index v : body.trunk[top]) crown += body.cage.positions()[v] / 16;
  crown += k * 0.026 * frame.col(1);
  Cage cage;
  const Mix head = {{plan.trunk[4], 1.0}};
  for (std::size_t column = 0; column < 16; ++column) {
    const Index rings =
        column > 0 && column < 7 ? 6 : 2;  // The ears are at 0 and 7, the back of the head between them.
    for (int half = 0; half < 2; ++half) {
      std::vector<std::array<Index, 2>> rows;
      for (Index row = 0; row <= rings; ++row) {
        const Loop& loop = body.trunk[top - (row == 0 ? 0 : row - 1)];
        const Index a = loop[column];
        const Index b = loop[(column + 1) % 16];
        std::array<Index, 2> ends{};
        for (std::size_t end = 0; end < 2; ++end) {
          const double t = 0.5 * half + (end == 0 ? 0.03 : 0.47);
          Vec3 p = (1 - t) * body.cage.positions()[a] + t * body.cage.positions()[b];
          Vec3 normal = ((1 - t) * normals[a] + t * normals[b]).normalized();
          if (row == 0) p = 0.75 * crown + 0.25 * p, normal = frame.col(1);
          const double gap = k * (0.007 + 0.003 * half + 0.0015 * static_cast<double>(row));
          ends[end] = cage.add(p + gap * normal, head);
        }
        rows.push_back(ends);
      }
      for (std::size_t r = 0; r + 1 < rows.size(); ++r)
        cage.add_quad({rows[r + 1][0], rows[r + 1][1], rows[r][1], rows[r][0]});
    }
  }
  return cage;
}

/// A cube that subdivides to a ball with these half-axes.
void add_ball(Cage& cage, const Vec3& center, const Mat3& axes, const Vec3& radii, const Mix& mix) {
  // What Catmull–Clark makes of a cube reaches 5/9 of the way to its corners, a little more along its axes.
  constexpr double kGrown = 1.0 / 1.04;
  std::array<Index, 8> corner{};
  for (std::size_t i = 0; i < 8; ++i) {
    const Vec3 sign((i & 1U) != 0 ? 1 : -1, (i & 2U) != 0 ? 1 : -1, (i & 4U) != 0 ? 1 : -1);
    corner[i] = cage.add(center + kGrown * (axes * radii.cwiseProduct(sign)), mix);
  }
  constexpr std::array<std::array<std::size_t, 4>, 6> kFaces = {
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
  for (const auto& f : kFaces) cage.add_quad({corner[f[0]], corner[f[1]], corner[f[2]], corner[f[3]]});
}

Cage eyes(const HumanPlan& plan, const HumanCage& body) {
  Cage cage;
  const Index head = plan.trunk[4];
  const double k = plan.shape.head;
  const Mat3& frame = plan.plan.frame(head);
  for (const std::size_t column : {13U, 11U}) {
    const Vec3 socket = body.cage.positions()[body.trunk[body.head + 5][column]];
    add_ball(cage, socket - 0.001 * k * (-frame.col(0)), frame, Vec3::Constant(0.0125 * k), {{head, 1.0}});
  }
  return cage;
}

Cage buttons(const HumanCage& body, const Cage& cloth_like, double gap) {
  Cage cage;
  const std::vector<Vec3> normals = cage_normals(cloth_like);
  for (Index row = 3; row <= 8; ++row) {
    const Index v = body.trunk[row][12];
    const Vec3 n = normals[v];
    const Vec3 up = (body.cage.positions()[body.trunk[row + 1][12]] - body.cage.positions()[v]);
    Mat3 axes;
    const Vec3 y = (up - up.dot(n) * n).normalized();
    axes << y.cross(n), y, n;
    // The cloth lies inside of its net; the button stands on the cloth, clear of it.
    const Vec3 place = body.cage.positions()[v] + (gap + 0.004) * n;
    add_ball(cage, place, axes, {0.008, 0.008, 0.003}, body.cage.mixes()[v]);
  }
  return cage;
}

}  // namespace

std::vector<Shell> human_clothes(const HumanPlan& plan, const HumanCage& body) {
  const double gap = kShirtGap * plan.shape.girth;
  std::vector<Shell> shells;
  shells.push_back({"Shirt", shirt(body, gap), matte("Cloth", 0.16F, 0.30F, 0.45F)});
  shells.back().material.double_sided = true;
  shells.push_back(
      {"Trousers", trousers(plan, body, kTrouserGap * plan.shape.legs), matte("Twill", 0.22F, 0.20F, 0.18F)});
  shells.back().material.double_sided = true;
  shells.push_back({"Hair", hair(plan, body), matte("Hair", 0.10F, 0.06F, 0.04F)});
  shells.back().material.double_sided = true;
  shells.push_back({"Eyes", eyes(plan, body), matte("Eye", 0.03F, 0.03F, 0.04F)});
  shells.back().material.roughness = 0.25F;
  shells.push_back({"Buttons", buttons(body, body.cage, gap), matte("Button", 0.90F, 0.85F, 0.70F)});
  return shells;
}

}  // namespace sinew::shapes
