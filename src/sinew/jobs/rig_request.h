// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What the options of `rig` ask for, read and checked before the work begins.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sinew/core/report.h"
#include "sinew/jobs/rig.h"
#include "sinew/rigging/templates/preset.h"

namespace sinew::jobs {

/// Places by name from words of `--hint`, each NAME=x,y,z, as an option's list has them: cut at the commas or not.
/// \throws Error for a word that is none, a name given twice, a number that is none.
std::map<std::string, Vec3> read_hints(const std::vector<std::string>& words);

/// Places by name from a JSON object of arrays of three numbers. \throws Error with the file and the name that is
/// wrong.
std::map<std::string, Vec3> read_places(const std::string& file, std::vector<ReportFile>& files);

/// The preset that is asked for, with single fields changed. \throws Error for one that is not there.
rigging::Preset chosen_preset(const RigJobOptions& options, const std::filesystem::path& output,
                              std::vector<ReportFile>& files);

/// Templates to choose from, hints and given places. \throws Error for a template that is not there, and for a place of
/// a joint that no template has.
rigging::RiggerRequest rigger_request(const RigJobOptions& options, std::vector<ReportFile>& files);

/// \throws Error if a word of `--without`, a binder or a clip is not known.
void check_words(const RigJobOptions& options);

/// \throws Error if a file of that name cannot hold a skeleton.
void check_holds_skeleton(const std::filesystem::path& output);

}  // namespace sinew::jobs
