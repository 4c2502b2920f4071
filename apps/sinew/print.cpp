// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "print.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <string_view>
#include <system_error>

#include "sinew/core/error.h"
#include "sinew/core/finding_level.h"

namespace sinew::app {
namespace {

// More lines than this are no help on a terminal; the report has them all.
constexpr std::size_t kMostLines = 25;

std::atomic<bool> line_shown{false};

// Names come from files and need not be UTF-8.

// Terminals obey control characters, and names come from files.
std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    result += control ? '?' : c;
  }
  return result;
}

bool write_fully(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(descriptor, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

// Doubts first, since they concern everything else; notes last, and none for who wants it quiet.
void print_findings(const Findings& findings, const CommonFlags& common) {
  std::size_t lines = 0, left = 0;
  for (const FindingLevel level : {FindingLevel::kDoubt, FindingLevel::kWarning, FindingLevel::kNote}) {
    if (level == FindingLevel::kNote && common.quiet) continue;
    for (const Finding& f : findings) {
      if (finding_level(f.code) != level) continue;
      if (lines++ >= kMostLines) ++left;
      else
        print_error(
            fmt::format("{}: {}{}{}", level_name(level), f.where, f.where.empty() ? "" : ": ", with_flags(f.text)));
    }
  }
  if (left > 0) print_error(fmt::format("{} more findings; --json lists them all", left));
}

}  // namespace

void print_out(const std::string& text) {
  if (write_fully(STDOUT_FILENO, text) || errno == EPIPE) return;
  throw Error(fmt::format("Cannot print to standard output: {}.", std::generic_category().message(errno)));
}

void print_error(const std::string& line) { write_fully(STDERR_FILENO, printable(line) + "\n"); }

void print_report(const Report& report, const CommonFlags& common) {
  if (common.json) print_out(json_text(report.to_json()));
  else if (!common.quiet && !report.text.empty())
    print_out(printable(report.text) + (report.text.back() == '\n' ? "" : "\n"));
  print_findings(report.warnings, common);
  if (!common.json && !common.quiet && !report.next.empty()) print_out("next: " + printable(report.next) + "\n");
}

std::string failure_json(const std::string& command, const std::string& kind, const std::string& text) {
  Json json;
  json["schema"] = Report::kSchema;
  json["command"] = command;
  json["status"] = "failed";
  json["error"] = {{"kind", kind}, {"text", text}};
  return json_text(json);
}

Progress make_progress(const CommonFlags& common) {
  if (common.json || common.quiet || !::isatty(STDERR_FILENO)) return Progress();
  return Progress([](std::string_view stage, double fraction) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    write_fully(STDERR_FILENO, fmt::format("\r\033[K{} {:.0f} %", printable(stage), 100 * fraction));
    line_shown = true;
  });
}

void end_progress() {
  if (line_shown.exchange(false)) write_fully(STDERR_FILENO, "\r\033[K");
}

}  // namespace sinew::app
