// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/weight_repair_compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "sinew/core/angles.h"

namespace sinew::binding {
namespace {

constexpr double kTurn_rad = kPi / 4;
constexpr double kWorseMean = 1.02, kMeanFloor = 1e-3;
constexpr double kWorseMost = 1.1, kMostFloor = 0.02;

bool moves_with(const Skeleton& skeleton, Index joint, Index from) {
  while (joint != kNone && joint != from) joint = skeleton.joints[joint].parent;
  return joint == from;
}

struct Strain {
  double squares = 0, most = 0;
  std::size_t count = 0;

  void add(double change) {
    squares += change * change;
    most = std::max(most, std::abs(change));
    ++count;
  }
  double rms() const { return count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0; }
  bool worse_than(const Strain& other) const {
    return rms() > kWorseMean * other.rms() + kMeanFloor || most > kWorseMost * other.most + kMostFloor;
  }
};

class RegionJudge {
 public:
  RegionJudge(const SkinWeights& before, const SkinWeights& after, const Subject& subject, const EditSurface& surface)
      : before_(before), after_(after), subject_(subject), surface_(surface) {
    for (int axis = 0; axis < 3; ++axis)
      turns_[static_cast<std::size_t>(axis)] =
          Eigen::AngleAxisd(kTurn_rad, Vec3::Unit(axis)).toRotationMatrix() - Mat3::Identity();
  }

  bool worse(const std::vector<Index>& region) const {
    Strain old_strain, new_strain;
    for (const Index joint : concerned(region))
      for (const Index w : region)
        for (const Index n : surface_.rings[w]) {
          if (before_.row(w).empty() || before_.row(n).empty()) continue;
          add(before_, w, n, joint, old_strain);
          add(after_, w, n, joint, new_strain);
        }
    return new_strain.worse_than(old_strain);
  }

 private:
  // Joints of weights that differ, and all above them.
  std::set<Index> concerned(const std::vector<Index>& region) const {
    std::set<Index> joints;
    const auto add_all = [&](std::span<const Influence> row, std::span<const Influence> other) {
      for (const Influence& i : row) {
        if (std::find(other.begin(), other.end(), i) != other.end()) continue;
        for (Index j = i.joint; j != kNone && joints.insert(j).second; j = subject_.skeleton.joints[j].parent) continue;
      }
    };
    for (const Index w : region) add_all(before_.row(w), after_.row(w)), add_all(after_.row(w), before_.row(w));
    return joints;
  }

  double share(const SkinWeights& rows, Index w, Index joint) const {
    double sum = 0;
    for (const Influence& i : rows.row(w))
      if (moves_with(subject_.skeleton, i.joint, joint)) sum += static_cast<double>(i.weight);
    return sum;
  }

  void add(const SkinWeights& rows, Index u, Index v, Index joint, Strain& strain) const {
    const Vec3 &p = surface_.positions[u], &q = surface_.positions[v], center = subject_.position(joint);
    const double length = (p - q).norm();
    if (!(length > 0)) return;
    const double a = share(rows, u, joint), b = share(rows, v, joint);
    for (const Mat3& turn : turns_)
      strain.add((p - q + a * (turn * (p - center)) - b * (turn * (q - center))).norm() / length - 1);
  }

  const SkinWeights& before_;
  const SkinWeights& after_;
  const Subject& subject_;
  const EditSurface& surface_;
  std::array<Mat3, 3> turns_;
};

}  // namespace

std::vector<char> regions_made_worse(const SkinWeights& before, const SkinWeights& after,
                                     const std::vector<char>& changed, const Subject& subject,
                                     const EditSurface& surface) {
  const RegionJudge judge(before, after, subject, surface);
  std::vector<char> worse(surface.count(), 0), seen(surface.count(), 0);
  std::vector<Index> region;
  for (Index start = 0; start < surface.count(); ++start) {
    if (changed[start] == 0 || seen[start] != 0) continue;
    region.assign(1, start);
    seen[start] = 1;
    for (std::size_t i = 0; i < region.size(); ++i) {
      const Index here = region[i];
      for (const Index n : surface.rings[here])
        if (changed[n] != 0 && seen[n] == 0) seen[n] = 1, region.push_back(n);
    }
    if (judge.worse(region))
      for (const Index w : region) worse[w] = 1;
  }
  return worse;
}

}  // namespace sinew::binding
