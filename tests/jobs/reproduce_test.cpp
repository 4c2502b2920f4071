// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/reproduce.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/io/file.h"
#include "sinew/jobs/make.h"
#include "sinew/lab/blend_bar/blend_bar.h"
#include "sinew/lab/pbd/pbd.h"
#include "sinew/lab/transfer/transfer.h"
#include "sinew/measure/enclosed_volume.h"
#include "tests/measure/limb_rigs.h"
#include "tests/support/environment.h"

namespace sinew::jobs {

using namespace lab;

namespace {

namespace fs = std::filesystem;

double points(double share) { return 100 * share; }

BarSetup layers(int count) {
  BarSetup setup;
  setup.layers = count;
  return setup;
}

double limit(int row, const std::string& method) {
  return method == "lbs" ? closed_form_loss(0.25, 4, bar_rotations(row)) : 0;
}

TEST(BlendBar, IsThePublishedMesh) {
  const Rig rig = bar_rig({});
  EXPECT_EQ(rig.mesh.vertex_count(), 1298U);
  EXPECT_EQ(rig.mesh.face_count(), 2592U);
  EXPECT_NEAR(measure::EnclosedVolume(rig.mesh, geometry::weld(rig.mesh)).total(rig.mesh.positions), 32, 1e-12);
  BarSetup flat;
  flat.depth = 1.3;
  const Rig other = bar_rig(flat);
  EXPECT_NEAR(measure::EnclosedVolume(other.mesh, geometry::weld(other.mesh)).total(other.mesh.positions), 20.8, 1e-12);
}

TEST(BlendBar, TheClosedFormIsThatOfTheLaw) {
  // One of four links twisted by half a turn: 4c²/n. Bent by a quarter: the half of that, less the quarter of the tilt.
  EXPECT_NEAR(points(closed_form_loss(0.25, 4, {test::turn(Vec3::UnitY(), kPi)})), 6.25, 1e-12);
  EXPECT_NEAR(points(closed_form_loss(0.25, 4, {test::turn(Vec3::UnitX(), kPi / 2)})), 6.25 * (0.5 - 0.25), 1e-12);
  const std::array<double, 6> column = {6.250, 12.312, 16.999, 15.437, 14.702, 14.057};
  for (int row = 1; row <= 6; ++row)
    EXPECT_NEAR(points(limit(row, "lbs")), column[static_cast<std::size_t>(row - 1)], 6e-4) << row;
}

TEST(BlendBar, TheReferenceMeshLosesWhatItShould) {
  const std::array<double, 6> linear = {6.360, 12.528, 17.298, 15.763, 15.044, 14.432};
  const std::array<double, 6> dual = {0.317, 0.558, 0.687, 0.766, 0.807, 0.884};
  const Rig rig = bar_rig({});
  for (int row = 1; row <= 6; ++row) {
    const auto i = static_cast<std::size_t>(row - 1);
    EXPECT_NEAR(points(bar_loss(rig, bar_rotations(row), "lbs")), linear[i], 0.005) << row;
    EXPECT_NEAR(points(bar_loss(rig, bar_rotations(row), "dqs")), dual[i], 0.005) << row;
  }
}

TEST(BlendBar, ComesNearTheClosedFormWithFineLayers) {
  const Rig rig = bar_rig(layers(640));
  for (const char* method : {"lbs", "dqs"})
    for (int row = 1; row <= 6; ++row)
      EXPECT_NEAR(points(bar_loss(rig, bar_rotations(row), method)), points(limit(row, method)), 0.02) << method << row;
}

TEST(BlendBar, ConvergesWithTheSquareOfTheLayers) {
  for (const char* method : {"lbs", "dqs"})
    for (const int row : {1, 3, 6}) {
      std::vector<double> errors;
      for (const int count : {40, 80, 160, 320})
        errors.push_back(std::abs(bar_loss(bar_rig(layers(count)), bar_rotations(row), method) - limit(row, method)));
      const double order = std::log2(errors.front() / errors.back()) / 3;
      EXPECT_NEAR(order, 2, 0.2) << method << row;
    }
}

TEST(BlendBar, AgreesWithTheClosedFormForAnySpreadAnglesLinksAndSection) {
  geometry::Random random(4711);
  for (int trial = 0; trial < 8; ++trial) {
    BarSetup setup;
    setup.links = 3 + static_cast<int>(random.below(6));
    setup.layers = 120 * setup.links;
    setup.spread = 0.18 + 0.12 * random.uniform();
    setup.width = 0.5 + 2 * random.uniform();
    setup.depth = 0.5 + 2 * random.uniform();
    std::vector<Quat> turns(static_cast<std::size_t>(setup.links + 1), Quat::Identity());
    for (int j = 1; j < setup.links; ++j)
      turns[static_cast<std::size_t>(j)] =
          rotation_exp(1.6 * Vec3(2 * random.uniform() - 1, 2 * random.uniform() - 1, 2 * random.uniform() - 1));
    const Rig rig = bar_rig(setup);
    EXPECT_NEAR(points(bar_loss(rig, turns, "lbs")), points(closed_form_loss(setup.spread, setup.links, turns)), 0.05);
    EXPECT_NEAR(points(bar_loss(rig, turns, "dqs")), 0, 0.05);
  }
}

TEST(BlendBar, DoesNotDependOnTheSection) {
  BarSetup flat, thick;
  flat.depth = 1.3;
  thick.width = thick.depth = 3;
  const Rig rig = bar_rig({});
  for (const BarSetup& setup : {flat, thick})
    for (const int row : {1, 4, 6})
      for (const char* method : {"lbs", "dqs"})
        EXPECT_NEAR(points(bar_loss(bar_rig(setup), bar_rotations(row), method)),
                    points(bar_loss(rig, bar_rotations(row), method)), 2e-4);
}

/// The same bar, standing elsewhere.
Rig moved(Rig rig, const Eigen::Isometry3d& motion) {
  for (Vec3& p : rig.mesh.positions) p = motion * p;
  Transform& root = rig.skeleton.joints[0].rest;
  root.translation = motion * root.translation;
  root.rotation = Quat(motion.linear()) * root.rotation;
  for (Skin& skin : rig.skins)
    for (Mat4& m : skin.inverse_bind) m = m * motion.inverse().matrix();
  return rig;
}

TEST(BlendBar, DoesNotDependOnWhereTheBarStands) {
  geometry::Random random(99);
  const Rig rig = bar_rig({});
  const auto exact_loss = [](const Rig& bar, int row, bool dual) {
    std::vector<std::pair<Index, Quat>> turns;
    // A turn by exactly 180° has two ways round between which rounding would choose; dual quaternions get a little
    // less.
    for (Index j = 0; j < 5; ++j)
      turns.emplace_back(j, rotation_exp((dual ? 0.95 : 1) * rotation_log(bar_rotations(row)[j])));
    const ModelPose pose = test::turned(bar, turns);
    const measure::Shape shape = dual ? test::dual_quaternion_shape(bar, pose) : test::linear_shape(bar, pose);
    const measure::EnclosedVolume volume(bar.mesh, geometry::weld(bar.mesh));
    return 1 - volume.total(shape.positions) / volume.total(bar.mesh.positions);
  };
  for (int trial = 0; trial < 5; ++trial) {
    Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
    motion.rotate(rotation_exp(3 * Vec3(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5)));
    motion.translation() = 20 * Vec3(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5);
    const Rig other = moved(rig, motion);
    for (const int row : {2, 6}) {
      for (const bool dual : {false, true})
        EXPECT_NEAR(exact_loss(other, row, dual), exact_loss(rig, row, dual), 1e-9) << dual << row;
      // The kernels have single precision.
      for (const char* method : {"lbs", "dqs"})
        EXPECT_NEAR(points(bar_loss(other, bar_rotations(row), method)),
                    points(bar_loss(rig, bar_rotations(row), method)), 2e-3);
    }
  }
}

class Reproduce : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("sinew_reproduce_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string text(const std::string& name) { return std::string(io::as_text(io::read_file(folder_ / name))); }

  fs::path folder_;
};

TEST_F(Reproduce, FindsEveryFigureWithinItsBounds) {
  const Report report = reproduce({{"blend-bar"}, {}, false}, {}, {});
  EXPECT_EQ(report.status, Report::Status::kDone);
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_EQ(report.metrics["losses_percent"].size(), 6U);
  EXPECT_EQ(report.metrics["vertices"], 1298);
  for (const char* words : {"Table III", "Table IV", "Table V", "segmentation", "16.572"})
    EXPECT_NE(report.text.find(words), std::string::npos) << words;
  EXPECT_EQ(report.timing["deform_ms"]["lbs"].size(), 6U);
}

TEST_F(Reproduce, WritesTheSameTablesForAnyNumberOfThreads) {
  ReproduceOptions options;
  options.runs = 0;
  set_thread_count(1);
  reproduce({{"blend-bar"}, folder_ / "one.md", false}, options, {});
  set_thread_count(2);
  options.runs = 5;  // Times stay out of the file unless they are asked for.
  reproduce({{"blend-bar"}, folder_ / "two.md", false}, options, {});
  set_thread_count(0);
  EXPECT_EQ(text("one.md"), text("two.md"));
  EXPECT_EQ(text("one.md").find("Table III"), std::string::npos);
  options.with_times = true;
  reproduce({{"blend-bar"}, folder_ / "times.csv", false}, options, {});
  EXPECT_NE(text("times.csv").find("table_3,1: jn1 y 180°,LBS paper,0.052\n"), std::string::npos);
  EXPECT_NE(text("times.csv").find("table_4,6: jn3 z 80°,LBS paper,13.404\n"), std::string::npos);
}

TEST_F(Reproduce, ATwistedCylinderStaysThickWithPbd) {
  const test::Environment cache("SINEW_CACHE", (folder_ / "cache").string());  // All bases share their tetrahedra.
  Reproduction result;
  pbd_sections({}, result);
  ASSERT_EQ(result.tables.size(), 1U);
  EXPECT_EQ(result.tables[0].rows.size(), 6U);
  for (const auto& row : result.tables[0].rows) EXPECT_EQ(row.size(), result.tables[0].header.size());
  const Json& sections = result.metrics["sections"];
  const auto figure = [&](const char* twist, const char* what) { return sections[twist][what].get<double>(); };
  for (const char* twist : {"lbs 120", "lbs 180", "slbs 120", "slbs 180", "auto 120", "auto 180"})
    for (const char* what : {"alone", "springs", "corotated"}) {
      EXPECT_GE(figure(twist, what), 0) << twist << what;
      EXPECT_LE(figure(twist, what), 1.001) << twist << what;
    }
  // What linear blending leaves where two joints share a vertex: cos²(θ/2).
  EXPECT_NEAR(figure("lbs 120", "alone"), 0.25, 0.01);
  EXPECT_NEAR(figure("lbs 180", "alone"), 0, 0.01);
  for (const char* material : {"springs", "corotated"}) {
    EXPECT_GT(figure("lbs 120", material), 0.8);
    EXPECT_GT(figure("slbs 180", material), 0.85);
    EXPECT_GT(figure("auto 180", material), 0.85);
  }
  // What is wanted, and reported as a miss otherwise.
  EXPECT_EQ(result.misses.empty(), figure("auto 180", "corotated") >= 0.9);
}

TEST_F(Reproduce, PbdCountsCharactersThatHaveLimbs) {
  fs::create_directories(folder_ / "rigged");
  MakeOptions human;
  human.shape.vertices = 1500;
  make({{"human"}, folder_ / "rigged" / "HVGirl.glb", false}, human, {});
  make({{"cylinder"}, folder_ / "rigged" / "Fox.glb", false}, {}, {});
  ReproduceOptions options;
  options.data = folder_.string();
  std::array<Reproduction, 2> results;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    options.runs = threads - 1;
    pbd_real(options, {}, results[static_cast<std::size_t>(threads - 1)], 3);
  }
  set_thread_count(0);
  const ResultTable& table = results[0].tables.at(0);
  EXPECT_EQ(table.rows, results[1].tables.at(0).rows);
  EXPECT_EQ(results[0].metrics, results[1].metrics);
  // The one character, the worst, and three rows of counts.
  ASSERT_EQ(table.rows.size(), 5U);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  EXPECT_EQ(table.rows[0][0], "HVGirl");
  EXPECT_NE(table.rows[1][2].find("HVGirl"), std::string::npos);
  const Json& total = results[0].metrics["real_total"]["all"];
  EXPECT_EQ(total["poses"], 3);
  EXPECT_EQ(total["not_finite"], 0);
  EXPECT_EQ(total["reach_the_bound"]["wrist twist 120°"]["of"], 1);
  const Json& wrist = results[0].metrics["real"]["HVGirl"]["wrist twist 120°"];
  EXPECT_GT(wrist["lost"].get<double>(), 2e-4);
  for (const char* key : {"recovered", "without_skin_volume", "base", "on_linear", "plain_set_on_linear"})
    EXPECT_GT(wrist[key].get<double>(), 0.5) << key;
  // What linear blending is the base of, it loses.
  const Json& elbow = results[0].metrics["real"]["HVGirl"]["elbow bend 90°"];
  EXPECT_NEAR(elbow["base"].get<double>(), 0, 1e-3);
  EXPECT_GT(elbow["without_skin_volume"].get<double>(), 0.4);
  EXPECT_GT(elbow["recovered"].get<double>(), elbow["without_skin_volume"].get<double>());
  const Json& goal = results[0].metrics["real_total"]["before_the_last_step"];
  EXPECT_EQ(goal["of"], 4);
  EXPECT_GE(goal["reached"].get<int>(), 2);
  // Times are apart from all that.
  EXPECT_TRUE(results[0].times.empty());
  EXPECT_GT(results[1].timing["table_set_up"].at(0)["set_up_s"].get<double>(), 0);
}

void expect_full_rows(const ResultTable& table, std::size_t rows) {
  EXPECT_EQ(table.rows.size(), rows) << table.id;
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size()) << table.id << " " << row.front();
}

TEST_F(Reproduce, PbdShowsThePlainSetOfConstraintsBesideOurs) {
  Reproduction result;
  pbd_orders({}, result);
  expect_full_rows(result.tables.at(0), 5);
  EXPECT_EQ(result.tables[0].rows[2][0], "stretch, bind and volume alone");
  const Json& orders = result.metrics["orders"];
  for (const char* pose : {"twist 120°", "bend 90°", "bend 120°"}) {
    const double blended = orders["blended"][pose]["volume"].get<double>();
    for (const char* scheme : {"printed", "plain_set", "springs", "corotated"})
      EXPECT_GT(orders[scheme][pose]["volume"].get<double>(), blended + 0.03) << scheme << pose;
    EXPECT_NE(orders["plain_set"][pose], orders["springs"][pose]);
  }
}

TEST_F(Reproduce, PbdAsPrintedDoesNotDependOnStiffnessAndCorotatedDoes) {
  Reproduction result;
  pbd_stiffness({}, result);
  expect_full_rows(result.tables.at(0), 6);
  const Json& rows = result.metrics["figure_7"];
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_NEAR(rows[i]["whole_gradient"].get<double>(), rows[0]["whole_gradient"].get<double>(), 2e-3);
    EXPECT_GT(rows[i]["corotated"].get<double>(), rows[i - 1]["corotated"].get<double>());
  }
}

TEST_F(Reproduce, PbdTellsWhatEachStepBringsToAMadeHuman) {
  const test::Environment cache("SINEW_CACHE", (folder_ / "cache").string());
  Reproduction result;
  pbd_limbs({}, result, 1500);
  expect_full_rows(result.tables.at(0), 9);
  const auto loss = [&](const char* method, const char* turn) {
    return result.metrics["figure_15"][method][turn]["loss"].get<double>();
  };
  for (const char* bend : {"elbow bend 90°", "knee bend 90°"}) {
    const double linear = loss("linear", bend);
    EXPECT_GT(linear, 2e-4) << bend;
    EXPECT_LT(loss("on linear: stretch, bind and volume alone", bend), 0.8 * linear) << bend;
    EXPECT_LT(loss("on linear: corotated", bend), 0.8 * linear) << bend;
    EXPECT_LT(std::abs(loss("on linear: corotated, then skin volume", bend)), 0.2 * linear) << bend;
  }
}

TEST_F(Reproduce, PbdTimesAModelOfTheTable) {
  ReproduceOptions options;
  options.runs = 10;
  Reproduction result;
  pbd_times(options, {}, result, 0.05, 1);
  expect_full_rows(result.times.at(0), 1);
  EXPECT_TRUE(result.tables.empty());
  for (const Json& row : result.timing["table_2"])
    for (const char* key :
         {"lbs_ms", "dqs_ms", "springs_ms", "corotated_ms", "springs_body_ms", "corotated_body_ms", "set_up_s"})
      EXPECT_GT(row[key].get<double>(), 0) << row["model"] << key;
}

TEST_F(Reproduce, PbdFoldsMeetLessWithContact) {
  Reproduction result;
  pbd_folds({}, result, 1500);
  ASSERT_EQ(result.tables.size(), 1U);
  for (const auto& row : result.tables[0].rows) EXPECT_EQ(row.size(), result.tables[0].header.size());
  ASSERT_EQ(result.metrics["figure_10"].size(), 31U);
  const Json &straight = result.metrics["figure_10"][0], &bent = result.metrics["figure_10"][30];
  EXPECT_EQ(bent["degrees"], 150);
  for (const char* method : {"linear", "pbd", "contact"}) EXPECT_EQ(straight[method]["pairs"], 0) << method;
  EXPECT_GT(bent["pbd"]["pairs"].get<int>(), 10);
  EXPECT_GT(bent["pbd"]["overlap"].get<double>(), 0);
  EXPECT_LT(bent["contact"]["pairs"].get<int>(), bent["pbd"]["pairs"].get<int>());
  EXPECT_LT(bent["contact"]["overlap"].get<double>(), bent["pbd"]["overlap"].get<double>());
}

TEST_F(Reproduce, PbdComparesArmpitsAndConstraints) {
  Reproduction result;
  pbd_armpit({}, result, 1500);
  pbd_rival({}, result, 1500);
  ASSERT_EQ(result.tables.size(), 2U);
  for (const ResultTable& table : result.tables)
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size()) << table.title;
  for (const char* weights : {"Eq. 2, as printed", "Eq. 2, faded", "heat", "true"})
    EXPECT_GT(result.metrics["figure_11"][weights]["linear"]["crumpling_rad"].get<double>(), 0) << weights;
  const auto loss = [&](const char* set) {
    return result.metrics["figure_16"][set]["knee 130°"]["loss"].get<double>();
  };
  EXPECT_LT(std::abs(loss("with energy")), 0.01);
  EXPECT_LT(std::abs(loss("plain set")), 0.01);
}

TEST_F(Reproduce, PbdPlaysClipsByStageAndSwingsForLong) {
  ReproduceOptions options;
  options.runs = 10;
  Reproduction result;
  pbd_clips(options, {}, result, 0.05);
  expect_full_rows(result.times.at(0), 2);
  for (const Json& clip : result.metrics["figure_17"]) EXPECT_GT(clip["body"].get<int>(), 1000);
  pbd_swings(options, {}, result, 20);
  ASSERT_EQ(result.metrics["dynamics"].size(), 3U);
  for (const Json& rate : result.metrics["dynamics"]) {
    EXPECT_EQ(rate["not_finite"], 0);
    EXPECT_TRUE(rate["same_again"].get<bool>());
    EXPECT_GT(rate["largest_rel"].get<double>(), 0);
  }
}

TEST_F(Reproduce, TransferBySkeletonBeatsClosestPointsOnArms) {
  Reproduction result;
  transfer_arms({}, result, 300);
  ASSERT_EQ(result.tables.size(), 4U);
  for (const ResultTable& table : result.tables) expect_full_rows(table, 6);
  for (const char* arm : {"slender", "muscular", "A-pose", "shifted"}) {
    const Json& methods = result.metrics["arm"][arm];
    EXPECT_LT(methods["skeleton, shipping"]["mean_tv"].get<double>(), methods["closest point"]["mean_tv"].get<double>())
        << arm;
    EXPECT_LT(methods["skeleton, shipping"]["bend_rms"].get<double>(),
              methods["closest point"]["bend_rms"].get<double>())
        << arm;
  }
  // Onto itself the closest point is the vertex.
  EXPECT_LT(result.metrics["arm"]["itself"]["closest point"]["mean_tv"].get<double>(), 1e-4);
}

TEST_F(Reproduce, TransferAblationsChangeWhatTheyName) {
  Reproduction result;
  transfer_ablations({}, result, 300);
  expect_full_rows(result.tables.at(0), 17);
  const Json& variants = result.metrics["ablation"];
  const double shipping = variants["shipping: 32 rays, 15°, exponent 3"]["mean_tv"].get<double>();
  EXPECT_LT(shipping, 0.06);
  for (const char* worse : {"best candidate alone", "directions not turned", "4 influences", "cone 45°"})
    EXPECT_GT(variants[worse]["mean_tv"].get<double>(), shipping) << worse;
}

TEST_F(Reproduce, TransferTimesCountTheRaysOfThePaper) {
  ReproduceOptions options;
  options.runs = 1;
  Reproduction result;
  transfer_times(options, {}, result, 1);
  expect_full_rows(result.times.at(0), 1);
  const Json& row = result.timing["table_1"].at(0);
  EXPECT_NEAR(row["rays"].get<double>(), 169088, 0.1 * 169088);
  EXPECT_GT(row["seconds"].get<double>(), 0);
}

TEST_F(Reproduce, TransferTriesCopiesOfRealCharacters) {
  fs::create_directories(folder_ / "rigged");
  MakeOptions human;
  human.shape.vertices = 300;
  make({{"human"}, folder_ / "rigged" / "HVGirl.glb", false}, human, {});
  ReproduceOptions options;
  options.data = folder_.string();
  Reproduction result;
  transfer_real(options, {}, result);
  ASSERT_EQ(result.tables.size(), 4U);
  for (const ResultTable& table : result.tables) expect_full_rows(table, 2);  // The one character and the mean.
  for (const char* copy : {"real_copy_tv", "real_build_tv"}) {
    const Json& methods = result.metrics[copy]["HVGirl"];
    EXPECT_EQ(methods.size(), 6U);
    EXPECT_LT(methods["skeleton, shipping"]["mean_tv"].get<double>(),
              methods["bound by voxels"]["mean_tv"].get<double>());
  }
  options.data = (folder_ / "nowhere").string();
  EXPECT_THROW(transfer_real(options, {}, result), Error);
}

TEST_F(Reproduce, RefusesWhatItCannotDo) {
  EXPECT_THROW(reproduce({{"blend-ba"}, {}, false}, {}, {}), Error);
  EXPECT_THROW(reproduce({{"blend-bar"}, folder_ / "table.txt", false}, {}, {}), Error);
}

}  // namespace
}  // namespace sinew::jobs
