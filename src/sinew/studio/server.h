// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// HTTP and WebSockets on 127.0.0.1. Knows the rules of `Gate` and nothing of characters.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sinew/core/progress.h"
#include "sinew/io/file.h"

namespace sinew::studio {

/// A page at the other end of a socket. Any thread may send.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual void send(std::string text) = 0;
  virtual void send(io::Bytes bytes) = 0;
  virtual void close() = 0;
};

struct Blob {
  std::string type;  ///< MIME.
  std::shared_ptr<const io::Bytes> bytes;
};

/// What the server calls, from its own thread only.
struct ServerHooks {
  std::function<void(std::shared_ptr<Peer>)> opened;
  std::function<void(const std::shared_ptr<Peer>&, std::string text)> received;
  std::function<void(const std::shared_ptr<Peer>&)> closed;
  /// Where a file of this plain name is stored; empty to refuse it.
  std::function<std::filesystem::path(const std::string& name)> upload_path;
  std::function<std::optional<Blob>(std::uint64_t id)> blob;
  std::string_view page, script, style;
};

class Server {
 public:
  /// Listens on 127.0.0.1; port 0 takes any free one. \throws Error if the port is taken.
  Server(std::uint16_t port, ServerHooks hooks);
  ~Server();

  std::uint16_t port() const;
  const std::string& token() const;

  /// Serves until `progress` is cancelled.
  void run(const Progress& progress);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew::studio
