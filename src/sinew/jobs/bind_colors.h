// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/binding/binder.h"
#include "sinew/core/math.h"

namespace sinew::jobs {

/// The colour of an origin of rows in `debug_colors`, in words; the same for the same number.
const char* debug_color_name(std::size_t origin);

/// A colour for each of `vertex_count` vertices: that of the origin of its row, the darker the lower its confidence;
/// grey for those that were not bound. `vertices` has the vertex of each row.
std::vector<Vec4f> debug_colors(const binding::BindResult& bound, const std::vector<Index>& vertices,
                                std::size_t vertex_count);

}  // namespace sinew::jobs
