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

/// Of the bytes below. Raise it whenever `PbdBody` changes, in its members or in what they mean: bytes of other
/// versions are then made anew.
inline constexpr std::uint32_t kPbdBodyVersion = 1;

/// A body as bytes, little-endian, its version first: so that what took seconds to make can be kept.
std::vector<std::byte> write_pbd_body(const PbdBody& body);

/// The same body again, bit for bit, for a mesh of so many vertices and a skeleton of so many joints. Nothing if the
/// bytes are damaged, of another version, or do not fit: all sizes, indices and numbers are checked, so that whatever
/// comes out can be used. Linear.
std::optional<PbdBody> read_pbd_body(std::span<const std::byte> bytes, Index vertex_count, Index joint_count);

}  // namespace sinew::deform
