// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew::io {

/// States whether a file may replace one that exists. A path may until this says no: a job says so when it is asked for
/// an output that is not there, so that a file that appears while it works is safe.
void set_may_replace(const std::filesystem::path& target, bool allowed);

/// How many files this process has put into place so far.
std::size_t committed_files();

/// Several files that are written together: each goes to a temporary file beside its target, and `commit` moves them
/// all into place. Without `commit` (an exception, a full disk, a cancelled job) no new file remains and every existing
/// file is unchanged. Temporary files of a process that was killed are removed by the next run in the same folder.
///
/// Files move in the order in which they were added. A document must be added after the data it refers to, and data
/// that differ from those of an existing document must have a new name: then a process that is killed between two moves
/// leaves the old set or the new one.
class AtomicFiles {
 public:
  /// What becomes of a file that appears at a target after it was added.
  enum class Newcomer { kKept, kReplaced };
  explicit AtomicFiles(Newcomer newcomer = Newcomer::kKept) : newcomer_(newcomer) {}
  AtomicFiles(const AtomicFiles&) = delete;
  AtomicFiles& operator=(const AtomicFiles&) = delete;
  ~AtomicFiles();

  /// \throws Error if the bytes cannot be written (the folder is missing, the disk is full).
  void add(const std::filesystem::path& target, std::span<const std::byte> bytes);
  void add(const std::filesystem::path& target, std::string_view text);

  /// A file written piece by piece; valid until `commit`.
  class Stream {
   public:
    /// \throws Error if the bytes cannot be written.
    void write(std::span<const std::byte> bytes);

   private:
    friend class AtomicFiles;
    struct State;
    explicit Stream(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
  };
  /// \throws Error if the file cannot be created.
  Stream open(const std::filesystem::path& target);

  /// Removes a file after everything is in place: data that only a replaced document used.
  void remove_afterwards(const std::filesystem::path& path) { obsolete_.push_back(path); }

  struct Written {
    std::filesystem::path target;
    std::string sha256;
    std::uint64_t bytes = 0;
  };
  /// The files added so far.
  const std::vector<Written>& written() const { return written_; }

  /// Moves every file to its target. \throws Error if one cannot be moved, after it has put back what was there.
  void commit();

 private:
  struct Pending {
    std::filesystem::path temporary;
    std::filesystem::path target;
    bool was_there = false;          ///< When it was added.
    bool replaces = false;           ///< What is at its target when it is moved.
    std::filesystem::path old = {};  ///< A second name of what the target was, while others are moved.
  };
  int make_temporary(const std::filesystem::path& target);
  void clear_leftovers(const std::filesystem::path& folder);
  void close_streams();
  void undo(std::size_t moved);

  Newcomer newcomer_;
  std::vector<Pending> pending_;
  std::vector<std::shared_ptr<Stream::State>> streams_;
  std::vector<Written> written_;
  std::vector<std::filesystem::path> obsolete_;
  std::set<std::filesystem::path> cleared_;
};

}  // namespace sinew::io
