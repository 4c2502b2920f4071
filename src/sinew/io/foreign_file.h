// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Files that hold something else than their extension says.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace sinew::io {

/// What a file is that no reader of models can read, whatever its name: "a PNG picture", "a web page", "empty". The
/// text follows "It is". Empty for everything else, and for formats whose own files begin in the same way, such as
/// .zae, which are ZIP archives.
std::string foreign_kind(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace sinew::io
