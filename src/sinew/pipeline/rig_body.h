// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/rig.h"
#include "sinew/rigging/rigger.h"

namespace sinew::pipeline {

/// `rigging::plan_skeleton` for all of a character. Where that is doubtful and a file has skinned parts beside others
/// that hung rigidly on joints, as swords, shields and capes do, the skinned parts are tried alone: if they are
/// understood better, the others have no part in finding joints, and a finding says so.
rigging::Rigged plan_character(const Rig& rig, const rigging::RiggerRequest& request,
                               const rigging::RiggerOptions& options, const Progress& progress = {});

}  // namespace sinew::pipeline
