// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/joint_axes.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "sinew/motion/drivers.h"
#include "sinew/pipeline/skeleton_plan.h"
#include "sinew/rigging/build/build_skeleton.h"

namespace sinew::pipeline {
namespace {

constexpr double kEvenScale = 1e-5;  // Of the scale.
constexpr double kSameAxes = 1e-9;

bool is_even(const Vec3& scale) {
  return scale.minCoeff() > 0 && scale.maxCoeff() - scale.minCoeff() <= kEvenScale * scale.maxCoeff();
}

bool is_turned(const Quat& turn) { return turn.vec().norm() > kSameAxes; }

// Joints whose scale would become a shear in other axes.
std::vector<char> unevenly_scaled(const Character& character) {
  const Skeleton& skeleton = character.rig.skeleton;
  std::vector<char> uneven(skeleton.joints.size(), 0);
  for (Index j = 0; j < skeleton.size(); ++j)
    uneven[j] = skeleton.joints[j].shear != Mat3::Identity() || !is_even(skeleton.joints[j].rest.scale) ? 1 : 0;
  for (const Clip& clip : character.clips)
    for (const Track& track : clip.tracks) {
      if (track.path != Track::Path::kScale) continue;
      const bool cubic = track.interpolation == Track::Interpolation::kCubic;
      for (std::size_t i = 0; i + 2 < track.values.size(); i += 3) {
        const Vec3 v = Vec3f(track.values[i], track.values[i + 1], track.values[i + 2]).cast<double>();
        // Tangents may be negative, but must be even as well.
        const bool value = !cubic || (i / 3) % 3 == 1;
        const double apart = v.maxCoeff() - v.minCoeff();
        if (value ? !is_even(v) : apart > kEvenScale * std::max(1.0, v.cwiseAbs().maxCoeff())) uneven[track.target] = 1;
      }
    }
  return uneven;
}

// A polynomial in v as one in w, where v = turn · w.
std::vector<double> substituted(const std::vector<double>& coefficients, const Mat3& turn) {
  if (coefficients.empty()) return coefficients;
  int degree = 0;
  while (motion::monomial_count(degree) < coefficients.size()) ++degree;
  const auto n = static_cast<Eigen::Index>(coefficients.size());
  // Values at as many points of a grid in a tetrahedron as there are monomials determine the polynomial.
  Eigen::MatrixXd at(n, n);
  Eigen::VectorXd values(n);
  Eigen::Index row = 0;
  for (int total = 0; total <= degree; ++total)
    for (int x = total; x >= 0; --x)
      for (int y = total - x; y >= 0; --y, ++row) {
        const Vec3 w = Vec3(x, y, total - x - y) / std::max(1, degree);
        const std::vector<double> here = motion::monomials(w, degree), there = motion::monomials(turn * w, degree);
        values[row] = 0;
        for (Eigen::Index k = 0; k < n; ++k) {
          at(row, k) = here[static_cast<std::size_t>(k)];
          values[row] += coefficients[static_cast<std::size_t>(k)] * there[static_cast<std::size_t>(k)];
        }
      }
  const Eigen::VectorXd result = at.fullPivLu().solve(values);
  return {result.data(), result.data() + n};
}

// The driver of `joint` with axes of its source and its own rotated.
void rotate_driver(Driver& driver, const Quat& source, const Quat& own) {
  if (driver.kind == Driver::Kind::kOpaque) return;
  driver.axis = (driver.kind == Driver::Kind::kAim ? own : source).conjugate() * driver.axis;
  driver.before = (source.conjugate() * driver.before * source).normalized();
  if (driver.kind == Driver::Kind::kPolynomial && is_turned(source))
    for (std::vector<double>& row : driver.coefficients) row = substituted(row, source.toRotationMatrix());
}

// Limits in axes that are rotated by `turn`; empty if they are no box there.
std::optional<RotationLimits> rotated_limits(const RotationLimits& limits, const Quat& turn) {
  const Mat3 back = turn.conjugate().toRotationMatrix();
  const Mat3 whole = back.array().round().matrix();
  if ((back - whole).cwiseAbs().maxCoeff() > 1e-6) return std::nullopt;
  const Vec3 a = whole * limits.lower_rad, b = whole * limits.upper_rad;
  return RotationLimits{a.cwiseMin(b), a.cwiseMax(b)};
}

void rotate_track(Track& track, const Quat& above, const Quat& own) {
  const Quat back = above.conjugate();
  if (track.path == Track::Path::kTranslation)
    for (std::size_t i = 0; i + 2 < track.values.size(); i += 3) {
      const Vec3 v = back * Vec3f(track.values[i], track.values[i + 1], track.values[i + 2]).cast<double>();
      for (int c = 0; c < 3; ++c) track.values[i + static_cast<std::size_t>(c)] = static_cast<float>(v[c]);
    }
  // The product is linear in the key, so that tangents follow the same rule.
  if (track.path == Track::Path::kRotation)
    for (std::size_t i = 0; i + 3 < track.values.size(); i += 4) {
      const auto at = [&](std::size_t c) { return static_cast<double>(track.values[i + c]); };
      const Vec4 q = (back * Quat(at(3), at(0), at(1), at(2)) * own).coeffs();
      for (int c = 0; c < 4; ++c) track.values[i + static_cast<std::size_t>(c)] = static_cast<float>(q[c]);
    }
}

/// Decides which joints get other axes.
class TurnChooser {
 public:
  TurnChooser(const Character& character, std::vector<Quat>& turns, Findings& findings)
      : rig_(character.rig), turns_(turns), findings_(findings), uneven_(unevenly_scaled(character)) {}

  void run() {
    for (Index j = 0; j < turns_.size(); ++j)
      if (uneven_[j] != 0) keep(j, "because it is not scaled evenly");
    for (const MeshPart& part : rig_.mesh.parts)
      if (part.skin == kNone && part.joint != kNone) keep(part.joint, "because a part of the mesh is attached to it");
    for (Index j = 0; j < turns_.size(); ++j) {
      const auto& driver = rig_.skeleton.joints[j].driver;
      if (driver && (driver->kind == Driver::Kind::kOpaque || driver->kind == Driver::Kind::kPolynomial))
        keep(j, "because of its driver");
    }
    copy_shares();
  }

 private:
  void keep(Index joint, const char* why) {
    if (!is_turned(turns_[joint])) return;
    turns_[joint] = Quat::Identity();
    findings_.push_back(
        {"skeleton.axes_kept", rig_.skeleton.joints[joint].name, fmt::format("It keeps its axes, {}.", why)});
  }

  // A share of a rotation is copied number by number, so both joints need the same rotation of their axes.
  void copy_shares() {
    const auto& joints = rig_.skeleton.joints;
    for (std::size_t pass = 0; pass < joints.size(); ++pass) {
      bool again = false;
      for (Index j = 0; j < turns_.size(); ++j) {
        if (!joints[j].driver || joints[j].driver->kind != Driver::Kind::kRotationShare) continue;
        const Index source = joints[j].driver->source;
        if (source >= turns_.size() || turns_[j].angularDistance(turns_[source]) < kSameAxes) continue;
        again = true;
        const bool fixed = uneven_[j] != 0 || has_rigid_part(j);
        if (fixed) keep(source, "because a joint copies its rotation that cannot get other axes");
        else turns_[j] = turns_[source];
      }
      if (!again) return;
    }
  }
  bool has_rigid_part(Index joint) const {
    return std::any_of(rig_.mesh.parts.begin(), rig_.mesh.parts.end(),
                       [&](const MeshPart& part) { return part.skin == kNone && part.joint == joint; });
  }

  const Rig& rig_;
  std::vector<Quat>& turns_;
  Findings& findings_;
  std::vector<char> uneven_;
};

}  // namespace

std::vector<Quat> turns_to_preset(const Skeleton& skeleton, const motion::Recognition& roles,
                                  const rigging::Preset& preset) {
  std::vector<Index> joints;
  const rigging::SkeletonPlan plan = plan_of_roles(skeleton, roles, joints);
  const std::vector<Mat3> wanted = rigging::preset_frames(plan, preset);
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  std::vector<Quat> turns(skeleton.joints.size(), Quat::Identity());
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const Mat3 have = polar(Mat3(rest[joints[k]].topLeftCorner<3, 3>())).rotation;
    turns[joints[k]] = Quat(Mat3(have.transpose() * wanted[k])).normalized();
  }
  return turns;
}

AxesResult rotate_axes(Character& character, std::vector<Quat> turns) {
  AxesResult result;
  Rig& rig = character.rig;
  TurnChooser(character, turns, result.findings).run();
  const auto above = [&](Index j) {
    const Index parent = rig.skeleton.joints[j].parent;
    return parent == kNone ? Quat(Quat::Identity()) : turns[parent];
  };
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    Joint& joint = rig.skeleton.joints[j];
    const Quat outer = above(j), turn = turns[j];
    if (is_turned(outer)) joint.rest.translation = outer.conjugate() * joint.rest.translation;
    if (is_turned(outer) || is_turned(turn))
      joint.rest.rotation = (outer.conjugate() * joint.rest.rotation * turn).normalized();
    if (joint.driver && joint.driver->source < turns.size())
      rotate_driver(*joint.driver, turns[joint.driver->source], turn);
    if (!is_turned(turn)) continue;
    result.changed.push_back(j);
    if (joint.end_local) joint.end_local = turn.conjugate() * *joint.end_local;
    if (!joint.limits) continue;
    joint.limits = rotated_limits(*joint.limits, turn);
    if (!joint.limits)
      result.findings.push_back({"skeleton.limits", joint.name, "Its limits do not fit the new axes and are removed."});
  }
  for (Skin& skin : rig.skins)
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      if (!is_turned(turns[skin.joints[k]])) continue;
      Mat4 back = Mat4::Identity();
      back.topLeftCorner<3, 3>() = turns[skin.joints[k]].conjugate().toRotationMatrix();
      skin.inverse_bind[k] = back * skin.inverse_bind[k];
    }
  for (Index c = 0; c < character.clips.size(); ++c) {
    bool changed = false;
    for (Track& track : character.clips[c].tracks) {
      if (track.path == Track::Path::kMorphWeights || track.path == Track::Path::kScale) continue;
      const Quat outer = above(track.target), turn = turns[track.target];
      if (!is_turned(outer) && !is_turned(turn)) continue;
      rotate_track(track, outer, turn);
      changed = true;
    }
    if (changed) result.clips.push_back(c);
  }
  result.turns = std::move(turns);
  return result;
}

}  // namespace sinew::pipeline
