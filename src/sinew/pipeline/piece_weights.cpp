// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/piece_weights.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sinew/binding/edit/limb_sides.h"
#include "sinew/binding/edit/rigid_rows.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::pipeline {
namespace {

using rigging::Piece;
using rigging::PieceKind;
using rigging::PieceSorting;

constexpr double kOneJoint = 0.85;  // Of the weight of a piece.
constexpr double kMostVertices = 0.97;
constexpr double kSmallArea = 0.02, kSmallLength = 0.2;  // Of the area and of the longest side of the mesh.
constexpr double kOneJointOfSmall = 0.6, kMostVerticesOfSmall = 0.8;

class PieceGroups {
 public:
  PieceGroups(const Rig& rig, const PieceSorting& sorting) : rig_(rig), sorting_(sorting) {
    piece_of_.assign(rig.mesh.vertex_count(), kNone);
    vertices_.resize(sorting.pieces.size());
    for (Index f = 0; f < rig.mesh.face_count(); ++f)
      for (const Index v : rig.mesh.face(f)) piece_of_[v] = sorting.piece_of_face[f];
    for (Index v = 0; v < piece_of_.size(); ++v)
      if (piece_of_[v] != kNone) vertices_[piece_of_[v]].push_back(v);
  }

  const std::vector<Index>& piece_of() const { return piece_of_; }

  std::vector<binding::RigidGroup> groups(Index& rigid_pieces) const {
    std::vector<binding::RigidGroup> result;
    std::map<Index, binding::RigidGroup> held;  // By the first piece of an assembly.
    const std::vector<Index> assembly = assemblies();
    for (Index p = 0; p < sorting_.pieces.size(); ++p) {
      if (assembly[p] != kNone) {
        binding::RigidGroup& group = held[assembly[p]];
        group.held = true;
        group.vertices.insert(group.vertices.end(), vertices_[p].begin(), vertices_[p].end());
      } else if (moves_as_one(p)) {
        result.push_back({vertices_[p], false});
      } else {
        continue;
      }
      ++rigid_pieces;
    }
    for (auto& [first, group] : held) result.push_back(std::move(group));
    return result;
  }

  /// What holds props: the body, and what lies on it.
  std::vector<char> carriers() const {
    std::vector<char> carries(rig_.mesh.face_count(), 0);
    for (Index f = 0; f < carries.size(); ++f)
      if (const Index p = sorting_.piece_of_face[f]; p != kNone)
        carries[f] = sorting_.pieces[p].kind == PieceKind::kBody ? 1 : 0;
    return carries;
  }

 private:
  /// Per piece: the first piece of the props that hang together with it, or kNone. What lies on props alone, such as
  /// the spikes of a shield, is part of them.
  std::vector<Index> assemblies() const {
    const std::vector<Piece>& pieces = sorting_.pieces;
    const auto is_prop = [&](Index p) { return pieces[p].kind == PieceKind::kProp; };
    std::vector<char> part(pieces.size(), 0);
    for (Index p = 0; p < pieces.size(); ++p) {
      const std::vector<Index>& contacts = pieces[p].contacts;
      part[p] = is_prop(p) || (pieces[p].kind == PieceKind::kArmour && !contacts.empty() &&
                               std::all_of(contacts.begin(), contacts.end(), is_prop));
    }
    geometry::UnionFind sets(static_cast<Index>(pieces.size()));
    for (Index p = 0; p < pieces.size(); ++p)
      for (const Index q : pieces[p].contacts)
        if (part[p] != 0 && part[q] != 0) sets.join(p, q);
    std::vector<Index> first(pieces.size(), kNone), result(pieces.size(), kNone);
    for (Index p = 0; p < pieces.size(); ++p) {
      if (part[p] == 0) continue;
      Index& name = first[sets.find(p)];
      if (name == kNone) name = p;
      result[p] = name;
    }
    return result;
  }

  bool moves_as_one(Index p) const {
    const Piece& piece = sorting_.pieces[p];
    if (vertices_[p].empty()) return false;
    if (piece.kind == PieceKind::kEye || piece.kind == PieceKind::kArmour) return true;
    if (piece.kind != PieceKind::kBody || !piece.closed) return false;
    const bool small = piece.area_rel < kSmallArea && piece.extents_rel[0] < kSmallLength;
    return follows_one_joint(vertices_[p], small);
  }

  bool follows_one_joint(const std::vector<Index>& vertices, bool small) const {
    std::map<Index, double> sums;
    for (const Index v : vertices)
      for (const Influence& i : rig_.weights.row(v)) sums[i.joint] += static_cast<double>(i.weight);
    const auto best =
        std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto count = static_cast<double>(vertices.size());
    if (best == sums.end() || best->second < (small ? kOneJointOfSmall : kOneJoint) * count) return false;
    double strong = 0;
    for (const Index v : vertices)
      for (const Influence& i : rig_.weights.row(v)) strong += i.joint == best->first && i.weight >= 0.5F ? 1 : 0;
    return strong >= (small ? kMostVerticesOfSmall : kMostVertices) * count;
  }

  const Rig& rig_;
  const PieceSorting& sorting_;
  std::vector<Index> piece_of_;               // Per vertex.
  std::vector<std::vector<Index>> vertices_;  // Per piece.
};

}  // namespace

PieceWeights weigh_pieces(const Rig& rig, const PieceSorting& pieces, int most) {
  PieceWeights result;
  if (pieces.pieces.size() < 2) {
    result.weights = rig.weights;
    return result;
  }
  const PieceGroups sorted(rig, pieces);
  binding::SidedRows sided = binding::separate_sides(rig.weights, rig.skeleton, sorted.piece_of());
  result.sided_rows = sided.changed;
  result.weights =
      binding::rigid_rows(sided.weights, rig.mesh, sorted.groups(result.rigid_pieces), sorted.carriers(), most);
  return result;
}

}  // namespace sinew::pipeline
