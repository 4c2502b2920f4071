// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// mutants COUNT [SEED] [COMMAND]: runs commands of the program on damaged characters, each in a process of its own.
// Whatever the file, the exit code is 0, 1 or 2, within 30 s of processor time and 2 GiB, and what was written can be
// read again. Mutants that break this are kept in ./mutants-SEED, with the command. The exit code is 1 then.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "program.h"
#include "sinew/io/asset.h"
#include "tests/mutants/glb_mutator.h"

namespace {

namespace fs = std::filesystem;
using sinew::test::GlbParts;
using Words = std::vector<std::string>;

constexpr int kWroteWhatItRefuses = 90;
constexpr rlim_t kSeconds = 30;
constexpr rlim_t kBytes = rlim_t{3} << 30;  // Of address space: libraries and stacks of threads take some of it.

// "IN" is the mutant, "REF" a sound character, "OUT" the path of the result without its ending.
const std::vector<Words>& all_commands() {
  static const std::vector<Words> commands = [] {
    std::vector<Words> list = {{"info", "IN"},
                               {"info", "IN", "--deep"},
                               {"convert", "IN", "-o", "OUT.glb"},
                               {"convert", "IN", "-o", "OUT.gltf"},
                               {"convert", "IN", "-o", "OUT.rig.json"},
                               {"convert", "IN", "-o", "OUT.obj"},
                               {"convert", "IN", "-o", "OUT.glb", "--height", "1.7", "--ground"},
                               {"convert", "IN", "-o", "OUT.glb", "--max-influences", "4"},
                               {"rig", "IN", "--replace", "-o", "OUT.glb"},
                               {"helpers", "IN", "--twist", "Joint1", "--bend", "Joint1", "-o", "OUT.glb"},
                               {"weights", "IN", "--repair", "--fill", "--smooth", "2", "-o", "OUT.glb"},
                               {"weights", "IN", "--mirror", "left-to-right", "--prune", "0.01", "-o", "OUT.glb"},
                               {"segment", "IN", "-o", "OUT.json"},
                               {"curves", "IN", "-o", "OUT.json"},
                               {"measure", "IN"},
                               {"measure", "IN", "--rom"},
                               {"fit-joints", "IN", "-o", "OUT.glb"},
                               {"transfer", "IN", "REF", "-o", "OUT.glb"},
                               {"transfer", "REF", "IN", "-o", "OUT.glb"},
                               {"inbetween", "REF", "IN", "-o", "OUT.glb"}};
    for (const char* method : {"auto", "heat", "segment", "voxel", "distance", "rigid", "curves"})
      list.push_back({"bind", "IN", "--method", method, "-o", "OUT.glb"});
    for (const char* method : {"lbs", "dqs", "slbs", "pbd", "implicit", "ode"}) {
      list.push_back({"deform", "IN", "--method", method, "--clip", "exercise", "--frames", "0:4", "-o", "OUT.pc2"});
      list.push_back({"deform", "IN", "--method", method, "--clip", "bend", "--frames", "0:2", "-o", "OUT.glb"});
    }
    return list;
  }();
  return commands;
}

// Commands that take most of the time come less often.
bool is_slow(const Words& words) {
  for (const char* word : {"pbd", "implicit", "--rom", "rig", "fit-joints", "ode", "slbs"})
    if (std::find(words.begin(), words.end(), word) != words.end()) return true;
  return false;
}

void set_limits() {
  const rlimit seconds{kSeconds, kSeconds};
  setrlimit(RLIMIT_CPU, &seconds);
#ifndef SINEW_SANITIZED
  const rlimit bytes{kBytes, kBytes};
  setrlimit(RLIMIT_AS, &bytes);
#endif
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

// Runs in a child: the program, and a second look at what it wrote.
[[noreturn]] void run_child(const Words& words, const fs::path& folder) {
  set_limits();
  if (!std::freopen((folder / "log").c_str(), "w", stdout) || !std::freopen((folder / "log").c_str(), "a", stderr))
    std::_Exit(91);
  std::vector<const char*> argv = {"sinew"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  argv.push_back("--quiet");
  argv.push_back("--threads");
  argv.push_back("2");
  const int code = sinew::app::program(static_cast<int>(argv.size()), argv.data());
  if (code == 0 || code == 1)
    for (const char* name : {"out.glb", "out.gltf", "out.rig.json"}) {
      if (!fs::exists(folder / name)) continue;
      try {
        sinew::io::load(folder / name);
      } catch (const sinew::Error& problem) {
        std::fprintf(stderr, "written, and refused: %s\n", problem.what());
        std::fflush(stderr);
        std::_Exit(kWroteWhatItRefuses);
      }
    }
  std::fflush(stdout);
  std::fflush(stderr);
  std::_Exit(code);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

int run_words(const Words& words, const fs::path& folder) {
  const pid_t child = fork();
  if (child == 0) run_child(words, folder);
  return wait_for(child);
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
}

struct Campaign {
  std::uint64_t seed = 1;
  std::string only;
  fs::path folder;
  std::vector<std::string> seeds;

  explicit Campaign(fs::path where) : folder(std::move(where)) {
    const std::vector<Words> made = {
        {"make", "bar", "--layers", "6", "-o", (folder / "s0.glb").string()},
        {"make", "cylinder", "--joint-count", "3", "--layers", "10", "-o", (folder / "s1.glb").string()},
        {"make", "figure", "--vertices", "500", "-o", (folder / "s2.glb").string()},
        {"make", "hand", "--vertices", "600", "-o", (folder / "s3.glb").string()}};
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (run_words(made[i], folder) != 0) {
        std::fprintf(stderr, "mutants: a seed cannot be made\n%s", read_text(folder / "log").c_str());
        std::exit(2);
      }
      seeds.push_back(read_text(folder / ("s" + std::to_string(i) + ".glb")));
    }
  }

  // One mutant, one command. Each case depends on its number and the seed alone.
  int run(std::uint64_t number, Words& words) const {
    std::mt19937_64 random(seed * 1000003 + number);
    GlbParts parts = sinew::test::split_glb(seeds[random() % seeds.size()]);
    sinew::test::mutate_glb(parts, random);
    const std::vector<Words>& commands = all_commands();
    do words = commands[random() % commands.size()];
    while (only.empty() ? is_slow(words) && random() % 4 != 0 : words.front() != only);
    const fs::path place = folder / "case";
    fs::remove_all(place);
    fs::create_directory(place);
    write_text(place / "in.glb", sinew::test::join_glb(parts));
    for (std::string& word : words) {
      if (word == "IN") word = (place / "in.glb").string();
      else if (word == "REF") word = (folder / "s1.glb").string();
      else if (word.starts_with("OUT")) word = (place / ("out" + word.substr(3))).string();
    }
    return run_words(words, place);
  }
};

bool is_fine(int code) { return code >= 0 && code <= 2; }

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  std::string name = (fs::temp_directory_path() / "sinew-mutants-XXXXXX").string();
  if (!mkdtemp(name.data())) return 2;
  setenv("XDG_CACHE_HOME", name.c_str(), 1);
  Campaign campaign{fs::path(name)};
  campaign.seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  if (argc > 3) campaign.only = argv[3];
  const fs::path kept = "mutants-" + std::to_string(campaign.seed);
  std::map<int, std::uint64_t> codes;
  std::uint64_t broken = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Words words;
    const int code = campaign.run(i, words);
    ++codes[code];
    if (is_fine(code)) continue;
    ++broken;
    fs::create_directory(kept);
    const std::string stem = std::to_string(i);
    fs::copy_file(campaign.folder / "case" / "in.glb", kept / (stem + ".glb"), fs::copy_options::overwrite_existing);
    std::string line;
    for (const std::string& word : words) line += word + " ";
    write_text(kept / (stem + ".txt"), line + "\n" + read_text(campaign.folder / "case" / "log"));
    std::printf("case %s: code %d: %s\n", stem.c_str(), code, line.c_str());
    std::fflush(stdout);
  }
  for (const auto& [code, times] : codes)
    std::printf("exit code %d: %llu\n", code, static_cast<unsigned long long>(times));
  std::printf("%llu cases, seed %llu, %llu broken\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(campaign.seed), static_cast<unsigned long long>(broken));
  fs::remove_all(campaign.folder);
  return broken == 0 ? 0 : 1;
}
