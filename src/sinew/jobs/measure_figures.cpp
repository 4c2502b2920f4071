// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/measure_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sinew/core/result_table.h"

namespace sinew::jobs {
namespace {

using pipeline::FrameMeasurement;
using pipeline::JointWorst;
using pipeline::MeasureResult;
using pipeline::WeightAgreementFigures;

/// One figure of a frame: its name for machines and for people, which way is bad, and where it was found.
struct FigureColumn {
  enum class Worst { kLargest, kSmallest, kFarFromZero };
  std::string id;
  std::string text;
  Worst worst;
  std::function<std::optional<double>(const FrameMeasurement&)> value;
  std::function<Index(const FrameMeasurement&)> joint;  ///< May be empty.
  bool count = false;                                   ///< A whole number.
};

using Value = std::optional<double>;

std::vector<FigureColumn> volume_and_joint_columns() {
  using W = FigureColumn::Worst;
  return {
      {"volume_loss",
       "volume lost",
       W::kFarFromZero,
       [](const FrameMeasurement& f) { return Value(f.figures.loss); },
       {}},
      {"thinnest_section", "thinnest section", W::kSmallest,
       [](const FrameMeasurement& f) {
         const auto* section = f.figures.thinnest();
         return section != nullptr ? Value(section->thinnest) : std::nullopt;
       },
       [](const FrameMeasurement& f) { return f.figures.thinnest()->joint; }},
      {"bulge", "largest bulge", W::kLargest,
       [](const FrameMeasurement& f) {
         const auto* bulge = f.figures.largest_bulge();
         return bulge != nullptr ? Value(bulge->bulge) : std::nullopt;
       },
       [](const FrameMeasurement& f) { return f.figures.largest_bulge()->joint; }},
  };
}

std::vector<FigureColumn> figure_columns() {
  using W = FigureColumn::Worst;
  std::vector<FigureColumn> columns = volume_and_joint_columns();
  constexpr std::array<const char*, 7> ids = {"min", "p1", "p5", "p50", "p95", "p99", "max"};
  constexpr std::array<const char*, 7> names = {"shortest", "1 %", "5 %", "50 %", "95 %", "99 %", "longest"};
  for (std::size_t i = 0; i < ids.size(); ++i)
    columns.push_back({fmt::format("stretch_{}", ids[i]),
                       fmt::format("edge stretch, {}", names[i]),
                       i < 3 ? W::kSmallest : W::kLargest,
                       [i](const FrameMeasurement& f) { return Value(f.figures.stretch.percentiles[i]); },
                       {}});
  columns.push_back({"roughness",
                     "roughness",
                     W::kLargest,
                     [](const FrameMeasurement& f) { return Value(f.figures.roughness); },
                     {}});
  const auto contact = [](auto member) {
    return [member](const FrameMeasurement& f) {
      return f.figures.contacts ? Value(static_cast<double>((*f.figures.contacts).*member)) : std::nullopt;
    };
  };
  columns.push_back({"pairs", "intersecting pairs", W::kLargest, contact(&measure::Contacts::pairs), {}, true});
  columns.push_back({"pairs_shrunk", "  after shrinking", W::kLargest, contact(&measure::Contacts::shrunk), {}, true});
  columns.push_back({"depth_m", "  deepest, m", W::kLargest, contact(&measure::Contacts::depth), {}});
  const auto apart = [](auto member) {
    return [member](const FrameMeasurement& f) { return f.distance ? Value((*f.distance).*member) : std::nullopt; };
  };
  columns.push_back({"distance_max_m", "distance, largest, m", W::kLargest, apart(&measure::ShapeDistance::max), {}});
  columns.push_back({"distance_rms_m", "distance, RMS, m", W::kLargest, apart(&measure::ShapeDistance::rms), {}});
  return columns;
}

struct FigureSummary {
  double mean = 0, worst = 0;
  const FrameMeasurement* frame = nullptr;
};

std::optional<FigureSummary> summarize(const FigureColumn& column, const std::vector<FrameMeasurement>& frames) {
  FigureSummary result;
  std::size_t count = 0;
  for (const FrameMeasurement& frame : frames) {
    const Value value = column.value(frame);
    if (!value) continue;
    ++count;
    result.mean += *value;
    const auto worse = [&] {
      if (result.frame == nullptr) return true;
      if (column.worst == FigureColumn::Worst::kLargest) return *value > result.worst;
      if (column.worst == FigureColumn::Worst::kSmallest) return *value < result.worst;
      return std::abs(*value) > std::abs(result.worst);
    };
    if (worse()) result.worst = *value, result.frame = &frame;
  }
  if (count == 0) return std::nullopt;
  result.mean /= static_cast<double>(count);
  return result;
}

const std::string& joint_name(const Rig& rig, Index joint) { return rig.skeleton.joints[joint].name; }

std::string number(double value) { return fmt::format("{:.4f}", std::abs(value) < 5e-5 ? 0.0 : value); }

std::string cell(const FigureColumn& column, double value) {
  return column.count ? fmt::format("{:.0f}", value) : number(value);
}

Json frame_json(const MeasureResult& m, const Rig& rig, const FrameMeasurement& frame,
                const std::vector<FigureColumn>& columns) {
  Json json = {{"frame", frame.name}, {"time_s", frame.time_s}, {"volume_m3", frame.figures.volume}};
  for (const FigureColumn& column : columns) {
    const Value value = column.value(frame);
    if (!value) continue;
    json[column.id] = *value;
    if (column.joint) json[column.id + "_joint"] = joint_name(rig, column.joint(frame));
  }
  if (frame.distance && m.size > 0) {
    json["distance_max_rel"] = frame.distance->max / m.size;
    json["distance_rms_rel"] = frame.distance->rms / m.size;
    json["farthest_vertex"] = frame.distance->farthest;
  }
  json["part_volumes_m3"] = frame.figures.part_volumes;
  for (const measure::JointSection& section : frame.figures.sections)
    if (section.compared > 0) json["sections"][joint_name(rig, section.joint)] = section.thinnest;
  for (const measure::JointBulge& bulge : frame.figures.bulges)
    json["bulges"][joint_name(rig, bulge.joint)] = bulge.bulge;
  return json;
}

Json agreement_json(const MeasureResult& m, const Rig& rig, const WeightAgreementFigures& agreement) {
  const measure::WeightAgreement& w = agreement.weights;
  Json json = {{"mean_half_l1", w.mean_half_l1},
               {"worst_half_l1", w.worst_half_l1},
               {"same_dominant", w.same_dominant},
               {"empty_rows", w.empty_rows},
               {"unmatched_joints", agreement.unmatched}};
  if (!agreement.posed) return json;
  json["posed"] = {{"rms_m", agreement.posed->rms}, {"max_m", agreement.posed->max}, {"poses", agreement.posed->poses}};
  if (m.size > 0) json["posed"]["rms_rel"] = agreement.posed->rms / m.size;
  if (agreement.posed->joint != kNone) json["posed"]["worst_joint"] = joint_name(rig, agreement.posed->joint);
  return json;
}

std::string agreement_text(const MeasureResult& m, const Rig& rig, const WeightAgreementFigures& agreement) {
  const measure::WeightAgreement& w = agreement.weights;
  std::string text = fmt::format(
      "\nweights differ by {:.4g} of 1 on average (half L1), at most {:.4g}; {:.4g} % of the vertices have the same "
      "dominant joint\n",
      w.mean_half_l1, w.worst_half_l1, 100 * w.same_dominant);
  if (agreement.posed && m.size > 0)
    text += fmt::format(
        "with each joint rotated by 45°, posed vertices differ by {:.4g} % of the size (RMS), at most {:.4g} %{}\n",
        100 * agreement.posed->rms / m.size, 100 * agreement.posed->max / m.size,
        agreement.posed->joint == kNone ? "" : " at " + joint_name(rig, agreement.posed->joint));
  return text;
}

ResultTable summary_table(const MeasureResult& m, const Rig& rig) {
  const std::string count = m.frames.size() == 1 ? "1 frame" : fmt::format("{} frames", m.frames.size());
  ResultTable table{"summary", count, "", {"", "bound", "mean", "worst", "in frame", "joint"}, {}};
  FrameMeasurement bound;
  bound.figures = m.bound;
  for (const FigureColumn& column : figure_columns()) {
    const auto summary = summarize(column, m.frames);
    if (!summary) continue;
    const Value before = column.value(bound);
    table.rows.push_back({column.text, before ? cell(column, *before) : "", number(summary->mean),
                          cell(column, summary->worst), summary->frame->name,
                          column.joint ? joint_name(rig, column.joint(*summary->frame)) : ""});
  }
  return table;
}

ResultTable joint_table(const MeasureResult& m, const Rig& rig) {
  constexpr std::size_t kListed = 8;
  ResultTable table{"joints", "thinnest joints", "", {"joint", "section", "in frame", "bulge", "in frame"}, {}};
  std::vector<JointWorst> joints = m.joints;
  std::stable_sort(joints.begin(), joints.end(),
                   [](const JointWorst& a, const JointWorst& b) { return a.thinnest_section < b.thinnest_section; });
  const auto frame = [&](Index f) { return f == kNone ? std::string() : m.frames[f].name; };
  for (const JointWorst& joint : joints) {
    if (joint.section_frame == kNone) continue;
    if (table.rows.size() == kListed) break;
    table.rows.push_back({joint_name(rig, joint.joint), number(joint.thinnest_section), frame(joint.section_frame),
                          number(joint.bulge), frame(joint.bulge_frame)});
  }
  return table;
}

}  // namespace

Json measure_json(const MeasureResult& m, const Rig& rig) {
  const std::vector<FigureColumn> columns = figure_columns();
  Json json;
  json["size_m"] = m.size;
  for (std::size_t p = 0; p < m.parts.size(); ++p)
    json["parts"].push_back({{"name", p < rig.mesh.parts.size() ? rig.mesh.parts[p].name : ""},
                             {"measured", m.parts[p].measured},
                             {"volume_m3", m.parts[p].rest_volume},
                             {"capped_edges", m.parts[p].capped_edges},
                             {"cap_share", m.parts[p].cap_share}});
  FrameMeasurement bound;
  bound.name = "bound";
  bound.figures = m.bound;
  json["bound"] = frame_json(m, rig, bound, columns);
  for (const FigureColumn& column : columns) {
    const auto summary = summarize(column, m.frames);
    if (!summary) continue;
    Json& entry = json["summary"][column.id];
    entry = {{"mean", summary->mean}, {"worst", summary->worst}, {"frame", summary->frame->name}};
    if (column.joint) entry["joint"] = joint_name(rig, column.joint(*summary->frame));
  }
  json["joints"] = Json::array();
  for (const JointWorst& joint : m.joints) {
    Json entry = {{"name", joint_name(rig, joint.joint)}};
    if (joint.section_frame != kNone)
      entry["thinnest_section"] = joint.thinnest_section, entry["section_frame"] = m.frames[joint.section_frame].name;
    if (joint.bulge_frame != kNone)
      entry["bulge"] = joint.bulge, entry["bulge_frame"] = m.frames[joint.bulge_frame].name;
    json["joints"].push_back(std::move(entry));
  }
  json["frames"] = Json::array();
  for (const FrameMeasurement& frame : m.frames) json["frames"].push_back(frame_json(m, rig, frame, columns));
  if (m.agreement) json["agreement"] = agreement_json(m, rig, *m.agreement);
  return json;
}

std::string measure_text(const MeasureResult& m, const Rig& rig) {
  constexpr std::size_t kFewFrames = 12;
  std::string text = table_text(summary_table(m, rig));
  const ResultTable joints = joint_table(m, rig);
  if (!joints.rows.empty()) text += "\n" + table_text(joints);
  if (m.frames.size() > 1 && m.frames.size() <= kFewFrames) {
    ResultTable table{"frames", "frame by frame", "", {"frame", "time, s"}, {}};
    const std::vector<FigureColumn> columns = figure_columns();
    for (const char* id : {"volume_loss", "thinnest_section", "bulge", "stretch_max", "roughness", "pairs",
                           "pairs_shrunk", "depth_m", "distance_max_m"}) {
      const auto& column = *std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.id == id; });
      if (!summarize(column, m.frames)) continue;
      table.header.push_back(column.id);
      for (std::size_t i = 0; i < m.frames.size(); ++i) {
        if (table.rows.size() <= i) table.rows.push_back({m.frames[i].name, fmt::format("{:.3f}", m.frames[i].time_s)});
        const Value value = column.value(m.frames[i]);
        table.rows[i].push_back(value ? cell(column, *value) : "");
      }
    }
    text += "\n" + table_text(table);
  }
  if (m.agreement) text += agreement_text(m, rig, *m.agreement);
  return text;
}

std::string measure_csv(const MeasureResult& m, const Rig& rig) {
  const std::vector<FigureColumn> columns = figure_columns();
  std::vector<Index> joints;
  for (const measure::JointSection& section : m.bound.sections) joints.push_back(section.joint);
  std::vector<std::string> header = {"frame", "time_s", "volume_m3"};
  for (const FigureColumn& column : columns) {
    header.push_back(column.id);
    if (column.joint) header.push_back(column.id + "_joint");
  }
  for (const Index joint : joints) header.push_back("section:" + joint_name(rig, joint));
  std::string text = csv_line(header);
  for (const FrameMeasurement& frame : m.frames) {
    std::vector<std::string> cells = {frame.name, fmt::format("{:.9g}", frame.time_s),
                                      fmt::format("{:.9g}", frame.figures.volume)};
    for (const FigureColumn& column : columns) {
      const Value value = column.value(frame);
      cells.push_back(value ? fmt::format("{:.9g}", *value) : "");
      if (column.joint) cells.push_back(value ? joint_name(rig, column.joint(frame)) : "");
    }
    for (const Index joint : joints) {
      const auto& sections = frame.figures.sections;
      const auto found =
          std::find_if(sections.begin(), sections.end(), [&](const auto& s) { return s.joint == joint; });
      cells.push_back(found != sections.end() && found->compared > 0 ? fmt::format("{:.9g}", found->thinnest) : "");
    }
    text += csv_line(cells);
  }
  return text;
}

}  // namespace sinew::jobs
