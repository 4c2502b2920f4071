// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/report_measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/error.h"
#include "sinew/jobs/measure_figures.h"
#include "sinew/pipeline/joint_volumes.h"
#include "sinew/pipeline/measure.h"

namespace sinew::jobs {
namespace {

using pipeline::MeasureResult;

// Enough to see where in a clip a joint collapses. Each costs about as much as drawing the character twice.
constexpr double kMeasuredFrames = 24;
constexpr double kMeasuredFps = 30;

// Four digits, as `measure` prints.
Json four_digits(double value) { return std::round(value * 1e4) / 1e4; }

struct PageFigure {
  const char* figure;
  const char* text;
  bool percent;
};
constexpr PageFigure kPageFigures[] = {{"stretch_max", "largest stretch of an edge", false},
                                       {"stretch_min", "smallest stretch of an edge", false},
                                       {"thinnest_section", "thinnest section", false},
                                       {"volume_loss", "volume lost", true},
                                       {"bulge", "largest bulge", false}};

// The summary as lines of a table: what, how much, where and when.
Json figure_rows(const Json& summary, const MeasureResult& result) {
  Json rows = Json::array();
  for (const PageFigure& row : kPageFigures) {
    const auto entry = summary.find(row.figure);
    if (entry == summary.end()) continue;
    const double worst = entry->at("worst").get<double>();
    const auto frame = std::find_if(result.frames.begin(), result.frames.end(),
                                    [&](const auto& f) { return f.name == entry->at("frame").get<std::string>(); });
    rows.push_back({{"text", row.text},
                    {"value", row.percent ? fmt::format("{:.1f} %", 100 * worst) : fmt::format("{:.3f}", worst)},
                    {"joint", entry->value("joint", "")},
                    {"time_s", four_digits(frame->time_s)}});
  }
  return rows;
}

Json joint_figures(const Rig& rig, const MeasureResult& result,
                   const std::vector<pipeline::JointVolumeSeries>& volumes) {
  std::map<Index, Json> joints;
  for (std::size_t f = 0; f < result.frames.size(); ++f)
    for (const measure::JointSection& section : result.frames[f].figures.sections) {
      if (section.compared == 0) continue;
      Json& list = joints[section.joint]["thinnest"];
      while (list.size() < f) list.push_back(nullptr);
      list.push_back(four_digits(section.thinnest));
    }
  for (const pipeline::JointVolumeSeries& series : volumes)
    for (const double volume : series.volumes) joints[series.joint]["volume"].push_back(four_digits(volume));
  Json list = Json::array();
  for (auto& [joint, figures] : joints) {
    figures["name"] = rig.skeleton.joints[joint].name;
    list.push_back(std::move(figures));
  }
  return list;
}

ReportMeasures not_measured(const std::string& reason) { return {{{"reason", reason}}, {{"reason", reason}}}; }

ReportMeasures measure_clip(const Character& character, Index number, const Progress& progress) {
  const Rig& rig = character.rig;
  const Clip& clip = character.clips[number];
  const double duration_s = clip.duration_s();
  const double fps = duration_s > 0 ? std::min(kMeasuredFps, kMeasuredFrames / duration_s) : kMeasuredFps;
  pipeline::MeasureMotion motion;
  motion.name = clip.name;
  motion.clip = clip;
  motion.fps = fps;
  measure::MeterOptions meter;
  meter.intersections = false;  // By far the longest; `check` finds them.
  Findings findings;
  const auto deformer = pipeline::bind_deformer(rig, {}, findings, progress);
  const MeasureResult result = pipeline::measure(character, *deformer, motion, {}, meter, progress);
  const Json summary = measure_json(result, rig).value("summary", Json::object());
  Json times = Json::array(), volume = Json::array(), thinnest = Json::array();
  for (const pipeline::FrameMeasurement& frame : result.frames) {
    times.push_back(four_digits(frame.time_s));
    const auto* section = frame.figures.thinnest();
    thinnest.push_back(section != nullptr ? four_digits(section->thinnest) : Json());
    volume.push_back(result.bound.volume > 0 ? four_digits(1 - frame.figures.loss) : Json());
  }
  ReportMeasures measures;
  measures.page = {{"clip", clip.name},
                   {"clip_number", number},
                   {"duration_s", duration_s},
                   {"rows", figure_rows(summary, result)},
                   {"times", std::move(times)},
                   {"thinnest", std::move(thinnest)},
                   {"volume", std::move(volume)},
                   {"joints", joint_figures(rig, result, pipeline::joint_volumes(character, clip, fps, {}, progress))}};
  measures.summary = {
      {"clip", clip.name}, {"fps", fps}, {"frames", result.frames.size()}, {"method", "lbs"}, {"summary", summary}};
  return measures;
}

}  // namespace

ReportMeasures measure_for_report(const Character& character, const std::string& preferred, const Progress& progress) {
  if (character.rig.mesh.vertex_count() == 0) return not_measured("The file has no mesh.");
  if (character.rig.skeleton.empty() || character.rig.weights.empty()) return not_measured("The file has no skin.");
  const std::vector<Clip>& clips = character.clips;
  if (clips.empty()) return not_measured("The file has no clip in which it could be measured.");
  const auto found = std::find_if(clips.begin(), clips.end(), [&](const Clip& clip) { return clip.name == preferred; });
  try {
    return measure_clip(character, found == clips.end() ? 0 : static_cast<Index>(found - clips.begin()), progress);
  } catch (const Error& problem) {  // The checks are worth a page all the same.
    return not_measured(problem.what());
  }
}

}  // namespace sinew::jobs
