// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Owners that are found against those that are known, over families of made characters. A few of each by default; with
// SINEW_LONG=1 in the environment 200.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sinew/binding/segment/segmentation.h"
#include "sinew/shapes/kinds.h"

namespace sinew::binding {
namespace {

// The share of vertices whose owner is of the joint that moves them most. Of two that move a vertex alike, as those on
// the ring round a joint, either is right.
double joint_agreement(const Segmentation& found, const Rig& rig) {
  std::size_t right = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    const auto row = rig.weights.row(v);
    const Index joint = found.segments[found.owner[v]].joint;
    right += std::any_of(row.begin(), row.end(), [&](const Influence& influence) {
      return influence.joint == joint && influence.weight >= row.front().weight - 1e-3F;
    });
  }
  return static_cast<double>(right) / rig.mesh.vertex_count();
}

// A family is always better than by the nearest bone, and so are nearly all of its members: of 3,000 only people in a T
// pose were ever worse, by at most 0.0017.
constexpr double kMostLag = 0.002;

// What is asked of a kind: the least agreement, on average, in a standard and in a random pose.
struct Gate {
  const char* kind;
  double standard, random;
};

void PrintTo(const Gate& gate, std::ostream* out) { *out << gate.kind; }

class MadeSegmentation : public testing::TestWithParam<Gate> {};

TEST_P(MadeSegmentation, AgreesWithKnownOwnersAndBetterThanTheNearestBoneDoes) {
  const char* const asked = std::getenv("SINEW_LONG");
  const int count = asked != nullptr && std::string(asked) == "1" ? 200 : 3;
  for (const char* pose : {"t", "a", "random"}) {
    double sum = 0, nearest = 0, lag = -1;
    for (int i = 0; i < count; ++i) {
      shapes::MakeOptions options;
      options.vary = 1;
      options.seed = i + 1;
      options.made_pose = pose;
      const Rig rig = shapes::make(GetParam().kind, options).made.character.rig;
      const Subject subject = rest_subject(rig.mesh, rig.skeleton);
      const Segmentation found = segment(subject);
      ASSERT_TRUE(validate(found, rig.mesh.vertex_count(), rig.skeleton.size()).empty());
      const double ours = joint_agreement(found, rig), theirs = joint_agreement(nearest_bones(subject), rig);
      sum += ours;
      nearest += theirs;
      lag = std::max(lag, theirs - ours);
    }
    const double gate = std::string(pose) == "random" ? GetParam().random : GetParam().standard;
    EXPECT_GE(sum / count, gate) << GetParam().kind << ", pose " << pose;
    EXPECT_GE(sum, nearest) << GetParam().kind << ", pose " << pose;
    EXPECT_LE(lag, kMostLag) << GetParam().kind << ", pose " << pose << ": worse than the nearest bone";
    RecordProperty(std::string(GetParam().kind) + "_" + pose, std::to_string(sum / count));
    std::printf("%s, pose %s: %.4f, nearest bone %.4f, at most %.4f behind it\n", GetParam().kind, pose, sum / count,
                nearest / count, std::max(lag, 0.0));
    std::fflush(stdout);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MadeSegmentation,
                         testing::Values(Gate{"human", 0.92, 0.92}, Gate{"hand", 0.96, 0.95},
                                         Gate{"quadruped", 0.95, 0.95}, Gate{"bird", 0.94, 0.93},
                                         Gate{"octopus", 0.95, 0.95}),
                         [](const testing::TestParamInfo<Gate>& info) { return std::string(info.param.kind); });

}  // namespace
}  // namespace sinew::binding
