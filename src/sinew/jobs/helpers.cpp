// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/helpers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "sinew/binding/segment/segmentation.h"
#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/core/result_table.h"
#include "sinew/deform/deformer.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/helpers_select.h"
#include "sinew/measure/posed_agreement.h"
#include "sinew/motion/bake_drivers.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/helpers_measure.h"
#include "sinew/pipeline/helpers_places.h"
#include "sinew/rigging/helpers/bend_joints.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

namespace fs = std::filesystem;

constexpr int kMostPerBone = 15;
// A section that is thinner than the formula by more than this is worth a word.
constexpr double kWideBlend = 0.15;

fs::path helpers_output(const JobRequest& request) {
  const std::string name = request.inputs.front().filename().string();
  std::string ending = ".glb";
  for (const char* own : {".gltf", ".vrm", ".rig.json"})
    if (name.ends_with(own)) ending = own;
  const fs::path output = output_path(request, "helpers", ending);
  const auto& format = io::format_of(output);
  if (format.id != "gltf" && format.id != "rig")
    throw Error(
        fmt::format("{} cannot hold helper joints. Write a .glb, .gltf, .vrm or .rig.json file.", output.string()));
  return output;
}

int joints_per_bone(const HelpersOptions& options) {
  if (options.per_bone == "auto") return rigging::twist_joints_needed(radians(options.max_twist), options.min_section);
  int count = 0;
  const char* end = options.per_bone.data() + options.per_bone.size();
  const auto [rest, problem] = std::from_chars(options.per_bone.data(), end, count);
  if (problem != std::errc{} || rest != end || count < 1 || count > kMostPerBone)
    throw Error(fmt::format("--per-bone is a number from 1 to {} or auto, not '{}'.", kMostPerBone, options.per_bone));
  return count;
}

/// One run of the command.
struct HelpersRun {
  const JobRequest& request;
  const HelpersOptions& options;
  const Progress& progress;
  Report& report;
  fs::path output;
  int per_bone = 1;
  io::Asset asset = {};
  Rig before = {};
  std::vector<Mat4> frames = {};
  std::vector<rigging::TwistBone> bones = {};
  motion::Recognition recognition = {};
  std::vector<rigging::AddedTwist> twists = {};
  std::vector<rigging::AddedBend> bent = {};
  std::vector<std::pair<Index, std::size_t>> longer_clips = {};

  Rig& rig() { return asset.character.rig; }
  const std::string& name(Index joint) { return rig().skeleton.joints[joint].name; }

  void read();
  void choose();
  void add();
  void add_bends();
  template <class Take>
  void take_each(const std::vector<std::string>& words, const std::string& flag, const Take& take);
  void add_twists(TwistKnowledge& knowledge);
  void pair_sides();
  void cap();
  void tell_twists(const TwistKnowledge& knowledge);
  void tell_bends();
  void bake();
  void write();
};

void HelpersRun::read() {
  const StageTimer timer(report, "read");
  progress.step("reading", 0.0);
  asset = io::load(request.inputs.front(), {}, progress);
  report.inputs = asset.files;
  report.warn(asset.warnings);
  const bool skinned = std::any_of(rig().mesh.parts.begin(), rig().mesh.parts.end(),
                                   [](const MeshPart& part) { return part.skin != kNone && part.vertex_count > 0; });
  if (rig().skeleton.empty() || rig().weights.empty() || !skinned)
    throw Error(
        fmt::format("{} has no skin, so helper joints would move nothing.{}", request.inputs.front().string(),
                    rig().skeleton.empty() ? " Rig it first with sinew rig." : " Make weights with sinew bind."));
  report.text += fmt::format("read       {}: {} vertices, {} joints\n", request.inputs.front().string(),
                             rig().mesh.vertex_count(), rig().skeleton.size());
}

// Calls `take(joint)` for the joints of words. What a joint that was named itself cannot have is an error; of a part of
// the body the others stay, if there are any, and a warning tells.
template <class Take>
void HelpersRun::take_each(const std::vector<std::string>& words, const std::string& flag, const Take& take) {
  std::vector<char> seen(before.skeleton.size(), 0);
  std::vector<std::pair<Index, std::string>> refused;
  Index taken = 0;
  for (const std::string& word : words)
    for (const Index joint : joints_of_words(before, recognition, {word}, flag)) {
      if (seen[joint] != 0) continue;
      seen[joint] = 1;
      try {
        take(joint);
        ++taken;
      } catch (const Error& error) {
        if (before.skeleton.find(word) != kNone) throw;
        refused.emplace_back(joint, error.what());
      }
    }
  if (!refused.empty() && taken == 0) throw Error(refused.front().second);
  for (const auto& [joint, why] : refused) report.warn("helpers.left_out", before.skeleton.joints[joint].name, why);
}

void HelpersRun::choose() {
  before = rig();
  recognition = motion::recognize(before.skeleton);
  take_each(options.twist, "--twist", [&](Index joint) { bones.push_back(twist_bone(before, recognition, joint)); });
}

void HelpersRun::add() {
  const StageTimer timer(report, "add");
  frames = binding_matrices(rig(), report.warnings);
  progress.step("segmenting", 0.1);
  TwistKnowledge knowledge;
  if (!bones.empty()) knowledge = twist_knowledge(before, report.warnings, progress);
  add_bends();
  add_twists(knowledge);
  pair_sides();
  cap();
  progress.step("measuring", 0.6);
  if (!twists.empty()) tell_twists(knowledge);
  if (!bent.empty()) tell_bends();
}

// Before the twist joints, which take weight away from the joints that bend.
void HelpersRun::add_bends() {
  take_each(options.bend, "--bend", [&](Index joint) {
    for (const Joint& other : before.skeleton.joints)
      if (other.driver && other.driver->kind == Driver::Kind::kPolynomial && other.driver->source == joint)
        throw Error(
            fmt::format("The joint '{}' has a helper already: '{}'. Leave it out, or start from the file "
                        "without it.",
                        name(joint), other.name));
    bent.push_back(rigging::add_bend_joint(rig(), joint, bend_axis(before, recognition, joint, frames), frames));
  });
}

void HelpersRun::add_twists(TwistKnowledge& knowledge) {
  for (const rigging::TwistBone& bone : bones) {
    std::vector<float> places = rigging::twist_places(before, knowledge.segmentation, knowledge.share, bone, frames);
    knowledge.rigid_vertices += place_rigid_shells(before, knowledge, bone, frames, places);
    twists.push_back(rigging::add_twist_joints(rig(), bone, per_bone, places));
  }
}

void HelpersRun::pair_sides() {
  const auto partner = [&](Index joint) {
    if (before.skeleton.joints[joint].mirror != kNone) return before.skeleton.joints[joint].mirror;
    motion::JointRole role = recognition.roles[joint];
    if (role.empty() || role.side == motion::Side::kMiddle) return kNone;
    role.side = role.side == motion::Side::kLeft ? motion::Side::kRight : motion::Side::kLeft;
    return recognition.find(role.part, role.side, role.number);
  };
  for (const auto& a : twists)
    for (const auto& b : twists)
      if (a.bone.joint < b.bone.joint && partner(a.bone.joint) == b.bone.joint)
        pair_helpers(rig().skeleton, a.helpers, b.helpers);
  for (const auto& a : bent)
    for (const auto& b : bent)
      if (a.joint < b.joint && partner(a.joint) == b.joint) pair_helpers(rig().skeleton, {a.helper}, {b.helper});
}

void HelpersRun::cap() {
  const Index most = options.max_influences > 0 ? static_cast<Index>(options.max_influences)
                                                : std::max<Index>(4, before.weights.max_influences());
  const SkinWeights whole = rig().weights;
  SkinWeights cut;
  cut.reserve(whole.row_count(), whole.influence_count());
  Index rows = 0;
  double largest = 0;
  for (Index v = 0; v < whole.row_count(); ++v) {
    const auto row = whole.row(v);
    if (row.size() <= most) {
      cut.add_row(row);
      continue;
    }
    double sum = 0, dropped = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double weight = std::max(0.0F, row[i].weight);
      sum += weight;
      if (i >= most) dropped += weight;
    }
    std::vector<Influence> kept(row.begin(), row.end());
    cap_row(kept, static_cast<int>(most));
    for (Influence& influence : kept)
      influence.weight = static_cast<float>(static_cast<double>(influence.weight) * sum);
    cut.add_row(kept);
    ++rows;
    if (sum > 0) largest = std::max(largest, dropped / sum);
  }
  report.metrics["cap"] = {{"influences", most}, {"rows", rows}, {"largest_share_dropped", largest}};
  if (rows == 0) return;
  const measure::PosedAgreement posed = measure::posed_agreement(rig(), cut, progress);
  report.metrics["cap"]["largest_displacement_m"] = posed.max;
  report.metrics["cap"]["rms_displacement_m"] = posed.rms;
  report.text += fmt::format(
      "cap        {} influences: {} rows cut, {:.2g} % of a row at most; a vertex moves by {:.2g} m at most when any "
      "joint turns by 45°\n",
      most, rows, 100 * largest, posed.max);
  rig().weights = std::move(cut);
}

void HelpersRun::tell_twists(const TwistKnowledge& knowledge) {
  const double angle = radians(options.max_twist), formula = rigging::twist_section(angle, per_bone);
  ResultTable table;
  table.id = "twists";
  table.title = fmt::format(
      "twist      {} joints on {} bones; at {:g}° the thinnest section and the distance from SLBS, in % of the size:",
      static_cast<std::size_t>(per_bone) * twists.size(), twists.size(), options.max_twist);
  table.header = {"bone", "from", "vertices", "thinnest", "now", "formula", "SLBS", "off SLBS", "now", "at most"};
  Json json = Json::array();
  for (const rigging::AddedTwist& added : twists) {
    progress.check();
    const TwistTrial trial(before, knowledge, added.bone, angle);
    const TwistResult was = trial.measure(before), is = trial.measure(rig());
    const double safe = trial.thinnest_safe(), possible = std::min(formula, safe);
    if (is.thinnest < possible - kWideBlend)
      report.warn(
          "helpers.wide_blend", name(added.bone.joint),
          fmt::format("A section of the bone to '{}' keeps {:.2f} of its area, where {} twist joints could keep "
                      "{:.2f}: the weights of the joints at its ends reach far along it.",
                      name(added.bone.child), is.thinnest, per_bone, possible));
    std::vector<std::string> helpers;
    for (const Index helper : added.helpers) helpers.push_back(name(helper));
    table.rows.push_back(
        {fmt::format("{} → {}", name(added.bone.joint), name(added.bone.child)), added.bone.near ? "near" : "far",
         fmt::format("{}", added.vertices), fmt::format("{:.3f}", was.thinnest), fmt::format("{:.3f}", is.thinnest),
         fmt::format("{:.3f}", formula), fmt::format("{:.3f}", safe), fmt::format("{:.3f}", 100 * was.rms_rel),
         fmt::format("{:.3f}", 100 * is.rms_rel), fmt::format("{:.3f}", 100 * is.max_rel)});
    json.push_back(
        {{"joint", name(added.bone.joint)},
         {"child", name(added.bone.child)},
         {"from", added.bone.near ? "near" : "far"},
         {"helpers", helpers},
         {"vertices", added.vertices},
         {"thinnest", {{"before", was.thinnest}, {"after", is.thinnest}, {"formula", formula}, {"slbs", safe}}},
         {"off_slbs_rel",
          {{"before", {{"rms", was.rms_rel}, {"max", was.max_rel}}},
           {"after", {{"rms", is.rms_rel}, {"max", is.max_rel}}}}}});
  }
  report.metrics["twists"] = std::move(json);
  report.metrics["per_bone"] = per_bone;
  report.metrics["rigid_vertices"] = knowledge.rigid_vertices;
  report.text += table_text(table);
}

void HelpersRun::tell_bends() {
  ResultTable table;
  table.id = "bends";
  table.title = fmt::format("bend       {} joints; volume near each at 90°, relative to rest:", bent.size());
  table.header = {"joint", "helper", "vertices", "before", "after"};
  Json json = Json::array();
  for (const rigging::AddedBend& added : bent) {
    table.rows.push_back({name(added.joint), name(added.helper), fmt::format("{}", added.vertices),
                          fmt::format("{:.3f}", added.volume_before), fmt::format("{:.3f}", added.volume_after)});
    json.push_back({{"joint", name(added.joint)},
                    {"helper", name(added.helper)},
                    {"vertices", added.vertices},
                    {"growth_per_rad2", added.growth},
                    {"volume", {{"before", added.volume_before}, {"after", added.volume_after}}}});
  }
  report.metrics["bends"] = std::move(json);
  report.text += table_text(table);
}

void HelpersRun::bake() {
  if (!options.bake) return;
  progress.step("baking", 0.8);
  std::vector<Clip>& clips = asset.character.clips;
  for (Index c = 0; c < clips.size(); ++c) {
    progress.check();
    const std::size_t first = motion::bake_drivers(rig(), clips[c]);
    if (first < clips[c].tracks.size()) longer_clips.emplace_back(c, first);
  }
  report.metrics["baked_clips"] = longer_clips.size();
  if (!longer_clips.empty())
    report.text += fmt::format("baked      into {} clip{}\n", longer_clips.size(), longer_clips.size() == 1 ? "" : "s");
}

void HelpersRun::write() {
  const StageTimer timer(report, "write");
  progress.step("writing", 0.9);
  keep_backup(request, output);
  io::SaveOptions save;
  save.changes.weights = true;
  save.changes.skeleton = true;
  save.longer_clips = longer_clips;
  io::save(asset, output, save, report);
  report.text += fmt::format("wrote      {}\n", output.string());
  report.metrics["joints_added"] = rig().skeleton.size() - before.skeleton.size();
  if (io::format_of(output).id == "rig") report.next = "sinew info " + shell_word(output);
  else
    report.next = fmt::format("sinew render {} --clip exercise --sheet -o {}", shell_word(output),
                              shell_word(output.parent_path() / (output.stem().string() + "_sheet.png")));
}

}  // namespace

Report helpers(const JobRequest& request, const HelpersOptions& options, const Progress& progress) {
  if (options.twist.empty() && options.bend.empty())
    throw Error("There is nothing to add. Say which: --twist forearm,upperarm,thigh or --bend elbow,knee.");
  Report report;
  report.command = "helpers";
  HelpersRun run{request, options, progress, report, helpers_output(request), joints_per_bone(options)};
  run.read();
  run.choose();
  run.add();
  run.bake();
  run.write();
  return report;
}

}  // namespace sinew::jobs
