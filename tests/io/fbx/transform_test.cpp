// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/fbx/transform.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "sinew/core/angles.h"

namespace sinew::io::fbx {
namespace {

Mat3 about(int axis, double degrees) {
  return Eigen::AngleAxisd(radians(degrees), Vec3(Vec3::Unit(axis))).toRotationMatrix();
}

Record list_of(std::vector<Record> properties) {
  Record list;
  list.name = "Properties70";
  list.children = std::move(properties);
  return list;
}

Record integer_property(std::string_view name, const std::int32_t& value) {
  Record record;
  record.name = "P";
  record.values.resize(4);
  record.values[0] = {'S', false, 0, std::as_bytes(std::span(name.data(), name.size()))};
  record.values.push_back({'I', false, 0, std::as_bytes(std::span(&value, 1))});
  return record;
}

TEST(FbxTransform, RotationOrdersNameTheAxesFirstToLast) {
  const std::int32_t active = 1;
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {1, 0, 2}, {2, 0, 1}, {2, 1, 0}};
  const Vec3 angles(10, 35, -70);
  for (std::int32_t order = 0; order < 6; ++order) {
    const Record list = list_of({integer_property("RotationActive", active), integer_property("RotationOrder", order)});
    const NodeTransform node = read_transform(Properties(&list, nullptr));
    const auto turn = [&](int place) { return about(orders[order][place], angles[orders[order][place]]); };
    const Mat3 expected = turn(2) * turn(1) * turn(0);
    EXPECT_LT((node.rotation({Vec3::Zero(), angles, Vec3::Ones()}).toRotationMatrix() - expected).norm(), 1e-12)
        << order;
  }
}

TEST(FbxTransform, PivotsAndOffsetsAreAppliedInTheirOrder) {
  NodeTransform node;
  node.rotation_offset = {1, 2, 3};
  node.rotation_pivot = {4, 5, 6};
  node.scaling_offset = {7, 8, 9};
  node.scaling_pivot = {-1, -2, -3};
  node.pre = Quat(about(0, 30));
  node.post = Quat(about(1, 50));
  const Pose pose = {{10, 20, 30}, {15, 25, 35}, {2, 3, 4}};
  // A point, moved by hand from right to left.
  Vec3 p(0.5, -0.25, 2);
  const Vec3 start = p;
  p -= node.scaling_pivot;
  p = p.cwiseProduct(pose.scaling) + node.scaling_pivot + node.scaling_offset - node.rotation_pivot;
  p = about(0, 30) * about(2, 35) * about(1, 25) * about(0, 15) * about(1, -50) * p;
  p += node.rotation_pivot + node.rotation_offset + pose.translation;
  EXPECT_LT((transform_point(node.local(pose), start) - p).norm(), 1e-12);
}

TEST(FbxTransform, EveryModeOfInheritancePassesScaleAsStated) {
  NodeTransform parent, child;
  const Pose above = {{1, 2, 3}, {0, 0, 40}, {2, 1, 0.5}}, below = {{0, 5, 0}, {30, 0, 20}, {1, 3, 1}};
  const Mat3 R = parent.rotation(above).toRotationMatrix(), r = child.rotation(below).toRotationMatrix();
  const Mat3 S = above.scaling.asDiagonal(), s = below.scaling.asDiagonal();
  const Global top = child_global({}, parent, above);
  const Mat3 expected[3] = {R * r * S * s, R * S * r * s, R * r * s};
  for (const Inherit mode : {Inherit::kRrSs, Inherit::kRSrs, Inherit::kRrs}) {
    child.inherit = mode;
    const Global global = child_global(top, child, below);
    EXPECT_LT((global.matrix.topLeftCorner<3, 3>() - expected[static_cast<int>(mode)]).norm(), 1e-12);
    // A child is where its parent's whole transform puts its translation, in every mode.
    const Vec3 place = transform_point(top.matrix, below.translation);
    EXPECT_LT((global.matrix.topRightCorner<3, 1>() - place).norm(), 1e-12);
    EXPECT_LT((top.matrix * relative_matrix(top, child, below) - global.matrix).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace sinew::io::fbx
