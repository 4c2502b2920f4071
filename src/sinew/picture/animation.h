// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Moving pictures: frames go in, an animated file that repeats for ever comes out.

#include <filesystem>
#include <optional>
#include <span>

#include "sinew/io/file.h"

namespace sinew::picture {

/// APNG keeps every pixel. GIF has 255 colours, for places that accept nothing else. WebP has the smallest files.
enum class AnimationFormat { kApng, kGif, kWebp };

/// The format that a file name asks for; nothing for still pictures.
std::optional<AnimationFormat> animation_format(const std::filesystem::path& path);

struct AnimationFrame {
  io::Bytes image;       ///< A PNG file; for kWebp a WebP file. All have the same size.
  double seconds = 0.1;  ///< How long it is shown.
};

/// Makes the file. Frames begin at the nearest tick of the format (1 ms; 10 ms for GIF), so that rounding does not add
/// up. Same frames, same bytes. \throws Error if there are no frames, or they cannot be read or differ in size.
io::Bytes make_animation(AnimationFormat format, std::span<const AnimationFrame> frames);

}  // namespace sinew::picture
