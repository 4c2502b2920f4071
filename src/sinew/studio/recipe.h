// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The recipe of a character: a file and the steps that were applied to it. The studio keeps what a person does as a
/// recipe, and `sinew rig MESH --session FILE` repeats it, with the same bytes. docs/formats/recipe.md describes it.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/core/stage_listener.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/rig_options.h"

namespace sinew::studio {

inline constexpr int kRecipeSchema = 1;

/// Options of the step `rig`.
struct RigStep {
  std::string template_name = "auto";
  std::string preset = "plain";
  pipeline::RigOptions rig;
  std::string stand = "auto";
  io::PlacementOptions placement;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("template", "Body plan.").one_of(pipeline::template_words()), self.template_name);
    v(Field("preset", "Joint names, axes and rest pose for a target program.").one_of(pipeline::preset_words()),
      self.preset);
    pipeline::RigOptions::visit(self.rig, v);
    v(Field("stand", "Whether a body that lies or faces another way is turned.").one_of({"auto", "on", "off"}),
      self.stand);
    io::PlacementOptions::visit(self.placement, v);
  }
};

/// What is known of a joint that Sinew placed.
struct PlacedJoint {
  std::string hint;    ///< The name that a hint for it has; empty if it takes none.
  std::string origin;  ///< How it was located; empty for a joint of the file.
  double confidence = 1;
  Index partner = kNone;
};

/// A character after some steps.
struct Built {
  io::Asset asset;
  io::SaveOptions save;
  bool changed = false;          ///< Whether any step changed anything.
  bool rigged = false;           ///< The skeleton was made by a step.
  bool posed = false;            ///< The step changed the rest pose of the mesh, so that joints cannot be moved.
  Mat4 turn = Mat4::Identity();  ///< From the coordinates of the file to those of the character.
  std::string template_name;
  bool fits = true;
  double confidence = 1;
  bool symmetric = false;
  std::vector<PlacedJoint> placed;             ///< Per joint; empty unless `rigged`.
  std::map<std::string, std::string> renamed;  ///< Names of joints in earlier steps, and those that they have now.
  /// Weights of the file, or as they were computed last: before anything was painted.
  std::shared_ptr<const SkinWeights> automatic;
  std::vector<std::string> origins;  ///< Methods that computed weights, with the reason.
  std::vector<std::uint8_t> origin;  ///< Per vertex: which of them; empty if it is unknown.
  std::vector<float> sureness;       ///< Of computed weights, per vertex, 0 to 1; empty if it is unknown.
  /// What became of painted weights in the last step `bind`: boundary values of its solution, or put back after it.
  enum class Paint { kNone, kSolved, kPutBack };
  Paint paint = Paint::kNone;
  std::size_t painted_vertices = 0;  ///< That the last step `bind` kept.
  Findings findings;
};

/// Finds a file that a step uses, such as one with clips, by its plain name; an empty path if there is none.
using FileFinder = std::function<std::filesystem::path(const std::string& name)>;

/// Applies steps to a file. Results of prefixes are kept, so that undoing is quick. Not for several threads at once.
class RecipeBuilder {
 public:
  explicit RecipeBuilder(std::shared_ptr<const io::Asset> input, FileFinder files = {});

  const io::Asset& input() const { return *input_; }

  /// The character after all steps, an array. A hint of a later step `joints` counts from the start: the rig is made
  /// once, with all of them, and then the other steps follow in their order. Weights that were painted, and pieces that
  /// follow a joint, are kept by a later step `bind`; painted rows are boundary values of it if its method takes such.
  /// `on_stage` hears the stages of rigging. \throws Error that names the step; Cancelled.
  std::shared_ptr<const Built> build(const Json& steps, const Progress& progress = {},
                                     const StageListener& on_stage = {});

 private:
  std::shared_ptr<const Built> rigged(const Json& step, const Json& hints, const Progress& progress,
                                      const StageListener& on_stage);
  std::shared_ptr<const Built> find(const std::string& key);
  std::shared_ptr<const Built> keep(const std::string& key, Built built);

  std::shared_ptr<const io::Asset> input_;
  FileFinder files_;
  std::vector<std::pair<std::string, std::shared_ptr<const Built>>> kept_;  ///< The latest last.
};

/// \throws Error unless it is an array of known steps of the right form.
void check_steps(const Json& steps);

/// A sentence about a step, for lists: "Rig", "Move LeftForeArm".
std::string step_label(const Json& step);

/// A recipe as JSON. `view` is for the studio only.
Json recipe_json(const io::Asset& input, const Json& steps, const Json& view);

/// The steps of a recipe for this file. \throws Error if it is no recipe, or one for another file or for other files
/// beside it, such as materials.
Json recipe_steps(const Json& recipe, const io::Asset& input);

/// Writes a character that was built. \throws Error as `io::save`.
void save_built(const Built& built, const std::filesystem::path& path, Report& report);

}  // namespace sinew::studio
