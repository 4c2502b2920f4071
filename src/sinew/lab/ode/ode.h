// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/lab/experiments.h"

namespace sinew::lab {

/// Section 6 of "Automatic Generation of Dynamic Skin Deformation for Animated Characters", Symmetry 2018, 10, 89:
/// shapes between example poses, their time, and their distance from real motion.
Reproduction ode_experiment(const ReproduceOptions& options, const Progress& progress);

/// A moving mesh without its skeleton.
struct ShapeSequence {
  std::string name;
  Character character;  ///< The bare mesh.
  std::vector<std::vector<Vec3>> frames;
  std::vector<std::size_t> keys;  ///< Frames that are given; the others are held out.
};

/// Made characters that a hidden skeleton moves, with muscles that swell.
std::vector<ShapeSequence> made_sequences(const ReproduceOptions& options);
/// Sequences of real characters: those stored as meshes, and clips of rigged ones. Missing files are left out.
std::vector<ShapeSequence> real_sequences(const ReproduceOptions& options, const Progress& progress);

/// Parts of the experiment, each with its tables.
void ode_resonance(Reproduction& result);
void ode_times(const ReproduceOptions& options, const Progress& progress, Reproduction& result);
void ode_held_out(const ReproduceOptions& options, const Progress& progress, Reproduction& result);
void ode_materials(Reproduction& result);
void ode_random_pairs(const ReproduceOptions& options, const Progress& progress, Reproduction& result);

}  // namespace sinew::lab
