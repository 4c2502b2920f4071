// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace sinew::test {

/// An environment variable with another value, or none, for as long as this lives. Not while other threads read the
/// environment.
class Environment {
 public:
  Environment(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    put(value);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { put(before_); }

 private:
  void put(const std::optional<std::string>& value) const {
    if (value) ::setenv(name_, value->c_str(), 1);
    else ::unsetenv(name_);
  }

  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace sinew::test
