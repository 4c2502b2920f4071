// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace sinew::io {

/// An open file that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// What the system says about the last call that failed.
inline std::string system_reason() { return std::generic_category().message(errno); }

}  // namespace sinew::io
