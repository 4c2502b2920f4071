// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "tests/support/damages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/random.h"

namespace sinew::test {
namespace {

using geometry::Random;

// One way to damage a body, with a strength: 1 is that of the sixteen.
using Damage = void (*)(DamagedBody& body, const Skeleton& skeleton, double strength, Random& random);

Vec3 random_direction(Random& random) {
  for (;;) {
    const Vec3 v(2 * random.uniform() - 1, 2 * random.uniform() - 1, 2 * random.uniform() - 1);
    const double length = v.norm();
    if (length > 0.1 && length <= 1) return v / length;
  }
}

void set_part(Mesh& mesh) {
  MeshPart part;
  part.name = "body";
  part.vertex_count = mesh.vertex_count();
  part.face_count = mesh.face_count();
  mesh.parts = {std::move(part)};
}

Index add_vertex(DamagedBody& body, const Vec3& p, Index source = kNone) {
  body.mesh.positions.push_back(p);
  body.source.push_back(source);
  return body.mesh.vertex_count() - 1;
}

// Keeps the faces for which `keep(f)` holds; vertices stay.
void keep_faces(Mesh& mesh, const std::function<bool(Index)>& keep) {
  Mesh kept;
  for (Index f = 0; f < mesh.face_count(); ++f)
    if (keep(f)) kept.add_face(mesh.face(f));
  mesh.face_offsets = std::move(kept.face_offsets);
  mesh.face_vertices = std::move(kept.face_vertices);
}

void flip(Mesh& mesh, Index f) {
  std::reverse(mesh.face_vertices.begin() + mesh.face_offsets[f],
               mesh.face_vertices.begin() + mesh.face_offsets[f + 1]);
}

void add_noise(DamagedBody& body, const Skeleton&, double strength, Random& random) {
  const double reach = 0.002 * strength * body.mesh.size();
  for (Vec3& p : body.mesh.positions) p += reach * random.uniform() * random_direction(random);
}

void lose_faces(DamagedBody& body, const Skeleton&, double strength, Random& random) {
  const double share = std::min(0.01 * strength, 0.6);
  keep_faces(body.mesh, [&](Index) { return random.uniform() >= share; });
}

void open_feet(DamagedBody& body, const Skeleton&, double strength, Random&) {
  const Box box = body.mesh.bounds();
  const double limit = box.lower.y() + 0.03 * strength * box.extent().y();
  keep_faces(body.mesh, [&](Index f) {
    for (const Index v : body.mesh.face(f))
      if (body.mesh.positions[v].y() >= limit) return true;
    return false;
  });
}

void flip_all(DamagedBody& body, const Skeleton&, double, Random&) {
  for (Index f = 0; f < body.mesh.face_count(); ++f) flip(body.mesh, f);
}

void flip_some(DamagedBody& body, const Skeleton&, double strength, Random& random) {
  for (Index f = 0; f < body.mesh.face_count(); ++f)
    if (random.uniform() < 0.05 * strength) flip(body.mesh, f);
}

void make_soup(DamagedBody& body, const Skeleton&, double, Random&) {
  DamagedBody soup;
  soup.joints = body.joints;
  for (Index f = 0; f < body.mesh.face_count(); ++f) {
    std::vector<Index> corners;
    for (const Index v : body.mesh.face(f)) corners.push_back(add_vertex(soup, body.mesh.positions[v], body.source[v]));
    soup.mesh.add_face(corners);
  }
  body = std::move(soup);
}

void add_shell(DamagedBody& body, double offset) {
  const geometry::Welding welding = geometry::weld(body.mesh);
  const std::vector<Vec3> normals = geometry::vertex_normals(body.mesh, &welding);
  const Index count = body.mesh.vertex_count(), faces = body.mesh.face_count();
  for (Index v = 0; v < count; ++v) add_vertex(body, body.mesh.positions[v] + offset * normals[v]);
  for (Index f = 0; f < faces; ++f) {
    std::vector<Index> corners(body.mesh.face(f).begin(), body.mesh.face(f).end());
    for (Index& v : corners) v += count;
    body.mesh.add_face(corners);
  }
}

void add_inner_shell(DamagedBody& body, const Skeleton&, double strength, Random&) {
  add_shell(body, -0.01 * strength * body.mesh.size());
}

void add_outer_shell(DamagedBody& body, const Skeleton&, double strength, Random&) {
  add_shell(body, 0.01 * strength * body.mesh.size());
}

// A quad that stands on an edge of the surface.
void add_fin(DamagedBody& body, const Skeleton&, double strength, Random& random) {
  if (body.mesh.face_count() == 0) return;
  const Index f = random.below(body.mesh.face_count());
  const Index a = body.mesh.face(f)[0], b = body.mesh.face(f)[1];
  const Vec3 out = geometry::face_normals(body.mesh)[f] * (0.1 * strength * body.mesh.size());
  const Index c = add_vertex(body, body.mesh.positions[b] + out), d = add_vertex(body, body.mesh.positions[a] + out);
  body.mesh.add_face(std::array<Index, 4>{a, b, c, d});
}

void duplicate_faces(DamagedBody& body, const Skeleton&, double strength, Random& random) {
  const Index faces = body.mesh.face_count();
  for (Index f = 0; f < faces; ++f) {
    if (random.uniform() >= 0.1 * strength) continue;
    const std::vector<Index> corners(body.mesh.face(f).begin(), body.mesh.face(f).end());
    body.mesh.add_face(corners);
  }
}

void add_degenerate_faces(DamagedBody& body, const Skeleton&, double strength, Random& random) {
  const Index faces = body.mesh.face_count();
  for (Index f = 0; f < faces; ++f) {
    if (random.uniform() >= 0.05 * strength) continue;
    const Index a = body.mesh.face(f)[0], b = body.mesh.face(f)[1];
    if (random.uniform() < 0.5) {
      body.mesh.add_face(std::array<Index, 3>{a, b, b});
    } else {
      const Index middle = add_vertex(body, 0.5 * (body.mesh.positions[a] + body.mesh.positions[b]));
      body.mesh.add_face(std::array<Index, 3>{a, middle, b});
    }
  }
}

void add_isolated_vertices(DamagedBody& body, const Skeleton&, double strength, Random& random) {
  const Box box = body.mesh.bounds();
  for (int i = 0; i < 50; ++i)
    add_vertex(body, box.center() + strength * random.uniform() * box.diagonal() * random_direction(random));
}

void scale_by(DamagedBody& body, double factor) {
  for (Vec3& p : body.mesh.positions) p *= factor;
  for (Mat4& m : body.joints) m.topRows<3>() *= factor;
}

void make_small(DamagedBody& body, const Skeleton&, double, Random&) { scale_by(body, 1e-3); }
void make_large(DamagedBody& body, const Skeleton&, double, Random&) { scale_by(body, 1e3); }

void shift_bones(DamagedBody& body, const Skeleton& skeleton, double strength, Random& random) {
  const std::vector<Mat4> before = body.joints;
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    const Vec3 place = before[j].topRightCorner<3, 1>();
    double length = 0;
    if (parent != kNone) length = (place - before[parent].topRightCorner<3, 1>()).norm();
    body.joints[j].topRightCorner<3, 1>() += 0.05 * strength * length * random_direction(random);
  }
}

// Each side of a plane becomes a part of its own.
void cut_in_two(DamagedBody& body, const Skeleton&, double, Random& random) {
  const Box box = body.mesh.bounds();
  const double height = box.lower.y() + (0.3 + 0.5 * random.uniform()) * box.extent().y();
  DamagedBody cut;
  cut.joints = body.joints;
  std::vector<MeshPart> parts(2);
  for (int side = 0; side < 2; ++side) {
    MeshPart& part = parts[static_cast<std::size_t>(side)];
    part.name = side == 0 ? "below" : "above";
    part.first_vertex = cut.mesh.vertex_count();
    part.first_face = cut.mesh.face_count();
    std::vector<Index> number(body.mesh.vertex_count(), kNone);
    for (Index f = 0; f < body.mesh.face_count(); ++f) {
      if ((body.mesh.positions[body.mesh.face(f)[0]].y() < height) != (side == 0)) continue;
      std::vector<Index> corners;
      for (const Index v : body.mesh.face(f)) {
        if (number[v] == kNone) number[v] = add_vertex(cut, body.mesh.positions[v], body.source[v]);
        corners.push_back(number[v]);
      }
      cut.mesh.add_face(corners);
    }
    part.vertex_count = cut.mesh.vertex_count() - part.first_vertex;
    part.face_count = cut.mesh.face_count() - part.first_face;
  }
  cut.mesh.parts = std::move(parts);
  body = std::move(cut);
}

// A random box of the mesh goes elsewhere.
void tear_off(DamagedBody& body, const Skeleton&, double strength, Random& random) {
  make_soup(body, {}, 1, random);
  const double size = body.mesh.size(), reach = 0.3 * random.uniform() * size;
  if (body.mesh.positions.empty()) return;
  const Vec3 middle = body.mesh.positions[random.below(body.mesh.vertex_count())];
  const Vec3 away = 0.05 * strength * size * random_direction(random);
  for (Vec3& p : body.mesh.positions)
    if ((p - middle).norm() < reach) p += away;
}

void shatter(DamagedBody& body, const Skeleton&, double strength, Random& random) {
  make_soup(body, {}, 1, random);
  add_noise(body, {}, 2 * strength, random);
}

void flatten(DamagedBody& body, const Skeleton&, double, Random& random) {
  const auto axis = static_cast<Eigen::Index>(random.below(4));
  for (Vec3& p : body.mesh.positions) {
    if (axis < 3) p[axis] = 0;
    else p = body.mesh.positions.front();
  }
}

struct NamedDamage {
  const char* name;
  Damage damage;
};

constexpr std::array<NamedDamage, 16> kSixteen = {{{"noise", add_noise},
                                                   {"missing faces", lose_faces},
                                                   {"open feet", open_feet},
                                                   {"flipped", flip_all},
                                                   {"some flipped", flip_some},
                                                   {"soup", make_soup},
                                                   {"inner shell", add_inner_shell},
                                                   {"outer shell", add_outer_shell},
                                                   {"fin", add_fin},
                                                   {"duplicate faces", duplicate_faces},
                                                   {"degenerate faces", add_degenerate_faces},
                                                   {"isolated vertices", add_isolated_vertices},
                                                   {"small", make_small},
                                                   {"large", make_large},
                                                   {"shifted bones", shift_bones},
                                                   {"cut", cut_in_two}}};

constexpr std::array<Damage, 3> kWorse = {tear_off, shatter, flatten};

}  // namespace

DamagedBody undamaged(const Mesh& mesh, const std::vector<Mat4>& joints) {
  DamagedBody body;
  body.joints = joints;
  body.mesh.positions = mesh.positions;
  body.mesh.face_offsets = mesh.face_offsets;
  body.mesh.face_vertices = mesh.face_vertices;
  for (Index v = 0; v < mesh.vertex_count(); ++v) body.source.push_back(v);
  set_part(body.mesh);
  return body;
}

const std::vector<std::string>& damage_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const NamedDamage& each : kSixteen) all.emplace_back(each.name);
    return all;
  }();
  return names;
}

DamagedBody damaged(const DamagedBody& body, const Skeleton& skeleton, const std::string& name, std::uint64_t seed) {
  DamagedBody result = body;
  Random random(seed);
  for (const NamedDamage& each : kSixteen)
    if (name == each.name) each.damage(result, skeleton, 1, random);
  if (name != "cut") set_part(result.mesh);
  return result;
}

DamagedBody randomly_damaged(const DamagedBody& body, const Skeleton& skeleton, std::uint64_t seed) {
  DamagedBody result = body;
  Random random(seed);
  const Index count = 1 + random.below(4);
  for (Index i = 0; i < count; ++i) {
    const double strength = 8 * random.uniform() * random.uniform();
    const Index which = random.below(static_cast<Index>(kSixteen.size() + kWorse.size()));
    const Damage damage = which < kSixteen.size() ? kSixteen[which].damage : kWorse[which - kSixteen.size()];
    damage(result, skeleton, strength, random);
    set_part(result.mesh);
  }
  return result;
}

}  // namespace sinew::test
