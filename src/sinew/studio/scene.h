// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// A character as the page draws it: render vertices, materials, frames.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinew/deform/deformer.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/player.h"
#include "sinew/picture/picture_surface.h"
#include "sinew/pipeline/deformer.h"
#include "sinew/studio/clip_edit.h"
#include "sinew/studio/recipe.h"
#include "sinew/studio/wire.h"

namespace sinew::studio {

/// Memory of `Scene::frame`, kept from frame to frame.
struct FrameScratch {
  std::vector<Vec3f> sums;
  std::vector<std::array<std::int8_t, 4>> normals;
};

/// What does not change while a character moves. Immutable; several threads may use it.
class Scene {
 public:
  Scene(std::shared_ptr<const Built> built, std::uint32_t generation);

  const Built& built() const { return *built_; }
  const std::shared_ptr<const Built>& shared_built() const { return built_; }
  const Character& character() const { return built_->asset.character; }
  std::uint32_t generation() const { return generation_; }
  const std::vector<Index>& sources() const { return sources_; }
  const motion::Drivers& drivers() const { return drivers_; }

  /// Names of the character's clips, followed by those of built-in clips.
  const std::vector<std::string>& clip_names() const { return clip_names_; }
  Clip clip(std::size_t number) const;
  std::size_t own_clips() const { return character().clips.size(); }

  /// Materials, groups, parts, joints, clips: everything but arrays.
  Json describe() const;
  /// kSurface: triangles (u32), sources (u32), texture coordinates (f32 × 2), colours (u8 × 4). `flags` is the number
  /// of triangle corners.
  io::Bytes surface(std::uint16_t slot = 0) const;
  /// kFrame: positions (f32 × 3), normals (i8 × 4), joints (f32 × 12, rows of the affine matrix).
  io::Bytes frame(BinaryHead head, std::span<const Vec3f> positions, std::span<const Mat4> joints,
                  FrameScratch& scratch) const;
  /// kField: a number per render vertex, of one per vertex.
  io::Bytes field(BinaryHead head, std::span<const float> values) const;

 private:
  void group_normals(const picture::PictureSurface& surface);

  std::shared_ptr<const Built> built_;
  std::uint32_t generation_;
  std::vector<std::string> clip_names_;
  motion::Drivers drivers_;
  std::vector<Index> sources_, triangles_, starts_, groups_;
  std::vector<char> solid_;       // Per group: whether nobody sees the backs of its faces from outside.
  std::vector<Index> materials_;  ///< Per slot: the material, or kNone.
  std::vector<float> uvs_;
  std::vector<std::uint8_t> colors_;
  /// Per corner of a triangle: its vertex of the mesh, and the group of its normal.
  std::vector<std::pair<Index, Index>> corners_;
  Index group_count_ = 0;
};

/// One deformer of a scene at work. For one thread.
class Mover {
 public:
  /// Binds the deformer, which can take seconds. \throws as `pipeline::bind_deformer`.
  Mover(std::shared_ptr<const Scene> scene, const std::string& method, const Json& options, const Progress& progress);

  const Scene& scene() const { return *scene_; }
  const std::shared_ptr<const Scene>& shared_scene() const { return scene_; }
  const std::string& method() const { return method_; }
  const Findings& findings() const { return findings_; }

  /// The pose of a clip at a time; clips beyond the last one are the rest pose.
  Pose clip_pose(std::size_t clip, const ClipChange& change, double time_s);
  double duration_s(std::size_t clip);
  /// Computes positions and joints of a pose, without a message.
  void pose(const Pose& pose, double time_s);

  /// The frame message of a pose. Deformers with history are played anew for each pose.
  io::Bytes frame(BinaryHead head, const Pose& pose, double time_s);
  /// Positions of the vertices of the mesh in the frame that was computed last.
  const std::vector<Vec3f>& positions() const { return positions_; }
  const ModelPose& model_pose() const { return model_; }

 private:
  motion::Player& player(std::size_t clip, const ClipChange& change);

  std::shared_ptr<const Scene> scene_;
  std::string method_;
  Findings findings_;
  std::unique_ptr<deform::Deformer> deformer_;  ///< Null without a skeleton.
  std::unique_ptr<deform::Deformer::State> state_;
  std::map<std::pair<std::size_t, ClipChange>, motion::Player> players_;
  std::vector<Vec3f> positions_;
  FrameScratch scratch_;
  ModelPose model_;
};

/// A pose after an edit by hand: `turn` (joint, axis in model space, angle), `twist` (joint, angle), `ik` (joint,
/// target), `move` (joint, offset in model space), `standard` (pose t or a), `reset` (joint, or all without one).
/// Inverse kinematics keeps the limits of joints. Angles are radians. Poses are those of
/// docs/formats/poses-and-clips.md. \throws Error if the edit has another form.
Json edited_pose(const Rig& rig, const Json& pose, const Json& edit);

}  // namespace sinew::studio
