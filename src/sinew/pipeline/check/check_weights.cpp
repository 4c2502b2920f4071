// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/text.h"
#include "sinew/pipeline/check/check_parts.h"

namespace sinew::pipeline {
namespace {

// The share that two rows, each of sum 1, do not have in common.
double half_l1(std::span<const Influence> a, std::span<const Influence> b) {
  double common = 0;
  for (const Influence& i : a)
    for (const Influence& k : b)
      if (i.joint == k.joint) common += static_cast<double>(std::min(i.weight, k.weight));
  return std::clamp(1 - common, 0.0, 1.0);
}

double share_of(std::size_t count, std::size_t all) {
  return all == 0 ? 0 : static_cast<double>(count) / static_cast<double>(all);
}

void check_values(const CheckInput& input, CheckRows& rows) {
  const Rig& rig = input.character.rig;
  const WeightHealth& health = input.facts.weights;
  std::vector<Index> empty, bad, sums;
  for (const MeshPart& part : rig.mesh.parts) {
    if (part.skin == kNone) continue;
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      double sum = 0;
      bool wrong = false;
      for (const Influence& i : rig.weights.row(v)) {
        sum += static_cast<double>(i.weight);
        wrong = wrong || !std::isfinite(i.weight) || i.weight < 0;
      }
      if (rig.weights.row(v).empty()) empty.push_back(v);
      else if (wrong) bad.push_back(v);
      else if (std::abs(sum - 1) > 1e-3) sums.push_back(v);
    }
  }
  rows.add("weights.empty", static_cast<double>(empty.size()),
           fmt::format("{} no joint and will not move.", count_of(empty.size(), "vertex has", "vertices have")))
      .vertices = empty;
  rows.add("weights.values", static_cast<double>(bad.size()),
           fmt::format("{} a weight that is negative or not finite.",
                       count_of(bad.size(), "vertex has", "vertices have")))
      .vertices = bad;
  rows.add("weights.sums", share_of(sums.size(), health.rows),
           fmt::format("{} weights that do not sum to 1; the worst sum is {:.3g}.",
                       count_of(sums.size(), "vertex has", "vertices have"), health.worst_sum))
      .vertices = sums;
  std::vector<Index> many;
  const auto most = static_cast<Index>(std::max<std::size_t>(health.histogram.size(), 1) - 1);
  for (Index v = 0; v < rig.weights.row_count(); ++v)
    if (rig.weights.row(v).size() > 4) many.push_back(v);
  rows.add("weights.influences", most,
           fmt::format("A vertex follows {} joints; {} more than four.", most,
                       count_of(many.size(), "vertex follows", "vertices follow")))
      .vertices = many;
  rows.add("weights.seams", share_of(health.split_differs, input.facts.mesh.topology.total.vertices),
           fmt::format("The skin opens at {} when it moves.",
                       count_of(health.split_differs, "seam vertex", "seam vertices")));
}

// Faults that the repair of weights finds.
void check_faults(const CheckInput& input, CheckRows& rows) {
  const CheckedSkin& skin = *input.skin;
  const binding::Faults faults =
      binding::find_faults(input.character.rig.weights, skin.subject, skin.surface, skin.scope);
  for (const auto& [id, fault, text] :
       {std::tuple("weights.bleeding", binding::Fault::kBleeding, "from a limb that only comes near"),
        std::tuple("weights.stray", binding::Fault::kStray, "from a joint far away")}) {
    std::vector<Index> vertices;
    std::vector<Index> joints(input.character.rig.skeleton.size(), 0);
    for (Index v = 0; v < faults.misplaced.size(); ++v)
      if (faults.misplaced[v] == fault) {
        vertices.push_back(v);
        for (const Index j : faults.wrong_joints[v]) ++joints[j];
      }
    const auto top = static_cast<Index>(std::max_element(joints.begin(), joints.end()) - joints.begin());
    const bool any = !joints.empty() && joints[top] > 0;
    CheckRow& row =
        rows.add(id, share_of(vertices.size(), input.facts.weights.rows),
                 fmt::format("{} weights {}.", count_of(vertices.size(), "vertex has", "vertices have"), text),
                 any ? input.joint_name(top) : "");
    row.vertices = std::move(vertices);
    row.joint = any ? top : kNone;
  }
}

// Speckle: a vertex unlike all its neighbours, which agree with each other.
void check_noise(const CheckInput& input, CheckRows& rows) {
  const CheckedSkin& skin = *input.skin;
  std::vector<char> marked(skin.surface.count(), 0);
  std::size_t count = 0, all = 0;
  for (Index v = 0; v < skin.surface.count(); ++v) {
    const auto ring = skin.surface.rings[v];
    if (skin.rows.row(v).empty() || ring.size() < 3) continue;
    ++all;
    double least = 1, apart = 0;
    Index before = ring.back();
    for (const Index n : ring) {
      if (skin.rows.row(n).empty()) continue;
      least = std::min(least, half_l1(skin.rows.row(v), skin.rows.row(n)));
      apart += half_l1(skin.rows.row(before), skin.rows.row(n));
      before = n;
    }
    if (least > 0.25 && least > 1.5 * apart / static_cast<double>(ring.size())) marked[v] = 1, ++count;
  }
  rows.add("weights.noise", share_of(count, all),
           fmt::format("{} unlike all around {}.", count_of(count, "vertex is", "vertices are"),
                       count == 1 ? "it" : "them"))
      .vertices = mesh_vertices(skin.surface, marked);
}

// Borders between a joint and its parent at which one end of an edge follows the one alone, the other end the other.
void check_hard(const CheckInput& input, CheckRows& rows) {
  const CheckedSkin& skin = *input.skin;
  const Skeleton& skeleton = input.character.rig.skeleton;
  std::vector<std::size_t> hard(skeleton.size(), 0), all(skeleton.size(), 0);
  std::vector<std::vector<Index>> at(skeleton.size());
  for (Index v = 0; v < skin.surface.count(); ++v)
    for (const Index n : skin.surface.rings[v]) {
      const Index a = skin.owner[v], b = skin.owner[n];
      if (a == kNone || b == kNone || a == b || skeleton.joints[a].parent != b) continue;
      ++all[a];
      if (half_l1(skin.rows.row(v), skin.rows.row(n)) < 0.98) continue;
      ++hard[a];
      at[a].push_back(v);
    }
  Index worst = kNone;
  const auto rel = [&](Index j) { return share_of(hard[j], all[j]); };
  for (Index j = 0; j < skeleton.size(); ++j) {
    using motion::BodyPart;
    const BodyPart part = input.recognition.roles[j].part;
    const bool bends = part == BodyPart::kForearm || part == BodyPart::kShin || part == BodyPart::kUpperArm ||
                       part == BodyPart::kThigh || part == BodyPart::kHand || part == BodyPart::kFoot;
    if (bends && all[j] >= 8 && (worst == kNone || rel(j) > rel(worst))) worst = j;
  }
  std::vector<char> marked(skin.surface.count(), 0);
  if (worst != kNone)
    for (const Index v : at[worst]) marked[v] = 1;
  CheckRow& row =
      rows.add("weights.hard", worst == kNone ? 0 : rel(worst),
               worst == kNone ? ""
                              : fmt::format("At '{}' the skin changes from one joint to the other within an edge.",
                                            input.joint_name(worst)),
               worst == kNone ? "" : input.joint_name(worst));
  row.vertices = mesh_vertices(skin.surface, marked);
  row.joint = worst;
}

// Main limbs without skin: neither the joint nor the joints below it up to the next main joint move a vertex.
void check_idle(const CheckInput& input, CheckRows& rows) {
  const Skeleton& skeleton = input.character.rig.skeleton;
  std::vector<std::uint64_t> below(skeleton.size(), 0);
  const auto is_main = [&](Index j) {
    using motion::BodyPart;
    const BodyPart part = input.recognition.roles[j].part;
    return part == BodyPart::kUpperArm || part == BodyPart::kForearm || part == BodyPart::kHand ||
           part == BodyPart::kThigh || part == BodyPart::kShin || part == BodyPart::kFoot || part == BodyPart::kHead;
  };
  for (Index j = skeleton.size(); j-- > 0;) {
    below[j] += input.facts.skeleton.joints[j].vertices;
    const Index parent = skeleton.joints[j].parent;
    if (parent != kNone && !is_main(j)) below[parent] += below[j];
  }
  std::vector<std::string> idle;
  for (Index j = 0; j < skeleton.size(); ++j)
    if (is_main(j) && below[j] == 0 && input.recognition.roles[j].number == 1) idle.push_back(input.joint_name(j));
  rows.add("weights.idle", static_cast<double>(idle.size()),
           idle.empty() ? "" : fmt::format("{} no skin.", join_some(idle) + (idle.size() == 1 ? " moves" : " move")),
           idle.empty() ? "" : idle.front());
}

}  // namespace

std::vector<Index> mesh_vertices(const binding::EditSurface& surface, const std::vector<char>& marked) {
  std::vector<Index> vertices;
  for (Index v = 0; v < surface.welding.welded.size(); ++v)
    if (const Index w = surface.welding.welded[v]; w != kNone && marked[w]) vertices.push_back(v);
  return vertices;
}

void check_weights(const CheckInput& input, CheckRows& rows) {
  check_values(input, rows);
  check_faults(input, rows);
  check_noise(input, rows);
  check_hard(input, rows);
  check_idle(input, rows);
}

}  // namespace sinew::pipeline
