// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/text.h"

namespace sinew {

/// A registry entry for things without options of their own, such as file formats and commands.
template <class Factory>
struct Registered {
  std::string id;    ///< Short name: "dqs".
  std::string name;  ///< Plain name: "dual-quaternion".
  std::string when;  ///< One line on when to use it.
  Factory make;
};

/// The entries of one kind, in the order in which they were added. The program shows what is registered. An entry has
/// at least `id`, `name` and `when`.
template <class Entry_>
class Registry {
 public:
  using Entry = Entry_;

  /// `kind` is what errors call an entry: "deformer".
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  /// \pre the id and the plain name are new. \throws std::logic_error otherwise: it is an error of the program.
  void add(Entry entry) {
    for (const Entry& other : entries_)
      if (other.id == entry.id || other.name == entry.name)
        throw std::logic_error("Two entries of the kind " + kind_ + " are called '" + entry.id + "'.");
    entries_.push_back(std::move(entry));
  }

  const std::string& kind() const { return kind_; }
  const std::vector<Entry>& entries() const { return entries_; }

  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    for (const Entry& entry : entries_) all.push_back(entry.id);
    return all;
  }

  /// Finds by id or by plain name. \throws Error that lists the entries.
  const Entry& find(std::string_view word) const {
    for (const Entry& entry : entries_)
      if (entry.id == word || entry.name == word) return entry;
    throw Error(unknown_word(kind_, word, ids()));
  }

 private:
  std::string kind_;
  std::vector<Entry> entries_;
};

}  // namespace sinew
