// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/limited.h"

#include <algorithm>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/deform/blend/skin_layout.h"
#include "sinew/deform/surface_guard.h"

namespace sinew::deform {
namespace {

Vec3f mixed_normal(const Vec3f& base, const Vec3f& corrected, float share) {
  const Vec3f mixed = base + share * (corrected - base);
  return mixed.squaredNorm() > 1e-12F ? Vec3f(mixed.normalized()) : base;
}

class Limited final : public Deformer {
 public:
  Limited(std::unique_ptr<Deformer> corrected, std::unique_ptr<Deformer> base, PoseLimits limits, bool whole_base)
      : corrected_(std::move(corrected)),
        base_(std::move(base)),
        limits_(std::move(limits)),
        vertices_(limits_.vertices()),
        whole_base_(whole_base) {}

  std::unique_ptr<State> make_state() const override {
    auto state = std::make_unique<Both>();
    state->corrected = corrected_->make_state();
    state->base = base_->make_state();
    return state;
  }

  bool needs_history() const override { return corrected_->needs_history(); }

  void deform(State& any, const FrameInput& input, const FrameOutput& output) const override {
    auto& state = static_cast<Both&>(any);
    corrected_->deform(*state.corrected, input, output);
    const std::size_t count = whole_base_ ? output.positions.size() : vertices_.size();
    state.positions.resize(count);
    state.normals.resize(output.normals.empty() ? 0 : count);
    base_->deform(*state.base, input, {state.positions, state.normals, nullptr});
    state.factors.resize(limits_.vertex_count());
    limits_.evaluate(input.pose.joints, state.scratch, state.factors);
    parallel_for(vertices_.size(), [&](std::size_t i) {
      const float f = state.factors[vertices_[i]];
      if (f == 1) return;
      const std::size_t at = whole_base_ ? vertices_[i] : i;
      Vec3f& position = output.positions[vertices_[i]];
      position = state.positions[at] + f * (position - state.positions[at]);
      if (output.normals.empty()) return;
      Vec3f& normal = output.normals[vertices_[i]];
      normal = mixed_normal(state.normals[at], normal, f);
    });
  }

  std::vector<Overlay> overlays(State& any, const FrameInput& input) const override {
    return corrected_->overlays(*static_cast<Both&>(any).corrected, input);
  }

 private:
  struct Both final : State {
    std::unique_ptr<State> corrected, base;
    std::vector<Vec3f> positions, normals;
    std::vector<float> factors;
    PoseLimits::Scratch scratch;
  };

  std::unique_ptr<Deformer> corrected_, base_;
  PoseLimits limits_;
  std::vector<Index> vertices_;
  bool whole_base_;
};

class Guarded final : public Deformer {
 public:
  Guarded(std::unique_ptr<Deformer> corrected, std::unique_ptr<Deformer> base, const Mesh& mesh)
      : corrected_(std::move(corrected)), base_(std::move(base)), guard_(mesh) {}

  std::unique_ptr<State> make_state() const override {
    auto state = std::make_unique<Both>();
    state->corrected = corrected_->make_state();
    state->base = base_->make_state();
    return state;
  }

  bool needs_history() const override { return corrected_->needs_history(); }

  void deform(State& any, const FrameInput& input, const FrameOutput& output) const override {
    auto& state = static_cast<Both&>(any);
    corrected_->deform(*state.corrected, input, output);
    state.positions.resize(output.positions.size());
    state.normals.resize(output.normals.size());
    base_->deform(*state.base, input, {state.positions, state.normals, nullptr});
    const bool stated = output.report != nullptr && !output.report->status.empty();
    state.kept.resize(stated || !output.normals.empty() ? output.positions.size() : 0);
    guard_.apply(state.positions, output.positions, state.scratch, state.kept);
    for (std::size_t v = 0; v < state.kept.size(); ++v) {
      if (stated && state.kept[v] < 0.5F) output.report->status[v] = VertexStatus::kFrozen;
      if (!output.normals.empty() && state.kept[v] < 1)
        output.normals[v] = mixed_normal(state.normals[v], output.normals[v], state.kept[v]);
    }
  }

  std::vector<Overlay> overlays(State& any, const FrameInput& input) const override {
    return corrected_->overlays(*static_cast<Both&>(any).corrected, input);
  }

 private:
  struct Both final : State {
    std::unique_ptr<State> corrected, base;
    std::vector<Vec3f> positions, normals;
    std::vector<float> kept;
    SurfaceGuard::Scratch scratch;
  };

  std::unique_ptr<Deformer> corrected_, base_;
  SurfaceGuard guard_;
};

}  // namespace

Rig rig_of_vertices(const Rig& rig, std::span<const Index> vertices) {
  Rig some;
  some.skeleton = rig.skeleton;
  some.skins = rig.skins;
  const std::vector<Vec3f> normals = vertex_normals_of(rig.mesh);
  for (const Index v : vertices) {
    some.mesh.positions.push_back(rig.mesh.positions[v]);
    some.mesh.normals.values.push_back(normals[v]);
    if (!rig.weights.empty()) some.weights.add_row(rig.weights.row(v));
  }
  for (const MeshPart& part : rig.mesh.parts) {
    const auto begin = std::lower_bound(vertices.begin(), vertices.end(), part.first_vertex);
    const auto end = std::lower_bound(begin, vertices.end(), part.first_vertex + part.vertex_count);
    MeshPart own = part;
    own.first_vertex = static_cast<Index>(begin - vertices.begin());
    own.vertex_count = static_cast<Index>(end - begin);
    own.first_face = own.face_count = 0;
    for (Morph& morph : own.morphs) {
      std::vector<Vec3f> deltas;
      for (auto v = begin; v != end; ++v) deltas.push_back(morph.deltas[*v - part.first_vertex]);
      morph.deltas = std::move(deltas);
    }
    some.mesh.parts.push_back(std::move(own));
  }
  return some;
}

std::unique_ptr<Deformer> bind_limited(std::unique_ptr<Deformer> corrected, std::unique_ptr<Deformer> base,
                                       PoseLimits limits, bool whole_base) {
  return std::make_unique<Limited>(std::move(corrected), std::move(base), std::move(limits), whole_base);
}

std::unique_ptr<Deformer> bind_guarded(std::unique_ptr<Deformer> corrected, std::unique_ptr<Deformer> base,
                                       const Mesh& mesh) {
  return std::make_unique<Guarded>(std::move(corrected), std::move(base), mesh);
}

}  // namespace sinew::deform
