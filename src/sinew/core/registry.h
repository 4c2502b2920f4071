// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/options.h"

namespace sinew {

/// A method a user can choose by name: a binder, a deformer, a transfer, a file format, a command.
template <class Factory>
struct Registered {
  std::string id;    ///< Short name: "dqs".
  std::string name;  ///< Plain name: "dual-quaternion".
  std::string when;  ///< One line on when to use it.
  Factory make;
};

/// The methods of one kind, in the order they were added. What is registered is what the program shows.
template <class Factory>
class Registry {
 public:
  using Entry = Registered<Factory>;

  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  /// \pre the id and the plain name are new. \throws Error otherwise.
  void add(Entry entry) {
    for (const Entry& other : entries_)
      if (other.id == entry.id || other.name == entry.name)
        throw Error("There are two " + kind_ + "s called '" + entry.id + "'.");
    entries_.push_back(std::move(entry));
  }

  const std::vector<Entry>& entries() const { return entries_; }

  /// Finds by id or by plain name. \throws Error that lists what there is.
  const Entry& find(std::string_view word) const {
    std::vector<std::string> known;
    for (const Entry& entry : entries_) {
      if (entry.id == word || entry.name == word) return entry;
      known.push_back(entry.id);
    }
    std::string text = "There is no " + kind_ + " '" + std::string(word) + "'; there is";
    for (std::size_t i = 0; i < known.size(); ++i) text += (i ? ", " : " ") + known[i];
    const std::string near = closest_word(word, known);
    throw Error(text + "." + (near.empty() ? "" : " Did you mean '" + near + "'?"));
  }

 private:
  std::string kind_;
  std::vector<Entry> entries_;
};

}  // namespace sinew
