// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <numbers>
#include <optional>

#include "sinew/core/bone_axis.h"
#include "sinew/core/character.h"
#include "sinew/geometry/random.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/bind_deformer.h"
#include "sinew/jobs/reproduce_pbd.h"
#include "sinew/measure/meter.h"
#include "sinew/motion/joint_names.h"
#include "sinew/motion/resolve.h"
#include "sinew/shapes/kinds.h"

namespace sinew::jobs {
namespace {

/// Characters the method was not developed with.
constexpr std::array<const char*, 10> kHeldOut = {"rigged/CesiumMan.glb",
                                                  "rigged/human-male.glb",
                                                  "rigged/human-bunny.glb",
                                                  "rigged/HVGirl.glb",
                                                  "rigged/Fox.glb",
                                                  "rigged/horse-animations.glb",
                                                  "rigged/100Avatars_002_CoolAlien.vrm",
                                                  "rigged-fbx/arnaud.fbx",
                                                  "rigged-fbx/Male_Adult_01.fbx",
                                                  "rigged-fbx/Dog_Beagle_01.fbx"};

/// A limb's joint turned, in its own frame.
struct LimbTurn {
  std::string name;
  Index joint = kNone;
  bool twist = false;
  Vec3 axis = Vec3::UnitY();  ///< Of the joint's own frame.
  double degrees = 0;
};

Vec3 place(const std::vector<Mat4>& frames, Index j) { return frames[j].topRightCorner<3, 1>(); }

/// A joint that twists about the bone that ends in it, or bends across the one that begins there, towards a direction.
std::optional<LimbTurn> limb_turn(const Rig& rig, const std::string& name, Index before, Index joint, Index after,
                                  const Vec3& towards, bool twist, double degrees) {
  if (before == kNone || joint == kNone || (!twist && after == kNone)) return std::nullopt;
  const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
  const Mat3 to_local = polar(frames[joint].topLeftCorner<3, 3>()).rotation.transpose();
  const Vec3 bone =
      twist ? Vec3(place(frames, joint) - place(frames, before)) : Vec3(place(frames, after) - place(frames, joint));
  const Vec3 axis = twist ? bone : bone.cross(towards);
  if (axis.norm() < 1e-9) return std::nullopt;
  return LimbTurn{name, joint, twist, to_local * axis.normalized(), degrees};
}

std::vector<LimbTurn> limb_turns(const Rig& rig) {
  using motion::BodyPart;
  using motion::Side;
  const motion::Recognition body = motion::recognize(rig.skeleton);
  const auto find = [&](BodyPart part) { return body.find(part, Side::kLeft); };
  std::vector<LimbTurn> turns;
  const auto add = [&](std::optional<LimbTurn> turn) {
    if (turn) turns.push_back(std::move(*turn));
  };
  const Index upper = find(BodyPart::kUpperArm), fore = find(BodyPart::kForearm), hand = find(BodyPart::kHand);
  const Index thigh = find(BodyPart::kThigh), shin = find(BodyPart::kShin), foot = find(BodyPart::kFoot);
  add(limb_turn(rig, "wrist twist 120°", fore, hand, kNone, body.forward, true, 120));
  add(limb_turn(rig, "ankle twist 120°", shin, foot, kNone, body.forward, true, 120));
  add(limb_turn(rig, "elbow bend 90°", upper, fore, hand, body.forward, false, 90));
  add(limb_turn(rig, "knee bend 90°", thigh, shin, foot, -body.forward, false, 90));
  return turns;
}

ModelPose turned_pose(const Rig& rig, const LimbTurn& turn) {
  Pose pose = rest_pose(rig);
  const double angle = turn.degrees * std::numbers::pi / 180;
  pose.local[turn.joint].rotation = pose.local[turn.joint].rotation * Quat(Eigen::AngleAxisd(angle, turn.axis));
  return motion::resolve(rig.skeleton, pose);
}

std::vector<Vec3> posed_skin(const deform::Deformer& deformer, const Rig& rig, const ModelPose& pose,
                             deform::FrameReport* report = nullptr) {
  const auto state = deformer.make_state();
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  deformer.deform(*state, {pose}, {positions, {}, report});
  std::vector<Vec3> result;
  result.reserve(positions.size());
  for (const Vec3f& p : positions) result.push_back(p.cast<double>());
  return result;
}

measure::MeterOptions without_contacts() {
  measure::MeterOptions options;
  options.intersections = false;
  return options;
}

struct Skinning {
  const char* name;
  const char* method;
  const char* base;
  const char* material;
};
constexpr std::array<Skinning, 6> kSkinnings = {{{"linear", "lbs", "lbs", "corotated"},
                                                 {"dual quaternion", "dqs", "lbs", "corotated"},
                                                 {"twist-safe", "slbs", "lbs", "corotated"},
                                                 {"pbd on linear, springs", "pbd", "lbs", "springs"},
                                                 {"pbd on linear, corotated", "pbd", "lbs", "corotated"},
                                                 {"pbd on twist-safe, corotated", "pbd", "slbs", "corotated"}}};

}  // namespace

void pbd_limbs(const Progress& progress, Reproduction& result) {
  shapes::MakeOptions make;
  make.vertices = 10000;
  const Rig rig = shapes::make("human", make).made.character.rig;
  const measure::Meter meter(rig, without_contacts(), progress);
  ResultTable table{
      "figure_15",
      "Fig. 15: bends and twists of a made human, by method",
      "Volume lost, in thousandths of the whole body; thinnest cross-section of the joint relative to rest; largest "
      "bulge.",
      {"method"},
      {}};
  const std::vector<LimbTurn> turns = limb_turns(rig);
  for (const LimbTurn& turn : turns) table.header.push_back(turn.name);
  for (const Skinning& skinning : kSkinnings) {
    progress.check();
    deform::DeformOptions choose;
    choose.base = skinning.base;
    choose.material = skinning.material;
    Findings warnings;
    const auto deformer = bind_deformer(skinning.method, rig, choose, warnings, progress);
    table.rows.push_back({skinning.name});
    for (const LimbTurn& turn : turns) {
      const ModelPose pose = turned_pose(rig, turn);
      const measure::FrameFigures figures = meter.measure({posed_skin(*deformer, rig, pose), pose.joints}, progress);
      double thinnest = 1, bulge = 0;
      for (const measure::JointSection& section : figures.sections)
        if (section.joint == turn.joint) thinnest = section.thinnest;
      for (const measure::JointBulge& joint : figures.bulges)
        if (joint.joint == turn.joint) bulge = joint.bulge;
      table.rows.back().push_back(fmt::format("{:.2f} / {:.2f} / {:.2f}", 1000 * figures.loss, thinnest, bulge));
      result.metrics["figure_15"][skinning.name][turn.name] = {
          {"loss", figures.loss}, {"thinnest", thinnest}, {"bulge", bulge}};
    }
  }
  result.tables.push_back(std::move(table));
}

void pbd_real(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  namespace fs = std::filesystem;
  ResultTable table{
      "real",
      "Real characters: share of the volume that linear blending loses and pbd recovers",
      "Over linear blending, corotated. In brackets what linear blending loses, in thousandths of the whole. The last "
      "column: of 50 random "
      "poses those in which a joint area was given up.",
      {"character", "wrist twist 120°", "ankle twist 120°", "elbow bend 90°", "knee bend 90°", "given up"},
      {}};
  for (const char* file : kHeldOut) {
    const fs::path path = fs::path(options.data) / file;
    if (!fs::exists(path)) continue;
    progress.check();
    const io::Asset asset = io::load(path, {}, progress);
    const Rig& rig = asset.character.rig;
    const measure::Meter meter(rig, without_contacts(), progress);
    deform::DeformOptions choose;
    choose.base = "lbs";
    Findings warnings;
    const auto lbs = bind_deformer("lbs", rig, choose, warnings, progress);
    const auto pbd = bind_deformer("pbd", rig, choose, warnings, progress);
    const ModelPose rest = motion::resolve(rig.skeleton, rest_pose(rig));
    const double at_rest = meter.enclosed().total(posed_skin(*lbs, rig, rest));
    std::vector<std::string> row = {path.stem().string(), "–", "–", "–", "–", ""};
    for (const LimbTurn& turn : limb_turns(rig)) {
      const ModelPose pose = turned_pose(rig, turn);
      const double blended = meter.enclosed().total(posed_skin(*lbs, rig, pose)),
                   kept = meter.enclosed().total(posed_skin(*pbd, rig, pose));
      const double recovered = (kept - blended) / (at_rest - blended);
      for (std::size_t c = 1; c < table.header.size(); ++c)
        if (table.header[c] == turn.name)
          row[c] = fmt::format("{:.2f} ({:.1f})", recovered, 1000 * (at_rest - blended) / at_rest);
      result.metrics["real"][row[0]][turn.name] = {{"recovered", recovered}, {"lost", (at_rest - blended) / at_rest}};
    }
    geometry::Random dice(static_cast<std::uint64_t>(options.seed));
    int given_up = 0;
    for (int i = 0; i < 50; ++i) {
      Pose pose = rest_pose(rig);
      for (Transform& local : pose.local) {
        const Vec3 axis = Vec3(dice.uniform() - 0.5, dice.uniform() - 0.5, dice.uniform() - 0.5).normalized();
        local.rotation = local.rotation * Quat(Eigen::AngleAxisd(0.5 * dice.uniform(), axis));
      }
      deform::FrameReport report;
      posed_skin(*pbd, rig, motion::resolve(rig.skeleton, pose), &report);
      given_up += report.fallback_vertices > 0 ? 1 : 0;
    }
    row.back() = fmt::format("{}", given_up);
    table.rows.push_back(std::move(row));
  }
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::jobs
