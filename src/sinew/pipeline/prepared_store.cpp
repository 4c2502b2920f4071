// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/prepared_store.h"

#include <algorithm>
#include <utility>

namespace sinew::pipeline {

PreparedStore::PreparedStore(std::vector<io::PreparedPiece> held, bool collect)
    : held_(std::move(held)), cache_(io::Cache::of_user()), collect_(collect) {}

std::optional<io::Bytes> PreparedStore::find(const std::string& method, const std::string& key,
                                             const std::function<bool(std::span<const std::byte>)>& accepts) {
  for (const io::PreparedPiece& piece : held_) {
    if (piece.key != key || !accepts(piece.bytes)) continue;
    ++from_file_;
    collect(method, key, piece.bytes);
    return piece.bytes;
  }
  if (!cache_) return std::nullopt;
  std::optional<io::Bytes> bytes = cache_->load(key);
  if (!bytes || !accepts(*bytes)) return std::nullopt;
  collect(method, key, *bytes);
  return bytes;
}

void PreparedStore::add(const std::string& method, const std::string& key, std::span<const std::byte> bytes) {
  ++computed_;
  collect(method, key, bytes);
  if (cache_) cache_->store(key, bytes);
}

bool PreparedStore::outdated(const std::string& method) const {
  return from_file_ == 0 && std::any_of(held_.begin(), held_.end(),
                                        [&](const io::PreparedPiece& piece) { return piece.method == method; });
}

void PreparedStore::collect(const std::string& method, const std::string& key, std::span<const std::byte> bytes) {
  const auto known = [&](const io::PreparedPiece& piece) { return piece.key == key; };
  if (!collect_ || std::any_of(used_.begin(), used_.end(), known)) return;
  used_.push_back({key, method, {bytes.begin(), bytes.end()}});
}

}  // namespace sinew::pipeline
