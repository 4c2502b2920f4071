// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/picture_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "sinew/core/parallel.h"
#include "sinew/picture/picture_surface.h"

namespace sinew::picture {
namespace {

// sRGB (206, 178, 156), a warm clay, as linear numbers.
const Vec4f kClay(0.617F, 0.445F, 0.332F, 1);

/// Large arrays as base64 texts, which the scene refers to by number.
class Buffers {
 public:
  template <class T>
  Json add(const std::vector<T>& values) {
    texts_.push_back(io::base64_encode(std::as_bytes(std::span(values))));
    return Json(texts_.size() - 1);
  }
  std::string script() const {
    std::string result = "[\n";
    for (const std::string& text : texts_) result += '"' + text + "\",\n";
    return result + "]";
  }

 private:
  std::vector<std::string> texts_;
};

/// From model space to the page's: the middle at the origin, the size 1.
struct Space {
  Vec3 middle = Vec3::Zero();
  double scale = 1;

  Vec3 operator()(const Vec3& p) const { return (p - middle) * scale; }
};

Json triple(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

void push(std::vector<float>& out, const Vec3& p) {
  for (int k = 0; k < 3; ++k) out.push_back(static_cast<float>(p[k]));
}

/// Joints that count for the picture's bounds: those that move the skin, or all where none does.
bool any_deforming(const Skeleton& skeleton) {
  return std::any_of(skeleton.joints.begin(), skeleton.joints.end(), [](const Joint& j) { return j.deforming; });
}

const Character& character_of(const PictureScene& scene, const PictureFrame& frame) {
  return frame.character ? *frame.character : scene.character;
}

std::vector<Vec3> points_to_fit(const PictureScene& scene) {
  std::vector<Vec3> points = scene.also_fit;
  for (const PictureFrame& frame : scene.frames) {
    const Skeleton& skeleton = character_of(scene, frame).rig.skeleton;
    const bool all = !any_deforming(skeleton);
    const Mesh& mesh = character_of(scene, frame).rig.mesh;
    std::vector<bool> used(mesh.positions.size(), mesh.face_vertices.empty());
    for (const Index v : mesh.face_vertices) used[v] = true;
    if (scene.skin || scene.wire)
      for (std::size_t v = 0; v < frame.positions.size(); ++v)
        if (used[v]) points.push_back(frame.positions[v]);
    if (scene.skeleton)
      for (std::size_t j = 0; j < frame.joints.size(); ++j)
        if (all || skeleton.joints[j].deforming) points.push_back(frame.joints[j].topRightCorner<3, 1>());
  }
  const auto add = [&](const std::vector<Overlay>& overlays) {
    for (const Overlay& overlay : overlays) {
      points.insert(points.end(), overlay.points.begin(), overlay.points.end());
      for (const auto& line : overlay.lines) points.insert(points.end(), line.begin(), line.end());
      for (const auto& triangle : overlay.triangles) points.insert(points.end(), triangle.begin(), triangle.end());
    }
  };
  add(scene.overlays);
  for (const PictureFrame& frame : scene.frames) add(frame.overlays);
  return points;
}

/// A file that says nothing about colours: no textures, no vertex colours, every material the same grey.
bool is_plain(const Character& character) {
  if (!character.rig.mesh.colors.empty()) return false;
  return std::all_of(character.materials.begin(), character.materials.end(), [&](const Material& m) {
    const Vec4f& c = m.base_color;
    return m.base_color_image == kNone && m.emissive_image == kNone && m.emissive.isZero() && c[0] == c[1] &&
           c[1] == c[2] && c[0] >= 0.5F && c[3] == 1 && m.alpha == Material::Alpha::kOpaque &&
           c == character.materials.front().base_color;
  });
}

Json clay() {
  return {{"color", {kClay[0], kClay[1], kClay[2], 1}},
          {"metallic", 0},
          {"roughness", 0.62},
          {"emissive", {0, 0, 0}},
          {"alpha", "opaque"},
          {"cutoff", 0.5},
          {"doubleSided", true},
          {"clay", true},
          {"map", -1},
          {"normalMap", -1},
          {"emissiveMap", -1}};
}

class Writer {
 public:
  Writer(const PictureScene& scene, std::size_t number) : scene_(scene), number_(number) {}

  PictureScript write() {
    const std::vector<Vec3> model_points = points_to_fit(scene_);
    Box box;
    for (const Vec3& p : model_points) box.extend(p);
    space_.middle = box.center();
    space_.scale = box.diagonal() > 0 ? 1 / box.diagonal() : 1;
    std::vector<Vec3> points(model_points.size());
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = space_(model_points[i]);
    double radius = 1e-3;
    for (const Vec3& p : points) radius = std::max(radius, p.norm());

    json_["size"] = {scene_.width, scene_.height};
    json_["samples"] = nullptr;
    json_["animated"] = scene_.animated;
    json_["type"] = scene_.webp ? "image/webp" : "image/png";
    json_["background"] = scene_.background;
    json_["skin"] = scene_.skin;
    json_["wire"] = scene_.wire;
    json_["skeleton"] = scene_.skeleton;
    json_["ground"] = box.empty() ? 0 : space_(box.lower).y();
    json_["radius"] = radius;
    json_["legend"] = nullptr;
    write_surfaces();
    write_frames();
    write_cells(points, radius);
    json_["overlays"] = describe(scene_.overlays);
    double vertices = 0;
    for (const PictureCell& cell : scene_.cells) {
      const Model* const model = model_of(scene_.frames[cell.frame]);
      if (model != nullptr) vertices += static_cast<double>(model->surface.sources().size());
    }
    // A close-up is covered by skin, often several times, where a view of the whole character is mostly background.
    const bool close = std::any_of(scene_.cells.begin(), scene_.cells.end(), is_close_up);
    const double area =
        1.0 * scene_.width * scene_.height * (scene_.animated ? static_cast<double>(scene_.cells.size()) : 1.0);
    const double one_pass = (close ? 3.0 : 1.0) * area + 4 * vertices;
    // About 0.8 µs each on one core.
    const int samples = scene_.samples > 0 ? scene_.samples : static_cast<int>(std::clamp(60e6 / one_pass, 12.0, 24.0));
    json_["samples"] = samples;
    PictureScript result;
    result.work = samples * one_pass;
    result.script = "(window.sinewTasks = window.sinewTasks || []).push({scene:" + json_.dump() +
                    ",\nbuffers:" + buffers_.script() + "});\n";
    result.images = std::move(images_);
    result.too_large = std::move(too_large_);
    return result;
  }

 private:
  /// A character with a surface to draw.
  struct Model {
    explicit Model(const Character& drawn) : character(drawn), surface(drawn.rig.mesh) {}
    const Character& character;
    PictureSurface surface;
    std::map<Index, int> images;                         ///< Numbers in the page's list.
    std::map<const Overlay::VertexField*, Json> fields;  ///< Buffers of those that are shown.
  };

  /// Null if the frame has no surface.
  Model* model_of(const PictureFrame& frame) {
    for (const std::unique_ptr<Model>& model : models_)
      if (&model->character == &character_of(scene_, frame)) return model.get();
    return nullptr;
  }

  void write_surfaces() {
    json_["images"] = Json::array();
    json_["materials"] = Json::array();
    json_["surfaces"] = Json::array();
    if (!(scene_.skin || scene_.wire)) return;
    for (const PictureFrame& frame : scene_.frames) {
      const Character& character = character_of(scene_, frame);
      if (character.rig.mesh.face_vertices.empty() || model_of(frame) != nullptr) continue;
      models_.push_back(std::make_unique<Model>(character));
      write_surface(*models_.back());
    }
  }

  void write_surface(Model& model) {
    const Mesh& mesh = model.character.rig.mesh;
    Json surface;
    std::vector<Index> starts;
    const std::size_t first = json_["materials"].size();
    const std::vector<Index> slots = write_materials(model);
    surface["vertices"] = model.surface.sources().size();
    surface["triangles"] =
        buffers_.add(model.surface.triangles(slots, static_cast<Index>(json_["materials"].size() - first), starts));
    surface["uvs"] = mesh.uvs.empty() ? Json() : buffers_.add(uvs(model));
    surface["colors"] = mesh.colors.empty() ? Json() : buffers_.add(colors(model));
    surface["edges"] = scene_.wire ? buffers_.add(model.surface.edges()) : Json();
    surface["groups"] = Json::array();
    for (std::size_t m = 0; m + 1 < starts.size(); ++m)
      if (starts[m] < starts[m + 1])
        surface["groups"].push_back(
            {{"material", first + m}, {"start", 3 * starts[m]}, {"count", 3 * (starts[m + 1] - starts[m])}});
    json_["surfaces"].push_back(std::move(surface));
  }

  /// Lists the materials that are used and returns the number of each face's, from the first of this character.
  std::vector<Index> write_materials(Model& model) {
    const Mesh& mesh = model.character.rig.mesh;
    const bool plain = is_plain(model.character);
    std::map<Index, Index> listed;
    std::vector<Index> slots(mesh.face_count());
    for (Index f = 0; f < mesh.face_count(); ++f) {
      Index material = plain || mesh.face_materials.empty() ? kNone : mesh.face_materials[f];
      if (material >= model.character.materials.size()) material = kNone;
      const auto [place, added] = listed.try_emplace(material, static_cast<Index>(listed.size()));
      slots[f] = place->second;
      if (!added) continue;
      Json out = material == kNone ? clay() : describe(model, model.character.materials[material]);
      // A surface with colours of its own and no material is tinted by them alone.
      if (!mesh.colors.empty() && out["clay"].get<bool>()) out["color"] = {1, 1, 1, 1};
      json_["materials"].push_back(std::move(out));
    }
    return slots;
  }

  Json describe(Model& model, const Material& m) {
    const auto alpha = m.alpha == Material::Alpha::kMask    ? "mask"
                       : m.alpha == Material::Alpha::kBlend ? "blend"
                                                            : "opaque";
    return {{"color", {m.base_color[0], m.base_color[1], m.base_color[2], m.base_color[3]}},
            {"metallic", m.metallic},
            {"roughness", m.roughness},
            {"emissive", {m.emissive[0], m.emissive[1], m.emissive[2]}},
            {"alpha", alpha},
            {"cutoff", m.alpha_cutoff},
            {"doubleSided", m.double_sided},
            {"clay", false},
            {"map", image(model, m.base_color_image)},
            {"normalMap", image(model, m.normal_image)},
            {"emissiveMap", image(model, m.emissive_image)}};
  }

  /// Number of a picture in the page's list, −1 for none.
  int image(Model& model, Index index) {
    if (index >= model.character.images.size()) return -1;
    const Image& source = model.character.images[index];
    if (source.bytes.empty()) return -1;
    // A file of a few kilobytes can unfold to gigabytes in the browser.
    constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 26;
    if (io::sniff_image_pixels(source.bytes) > kMostPixels) {
      if (std::find(too_large_.begin(), too_large_.end(), source.name) == too_large_.end())
        too_large_.push_back(source.name);
      return -1;
    }
    const auto [place, added] = model.images.try_emplace(index, static_cast<int>(json_["images"].size()));
    if (added) {
      const std::string id = fmt::format("image{}_{}", number_, place->second);
      std::string type = io::sniff_image_type(source.bytes);
      if (type.empty()) type = "application/octet-stream";
      images_ += fmt::format("<img id=\"{}\" src=\"data:{};base64,{}\">", id, type, io::base64_encode(source.bytes));
      const std::string name = !source.name.empty() ? source.name : !source.uri.empty() ? source.uri : id;
      json_["images"].push_back({{"name", name}, {"element", id}});
    }
    return place->second;
  }

  static std::vector<float> uvs(const Model& model) {
    const CornerLayer<Vec2f>& layer = model.character.rig.mesh.uvs;
    std::vector<float> result;
    for (const Index at : model.surface.uvs())
      for (int k = 0; k < 2; ++k) result.push_back(at == kNone ? 0 : layer.values[at][k]);
    return result;
  }

  static std::vector<float> colors(const Model& model) {
    std::vector<float> result;
    for (const Index v : model.surface.sources())
      for (int k = 0; k < 4; ++k) result.push_back(model.character.rig.mesh.colors[v][k]);
    return result;
  }

  /// The last field of some overlays that belongs to the character, or null.
  static const Overlay::VertexField* last_field(const Model& model, const std::vector<Overlay>& overlays) {
    const Overlay::VertexField* shown = nullptr;
    for (const Overlay& overlay : overlays)
      for (const Overlay::VertexField& candidate : overlay.fields)
        if (candidate.values.size() == model.character.rig.mesh.positions.size()) shown = &candidate;
    return shown;
  }

  /// Writes the field of a frame, as shares of its range, and the scale: a frame's own field has its own scale.
  void write_field(Model& model, const PictureFrame& frame, Json& out) {
    const Overlay::VertexField* const own = last_field(model, frame.overlays);
    const Overlay::VertexField* const shown = own != nullptr ? own : last_field(model, scene_.overlays);
    if (shown == nullptr) return;
    (own != nullptr ? out : json_)["legend"] = {{"title", shown->name},
                                                {"low", fmt::format("{:.3g}", shown->low)},
                                                {"high", fmt::format("{:.3g}", shown->high)}};
    Json& buffer = model.fields[shown];
    if (buffer.is_null()) {
      const float range = shown->high > shown->low ? shown->high - shown->low : 1;
      std::vector<float> result;
      for (const Index v : model.surface.sources()) {
        const float share = (shown->values[v] - shown->low) / range;
        result.push_back(std::isfinite(share) ? std::clamp(share, 0.0F, 1.0F) : 0);
      }
      buffer = buffers_.add(result);
    }
    out["field"] = buffer;
  }

  void write_frames() {
    json_["frames"] = Json::array();
    for (const PictureFrame& frame : scene_.frames) {
      Json out = {{"surface", nullptr}, {"positions", nullptr}, {"normals", nullptr},
                  {"field", nullptr},   {"legend", nullptr},    {"overlays", describe(frame.overlays)}};
      if (Model* const model = model_of(frame)) {
        for (std::size_t m = 0; m < models_.size(); ++m)
          if (models_[m].get() == model) out["surface"] = m;
        std::vector<float> positions;
        positions.reserve(3 * model->surface.sources().size());
        for (const Index v : model->surface.sources()) push(positions, space_(frame.positions[v]));
        std::vector<std::int16_t> normals;
        normals.reserve(positions.size());
        for (const Vec3f& n : model->surface.normals(frame.positions))
          for (int k = 0; k < 3; ++k)
            normals.push_back(static_cast<std::int16_t>(
                std::lround(std::clamp(std::isfinite(n[k]) ? n[k] : 0, -1.0F, 1.0F) * 32767)));
        out["positions"] = buffers_.add(positions);
        out["normals"] = buffers_.add(normals);
        write_field(*model, frame, out);
      }
      write_bones(frame, out);
      json_["frames"].push_back(std::move(out));
    }
  }

  /// Bones from every joint to its children, and the ends of leaves. Thin: those that move no skin.
  void write_bones(const PictureFrame& frame, Json& out) {
    const Skeleton& skeleton = character_of(scene_, frame).rig.skeleton;
    const bool all = !any_deforming(skeleton);
    const Index chosen = frame.character ? kNone : scene_.chosen_joint;
    std::vector<float> bones, joints;
    std::vector<std::uint8_t> bone_kinds, joint_kinds;
    const auto bone = [&](const Vec3& head, const Vec3& tail, int kind) {
      if (!((head - tail).norm() * space_.scale > 1e-5)) return;
      push(bones, space_(head));
      push(bones, space_(tail));
      bone_kinds.push_back(static_cast<std::uint8_t>(kind));
    };
    const std::size_t count = scene_.skeleton ? std::min<std::size_t>(skeleton.size(), frame.joints.size()) : 0;
    for (std::size_t j = 0; j < count; ++j) {
      const Joint& joint = skeleton.joints[j];
      const Vec3 here = frame.joints[j].topRightCorner<3, 1>();
      const int kind = j == chosen ? 2 : all || joint.deforming ? 1 : 0;
      push(joints, space_(here));
      joint_kinds.push_back(static_cast<std::uint8_t>(kind));
      if (joint.parent != kNone) {
        const bool solid = all || (skeleton.joints[joint.parent].deforming && (joint.deforming || joint.role == "end"));
        const int bone_kind = joint.parent == chosen ? 2 : solid ? 1 : 0;
        bone(frame.joints[joint.parent].topRightCorner<3, 1>(), here, bone_kind);
      }
      if (joint.end_local) bone(here, transform_point(frame.joints[j], *joint.end_local), kind);
    }
    out["bones"] = buffers_.add(bones);
    out["boneKinds"] = buffers_.add(bone_kinds);
    out["joints"] = buffers_.add(joints);
    out["jointKinds"] = buffers_.add(joint_kinds);
  }

  void write_cells(const std::vector<Vec3>& points, double radius) {
    const int in_picture = scene_.animated ? 1 : static_cast<int>(scene_.cells.size());
    const int columns = std::clamp(scene_.columns, 1, in_picture);
    const int rows = (in_picture + columns - 1) / columns;
    const auto cut = [](int length, int parts, int i) { return static_cast<int>(std::int64_t{length} * i / parts); };
    std::vector<std::array<int, 4>> rects;
    for (int cell = 0; cell < static_cast<int>(scene_.cells.size()); ++cell) {
      const int i = cell % in_picture;
      const int x = cut(scene_.width, columns, i % columns), y = cut(scene_.height, rows, i / columns);
      rects.push_back(
          {x, y, cut(scene_.width, columns, i % columns + 1) - x, cut(scene_.height, rows, i / columns + 1) - y});
    }
    std::vector<PictureCamera> cameras(rects.size());
    double distance = 0;  // The same for all cells: first each for itself, then all at the largest.
    for (int turn = 0; turn < 2; ++turn) {
      double largest = 0;
      for (std::size_t i = 0; i < rects.size(); ++i) {
        const PictureCell& cell = scene_.cells[i];
        if (is_close_up(cell)) continue;
        cameras[i] = fit_camera(cell.view, points, 1.0 * rects[i][2] / rects[i][3], !cell.title.empty(), distance);
        largest = std::max(largest, cameras[i].eye.dot(cameras[i].back));
      }
      distance = largest;
    }
    json_["cells"] = Json::array();
    for (std::size_t i = 0; i < rects.size(); ++i) {
      const double depth = cameras[i].eye.dot(cameras[i].back);
      Json cell = {{"rect", rects[i]},
                   {"frame", scene_.cells[i].frame},
                   {"title", scene_.cells[i].title},
                   {"camera", describe(cameras[i], std::max(depth - 1.5 * radius, depth / 50), depth + 3 * radius)},
                   {"closeUp", nullptr}};
      if (is_close_up(scene_.cells[i])) write_close_up(scene_.cells[i], radius, cell);
      json_["cells"].push_back(std::move(cell));
    }
  }

  static bool is_close_up(const PictureCell& cell) { return cell.close_up && !cell.close_up->points.empty(); }

  static Json describe(const PictureCamera& c, double near, double far) {
    return {{"eye", triple(c.eye)},
            {"right", triple(c.right)},
            {"up", triple(c.up)},
            {"back", triple(c.back)},
            {"tanY", c.tan_y},
            {"near", near},
            {"far", far}};
  }

  /// Sets the camera of a close-up, and the ball around what it shows, for which shadows are computed.
  void write_close_up(const PictureCell& cell, double radius, Json& out) const {
    std::vector<Vec3> points;
    Box box;
    for (const Vec3& p : cell.close_up->points) {
      points.push_back(space_(p));
      box.extend(points.back());
    }
    const double aspect = out["rect"][2].get<double>() / out["rect"][3].get<double>();
    const PictureCamera camera = fit_camera(cell.close_up->back, points, aspect, !cell.title.empty());
    const double size = std::max(0.5 * box.diagonal(), 1e-3);
    const double depth = (camera.eye - box.center()).dot(camera.back);
    // What is far in front of the part, such as the other arm, is cut away.
    out["camera"] = describe(camera, std::max(depth - 3 * size, depth / 50), depth + 4 * radius);
    out["closeUp"] = {{"center", triple(box.center())}, {"radius", size}};
  }

  Json describe(const std::vector<Overlay>& overlays) {
    Json result = Json::array();
    for (const Overlay& overlay : overlays) {
      std::vector<float> points, lines, triangles;
      for (const Vec3& p : overlay.points) push(points, space_(p));
      for (const auto& line : overlay.lines)
        for (const Vec3& p : line) push(lines, space_(p));
      for (const auto& triangle : overlay.triangles)
        for (const Vec3& p : triangle) push(triangles, space_(p));
      Json labels = Json::array();
      for (const Overlay::Label& label : overlay.labels)
        labels.push_back({{"at", triple(space_(label.position))}, {"text", label.text}});
      result.push_back({{"color", {overlay.color[0], overlay.color[1], overlay.color[2], overlay.color[3]}},
                        {"points", buffers_.add(points)},
                        {"lines", buffers_.add(lines)},
                        {"triangles", buffers_.add(triangles)},
                        {"labels", std::move(labels)}});
    }
    return result;
  }

  const PictureScene& scene_;
  std::size_t number_;
  Space space_;
  Json json_ = Json::object();
  Buffers buffers_;
  std::vector<std::string> too_large_;
  std::string images_;
  std::vector<std::unique_ptr<Model>> models_;
};

}  // namespace

PictureScript make_script(const PictureScene& scene, std::size_t number) { return Writer(scene, number).write(); }

}  // namespace sinew::picture
