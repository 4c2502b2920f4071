// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/human.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "sinew/deform/blend/linear.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/spatial/self_intersection.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"

namespace sinew::shapes {
namespace {

MakeOptions small() {
  MakeOptions options;
  options.vertices = 3000;
  return options;
}

const Clip& clip_named(const Made& made, const std::string& name) {
  return *std::find_if(made.character.clips.begin(), made.character.clips.end(),
                       [&](const Clip& clip) { return clip.name == name; });
}

std::vector<Vec3> at(const Made& made, const Clip& clip, double time_s) {
  const Rig& rig = made.character.rig;
  return deform::linear_positions(rig, motion::resolve(rig.skeleton, motion::sample(rig, clip, time_s)));
}

TEST(Human, HasTheVolumeOfAPersonOfThatHeight) {
  const Made made = human(small(), {});
  const Box box = made.character.rig.mesh.bounds();
  EXPECT_NEAR(box.lower.y(), 0, 1e-9);
  EXPECT_NEAR(box.upper.y(), 1.75, 1e-9);
  EXPECT_LT(std::abs(box.center().x()), 1e-9);
  // Water weighs 1,000 kg a cubic metre, and so nearly do people.
  const double volume = geometry::volume(made.character.rig.mesh).volume;
  EXPECT_GT(volume, 0.045);
  EXPECT_LT(volume, 0.085);
}

TEST(Human, HasAboutTheVerticesAskedFor) {
  for (const int wanted : {5000, 12000, 40000}) {
    MakeOptions options;
    options.vertices = wanted;
    const double ratio = human(options, {}).character.rig.mesh.vertex_count() / static_cast<double>(wanted);
    EXPECT_GT(ratio, 0.6);
    EXPECT_LT(ratio, 1.6);
  }
}

TEST(Human, IsItsOwnMirrorImage) {
  for (const char* pose : {"t", "a"}) {
    MakeOptions options = small();
    options.made_pose = pose;
    options.vary = 0.5;
    options.seed = 4;
    const Made made = human(options, {});
    std::set<std::tuple<long, long, long>> places;
    const auto key = [](const Vec3& p) {
      return std::tuple(std::lround(p.x() * 1e5), std::lround(p.y() * 1e5), std::lround(p.z() * 1e5));
    };
    const auto& positions = made.character.rig.mesh.positions;
    for (const Vec3& p : positions) places.insert(key(p));
    std::size_t lost = 0;
    for (const Vec3& p : positions) {
      bool found = false;
      // Rounding may put a twin in the next cell.
      for (int dx = -1; dx <= 1 && !found; ++dx)
        for (int dy = -1; dy <= 1 && !found; ++dy)
          for (int dz = -1; dz <= 1 && !found; ++dz) {
            auto k = key({-p.x(), p.y(), p.z()});
            std::get<0>(k) += dx, std::get<1>(k) += dy, std::get<2>(k) += dz;
            found = places.count(k) > 0;
          }
      if (!found) ++lost;
    }
    EXPECT_EQ(lost, 0U) << pose;
  }
}

TEST(Human, EqualTurnsAboutTheBendAxisBendBothSidesAlike) {
  const Made made = human(small(), {});
  const Skeleton& skeleton = made.character.rig.skeleton;
  for (const std::string name : {"Forearm", "Shin", "Index2", "Foot"}) {
    Pose pose = rest_pose(made.character.rig);
    for (const std::string side : {"Left", "Right"}) {
      Transform& local = pose.local[skeleton.find(side + name)];
      local.rotation = local.rotation * Quat(Eigen::AngleAxisd(0.7, Vec3::UnitZ()));
    }
    const std::vector<Mat4> model = model_matrices(skeleton, pose.local);
    const auto tip = [&](const std::string& side) {
      return Vec3(transform_point(model[skeleton.find(side + name)], Vec3(0, 0.1, 0)));
    };
    const Vec3 left = tip("Left");
    const Vec3 right = tip("Right");
    EXPECT_LT((Vec3(-left.x(), left.y(), left.z()) - right).norm(), 1e-9) << name;
  }
}

TEST(Human, BonesRunAlongY) {
  const Made made = human(small(), {});
  const Skeleton& skeleton = made.character.rig.skeleton;
  for (const auto& [from, to] :
       {std::pair("LeftUpperArm", "LeftForearm"), std::pair("RightForearm", "RightHand"),
        std::pair("LeftThigh", "LeftShin"), std::pair("Spine", "Chest"), std::pair("RightRing1", "RightRing2")}) {
    const Vec3 offset = skeleton.joints[skeleton.find(to)].rest.translation;
    EXPECT_LT(std::hypot(offset.x(), offset.z()), 1e-9) << to;
    EXPECT_GT(offset.y(), 0) << to;
    EXPECT_EQ(skeleton.joints[skeleton.find(to)].parent, skeleton.find(from));
  }
}

TEST(Human, WaveBeginsAndEndsRelaxedInEveryRestPose) {
  for (const char* pose : {"a", "t", "random"}) {
    MakeOptions options = small();
    options.made_pose = pose;
    const Made made = human(options, {});
    const Clip& wave = clip_named(made, "wave");
    const std::vector<Vec3> first = at(made, wave, 0);
    const std::vector<Vec3> last = at(made, wave, wave.duration_s());
    double worst = 0;
    for (std::size_t v = 0; v < first.size(); ++v) worst = std::max(worst, (first[v] - last[v]).norm());
    EXPECT_LT(worst, 1e-5) << pose;
    if (std::string(pose) != "a") continue;
    worst = 0;
    for (std::size_t v = 0; v < first.size(); ++v)
      worst = std::max(worst, (first[v] - made.character.rig.mesh.positions[v]).norm());
    EXPECT_LT(worst, 0.005);
  }
}

TEST(Human, WalksOnTheGround) {
  const Made made = human(small(), {});
  const Clip& walk = clip_named(made, "walk");
  for (int frame = 0; frame < 24; ++frame) {
    double lowest = std::numeric_limits<double>::infinity();
    for (const Vec3& p : at(made, walk, frame / 24.0)) lowest = std::min(lowest, p.y());
    EXPECT_NEAR(lowest, 0, 0.02) << frame;
  }
}

TEST(Human, ClothesAreShellsOfTheirOwnClearOfTheSkin) {
  for (const int seed : {0, 1, 2}) {
    MakeOptions options;
    options.clothes = true;
    options.seed = seed;
    options.vary = seed == 0 ? 0 : 0.3;
    const Made made = human(options, {});
    const Mesh& mesh = made.character.rig.mesh;
    std::vector<std::string> names;
    for (const MeshPart& part : mesh.parts) names.push_back(part.name);
    EXPECT_EQ(names, (std::vector<std::string>{"Body", "Shirt", "Trousers", "Hair", "Eyes", "Buttons"}));
    EXPECT_EQ(made.character.materials.size(), mesh.parts.size());
    geometry::SelfIntersectionOptions list;
    list.list = true;
    const std::vector<Triangle> triangles = triangulate(mesh);
    const auto part_of = [&](Index triangle) {
      for (std::size_t p = 0; p < mesh.parts.size(); ++p)
        if (triangles[triangle].face < mesh.parts[p].first_face + mesh.parts[p].face_count) return names[p];
      return std::string();
    };
    std::map<std::string, int> meetings;
    for (const geometry::TrianglePair& pair : geometry::self_intersections(mesh, list).pairs)
      ++meetings[part_of(pair.a) + "/" + part_of(pair.b)];
    EXPECT_EQ(meetings["Body/Shirt"], 0) << seed;
    EXPECT_EQ(meetings["Body/Trousers"], 0) << seed;
    EXPECT_EQ(meetings["Shirt/Trousers"], 0) << seed;
    EXPECT_EQ(meetings["Body/Hair"], 0) << seed;
    EXPECT_EQ(meetings["Shirt/Buttons"], 0) << seed;
    EXPECT_EQ(meetings["Body/Body"], 0) << seed;
  }
}

}  // namespace
}  // namespace sinew::shapes
