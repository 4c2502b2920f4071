// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/joints/learned_drivers.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/rotation.h"
#include "sinew/motion/drivers.h"
#include "sinew/transfer/joints/polynomials.h"

namespace sinew::transfer {
namespace {

constexpr double kStill_rad = radians(0.3), kIdleSource_rad = radians(1);
constexpr double kGoodShare = 0.1, kGood_rad = radians(1), kUsefulShare = 0.5;
constexpr double kStillTranslation = 1e-4;  // Of the joint's distance from its parent.
constexpr std::size_t kFewestExamples = 8, kExamplesPerTerm = 3, kPolynomialTerms = 9;

Vec3 rotation_of(const Skeleton& skeleton, Index joint, const Pose& pose) {
  return rotation_log(delta_rotation(skeleton.joints[joint].rest, pose.local[joint]));
}

Vec3 translation_of(const Skeleton& skeleton, Index joint, const Pose& pose) {
  const Transform& rest = skeleton.joints[joint].rest;
  return rest.rotation.conjugate() * (pose.local[joint].translation - rest.translation);
}

double root_mean_square(const Eigen::MatrixXd& rows) {
  return rows.rows() == 0 ? 0 : std::sqrt(rows.squaredNorm() / static_cast<double>(rows.rows()));
}

Index source_above(const Skeleton& skeleton, Index joint, const std::vector<char>& driven) {
  Index above = skeleton.joints[joint].parent;
  while (above != kNone && driven[above] != 0) above = skeleton.joints[above].parent;
  return above;
}

// The nearest joint above that is not driven, its relatives, and their children; nearest first. Joints below a driven
// one count as children of what is above it.
std::vector<Index> possible_sources(const Skeleton& skeleton, Index joint, const std::vector<char>& driven) {
  std::vector<Index> sources, parents;
  for (Index j = 0; j < skeleton.size(); ++j) parents.push_back(source_above(skeleton, j, driven));
  const auto add = [&](Index j) {
    if (j != kNone && j != joint && driven[j] == 0 && std::find(sources.begin(), sources.end(), j) == sources.end())
      sources.push_back(j);
  };
  const auto add_children = [&](Index of) {
    for (Index j = 0; j < skeleton.size(); ++j)
      if (parents[j] == of) add(j);
  };
  const Index above = parents[joint];
  if (above == kNone) return sources;
  add(above), add_children(above);
  add(parents[above]);
  if (parents[above] != kNone) add_children(parents[above]);
  for (std::size_t i = 0, count = sources.size(); i < count; ++i)
    if (parents[sources[i]] == above) add_children(sources[i]);
  return sources;
}

/// A skeleton and its poses in which joints that are not driven rotate relative to the nearest such joint above.
/// Another body has them so: there, the joints between are added beside the limb and not within it.
struct Examples {
  Skeleton skeleton;
  std::vector<Pose> poses;

  Examples(const Skeleton& original, const std::vector<char>& driven, const std::vector<Pose>& given)
      : skeleton(original), poses(given) {
    for (Index j = 0; j < original.size(); ++j) {
      if (driven[j] != 0) continue;
      for (Index p = original.joints[j].parent; p != kNone && driven[p] != 0; p = original.joints[p].parent) {
        Quat& rest = skeleton.joints[j].rest.rotation;
        rest = original.joints[p].rest.rotation * rest;
        for (std::size_t i = 0; i < poses.size(); ++i) {
          Quat& local = poses[i].local[j].rotation;
          local = given[i].local[p].rotation * local;
        }
      }
    }
  }
};

Mat3 rest_frame(const Skeleton& skeleton, Index joint) {
  Mat3 frame = Mat3::Identity();
  for (Index j = joint; j != kNone; j = skeleton.joints[j].parent)
    frame = skeleton.joints[j].rest.rotation.toRotationMatrix() * frame;
  return frame;
}

/// The motion of the joint and of one source over the examples.
struct Lesson {
  Eigen::MatrixXd rotations, translations;  // A row per example, of the joint.
  Eigen::MatrixXd source;
  std::vector<Quat> source_deltas;
};

Eigen::MatrixXd every_second(const Eigen::MatrixXd& rows) {
  Eigen::MatrixXd half((rows.rows() + 1) / 2, rows.cols());
  for (Eigen::Index i = 0; i < half.rows(); ++i) half.row(i) = rows.row(2 * i);
  return half;
}

std::optional<Driver> rotation_share(const Lesson& lesson, Index source) {
  const Eigen::MatrixXd in = every_second(lesson.source), out = every_second(lesson.rotations);
  Driver driver;
  driver.kind = Driver::Kind::kRotationShare;
  driver.source = source;
  driver.share = in.cwiseProduct(out).sum() / in.squaredNorm();
  return driver;
}

std::optional<Driver> twist_share(const Skeleton& skeleton, Index joint, const Lesson& lesson, Index source) {
  const Eigen::Matrix3d spread = lesson.rotations.transpose() * lesson.rotations;
  const Vec3 axis = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvectors().col(2);
  Driver driver;
  driver.kind = Driver::Kind::kTwistShare;
  driver.source = source;
  driver.axis = (rest_frame(skeleton, source).transpose() * (rest_frame(skeleton, joint) * axis)).normalized();
  double both = 0, alone = 0;
  for (std::size_t i = 0; i < lesson.source_deltas.size(); i += 2) {
    const double angle = twist_angle_rad(lesson.source_deltas[i], driver.axis);
    both += angle * lesson.rotations.row(static_cast<Eigen::Index>(i)).dot(axis), alone += angle * angle;
  }
  if (!(alone > 0)) return std::nullopt;
  driver.share = both / alone;
  return driver;
}

std::optional<Driver> polynomial(const Lesson& lesson, Index source, bool translates) {
  const Eigen::MatrixXd in = every_second(lesson.source);
  if (static_cast<std::size_t>(in.rows()) < kExamplesPerTerm * kPolynomialTerms) return std::nullopt;
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(in.rows(), 6);
  if (translates) out.leftCols(3) = every_second(lesson.translations);
  out.rightCols(3) = every_second(lesson.rotations);
  Driver driver;
  driver.kind = Driver::Kind::kPolynomial;
  driver.source = source;
  driver.coefficients = fit_polynomial(in, out);
  return driver;
}

// What a driver leaves of the rotation on the examples that it was not fitted to.
double remaining_rotation(const Skeleton& skeleton, Index joint, const Driver& driver,
                          const std::vector<Pose>& examples) {
  Skeleton driven = skeleton;
  for (Joint& other : driven.joints) other.driver.reset();
  driven.joints[joint].driver = driver;
  const motion::Drivers drivers(driven);
  double sum = 0, count = 0;
  for (std::size_t i = 1; i < examples.size(); i += 2) {
    Pose pose = examples[i];
    pose.twist_rad.clear();
    drivers.apply(pose);
    const double angle =
        rotation_log(pose.local[joint].rotation.conjugate() * examples[i].local[joint].rotation).norm();
    sum += angle * angle, count += 1;
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

}  // namespace

LearnedDriver learned_driver(const Skeleton& original, Index joint, const std::vector<char>& driven,
                             const std::vector<Pose>& given) {
  LearnedDriver learned;
  if (given.size() < kFewestExamples) return learned;
  const auto [skeleton, examples] = Examples(original, driven, given);
  const auto count = static_cast<Eigen::Index>(examples.size());
  Lesson lesson{Eigen::MatrixXd(count, 3), Eigen::MatrixXd(count, 3), Eigen::MatrixXd(count, 3), {}};
  for (Eigen::Index i = 0; i < count; ++i) {
    lesson.rotations.row(i) = rotation_of(skeleton, joint, examples[static_cast<std::size_t>(i)]);
    lesson.translations.row(i) = translation_of(skeleton, joint, examples[static_cast<std::size_t>(i)]);
  }
  learned.motion_rad = learned.error_rad = root_mean_square(lesson.rotations);
  const bool translates = root_mean_square(lesson.translations) >
                          kStillTranslation * std::max(skeleton.joints[joint].rest.translation.norm(), 1e-9);
  if (learned.motion_rad < kStill_rad) return learned;
  const double good = std::max(kGood_rad, kGoodShare * learned.motion_rad);
  // The best of each kind, from simple to rich.
  std::array<std::pair<double, std::optional<Driver>>, 3> best;
  for (auto& kind : best) kind.first = std::numeric_limits<double>::infinity();
  for (const Index source : possible_sources(original, joint, driven)) {
    lesson.source_deltas.clear();
    for (Eigen::Index i = 0; i < count; ++i) {
      const Pose& pose = examples[static_cast<std::size_t>(i)];
      lesson.source.row(i) = rotation_of(skeleton, source, pose);
      lesson.source_deltas.push_back(delta_rotation(skeleton.joints[source].rest, pose.local[source]));
    }
    if (root_mean_square(lesson.source) < kIdleSource_rad) continue;
    const std::array<std::optional<Driver>, 3> kinds = {
        translates ? std::nullopt : rotation_share(lesson, source),
        translates ? std::nullopt : twist_share(original, joint, lesson, source),
        polynomial(lesson, source, translates)};
    for (std::size_t k = 0; k < kinds.size(); ++k)
      if (kinds[k])
        if (const double error = remaining_rotation(skeleton, joint, *kinds[k], examples); error < best[k].first)
          best[k] = {error, kinds[k]};
  }
  const auto* chosen = &best[0];
  for (const auto& kind : best)
    if (kind.first < chosen->first && !(chosen->first <= good)) chosen = &kind;
  if (!(chosen->first <= std::max(kGood_rad, kUsefulShare * learned.motion_rad)) || !chosen->second) return learned;
  learned.driver = chosen->second;
  learned.error_rad = chosen->first;
  return learned;
}

}  // namespace sinew::transfer
