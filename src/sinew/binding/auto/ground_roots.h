// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/binding/subject.h"

namespace sinew::binding {

/// The bound joint that only carries the character, such as a root on the ground, if there is one: no bound joint is
/// above it and more than half of all are below it, it is located outside the mesh and farther from the vertices than 2
/// % of the size, and its bones are less than half inside. These bones pass through the air and then, by chance,
/// through whatever is above the ground, and would take skin there. Cost: some winding numbers for such a root.
std::vector<Index> ground_roots(const Subject& subject);

}  // namespace sinew::binding
