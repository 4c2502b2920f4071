// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/iso_surface.h"

namespace sinew::deform {
namespace {

struct Corner {
  Vec3 position;
  double value;
};

Vec3 crossing(const Corner& a, const Corner& b) {
  return a.position + a.value / (a.value - b.value) * (b.position - a.position);
}

/// One triangle where one corner is on its own side, two where the corners are split evenly.
void cut_tet(const std::array<Corner, 4>& tet, std::vector<std::array<Vec3, 3>>& triangles) {
  std::array<std::size_t, 4> inside{}, outside{};
  std::size_t in = 0, out = 0;
  for (std::size_t k = 0; k < 4; ++k) (tet[k].value < 0 ? inside[in++] : outside[out++]) = k;
  const auto at = [&](std::size_t i, std::size_t o) { return crossing(tet[inside[i]], tet[outside[o]]); };
  if (in == 1) triangles.push_back({at(0, 0), at(0, 1), at(0, 2)});
  if (in == 3) triangles.push_back({at(0, 0), at(1, 0), at(2, 0)});
  if (in == 2) {
    triangles.push_back({at(0, 0), at(0, 1), at(1, 1)});
    triangles.push_back({at(0, 0), at(1, 1), at(1, 0)});
  }
}

}  // namespace

std::vector<std::array<Vec3, 3>> iso_triangles(const FieldGrid& grid, int stride) {
  // The corners of a cube by their bits, and its six tetrahedra about the diagonal from 0 to 7.
  constexpr std::array<std::array<std::size_t, 4>, 6> kTets = {
      {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}}};
  std::vector<std::array<Vec3, 3>> triangles;
  const FieldGrid::Layout& layout = grid.layout();
  const auto corner = [&](int i, int j, int k) {
    const auto n = static_cast<std::size_t>((k * layout.nodes[1] + j) * layout.nodes[0] + i);
    return Corner{layout.position(i, j, k), static_cast<double>(grid.nodes()[n][3])};
  };
  for (int k = 0; k + stride < layout.nodes[2]; k += stride)
    for (int j = 0; j + stride < layout.nodes[1]; j += stride)
      for (int i = 0; i + stride < layout.nodes[0]; i += stride) {
        std::array<Corner, 8> cube;
        for (int c = 0; c < 8; ++c)
          cube[static_cast<std::size_t>(c)] =
              corner(i + stride * (c & 1), j + stride * (c >> 1 & 1), k + stride * (c >> 2 & 1));
        for (const auto& t : kTets) cut_tet({cube[t[0]], cube[t[1]], cube[t[2]], cube[t[3]]}, triangles);
      }
  return triangles;
}

}  // namespace sinew::deform
