// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>

#include "sinew/deform/blend/slbs.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/pbd/pbd_material.h"

namespace sinew::deform {

/// The method that the correction starts from.
enum class PbdBase { kAuto, kLbs, kDqs, kSlbs };
constexpr auto option_words(PbdBase) { return std::array{"auto", "lbs", "dqs", "slbs"}; }

/// Where the correction acts.
enum class PbdArea { kJoints, kBody };
constexpr auto option_words(PbdArea) { return std::array{"joints", "body"}; }

enum class PbdMode { kImproved, kPaper };
constexpr auto option_words(PbdMode) { return std::array{"improved", "paper"}; }

struct PbdOptions {
  PbdBase base = PbdBase::kAuto;
  PbdMaterial material = PbdMaterial::kCorotated;
  PbdArea area = PbdArea::kJoints;
  int tets = 0;
  int sweeps = 10;
  double stretch = 0.9;
  double bone_distance = 0.7;
  double volume = 1;
  double energy = 1;
  int skin_fit = 2;
  double skin_volume = 1;
  int even_out = 2;
  PbdMode mode = PbdMode::kImproved;
  std::map<std::string, double> stiffness;       ///< Factor per joint name; 1 for joints it does not name.
  std::map<std::string, std::string> materials;  ///< Material per joint name; skin for joints it does not name.
  bool dynamics = false;
  double gravity = 9.81;
  double damping = 1;
  std::map<std::string, double> loose;  ///< How loose parts are that begin at joints; those found by name are 1.
  double body_height = 0;
  SlbsOptions slbs;  ///< Of the bases `auto` and `slbs`.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("base", "The deformer to start from. auto uses lbs, and slbs where joints are twisted far."), self.base);
    v(Field("elasticity", "Elasticity of the tetrahedra: corotated, or the four springs of the paper."), self.material);
    v(Field("area", "Where the correction acts: near joints, or in the whole body."), self.area);
    v(Field("tets", "Approximate number of tetrahedra; 0 chooses it from limb thickness.").range(0, 500000), self.tets);
    v(Field("sweeps", "Passes over all constraints. More passes are stiffer and slower.").range(1, 1000), self.sweeps);
    v(Field("stretch", "How strongly the edges of tetrahedra keep their lengths; 0 disables it.").range(0, 1),
      self.stretch);
    v(Field("bone_distance", "How strongly points inside the body keep their distance from the bone; 0 disables it.")
          .range(0, 1),
      self.bone_distance);
    v(Field("volume", "How strongly tetrahedra keep their volumes; 0 disables it.").range(0, 1), self.volume);
    v(Field("energy", "Stiffness of the material, which keeps the shapes of tetrahedra; 0 disables it.").range(0, 1e6),
      self.energy);
    v(Field("skin_fit", "Rounds of fitting a coarse skin to the surface of the tetrahedra; 0 disables it.")
          .range(0, 100),
      self.skin_fit);
    v(Field("skin_volume",
            "Share of the volume still missing near a joint that is restored on the skin at the end; 0 disables it.")
          .range(0, 1),
      self.skin_volume);
    v(Field("even_out", "Rounds of smoothing of the correction along the skin; 0 disables it.").range(0, 100),
      self.even_out);
    v(Field("mode", "Solver: improved, or the constraints, order and smoothing that the paper prints, which is slow."),
      self.mode);
    v(Field("stiffness", "Factors on the stiffness of the material near single joints.")
          .as("JOINT=FACTOR,…")
          .range(1e-6, 1e6),
      self.stiffness);
    v(Field("materials",
            "What the flesh near single joints is made of: skin, fat, muscle, rubber, or bone, which keeps its shape.")
          .as("JOINT=MATERIAL,…"),
      self.materials);
    v(Field("dynamics",
            "Soft tissue is left behind where the body accelerates, swings, and sags. Frames then depend on those "
            "before."),
      self.dynamics);
    v(Field("gravity", "With dynamics: gravity, as far as it acts in another direction than at binding; 0 disables it.")
          .in("m/s²")
          .range(0, 1000),
      self.gravity);
    v(Field("damping", "With dynamics: factor on how soon tissue comes to rest.").range(0, 100), self.damping);
    v(Field("loose",
            "With dynamics: how loose the parts are that begin at single joints, from 0, not at all, to 1. By default, "
            "tails, ears and hair that are found by their names are loose.")
          .as("JOINT=AMOUNT,…")
          .range(0, 1),
      self.loose);
    v(Field("body_height",
            "Height of the body for its inertia; 0 takes that of the file, or 1.75 m where that is above 10 m or below "
            "10 cm.")
          .in("m")
          .range(0, 1000),
      self.body_height);
    SlbsOptions::visit(self.slbs, v);
  }
};

/// Skinning that preserves volume. A base method moves the body first. Then the inside of the body, made of tetrahedra,
/// is relaxed near joints by a few sweeps of position-based constraints, and the corrections are carried to the skin.
/// J. Pan, L. Chen, Y. Yang, H. Qin, "Automatic skinning and weight retargeting of articulated characters using
/// extended position-based dynamics", 2017. `pbd_body.h` has the set-up, `pbd_system.h` the solver.
///
/// A frame has five steps:
/// - (1) The base method moves skin and tetrahedra.
/// - (2) Each sweep projects the lengths of edges, the distances from bones, and for each tetrahedron its energy and
///   then its volume. The second half of the sweeps has no energy.
/// - (3) The corrections, not the positions, are carried to the skin, and a coarse skin is fitted to the surface of the
///   tetrahedra (`skin_fit.h`). Vertices away from joints are those of the base method, bit for bit.
/// - (4) The corrections are smoothed along the skin.
/// - (5) The volume that is still missing near joints is restored on the skin (`skin_volume.h`).
///
/// A frame depends only on its pose, unless `dynamics` is on: then soft tissue swings about where these steps place it
/// (`soft_motion.h`, `soft_skin.h`), and a clip is played from its start.
///
/// Differences from the paper: the paper's energy constraint does not depend on the stiffness, because C and its
/// gradient both grow with it, and it does not notice inverted tetrahedra. Here stiffness enters as compliance (M.
/// Macklin et al., "XPBD", 2016), and the default material is corotated. The `material` springs uses the four springs
/// of the paper with their complete gradient. Energy comes directly before volume, and both come after edges and bones.
/// Parts of the body do not collide.
///
/// The `mode` paper has none of these changes: all constraints are hard and as printed, in the printed order (stretch,
/// volume, distance from the bone, energy), on linear blending unless another base is named, and in the end `even_out`
/// rounds of Eq. 16 smooth the positions of the skin near joints. It has no last step for the skin's volume. The
/// paper's contact is left out here as well. The `energy` enters as printed, and therefore has no effect.
///
/// Skins that enclose no volume are deformed by the base method alone, with a finding. \throws Error like the base
/// method, for a rig without weights, or for options that the mode paper does not have.
std::unique_ptr<Deformer> bind_pbd(const Rig& rig, const MethodInputs& inputs, const PbdOptions& options = {},
                                   const Progress& progress = {});

/// The registry entry. Prepares the body of tetrahedra; needs a segmentation for the bases `auto` and `slbs`.
DeformerMethod pbd_method();

}  // namespace sinew::deform
