// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// How often a skeleton is put into a bare mesh as it should be. I. Baran and J. Popović, "Automatic rigging and
/// animation of 3D characters", 2007, report 13 of 16 characters without a hint. Here: made characters whose joints are
/// known, the same remeshed as generative models emit them, real ones whose files say where joints are, and all of that
/// without one penalty of the search after the other.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/lab/experiments.h"
#include "sinew/rigging/rigger.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {

/// A bare mesh, and what is known of the body in it.
struct EmbeddingSubject {
  std::string name;
  std::string kind;                   ///< The template that is right; empty: none is.
  Mesh mesh;                          ///< Parts hang on nothing.
  std::map<std::string, Vec3> truth;  ///< Where joints are, by the template's roles; empty: not known.
  double height = 1;  ///< What errors are shares of: the height of a human, else the longest side of the box.
};

/// A character of a kind that has a template of the same name, without its skeleton.
EmbeddingSubject made_embedding_subject(const std::string& kind, const shapes::MakeOptions& options,
                                        const Progress& progress = {});

/// How a skeleton lies in a subject. Errors are shares of its height.
struct EmbeddingOutcome {
  std::string template_name;  ///< Or "nothing", if the mesh was refused.
  bool fits = false;
  bool right_template = false;  ///< The kind's, and whole: all joints but optional ones.
  bool lacks_joints = false;    ///< The kind's, but not whole.
  bool warned = false;          ///< That it may be wrong: `rig.doubtful` or `rig.without`, or nothing fits.
  double confidence = 0;
  Index outside = 0;  ///< Joints where the mesh's winding number is at most ½, of all there are.
  std::string outside_names;
  // With the right template and a truth:
  Index compared = 0;      ///< Joints that both have, but optional ones.
  double error = 0;        ///< Their mean distance.
  Index bends = 0;         ///< Those of them that are knees and elbows.
  double bend_error = 0;   ///< Mean of these.
  double other_error = 0;  ///< Mean of the others.
  double worst_error = 0;
  std::string worst_joint;
  /// Limbs that are another's: with a joint nearer to the true place of its partner than to its own, or that lie, joint
  /// by joint, nearer to another limb of their kind (the next finger, a hind leg).
  Index swapped = 0;
  Index details = 0;  ///< Optional joints of the truth: fingers, tail, ears.
  Index details_found = 0;
  double details_error = 0;  ///< Mean of those found.
  double seconds = 0;        ///< Of the clock.

  /// Right template, every joint inside, no limb swapped, and the mean error below 6 %; without a truth only the first
  /// two. Where no template is right: not silently a human.
  bool right = false;
  /// Wrong, and nobody said so.
  bool silent() const { return !right && !warned; }
  /// Why it is not right, in a few words.
  std::string reason() const;
};

/// Compares a plan with the truth.
EmbeddingOutcome judge_embedding(const EmbeddingSubject& subject, const rigging::PlanResult& rigged);

/// How a skeleton is looked for.
struct EmbeddingTrial {
  std::string name;
  std::optional<rigging::PenaltyWeights> weights;
  rigging::RiggerOptions options;
};

/// Rigs a subject with all templates to choose from, and judges that. A mesh that is refused counts as one that nothing
/// fits.
EmbeddingOutcome try_embedding(const EmbeddingSubject& subject, const EmbeddingTrial& trial = {});

/// All nine penalties, each of them left out in turn, and the released library's constants. Without fingers, which no
/// penalty has a part in.
std::vector<EmbeddingTrial> embedding_ablations();

/// The experiment. Without made characters (`options.characters` 0) only the real ones, and no ablation.
Reproduction embedding_experiment(const ReproduceOptions& options, const Progress& progress);

/// Its parts, each adding tables, times, metrics and misses.
/// `count` made characters of each kind that has a template: proportions varied by 0.3, poses T, A and random in turn,
/// seeds `options.seed` and following.
void embedding_made(int count, const ReproduceOptions& options, const Progress& progress, Reproduction& result);
/// The same of humans and quadrupeds, remeshed by `MakeOptions::generated`.
void embedding_generated(int count, const ReproduceOptions& options, const Progress& progress, Reproduction& result);
/// The characters of `real_characters` in a folder, judged by class; those that are missing are listed. Returns some of
/// them for the ablation.
std::vector<EmbeddingSubject> embedding_real(const std::filesystem::path& folder, const ReproduceOptions& options,
                                             const Progress& progress, Reproduction& result);
/// `count` made characters of each kind, and those of the real ones that have a truth, under every one of
/// `embedding_ablations`.
void embedding_ablation(int count, const std::vector<EmbeddingSubject>& real, const ReproduceOptions& options,
                        const Progress& progress, Reproduction& result);

/// The member of a family that is tried at a place of the row.
shapes::MakeOptions embedding_member(const ReproduceOptions& options, int place, bool generated = false);

/// Figures over many characters.
struct EmbeddingSummary {
  int count = 0;
  int fits = 0, right_template = 0, warned = 0, right = 0, silent = 0;
  int with_outside = 0, with_swapped = 0;  ///< Of those that fit.
  Index outside = 0, swapped = 0;
  double error = 0, bend_error = 0, other_error = 0;  ///< Sums over characters that have such joints.
  int compared = 0, bent = 0;
  double worst_error = 0;
  std::string worst;  ///< The character with the largest mean error.
  Index details = 0, details_found = 0;
  double details_error = 0;  ///< Sum over those found.
  double seconds = 0, most_seconds = 0;
  /// A character that is not right, and why.
  struct Failure {
    std::string name, reason;
    bool warned = false;
  };
  std::vector<Failure> failures;

  void add(const std::string& name, const EmbeddingOutcome& outcome);
  double mean_error() const { return compared > 0 ? error / compared : 0; }
  double mean_bend_error() const { return bent > 0 ? bend_error / bent : 0; }
  double mean_other_error() const { return compared > 0 ? other_error / compared : 0; }
  double mean_details_error() const { return details_found > 0 ? details_error / details_found : 0; }
};

Json embedding_json(const EmbeddingSummary& all);

/// Who is not right, in rows of `table`: where, character, why, whether that was told.
void add_failures(const std::string& where, const EmbeddingSummary& all, ResultTable& table);
/// An empty table for that.
ResultTable failure_table(const std::string& id);

}  // namespace sinew::lab
