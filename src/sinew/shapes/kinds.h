// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/shapes/made.h"

namespace sinew::shapes {

/// The names of the options that change what a kind of `kinds()` makes.
std::vector<std::string> options_of(std::string_view kind);

/// A synthetic character as requested, after `triangles` and `generated` are applied.
struct Finished {
  Made made;
  std::vector<Index> specks;  ///< Vertices of the loose specks that `generated` adds; ascending.
};

/// Makes a character of a kind. With `generated` it is remeshed: then `vertices` and `height` are those of the remeshed
/// one. \throws Error if the kind is unknown, an option is out of range, or the kind does not have an option that is
/// set.
Finished make(std::string_view kind, const MakeOptions& options, const Progress& progress = {});

}  // namespace sinew::shapes
