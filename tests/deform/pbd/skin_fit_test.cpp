// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/skin_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/character.h"
#include "sinew/shapes/kinds.h"
#include "tests/support/threads.h"

namespace sinew::deform {
namespace {

/// A cylinder whose rings are far apart, filled with small tetrahedra.
class SkinFitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    shapes::MakeOptions make;
    make.vertices = 150;
    rig_ = shapes::make("cylinder", make).made.character.rig;
    body_ = make_pbd_body(rig_, {6000, false});
    const geometry::Welding welding = geometry::weld(rig_.mesh);
    std::vector<Index> moved(welding.count(), kNone);
    for (const PbdBody::Rider& rider : body_.riders) {
      Index& number = moved[welding.welded[rider.vertex]];
      if (number != kNone) continue;
      number = static_cast<Index>(riders_.size());
      riders_.push_back(rider);
    }
    fit_ = std::make_unique<SkinFit>(rig_, body_, welding, moved);
  }

  std::vector<Vec3f> ridden(const std::vector<Vec3f>& corrections) const {
    std::vector<Vec3f> on_skin;
    for (const PbdBody::Rider& rider : riders_) {
      on_skin.emplace_back(Vec3f::Zero());
      for (std::size_t k = 0; k < 4; ++k) on_skin.back() += rider.shares[k] * corrections[rider.corners[k]];
    }
    return on_skin;
  }
  std::vector<Vec3f> fitted(const std::vector<Vec3f>& corrections, int rounds) const {
    std::vector<Vec3f> on_skin = ridden(corrections);
    SkinFit::Scratch scratch;
    fit_->fit(rounds, corrections, scratch, on_skin);
    return on_skin;
  }
  /// Every free particle goes outwards, as far as a wave along the cylinder tells.
  std::vector<Vec3f> swollen(double waves) const {
    std::vector<Vec3f> corrections(body_.tets.positions.size(), Vec3f::Zero());
    const Box box = rig_.mesh.bounds();
    for (Index p = 0; p < corrections.size(); ++p) {
      if (body_.free[p] == 0) continue;
      const Vec3& at = body_.tets.positions[p];
      const double along = (at.y() - box.lower.y()) / box.extent().y();
      const Vec3 outwards = Vec3(at.x() - box.center().x(), 0, at.z() - box.center().z()).normalized();
      corrections[p] = (0.05 * rig_.mesh.size() * std::pow(std::sin(kPi * waves * along), 2) * outwards).cast<float>();
    }
    return corrections;
  }
  /// What of the corrections of samples the faces do not show.
  double missed(const std::vector<Vec3f>& corrections, std::vector<Vec3f> on_skin) const {
    SkinFit::Scratch scratch;
    fit_->fit(1, corrections, scratch, on_skin);
    double sum = 0;
    for (const Vec3f& residual : scratch.residuals) sum += residual.cast<double>().squaredNorm();
    return sum;
  }

  Rig rig_;
  PbdBody body_;
  std::vector<PbdBody::Rider> riders_;
  std::unique_ptr<SkinFit> fit_;
};

TEST_F(SkinFitTest, EveryRoundShowsMoreOfWhatTetrahedraDoBetweenVertices) {
  ASSERT_GT(fit_->samples(), 3 * riders_.size());
  for (const double waves : {2.0, 5.0}) {
    const std::vector<Vec3f> corrections = swollen(waves);
    double before = missed(corrections, ridden(corrections));
    EXPECT_GT(before, 0);
    for (const int rounds : {1, 2, 4}) {
      const double after = missed(corrections, fitted(corrections, rounds));
      EXPECT_LT(after, rounds == 1 ? 0.95 * before : before) << waves << " " << rounds;
      before = after;
    }
  }
}

TEST_F(SkinFitTest, WhereNothingIsCorrectedNothingMoves) {
  const std::vector<Vec3f> none(body_.tets.positions.size(), Vec3f::Zero());
  for (const Vec3f& step : fitted(none, 3)) EXPECT_EQ(step, Vec3f(Vec3f::Zero()));
}

TEST_F(SkinFitTest, ThreadsDoNotMatter) {
  const std::vector<Vec3f> corrections = swollen(3);
  const auto with_threads = [&](int count) {
    const test::Threads threads(count);
    return fitted(corrections, 2);
  };
  EXPECT_EQ(with_threads(1), with_threads(2));
}

}  // namespace
}  // namespace sinew::deform
