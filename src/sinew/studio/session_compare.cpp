// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Deformers and files that are shown side by side.

#include <fmt/format.h>

#include <utility>

#include "sinew/core/error.h"
#include "sinew/studio/session.h"

namespace sinew::studio {
namespace {

constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 26;

}  // namespace

std::vector<Json> Session::add_images(const Character& character) {
  std::vector<Json> blobs;
  for (const Image& image : character.images) {
    const std::string type = io::sniff_image_type(image.bytes);
    const bool shown = !type.empty() && io::sniff_image_pixels(image.bytes) <= kMostPixels;
    blobs.push_back(shown ? Json(add_blob(type, image.bytes)) : Json());
  }
  return blobs;
}

// With the lock held. A file that the character is compared with stays, as long as the character is the same.
void Session::put_scene(std::shared_ptr<const Scene> scene, std::shared_ptr<Mover> mover, bool fresh) {
  scene_ = std::move(scene);
  if (fresh) other_.reset();
  if (other_) {
    other_->match = std::make_shared<const PoseMatch>(scene_->character().rig, other_->scene->character().rig);
  } else {
    movers_[1].reset();
    methods_[1].clear();
  }
  movers_[0] = std::move(mover);
  methods_[0] = "lbs";
  limbs_.reset();
  brush_surface_.reset();
  attention_ = Json::object();
  gauge_.reset();
  autosave();  // Who begins anew is no longer offered what was done before.
  for (const Client& client : clients_) send_all(client.peer);
}

// With the lock held.
void Session::send_other(const std::shared_ptr<Peer>& peer) {
  Json message = {{"t", "other"}, {"other", Json()}};
  if (other_) {
    const PoseMatch& match = *other_->match;
    const bool equal =
        other_->scene->character().rig.mesh.vertex_count() == scene_->character().rig.mesh.vertex_count();
    message["other"] = {
        {"name", other_->name},           {"scene", other_->scene->describe()}, {"earlier", other_->earlier},
        {"images", other_->images},       {"same_skeleton", match.same()},      {"matched", match.matched()},
        {"deforming", match.deforming()}, {"by_role", match.by_role()},         {"same_vertices", equal}};
  }
  peer->send(compact_text(message));
  if (other_) peer->send(other_->scene->surface(1));
}

Session::Other Session::load_other(const Json& body, const Progress& progress) {
  const std::filesystem::path path = given_file(body).first;
  progress.step("reading", 0.02);
  auto asset = std::make_shared<io::Asset>(io::load(path, {}, progress));
  const std::string name = path.filename().string();
  if (asset->character.rig.mesh.face_count() == 0) throw Error(fmt::format("{} has no mesh to show.", name));
  RecipeBuilder builder(asset);
  return {name,    body.contains("file") ? path.string() : name,
          false,   std::make_shared<const Scene>(builder.build(Json::array(), progress), ++generation_),
          nullptr, {}};
}

// {step}: the character as it was after an entry of the history.
Session::Other Session::earlier_step(const Json& body, const Progress& progress) {
  std::shared_ptr<const Json> steps;
  std::string label;
  {
    const std::lock_guard lock(mutex_);
    const std::int64_t step = integer_of(body, "step", 0, static_cast<std::int64_t>(history_.size()) - 1);
    steps = history_[static_cast<std::size_t>(step)].steps;
    label = history_[static_cast<std::size_t>(step)].label;
  }
  return {label,   "", true, std::make_shared<const Scene>(builder_->build(*steps, progress), ++generation_),
          nullptr, {}};
}

// {slot, method, options}: the character by this deformer. In slot 1 also {file} or {name}: another file, {step}: an
// earlier step, or {other: true}: the one that is compared already. `clip` is what plays, for the command line.
void Session::show(const Json& body, const Progress& progress) {
  const auto slot = static_cast<std::size_t>(integer_of(body, "slot", 0, 1));
  const std::string method = text_of(body, "method");
  const bool loads = slot == 1 && (body.contains("file") || body.contains("name") || body.contains("step"));
  std::shared_ptr<const Scene> scene;
  std::optional<Other> other;
  {
    const std::lock_guard lock(mutex_);
    scene = scene_;
    if (slot == 1 && flag_of(body, "other", false)) other = other_;
  }
  if (loads) {
    other = body.contains("step") ? earlier_step(body, progress) : load_other(body, progress);
    other->match = std::make_shared<const PoseMatch>(scene->character().rig, other->scene->character().rig);
  }
  std::shared_ptr<Mover> mover;
  if (!method.empty())
    mover =
        std::make_shared<Mover>(other ? other->scene : scene, method, body.value("options", Json::object()), progress);
  const std::lock_guard lock(mutex_);
  if (scene_ != scene) return;
  Json texts = Json::array();
  if (mover)
    for (const Finding& finding : mover->findings()) texts.push_back(finding.text);
  movers_[slot] = std::move(mover);
  methods_[slot] = method;
  const bool changed = slot == 1 && (loads || other.has_value() != other_.has_value());
  if (loads) other->images = other->earlier ? image_blobs_ : add_images(other->scene->character());
  if (slot == 1) other_ = std::move(other);
  const std::string text = compact_text({{"t", "shown"}, {"slot", slot}, {"method", method}, {"findings", texts}});
  const std::string command = compact_text({{"t", "command"}, {"text", show_command(slot, body)}});
  for (const Client& client : clients_) {
    if (changed) send_other(client.peer);
    client.peer->send(text);
    client.peer->send(command);
  }
}

// With the lock held.
std::string Session::show_command(std::size_t slot, const Json& body) const {
  Json details = {{"clip", body.value("clip", Json(""))}, {"method", methods_[0]}};
  const bool compares = slot == 1 && !methods_[1].empty() && !(other_ && other_->earlier);
  if (compares) details["other"] = other_ ? other_->path : methods_[1];
  return use_command(subject(), compares ? "compare" : "clip", details);
}

}  // namespace sinew::studio
