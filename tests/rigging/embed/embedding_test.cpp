// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/embedding.h"

#include <gtest/gtest.h>

#include "tests/rigging/bodies.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

double along(const Interior& interior) { return 0.9 / interior.voxels.cell; }

TEST(MakeBody, ABoxHasAboutTheVoxelsThatAreAllowed) {
  BodyOptions options;
  options.most_voxels = 400000;
  const Body body = make_body(cube(), options);
  EXPECT_LT(static_cast<double>(body.interior.voxels.solid.size()), 1.1 * options.most_voxels);
  EXPECT_GT(static_cast<double>(body.interior.voxels.solid.size()), 0.8 * options.most_voxels);
}

TEST(MakeBody, ABoxHasAtLeast64VoxelsAlongASide) {
  BodyOptions options;
  options.most_voxels = 50000;
  EXPECT_NEAR(along(make_body(cube(), options).interior), 64, 0.5);
}

TEST(MakeBody, AThinShellInALargeBoxKeepsTheFullResolution) {
  // Its box is roomy, but the shell fills little of it.
  const Mesh shell = joined(torus(1, 0.08), shifted(torus(1, 0.08), Vec3(0, 0, 1)));
  const Body body = make_body(shell);
  EXPECT_NEAR(along(body.interior), 200, 0.5);
}

TEST(BoundedResolution, IsTheAskedOneForASlenderBodyAndKeepsTheLimitForABox) {
  const Interior slender = interior(capsule(1, 0.1), {.resolution = 64});
  EXPECT_EQ(bounded_resolution(slender, 96, 60000), 96);
  const Interior box = interior(cube(), {.resolution = 32});
  const int resolution = bounded_resolution(box, 96, 60000);
  EXPECT_LT(resolution, 96);
  const double solid = static_cast<double>(interior(cube(), {.resolution = resolution}).voxels.solid.size());
  EXPECT_LT(solid, 1.2 * 60000);
  EXPECT_GT(solid, 0.6 * 60000);
}

}  // namespace
}  // namespace sinew::rigging
