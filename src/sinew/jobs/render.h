// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/job.h"
#include "sinew/jobs/part_files.h"
#include "sinew/picture/picture.h"
#include "sinew/pipeline/deformer.h"

namespace sinew::jobs {

struct RenderOptions {
  std::optional<std::string> view;  ///< Empty: three-quarter, or for close-ups the best side.
  std::vector<std::string> focus;   ///< Joints to show in close-ups; empty: the whole character.
  std::vector<std::string> show = {"skin"};
  std::string compare;         ///< A method or a file to compare with; empty: none.
  std::string clip;            ///< Empty: the rest pose.
  std::optional<double> time;  ///< Empty: the clip's start.
  std::string pose;            ///< A pose in a JSON file, in place of a clip.
  std::optional<double> fps;   ///< Of an animation; empty: 20.
  bool story = false;
  pipeline::DeformerOptions deformer;
  PartFiles part_files;
  std::string size;  ///< Empty: 1024x1024, or 1600x900 for a sheet.
  bool sheet = false;
  bool grid = false;
  std::string background = "studio";
  bool quick = false;
  int samples = 0;  ///< 0: as `picture::PictureScene` says.
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("view",
            "The direction from which the character is seen. Default: three-quarter; for close-ups the side that shows "
            "the joint best.")
          .one_of({"front", "side", "three-quarter", "back"}),
      self.view);
    v(Field("focus",
            "Draw close-ups of these joints. Parts of the body such as elbow or left_hip are accepted as well.")
          .as("JOINT,…"),
      self.focus);
    v(Field("compare",
            "Draw the same with another method, or of another file, beside it, and the difference as colours.")
          .as("METHOD|FILE"),
      self.compare);
    v(Field("show",
            "What to draw: skin, wire, skeleton, segments, regions, curves, weights:JOINT, distance:VERTEX, or an "
            "overlay of "
            "the method, such as tets, inverted and areas of pbd.")
          .as("WHAT,…"),
      self.show);
    v(Field("clip",
            "The clip to show: a clip of the file by name or number, a clip of another file as FILE or FILE#CLIP, or a "
            "built-in clip such as exercise. Default: the rest pose.")
          .as("CLIP"),
      self.clip);
    v(Field("time", "Time in the clip.").in("s").range(0, 1e6), self.time);
    v(Field("pose", "A pose file (JSON) to use instead of a clip.").as("FILE"), self.pose);
    v(Field("fps", "Frames per second of an animation, between 0.1 and 100. By default 20.").range(0.001, 1000),
      self.fps);
    v(Field("story", "Begin an animation with the mesh alone, followed by its skeleton, before the clip plays."),
      self.story);
    pipeline::DeformerOptions::visit(self.deformer, v);
    PartFiles::visit(self.part_files, v);
    v(Field("size",
            "Size of the picture. Default: 1024x1024, 1600x900 for a sheet, 480x480 for an animation, 600x600 for each "
            "of "
            "several panels.")
          .as("WxH")
          .in("px"),
      self.size);
    v(Field("sheet", "Draw four views, and several times of a clip, in one picture."), self.sheet);
    v(Field("grid", "Draw the front and the side with axes, a grid in metres, and the names and positions of joints."),
      self.grid);
    v(Field("background", "Background: studio, transparent, or a colour such as #ffffff."), self.background);
    v(Field("quick", "Draw the skin alone, in plain colours and without the browser: a thumbnail in milliseconds."),
      self.quick);
    v(Field("samples",
            "Number of light positions. More give smoother shadows and take longer; 0 uses 24, fewer for very large "
            "pictures.")
          .range(0, 256),
      self.samples);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// Draws a character as a PNG. `skin` is the surface with its materials, `wire` its polygons' edges, `skeleton` bones
/// and joints through the then translucent skin, `weights:JOINT` that joint's influence as colours, `segments` a colour
/// for each bone's region (`binding::segment`), `curves` the curves around limbs and their middle lines,
/// `distance:VERTEX` the biharmonic distance from a vertex. Any other word
/// is an overlay of the chosen method in the shown pose
/// (`Deformer::overlays`), by its name: `tets`, `inverted` and `areas` of pbd, `twist` of slbs. Clips and poses are
/// those `deform` takes. All pictures of one clip and view have the same camera. The output is `NAME_picture.png`
/// unless named. The file extensions .webp, .gif and .apng ask for an animation of the clip, or of the character
/// turning round if no clip is named. Several inputs give a picture each, drawn by one browser; the output is a folder
/// then. \throws Error for names that are not in the file, or if the picture cannot be drawn (see
/// `picture::draw_picture`).
Report render(const JobRequest& request, const RenderOptions& options, const Progress& progress);

/// The scene that `render` draws of an asset, which must outlive it. Segments are not painted here (`paint_segments`
/// does it). Warnings and further inputs go to the report. \throws Error for names that the character does not have,
/// and for a size that is none.
picture::PictureScene picture_scene(const io::Asset& asset, const RenderOptions& options, Report& report,
                                    const Progress& progress = {});

}  // namespace sinew::jobs
