// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sinew/deform/pbd/pbd_body.h"

namespace sinew::deform {

/// The version of the bytes below. Raise it whenever `PbdBody` changes, in its members or in their meaning: bytes of
/// other versions are then computed again.
inline constexpr std::uint32_t kPbdBodyVersion = 5;

/// Serialises a body, little-endian, with its version first, so that a result that took seconds to compute can be
/// stored.
std::vector<std::byte> write_pbd_body(const PbdBody& body);

/// Reads the same body back, bit for bit, for a mesh with that many vertices and a skeleton with that many joints.
/// Returns nothing if the bytes are damaged, of another version, or do not match. All sizes, indices and numbers are
/// checked, so every returned body can be used. Linear.
std::optional<PbdBody> read_pbd_body(std::span<const std::byte> bytes, Index vertex_count, Index joint_count);

}  // namespace sinew::deform
