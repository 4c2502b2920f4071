// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sinew/binding/edit/weight_repair.h"
#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/weights_report.h"
#include "sinew/measure/posed_agreement.h"
#include "sinew/pipeline/bind_names.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/weights_partners.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

namespace fs = std::filesystem;

bool is_asked(const WeightsOptions& options, const std::string& operation) {
  if (operation == "repair") return options.repair;
  if (operation == "fill") return options.fill;
  if (operation == "mirror") return !options.mirror.empty();
  if (operation == "symmetrize") return options.symmetrize;
  if (operation == "smooth") return options.smooth.has_value();
  return options.prune.has_value();
}

// The operations in the order in which they run.
std::vector<std::string> plan(const WeightsOptions& options) {
  std::vector<std::string> operations = options.order;
  for (const std::string& name : operations)
    if (!is_asked(options, name))
      throw Error(
          fmt::format("--order names '{}', which is not asked for. Give --{} as well, or leave it out.", name, name));
  for (const std::string& name : WeightsOptions::operations())
    if (is_asked(options, name) && std::find(operations.begin(), operations.end(), name) == operations.end())
      operations.push_back(name);
  return operations;
}

fs::path chosen_output(const JobRequest& request) {
  const std::string name = request.inputs.front().filename().string();
  std::string ending = ".glb";
  for (const char* own : {".gltf", ".vrm", ".rig.json"})
    if (name.ends_with(own)) ending = own;
  const fs::path output = output_path(request, "weights", ending);
  const auto& format = io::format_of(output);
  if (format.id != "gltf" && format.id != "rig")
    throw Error(fmt::format("{} cannot hold weights. Write a .glb, .gltf, .vrm or .rig.json file.", output.string()));
  return output;
}

/// One run of the command.
struct WeightsRun {
  const JobRequest& request;
  const WeightsOptions& options;
  const Progress& progress;
  Report& report;
  io::Asset& asset;
  const binding::Subject& subject;
  const binding::EditScope& scope;
  SkinWeights weights;
  std::optional<binding::EditSurface> surface_now;
  Json done;

  const Rig& rig() const { return asset.character.rig; }
  // Of the rows as they are now: which copies of a vertex are one depends on them.
  const binding::EditSurface& surface() {
    if (!surface_now) surface_now = binding::edit_surface(rig().mesh, weights);
    return *surface_now;
  }
  void set(SkinWeights rows) {
    weights = std::move(rows);
    surface_now.reset();
  }

  void require_good_row(const std::string& operation) const;
  void tell(const std::string& operation, const std::string& text, Json facts);
  void run(const std::string& operation);
  void repair();
  void fill();
  void mirror(binding::MirrorMode mode, const std::string& operation);
  void smooth();
  void prune();
  void finish();
};

void WeightsRun::require_good_row(const std::string& operation) const {
  for (Index v = 0; v < weights.row_count(); ++v)
    if (scope.editable[v] && !binding::is_missing_row(weights.row(v))) return;
  throw Error(fmt::format("{} has no good row of weights for --{} to go by. Make new ones with sinew bind.",
                          request.inputs.front().string(), operation));
}

void WeightsRun::tell(const std::string& operation, const std::string& text, Json facts) {
  report.text += fmt::format("{:<10} {}\n", operation, text);
  Json entry = {{"operation", operation}};
  entry.update(facts);
  done.push_back(std::move(entry));
}

void WeightsRun::run(const std::string& operation) {
  const StageTimer timer(report, operation);
  if (operation == "repair") repair();
  else if (operation == "fill") fill();
  else if (operation == "symmetrize") mirror(binding::MirrorMode::kBoth, operation);
  else if (operation == "smooth") smooth();
  else if (operation == "prune") prune();
  else
    mirror(options.mirror == "left-to-right" ? binding::MirrorMode::kLeftToRight : binding::MirrorMode::kRightToLeft,
           operation);
}

Json filled_json(const binding::Filled& filled) {
  const auto count = [&](binding::FilledBy how) { return filled.vertices[static_cast<std::size_t>(how)]; };
  return {{"surface", count(binding::FilledBy::kSurface)},
          {"bones", count(binding::FilledBy::kBones)},
          {"nearest_skin", count(binding::FilledBy::kSkin)},
          {"nearest_joint", count(binding::FilledBy::kJoint)},
          {"left_empty", filled.left}};
}

void tell_filled(const binding::Filled& filled, Report& report) {
  const auto add = [&](binding::FilledBy how, const char* method, const char* text) {
    if (const Index count = filled.vertices[static_cast<std::size_t>(how)]; count > 0)
      report.fallbacks.push_back({"weights.missing_row", method, count, fmt::format("{} {}", count, text)});
  };
  add(binding::FilledBy::kSurface, "surface", "rows were solved along the surface from good rows round them.");
  add(binding::FilledBy::kBones, "bones", "rows were solved along the surface with the bones there.");
  add(binding::FilledBy::kSkin, "nearest skin", "vertices of shells without good rows move with the skin under them.");
  add(binding::FilledBy::kJoint, "nearest joint", "vertices of shells that touch nothing follow the nearest joint.");
  if (filled.left > 0)
    report.warn(
        "weights.left_empty", "",
        fmt::format("{} vertices have no weights still: no joint that may be used is in their skin.", filled.left));
}

void WeightsRun::repair() {
  require_good_row("repair");
  binding::Repaired result = binding::repaired(weights, subject, surface(), scope, {}, progress);
  Json found = Json::object();
  std::vector<std::string> words;
  Index all = 0;
  for (std::size_t f = 1; f < binding::kFaultCount; ++f) {
    const std::string name(binding::fault_name(static_cast<binding::Fault>(f)));
    found[name] = result.faults.vertices[f];
    all += result.faults.vertices[f];
    std::string plain = name;
    std::replace(plain.begin(), plain.end(), '_', ' ');
    if (result.faults.vertices[f] > 0) words.push_back(fmt::format("{} {}", result.faults.vertices[f], plain));
  }
  std::vector<std::string> unplaced;
  for (const Index joint : result.faults.unplaced) unplaced.push_back(rig().skeleton.joints[joint].name);
  tell("repair",
       all == 0
           ? std::string("nothing found")
           : fmt::format("{} vertices: {}; {} scaled, {} without the wrong joints, {} solved anew", all,
                         fmt::join(words, ", "), result.scaled, result.pruned, all - result.scaled - result.pruned),
       {{"vertices", all},
        {"found", found},
        {"scaled", result.scaled},
        {"wrong_joints_dropped", result.pruned},
        {"solved", filled_json(result.filled)},
        {"joints_not_judged", unplaced}});
  tell_filled(result.filled, report);
  set(std::move(result.weights));
}

void WeightsRun::fill() {
  require_good_row("fill");
  binding::Filled result =
      binding::filled(weights, std::vector<char>(weights.row_count(), 0), subject, surface(), scope, progress);
  Index all = 0;
  for (std::size_t how = 1; how < binding::kFilledByCount; ++how) all += result.vertices[how];
  tell("fill", all == 0 ? std::string("no row is missing") : fmt::format("{} rows solved", all),
       {{"vertices", all}, {"solved", filled_json(result)}});
  tell_filled(result, report);
  set(std::move(result.weights));
}

void WeightsRun::mirror(binding::MirrorMode mode, const std::string& operation) {
  require_good_row(operation);
  const MirrorImage image = mirror_image(subject, surface());
  binding::Mirrored result = binding::mirrored(weights, surface(), image.plane, image.partner, mode, scope);
  std::vector<char> used(rig().skeleton.size(), 0);
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& influence : weights.row(v)) used[influence.joint] = 1;
  std::vector<std::string> lonely;
  for (Index j = 0; j < rig().skeleton.size(); ++j)
    if (used[j] && image.partner[j] == kNone) lonely.push_back(rig().skeleton.joints[j].name);
  tell(operation,
       fmt::format("{} vertices, {} without anything opposite; the mesh mirrors itself within {:.2g} % of its size",
                   result.changed, result.alone, 100 * image.plane.error_rel),
       {{"vertices", result.changed},
        {"alone", result.alone},
        {"plane_normal", {image.plane.normal.x(), image.plane.normal.y(), image.plane.normal.z()}},
        {"plane_offset_m", image.plane.offset},
        {"plane_error_rel", image.plane.error_rel},
        {"partners_by_name", image.named},
        {"partners_by_place", image.placed},
        {"joints_without_partner", lonely}});
  if (image.plane.error_rel > 0.01)
    report.warn(
        "weights.asymmetric", "",
        fmt::format("The mesh is not quite symmetric: a tenth of it lies farther than {:.1f} % of its size from its "
                    "mirror image.",
                    100 * image.plane.error_rel));
  if (!lonely.empty())
    report.warn("weights.no_partner", "",
                fmt::format("Joints without a partner on the other side were mirrored onto themselves: {}.",
                            fmt::join(lonely, ", ")));
  set(std::move(result.weights));
}

void WeightsRun::smooth() {
  set(binding::smoothed_along(weights, surface(), *options.smooth, scope));
  tell("smooth", fmt::format("{} round{} along the surface", *options.smooth, *options.smooth == 1 ? "" : "s"),
       {{"rounds", *options.smooth}});
}

void WeightsRun::prune() {
  const std::size_t before = weights.influence_count();
  set(binding::pruned(weights, *options.prune, scope));
  const std::size_t dropped = before - weights.influence_count();
  tell("prune", fmt::format("{} weights below {:g} dropped", dropped, *options.prune),
       {{"threshold", *options.prune}, {"dropped", dropped}});
}

void WeightsRun::finish() {
  const StageTimer timer(report, "finish");
  set(binding::scaled_to_one(weights, scope));
  const Index own = std::max<Index>(4, rig().weights.max_influences());
  const int most = options.max_influences > 0 ? options.max_influences : static_cast<int>(own);
  const bool over = weights.max_influences() > static_cast<Index>(most);
  if (!over && options.max_influences == 0) return;
  CapResult result = binding::cap_unlocked(weights, most, scope);
  Json facts = {{"influences", most},
                {"rows", result.rows},
                {"largest_share_dropped", result.largest_share},
                {"mean_share_dropped", result.mean_share}};
  std::string text = fmt::format("{} influences: {} rows cut, {:.2g} % of a row at most, {:.2g} % in the mean", most,
                                 result.rows, 100 * result.largest_share, 100 * result.mean_share);
  if (result.rows > 0) {
    progress.step("measuring", 0.8);
    Rig before = rig();
    before.weights = weights;
    const measure::PosedAgreement posed = measure::posed_agreement(before, result.weights, progress);
    facts["largest_displacement_m"] = posed.max;
    facts["rms_displacement_m"] = posed.rms;
    text += fmt::format("; a vertex moves by {:.2g} m at most when any joint turns by 45°", posed.max);
  }
  set(binding::scaled_to_one(result.weights, scope));
  tell("cap", text, std::move(facts));
}

std::vector<Index> locked_joints(const Skeleton& skeleton, const std::vector<std::string>& names) {
  std::vector<Index> locked;
  std::vector<std::string> known;
  for (const Joint& joint : skeleton.joints) known.push_back(joint.name);
  for (const std::string& name : names) {
    bool found = false;
    for (Index j = 0; j < skeleton.size(); ++j)
      if (known[j] == name) locked.push_back(j), found = true;
    if (found) continue;
    const std::string near = closest_word(name, known);
    throw Error(fmt::format("--lock names a joint '{}', which the skeleton does not have.{}", name,
                            near.empty() ? "" : fmt::format(" Did you mean '{}'?", near)));
  }
  return locked;
}

// Joints that have weights, and those of the skins that by their names are meant to.
binding::Subject subject_of(const Rig& rig, Findings& warnings) {
  std::vector<char> candidates(rig.skeleton.size(), 0);
  for (Index j = 0; j < rig.skeleton.size(); ++j) candidates[j] = rig.skeleton.joints[j].deforming ? 1 : 0;
  std::vector<char> bound = joints_of_skin(rig.skeleton, candidates);
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone)
      for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
        for (const Influence& influence : rig.weights.row(v))
          if (influence.weight > 0) bound[influence.joint] = 1;
  return {rig.mesh, rig.skeleton, binding_matrices(rig, warnings), std::move(bound)};
}

void require_weights(const Rig& rig, const std::string& name) {
  const bool skinned = std::any_of(rig.mesh.parts.begin(), rig.mesh.parts.end(),
                                   [](const MeshPart& part) { return part.skin != kNone && part.vertex_count > 0; });
  if (!rig.skeleton.empty() && !rig.weights.empty() && skinned) return;
  throw Error(fmt::format("{} has no skin, so there are no weights to edit.{}", name,
                          rig.skeleton.empty() ? "" : " Make some with sinew bind."));
}

void compare_with(const Rig& rig, const Rig& other, const std::string& name, Report& report) {
  const WeightComparison comparison = compare_weights(rig, other);
  report.metrics["compare"] = comparison_json(comparison);
  report.text += table_text(comparison_table(comparison));
  if (!comparison.unmatched.empty())
    report.warn("weights.joints_differ", name,
                fmt::format("{} joints that move vertices there have no partner of the same name here: {}.",
                            comparison.unmatched.size(), fmt::join(comparison.unmatched, ", ")));
}

io::Asset read_other(const WeightsOptions& options, const Rig& rig, const std::string& name, Report& report,
                     const Progress& progress) {
  io::Asset other = io::load(options.compare, {}, progress);
  report.inputs.insert(report.inputs.end(), other.files.begin(), other.files.end());
  require_weights(other.character.rig, options.compare);
  const Index own = rig.mesh.vertex_count(), theirs = other.character.rig.mesh.vertex_count();
  if (own != theirs)
    throw Error(fmt::format("{} has {} vertices and {} has {}: only meshes of the same vertices can be compared.", name,
                            own, options.compare, theirs));
  return other;
}

void write_result(const JobRequest& request, const io::Asset& asset, const fs::path& output, bool changed,
                  Report& report, const Progress& progress) {
  const StageTimer timer(report, "write");
  progress.step("writing", 0.9);
  keep_backup(request, output);
  io::SaveOptions save_options;
  save_options.changes.weights = changed;
  io::save(asset, output, save_options, report);
  report.text += fmt::format("wrote      {}\n", output.string());
  report.next = "sinew info " + shell_word(output);
}

}  // namespace

Report weights(const JobRequest& request, const WeightsOptions& options, const Progress& progress) {
  if (request.inputs.size() != 1) throw Error("weights edits one file. Name it: sinew weights FILE.");
  Report report;
  report.command = "weights";
  const std::vector<std::string> operations = plan(options);
  const bool edits = !operations.empty() || options.max_influences > 0;
  if (!edits && options.compare.empty())
    throw Error(
        "Say what to do with the weights: --repair, --fill, --mirror, --symmetrize, --smooth, --prune, "
        "--max-influences or --compare.");
  if (!edits && (request.output || options.dry_run))
    throw Error("--compare alone changes nothing, so there is nothing to write. Leave out -o and --dry-run.");
  const std::string name = request.inputs.front().string();
  std::optional<fs::path> output;
  if (edits && !options.dry_run) output = chosen_output(request);
  io::Asset asset;
  std::optional<io::Asset> other;
  {
    const StageTimer timer(report, "read");
    asset = io::load(request.inputs.front(), {}, progress);
    report.inputs = asset.files;
    report.warn(asset.warnings);
    require_weights(asset.character.rig, name);
    if (!options.compare.empty()) other = read_other(options, asset.character.rig, name, report, progress);
  }
  Rig& rig = asset.character.rig;
  const binding::EditScope scope = binding::edit_scope(rig, locked_joints(rig.skeleton, options.lock));
  report.text +=
      fmt::format("read       {}: {} vertices, {} joints\n", name, rig.mesh.vertex_count(), rig.skeleton.size());
  if (edits) {
    const binding::Subject subject = subject_of(rig, report.warnings);
    WeightsRun run{request, options, progress, report, asset, subject, scope, rig.weights, {}, Json::array()};
    for (const std::string& operation : operations) {
      progress.step(operation, 0.1);
      run.run(operation);
    }
    run.finish();
    const WeightChanges changes = weight_changes(rig.weights, run.weights, rig.skeleton.size());
    report.metrics["operations"] = std::move(run.done);
    report.metrics["changes"] = changes_json(changes, rig.skeleton);
    if (options.dry_run) report.text += table_text(changes_table(changes, rig.skeleton));
    else report.text += fmt::format("changed    {} vertices, {} joints\n", changes.vertices, changes.joints.size());
    rig.weights = std::move(run.weights);
    if (output) write_result(request, asset, *output, changes.vertices > 0, report, progress);
  }
  if (other) compare_with(rig, other->character.rig, options.compare, report);
  if (options.dry_run) report.text += "dry run    nothing was written\n";
  if (report.next.empty()) report.next = "sinew info " + shell_word(request.inputs.front());
  return report;
}

}  // namespace sinew::jobs
