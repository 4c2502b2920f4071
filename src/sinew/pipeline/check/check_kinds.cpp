// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/text.h"
#include "sinew/pipeline/check/check.h"

namespace sinew::pipeline {
namespace {

constexpr CheckUnit kN = CheckUnit::kCount, kS = CheckUnit::kShare, kF = CheckUnit::kFactor, kL = CheckUnit::kOfSize,
                    kA = CheckUnit::kDegrees;
constexpr const char* kRepair = "weights {in} --repair -o {out}";
constexpr const char* kBind = "bind {in} -o {out}";

std::vector<CheckKind> make_kinds() {
  return {
      {"mesh.size",
       "how far the size is from 0.1–10 m",
       kF,
       0.1,
       {2, 5},
       "convert {in} --unit cm -o {out}",
       "Export with metres, or name the unit of the file with --unit."},
      {"mesh.up",
       "the character lies on its side",
       kN,
       0.5,
       {0, 0},
       "convert {in} --up z -o {out}",
       "Name the axis that points up with --up."},
      {"mesh.inside_out",
       "vertices of closed surfaces that face inwards",
       kS,
       0.002,
       {0, 0.05},
       "",
       "Recalculate the normals in a modeller."},
      {"mesh.facing",
       "edges whose faces are oriented inconsistently",
       kS,
       0.002,
       {0.01, 0.2},
       "",
       "Make the normals consistent in a modeller."},
      {"mesh.manifold",
       "edges with more than two faces",
       kS,
       0.002,
       {0.01, 0.3},
       "",
       "Remove inner faces in a modeller."},
      {"mesh.faces",
       "faces that are doubled or have no area",
       kS,
       0.002,
       {0.01, 0.2},
       "",
       "Merge by distance in a modeller."},
      {"skeleton.none", "the file has no skeleton with a skin", kN, 0.5, {{}, 0}, "rig {in} -o {out}", ""},
      {"skeleton.joints",
       "joints that deform the skin",
       kN,
       1,
       {200, 400},
       "",
       "Bind fewer joints with bind --joints."},
      {"skeleton.bind", "bind matrices without an inverse", kN, 0.5, {{}, 0}, kBind, ""},
      {"skeleton.rest",
       "distance of the rest pose from the bind pose",
       kL,
       0.005,
       {0.1, {}},
       "",
       "Export the character in its bind pose."},
      {"skeleton.outside",
       "distance of a joint from the skin outside which it is",
       kL,
       0.01,
       {0.05, 0.12},
       "rig {in} --replace -o {out}",
       "Move the joint into the limb."},
      {"skeleton.place",
       "distance of a joint from the skin that it moves",
       kL,
       0.01,
       {0.15, 0.3},
       kBind,
       "Move the joint, or bind again."},
      {"skeleton.scale",
       "joints with mirrored, uneven or zero scale at rest",
       kN,
       0.5,
       {0, {}},
       "",
       "Apply the scale before export."},
      {"skeleton.names",
       "main parts of the body that no joint name tells",
       kS,
       0.01,
       {0.25, {}},
       "",
       "Use the joint names of a known convention."},
      {"skeleton.doubled_names",
       "joints that share their name with another",
       kN,
       0.5,
       {0, {}},
       "",
       "Rename the joints."},
      {"skeleton.symmetry",
       "difference between the lengths of left and right bones",
       kS,
       0.02,
       {0.15, 0.7},
       "",
       "Mirror the skeleton."},
      {"weights.empty", "vertices without weights", kN, 0.5, {{}, 0}, "weights {in} --fill -o {out}", ""},
      {"weights.values", "vertices with negative or non-finite weights", kN, 0.5, {{}, 0}, kRepair, ""},
      {"weights.sums", "vertices whose weights do not sum to 1", kS, 0.001, {0, {}}, kRepair, ""},
      {"weights.influences",
       "most joints of a vertex",
       kN,
       0.5,
       {4, 8},
       "weights {in} --max-influences 4 -o {out}",
       ""},
      {"weights.seams",
       "seam vertices whose copies have different weights",
       kS,
       0.001,
       {0, 0.05},
       kRepair,
       "Give the copies of a vertex the same weights."},
      {"weights.bleeding",
       "vertices that move with a near but unconnected limb",
       kS,
       0.002,
       {0.004, 0.03},
       kRepair,
       ""},
      {"weights.stray",
       "vertices of patches far from the joint that moves them",
       kS,
       0.002,
       {0.004, 0.03},
       kRepair,
       ""},
      {"weights.sides", "vertices that a limb of the other side moves", kS, 0.002, {0.002, 0.02}, kBind, ""},
      {"weights.noise",
       "vertices with weights unlike those of all neighbours",
       kS,
       0.001,
       {0.002, 0.02},
       "weights {in} --smooth 2 -o {out}",
       ""},
      {"weights.hard",
       "share of a joint's border without a transition",
       kS,
       0.05,
       {0.5, 0.9},
       "weights {in} --smooth 3 -o {out}",
       ""},
      {"weights.pieces",
       "vertices of pieces that follow a joint far from where they touch",
       kS,
       0.002,
       {0.001, 0.05},
       kBind,
       "Bind the piece to the joint of the skin that it touches."},
      {"weights.symmetry",
       "vertices whose mirror image has other weights",
       kS,
       0.01,
       {0.1, {}},
       "weights {in} --mirror left-to-right -o {out}",
       ""},
      {"weights.idle", "limbs that move no skin", kN, 0.5, {0, {}}, kBind, ""},
      {"range.stretch", "largest stretch of an edge in the range of motion", kF, 0.1, {16, 60}, kBind, ""},
      {"range.volume",
       "largest change of volume at a bend of up to 90°",
       kS,
       0.02,
       {0.8, {}},
       "",
       "Use the deformer pbd or implicit, or add helper joints."},
      {"range.section",
       "largest loss of thickness of an elbow or knee at up to 90°",
       kS,
       0.02,
       {0.95, {}},
       "",
       "Use the deformer pbd or implicit, or add helper joints."},
      {"range.flips", "largest share of faces that turn over in a pose", kS, 0.002, {0.03, 0.15}, kBind, ""},
      {"range.intersections",
       "new intersections per face, in bends of up to 90°",
       kS,
       0.01,
       {0.2, {}},
       "",
       "Use the deformer implicit, or refine the weights."},
      {"range.gaps", "how far shells come apart", kL, 0.005, {0.05, 0.2}, kBind, ""},
      {"range.noise",
       "roughness of the posed surface, per edge length",
       kS,
       0.02,
       {0.3, 0.7},
       "weights {in} --smooth 2 -o {out}",
       ""},
      {"clips.empty", "clips that move nothing", kN, 0.5, {0, {}}, "", "Remove the clip."},
      {"clips.jumps",
       "largest sudden turn of a joint within one frame",
       kA,
       5,
       {90, 150},
       "",
       "Look at the clip there, and export it with more keys."},
      {"clips.stretch",
       "largest change of a bone's length in clips",
       kF,
       0.1,
       {8, {}},
       "",
       "Retarget the clip to this skeleton."},
  };
}

// The differences of the other profiles from `game`.
void set(CheckProfile& profile, const char* id, CheckLimit limit) { profile.limits.at(id) = limit; }

void make_vrm(CheckProfile& p) {
  set(p, "skeleton.names", {0, 0.1});
  set(p, "mesh.size", {1, 2});
  set(p, "skeleton.doubled_names", {{}, 0});
}

void make_film(CheckProfile& p) {
  set(p, "weights.influences", {8, 16});
  set(p, "skeleton.joints", {600, {}});
  set(p, "weights.noise", {0.001, 0.005});
  set(p, "range.volume", {0.2, 0.5});
  set(p, "range.section", {0.3, 0.6});
  set(p, "range.stretch", {3, 6});
  set(p, "range.noise", {0.15, 0.4});
}

void make_strict(CheckProfile& p) {
  for (auto& [id, limit] : p.limits)
    if (limit.check) limit.fail = limit.check;
}

}  // namespace

std::string_view verdict_name(CheckVerdict verdict) {
  return verdict == CheckVerdict::kPass ? "PASS" : verdict == CheckVerdict::kCheck ? "CHECK" : "FAIL";
}

CheckVerdict CheckLimit::judge(double value) const {
  if (fail && value > *fail) return CheckVerdict::kFail;
  return check && value > *check ? CheckVerdict::kCheck : CheckVerdict::kPass;
}

std::string check_value_text(double value, CheckUnit unit) {
  switch (unit) {
    case CheckUnit::kCount:
      return fmt::format("{:.0f}", value);
    case CheckUnit::kShare:
      return fmt::format("{:.3g} %", 100 * value);
    case CheckUnit::kFactor:
      return fmt::format("{:.3g} ×", value);
    case CheckUnit::kOfSize:
      return fmt::format("{:.3g} % of the size", 100 * value);
    case CheckUnit::kDegrees:
      return fmt::format("{:.0f}°", value);
  }
  return {};
}

const std::vector<CheckKind>& check_kinds() {
  static const std::vector<CheckKind> kinds = make_kinds();
  return kinds;
}

std::vector<std::string> check_profile_names() { return {"game", "vrm", "film", "strict"}; }

CheckProfile check_profile(const std::string& name) {
  CheckProfile profile{name, {}};
  for (const CheckKind& kind : check_kinds()) profile.limits[kind.id] = kind.game;
  if (name == "game") return profile;
  if (name == "vrm") make_vrm(profile);
  else if (name == "film") make_film(profile);
  else if (name == "strict") make_strict(profile);
  else
    throw Error(fmt::format("There is no profile '{}'.{} Profiles are {}, or a JSON file.", name,
                            did_you_mean(name, check_profile_names()), join_some(check_profile_names())));
  return profile;
}

CheckProfile check_profile_from_json(const Json& json) {
  if (!json.is_object()) throw Error("A profile is a JSON object with 'name', 'based_on' and 'limits'.");
  for (const auto& [key, value] : json.items()) {
    if (key != "name" && key != "based_on" && key != "limits")
      throw Error(fmt::format("A profile has no '{}'. It has 'name', 'based_on' and 'limits'.", key));
    if (key != "limits" && !value.is_string()) throw Error(fmt::format("'{}' of a profile is a text.", key));
  }
  CheckProfile profile = check_profile(json.value("based_on", "game"));
  profile.name = json.value("name", profile.name);
  const Json limits = json.value("limits", Json::object());
  if (!limits.is_object()) throw Error("'limits' of a profile is an object with an entry per check.");
  std::vector<std::string> known;
  for (const CheckKind& kind : check_kinds()) known.emplace_back(kind.id);
  for (const auto& [id, limit] : limits.items()) {
    if (!profile.limits.contains(id))
      throw Error(fmt::format("The profile names the check '{}', which there is not.{}", id, did_you_mean(id, known)));
    if (!limit.is_object()) throw Error(fmt::format("The limits of '{}' are an object of 'check' and 'fail'.", id));
    for (const auto& [word, number] : limit.items()) {
      const bool good = (word == "check" || word == "fail") &&
                        (number.is_null() || (number.is_number() && std::isfinite(number.get<double>())));
      if (!good) throw Error(fmt::format("The limits of '{}' are 'check' and 'fail': numbers, or null for none.", id));
      (word == "check" ? profile.limits[id].check : profile.limits[id].fail) =
          number.is_null() ? std::optional<double>() : number.get<double>();
    }
  }
  return profile;
}

}  // namespace sinew::pipeline
