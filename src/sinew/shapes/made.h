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

/// A synthetic character with its ground truth. Its `rig.weights` are the smooth reference weights.
struct Made {
  Character character;
  /// The bone each vertex belongs to, and its position along that bone.
  Segmentation owners;
  /// Which joint plays which part of the kind's template; parts in the template's order.
  struct TemplateJoint {
    std::string name;
    Index joint = kNone;
  };
  std::vector<TemplateJoint> template_joints;
};

/// Options of the character to make. `make` rejects an option that the kind does not have, unless it keeps its default.
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
    v(Field("vertices", "Approximate number of vertices; 0 uses the default of the kind.").range(0, 2000000),
      self.vertices);
    v(Field("seed", "Seed for random variation; affects 'vary', random poses and 'generated'.").range(0, 2147483647),
      self.seed);
    v(Field("vary", "How much the body's shape and proportions differ from the standard body.").range(0, 1), self.vary);
    v(Field("made_pose", "Pose of the rest shape.").one_of({"t", "a", "random"}), self.made_pose);
    v(Field("height", "Height (length of a bar, cylinder or arm); 0 uses the default of the kind.")
          .in("m")
          .range(0, 1e6),
      self.height);
    v(Field("triangles", "Split every quad into two triangles."), self.triangles);
    v(Field("clothes", "Add a shirt, hair, eyes and buttons as separate shells (human)."), self.clothes);
    v(Field("generated", "Remesh the character like the output of a generative model: irregular, noisy and fused."),
      self.generated);
    v(Field("shape", "Variant of the arm.").one_of({"reference", "slender", "muscular", "rotated"}), self.shape);
    v(Field("length", "Length of a bar or cylinder; 0 uses the default of the kind.").in("m").range(0, 1000),
      self.length);
    v(Field("width", "Width of a bar or diameter of a cylinder; 0 uses the default of the kind.")
          .in("m")
          .range(0, 1000),
      self.width);
    v(Field("layers", "Number of layers of faces along a bar, cylinder or arm; 0 uses the default of the kind.")
          .range(0, 100000),
      self.layers);
    v(Field("joint_count", "Number of joints along a bar or cylinder; 0 uses the default of the kind.").range(0, 1000),
      self.joint_count);
    v(Field("checkerboard", "Alternate the diagonals of the triangles on a bar or cylinder."), self.checkerboard);
  }
};

using Maker = Made (*)(const MakeOptions&, const Progress&);

/// All kinds of characters that can be made.
const Registry<Registered<Maker>>& kinds();

}  // namespace sinew::shapes
