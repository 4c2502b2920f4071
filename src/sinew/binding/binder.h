// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/core/error.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/registry.h"
#include "sinew/core/report.h"
#include "sinew/core/weights.h"

namespace sinew::binding {

/// Options of all binders; each looks at its own.
struct BindOptions {
  int max_influences = 4;
  std::optional<int> smoothing;  ///< Empty: as the method has it.
  // segment
  std::string weights = "log-odds";
  double blend_width = 0.25;
  // voxel
  int resolution = 256;
  double falloff = 0.2;
  std::string steps = "marching";
  bool leak_guard = true;
  // heat
  double heat = 1;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("max_influences", "Most joints that may move one vertex.").range(1, 64), self.max_influences);
    v(Field("smoothing", "Rounds in which weights are evened out along the surface; without it as the method has it.")
          .range(0, 100),
      self.smoothing);
    v(Field("weights", "Formula of the method segment: log-odds, or the paper's own.").one_of({"log-odds", "paper"}),
      self.weights);
    v(Field("blend_width", "How far the method segment blends across a joint, the paper's c: larger is softer.")
          .range(0.02, 2),
      self.blend_width);
    v(Field("resolution", "Voxels of the method voxel along the longest side of the mesh.").range(16, 1024),
      self.resolution);
    v(Field("falloff", "How fast a joint's weight of the method voxel falls with distance: 0 soft, 1 stiff.")
          .range(0, 1),
      self.falloff);
    v(Field("steps", "How the method voxel measures distances: marching, or chamfer steps as published.")
          .one_of({"marching", "chamfer"}),
      self.steps);
    v(Field("leak_guard", "Keep the method voxel from stepping between surfaces that only lie close together."),
      self.leak_guard);
    v(Field("heat",
            "How strongly bones heat the skin in the method heat: larger follows the nearest bone more closely.")
          .range(1e-3, 1e3),
      self.heat);
  }
};

/// Weights for a whole subject, and where they came from.
struct Bound {
  SkinWeights weights;  ///< A row for every vertex: of bound joints, positive, at most `max_influences`, sum 1.

  /// A way in which rows were made: by which method, and why that one.
  struct Origin {
    std::string method;  ///< Id of a binder, "rigid", "layer", ….
    std::string reason;  ///< A short phrase: "asked for", "no bone is visible", ….
  };
  std::vector<Origin> origins;
  std::vector<std::uint8_t> origin;  ///< Per vertex: index into `origins`.
  std::vector<float> confidence;     ///< Per vertex, 0 to 1; below 0.5 is worth a look.

  std::vector<Fallback> fallbacks;
  Findings warnings;
  Json metrics = Json::object();
};

/// \throws Error if nothing can be bound, with the reason; Cancelled.
using Binder = Bound (*)(const Subject& subject, const BindOptions& options, const Progress& progress);

/// All binders.
const Registry<Registered<Binder>>& binders();

/// Binds by the method of that id. \throws Error for an unknown id, and as the binder does.
Bound bind(std::string_view id, const Subject& subject, const BindOptions& options = {}, const Progress& progress = {});

}  // namespace sinew::binding
