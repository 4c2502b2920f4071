// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/binding/pinned.h"
#include "sinew/pipeline/bind.h"

namespace sinew::pipeline {

/// As `bind`, with rows that are given, such as painted ones, by vertices of the character. They are boundary values of
/// the other rows and come out unchanged, unless they have more influences than the request allows or are smoothed.
/// Rows of vertices that are not bound, and rows with other than bound joints, are left out. \pre
/// `binding::takes_pins(request.method)`. \throws as `bind`.
BindingResult bind(const Character& character, const BindRequest& request, const std::vector<binding::PinnedRow>& pins,
                   const Progress& progress = {});

}  // namespace sinew::pipeline
