// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/surface/tube.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace sinew::shapes {
namespace {

class TubeBuilder {
 public:
  TubeBuilder(const TubeOptions& options, const std::function<Vec3(int, int)>& point) : o_(options) {
    for (int ring = 0; ring < o_.rings; ++ring)
      for (int i = 0; i < o_.around; ++i) mesh_.positions.push_back(point(ring, i));
  }

  Mesh build() {
    for (int ring = 0; ring + 1 < o_.rings; ++ring)
      for (int i = 0; i < o_.around; ++i)
        side({at(ring, i), at(ring + 1, i), at(ring + 1, i + 1), at(ring, i + 1)}, (ring + i) % 2 == 0);
    cap(0);
    cap(o_.rings - 1);
    return std::move(mesh_);
  }

 private:
  Index at(int ring, int i) const {
    const int wrapped = (i % o_.around + o_.around) % o_.around;
    return static_cast<Index>(ring * o_.around + wrapped);
  }

  Index add_vertex(const Vec3& p) {
    mesh_.positions.push_back(p);
    return mesh_.vertex_count() - 1;
  }

  void side(const std::array<Index, 4>& q, bool even) {
    if (o_.cut == Cut::kQuads) {
      mesh_.add_face(q);
    } else if (o_.cut == Cut::kOneWay || even) {
      mesh_.add_face(std::array<Index, 3>{q[0], q[1], q[2]});
      mesh_.add_face(std::array<Index, 3>{q[0], q[2], q[3]});
    } else {
      mesh_.add_face(std::array<Index, 3>{q[1], q[2], q[3]});
      mesh_.add_face(std::array<Index, 3>{q[1], q[3], q[0]});
    }
  }

  /// A face of the first cap as it is; of the last cap the other way round.
  void cap_face(int ring, std::vector<Index> face) {
    if (ring > 0) std::reverse(face.begin() + 1, face.end());
    mesh_.add_face(face);
  }

  void cap(int ring) {
    if (o_.cap == Cap::kGrid) {
      cap_grid(ring);
      return;
    }
    const Index centre = add_vertex(ring == 0 ? o_.first_centre : o_.last_centre);
    const int step = o_.cap == Cap::kFan ? 1 : 2;
    for (int i = 0; i < o_.around; i += step) {
      if (step == 2 && i + 2 <= o_.around) cap_face(ring, {centre, at(ring, i), at(ring, i + 1), at(ring, i + 2)});
      else cap_face(ring, {centre, at(ring, i), at(ring, i + 1)});
    }
  }

  /// Coons' patch between the four quarters of the ring.
  void cap_grid(int ring) {
    assert(o_.around % 4 == 0);
    const int m = o_.around / 4;
    std::vector<Index> inner;
    const auto rim = [&](int a, int b) {
      if (b == 0) return at(ring, a);
      if (a == m) return at(ring, m + b);
      if (b == m) return at(ring, 3 * m - a);
      return at(ring, 4 * m - b);
    };
    const auto place = [&](int a, int b) -> const Vec3& { return mesh_.positions[rim(a, b)]; };
    std::vector<Vec3> points;
    for (int b = 1; b < m; ++b) {
      for (int a = 1; a < m; ++a) {
        const double u = static_cast<double>(a) / m;
        const double v = static_cast<double>(b) / m;
        points.push_back((1 - v) * place(a, 0) + v * place(a, m) + (1 - u) * place(0, b) + u * place(m, b) -
                         (1 - u) * (1 - v) * place(0, 0) - u * (1 - v) * place(m, 0) - u * v * place(m, m) -
                         (1 - u) * v * place(0, m));
      }
    }
    for (const Vec3& p : points) inner.push_back(add_vertex(p));
    const auto vertex = [&](int a, int b) {
      if (a > 0 && a < m && b > 0 && b < m) return inner[static_cast<std::size_t>((b - 1) * (m - 1) + a - 1)];
      return rim(a, b);
    };
    for (int b = 0; b < m; ++b)
      for (int a = 0; a < m; ++a)
        cap_face(ring, {vertex(a, b), vertex(a + 1, b), vertex(a + 1, b + 1), vertex(a, b + 1)});
  }

  const TubeOptions& o_;
  Mesh mesh_;
};

}  // namespace

Mesh tube(const TubeOptions& options, const std::function<Vec3(int, int)>& point) {
  assert(options.rings >= 2 && options.around >= 3);
  return TubeBuilder(options, point).build();
}

}  // namespace sinew::shapes
