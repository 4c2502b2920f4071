// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Figs. 10, 11 and 16 of the paper: folds, the armpit, and what energy and contact add.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "sinew/binding/distance/distance.h"
#include "sinew/core/character.h"
#include "sinew/deform/pbd/pbd.h"
#include "sinew/lab/pbd/folds.h"
#include "sinew/lab/pbd/pbd.h"
#include "sinew/measure/meter.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/pipeline/bind.h"
#include "sinew/pipeline/deformer.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

using Bound = std::unique_ptr<deform::Deformer>;

/// `pbd` as it is, with or without energy and contact.
Bound bound_pbd(const Rig& rig, bool energy, bool contact, const Progress& progress) {
  deform::PbdOptions own;
  own.energy = energy ? own.energy : 0;
  pipeline::DeformerOptions options = pipeline::deformer("pbd", own);
  options.never_worse = false;
  options.contact.use = contact ? deform::ContactUse::kOn : deform::ContactUse::kOff;
  Findings warnings;
  return pipeline::bind_deformer(rig, options, warnings, progress);
}

Mesh shaped(const Rig& rig, const std::vector<Vec3>& positions) {
  Mesh mesh = rig.mesh;
  mesh.positions = positions;
  return mesh;
}

/// The turn of that name by another angle.
LimbTurn turn_by(const std::vector<LimbTurn>& turns, std::size_t which, double degrees) {
  const auto found = std::find_if(turns.begin(), turns.end(),
                                  [&](const LimbTurn& turn) { return turn.name == limb_turn_names()[which]; });
  if (found == turns.end()) throw Error("The made human has no limb of that name.");
  LimbTurn turn = *found;
  turn.degrees = degrees;
  return turn;
}

/// What is near a joint, in a pose.
Box box_around(const ModelPose& pose, Index joint, double radius) {
  Box box;
  const Vec3 place = pose.joints[joint].topRightCorner<3, 1>();
  box.extend(place - Vec3::Constant(radius)), box.extend(place + Vec3::Constant(radius));
  return box;
}

struct Fold {
  std::uint64_t pairs = 0;
  double overlap = 0;  ///< Share of the body's volume.
};

Fold fold_of(const Rig& rig, const deform::Deformer& deformer, const ModelPose& pose, Index joint, double volume,
             const Progress& progress) {
  const Mesh mesh = shaped(rig, posed_skin(deformer, rig, pose));
  return {meeting_pairs(mesh, progress), overlap_volume(mesh, box_around(pose, joint, 0.2 * rig.mesh.size())) / volume};
}

/// The left arm raised at the shoulder, towards the head.
LimbTurn raised_arm(const Rig& rig, double degrees) {
  const motion::Recognition body = motion::recognize(rig.skeleton);
  const ModelPose pose = bound_pose(rig);
  const auto place = [&](motion::BodyPart part) {
    return Vec3(pose.joints[body.find(part, motion::Side::kLeft)].topRightCorner<3, 1>());
  };
  const Index joint = body.find(motion::BodyPart::kUpperArm, motion::Side::kLeft);
  const Vec3 bone = place(motion::BodyPart::kForearm) - place(motion::BodyPart::kUpperArm);
  const Mat3 frame = polar(pose.joints[joint].topLeftCorner<3, 3>()).rotation;
  return {"arm raised", joint, false, frame.transpose() * bone.cross(Vec3::UnitY()).normalized(), degrees};
}

}  // namespace

void pbd_folds(const Progress& progress, Reproduction& result, int vertices) {
  shapes::MakeOptions make;
  make.vertices = vertices;
  const Rig rig = shapes::make("human", make).made.character.rig;
  const double volume = measure::Meter(rig, without_contacts(), progress)
                            .measure({rig.mesh.positions, bound_pose(rig).joints}, progress)
                            .volume;
  const std::vector<LimbTurn> turns = limb_turns(rig);
  ResultTable table{
      "figure_10",
      "Fig. 10: a knee bent from 0° to 150°, contact off and on",
      "A made human. Pairs of triangles that meet, and in brackets the volume near the knee that the skin "
      "encloses more than once, in millionths of the body. Corrections are not reduced anywhere.",
      {"degrees", "linear", "pbd", "pbd, contact"},
      {}};
  const Bound lbs = deform::bind("lbs", rig), without = bound_pbd(rig, true, false, progress),
              with = bound_pbd(rig, true, true, progress);
  std::array<Fold, 3> sums;
  for (int degrees = 0; degrees <= 150; degrees += 5) {
    progress.check();
    const LimbTurn turn = turn_by(turns, 3, degrees);
    const ModelPose pose = turned_pose(rig, turn);
    const std::array<const deform::Deformer*, 3> methods = {lbs.get(), without.get(), with.get()};
    Json row = {{"degrees", degrees}};
    std::vector<std::string> texts = {fmt::format("{}", degrees)};
    constexpr std::array<const char*, 3> kNames = {"linear", "pbd", "contact"};
    for (std::size_t m = 0; m < 3; ++m) {
      const Fold fold = fold_of(rig, *methods[m], pose, turn.joint, volume, progress);
      sums[m].pairs += fold.pairs, sums[m].overlap += fold.overlap;
      texts.push_back(fmt::format("{} ({:.1f})", fold.pairs, 1e6 * fold.overlap));
      row[kNames[m]] = {{"pairs", fold.pairs}, {"overlap", fold.overlap}};
    }
    if (degrees % 10 == 0) table.rows.push_back(std::move(texts));
    result.metrics["figure_10"].push_back(std::move(row));
  }
  const auto share = [](double left, double all) { return all > 0 ? left / all : 0; };
  const double pairs = share(static_cast<double>(sums[2].pairs), static_cast<double>(sums[1].pairs));
  const double overlap = share(sums[2].overlap, sums[1].overlap);
  table.rows.push_back({"left by contact", "", "", fmt::format("{:.3f} ({:.3f})", pairs, overlap)});
  result.metrics["figure_10_left"] = {{"pairs", pairs}, {"overlap", overlap}};
  constexpr double kMostLeft = 0.05;
  if (pairs > kMostLeft || overlap > kMostLeft)
    result.misses.push_back({"reproduce.out_of_bounds", "figure 10",
                             fmt::format("Contact leaves {:.3f} of the intersecting pairs and {:.3f} of the penetrated "
                                         "volume of a bent knee; at most {} is required.",
                                         pairs, overlap, kMostLeft)});
  result.tables.push_back(std::move(table));
}

void pbd_armpit(const Progress& progress, Reproduction& result, int vertices) {
  shapes::MakeOptions make;
  make.vertices = vertices;
  const Character truth = shapes::make("human", make).made.character;
  const LimbTurn turn = raised_arm(truth.rig, 100);
  const Vec3 shoulder = bound_pose(truth.rig).joints[turn.joint].topRightCorner<3, 1>();
  ResultTable table{
      "figure_11",
      "Fig. 11: an armpit by the paper's weights and by better ones",
      "A made human whose arm is raised by 100°. Mean change of the angle between neighbouring faces within "
      "a tenth of the size of the shoulder, in degrees, and pairs of triangles that meet. The paper's "
      "weights are those of its Eq. 2; the true ones are those the human was made with.",
      {"weights", "linear", "pbd"},
      {}};
  const auto bound = [&](const char* method, AnyOptions own) {
    pipeline::BindRequest request;
    request.method.choose(method);
    if (!own.is<NoOptions>()) request.method.options() = std::move(own);
    return pipeline::bind(truth, request, progress).character.rig;
  };
  binding::DistanceOptions printed;
  printed.mode = binding::DistanceRules::kPaper;
  const std::array<std::pair<const char*, Rig>, 4> rigs = {{{"Eq. 2, as printed", bound("distance", printed)},
                                                            {"Eq. 2, faded", bound("distance", {})},
                                                            {"heat", bound("heat", {})},
                                                            {"true", truth.rig}}};
  for (const auto& [name, rig] : rigs) {
    progress.check();
    const ModelPose pose = turned_pose(rig, turn);
    const Bound lbs = deform::bind("lbs", rig), pbd = bound_pbd(rig, true, false, progress);
    table.rows.push_back({name});
    for (const auto& [method, deformer] : {std::pair("linear", lbs.get()), std::pair("pbd", pbd.get())}) {
      const std::vector<Vec3> positions = posed_skin(*deformer, rig, pose);
      const double rough = crumpling(rig.mesh, positions, shoulder, 0.1 * rig.mesh.size());
      const std::uint64_t pairs = meeting_pairs(shaped(rig, positions), progress);
      table.rows.back().push_back(fmt::format("{:.2f} / {}", degrees(rough), pairs));
      result.metrics["figure_11"][name][method] = {{"crumpling_rad", rough}, {"pairs", pairs}};
    }
  }
  result.tables.push_back(std::move(table));
}

void pbd_rival(const Progress& progress, Reproduction& result, int vertices) {
  shapes::MakeOptions make;
  make.vertices = vertices;
  const Rig rig = shapes::make("human", make).made.character.rig;
  const measure::Meter meter(rig, without_contacts(), progress);
  const std::vector<LimbTurn> turns = limb_turns(rig);
  ResultTable table{
      "figure_16",
      "Fig. 16: against the constraints without energy and contact",
      "A made human, one joint bent. Volume lost in thousandths of the body / pairs of triangles that meet "
      "/ volume enclosed more than once near the joint, in millionths / mean change of the angle between "
      "neighbouring faces there, in degrees. The plain set is that of N. Abu Rumman and M. Fratarcangeli, "
      "2015: stretch, bind and volume.",
      {"constraints"},
      {}};
  const std::array<LimbTurn, 3> poses = {turn_by(turns, 2, 130), turn_by(turns, 3, 130), raised_arm(rig, 100)};
  for (const char* name : {"elbow 130°", "knee 130°", "arm raised 100°"}) table.header.emplace_back(name);
  struct Set {
    const char* name;
    bool energy, contact;
  };
  for (const Set& set :
       {Set{"plain set", false, false}, Set{"with energy", true, false}, Set{"with energy and contact", true, true}}) {
    progress.check();
    const Bound deformer = bound_pbd(rig, set.energy, set.contact, progress);
    table.rows.push_back({set.name});
    for (std::size_t p = 0; p < poses.size(); ++p) {
      const ModelPose pose = turned_pose(rig, poses[p]);
      const std::vector<Vec3> positions = posed_skin(*deformer, rig, pose);
      const measure::FrameFigures figures = meter.measure({positions, pose.joints}, progress);
      const Fold fold = fold_of(rig, *deformer, pose, poses[p].joint,
                                meter.measure({rig.mesh.positions, bound_pose(rig).joints}, progress).volume, progress);
      const Vec3 place = bound_pose(rig).joints[poses[p].joint].topRightCorner<3, 1>();
      const double rough = crumpling(rig.mesh, positions, place, 0.1 * rig.mesh.size());
      table.rows.back().push_back(fmt::format("{:.2f} / {} / {:.1f} / {:.2f}", 1000 * figures.loss, fold.pairs,
                                              1e6 * fold.overlap, degrees(rough)));
      result.metrics["figure_16"][set.name][table.header[p + 1]] = {
          {"loss", figures.loss}, {"pairs", fold.pairs}, {"overlap", fold.overlap}, {"crumpling_rad", rough}};
    }
  }
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
