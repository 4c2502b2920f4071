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

/// Weights from distances measured inside the body, so that an arm at the side, adjacent fingers and legs that are
/// close together do not bleed into each other. After O. Dionne, M. de Lasa, "Geodesic voxel binding for production
/// character meshes", 2013: the mesh becomes solid voxels (`geometry::solid_voxels`), distances from the bones of each
/// joint spread through them (`geometry::VoxelDistances`), and each vertex weighs the joints by these distances.
///
/// This class keeps the distances, so that other falloffs and limits cost next to nothing. With `steps` chamfer it
/// follows the paper. With marching, the default, it differs in ways that agree better with weights painted by artists:
/// - Distances come from fast marching. They are equal in all directions to within a percent or two, and are taken at
///   the vertex itself.
/// - A weight falls with the ratio to the distance of the nearest joint and is zero at twice that distance
///   (`voxel_weights`), so that blends are as wide as the limb is thick. No search has to go farther than that, which
///   is exact and several times faster.
/// - The bones of heads, hands and feet end where the body ends (`joint_bones`).
/// - A path inside the body that is more than 1.4 times as long as the straight line counts for more, twice as much at
///   1.9. A bone that is near through the air, but reached only by a detour, does not move a vertex.
///
/// In both modes no path crosses the surface of its own shell, however narrow the gap (`geometry::VoxelLeaks`,
/// `leak_guard`). A shell that nothing solid connects to a bone takes its distances from the body next to it. Bones may
/// be outside the body.
///
/// Time: voxels of the surface, then joints × solid voxels; the number of vertices hardly matters. Joints × solid
/// voxels are at most 4.8 times the cube of `resolution`, a quarter of that for loose triangles: above it the grid
/// becomes coarser, with the finding `voxel.coarse`, and loose triangles get no leak guard (`voxel.unguarded`). Memory:
/// 6 bytes per voxel of the grid, about 110 per solid voxel, and welded vertices × joints × 4. The same bytes for any
/// number of threads.
class VoxelBinding {
 public:
  /// All options except `falloff` take effect here. \throws Error if no joint is bound, the mesh has no faces or
  /// positions that are not finite, or the voxels would need more than 3 GB; Cancelled. `reach` is for callers that
  /// compute weights from `distances` themselves: joints are searched up to that many times the largest distance of a
  /// vertex from its nearest joint, or without limit if it is infinite. Without `reach`, the search ends where the
  /// falloff of `steps` gives no more weight.
  explicit VoxelBinding(const Subject& subject, const VoxelOptions& options = {}, const Progress& progress = {},
                        std::optional<double> reach = std::nullopt);
  VoxelBinding(VoxelBinding&&) noexcept;
  VoxelBinding& operator=(VoxelBinding&&) noexcept;
  ~VoxelBinding();

  /// The joints that have bones, in increasing order: the columns of the distances.
  std::span<const Index> joints() const;
  /// Distances of a vertex from these joints, in units of the mesh. Infinite where a joint is too far away to matter.
  std::span<const float> distances(Index vertex) const;

  /// Weights of all vertices; not smoothed unless `common` has rounds. About 0.1 µs per vertex and joint without
  /// smoothing.
  SkinWeights weights(double falloff, const BindOptions& common = {}) const;

  /// The same weights, with their origins, confidence and findings.
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
