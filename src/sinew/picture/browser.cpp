// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/browser.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include "sinew/core/error.h"

extern char** environ;

namespace sinew::picture {
namespace {

using Clock = std::chrono::steady_clock;

/// Checked with Debian 12's Chromium as root in a container: WebGL by SwiftShader, nothing sent or fetched, no shared
/// memory beyond what a container gives, no watchdog that takes a slow frame for a hang.
constexpr std::array kFlags = {"--headless",
                               "--no-sandbox",
                               "--use-angle=swiftshader",
                               "--enable-unsafe-swiftshader",
                               "--disable-gpu-compositing",  // The page itself is empty: saves a second context.
                               "--disable-gpu-watchdog",
                               "--disable-background-networking",
                               "--disable-component-update",
                               "--disable-sync",
                               "--disable-extensions",
                               "--disable-default-apps",
                               "--disable-breakpad",
                               "--disable-crash-reporter",
                               "--disable-dev-shm-usage",
                               "--disable-hang-monitor",
                               "--disable-quic",
                               "--no-first-run",
                               "--no-default-browser-check",
                               "--no-proxy-server",
                               "--force-device-scale-factor=1",
                               "--force-color-profile=srgb",
                               "--dump-dom"};

/// The small one without windows starts in half the time.
constexpr std::array kNames = {"chromium-headless-shell", "chromium",      "chromium-browser",
                               "google-chrome-stable",    "google-chrome", "chrome"};

std::filesystem::path on_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::filesystem::path candidate = std::filesystem::path(rest.substr(0, colon)) / name;
    std::error_code ignored;
    if (::access(candidate.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(candidate, ignored))
      return candidate;
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  return {};
}

std::string reason(int error) { return std::generic_category().message(error); }

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw Error(fmt::format("Cannot communicate with the browser: {}.", reason(errno)));
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_read();
    close_write();
  }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read() { close(ends_[0]); }
  void close_write() { close(ends_[1]); }

 private:
  static void close(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  std::array<int, 2> ends_ = {-1, -1};
};

/// The environment of the browser: ours, with every folder it might write to replaced.
std::vector<std::string> environment(const std::filesystem::path& scratch) {
  constexpr std::array kReplaced = {"HOME",           "TMPDIR",        "XDG_CONFIG_HOME",
                                    "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"};
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    bool keep = !text.starts_with("DBUS_") && !text.starts_with("DISPLAY=") && !text.starts_with("WAYLAND_") &&
                !text.starts_with("CHROMIUM_FLAGS=");
    for (const std::string_view name : kReplaced) keep = keep && text.substr(0, text.find('=')) != name;
    if (keep) result.emplace_back(text);
  }
  for (const char* name : kReplaced) result.push_back(fmt::format("{}={}", name, scratch.string()));
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Closes every file from `first` on. Safe after a fork.
void close_from(unsigned first) {
  if (::close_range(first, ~0U, 0) == 0) return;
  for (int file = static_cast<int>(first); file < 4096; ++file) ::close(file);
}

/// What the browser is started with.
struct BrowserStart {
  char* const* argv;
  char* const* envp;
  int in, out, err;  ///< Files that become its standard streams.
};

[[noreturn]] void become_browser(const BrowserStart& start) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(start.in, 0);
  ::dup2(start.out, 1);
  ::dup2(start.err, 2);
  close_from(3);
  ::execve(start.argv[0], start.argv, start.envp);
  ::_exit(127);
}

/// Runs between our process and the browser, until `control` ends: because we close it, or because we ended. Then it
/// kills the browser's process group and reaps all of it. Helpers of the browser whose parent died first come to the
/// keeper, so that our own process need not adopt strangers. Only calls that are safe after a fork in a program with
/// threads.
[[noreturn]] void keep_browser(const BrowserStart& start, int control) {
  ::setpgid(0, 0);  // A terminal's Ctrl-C is for us, not for the keeper.
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t browser = ::fork();
  if (browser == 0) become_browser(start);
  ::dup2(control, 0);
  close_from(1);
  if (browser < 0) ::_exit(127);
  ::setpgid(browser, browser);
  char ignored;
  while (::read(0, &ignored, 1) < 0 && errno == EINTR) {
  }
  // A process that is being forked right now can escape one signal: repeat until the group is empty.
  for (int round = 0; round < 500; ++round) {
    ::kill(-browser, SIGKILL);
    pid_t reaped = 0;
    while ((reaped = ::waitpid(-browser, nullptr, WNOHANG)) > 0) {
    }
    if (reaped < 0 && errno == ECHILD && ::kill(-browser, 0) != 0) break;
    ::poll(nullptr, 0, 5);
  }
  ::_exit(0);
}

/// A browser with a process group of its own, of which nothing is left when the object goes.
class BrowserProcess {
 public:
  BrowserProcess(std::vector<std::string> arguments, std::vector<std::string> variables, const Pipe& out,
                 const Pipe& err) {
    const std::vector<char*> argv = pointers(arguments);
    const std::vector<char*> envp = pointers(variables);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const BrowserStart start = {argv.data(), envp.data(), nothing, out.write_end(), err.write_end()};
    keeper_ = ::fork();
    if (keeper_ == 0) {
      ::close(control_.write_end());
      keep_browser(start, control_.read_end());
    }
    const int error = errno;
    if (nothing >= 0) ::close(nothing);
    if (keeper_ < 0) throw Error(fmt::format("Cannot start the browser: {}.", reason(error)));
    control_.close_read();
  }
  BrowserProcess(const BrowserProcess&) = delete;
  BrowserProcess& operator=(const BrowserProcess&) = delete;
  ~BrowserProcess() {
    control_.close_write();
    while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

 private:
  Pipe control_;
  pid_t keeper_ = -1;
};

/// Appends what is there. False at the end of the stream.
bool drain(int fd, std::string& text) {
  std::array<char, 65536> block;
  const ssize_t got = ::read(fd, block.data(), block.size());
  if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

/// The last line of the browser's complaints that is not about services a container lacks.
std::string last_complaint(const std::string& errors) {
  std::string found;
  for (std::size_t begin = 0; begin < errors.size();) {
    const std::size_t end = std::min(errors.find('\n', begin), errors.size());
    const std::string line = errors.substr(begin, end - begin);
    if (!line.empty() && line.find("dbus") == std::string::npos && line.find("DBus") == std::string::npos) found = line;
    begin = end + 1;
  }
  return found.substr(0, 300);
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code error;
  std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) base = P_tmpdir;
  std::string name = (base / "sinew-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw Error(fmt::format("Cannot create a folder for temporary files in {}: {}. Set TMPDIR to a writable folder.",
                            base.string(), reason(errno)));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  for (int turn = 0; turn < 20; ++turn) {
    std::filesystem::remove_all(path_, error);
    if (!error) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::filesystem::path find_browser() {
  if (const char* chosen = std::getenv("SINEW_CHROMIUM"); chosen != nullptr && *chosen != '\0') {
    const std::string name = chosen;
    const std::filesystem::path path =
        name.find('/') == std::string::npos ? on_path(name) : std::filesystem::path(name);
    std::error_code ignored;
    if (path.empty() || ::access(path.c_str(), X_OK) != 0 || !std::filesystem::is_regular_file(path, ignored))
      throw Error(
          fmt::format("SINEW_CHROMIUM names '{}', which is not a program. Set it to a Chromium, or unset it.", name));
    return path;
  }
  for (const char* name : kNames)
    if (std::filesystem::path path = on_path(name); !path.empty()) return path;
  throw Error(
      "Pictures are drawn by Chromium, which is not installed. Install the package 'chromium' (on Debian: apt install "
      "chromium), or set the environment variable SINEW_CHROMIUM to a Chromium program.");
}

std::string run_page(const std::filesystem::path& browser, const PageRun& run, const Progress& progress) {
  std::vector<std::string> arguments = {browser.string()};
  arguments.insert(arguments.end(), kFlags.begin(), kFlags.end());
  arguments.push_back("--user-data-dir=" + (run.scratch / "profile").string());
  arguments.push_back("file://" + std::filesystem::absolute(run.page).string());
  Pipe out;
  Pipe err;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(run.limit_s));
  std::string text;
  std::string errors;
  const BrowserProcess process(std::move(arguments), environment(run.scratch), out, err);
  out.close_write();
  err.close_write();
  bool open = true;
  while (open) {
    progress.check();
    if (Clock::now() > deadline)
      throw Error(
          fmt::format("The browser {} did not draw the picture in {:.0f} seconds and was stopped. Request a smaller "
                      "picture or fewer samples.",
                      browser.string(), run.limit_s));
    std::array<pollfd, 2> ends = {pollfd{out.read_end(), POLLIN, 0}, pollfd{err.read_end(), POLLIN, 0}};
    ::poll(ends.data(), ends.size(), 50);
    if (ends[1].revents != 0 && !drain(err.read_end(), errors)) err.close_read();
    if (ends[0].revents != 0) {
      const std::size_t seen = text.size() - std::min(text.size(), run.end.size());
      open = drain(out.read_end(), text);
      if (!run.end.empty() && text.find(run.end, seen) != std::string::npos) return text;
    }
  }
  if (!run.end.empty()) {
    const std::string complaint = last_complaint(errors);
    throw Error(fmt::format("The browser {} ended before the picture was drawn.{}{}", browser.string(),
                            complaint.empty() ? "" : " Its last output: ", complaint));
  }
  return text;
}

}  // namespace sinew::picture
