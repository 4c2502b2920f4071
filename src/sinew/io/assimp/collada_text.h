// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/io/file.h"

namespace sinew::io::assimp {

/// COLLADA as Assimp 5.2 can read it: in UTF-8, and without white space at the beginning of texts, at which its reader
/// of numbers stops.
Bytes plain_collada(const Bytes& bytes);

}  // namespace sinew::io::assimp
