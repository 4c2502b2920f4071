// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/contacts.h"

#include <gtest/gtest.h>

#include "tests/geometry/named_meshes.h"

namespace sinew::measure {
namespace {

Contacts contacts_of(const Mesh& mesh, double radius) {
  return contacts(mesh, geometry::weld(mesh), std::vector<double>(mesh.positions.size(), radius));
}

TEST(Contacts, OfOneSphereAreNone) {
  const Contacts found = contacts_of(test::sphere(), 1);
  EXPECT_EQ(found.pairs, 0U);
  EXPECT_EQ(found.shrunk, 0U);
  EXPECT_EQ(found.depth, 0);
}

TEST(Contacts, ThatAreShallowGoAwayWhenTheSkinShrinks) {
  const Mesh mesh = test::joined(test::sphere(24, 32), test::sphere(24, 32, Vec3(1.975, 0.01, 0.02)));
  const Contacts found = contacts_of(mesh, 1);
  EXPECT_GT(found.pairs, 0U);
  EXPECT_EQ(found.shrunk, 0U);
}

TEST(Contacts, ThatAreDeepStay) {
  const Mesh mesh = test::joined(test::sphere(24, 32), test::sphere(24, 32, Vec3(1.6, 0.01, 0.02)));
  const Contacts found = contacts_of(mesh, 1);
  EXPECT_GT(found.pairs, 0U);
  EXPECT_GT(found.shrunk, 0U);
  EXPECT_NEAR(found.depth, 0.4, 0.03);
  EXPECT_GT(found.vertices, 2U);
}

}  // namespace
}  // namespace sinew::measure
