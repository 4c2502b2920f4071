// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/surface_distance.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "sinew/core/error.h"
#include "sinew/transfer/biharmonic/distance.h"
#include "sinew/transfer/biharmonic/shell.h"

namespace sinew::pipeline {
namespace {

constexpr std::size_t kExactBelow = 1500;
constexpr int kShownModes = 128;

}  // namespace

std::vector<double> surface_distances(const Mesh& mesh, Index vertex, const Progress& progress) {
  if (vertex >= mesh.vertex_count())
    throw Error(fmt::format("The mesh has {} vertices, so there is no vertex {}.", mesh.vertex_count(), vertex));
  const transfer::MainShell shell = transfer::main_shell(mesh);
  if (shell.of_vertex[vertex] == kNone)
    throw Error(fmt::format(
        "The vertex {} does not belong to the largest connected surface, on which distances are defined.", vertex));
  const std::array<Index, 1> source = {shell.of_vertex[vertex]};
  const Eigen::MatrixXd distances =
      shell.surface.positions.size() < kExactBelow
          ? transfer::exact_distances(shell.surface, source, progress)
          : transfer::spectral_distances(transfer::laplacian_spectrum(shell.surface, kShownModes, progress), source);
  std::vector<double> result;
  for (const Index s : shell.of_vertex)
    result.push_back(s == kNone ? std::numeric_limits<double>::infinity() : distances(s, 0));
  return result;
}

}  // namespace sinew::pipeline
