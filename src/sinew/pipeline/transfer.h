// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Transfers weights, helper joints, drivers and clips from one character to another.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/method.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/pipeline/transfer_reference.h"
#include "sinew/transfer/method.h"

namespace sinew::pipeline {

/// How the reference's helper joints and their drivers are transferred.
enum class HelperTransfer {
  kScaled,  ///< Added, with positions scaled to the target.
  kCopy,    ///< Added with the same transform relative to their parents.
  kNone,    ///< Left out; their weight goes to the joints that they help.
};
constexpr auto option_words(HelperTransfer) { return std::array{"scaled", "copy", "none"}; }

/// Whose joints move the target.
enum class JointsFrom {
  kTarget,     ///< Its own.
  kReference,  ///< Also those of the reference that it lacks.
};
constexpr auto option_words(JointsFrom) { return std::array{"target", "reference"}; }

/// A position of a character: a vertex of its mesh, or a point in model space at binding.
struct LandmarkPlace {
  Index vertex = kNone;
  Vec3 position = Vec3::Zero();  ///< If there is no vertex.
};

/// Positions of the reference and of the target that correspond.
struct GivenLandmark {
  std::string name;
  LandmarkPlace reference, target;
};

struct TransferOptions {
  MethodChoice method{transfer::methods(), "auto"};
  /// Names of the reference's joints and their partners; an empty name for a joint without a partner.
  std::map<std::string, std::string> map;
  std::vector<GivenLandmark> landmarks;  ///< For methods that use landmarks; empty: proposed from the skeletons.
  HelperTransfer helpers = HelperTransfer::kScaled;
  JointsFrom joints_from = JointsFrom::kTarget;
  std::vector<std::string> only;  ///< Joints of the reference; empty for all.
  bool keep_existing = false;
  bool clips = false;
  bool morphs = false;
  transfer::TransferOptions weights;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("method", "How weights are transferred.").as("METHOD"), self.method);
    v(Field("map",
            "Which joints correspond: names of the reference's joints and of their partners, empty for a joint without "
            "a partner. Other pairs are found by name, role and position."),
      self.map);
    v(Field("helpers",
            "Helper joints of the reference and their drivers: added with positions scaled to the target, added "
            "unchanged relative to their parents, or left out."),
      self.helpers);
    v(Field("joints_from",
            "Whose joints move the target: its own, or also those of the reference that it lacks. A target without a "
            "skeleton gets the reference's."),
      self.joints_from);
    v(Field("only",
            "Transfer only the weights of these joints of the reference and of their helpers; other weights stay.")
          .as("JOINT,…"),
      self.only);
    v(Field("keep_existing", "Keep the weights of vertices that already have some."), self.keep_existing);
    v(Field("clips", "Also carry over the reference's clips."), self.clips);
    v(Field("morphs", "Also carry over the reference's morphs, to a target that lies on its body."), self.morphs);
    transfer::TransferOptions::visit(self.weights, v);
  }
};

/// A joint of the reference that has weight and no partner.
struct UnmatchedJoint {
  Index reference = kNone;
  Index weight_to = kNone;  ///< The joint of the result that gets its weight.
};

struct TransferResult {
  Character character;            ///< The target with its new rig. Vertices and faces are those of the target.
  bool skeleton_changed = false;  ///< Joints, skins or their bind matrices differ from the target's.

  /// Which joints correspond; `target` numbers joints of the result. For a target without a skeleton each primary joint
  /// of the reference corresponds to itself.
  transfer::JointMap joints;
  std::vector<Index> joint_of_reference;  ///< Per joint of the reference: the same joint in the result, or kNone.
  std::vector<UnmatchedJoint> unmatched;
  std::vector<std::string> added_joints;    ///< Names of joints that the target did not have.
  std::optional<transfer::FitSummary> fit;  ///< For a target without a skeleton: how it got one.

  /// Level and confidence of each new row; the rows themselves are of joints of the reference.
  transfer::WeightTransfer weights;
  std::vector<Index> vertices;            ///< Per new row: its vertex. Rigid parts of the target have no new rows.
  std::optional<Index> changed_vertices;  ///< With `only`: vertices whose row differs from before.
  std::optional<Index> kept_vertices;     ///< With `keep_existing`: vertices that kept their row.

  std::vector<std::string> new_morphs;  ///< Names of carried morphs.
  std::vector<Index> new_clips;         ///< Carried clips, by their number in `character.clips`.
  Findings findings;
  Findings notes;  ///< Why better methods were not used: for information only.
  std::vector<Fallback> fallbacks;
};

/// Called as a stage begins: "map" or "skeleton", those of the method, "rows", "clips".
using transfer::StageListener;

/// Gives a target the weights, helper joints and drivers of a reference. The target's own skeleton is matched with the
/// reference's; a target without a rig gets the reference's skeleton, fitted into it, with all nodes in the same order.
/// Nodes of such a target that move nothing are removed. The result is the same for any number of threads. \throws
/// Error if the target has no mesh or no part to give weights to, if a joint is unknown, if joints cannot be matched,
/// if an option does not fit, and as the method does; Cancelled.
TransferResult transfer(TransferReference& reference, const Character& target, const TransferOptions& options = {},
                        const Progress& progress = {}, const StageListener& on_stage = {});

/// The same for one target. The findings of the reference come first.
TransferResult transfer(const Character& reference, const Character& target, const TransferOptions& options = {},
                        const Progress& progress = {}, const StageListener& on_stage = {});

}  // namespace sinew::pipeline
