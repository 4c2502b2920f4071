// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Pictures of faults: each posed, near, and marked red.

#include <memory>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/io/file.h"
#include "sinew/picture/picture.h"
#include "sinew/pipeline/check/check.h"

namespace sinew::jobs {

struct CheckSheetTile {
  picture::PictureFrame frame;
  picture::PictureCell cell;
};

/// Adds the worst faults of a character, at most as many as a sheet has room for; a character without faults as a
/// whole.
void add_tiles(Character character, const pipeline::CheckResult& result, const std::string& name,
               std::vector<CheckSheetTile>& tiles);

/// The sheet as a PNG. \throws Error if it cannot be drawn.
io::Bytes draw_tiles(const std::vector<CheckSheetTile>& tiles, Report& report, const Progress& progress);

}  // namespace sinew::jobs
