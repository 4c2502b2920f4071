// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/render_compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/pipeline/segment_colors.h"

namespace sinew::jobs {
namespace {

/// "pbd", or "lbs + delta mush".
std::string label_of(const pipeline::DeformerOptions& deformer) {
  std::string label = deformer.method.id() + (deformer.delta_mush.enabled ? " + delta mush" : "");
  const deform::ContactUse contact = deformer.contact.use;
  if (contact == deform::ContactUse::kOff) return label + " without contact";
  if (contact == deform::ContactUse::kOn) return label + " + contact";
  if (contact != deform::ContactUse::kAuto)
    label += fmt::format(" + contact {}", option_words(contact)[static_cast<std::size_t>(contact)]);
  return label;
}

/// The method that the word names by id or plain name; null if there is none.
const MethodChoice::Candidate* method_of(const MethodChoice& choice, const std::string& word) {
  for (const MethodChoice::Candidate& candidate : choice.candidates())
    if (candidate.id == word || candidate.name == word) return &candidate;
  return nullptr;
}

[[noreturn]] void neither(const MethodChoice& choice, const std::string& word) {
  std::vector<std::string> known;
  for (const MethodChoice::Candidate& candidate : choice.candidates()) known.push_back(candidate.id);
  throw Error(fmt::format("The option 'compare' takes a method ({}) or a file; '{}' is neither.{}",
                          fmt::join(known, ", "), word, did_you_mean(word, known)));
}

}  // namespace

ComparedMoments::ComparedMoments(const io::Asset& asset, const RenderOptions& options, const MomentMaker& moments,
                                 Report& report, const Progress& progress)
    : asset_(asset) {
  RenderOptions wanted = options;
  const std::filesystem::path path = options.compare;
  if (const auto* method = method_of(options.deformer.method, options.compare)) {
    wanted.deformer = pipeline::deformer(method->id);
    wanted.part_files = {};
    moments_ = std::make_unique<MomentMaker>(asset, moments, wanted, report, progress);
    name_ = label_of(wanted.deformer), own_name_ = label_of(options.deformer);
    return;
  }
  std::error_code problem;
  if (!path.has_extension() && !std::filesystem::exists(path, problem))
    neither(options.deformer.method, options.compare);
  io::Asset file = io::load(path, options.placement, progress);
  report.inputs.insert(report.inputs.end(), file.files.begin(), file.files.end());
  report.warn(file.warnings);
  if (std::find(options.show.begin(), options.show.end(), "segments") != options.show.end() &&
      !file.character.rig.skeleton.empty())
    pipeline::paint_segments(file.character, report.warnings, progress);
  const auto kept = std::make_shared<io::Asset>(std::move(file));
  other_ = std::shared_ptr<const Character>(kept, &kept->character);
  moments_ = std::make_unique<MomentMaker>(*kept, moments, wanted, report, progress);
  name_ = path.filename().string(), own_name_ = asset.path.filename().string();
  if (name_ == own_name_) name_ = path.string(), own_name_ = asset.path.string();
}

picture::PictureFrame ComparedMoments::at(std::optional<double> time_s) const {
  picture::PictureFrame frame = time_s ? moments_->at(*time_s) : moments_->still();
  frame.character = other_;
  return frame;
}

std::optional<pipeline::ShapeDifference> add_compared_frames(picture::PictureScene& scene, const ComparedMoments& other,
                                                             std::optional<double> time_s, Report& report) {
  scene.frames[0].overlays = std::move(scene.overlays);
  scene.overlays.clear();
  scene.frames.push_back(other.at(time_s));
  for (const Overlay& own : scene.frames[0].overlays) {
    for (Overlay& overlay : other.overlays(time_s))
      if (overlay.name == own.name) scene.frames[1].overlays.push_back(std::move(overlay));
    if (scene.chosen_joint == kNone || own.name != scene.character.rig.skeleton.joints[scene.chosen_joint].name)
      continue;
    const Index joint = other.character().rig.skeleton.find(own.name);
    if (joint != kNone) scene.frames[1].overlays.push_back(weights_overlay(other.character().rig, joint));
  }
  const Mesh& mesh = scene.character.rig.mesh;
  if (!pipeline::have_same_vertices(mesh, other.character().rig.mesh) || !(mesh.size() > 0)) {
    report.warn("render.other_vertices", other.name(),
                fmt::format("It has other vertices ({} and {}), so the difference cannot be drawn.",
                            count_of(mesh.positions.size(), "vertex", "vertices"),
                            other.character().rig.mesh.positions.size()));
    return std::nullopt;
  }
  pipeline::ShapeDifference difference =
      pipeline::shape_difference(scene.frames[0].positions, scene.frames[1].positions, mesh.size());
  Overlay overlay;
  overlay.name = "difference";
  overlay.fields.push_back({"distance, % of the size", difference.percent, 0, 1});
  picture::PictureFrame frame{scene.frames[0].positions, scene.frames[0].joints};
  frame.overlays.push_back(std::move(overlay));
  scene.frames.push_back(std::move(frame));
  scene.skin = true;
  report.metrics["difference"] = {{"max_percent", difference.max_percent},
                                  {"rms_percent", difference.rms_percent},
                                  {"vertex", difference.farthest == kNone ? Json() : Json(difference.farthest)}};
  report.text += fmt::format("difference {} and {}: at most {:.3g} % of the size, root mean square {:.3g} %\n",
                             other.own_name(), other.name(), difference.max_percent, difference.rms_percent);
  return difference;
}

void set_difference_scale(picture::PictureScene& scene, double max_percent) {
  scene.frames.back().overlays.back().fields.back().high = static_cast<float>(max_percent);
}

}  // namespace sinew::jobs
