// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The equations of the skeleton-aware transfer read line by line, in double, without any of the library's shortcuts;
/// and small scenes to compare with.

#include <cmath>
#include <random>

#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/transfer/rays/skeleton_aware.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::test {

/// Two characters made by hand.
struct HandMade {
  Skeleton reference_skeleton, target_skeleton;
  Mesh reference_mesh, target_mesh;
  std::vector<Mat4> reference_joints, target_joints;
  SkinWeights weights;
  transfer::Guides guides;
  transfer::Correspondence pairs;

  transfer::Reference reference() const { return {{reference_mesh, reference_skeleton, reference_joints}, weights}; }
  transfer::TransferBody target() const { return {target_mesh, target_skeleton, target_joints}; }

 protected:
  void add_joint(Index parent, const Vec3& in_reference, const Vec3& in_target) {
    Joint joint;
    joint.name = "joint" + std::to_string(reference_joints.size());
    joint.parent = parent;
    reference_skeleton.joints.push_back(joint);
    target_skeleton.joints.push_back(joint);
    reference_joints.push_back(Transform{in_reference, Quat::Identity(), Vec3::Ones()}.matrix());
    target_joints.push_back(Transform{in_target, Quat::Identity(), Vec3::Ones()}.matrix());
  }
  void pair_all() {
    std::vector<std::pair<Index, Index>> all;
    for (Index j = 0; j < reference_joints.size(); ++j) all.emplace_back(j, j);
    pairs = transfer::correspond(reference_skeleton, target_skeleton, all);
  }
};

/// Two uneven balls with a joint of five bones inside, one of which goes on. Weights and guide weights are random.
struct Branches : HandMade {
  explicit Branches(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> share(0, 1);
    const auto place = [&](double r) {
      return Vec3(r * Vec3(share(random) - 0.5, share(random) - 0.5, share(random) - 0.5));
    };
    add_joint(kNone, place(0.3), place(0.3));
    for (int k = 0; k < 5; ++k) {
      const Vec3 to(std::cos(k * 1.2), std::sin(k * 1.2), 0.4 * k - 0.8);
      add_joint(0, 0.6 * to + place(0.3), 0.5 * to + place(0.3));
    }
    add_joint(1, Vec3(0.9, 0.2, -0.9) + place(0.2), Vec3(0.8, 0.1, -0.7) + place(0.2));
    pair_all();
    reference_mesh = uneven(sphere(24, 30, Vec3::Zero(), 2), random);
    target_mesh = uneven(sphere(10, 14, Vec3::Zero(), 1.7), random);
    const auto random_rows = [&](const Mesh& mesh, Index joints, double zeros) {
      SkinWeights rows;
      for (Index v = 0; v < mesh.vertex_count(); ++v) {
        std::vector<Influence> row;
        for (Index j = 0; j < joints; ++j)
          if (share(random) >= zeros || j == v % joints) row.push_back({j, static_cast<float>(0.05 + share(random))});
        rows.add_row(row);
      }
      return rows.normalized();
    };
    weights = random_rows(reference_mesh, 7, 0.3);
    guides = {random_rows(reference_mesh, 7, 0.5), random_rows(target_mesh, 7, 0.5)};
  }

 private:
  static Mesh uneven(Mesh mesh, std::mt19937& random) {
    std::uniform_real_distribution<double> factor(0.97, 1.03);
    for (Vec3& p : mesh.positions) p *= factor(random);
    return mesh;
  }
};

/// A joint at the origin under a triangle in the plane z = 1 that it sees from behind, and a target of one vertex above
/// it.
struct TriangleScene : HandMade {
  TriangleScene() {
    add_joint(kNone, Vec3::Zero(), Vec3::Zero());
    add_joint(0, Vec3(0, -5, 0), Vec3(0, -5, 0));
    add_joint(1, Vec3(0, -9, 0), Vec3(0, -9, 0));
    pair_all();
    // 0.5 a + 0.3 b + 0.2 c = (0, 0, 1).
    const Vec3 b(2, -1, 1), c(-1, 2, 1), a = (Vec3(0, 0, 1) - 0.3 * b - 0.2 * c) / 0.5;
    reference_mesh.positions = {a, b, c};
    reference_mesh.add_face(std::vector<Index>{0, 1, 2});
    target_mesh.positions = {Vec3(0, 0, 3)};
    for (Index k = 0; k < 3; ++k) weights.add_row({{k, 1.0F}}), guides.reference.add_row({{0, 1.0F}});
    guides.target.add_row({{0, 1.0F}});
  }
};

/// Two bones, each under a plate that it alone sees, with guide weights that are the same everywhere.
struct PlatesScene : HandMade {
  PlatesScene() {
    // The vertex lies beyond the end of the first bone and beside the middle of the second.
    add_joint(kNone, Vec3(0, 0, 0), Vec3(-1, 0, 0));
    add_joint(0, Vec3(1, 0, 0), Vec3(0.8, 0, 0));
    add_joint(1, Vec3(9, 0, 0), Vec3(2, 0, 0));
    pair_all();
    target_mesh.positions = {Vec3(1.4, 5, 0)};
    add_plate(Vec3(1.12, 1, 0), 0);
    add_plate(Vec3(5, 1, 0), 1);
  }

 private:
  void add_plate(const Vec3& at, Index joint) {
    const Index first = reference_mesh.vertex_count();
    for (const Vec3& corner : {Vec3(-0.4, 0, 0.4), Vec3(0.4, 0, 0.4), Vec3(0, 0, -0.4)}) {
      reference_mesh.positions.push_back(at + corner);
      weights.add_row({{joint, 1.0F}});
      guides.reference.add_row({{0, 0.5F}, {1, 0.5F}});
    }
    reference_mesh.add_face(std::vector<Index>{first, first + 1, first + 2});
  }
};

/// A bone of length 1 along x under a roof at y = 1 whose middle, at most 0.26 to either side of the bone's, the first
/// joint moves, and the rest the second; a target of one vertex above the middle.
struct RoofScene : HandMade {
  RoofScene() {
    add_joint(kNone, Vec3(0, 0, 0), Vec3(0, 0, 0));
    add_joint(0, Vec3(1, 0, 0), Vec3(1, 0, 0));
    pair_all();
    target_mesh.positions = {Vec3(0.5, 3, 0)};
    guides.target.add_row({{0, 1.0F}});
    add_strip(-9, 0.24, 1);
    add_strip(0.24, 0.76, 0);
    add_strip(0.76, 9, 1);
  }

 private:
  void add_strip(double from, double to, Index joint) {
    const Index first = reference_mesh.vertex_count();
    for (const Vec3& corner : {Vec3(from, 1, 9), Vec3(to, 1, 9), Vec3(to, 1, -9), Vec3(from, 1, -9)}) {
      reference_mesh.positions.push_back(corner);
      weights.add_row({{joint, 1.0F}});
      guides.reference.add_row({{0, 1.0F}});
    }
    reference_mesh.add_face(std::vector<Index>{first, first + 1, first + 2, first + 3});
  }
};

/// A5 to A9 of the method, slowly.
class SlowTransfer {
 public:
  SkinWeights weights;
  std::uint64_t vertex_bones = 0;

  SlowTransfer(const HandMade& scene, const transfer::SkeletonAwareOptions& options, bool with_turns = true)
      : SlowTransfer(scene.reference(), scene.target(), scene.pairs, scene.guides, options, with_turns) {}

  SlowTransfer(const transfer::Reference& reference, const transfer::TransferBody& target,
               const transfer::Correspondence& pairs, const transfer::Guides& guides,
               const transfer::SkeletonAwareOptions& options, bool with_turns = true) {
    const geometry::RayScene scene(reference.mesh);
    const auto triangles = geometry::triangle_vertices(reference.mesh);
    const auto bones = transfer::paired_bones(reference, target, pairs);
    const SkinWeights true_weights = reference.weights.normalized();
    const std::vector<Vec3> cap = transfer::cap_directions(options.rays, options.cone_rad);
    for (Index v = 0; v < target.mesh.vertex_count(); ++v) {
      const Vec3& p = target.mesh.positions[v];
      std::vector<double> sum(reference.skeleton.size(), 0.0);
      for (const Influence& omega : guides.target.row(v)) {
        double nearness = 0;
        for (const auto& bone : bones[omega.joint]) nearness += 1 / (p - projected(bone, p)).squaredNorm();
        for (const auto& bone : bones[omega.joint]) {
          ++vertex_bones;
          const Vec3 from = projected(bone, p);
          const double beta = 1 / (p - from).squaredNorm() / nearness;
          const double t = bone.target_length() > 0 ? (from - bone.target_a).norm() / bone.target_length() : 0.0;
          const Vec3 start = bone.reference_a + t * (bone.reference_b - bone.reference_a);
          const Vec3 axis = (with_turns ? bone.turn : Mat3(Mat3::Identity())) * (p - from).normalized();
          const Index above = pairs.pairs[bone.pair].parent;
          Vec3 along = bone.reference_b - bone.reference_a;
          if (bone.is_point() && above != kNone)
            along = bone.reference_a - reference.position(pairs.pairs[above].reference);
          const Vec3 x = (along - along.dot(axis) * axis).normalized(), y = axis.cross(x);
          for (const Vec3& d : cap) {
            const Vec3 direction = d.x() * x + d.y() * y + d.z() * axis;
            for (const geometry::RayHit& hit : scene.all_hits({start, direction})) {
              const auto& corners = triangles[hit.triangle];
              const auto corner = [&](std::size_t k) { return reference.mesh.positions[corners[k]]; };
              if (!((corner(1) - corner(0)).cross(corner(2) - corner(0)).dot(direction) > 0)) continue;
              const auto found = interpolated(guides.reference, corners, hit.barycentric);
              const double alike = options.similarity == transfer::Similarity::kCanberra
                                       ? transfer::canberra_similarity(by_joint(guides.target.row(v)), found)
                                       : transfer::braycurtis_similarity(by_joint(guides.target.row(v)), found);
              for (const Influence& i : interpolated(true_weights, corners, hit.barycentric))
                sum[i.joint] += static_cast<double>(omega.weight) * beta * std::pow(alike, options.exponent) *
                                static_cast<double>(i.weight);
              break;
            }
          }
        }
      }
      std::vector<Influence> row;
      for (Index j = 0; j < sum.size(); ++j) row.push_back({j, static_cast<float>(sum[j])});
      weights.add_row(row);
    }
  }

 private:
  static Vec3 projected(const transfer::PairedBone& bone, const Vec3& p) {
    const Vec3 way = bone.target_b - bone.target_a;
    if (way.isZero()) return bone.target_a;
    return bone.target_a + std::clamp((p - bone.target_a).dot(way) / way.squaredNorm(), 0.0, 1.0) * way;
  }
  static std::vector<Influence> by_joint(std::span<const Influence> row) {
    std::vector<Influence> sorted(row.begin(), row.end());
    std::sort(sorted.begin(), sorted.end(), [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
    return sorted;
  }
  static std::vector<Influence> interpolated(const SkinWeights& rows, const geometry::TriangleVertices& corners,
                                             const Vec3& barycentric) {
    std::vector<Influence> sum;
    for (std::size_t k = 0; k < 3; ++k)
      for (const Influence& i : rows.row(corners[k])) {
        const float share = static_cast<float>(barycentric[static_cast<Eigen::Index>(k)]) * i.weight;
        const auto known = std::find_if(sum.begin(), sum.end(), [&](const Influence& s) { return s.joint == i.joint; });
        if (known == sum.end()) sum.push_back({i.joint, share});
        else known->weight += share;
      }
    return by_joint(sum);
  }
};

}  // namespace sinew::test
