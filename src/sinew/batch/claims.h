// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Who works on which row. Any number of processes on any number of machines that share a folder can claim rows: a
/// claim is a file that is moved to its name, which only one of them can do.

#include <string>

#include "sinew/batch/manifest.h"

namespace sinew::batch {

class Claims {
 public:
  /// `stale_s`: a claim that its owner has not renewed for so long belongs to nobody. That of a process of this machine
  /// which has ended does not, either.
  Claims(const BatchFolder& folder, double stale_s);

  /// Claims a row. False if somebody else has it. \throws Error if the folder cannot be written.
  bool take(const std::string& name);
  /// Tells others that this process still works on the row.
  void renew(const std::string& name) const;
  void release(const std::string& name) const;
  /// Whether somebody who is alive has the row.
  bool is_held(const std::string& name) const;
  /// Removes what killed processes left: their claims, and the unfinished files of rows that nobody has.
  void clear_leftovers();

 private:
  bool is_dead(const std::string& name, std::string& owner) const;
  bool move_in(const std::string& name) const;
  bool remove_dead(const std::string& name);
  bool is_stale(const std::filesystem::path& path) const;

  const BatchFolder& folder_;
  double stale_s_;
  std::string self_;  ///< "HOST PID START"
  unsigned number_ = 0;
};

}  // namespace sinew::batch
