// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/implicit_store.h"

#include <gtest/gtest.h>

#include "tests/deform/skin_rigs.h"

namespace sinew::deform {
namespace {

TEST(ImplicitStore, WhatIsWrittenIsReadBackBitForBit) {
  const Rig rig = testing::two_joint_tube(16, 24);
  const ImplicitBody body = make_implicit_body(rig);
  ASSERT_FALSE(body.parts.empty());
  const std::vector<std::byte> bytes = write_implicit_body(body);
  const auto again = read_implicit_body(bytes, rig.skeleton.size());
  ASSERT_TRUE(again);
  EXPECT_EQ(write_implicit_body(*again), bytes);
  EXPECT_EQ(again->parts.front().function.evaluate(Vec3(0.1, 0.2, 0.3)).value,
            body.parts.front().function.evaluate(Vec3(0.1, 0.2, 0.3)).value);
}

TEST(ImplicitStore, DamagedBytesGiveNothing) {
  const Rig rig = testing::two_joint_tube(16, 24);
  const std::vector<std::byte> bytes = write_implicit_body(make_implicit_body(rig));
  EXPECT_FALSE(read_implicit_body(bytes, rig.skeleton.size() + 1));
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{40}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_FALSE(read_implicit_body(std::span(bytes).first(size), rig.skeleton.size()));
  std::vector<std::byte> changed = bytes;
  changed[0] = std::byte{99};
  EXPECT_FALSE(read_implicit_body(changed, rig.skeleton.size()));
}

}  // namespace
}  // namespace sinew::deform
