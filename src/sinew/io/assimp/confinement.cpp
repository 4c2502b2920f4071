// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/assimp/confinement.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinew::io {
namespace {

/// Lets the files below a path be read.
bool allow_reading(int ruleset, const char* path) {
  const int folder = ::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  landlock_path_beneath_attr rule = {};
  rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  rule.parent_fd = folder;
  const bool added = ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  ::close(folder);
  return added;
}

bool confine_files(const std::filesystem::path& folder) {
  // The rights of the first version, which every later kernel knows, cover reading, writing and making files.
  landlock_ruleset_attr attributes = {};
  attributes.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1;
  const int ruleset =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0));
  if (ruleset < 0) return false;
  const bool ready = allow_reading(ruleset, folder.empty() ? "/" : folder.c_str());
  const bool done = ready && ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  ::close(ruleset);
  return done;
}

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

/// Calls that no reader of a file needs. They fail with EPERM, which lets a library go on without them.
constexpr std::array kRefusedCalls = {SYS_socket,
                                      SYS_connect,
                                      SYS_bind,
                                      SYS_listen,
                                      SYS_execve,
                                      SYS_execveat,
                                      SYS_ptrace,
                                      SYS_kill,
                                      SYS_tkill,
                                      SYS_process_vm_readv,
                                      SYS_process_vm_writev,
                                      SYS_io_uring_setup,
                                      SYS_mount,
                                      SYS_bpf,
                                      SYS_keyctl};

bool confine_calls() {
  if (kArchitecture == 0) return false;
  const auto load = [](std::size_t offset) {
    return sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
  };
  const auto jump = [](std::uint16_t test, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
    return sock_filter{static_cast<std::uint16_t>(BPF_JMP | BPF_K | test), yes, no, value};
  };
  const auto answer = [](std::uint32_t action) { return sock_filter{BPF_RET | BPF_K, 0, 0, action}; };
  constexpr auto kCount = static_cast<std::uint8_t>(kRefusedCalls.size());
  std::vector<sock_filter> program = {load(offsetof(seccomp_data, arch)),
                                      jump(BPF_JEQ, kArchitecture, 0, kCount + 3),  // To the refusal.
                                      load(offsetof(seccomp_data, nr))};
  // Numbers of the 32-bit interface of x86-64 begin here.
  program.push_back(jump(BPF_JGE, 0x40000000, kCount + 1, 0));
  for (std::uint8_t k = 0; k < kCount; ++k)
    program.push_back(jump(BPF_JEQ, static_cast<std::uint32_t>(kRefusedCalls[k]), kCount - k, 0));
  program.push_back(answer(SECCOMP_RET_ALLOW));
  program.push_back(answer(SECCOMP_RET_ERRNO | EPERM));
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace

Confinement confine_reader(const std::filesystem::path& folder) {
  Confinement result;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return result;
  result.files = confine_files(folder);
  result.calls = confine_calls();
  return result;
}

}  // namespace sinew::io
