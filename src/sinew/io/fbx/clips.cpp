// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Clips of animation stacks. FBX moves Euler angles along cubic curves, and pivots let rotations move translations;
// clips have linear keys of translation, rotation and scale. So the curves are sampled at all their keys and, between
// two keys, at halves until the straight way is within a tolerance.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sinew/io/fbx/stacks.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io::fbx {
namespace {

using assimp::SceneChannel;
using assimp::SceneClip;
using assimp::SceneKeys;
using Values = std::vector<double>;

// How far a sampled track may be from its curves: radians, a share of the scene's size, and plain numbers for scales
// and morph weights.
constexpr double kAngleTolerance = 5e-4, kLengthTolerance = 2e-4, kNumberTolerance = 5e-4;
constexpr int kMostHalvings = 6;

Quat quaternion(const Values& v) { return Quat(v[3], v[0], v[1], v[2]); }

struct Sampler {
  std::function<Values(double)> value;
  bool rotates = false;
  double tolerance = kNumberTolerance;

  Values between(const Values& a, const Values& b, double share) const {
    if (rotates) {
      const Quat q = slerp(quaternion(a), quaternion(b), share);
      return {q.x(), q.y(), q.z(), q.w()};
    }
    Values result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] + share * (b[i] - a[i]);
    return result;
  }
  double distance(const Values& a, const Values& b) const {
    if (rotates) return quaternion(a).angularDistance(quaternion(b));
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
  }
};

class TrackSampler {
 public:
  TrackSampler(const Sampler& sampler, double start_s, Import& import)
      : sampler_(sampler), start_s_(start_s), import_(import) {}

  SceneKeys sample(const std::vector<double>& times) {
    Values before;
    for (std::size_t k = 0; k < times.size(); ++k) {
      Values here = sampler_.value(times[k]);
      if (k > 0) refine(times[k - 1], before, times[k], here, 0);
      put(times[k], here);
      before = std::move(here);
    }
    return std::move(keys_);
  }

 private:
  void put(double time_s, const Values& value) {
    import_.take_rows(1);
    keys_.times.push_back(time_s - start_s_);
    for (const double v : value) keys_.values.push_back(static_cast<float>(v));
  }

  void refine(double from, const Values& a, double to, const Values& b, int halvings) {
    if (halvings == kMostHalvings || to - from < 1e-3) return;
    // The quarters show what swings about the middle.
    double most = 0;
    Values middle;
    for (const double share : {0.5, 0.25, 0.75}) {
      Values here = sampler_.value(from + share * (to - from));
      most = std::max(most, sampler_.distance(here, sampler_.between(a, b, share)));
      if (share == 0.5) middle = std::move(here);
    }
    if (!(most > sampler_.tolerance)) return;
    const double half = 0.5 * (from + to);
    refine(from, a, half, middle, halvings + 1);
    put(half, middle);
    refine(half, middle, to, b, halvings + 1);
  }

  const Sampler& sampler_;
  double start_s_;
  Import& import_;
  SceneKeys keys_;
};

// The keys of curves, and the moments beside steps.
void add_times(const std::vector<Contribution>& layers, std::vector<double>& times) {
  for (const Contribution& layer : layers)
    for (const Curve* curve : layer.curves) {
      if (curve == nullptr) continue;
      const std::vector<Curve::Key>& keys = curve->keys();
      for (std::size_t k = 0; k < keys.size(); ++k) {
        times.push_back(keys[k].time_s);
        if (k + 1 == keys.size()) continue;
        const double moment = std::min(1e-3, 0.01 * (keys[k + 1].time_s - keys[k].time_s));
        if (keys[k].kind == Curve::Kind::kStep) times.push_back(keys[k + 1].time_s - moment);
        if (keys[k].kind == Curve::Kind::kStepNext) times.push_back(keys[k].time_s + moment);
      }
    }
}

// In order, each once, and inside what the stack shows, with its limits where keys lie beyond them.
void tidy(const Stack& stack, std::vector<double>& times) {
  if (std::isfinite(stack.stop_s))
    for (double& time : times) time = std::clamp(time, stack.start_s, stack.stop_s);
  std::sort(times.begin(), times.end());
  // Keys of several curves that differ by rounding only are one.
  times.erase(std::unique(times.begin(), times.end(), [](double a, double b) { return b - a < 1e-7; }), times.end());
}

class ClipMaker {
 public:
  ClipMaker(const Stack& stack, double size, Import& import) : stack_(stack), size_(size), import_(import) {}

  SceneClip make() {
    SceneClip clip;
    clip.name = stack_.name;
    clip.ticks_per_second = 1;
    for (Index node = 1; node < import_.scene.nodes.size(); ++node) add_node(node, clip);
    add_morphs(clip);
    return clip;
  }
  std::uint64_t sheared() const { return sheared_; }

 private:
  bool inherits_apart(Index node) const;
  Global global_at(Index node, double time_s) const;
  Transform relative_at(Index node, double time_s);
  void add_node(Index node, SceneClip& clip);
  void add_track(const std::vector<double>& times, const Sampler& sampler, SceneKeys& keys) {
    if (!times.empty()) keys = TrackSampler(sampler, stack_.start_s, import_).sample(times);
  }
  void add_morphs(SceneClip& clip);

  const Stack& stack_;
  double size_;
  Import& import_;
  std::uint64_t sheared_ = 0;
};

// Whether the transform relative to the parent depends on how nodes above it are scaled.
bool ClipMaker::inherits_apart(Index node) const {
  if (import_.transforms[node].inherit == Inherit::kRSrs) return false;
  for (Index n = import_.scene.nodes[node].parent; n != kNone && n != 0; n = import_.scene.nodes[n].parent)
    if (stack_.moves(n, Stack::kScaling) || !import_.transforms[n].rest.scaling.isOnes(1e-9)) return true;
  return false;
}

Global ClipMaker::global_at(Index node, double time_s) const {
  std::vector<Index> chain;
  for (Index n = node; n != kNone && n != 0; n = import_.scene.nodes[n].parent) chain.push_back(n);
  Global global;
  for (std::size_t i = chain.size(); i-- > 0;) {
    const NodeTransform& transform = import_.transforms[chain[i]];
    global = child_global(global, transform, stack_.pose(chain[i], transform.rest, time_s));
  }
  return global;
}

Transform ClipMaker::relative_at(Index node, double time_s) {
  const NodeTransform& transform = import_.transforms[node];
  const Pose pose = stack_.pose(node, transform.rest, time_s);
  const Decomposed parts =
      decompose(relative_matrix(global_at(import_.scene.nodes[node].parent, time_s), transform, pose));
  if (!parts.shear.isIdentity(1e-4)) ++sheared_;
  return parts.transform;
}

void ClipMaker::add_node(Index node, SceneClip& clip) {
  const NodeTransform& transform = import_.transforms[node];
  const auto found = stack_.nodes.find(node);
  std::array<std::vector<double>, 3> times;
  if (found != stack_.nodes.end())
    for (std::size_t p = 0; p < 3; ++p) add_times(found->second[p], times[p]);
  const bool apart = inherits_apart(node);
  // A rotation about a pivot moves; a mirrored node needs all three in one form; so does one that depends on others.
  const bool mirrored = transform.rest.scaling.minCoeff() < 0;
  if (apart || mirrored) {
    std::vector<double> all;
    for (const auto& some : times) all.insert(all.end(), some.begin(), some.end());
    for (Index n = apart ? import_.scene.nodes[node].parent : kNone; n != kNone && n != 0;
         n = import_.scene.nodes[n].parent)
      if (const auto above = stack_.nodes.find(n); above != stack_.nodes.end())
        for (const auto& layers : above->second) add_times(layers, all);
    times.fill(all);
  } else if (transform.has_pivots()) {
    for (const std::size_t p : {std::size_t{1}, std::size_t{2}})
      times[0].insert(times[0].end(), times[p].begin(), times[p].end());
  }
  for (auto& some : times) tidy(stack_, some);
  if (times[0].empty() && times[1].empty() && times[2].empty()) return;
  const auto pose = [&](double t) { return stack_.pose(node, transform.rest, t); };
  const auto values = [](const Vec3& v) { return Values{v.x(), v.y(), v.z()}; };
  const auto turn = [](const Quat& q) { return Values{q.x(), q.y(), q.z(), q.w()}; };
  Sampler move, rotate, scale;
  move.tolerance = kLengthTolerance * size_;
  rotate.tolerance = kAngleTolerance;
  rotate.rotates = true;
  if (apart) {
    move.value = [&](double t) { return values(relative_at(node, t).translation); };
    rotate.value = [&](double t) { return turn(relative_at(node, t).rotation); };
    scale.value = [&](double t) { return values(relative_at(node, t).scale); };
  } else {
    move.value = [&](double t) { return values(transform.local(pose(t)).topRightCorner<3, 1>()); };
    rotate.value = [&](double t) { return turn(transform.rotation(pose(t))); };
    scale.value = [&](double t) { return values(pose(t).scaling); };
  }
  SceneChannel channel;
  channel.node = node;
  add_track(times[0], move, channel.translation);
  add_track(times[1], rotate, channel.rotation);
  add_track(times[2], scale, channel.scale);
  clip.channels.push_back(std::move(channel));
}

void ClipMaker::add_morphs(SceneClip& clip) {
  for (Index mesh = 0; mesh < import_.scene.meshes.size(); ++mesh) {
    std::vector<double> times;
    std::vector<const MorphSource*> sources;
    for (const MorphSource& source : import_.morphs) {
      if (source.mesh != mesh) continue;
      sources.push_back(&source);
      if (const auto found = stack_.channels.find(source.channel); found != stack_.channels.end())
        add_times(found->second, times);
    }
    tidy(stack_, times);
    if (times.empty()) continue;
    const std::vector<assimp::SceneMorph>& morphs = import_.scene.meshes[mesh].morphs;
    Sampler sampler;
    sampler.value = [&](double t) {
      Values row;
      for (const assimp::SceneMorph& morph : morphs) row.push_back(static_cast<double>(morph.weight));
      for (const MorphSource* source : sources) {
        if (!stack_.channels.contains(source->channel)) continue;
        const Values weights = channel_weights(source->full_weights, stack_.percent(source->channel, 0, t));
        std::copy(weights.begin(), weights.end(), row.begin() + source->first_morph);
      }
      return row;
    };
    import_.take_rows(times.size() * morphs.size());
    assimp::SceneMorphChannel channel;
    channel.mesh = mesh;
    channel.target = import_.scene.meshes[mesh].name;
    add_track(times, sampler, channel.weights);
    clip.morphs.push_back(std::move(channel));
  }
}

// The extent of nodes and meshes, in the file's units.
double size_of_scene(const assimp::Scene& scene) {
  Box box;
  std::vector<Mat4> world;
  for (const assimp::SceneNode& node : scene.nodes) {
    world.push_back(node.parent == kNone ? node.local : Mat4(world[node.parent] * node.local));
    if (!world.back().allFinite()) continue;
    box.extend(world.back().topRightCorner<3, 1>());
    for (const Index mesh : node.meshes)
      for (const Vec3f& p : scene.meshes[mesh].positions)
        if (p.allFinite()) box.extend(transform_point(world.back(), p.cast<double>()));
  }
  return box.diagonal();
}

}  // namespace

void read_clips(Import& import) {
  CurveTable curves;
  std::uint64_t dropped = 0;
  const double size = size_of_scene(import.scene);
  for (Index object = 1; object < import.objects.size(); ++object) {
    if (import.objects[object].kind != "AnimationStack") continue;
    const Stack stack = read_stack(object, import, curves, dropped);
    if (!stack.has_curves) continue;
    ClipMaker maker(stack, size, import);
    SceneClip clip = maker.make();
    if (clip.channels.empty() && clip.morphs.empty()) continue;
    if (maker.sheared() > 0)
      import.warnings.push_back({"fbx.shear", to_utf8(clip.name),
                                 "Some joints are sheared by the scale of their parents in it, which clips cannot "
                                 "represent; the shear is left out."});
    import.scene.clips.push_back(std::move(clip));
  }
  if (dropped > 0)
    import.warnings.push_back(
        {"fbx.keys", "",
         fmt::format("{} keys that are not finite or not later than the previous one are left out.", dropped)});
}

}  // namespace sinew::io::fbx
