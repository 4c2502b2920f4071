// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/pipeline/transfer.h"

namespace sinew::pipeline {

/// Adds the reference's morphs to the parts of a target that lies on its body. A vertex is displaced as the nearest
/// point of the reference's surface is; a small shell with one row keeps its shape and is displaced by its mean.
/// A part gets those morphs that displace it by more than 1e-5 of the reference's size, under their names and with
/// their rest weights. Parts that have morphs of their own stay unchanged. Returns the names, in the reference's order.
/// If there are none, a finding states why (transfer.morphs). n log n, and vertices × morphs. \throws Error if the
/// reference has no morphs.
std::vector<std::string> carry_morphs(const TransferReference& reference, Character& character, Findings& findings);

}  // namespace sinew::pipeline
