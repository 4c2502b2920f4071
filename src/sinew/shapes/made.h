// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/registry.h"
#include "sinew/core/segmentation.h"

namespace sinew::shapes {

/// A made character and all that is known of it. Its `rig.weights` are the smooth reference weights.
struct Made {
  Character character;
  /// The bone each vertex belongs to, and where it lies along it.
  Segmentation owners;
  /// Which joint plays which part of the kind's template; parts in the template's order.
  struct TemplateJoint {
    std::string name;
    Index joint = kNone;
  };
  std::vector<TemplateJoint> template_joints;
};

/// What to make. An option a kind does not know keeps its default, or `make` refuses it.
struct MakeOptions {
  int vertices = 0;
  int seed = 0;
  double vary = 0;
  std::string made_pose = "a";
  double height = 0;
  bool triangles = false;
  bool clothes = false;
  bool generated = false;
  std::string shape = "reference";
  double length = 0;
  double width = 0;
  int layers = 0;
  int joint_count = 0;
  bool checkerboard = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("vertices", "About how many vertices; 0 is the kind's own choice.").range(0, 2000000), self.vertices);
    v(Field("seed", "Which member of the family, with 'vary', a random pose or 'generated'."), self.seed);
    v(Field("vary", "How much body shape and proportions differ from the plain one.").range(0, 1), self.vary);
    v(Field("made_pose", "Pose of the rest shape.").one_of({"t", "a", "random"}), self.made_pose);
    v(Field("height", "Height (length of a bar, cylinder or arm); 0 is the kind's own.").in("m").range(0, 1000),
      self.height);
    v(Field("triangles", "Cut every quad in two."), self.triangles);
    v(Field("clothes", "Add a shirt, hair, eyes and buttons as shells of their own (human)."), self.clothes);
    v(Field("generated", "Remesh it the way generative models emit meshes: irregular, noisy, fused."), self.generated);
    v(Field("shape", "Which of the arms.").one_of({"reference", "slender", "muscular", "rotated"}), self.shape);
    v(Field("length", "Length of a bar or cylinder; 0 is the kind's own.").in("m").range(0, 1000), self.length);
    v(Field("width", "Width of a bar, diameter of a cylinder; 0 is the kind's own.").in("m").range(0, 1000),
      self.width);
    v(Field("layers", "Layers of faces along a bar, cylinder or arm; 0 is the kind's own.").range(0, 100000),
      self.layers);
    v(Field("joint_count", "Joints along a bar or cylinder; 0 is the kind's own.").range(0, 1000), self.joint_count);
    v(Field("checkerboard", "Alternate the diagonals of the triangles of a bar or cylinder."), self.checkerboard);
  }
};

using Maker = Made (*)(const MakeOptions&, const Progress&);

/// All kinds of characters that can be made.
const Registry<Registered<Maker>>& kinds();

}  // namespace sinew::shapes
