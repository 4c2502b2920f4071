// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "sinew/core/error.h"

namespace sinew::measure {
namespace {

/// Copies of a vertex that are farther apart than this, relative to the size, are torn apart; nearer ones are rounding.
constexpr double kSeamTolerance = 1e-5;

Mesh bare_mesh(const Mesh& mesh, const std::vector<Vec3>& positions) {
  Mesh bare;
  bare.positions = positions;
  bare.face_offsets = mesh.face_offsets;
  bare.face_vertices = mesh.face_vertices;
  for (const MeshPart& part : mesh.parts) {
    bare.parts.emplace_back();
    MeshPart& own = bare.parts.back();
    own.name = part.name;
    own.first_vertex = part.first_vertex, own.vertex_count = part.vertex_count;
    own.first_face = part.first_face, own.face_count = part.face_count;
    own.skin = part.skin, own.joint = part.joint;
  }
  return bare;
}

Rig bare_rig(const Rig& rig, Mesh mesh) {
  Rig bare;
  bare.mesh = std::move(mesh);
  bare.skeleton = rig.skeleton;
  bare.skins = rig.skins;
  return bare;
}

}  // namespace

const JointSection* FrameFigures::thinnest() const {
  const JointSection* best = nullptr;
  for (const JointSection& section : sections)
    if (section.compared > 0 && (best == nullptr || section.thinnest < best->thinnest)) best = &section;
  return best;
}

const JointBulge* FrameFigures::largest_bulge() const {
  const JointBulge* best = nullptr;
  for (const JointBulge& joint : bulges)
    if (best == nullptr || joint.bulge > best->bulge) best = &joint;
  return best;
}

Meter::Meter(const Rig& rig, const MeterOptions& options, const Progress& progress)
    : options_(options), bound_(bound_shape(rig)), limbs_(measure::limbs(rig, bound_)) {
  progress.step("preparing to measure");
  // Welded as in the file: morphs that tear a seam open keep its sides apart.
  welding_ = geometry::weld(rig.mesh);
  mesh_ = bare_mesh(rig.mesh, bound_.positions);
  size_ = mesh_.size();
  volume_.emplace(mesh_, welding_);
  rest_volume_ = volume_->total(bound_.positions);
  surface_.emplace(mesh_, welding_);
  const Rig bare = bare_rig(rig, mesh_);
  if (!limbs_.owners.segments.empty()) {
    sections_.emplace(bare, welding_, bound_, limbs_, static_cast<Index>(options_.planes));
    bulges_.emplace(rig.skeleton, bound_, limbs_);
  }
  find_gaps(rig);
}

void Meter::find_gaps(const Rig& rig) {
  const auto& parts = volume_->parts();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::string name = p < rig.mesh.parts.size() ? rig.mesh.parts[p].name : std::string("the mesh");
    if (!parts[p].measured) {
      findings_.push_back({"measure.no_volume", name,
                           fmt::format("The part '{}' is open or flat and encloses almost no space, so its volume "
                                       "is not measured.",
                                       name)});
    } else if (parts[p].capped_edges > 0) {
      findings_.push_back({"measure.capped", name,
                           fmt::format("The part '{}' is open along {} edges; its volume is measured with caps that "
                                       "add {:.2g} % to its surface.",
                                       name, parts[p].capped_edges, 100 * parts[p].cap_share)});
    }
  }
}

FrameFigures Meter::measure(const Shape& posed, const Progress& progress) const {
  assert(posed.positions.size() == mesh_.positions.size() && posed.joints.size() == bound_.joints.size());
  Shape shape = posed;
  for (std::size_t v = 0; v < shape.positions.size(); ++v) {
    if (!shape.positions[v].allFinite())
      throw Error(fmt::format("The position of vertex {} is not finite, so the frame cannot be measured.", v));
    // Copies at seams may differ in the last bits, and would then seem to cut each other.
    const Vec3& first = shape.positions[welding_.first[welding_.welded[v]]];
    if ((shape.positions[v] - first).squaredNorm() <= kSeamTolerance * kSeamTolerance * size_ * size_)
      shape.positions[v] = first;
  }
  FrameFigures figures;
  figures.part_volumes = volume_->volumes(shape.positions);
  for (const double volume : figures.part_volumes) figures.volume += volume;
  figures.loss = rest_volume_ != 0 ? (rest_volume_ - figures.volume) / rest_volume_ : 0;
  figures.stretch = surface_->stretch(shape.positions);
  figures.roughness = surface_->roughness(shape.positions);
  progress.check();
  if (sections_) figures.sections = sections_->measure(shape);
  if (bulges_) figures.bulges = bulges_->measure(shape);
  progress.check();
  if (options_.intersections) {
    Mesh mesh = mesh_;
    mesh.positions = std::move(shape.positions);
    figures.contacts = contacts(mesh, welding_, limbs_.radius, options_.shrink, progress);
  }
  return figures;
}

}  // namespace sinew::measure
