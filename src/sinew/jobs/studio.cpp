// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/studio.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/report.h"
#include "sinew/picture/browser.h"
#include "sinew/studio/page.h"
#include "sinew/studio/server.h"
#include "sinew/studio/session.h"

extern char** environ;

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 1000;

bool is_model(const fs::path& path) {
  const std::string name = lower_case(path.filename().string());
  for (const auto& format : io::formats().entries())
    if (format.make.read && format.id != "rig")
      for (const std::string& ending : format.make.endings)
        if (name.size() > ending.size() && name.ends_with(ending)) return true;
  return false;
}

/// The files that the page may open. Links in a folder are not followed.
std::vector<fs::path> files_of(const std::vector<fs::path>& inputs) {
  std::vector<fs::path> files;
  for (const fs::path& input : inputs) {
    if (!fs::exists(input)) throw Error(fmt::format("{} does not exist.", input.string()));
    if (!fs::is_directory(input)) {
      files.push_back(input);
      continue;
    }
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(input, fs::directory_options::skip_permission_denied))
      if (entry.is_regular_file() && !entry.is_symlink() && is_model(entry.path())) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  if (files.size() > kMostFiles)
    throw Error(fmt::format("There are {} characters; the studio lists at most {}.", files.size(), kMostFiles));
  return files;
}

/// Opens the browser with a file that leads to the page: arguments of programs can be seen by other users.
void open_browser(const std::string& address, const fs::path& folder) {
  const fs::path page = folder / "open.html";
  io::AtomicFiles files;
  files.add(page, fmt::format("<!DOCTYPE html><meta charset=\"utf-8\"><title>Sinew studio</title>"
                              "<meta http-equiv=\"refresh\" content=\"0; url={0}\"><a href=\"{0}\">Sinew studio</a>\n",
                              address));
  files.commit();
  ::chmod(page.c_str(), S_IRUSR | S_IWUSR);
  const std::string text = page.string();
  const char* const words[] = {"xdg-open", text.c_str(), nullptr};
  ::pid_t child = 0;
  if (::posix_spawnp(&child, "xdg-open", nullptr, nullptr, const_cast<char**>(words), environ) != 0)
    std::cout << "No browser could be opened. Open the address above.\n" << std::flush;
}

/// Where work is kept for the next time; empty if the user has no home.
fs::path state_folder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  if (const fs::path state = variable("XDG_STATE_HOME"); state.is_absolute()) return state / "sinew" / "studio";
  const fs::path home = variable("HOME");
  return home.is_absolute() ? home / ".local" / "state" / "sinew" / "studio" : fs::path();
}

io::Bytes report_of(const fs::path& file) {
  const fs::path page = file.parent_path() / "report.html";
  report({{file}, page, true}, {}, {});
  return io::read_file(page);
}

}  // namespace

Report studio(const JobRequest& request, const StudioOptions& options, const Progress& progress) {
  Report report;
  report.command = "studio";
  const picture::ScratchFolder scratch;
  studio::SessionOptions chosen;
  chosen.scratch = scratch.path();
  chosen.files = files_of(request.inputs);
  chosen.open_first = !chosen.files.empty();
  chosen.version = SINEW_VERSION;
  chosen.state = state_folder();
  chosen.report = report_of;
  auto session = std::make_unique<studio::Session>(std::move(chosen));
  studio::ServerHooks hooks;
  hooks.page = studio::page_html();
  hooks.script = studio::page_script();
  hooks.style = studio::page_style();
  hooks.opened = [&](const auto& peer) { session->opened(peer); };
  hooks.received = [&](const auto& peer, const std::string& text) { session->received(peer, text); };
  hooks.closed = [&](const auto& peer) { session->closed(peer); };
  hooks.upload_path = [&](const std::string& name) { return session->upload_path(name); };
  hooks.blob = [&](std::uint64_t id) { return session->blob(id); };
  studio::Server server(static_cast<std::uint16_t>(options.port), std::move(hooks));
  const std::string address = fmt::format("http://127.0.0.1:{}/#{}", server.port(), server.token());
  std::cout << "The studio runs at " << address << "\nPress Ctrl-C to end it.\n" << std::flush;
  if (!options.no_open) open_browser(address, scratch.path());
  server.run(progress);
  session.reset();  // Its threads may still send.
  return report;
}

}  // namespace sinew::jobs
