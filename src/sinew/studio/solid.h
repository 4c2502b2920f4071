// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::studio {

/// Per face: whether its shell is closed, consistent and faces outwards, so that nobody sees its back from outside.
std::vector<char> solid_faces(const Mesh& mesh);

}  // namespace sinew::studio
