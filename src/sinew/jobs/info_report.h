// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The facts of `info` in three forms: for people, for machines, and as warnings.

#include <string>

#include "sinew/core/json.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/info_facts.h"

namespace sinew::jobs {

/// Lines of at most 100 columns. Lists are cut short, with the number that was left out, unless `full`.
std::string info_text(const io::Asset& asset, const InfoFacts& facts, bool full);

/// Everything, in a fixed order of keys.
Json info_json(const io::Asset& asset, const InfoFacts& facts);

/// Only what truly harms: what looks or moves wrongly in any program.
Findings info_warnings(const io::Asset& asset, const InfoFacts& facts);

}  // namespace sinew::jobs
