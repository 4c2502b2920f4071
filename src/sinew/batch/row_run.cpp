// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/batch/row_run.h"

#include <fmt/format.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "sinew/core/error.h"
#include "sinew/io/file.h"

namespace sinew::batch {
namespace {

namespace fs = std::filesystem;

constexpr std::array kStatus = {"pass", "check", "fail", "error", "died"};

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line, last;
  while (std::getline(file, line))
    if (line.starts_with("sinew: ")) return line.substr(7);
    else if (!line.empty()) last = line;
  return last;
}

std::string status_of(const ChildEnd& end, const Json& report) {
  if (end.exit < 0 || end.exit > 2 || end.too_long) return "died";
  if (end.exit == 2) return "error";
  if (end.exit == 1) return "fail";
  if (!report.is_object()) return "pass";
  for (const Json& file : report.value("metrics", Json::object()).value("files", Json::array()))
    if (file.is_object() && file.value("verdict", "") == "CHECK") return "check";
  return "pass";
}

std::string words_for(const ChildEnd& end, const Limits& limits) {
  if (end.too_long) return fmt::format("It took longer than {:.0f} s.", limits.time_s);
  if (end.signal != 0) return fmt::format("It was ended by the signal {}.", ::strsignal(end.signal));
  return "";
}

// What a report says in a few words: numbers and texts at the top of its figures, verdicts and codes.
Json digest(const Json& report) {
  Json json = Json::object();
  if (!report.is_object()) return json;
  const Json metrics = report.value("metrics", Json::object());
  for (const auto& [key, value] : metrics.items())
    if (value.is_number() || value.is_boolean() || (value.is_string() && value.get<std::string>().size() < 80))
      json[key] = value;
  for (const Json& file : metrics.value("files", Json::array())) {
    if (!file.is_object() || !file.contains("verdict")) continue;
    json["verdict"] = file["verdict"];
    for (const Json& check : file.value("checks", Json::array()))
      if (check.value("verdict", "") != "PASS")
        json[check.value("verdict", "") == "FAIL" ? "failed" : "to_look_at"].push_back(check["id"]);
  }
  for (const Json& finding : report.value("findings", Json::array()))
    if (finding.value("level", "") != "note") json["findings"].push_back(finding.value("code", ""));
  return json;
}

}  // namespace

int severity_of(const std::string& status) {
  const auto at = std::find(kStatus.begin(), kStatus.end(), status);
  return static_cast<int>(at - kStatus.begin());
}

RowRun::RowRun(const Manifest& manifest, const BatchFolder& folder, const Row& row, std::string key, fs::path program,
               int threads, bool thumbnail)
    : manifest_(manifest),
      folder_(folder),
      row_(row),
      key_(std::move(key)),
      program_(std::move(program)),
      threads_(threads),
      thumbnail_(thumbnail),
      scratch_(fs::absolute(folder.work(fmt::format("{}.{}", row.name, ::getpid())))),
      start_(std::chrono::steady_clock::now()) {
  std::error_code ignored;
  fs::remove_all(scratch_, ignored);
  fs::create_directories(scratch_ / "out");
  start_step();
}

RowRun::~RowRun() {
  child_.reset();
  std::error_code ignored;
  fs::remove_all(scratch_, ignored);
}

void RowRun::start_step() {
  const Step words = expanded(manifest_.steps[step_], {row_.input, (scratch_ / "out" / row_.name).string(), row_.name});
  std::vector<std::string> arguments = words;
  arguments.insert(arguments.end(), {"--json", "--threads", std::to_string(threads_)});
  const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start_;
  child_ = std::make_unique<Child>(program_, arguments, scratch_ / "out.json", scratch_ / "err.txt",
                                   std::max(0.0, manifest_.limits.time_s - used.count()), manifest_.limits.memory);
}

bool RowRun::poll() {
  const std::optional<ChildEnd> end = child_->poll();
  if (!end) return false;
  child_.reset();
  if (drawing_) {
    finish();
    return true;
  }
  end_step(*end);
  const bool stops = severity_of(status_) >= severity_of("error");
  if (!stops && ++step_ < manifest_.steps.size()) {
    start_step();
    return false;
  }
  if (thumbnail_) start_thumbnail();
  if (child_) return false;
  finish();
  return true;
}

// Of the first model that the steps wrote, or else of the input. Whether it succeeds does not matter.
void RowRun::start_thumbnail() {
  std::string model = row_.input;
  for (const char* ending : {".glb", ".gltf", ".vrm", ".obj"})
    if (fs::exists(scratch_ / "out" / (row_.name + ending))) {
      model = (scratch_ / "out" / (row_.name + ending)).string();
      break;
    }
  drawing_ = true;
  child_ = std::make_unique<Child>(
      program_,
      std::vector<std::string>{"render", model, "-o", (scratch_ / "thumbnail.png").string(), "--quick", "--size",
                               "128x128", "--threads", std::to_string(threads_)},
      scratch_ / "thumbnail.out", scratch_ / "thumbnail.err", 30, manifest_.limits.memory);
}

std::string RowRun::without_scratch(std::string text) const {
  const std::string before = (scratch_ / "out").string() + "/";
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at))
    text.erase(at, before.size());
  return text;
}

void RowRun::end_step(const ChildEnd& end) {
  cpu_s_ += end.cpu_s;
  peak_bytes_ = std::max(peak_bytes_, end.peak_bytes);
  const Json report = read_small_json(scratch_ / "out.json");
  const std::string status = status_of(end, report);
  Json json = {{"command", manifest_.steps[step_].front()}, {"status", status}, {"result", digest(report)}};
  if (end.exit >= 0) json["exit"] = end.exit;
  std::string text = words_for(end, manifest_.limits);
  if (text.empty() && end.exit != 0) text = first_line(scratch_ / "err.txt");
  if (!text.empty()) json["text"] = without_scratch(text);
  steps_.push_back(Json::parse(without_scratch(json.dump(-1, ' ', false, Json::error_handler_t::replace))));
  if (severity_of(status) > severity_of(status_)) status_ = status;
}

void RowRun::finish() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(scratch_ / "out"))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), scratch_ / "out"));
  std::sort(files.begin(), files.end());
  Json outputs = Json::array();
  for (const fs::path& file : files) {
    const ReportFile described = io::describe(file, io::read_file(scratch_ / "out" / file));
    outputs.push_back({{"file", file.string()}, {"sha256", described.sha256}, {"bytes", described.bytes}});
    fs::create_directories((folder_.output / file).parent_path());
    fs::rename(scratch_ / "out" / file, folder_.output / file);
  }
  std::error_code ignored;
  fs::rename(scratch_ / "thumbnail.png", folder_.thumbnail(row_.name), ignored);
  const Json result = {{"name", row_.name}, {"input", row_.input}, {"key", key_},
                       {"status", status_}, {"steps", steps_},     {"outputs", std::move(outputs)}};
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;
  io::AtomicFiles done(io::AtomicFiles::Newcomer::kReplaced);
  done.add(folder_.timing(row_.name),
           json_text({{"name", row_.name}, {"wall_s", wall.count()}, {"cpu_s", cpu_s_}, {"peak_bytes", peak_bytes_}}));
  done.add(folder_.result(row_.name), json_text(result));
  done.commit();
}

}  // namespace sinew::batch
