// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Approximates corrections of a skin that change over time by a few shapes with weights between 0 and 1.

#include <span>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/core/progress.h"

namespace sinew::motion {

/// Shapes and their weights: the correction at `times_s[k]` is the sum of all shapes, each times its weight.
struct CorrectionShapes {
  struct Shape {
    std::vector<Vec3f> offsets;  ///< Per vertex.
    std::vector<Vec3f> normals;  ///< Changes of normals; empty if no sample had any.
  };
  std::vector<Shape> shapes;
  std::vector<double> times_s;
  std::vector<float> weights;  ///< For each time, one for each shape.
};

/// Collects the corrections of a part at rising times without keeping them: memory grows with the number of shapes that
/// are needed, not with that of the samples.
///
/// A sample that the shapes so far cannot express within the limit adds what is missing as a new shape (Gram-Schmidt).
/// At the end the shapes are rotated to the principal axes of all samples, and as many as the tolerance allows are
/// dropped. One more shape holds the lower ends of all weights, so that weights run from 0 to 1, which engines and
/// sliders expect.
class CorrectionFit {
 public:
  /// `tolerance`: the largest error of a vertex, in the unit of the offsets. At most `max_shapes` are collected.
  CorrectionFit(double tolerance, std::size_t max_shapes);

  /// Adds a sample. `stretch`: per vertex, how much longer an error becomes when it is shown. `normals` may be empty.
  /// Returns false if more shapes than allowed would be needed.
  bool add(double time_s, std::span<const Vec3f> offsets, std::span<const float> stretch,
           std::span<const Vec3f> normals = {});

  /// The number of shapes before they are reduced.
  std::size_t collected() const { return basis_.size(); }

  CorrectionShapes result(const Progress& progress = {}) const;

 private:
  double tolerance_;
  std::size_t max_shapes_;
  std::vector<Eigen::VectorXf> basis_;        // Orthonormal.
  std::vector<Eigen::VectorXf> normal_sums_;  // Per basis vector: normals of samples, weighted by their coefficients.
  std::vector<double> times_s_;
  std::vector<Eigen::VectorXd> coefficients_;  // Per sample; those of later basis vectors are zero.
  std::vector<bool> has_normals_;              // Per sample.
  double stretch_ = 0;                         // The largest of all samples.
};

}  // namespace sinew::motion
