// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// Something a person caused and can mend. The text is one or two sentences: the file or option, what is wrong, what to
/// do. Programs end with exit code 2 and have written nothing. Programming errors assert instead.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user asked to stop. Exit code 130; nothing was written.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

/// One thing worth telling: a warning of a run, or what `validate` found wrong.
struct Finding {
  std::string code;   ///< Short and stable, for machines: "weights.bad_sum".
  std::string where;  ///< Part, joint, vertex or option it is about; may be empty.
  std::string text;   ///< A sentence for people.

  friend bool operator==(const Finding&, const Finding&) = default;
};

using Findings = std::vector<Finding>;

}  // namespace sinew
