// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Strokes of the brush, rows of vertices, and what is measured. In the frame lane.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "sinew/core/error.h"
#include "sinew/pipeline/bind_select.h"
#include "sinew/pipeline/weights_partners.h"
#include "sinew/studio/clip_edit.h"
#include "sinew/studio/session.h"

namespace sinew::studio {
namespace {

constexpr std::size_t kMostRows = 200;
constexpr int kPlotTimes = 48;

/// The plane between the two sides of a skeleton, by pairs of joints.
struct MiddlePlane {
  Vec3 normal = Vec3::UnitX();
  double offset = 0;

  Vec3 reflected(const Vec3& p) const { return p - 2 * (normal.dot(p) - offset) * normal; }
};

/// Per joint the one opposite, itself in the middle; kNone where none is known.
std::vector<Index> partners_of(const Built& built) {
  const Skeleton& skeleton = built.asset.character.rig.skeleton;
  std::vector<Index> partner = pipeline::partners_by_names(skeleton);
  for (Index j = 0; j < built.placed.size(); ++j)
    if (built.placed[j].partner != kNone) partner[j] = built.placed[j].partner;
  return partner;
}

std::optional<MiddlePlane> middle_plane(const Skeleton& skeleton, const std::vector<Index>& partner) {
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  const auto place = [&](Index j) { return Vec3(rest[j].topRightCorner<3, 1>()); };
  Vec3 across = Vec3::Zero(), middle = Vec3::Zero();
  double count = 0;
  for (Index j = 0; j < partner.size(); ++j) {
    if (partner[j] == kNone || partner[j] <= j) continue;
    Vec3 step = place(j) - place(partner[j]);
    if (step.dot(Vec3::UnitX()) < 0) step = -step;
    across += step;
    middle += 0.5 * (place(j) + place(partner[j]));
    ++count;
  }
  if (!(count > 0) || !(across.norm() > 1e-9)) return {};
  MiddlePlane plane;
  plane.normal = across.normalized();
  plane.offset = plane.normal.dot(middle / count);
  return plane;
}

Index nearest_vertex(const Mesh& mesh, const Vec3& point, double within) {
  double best = within * within;
  Index found = kNone;
  for (Index v = 0; v < mesh.positions.size(); ++v)
    if (const double distance = (mesh.positions[v] - point).squaredNorm(); distance < best) best = distance, found = v;
  return found;
}

Brush brush_of(const Json& body, const Skeleton& skeleton) {
  Brush brush;
  constexpr std::array modes = {"add", "subtract", "replace", "smooth"};
  const std::string mode = text_of(body, "mode");
  const auto found = std::find(modes.begin(), modes.end(), mode);
  if (found == modes.end()) throw Error(fmt::format("The brush has no mode '{}'.", mode));
  brush.mode = static_cast<BrushMode>(found - modes.begin());
  brush.joint = static_cast<Index>(integer_of(body, "joint", 0, static_cast<std::int64_t>(skeleton.size()) - 1));
  brush.radius = std::clamp(number_of(body, "radius"), 1e-6, 1e6);
  brush.strength = std::clamp(number_of(body, "strength"), 0.0, 1.0);
  brush.value = std::clamp(number_of(body, "value", 1), 0.0, 1.0);
  for (const Json& name : body.value("lock", Json::array()))
    if (name.is_string())
      if (const Index locked = skeleton.find(name.get<std::string>()); locked != kNone) brush.locked.push_back(locked);
  return brush;
}

/// Vertices of meshes and materials that `fixed` names; empty for none.
std::vector<char> locked_vertices(const Json& body, const Character& character) {
  std::vector<char> fixed;
  for (const Json& word : body.value("fixed", Json::array())) {
    if (!word.is_string()) continue;
    const std::vector<char> chosen = pipeline::vertices_of_word(character, word.get<std::string>());
    fixed.resize(chosen.size(), 0);
    for (std::size_t v = 0; v < chosen.size(); ++v) fixed[v] = static_cast<char>(fixed[v] | chosen[v]);
  }
  return fixed;
}

/// What is measured belongs to the character; another file that it is compared with is not measured.
void drop_other(std::array<std::shared_ptr<Mover>, 2>& movers) {
  if (movers[0] && movers[1] && &movers[0]->scene() != &movers[1]->scene()) movers[1].reset();
}

std::string text_of_pins(const std::map<Index, float>& values) {
  std::vector<Pin> pins;
  for (const auto& [vertex, value] : values) pins.push_back({vertex, value});
  return pins_to_text(pins);
}

}  // namespace

// {phase: "begin", mode, joint, radius, strength, value, lock: […], mirror, open}, {phase: "dab", vertex},
// {phase: "end"}, {phase: "drop"}.
void Session::stroke(const Sender& sender, const Json& body) {
  try {
    const std::string phase = text_of(body, "phase");
    const std::shared_ptr<const Scene> scene = current();
    if (phase == "begin") return begin_stroke(body, scene);
    if (!stroke_ || stroke_->scene != scene) throw Error("The stroke is over: the character has changed.");
    if (phase == "drop") {
      const Index joint = stroke_->own.brush.joint;
      stroke_.reset();
      return send_field(sender.peer, {{"field", "joint"}, {"joint", joint}});
    }
    if (phase == "end") return end_stroke(sender);
    if (phase != "dab") throw Error(fmt::format("A stroke has no phase '{}'.", phase));
    const Mesh& mesh = scene->character().rig.mesh;
    const auto vertex =
        static_cast<Index>(integer_of(body, "vertex", 0, static_cast<std::int64_t>(mesh.vertex_count()) - 1));
    const auto put = [&](Stroke::Half& half, Index at, const Vec3& point) {
      for (const Pin& pin : brush_surface_->dab(half.brush, at, point, half.weights))
        if (stroke_->fixed.empty() || stroke_->fixed[pin.vertex] == 0) half.pins[pin.vertex] = pin.value;
    };
    put(stroke_->own, vertex, mesh.positions[vertex]);
    if (stroke_->both_sides) {
      const std::optional<MiddlePlane> plane =
          middle_plane(scene->character().rig.skeleton, partners_of(scene->built()));
      const Vec3 point = plane->reflected(mesh.positions[vertex]);
      const Index opposite = nearest_vertex(mesh, point, stroke_->own.brush.radius);
      if (opposite != kNone && opposite != vertex)
        put(stroke_->mirrored ? *stroke_->mirrored : stroke_->own, opposite, point);
    }
    sender.peer->send(scene->field({}, stroke_->own.weights));
  } catch (const std::exception& problem) {
    fail(sender, problem.what());
  }
}

void Session::begin_stroke(const Json& body, const std::shared_ptr<const Scene>& scene) {
  const Character& character = scene->character();
  if (character.rig.weights.empty()) throw Error("There are no weights to paint. Rig the character first.");
  {
    const std::lock_guard lock(mutex_);
    if (!brush_surface_ && scene_ == scene) brush_surface_ = std::make_shared<const BrushSurface>(character.rig.mesh);
  }
  const auto half = [&](const Brush& brush) {
    Stroke::Half made{brush, field_values(*scene, {{"field", "joint"}, {"joint", brush.joint}}), {}};
    for (float& weight : made.weights) weight = std::max(weight, 0.0F);
    return made;
  };
  Stroke begun;
  begun.own = half(brush_of(body, character.rig.skeleton));
  begun.scene = scene;
  begun.open = !flag_of(body, "normalize", true);
  begun.fixed = locked_vertices(body, character);
  if (flag_of(body, "mirror", false)) {
    const std::vector<Index> partner = partners_of(scene->built());
    const Index opposite = partner[begun.own.brush.joint];
    begun.both_sides = opposite != kNone && middle_plane(character.rig.skeleton, partner).has_value();
    if (begun.both_sides && opposite != begun.own.brush.joint) {
      Brush brush = begun.own.brush;
      brush.joint = opposite;
      begun.mirrored = half(brush);
    }
  }
  stroke_ = std::move(begun);
}

void Session::end_stroke(const Sender& sender) {
  const Skeleton& skeleton = stroke_->scene->character().rig.skeleton;
  const Stroke done = std::move(*stroke_);
  stroke_.reset();
  if (done.own.pins.empty()) return;
  Json step = {
      {"do", "paint"}, {"joint", skeleton.joints[done.own.brush.joint].name}, {"pins", text_of_pins(done.own.pins)}};
  Json lock = Json::array();
  for (const Index joint : done.own.brush.locked) lock.push_back(skeleton.joints[joint].name);
  if (!lock.empty()) step["lock"] = lock;
  if (done.open) step["open"] = true;
  if (done.mirrored && !done.mirrored->pins.empty())
    step["mirrored"] = {{"joint", skeleton.joints[done.mirrored->brush.joint].name},
                        {"pins", text_of_pins(done.mirrored->pins)}};
  start_job(sender, step_label(step), [this, step](const Progress& progress) { add_step(step, progress); });
}

// {vertices: […]}: their weights, and those that were computed.
Json Session::rows(const Json& body) const {
  const std::shared_ptr<const Scene> scene = current();
  const Rig& rig = scene->character().rig;
  const std::shared_ptr<const SkinWeights>& automatic = scene->built().automatic;
  const auto written = [&](std::span<const Influence> row) {
    Json list = Json::array();
    for (const Influence& influence : row)
      list.push_back({rig.skeleton.joints[influence.joint].name, influence.weight});
    return list;
  };
  Json result = Json::array();
  for (const Json& entry : body.value("vertices", Json::array())) {
    if (!entry.is_number_integer() || result.size() >= kMostRows) continue;
    const auto vertex = entry.get<std::int64_t>();
    if (vertex < 0 || vertex >= static_cast<std::int64_t>(rig.weights.row_count())) continue;
    const auto v = static_cast<Index>(vertex);
    const bool known = automatic && automatic->row_count() == rig.weights.row_count();
    const auto row = rig.weights.row(v);
    const bool changed = known && !std::equal(row.begin(), row.end(), automatic->row(v).begin(),
                                              automatic->row(v).end(), [](const Influence& a, const Influence& b) {
                                                return a.joint == b.joint && a.weight == b.weight;
                                              });
    result.push_back({{"vertex", v}, {"row", written(row)}, {"painted", changed}});
  }
  return {{"rows", result}};
}

void Session::make_gauge(const std::shared_ptr<const Scene>& scene) {
  const Rig& rig = scene->character().rig;
  if (rig.weights.empty()) return;
  try {
    auto gauge = std::make_shared<const Gauge>(rig);
    const std::lock_guard lock(mutex_);
    if (scene_ == scene) gauge_ = std::move(gauge);
  } catch (const Error&) {
    // A mesh that cannot be measured has no figures.
  }
}

// {joint}: of the frame that was shown last, of both deformers.
Json Session::measured(const Json& body) {
  std::array<std::shared_ptr<Mover>, 2> movers;
  std::shared_ptr<const Gauge> gauge;
  {
    const std::lock_guard lock(mutex_);
    movers = movers_;
    gauge = gauge_;
  }
  drop_other(movers);
  Json list = Json::array();
  if (!gauge || !movers[0]) return {{"ready", false}};
  const Skeleton& skeleton = movers[0]->scene().character().rig.skeleton;
  const std::int64_t wanted = integer_of(body, "joint", -1, static_cast<std::int64_t>(skeleton.size()) - 1);
  const Index joint = wanted < 0 ? kNone : static_cast<Index>(wanted);
  for (const auto& mover : movers) {
    if (!mover || mover->model_pose().joints.size() != skeleton.size()) continue;
    const GaugeReading reading = gauge->read(mover->positions(), mover->model_pose().joints, joint);
    list.push_back(
        {{"thinnest", reading.thinnest}, {"joint_volume", reading.joint_volume}, {"volume", reading.volume}});
  }
  return {{"ready", true}, {"measures", list}};
}

// {clip, joint, at, …}: figures over a clip. One time in each task, so that frames are drawn between them.
void Session::plot(const Sender& sender, const Json& body) {
  try {
    std::array<std::shared_ptr<Mover>, 2> movers;
    std::shared_ptr<const Gauge> gauge;
    {
      const std::lock_guard lock(mutex_);
      movers = movers_;
      gauge = gauge_;
    }
    drop_other(movers);
    if (!gauge || !movers[0]) throw Error("The character is still being checked. Try again in a moment.");
    const Skeleton& skeleton = movers[0]->scene().character().rig.skeleton;
    const auto clip = static_cast<std::size_t>(
        integer_of(body, "clip", 0, static_cast<std::int64_t>(movers[0]->scene().clip_names().size()) - 1));
    const std::int64_t wanted = integer_of(body, "joint", -1, static_cast<std::int64_t>(skeleton.size()) - 1);
    const Index joint = wanted < 0 ? kNone : static_cast<Index>(wanted);
    const ClipChange change = clip_change(body);
    Json plot = {{"t", "plot"},
                 {"generation", movers[0]->scene().generation()},
                 {"clip", clip},
                 {"joint", wanted},
                 {"times", Json::array()},
                 {"series", Json::array()}};
    for (const auto& mover : movers)
      if (mover)
        plot["series"].push_back({{"method", mover->method()}, {"thinnest", Json::array()}, {"volume", Json::array()}});
    auto state = std::make_shared<Json>(std::move(plot));
    auto step = std::make_shared<std::function<void(int)>>();
    const double duration = movers[0]->duration_s(clip);
    *step = [this, sender, movers, gauge, state, clip, change, joint, duration,
             again = std::weak_ptr<std::function<void(int)>>(step)](int k) {
      const double time = duration * k / kPlotTimes;
      (*state)["times"].push_back(time);
      std::size_t at = 0;
      for (const auto& mover : movers) {
        if (!mover) continue;
        mover->pose(movers[0]->clip_pose(clip, change, time), time);
        const GaugeReading reading = gauge->read(mover->positions(), mover->model_pose().joints, joint);
        Json& series = (*state)["series"][at++];
        series["thinnest"].push_back(reading.thinnest);
        series["volume"].push_back(joint == kNone ? reading.volume : reading.joint_volume);
      }
      if (k == kPlotTimes) return sender.peer->send(compact_text(*state));
      if (const auto next = again.lock()) frames_.post([next, k] { (*next)(k + 1); });
    };
    frames_.post([step] { (*step)(0); });
    sender.peer->send(compact_text({{"t", "ok"}, {"re", sender.id}}));
  } catch (const std::exception& problem) {
    fail(sender, problem.what());
  }
}

}  // namespace sinew::studio
