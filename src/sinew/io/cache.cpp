// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/cache.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "sinew/core/error.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

constexpr std::size_t kHexDigits = 64;
constexpr std::string_view kEntryEnding = ".sinew-cache";
constexpr auto kStaleAfter = std::chrono::hours(1);  ///< A temporary file that old has no writer any more.

/// What comes before the data.
struct EntryHead {
  char magic[8] = {'S', 'I', 'N', 'E', 'W', 'P', 'R', 'E'};
  std::uint64_t version = 1;
  char key[kHexDigits] = {};
  std::uint64_t length = 0;
  char checksum[kHexDigits] = {};
};
static_assert(std::has_unique_object_representations_v<EntryHead>);

EntryHead head_of(std::string_view key, std::span<const std::byte> bytes) {
  EntryHead head;
  head.length = bytes.size();
  std::copy(key.begin(), key.end(), head.key);
  const std::string checksum = sha256_hex(bytes);
  std::copy(checksum.begin(), checksum.end(), head.checksum);
  return head;
}

/// The data of an entry, if it is whole and of that key.
std::optional<Bytes> read_entry(const fs::path& path, std::string_view key, std::uint64_t limit) {
  try {
    if (fs::file_size(path) > limit) return std::nullopt;
    Bytes bytes = read_file(path);
    if (bytes.size() < sizeof(EntryHead)) return std::nullopt;
    const EntryHead head = head_of(key, std::span(bytes).subspan(sizeof(EntryHead)));
    if (std::memcmp(&head, bytes.data(), sizeof head) != 0) return std::nullopt;
    bytes.erase(bytes.begin(), bytes.begin() + sizeof head);
    return bytes;
  } catch (const Error&) {
    return std::nullopt;
  } catch (const fs::filesystem_error&) {
    return std::nullopt;
  }
}

bool is_key(std::string_view text) {
  return text.size() == kHexDigits &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Whether a name is that of an entry, or of one that is being written (`AtomicFiles` adds to the name).
enum class EntryKind { kOther, kWhole, kTemporary };
EntryKind entry_kind(std::string_view name) {
  if (!is_key(name.substr(0, std::min(kHexDigits, name.size())))) return EntryKind::kOther;
  name.remove_prefix(kHexDigits);
  if (!name.starts_with(kEntryEnding)) return EntryKind::kOther;
  return name.size() == kEntryEnding.size() ? EntryKind::kWhole : EntryKind::kTemporary;
}

/// The folder of a variable; empty if it is not set.
fs::path folder_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fs::path() : fs::path(text);
}

}  // namespace

void KeyHasher::add(std::span<const std::byte> bytes) {
  const std::uint64_t length = bytes.size();
  hash_.update(std::as_bytes(std::span(&length, 1)));
  hash_.update(bytes);
}

Cache::Cache(fs::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}

std::optional<Cache> Cache::of_user() {
  if (const fs::path chosen = folder_in("SINEW_CACHE"); !chosen.empty()) {
    if (chosen == "off") return std::nullopt;
    return Cache(chosen);
  }
  // Relative ones are to be ignored, says the XDG Base Directory Specification.
  if (const fs::path caches = folder_in("XDG_CACHE_HOME"); caches.is_absolute()) return Cache(caches / "sinew");
  if (const fs::path home = folder_in("HOME"); home.is_absolute()) return Cache(home / ".cache" / "sinew");
  return std::nullopt;
}

fs::path Cache::place(std::string_view key) const {
  assert(is_key(key));
  return folder_ / (std::string(key) + std::string(kEntryEnding));
}

std::optional<Bytes> Cache::load(std::string_view key) const {
  const fs::path path = place(key);
  std::error_code failure;
  const fs::file_status status = fs::symlink_status(path, failure);
  if (status.type() == fs::file_type::not_found) return std::nullopt;
  // Only a file: opening a pipe would wait for a writer.
  if (status.type() == fs::file_type::regular) {
    if (std::optional<Bytes> bytes = read_entry(path, key, limit_)) {
      fs::last_write_time(path, fs::file_time_type::clock::now(), failure);  // Used just now.
      return bytes;
    }
  }
  fs::remove(path, failure);
  return std::nullopt;
}

bool Cache::store(std::string_view key, std::span<const std::byte> bytes) const {
  if (bytes.size() + sizeof(EntryHead) > limit_) return false;
  try {
    if (fs::create_directories(folder_)) fs::permissions(folder_, fs::perms::owner_all);
    make_room(bytes.size() + sizeof(EntryHead));
    const EntryHead head = head_of(key, bytes);
    const auto head_bytes = std::as_bytes(std::span(&head, 1));
    Bytes whole(head_bytes.begin(), head_bytes.end());
    whole.insert(whole.end(), bytes.begin(), bytes.end());
    // Another process may store the same entry at the same time; either will do.
    AtomicFiles files(AtomicFiles::Newcomer::kReplaced);
    files.add(place(key), whole);
    files.commit();
    return true;
  } catch (const Error&) {
    return false;
  } catch (const fs::filesystem_error&) {
    return false;
  }
}

void Cache::make_room(std::uint64_t wanted) const {
  struct Entry {
    fs::file_time_type used;
    fs::path path;
    std::uint64_t size;
  };
  std::vector<Entry> entries;
  std::uint64_t sum = wanted;
  std::error_code failure;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator file(folder_, failure), end; !failure && file != end; file.increment(failure)) {
    const EntryKind kind = entry_kind(file->path().filename().string());
    // Another process may remove it meanwhile: what cannot be asked is not there.
    std::error_code gone;
    if (kind == EntryKind::kOther || file->symlink_status(gone).type() != fs::file_type::regular) continue;
    const std::uint64_t size = file->file_size(gone);
    if (gone) continue;
    const auto used = file->last_write_time(gone);
    if (gone) continue;
    if (kind == EntryKind::kTemporary && now - used > kStaleAfter) {
      fs::remove(file->path(), gone);
      continue;
    }
    sum += size;
    if (kind == EntryKind::kWhole) entries.push_back({used, file->path(), size});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::tie(a.used, a.path) < std::tie(b.used, b.path); });
  for (const Entry& entry : entries) {
    if (sum <= limit_) break;
    fs::remove(entry.path, failure);
    sum -= entry.size;
  }
}

}  // namespace sinew::io
