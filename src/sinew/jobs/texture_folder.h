// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <filesystem>

namespace sinew::jobs {

/// Also searches for textures in this folder and below, for the whole program; see docs/security.md. Empty: nowhere
/// else. \throws Error if it is not a folder.
void set_texture_folder(const std::filesystem::path& folder);

}  // namespace sinew::jobs
