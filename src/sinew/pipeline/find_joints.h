// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/rig.h"

namespace sinew::pipeline {

/// Finds the joints that words mean, in the order of the words, each once. A word is the name of a joint; otherwise a
/// part of the body, such as "forearm", "left_hand" or "spine_2", or a joint of it, such as "elbow", "wrist", "hip",
/// "knee" or "ankle". Parts are recognized by the names of the joints (`motion::recognize`). A part without a side
/// means both sides. \throws Error for a word that finds nothing. The error names `option`, which held the word, and
/// the nearest words.
std::vector<Index> find_joints(const Rig& rig, const std::vector<std::string>& words, const std::string& option);

}  // namespace sinew::pipeline
