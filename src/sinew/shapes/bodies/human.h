// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/shapes/made.h"

namespace sinew::shapes {

/// A person: one closed surface of quads with regular loops around trunk, limbs and fingers, 51 joints, smooth weights,
/// and the clips "wave" (2 s, from rest to rest) and "walk" (1 s, in place, a loop). 1.75 m high and about 10,000
/// vertices unless asked otherwise. `clothes` adds a shirt, trousers, hair cards, eyes and buttons as parts of their
/// own.
Made human(const MakeOptions& options, const Progress& progress);

/// A left hand with a stump of the forearm, fingers up, its back to the front. 17 joints; 0.28 m high.
Made hand(const MakeOptions& options, const Progress& progress);

}  // namespace sinew::shapes
