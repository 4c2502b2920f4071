// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/edit_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "sinew/binding/edit/weight_repair.h"
#include "sinew/core/error.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/pipeline/weights_partners.h"
#include "sinew/shapes/kinds.h"

namespace sinew::pipeline {
namespace {

namespace fs = std::filesystem;

Character edited_human() {
  shapes::MakeOptions options;
  options.vertices = 1500;
  return shapes::make("human", options).made.character;
}

TEST(EditWeights, TheResultHoldsTheCharacterTheEditsAndTheChanges) {
  const Character human = edited_human();
  EditWeightsOptions options;
  options.prune = 0.2;
  options.max_influences = 2;
  const EditWeightsResult result = edit_weights(human, options);
  ASSERT_EQ(result.edits.size(), 2U);
  EXPECT_GT(std::get<PruneEdit>(result.edits[0]).removed, 0U);
  EXPECT_EQ(std::get<CapEdit>(result.edits[1]).influences, 2);
  EXPECT_EQ(result.character.rig.weights.max_influences(), 2U);
  EXPECT_GT(result.changes.vertices, 0U);
  EXPECT_GT(result.changes.joints.size(), 5U);
  EXPECT_EQ(result.character.rig.mesh.positions, human.rig.mesh.positions);
}

TEST(EditWeights, OfNoLimitRowsMayGrow) {
  const Character human = edited_human();
  EditWeightsOptions options;
  options.smooth = 10;
  const Index usual = edit_weights(human, options).character.rig.weights.max_influences();
  EXPECT_LE(usual, std::max<Index>(4, human.rig.weights.max_influences()));
  options.max_influences = 0;
  EXPECT_GT(edit_weights(human, options).character.rig.weights.max_influences(), usual);
}

TEST(EditWeights, OptionsOutOfRangeAndUnknownJointsAreRefusedByName) {
  const Character human = edited_human();
  const auto refusal = [&](const EditWeightsOptions& options) -> std::string {
    try {
      edit_weights(human, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EditWeightsOptions prune, lock, order;
  prune.prune = 0.7;
  EXPECT_NE(refusal(prune).find("prune"), std::string::npos);
  lock.smooth = order.smooth = 1;
  lock.lock = {"Haed"};
  EXPECT_NE(refusal(lock).find("Did you mean 'Head'?"), std::string::npos);
  order.order = {"fill"};
  EXPECT_NE(refusal(order).find("'fill'"), std::string::npos);
  EXPECT_THROW(edit_weights({}, lock), Error);
}

TEST(CompareWeights, MeshesOfOtherVerticesAreRefused) {
  Rig rig = edited_human().rig, other = rig;
  EXPECT_EQ(compare_weights(rig, other).all.mean_half_l1, 0);
  other.mesh.positions.pop_back();
  EXPECT_THROW(compare_weights(rig, other), Error);
}

TEST(WeightsPartners, AreFoundByTheWordForTheSideAlone) {
  Skeleton skeleton;
  for (const char* name :
       {"root", "arm.L", "arm.R", "J_Bip_L_Foot", "J_Bip_R_Foot", "tail", "LeftEar", "RightEar", "wing_l"})
    skeleton.joints.emplace_back().name = name;
  for (Index j = 1; j < skeleton.size(); ++j) skeleton.joints[j].parent = 0;
  const std::vector<Index> partner = partners_by_names(skeleton);
  EXPECT_EQ(partner[1], 2U);
  EXPECT_EQ(partner[2], 1U);
  EXPECT_EQ(partner[3], 4U);
  EXPECT_EQ(partner[7], 6U);
  EXPECT_EQ(partner[8], kNone);
}

TEST(WeightsPartners, PositionsOverruleNamesThatCountTheOtherWayRound) {
  shapes::MakeOptions options;
  options.vertices = 2500;
  Rig rig = shapes::make("human", options).made.character.rig;
  std::vector<Index> truth(rig.skeleton.size(), kNone);
  for (Joint& joint : rig.skeleton.joints) joint.mirror = kNone;
  truth = partners_by_names(rig.skeleton);
  const Index upper = rig.skeleton.find("LeftUpperArm"), hand = rig.skeleton.find("LeftHand");
  std::swap(rig.skeleton.joints[upper].name, rig.skeleton.joints[hand].name);
  EXPECT_NE(partners_by_names(rig.skeleton)[upper], truth[upper]);
  Findings findings;
  const MirrorImage image = mirror_image(bind_subject(rig, {}, findings), binding::edit_surface(rig.mesh, rig.weights));
  EXPECT_EQ(image.partner, truth);
  EXPECT_GE(image.placed, 4U);
}

// Real characters, where they are: planted faults are found, and next to nothing else is touched.
class RealWeights : public testing::TestWithParam<const char*> {};

TEST_P(RealWeights, PlantedFaultsAreFoundAndGoodRowsLeftAlone) {
  const char* data = std::getenv("SINEW_DATA");
  if (!data || !fs::exists(fs::path(data) / GetParam()))
    GTEST_SKIP() << "set SINEW_DATA to the folder of test characters";
  const Rig rig = io::load(fs::path(data) / GetParam()).character.rig;
  Findings findings;
  const binding::Subject subject = bind_subject(rig, {}, findings);
  const binding::EditScope scope = binding::edit_scope(rig);
  SkinWeights planted;
  std::vector<char> marked(rig.mesh.vertex_count(), 0);
  const binding::EditSurface whole = binding::edit_surface(rig.mesh, rig.weights);
  for (Index v = 0; v < marked.size(); ++v) {
    std::vector<Influence> row(rig.weights.row(v).begin(), rig.weights.row(v).end());
    const Index w = whole.welding.welded[v];
    if (scope.editable[v] && !row.empty() && w % 25 < 3) {
      marked[v] = 1;
      if (w % 25 == 0) row[0].weight = std::numeric_limits<float>::quiet_NaN();
      if (w % 25 == 1) row.clear();
      if (w % 25 == 2)
        for (Influence& i : row) i.weight *= 0.5F;
    }
    planted.add_row(row);
  }
  const binding::Faults faults =
      binding::find_faults(planted, subject, binding::edit_surface(rig.mesh, planted), scope);
  Index all = 0, found = 0, good = 0, touched = 0;
  for (Index v = 0; v < marked.size(); ++v) {
    if (!scope.editable[v]) continue;
    const bool flagged = faults.of_vertex[v] != binding::Fault::kNone;
    if (marked[v]) ++all, found += flagged;
    else ++good, touched += flagged;
  }
  EXPECT_GE(found, 0.95 * all);
  EXPECT_LE(touched, 0.01 * good);
}

INSTANTIATE_TEST_SUITE_P(Characters, RealWeights,
                         testing::Values("rigged/CesiumMan.glb", "rigged/Fox.glb", "rigged/human-male.glb",
                                         "rigged/human-bunny.glb", "rigged/horse-animations.glb",
                                         "rigged/dragon-animations.glb", "rigged/spider-animations.glb",
                                         "rigged/HVGirl.glb", "rigged/Knight.glb", "rigged/Godette_vrm_v4.vrm",
                                         "rigged/100Avatars_002_CoolAlien.vrm"),
                         [](const auto& parameter) {
                           std::string name = fs::path(parameter.param).stem().string();
                           std::replace_if(
                               name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace sinew::pipeline
