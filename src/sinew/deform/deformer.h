// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/method.h"
#include "sinew/core/overlay.h"
#include "sinew/core/pose.h"
#include "sinew/core/progress.h"
#include "sinew/core/registry.h"
#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"
#include "sinew/core/surface_sample.h"
#include "sinew/core/tissue.h"

namespace sinew::deform {

class PoseLimits;

/// The input of one frame.
struct FrameInput {
  const ModelPose& pose;
  double time_s = 0;
  double dt_s = 0;  ///< Since the previous frame; 0 for the first.
};

/// What became of a vertex in one frame, for methods that search its position.
enum class VertexStatus : std::uint8_t {
  kFrozen,      ///< It follows the base method alone.
  kFitted,      ///< It is where the method wants it.
  kContact,     ///< It stopped where it meets other skin.
  kOutside,     ///< It is too far away for the method.
  kUnfinished,  ///< The search ended before it arrived.
};

/// Problems encountered while deforming one frame.
struct FrameReport {
  std::uint64_t fallback_vertices = 0;  ///< Handled by the next method of the chain; `findings` has the reasons.
  Findings findings;
  std::vector<VertexStatus> status;  ///< Per vertex of the mesh; empty for methods without statuses.
  /// With dynamics: the energy that the solver added by not converging and that was taken back, as a share of all.
  double energy_taken_back = 0;
};

/// The output of one frame. Each span has one element per vertex of the mesh, in the order of the file. `normals` may
/// be empty if none are required.
struct FrameOutput {
  std::span<Vec3f> positions;
  std::span<Vec3f> normals;
  FrameReport* report = nullptr;
};

/// Computes the vertices of one rig in model space from its poses. It is immutable after binding, so one object can
/// serve many threads, each with a state of its own.
class Deformer {
 public:
  /// The data that a deformer keeps between frames: scratch memory, and its history if it has one.
  class State {
   public:
    virtual ~State() = default;
  };

  virtual ~Deformer() = default;

  virtual std::unique_ptr<State> make_state() const = 0;

  /// Whether a frame depends on those before it, so that a clip must be played from its start.
  virtual bool needs_history() const { return false; }

  /// Deforms one frame. After the first frame of a state, nothing is allocated that grows with the mesh. The result has
  /// the same bytes for any number of threads. \throws Error that names the joint if its matrix is not finite, or if
  /// the method cannot use it.
  virtual void deform(State& state, const FrameInput& input, const FrameOutput& output) const = 0;

  /// Drawings of what the method does in that frame. They are never read back as data.
  virtual std::vector<Overlay> overlays(State& state, const FrameInput& input) const;
};

/// The inputs that a method needs beside the rig itself. The caller that binds the method provides what is declared
/// here.
struct MethodNeeds {
  bool segmentation = false;   ///< `MethodInputs::segmentation`.
  bool twist_factors = false;  ///< `MethodInputs::twist_factors`; the method does without if there are none.
  bool owners = false;         ///< `MethodInputs::owners`, by the shape of the skin; not by hand.
  bool tissues = false;        ///< The method uses `MethodInputs::tissues` if somebody gives them.
  bool parts = false;          ///< The method uses `MethodInputs::owners` and `samples` if somebody gives them.
};

/// The declared inputs, and the data that the method prepared earlier.
struct MethodInputs {
  const Segmentation* segmentation = nullptr;  ///< Of the rig's mesh and skeleton at binding.
  std::span<const std::byte> prepared = {};    ///< Bytes of `DeformerMethod::prepare` for that rig and these options.
  /// Per joint how much of its twist may be spread along the bone before it, so that the surface is not worse than by
  /// linear blending. Empty: the method decides.
  std::span<const float> twist_factors = {};
  /// How far the method's correction may go at vertices, by the pose; a method that can make up for it elsewhere does.
  const PoseLimits* limits = nullptr;
  std::span<const Index> owners = {};    ///< The joint that owns each vertex of the mesh, or kNone; or empty.
  const PartSamples* samples = nullptr;  ///< Samples by hand.
  std::span<const std::vector<Vec3>> examples = {};     ///< Shapes of the mesh in poses, as a person made them.
  std::span<const std::optional<Tissue>> tissues = {};  ///< By hand: what vertices are made of, where painted.
  /// Binds only what the correction starts from.
  bool without_correction = false;
};

/// How the correction of a method is reduced where it would make the surface worse.
enum class LimitedBy {
  kMixing,    ///< By mixing its result with that of the base (`bind_limited`).
  kJoints,    ///< By `MethodInputs::twist_factors`.
  kVertices,  ///< By `MethodInputs::limits`, for which it makes up elsewhere; then by mixing.
};

/// A deformation method, with its options, needs and preparation. It is defined in the folder of the method; the
/// registry has one line for it.
struct DeformerMethod {
  std::string id;                          ///< Short name: "dqs".
  std::string name;                        ///< Plain name: "dual-quaternion".
  std::string when;                        ///< One line on when to use it.
  AnyOptions options = NoOptions{};        ///< The defaults.
  bool in_engines = false;                 ///< Every engine supports this method itself.
  std::vector<std::string> overlays = {};  ///< Names of the drawings of `Deformer::overlays`.

  /// The id of the method whose result this one corrects under these options, or "" for a result of its own. A
  /// corrected surface must never be worse than that of the base; the caller that binds the method reduces the
  /// correction where it would be (`bind_limited`). Empty: the method corrects nothing.
  std::function<std::string(const AnyOptions& options)> corrects = {};
  LimitedBy limited_by = LimitedBy::kMixing;
  std::vector<std::string> unlimited_options = {};  ///< Names of options that do not change the correction of a pose.

  bool uses_examples = false;  ///< The method uses `MethodInputs::examples` if somebody gives them.

  /// What the method needs under these options. Empty: nothing.
  std::function<MethodNeeds(const AnyOptions& options)> needs = {};

  /// The slow part of binding, which depends only on the rig and on few options, as bytes that can be stored. Empty:
  /// the method has no such part. Empty results are not stored. \throws Cancelled.
  std::function<std::vector<std::byte>(const Rig& rig, const MethodInputs& inputs, const AnyOptions& options,
                                       const Progress& progress)>
      prepare = {};
  std::vector<std::string> prepare_options = {};  ///< Names of the options that `prepare` reads.
  std::uint32_t prepare_version = 0;              ///< Raised when the format or meaning of the bytes changes.
  /// Whether stored bytes are complete and match the rig. Empty: they always do.
  std::function<bool(const Rig& rig, std::span<const std::byte> bytes)> accepts_prepared = {};

  /// Binds the method to a rig. This is slow and done once. Prepared bytes are optional, and bytes that do not match
  /// are ignored.
  /// \throws Error if the rig cannot be bound; Cancelled.
  std::function<std::unique_ptr<Deformer>(const Rig& rig, const MethodInputs& inputs, const AnyOptions& options,
                                          const Progress& progress)>
      bind;
};

/// All deformers: `lbs` linear, `dqs` dual-quaternion, `slbs` twist-safe, …. A program can add its own before it uses
/// any of them.
Registry<DeformerMethod>& deformers();

/// Binds the method with that id. `options` of the type `NoOptions` stand for the defaults of the method. \throws Error
/// for an unknown id, for options of another method, or if `inputs` lacks something that the method needs.
std::unique_ptr<Deformer> bind(std::string_view id, const Rig& rig, const AnyOptions& options = {},
                               const Progress& progress = {}, const MethodInputs& inputs = {});

}  // namespace sinew::deform
