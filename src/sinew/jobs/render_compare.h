// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sinew/jobs/render_frames.h"
#include "sinew/pipeline/shape_difference.h"

namespace sinew::jobs {

/// The other character of a comparison: the same one with another method, or another file in the same pose.
class ComparedMoments {
 public:
  /// The option `compare` decides what it is. A clip is that of `moments`, by the names of the joints. The asset and
  /// the moments must outlive this. \throws Error if the word is neither a method nor a file, or the file cannot be
  /// read or lacks the joints of the clip or pose.
  ComparedMoments(const io::Asset& asset, const RenderOptions& options, const MomentMaker& moments, Report& report,
                  const Progress& progress);

  /// The moment at a time of the clip or, without a time, in the still pose.
  picture::PictureFrame at(std::optional<double> time_s) const;
  /// What the method shows of itself there.
  std::vector<Overlay> overlays(std::optional<double> time_s) const { return moments_->overlays(time_s); }

  const Character& character() const { return other_ ? *other_ : asset_.character; }
  bool is_file() const { return other_ != nullptr; }
  const std::string& name() const { return name_; }          ///< For titles: the method or the file.
  const std::string& own_name() const { return own_name_; }  ///< The same of what it is compared with.

 private:
  const io::Asset& asset_;
  std::shared_ptr<const Character> other_;  ///< Null for another method.
  std::unique_ptr<MomentMaker> moments_;
  std::string name_, own_name_;
};

/// Adds the other frame and, if both have the same vertices, a third: the distance between them as colours. Overlays
/// of the scene that belong to the first frame move there. Returns the difference.
std::optional<pipeline::ShapeDifference> add_compared_frames(picture::PictureScene& scene, const ComparedMoments& other,
                                                             std::optional<double> time_s, Report& report);

/// Sets the scale of the third frame's colours.
void set_difference_scale(picture::PictureScene& scene, double max_percent);

}  // namespace sinew::jobs
