// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "sinew/binding/segment/segmentation.h"
#include "sinew/core/angles.h"
#include "sinew/deform/blend/delta_mush.h"
#include "sinew/deform/blend/slbs.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/section.h"
#include "sinew/lab/segmentation/segmentation.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

constexpr std::array<double, 4> kTwistDegrees = {180, 360, 540, 720};
constexpr double kMostBoundedDegrees = 540;
constexpr double kLeastArea = 0.95;
constexpr double kMostStretch = 1.05;  // Times the closed form.

/// How far round the axis from `start` in the direction `axis` a point lies.
double azimuth(const Vec3& p, const Vec3& start, const Vec3& axis, const Vec3& zero) {
  const Vec3 r = p - start;
  return std::atan2(axis.cross(zero).dot(r), zero.dot(r));
}

double nearest_turn(double angle, double reference) {
  return angle + kTwoPi * std::round((reference - angle) / kTwoPi);
}

struct TwistMethod {
  const char* key;
  const char* name;
  const char* id;
  bool delta_mush;
  bool delta_share;  ///< Of slbs.

  AnyOptions options() const {
    if (std::string_view(id) != "slbs") return {};
    return deform::SlbsOptions{delta_share ? deform::TwistShare::kDelta : deform::TwistShare::kHarmonic,
                               deform::SpreadTwists::kAll};
  }
};
constexpr std::array<TwistMethod, 5> kTwistMethods = {{{"lbs", "LBS", "lbs", false, false},
                                                       {"dqs", "DQS", "dqs", false, false},
                                                       {"dqs_delta_mush", "DQS, delta mush", "dqs", true, false},
                                                       {"slbs", "SLBS", "slbs", false, false},
                                                       {"slbs_delta", "SLBS, delta", "slbs", false, true}}};
constexpr std::size_t kTwistSafe = 3;
using TwistRow = std::array<TwistFigures, kTwistMethods.size()>;

double degrees_of(double rad) { return rad * 180 / kPi; }

ResultTable area_table() {
  ResultTable table{
      "twist_areas",
      "Twisted forearm of a made human: area of its cross-sections relative to rest, least and mean, in percent",
      "The hand turns about the forearm; 40 sections. SLBS spreads the twist by a harmonic field, and with "
      "\"delta\" in proportion to the distance along the bone, as published. Whole turns are no turns to LBS and "
      "DQS. Other programs at 180°, on their own characters: LBS 0–1, DQS 71–91, DQS with corrective smoothing 38, "
      "projective skinning 62.",
      {"vertices, twist"},
      {}};
  for (const TwistMethod& method : kTwistMethods) table.header.emplace_back(method.name);
  return table;
}

ResultTable stretch_table() {
  return {
      "twist_stretch",
      "The same: longest edge relative to rest, and by how much the skin turns from elbow to wrist",
      "Closed form: γ/2 + √(1 + γ²/4), γ = θr/L, of a round bar as long as the forearm and as thick as it is at its "
      "thickest. Ratio: to that.",
      {"vertices, twist", "closed form", "SLBS", "ratio", "SLBS, delta", "ratio", "LBS turns", "DQS turns",
       "SLBS turns"},
      {}};
}

std::vector<std::string> area_row(const std::string& name, const TwistRow& row) {
  std::vector<std::string> cells = {name};
  for (const TwistFigures& f : row)
    cells.push_back(fmt::format("{:.1f}, {:.1f}", 100 * f.least_area, 100 * f.mean_area));
  return cells;
}

std::vector<std::string> stretch_row(const std::string& name, const TwistRow& row) {
  std::vector<std::string> cells = {name, fmt::format("{:.3f}", row[0].closed_form)};
  for (const std::size_t m : {kTwistSafe, kTwistSafe + 1}) {
    cells.push_back(fmt::format("{:.3f}", row[m].stretch));
    cells.push_back(fmt::format("{:.3f}", row[m].stretch / row[m].closed_form));
  }
  // Which way round a half turn goes is for rounding to say.
  for (const std::size_t m : {std::size_t{0}, std::size_t{1}, kTwistSafe})
    cells.push_back(fmt::format("{:.0f}°", std::abs(degrees_of(row[m].shown_rad))));
  return cells;
}

Json twist_json(double degrees, Index vertices, const TwistRow& row) {
  Json json = {{"vertices", vertices}, {"degrees", degrees}, {"closed_form_stretch", row[0].closed_form}};
  for (std::size_t m = 0; m < row.size(); ++m)
    json[kTwistMethods[m].key] = {{"least_area_percent", 100 * row[m].least_area},
                                  {"mean_area_percent", 100 * row[m].mean_area},
                                  {"shown_degrees", std::abs(degrees_of(row[m].shown_rad))},
                                  {"stretch", row[m].stretch}};
  return json;
}

void check_twist(const std::string& where, const TwistFigures& f, Findings& misses) {
  if (f.least_area < kLeastArea)
    misses.push_back({"reproduce.out_of_bounds", where,
                      fmt::format("A cross-section keeps {:.1f} % of its area, where {:.0f} % are required.",
                                  100 * f.least_area, 100 * kLeastArea)});
  if (f.stretch > kMostStretch * f.closed_form)
    misses.push_back({"reproduce.out_of_bounds", where,
                      fmt::format("An edge is {:.3f} times as long as at rest, {:.3f} times the closed form, where at "
                                  "most {} times is allowed.",
                                  f.stretch, f.stretch / f.closed_form, kMostStretch)});
}

}  // namespace

TwistedBone::TwistedBone(const Rig& rig, const Segmentation& owners, Index joint, Index child, Index sections)
    : rig_(rig), child_(child) {
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  start_ = rest[joint].topRightCorner<3, 1>();
  end_ = rest[child].topRightCorner<3, 1>();
  const Vec3 bone = end_ - start_;
  const auto along = [&](Index v) { return (rig_.mesh.positions[v] - start_).dot(bone) / bone.squaredNorm(); };
  std::vector<char> inside(rig.mesh.positions.size(), 0);
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    const Segmentation::Segment& owner = owners.segments[owners.owner[v]];
    if (owner.joint != joint || owner.child != child || along(v) < 0 || along(v) > 1) continue;
    inside[v] = 1;
    vertices_.push_back(v);
  }
  std::stable_sort(vertices_.begin(), vertices_.end(), [&](Index a, Index b) { return along(a) < along(b); });
  const geometry::Lists rings = geometry::one_rings(rig.mesh);
  for (const Index a : vertices_) {
    const Vec3& p = rig.mesh.positions[a];
    radius_ = std::max(radius_, (p - start_ - along(a) * bone).norm());
    for (const Index b : rings[a])
      if (a < b && inside[b]) edges_.push_back({a, b, (rig.mesh.positions[b] - p).norm()});
  }
  for (const geometry::Section& section : geometry::sections(rig.mesh, start_, end_, sections))
    rest_areas_.push_back(section.area);
}

Pose TwistedBone::pose(double angle_rad) const {
  const std::vector<Mat4> rest = rest_matrices(rig_.skeleton);
  const Vec3 axis = (rest[child_].topLeftCorner<3, 3>().transpose() * (end_ - start_)).normalized();
  Pose pose = rest_pose(rig_);
  pose.local[child_].rotation = pose.local[child_].rotation * rotation_exp(angle_rad * axis);
  pose.twist_rad.assign(rig_.skeleton.size(), 0);
  pose.twist_rad[child_] = angle_rad;
  return pose;
}

TwistFigures TwistedBone::measure(const deform::Deformer& deformer, double angle_rad) const {
  Mesh posed = rig_.mesh;
  posed.positions = posed_positions(deformer, rig_, pose(angle_rad));
  TwistFigures figures;
  // The bone itself stays where it is.
  figures.least_area = 1e300;
  std::size_t i = 0;
  const Index count = static_cast<Index>(rest_areas_.size());
  for (const geometry::Section& section : geometry::sections(posed, start_, end_, count)) {
    const double factor = section.area / rest_areas_[i++];
    figures.least_area = std::min(figures.least_area, factor);
    figures.mean_area += factor / count;
  }
  for (const Edge& edge : edges_)
    figures.stretch =
        std::max(figures.stretch, (posed.positions[edge.a] - posed.positions[edge.b]).norm() / edge.length);
  const Vec3 axis = (end_ - start_).normalized();
  const double shear = std::abs(angle_rad) * radius_ / (end_ - start_).norm();
  figures.closed_form = shear / 2 + std::sqrt(1 + shear * shear / 4);
  // The skin's turn at a place is that of the vertices around it, each as much as it is away from the axis; from place
  // to place it goes on without a jump.
  const Vec3 zero = axis.unitOrthogonal();
  constexpr std::size_t kPlaces = 24;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const std::size_t begin = vertices_.size() * place / kPlaces, end = vertices_.size() * (place + 1) / kPlaces;
    double sine = 0, cosine = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const Vec3& p = posed.positions[vertices_[k]];
      const double turn =
          azimuth(p, start_, axis, zero) - azimuth(rig_.mesh.positions[vertices_[k]], start_, axis, zero);
      const double away = (p - start_).cross(axis).norm();
      sine += away * std::sin(turn);
      cosine += away * std::cos(turn);
    }
    figures.shown_rad = nearest_turn(std::atan2(sine, cosine), figures.shown_rad);
  }
  return figures;
}

void segmentation_twists(const std::vector<int>& vertices, const Progress& progress, Reproduction& result) {
  ResultTable areas = area_table(), stretches = stretch_table();
  for (const int count : vertices) {
    shapes::MakeOptions make;
    make.vertices = count;
    const shapes::Made made = shapes::make("human", make).made;
    const Rig& rig = made.character.rig;
    const Segmentation regions = binding::segment(binding::rest_subject(rig.mesh, rig.skeleton));
    const deform::MethodInputs inputs{.segmentation = &regions, .prepared = {}};
    std::vector<std::unique_ptr<deform::Deformer>> deformers;
    for (const TwistMethod& method : kTwistMethods) {
      progress.check();
      auto deformer = deform::bind(method.id, rig, method.options(), {}, inputs);
      if (method.delta_mush) deformer = bind_delta_mush(std::move(deformer), rig, {});
      deformers.push_back(std::move(deformer));
    }
    const TwistedBone forearm(rig, made.owners, rig.skeleton.find("LeftForearm"), rig.skeleton.find("LeftHand"));
    for (const double degrees : kTwistDegrees) {
      progress.check();
      TwistRow row;
      for (std::size_t m = 0; m < row.size(); ++m) row[m] = forearm.measure(*deformers[m], degrees * kPi / 180);
      const std::string name = fmt::format("{}, {:.0f}°", rig.mesh.vertex_count(), degrees);
      areas.rows.push_back(area_row(name, row));
      stretches.rows.push_back(stretch_row(name, row));
      result.metrics["twists"].push_back(twist_json(degrees, rig.mesh.vertex_count(), row));
      if (count >= kTwistVertices && degrees <= kMostBoundedDegrees)
        check_twist("SLBS " + name, row[kTwistSafe], result.misses);
    }
  }
  result.tables.push_back(std::move(areas));
  result.tables.push_back(std::move(stretches));
}

}  // namespace sinew::lab
