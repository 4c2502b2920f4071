// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/map_file.h"

#include <fmt/format.h>

#include "sinew/core/error.h"
#include "sinew/io/file.h"

namespace sinew::jobs {

std::map<std::string, std::string> read_map(const std::string& file, Report& report) {
  std::map<std::string, std::string> given;
  if (file.empty()) return given;
  const io::Bytes bytes = io::read_json_bytes(file);
  report.inputs.push_back(io::describe(file, bytes));
  const Json json = io::parse_json(bytes, file);
  if (!json.is_object())
    throw Error(
        fmt::format("{} is not a JSON object of joint names: {{\"reference joint\": \"target joint\", …}}.", file));
  for (const auto& item : json.items()) {
    if (!item.value().is_string() && !item.value().is_null())
      throw Error(fmt::format("{}: the partner of '{}' is neither a joint's name nor null.", file, item.key()));
    given[item.key()] = item.value().is_null() ? "" : item.value().get<std::string>();
  }
  return given;
}

}  // namespace sinew::jobs
