// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "sinew/core/character.h"
#include "sinew/deform/pbd/pbd.h"
#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/pbd_store.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/io/asset.h"
#include "sinew/lab/pbd/pbd.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/segment_rig.h"

namespace sinew::lab {

using namespace pipeline;
namespace {

/// Below this share of the whole volume what linear blending loses is too little to speak of a share of it.
constexpr double kTellingLoss = 2e-4;
/// Shares of linear blending's loss that shall come back, and frames that may be given up.
constexpr double kTwistBound = 0.85, kBendBound = 0.4, kGivenUpBound = 0.01;

struct RealFile {
  const char* file;
  bool development;  ///< The method was developed with it.
};
constexpr std::array<RealFile, 16> kPbdFiles = {{{"rigged/CesiumMan.glb", true},
                                                 {"rigged/human-male.glb", true},
                                                 {"rigged/Fox.glb", true},
                                                 {"rigged/human-bunny.glb", true},
                                                 {"rigged/HVGirl.glb", false},
                                                 {"rigged/Knight.glb", true},
                                                 {"rigged/lumberjack.glb", false},
                                                 {"rigged/RiggedFigure.glb", false},
                                                 {"rigged/horse-animations.glb", true},
                                                 {"rigged/100Avatars_002_CoolAlien.vrm", false},
                                                 {"rigged/Godette_vrm_v4.vrm", false},
                                                 {"rigged-fbx/arnaud.fbx", false},
                                                 {"rigged-fbx/Male_Adult_01.fbx", false},
                                                 {"rigged-fbx/Smooth_Male_Shirt.fbx", false},
                                                 {"rigged-fbx/Dog_Beagle_01.fbx", false},
                                                 {"rigged-fbx/Camel_OneHump_01.fbx", false}}};

/// What is compared with linear blending: the program's own choice, the same without its last step, what it starts
/// from, and two sets of constraints over linear blending.
struct RealSkinning {
  const char* key;
  deform::PbdBase base;
  bool tetrahedra;  ///< Or nothing but the base.
  double energy;
  double skin_volume;
};
constexpr std::array<RealSkinning, 5> kRealSkinnings = {{{"recovered", deform::PbdBase::kAuto, true, 1, 1},
                                                         {"without_skin_volume", deform::PbdBase::kAuto, true, 1, 0},
                                                         {"base", deform::PbdBase::kAuto, false, 0, 0},
                                                         {"on_linear", deform::PbdBase::kLbs, true, 1, 0},
                                                         {"plain_set_on_linear", deform::PbdBase::kLbs, true, 0, 0}}};
constexpr std::size_t kWithoutLastStep = 1;
/// The share of a loss that tetrahedra should bring back before the last step.
constexpr double kTetrahedraGoal = 0.7;
using Shares = std::array<double, kRealSkinnings.size()>;

/// What a turn of one character's limb came to.
struct Recovery {
  bool tried = false;
  bool twist = false;
  double lost = 0;  ///< By linear blending, relative to the whole volume.
  Shares shares{};  ///< Of that, what came back.

  bool telling() const { return tried && lost >= kTellingLoss; }
  double bound() const { return twist ? kTwistBound : kBendBound; }
  /// Too much is as wrong as too little.
  bool reached(std::size_t skinning) const { return std::abs(shares[skinning] - 1) <= 1 - bound() + 1e-12; }
  double off() const { return std::abs(shares[0] - 1); }
};

struct PbdRealFigures {
  std::string name;
  bool development = false;
  Index vertices = 0;
  std::vector<Recovery> turns;  ///< As `limb_turn_names`.
  int poses = 0, given_up = 0, not_finite = 0;
  double set_up_s = 0;
};

/// Skinnings of one character. Tetrahedra are made once, and never taken from a cache, so that the time of the set-up
/// is that.
struct RealBindings {
  std::unique_ptr<deform::Deformer> linear;
  std::array<std::unique_ptr<deform::Deformer>, kRealSkinnings.size()> pbd;
  double set_up_s = 0;  ///< Of the first.
};

RealBindings bind_real(const Rig& rig, const Progress& progress) {
  RealBindings bound;
  bound.linear = deform::bind("lbs", rig, {}, progress);
  Findings warnings;
  const auto start = std::chrono::steady_clock::now();
  const Segmentation segmentation = segment_by_weights(rig, warnings, progress);
  const deform::PbdBody body = deform::make_pbd_body(rig, {}, progress);
  const std::vector<std::byte> bytes = deform::write_pbd_body(body);
  const deform::MethodInputs inputs{.segmentation = &segmentation, .prepared = bytes};
  for (std::size_t s = 0; s < kRealSkinnings.size(); ++s) {
    deform::PbdOptions choose;
    choose.base = kRealSkinnings[s].base;
    choose.energy = kRealSkinnings[s].energy;
    choose.skin_volume = kRealSkinnings[s].skin_volume;
    if (!kRealSkinnings[s].tetrahedra) choose.stretch = choose.bone_distance = choose.volume = 0;
    bound.pbd[s] = deform::bind("pbd", rig, choose, progress, inputs);
    if (s == 0) bound.set_up_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return bound;
}

/// Every joint turned: anywhere within its limits where the rig knows them, else moderately.
Pose random_pose(const Rig& rig, geometry::Random& dice) {
  Pose pose = rest_pose(rig);
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const Vec3 draw(dice.uniform(), dice.uniform(), dice.uniform());
    const double much = dice.uniform();
    Quat& rotation = pose.local[j].rotation;
    if (const auto& limits = rig.skeleton.joints[j].limits)
      rotation = rotation * rotation_exp(limits->lower_rad + draw.cwiseProduct(limits->upper_rad - limits->lower_rad));
    else rotation = rotation * Quat(Eigen::AngleAxisd(0.5 * much, (draw - Vec3::Constant(0.5)).normalized()));
  }
  return pose;
}

void try_random_poses(const Rig& rig, const deform::Deformer& deformer, int seed, const Progress& progress,
                      PbdRealFigures& figures) {
  geometry::Random dice(static_cast<std::uint64_t>(seed));
  const auto state = deformer.make_state();
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  for (int i = 0; i < figures.poses; ++i) {
    progress.check();
    const ModelPose pose = motion::resolve(rig.skeleton, random_pose(rig, dice));
    deform::FrameReport report;
    deformer.deform(*state, {pose}, {positions, {}, &report});
    figures.given_up += report.fallback_vertices > 0 ? 1 : 0;
    figures.not_finite +=
        std::all_of(positions.begin(), positions.end(), [](const Vec3f& p) { return p.allFinite(); }) ? 0 : 1;
  }
}

/// Nothing for a character without limbs that are recognised, or without a volume.
std::optional<PbdRealFigures> try_real(const std::filesystem::path& path, bool development, int seed, int poses,
                                       const Progress& progress) {
  const io::Asset asset = io::load(path, {}, progress);
  const Rig& rig = asset.character.rig;
  const std::vector<LimbTurn> turns = limb_turns(rig);
  if (turns.empty() || rig.weights.empty()) return std::nullopt;
  const measure::EnclosedVolume enclosed(rig.mesh, geometry::weld(rig.mesh));
  const RealBindings bound = bind_real(rig, progress);
  const auto volume = [&](const deform::Deformer& deformer, const ModelPose& pose) {
    return enclosed.total(posed_skin(deformer, rig, pose));
  };
  // Where the skin was bound: away from there other joints have lost or gained volume before the limb turns at all.
  const double at_rest = volume(*bound.linear, bound_pose(rig));
  if (!(at_rest > 0)) return std::nullopt;
  PbdRealFigures figures{path.stem().string(), development, rig.mesh.vertex_count(), {}, poses, 0, 0, bound.set_up_s};
  figures.turns.resize(limb_turn_names().size());
  for (const LimbTurn& turn : turns) {
    progress.check();
    const auto which = std::find(limb_turn_names().begin(), limb_turn_names().end(), turn.name);
    Recovery& recovery = figures.turns[static_cast<std::size_t>(which - limb_turn_names().begin())];
    const ModelPose pose = turned_pose(rig, turn);
    const double blended = volume(*bound.linear, pose);
    recovery = {true, turn.twist, (at_rest - blended) / at_rest, {}};
    if (!recovery.telling()) continue;
    for (std::size_t s = 0; s < recovery.shares.size(); ++s)
      recovery.shares[s] = (volume(*bound.pbd[s], pose) - blended) / (at_rest - blended);
  }
  try_random_poses(rig, *bound.pbd[0], seed, progress, figures);
  return figures;
}

std::string recovery_text(const Recovery& recovery) {
  if (!recovery.tried) return "–";
  const std::string lost = fmt::format("{:.2f}", 1000 * recovery.lost);
  if (!recovery.telling()) return fmt::format("too little lost ({})", lost);
  std::string shares;
  for (const double share : recovery.shares) shares += fmt::format("{}{:.2f}", shares.empty() ? "" : " / ", share);
  return fmt::format("{} ({})", shares, lost);
}

std::string percent_text(int count, int of) { return fmt::format("{:.2f}", 100.0 * count / std::max(of, 1)); }

std::vector<std::string> figures_row(const PbdRealFigures& figures) {
  std::vector<std::string> row = {figures.name, figures.development ? "yes" : "no"};
  for (const Recovery& recovery : figures.turns) row.push_back(recovery_text(recovery));
  row.push_back(percent_text(figures.given_up, figures.poses));
  row.push_back(fmt::format("{}", figures.not_finite));
  return row;
}

/// Per turn what the program's own choice brings back where that is farthest from all, and whose it is. \pre there are
/// some.
std::vector<std::string> worst_row(const std::vector<PbdRealFigures>& all) {
  std::vector<std::string> row = {"worst", "–"};
  for (std::size_t t = 0; t < limb_turn_names().size(); ++t) {
    const PbdRealFigures* worst = nullptr;
    for (const PbdRealFigures& figures : all)
      if (figures.turns[t].telling() && (!worst || figures.turns[t].off() > worst->turns[t].off())) worst = &figures;
    row.push_back(worst ? fmt::format("{:.2f} {}", worst->turns[t].shares[0], worst->name) : "–");
  }
  int given_up = 0, not_finite = 0;
  for (const PbdRealFigures& figures : all) {
    given_up = std::max(given_up, figures.given_up);
    not_finite = std::max(not_finite, figures.not_finite);
  }
  row.push_back(percent_text(given_up, all.front().poses));
  row.push_back(fmt::format("{}", not_finite));
  return row;
}

/// Per turn and skinning how many reach the bound; given-up and other bad frames of all.
std::vector<std::string> count_row(const std::vector<PbdRealFigures>& all, bool with_development, std::string name,
                                   Json& counts) {
  std::vector<std::string> row = {std::move(name), "–"};
  const auto counted = [&](const PbdRealFigures& figures) { return with_development || !figures.development; };
  for (std::size_t t = 0; t < limb_turn_names().size(); ++t) {
    int telling = 0;
    std::array<int, kRealSkinnings.size()> reached{};
    for (const PbdRealFigures& figures : all) {
      const Recovery& recovery = figures.turns[t];
      if (!counted(figures) || !recovery.telling()) continue;
      ++telling;
      for (std::size_t s = 0; s < reached.size(); ++s) reached[s] += recovery.reached(s) ? 1 : 0;
    }
    row.push_back(fmt::format("{} of {}", fmt::join(reached, " / "), telling));
    Json& count = counts["reach_the_bound"][limb_turn_names()[t]];
    count["of"] = telling;
    for (std::size_t s = 0; s < reached.size(); ++s) count[kRealSkinnings[s].key] = reached[s];
  }
  int given_up = 0, not_finite = 0, poses = 0;
  for (const PbdRealFigures& figures : all) {
    if (!counted(figures)) continue;
    given_up += figures.given_up, not_finite += figures.not_finite;
    poses += figures.poses;
  }
  row.push_back(percent_text(given_up, poses));
  row.push_back(fmt::format("{}", not_finite));
  counts["given_up"] = given_up;
  counts["not_finite"] = not_finite;
  counts["poses"] = poses;
  return row;
}

/// Per turn in how many cases the tetrahedra bring the goal back before the last step.
std::vector<std::string> goal_row(const std::vector<PbdRealFigures>& all, Json& metrics) {
  std::vector<std::string> row = {fmt::format("at least {:g} before the last step", kTetrahedraGoal), "–"};
  int reached_in_all = 0, in_all = 0;
  for (std::size_t t = 0; t < limb_turn_names().size(); ++t) {
    int telling = 0, reached = 0;
    for (const PbdRealFigures& figures : all) {
      if (!figures.turns[t].telling()) continue;
      ++telling;
      reached += figures.turns[t].shares[kWithoutLastStep] >= kTetrahedraGoal ? 1 : 0;
    }
    row.push_back(fmt::format("{} of {}", reached, telling));
    reached_in_all += reached, in_all += telling;
  }
  row.insert(row.end(), {"–", "–"});
  metrics = {{"share", kTetrahedraGoal}, {"reached", reached_in_all}, {"of", in_all}};
  return row;
}

/// What of a character that the method was not developed with is not as it should be.
void find_misses(const PbdRealFigures& figures, Findings& misses) {
  const auto miss = [&](std::string text) {
    misses.push_back({"reproduce.out_of_bounds", figures.name, std::move(text)});
  };
  if (figures.not_finite > 0)
    miss(fmt::format("{} of {} random poses are not finite.", figures.not_finite, figures.poses));
  if (figures.development) return;
  for (std::size_t t = 0; t < figures.turns.size(); ++t) {
    const Recovery& recovery = figures.turns[t];
    if (recovery.telling() && !recovery.reached(0))
      miss(fmt::format("{}: {:.2f} of the volume that linear blending loses comes back; {:.2f} to {:.2f} is required.",
                       limb_turn_names()[t], recovery.shares[0], recovery.bound(), 2 - recovery.bound()));
  }
}

void add_metrics(const PbdRealFigures& figures, Json& metrics) {
  Json& entry = metrics[figures.name];
  entry["development"] = figures.development;
  entry["poses"] = figures.poses;
  entry["given_up"] = figures.given_up;
  entry["not_finite"] = figures.not_finite;
  for (std::size_t t = 0; t < figures.turns.size(); ++t) {
    const Recovery& recovery = figures.turns[t];
    if (!recovery.tried) continue;
    Json& turn = entry[limb_turn_names()[t]];
    turn["lost"] = recovery.lost;
    for (std::size_t s = 0; s < recovery.shares.size() && recovery.telling(); ++s)
      turn[kRealSkinnings[s].key] = recovery.shares[s];
  }
}

void add_set_up(const std::vector<PbdRealFigures>& all, Reproduction& result) {
  ResultTable table{"set_up",
                    "Real characters: seconds of the set-up",
                    "From a read file to the first frame, nothing taken from a cache.",
                    {"character", "vertices", "s"},
                    {}};
  for (const PbdRealFigures& figures : all) {
    table.rows.push_back({figures.name, fmt::format("{}", figures.vertices), fmt::format("{:.1f}", figures.set_up_s)});
    result.timing["table_set_up"].push_back(
        {{"character", figures.name}, {"vertices", figures.vertices}, {"set_up_s", figures.set_up_s}});
  }
  result.times.push_back(std::move(table));
}

}  // namespace

void pbd_real(const ReproduceOptions& options, const Progress& progress, Reproduction& result, int poses) {
  namespace fs = std::filesystem;
  ResultTable table{
      "real",
      "Real characters: share of the volume that linear blending loses and pbd brings back",
      fmt::format(
          "Limbs turned from where the skin was bound: (V − V_lbs) / (V_bound − V_lbs). First the program's own "
          "choice; it ends with a step that restores what is measured here. Then the same without that step "
          "(--skin-volume 0), which is what tetrahedra bring; then the base alone that it starts from, auto. The last "
          "two, also without that step, are over linear blending: with the usual constraints, and with stretch, bind "
          "and volume alone (--energy 0). In brackets what linear blending "
          "loses, in thousandths of the whole; below {:g} a share would mean nothing. Bounds: {} to {} of a twist, {} "
          "to "
          "{} of a bend. Then, of {} random poses each by the program's own choice, in how many per cent a joint area "
          "was given up (under {:g} in all is wanted), and in how many a position was not finite. In development: the "
          "method was developed with that character.",
          1000 * kTellingLoss, kTwistBound, 2 - kTwistBound, kBendBound, 2 - kBendBound, poses, 100 * kGivenUpBound),
      {"character", "in development"},
      {}};
  table.header.insert(table.header.end(), limb_turn_names().begin(), limb_turn_names().end());
  table.header.insert(table.header.end(), {"given up, %", "not finite"});
  std::vector<PbdRealFigures> all;
  for (const RealFile& file : kPbdFiles) {
    const fs::path path = fs::path(options.data) / file.file;
    if (!fs::exists(path)) continue;
    progress.check();
    std::optional<PbdRealFigures> figures = try_real(path, file.development, options.seed, poses, progress);
    if (!figures) continue;
    table.rows.push_back(figures_row(*figures));
    add_metrics(*figures, result.metrics["real"]);
    find_misses(*figures, result.misses);
    all.push_back(*std::move(figures));
  }
  if (!all.empty()) {
    Json& total = result.metrics["real_total"];
    table.rows.push_back(worst_row(all));
    table.rows.push_back(count_row(all, true, "reach the bound", total["all"]));
    table.rows.push_back(count_row(all, false, "the same, not in development", total["held_out"]));
    table.rows.push_back(goal_row(all, total["before_the_last_step"]));
    if (const double given_up = total["all"]["given_up"].get<double>() / total["all"]["poses"].get<double>();
        !(given_up < kGivenUpBound))
      result.misses.push_back({"reproduce.out_of_bounds", "real",
                               fmt::format("{:.2f} % of the random poses were given up.", 100 * given_up)});
    if (options.runs > 0) add_set_up(all, result);
  }
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
