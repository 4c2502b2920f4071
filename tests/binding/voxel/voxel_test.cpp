// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/voxel/voxel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <queue>
#include <set>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/binding/voxel/voxel_falloff.h"
#include "sinew/binding/voxel/voxel_matrix.h"
#include "sinew/core/angles.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/measure/weight_agreement.h"
#include "sinew/shapes/kinds.h"
#include "tests/geometry/field_meshes.h"
#include "tests/geometry/voxel_blocks.h"

namespace sinew::binding {
namespace {

using namespace sinew::test;

double difference(const SkinWeights& a, const SkinWeights& b) { return measure::weight_agreement(a, b).mean_half_l1; }

void expect_valid(const BindResult& bound, const Subject& subject, int most) {
  ASSERT_EQ(bound.weights.row_count(), subject.mesh.vertex_count());
  ASSERT_EQ(bound.origin.size(), subject.mesh.positions.size());
  ASSERT_EQ(bound.confidence.size(), subject.mesh.positions.size());
  for (Index v = 0; v < bound.weights.row_count(); ++v) {
    const auto row = bound.weights.row(v);
    ASSERT_FALSE(row.empty());
    ASSERT_LE(row.size(), static_cast<std::size_t>(most));
    double sum = 0;
    for (const Influence& i : row) {
      ASSERT_GT(i.weight, 0);
      ASSERT_TRUE(subject.bound[i.joint]);
      sum += static_cast<double>(i.weight);
    }
    ASSERT_NEAR(sum, 1, 1e-6);
    ASSERT_LT(bound.origin[v], bound.origins.size());
    ASSERT_TRUE(bound.confidence[v] >= 0 && bound.confidence[v] <= 1);
  }
}

VoxelOptions with(int resolution, VoxelSteps steps = VoxelSteps::kMarching, bool guard = true) {
  VoxelOptions options;
  options.resolution = resolution;
  options.steps = steps;
  options.leak_guard = guard;
  return options;
}

BindOptions limited(int count) {
  BindOptions common;
  common.max_influences = count;
  return common;
}

Rig made(const char* kind, const shapes::MakeOptions& options = {}) {
  return shapes::make(kind, options).made.character.rig;
}

float weight_at(const SkinWeights& weights, Index vertex, Index joint) {
  for (const Influence& i : weights.row(vertex))
    if (i.joint == joint) return i.weight;
  return 0;
}

// Joints at places, each the child of the one before or of the one named.
Skeleton chain(const std::vector<Vec3>& places, const std::vector<Index>& parents) {
  Skeleton skeleton;
  for (std::size_t j = 0; j < places.size(); ++j) {
    Joint joint;
    joint.name = "j" + std::to_string(j);
    joint.parent = parents[j];
    joint.rest.translation = parents[j] == kNone ? places[j] : Vec3(places[j] - places[parents[j]]);
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

// A bone down each arm of the u-tube; what joins them is not bound.
struct TwoArms {
  double gap;
  Mesh mesh;
  Skeleton skeleton;
  explicit TwoArms(double g)
      : gap(g),
        mesh(u_tube(g)),
        skeleton(chain({{1 + g / 2, 0.5, 0.5}, {0.5, 5.5, 0.5}, {0.5, 3, 0.5}, {1.5 + g, 5.5, 0.5}, {1.5 + g, 3, 0.5}},
                       {kNone, 0, 1, 0, 3})) {}
  Subject subject() const {
    Subject s = rest_subject(mesh, skeleton);
    s.bound = {0, 1, 0, 1, 0};
    return s;
  }
};

TEST(VoxelFalloff, PublishedFormulaGivesItsTable) {
  const std::vector<float> distances = {0.01F, 0.1F, 1};
  const std::vector<Index> joints = {4, 7, 9};
  const std::vector<std::pair<double, std::array<double, 3>>> table = {
      {0.0, {10000, 100, 1}}, {0.2, {15547.04, 148.72, 1}}, {1.0, {1e8, 1e4, 1}}};
  for (const auto& [alpha, raw] : table) {
    std::vector<Influence> row;
    voxel_weights(distances, joints, {.published = true, .falloff = alpha, .size = 1}, row);
    ASSERT_EQ(row.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(row[k].joint, joints[k]);
      EXPECT_NEAR(row[k].weight / row[2].weight, raw[k], 1e-3 * raw[k]) << alpha;
    }
  }
}

TEST(VoxelFalloff, DefaultIsContinuousAndGoneAtTwiceTheNearest) {
  const std::vector<Index> joints = {0, 1};
  std::vector<Influence> row;
  float before = 1;
  for (float ratio = 1; ratio < 2.2F; ratio += 0.001F) {
    voxel_weights(std::vector<float>{0.1F, 0.1F * ratio}, joints, {.falloff = 0, .size = 1}, row);
    const float weight = row.size() < 2 ? 0 : row[1].weight;
    EXPECT_LE(weight, before);
    EXPECT_GT(weight, before - 0.01F);
    if (ratio > 1.98F) {
      EXPECT_LT(weight, 1e-3F);
    }
    if (ratio > 2.001F) {
      EXPECT_EQ(row.size(), 1U);
    }
    before = weight;
  }
  voxel_weights(std::vector<float>{INFINITY, INFINITY}, joints, {}, row);
  EXPECT_TRUE(row.empty());
}

TEST(VoxelFalloff, RaisingItNeverLowersTheLargestWeight) {
  std::mt19937 random(12);
  std::uniform_real_distribution<float> distance(0.01F, 0.5F);
  const std::vector<Index> joints = {0, 1, 2, 3, 4};
  for (int i = 0; i < 500; ++i)
    for (const bool published : {false, true}) {
      std::vector<float> distances;
      for (int k = 0; k < 5; ++k) distances.push_back(distance(random));
      float before = 0;
      for (const double falloff : {0.0, 0.1, 0.3, 0.6, 1.0}) {
        std::vector<Influence> row;
        voxel_weights(distances, joints, {.published = published, .falloff = falloff, .size = 1}, row);
        cap_row(row, 8);
        EXPECT_GE(row.front().weight, before - 1e-5F);
        before = row.front().weight;
      }
    }
}

TEST(VoxelBinding, GivesEveryVertexAValidRowOnEveryKind) {
  for (const auto& kind : shapes::kinds().entries()) {
    const Rig rig = made(kind.id.c_str());
    const Subject subject = rest_subject(rig.mesh, rig.skeleton);
    for (const VoxelSteps steps : {VoxelSteps::kMarching, VoxelSteps::kChamfer})
      expect_valid(bind_by_voxels(subject, with(48, steps), limited(3)), subject, 3);
  }
}

TEST(VoxelBinding, ABoneBelongsToTheJointItBeginsAt) {
  shapes::MakeOptions make;
  make.joint_count = 3;
  const Rig rig = made("cylinder", make);
  const Subject subject = rest_subject(rig.mesh, rig.skeleton);
  const BindResult bound = bind_by_voxels(subject, with(64), {});
  const double middle = subject.position(1).y(), length = subject.position(2).y() - middle;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    const double y = rig.mesh.positions[v].y();
    if (y < middle - 0.4 * length) {
      EXPECT_EQ(bound.weights.row(v)[0].joint, 0U);
    }
    if (y > middle + 0.4 * length && y < middle + 0.7 * length) {
      EXPECT_EQ(bound.weights.row(v)[0].joint, 1U);
    }
  }
}

TEST(VoxelBinding, DistancesAreThoseOfTheVertexNotOfTheVoxelThatHoldsIt) {
  const Rig rig = made("cylinder");
  const Subject subject = rest_subject(rig.mesh, rig.skeleton);
  const VoxelBinding binding(subject, with(64));
  const Box box = rig.mesh.bounds();
  const double radius = 0.5 * box.extent().x(), cell = box.extent().y() / 64;
  double sum = 0, squares = 0, count = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    const Vec3& p = rig.mesh.positions[v];
    if (p.y() < box.lower.y() + 0.1 * box.extent().y() || p.y() > box.lower.y() + 0.9 * box.extent().y()) continue;
    const auto row = binding.distances(v);
    const double off = (static_cast<double>(*std::min_element(row.begin(), row.end())) - radius) / cell;
    sum += off, squares += off * off, count += 1;
  }
  EXPECT_LT(std::abs(sum / count), 0.4);
  EXPECT_LT(std::sqrt(squares / count - sum * sum / count / count), 0.15);
}

TEST(VoxelBinding, AgreesWithTheWeightsOfMadeCharactersBetterThanAsPublished) {
  for (const auto& [kind, most] :
       std::vector<std::pair<const char*, double>>{{"human", 0.15}, {"hand", 0.14}, {"figure", 0.15}}) {
    const Rig rig = made(kind);
    const Subject subject = rest_subject(rig.mesh, rig.skeleton);
    const SkinWeights wanted = rig.weights.normalized();
    const double ours = difference(bind_by_voxels(subject, with(96), {}).weights, wanted);
    EXPECT_LT(ours, most) << kind;
    EXPECT_LT(ours, difference(bind_by_voxels(subject, with(96, VoxelSteps::kChamfer), {}).weights, wanted)) << kind;
  }
}

TEST(VoxelBinding, TheOtherArmOfAUTubeHasOnlyWhatTheWayAroundImplies) {
  for (const double gap : {0.3, 0.5}) {
    const TwoArms arms(gap);
    const Subject subject = arms.subject();
    const double size = arms.mesh.size();
    for (const VoxelSteps steps : {VoxelSteps::kChamfer, VoxelSteps::kMarching}) {
      const VoxelBinding binding(subject, with(64, steps));
      const SkinWeights weights = binding.weights(0.2, limited(8));
      const BoneTree tree = bone_tree(subject);
      std::size_t checked = 0;
      for (Index v = 0; v < arms.mesh.vertex_count(); ++v) {
        const Vec3& p = arms.mesh.positions[v];
        if (p.y() < 3.5 || p.y() > 5.5 || p.x() > 1) continue;
        ++checked;
        const float other = weight_at(weights, v, 3);
        if (steps == VoxelSteps::kMarching) {
          EXPECT_EQ(other, 0.0F);
          continue;
        }
        const auto raw = [&](double d) { return std::pow(0.8 * d / size + 0.2 * d * d / size / size, -2); };
        const double own = closest_on_bone(tree.bones[tree.outgoing[1][0]], p).distance;
        const double straight = closest_on_bone(tree.bones[tree.outgoing[3][0]], p).distance;
        const double around = way_around(p, Vec3(1.5 + gap, 3, p.z()), gap);
        // 1.3 for the voxels; chamfer steps make the own bone seem up to 12.8 % farther, which squares.
        EXPECT_LE(other, 1.3 * 1.28 * raw(around) / (raw(around) + raw(own)));
        EXPECT_LE(other, 0.2 * raw(straight) / (raw(straight) + raw(own)));
      }
      EXPECT_GT(checked, 50U);
    }
  }
}

TEST(VoxelBinding, ArmsThatTouchDoNotBleed) {
  // A gap of a fifth of a voxel.
  const TwoArms arms(0.02);
  const Subject subject = arms.subject();
  const auto largest_foreign = [&](bool guard) {
    const SkinWeights weights = VoxelBinding(subject, with(64, VoxelSteps::kMarching, guard)).weights(0.2, limited(8));
    float most = 0;
    for (Index v = 0; v < arms.mesh.vertex_count(); ++v)
      if (arms.mesh.positions[v].y() > 3)
        most = std::max(most, weight_at(weights, v, arms.mesh.positions[v].x() < 1.01 ? 3 : 1));
    return most;
  };
  EXPECT_EQ(largest_foreign(true), 0.0F);
  EXPECT_GT(largest_foreign(false), 0.2F);
}

TEST(VoxelBinding, WhatIsReachedByADetourOnlyDoesNotMoveAVertex) {
  // The foot's joint holds the left arm from below; inside the body the right arm's is not much farther from its wall.
  const double gap = 0.3;
  const Mesh mesh = u_tube(gap);
  const Skeleton skeleton =
      chain({{1, 0.5, 0.5}, {0.5, 0.3, 0.5}, {0.5, 0.7, 0.5}, {1.5 + gap, 1, 0.5}, {1.5 + gap, 5.5, 0.5}},
            {kNone, 0, 1, 0, 3});
  Subject subject = rest_subject(mesh, skeleton);
  subject.bound = {0, 1, 0, 1, 0};
  const SkinWeights weights = bind_by_voxels(subject, with(64), {}).weights;
  std::size_t checked = 0;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const Vec3& p = mesh.positions[v];
    if (p.x() != 1 || p.y() < 2 || p.y() > 5) continue;
    EXPECT_LT(weight_at(weights, v, 3), 0.01F) << p.transpose();
    ++checked;
  }
  EXPECT_GT(checked, 20U);
}

// Turns joints about axes of model space, and the skin with them.
void pose(Rig& rig, const std::vector<std::pair<std::string, Vec3>>& turns) {
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  std::vector<Mat4> now(rest.size());
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    Joint& joint = rig.skeleton.joints[j];
    now[j] = joint.parent == kNone ? rest[j] : Mat4(now[joint.parent] * joint.rest.matrix());
    for (const auto& [name, turn] : turns)
      if (joint.name == name)
        now[j].topLeftCorner<3, 3>() =
            Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix() * now[j].topLeftCorner<3, 3>();
  }
  const SkinWeights weights = rig.weights.normalized();
  const auto inverse = [](const Mat4& m) { return Mat4(Eigen::Isometry3d(m).inverse().matrix()); };
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    Vec3 sum = Vec3::Zero();
    for (const Influence& i : weights.row(v))
      sum +=
          static_cast<double>(i.weight) * transform_point(now[i.joint] * inverse(rest[i.joint]), rig.mesh.positions[v]);
    rig.mesh.positions[v] = sum;
  }
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    Joint& joint = rig.skeleton.joints[j];
    const Mat4 local = joint.parent == kNone ? now[j] : Mat4(inverse(now[joint.parent]) * now[j]);
    joint.rest.translation = local.topRightCorner<3, 1>();
    joint.rest.rotation = Quat(Mat3(local.topLeftCorner<3, 3>())).normalized();
  }
}

// Judges weights by another way to measure: cells whose centre the winding number puts inside, of another size.
class PathJudge {
 public:
  PathJudge(const Mesh& mesh, int resolution) : mesh_(mesh) {
    const Box box = mesh.bounds();
    cell_ = box.extent().maxCoeff() / resolution;
    origin_ = box.lower - Vec3::Constant(cell_);
    for (std::size_t k = 0; k < 3; ++k)
      count_[k] = static_cast<int>(box.extent()[static_cast<Eigen::Index>(k)] / cell_) + 3;
    const std::vector<geometry::TriangleVertices> triangles = geometry::triangle_vertices(mesh);
    const geometry::TriangleSoup soup{mesh.positions, triangles};
    const geometry::FastWinding winding(soup, geometry::solid_facing(soup).signs);
    inside_.resize(static_cast<std::size_t>(count_[0] * count_[1] * count_[2]));
    for (std::size_t i = 0; i < inside_.size(); ++i) inside_[i] = winding.at(center(i)) > 0.5;
  }

  // Vertices with more than a hundredth of a joint that is more than twice as far inside the body as straight.
  std::size_t bleeding(const BoneTree& tree, Index joint, const SkinWeights& weights) const {
    std::vector<double> distance(inside_.size(), 1e30);
    std::priority_queue<std::pair<double, std::size_t>> queue;
    for (const Index b : tree.outgoing[joint])
      for (int i = 0; i <= 200; ++i) {
        const std::size_t at = cell(tree.bones[b].a + i / 200.0 * (tree.bones[b].b - tree.bones[b].a));
        if (at < inside_.size() && inside_[at]) queue.push({-(distance[at] = 0), at});
      }
    while (!queue.empty()) {
      const std::size_t at = queue.top().second;
      const double passed = -queue.top().first;
      queue.pop();
      if (passed > distance[at]) continue;
      around(at, 1, [&](std::size_t n, double step) {
        if (inside_[n] && distance[at] + step < distance[n]) queue.push({-(distance[n] = distance[at] + step), n});
      });
    }
    std::size_t count = 0;
    for (Index v = 0; v < mesh_.vertex_count(); ++v) {
      if (weight_at(weights, v, joint) <= 0.01F) continue;
      const Vec3& p = mesh_.positions[v];
      double best = 1e30, straight = 1e30;
      around(cell(p), 2, [&](std::size_t n, double) { best = std::min(best, distance[n] + (center(n) - p).norm()); });
      for (const Index b : tree.outgoing[joint])
        straight = std::min(straight, closest_on_bone(tree.bones[b], p).distance);
      count += best > 2 * (straight + cell_) ? 1 : 0;
    }
    return count;
  }

 private:
  Vec3 center(std::size_t i) const {
    const auto n = static_cast<int>(i);
    return origin_ +
           cell_ * Vec3(n % count_[0] + 0.5, n / count_[0] % count_[1] + 0.5, n / count_[0] / count_[1] + 0.5);
  }
  std::size_t cell(const Vec3& p) const {
    std::array<int, 3> at;
    for (std::size_t k = 0; k < 3; ++k) {
      at[k] = static_cast<int>(std::floor((p - origin_)[static_cast<Eigen::Index>(k)] / cell_));
      if (at[k] < 0 || at[k] >= count_[k]) return inside_.size();
    }
    return static_cast<std::size_t>((at[2] * count_[1] + at[1]) * count_[0] + at[0]);
  }
  template <class Body>
  void around(std::size_t i, int reach, Body&& body) const {
    const auto n = static_cast<int>(i);
    const std::array<int, 3> at = {n % count_[0], n / count_[0] % count_[1], n / count_[0] / count_[1]};
    for (int z = std::max(0, at[2] - reach); z <= std::min(count_[2] - 1, at[2] + reach); ++z)
      for (int y = std::max(0, at[1] - reach); y <= std::min(count_[1] - 1, at[1] + reach); ++y)
        for (int x = std::max(0, at[0] - reach); x <= std::min(count_[0] - 1, at[0] + reach); ++x)
          body(static_cast<std::size_t>((z * count_[1] + y) * count_[0] + x),
               cell_ * Vec3(x - at[0], y - at[1], z - at[2]).norm());
  }

  const Mesh& mesh_;
  double cell_ = 0;
  Vec3 origin_;
  std::array<int, 3> count_;
  std::vector<char> inside_;
};

TEST(VoxelBinding, APersonWithArmsAtTheSidesAndLegsTogetherDoesNotBleed) {
  shapes::MakeOptions make;
  make.vertices = 4000;
  Rig rig = made("human", make);
  pose(rig, {{"LeftUpperArm", Vec3(0, 0, -0.7)},
             {"RightUpperArm", Vec3(0, 0, 0.7)},
             {"LeftThigh", Vec3(0, 0, -0.08)},
             {"RightThigh", Vec3(0, 0, 0.08)}});
  const Subject subject = rest_subject(rig.mesh, rig.skeleton);
  const BoneTree tree = bone_tree(subject);
  const PathJudge judge(rig.mesh, 150);
  const auto bleeding = [&](const VoxelOptions& options) {
    const SkinWeights weights = bind_by_voxels(subject, options, {}).weights;
    std::size_t count = 0;
    for (const char* part : {"UpperArm", "Forearm", "Hand", "Thigh", "Shin", "Foot"})
      for (const char* side : {"Left", "Right"}) {
        const Index joint = rig.skeleton.find(std::string(side) + part);
        if (joint != kNone) count += judge.bleeding(tree, joint, weights);
      }
    return count;
  };
  EXPECT_EQ(bleeding(with(110)), 0U);
  EXPECT_GT(bleeding(with(110, VoxelSteps::kChamfer, false)), 20U);
}

TEST(VoxelBinding, FalloffAndCapChangeWithoutNewDistances) {
  const Rig rig = made("human");
  const Subject subject = rest_subject(rig.mesh, rig.skeleton);
  const VoxelBinding kept(subject, with(48));
  BindOptions smooth = limited(6);
  smooth.smooth = 2;
  for (const double falloff : {0.0, 0.7})
    for (const BindOptions& common : {limited(2), smooth}) {
      VoxelOptions options = with(48);
      options.falloff = falloff;
      EXPECT_EQ(kept.weights(falloff, common), bind_by_voxels(subject, options, common).weights);
    }
}

TEST(VoxelBinding, NoLimitKeepsAllInfluences) {
  const Rig rig = made("human");
  const Subject subject = rest_subject(rig.mesh, rig.skeleton);
  const VoxelBinding kept(subject, with(48));
  EXPECT_EQ(kept.weights(0, limited(0)), kept.weights(0, limited(64)));
  EXPECT_GT(kept.weights(0, limited(0)).max_influences(), 4U);
  EXPECT_EQ(kept.weights(0).max_influences(), 4U);
}

TEST(VoxelBinding, EndingSearchesEarlyChangesNoWeight) {
  const Rig rig = made("quadruped");
  const Subject subject = rest_subject(rig.mesh, rig.skeleton);
  const BoneTree tree = bone_tree(subject);
  const VoxelOptions options = with(64);
  const VoxelMatrix some = voxel_matrix(subject, tree, options, VoxelFalloff::kReach, {});
  const VoxelMatrix all = voxel_matrix(subject, tree, options, INFINITY, {});
  ASSERT_EQ(some.joints, all.joints);
  std::size_t left_out = 0;
  for (Index v = 0; v < some.welding.count(); ++v) {
    std::vector<Influence> a, b;
    voxel_weights(some.row(v), some.joints, {.falloff = 0, .size = some.size}, a);
    voxel_weights(all.row(v), all.joints, {.falloff = 0, .size = all.size}, b);
    EXPECT_EQ(a, b);
    for (std::size_t k = 0; k < some.joints.size(); ++k) left_out += std::isfinite(some.row(v)[k]) ? 0 : 1;
  }
  EXPECT_GT(left_out, 0U);
}

TEST(VoxelBinding, DistancesAreThoseOfAnyNumberOfThreads) {
  const Rig rig = made("human", {.clothes = true});
  const Subject subject = rest_subject(rig.mesh, rig.skeleton);
  const auto run = [&](int count) {
    const Threads threads(count);
    const VoxelBinding binding(subject, with(64));
    std::vector<float> all;
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
      all.insert(all.end(), binding.distances(v).begin(), binding.distances(v).end());
    return std::make_pair(all, binding.weights(0.2));
  };
  EXPECT_EQ(run(1), run(2));
}

TEST(VoxelBinding, ScaleAndPlaceDoNotMatter) {
  const Rig rig = made("hand");
  const auto bound = [&](double scale, const Vec3& by) {
    Rig other = rig;
    for (Vec3& p : other.mesh.positions) p = scale * p + by;
    for (Joint& joint : other.skeleton.joints) {
      joint.rest.translation = scale * joint.rest.translation + (joint.parent == kNone ? by : Vec3(Vec3::Zero()));
      if (joint.end_local) joint.end_local = scale * *joint.end_local;
    }
    return bind_by_voxels(rest_subject(other.mesh, other.skeleton), with(64), {}).weights;
  };
  const SkinWeights before = bound(1, Vec3::Zero());
  EXPECT_EQ(bound(1024, Vec3::Zero()), before);
  EXPECT_LT(difference(bound(1000, Vec3::Zero()), before), 1e-3);
  EXPECT_LT(difference(bound(1e-3, Vec3(5, 6, 7)), before), 1e-3);
}

TEST(VoxelBinding, AQuarterTurnAndAMirrorChangeNextToNothing) {
  const Rig rig = made("hand");
  const SkinWeights before = bind_by_voxels(rest_subject(rig.mesh, rig.skeleton), with(64), {}).weights;
  Mat4 turn = Mat4::Identity(), mirror = Mat4::Identity();
  turn.topLeftCorner<3, 3>() = Eigen::AngleAxisd(kPi / 2, Vec3::UnitX()).toRotationMatrix();
  mirror(0, 0) = -1;
  for (const Mat4& m : {turn, mirror}) {
    Mesh mesh = rig.mesh;
    for (Vec3& p : mesh.positions) p = transform_point(m, p);
    Subject subject = rest_subject(mesh, rig.skeleton);
    for (Mat4& joint : subject.joints) joint = m * joint;
    EXPECT_LT(difference(bind_by_voxels(subject, with(64), {}).weights, before), 2e-3);
  }
}

TEST(VoxelBinding, OrderOfVerticesAndFacesDoesNotMatter) {
  const Rig rig = made("figure");
  const SkinWeights before = bind_by_voxels(rest_subject(rig.mesh, rig.skeleton), with(48), {}).weights;
  Mesh turned;
  const Index count = rig.mesh.vertex_count();
  for (Index v = 0; v < count; ++v) turned.positions.push_back(rig.mesh.positions[count - 1 - v]);
  for (Index f = rig.mesh.face_count(); f-- > 0;) {
    std::vector<Index> face(rig.mesh.face(f).begin(), rig.mesh.face(f).end());
    for (Index& v : face) v = count - 1 - v;
    turned.add_face(face);
  }
  const SkinWeights after = bind_by_voxels(rest_subject(turned, rig.skeleton), with(48), {}).weights;
  SkinWeights back;
  for (Index v = 0; v < count; ++v) back.add_row(after.row(count - 1 - v));
  EXPECT_LT(difference(before, back), 1e-4);
}

TEST(VoxelBinding, DamageHardlyChangesWeights) {
  const Rig rig = made("human");
  const Subject whole = rest_subject(rig.mesh, rig.skeleton);
  const SkinWeights before = bind_by_voxels(whole, with(96), {}).weights;
  Mesh doubled = rig.mesh;
  for (Index f = 0; f < rig.mesh.face_count(); f += 3) doubled.add_face(rig.mesh.face(f));
  Mesh some_flipped = rig.mesh;
  for (Index f = 0; f < rig.mesh.face_count(); f += 20)
    std::reverse(some_flipped.face_vertices.begin() + some_flipped.face_offsets[f],
                 some_flipped.face_vertices.begin() + some_flipped.face_offsets[f + 1]);
  for (const Mesh& mesh : {with_holes(rig.mesh, 0.05, 3), flipped(rig.mesh), doubled, some_flipped}) {
    const Subject subject = rest_subject(mesh, rig.skeleton);
    const BindResult bound = bind_by_voxels(subject, with(96), {});
    expect_valid(bound, subject, 4);
    EXPECT_LT(difference(bound.weights, before), 0.03);
  }
}

TEST(VoxelBinding, PiecesApartSpecksAndVerticesWithoutFacesAllGetRows) {
  const Rig rig = made("human", {.clothes = true});
  Mesh mesh = rig.mesh;
  mesh.parts.clear();
  const Vec3 head = mesh.bounds().upper + Vec3(0, 0.03, 0);
  mesh = joined(mesh, sphere(8, 8, head, 0.02));
  mesh = joined(mesh, sphere(8, 8, Vec3(40, 0, 0), 0.02));
  mesh.positions.push_back(Vec3(0, 1, 0));
  mesh.positions.push_back(Vec3(-30, 1, 0));
  const Subject subject = rest_subject(mesh, rig.skeleton);
  // The far speck stretches the grid, so that little of the body is left of it: the worst case.
  const BindResult bound = bind_by_voxels(subject, with(256), {});
  expect_valid(bound, subject, 4);
  EXPECT_GT(bound.metrics["vertices_far"].get<int>(), 0);
  EXPECT_FALSE(bound.fallbacks.empty());
}

TEST(VoxelBinding, AShellBesideTheBodyMovesWithWhatIsUnderIt) {
  Rig rig = made("figure");
  rig.mesh.parts.clear();
  const Subject subject = rest_subject(rig.mesh, rig.skeleton);
  const std::vector<Vec3> normals = geometry::vertex_normals(rig.mesh);
  // A button a few voxels from the skin.
  const SkinWeights skin = bind_by_voxels(subject, with(96), {}).weights;
  for (Index v = 0; v < rig.mesh.vertex_count(); v += 800) {
    const Mesh mesh = joined(rig.mesh, sphere(6, 6, rig.mesh.positions[v] + 0.06 * normals[v], 0.01));
    const Subject buttoned = rest_subject(mesh, rig.skeleton);
    const BindResult bound = bind_by_voxels(buttoned, with(96), {});
    expect_valid(bound, buttoned, 4);
    // The button's strongest joint moves the skin under it too.
    const Index strongest = bound.weights.row(mesh.vertex_count() - 1)[0].joint;
    EXPECT_GT(weight_at(skin, v, strongest), 0.1F) << v;
  }
}

TEST(VoxelBinding, BonesOutsideAreTakenAndTold) {
  const Rig rig = made("cylinder");
  Subject subject = rest_subject(rig.mesh, rig.skeleton);
  for (Mat4& joint : subject.joints) joint(0, 3) += 10;
  const BindResult bound = bind_by_voxels(subject, with(48), {});
  expect_valid(bound, subject, 4);
  EXPECT_EQ(bound.metrics["joints_outside"].get<std::size_t>(), bound.metrics["joints_with_bones"].get<std::size_t>());
  std::set<std::string> codes;
  for (const Finding& warning : bound.findings) codes.insert(warning.code);
  EXPECT_TRUE(codes.count("voxel.bones_outside"));
}

TEST(VoxelBinding, ThinPartsAreTold) {
  const Rig rig = made("human");
  const Subject subject = rest_subject(rig.mesh, rig.skeleton);
  const BindResult coarse = bind_by_voxels(subject, with(48), {});
  EXPECT_GT(coarse.metrics["joints_in_thin_parts"].get<int>(), 10);
  std::set<std::string> codes;
  for (const Finding& warning : coarse.findings) codes.insert(warning.code);
  EXPECT_TRUE(codes.count("voxel.thin"));
}

TEST(VoxelBinding, ManyJointsInManyVoxelsTakeACoarserGrid) {
  // A box fills its whole grid, a figure hardly any of it.
  const Mesh box = block_mesh({0, 1}, {0, 1}, {0, 1}, [](const Vec3&) { return true; });
  const auto bound = [&](Index joints) {
    std::vector<Vec3> places;
    std::vector<Index> parents;
    for (Index j = 0; j < joints; ++j) {
      places.emplace_back(0.5, (j + 0.5) / joints, 0.5);
      parents.push_back(j == 0 ? kNone : j - 1);
    }
    return bind_by_voxels(rest_subject(box, chain(places, parents)), with(48), {});
  };
  const auto told = [](const BindResult& result) {
    return std::count_if(result.findings.begin(), result.findings.end(),
                         [](const Finding& f) { return f.code == "voxel.coarse"; });
  };
  const BindResult few = bound(3), many = bound(40);
  EXPECT_EQ(few.metrics["resolution"], 48);
  EXPECT_EQ(told(few), 0);
  EXPECT_LT(many.metrics["resolution"], 36);
  EXPECT_EQ(told(many), 1);
  const double work = many.metrics["solid_voxels"].get<double>() * 40;
  EXPECT_LE(work, 4.8 * 48 * 48 * 48);
  EXPECT_GE(work, 0.5 * 4.8 * 48 * 48 * 48);
}
TEST(VoxelBinding, OneJointTakesAll) {
  const Mesh mesh = sphere();
  const Skeleton skeleton = chain({Vec3::Zero()}, {kNone});
  const BindResult bound = bind_by_voxels(rest_subject(mesh, skeleton), with(32), {});
  for (Index v = 0; v < mesh.vertex_count(); ++v) EXPECT_EQ(bound.weights.row(v)[0], (Influence{0, 1.0F}));
}

TEST(VoxelBinding, RefusesWhatItCannotBindWithASentence) {
  const Skeleton skeleton = chain({Vec3::Zero(), Vec3(0, 1, 0)}, {kNone, 0});
  const Mesh empty;
  EXPECT_THROW(bind_by_voxels(rest_subject(empty, skeleton), {}, {}), Error);
  Mesh points;
  points.positions = {Vec3::Zero(), Vec3::Ones()};
  EXPECT_THROW(bind_by_voxels(rest_subject(points, skeleton), {}, {}), Error);
  Mesh broken = cube();
  broken.positions[2].x() = std::nan("");
  EXPECT_THROW(bind_by_voxels(rest_subject(broken, skeleton), with(32), {}), Error);
  const Mesh box = cube();
  try {
    bind_by_voxels(rest_subject(box, skeleton), with(1024), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("resolution of about"), std::string::npos) << error.what();
  }
  Subject none = rest_subject(box, skeleton);
  none.bound = {0, 0};
  EXPECT_THROW(bind_by_voxels(none, with(32), {}), Error);
  const Progress progress;
  progress.cancel();
  EXPECT_THROW(bind_by_voxels(rest_subject(box, skeleton), with(32), {}, progress), Cancelled);
}

}  // namespace
}  // namespace sinew::binding
