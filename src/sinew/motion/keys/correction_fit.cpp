// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/keys/correction_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"

namespace sinew::motion {
namespace {

// How the tolerance is divided: what a sample may lack when it is collected, when shapes are dropped, where offsets
// that hardly matter are left out, and between keys that are thinned.
constexpr double kCollectShare = 0.35, kDropShare = 0.35, kZeroShare = 0.1, kThinShare = 0.1;
// Samples with which dropping shapes is tried.
constexpr std::size_t kMostTried = 400;
// Keys between which a straight line may replace others.
constexpr std::size_t kLongestThinned = 64;

using Shape = Eigen::VectorXf;

Eigen::Map<const Shape> as_vector(std::span<const Vec3f> values) {
  return {values.front().data(), static_cast<Eigen::Index>(3 * values.size())};
}

// The longest of the offsets in a vector, each times its stretch.
double longest(const Shape& offsets, std::span<const float> stretch) {
  return parallel_reduce(
      stretch.size(), 0.0,
      [&](std::size_t begin, std::size_t end) {
        float worst = 0;
        for (std::size_t i = begin; i < end; ++i)
          worst = std::max(worst, stretch[i] * offsets.segment<3>(static_cast<Eigen::Index>(3 * i)).norm());
        return static_cast<double>(worst);
      },
      [](double a, double b) { return std::max(a, b); });
}

double longest(const Shape& offsets) {
  double worst = 0;
  for (Eigen::Index i = 0; i + 2 < offsets.size(); i += 3)
    worst = std::max(worst, static_cast<double>(offsets.segment<3>(i).norm()));
  return worst;
}

std::vector<Vec3f> as_points(const Shape& values, double zero_below) {
  std::vector<Vec3f> points(static_cast<std::size_t>(values.size() / 3));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3f p = values.segment<3>(static_cast<Eigen::Index>(3 * i));
    points[i] = static_cast<double>(p.norm()) > zero_below ? p : Vec3f(Vec3f::Zero());
  }
  return points;
}

// Sums of vectors with the columns of a matrix.
std::vector<Shape> combined(const std::vector<Shape>& vectors, const Eigen::MatrixXd& columns) {
  std::vector<Shape> sums(static_cast<std::size_t>(columns.cols()));
  parallel_for(
      sums.size(),
      [&](std::size_t k) {
        sums[k] = Shape::Zero(vectors.front().size());
        for (std::size_t i = 0; i < vectors.size(); ++i)
          sums[k] +=
              static_cast<float>(columns(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k))) * vectors[i];
      },
      1);
  return sums;
}

// How many of the leading axes suffice.
Eigen::Index axes_needed(const std::vector<Shape>& axes, const Eigen::MatrixXd& rows, double limit,
                         const Progress& progress) {
  const auto tried =
      static_cast<Eigen::Index>(std::min<std::size_t>(kMostTried, static_cast<std::size_t>(rows.rows())));
  const auto suffices = [&](Eigen::Index count) {
    std::vector<double> worst(static_cast<std::size_t>(tried), 0.0);
    parallel_for(
        worst.size(),
        [&](std::size_t t) {
          const Eigen::Index f = static_cast<Eigen::Index>(t) * rows.rows() / tried;
          Shape rest = Shape::Zero(axes.front().size());
          for (Eigen::Index k = count; k < rows.cols(); ++k)
            rest += static_cast<float>(rows(f, k)) * axes[static_cast<std::size_t>(k)];
          worst[t] = longest(rest);
        },
        1);
    return *std::max_element(worst.begin(), worst.end()) <= limit;
  };
  Eigen::Index low = 0, high = rows.cols();
  while (low < high) {
    progress.check();
    const Eigen::Index middle = (low + high) / 2;
    if (suffices(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

// Leaves out keys that the straight line between their neighbours shows as well. `reach`: how far a weight of 1 of each
// shape moves a vertex.
void thin(CorrectionShapes& fit, const std::vector<double>& reach, double limit) {
  const std::size_t width = fit.shapes.size(), count = fit.times_s.size();
  if (count < 3) return;
  const auto off = [&](std::size_t i, std::size_t f, std::size_t j) {
    const double t = (fit.times_s[f] - fit.times_s[i]) / (fit.times_s[j] - fit.times_s[i]);
    double sum = 0;
    for (std::size_t k = 0; k < width; ++k) {
      const auto at = [&](std::size_t key) { return static_cast<double>(fit.weights[key * width + k]); };
      sum += reach[k] * std::abs((1 - t) * at(i) + t * at(j) - at(f));
    }
    return sum;
  };
  const auto straight = [&](std::size_t i, std::size_t j) {
    for (std::size_t f = i + 1; f < j; ++f)
      if (off(i, f, j) > limit) return false;
    return true;
  };
  CorrectionShapes kept;
  for (std::size_t i = 0;;) {
    kept.times_s.push_back(fit.times_s[i]);
    for (std::size_t k = 0; k < width; ++k) kept.weights.push_back(fit.weights[i * width + k]);
    if (i + 1 == count) break;
    std::size_t next = i + 1;
    while (next + 1 < count && next < i + kLongestThinned && straight(i, next + 1)) ++next;
    i = next;
  }
  fit.times_s = std::move(kept.times_s);
  fit.weights = std::move(kept.weights);
}

}  // namespace

CorrectionFit::CorrectionFit(double tolerance, std::size_t max_shapes)
    : tolerance_(tolerance), max_shapes_(max_shapes) {}

bool CorrectionFit::add(double time_s, std::span<const Vec3f> offsets, std::span<const float> stretch,
                        std::span<const Vec3f> normals) {
  Shape rest = as_vector(offsets);
  Eigen::VectorXd coefficients = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(basis_.size()));
  // Twice, because the first round leaves rounding errors along the basis.
  for (int round = 0; round < 2; ++round)
    for (std::size_t k = 0; k < basis_.size(); ++k) {
      const double c = basis_[k].cast<double>().dot(rest.cast<double>());
      coefficients[static_cast<Eigen::Index>(k)] += c;
      rest -= static_cast<float>(c) * basis_[k];
    }
  if (longest(rest, stretch) > kCollectShare * tolerance_) {
    if (basis_.size() >= max_shapes_) return false;
    const double length = rest.cast<double>().norm();
    basis_.push_back((rest.cast<double>() / length).cast<float>());
    normal_sums_.push_back(Shape::Zero(rest.size()));
    coefficients.conservativeResize(coefficients.size() + 1);
    coefficients[coefficients.size() - 1] = length;
  }
  if (!normals.empty())
    for (std::size_t k = 0; k < basis_.size(); ++k)
      normal_sums_[k] += static_cast<float>(coefficients[static_cast<Eigen::Index>(k)]) * as_vector(normals);
  for (const float s : stretch) stretch_ = std::max(stretch_, static_cast<double>(s));
  times_s_.push_back(time_s);
  coefficients_.push_back(std::move(coefficients));
  has_normals_.push_back(!normals.empty());
  return true;
}

CorrectionShapes CorrectionFit::result(const Progress& progress) const {
  CorrectionShapes fit;
  if (basis_.empty()) return fit;
  const auto samples = static_cast<Eigen::Index>(times_s_.size()), size = static_cast<Eigen::Index>(basis_.size());
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(samples, size);
  Eigen::MatrixXd with_normals = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index f = 0; f < samples; ++f) {
    const Eigen::VectorXd& c = coefficients_[static_cast<std::size_t>(f)];
    rows.row(f).head(c.size()) = c.transpose();
    if (has_normals_[static_cast<std::size_t>(f)]) with_normals += rows.row(f).transpose() * rows.row(f);
  }
  // Principal axes, the longest first.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(rows.transpose() * rows);
  Eigen::MatrixXd turn = solver.eigenvectors().rowwise().reverse();
  rows = rows * turn;
  std::vector<Shape> axes = combined(basis_, turn);
  const double stretch = std::max(stretch_, 1e-12);
  const Eigen::Index count =
      std::max<Eigen::Index>(1, axes_needed(axes, rows, kDropShare * tolerance_ / stretch, progress));
  // Changes of normals that fit the same coefficients best, in the sense of least squares.
  std::vector<Shape> normals;
  if (std::find(has_normals_.begin(), has_normals_.end(), true) != has_normals_.end()) {
    with_normals.diagonal().array() += 1e-9 * with_normals.trace();
    normals = combined(normal_sums_, with_normals.ldlt().solve(turn));
  }
  const Eigen::VectorXd low = rows.leftCols(count).colwise().minCoeff(),
                        high = rows.leftCols(count).colwise().maxCoeff();
  // The lower ends first, then each axis over its range.
  Shape offset = Shape::Zero(axes.front().size()), offset_normals = offset;
  std::vector<double> reach;
  const double zero = kZeroShare * tolerance_ / stretch / static_cast<double>(count + 1);
  const auto push = [&](const Shape& offsets, const Shape& turned) {
    CorrectionShapes::Shape& shape = fit.shapes.emplace_back();
    shape.offsets = as_points(offsets, zero);
    if (!normals.empty()) shape.normals = as_points(turned, 0.01);
    reach.push_back(stretch * longest(offsets));
  };
  for (Eigen::Index k = 0; k < count; ++k) {
    offset += static_cast<float>(low[k]) * axes[static_cast<std::size_t>(k)];
    if (!normals.empty()) offset_normals += static_cast<float>(low[k]) * normals[static_cast<std::size_t>(k)];
  }
  push(offset, offset_normals);
  std::vector<Eigen::Index> moving;
  for (Eigen::Index k = 0; k < count; ++k) {
    const double range = high[k] - low[k];
    if (!(range > 0)) continue;
    const auto n = static_cast<std::size_t>(k);
    push(static_cast<float>(range) * axes[n],
         normals.empty() ? Shape() : Shape(static_cast<float>(range) * normals[n]));
    moving.push_back(k);
  }
  fit.times_s = times_s_;
  for (Eigen::Index f = 0; f < samples; ++f) {
    fit.weights.push_back(1);
    for (const Eigen::Index k : moving)
      fit.weights.push_back(static_cast<float>(std::clamp((rows(f, k) - low[k]) / (high[k] - low[k]), 0.0, 1.0)));
  }
  thin(fit, reach, kThinShare * tolerance_);
  return fit;
}

}  // namespace sinew::motion
