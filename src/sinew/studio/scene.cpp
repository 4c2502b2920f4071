// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/bind_select.h"
#include "sinew/studio/joint_places.h"
#include "sinew/studio/solid.h"

namespace sinew::studio {
namespace {

constexpr std::size_t kMostPlayers = 24;

Json triple(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

Json describe_material(const Material& m) {
  const auto image = [](Index index) { return index == kNone ? -1 : static_cast<int>(index); };
  const char* const alpha = m.alpha == Material::Alpha::kMask    ? "mask"
                            : m.alpha == Material::Alpha::kBlend ? "blend"
                                                                 : "opaque";
  return {{"name", m.name},
          {"color", {m.base_color[0], m.base_color[1], m.base_color[2], m.base_color[3]}},
          {"emissive", {m.emissive[0], m.emissive[1], m.emissive[2]}},
          {"alpha", alpha},
          {"cutoff", m.alpha_cutoff},
          {"doubleSided", m.double_sided},
          {"map", image(m.base_color_image)},
          {"emissiveMap", image(m.emissive_image)}};
}

std::uint8_t byte_of(float share) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0F, 1.0F)));
}

std::vector<std::string> names_of_clips(const Character& character) {
  std::vector<std::string> names;
  for (const Clip& clip : character.clips) names.push_back(clip.name);
  if (std::any_of(character.rig.skeleton.joints.begin(), character.rig.skeleton.joints.end(),
                  [](const Joint& joint) { return joint.deforming; }))
    for (const std::string& name : motion::builtin_clip_names(character.rig.skeleton)) names.push_back(name);
  return names;
}

}  // namespace

Scene::Scene(std::shared_ptr<const Built> built, std::uint32_t generation)
    : built_(std::move(built)),
      generation_(generation),
      clip_names_(names_of_clips(character())),
      drivers_(character().rig.skeleton) {
  const Mesh& mesh = character().rig.mesh;
  const picture::PictureSurface surface(mesh);
  sources_ = surface.sources();
  std::map<Index, Index> slot_of;
  std::vector<Index> slots(mesh.face_count());
  for (Index f = 0; f < mesh.face_count(); ++f) {
    Index material = mesh.face_materials.empty() ? kNone : mesh.face_materials[f];
    if (material >= character().materials.size()) material = kNone;
    const auto [place, added] = slot_of.try_emplace(material, static_cast<Index>(materials_.size()));
    if (added) materials_.push_back(material);
    slots[f] = place->second;
  }
  solid_.assign(materials_.size(), 1);
  const std::vector<char> solid = solid_faces(mesh);
  for (Index f = 0; f < mesh.face_count(); ++f)
    if (solid[f] == 0) solid_[slots[f]] = 0;
  triangles_ = surface.triangles(slots, static_cast<Index>(materials_.size()), starts_);
  uvs_.reserve(2 * sources_.size());
  for (const Index at : surface.uvs())
    for (int k = 0; k < 2; ++k) uvs_.push_back(at == kNone ? 0 : mesh.uvs.values[at][k]);
  for (const Index v : sources_)
    for (int k = 0; k < 4; ++k) colors_.push_back(mesh.colors.empty() ? std::uint8_t{255} : byte_of(mesh.colors[v][k]));
  group_normals(surface);
}

// Render vertices of one welded vertex with about the same normal at rest stay smooth together.
void Scene::group_normals(const picture::PictureSurface& surface) {
  const Mesh& mesh = character().rig.mesh;
  const geometry::Welding welding = geometry::weld(mesh);
  const std::vector<Vec3f> rest = surface.normals(mesh.positions);
  std::unordered_map<std::uint64_t, Index> number;
  groups_.resize(sources_.size());
  for (std::size_t r = 0; r < sources_.size(); ++r) {
    std::uint64_t key = welding.welded[sources_[r]];
    for (int k = 0; k < 3; ++k)
      key = (key << 5) ^ static_cast<std::uint64_t>(std::lround(7 * rest[r][k]) + 8) ^ (key >> 59);
    groups_[r] = number.try_emplace(key, static_cast<Index>(number.size())).first->second;
  }
  group_count_ = static_cast<Index>(number.size());
  corners_.reserve(triangles_.size());
  for (const Index r : triangles_) corners_.emplace_back(sources_[r], groups_[r]);
}

Clip Scene::clip(std::size_t number) const {
  if (number < own_clips()) return character().clips[number];
  return motion::builtin_clip(character().rig.skeleton, clip_names_.at(number));
}

Json Scene::describe() const {
  const Character& c = character();
  const Mesh& mesh = c.rig.mesh;
  Json json;
  json["generation"] = generation_;
  json["name"] = c.name;
  json["vertices"] = mesh.vertex_count();
  json["faces"] = mesh.face_count();
  json["corners"] = triangles_.size();
  const Box box = mesh.bounds();
  json["box"] = {triple(box.empty() ? Vec3(Vec3::Zero()) : box.lower),
                 triple(box.empty() ? Vec3(Vec3::Zero()) : box.upper)};
  // Many files have colours that are white everywhere: they say nothing.
  json["colors"] = std::any_of(colors_.begin(), colors_.end(), [](std::uint8_t value) { return value != 255; });
  json["groups"] = Json::array();
  json["materials"] = Json::array();
  for (std::size_t m = 0; m < materials_.size(); ++m) {
    json["groups"].push_back(
        {{"start", 3 * starts_[m]}, {"count", 3 * (starts_[m + 1] - starts_[m])}, {"solid", solid_[m] != 0}});
    json["materials"].push_back(materials_[m] == kNone ? Json() : describe_material(c.materials[materials_[m]]));
  }
  json["images"] = Json::array();
  for (const Image& image : c.images) json["images"].push_back(image.bytes.empty() ? Json() : Json(image.name));
  json["parts"] = Json::array();
  for (const MeshPart& part : mesh.parts)
    json["parts"].push_back({{"name", part.name},
                             {"first", part.first_vertex},
                             {"vertices", part.vertex_count},
                             {"faces", part.face_count}});
  json["shells"] = pipeline::shells_of(mesh).count;
  std::vector<std::uint32_t> moved(c.rig.skeleton.size(), 0);
  for (Index v = 0; v < c.rig.weights.row_count(); ++v)
    for (const Influence& influence : c.rig.weights.row(v)) ++moved[influence.joint];
  json["joints"] = Json::array();
  const std::vector<PlacedJoint>& placed = built_->placed;
  for (Index j = 0; j < c.rig.skeleton.size(); ++j) {
    const Joint& joint = c.rig.skeleton.joints[j];
    Json item = {{"name", joint.name},
                 {"parent", joint.parent == kNone ? -1 : static_cast<int>(joint.parent)},
                 {"deforming", joint.deforming},
                 {"role", joint.role},
                 {"vertices", moved[j]},
                 {"mirror", joint.mirror == kNone ? -1 : static_cast<int>(joint.mirror)},
                 {"limited", joint.limits.has_value()},
                 {"driven", joint.driver.has_value()}};
    if (j < placed.size() && !placed[j].origin.empty()) {
      item["confidence"] = placed[j].confidence;
      item["origin"] = placed[j].origin;
      item["hint"] = placed[j].hint;
      if (placed[j].partner != kNone) item["mirror"] = static_cast<int>(placed[j].partner);
    }
    json["joints"].push_back(std::move(item));
  }
  json["clips"] = Json::array();
  for (std::size_t i = 0; i < clip_names_.size(); ++i)
    json["clips"].push_back({{"name", clip_names_[i]},
                             {"builtin", i >= own_clips()},
                             {"duration", i < own_clips() ? Json(c.clips[i].duration_s()) : Json(1)}});
  // A rig that Sinew made faces +z; files may face any way.
  const Vec3 forward =
      built_->rigged || c.rig.skeleton.empty() ? Vec3(Vec3::UnitZ()) : motion::recognize(c.rig.skeleton).forward;
  json["forward"] = triple(forward);
  json["fitting"] = c.rig.skeleton.empty() || clip_names_.empty() ? "" : motion::fitting_clip(c.rig.skeleton);
  json["origins"] = built_->origins;
  json["paint"] = built_->paint == Built::Paint::kSolved    ? "solved"
                  : built_->paint == Built::Paint::kPutBack ? "put_back"
                                                            : "";
  json["painted"] = built_->painted_vertices;
  json["has_confidence"] = !built_->sureness.empty() || !built_->placed.empty();
  json["rigged"] = built_->rigged;
  json["has_weights"] = !c.rig.weights.empty();
  json["template"] = built_->template_name;
  json["fits"] = built_->fits;
  json["confidence"] = built_->confidence;
  json["places"] = joint_places(built_->template_name);
  json["movable"] = built_->rigged && !built_->posed;
  json["changed"] = built_->changed;
  return json;
}

io::Bytes Scene::surface(std::uint16_t slot) const {
  BinaryHead head;
  head.slot = slot;
  head.kind = BinaryKind::kSurface;
  head.generation = generation_;
  head.vertices = static_cast<std::uint32_t>(sources_.size());
  head.joints = character().rig.skeleton.size();
  head.flags = static_cast<std::uint32_t>(triangles_.size());
  io::Bytes bytes = begin_binary(head, 4 * triangles_.size() + 16 * sources_.size());
  append(bytes, std::span<const Index>(triangles_));
  append(bytes, std::span<const Index>(sources_));
  append(bytes, std::span<const float>(uvs_));
  append(bytes, std::span<const std::uint8_t>(colors_));
  return bytes;
}

io::Bytes Scene::frame(BinaryHead head, std::span<const Vec3f> positions, std::span<const Mat4> joints,
                       FrameScratch& scratch) const {
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t n = sources_.size();
  head.kind = BinaryKind::kFrame;
  head.generation = generation_;
  head.vertices = static_cast<std::uint32_t>(n);
  head.joints = static_cast<std::uint32_t>(joints.size());
  io::Bytes bytes(sizeof head + 16 * n + 48 * joints.size());
  auto* const out = reinterpret_cast<float*>(bytes.data() + sizeof head);
  for (std::size_t r = 0; r < n; ++r) std::memcpy(out + 3 * r, positions[sources_[r]].data(), 12);
  std::vector<Vec3f>& sums = scratch.sums;
  sums.assign(group_count_, Vec3f::Zero());
  for (std::size_t t = 0; t + 2 < corners_.size(); t += 3) {
    const Vec3f& a = positions[corners_[t].first];
    const Vec3f normal = (positions[corners_[t + 1].first] - a).cross(positions[corners_[t + 2].first] - a);
    for (std::size_t k = 0; k < 3; ++k) sums[corners_[t + k].second] += normal;
  }
  std::vector<std::array<std::int8_t, 4>>& small = scratch.normals;
  small.resize(group_count_);
  for (std::size_t g = 0; g < sums.size(); ++g) {
    const float length = sums[g].norm();
    const Vec3f unit = length > 0 ? Vec3f(sums[g] * (127 / length)) : Vec3f(0, 0, 127);
    small[g] = {static_cast<std::int8_t>(std::lrintf(unit.x())), static_cast<std::int8_t>(std::lrintf(unit.y())),
                static_cast<std::int8_t>(std::lrintf(unit.z())), 0};
  }
  std::byte* const normals = bytes.data() + sizeof head + 12 * n;
  for (std::size_t r = 0; r < n; ++r) std::memcpy(normals + 4 * r, small[groups_[r]].data(), 4);
  auto* const rows = reinterpret_cast<float*>(normals + 4 * n);
  for (std::size_t j = 0; j < joints.size(); ++j)
    for (int k = 0; k < 12; ++k)
      rows[12 * j + static_cast<std::size_t>(k)] = static_cast<float>(joints[j](k / 4, k % 4));
  head.micros += static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin).count());
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

io::Bytes Scene::field(BinaryHead head, std::span<const float> values) const {
  head.kind = BinaryKind::kField;
  head.generation = generation_;
  head.vertices = static_cast<std::uint32_t>(sources_.size());
  io::Bytes bytes = begin_binary(head, 4 * sources_.size());
  for (const Index v : sources_) append(bytes, values.subspan(v, 1));
  return bytes;
}

Mover::Mover(std::shared_ptr<const Scene> scene, const std::string& method, const Json& options,
             const Progress& progress)
    : scene_(std::move(scene)), method_(method) {
  const Rig& rig = scene_->character().rig;
  positions_.resize(rig.mesh.positions.size());
  if (rig.skeleton.empty()) return;
  pipeline::DeformerOptions chosen = pipeline::deformer(method);
  if (!options.empty()) {
    // As in a configuration: the options of a method are nested under its id.
    OptionList(chosen).from_json(Json{{chosen.method.id(), options}});
  }
  deformer_ = pipeline::bind_deformer(rig, chosen, findings_, progress);
  state_ = deformer_->make_state();
}

motion::Player& Mover::player(std::size_t clip, const ClipChange& change) {
  const auto found = players_.find({clip, change});
  if (found != players_.end()) return found->second;
  // A slider that is dragged makes many.
  if (players_.size() >= kMostPlayers) players_.clear();
  const Rig& rig = scene_->character().rig;
  Clip played = scene_->clip(clip);
  if (change.any()) played = changed_clip(rig, played, change);
  return players_.try_emplace({clip, change}, rig, std::move(played)).first->second;
}

double Mover::duration_s(std::size_t clip) {
  return clip < scene_->clip_names().size() ? player(clip, {}).duration_s() : 0;
}

Pose Mover::clip_pose(std::size_t clip, const ClipChange& change, double time_s) {
  if (clip >= scene_->clip_names().size()) {
    Pose pose = rest_pose(scene_->character().rig);
    pose.twist_rad.assign(pose.local.size(), 0);
    return pose;
  }
  motion::Player& played = player(clip, change);
  const double duration = played.duration_s();
  const double time = duration > 0 ? time_s - duration * std::floor(time_s / duration) : 0;
  return played.at(time);
}

void Mover::pose(const Pose& pose, double time_s) {
  const Rig& rig = scene_->character().rig;
  model_ = motion::resolve(rig.skeleton, pose, scene_->drivers());
  if (deformer_) {
    if (deformer_->needs_history()) state_ = deformer_->make_state();
    deformer_->deform(*state_, {model_, time_s, 0}, {positions_, {}, nullptr});
  } else {
    for (std::size_t v = 0; v < positions_.size(); ++v) positions_[v] = rig.mesh.positions[v].cast<float>();
  }
}

io::Bytes Mover::frame(BinaryHead head, const Pose& shown, double time_s) {
  const auto begin = std::chrono::steady_clock::now();
  pose(shown, time_s);
  head.micros = static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin).count());
  head.time_s = static_cast<float>(time_s);
  return scene_->frame(head, positions_, model_.joints, scratch_);
}

}  // namespace sinew::studio
