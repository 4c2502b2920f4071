// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/io/rig_json.h"
#include "sinew/jobs/bind_colors.h"
#include "sinew/jobs/bind_select.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/pipeline/bind_parts.h"
#include "sinew/pipeline/bind_subject.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

namespace fs = std::filesystem;

/// A joint without a vertex of at least this weight moves nothing that can be seen.
constexpr float kNoticeable = 0.01F;
/// Below this confidence a vertex is worth a look.
constexpr float kDoubtful = 0.5F;

std::string count_of(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 6;
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kListed)));
  return fmt::format("{}{}", fmt::join(first, ", "),
                     names.size() > kListed ? fmt::format(" and {} more", names.size() - kListed) : "");
}

/// One run of the command.
struct BindRun {
  const JobRequest& request;
  const BindJobOptions& options;
  const Progress& progress;
  Report& report;
  fs::path output;
  io::Asset asset;
  std::vector<Mat4> frames;
  std::vector<char> bound_joints;
  std::vector<PartPlan> plan;
  Wishes wishes;
  std::vector<char> left_out;

  Rig& rig() { return asset.character.rig; }
  std::string input() const { return request.inputs.front().string(); }

  void read();
  void choose();
  void tell_parts();
  void make_weights();
  void hang_rigid(binding::BindResult& bound, std::vector<Index>& vertices) const;
  void tell(const binding::BindResult& bound, const SkinChanges& changes);
  void write(const SkinChanges& changes);
};

void BindRun::read() {
  const StageTimer timer(report, "read");
  progress.step("reading", 0.0);
  asset = io::load(request.inputs.front(), options.placement, progress);
  report.inputs = asset.files;
  report.warn(asset.warnings);
  if (rig().mesh.positions.empty()) throw Error(fmt::format("{} has no mesh to bind.", input()));
  if (!options.rig.empty()) {
    const io::Bytes bytes = io::read_file(options.rig);
    report.inputs.push_back(io::describe(options.rig, bytes));
    const std::size_t known = asset.warnings.size();
    io::apply_rig(asset, io::read_rig_json(bytes, options.rig));
    report.warn(Findings(asset.warnings.begin() + static_cast<std::ptrdiff_t>(known), asset.warnings.end()));
  }
  if (rig().skeleton.empty())
    throw Error(fmt::format("{} has no skeleton to bind to. Give it one with --rig NAME.rig.json.", input()));
  report.text += fmt::format(
      "read       {}: {}, {}, {}\n", input(), count_of(rig().mesh.vertex_count(), "vertex", "vertices"),
      count_of(rig().mesh.parts.size(), "part", "parts"), count_of(rig().skeleton.size(), "joint", "joints"));
}

void BindRun::choose() {
  binding::Subject whole = bind_subject(rig(), options.joints, report.warnings);
  frames = std::move(whole.joints);
  bound_joints = std::move(whole.bound);
  plan = plan_parts(rig(), bound_joints);
  wishes = read_wishes(asset.character, options.rigid, options.exclude);
  left_out = heed_wishes(rig(), wishes, plan);
  const auto bound = std::count(bound_joints.begin(), bound_joints.end(), 1);
  report.metrics["joints"] = {{"bound", bound}, {"all", rig().skeleton.size()}};
  report.text +=
      fmt::format("joints     {} of {}{}\n", bound, rig().skeleton.size(), options.joints.empty() ? "" : ", as named");
  tell_parts();
}

void BindRun::tell_parts() {
  std::vector<std::string> kept, excluded;
  for (std::size_t p = 0; p < plan.size(); ++p)
    if (plan[p].treatment == PartTreatment::kKeep)
      (plan[p].reason == "excluded" ? excluded : kept).push_back(rig().mesh.parts[p].name);
  const Index spared = wishes.excluded_count();
  report.metrics["parts"] = {
      {"bound", plan.size() - kept.size() - excluded.size()}, {"kept", kept}, {"excluded", excluded}};
  report.metrics["excluded_vertices"] = spared;
  if (kept.size() + excluded.size() == plan.size())
    throw Error(fmt::format("{}: every part of the mesh hangs rigidly on a joint{}, so there is nothing to bind.",
                            input(), excluded.empty() ? "" : " or is excluded"));
  if (spared > 0)
    report.text += fmt::format("excluded   {}{}\n", count_of(spared, "vertex", "vertices"),
                               excluded.empty() ? "" : ", with all of " + some_of(excluded));
  if (!kept.empty())
    report.text += fmt::format("kept       {} that {} rigidly on a joint: {}\n", count_of(kept.size(), "part", "parts"),
                               kept.size() == 1 ? "hangs" : "hang", some_of(kept));
}

void BindRun::make_weights() {
  ChosenParts chosen = chosen_parts(rig().mesh, plan, left_out);
  const bool by_method = !chosen.vertices.empty();
  if (!by_method && wishes.rigid_count() == 0) throw Error(fmt::format("{} has no vertices to bind.", input()));
  const Skeleton skeleton = with_leaf_ends(rig(), frames, bound_joints);
  const binding::Subject subject{chosen.mesh, skeleton, frames, bound_joints};
  binding::BindResult bound;
  if (by_method) {
    const StageTimer timer(report, "bind");
    bound = binding::bind(options.method, subject, options.bind, progress);
  }
  hang_rigid(bound, chosen.vertices);
  const SkinChanges changes = put_weights(rig(), plan, chosen.vertices, bound.weights, frames, bound_joints);
  if (options.debug_colors) rig().mesh.colors = debug_colors(bound, chosen.vertices, rig().mesh.positions.size());
  tell(bound, changes);
  write(changes);
}

// Rows for what shall hang on one joint, behind those the method made.
void BindRun::hang_rigid(binding::BindResult& bound, std::vector<Index>& vertices) const {
  if (wishes.rigid_count() == 0) return;
  const auto origin = static_cast<std::uint8_t>(bound.origins.size());
  bound.origins.push_back({"rigid", "on one joint, as named"});
  for (Index v = 0; v < wishes.rigid.size(); ++v) {
    if (wishes.rigid[v] == kNone) continue;
    bound.weights.add_row({Influence{wishes.rigid[v], 1.0F}});
    bound.origin.push_back(origin);
    bound.confidence.push_back(1.0F);
    vertices.push_back(v);
  }
}

void BindRun::tell(const binding::BindResult& bound, const SkinChanges& changes) {
  report.warn(bound.findings);
  report.fallbacks.insert(report.fallbacks.end(), bound.fallbacks.begin(), bound.fallbacks.end());
  report.metrics["vertices"] = bound.origin.size();
  Json origins = Json::array();
  for (std::size_t o = 0; o < bound.origins.size(); ++o) {
    const auto count = std::count(bound.origin.begin(), bound.origin.end(), o);
    if (count == 0) continue;
    origins.push_back({{"method", bound.origins[o].method}, {"reason", bound.origins[o].reason}, {"vertices", count}});
    if (options.debug_colors) origins.back()["color"] = debug_color_name(o);
    report.text +=
        fmt::format("bound      {} by {}: {}{}\n", count_of(static_cast<std::size_t>(count), "vertex", "vertices"),
                    bound.origins[o].method, bound.origins[o].reason,
                    options.debug_colors ? fmt::format(" ({})", debug_color_name(o)) : "");
  }
  report.metrics["origins"] = std::move(origins);
  for (const auto& item : bound.metrics.items()) report.metrics[item.key()] = item.value();
  for (const Fallback& fallback : bound.fallbacks) report.text += fmt::format("instead    {}\n", fallback.text);
  std::vector<char> moves(rig().skeleton.joints.size(), 0);
  for (Index v = 0; v < bound.weights.row_count(); ++v)
    for (const Influence& influence : bound.weights.row(v))
      if (influence.weight >= kNoticeable) moves[influence.joint] = 1;
  std::vector<std::string> idle;
  for (Index j = 0; j < rig().skeleton.size(); ++j)
    if (bound_joints[j] != 0 && moves[j] == 0) idle.push_back(rig().skeleton.joints[j].name);
  report.metrics["joints_without_vertices"] = idle;
  if (!idle.empty())
    report.text +=
        fmt::format("idle       {} without vertices: {}\n", count_of(idle.size(), "joint", "joints"), some_of(idle));
  const auto doubtful = std::count_if(bound.confidence.begin(), bound.confidence.end(),
                                      [](float confidence) { return confidence < kDoubtful; });
  report.metrics["low_confidence"] = doubtful;
  if (doubtful > 0)
    report.text +=
        fmt::format("doubtful   {} worth a look\n", count_of(static_cast<std::size_t>(doubtful), "vertex", "vertices"));
  report.metrics["max_influences"] = bound.weights.max_influences();
  report.metrics["skins"] = {{"new", changes.new_skins},
                             {"newly_skinned_parts", changes.newly_skinned_parts},
                             {"added_joints", changes.added_joints}};
  if (changes.newly_skinned_parts > 0)
    report.text +=
        fmt::format("skinned    {} that had no skin\n", count_of(changes.newly_skinned_parts, "part", "parts"));
  if (changes.added_joints > 0)
    report.text +=
        fmt::format("listed     {} in skins that did not have {}\n", count_of(changes.added_joints, "joint", "joints"),
                    changes.added_joints == 1 ? "it" : "them");
}

void BindRun::write(const SkinChanges& changes) {
  const StageTimer timer(report, "write");
  progress.step("writing", 0.9);
  keep_backup(request, output);
  io::SaveOptions save_options;
  save_options.changes.weights = true;
  save_options.changes.skeleton = changes.any() || !options.rig.empty();
  io::save(asset, output, save_options, report);
}

// The built-in clip that bends most at once.
std::string telling_clip(const Skeleton& skeleton) {
  const std::vector<std::string> made = motion::builtin_clip_names(skeleton);
  for (const char* name : {"run", "walk", "flap"})
    if (std::find(made.begin(), made.end(), name) != made.end()) return std::string("builtin:") + name;
  return "builtin:exercise";
}

// Formats that have a place for weights.
void check_holds_weights(const fs::path& output) {
  const auto& format = io::format_of(output);
  if (!format.make.write || (format.id != "gltf" && format.id != "rig"))
    throw Error(fmt::format("{} cannot hold weights. Write .glb, .gltf, .vrm or .rig.json.", output.string()));
}

}  // namespace

Report bind(const JobRequest& request, const BindJobOptions& options, const Progress& progress) {
  Report report;
  report.command = "bind";
  BindRun run{request, options, progress, report, output_path(request, "bound", ".glb"), {}, {}, {}, {}, {}, {}};
  check_holds_weights(run.output);
  if (options.debug_colors && io::format_of(run.output).id == "rig")
    throw Error(
        fmt::format("{} cannot hold colours. Write .glb, .gltf or .vrm with --debug-colors.", run.output.string()));
  report.metrics["method"] = options.method.id();
  run.read();
  run.choose();
  run.make_weights();
  report.text += fmt::format("wrote      {}\n", run.output.string());
  const fs::path sheet = run.output.parent_path() / (run.output.stem().string() + "_sheet.png");
  if (io::format_of(run.output).id == "rig")
    report.next = fmt::format("sinew convert {} --rig {} -o {}", shell_word(request.inputs.front()),
                              shell_word(run.output), shell_word(fs::path(run.output.string() + ".glb")));
  else
    report.next = fmt::format("sinew render {} --clip {} --sheet -o {}", shell_word(run.output),
                              telling_clip(run.rig().skeleton), shell_word(sheet));
  return report;
}

}  // namespace sinew::jobs
