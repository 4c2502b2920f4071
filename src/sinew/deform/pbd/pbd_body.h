// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/progress.h"
#include "sinew/core/rig.h"
#include "sinew/core/volume.h"

namespace sinew::deform {

struct PbdBodyOptions {
  int tets = 0;             ///< Approximate number; 0 chooses it from limb thickness.
  bool whole_body = false;  ///< The whole body may move, not only the areas near joints.
};

/// The inside of a character, made of tetrahedra, and how its skin follows them. J. Pan, L. Chen, Y. Yang, H. Qin,
/// "Automatic skinning and weight retargeting of articulated characters using extended position-based dynamics", 2017,
/// sections on set-up.
struct PbdBody {
  TetMesh tets;                ///< In the pose in which the skin was bound.
  double cell = 0;             ///< Edge of the lattice, m.
  std::vector<double> mass;    ///< Per particle; 1 in the mean.
  SkinWeights weights;         ///< Per particle: on the surface those of the skin there, inside harmonic.
  std::vector<Index> owner;    ///< Per particle: the joint of the largest weight.
  std::vector<char> free;      ///< Per particle: may move; the others follow the joints.
  std::vector<Mat4> bind;      ///< Per joint: its frame to model space, at binding.
  std::vector<Index> against;  ///< Per joint: the one it bends against (`moving_parents`).
  SkinWeights areas;  ///< Per particle: the joints that move it by bending, and how far, in (0, 1]. Empty: all.

  /// The bone a free particle keeps its distance from: the joint that moves it, and the point at binding. kNone: none.
  struct Anchor {
    Index joint = kNone;
    Vec3 point = Vec3::Zero();
    double distance = 0;
  };
  std::vector<Anchor> anchors;  ///< Per particle.

  /// A vertex of the skin that rides on tetrahedra some of whose corners may move. Shells of a few cells, or that one
  /// joint moves alone, ride as one.
  struct Rider {
    Index vertex = 0;
    std::array<Index, 4> corners{};
    std::array<float, 4> shares{};  ///< Sum 1; less where the skin lies outside of all tetrahedra, to 0 a cell away.
  };
  std::vector<Rider> riders;          ///< By vertex.
  std::vector<Rider> resting_riders;  ///< Vertices on tetrahedra none of whose corners may move; by vertex.
  std::vector<float> bone_distance;   ///< Per particle: from the nearest bone that has a say in it, m.

  Index joints_outside = 0;    ///< Joints outside all tetrahedra.
  Index vertices_outside = 0;  ///< Vertices well outside of all tetrahedra, such as those of thin parts.
  double smallest_angle_rad = 0, largest_angle_rad = 0;
};

/// Makes the tetrahedra (`geometry::stuff` over the distance field: open, many-shelled, self-intersecting and flipped
/// skins all give some), keeps the largest piece and those with a joint, cuts limbs apart that only touch or overlap
/// (`limb_cuts.h`), gives particles masses and weights, and finds the joint areas, in which particles may move:
/// particles that follow several joints, those within twice the depth of a joint below the skin (at most 0.45 of its
/// shortest bone, at least three cells), and the corners of all tetrahedra that touch one of these. A joint that bends
/// moves what follows it or the joint it bends against, and nothing beyond. Seconds; the same bytes for any number of
/// threads. A skin that encloses nothing gives a body without tetrahedra. \throws Error for a rig without weights;
/// Cancelled.
PbdBody make_pbd_body(const Rig& rig, const PbdBodyOptions& options = {}, const Progress& progress = {});

/// Weights inside from those on the surface: the harmonic extension, row by row cut off below 0 and scaled to sum 1.
/// `known` tells which particles have a row already. \pre every piece has a known row.
SkinWeights harmonic_weights(const TetMesh& tets, const SkinWeights& rows, const std::vector<char>& known,
                             Index joints);

}  // namespace sinew::deform
