// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/picture/picture.h"

namespace sinew::picture {

/// Draws the skin of a scene without a browser: base colours, one light, no textures, overlays, skeleton and titles.
/// For thumbnails; linear in triangles and pixels, some milliseconds. The same bytes on every machine with the same
/// zlib. \throws Error if the scene is empty or its size is out of bounds; Cancelled.
Picture draw_quick_picture(const PictureScene& scene, const Progress& progress = {});

}  // namespace sinew::picture
