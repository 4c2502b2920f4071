// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/biharmonic/spectrum.h"

#include <Spectra/SymEigsSolver.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "sinew/geometry/operators/laplacian.h"
#include "sinew/geometry/operators/solver.h"

namespace sinew::transfer {
namespace {

/// For surfaces of area 1. With a shift of 0 the matrix would be singular.
constexpr double kShift = -0.01;
constexpr double kLanczosTolerance = 1e-8;
constexpr int kMostRestarts = 300;
/// A second mode this near to 0 means a second component, at area 1; λ_1 of a sphere is 8π.
constexpr double kZeroMode = 1e-6;

/// y = A^½ (L − σA)⁻¹ A^½ x, whose largest eigenvalues are 1/(λ − σ) of the smallest λ.
class InverseOperator {
 public:
  using Scalar = double;

  InverseOperator(const geometry::SparseMatrix& stiffness, const std::vector<double>& mass)
      : solver_(geometry::scaled_plus_diagonal(stiffness, 1, shifted(mass))), root_(mass.size()), buffer_(mass.size()) {
    std::transform(mass.begin(), mass.end(), root_.begin(), [](double m) { return std::sqrt(m); });
  }
  Eigen::Index rows() const { return static_cast<Eigen::Index>(root_.size()); }
  Eigen::Index cols() const { return rows(); }
  void perform_op(const double* x, double* y) const {
    for (std::size_t i = 0; i < root_.size(); ++i) buffer_[i] = root_[i] * x[i];
    solver_.solve_column(buffer_, {y, root_.size()});
    for (std::size_t i = 0; i < root_.size(); ++i) y[i] *= root_[i];
  }
  const std::vector<double>& root() const { return root_; }

 private:
  static std::vector<double> shifted(const std::vector<double>& mass) {
    std::vector<double> diagonal;
    for (const double m : mass) diagonal.push_back(-kShift * m);
    return diagonal;
  }
  geometry::SparseSolver solver_;
  std::vector<double> root_;
  mutable std::vector<double> buffer_;
};

// Lengths such that the area is 1.
geometry::Laplacian unit_laplacian(const geometry::TriangleSurface& surface, double& area) {
  geometry::Laplacian laplacian = geometry::cotangent_laplacian(surface.positions, surface.triangles);
  area = std::accumulate(laplacian.mass.begin(), laplacian.mass.end(), 0.0);
  if (!(area > 0)) throw Error("The surface has no area.");
  for (double& m : laplacian.mass) m /= area;
  const double least = *std::min_element(laplacian.mass.begin(), laplacian.mass.end());
  if (!(least > 0)) throw Error("A vertex of the surface belongs to no face of positive area.");
  return laplacian;
}

}  // namespace

double Spectrum::area() const { return std::accumulate(mass.begin(), mass.end(), 0.0); }

Spectrum laplacian_spectrum(const geometry::TriangleSurface& surface, int modes, const Progress& progress) {
  progress.step("modes of the surface");
  double area = 0;
  const geometry::Laplacian laplacian = unit_laplacian(surface, area);
  InverseOperator inverse(laplacian.stiffness, laplacian.mass);
  const Eigen::Index count = inverse.rows(), wanted = std::min<Eigen::Index>(modes + 1, count / 3);
  progress.check();
  Spectra::SymEigsSolver<InverseOperator> solver(inverse, wanted, std::min(count, 2 * wanted + 20));
  solver.init();
  const Eigen::Index found = solver.compute(Spectra::SortRule::LargestAlge, kMostRestarts, kLanczosTolerance);
  if (solver.info() != Spectra::CompInfo::Successful || found < wanted)
    throw Error(fmt::format("Only {} of {} modes of the surface were found.", found, wanted));
  progress.check();
  Spectrum result;
  result.vertex_count = static_cast<Index>(count);
  for (const double m : laplacian.mass) result.mass.push_back(m * area);
  const Eigen::VectorXd eigenvalues = solver.eigenvalues();
  const Eigen::MatrixXd eigenvectors = solver.eigenvectors();
  result.modes.resize(count, wanted - 1);
  for (Eigen::Index k = 1; k < wanted; ++k) {
    const double value = 1 / eigenvalues[k] + kShift;
    if (k == 1 && value < kZeroMode) throw Error("The surface consists of several pieces that are not connected.");
    result.values.push_back(value / area);
    Eigen::VectorXd mode(count);
    for (Eigen::Index v = 0; v < count; ++v)
      mode[v] = eigenvectors(v, k) / (inverse.root()[static_cast<std::size_t>(v)] * std::sqrt(area));
    Eigen::Index largest = 0;
    mode.cwiseAbs().maxCoeff(&largest);
    result.modes.col(k - 1) = mode[largest] < 0 ? Eigen::VectorXd(-mode) : mode;
  }
  return result;
}

std::vector<std::byte> spectrum_bytes(const Spectrum& spectrum) {
  const std::size_t modes = spectrum.values.size(), count = spectrum.vertex_count;
  const std::array<std::uint64_t, 2> head = {count, modes};
  std::vector<std::byte> bytes(sizeof(head) + 8 * (modes + count) + 4 * modes * count);
  std::byte* at = bytes.data();
  const auto put = [&](const void* data, std::size_t size) { std::memcpy(at, data, size), at += size; };
  put(head.data(), sizeof(head));
  put(spectrum.values.data(), 8 * modes);
  put(spectrum.mass.data(), 8 * count);
  const Eigen::MatrixXf small = spectrum.modes.cast<float>();
  put(small.data(), 4 * modes * count);
  return bytes;
}

std::optional<Spectrum> spectrum_from_bytes(std::span<const std::byte> bytes, Index vertex_count, int modes) {
  std::array<std::uint64_t, 2> head{};
  if (bytes.size() < sizeof(head)) return std::nullopt;
  std::memcpy(head.data(), bytes.data(), sizeof(head));
  const std::size_t count = vertex_count, kept = head[1];
  if (head[0] != count || kept > static_cast<std::size_t>(modes) ||
      bytes.size() != sizeof(head) + 8 * (kept + count) + 4 * kept * count)
    return std::nullopt;
  Spectrum spectrum;
  spectrum.vertex_count = vertex_count;
  spectrum.values.resize(kept), spectrum.mass.resize(count);
  const std::byte* at = bytes.data() + sizeof(head);
  std::memcpy(spectrum.values.data(), at, 8 * kept), at += 8 * kept;
  std::memcpy(spectrum.mass.data(), at, 8 * count), at += 8 * count;
  Eigen::MatrixXf small(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(kept));
  std::memcpy(small.data(), at, 4 * kept * count);
  spectrum.modes = small.cast<double>();
  return spectrum;
}

}  // namespace sinew::transfer
