// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Three steps: let heat flow from the sources for a short time, take the direction in which it falls in each triangle,
// and find the function whose gradient is nearest to those directions. Everything happens in triangles known by their
// lengths: each is laid flat where it is needed.

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/geometry/operators/geodesic.h"
#include "sinew/geometry/operators/laplacian.h"
#include "sinew/geometry/operators/solver.h"

namespace sinew::geometry {
namespace {

// Heat falls by about e for every √t: starting high doubles how far it can be told from nothing.
constexpr double kHeatAtSource = 1e300;

// Vertices connected through triangles, numbered in order of their first vertex.
std::vector<Index> vertex_components(const IntrinsicTriangulation& t, Index& count) {
  std::vector<Index> parent(t.vertex_count);
  for (Index v = 0; v < t.vertex_count; ++v) parent[v] = v;
  const auto root = [&](Index v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const auto& v : t.triangles)
    for (std::size_t k = 1; k < 3; ++k) {
      const Index a = root(v[0]), b = root(v[k]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  std::vector<Index> component(t.vertex_count);
  count = 0;
  for (Index v = 0; v < t.vertex_count; ++v) component[v] = root(v) == v ? count++ : component[root(v)];
  return component;
}

// Flow along each edge of a triangle, weighted by the cotangent, of the unit field that points down the heat. False
// where the heat does not say which way.
bool unit_flow(const std::array<double, 3>& lengths, const std::array<double, 3>& heat, std::array<double, 3>& flow) {
  const double top = std::max({std::abs(heat[0]), std::abs(heat[1]), std::abs(heat[2])});
  if (!(top > 0) || !std::isfinite(top)) return false;
  const double area = triangle_area(lengths[0], lengths[1], lengths[2]), l = lengths[0];
  if (!(area > 0) || !(l > 0)) return false;
  const Vec2 tip((l * l + (lengths[2] - lengths[1]) * (lengths[2] + lengths[1])) / (2 * l), 2 * area / l);
  // Divided by the largest first: differences of tiny numbers keep their digits.
  const double u0 = heat[0] / top, u1 = heat[1] / top, u2 = heat[2] / top;
  Vec2 gradient;
  gradient.x() = (u1 - u0) / l;
  gradient.y() = ((u2 - u0) - gradient.x() * tip.x()) / tip.y();
  const double slope = gradient.stableNorm();
  if (!(slope > 0) || !std::isfinite(slope)) return false;
  const Vec2 x = -gradient / slope;
  const std::array<double, 3> cotangent = cotangents(lengths);
  const std::array<Vec2, 3> edge = {Vec2(l, 0), Vec2(tip - Vec2(l, 0)), Vec2(-tip)};
  for (std::size_t k = 0; k < 3; ++k) flow[k] = cotangent[(k + 2) % 3] / 2 * edge[k].dot(x);
  return true;
}

// In units of the mean edge length h: M/h² + m·L.
SparseMatrix heat_matrix(const Laplacian& laplacian, double time, double h) {
  std::vector<double> mass = laplacian.mass;
  for (double& m : mass) m = m > 0 ? m / (h * h) : 1;  // A vertex without triangles: by itself, whatever its mass.
  return scaled_plus_diagonal(laplacian.stiffness, time, mass);
}

std::vector<Index> first_vertices(const std::vector<Index>& component, Index count) {
  std::vector<Index> first(count, kNone);
  for (Index v = 0; v < component.size(); ++v) first[component[v]] = std::min(first[component[v]], v);
  return first;
}

IntrinsicTriangulation delaunay_of(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles) {
  IntrinsicTriangulation t = intrinsic_triangulation(positions, triangles);
  make_delaunay(t);
  return t;
}

}  // namespace

struct HeatGeodesics::Prepared {
  Prepared(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> faces, const HeatOptions& options)
      : triangulation(delaunay_of(positions, faces)),
        component(vertex_components(triangulation, component_count)),
        laplacian(cotangent_laplacian(triangulation)),
        heat(heat_matrix(laplacian, options.time, triangulation.mean_length > 0 ? triangulation.mean_length : 1)),
        poisson(laplacian.stiffness, first_vertices(component, component_count)) {}

  HeatDistances run(std::span<const Index> sources) const {
    const Index n = triangulation.vertex_count;
    HeatDistances result;
    std::vector<double> start(n, 0), temperature(n);
    for (const Index s : sources) {
      assert(s < n);
      start[s] = kHeatAtSource;
    }
    heat.solve_column(start, temperature);
    const Eigen::MatrixXd divergence = flow_out(temperature, sources, result.unreached_triangles);
    const Solution potential =
        poisson.solve(divergence, Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(component_count), 1));
    shift(potential.x, sources, result.distance);
    return result;
  }

  // −div X at each vertex, for the stiffness matrix is −Δ.
  Eigen::MatrixXd flow_out(const std::vector<double>& temperature, std::span<const Index> sources,
                           Index& unreached) const {
    std::vector<char> heated(component_count, 0);
    for (const Index s : sources) heated[component[s]] = 1;
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(triangulation.vertex_count), 1);
    for (std::size_t i = 0; i < triangulation.triangles.size(); ++i) {
      const auto& v = triangulation.triangles[i];
      if (heated[component[v[0]]] == 0) continue;
      std::array<double, 3> flow;
      if (!unit_flow(triangulation.lengths[i], {temperature[v[0]], temperature[v[1]], temperature[v[2]]}, flow)) {
        // Equal heat at all corners is what a source's own triangle may have; none at all is not.
        if (std::max({temperature[v[0]], temperature[v[1]], temperature[v[2]]}) <= 0) ++unreached;
        continue;
      }
      for (std::size_t k = 0; k < 3; ++k) {
        sum(v[k], 0) -= flow[k];
        sum(v[(k + 1) % 3], 0) += flow[k];
      }
    }
    return sum;
  }

  // The potential is known up to a constant in each component: it is 0 at the sources, on average.
  void shift(const Eigen::MatrixXd& potential, std::span<const Index> sources, std::vector<double>& distance) const {
    std::vector<double> level(component_count, 0), count(component_count, 0);
    for (const Index s : sources) {
      level[component[s]] += potential(s, 0);
      count[component[s]] += 1;
    }
    distance.resize(triangulation.vertex_count);
    for (Index v = 0; v < distance.size(); ++v) {
      const Index c = component[v];
      distance[v] =
          count[c] > 0 ? std::max(0.0, potential(v, 0) - level[c] / count[c]) : std::numeric_limits<double>::infinity();
    }
    for (const Index s : sources) distance[s] = 0;
  }

  IntrinsicTriangulation triangulation;
  Index component_count = 0;
  std::vector<Index> component;
  Laplacian laplacian;
  SparseSolver heat;
  FixedValueSolver poisson;
};

HeatGeodesics::HeatGeodesics(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles,
                             const HeatOptions& options)
    : prepared_(std::make_unique<Prepared>(positions, triangles, options)) {}

HeatGeodesics::HeatGeodesics(HeatGeodesics&&) noexcept = default;
HeatGeodesics& HeatGeodesics::operator=(HeatGeodesics&&) noexcept = default;
HeatGeodesics::~HeatGeodesics() = default;

HeatDistances HeatGeodesics::distances(std::span<const Index> sources) const { return prepared_->run(sources); }

std::vector<HeatDistances> HeatGeodesics::distances(std::span<const std::vector<Index>> source_sets) const {
  std::vector<HeatDistances> results(source_sets.size());
  parallel_for(
      source_sets.size(), [&](std::size_t i) { results[i] = prepared_->run(source_sets[i]); }, 1);
  return results;
}

}  // namespace sinew::geometry
