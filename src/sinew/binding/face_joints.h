// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string_view>

namespace sinew::binding {

/// What a leaf joint moves, according to its name.
enum class FaceJoint {
  kNone,  ///< Something with a length: a finger, an ear, a jaw.
  kEye,   ///< An eyeball: "LEye", "eye.R", "b_l_eye".
  kSkin,  ///< A spot of the skin of a face: a brow, a lid, a lip, a cheek.
};

FaceJoint face_joint(std::string_view name);

}  // namespace sinew::binding
