// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>

#include "sinew/binding/binder.h"
#include "sinew/binding/subject.h"

namespace sinew::binding {

/// How the method voxel measures distances.
enum class VoxelSteps { kMarching, kChamfer };
constexpr auto option_words(VoxelSteps) { return std::array{"marching", "chamfer"}; }

/// Options of the method voxel.
struct VoxelOptions {
  int resolution = 256;
  double falloff = 0.2;
  VoxelSteps steps = VoxelSteps::kMarching;
  bool leak_guard = true;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("resolution", "Voxels along the longest side of the mesh.").range(16, 1024), self.resolution);
    v(Field("falloff", "How fast the weight of a joint falls off with distance, from 0 (soft) to 1 (stiff).")
          .range(0, 1),
      self.falloff);
    v(Field("steps", "How distances are measured: by fast marching, or by chamfer steps as in the paper."), self.steps);
    v(Field("leak_guard", "Prevent steps between surfaces that are close together but not connected."),
      self.leak_guard);
  }
};

/// Weights from distances measured inside the body, so that an arm at the side, fingers side by side and legs together
/// do not bleed into each other. After O. Dionne, M. de Lasa, "Geodesic voxel binding for production character meshes",
/// 2013: the mesh becomes solid voxels (`geometry::solid_voxels`), each joint's bones send out distances through them
/// (`geometry::VoxelDistances`), and each vertex weighs the joints by these.
///
/// This class keeps the distances: other falloffs and caps cost next to nothing. With `steps` chamfer it does as
/// published; marching, the default, differs in what agrees better with what artists paint:
/// - distances by fast marching, the same in all directions to a percent or two, and taken at the vertex itself;
/// - a weight that falls with the ratio to the nearest joint's distance and is gone at twice that (`voxel_weights`), so
///   that blends are as wide as the limb is thick. No search has to go farther than that reaches: exact, and several
///   times quicker;
/// - bones of heads, hands and feet that end where the body does (`joint_bones`).
/// - a way inside the body of more than 1.4 times the straight one counts for more, twice at 1.9: what is near through
/// the air, and
///   reached by a detour, does not move a vertex.
/// Both: no way crosses the surface of its own shell, however narrow the gap (`geometry::VoxelLeaks`, `leak_guard`), a
/// shell that nothing solid leads to takes its distances from the body next to it, and bones may lie outside.
///
/// Time: voxels of the surface, then joints × solid voxels; the number of vertices hardly matters. Memory: 6 bytes per
/// voxel of the grid, about 110 per solid voxel, and welded vertices × joints × 4. The same bytes for any number of
/// threads.
class VoxelBinding {
 public:
  /// All options but `falloff` count here. \throws Error if no joint is bound, the mesh has no faces or
  /// positions that are not finite, or the voxels would need more than 3 GB; Cancelled. `reach` is for who weighs
  /// `distances` in a way of his own: joints are searched for up to so many times the largest distance of a vertex from
  /// its nearest joint, to the end if it is infinite; without it as far as the falloff of `steps` has any weight.
  explicit VoxelBinding(const Subject& subject, const VoxelOptions& options = {}, const Progress& progress = {},
                        std::optional<double> reach = std::nullopt);
  VoxelBinding(VoxelBinding&&) noexcept;
  VoxelBinding& operator=(VoxelBinding&&) noexcept;
  ~VoxelBinding();

  /// The joints that have bones, rising: the columns of the distances.
  std::span<const Index> joints() const;
  /// Distances of a vertex from these joints, in units of the mesh. Infinite where a joint is too far away to matter.
  std::span<const float> distances(Index vertex) const;

  /// Weights of all vertices; not smoothed unless `common` has rounds. About 0.1 µs per vertex and joint without
  /// smoothing.
  SkinWeights weights(double falloff, const BindOptions& common = {}) const;

  /// The same with all that is known about them.
  BindResult result(double falloff, const BindOptions& common = {}) const;

 private:
  struct Data;
  std::unique_ptr<const Data> data_;
};

/// The binder `voxel`.
BindResult bind_by_voxels(const Subject& subject, const VoxelOptions& options = {}, const BindOptions& common = {},
                          const Progress& progress = {});

BinderMethod voxel_method();

}  // namespace sinew::binding
