// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/particles.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sinew/core/angles.h"
#include "sinew/geometry/spatial/random.h"

namespace sinew::deform {
namespace {

constexpr double kCutoff = 3.5;           ///< In α.
constexpr double kLeastFixed = 1e-6;      ///< Energy of a fixed particle, so that its amplitude stays finite.
constexpr double kLongestStep = 0.4;      ///< In spacings.
constexpr double kChance = 0.5;           ///< Of a birth or death that is due.
constexpr double kChild = 0.5;            ///< Spacings from its parent.
constexpr double kSettled = 0.05;         ///< Change of the number over five steps, and births and deaths of the last.
constexpr std::size_t kSettledSteps = 5;  ///< Also steps of movement at the end.
constexpr double kNoise = 1e-3;
constexpr double kLiteralMost = 0.1;
constexpr double kFarthestParticle = 3;  ///< Radii from the middle of the border: a surface that does not close.

double bell_factor() { return 1 / std::sqrt(2 * kPi); }

Vec3 any_direction(geometry::Random& random) {
  for (;;) {
    const Vec3 v(2 * random.uniform() - 1, 2 * random.uniform() - 1, 2 * random.uniform() - 1);
    if (const double n = v.norm(); n > 0.1 && n < 1) return v / n;
  }
}

class Spreading {
 public:
  Spreading(const Hrbf& function, const ParticleHole& hole, const ParticleOptions& options, std::uint64_t seed)
      : function_(function), options_(options), scale_(particle_scale(hole.radius, options.target)), random_(seed) {
    add_walls(hole);
    for (const Vec3& p : hole.border) middle_ += p / static_cast<double>(hole.border.size());
    reach_ = kFarthestParticle * hole.radius;
    for (std::size_t v = 0; v < hole.border.size(); ++v)
      for (const double out : {0.4, 1.2}) {
        Vec3 p = hole.border[v] + scale_.spacing * (out * hole.conormals[v] + kNoise * any_direction(random_));
        if (project(p, hole.radius)) particles_.push_back({p, 1});
      }
    // Borders of fine meshes start with far more particles than will stay.
    thin(0.5 * scale_.spacing);
  }

  ParticleResult run() {
    ParticleResult result;
    std::vector<std::size_t> counts;
    for (int step = 0; step < options_.most_steps && !result.settled; ++step) {
      find_normals();
      for (int i = 0; i < options_.relaxations; ++i) relax();
      const std::size_t events = populate();
      ++result.population_steps;
      counts.push_back(particles_.size());
      if (particles_.empty() || particles_.size() > static_cast<std::size_t>(options_.target)) break;
      if (counts.size() <= kSettledSteps) continue;
      const auto now = static_cast<double>(counts.back()),
                 before = static_cast<double>(counts[counts.size() - 1 - kSettledSteps]);
      result.settled = std::abs(now - before) <= kSettled * now && static_cast<double>(events) <= kSettled * now;
    }
    find_normals();
    for (std::size_t i = 0; i < kSettledSteps; ++i) relax();
    for (const Particle& particle : particles_) {
      Vec3 p = particle.position;
      if (project(p, 4 * scale_.spacing)) result.particles.push_back(p);
    }
    return result;
  }

 private:
  void add_walls(const ParticleHole& hole) {
    for (const Vec3& p : hole.part) walls_.push_back({p, 1});
    std::vector<double> energies;
    for (std::size_t j = 0; j < walls_.size(); ++j)
      energies.push_back(particle_energy(walls_, walls_[j].position, scale_.alpha, j));
    for (std::size_t j = 0; j < walls_.size(); ++j)
      walls_[j].amplitude = std::sqrt(2 * kPi) / std::max(energies[j], kLeastFixed);
  }

  void thin(double distance) {
    std::vector<Particle> kept;
    for (const Particle& p : particles_)
      if (std::all_of(kept.begin(), kept.end(), [&](const Particle& other) {
            return (other.position - p.position).squaredNorm() > distance * distance;
          }))
        kept.push_back(p);
    particles_ = std::move(kept);
  }

  /// Newton steps to the surface; false if it is farther away than allowed.
  bool project(Vec3& p, double most) const {
    const Vec3 from = p;
    for (int i = 0; i < 4; ++i) {
      const Hrbf::Value at = function_.evaluate(p);
      const double squared = at.gradient.squaredNorm();
      if (!(squared > 0)) return false;
      p -= at.value / squared * at.gradient;
      if (std::abs(at.value) < 1e-6 * scale_.spacing) break;
    }
    return p.allFinite() && (p - from).norm() <= most;
  }

  void find_normals() {
    normals_.clear();
    for (const Particle& particle : particles_) {
      const Vec3 gradient = function_.evaluate(particle.position).gradient;
      normals_.push_back(gradient.norm() > 0 ? Vec3(gradient.normalized()) : Vec3(Vec3::Zero()));
    }
  }

  /// Normals of the step before serve again, because particles hardly turn in one step.
  void relax() {
    std::vector<Vec3> next(particles_.size());
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      Vec3 p = particles_[i].position;
      const Vec3 gradient =
          particle_gradient(particles_, p, scale_.alpha, i) + particle_gradient(walls_, p, scale_.alpha, walls_.size());
      Vec3& normal = normals_[i];
      Vec3 move = -scale_.alpha * scale_.alpha * (gradient - normal.dot(gradient) * normal);
      if (const double most = kLongestStep * scale_.spacing; move.norm() > most) move *= most / move.norm();
      p += move;
      const Hrbf::Value at = function_.evaluate(p);
      if (const double squared = at.gradient.squaredNorm(); squared > 0) {
        Vec3 back = -at.value / squared * at.gradient;
        if (back.norm() > scale_.spacing) back *= scale_.spacing / back.norm();
        p += back;
        normal = at.gradient / std::sqrt(squared);
      }
      next[i] = p.allFinite() ? p : particles_[i].position;
    }
    for (std::size_t i = 0; i < next.size(); ++i) particles_[i].position = next[i];
  }

  double energy(const Vec3& p, std::size_t skip) const {
    return particle_energy(particles_, p, scale_.alpha, skip) + particle_energy(walls_, p, scale_.alpha, walls_.size());
  }

  /// Births and deaths in random order, each with the energy that the others left. Returns how many.
  std::size_t populate() {
    std::vector<std::size_t> order(particles_.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(static_cast<Index>(i))]);
    std::vector<char> dead(particles_.size(), 0);
    std::size_t events = 0;
    for (const std::size_t i : order) {
      const bool away = (particles_[i].position - middle_).norm() > reach_;
      const double e = away ? 1 + options_.most_energy : energy(particles_[i].position, i);
      const bool sparse = e<options_.least_energy, dense = e> options_.most_energy;
      if ((!sparse && !dense) || random_.uniform() >= kChance) continue;
      ++events;
      if (dense) {
        dead[i] = 1;
        // Far away from all others, so that it does not count any more.
        particles_[i].amplitude = 0;
        continue;
      }
      const Vec3 normal = function_.evaluate(particles_[i].position).gradient.normalized();
      Vec3 aside = any_direction(random_);
      aside -= normal.dot(aside) * normal;
      if (!(aside.norm() > 1e-6)) continue;
      Vec3 child = particles_[i].position + kChild * scale_.spacing * aside.normalized();
      if (project(child, scale_.spacing)) particles_.push_back({child, 1}), dead.push_back(0);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < particles_.size(); ++i)
      if (dead[i] == 0) particles_[kept++] = particles_[i];
    particles_.resize(kept);
    return events;
  }

  const Hrbf& function_;
  const ParticleOptions& options_;
  ParticleScale scale_;
  geometry::Random random_;
  std::vector<Particle> walls_, particles_;
  std::vector<Vec3> normals_;
  Vec3 middle_ = Vec3::Zero();
  double reach_ = 0;
};

}  // namespace

ParticleScale particle_scale(double radius, int target) {
  return {4 * radius / std::sqrt(static_cast<double>(target)),
          4 * radius / std::sqrt(std::numbers::ln10 * static_cast<double>(target))};
}

double particle_energy(std::span<const Particle> particles, const Vec3& p, double alpha, std::size_t skip) {
  const double inverse = 1 / (alpha * alpha), reach = kCutoff * kCutoff;
  double sum = 0;
  for (std::size_t j = 0; j < particles.size(); ++j) {
    const double q = (p - particles[j].position).squaredNorm() * inverse;
    if (j != skip && q < reach) sum += particles[j].amplitude * std::exp(-q);
  }
  return sum * bell_factor();
}

Vec3 particle_gradient(std::span<const Particle> particles, const Vec3& p, double alpha, std::size_t skip) {
  const double inverse = 1 / (alpha * alpha), reach = kCutoff * kCutoff;
  Vec3 sum = Vec3::Zero();
  for (std::size_t j = 0; j < particles.size(); ++j) {
    const Vec3 away = p - particles[j].position;
    const double q = away.squaredNorm() * inverse;
    if (j != skip && q < reach) sum += particles[j].amplitude * std::exp(-q) * away;
  }
  return -2 * inverse * bell_factor() * sum;
}

ParticleResult spread_particles(const Hrbf& function, const ParticleHole& hole, const ParticleOptions& options,
                                std::uint64_t seed) {
  return Spreading(function, hole, options, seed).run();
}

LiteralParticles literal_particles(const ParticleHole& hole, const ParticleOptions& options) {
  const ParticleScale scale = particle_scale(hole.radius, options.target);
  std::vector<Particle> particles;
  for (const Vec3& p : hole.border) particles.push_back({p, 1}), particles.push_back({p, 1});
  LiteralParticles result{particles.size(), 0};
  for (std::size_t i = 0; i < particles.size(); ++i)
    if (particle_energy(particles, particles[i].position, scale.alpha, i) <= kLiteralMost) ++result.left;
  return result;
}

}  // namespace sinew::deform
