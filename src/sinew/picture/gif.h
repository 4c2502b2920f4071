// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/picture/png.h"

namespace sinew::picture {

/// An animated GIF that repeats. Frames have four channels and one size; `ticks` holds for each how long it is shown,
/// in hundredths of a second. All frames share 255 colours, chosen by median cut, with ordered dithering: its pattern
/// stands still, so that backgrounds do not flicker and unchanged pixels cost nothing.
io::Bytes write_gif(std::span<const Pixels> frames, std::span<const int> ticks);

}  // namespace sinew::picture
