// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What a session does in its frame lane: frames, poses, queries, strokes of the brush.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/motion/pose_file.h"
#include "sinew/pipeline/bind_select.h"
#include "sinew/studio/clip_edit.h"
#include "sinew/studio/session.h"

namespace sinew::studio {
namespace {

Json numbers(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

/// A pose of a file in the form that edits have: relative to the rest pose.
Json rest_relative(const Rig& rig, const Json& json) {
  const Pose pose = motion::pose_from_json(json, rig);
  if (json.value("space", Json("rest")) != "local") return json;
  Json result = Json::object();
  for (const auto& [name, entry] : json.value("joints", Json::object()).items()) {
    const Index j = rig.skeleton.find(name);
    const Transform& rest = rig.skeleton.joints[j].rest;
    const Quat q = delta_rotation(rest, pose.local[j]).normalized();
    const Vec3 shift = rest.rotation.conjugate() * (pose.local[j].translation - rest.translation);
    result["joints"][name] = {{"rotation", {q.x(), q.y(), q.z(), q.w()}}, {"translation", numbers(shift)}};
  }
  return result;
}

/// How sure the weights of a vertex are: what the binder said, times how sure the places of its joints are.
float confidence_at(const Built& built, std::span<const Influence> row, Index vertex) {
  float sum = 0, sure = 0;
  for (const Influence& influence : row) {
    sum += influence.weight;
    sure += influence.weight *
            static_cast<float>(influence.joint < built.placed.size() ? built.placed[influence.joint].confidence : 1);
  }
  return (sum > 0 ? sure / sum : 1) * (vertex < built.sureness.size() ? built.sureness[vertex] : 1);
}

const Json& required(const Json& body, const char* key) {
  const auto found = body.find(key);
  if (found == body.end()) throw Error(fmt::format("The message lacks '{}'.", key));
  return *found;
}

}  // namespace

void Session::draw(const std::shared_ptr<Peer>& peer) {
  Json body, pose_json;
  std::array<std::shared_ptr<Mover>, 2> movers;
  std::shared_ptr<const PoseMatch> match;
  {
    const std::lock_guard lock(mutex_);
    const auto client = std::find_if(clients_.begin(), clients_.end(), [&](const Client& c) { return c.peer == peer; });
    if (client == clients_.end() || !client->draw) return;
    body = std::move(*client->draw);
    client->draw.reset();
    if (!movers_[0]) return;
    movers = movers_;
    if (other_) match = other_->match;
    pose_json = now().pose;
  }
  Sender sender{peer};
  try {
    BinaryHead head;
    head.sequence = static_cast<std::uint32_t>(integer_of(body, "seq", 0, 0xFFFFFFFFLL));
    const double time_s = number_of(body, "time", 0);
    const Rig& rig = movers[0]->scene().character().rig;
    Pose pose;
    if (flag_of(body, "posed", false)) {
      if (body.contains("edit")) pose_json = edited_pose(rig, pose_json, body["edit"]);
      pose = motion::pose_from_json(pose_json, rig);
    } else {
      const std::int64_t clip = integer_of(body, "clip", -1, 1 << 20);
      pose = movers[0]->clip_pose(clip < 0 ? static_cast<std::size_t>(-1) : static_cast<std::size_t>(clip),
                                  clip_change(body), time_s);
    }
    peer->send(movers[0]->frame(head, pose, time_s));
    if (!flag_of(body, "compare", false) || !movers[1]) return;
    head.slot = 1;
    peer->send(movers[1]->frame(head, match ? match->pose(pose, movers[0]->model_pose()) : pose, time_s));
    if (movers[0]->positions().size() != movers[1]->positions().size()) return;
    std::vector<float> distance(movers[0]->positions().size());
    for (std::size_t v = 0; v < distance.size(); ++v)
      distance[v] = 1000 * (movers[0]->positions()[v] - movers[1]->positions()[v]).norm();
    peer->send(movers[0]->scene().field(head, distance));
  } catch (const std::exception& problem) {
    fail(sender, problem.what());
    // The page waits for an answer before it asks for the next frame.
    peer->send(compact_text({{"t", "no_frame"}, {"seq", body.value("seq", Json(0))}}));
  }
}

void Session::edit_pose(const Sender& sender, const Json& body) {
  try {
    const std::shared_ptr<const Scene> scene = current();
    const std::lock_guard lock(mutex_);
    const Rig& rig = scene->character().rig;
    Json pose;
    std::string label;
    if (body.contains("pose")) {
      pose = rest_relative(rig, body["pose"]);
      label = "Load pose";
    } else {
      const Json& edit = required(body, "edit");
      pose = flag_of(body, "from_rest", false) ? Json::object() : now().pose;
      pose = edited_pose(rig, pose, edit);
      motion::pose_from_json(pose, rig);
      const bool whole = !edit.contains("joint");
      label = edit["kind"] == "standard" ? (edit["pose"] == "t" ? "T pose" : "A pose")
              : whole                    ? "Reset pose"
                                         : fmt::format("{} {}",
                                    edit["kind"] == "ik"      ? "Reach"
                                                       : edit["kind"] == "twist" ? "Twist"
                                                                                 : "Pose",
                                                       rig.skeleton.joints[edit["joint"].get<Index>()].name);
    }
    history_.resize(cursor_ + 1);
    history_.push_back({label, now().steps, std::move(pose), true});
    cursor_ = history_.size() - 1;
    const std::string text = compact_text(history_json());
    for (const Client& client : clients_) client.peer->send(text);
    sender.peer->send(compact_text({{"t", "ok"}, {"re", sender.id}}));
  } catch (const std::exception& problem) {
    fail(sender, problem.what());
  }
}

Json Session::snap(const Json& body) {
  const std::shared_ptr<const Scene> scene = current();
  std::shared_ptr<const rigging::LimbScene> limbs;
  {
    const std::lock_guard lock(mutex_);
    if (scene_ == scene) limbs = limbs_;
  }
  const Rig& rig = scene->character().rig;
  if (!limbs) {
    limbs = std::make_shared<const rigging::LimbScene>(rig.mesh);
    const std::lock_guard lock(mutex_);
    if (scene_ == scene) limbs_ = limbs;
  }
  std::optional<Vec3> bone;
  if (body.contains("joint")) {
    const auto joint =
        static_cast<Index>(integer_of(body, "joint", 0, static_cast<std::int64_t>(rig.skeleton.size()) - 1));
    const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
    const auto place = [&](Index j) { return Vec3(rest[j].topRightCorner<3, 1>()); };
    Index child = kNone;
    for (Index j = 0; j < rig.skeleton.size() && child == kNone; ++j)
      if (rig.skeleton.joints[j].parent == joint && rig.skeleton.joints[j].deforming) child = j;
    const Index parent = rig.skeleton.joints[joint].parent;
    if (child != kNone) bone = place(child) - place(parent != kNone ? parent : joint);
    else if (parent != kNone) bone = place(joint) - place(parent);
  }
  const auto depth = flag_of(body, "whole", false) ? rigging::LimbDepth::kWhole : rigging::LimbDepth::kFront;
  const auto centre = limbs->centre(vector_of(body, "origin"), vector_of(body, "direction"), depth, bone);
  if (!centre) return {{"hit", false}};
  Json outline = Json::array();
  const std::size_t stride = std::max<std::size_t>(1, centre->outline.size() / 48);
  for (std::size_t i = 0; i < centre->outline.size(); i += stride) outline.push_back(numbers(centre->outline[i]));
  return {{"hit", true}, {"point", numbers(centre->point)}, {"radius", centre->radius}, {"outline", outline}};
}

// {vertex}: its weights, and the piece that it belongs to.
Json Session::picked(const Json& body) const {
  const std::shared_ptr<const Scene> scene = current();
  const Rig& rig = scene->character().rig;
  const auto vertex =
      static_cast<Index>(integer_of(body, "vertex", 0, static_cast<std::int64_t>(rig.mesh.vertex_count()) - 1));
  Json row = Json::array();
  if (vertex < rig.weights.row_count())
    for (const Influence& influence : rig.weights.row(vertex))
      row.push_back({rig.skeleton.joints[influence.joint].name, influence.weight});
  // Numbered as the words of recipes count them.
  const Index shell = pipeline::shells_of(rig.mesh).of_vertex[vertex];
  return {{"row", row}, {"shell", shell == kNone ? -1 : static_cast<int>(shell)}};
}

// {of: "shell:3"}: its vertices, as base64 of a byte for each vertex of the mesh.
Json Session::piece(const Json& body) const {
  const std::vector<char> chosen = pipeline::vertices_of_word(current()->character(), text_of(body, "of"));
  return {{"vertices", io::base64_encode(std::as_bytes(std::span(chosen)))},
          {"count", std::count(chosen.begin(), chosen.end(), char{1})}};
}

std::shared_ptr<const Scene> Session::current() const {
  const std::lock_guard lock(mutex_);
  if (!scene_) throw Error("The studio is still starting.");
  return scene_;
}

void Session::answer(const Sender& sender, const Json& body) {
  try {
    const std::string what = text_of(body, "what");
    Json result;
    if (what == "snap") {
      result = snap(body);
    } else if (what == "clip") {
      std::shared_ptr<Mover> mover;
      {
        const std::lock_guard lock(mutex_);
        mover = movers_[0];
      }
      const std::int64_t clip = integer_of(body, "clip", -1, 1 << 20);
      result = {{"duration", mover && clip >= 0 ? mover->duration_s(static_cast<std::size_t>(clip)) : 0.0}};
    } else if (what == "vertex") {
      result = picked(body);
    } else if (what == "piece") {
      result = piece(body);
    } else if (what == "rows") {
      result = rows(body);
    } else if (what == "measure") {
      result = measured(body);
    } else {
      throw Error(fmt::format("The studio knows no question '{}'.", what));
    }
    result["t"] = "answer";
    result["re"] = sender.id;
    sender.peer->send(compact_text(result));
  } catch (const std::exception& problem) {
    fail(sender, problem.what());
  }
}

std::vector<float> Session::field_values(const Scene& scene, const Json& body) const {
  const Character& character = scene.character();
  const SkinWeights& weights = character.rig.weights;
  std::vector<float> values(character.rig.mesh.positions.size(), 0);
  const std::string kind = text_of(body, "field");
  if (weights.empty()) return values;
  const Built& built = scene.built();
  const auto joint =
      kind == "joint" ? static_cast<Index>(integer_of(body, "joint", 0, character.rig.skeleton.size() - 1)) : kNone;
  for (Index v = 0; v < weights.row_count(); ++v) {
    const auto row = weights.row(v);
    // Nothing moves it: a value of its own, which the page shows in a glaring colour.
    if (row.empty()) values[v] = -1;
    else if (kind == "influences") values[v] = static_cast<float>(row.size());
    else if (kind == "segments") values[v] = static_cast<float>(row.front().joint);
    else if (kind == "origin") values[v] = v < built.origin.size() ? static_cast<float>(built.origin[v]) : 0;
    else if (kind == "confidence") values[v] = confidence_at(built, row, v);
    else if (kind == "joint") {
      for (const Influence& influence : row)
        if (influence.joint == joint) values[v] = influence.weight;
    } else {
      throw Error(fmt::format("The studio knows no colours '{}'.", kind));
    }
  }
  return values;
}

void Session::send_field(const std::shared_ptr<Peer>& peer, const Json& body) {
  std::shared_ptr<const Scene> scene;
  {
    const std::lock_guard lock(mutex_);
    scene = scene_;
  }
  if (!scene) return;
  BinaryHead head;
  if (body.contains("seq")) head.sequence = static_cast<std::uint32_t>(integer_of(body, "seq", 0, 0xFFFFFFFFLL));
  peer->send(scene->field(head, field_values(*scene, body)));
}

}  // namespace sinew::studio
