// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Which files a model may name. A model is a stranger's text: it must not read what lies elsewhere on the machine, nor
/// choose names for what is written. docs/security.md describes the rule.

#include <filesystem>
#include <optional>
#include <string_view>

namespace sinew::io {

/// Lets models read files outside their own folder, for the whole program. Off unless the user asks for it.
void allow_outside_files(bool allowed);
bool outside_files_allowed();

/// True if `file` may be read for a model in `folder`: it lies there or below after links are resolved, or the user
/// allows more. A file that does not exist may not be read.
bool may_read_for(const std::filesystem::path& folder, const std::filesystem::path& file);

/// Also searches for textures in this folder and below, before the folder of the model, for the whole program. Empty:
/// nowhere else. \throws Error if it is not a folder.
void set_texture_folder(const std::filesystem::path& folder);

/// The ordinary file in the folder that the user gave for textures, or below it, that a model means by a name: at the
/// same relative path, else with the same last part, in any case of letters. Nothing without such a folder or file.
/// Links that lead out of the folder are not followed. At most 100,000 files are looked at.
std::optional<std::filesystem::path> find_given_texture(std::string_view name);

/// True for a name under which a copy may be written beside a document: relative, inside, not hidden, without control
/// characters.
bool is_safe_name(const std::filesystem::path& name);

/// True if the name ends like that of a picture or of a buffer.
bool is_picture_name(const std::filesystem::path& name);
bool is_buffer_name(const std::filesystem::path& name);

}  // namespace sinew::io
