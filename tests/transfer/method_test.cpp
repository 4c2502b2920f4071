// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/method.h"

#include <gtest/gtest.h>

namespace sinew::transfer {
namespace {

TEST(TransferMethods, AreRegisteredByName) {
  for (const char* id : {"skeleton", "closest", "inpaint", "guides"}) EXPECT_NE(methods().find(id).make, nullptr) << id;
}

}  // namespace
}  // namespace sinew::transfer
