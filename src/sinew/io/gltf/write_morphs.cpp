// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/write_morphs.h"

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/core/error.h"
#include "sinew/io/gltf/build.h"
#include "sinew/io/gltf/compact.h"
#include "sinew/io/gltf/gltf.h"
#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/morph_targets.h"
#include "sinew/io/gltf/write_corrections.h"
#include "sinew/io/gltf/write_prepared.h"
#include "sinew/io/gltf/write_rig.h"

namespace sinew::io {
namespace gltf {
namespace {

constexpr int kAttributeTarget = 34962;

// How far a matrix can stretch a vector.
double largest_stretch(const Mat3& m) {
  return std::sqrt(Eigen::SelfAdjointEigenSolver<Mat3>(m.transpose() * m, Eigen::EigenvaluesOnly).eigenvalues()[2]);
}

void put_transform(Json& node, const Mat4& matrix) {
  for (const char* key : {"matrix", "translation", "rotation", "scale"}) node.erase(key);
  const Decomposed parts = decompose(matrix);
  if (!parts.shear.isApprox(Mat3::Identity(), 1e-9)) {
    node["matrix"] = std::vector<double>(matrix.data(), matrix.data() + 16);
    return;
  }
  const Transform& t = parts.transform;
  if (t.translation != Vec3::Zero()) node["translation"] = {t.translation.x(), t.translation.y(), t.translation.z()};
  if (t.rotation.coeffs() != Quat::Identity().coeffs())
    node["rotation"] = {t.rotation.x(), t.rotation.y(), t.rotation.z(), t.rotation.w()};
  if (t.scale != Vec3::Ones()) node["scale"] = {t.scale.x(), t.scale.y(), t.scale.z()};
}

/// One part on its way from skin to key shapes.
class PartMorpher {
 public:
  PartMorpher(DocumentEditor& editor, const Mesh& mesh, const PartSource& source, const MorphPart& morphs,
              double quantum)
      : editor_(editor), mesh_(mesh), part_(mesh.parts[morphs.part]), source_(source), morphs_(morphs) {
    // A node cannot shear. What is left of it goes into the coordinates.
    const Decomposed parts = decompose(part_.to_model);
    place_ = part_.to_model;
    sheared_ = !parts.shear.isApprox(Mat3::Identity(), 1e-7);
    if (sheared_) place_ = parts.transform.matrix();
    to_file_ = place_.inverse();
    choose_numbers(quantum);
    from_model_ = to_file_;
    from_model_.topRows<3>() /= unit_;
  }

  // Changes mesh and node. Returns the node that now shows the part.
  Index write(WrittenMorphs& written) {
    own_mesh();
    for (const VertexBlock& block : source_.blocks) write_block(block, written);
    name_targets();
    written.part = morphs_.part;
    written.targets = static_cast<Index>(morphs_.shapes.size());
    written.numbers = component_ == Component::kI8 ? "int8" : component_ == Component::kI16 ? "int16" : "float";
    return place_node();
  }

  // One animation channel: at each key one shape has weight 1.
  void animate(Json& animation, Index node) {
    if (morphs_.key_times_s.size() < 2) return;
    const std::size_t own = part_.morphs.size(), width = own + morphs_.shapes.size();
    NewElements weights;
    weights.component = Component::kU8;
    weights.normalized = true;
    weights.count = width * morphs_.key_times_s.size();
    weights.bytes.assign(weights.count, std::byte{0});
    for (std::size_t k = 0; k < morphs_.key_shapes.size(); ++k)
      weights.bytes[k * width + own + morphs_.key_shapes[k]] = std::byte{255};
    const Index input = editor_.add_accessor(float_elements(morphs_.key_times_s, "SCALAR", 0, true));
    const Index output = editor_.add_accessor(weights);
    animation["channels"].push_back(
        {{"sampler", animation["samplers"].size()}, {"target", {{"node", node}, {"path", "weights"}}}});
    animation["samplers"].push_back({{"input", input}, {"interpolation", "LINEAR"}, {"output", output}});
  }

 private:
  // Whole numbers of ±1 in units of a power of two, by which the node is scaled: dividing by it loses nothing.
  void choose_numbers(double quantum) {
    double largest = 0;
    for (const KeyShape& shape : morphs_.shapes)
      for (Index i = 0; i < part_.vertex_count; ++i)
        largest = std::max(largest, (to_file_.topLeftCorner<3, 3>() *
                                     (shape.positions[i].cast<double>() - mesh_.positions[part_.first_vertex + i]))
                                        .cwiseAbs()
                                        .maxCoeff());
    if (!(largest > 0) || !std::isfinite(largest)) return;
    const double unit = std::exp2(std::ceil(std::log2(largest * (1 + 1e-6))));
    const double stretch = largest_stretch(place_.topLeftCorner<3, 3>());
    const auto error = [&](double steps) { return 0.5 * std::sqrt(3.0) * unit / steps * stretch; };
    if (error(127) <= quantum) component_ = Component::kI8;
    else if (error(32767) <= quantum) component_ = Component::kI16;
    if (component_ != Component::kF32) unit_ = unit;
  }

  Json& mesh_json() { return editor_.json["meshes"][mesh_number_]; }

  // A mesh that other nodes show as well is copied first.
  void own_mesh() {
    mesh_number_ = editor_.json["nodes"][source_.node]["mesh"].get<Index>();
    std::size_t users = 0;
    for (const Json& node : editor_.json["nodes"])
      if (node.value("mesh", kNone) == mesh_number_) ++users;
    if (users < 2) return;
    Json& meshes = editor_.list("meshes");
    Json copy = meshes[mesh_number_];
    mesh_number_ = static_cast<Index>(meshes.size());
    meshes.push_back(std::move(copy));
  }

  void write_block(const VertexBlock& block, WrittenMorphs& written) {
    std::vector<Vec3f> base(block.count), normals;
    for (Index e = 0; e < block.count; ++e)
      base[e] = transform_point(from_model_, mesh_.positions[mesh_vertex(part_, block, e)]).cast<float>();
    const bool with_normals = editor_.attribute(mesh_number_, block.first_primitive, "NORMAL") != kNone &&
                              mesh_.normals.corners.empty() && !mesh_.normals.empty();
    if (with_normals) {
      for (Index e = 0; e < block.count; ++e)
        normals.push_back(normal_in_file(mesh_.normals.values[mesh_vertex(part_, block, e)]));
    }
    if (moved_base()) write_base(block, "POSITION", base);
    if (sheared_ && with_normals) write_base(block, "NORMAL", normals);
    Json targets = own_targets(block, with_normals);
    for (const KeyShape& shape : morphs_.shapes) targets.push_back(key_target(block, shape, base, normals, written));
    for (const Index p : block.primitives) {
      for (const std::string& name : unused_attributes(p)) editor_.remove_attribute(mesh_number_, p, name);
      mesh_json()["primitives"][p]["targets"] = targets;
    }
  }

  // Whether the file's own positions no longer fit the node.
  bool moved_base() const { return unit_ != 1 || sheared_; }

  void write_base(const VertexBlock& block, const char* name, const std::vector<Vec3f>& base) {
    std::vector<float> values;
    values.reserve(3 * base.size());
    for (const Vec3f& p : base) values.insert(values.end(), p.data(), p.data() + 3);
    editor_.set_attribute(mesh_number_, block.primitives, name, float_elements(values, "VEC3", kAttributeTarget, true));
  }

  Vec3f normal_in_file(const Vec3f& n) const {
    const Vec3 turned = place_.topLeftCorner<3, 3>().transpose() * n.cast<double>();
    const double length = turned.norm();
    return length > 0 && std::isfinite(length) ? Vec3f((turned / length).cast<float>()) : Vec3f(Vec3f::Zero());
  }

  // What skinning needed, and tangents: they would stay as they were bound, and viewers make better ones.
  std::vector<std::string> unused_attributes(Index primitive) {
    std::vector<std::string> names;
    for (const auto& entry : mesh_json()["primitives"][primitive]["attributes"].items())
      if (entry.key() == "TANGENT" || entry.key().starts_with("JOINTS_") || entry.key().starts_with("WEIGHTS_"))
        names.push_back(entry.key());
    return names;
  }

  // The file's own targets in the new unit, all with the same attributes: some viewers need that.
  Json own_targets(const VertexBlock& block, bool with_normals) {
    Json targets = array_at(mesh_json()["primitives"][block.first_primitive], "targets", "primitive");
    std::vector<Vec3f> values(block.count);
    for (std::size_t t = 0; t < part_.morphs.size(); ++t) {
      if (t >= targets.size()) targets.push_back(Json::object());
      targets[t].erase("TANGENT");
      if (moved_base() || !targets[t].contains("POSITION")) {
        for (Index e = 0; e < block.count; ++e) {
          const Vec3f& d = part_.morphs[t].deltas[mesh_vertex(part_, block, e) - part_.first_vertex];
          values[e] = (from_model_.topLeftCorner<3, 3>() * d.cast<double>()).cast<float>();
        }
        targets[t]["POSITION"] = add_displacements(editor_, values, Component::kF32, true);
      }
      if (with_normals && !targets[t].contains("NORMAL")) {
        std::fill(values.begin(), values.end(), Vec3f(Vec3f::Zero()));
        targets[t]["NORMAL"] = add_displacements(editor_, values, Component::kF32, false);
      }
    }
    return targets;
  }

  Json key_target(const VertexBlock& block, const KeyShape& shape, const std::vector<Vec3f>& base,
                  const std::vector<Vec3f>& normals, WrittenMorphs& written) {
    std::vector<Vec3f> values(block.count);
    for (Index e = 0; e < block.count; ++e) {
      const Vec3 p = shape.positions[mesh_vertex(part_, block, e) - part_.first_vertex].cast<double>();
      values[e] = (transform_point(from_model_, p) - base[e].cast<double>()).cast<float>();
    }
    bool sparse = false;
    Json target = {{"POSITION", add_displacements(editor_, values, component_, true, &sparse)}};
    if (sparse && &block == &source_.blocks.front()) ++written.sparse_targets;
    if (!normals.empty()) {
      std::vector<Vec3f> turned(block.count, Vec3f::Zero());
      for (Index e = 0; e < block.count && !shape.normals.empty(); ++e)
        turned[e] = normal_in_file(shape.normals[mesh_vertex(part_, block, e) - part_.first_vertex]);
      const Component component = normal_displacements(normals, turned, values);
      target["NORMAL"] = add_displacements(editor_, values, component, false);
      quantized_ = quantized_ || component != Component::kF32;
    }
    quantized_ = quantized_ || component_ != Component::kF32;
    return target;
  }

  void name_targets() {
    Json weights = Json::array(), names = Json::array();
    for (const Morph& morph : part_.morphs) weights.push_back(0.0), names.push_back(morph.name);
    for (const KeyShape& shape : morphs_.shapes) {
      weights.push_back(weights.size() == part_.morphs.size() ? 1.0 : 0.0);
      names.push_back(shape.name);
    }
    Json& json = mesh_json();
    json["weights"] = std::move(weights);
    if (!json["extras"].is_object()) json["extras"] = Json::object();
    json["extras"]["targetNames"] = std::move(names);
    if (!quantized_) return;
    editor_.use_extension("KHR_mesh_quantization");
    Json& required = editor_.list("extensionsRequired");
    if (std::find(required.begin(), required.end(), Json("KHR_mesh_quantization")) == required.end())
      required.push_back("KHR_mesh_quantization");
  }

  bool is_moved(Index node) const {
    const auto animations = editor_.json.find("animations");
    if (animations == editor_.json.end()) return false;
    for (const Json& animation : *animations)
      for (const Json& channel : array_at(animation, "channels", "animation"))
        if (channel.contains("target") && channel["target"].value("node", kNone) == node &&
            channel["target"].value("path", "") != "weights")
          return true;
    return false;
  }

  // The place of a skinned mesh is given by its joints alone; now it is the node's. A node that others hang on, or that
  // clips move, keeps its place and hands its mesh to a new one.
  Index place_node() {
    Json& nodes = editor_.list("nodes");
    Index number = source_.node;
    if (nodes[number].contains("children") || is_moved(number)) {
      Json fresh = {{"name", nodes[number].value("name", part_.name)}};
      for (const char* key : {"mesh", "skin", "weights"}) nodes[number].erase(key);
      number = static_cast<Index>(nodes.size());
      nodes.push_back(std::move(fresh));
    } else {
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (!nodes[n].contains("children")) continue;
        Json& children = nodes[n]["children"];
        const auto found = std::find(children.begin(), children.end(), Json(number));
        if (found == children.end()) continue;
        children.erase(found);
        if (children.empty()) nodes[n].erase("children");
      }
    }
    Json& node = nodes[number];
    node["mesh"] = mesh_number_;
    node.erase("skin");
    node.erase("weights");
    Mat4 place = place_;
    place.topLeftCorner<3, 3>() *= unit_;
    put_transform(node, place);
    add_root(number);
    return number;
  }

  void add_root(Index node) {
    Json& scenes = editor_.list("scenes");
    if (scenes.empty()) {
      editor_.json.erase("scenes");  // Then every node without a parent is a root.
      editor_.json.erase("scene");
      return;
    }
    Json& roots = scenes[editor_.json.value("scene", std::size_t{0})]["nodes"];
    if (!roots.is_array()) roots = Json::array();
    if (std::find(roots.begin(), roots.end(), Json(node)) == roots.end()) roots.push_back(node);
  }

  DocumentEditor& editor_;
  const Mesh& mesh_;
  const MeshPart& part_;
  const PartSource& source_;
  const MorphPart& morphs_;
  Mat4 place_ = Mat4::Identity();       // The node's, but for the unit.
  Mat4 to_file_ = Mat4::Identity();     // Model space to the file's coordinates,
  Mat4 from_model_ = Mat4::Identity();  // and the same in the new unit.
  bool sheared_ = false;
  Component component_ = Component::kF32;
  double unit_ = 1;
  bool quantized_ = false;
  Index mesh_number_ = kNone;
};

void set_pose(DocumentEditor& editor, const Asset& asset, const std::vector<PartSource>& parts,
              const std::vector<Index>& node_of_joint, const Motion& motion) {
  const Rig& rig = asset.character.rig;
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const Joint& joint = rig.skeleton.joints[j];
    if (motion.pose->local[j] == joint.rest) continue;
    Mat4 matrix = motion.pose->local[j].matrix();
    matrix.topLeftCorner<3, 3>() *= joint.shear;
    put_transform(editor.json["nodes"][node_of_joint[j]], matrix);
  }
  for (Index p = 0; p < parts.size() && p < motion.pose->morph_weights.size(); ++p)
    if (!motion.pose->morph_weights[p].empty() && motion.pose->morph_weights[p] != rig.mesh.parts[p].morph_weights)
      editor.json["nodes"][parts[p].node]["weights"] = motion.pose->morph_weights[p];
}

// A node that a clip moves must have translation, rotation and scale, not a matrix.
void split_matrices(DocumentEditor& editor, const Asset& asset, const Clip& clip,
                    const std::vector<Index>& node_of_joint, Report& report) {
  for (const Track& track : clip.tracks) {
    if (track.path == Track::Path::kMorphWeights) continue;
    Json& node = editor.json["nodes"][node_of_joint[track.target]];
    if (!node.contains("matrix")) continue;
    const Joint& joint = asset.character.rig.skeleton.joints[track.target];
    if (joint.shear != Mat3::Identity())
      report.warn("deform.shear", joint.name,
                  "Its rest transform has shear, which a file cannot store for a joint that moves.");
    put_transform(node, joint.rest.matrix());
  }
}

// All nodes that place the vertices of parts with key shapes: joints of their skins, and what is above them.
std::set<Index> driving_nodes(const Asset& asset, const std::vector<Index>& node_of_joint, const Motion& motion) {
  const Rig& rig = asset.character.rig;
  std::set<Index> nodes;
  const auto climb = [&](Index joint) {
    for (; joint != kNone; joint = rig.skeleton.joints[joint].parent) nodes.insert(node_of_joint[joint]);
  };
  for (const MorphPart& morphs : motion.parts) {
    const MeshPart& part = rig.mesh.parts[morphs.part];
    climb(part.joint);
    if (part.skin != kNone)
      for (const Index joint : rig.skins[part.skin].joints) climb(joint);
  }
  return nodes;
}

// Takes out clips that would move what can no longer move. Returns where the played one is now.
Index drop_clips(DocumentEditor& editor, Index played, const std::set<Index>& driving, const std::set<Index>& shown,
                 std::vector<std::string>& dropped) {
  if (!editor.json.contains("animations")) return kNone;
  Json kept = Json::array();
  Index place = kNone;
  Json& animations = editor.json["animations"];
  for (Index a = 0; a < animations.size(); ++a) {
    bool drives = false;
    Json channels = Json::array();
    for (const Json& channel : array_at(animations[a], "channels", "animation")) {
      const Json target = channel.value("target", Json::object());
      const Index node = target.value("node", kNone);
      const bool weights = target.value("path", "") == "weights";
      drives = drives || (weights ? shown.contains(node) : driving.contains(node));
      if (!weights || !shown.contains(node)) channels.push_back(channel);
    }
    if (a == played) {
      place = static_cast<Index>(kept.size());
      animations[a]["channels"] = std::move(channels);
    } else if (drives) {
      dropped.push_back(animations[a].value("name", fmt::format("clip_{}", a)));
      continue;
    }
    kept.push_back(std::move(animations[a]));
  }
  animations = std::move(kept);
  return place;
}

// A clip of which nothing is left, and an empty list, are not valid. Returns where the played one is now.
Index keep_whole_clips(DocumentEditor& editor, Index played) {
  if (!editor.json.contains("animations")) return kNone;
  Json kept = Json::array();
  Index place = kNone;
  for (Index a = 0; a < editor.json["animations"].size(); ++a) {
    Json& animation = editor.json["animations"][a];
    if (array_at(animation, "channels", "animation").empty()) continue;
    if (a == played) place = static_cast<Index>(kept.size());
    kept.push_back(std::move(animation));
  }
  if (kept.empty()) editor.json.erase("animations");
  else editor.json["animations"] = std::move(kept);
  return place;
}

// Per vertex of `fresh` the one of `mesh` that it was made from. Parts are known by their nodes, whose order stays.
std::vector<Index> vertices_before(const Mesh& mesh, const GltfDocument& built, const Asset& fresh) {
  const auto read = std::dynamic_pointer_cast<const GltfDocument>(fresh.document);
  std::vector<Index> vertices;
  for (const PartSource& part : read->parts)
    for (Index p = 0; p < built.parts.size(); ++p) {
      if (built.parts[p].node != part.node) continue;
      for (const VertexBlock& block : built.parts[p].blocks)
        for (const Index v : block.mesh_vertex) vertices.push_back(mesh.parts[p].first_vertex + v);
    }
  return vertices;
}

Bytes to_glb(const GltfDocument& document, DocumentEditor& editor) {
  Bytes bytes = compact(editor.json, editor.join_buffers(""));
  return make_glb(editor.json, !bytes.empty(), bytes, document.container.others);
}

}  // namespace
}  // namespace gltf

using namespace gltf;

Asset as_gltf(Asset asset, Report& report, std::vector<Index>* vertices) {
  if (vertices != nullptr) vertices->clear();
  if (std::dynamic_pointer_cast<const GltfDocument>(asset.document)) return asset;
  const std::shared_ptr<GltfDocument> document = build_document(asset, report);
  DocumentEditor editor(*document);
  write_all(editor, asset, *document, {}, report);
  Asset fresh = load_bytes(std::filesystem::path(asset.path).replace_extension(".glb"), to_glb(*document, editor));
  fresh.path = asset.path;
  fresh.files = asset.files;
  fresh.warnings = asset.warnings;
  if (vertices != nullptr) *vertices = vertices_before(asset.character.rig.mesh, *document, fresh);
  return fresh;
}

WithMotion with_motion(const Asset& asset, const Motion& motion, Report& report) {
  const auto document = std::dynamic_pointer_cast<const GltfDocument>(asset.document);
  if (!document) throw Error("The character has no glTF document to which motion can be added.");
  const Rig& rig = asset.character.rig;
  DocumentEditor editor(*document);
  remove_prepared(editor.json);  // What is delivered is already deformed.
  const Index placement = write_placement(editor, asset);
  std::vector<Index> node_of_joint;
  for (const Joint& joint : rig.skeleton.joints)
    node_of_joint.push_back(joint.source == kNone ? placement : joint.source);

  WithMotion result;
  std::set<Index> shown;
  for (const PartSource& part : document->parts) result.node_of_part.push_back(part.node);
  for (const MorphPart& part : motion.parts) shown.insert(document->parts[part.part].node);
  Index played = motion.own_clip;
  if (!motion.parts.empty())
    played = drop_clips(editor, played, driving_nodes(asset, node_of_joint, motion), shown, result.dropped_clips);
  if (motion.clip) {
    Asset carrier;
    carrier.character.clips = {*motion.clip};
    std::erase_if(carrier.character.clips[0].tracks, [&](const Track& track) {
      const auto corrected = [&](const CorrectionPart& part) { return part.part == track.target; };
      return track.path == Track::Path::kMorphWeights
                 ? shown.contains(document->parts[track.target].node) ||
                       std::any_of(motion.corrections.begin(), motion.corrections.end(), corrected)
                 : node_of_joint[track.target] == kNone;
    });
    split_matrices(editor, asset, carrier.character.clips[0], node_of_joint, report);
    write_clips(editor, carrier, document->parts, node_of_joint);
    if (!carrier.character.clips[0].tracks.empty()) played = static_cast<Index>(editor.list("animations").size() - 1);
  }
  if (motion.pose) set_pose(editor, asset, document->parts, node_of_joint, motion);

  Json animation = {{"name", motion.name}, {"channels", Json::array()}, {"samplers", Json::array()}};
  if (played != kNone) animation = editor.list("animations")[played];
  for (const MorphPart& part : motion.parts) {
    PartMorpher morpher(editor, rig.mesh, document->parts[part.part], part, motion.quantum);
    const Index node = morpher.write(result.morphs.emplace_back());
    morpher.animate(animation, node);
    result.node_of_part[part.part] = node;
  }
  for (const CorrectionPart& part : motion.corrections)
    write_corrections(editor, asset, document->parts[part.part], part, motion.quantum, played, animation,
                      result.morphs.emplace_back());
  if (played != kNone) {
    editor.list("animations")[played] = std::move(animation);
  } else if (!animation["channels"].empty()) {
    played = static_cast<Index>(editor.list("animations").size());
    editor.list("animations").push_back(std::move(animation));
  }
  result.clip = keep_whole_clips(editor, played);
  result.asset = read_gltf(asset.path, to_glb(*document, editor), {});
  result.asset.path = asset.path;
  return result;
}

}  // namespace sinew::io
