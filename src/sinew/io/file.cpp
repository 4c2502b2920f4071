// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "sinew/core/error.h"
#include "sinew/core/hash.h"

namespace sinew::io {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string reason() { return std::generic_category().message(errno); }

void write_all(int fd, std::span<const std::byte> bytes, const std::filesystem::path& target) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) throw Error(fmt::format("Cannot write {}: {}. Nothing was changed.", target.string(), reason()));
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
}

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::uint8_t, 256> make_base64_table() {
  std::array<std::uint8_t, 256> table{};
  for (auto& entry : table) entry = 255;
  for (std::size_t i = 0; i < kBase64.size(); ++i)
    table[static_cast<unsigned char>(kBase64[i])] = static_cast<std::uint8_t>(i);
  return table;
}
constexpr std::array<std::uint8_t, 256> kBase64Value = make_base64_table();

}  // namespace

Bytes read_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw Error(fmt::format("Cannot open {}: {}.", path.string(), reason()));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw Error(fmt::format("Cannot read {}: {}.", path.string(), reason()));
  if (S_ISDIR(info.st_mode)) throw Error(fmt::format("{} is a folder, not a file.", path.string()));
  if (static_cast<std::uint64_t>(info.st_size) > kMaxFileBytes)
    throw Error(fmt::format("{} is larger than 4 GiB, more than a character file can be.", path.string()));
  // A pipe has no size: read on until it ends.
  Bytes bytes(S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) : 0);
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) {
      if (S_ISREG(info.st_mode)) break;
      if (bytes.size() > kMaxFileBytes) throw Error(fmt::format("{} does not end.", path.string()));
      bytes.resize(bytes.size() + (std::size_t{1} << 20));
    }
    const ssize_t got = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("Cannot read {}: {}.", path.string(), reason()));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

ReportFile describe(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  return {path.string(), sha256_hex(bytes), bytes.size()};
}

namespace {

void flush(int file, const std::filesystem::path& target) {
  if (::fsync(file) != 0 && errno != EINVAL && errno != EROFS)
    throw Error(fmt::format("Cannot write {}: {}. Nothing was changed.", target.string(), reason()));
}

}  // namespace

AtomicFiles::~AtomicFiles() {
  for (const Pending& file : pending_) ::unlink(file.temporary.c_str());
}

int AtomicFiles::make_temporary(const std::filesystem::path& target) {
  std::string name = target.string() + ".XXXXXX";
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) throw Error(fmt::format("Cannot write {}: {}. Nothing was changed.", target.string(), reason()));
  pending_.push_back({name, target});
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file, 0666 & ~mask);
  return file;
}

void AtomicFiles::add(const std::filesystem::path& target, std::span<const std::byte> bytes) {
  const Descriptor file(make_temporary(target));
  written_.push_back({target, sha256_hex(bytes), bytes.size()});
  write_all(file.get(), bytes, target);
  flush(file.get(), target);
}

void AtomicFiles::add(const std::filesystem::path& target, std::string_view text) { add(target, as_bytes(text)); }

struct AtomicFiles::Stream::State {
  Descriptor file;
  std::filesystem::path target;
  Sha256 hash;
  std::size_t written;  ///< Index of the entry in `written_`.
  std::uint64_t bytes = 0;
};

void AtomicFiles::Stream::write(std::span<const std::byte> bytes) {
  write_all(state_->file.get(), bytes, state_->target);
  state_->hash.update(bytes);
  state_->bytes += bytes.size();
}

AtomicFiles::Stream AtomicFiles::open(const std::filesystem::path& target) {
  const int descriptor = make_temporary(target);
  auto state = std::shared_ptr<Stream::State>(new Stream::State{Descriptor(descriptor), target, {}, written_.size()});
  written_.push_back({target, "", 0});
  streams_.push_back(state);
  return Stream(std::move(state));
}

void AtomicFiles::close_streams() {
  for (const auto& stream : streams_) {
    flush(stream->file.get(), stream->target);
    written_[stream->written].sha256 = stream->hash.hex();
    written_[stream->written].bytes = stream->bytes;
  }
  streams_.clear();
}

void AtomicFiles::commit() {
  close_streams();
  while (!pending_.empty()) {
    const Pending& file = pending_.front();
    if (::rename(file.temporary.c_str(), file.target.c_str()) != 0)
      throw Error(fmt::format("Cannot move {} into place: {}.", file.target.string(), reason()));
    pending_.erase(pending_.begin());
  }
}

std::string base64_encode(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = (word << 8) | (k < have ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += k <= have ? kBase64[(word >> (18 - 6 * k)) & 63] : '=';
  }
  return text;
}

Bytes base64_decode(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  Bytes bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    const std::uint8_t value = kBase64Value[static_cast<unsigned char>(c)];
    if (value == 255) throw Error("The base64 data contains an invalid character.");
    word = (word << 6) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<std::byte>(word >> bits));
    }
  }
  return bytes;
}

std::string sniff_image_type(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  if (text.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (text.starts_with("GIF8")) return "image/gif";
  if (text.starts_with("BM")) return "image/bmp";
  if (text.starts_with("\xabKTX 20\xbb")) return "image/ktx2";
  if (text.size() >= 12 && text.starts_with("RIFF") && text.substr(8, 4) == "WEBP") return "image/webp";
  return "";
}

}  // namespace sinew::io
