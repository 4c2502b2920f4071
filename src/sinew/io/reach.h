// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Which files a model may name. A model is a stranger's text: it must not read what lies elsewhere on the machine, nor
/// choose names for what is written. docs/security.md describes the rule.

#include <filesystem>
#include <string>

namespace sinew::io {

/// Lets models read files outside their own folder, for the whole program. Off unless the user asks for it.
void allow_outside_files(bool allowed);
bool outside_files_allowed();

/// True if `file` may be read for a model in `folder`: it lies there or below after links are resolved, or the user
/// allows more. A file that does not exist may not be read.
bool may_read_for(const std::filesystem::path& folder, const std::filesystem::path& file);

/// True for a name under which a copy may be written beside a document: relative, inside, not hidden, without control
/// characters.
bool is_safe_name(const std::filesystem::path& name);

/// True if the name ends like that of a picture or of a buffer.
bool is_picture_name(const std::filesystem::path& name);
bool is_buffer_name(const std::filesystem::path& name);

}  // namespace sinew::io
