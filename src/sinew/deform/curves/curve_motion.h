// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// In-between shapes of a body from examples, after "Automatic Generation of Dynamic Skin Deformation for Animated
/// Characters", Symmetry 2018, 10, 89, section 6. Each curve of the skin is an elastic line that is pushed from its
/// shape in one pose to that in the next. See docs/methods/ode.md.

#include <memory>
#include <span>
#include <vector>

#include "sinew/core/curve_set.h"
#include "sinew/core/progress.h"
#include "sinew/core/rig.h"
#include "sinew/deform/curves/curve_motion_options.h"
#include "sinew/deform/curves/joint_poses.h"

namespace sinew::deform {

/// Metres per unit of length of a body: as its height tells or, for a height of 0, 1, unless it would be above 10 m or
/// below 10 cm tall; then it is taken as 1.75 m.
double metres_per_unit(const Mesh& mesh, double body_height);

/// Example poses of a rig, with the vertices of its mesh.
struct ExamplePoses {
  std::span<const std::vector<Vec3>> positions;
  std::span<const double> times_s;  ///< Rising; one per pose.
  double metres = 1;                ///< Per unit of length.
};

/// What preparation found.
struct CurveMotionFigures {
  Index curves = 0;
  Index nodes = 0;          ///< Points on curves that move by themselves.
  Index covered = 0;        ///< Vertices on or between curves.
  std::size_t modes = 0;    ///< Kept, of all curves.
  std::size_t bytes = 0;    ///< Of the prepared data.
  double slowest_rad = 0;   ///< Angle of the slowest bending mode in its segment, over all curves.
  double residual_rms = 0;  ///< Of displacements that joints do not explain.
};

/// Shapes between example poses, at any time and in any order.
class CurveMotion {
 public:
  /// Prepares curves and displacements. Without joints, displacements are those of the vertices themselves; the mode
  /// `kPaper` ignores joints. O(vertices · modes), and O(nodes³) for each length of open curves. \throws Error if there
  /// are fewer than two poses, if poses do not have the vertices of the mesh, are not finite, or times do not rise.
  CurveMotion(const Rig& rig, const CurveSet& curves, const JointPoses& joints, const ExamplePoses& poses,
              const CurveMotionOptions& options = {});
  ~CurveMotion();
  CurveMotion(CurveMotion&&) noexcept;
  CurveMotion& operator=(CurveMotion&&) noexcept;

  double start_s() const;
  double end_s() const;
  const CurveMotionFigures& figures() const;

  /// Where a time is: the pose before it and the share of the way to the next. Times outside are clamped.
  struct Place {
    Index from = 0;
    double t = 0;
  };
  Place place(double time_s) const;

  /// The vertices at a time. At the time of a pose they are those of the pose, to rounding, whatever the joints are.
  /// The same bytes for any number of threads. \pre one element per vertex.
  void evaluate(double time_s, std::span<Vec3f> positions) const;

  /// Local transforms of the joints at a time; empty without joints.
  std::vector<Transform> joints_at(double time_s) const;

  /// Displacements from the shape at rest before joints move it, at a time.
  std::vector<Vec3f> displacements(double time_s) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace sinew::deform
