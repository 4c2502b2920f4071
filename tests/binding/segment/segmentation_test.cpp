// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/segment/segmentation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "sinew/binding/segment/segmentation_surface.h"
#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/shapes/kinds.h"

namespace sinew::binding {
namespace {

// A mesh and joints at places.
struct TubeBody {
  Mesh mesh;
  Skeleton skeleton;
  std::vector<Mat4> matrices;

  Index joint(Index parent, const Vec3& place) {
    Joint joint;
    joint.name = "j" + std::to_string(skeleton.size());
    joint.parent = parent;
    skeleton.joints.push_back(joint);
    Mat4 m = Mat4::Identity();
    m.topRightCorner<3, 1>() = place;
    matrices.push_back(m);
    return skeleton.size() - 1;
  }
  // A closed tube about the line from a to b.
  void tube(const Vec3& a, const Vec3& b, double radius, Index rings, Index around) {
    const Vec3 u = (b - a).normalized(), x = u.unitOrthogonal(), y = u.cross(x);
    const Index first = mesh.vertex_count();
    for (Index r = 0; r < rings; ++r)
      for (Index i = 0; i < around; ++i) {
        const double turn = kTwoPi * i / around;
        mesh.positions.push_back(a + (b - a) * r / (rings - 1) + radius * (std::cos(turn) * x + std::sin(turn) * y));
      }
    const auto at = [&](Index r, Index i) { return first + r * around + i % around; };
    for (Index r = 0; r + 1 < rings; ++r)
      for (Index i = 0; i < around; ++i)
        mesh.add_face(std::vector<Index>{at(r, i), at(r, i + 1), at(r + 1, i + 1), at(r + 1, i)});
    std::vector<Index> cap(around);
    std::iota(cap.begin(), cap.end(), at(rings - 1, 0));
    mesh.add_face(cap);
    std::iota(cap.begin(), cap.end(), first);
    std::reverse(cap.begin(), cap.end());
    mesh.add_face(cap);
  }
  Subject subject() const { return {mesh, skeleton, matrices, std::vector<char>(matrices.size(), 1)}; }
};

// A made character with every vertex moved a little, so that no tie decides.
Rig jittered(const char* kind, int seed, const char* pose = "random", int vertices = 2500) {
  shapes::MakeOptions options;
  options.seed = seed;
  options.vary = 1;
  options.made_pose = pose;
  options.vertices = vertices;
  Rig rig = shapes::make(kind, options).made.character.rig;
  std::mt19937 rng(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> any(-1, 1);
  const double reach = 1e-4 * rig.mesh.size();
  for (Vec3& p : rig.mesh.positions) {
    const double x = any(rng), y = any(rng), z = any(rng);
    p += reach * Vec3(x, y, z);
  }
  return rig;
}

std::size_t differing(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

// Whether the vertices of each label on each shell hang together.
template <class Label>
bool all_connected(const SegmentationSurface& surface, Label&& label) {
  geometry::UnionFind joined(surface.count());
  for (Index v = 0; v < surface.count(); ++v)
    for (const Index u : surface.rings[v])
      if (label(u) == label(v)) joined.join(u, v);
  std::set<std::pair<Index, Index>> seen;
  for (Index v = 0; v < surface.count(); ++v)
    if (joined.find(v) == v && !seen.emplace(surface.shell[v], label(v)).second) return false;
  return true;
}

TEST(Segmentation, ABarBelongsToItsLinks) {
  for (const char* kind : {"bar", "cylinder"}) {
    shapes::MakeOptions options;
    options.joint_count = 5;
    const shapes::Made made = shapes::make(kind, options).made;
    const Rig& rig = made.character.rig;
    const Segmentation found = segment(rest_subject(rig.mesh, rig.skeleton));
    ASSERT_EQ(found.segments.size(), 5U);
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
      const float along = made.owners.along[v];
      if (along < 0.01F || along > 0.99F) continue;  // On a joint either side is right.
      EXPECT_EQ(found.owner[v], made.owners.owner[v]) << kind << " vertex " << v;
      EXPECT_NEAR(found.along[v], along, 1e-5);
    }
    EXPECT_EQ(found.statistics.spread, 0U);
    EXPECT_EQ(found.statistics.nearest, 0U);
  }
}

TEST(Segmentation, ManyMoreThanSixtyFourSegmentsWork) {
  TubeBody body;
  for (Index j = 0; j < 150; ++j) body.joint(j == 0 ? kNone : j - 1, Vec3(0, j, 0));
  body.tube(Vec3(0, 0.25, 0), Vec3(0, 149.75, 0), 0.3, 300, 8);
  const Segmentation found = segment(body.subject());
  for (Index v = 0; v < body.mesh.vertex_count(); ++v)
    EXPECT_EQ(found.segments[found.owner[v]].joint, static_cast<Index>(body.mesh.positions[v].y()));
}

TEST(Segmentation, TheOuterWedgeOfAnLSplitsByDirectionAndTiesGoToTheFirst) {
  for (const Index others : {0U, 62U, 63U, 130U}) {  // Far away, so that the bend's bones are in any word of a mask.
    TubeBody body;
    for (Index j = 0; j < others; ++j) body.joint(j == 0 ? kNone : j - 1, Vec3(1000, 10.0 * j, 0));
    body.joint(kNone, Vec3(0, 0, 0));
    body.joint(others, Vec3(1, 0, 0));
    body.joint(others + 1, Vec3(1, 1, 0));
    // Single vertices, beyond both links at the bend.
    body.mesh.positions = {Vec3(1.2, -0.1, 0), Vec3(1.1, -0.2, 0), Vec3(1.15, -0.15, 0.1), Vec3(0.5, 0.1, 0)};
    for (const Segmentation& found : {segment(body.subject()), nearest_bones(body.subject())}) {
      EXPECT_EQ(found.owner[0], others + 1);
      EXPECT_EQ(found.owner[1], others);
      EXPECT_EQ(found.owner[2], others);
      EXPECT_EQ(found.owner[3], others);
    }
  }
}

TEST(Segmentation, SkinBelongsToTheBoneBehindItNotToANearerOneInFrontOfIt) {
  TubeBody body;
  const Index left = body.joint(kNone, Vec3(0, 0, 0));
  body.joint(left, Vec3(0, 2, 0));
  const Index right = body.joint(kNone, Vec3(0.42, 0, 0));
  body.joint(right, Vec3(0.42, 2, 0));
  body.tube(Vec3(0, 0.1, 0), Vec3(0, 1.9, 0), 0.3, 19, 24);
  const Index thick = body.mesh.vertex_count();
  body.tube(Vec3(0.42, 0.1, 0), Vec3(0.42, 1.9, 0), 0.1, 19, 12);
  const Segmentation found = segment(body.subject()), nearest = nearest_bones(body.subject());
  std::size_t fooled = 0;
  for (Index v = 0; v < body.mesh.vertex_count(); ++v) {
    EXPECT_EQ(found.segments[found.owner[v]].joint, v < thick ? left : right);
    fooled += nearest.segments[nearest.owner[v]].joint != (v < thick ? left : right) ? 1 : 0;
  }
  EXPECT_GT(fooled, 50U);
}

TEST(Segmentation, ABoneOwnsNothingThatOnlyRunsBesideIt) {
  // A tube bent to a U: down at x = 0, along the ground, up at x = 1. The second leg has no bone; high up it is nearer
  // to the first one's than to the ground's.
  TubeBody body;
  const Index top = body.joint(kNone, Vec3(0, 2, 0)), knee = body.joint(top, Vec3(0, 0, 0));
  const Index foot = body.joint(knee, Vec3(0, -0.5, 0));
  body.joint(foot, Vec3(1, -0.5, 0));
  body.skeleton.joints[3].end_local = Vec3(0.2, 0, 0);
  std::vector<Vec3> path;
  for (int i = 0; i <= 25; ++i) path.emplace_back(0, 2 - 0.1 * i, 0);
  for (int i = 1; i <= 10; ++i) path.emplace_back(0.1 * i, -0.5, 0);
  for (int i = 1; i <= 25; ++i) path.emplace_back(1, -0.5 + 0.1 * i, 0);
  constexpr Index kAround = 8;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Vec3 along = path[std::min(k + 1, path.size() - 1)] - path[k == 0 ? 0 : k - 1];
    const Vec3 side = Vec3::UnitZ().cross(along).normalized();
    for (Index i = 0; i < kAround; ++i) {
      const double turn = kTwoPi * i / kAround;
      body.mesh.positions.push_back(path[k] + 0.12 * (std::cos(turn) * side + std::sin(turn) * Vec3::UnitZ()));
    }
    for (Index i = 0; k > 0 && i < kAround; ++i) {
      const auto b = static_cast<Index>(k * kAround), a = b - kAround;
      body.mesh.add_face(std::vector<Index>{a + i, b + i, b + (i + 1) % kAround, a + (i + 1) % kAround});
    }
  }
  SegmentationOptions options;
  options.merge = false;  // Which would hide it.
  const Segmentation found = segment(body.subject(), options), nearest = nearest_bones(body.subject());
  std::size_t fooled = 0;
  for (Index v = 0; v < body.mesh.vertex_count(); ++v) {
    if (body.mesh.positions[v].x() < 0.8) continue;
    EXPECT_NE(found.segments[found.owner[v]].joint, top);
    fooled += nearest.segments[nearest.owner[v]].joint == top ? 1 : 0;
  }
  EXPECT_GT(fooled, 20U);
}

TEST(Segmentation, ABodyKeepsTheSkinRoundALimbThatBeginsInsideIt) {
  const shapes::Made made = shapes::make("octopus", {}).made;
  const Rig& rig = made.character.rig;
  const Segmentation found = segment(rest_subject(rig.mesh, rig.skeleton));
  const Segmentation nearest = nearest_bones(rest_subject(rig.mesh, rig.skeleton));
  double body = 0, kept = 0, kept_by_distance = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    if (made.owners.segments[made.owners.owner[v]].joint != 0) continue;
    ++body;
    kept += found.segments[found.owner[v]].joint == 0 ? 1 : 0;
    kept_by_distance += nearest.segments[nearest.owner[v]].joint == 0 ? 1 : 0;
  }
  EXPECT_GT(kept / body, 0.65);
  EXPECT_GT(kept, 2.5 * kept_by_distance);
}

TEST(Segmentation, RegionsOfBonesAndOfJointsHangTogether) {
  for (const char* kind : {"human", "quadruped", "bird"})
    for (const int seed : {1, 2}) {
      const Rig rig = jittered(kind, seed);
      const Segmentation found = segment(rest_subject(rig.mesh, rig.skeleton));
      const SegmentationSurface surface = segmentation_surface(rig.mesh);
      const auto owner = [&](Index v) { return found.owner[surface.welding.first[v]]; };
      EXPECT_TRUE(all_connected(surface, owner));
      EXPECT_TRUE(all_connected(surface, [&](Index v) { return found.segments[owner(v)].joint; }));
    }
}

TEST(Segmentation, WithoutMergingRegionsAreInPieces) {
  std::size_t pieces = 0;
  for (const char* kind : {"human", "quadruped", "bird"}) {
    const Rig rig = jittered(kind, 1);
    SegmentationOptions options;
    options.merge = false;
    const Subject subject = rest_subject(rig.mesh, rig.skeleton);
    const Segmentation found = segment(subject, options), merged = segment(subject);
    const SegmentationSurface surface = segmentation_surface(rig.mesh);
    pieces += all_connected(surface, [&](Index v) { return found.owner[surface.welding.first[v]]; }) ? 0 : 1;
    EXPECT_EQ(found.statistics.merged_vertices, 0U);
    EXPECT_EQ(merged.statistics.merged_vertices, differing(found.owner, merged.owner));
  }
  EXPECT_EQ(pieces, 3U);
}

TEST(Segmentation, OrderOfVerticesAndFacesDoesNotMatter) {
  for (const char* kind : {"human", "octopus"}) {
    const Rig rig = jittered(kind, 5);
    std::mt19937 rng(11);
    std::vector<Index> to(rig.mesh.vertex_count()), faces(rig.mesh.face_count());
    std::iota(to.begin(), to.end(), 0U);
    std::iota(faces.begin(), faces.end(), 0U);
    std::shuffle(to.begin(), to.end(), rng);
    std::shuffle(faces.begin(), faces.end(), rng);
    Mesh shuffled;
    shuffled.positions.resize(to.size());
    for (Index v = 0; v < to.size(); ++v) shuffled.positions[to[v]] = rig.mesh.positions[v];
    for (const Index f : faces) {
      std::vector<Index> face;
      for (const Index v : rig.mesh.face(f)) face.push_back(to[v]);
      shuffled.add_face(face);
    }
    const Segmentation a = segment(rest_subject(rig.mesh, rig.skeleton));
    const Segmentation b = segment(rest_subject(shuffled, rig.skeleton));
    for (Index v = 0; v < to.size(); ++v) EXPECT_EQ(a.owner[v], b.owner[to[v]]);
  }
}

// The rig after an affine map of space; faces turned round if it mirrors.
std::pair<Mesh, std::vector<Mat4>> mapped(const Rig& rig, const Mat4& map) {
  Mesh mesh;
  for (const Vec3& p : rig.mesh.positions) mesh.positions.push_back(transform_point(map, p));
  for (Index f = 0; f < rig.mesh.face_count(); ++f) {
    std::vector<Index> face(rig.mesh.face(f).begin(), rig.mesh.face(f).end());
    if (map.topLeftCorner<3, 3>().determinant() < 0) std::reverse(face.begin(), face.end());
    mesh.add_face(face);
  }
  std::vector<Mat4> joints = rest_matrices(rig.skeleton);
  for (Mat4& joint : joints) joint = map * joint;
  return {mesh, joints};
}

TEST(Segmentation, MotionScaleAndMirrorChangeNothing) {
  Mat4 moved = Mat4::Identity();
  moved.topLeftCorner<3, 3>() = 37.0 * rotation_exp(Vec3(0.4, 1.3, -2)).toRotationMatrix();
  moved.topRightCorner<3, 1>() = Vec3(5, -3, 11);
  Mat4 mirror = Mat4::Identity();
  mirror(0, 0) = -1;
  for (const char* kind : {"human", "quadruped"}) {
    const Rig rig = jittered(kind, 7);
    const Segmentation found = segment(rest_subject(rig.mesh, rig.skeleton));
    for (const Mat4& map : {moved, mirror}) {
      const auto [mesh, joints] = mapped(rig, map);
      const Segmentation other =
          segment({mesh, rig.skeleton, joints, std::vector<char>(rig.skeleton.joints.size(), 1)});
      // A vertex may lie on a border to the last digit.
      EXPECT_LE(differing(found.owner, other.owner), 2U) << kind;
      for (Index v = 0; v < mesh.vertex_count(); ++v) {
        if (found.owner[v] != other.owner[v]) continue;
        EXPECT_NEAR(found.along[v], other.along[v], 1e-5);
      }
    }
  }
}

TEST(Segmentation, AnInsideOutMeshIsTheSame) {
  const Rig rig = jittered("human", 3);
  Mesh turned;
  turned.positions = rig.mesh.positions;
  for (Index f = 0; f < rig.mesh.face_count(); ++f) {
    std::vector<Index> face(rig.mesh.face(f).rbegin(), rig.mesh.face(f).rend());
    turned.add_face(face);
  }
  const Segmentation a = segment(rest_subject(rig.mesh, rig.skeleton));
  const Segmentation b = segment(rest_subject(turned, rig.skeleton));
  EXPECT_EQ(a.owner, b.owner);
}

TEST(Segmentation, SeamsDoNotCutAndCopiesAgree) {
  const Rig rig = jittered("human", 4);
  // Every face with vertices of its own: exactly at the old places, then within the tolerance.
  for (const double apart : {0.0, 1e-7}) {
    std::mt19937 rng(3);
    std::uniform_real_distribution<double> any(-1, 1);
    Mesh soup;
    std::vector<Index> from;
    for (Index f = 0; f < rig.mesh.face_count(); ++f) {
      std::vector<Index> face;
      for (const Index v : rig.mesh.face(f)) {
        face.push_back(soup.vertex_count());
        const double x = any(rng), y = any(rng), z = any(rng);
        soup.positions.push_back(rig.mesh.positions[v] + apart * rig.mesh.size() * Vec3(x, y, z));
        from.push_back(v);
      }
      soup.add_face(face);
    }
    EXPECT_EQ(segmentation_surface(soup).shells(), segmentation_surface(rig.mesh).shells());
    const Segmentation a = segment(rest_subject(rig.mesh, rig.skeleton));
    const Segmentation b = segment(rest_subject(soup, rig.skeleton));
    std::size_t different = 0;
    for (Index v = 0; v < from.size(); ++v) different += b.owner[v] != a.owner[from[v]] ? 1 : 0;
    EXPECT_LE(different, apart > 0 ? 16U : 0U);
  }
}

TEST(Segmentation, ThreadsDoNotMatter) {
  const Rig rig = jittered("human", 2, "random", 9000);
  set_thread_count(1);
  const Segmentation one = segment(rest_subject(rig.mesh, rig.skeleton));
  set_thread_count(2);
  const Segmentation two = segment(rest_subject(rig.mesh, rig.skeleton));
  set_thread_count(0);
  EXPECT_EQ(one.owner, two.owner);
  EXPECT_EQ(one.along, two.along);
}

TEST(Segmentation, AnythingGetsOwners) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 rng(seed);
    std::uniform_real_distribution<double> any(-1, 1);
    const auto point = [&]() -> Vec3 {
      const double x = any(rng), y = any(rng), z = any(rng);
      return rng() % 4 == 0 ? Vec3(std::round(x), std::round(y), std::round(z)) : Vec3(x, y, z);
    };
    TubeBody body;
    const Index joints = 1 + static_cast<Index>(rng() % 9);
    for (Index j = 0; j < joints; ++j)
      body.joint(j == 0 || rng() % 9 == 0 ? kNone : static_cast<Index>(rng() % j), point());
    const Index vertices = static_cast<Index>(rng() % 40);
    const bool flat = rng() % 5 == 0;
    for (Index v = 0; v < vertices; ++v) {
      body.mesh.positions.push_back(point());
      if (flat) body.mesh.positions.back().z() = 0;
    }
    for (Index f = 0; vertices > 0 && f < rng() % 60; ++f) {
      std::vector<Index> face(rng() % 6);
      for (Index& v : face) v = static_cast<Index>(rng() % vertices);
      body.mesh.add_face(face);
    }
    const Segmentation found = segment(body.subject());
    ASSERT_TRUE(validate(found, vertices, joints).empty()) << "seed " << seed;
    for (Index v = 0; v < vertices; ++v) ASSERT_TRUE(std::isfinite(found.along[v])) << "seed " << seed;
    const SegmentationSurface surface = segmentation_surface(body.mesh);
    const auto owner = [&](Index v) { return found.owner[surface.welding.first[v]]; };
    ASSERT_TRUE(all_connected(surface, owner)) << "seed " << seed;
    ASSERT_TRUE(all_connected(surface, [&](Index v) { return found.segments[owner(v)].joint; })) << "seed " << seed;
  }
}

TEST(RespectRigidShells, ARigidShellBelongsToItsJointWithoutTwist) {
  TubeBody body;
  body.joint(kNone, Vec3(0, 0, 0));
  body.joint(0, Vec3(0, 1, 0));
  body.joint(1, Vec3(0, 2, 0));
  body.tube(Vec3(0, 0.1, 0), Vec3(0, 1.9, 0), 0.2, 19, 8);
  const Index tube = body.mesh.vertex_count();
  body.tube(Vec3(0.5, 0.9, 0), Vec3(0.6, 0.9, 0), 0.05, 3, 6);
  const Index button = body.mesh.vertex_count();
  body.tube(Vec3(-0.5, 0.9, 0), Vec3(-0.6, 0.9, 0), 0.05, 3, 6);
  SkinWeights weights;
  for (Index v = 0; v < body.mesh.vertex_count(); ++v) {
    if (v < tube) weights.add_row({{0, 0.5F}, {1, 0.5F}});
    else if (v < button) weights.add_row({{1, 1.0F}});
    else weights.add_row({{static_cast<Index>(v % 2), 1.0F}});
  }
  Segmentation found = segment(body.subject());
  const Segmentation before = found;
  respect_rigid_shells(found, body.mesh, weights);
  for (Index v = 0; v < body.mesh.vertex_count(); ++v) {
    if (v < tube || v >= button) {
      EXPECT_EQ(found.owner[v], before.owner[v]);
      EXPECT_EQ(found.along[v], before.along[v]);
    } else {
      EXPECT_EQ(found.segments[found.owner[v]].joint, 1U);
      EXPECT_EQ(found.along[v], 0.0F);
    }
  }
  EXPECT_EQ(found.segments.size(), before.segments.size());
}

TEST(RespectRigidShells, AJointWithoutASegmentGetsOne) {
  TubeBody body;
  body.joint(kNone, Vec3(0, 0, 0));
  body.joint(0, Vec3(0, 0, 0));
  body.joint(1, Vec3(0, 2, 0));
  body.tube(Vec3(0, 0.1, 0), Vec3(0, 1.9, 0), 0.2, 9, 8);
  Segmentation found = segment(body.subject());
  const std::size_t count = found.segments.size();
  SkinWeights weights;
  for (Index v = 0; v < body.mesh.vertex_count(); ++v) weights.add_row({{0, 1.0F}});
  respect_rigid_shells(found, body.mesh, weights);
  ASSERT_EQ(found.segments.size(), count + 1);
  EXPECT_EQ(found.segments.back().joint, 0U);
  EXPECT_EQ(found.segments.back().child, kNone);
  EXPECT_TRUE(validate(found, body.mesh.vertex_count(), 3).empty());
}

}  // namespace
}  // namespace sinew::binding
