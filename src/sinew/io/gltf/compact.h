// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/json.h"
#include "sinew/io/file.h"

namespace sinew::io::gltf {

/// Takes skins, accessors and buffer views that nothing uses out of a document of one buffer, and their bytes with
/// them; numbers that refer to them are changed. Returns the bytes that are left. Does nothing where references may lie
/// that are not known: with extensions that can name accessors, and with compressed views.
Bytes compact(Json& json, Bytes bytes);

}  // namespace sinew::io::gltf
