// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/soft_body.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "sinew/core/name_words.h"
#include "sinew/geometry/voxels/tets.h"

namespace sinew::deform {
namespace {

constexpr double kWaveSpeed = 3;      ///< Of shear in skin, m/s.
constexpr double kBony = 9;           ///< Stiffness of flesh that is thin, though its bone is far.
constexpr double kBulk = 20;          ///< Tissue resists changes of volume this many times as much as shear.
constexpr double kFastestSoft = 250;  ///< Faster nodes follow their bones to a millimetre: they are held. rad/s.
constexpr double kSlowestSoft = 3;    ///< Nothing swings more slowly than about once in two seconds.
/// No displacement is shown beyond this share of the distance from what holds a node.
constexpr double kFarthestShown = 0.4;
constexpr double kEdgesPerCell = 2;  ///< Particles of the lattice in the volume of a cell.

bool has_word(const std::string& name, std::span<const std::string_view> words) {
  for (const std::string& word : name_words(name))
    if (std::find(words.begin(), words.end(), word) != words.end()) return true;
  return false;
}

/// Per joint the joint at which its loose part begins, or kNone.
std::vector<Index> loose_roots(const Skeleton& skeleton, const std::map<Index, double>& loose) {
  std::vector<Index> roots(skeleton.size(), kNone);
  for (Index j = 0; j < skeleton.size(); ++j) {  // Parents come first.
    if (const auto own = loose.find(j); own != loose.end()) {
      roots[j] = own->second > 0 ? j : kNone;
      continue;
    }
    const Index parent = skeleton.joints[j].parent;
    if (parent != kNone) roots[j] = roots[parent];
  }
  return roots;
}

std::vector<std::array<Index, 2>> tet_edges(const TetMesh& tets) {
  std::vector<std::array<Index, 2>> edges;
  for (const auto& tet : tets.tets)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j) edges.push_back({std::min(tet[i], tet[j]), std::max(tet[i], tet[j])});
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

std::map<Index, double> loose_by_name(const Skeleton& skeleton) {
  constexpr std::array<std::string_view, 12> kWords = {"tail",   "ear",     "ears",  "hair",    "ponytail", "braid",
                                                       "breast", "breasts", "belly", "antenna", "mane",     "pigtail"};
  std::map<Index, double> loose;
  for (Index j = 0; j < skeleton.size(); ++j)
    if (has_word(skeleton.joints[j].name, kWords)) {
      // Only the first of a chain: the others hang on it.
      const Index parent = skeleton.joints[j].parent;
      if (parent == kNone || !has_word(skeleton.joints[parent].name, kWords)) loose[j] = 1;
    }
  return loose;
}

std::vector<double> bony_by_name(const Skeleton& skeleton) {
  constexpr std::array<std::string_view, 14> kWords = {"head", "skull", "jaw",  "hand", "palm", "finger", "thumb",
                                                       "foot", "toe",   "toes", "eye",  "hoof", "horn",   "beak"};
  std::vector<double> factors;
  for (const Joint& joint : skeleton.joints) factors.push_back(has_word(joint.name, kWords) ? kBony : 1);
  return factors;
}

SoftBody make_soft_body(const PbdBody& body, const Skeleton& skeleton, std::span<const Tissue> tissues, double metres,
                        double damping_factor, const std::map<Index, double>& loose) {
  const std::size_t count = body.tets.positions.size();
  SoftBody soft;
  soft.unit = body.cell;
  Box box;
  for (const Vec3& p : body.tets.positions) box.extend(p);
  soft.size = box.diagonal();
  soft.mass = body.mass;
  const std::vector<Index> roots = loose_roots(skeleton, loose);
  for (std::size_t i = 0; i < count; ++i) {
    double distance = static_cast<double>(body.bone_distance[i]);
    for (const Influence& influence : body.weights.row(static_cast<Index>(i))) {
      const Index root = roots[influence.joint];
      if (root == kNone) continue;
      const Vec3 from = body.bind[root].topRightCorner<3, 1>();
      distance += static_cast<double>(influence.weight) * loose.at(root) * (body.tets.positions[i] - from).norm();
    }
    const double speed = kWaveSpeed * std::sqrt(tissues[i].stiffness);
    const double hold = std::max(kSlowestSoft, speed / std::max(metres * distance, 1e-9));
    const bool held = body.owner[i] == kNone || hold > kFastestSoft || tissues[i].rigid > 0.5;
    soft.hold.push_back(held ? 0 : hold);
    soft.damping.push_back(damping_factor * tissues[i].damping);
    soft.farthest.push_back(kFarthestShown * distance);
  }
  const double cell_m = metres * body.cell, shear = std::pow(kWaveSpeed / cell_m, 2);
  soft.edges = tet_edges(body.tets);
  for (const auto& [a, b] : soft.edges)
    soft.edge_stiffness.push_back(kEdgesPerCell * shear * 0.5 * (tissues[a].stiffness + tissues[b].stiffness));
  double all = 0;
  for (Index t = 0; t < body.tets.tets.size(); ++t) all += geometry::tet_volume(body.tets, t);
  const double cube = std::pow(body.cell, 3), per_node = all / cube / static_cast<double>(count);
  soft.tets = body.tets.tets;
  for (Index t = 0; t < body.tets.tets.size(); ++t) {
    double stiffness = 0;
    for (const Index v : body.tets.tets[t]) stiffness += 0.25 * tissues[v].stiffness;
    soft.volume_stiffness.push_back(kBulk * shear * stiffness / (geometry::tet_volume(body.tets, t) / cube * per_node));
  }
  return soft;
}

}  // namespace sinew::deform
