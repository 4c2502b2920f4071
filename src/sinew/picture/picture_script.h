// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// A scene as text for the page that draws it.

#include <string>
#include <vector>

#include "sinew/picture/picture.h"

namespace sinew::picture {

struct PictureScript {
  std::string script;                  ///< JavaScript that adds the picture to the page's; see web/src/scene.ts.
  std::string images;                  ///< HTML elements of the textures.
  std::vector<std::string> too_large;  ///< Textures that are left out.
  double work = 0;                     ///< Pixels and vertices that have to be drawn, over all passes.
};

/// `number` tells the pictures of one page apart.
PictureScript make_script(const PictureScene& scene, std::size_t number = 0);

}  // namespace sinew::picture
