// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/transfer.h"

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/error.h"
#include "sinew/core/rotation.h"
#include "sinew/geometry/mesh/decimate.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/pipeline/transfer_merge.h"
#include "sinew/shapes/kinds.h"
#include "sinew/transfer/rays/skeleton_aware.h"

namespace sinew::pipeline {
namespace {

Character human(int vertices, int seed = 0) {
  shapes::MakeOptions options;
  options.vertices = vertices;
  options.seed = seed;
  options.vary = seed == 0 ? 0 : 0.5;
  return shapes::make("human", options).made.character;
}

Character bare(Character character) {
  character.rig.skeleton = {};
  character.rig.skins.clear();
  character.rig.weights = {};
  for (MeshPart& part : character.rig.mesh.parts) part.skin = part.joint = kNone;
  character.clips.clear();
  return character;
}

/// The method that moves everything with one joint.
struct ToyOptions {
  std::string joint = "Hips";

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("joint", "The joint that moves everything."), self.joint);
  }
};

transfer::TransferMethod toy_method() {
  return {.id = "toy",
          .name = "toy-transfer",
          .when = "In tests.",
          .options = ToyOptions(),
          .transfer = [](const transfer::TransferInput& input, const transfer::TransferOptions&, const AnyOptions& own,
                         const Progress&) {
            const Index joint = input.reference.skeleton.find(own.as<ToyOptions>().joint);
            if (joint == kNone) throw Error("The reference has no such joint.");
            transfer::WeightTransfer result;
            for (Index v = 0; v < input.target.mesh.vertex_count(); ++v) result.weights.add_row({{joint, 1.0F}});
            result.level.assign(input.target.mesh.vertex_count(), transfer::Level::kMatched);
            result.confidence.assign(input.target.mesh.vertex_count(), 1.0F);
            result.levels[0] = input.target.mesh.vertex_count();
            return result;
          }};
}

TEST(PipelineTransfer, AMethodOfAnotherProgramIsUsedLikeABuiltInOne) {
  if (const std::vector<std::string> ids = transfer::methods().ids();
      std::find(ids.begin(), ids.end(), "toy") == ids.end())
    transfer::methods().add(toy_method());
  const Character reference = human(600), target = human(500, 3);
  TransferOptions options;
  OptionList(options).from_json({{"method", "toy"}, {"toy", {{"joint", "Head"}}}});
  const TransferResult result = transfer(reference, target, options);
  const Index head = result.character.rig.skeleton.find("Head");
  ASSERT_NE(head, kNone);
  for (Index v = 0; v < result.character.rig.weights.row_count(); ++v) {
    ASSERT_EQ(result.character.rig.weights.row(v).size(), 1U);
    EXPECT_EQ(result.character.rig.weights.row(v)[0], (Influence{head, 1.0F}));
  }
  EXPECT_EQ(result.weights.levels[0], target.rig.mesh.vertex_count());
  EXPECT_FALSE(result.fit.has_value());
}

TEST(PipelineTransfer, APreparedReferenceGivesManyTargetsWhatOneGets) {
  const Character reference = human(600);
  TransferReference prepared(reference);
  TransferOptions options;
  options.method.choose("skeleton");
  options.method.options().as<transfer::SkeletonAwareOptions>().resolution = 48;
  for (const int seed : {2, 4, 2}) {
    const Character target = human(500, seed);
    const TransferResult many = transfer(prepared, target, options), one = transfer(reference, target, options);
    EXPECT_TRUE(many.character.rig.weights == one.character.rig.weights) << seed;
    EXPECT_EQ(many.weights.level.size(), target.rig.mesh.vertex_count());
    EXPECT_EQ(many.joints.joints.size(), one.joints.joints.size());
  }
}

TEST(PipelineTransfer, RowsWithWeightsThatAreNotFiniteCountAsNotWeighted) {
  const Character reference = human(600);
  Character target = human(500, 3);
  SkinWeights broken;
  for (Index v = 0; v < target.rig.weights.row_count(); ++v) {
    const auto row = target.rig.weights.row(v);
    std::vector<Influence> copy(row.begin(), row.end());
    if (v == 5) copy.push_back({0, std::numeric_limits<float>::quiet_NaN()});
    if (v == 6) copy = {{0, std::numeric_limits<float>::infinity()}};
    if (v == 7) copy.clear();
    broken.add_row(copy);
  }
  target.rig.weights = broken;
  TransferOptions options;
  options.method.choose("closest");
  options.keep_existing = true;
  const TransferResult result = transfer(reference, target, options);
  ASSERT_TRUE(result.kept_vertices.has_value());
  EXPECT_EQ(*result.kept_vertices, target.rig.mesh.vertex_count() - 3);
  for (const Index v : {5U, 6U, 7U}) {
    double sum = 0;
    for (const Influence& influence : result.character.rig.weights.row(v)) sum += static_cast<double>(influence.weight);
    EXPECT_NEAR(sum, 1, 1e-5) << v;
  }
}

TEST(PipelineTransfer, WhyATemplateFailedReachesTheResult) {
  const Character reference = human(600);
  Character flat = bare(human(500));
  // A sheet encloses nothing, so that no template can be located in it.
  for (Vec3& p : flat.rig.mesh.positions) p.z() = 0;
  flat.rig.mesh.normals = {};
  TransferOptions options;
  options.method.choose("closest");
  const TransferResult result = transfer(reference, flat, options);
  ASSERT_TRUE(result.fit.has_value());
  EXPECT_EQ(result.fit->method, transfer::FitMethod::kBox);
  ASSERT_FALSE(result.notes.empty());
  EXPECT_EQ(result.notes.front().code, "transfer.template_failed");
  EXPECT_EQ(result.notes.front().where, "human");
  EXPECT_GT(result.notes.front().text.size(), std::string("The template human could not be used. ").size());
  EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(),
                          [](const Finding& f) { return f.code == "transfer.skeleton_doubtful"; }));
}

TEST(PipelineTransfer, WhyATemplateIsNotFoundInTheReferenceReachesTheResult) {
  Character flat = human(600);
  for (Vec3& p : flat.rig.mesh.positions) p.z() = 0;
  flat.rig.mesh.normals = {};
  TransferOptions options;
  options.method.choose("closest");
  const TransferResult result = transfer(flat, bare(human(1200)), options);
  ASSERT_TRUE(result.fit.has_value());
  EXPECT_EQ(result.fit->method, transfer::FitMethod::kTemplate);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes.front().code, "transfer.reference_plan");
  EXPECT_EQ(result.notes.front().where, "human");
}

TEST(PipelineTransfer, AGoodFitHasNoNotes) {
  const Character reference = human(600);
  TransferOptions options;
  options.method.choose("closest");
  const TransferResult result = transfer(reference, bare(human(600)), options);
  ASSERT_TRUE(result.fit.has_value());
  EXPECT_EQ(result.fit->method, transfer::FitMethod::kCopied);
  EXPECT_TRUE(result.notes.empty());
  EXPECT_TRUE(result.skeleton_changed);
}

/// The faces of a character around its middle, displaced along the normals.
Character vest_of(const Character& body, double offset) {
  const Mesh& mesh = body.rig.mesh;
  const Box box = mesh.bounds();
  const std::vector<Vec3> normals = geometry::vertex_normals(mesh);
  Character vest;
  std::vector<Index> number(mesh.vertex_count(), kNone);
  for (Index f = 0; f < mesh.face_count(); ++f) {
    std::vector<Index> corners;
    for (const Index v : mesh.face(f)) {
      const Vec3 at = (mesh.positions[v] - box.lower).cwiseQuotient(box.extent());
      if (at.y() > 0.5 && at.y() < 0.8 && std::abs(at.x() - 0.5) < 0.2) corners.push_back(v);
    }
    if (corners.size() < mesh.face(f).size()) continue;
    for (Index& v : corners) {
      if (number[v] == kNone) {
        number[v] = vest.rig.mesh.vertex_count();
        vest.rig.mesh.positions.push_back(mesh.positions[v] + offset * normals[v]);
      }
      v = number[v];
    }
    vest.rig.mesh.add_face(corners);
  }
  MeshPart part;
  part.vertex_count = vest.rig.mesh.vertex_count();
  part.face_count = vest.rig.mesh.face_count();
  vest.rig.mesh.parts.push_back(part);
  return vest;
}

TEST(PipelineTransfer, ABareGarmentMadeOnTheBodyGetsTheJointsOfTheBodyWhereTheyAre) {
  const Character reference = human(1500);
  const TransferResult result = transfer(reference, vest_of(reference, 0.02));
  ASSERT_TRUE(result.fit.has_value());
  EXPECT_EQ(result.fit->method, transfer::FitMethod::kShared);
  const std::vector<Mat4> ours = rest_matrices(reference.rig.skeleton);
  const std::vector<Mat4> theirs = rest_matrices(result.character.rig.skeleton);
  for (Index j = 0; j < reference.rig.skeleton.size(); ++j) {
    const Index same = result.character.rig.skeleton.find(reference.rig.skeleton.joints[j].name);
    if (same != kNone) {
      EXPECT_TRUE(theirs[same].isApprox(ours[j], 1e-6)) << reference.rig.skeleton.joints[j].name;
    }
  }
  EXPECT_NE(result.weights.choice.find("'garment'"), std::string::npos) << result.weights.choice;
  EXPECT_TRUE(std::none_of(result.findings.begin(), result.findings.end(),
                           [](const Finding& f) { return f.code == "transfer.skeleton_doubtful"; }));
}

TEST(PipelineTransfer, AGarmentMergedWithItsBodyIsAValidCharacterOnTheSameSkin) {
  Character reference = human(1500);
  reference.rig.mesh.parts.front().to_model.topLeftCorner<3, 3>() = rotation_exp(Vec3(1, 0, 0)).toRotationMatrix();
  TransferReference prepared(reference);
  const Character vest = vest_of(reference, 0.02);
  const Character merged = merge_with_reference(prepared, transfer(prepared, vest));
  EXPECT_TRUE(validate(merged).empty());
  EXPECT_EQ(merged.rig.mesh.vertex_count(), reference.rig.mesh.vertex_count() + vest.rig.mesh.vertex_count());
  EXPECT_EQ(merged.rig.skeleton.size(), reference.rig.skeleton.size());
  ASSERT_EQ(merged.rig.weights.row_count(), merged.rig.mesh.vertex_count());
  for (Index v = 0; v < merged.rig.weights.row_count(); ++v) EXPECT_FALSE(merged.rig.weights.row(v).empty()) << v;
  EXPECT_EQ(merged.rig.mesh.parts.back().skin, reference.rig.mesh.parts.front().skin);
  EXPECT_EQ(merged.rig.mesh.parts.back().to_model, reference.rig.mesh.parts.front().to_model);
  EXPECT_THROW(merge_with_reference(prepared, transfer(prepared, human(1400, 3))), Error);
}

TEST(PipelineTransfer, AGarmentGetsTheMorphsThatMoveItAndAnotherBodyNone) {
  Character reference = human(1500);
  MeshPart& part = reference.rig.mesh.parts.front();
  const Box box = reference.rig.mesh.bounds();
  Morph belly{"belly", {}}, crown{"crown", {}};
  for (Index v = 0; v < part.vertex_count; ++v) {
    const double up = (reference.rig.mesh.positions[part.first_vertex + v].y() - box.lower.y()) / box.extent().y();
    belly.deltas.emplace_back(0.0F, 0.0F, up > 0.5 && up < 0.8 ? 0.1F : 0.0F);
    crown.deltas.emplace_back(0.0F, up > 0.95 ? 0.1F : 0.0F, 0.0F);
  }
  part.morphs = {belly, crown};
  part.morph_weights = {0.25, 0};
  TransferOptions options;
  EXPECT_TRUE(transfer(reference, vest_of(reference, 0.02), options).new_morphs.empty());
  options.morphs = true;
  const TransferResult result = transfer(reference, vest_of(reference, 0.02), options);
  EXPECT_EQ(result.new_morphs, std::vector<std::string>{"belly"});
  const MeshPart& vest = result.character.rig.mesh.parts.front();
  ASSERT_EQ(vest.morphs.size(), 1U);
  ASSERT_EQ(vest.morphs[0].deltas.size(), vest.vertex_count);
  EXPECT_EQ(vest.morph_weights, std::vector<double>{0.25});
  double most = 0;
  for (const Vec3f& delta : vest.morphs[0].deltas) {
    most = std::max(most, static_cast<double>(delta.z()));
    EXPECT_GE(delta.z(), 0.0F);
    EXPECT_LE(delta.z(), 0.1F + 1e-6F);
    EXPECT_EQ(delta.x(), 0.0F);
  }
  EXPECT_NEAR(most, 0.1, 1e-6);
  EXPECT_THROW(transfer(reference, human(1400, 3), options), Error);
  EXPECT_THROW(transfer(human(1500), vest_of(reference, 0.02), options), Error);
  const auto explained = [](const TransferResult& r) {
    return std::any_of(r.findings.begin(), r.findings.end(),
                       [](const Finding& finding) { return finding.code == "transfer.morphs"; });
  };
  EXPECT_FALSE(explained(result));
  reference.rig.mesh.parts.front().morphs = {crown};
  const TransferResult none = transfer(reference, vest_of(reference, 0.02), options);
  EXPECT_TRUE(none.new_morphs.empty());
  EXPECT_TRUE(explained(none));
}

TEST(PipelineTransfer, HelpersWithoutDriversLearnThemFromClipsOrAreReported) {
  Character reference = human(1500);
  Skeleton& skeleton = reference.rig.skeleton;
  const Index elbow = skeleton.find("LeftForearm");
  ASSERT_NE(elbow, kNone);
  Joint helper;
  helper.name = "LeftForearmTwist";
  helper.parent = elbow;
  helper.deforming = true;
  helper.rest.translation = 0.5 * skeleton.joints[skeleton.find("LeftHand")].rest.translation;
  const Index added = skeleton.size();
  skeleton.joints.push_back(helper);
  Skin& skin = reference.rig.skins.front();
  skin.joints.push_back(added);
  skin.inverse_bind.push_back(rest_matrices(skeleton)[added].inverse());
  SkinWeights rows;
  for (Index v = 0; v < reference.rig.weights.row_count(); ++v) {
    std::vector<Influence> row(reference.rig.weights.row(v).begin(), reference.rig.weights.row(v).end());
    if (row.front().joint == elbow) row.front().joint = added;
    rows.add_row(row);
  }
  reference.rig.weights = rows;
  const auto found = [](const TransferResult& result, const char* code) {
    return std::any_of(result.findings.begin(), result.findings.end(),
                       [&](const Finding& f) { return f.code == code; });
  };
  const Character target = human(1400, 3);
  const TransferResult still = transfer(reference, target);
  EXPECT_TRUE(found(still, "transfer.still"));
  EXPECT_FALSE(found(still, "transfer.learned_driver"));
  Clip clip;
  clip.name = "turn";
  for (const auto& [joint, share] : {std::pair{elbow, 1.0}, std::pair{added, 0.4}}) {
    Track track;
    track.path = Track::Path::kRotation;
    track.target = joint;
    for (int k = 0; k <= 20; ++k) {
      track.times_s.push_back(0.1F * static_cast<float>(k));
      const double a = 0.5 * std::sin(0.6 * k), b = 0.4 * std::cos(0.35 * k) - 0.4;
      const Quat q = skeleton.joints[joint].rest.rotation * rotation_exp(share * Vec3(a, b, 0.2 * a * b));
      for (const double x : {q.x(), q.y(), q.z(), q.w()}) track.values.push_back(static_cast<float>(x));
    }
    clip.tracks.push_back(track);
  }
  reference.clips = {clip};
  const TransferResult learned = transfer(reference, target);
  EXPECT_TRUE(found(learned, "transfer.learned_driver"));
  EXPECT_FALSE(found(learned, "transfer.still"));
  const Skeleton& made = learned.character.rig.skeleton;
  const Index own = made.find("LeftForearmTwist");
  ASSERT_NE(own, kNone);
  ASSERT_TRUE(made.joints[own].driver.has_value());
  EXPECT_EQ(made.joints[own].driver->source, made.find(skeleton.joints[elbow].name));
}

TEST(PipelineTransfer, AnEditedMeshKeepsTheRowsOfWhatDidNotMoveToTheBit) {
  Character reference = human(1500);
  // Rows that are neither of the sum 1 nor capped: what stays must not be made tidy.
  SkinWeights untidy;
  for (Index v = 0; v < reference.rig.weights.row_count(); ++v) {
    std::vector<Influence> row(reference.rig.weights.row(v).begin(), reference.rig.weights.row(v).end());
    for (Influence& influence : row) influence.weight *= 0.7F;
    untidy.add_row(row);
  }
  reference.rig.weights = untidy;
  Character edited = bare(reference);
  std::vector<char> moved(edited.rig.mesh.vertex_count(), 0);
  const Box box = edited.rig.mesh.bounds();
  for (Index v = 0; v < edited.rig.mesh.vertex_count(); ++v)
    if (edited.rig.mesh.positions[v].y() > box.lower.y() + 0.9 * box.extent().y())
      edited.rig.mesh.positions[v] *= 1.01, moved[v] = 1;
  const TransferResult result = transfer(reference, edited);
  EXPECT_NE(result.weights.choice.find("'update'"), std::string::npos) << result.weights.choice;
  Index kept = 0;
  for (Index v = 0; v < edited.rig.mesh.vertex_count(); ++v) {
    const auto row = result.character.rig.weights.row(v), before = reference.rig.weights.row(v);
    if (moved[v] != 0) {
      double sum = 0;
      for (const Influence& influence : row) sum += static_cast<double>(influence.weight);
      EXPECT_NEAR(sum, 1, 1e-5);
      continue;
    }
    ++kept;
    ASSERT_EQ(row.size(), before.size()) << v;
    for (std::size_t i = 0; i < row.size(); ++i) {
      EXPECT_EQ(row[i].weight, before[i].weight);
      EXPECT_EQ(result.character.rig.skeleton.joints[row[i].joint].name,
                reference.rig.skeleton.joints[before[i].joint].name);
    }
  }
  EXPECT_GT(kept, edited.rig.mesh.vertex_count() / 2);
}

TEST(PipelineTransfer, AutoRecognisesAnotherBodyAndALevelOfDetail) {
  const Character reference = human(1500);
  const TransferResult other = transfer(reference, human(1400, 3));
  EXPECT_NE(other.weights.choice.find("'skeleton'"), std::string::npos) << other.weights.choice;
  geometry::DecimateOptions half;
  half.target_triangles = static_cast<Index>(triangulate(reference.rig.mesh).size() / 2);
  Character coarse = bare(reference);
  coarse.rig.mesh = geometry::decimate(coarse.rig.mesh, half).mesh;
  const TransferResult detail = transfer(reference, coarse);
  EXPECT_NE(detail.weights.choice.find("'detail'"), std::string::npos) << detail.weights.choice;
  ASSERT_TRUE(detail.fit.has_value());
  EXPECT_EQ(detail.fit->method, transfer::FitMethod::kCopied);
}

TEST(PipelineTransfer, WrongRequestsAreRefusedWithoutDashes) {
  const Character reference = human(600), target = human(500, 3);
  const auto refused = [](const Character& from, const Character& to, const TransferOptions& options) -> std::string {
    try {
      transfer(from, to, options);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  };
  TransferOptions options;
  EXPECT_NE(refused(bare(reference), target, options).find("has no skin"), std::string::npos);
  EXPECT_NE(refused(reference, {}, options).find("has no mesh"), std::string::npos);
  options.only = {"Head"};
  const std::string only = refused(reference, bare(target), options);
  EXPECT_NE(only.find("the option 'only'"), std::string::npos);
  EXPECT_EQ(only.find("--"), std::string::npos);
  options.only = {};
  options.weights.smooth = -1;
  EXPECT_NE(refused(reference, target, options).find("'smooth'"), std::string::npos);
}

}  // namespace
}  // namespace sinew::pipeline
