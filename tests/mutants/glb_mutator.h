// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Characters that are wrong in ways that files are wrong: a value of another type, an index of something that is not
/// there, numbers at the ends of their range, a mesh that is flat, far away or in one point.

#include <random>
#include <string>
#include <vector>

#include "sinew/core/json.h"

namespace sinew::test {

/// A GLB in two pieces.
struct GlbParts {
  Json json;
  std::string binary;
};

GlbParts split_glb(const std::string& bytes);
std::string join_glb(const GlbParts& parts);

/// Changes one to four things. The same seed gives the same changes on every machine.
void mutate_glb(GlbParts& parts, std::mt19937_64& random);

}  // namespace sinew::test
