// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Pictures of characters. A scene goes in, a PNG comes out, drawn by a small three.js page in a headless Chromium: no
/// graphics card, no network. On one machine the same scene gives the same bytes.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/overlay.h"
#include "sinew/core/progress.h"
#include "sinew/io/file.h"

namespace sinew::picture {

inline constexpr int kLeastPictureSide = 16;
inline constexpr int kMostPictureSide = 4096;

/// The direction from which the character is seen. The front shows its face, the side its left, three-quarter both from
/// a little above.
enum class PictureView { kFront, kSide, kBack, kThreeQuarter };

/// The character at one moment.
struct PictureFrame {
  std::vector<Vec3> positions;                           ///< One per vertex of the mesh.
  std::vector<Mat4> joints;                              ///< Joint space to model space, one per joint.
  std::shared_ptr<const Character> character = nullptr;  ///< Null: the character of the scene.
  /// Drawn with this frame only, after those of the scene.
  std::vector<Overlay> overlays = {};
};

/// A part of the character seen from near; `CloseUpFinder` finds good ones.
struct PictureCloseUp {
  Vec3 back = Vec3::UnitZ();  ///< The direction from the part to the eye, of unit length.
  std::vector<Vec3> points;   ///< What must be inside the picture, in model space. Empty: the whole character.
};

/// One view of one frame.
struct PictureCell {
  PictureView view = PictureView::kThreeQuarter;
  Index frame = 0;
  std::string title;                            ///< Written below; empty for none.
  std::optional<PictureCloseUp> close_up = {};  ///< Replaces the view.
};

struct PictureScene {
  explicit PictureScene(const Character& drawn) : character(drawn) {}

  const Character& character;  ///< Must outlive the scene.
  std::vector<PictureFrame> frames;
  /// One fills the picture, more make a grid, row by row. All but close-ups have the same scale.
  std::vector<PictureCell> cells;
  int columns = 1;
  bool animated = false;  ///< Each cell is a frame of its own instead, which fills the picture.
  bool webp = false;      ///< Frames are WebP files, which lose a little and are small.
  int width = 1024;
  int height = 1024;

  bool skin = true;            ///< The surface, with materials and textures.
  bool wire = false;           ///< The polygons' edges.
  bool skeleton = false;       ///< Bones and joints, through the skin, which is then translucent.
  Index chosen_joint = kNone;  ///< Drawn in another colour.
  /// Overlays of methods, drawn over everything else. The last field replaces the colours of the skin.
  std::vector<Overlay> overlays;

  /// Points that must be inside the picture in addition to those of the frames, so that pictures of one clip match.
  std::vector<Vec3> also_fit;
  std::string background = "studio";  ///< "studio", "transparent" or "#rrggbb".
  /// Positions of the lights: more give smoother shadows and edges, and take longer in proportion. 0: 24, and down to
  /// 12 for pictures and meshes so large that this would take minutes.
  int samples = 0;
};

struct Picture {
  io::Bytes png;
  Findings warnings;                   ///< Textures that could not be shown.
  std::vector<io::Bytes> frames = {};  ///< Of an animated scene, in place of `png`: one for each cell.
};

/// Draws a scene. Some seconds; grows with pixels and with triangles, times samples.
/// \throws Error if this build has no renderer, there is no Chromium, the scene is empty, its size or background is out
/// of bounds, or the browser fails; Cancelled.
Picture draw_picture(const PictureScene& scene, const Progress& progress = {});

/// Draws several scenes with one browser, which saves its start and most of the preparation for all but the first. The
/// pictures are those that `draw_picture` draws. \throws Error as above, for the first scene that cannot be drawn.
std::vector<Picture> draw_pictures(std::span<const PictureScene* const> scenes, const Progress& progress = {});

/// Points of `points` that lie farthest out, in each of a few hundred directions: enough to frame them all, for
/// `also_fit`.
std::vector<Vec3> outermost(std::span<const Vec3> points);

/// A camera: where the eye is, its axes, the tangent of half its vertical opening.
struct PictureCamera {
  Vec3 eye = Vec3::Zero();
  Vec3 right = Vec3::UnitX();
  Vec3 up = Vec3::UnitY();
  Vec3 back = Vec3::UnitZ();
  double tan_y = 0.25;
};

/// The camera of a view that has all points inside the picture with a small margin, as near as can be, or at the least
/// distance from the points' origin that is given. `aspect` is width over height.
PictureCamera fit_camera(PictureView view, std::span<const Vec3> points, double aspect, bool titled,
                         double least_distance = 0);

/// The same for any direction from the points to the eye, of unit length. Up is up in the picture, except in views from
/// above or below, where the character's left is at the right.
PictureCamera fit_camera(const Vec3& back, std::span<const Vec3> points, double aspect, bool titled,
                         double least_distance = 0);

/// The direction from the character to the eye, of unit length.
Vec3 direction_of(PictureView view);

}  // namespace sinew::picture
