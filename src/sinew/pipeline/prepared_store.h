// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/io/asset.h"
#include "sinew/io/cache.h"

namespace sinew::pipeline {

/// Where prepared data comes from and goes to: pieces that a file holds, then the user's cache (`io::Cache`).
class PreparedStore {
 public:
  /// \param held The pieces of a file.
  /// \param collect Whether `used` is asked for later.
  explicit PreparedStore(std::vector<io::PreparedPiece> held = {}, bool collect = false);

  /// Whether anything can be found or kept. If not, no key is needed.
  bool active() const { return collect_ || cache_ || !held_.empty(); }

  /// The bytes of that key which `accepts` accepts.
  std::optional<io::Bytes> find(const std::string& method, const std::string& key,
                                const std::function<bool(std::span<const std::byte>)>& accepts);

  /// Keeps bytes that were computed because there were none.
  void add(const std::string& method, const std::string& key, std::span<const std::byte> bytes);

  /// All pieces that were found or added, each once. Empty without `collect`.
  const std::vector<io::PreparedPiece>& used() const { return used_; }
  std::size_t from_file() const { return from_file_; }  ///< Pieces found in the file.
  std::size_t computed() const { return computed_; }    ///< Pieces added.
  /// Whether the file holds pieces of a method, none of which was found.
  bool outdated(const std::string& method) const;

 private:
  void collect(const std::string& method, const std::string& key, std::span<const std::byte> bytes);

  std::vector<io::PreparedPiece> held_, used_;
  std::optional<io::Cache> cache_;
  bool collect_;
  std::size_t from_file_ = 0, computed_ = 0;
};

}  // namespace sinew::pipeline
