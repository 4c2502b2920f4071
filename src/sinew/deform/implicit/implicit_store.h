// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sinew/deform/implicit/implicit_body.h"

namespace sinew::deform {

/// The version of the bytes below. Raise it whenever `ImplicitBody` changes, in its members or in their meaning.
inline constexpr std::uint32_t kImplicitBodyVersion = 5;

/// Serialises a body, with its version first. About 16 bytes for each tabulated value.
std::vector<std::byte> write_implicit_body(const ImplicitBody& body);

/// Reads the same body back, bit for bit, for a skeleton with that many joints. Returns nothing if the bytes are
/// damaged, of another version, or do not match; every returned body can be used. Linear.
std::optional<ImplicitBody> read_implicit_body(std::span<const std::byte> bytes, Index joint_count);

}  // namespace sinew::deform
