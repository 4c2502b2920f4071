// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <map>
#include <optional>

#include "sinew/lab/embedding/embedding.h"

namespace sinew::lab {
namespace {

// 13 of 16 people and 3 of 4 animals with four legs, as shares of as many as there are.
constexpr double kLeastRealHumans = 13.0 / 16, kLeastRealQuadrupeds = 0.75;
constexpr double kMostRealError = 0.03;

const char* yes_or_no(bool yes) { return yes ? "yes" : "no"; }

std::vector<std::string> real_row(const EmbeddingSubject& subject, const EmbeddingOutcome& o) {
  const bool compared = o.compared > 0;
  return {subject.name,
          subject.kind.empty() ? "none" : subject.kind,
          o.template_name,
          fmt::format("{:.2f}", o.confidence),
          yes_or_no(o.warned),
          compared ? fmt::format("{}", o.compared) : "–",
          compared ? fmt::format("{:.1f}", 100 * o.error) : "–",
          compared ? fmt::format("{} ({:.1f})", o.worst_joint, 100 * o.worst_error) : "–",
          o.outside == 0 ? "0" : fmt::format("{}: {}", o.outside, o.outside_names),
          fmt::format("{}", o.swapped),
          o.right ? "yes" : "no: " + o.reason()};
}

Json real_json(const EmbeddingSubject& subject, const EmbeddingOutcome& o) {
  return {{"character", subject.name},
          {"vertices", subject.mesh.vertex_count()},
          {"wanted", subject.kind},
          {"template", o.template_name},
          {"confidence", o.confidence},
          {"warned", o.warned},
          {"joints_compared", o.compared},
          {"error_percent", 100 * o.error},
          {"worst_joint", o.worst_joint},
          {"worst_error_percent", 100 * o.worst_error},
          {"joints_outside", o.outside},
          {"limbs_swapped", o.swapped},
          {"right", o.right}};
}

/// Nothing, and a finding, for a file that cannot be read.
std::optional<EmbeddingSubject> read_subject(const std::filesystem::path& path, const char* kind, Findings& misses) {
  try {
    return file_embedding_subject(path, kind);
  } catch (const Error& error) {
    misses.push_back({"reproduce.unreadable", path.filename().string(), error.what()});
    return {};
  }
}

void check_real(const std::map<std::string, EmbeddingSummary>& kinds, Reproduction& result) {
  const auto miss = [&](const std::string& where, std::string text) {
    result.misses.push_back({"reproduce.out_of_bounds", where, std::move(text)});
  };
  for (const auto& [kind, all] : kinds) {
    const std::string where = kind.empty() ? "real characters of no template" : "real characters, " + kind;
    const double least = kind == "human" ? kLeastRealHumans : kind == "quadruped" ? kLeastRealQuadrupeds : 1;
    if (all.right < least * all.count)
      miss(where, fmt::format("{} of {} are right, where {:.0f} % are required.", all.right, all.count, 100 * least));
    if (all.compared > 0 && all.mean_error() > kMostRealError)
      miss(where, fmt::format("The mean error of joints is {:.1f} %, where at most {:.0f} % is allowed.",
                              100 * all.mean_error(), 100 * kMostRealError));
  }
}

ResultTable real_summary(const std::map<std::string, EmbeddingSummary>& kinds) {
  ResultTable table{"real_kinds",
                    "Real characters by kind",
                    "Pinocchio puts 13 of 16 people right without a hint (Baran & Popović 2007).",
                    {"kind", "characters", "right template", "right", "warned", "wrong, not warned", "error %",
                     "joints outside", "limbs swapped"},
                    {}};
  for (const auto& [kind, all] : kinds)
    table.rows.push_back({kind.empty() ? "none" : kind, fmt::format("{}", all.count),
                          fmt::format("{}", all.right_template), fmt::format("{}", all.right),
                          fmt::format("{}", all.warned), fmt::format("{}", all.silent),
                          all.compared > 0 ? fmt::format("{:.2f}", 100 * all.mean_error()) : "–",
                          fmt::format("{} in {}", all.outside, all.with_outside),
                          fmt::format("{} in {}", all.swapped, all.with_swapped)});
  return table;
}

}  // namespace

const std::vector<EmbeddingFile>& embedding_files() {
  static const std::vector<EmbeddingFile> files = {{"rigged/CesiumMan.glb", "human"},
                                                   {"rigged/RiggedFigure.glb", "human"},
                                                   {"rigged/RobotExpressive.glb", "human"},
                                                   {"rigged/Knight.glb", "human"},
                                                   {"rigged/human-male.glb", "human"},
                                                   {"rigged/human-bunny.glb", "human"},
                                                   {"rigged/HVGirl.glb", "human"},
                                                   {"rigged/lumberjack.glb", "human"},
                                                   {"rigged/momentum_test_24fps.glb", "human"},
                                                   {"rigged/VALID_Asian_F_1_Default.glb", "human"},
                                                   {"rigged/100Avatars_002_CoolAlien.vrm", "human"},
                                                   {"rigged/Godette_vrm_v4.vrm", "human"},
                                                   {"rigged-fbx/Male_Adult_01.fbx", "human"},
                                                   {"rigged-fbx/arnaud.fbx", "human"},
                                                   {"rigged-fbx/Smooth_Male_Shirt.fbx", "human"},
                                                   {"poses/male_10_poses/Male_Standing.fbx", "human"},
                                                   {"unrigged/human_man.obj", "human"},
                                                   {"unrigged/man.off", "human"},
                                                   {"unrigged/NASA_Gemini_Spacesuit.glb", "human"},
                                                   {"unrigged/NASA_EMU_442k_draco.glb", "human"},
                                                   {"rigged/Fox.glb", "quadruped"},
                                                   {"rigged/horse-animations.glb", "quadruped"},
                                                   {"rigged-fbx/Camel_OneHump_01.fbx", "quadruped"},
                                                   {"rigged-fbx/Dog_Beagle_01.fbx", "quadruped"},
                                                   {"unrigged/cat-low-resolution.obj", "quadruped"},
                                                   {"unrigged/elephant.off", "quadruped"},
                                                   {"rigged/generic-hand-left.glb", "hand"},
                                                   {"rigged/spider-animations.glb", ""},
                                                   {"rigged/dragon-animations.glb", ""},
                                                   {"unrigged/scorpion_low_resolution.obj", ""}};
  return files;
}

std::vector<EmbeddingSubject> embedding_real(const std::filesystem::path& folder, const ReproduceOptions& options,
                                             const Progress& progress, Reproduction& result) {
  ResultTable table{"real",
                    "Real characters, bare",
                    "",
                    {"character", "wanted", "found", "confidence", "warned", "joints", "error %", "worst joint",
                     "outside", "swapped", "right"},
                    {}};
  ResultTable times{
      "real_times", "Seconds to find joints: real characters", "", {"character", "vertices", "seconds"}, {}};
  std::map<std::string, EmbeddingSummary> kinds;
  std::vector<EmbeddingSubject> subjects;
  std::string absent;
  for (std::size_t i = 0; i < embedding_files().size(); ++i) {
    const EmbeddingFile& file = embedding_files()[i];
    progress.step("real characters", static_cast<double>(i) / static_cast<double>(embedding_files().size()));
    if (!std::filesystem::exists(folder / file.path)) {
      absent += fmt::format("{} {}", absent.empty() ? " Not there:" : ",", file.path);
      continue;
    }
    std::optional<EmbeddingSubject> read = read_subject(folder / file.path, file.kind, result.misses);
    if (!read) continue;
    EmbeddingSubject& subject = *read;
    const EmbeddingOutcome outcome = try_embedding(subject);
    kinds[subject.kind].add(subject.name, outcome);
    table.rows.push_back(real_row(subject, outcome));
    times.rows.push_back(
        {subject.name, fmt::format("{}", subject.mesh.vertex_count()), fmt::format("{:.2f}", outcome.seconds)});
    result.metrics["real"].push_back(real_json(subject, outcome));
    if (!subject.kind.empty() && !subject.truth.empty()) subjects.push_back(std::move(subject));
  }
  table.note =
      "In the pose in which they were bound; errors over joints whose role their names tell, as shares of the height "
      "of a human, of the "
      "longest side of the box of others. Right as above; without joints in the file only the template and joints "
      "inside are judged; where no "
      "template is right, a human must not come out without a warning." +
      absent;
  for (const auto& [kind, all] : kinds)
    result.metrics["real_kinds"][kind.empty() ? "none" : kind] = embedding_json(all);
  check_real(kinds, result);
  result.tables.push_back(std::move(table));
  result.tables.push_back(real_summary(kinds));
  if (options.runs > 0) result.times.push_back(std::move(times));
  return subjects;
}

}  // namespace sinew::lab
