// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "sinew/core/error.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/deform/deformer.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/io/asset.h"
#include "sinew/lab/ode/ode.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/sample.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

namespace fs = std::filesystem;

/// Frames of a sequence; every fourth is a key.
constexpr std::size_t kFrames = 9, kKeyEvery = 4;
/// How long a sequence lasts: two keys are an eighth of a second apart, a quarter of a step.
constexpr double kLongest_s = 0.25;

struct RealClip {
  const char* file;
  const char* clip;  // Part of its name, or "" for the first.
};
constexpr std::array kRealClips = {RealClip{"rigged/CesiumMan.glb", ""},
                                   RealClip{"rigged/Fox.glb", "Run"},
                                   RealClip{"rigged/Fox.glb", "Walk"},
                                   RealClip{"rigged/horse-animations.glb", ""},
                                   RealClip{"rigged/human-male.glb", "Walk"},
                                   RealClip{"rigged/human-bunny.glb", ""},
                                   RealClip{"rigged/RiggedFigure.glb", ""},
                                   RealClip{"rigged/dragon-animations.glb", ""},
                                   RealClip{"rigged/momentum_test_24fps.glb", ""},
                                   RealClip{"rigged-fbx/Camel_OneHump_01.fbx", ""},
                                   RealClip{"zoo/quadrupeds/Wolf.fbx", "Gallop"},
                                   RealClip{"zoo/quadrupeds/Cow.fbx", "Walk"},
                                   RealClip{"zoo/people/Animated_Human.fbx", "Run"},
                                   RealClip{"zoo/creatures/Trex.fbx", "Walk"}};

Character bare(const Character& character) {
  Character result;
  result.name = character.name;
  result.rig.mesh = character.rig.mesh;
  for (MeshPart& part : result.rig.mesh.parts) {
    part.skin = part.joint = kNone;
    part.to_model = Mat4::Identity();
    part.morphs.clear();
    part.morph_weights.clear();
  }
  result.rig.mesh.face_materials.clear();
  return result;
}

std::vector<std::size_t> every_fourth(std::size_t frames) {
  std::vector<std::size_t> keys;
  for (std::size_t f = 0; f < frames; f += kKeyEvery) keys.push_back(f);
  return keys;
}

// Muscles on both sides of a bent joint swell along the normals of the skin.
std::vector<Vec3> swollen(const Rig& rig, const std::vector<Vec3>& normals, const Pose& pose) {
  std::vector<Vec3> positions = rig.mesh.positions;
  const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
  const double size = rig.mesh.size();
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const Quat turn = delta_rotation(rig.skeleton.joints[j].rest, pose.local[j]);
    const double bend = 1 - std::cos(turn.angularDistance(Quat::Identity()));
    const Index parent = rig.skeleton.joints[j].parent;
    if (bend < 1e-6 || parent == kNone) continue;
    const Vec3 centre = frames[j].topRightCorner<3, 1>();
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
      for (const Influence& influence : rig.weights.row(v))
        if (influence.joint == j || influence.joint == parent)
          positions[v] += 0.02 * size * bend * influence.weight *
                          std::exp(-(rig.mesh.positions[v] - centre).norm() / (0.05 * size)) * normals[v];
  }
  return positions;
}

/// A stretch of a clip.
struct Stretch {
  double from_s = 0, step_s = 0;
};

// The stretch in which most happens.
Stretch liveliest(const Rig& rig, const Clip& clip) {
  const double length = std::min(clip.duration_s(), kLongest_s);
  Stretch best{0, length / (kFrames - 1)};
  double most = -1;
  for (int i = 0; i <= 20; ++i) {
    const double from = (clip.duration_s() - length) * i / 20;
    double moved = 0;
    const std::vector<Mat4> a = model_matrices(rig.skeleton, motion::sample(rig, clip, from).local);
    const std::vector<Mat4> b = model_matrices(rig.skeleton, motion::sample(rig, clip, from + length / 2).local);
    for (Index j = 0; j < rig.skeleton.size(); ++j)
      if (rig.skeleton.joints[j].deforming) moved += (a[j] - b[j]).topRightCorner<3, 1>().norm();
    if (moved > most) most = moved, best.from_s = from;
  }
  return best;
}

ShapeSequence made_sequence(const std::string& kind, const std::string& clip_name, std::uint64_t seed) {
  shapes::MakeOptions make;
  make.vertices = 4000;
  make.seed = static_cast<int>(seed);
  make.vary = 0.5;
  Character character = shapes::make(kind, make).made.character;
  Rig rig = character.rig;
  const Clip clip = motion::builtin_clip(rig.skeleton, clip_name);
  const std::vector<Vec3> normals = geometry::vertex_normals(rig.mesh);
  ShapeSequence sequence{fmt::format("{} {}, seed {}", kind, clip_name, seed), bare(character), {}, {}};
  const Stretch stretch = liveliest(rig, clip);
  const std::vector<Vec3> rest = rig.mesh.positions;
  for (std::size_t f = 0; f < kFrames; ++f) {
    const Pose pose = motion::sample(rig, clip, stretch.from_s + stretch.step_s * static_cast<double>(f));
    rig.mesh.positions = swollen(rig, normals, pose);
    const auto dqs = deform::bind("dqs", rig);
    const auto state = dqs->make_state();
    std::vector<Vec3f> shape(rest.size());
    const ModelPose model{model_matrices(rig.skeleton, pose.local), {}, {}};
    dqs->deform(*state, {model}, {shape, {}, nullptr});
    std::vector<Vec3>& frame = sequence.frames.emplace_back();
    for (const Vec3f& p : shape) frame.push_back(p.cast<double>());
    rig.mesh.positions = rest;
  }
  sequence.keys = every_fourth(kFrames);
  return sequence;
}

// The clip whose name holds a word, else the first that lasts.
const Clip* find_clip(const Character& character, const std::string& word) {
  const Clip* any = nullptr;
  for (const Clip& clip : character.clips) {
    if (clip.duration_s() < 0.1) continue;
    if (!any) any = &clip;
    if (!word.empty() && clip.name.find(word) != std::string::npos) return &clip;
  }
  return any;
}

void add_clip(const fs::path& folder, const RealClip& real, std::vector<ShapeSequence>& all) {
  const fs::path path = folder / real.file;
  if (!fs::exists(path)) return;
  const io::Asset asset = io::load(path);
  const Rig& rig = asset.character.rig;
  const Clip* clip = find_clip(asset.character, real.clip);
  if (!clip) return;
  ShapeSequence sequence{fmt::format("{}, {}", path.stem().string(), clip->name), bare(asset.character), {}, {}};
  const Stretch stretch = liveliest(rig, *clip);
  for (std::size_t f = 0; f < kFrames; ++f) {
    const Pose pose = motion::sample(rig, *clip, stretch.from_s + stretch.step_s * static_cast<double>(f));
    sequence.frames.push_back(
        deform::linear_positions(rig, {model_matrices(rig.skeleton, pose.local), {}, pose.morph_weights}));
  }
  sequence.keys = every_fourth(kFrames);
  all.push_back(std::move(sequence));
}

// Meshes in files, one per frame, by name.
void add_folder(const fs::path& folder, std::vector<ShapeSequence>& all) {
  if (!fs::is_directory(folder)) return;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".obj") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.size() < 5) return;
  ShapeSequence sequence{folder.filename().string(), {}, {}, {}};
  for (const fs::path& file : files) {
    const io::Asset asset = io::load(file);
    if (sequence.frames.empty()) sequence.character = bare(asset.character);
    sequence.frames.push_back(asset.character.rig.mesh.positions);
  }
  sequence.keys = every_fourth(sequence.frames.size());
  if (sequence.keys.back() + 2 < sequence.frames.size()) sequence.keys.push_back(sequence.frames.size() - 1);
  all.push_back(std::move(sequence));
}

}  // namespace

std::vector<ShapeSequence> made_sequences(const ReproduceOptions& options) {
  std::vector<ShapeSequence> all;
  const int count = std::clamp(options.characters, 0, 3);
  for (int i = 0; i < count; ++i) {
    const auto seed = static_cast<std::uint64_t>(options.seed + i);
    all.push_back(made_sequence("human", "walk", seed));
    all.push_back(made_sequence("human", "exercise", seed));
    all.push_back(made_sequence("quadruped", "walk", seed));
  }
  return all;
}

std::vector<ShapeSequence> real_sequences(const ReproduceOptions& options, const Progress& progress) {
  std::vector<ShapeSequence> all;
  if (options.data.empty()) return all;
  add_folder(fs::path(options.data) / "poses/female_22f_sequence", all);
  for (const RealClip& real : kRealClips) {
    progress.check();
    try {
      add_clip(options.data, real, all);
    } catch (const Error&) {
      // A file that cannot be read is not part of the study.
    }
  }
  const auto unwanted = [&](const ShapeSequence& sequence) {
    return !options.only.empty() &&
           std::none_of(options.only.begin(), options.only.end(),
                        [&](const std::string& word) { return sequence.name.find(word) != std::string::npos; });
  };
  std::erase_if(all, unwanted);
  return all;
}

}  // namespace sinew::lab
