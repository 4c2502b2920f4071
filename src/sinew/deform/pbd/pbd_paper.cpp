// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_paper.h"

#include <algorithm>

#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/voxels/tets.h"

namespace sinew::deform {

PbdPaper::PbdPaper(const PbdBody& body) : body_(body) {
  std::vector<std::pair<Index, Index>> pairs;
  for (Index t = 0; t < body.tets.tets.size(); ++t) {
    const auto& tet = body.tets.tets[t];
    if (std::none_of(tet.begin(), tet.end(), [&](Index v) { return body.free[v] != 0; })) continue;
    tets_.push_back(t);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j)
        if (body.free[tet[i]] != 0 || body.free[tet[j]] != 0)
          pairs.emplace_back(std::min(tet[i], tet[j]), std::max(tet[i], tet[j]));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  for (const auto& [a, b] : pairs) edges_.push_back({a, b, (body.tets.positions[a] - body.tets.positions[b]).norm()});
}

std::vector<Vec3f> PbdPaper::corrections(std::span<const Vec3f> predicted, std::span<const Mat4> motions, int sweeps,
                                         double stiffness, bool whole_gradient) const {
  std::vector<Vec3> x;
  x.reserve(predicted.size());
  for (const Vec3f& p : predicted) x.push_back(p.cast<double>());
  const auto inverse_mass = [&](Index p) { return body_.free[p] != 0 ? 1 / body_.mass[p] : 0.0; };
  const auto corners = [&](Index t) {
    const auto& tet = body_.tets.tets[t];
    return TetCorners{x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]]};
  };
  const auto apply = [&](Index t, const PbdConstraint& constraint) {
    const auto& tet = body_.tets.tets[t];
    const auto moves = projection(
        constraint, {inverse_mass(tet[0]), inverse_mass(tet[1]), inverse_mass(tet[2]), inverse_mass(tet[3])});
    for (std::size_t c = 0; c < 4; ++c) {
      const double length = moves[c].norm();
      x[tet[c]] += length > body_.cell ? Vec3(moves[c] * (body_.cell / length)) : moves[c];
    }
  };
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (const Edge& edge : edges_) {
      const auto moves = projection(edge_constraint(x[edge.a], x[edge.b], edge.length),
                                    {inverse_mass(edge.a), inverse_mass(edge.b), 0, 0});
      x[edge.a] += moves[0];
      x[edge.b] += moves[1];
    }
    for (const Index t : tets_) apply(t, volume_constraint(corners(t), geometry::tet_volume(body_.tets, t)));
    for (Index p = 0; p < x.size(); ++p) {
      const PbdBody::Anchor& anchor = body_.anchors[p];
      if (body_.free[p] == 0 || anchor.joint == kNone) continue;
      const Vec3 at = transform_point(motions[anchor.joint], anchor.point);
      const double length = (x[p] - at).norm();
      if (length > 0) x[p] = at + anchor.distance / length * (x[p] - at);
    }
    for (const Index t : tets_) {
      const auto& tet = body_.tets.tets[t];
      double all = 0;
      Vec3 middle = Vec3::Zero();
      for (const Index v : tet) all += body_.mass[v], middle += body_.mass[v] * body_.tets.positions[v];
      TetNumbers shares{}, distances{};
      for (std::size_t c = 0; c < 4; ++c) {
        shares[c] = body_.mass[tet[c]] / all;
        distances[c] = (body_.tets.positions[tet[c]] - middle / all).norm();
      }
      const PbdConstraint energy = printed_spring_constraint(corners(t), shares, distances, stiffness, whole_gradient);
      if (energy.value > 1e-12 * stiffness * body_.cell * body_.cell) apply(t, energy);
    }
  }
  std::vector<Vec3f> moved;
  moved.reserve(x.size());
  for (std::size_t p = 0; p < x.size(); ++p)
    moved.push_back(body_.free[p] != 0 ? Vec3f((x[p] - predicted[p].cast<double>()).cast<float>())
                                       : Vec3f(Vec3f::Zero()));
  return moved;
}

PbdPaperSmoothing::PbdPaperSmoothing(const Mesh& mesh, const geometry::Welding& welding,
                                     std::span<const Index> chosen) {
  std::vector<std::vector<Index>> copies(welding.count());
  for (Index v = 0; v < welding.welded.size(); ++v) copies[welding.welded[v]].push_back(v);
  const geometry::Lists rings = geometry::one_rings(mesh, &welding);
  for (const Index w : chosen) {
    copies_.push_back(copies[w]);
    neighbours_.emplace_back();
    for (const Index other : rings[w]) neighbours_.back().push_back(copies[other].front());
  }
}

void PbdPaperSmoothing::smooth(std::span<Vec3f> positions, int rounds) const {
  std::vector<Vec3f> steps(copies_.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t c = 0; c < copies_.size(); ++c) {
      steps[c].setZero();
      if (neighbours_[c].empty()) continue;
      for (const Index v : neighbours_[c]) steps[c] += positions[v];
      steps[c] = kShare * (steps[c] / static_cast<float>(neighbours_[c].size()) - positions[copies_[c].front()]);
    }
    for (std::size_t c = 0; c < copies_.size(); ++c)
      for (const Index v : copies_[c]) positions[v] += steps[c];
  }
}

}  // namespace sinew::deform
