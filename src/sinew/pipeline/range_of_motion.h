// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/method.h"
#include "sinew/core/progress.h"
#include "sinew/deform/deformer.h"
#include "sinew/measure/surface_compare.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/range_of_motion.h"

namespace sinew::pipeline {

/// Poses of one character through its range of motion. They start from the pose in which it is bound; if helper joints
/// follow others, from the rest pose, and the helpers follow.
class RangePoses {
 public:
  explicit RangePoses(const Rig& rig, motion::RangeDetail detail = motion::RangeDetail::kTest, bool from_rest = false);

  const std::vector<motion::RangePose>& poses() const { return poses_; }
  const ModelPose& start() const { return start_; }
  ModelPose at(std::size_t i) const { return at(poses_[i]); }
  /// The character with one joint rotated from there.
  ModelPose at(const motion::RangePose& pose) const;

 private:
  const Rig& rig_;
  motion::Drivers drivers_;
  bool driven_ = false;
  ModelPose start_;
  std::vector<motion::RangePose> poses_;
};

/// By how much joints rotate: as the range of motion says, by 0.87 of that, or by a random share of it between one half
/// and the whole, always the same. The last two judge methods that were compared with their base in the first poses.
enum class RangeAngles { kWhole, kShorter, kRandom };
constexpr auto option_words(RangeAngles) { return std::array{"whole", "shorter", "random"}; }

/// One pose by one method.
struct RangeCase {
  std::size_t pose = 0;  ///< Of `RangeResult::poses`.
  measure::SurfaceFigures figures;
  double volume_error = 0;         ///< |V − V₀| / V₀ of the region near the joint; −1 if it encloses nothing.
  double volume_change = 0;        ///< (V − V₀) / V₀ there.
  double section = 1;              ///< Thinnest cross-section near the joint relative to rest; −1 if there is none.
  std::vector<const char*> worse;  ///< In what the surface is worse than by the base; empty for the base itself.
  bool tear = false;  ///< An edge is stretched to more than four times its length and twice that by the base.
};

/// All poses by one method.
struct RangeMethod {
  std::string name;
  std::size_t base = 0;  ///< What it is compared with: an index into `RangeResult::methods`. Its own if there is none.
  std::vector<RangeCase> cases;

  Index tears() const;
  Index worse() const;
  double largest_stretch() const;
  double largest_stretch_ratio(const RangeMethod& base) const;  ///< Over poses in which an edge is stretched by 1.1.
  double median_volume_error() const;
};

struct RangeResult {
  std::vector<motion::RangePose> poses;
  std::vector<RangeMethod> methods;

  const RangeMethod& base_of(const RangeMethod& method) const { return methods[method.base]; }
};

struct RangeSubject {
  std::string name;
  const deform::Deformer& deformer;
  std::string base;  ///< The name of a subject before this one. Empty: the first of all.
};

/// The id of the method that a method is compared with: the one that it corrects with these options, else `lbs`.
std::string range_base(const std::string& method, const AnyOptions& options);

/// Poses a character through its range of motion by several methods, and compares each with its base. One frame and its
/// figures for each pose and method. \throws Error if no joint can be posed; Cancelled.
RangeResult measure_range(const Rig& rig, const std::vector<RangeSubject>& methods, bool intersections = true,
                          const Progress& progress = {}, RangeAngles angles = RangeAngles::kWhole);

}  // namespace sinew::pipeline
