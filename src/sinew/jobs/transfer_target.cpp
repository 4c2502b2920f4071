// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/transfer_target.h"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <system_error>

#include "sinew/core/error.h"
#include "sinew/io/gltf/strip_rig.h"
#include "sinew/jobs/transfer_report.h"
#include "sinew/motion/bake_drivers.h"
#include "sinew/pipeline/bind_names.h"
#include "sinew/pipeline/bind_parts.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/characters.h"
#include "sinew/pipeline/transfer_rows.h"
#include "sinew/pipeline/transfer_skeleton.h"
#include "sinew/transfer/joints/added_joints.h"
#include "sinew/transfer/joints/carry_clips.h"
#include "sinew/transfer/match/joint_map.h"
#include "sinew/transfer/rays/skeleton_aware.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

namespace fs = std::filesystem;

std::string vertices_text(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "vertex" : "vertices"); }

std::string joints_text(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "joint" : "joints"); }

/// One target on its way.
class TargetRun {
 public:
  TargetRun(const TransferTask& task, const fs::path& input, const fs::path& output, std::string& table, Report& report,
            const Progress& progress)
      : task_(task),
        options_(task.options),
        reference_(task.reference),
        input_(input),
        output_(output),
        table_(table),
        report_(report),
        progress_(progress) {}

  Json run() {
    read();
    if (has_skeleton_) match_skeleton();
    else fit();
    make_weights();
    put_rows();
    if (options_.clips) carry_clips();
    write();
    return std::move(figures_);
  }

 private:
  Rig& rig() { return asset_.character.rig; }
  const std::string& name_of(Index reference_joint) const { return reference_.skeleton().joints[reference_joint].name; }
  std::string input_name() const { return input_.string(); }

  void read();
  void match_skeleton();
  void add_joints(const transfer::Side& target);
  std::vector<char> wanted_joints() const;
  void fit();
  void tell_map(const Skeleton& target);
  void tell_alone();
  void make_weights();
  void put_rows();
  SkinWeights final_rows(SkinWeights rows);
  std::vector<char> listed_joints() const;
  void list_in_skins(const std::vector<char>& listed);
  void carry_clips();
  void write();

  const TransferTask& task_;
  const TransferJobOptions& options_;
  TransferReference& reference_;
  fs::path input_, output_;
  std::string& table_;
  Report& report_;
  const Progress& progress_;

  io::Asset asset_;
  bool has_skeleton_ = false;
  bool new_skeleton_ = false;
  std::vector<PartPlan> plan_;
  ChosenParts chosen_;
  transfer::JointMap map_;
  std::vector<Mat4> frames_;         // Of the rig's skeleton, at binding.
  std::vector<Index> of_reference_;  // Per joint of the reference: the same joint in the rig, or kNone.
  std::vector<Index> heir_;          // Per joint of the reference: the joint of the rig that gets its weight.
  transfer::Transferred made_;
  Index kept_rows_ = 0;
  std::vector<Index> new_clips_;
  Json figures_ = Json::object();
};

void TargetRun::read() {
  const StageTimer timer(report_, "read");
  progress_.step("reading", 0.0);
  asset_ = io::load(input_, options_.placement, progress_);
  report_.inputs.insert(report_.inputs.end(), asset_.files.begin(), asset_.files.end());
  report_.warn(asset_.warnings);
  if (rig().mesh.face_count() == 0) throw Error(fmt::format("{} has no mesh to give weights to.", input_name()));
  has_skeleton_ = has_rig(asset_.character);
  if (!has_skeleton_ && !options_.only.empty())
    throw Error(fmt::format("{} has no skeleton, so there are no weights that could stay beside those of --only.",
                            input_name()));
  if (!options_.only.empty() && (rig().weights.empty() || rig().weights.influence_count() == 0))
    throw Error(fmt::format("{} has no weights that could stay beside those of --only. Leave it out.", input_name()));
  if (!has_skeleton_ && !rig().skeleton.empty()) {
    // Nodes that move nothing.
    if (asset_.format == "gltf" && asset_.document) {
      const std::vector<char> keep(rig().skeleton.joints.size(), 0);
      asset_ = io::strip_rig(asset_, keep, report_).asset;
    }
    remove_rig(asset_.character);
  }
  figures_["input"] = input_name();
  figures_["output"] = output_.string();
  figures_["vertices"] = rig().mesh.vertex_count();
  figures_["has_skeleton"] = has_skeleton_;
  report_.text += fmt::format("target     {}: {}, {}\n", input_name(), vertices_text(rig().mesh.vertex_count()),
                              has_skeleton_ ? joints_text(rig().skeleton.size()) : "no skeleton");
}

void TargetRun::tell_map(const Skeleton& target) {
  std::string table = map_table(map_, reference_.skeleton(), target);
  report_.text += fmt::format("map        {} of the reference's joints have a partner{}\n", map_.joints.size(),
                              table == table_ ? ", as before" : "");
  if (table != table_) report_.text += table;
  table_ = std::move(table);
  figures_["map"] = map_json(map_, reference_.skeleton(), target);
  report_.warn(map_.warnings);
}

// Whose weights go where there is no partner.
void TargetRun::tell_alone() {
  Json alone = Json::array();
  std::vector<std::string> told;
  for (const Index j : map_.reference_alone) {
    if (reference_.moves_skin()[j] == 0 || of_reference_[j] != kNone) continue;
    const std::string& heir = rig().skeleton.joints[heir_[j]].name;
    alone.push_back({{"joint", name_of(j)}, {"weight_to", heir}});
    told.push_back(fmt::format("{} (to {})", name_of(j), heir));
  }
  if (!told.empty())
    report_.text += fmt::format("unmatched  {} of the reference; the weight goes on: {}\n", joints_text(told.size()),
                                some_names(told));
  std::vector<std::string> idle;
  for (const Index j : map_.target_alone) idle.push_back(rig().skeleton.joints[j].name);
  if (!idle.empty())
    report_.text +=
        fmt::format("idle       {} of the target without a partner: {}\n", joints_text(idle.size()), some_names(idle));
  figures_["unmatched"] = std::move(alone);
  figures_["target_unmatched"] = idle;
}

void TargetRun::match_skeleton() {
  const StageTimer timer(report_, "map");
  progress_.step("matching joints", 0.1);
  const Skeleton& skeleton = rig().skeleton;
  frames_ = binding_matrices(rig(), report_.warnings);
  std::vector<char> counts(skeleton.joints.size(), 0);
  for (Index j = 0; j < skeleton.size(); ++j) counts[j] = skeleton.joints[j].deforming ? 1 : 0;
  if (std::none_of(counts.begin(), counts.end(), [](char c) { return c != 0; })) counts.assign(counts.size(), 1);
  counts = joints_of_skin(skeleton, std::move(counts));
  for (const MeshPart& part : rig().mesh.parts)
    for (Index v = part.first_vertex;
         part.skin != kNone && !rig().weights.empty() && v < part.first_vertex + part.vertex_count; ++v)
      for (const Influence& influence : rig().weights.row(v)) counts[influence.joint] = 1;
  plan_ = plan_parts(rig(), counts);
  chosen_ = chosen_parts(rig().mesh, plan_);
  if (chosen_.vertices.empty())
    throw Error(fmt::format(
        "{}: every part of the mesh hangs rigidly on a joint, so there is nothing to give weights to.", input_name()));
  const transfer::Side target{chosen_.mesh, skeleton, frames_};
  try {
    map_ = transfer::map_joints(reference_.side(), reference_.primary(), target,
                                transfer::primary_joints(skeleton, counts, transfer::helper_joints(skeleton)),
                                task_.given);
  } catch (const Error& problem) {
    throw Error(fmt::format("{}: {}", input_name(), problem.what()));
  }
  tell_map(skeleton);
  add_joints(target);
  tell_alone();
}

// Helpers, and with --joints-from reference all that has weight; with --only none but what is named.
std::vector<char> TargetRun::wanted_joints() const {
  const Skeleton& skeleton = reference_.skeleton();
  std::vector<char> wanted(skeleton.joints.size(), 0);
  for (Index j = skeleton.size(); j-- > 0;) {
    const bool helper = reference_.helpers()[j] != 0;
    const bool asked = helper ? options_.helpers != "none" : options_.joints_from == "reference";
    if (!task_.only.empty() && task_.only[j] == 0) continue;
    if (asked && reference_.moves_skin()[j] != 0) wanted[j] = 1;
    // What a helper hangs on, if that is one too.
    if (const Index parent = skeleton.joints[j].parent;
        wanted[j] != 0 && helper && parent != kNone && reference_.helpers()[parent] != 0)
      wanted[parent] = 1;
  }
  return wanted;
}

void TargetRun::add_joints(const transfer::Side& target) {
  std::vector<char> wanted = wanted_joints();
  // Helpers that the target has already, by name.
  std::vector<Index> there(wanted.size(), kNone);
  const std::vector<char> own = transfer::helper_joints(rig().skeleton);
  for (Index j = 0; j < wanted.size(); ++j) {
    if (wanted[j] == 0 || reference_.helpers()[j] == 0) continue;
    const Index same = rig().skeleton.find(name_of(j));
    if (same == kNone || own[same] == 0) continue;
    there[j] = same;
    wanted[j] = 0;
  }
  const Index before = rig().skeleton.size();
  transfer::AddedJoints added =
      transfer::add_joints(reference_.side(), target, map_.correspondence, wanted,
                           options_.helpers == "copy" ? transfer::Placement::kCopied : transfer::Placement::kScaled);
  report_.warn(added.warnings);
  of_reference_ = std::move(added.of_reference);
  for (Index j = 0; j < there.size(); ++j)
    if (there[j] != kNone) of_reference_[j] = there[j];
  rig().skeleton = std::move(added.skeleton);
  frames_ = std::move(added.joints);
  new_skeleton_ = rig().skeleton.size() > before;
  std::vector<std::string> names;
  for (Index j = before; j < rig().skeleton.size(); ++j) {
    names.push_back(rig().skeleton.joints[j].name);
    rig().skeleton.joints[j].source = kNone;
  }
  figures_["added_joints"] = names;
  if (!names.empty())
    report_.text += fmt::format("added      {} of the reference: {}\n", joints_text(names.size()), some_names(names));
  heir_.clear();
  for (Index j = 0; j < of_reference_.size(); ++j) {
    Index above = j;
    while (above != kNone && of_reference_[above] == kNone && reference_.helpers()[above] != 0)
      above = reference_.skeleton().joints[above].parent;
    heir_.push_back(above != kNone && of_reference_[above] != kNone ? of_reference_[above]
                                                                    : map_.heir[above == kNone ? j : above]);
  }
}

void TargetRun::fit() {
  const StageTimer timer(report_, "skeleton");
  progress_.step("fitting the skeleton", 0.1);
  FittedSkeleton fitted = fit_skeleton(
      reference_, rig().mesh, options_.helpers == "copy" ? transfer::Placement::kCopied : transfer::Placement::kScaled,
      options_.helpers != "none", progress_);
  report_.warn(fitted.warnings);
  map_ = std::move(fitted.map);
  rig().skeleton = std::move(fitted.skeleton);
  frames_ = std::move(fitted.joints);
  of_reference_ = std::move(fitted.of_reference);
  plan_.assign(rig().mesh.parts.size(), {});
  chosen_ = chosen_parts(rig().mesh, plan_);
  for (Index j = 0; j < of_reference_.size(); ++j) {
    Index above = j;
    // Helpers that shall have no weight leave it to what they help.
    while (above != kNone &&
           (of_reference_[above] == kNone || (options_.helpers == "none" && reference_.helpers()[above] != 0)))
      above = reference_.skeleton().joints[above].parent;
    heir_.push_back(above == kNone ? map_.joints.front().target : of_reference_[above]);
  }
  new_skeleton_ = true;
  Json joints = Json::array();
  std::map<std::string, int> origins;
  for (Index j = 0; j < rig().skeleton.size(); ++j) {
    joints.push_back({{"name", rig().skeleton.joints[j].name},
                      {"origin", fitted.origin[j]},
                      {"confidence", fitted.joint_confidence[j]}});
    ++origins[fitted.origin[j]];
  }
  figures_["skeleton"] = {{"how", fitted.how},
                          {"template", fitted.template_name},
                          {"confidence", fitted.confidence},
                          {"joints", std::move(joints)}};
  std::vector<std::string> words;
  for (const auto& [origin, count] : origins) words.push_back(fmt::format("{} {}", count, origin));
  report_.text +=
      fmt::format("skeleton   the reference's {}, {}; confidence {:.2f}: {}\n", joints_text(rig().skeleton.size()),
                  fitted.how == "copied"     ? "where they are there, as the surface is the same"
                  : fitted.how == "template" ? fmt::format("fitted by the template {}", fitted.template_name)
                  : fitted.how == "box"      ? "scaled with the boxes"
                                             : "fitted as a template of their own",
                  fitted.confidence, fmt::format("{}", some_names(words)));
}

void TargetRun::make_weights() {
  progress_.step("transferring weights", 0.4);
  const transfer::Side target{chosen_.mesh, rig().skeleton, frames_};
  const std::string method = transfer::methods().find(options_.method).id;
  if (method == "skeleton") {
    transfer::Guides guides;
    {
      const StageTimer timer(report_, "guides");
      transfer::GuideOptions guide_options;
      guide_options.resolution = options_.transfer.resolution;
      guides = reference_.guides(target, map_.correspondence, guide_options, progress_);
    }
    const StageTimer timer(report_, "rays");
    made_ = transfer::transfer_by_skeleton(reference_.side(), target, map_.correspondence, guides, options_.transfer,
                                           progress_);
  } else {
    const StageTimer timer(report_, "weights");
    made_ = transfer::transfer(method, reference_.side(), target, map_.correspondence, options_.transfer, progress_);
  }
  report_.warn(made_.warnings);
  report_.fallbacks.insert(report_.fallbacks.end(), made_.fallbacks.begin(), made_.fallbacks.end());
  figures_["weights"] = transferred_json(made_);
  report_.text += transferred_text(made_, options_.debug_colors);
  if (made_.rays > 0) report_.text += fmt::format("rays       {}\n", made_.rays);
}

// Rows for the chosen vertices, with what of the old ones shall stay.
SkinWeights TargetRun::final_rows(SkinWeights rows) {
  const bool had = !rig().weights.empty();
  SkinWeights before;
  for (const Index v : chosen_.vertices)
    if (had) before.add_row(rig().weights.row(v));
    else before.add_row({});
  if (!task_.only.empty()) {
    std::vector<char> taken(rig().skeleton.joints.size(), 0);
    for (Index j = 0; j < heir_.size(); ++j)
      if (task_.only[j] != 0) taken[heir_[j]] = 1;
    rows = blended_rows(rows, before, taken, options_.transfer.max_influences);
    Index changed = 0;
    for (Index i = 0; i < rows.row_count(); ++i)
      changed += std::equal(rows.row(i).begin(), rows.row(i).end(), before.row(i).begin(), before.row(i).end()) ? 0 : 1;
    figures_["changed_vertices"] = changed;
    report_.text += fmt::format("only       {} of {} changed\n", changed, vertices_text(rows.row_count()));
  }
  if (!options_.keep_existing) return rows;
  SkinWeights mixed;
  mixed.reserve(rows.row_count(), rows.influence_count());
  for (Index i = 0; i < rows.row_count(); ++i) {
    const auto old = before.row(i);
    const bool keep =
        std::any_of(old.begin(), old.end(), [](const Influence& influence) { return influence.weight > 0; });
    mixed.add_row(keep ? old : rows.row(i));
    kept_rows_ += keep ? 1 : 0;
  }
  figures_["kept_vertices"] = kept_rows_;
  report_.text += fmt::format("kept       {} that had weights; {} got new ones\n", vertices_text(kept_rows_),
                              vertices_text(rows.row_count() - kept_rows_));
  return mixed;
}

// Joints a skin lists whether or not a vertex has their weight, so that all levels of detail list the same.
std::vector<char> TargetRun::listed_joints() const {
  std::vector<char> listed(asset_.character.rig.skeleton.joints.size(), 0);
  if (!has_skeleton_) {
    for (const Index j : reference_.skin_order())
      if (of_reference_[j] != kNone) listed[of_reference_[j]] = 1;
    return listed;
  }
  for (const transfer::MappedJoint& joint : map_.joints) listed[joint.target] = 1;
  for (Index j = 0; j < of_reference_.size(); ++j)
    if (of_reference_[j] != kNone && reference_.moves_skin()[j] != 0) listed[of_reference_[j]] = 1;
  return listed;
}

void TargetRun::list_in_skins(const std::vector<char>& listed) {
  std::vector<char> used(rig().skins.size(), 0);
  for (std::size_t p = 0; p < plan_.size(); ++p)
    if (plan_[p].treatment == PartTreatment::kBind && rig().mesh.parts[p].skin != kNone)
      used[rig().mesh.parts[p].skin] = 1;
  for (std::size_t s = 0; s < used.size(); ++s) {
    if (used[s] == 0) continue;
    Skin& skin = rig().skins[s];
    for (Index j = 0; j < listed.size(); ++j) {
      if (listed[j] == 0 || std::find(skin.joints.begin(), skin.joints.end(), j) != skin.joints.end()) continue;
      const Mat4 inverse = frames_[j].inverse();
      if (!inverse.allFinite()) continue;
      skin.joints.push_back(j);
      skin.inverse_bind.push_back(inverse);
      rig().skeleton.joints[j].deforming = true;
      new_skeleton_ = true;
    }
  }
}

void TargetRun::put_rows() {
  const SkinWeights rows = final_rows(with_joints(made_.weights, heir_));
  const std::vector<char> listed = listed_joints();
  if (!has_skeleton_) {
    Skin skin;
    skin.name = "skin";
    for (const Index j : reference_.skin_order()) {
      const Index own = of_reference_[j];
      if (own == kNone) continue;
      skin.joints.push_back(own);
      skin.inverse_bind.push_back(frames_[own].inverse());
    }
    rig().skins = {std::move(skin)};
    for (MeshPart& part : rig().mesh.parts) part.skin = 0, part.joint = kNone;
  } else {
    list_in_skins(listed);
  }
  const SkinChanges changes = put_weights(rig(), plan_, chosen_.vertices, rows, frames_, listed);
  new_skeleton_ = new_skeleton_ || changes.any();
  if (options_.debug_colors) rig().mesh.colors = level_colors(made_, chosen_.vertices, rig().mesh.positions.size());
}

void TargetRun::carry_clips() {
  const StageTimer timer(report_, "clips");
  progress_.step("carrying clips", 0.8);
  const transfer::Side target{chosen_.mesh, rig().skeleton, frames_};
  std::vector<std::string> names;
  for (const Clip& clip : reference_.asset().character.clips) {
    Clip carried = transfer::carried_clip(clip, reference_.side(), target, map_.correspondence, of_reference_);
    if (carried.tracks.empty()) continue;
    const auto taken = [&](const std::string& name) {
      return std::any_of(asset_.character.clips.begin(), asset_.character.clips.end(),
                         [&](const Clip& other) { return other.name == name; });
    };
    for (int number = 2; taken(carried.name); ++number) carried.name = fmt::format("{}_{}", clip.name, number);
    motion::bake_drivers(rig(), carried);
    names.push_back(carried.name);
    new_clips_.push_back(static_cast<Index>(asset_.character.clips.size()));
    asset_.character.clips.push_back(std::move(carried));
  }
  figures_["clips"] = names;
  report_.text += names.empty() ? std::string("clips      the reference has none that move its joints\n")
                                : fmt::format("clips      {} carried over: {}\n", names.size(), some_names(names));
}

void TargetRun::write() {
  const StageTimer timer(report_, "write");
  progress_.step("writing", 0.9);
  if (const fs::path folder = output_.parent_path(); !folder.empty()) {
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem) throw Error(fmt::format("The folder {} cannot be made: {}.", folder.string(), problem.message()));
  }
  keep_backup(task_.request, output_);
  io::SaveOptions save;
  save.changes.weights = true;
  save.changes.skeleton = new_skeleton_ || !new_clips_.empty();
  save.new_clips = new_clips_;
  io::save(asset_, output_, save, report_);
  report_.text += fmt::format("wrote      {}\n", output_.string());
}

}  // namespace

Json transfer_target(const TransferTask& task, const fs::path& input, const fs::path& output, std::string& table,
                     Report& report, const Progress& progress) {
  return TargetRun(task, input, output, table, report, progress).run();
}

}  // namespace sinew::jobs
