// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bind_deformer.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/binding/segment/segmentation.h"
#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/pbd_store.h"
#include "sinew/io/cache.h"
#include "sinew/pipeline/bind_subject.h"

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

/// Names a body by all that `make_pbd_body` reads.
std::string key_of_body(const Rig& rig, const deform::PbdBodyOptions& options) {
  RigHasher hasher;
  hasher.number(std::string_view("pbd_body"));
  hasher.number(deform::kPbdBodyVersion);
  hasher.number(options.tets), hasher.number(options.whole_body);
  hasher.mesh(rig.mesh), hasher.skeleton(rig.skeleton), hasher.weights(rig.weights), hasher.skins(rig.skins);
  return hasher.key();
}

/// The body from the user's cache, else made and kept there.
deform::PbdBody prepared_body(const Rig& rig, const deform::PbdBodyOptions& options, const Progress& progress) {
  const std::optional<io::Cache> cache = io::Cache::of_user();
  if (!cache) return make_pbd_body(rig, options, progress);
  const std::string key = key_of_body(rig, options);
  if (const auto bytes = cache->load(key))
    if (auto body = deform::read_pbd_body(*bytes, rig.mesh.vertex_count(), rig.skeleton.size()))
      return *std::move(body);
  deform::PbdBody body = make_pbd_body(rig, options, progress);
  progress.check();
  cache->store(key, write_pbd_body(body));
  return body;
}

}  // namespace

std::unique_ptr<deform::Deformer> bind_deformer(std::string_view method, const Rig& rig,
                                                const deform::DeformOptions& options, Findings& warnings,
                                                const Progress& progress) {
  // Without a mesh or joints there is nothing to segment, and every method does the same.
  const bool anything = !rig.mesh.positions.empty() && !rig.skeleton.empty();
  Segmentation segmentation;
  // What pbd starts from may need it as well.
  const auto& found = deform::deformers().find(method);
  const bool pbd = found.id == "pbd";
  const bool needed = found.make.needs_segmentation || (pbd && (options.base == "auto" || options.base == "slbs"));
  if (needed && anything) {
    progress.step("segmenting");
    const binding::Subject subject = bind_subject(rig, {}, warnings);
    const Skeleton skeleton = with_leaf_ends(rig, subject.joints, subject.bound);
    segmentation = binding::segment({rig.mesh, skeleton, subject.joints, subject.bound}, {}, progress);
    binding::respect_rigid_shells(segmentation, rig.mesh, rig.weights);
  }
  deform::RigKnowledge knowledge;
  knowledge.segmentation = &segmentation;
  // A rig that cannot have a body is left to the method, which says so.
  deform::PbdBody body;
  if (pbd && anything && !rig.weights.empty()) {
    body = prepared_body(rig, {options.tets, options.area == "body"}, progress);
    knowledge.pbd_body = &body;
  }
  return deform::bind(method, rig, options, progress, knowledge);
}

}  // namespace sinew::pipeline
