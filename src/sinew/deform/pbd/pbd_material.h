// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>

namespace sinew::deform {

/// What the tetrahedra are made of: a corotated linear material, or the paper's four springs each.
enum class PbdMaterial { kCorotated, kSprings };
constexpr auto option_words(PbdMaterial) { return std::array{"corotated", "springs"}; }

}  // namespace sinew::deform
