// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/deformer.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/io/cache.h"
#include "sinew/pipeline/segment_rig.h"

namespace sinew::pipeline {
namespace {

/// What a key is made of. Numbers of vectors and matrices count one after the other.
class RigHasher {
 public:
  template <class T>
  void list(const std::vector<T>& values) {
    static_assert(sizeof(T) % sizeof(Index) == 0);
    hasher_.add(std::as_bytes(std::span(values)));
  }
  template <class Matrix>
  void matrix(const Matrix& values) {
    hasher_.add(std::as_bytes(std::span(values.data(), static_cast<std::size_t>(values.size()))));
  }
  template <class T>
  void number(const T& value) {
    hasher_.add(value);
  }

  void mesh(const Mesh& mesh) {
    list(mesh.positions), list(mesh.face_offsets), list(mesh.face_vertices);
    number(mesh.parts.size());
    for (const MeshPart& part : mesh.parts) {
      number(part.first_vertex), number(part.vertex_count), number(part.first_face), number(part.face_count);
      number(part.skin);
    }
  }

  void skeleton(const Skeleton& skeleton) {
    number(skeleton.size());
    for (const Joint& joint : skeleton.joints) {
      number(joint.parent), matrix(joint.rest.matrix()), matrix(joint.shear);
      number(joint.end_local.has_value()), matrix(joint.end_local.value_or(Vec3::Zero()));
    }
  }

  void weights(const SkinWeights& weights) {
    std::vector<Index> lengths;
    std::vector<Influence> influences;
    for (Index v = 0; v < weights.row_count(); ++v) {
      lengths.push_back(static_cast<Index>(weights.row(v).size()));
      influences.insert(influences.end(), weights.row(v).begin(), weights.row(v).end());
    }
    list(lengths), list(influences);
  }

  void skins(const std::vector<Skin>& skins) {
    number(skins.size());
    for (const Skin& skin : skins) list(skin.joints), list(skin.inverse_bind);
  }

  std::string key() { return hasher_.key(); }

 private:
  io::KeyHasher hasher_;
};

/// Names prepared bytes by all that they are made from.
std::string key_of(const deform::DeformerMethod& method, const Rig& rig, const AnyOptions& options) {
  RigHasher hasher;
  hasher.number(std::string_view(method.id));
  hasher.number(method.prepare_version);
  AnyOptions copy = options;
  const OptionList list = copy.list();
  for (const std::string& name : method.prepare_options)
    hasher.number(std::string_view(name)), hasher.number(std::string_view(list.find(name)->get().dump()));
  hasher.mesh(rig.mesh), hasher.skeleton(rig.skeleton), hasher.weights(rig.weights), hasher.skins(rig.skins);
  return hasher.key();
}

/// What the method prepares, from the user's cache, else made and kept there.
std::vector<std::byte> prepared(const deform::DeformerMethod& method, const Rig& rig,
                                const deform::MethodInputs& inputs, const AnyOptions& options,
                                const Progress& progress) {
  if (!method.prepare) return {};
  const std::optional<io::Cache> cache = io::Cache::of_user();
  if (!cache) return method.prepare(rig, inputs, options, progress);
  const std::string key = key_of(method, rig, options);
  if (auto bytes = cache->load(key))
    if (!method.accepts_prepared || method.accepts_prepared(rig, *bytes)) return *std::move(bytes);
  std::vector<std::byte> bytes = method.prepare(rig, inputs, options, progress);
  progress.check();
  if (!bytes.empty()) cache->store(key, bytes);
  return bytes;
}

}  // namespace

bool DeformerOptions::plain() const { return deform::deformers().find(method.id()).in_engines && !delta_mush.enabled; }

DeformerOptions deformer(std::string_view method, AnyOptions options) {
  DeformerOptions chosen;
  chosen.method.choose(method);
  if (!options.is<NoOptions>()) chosen.method.options() = std::move(options);
  return chosen;
}

std::unique_ptr<deform::Deformer> bind_deformer(const Rig& rig, const DeformerOptions& options, Findings& findings,
                                                const Progress& progress) {
  const deform::DeformerMethod& method = deform::deformers().find(options.method.id());
  const AnyOptions& own = options.method.options();
  own.validate();
  // Without a mesh or joints there is nothing to segment, and every method does the same.
  const bool anything = !rig.mesh.positions.empty() && !rig.skeleton.empty();
  Segmentation segmentation;
  deform::MethodInputs inputs;
  if (method.needs && method.needs(own).segmentation) {
    if (anything) {
      progress.step("segmenting");
      segmentation = segment_rig(rig, findings, progress);
    }
    inputs.segmentation = &segmentation;
  }
  const std::vector<std::byte> bytes = prepared(method, rig, inputs, own, progress);
  inputs.prepared = bytes;
  std::unique_ptr<deform::Deformer> bound = deform::bind(method.id, rig, own, progress, inputs);
  if (!options.delta_mush.enabled) return bound;
  return bind_delta_mush(std::move(bound), rig, options.delta_mush, progress);
}

}  // namespace sinew::pipeline
