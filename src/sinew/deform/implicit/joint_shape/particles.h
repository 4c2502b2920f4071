// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/deform/implicit/hrbf.h"

namespace sinew::deform {

/// Particles that repel each other: Eqs. 1 to 3 of O. Hachette et al., "Automatic shape adjustment at joints for the
/// implicit skinning", 2021, after A. Witkin and P. Heckbert, "Using particles to sample and control implicit
/// surfaces", 1994.
struct ParticleScale {
  double spacing = 1;  ///< D: that of as many particles as wanted on a sphere of radius r.
  double alpha = 1;    ///< The bell falls to 0.1 at the spacing; the logarithm of Eq. 3 is the natural one.
};
ParticleScale particle_scale(double radius, int target);

/// A particle with the factor 1/σ of its bell.
struct Particle {
  Vec3 position = Vec3::Zero();
  double amplitude = 1;
};

/// Eq. 2 at a point, over particles nearer than 3.5 α, without number `skip`.
double particle_energy(std::span<const Particle> particles, const Vec3& p, double alpha, std::size_t skip);
/// Eq. 4: its gradient, which points towards neighbours.
Vec3 particle_gradient(std::span<const Particle> particles, const Vec3& p, double alpha, std::size_t skip);

struct ParticleOptions {
  int target = 500;  ///< Particles on a whole sphere; a scale rather than a promise.
  double least_energy = 0.05, most_energy = 0.15;
  int relaxations = 10;  ///< Steps of movement between two changes of the population.
  int most_steps = 60;
};

/// The border of a hole to fill. The surface of the part is given by points, whatever its density.
struct ParticleHole {
  std::vector<Vec3> border, conormals;  ///< Vertices of the border; unit vectors along the surface, away from the part.
  std::vector<Vec3> part;               ///< Points of the part near the border, about half a spacing from each other.
  double radius = 1;
};

struct ParticleResult {
  std::vector<Vec3> particles;
  int population_steps = 0;
  bool settled = false;
};

/// Fills a hole with particles on the zero set of a function. They start beside the border, move apart along the
/// surface, divide where they are sparse and vanish where they are dense, until their number hardly changes.
///
/// The paper's Eq. 5 adds the gradient, which attracts, in a step whose unit is not a length, and does not return to
/// the surface; and all particles that start on the border are dense enough to vanish at once (`literal_particles`).
/// Here they step against the gradient by α², with Newton steps back to the surface. About 100 particles times 200
/// steps times the samples of the function. The same for the same seed.
ParticleResult spread_particles(const Hrbf& function, const ParticleHole& hole, const ParticleOptions& options,
                                std::uint64_t seed);

/// What is left of the particles after the first step of the paper's loop as it is printed: two on every vertex of the
/// border, and those above its largest energy, 0.1, are removed.
struct LiteralParticles {
  std::size_t started = 0, left = 0;
};
LiteralParticles literal_particles(const ParticleHole& hole, const ParticleOptions& options);

}  // namespace sinew::deform
