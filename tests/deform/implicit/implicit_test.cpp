// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/implicit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/implicit/implicit_body.h"
#include "sinew/deform/implicit/implicit_skin.h"
#include "sinew/shapes/kinds.h"
#include "tests/support/threads.h"

namespace sinew::deform {
namespace {

/// A made human, bound once for all tests.
class ImplicitHuman : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shapes::MakeOptions options;
    options.vertices = 3000;
    made_ = new shapes::Made(shapes::make("human", options).made);
    deformer_ = bind("implicit", rig()).release();
  }
  static void TearDownTestSuite() {
    delete deformer_;
    delete made_;
  }
  static const Rig& rig() { return made_->character.rig; }

  static ModelPose pose(unsigned seed, double most_rad) {
    std::mt19937 rng(seed);
    std::uniform_real_distribution<double> any(-most_rad, most_rad);
    std::vector<Transform> local;
    for (const Joint& joint : rig().skeleton.joints) {
      local.push_back(joint.rest);
      local.back().rotation = local.back().rotation * rotation_exp(Vec3(any(rng), any(rng), any(rng)));
    }
    ModelPose result;
    result.joints = model_matrices(rig().skeleton, local);
    result.twist_rad.assign(rig().skeleton.size(), 0);
    return result;
  }

  static std::vector<Vec3f> positions(const Deformer& deformer, const ModelPose& pose, FrameReport* report = nullptr) {
    const auto state = deformer.make_state();
    std::vector<Vec3f> result(rig().mesh.positions.size());
    deformer.deform(*state, {pose}, {result, {}, report});
    return result;
  }

  static shapes::Made* made_;
  static Deformer* deformer_;
};

shapes::Made* ImplicitHuman::made_ = nullptr;
Deformer* ImplicitHuman::deformer_ = nullptr;

TEST_F(ImplicitHuman, StaysAtRestInTheBindPose) {
  const auto rest = positions(*deformer_, pose(1, 0));
  for (std::size_t v = 0; v < rest.size(); ++v)
    EXPECT_LT((rest[v].cast<double>() - rig().mesh.positions[v]).norm(), 1e-6) << v;
}

TEST_F(ImplicitHuman, IsFiniteWithStatusesForEveryVertex) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    FrameReport report;
    const auto moved = positions(*deformer_, pose(seed, 0.8), &report);
    EXPECT_EQ(report.status.size(), moved.size());
    EXPECT_TRUE(std::all_of(moved.begin(), moved.end(), [](const Vec3f& p) { return p.allFinite(); }));
  }
}

TEST_F(ImplicitHuman, FitsNearlyAllVerticesNearRest) {
  FrameReport report;
  positions(*deformer_, pose(3, 0.1), &report);
  const auto fine = std::count_if(report.status.begin(), report.status.end(), [](VertexStatus s) {
    return s == VertexStatus::kFitted || s == VertexStatus::kFrozen;
  });
  EXPECT_GE(static_cast<double>(fine), 0.97 * static_cast<double>(report.status.size()));
}

TEST_F(ImplicitHuman, MovesRigidlyWithTheWholeSkeleton) {
  const ModelPose still = pose(4, 0.5);
  const Mat4 motion = Transform{Vec3(3, -2, 1), rotation_exp(Vec3(0.4, 1, -0.3)), Vec3::Ones()}.matrix();
  ModelPose moved = still;
  for (Mat4& joint : moved.joints) joint = motion * joint;
  const auto a = positions(*deformer_, still), b = positions(*deformer_, moved);
  std::size_t far = 0;
  for (std::size_t v = 0; v < a.size(); ++v)
    far += (transform_point(motion, a[v].cast<double>()) - b[v].cast<double>()).norm() > 2e-5;
  EXPECT_LE(far, a.size() / 200);
}

TEST_F(ImplicitHuman, HasTheSameBytesForAnyNumberOfThreads) {
  const ModelPose bent = pose(5, 0.7);
  set_thread_count(1);
  const auto one = positions(*bind("implicit", rig()), bent);
  set_thread_count(2);
  const auto two = positions(*bind("implicit", rig()), bent);
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

/// The same rig in another unit.
Rig scaled(Rig rig, double scale) {
  for (Vec3& p : rig.mesh.positions) p *= scale;
  for (Joint& joint : rig.skeleton.joints) {
    joint.rest.translation *= scale;
    if (joint.end_local) *joint.end_local *= scale;
  }
  for (Skin& skin : rig.skins)
    for (Mat4& matrix : skin.inverse_bind) matrix.topRightCorner<3, 1>() *= scale;
  for (MeshPart& part : rig.mesh.parts) part.to_model.topRightCorner<3, 1>() *= scale;
  return rig;
}

TEST_F(ImplicitHuman, IsTheSameInAnyUnit) {
  const ModelPose bent = pose(7, 0.5);
  const auto usual = positions(*deformer_, bent);
  const double size = rig().mesh.size();
  // Powers of two round nothing. Other factors decide between equal candidates of the symmetric body's samples: a few
  // of its parts get other samples, whose functions differ by less than a hundredth of their radius.
  for (const double scale : {64.0, 1.0 / 128, 100.0, 0.01}) {
    const bool rounds = scale == 100.0 || scale == 0.01;
    const Rig other = scaled(rig(), scale);
    ModelPose there = bent;
    for (Mat4& joint : there.joints) joint.topRightCorner<3, 1>() *= scale;
    const auto moved = positions(*bind("implicit", other), there);
    std::size_t far = 0;
    for (std::size_t v = 0; v < moved.size(); ++v) {
      const double off = (moved[v].cast<double>() / scale - usual[v].cast<double>()).norm() / size;
      EXPECT_LT(off, 3e-4) << scale;
      far += off > 1e-5;
    }
    EXPECT_LE(far, moved.size() / (rounds ? 50 : 1000)) << scale;
  }
}

TEST_F(ImplicitHuman, DoesNotDependOnTheOrderOfVertices) {
  std::vector<Index> place(rig().mesh.vertex_count());
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), std::mt19937(3));
  Rig shuffled = rig();
  std::vector<Index> from(place.size());
  for (Index v = 0; v < place.size(); ++v) {
    from[place[v]] = v;
    shuffled.mesh.positions[place[v]] = rig().mesh.positions[v];
    if (!rig().mesh.normals.values.empty()) shuffled.mesh.normals.values[place[v]] = rig().mesh.normals.values[v];
  }
  for (Index& corner : shuffled.mesh.face_vertices) corner = place[corner];
  shuffled.weights = SkinWeights();
  for (const Index v : from) shuffled.weights.add_row(rig().weights.row(v));
  const ModelPose bent = pose(8, 0.5);
  const auto usual = positions(*deformer_, bent), moved = positions(*bind("implicit", shuffled), bent);
  std::size_t far = 0;
  for (Index v = 0; v < place.size(); ++v)
    far += static_cast<double>((moved[place[v]] - usual[v]).norm()) > 1e-5 * rig().mesh.size();
  EXPECT_LE(far, place.size() / 1000);
}

TEST_F(ImplicitHuman, ALargerPartNeverLowersTheField) {
  const ImplicitBody body = make_implicit_body(rig());
  std::vector<Mat4> still(body.bind.size(), Mat4::Identity());
  std::vector<PosedPart> usual, larger;
  pose_parts(body, still, Vec3::Zero(), usual);
  const std::vector<FieldOperator> unions(body.parts.size());
  Family family;
  family.above.fill(-1);
  family.count = 2;
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> any(-1, 1);
  std::size_t inside = 0;
  for (std::uint16_t p = 1; p < body.parts.size(); ++p) {
    const ImplicitPart& part = body.parts[p];
    family.parts = {static_cast<std::uint16_t>(part.parent == kNone ? 0 : part.parent), p};
    // About the middle of the samples, which all see.
    const Vec3 middle = part.function.center();
    std::vector<Mat4> motions = still;
    motions[part.joint] = Transform{-0.05 * middle, Quat::Identity(), Vec3::Constant(1.05)}.matrix();
    pose_parts(body, motions, Vec3::Zero(), larger);
    for (int i = 0; i < 200; ++i) {
      const Vec3 x = middle + part.radius * Vec3(any(rng), any(rng), any(rng));
      // Where the function is no longer monotone along rays from the middle, its part does not grow there.
      if (part.function.evaluate(x).gradient.dot(x - middle) <= 0) continue;
      const float before = PosedFields{usual, unions}.evaluate(family, x.cast<float>()).field;
      const float after = PosedFields{larger, unions}.evaluate(family, x.cast<float>()).field;
      inside += before > 0.1F;
      EXPECT_GE(after, before - 5e-3F) << p;
    }
  }
  EXPECT_GT(inside, 500);
}

/// The field of a family without operators, written down once more.
double soft_maximum(const std::vector<double>& fields) {
  const auto softness = static_cast<double>(kSoftness);
  double sum = 1;
  for (const double field : fields) sum += std::exp(field / softness) - 1;
  return softness * std::log(sum);
}

TEST_F(ImplicitHuman, FittedVerticesHaveTheirValueInTheFunctionsThemselves) {
  // Without the passes that move vertices on, and by the exact functions instead of their tables.
  ImplicitOptions plain;
  plain.contact = false;
  plain.joint_operator = JointOperator::kUnion;
  plain.relaxations = plain.smoothings = 0;
  const ImplicitBody body = make_implicit_body(rig());
  const ModelPose bent = pose(6, 0.3);
  FrameReport report;
  const auto moved = positions(*bind("implicit", rig(), plain), bent, &report);
  const auto field = [&](const Vec3& x, const std::vector<Mat4>& frames, Index joint) {
    const ImplicitPart& part = body.parts[body.part_of_joint[joint]];
    const Mat4 back = body.bind[part.joint] * frames[part.joint].inverse();
    return compact_support(part.function.evaluate(transform_point(back, x)).value, part.radius).field;
  };
  // Beyond joints the tables end before the functions do.
  const auto cut = [&](Index v, Index joint) {
    const ImplicitPart& part = body.parts[body.part_of_joint[joint]];
    const FieldGrid::Layout& layout = part.grid.layout();
    const Vec3& x = rig().mesh.positions[v];
    FieldGrid::Node node;
    const Vec3 cells = layout.axes.transpose() * (x - layout.origin) / layout.cell;
    return part.grid.look_up(cells.cast<float>(), node) &&
           static_cast<double>(node[3]) > part.function.evaluate(x).value + 0.02 * part.radius;
  };
  std::size_t checked = 0, off = 0;
  for (Index v = 0; v < moved.size(); ++v) {
    const auto row = rig().weights.row(v);
    if (report.status[v] != VertexStatus::kFitted || row.size() < 2 || row.back().weight < 0.02F) continue;
    std::vector<double> before, after;
    bool known = true;
    for (const Influence& influence : row) {
      known = known && body.own[influence.joint] != 0 && !cut(v, influence.joint);
      if (!known) break;
      before.push_back(field(rig().mesh.positions[v], body.bind, influence.joint));
      after.push_back(field(moved[v].cast<double>(), bent.joints, influence.joint));
    }
    if (!known) continue;
    ++checked;
    off += std::abs(soft_maximum(after) - soft_maximum(before)) > 1e-2;
  }
  EXPECT_GT(checked, 100);
  EXPECT_LE(off, checked / 50);
}

TEST_F(ImplicitHuman, RefusesUnknownJointsAndOperators) {
  ImplicitOptions options;
  options.joint_operators = {{"Nobody", "blend"}};
  EXPECT_THROW(bind("implicit", rig(), options), Error);
  options.joint_operators = {{rig().skeleton.joints[1].name, "glue"}};
  EXPECT_THROW(bind("implicit", rig(), options), Error);
}

TEST_F(ImplicitHuman, SamplesByHandShapeTheirPart) {
  const ImplicitBody usual = make_implicit_body(rig());
  PartSamples samples;
  const std::string name = rig().skeleton.joints[usual.parts[2].joint].name;
  samples[name] = usual.parts[2].samples;
  for (SurfaceSample& sample : samples[name]) sample.point += 0.01 * sample.normal;
  const ImplicitBody by_hand = make_implicit_body(rig(), {}, {}, samples);
  ASSERT_EQ(by_hand.parts.size(), usual.parts.size());
  const Vec3 at = usual.parts[2].samples.front().point;
  EXPECT_LT(by_hand.parts[2].function.evaluate(at).value, usual.parts[2].function.evaluate(at).value - 1e-3);
  samples["Nobody"] = {};
  EXPECT_THROW(make_implicit_body(rig(), {}, {}, samples), Error);
}

}  // namespace
}  // namespace sinew::deform
