// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <vector>

#include "sinew/io/gltf/editor.h"

namespace sinew::io::gltf {

inline constexpr std::uint64_t kPreparedVersion = 1;

/// The object `extras.sinew.prepared` of a document, or null if it has none.
const Json* prepared_block(const Json& json);

/// Adds pieces to the document: their bytes as buffer views, and a list in `extras.sinew.prepared`. Those that the list
/// already has by their key stay as they are; a list that cannot be read is replaced.
void write_prepared(DocumentEditor& editor, const std::vector<PreparedPiece>& pieces);

/// Removes the list. Its buffer views stay.
void remove_prepared(Json& json);

}  // namespace sinew::io::gltf
