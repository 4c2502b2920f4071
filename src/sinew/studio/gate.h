// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Decides which requests the studio answers. Pure functions on texts; nothing here opens a socket or a file.

#include <cstdint>
#include <string>
#include <string_view>

namespace sinew::studio {

inline constexpr std::uint64_t kMaxUploadBytes = std::uint64_t{2} << 30;
inline constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{1} << 20;
inline constexpr std::uint32_t kMaxHeaderBytes = 8 << 10;
inline constexpr int kMaxSockets = 4;

/// The parts of an HTTP request that decide. Headers that are missing are empty.
struct GateRequest {
  std::string_view method;
  std::string_view target;
  std::string_view host;
  std::string_view origin;
  std::string_view authorization;
  std::string_view protocols;  ///< Sec-WebSocket-Protocol.
  bool upgrade = false;        ///< The request asks for a WebSocket.
  std::uint64_t body_bytes = 0;
};

/// What a request is for.
enum class GateRoute { kPage, kScript, kStyle, kSocket, kUpload, kBlob };

struct GateAnswer {
  int status = 403;  ///< Of HTTP; 200 if the request is allowed.
  GateRoute route = GateRoute::kPage;
  std::string argument;  ///< The name of an upload, decoded; the id of a blob.

  explicit operator bool() const { return status == 200; }
};

/// A token of 256 random bits, as 64 hexadecimal digits.
std::string make_token();

/// Whether two texts are equal, in a time that depends on their lengths only.
bool equal_secret(std::string_view a, std::string_view b);

/// The plain name of a file that the page sends: no folder, no control characters, at most 128 bytes, never hidden.
/// Empty if nothing is left.
std::string plain_name(std::string_view name);

/// The text without the folders of uploads and exports: `FOLDER/drop3/a.obj` becomes `a.obj`. A person knows the file
/// that was dropped, not where the program put it.
std::string without_folder(std::string text, const std::string& folder);

/// Rules for one run of the studio. `Host` must be literally 127.0.0.1:PORT or localhost:PORT; so other sites that
/// resolve to this machine are refused. `Origin` of sockets and uploads must be one of these with http:// before it.
/// All but the empty page, its script and its style need the token.
class Gate {
 public:
  Gate(std::uint16_t port, std::string token);

  GateAnswer judge(const GateRequest& request) const;
  const std::string& token() const { return token_; }

 private:
  bool is_own_host(std::string_view host) const;
  bool is_own_origin(std::string_view origin) const;
  bool bears_token(const GateRequest& request) const;

  std::string port_;
  std::string token_;
};

}  // namespace sinew::studio
