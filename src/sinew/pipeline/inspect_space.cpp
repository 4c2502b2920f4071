// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>
#include <cmath>

#include "sinew/pipeline/inspect_parts.h"

namespace sinew::pipeline {
namespace {

using Confidence = SpaceGuess::Confidence;

constexpr int kCells = 40;  // Per axis. Finer grids see the triangles, coarser ones not the feet.

// Which cells of the box hold a vertex. The grid is symmetric about the box's centre.
std::vector<bool> occupied_cells(const Mesh& mesh, const Box& box) {
  std::vector<bool> cells(kCells * kCells * kCells, false);
  const Vec3 extent = box.extent();
  const double cell = extent.maxCoeff() / kCells;
  const Vec3 corner = box.center() - Vec3::Constant(cell * kCells / 2);
  for (const Vec3& p : mesh.positions) {
    const Vec3 q = (p - corner) / cell;
    std::size_t index = 0;
    for (int k = 0; k < 3; ++k)
      index = index * kCells + static_cast<std::size_t>(std::clamp(static_cast<int>(q[k]), 0, kCells - 1));
    cells[index] = true;
  }
  return cells;
}

std::array<double, 3> symmetries(const Mesh& mesh, const Box& box) {
  const std::vector<bool> cells = occupied_cells(mesh, box);
  std::array<std::size_t, 3> mirrored = {0, 0, 0};
  std::size_t occupied = 0, index = 0;
  const auto at = [](int x, int y, int z) {
    return (static_cast<std::size_t>(x) * kCells + static_cast<std::size_t>(y)) * kCells + static_cast<std::size_t>(z);
  };
  for (int x = 0; x < kCells; ++x)
    for (int y = 0; y < kCells; ++y)
      for (int z = 0; z < kCells; ++z) {
        if (!cells[index++]) continue;
        ++occupied;
        mirrored[0] += cells[at(kCells - 1 - x, y, z)];
        mirrored[1] += cells[at(x, kCells - 1 - y, z)];
        mirrored[2] += cells[at(x, y, kCells - 1 - z)];
      }
  std::array<double, 3> result;
  for (std::size_t k = 0; k < 3; ++k)
    result[k] = static_cast<double>(mirrored[k]) / static_cast<double>(std::max<std::size_t>(occupied, 1));
  return result;
}

void guess_up(const Box& box, SpaceGuess& guess) {
  const int side = guess.side_axis;
  // y before z before x where the shape does not say.
  int a = side == 1 ? 2 : 1;
  int b = 3 - side - a;
  const Vec3 extent = box.extent();
  const auto on_ground = [&](int axis, double end) { return std::abs(end) <= 0.03 * extent[axis]; };
  const auto stands = [&](int axis) { return on_ground(axis, box.lower[axis]) || on_ground(axis, box.upper[axis]); };
  if (extent[b] > extent[a]) std::swap(a, b);  // a is the taller one.
  const double ratio = extent[b] > 0 ? extent[a] / extent[b] : 10.0;
  int up = a;
  if (stands(a) != stands(b)) {
    up = stands(a) ? a : b;
    guess.up_confidence = up == a && ratio > 1.5 ? Confidence::kHigh : Confidence::kMedium;
    if (up == b && ratio > 2) guess.up_confidence = Confidence::kLow;
  } else {
    guess.up_confidence = ratio > 2 ? Confidence::kMedium : Confidence::kLow;
  }
  const bool hangs = on_ground(up, box.upper[up]) && !on_ground(up, box.lower[up]);
  guess.up = std::string(hangs ? "-" : "+") + "xyz"[up];
  guess.height = extent[up];
  // Two axes equally symmetric: left and right may be front and back.
  std::array<double, 3> sorted = guess.symmetry;
  std::sort(sorted.begin(), sorted.end());
  if (sorted[2] - sorted[1] < 0.05 && guess.up_confidence == Confidence::kHigh)
    guess.up_confidence = Confidence::kMedium;
}

void guess_unit(SpaceGuess& guess) {
  struct Candidate {
    const char* unit;
    double metres;
    Confidence when_human;
  };
  constexpr std::array candidates = {Candidate{"m", 1, Confidence::kHigh}, Candidate{"cm", 0.01, Confidence::kHigh},
                                     Candidate{"mm", 0.001, Confidence::kHigh},
                                     Candidate{"dm", 0.1, Confidence::kMedium}};
  for (const Candidate& c : candidates)
    if (const double h = guess.height * c.metres; h >= 1.4 && h <= 2.1) {
      guess.unit = c.unit;
      guess.unit_confidence = c.when_human;
      return;
    }
  for (const Candidate& c : candidates)
    if (const double h = guess.height * c.metres; h >= 0.3 && h <= 5) {
      guess.unit = c.unit;
      guess.unit_confidence = Confidence::kLow;
      return;
    }
}

}  // namespace

SpaceGuess guess_space(const Mesh& mesh) {
  SpaceGuess guess;
  const Box box = mesh.bounds();
  if (box.empty() || !(box.extent().maxCoeff() > 0)) return guess;
  guess.symmetry = symmetries(mesh, box);
  guess.side_axis =
      static_cast<int>(std::max_element(guess.symmetry.begin(), guess.symmetry.end()) - guess.symmetry.begin());
  guess_up(box, guess);
  guess_unit(guess);
  return guess;
}

}  // namespace sinew::pipeline
