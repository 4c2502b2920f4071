// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>

#include "sinew/binding/segment/segmentation.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/lab/segmentation/segmentation.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

constexpr std::array<const char*, 5> kLabelKinds = {"human", "quadruped", "hand", "bird", "octopus"};

/// Its poses T and A are the same.
bool has_one_pose(std::string_view kind) { return kind == "quadruped"; }

/// Least share of vertices whose owner fits, in the mean of a kind: where limbs are spread, and in random poses.
constexpr double kSpreadBound = 0.95;
constexpr double kRandomPoseBound = 0.85;

/// How three ways to find owners agree with those that are known, on one character.
struct LabelCase {
  LabelAgreement nearest, unmerged, merged;
};

LabelCase label_case(const shapes::Made& made) {
  const Rig& rig = made.character.rig;
  const binding::Subject subject = binding::rest_subject(rig.mesh, rig.skeleton);
  binding::SegmentationOptions without;
  without.merge = false;
  return {label_agreement(made.owners, rig.weights, binding::nearest_bones(subject)),
          label_agreement(made.owners, rig.weights, binding::segment(subject, without)),
          label_agreement(made.owners, rig.weights, binding::segment(subject))};
}

/// The same over many.
struct LabelSummary {
  LabelCase sum;
  int count = 0;
  double least = 1;       ///< Of what fits after merging.
  double least_lead = 1;  ///< Of that over the nearest bone.

  void add(const LabelCase& one) {
    const auto plus = [](LabelAgreement& to, const LabelAgreement& from) {
      to.bones += from.bones;
      to.joints += from.joints;
      to.fits += from.fits;
    };
    plus(sum.nearest, one.nearest);
    plus(sum.unmerged, one.unmerged);
    plus(sum.merged, one.merged);
    ++count;
    least = std::min(least, one.merged.fits);
    least_lead = std::min(least_lead, one.merged.fits - one.nearest.fits);
  }
};

std::string hundred(double share) { return fmt::format("{:.1f}", 100 * share + 0.0); }

Json mean_json(const LabelAgreement& sum, int count) {
  return {{"fits", 100 * sum.fits / count}, {"joints", 100 * sum.joints / count}, {"bones", 100 * sum.bones / count}};
}

std::vector<std::string> label_row(const std::string& name, const LabelSummary& all) {
  const auto cell = [&](const LabelAgreement& sum) {
    return fmt::format("{} ({})", hundred(sum.fits / all.count), hundred(sum.joints / all.count));
  };
  return {name,
          fmt::format("{}", all.count),
          cell(all.sum.nearest),
          cell(all.sum.unmerged),
          cell(all.sum.merged),
          hundred(all.least),
          fmt::format("{:+.1f}", 100 * all.least_lead)};
}

void check_labels(const std::string& name, const LabelSummary& all, double bound, Findings& misses) {
  const double mean = all.sum.merged.fits / all.count;
  if (mean < bound)
    misses.push_back(
        {"reproduce.out_of_bounds", name,
         fmt::format("Owners fit at {} % of the vertices, where {} % are required.", hundred(mean), hundred(bound))});
  if (all.least_lead < 0)
    misses.push_back({"reproduce.out_of_bounds", name,
                      fmt::format("On one character the nearest bone fits at {:.2f} points more of the vertices.",
                                  -100 * all.least_lead)});
}

int member_seed(const ReproduceOptions& options, int member) {
  return static_cast<int>((std::int64_t{options.seed} + member) % (std::int64_t{1} << 31));
}

shapes::MakeOptions posed_member(const char* pose, int seed, double vary) {
  shapes::MakeOptions options;
  options.made_pose = pose;
  options.seed = seed;
  options.vary = vary;
  return options;
}

/// A character of many shells, or of no human shape.
struct ShellCase {
  const char* name;
  const char* kind;
  const char* pose;
  bool clothes;
};
constexpr std::array<ShellCase, 6> kShellCases = {{{"human, dressed, A", "human", "a", true},
                                                   {"human, dressed, T", "human", "t", true},
                                                   {"human, dressed, random", "human", "random", true},
                                                   {"octopus, spread", "octopus", "t", false},
                                                   {"octopus, random", "octopus", "random", false},
                                                   {"bird, random", "bird", "random", false}}};

/// Shells of which no vertex has an owner, and vertices without one.
std::array<Index, 2> unlabelled(const Mesh& mesh, const Segmentation& found, const geometry::Components& shells) {
  std::vector<char> labelled(shells.count, 0);
  Index vertices = 0;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const bool owned = found.owner[v] < found.segments.size();
    if (!owned) ++vertices;
    if (owned && shells.of_vertex[v] != kNone) labelled[shells.of_vertex[v]] = 1;
  }
  return {static_cast<Index>(std::count(labelled.begin(), labelled.end(), 0)), vertices};
}

}  // namespace

LabelAgreement label_agreement(const Segmentation& known, const SkinWeights& reference, const Segmentation& found) {
  assert(known.owner.size() == found.owner.size() && reference.row_count() == known.owner.size());
  constexpr float kFits = 0.2F;
  std::size_t bones = 0, joints = 0, fits = 0;
  for (Index v = 0; v < reference.row_count(); ++v) {
    const Segmentation::Segment& wanted = known.segments[known.owner[v]];
    const Segmentation::Segment& given = found.segments[found.owner[v]];
    const bool same = wanted.joint == given.joint;
    if (same) ++joints;
    if (same && wanted.child == given.child) ++bones;
    const auto row = reference.row(v);
    if (same || std::any_of(row.begin(), row.end(), [&](const Influence& influence) {
          return influence.joint == given.joint && influence.weight >= kFits;
        }))
      ++fits;
  }
  const double count = std::max(1.0, static_cast<double>(known.owner.size()));
  return {static_cast<double>(bones) / count, static_cast<double>(joints) / count, static_cast<double>(fits) / count};
}

void segmentation_labels(int members, const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  ResultTable table{
      "labels",
      "Owners of vertices beside the known ones: vertices that fit, in percent",
      fmt::format(
          "Made characters at their own resolution, seeds from {}, body shapes varied in full; means over so many. An "
          "owner "
          "fits if its joint has a fifth or more of the vertex's reference weight; in brackets: if it is the very "
          "joint "
          "that has most. Least: the worst character. Least lead: over the nearest bone, in points, of the character "
          "where it is worst.",
          options.seed),
      {"kind, pose", "characters", "nearest bone", "before merging", "after merging", "least", "least lead"},
      {}};
  for (const char* kind : kLabelKinds)
    for (const char* pose : {"t", "a", "random"}) {
      if (pose == std::string("a") && has_one_pose(kind)) continue;
      const bool random = pose == std::string("random");
      LabelSummary all;
      const int count = random ? members : std::max(1, members / 4);
      for (int i = 0; i < count; ++i) {
        progress.check();
        all.add(label_case(shapes::make(kind, posed_member(pose, member_seed(options, i), 1)).made));
      }
      const std::string name = fmt::format("{}, {}", kind, random ? pose : pose == std::string("t") ? "T" : "A");
      table.rows.push_back(label_row(name, all));
      result.metrics["labels_percent"].push_back({{"kind", kind},
                                                  {"pose", pose},
                                                  {"characters", count},
                                                  {"nearest_bone", mean_json(all.sum.nearest, count)},
                                                  {"before_merging", mean_json(all.sum.unmerged, count)},
                                                  {"after_merging", mean_json(all.sum.merged, count)},
                                                  {"least", 100 * all.least},
                                                  {"least_lead", 100 * all.least_lead}});
      check_labels(name, all, random ? kRandomPoseBound : kSpreadBound, result.misses);
    }
  result.tables.push_back(std::move(table));
}

void segmentation_shells(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  ResultTable table{"shells",
                    "Many shells, other bodies: how the owners were found",
                    "Fit: owners whose joint has a fifth or more of the reference weight, in percent of the vertices. "
                    "Weak, spread, nearest: vertices that took a fallback. "
                    "Without: shells of which no vertex has an owner, and vertices that have none.",
                    {"character", "vertices", "shells", "segments", "fit", "seedless", "weak", "spread", "nearest",
                     "fragments", "merged", "merged vertices", "without"},
                    {}};
  for (const ShellCase& one : kShellCases) {
    progress.check();
    shapes::MakeOptions make = posed_member(one.pose, options.seed, 0);
    make.clothes = one.clothes;
    const shapes::Made made = shapes::make(one.kind, make).made;
    const Mesh& mesh = made.character.rig.mesh;
    const Segmentation found = binding::segment(binding::rest_subject(mesh, made.character.rig.skeleton));
    const geometry::Welding welding = geometry::weld(mesh);
    const geometry::Components shells = geometry::components(mesh, &welding);
    const std::array<Index, 2> without = unlabelled(mesh, found, shells);
    const Segmentation::Statistics& s = found.statistics;
    std::vector<std::string> cells = {one.name};
    for (const auto value : {mesh.vertex_count(), shells.count, static_cast<Index>(found.segments.size())})
      cells.push_back(fmt::format("{}", value));
    const double fits = without[1] == 0 ? label_agreement(made.owners, made.character.rig.weights, found).fits : 0;
    cells.push_back(hundred(fits));
    for (const Index value :
         {s.seedless, s.weak, s.spread, s.nearest, s.fragments, s.merged_fragments, s.merged_vertices})
      cells.push_back(fmt::format("{}", value));
    cells.push_back(fmt::format("{}, {}", without[0], without[1]));
    table.rows.push_back(std::move(cells));
    result.metrics["shells"].push_back({{"character", one.name},
                                        {"vertices", mesh.vertex_count()},
                                        {"shells", shells.count},
                                        {"segments", found.segments.size()},
                                        {"fit_percent", 100 * fits},
                                        {"seedless", s.seedless},
                                        {"weak", s.weak},
                                        {"spread", s.spread},
                                        {"nearest", s.nearest},
                                        {"fragments", s.fragments},
                                        {"merged_fragments", s.merged_fragments},
                                        {"merged_vertices", s.merged_vertices},
                                        {"shells_without_label", without[0]},
                                        {"vertices_without_label", without[1]}});
    if (without[0] + without[1] > 0)
      result.misses.push_back({"reproduce.out_of_bounds", one.name,
                               fmt::format("{} shells and {} vertices have no owner.", without[0], without[1])});
  }
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
