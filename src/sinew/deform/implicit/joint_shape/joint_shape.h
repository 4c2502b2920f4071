// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/rig.h"
#include "sinew/core/stage_listener.h"
#include "sinew/core/surface_sample.h"
#include "sinew/deform/implicit/implicit_body.h"
#include "sinew/deform/implicit/joint_shape/closed_part.h"
#include "sinew/deform/implicit/joint_shape/particles.h"
#include "sinew/deform/implicit/joint_shape/sliding.h"

namespace sinew::deform {

/// Rotations of a joint about one axis.
struct RotationRange {
  Vec3 axis = Vec3::UnitZ();  ///< In model space at binding; of unit length.
  double lower_rad = 0, upper_rad = 0;
};

/// How far a joint may turn, by single axes.
struct JointRange {
  std::vector<RotationRange> axes;
  std::string source;  ///< Where it is from: "limits", "clips" or "table".
};

struct JointShapeOptions {
  ImplicitBodyOptions body;
  ParticleOptions particles;
  SlidingOptions sliding;
  int rotations = 20;          ///< Per axis.
  bool by_picks = false;       ///< The stochastic loop instead of its limit.
  int alternations = 3;        ///< Of the two parts of a joint, at most.
  bool stop_early = true;      ///< When an alternation no longer helps.
  int post_rings = 4;          ///< Over which the slid shape begins.
  bool fewer_rings = true;     ///< Where that leaves more than a twentieth of the bulge.
  bool keep_better = true;     ///< Joints whose energy would rise keep their shape.
  int closure_samples = 80;    ///< Per hole, of parts with few holes.
  double least_bulge = 0.002;  ///< Mean protrusion in radii, from which on a joint needs it.
  std::uint64_t seed = 1;
  std::map<Index, int> peel;  ///< Rings to remove on both sides of joints; others by need.
  std::vector<Index> joints;  ///< To adjust, whether they need it or not; empty: all that need it.
};

/// Bulge energies of both sides of a joint by stage, in radii: as the default functions close it, after fairing,
/// sliding, the second fairing, and of the new functions.
struct BulgeStages {
  double before = 0, faired = 0, slid = 0, post = 0, refit = 0;
};

enum class JointFit {
  kAdjusted,
  kNotNeeded,  ///< Nothing protrudes.
  kKept,       ///< The new shape would be worse.
  kSkipped     ///< See the reason.
};
constexpr auto option_words(JointFit) { return std::array{"adjusted", "not needed", "kept", "skipped"}; }

/// The reason of joints that nobody wants to adjust.
inline constexpr const char* kNotChosen = "it was not chosen";

struct JointShapeReport {
  Index joint = kNone;
  Index part = kNone, parent = kNone;  ///< Of `JointShapes::parts`.
  JointFit fit = JointFit::kSkipped;
  std::string reason;
  std::string range;  ///< `JointRange::source`.
  std::size_t rotations = 0;
  double radius = 0;
  BulgeStages used, held_out;  ///< On the rotations that shaped it, and half a step beside them.
  int alternations = 0, picks = 0, rings = 0;
  double refit_error = 0;  ///< Of the new functions from the closures: root mean square in radii, the larger of both.
};

struct JointShapes {
  std::vector<ClosedPart> parts;  ///< Empty where a part has no hole at a joint, or no function.
  std::vector<Index> joints;      ///< Of the parts.
  std::vector<JointShapeReport> reports;
  PartSamples samples;      ///< Of the parts that changed.
  PartFunctions functions;  ///< That these samples give.
};

/// A joint that shall keep its old shape, and why.
struct JointVerdict {
  Index joint = kNone;
  std::string reason;
};
/// Looks at the skin with the shapes so far, whose samples are complete, and names the adjusted joints where it is
/// worse than before.
using JointJudge = std::function<std::vector<JointVerdict>(const JointShapes& shapes)>;

/// Shapes the parts of implicit skinning where they meet, so that they slide over each other without protruding when
/// joints turn: O. Hachette et al., "Automatic shape adjustment at joints for the implicit skinning", 2021. Only
/// samples of functions change, and frames cost what they did.
///
/// Parts are cut out of the skin (`PartCutter`) and closed (`close_holes`); closures become smooth (`fair_distances`),
/// slide (`slide`) against the other part of their joint, in turns, are joined to the part again by rings
/// (`slid_share`), and are sampled. Joints of thicker limbs come first where several share a part. The same for any
/// number of threads. `ranges` by joint; joints without one are not adjusted. `judge`, if there is one, is asked after
/// each refit, up to four times. About 0.1 s per joint. \throws Error as `make_implicit_body`; Cancelled.
JointShapes fit_joint_shapes(const Rig& rig, const std::map<Index, JointRange>& ranges,
                             const JointShapeOptions& options = {}, std::span<const Index> owners = {},
                             const Progress& progress = {}, const StageListener& stage = {},
                             const JointJudge& judge = {});

/// The rotations of a range: single-axis sweeps, which include none at all. `held_out` are half a step beside them.
std::vector<Mat3> rotations_of(const JointRange& range, int per_axis, bool held_out = false);

/// Bulge energy of a joint between two parts as they are, both sides, in radii of the larger hole.
double joint_bulge(const JointSide& parent, const JointSide& child, std::span<const Mat3> rotations,
                   const SlidingOptions& options);

}  // namespace sinew::deform
