// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/warp/warped_mesh.h"

#include <gtest/gtest.h>

#include "sinew/transfer/warp/warp_transfer.h"
#include "tests/transfer/arms.h"

namespace sinew::transfer {
namespace {

TEST(WarpedMesh, ABodyWarpedToItselfStays) {
  const Rig arm = test::arm("reference");
  const Mesh warped = warped_mesh(test::reference_of(arm), test::side_of(arm), test::arm_pairs(arm, arm));
  for (Index v = 0; v < warped.vertex_count(); ++v)
    EXPECT_LT((warped.positions[v] - arm.mesh.positions[v]).norm(), 1e-9 * arm.mesh.size());
}

TEST(WarpedMesh, AMovedAndScaledBodyIsMetExactly) {
  const Rig arm = test::arm("reference");
  const Quat rotation(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  const Rig moved = test::moved_rig(arm, rotation, 1.7, Vec3(1, -2, 0.5));
  const Mesh warped = warped_mesh(test::reference_of(arm), test::side_of(moved),
                                  test::arm_pairs(arm, moved, rotation.toRotationMatrix().transpose()));
  for (Index v = 0; v < warped.vertex_count(); ++v)
    EXPECT_LT((warped.positions[v] - moved.mesh.positions[v]).norm(), 1e-6 * moved.mesh.size());
}

TEST(WarpTransfer, ItIsExactOnTheSameBodyAndBeatsClosestPointsInAnotherPose) {
  const Rig reference = test::arm("reference"), posed = test::arm("rotated");
  TransferOptions all;
  all.max_influences = 0;
  const WeightTransfer same = transfer_by_warp(test::reference_of(reference), test::side_of(reference),
                                               test::arm_pairs(reference, reference), all);
  EXPECT_LT(test::worst_tv(same.weights, reference.weights), 1e-4);
  const WeightTransfer made =
      transfer_by_warp(test::reference_of(reference), test::side_of(posed), test::arm_pairs(reference, posed), all);
  EXPECT_LT(test::mean_tv(made.weights, posed.weights),
            0.6 * test::mean_tv(test::closest_point_weights(reference, posed.mesh), posed.weights));
}

}  // namespace
}  // namespace sinew::transfer
