// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/registry.h"

#include <gtest/gtest.h>

#include <string>

namespace sinew {
namespace {

Registry<Registered<int>> deformers() {
  Registry<Registered<int>> registry("deformer");
  registry.add({"lbs", "linear", "Fast.", 1});
  registry.add({"dqs", "dual-quaternion", "Keeps volume in a twist.", 2});
  return registry;
}

TEST(Registry, FindsByShortAndByPlainName) {
  const auto registry = deformers();
  EXPECT_EQ(registry.find("dqs").make, 2);
  EXPECT_EQ(registry.find("linear").make, 1);
  EXPECT_EQ(registry.entries().front().id, "lbs");
}

TEST(Registry, AnUnknownNameGetsTheListAndTheNearest) {
  try {
    deformers().find("dsq");
    FAIL();
  } catch (const Error& problem) {
    EXPECT_STREQ(problem.what(), "Unknown deformer 'dsq'; available: lbs, dqs. Did you mean 'dqs'?");
  }
}

TEST(Registry, TwoOfOneNameAreRefused) {
  auto registry = deformers();
  EXPECT_THROW(registry.add({"lbs", "other", "", 3}), std::logic_error);
  EXPECT_THROW(registry.add({"other", "linear", "", 3}), std::logic_error);
  EXPECT_EQ(registry.entries().size(), 2u);
}

}  // namespace
}  // namespace sinew
