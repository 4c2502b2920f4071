// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/rigging/anatomy/anatomy.h"

namespace sinew::rigging {

/// Places of joints as the released Pinocchio library finds them: those of the search, put back
/// along the ways and refined. For the mode `compat`. Joints that the search does not place follow their parents as in
/// the template.
Anatomy published_places(const Body& body, const Template& skeleton_template, const Fit& fit);

}  // namespace sinew::rigging
