// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// An error that the user caused and can fix. The text is one or two sentences that name the file or option, the
/// problem, and what to do. Programs exit with code 2 and write nothing. Programming errors assert instead.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user cancelled the run. Programs exit with code 130 and write nothing.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

/// A warning of a run, or a problem found by `validate`.
struct Finding {
  std::string code;   ///< Short and stable, for machines: "weights.bad_sum".
  std::string where;  ///< The part, joint, vertex or option concerned; may be empty.
  std::string text;   ///< A sentence for people.

  friend bool operator==(const Finding&, const Finding&) = default;
};

using Findings = std::vector<Finding>;

}  // namespace sinew
