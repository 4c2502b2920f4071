// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/write_corrections.h"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/morph_targets.h"
#include "sinew/io/gltf/write_rig.h"

namespace sinew::io::gltf {
namespace {

/// One part that gets targets in addition to its skin.
class PartCorrector {
 public:
  PartCorrector(DocumentEditor& editor, const Asset& asset, const PartSource& source, const CorrectionPart& corrections)
      : editor_(editor),
        asset_(asset),
        part_(asset.character.rig.mesh.parts[corrections.part]),
        source_(source),
        corrections_(corrections),
        to_file_(part_.to_model.topLeftCorner<3, 3>().inverse()),
        normal_to_file_(part_.to_model.topLeftCorner<3, 3>().transpose()) {
    const double scale = std::cbrt(std::abs(normal_to_file_.determinant()));
    if (scale > 0) normal_to_file_ /= scale;
  }

  void write(double quantum, WrittenMorphs& written) {
    own_mesh();
    choose_numbers(quantum);
    for (const VertexBlock& block : source_.blocks) write_block(block, written);
    name_targets();
    written.part = corrections_.part;
    written.skinned = true;
    written.targets = static_cast<Index>(corrections_.shapes.size());
    written.numbers = component_ == Component::kI16 ? "int16" : "float";
  }

  /// Replaces what a clip says of the weights, or adds it.
  void animate(Json& animation, std::span<const float> times_s, std::span<const float> weights) {
    const Index input = editor_.add_accessor(float_elements(times_s, "SCALAR", 0, true));
    const Index output = editor_.add_accessor(float_elements(weights, "SCALAR", 0, false));
    Json& channels = animation["channels"];
    for (auto channel = channels.begin(); channel != channels.end(); ++channel) {
      const Json target = channel->value("target", Json::object());
      if (target.value("node", kNone) != source_.node || target.value("path", "") != "weights") continue;
      channels.erase(channel);
      break;
    }
    channels.push_back(
        {{"sampler", animation["samplers"].size()}, {"target", {{"node", source_.node}, {"path", "weights"}}}});
    animation["samplers"].push_back({{"input", input}, {"interpolation", "LINEAR"}, {"output", output}});
  }

  /// Clips of the file other than the played one show the part without corrections.
  void silence_other_clips(Index played) {
    const std::vector<Clip>& clips = asset_.character.clips;
    for (Index c = 0; c < clips.size() && c < editor_.list("animations").size(); ++c) {
      if (c == played) continue;
      Json& animation = editor_.list("animations")[c];
      const auto own = std::find_if(clips[c].tracks.begin(), clips[c].tracks.end(), [&](const Track& track) {
        return track.path == Track::Path::kMorphWeights && track.target == corrections_.part;
      });
      if (own != clips[c].tracks.end()) widen(animation, *own);
      else if (is_pose() && !array_at(animation, "channels", "animation").empty())
        animate(animation, std::array{0.0F}, rest_weights(false));
    }
  }

  bool is_pose() const { return corrections_.key_times_s.size() < 2; }

 private:
  Json& mesh_json() { return editor_.json["meshes"][mesh_number_]; }

  // A mesh that other nodes show as well is copied first.
  void own_mesh() {
    Json& node = editor_.json["nodes"][source_.node];
    mesh_number_ = node["mesh"].get<Index>();
    std::size_t users = 0;
    for (const Json& other : editor_.json["nodes"]) users += other.value("mesh", kNone) == mesh_number_;
    if (users < 2) return;
    Json& meshes = editor_.list("meshes");
    Json copy = meshes[mesh_number_];
    mesh_number_ = static_cast<Index>(meshes.size());
    meshes.push_back(std::move(copy));
    node["mesh"] = mesh_number_;
  }

  // Whole numbers of ±1 in the file's own unit. A skinned part has no node whose scale could carry another unit.
  void choose_numbers(double quantum) {
    double largest = 0;
    for (const CorrectionPart::Shape& shape : corrections_.shapes)
      for (const Vec3f& offset : shape.offsets)
        largest = std::max(largest, (to_file_ * offset.cast<double>()).cwiseAbs().maxCoeff());
    const double stretch = part_.to_model.topLeftCorner<3, 3>().norm();
    const double step = 0.5 * std::sqrt(3.0) / 32767 * stretch * static_cast<double>(corrections_.shapes.size());
    if (largest <= 1 && step <= quantum) component_ = Component::kI16;
  }

  void write_block(const VertexBlock& block, WrittenMorphs& written) {
    Json& first = mesh_json()["primitives"][block.first_primitive];
    const bool normals = first["attributes"].contains("NORMAL");
    Json targets = array_at(first, "targets", "primitive");
    bool tangents = false;
    std::vector<Vec3f> values(block.count, Vec3f::Zero());
    for (std::size_t t = 0; t < part_.morphs.size(); ++t) {
      if (t >= targets.size()) targets.push_back(Json::object());
      tangents = tangents || targets[t].contains("TANGENT");
      // All targets with the same attributes: some viewers need that.
      if (!targets[t].contains("POSITION"))
        targets[t]["POSITION"] = add_displacements(editor_, values, Component::kF32, true);
      if (normals && !targets[t].contains("NORMAL"))
        targets[t]["NORMAL"] = add_displacements(editor_, values, Component::kF32, false);
    }
    for (const CorrectionPart::Shape& shape : corrections_.shapes)
      targets.push_back(target_of(block, shape, normals, tangents, written));
    for (const Index p : block.primitives) mesh_json()["primitives"][p]["targets"] = targets;
  }

  Json target_of(const VertexBlock& block, const CorrectionPart::Shape& shape, bool normals, bool tangents,
                 WrittenMorphs& written) {
    std::vector<Vec3f> values(block.count, Vec3f::Zero());
    const auto at = [&](Index e) { return mesh_vertex(part_, block, e) - part_.first_vertex; };
    for (Index e = 0; e < block.count; ++e) values[e] = (to_file_ * shape.offsets[at(e)].cast<double>()).cast<float>();
    bool sparse = false;
    Json target = {{"POSITION", add_displacements(editor_, values, component_, true, &sparse)}};
    if (sparse && &block == &source_.blocks.front()) ++written.sparse_targets;
    quantized_ = quantized_ || component_ != Component::kF32;
    if (normals) {
      float largest = 0;
      for (Index e = 0; e < block.count; ++e) {
        values[e] = shape.normals.empty()
                        ? Vec3f(Vec3f::Zero())
                        : Vec3f((normal_to_file_ * shape.normals[at(e)].cast<double>()).cast<float>());
        largest = std::max(largest, values[e].cwiseAbs().maxCoeff());
      }
      const Component component = largest <= 1 ? Component::kI8 : Component::kF32;
      target["NORMAL"] = add_displacements(editor_, values, component, false);
      quantized_ = quantized_ || component != Component::kF32;
    }
    if (tangents) {
      std::fill(values.begin(), values.end(), Vec3f(Vec3f::Zero()));
      target["TANGENT"] = add_displacements(editor_, values, Component::kF32, false);
    }
    return target;
  }

  // Of all targets, while no clip plays.
  std::vector<float> rest_weights(bool corrected) const {
    std::vector<float> weights;
    for (std::size_t m = 0; m < part_.morphs.size(); ++m)
      weights.push_back(m < part_.morph_weights.size() ? static_cast<float>(part_.morph_weights[m]) : 0.0F);
    weights.resize(weights.size() + corrections_.shapes.size(), 0.0F);
    if (corrected && !corrections_.weights.empty())
      std::copy(corrections_.weights.begin(), corrections_.weights.end(), weights.begin());
    return weights;
  }

  void name_targets() {
    Json names = Json::array();
    for (const Morph& morph : part_.morphs) names.push_back(morph.name);
    for (const CorrectionPart::Shape& shape : corrections_.shapes) names.push_back(shape.name);
    Json& json = mesh_json();
    json["weights"] = rest_weights(is_pose());
    editor_.json["nodes"][source_.node].erase("weights");
    if (!json["extras"].is_object()) json["extras"] = Json::object();
    json["extras"]["targetNames"] = std::move(names);
    if (!quantized_) return;
    editor_.use_extension("KHR_mesh_quantization");
    Json& required = editor_.list("extensionsRequired");
    if (std::find(required.begin(), required.end(), Json("KHR_mesh_quantization")) == required.end())
      required.push_back("KHR_mesh_quantization");
  }

  void widen(Json& animation, const Track& track) {
    const std::size_t own = track.width(), width = own + corrections_.shapes.size();
    std::vector<float> values;
    for (std::size_t k = 0; own > 0 && k < track.values.size() / own; ++k) {
      values.insert(values.end(), track.values.begin() + static_cast<std::ptrdiff_t>(k * own),
                    track.values.begin() + static_cast<std::ptrdiff_t>((k + 1) * own));
      values.resize((k + 1) * width, 0.0F);
    }
    animate(animation, track.times_s, values);
    if (track.interpolation != Track::Interpolation::kLinear)
      animation["samplers"].back()["interpolation"] =
          track.interpolation == Track::Interpolation::kStep ? "STEP" : "CUBICSPLINE";
  }

  DocumentEditor& editor_;
  const Asset& asset_;
  const MeshPart& part_;
  const PartSource& source_;
  const CorrectionPart& corrections_;
  Mat3 to_file_, normal_to_file_;
  Component component_ = Component::kF32;
  bool quantized_ = false;
  Index mesh_number_ = kNone;
};

}  // namespace

void write_corrections(DocumentEditor& editor, const Asset& asset, const PartSource& source,
                       const CorrectionPart& corrections, double quantum, Index played, Json& animation,
                       WrittenMorphs& written) {
  PartCorrector corrector(editor, asset, source, corrections);
  corrector.write(quantum, written);
  corrector.silence_other_clips(played);
  if (!corrector.is_pose()) corrector.animate(animation, corrections.key_times_s, corrections.weights);
}

}  // namespace sinew::io::gltf
