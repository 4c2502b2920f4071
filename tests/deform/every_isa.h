// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Tests that run once on every instruction set of this processor.

#include <gtest/gtest.h>

#include <string>

#include "sinew/core/isa.h"

namespace sinew::deform::testing {

/// Pins the instruction set for the life of a test.
class EveryIsa : public ::testing::TestWithParam<Isa> {
 protected:
  EveryIsa() { set_isa(isa_name(GetParam())); }
  ~EveryIsa() override { set_isa("best"); }
};

inline std::string isa_test_name(const ::testing::TestParamInfo<Isa>& info) { return isa_name(info.param); }

}  // namespace sinew::deform::testing
