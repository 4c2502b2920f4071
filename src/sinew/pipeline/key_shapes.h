// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Converts motion that engines cannot compute by themselves into key shapes, between which they blend.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/progress.h"
#include "sinew/io/gltf/write_morphs.h"
#include "sinew/pipeline/play.h"

namespace sinew::pipeline {

/// All frames of a playback.
struct PlayedFrames {
  std::vector<std::vector<Vec3f>> positions;
  std::vector<std::vector<Vec3f>> normals;  ///< Empty if the playback computes none.
  /// Per part: the largest distance between the frames and linear skinning, which every engine shows. Zero if the
  /// deformer is linear skinning itself.
  std::vector<double> engine_error;
};

/// Plays to the end and keeps all frames. Memory grows with vertices times frames. \throws as `Playback::next`,
/// Cancelled.
PlayedFrames play_all(const Rig& rig, Playback& playback, bool compare_with_engines, const Progress& progress = {});

/// How the motion of a part that linear skinning cannot show is stored.
enum class ShapeKind {
  kSkinned,  ///< The part stays skinned, and shapes correct the skin.
  kWhole,    ///< The part loses its skin; each shape is the whole part.
};
constexpr auto option_words(ShapeKind) { return std::array{"skinned", "whole"}; }

struct KeyShapeOptions {
  ShapeKind kind = ShapeKind::kSkinned;  ///< Not visited: a command that offers the choice does so itself.
  double tolerance = 1e-3;               ///< Largest distance from the true motion, relative to the size.
  int max_targets = 128;                 ///< Maximum number of key shapes per part.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("tolerance", "Largest distance of key shapes from the true motion, relative to the character's size.")
          .range(1e-7, 1),
      self.tolerance);
    v(Field("max_targets", "Maximum number of key shapes per part.").range(1, 4096), self.max_targets);
  }
};

struct KeyShapes {
  std::vector<io::MorphPart> parts;  ///< Parts whose linear skinning is not within the tolerance.
  double quantum = 0;                ///< Error that integers in place of floats may add, in metres.
};

/// Chooses the fewest key shapes of each part that stay within the tolerance. \throws Error if a part needs more than
/// allowed, Cancelled.
KeyShapes fit_key_shapes(const Rig& rig, const FrameRange& frames, const PlayedFrames& played, const std::string& name,
                         bool is_clip, const KeyShapeOptions& options, const Progress& progress = {});

/// The largest errors of a written document.
struct WrittenErrors {
  double frames = 0;  ///< At the frames, in metres.
  double between =
      0;  ///< At a quarter, half and three quarters of the way between frames; 0 for deformers with history.
};

/// Compares with what an engine shows of a written document. \pre a deformer with history has not played yet. \throws
/// as `Playback::next`, Cancelled.
WrittenErrors written_errors(const io::WithMotion& written, const Rig& rig, Playback& playback,
                             const Progress& progress = {});

/// The largest distance between the true vertices and what an engine shows of a written document at a time of its clip.
/// \throws Error if a part was written with another number of vertices.
double written_error(const io::WithMotion& written, double clip_time_s, const Rig& rig, std::span<const Vec3f> truth);

}  // namespace sinew::pipeline
