// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/options.h"
#include "sinew/core/overlay.h"
#include "sinew/core/pose.h"
#include "sinew/core/progress.h"
#include "sinew/core/registry.h"
#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"

namespace sinew::deform {

/// What a deformer is asked for: one frame.
struct FrameInput {
  const ModelPose& pose;
  double time_s = 0;
  double dt_s = 0;  ///< Since the frame before; 0 for the first.
};

/// What a frame had to put up with.
struct FrameReport {
  std::uint64_t fallback_vertices = 0;  ///< Treated by the next method of the chain; `findings` says why.
  Findings findings;
};

/// Where a frame goes. Spans are as long as the mesh has vertices, in the file's order; `normals` may be empty, then
/// none are made.
struct FrameOutput {
  std::span<Vec3f> positions;
  std::span<Vec3f> normals;
  FrameReport* report = nullptr;
};

/// Turns poses of one rig into vertices, in model space. Immutable after binding, so that one object can serve many
/// threads, each with a state of its own.
class Deformer {
 public:
  /// What a deformer keeps between frames: scratch memory, and the past if it has one.
  class State {
   public:
    virtual ~State() = default;
  };

  virtual ~Deformer() = default;

  virtual std::unique_ptr<State> make_state() const = 0;

  /// Whether a frame depends on those before it, so that a clip must be played from its start.
  virtual bool needs_history() const { return false; }

  /// One frame. After the first frame of a state nothing is allocated that grows with the mesh. The same bytes for any
  /// number of threads. \throws Error naming the joint when a matrix is not finite, or is one the method cannot use.
  virtual void deform(State& state, const FrameInput& input, const FrameOutput& output) const = 0;

  /// What the method can show of itself in that frame.
  virtual std::vector<Overlay> overlays(State& state, const FrameInput& input) const;
};

/// Options of all deformers.
struct DeformOptions {
  std::string smooth = "none";
  int smooth_iterations = 5;
  double smooth_strength = 0.5;
  std::string twist = "harmonic";  ///< Of `slbs`.
  // pbd
  std::string base = "auto";
  std::string material = "corotated";
  std::string area = "joints";
  int tets = 0;
  int sweeps = 10;
  double stretch = 0.9;
  double bone_distance = 0.9;
  double energy = 0;
  double skin_volume = 1;
  int even_out = 2;
  std::string mode = "improved";
  std::vector<std::string> stiffness;  ///< JOINT=FACTOR.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("smooth", "What evens the surface out after the method.").one_of({"none", "delta-mush"}), self.smooth);
    v(Field("smooth_iterations", "Rounds of smoothing: more reach further and flatten more.").range(1, 200),
      self.smooth_iterations);
    v(Field("smooth_strength", "How far a vertex moves to the middle of its neighbours in a round.").range(0, 1),
      self.smooth_strength);
    v(Field(
          "twist",
          "How slbs spreads a twist over a bone: harmonic, which fits bent rest poses, or delta, in proportion to the "
          "distance along the bone.")
          .one_of({"harmonic", "delta"}),
      self.twist);
    v(Field("base", "What pbd starts from: lbs, dqs or slbs; auto takes lbs, and slbs where joints are twisted far.")
          .one_of({"auto", "lbs", "dqs", "slbs"}),
      self.base);
    v(Field("material", "What pbd's tetrahedra are made of: corotated, or four springs each, as published.")
          .one_of({"corotated", "springs"}),
      self.material);
    v(Field("area", "Where pbd acts: near joints, or in the whole body.").one_of({"joints", "body"}), self.area);
    v(Field("tets", "About how many tetrahedra pbd fills the body with; 0: as limbs are thick.").range(0, 500000),
      self.tets);
    v(Field("sweeps", "Times pbd goes over its constraints: more are stiffer and slower.").range(1, 1000), self.sweeps);
    v(Field("stretch", "How far pbd keeps edges of tetrahedra at their length.").range(0, 1), self.stretch);
    v(Field("bone_distance", "How far pbd keeps what is inside at its distance from the bone.").range(0, 1),
      self.bone_distance);
    v(Field("energy", "Stiffness of pbd's material; 0 is its own: 2 for corotated, 1 for springs.").range(0, 1e6),
      self.energy);
    v(Field("skin_volume", "How much of the volume that the skin still lacks near a joint pbd gives back at the end.")
          .range(0, 1),
      self.skin_volume);
    v(Field("even_out", "Rounds in which pbd evens out what it moved along the skin.").range(0, 100), self.even_out);
    v(Field("mode", "How pbd solves: improved, or the paper's own forms and order, slowly.")
          .one_of({"improved", "paper"}),
      self.mode);
    v(Field("stiffness", "Factors on the stiffness of pbd's material near single joints.").as("JOINT=FACTOR,…"),
      self.stiffness);
  }
};

struct PbdBody;

/// What other modules know of a rig and some methods need. Jobs prepare it.
struct RigKnowledge {
  const Segmentation* segmentation = nullptr;  ///< Of the rig's mesh and skeleton at binding.
  const PbdBody* pbd_body =
      nullptr;  ///< Of `make_pbd_body` for that rig and these options; `pbd` makes its own if null.
};

/// Binds a method to a rig: slow, once. \throws Error if the rig cannot be bound, Cancelled.
using Binding = std::unique_ptr<Deformer> (*)(const Rig& rig, const RigKnowledge& knowledge,
                                              const DeformOptions& options, const Progress& progress);

/// A way to deform, and what it must be told of the rig.
struct Method {
  Binding bind = nullptr;
  bool needs_segmentation = false;
};

/// All deformers: `lbs` linear, `dqs` dual-quaternion, `slbs` twist-safe, ….
const Registry<Registered<Method>>& deformers();

/// Binds the method of that id, with the smoothing of the options around it. \throws Error for an unknown id, or when
/// the method needs something that `knowledge` does not have.
std::unique_ptr<Deformer> bind(std::string_view id, const Rig& rig, const DeformOptions& options = {},
                               const Progress& progress = {}, const RigKnowledge& knowledge = {});

}  // namespace sinew::deform
