// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/report.h"

#include "sinew/core/finding_level.h"
#include "sinew/core/isa.h"

namespace sinew {
namespace {

Json files_json(const std::vector<ReportFile>& files) {
  Json list = Json::array();
  for (const ReportFile& file : files)
    list.push_back({{"path", file.path}, {"sha256", file.sha256}, {"bytes", file.bytes}});
  return list;
}

}  // namespace

Json Report::to_json() const {
  Json json;
  json["schema"] = kSchema;
  json["command"] = command;
  json["options"] = options;
  json["inputs"] = files_json(inputs);
  json["outputs"] = files_json(outputs);
  json["status"] = status == Status::kDone ? "done" : status == Status::kIncomplete ? "incomplete" : "unreadable";
  json["isa"] = isa_name(current_isa());
  json["findings"] = Json::array();
  for (const Finding& f : warnings)
    json["findings"].push_back(
        {{"code", f.code}, {"level", level_name(finding_level(f.code))}, {"where", f.where}, {"text", f.text}});
  json["fallbacks"] = Json::array();
  for (const Fallback& f : fallbacks)
    json["fallbacks"].push_back({{"code", f.code}, {"method", f.method}, {"count", f.count}, {"text", f.text}});
  json["metrics"] = metrics;
  json["timing"] = timing;
  return json;
}

StageTimer::~StageTimer() {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const auto before = report_.timing.find(stage_);
  const double sum = before == report_.timing.end() ? 0.0 : before->get<double>();
  report_.timing[stage_] = sum + elapsed.count();
}

}  // namespace sinew
