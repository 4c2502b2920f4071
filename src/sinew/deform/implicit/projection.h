// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/deform/deformer.h"
#include "sinew/deform/implicit/family_field.h"
#include "sinew/deform/implicit/implicit_skin.h"

namespace sinew::deform {

struct ProjectionOptions {
  int steps = 12;       ///< Newton steps of one projection, at most.
  float step = 0.7F;    ///< Share of a Newton step: blends are steeper than their gradients say.
  bool contact = true;  ///< Skin that would pass through skin meets it instead.
  int relaxations = 1;  ///< Rounds of tangential relaxation.
  int smoothings = 4;   ///< Rounds of smoothing near contacts.
};

/// Moves the vertices of a posed skin back to the field that they had at binding. One object per thread of frames; it
/// keeps its memory from frame to frame.
class Projection {
 public:
  /// `joined` is the parent of each part.
  Projection(const ImplicitSkin& skin, const std::vector<Index>& joined, const ProjectionOptions& options)
      : skin_(skin), joined_(joined), options_(options) {}

  /// Corrects positions in place, which count from the same origin as the fields. `iso` are the fields to return to,
  /// one per vertex. The passes are: projection; tangential relaxation where the start was far off; projection again
  /// and the contact rule; smoothing near contacts, and the contact rule for what was smoothed. Before and after
  /// contacts, corrections that differ too much from those around them are evened out.
  void run(const PosedFields& fields, std::span<const float> iso, std::span<Vec3f> positions);

  std::span<const VertexStatus> status() const { return status_; }
  /// States that a vertex follows the base method.
  void freeze(std::size_t v) { status_[v] = VertexStatus::kFrozen; }
  /// Fitted vertices that something else has moved off their field by more than a hundredth become unfinished.
  void check_fit(const PosedFields& fields, std::span<const float> iso, std::span<const Vec3f> positions);
  /// Whether a vertex had to move at all in the last run, from 0 to 1: it was off its field, or met other skin.
  float need(std::size_t v) const;
  /// Gradients of the field at the vertices; zero at those that are frozen.
  std::span<const Vec3f> normals() const { return normals_; }

 private:
  enum class Pass { kFirst, kRelaxed };

  void project(const PosedFields& fields, std::span<const float> iso, std::span<Vec3f> x, Pass pass);
  void meet(const PosedFields& fields, std::span<Vec3f> x);
  void meet_block(const PosedFields& fields, const ImplicitSkin::Block& block, std::span<Vec3f> x);
  struct Crossing;
  /// Moves one vertex off another part.
  void meet_part(const PosedFields& fields, Index owner, Index part, Index v, Vec3f& x);
  void relax(std::span<Vec3f> x);
  void smooth(const PosedFields& fields, std::span<Vec3f> x);
  void even_out(std::span<Vec3f> x, float most);

  const ImplicitSkin& skin_;
  const std::vector<Index>& joined_;
  ProjectionOptions options_;
  std::vector<VertexStatus> status_;
  std::vector<char> stirred_;  ///< Per vertex: it is not where it started.
  std::vector<Vec3f> normals_, next_, start_;
  std::vector<float> error_, stop_, beta_, next_beta_;
};

}  // namespace sinew::deform
