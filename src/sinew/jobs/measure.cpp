// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "sinew/core/error.h"
#include "sinew/jobs/measure_figures.h"
#include "sinew/jobs/measure_frames.h"
#include "sinew/motion/retarget/joint_matching.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> csv_path(const JobRequest& request, const MeasureOptions& options) {
  if (options.csv.empty() && !request.output) return std::nullopt;
  if (!options.csv.empty() && request.output)
    throw Error("-o and --csv both name the table to write. Give one of them.");
  JobRequest table = request;
  if (!options.csv.empty()) table.output = fs::path(options.csv);
  for (const fs::path& input : request.inputs) {
    std::error_code problem;
    if (fs::equivalent(input, *table.output, problem) && !problem)
      throw Error(fmt::format("{} is the input; the table would replace it. Write elsewhere.", table.output->string()));
  }
  table.inputs.clear();
  fs::path path = output_path(table, "", "");
  if (path.extension() != ".csv")
    throw Error(fmt::format("{} cannot be written: the table of frames is a .csv file.", path.string()));
  return path;
}

/// The reference in a frame: by its own clip of the same name, by the same transforms of joints of the same names, or
/// standing still.
class ReferenceFrames {
 public:
  ReferenceFrames(const io::Asset& asset, const PosedCharacter& subject, const MeasureOptions& options, Report& report,
                  const Progress& progress)
      : subject_(subject) {
    const Rig& rig = asset.character.rig;
    const auto& clips = asset.character.clips;
    const bool moves = !subject.motion_name().empty() && !rig.skeleton.empty();
    const bool own = moves && options.pose.empty() && std::any_of(clips.begin(), clips.end(), [&](const Clip& clip) {
                       return clip.name == subject.motion_name();
                     });
    MeasureOptions same = options;
    same.clip = subject.motion_name();
    reference_.emplace(asset, own ? same : options, own, report.inputs, report.warnings, progress);
    by_names_ = moves && !own;
    if (by_names_ && !pose_by_names(rest_pose(subject.rig()), subject.rig(), rig))
      throw Error(fmt::format("{} has neither a clip '{}' nor joints of the same names, so it cannot be posed like {}.",
                              reference_->name(), subject.motion_name(), subject.name()));
  }

  std::vector<Vec3> positions(const FrameRequest& frame) {
    if (!by_names_ || frame.bind) return reference_->shape(frame).positions;
    return reference_->shape(frame, *pose_by_names(subject_.pose(frame), subject_.rig(), reference_->rig())).positions;
  }

 private:
  const PosedCharacter& subject_;
  std::optional<PosedCharacter> reference_;
  bool by_names_ = false;
};

/// How many joints have weight that are not among the first `own`.
Index foreign_joints(const SkinWeights& weights, Index own) {
  std::set<Index> foreign;
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& influence : weights.row(v))
      if (influence.joint >= own) foreign.insert(influence.joint);
  return static_cast<Index>(foreign.size());
}

std::optional<Agreement> agreement_of(const Rig& rig, const Rig& other, const std::string& name,
                                      const Progress& progress, Report& report) {
  if (rig.weights.empty() || other.weights.empty()) return std::nullopt;
  Agreement agreement;
  const SkinWeights weights = motion::weights_by_name(other, rig.skeleton);
  agreement.unmatched = foreign_joints(weights, rig.skeleton.size());
  agreement.weights = measure::weight_agreement(rig.weights, weights);
  if (agreement.unmatched == 0) agreement.posed = measure::posed_agreement(rig, weights, progress);
  else
    report.warn(
        "measure.joints_differ", name,
        fmt::format("{} joints that move vertices in {} have no partner of the same name; the weights are compared, "
                    "not what they do in poses.",
                    agreement.unmatched, name));
  return agreement;
}

io::Asset load_for(Report& report, const fs::path& path, const MeasureOptions& options, const Progress& progress) {
  const StageTimer timer(report, "read");
  progress.step("reading", 0);
  io::Asset asset = io::load(path, options.placement, progress);
  report.inputs.insert(report.inputs.end(), asset.files.begin(), asset.files.end());
  report.warn(asset.warnings);
  return asset;
}

void require_fit(const Rig& rig, const Rig& other, const std::string& name, const std::string& other_name) {
  if (rig.mesh.vertex_count() == other.mesh.vertex_count()) return;
  throw Error(fmt::format("{} has {} vertices and {} has {}: only meshes of the same vertices can be compared.", name,
                          rig.mesh.vertex_count(), other_name, other.mesh.vertex_count()));
}

void refuse_contradictions(const MeasureOptions& options) {
  if (!options.frames.empty() && options.clip.empty())
    throw Error("--frames needs --clip: name the clip that the frames are of.");
  if (!options.clip.empty() && !options.pose.empty())
    throw Error("--clip and --pose exclude each other: a frame has one pose. Leave one of them out.");
}

std::string heading(const PosedCharacter& subject, const MeasureOptions& options) {
  const Rig& rig = subject.rig();
  std::string text = fmt::format("{}: {} vertices, {} joints, by {}", subject.name(), rig.mesh.vertex_count(),
                                 rig.skeleton.size(), options.deformer.method.id());
  if (!options.clip.empty())
    text += fmt::format(", clip '{}' at {:g} frames a second", subject.motion_name(), options.fps);
  return text + "\n\n";
}

}  // namespace

Report measure(const JobRequest& request, const MeasureOptions& options, const Progress& progress) {
  if (request.inputs.size() != 1) throw Error("measure looks at one file. Name it: sinew measure FILE.");
  Report report;
  report.command = "measure";
  refuse_contradictions(options);
  const std::optional<fs::path> table = csv_path(request, options);
  const std::string name = request.inputs.front().string();
  const io::Asset asset = load_for(report, request.inputs.front(), options, progress);
  const Rig& rig = asset.character.rig;
  if (rig.mesh.vertex_count() == 0) throw Error(fmt::format("{} has no mesh to measure.", name));
  std::optional<io::Asset> other;
  if (!options.against.empty()) {
    other = load_for(report, options.against, options, progress);
    require_fit(rig, other->character.rig, name, options.against);
  }
  PosedCharacter subject(asset, options, true, report.inputs, report.warnings, progress);
  const std::vector<FrameRequest> frames = subject.frames(options);
  std::optional<ReferenceFrames> reference;
  if (other) reference.emplace(*other, subject, options, report, progress);
  Measurement found;
  {
    const StageTimer timer(report, "measure");
    const measure::Meter meter(rig, options.meter, progress);
    report.warn(meter.findings());
    found.rig = &rig;
    found.size = meter.size();
    found.parts = meter.enclosed().parts();
    found.bound = meter.measure(meter.bound(), progress);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      progress.step("measuring", static_cast<double>(i) / static_cast<double>(frames.size()));
      const measure::Shape shape = subject.shape(frames[i]);
      std::vector<Vec3> target;
      if (reference) target = reference->positions(frames[i]);
      if (!frames[i].measured) continue;
      found.frames.push_back({frames[i], meter.measure(shape, progress), std::nullopt});
      if (reference) found.frames.back().distance = measure::shape_distance(shape.positions, target);
    }
  }
  if (other) found.agreement = agreement_of(rig, other->character.rig, options.against, progress, report);
  report.metrics = measure_json(found);
  report.text = heading(subject, options) + measure_text(found);
  if (table) {
    const std::string text = measure_csv(found);
    io::AtomicFiles files;
    files.add(*table, text);
    files.commit();
    report.outputs.push_back(io::describe(*table, io::as_bytes(text)));
    report.text += fmt::format("\nwrote      {}: {} frames\n", table->string(), found.frames.size());
  }
  report.next = !options.clip.empty() || asset.character.clips.empty()
                    ? "sinew info " + shell_word(request.inputs.front())
                    : fmt::format("sinew measure {} --clip {}", shell_word(request.inputs.front()),
                                  shell_word(asset.character.clips.front().name));
  return report;
}

}  // namespace sinew::jobs
