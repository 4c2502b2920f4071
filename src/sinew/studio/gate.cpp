// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/gate.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "sinew/core/error.h"

namespace sinew::studio {
namespace {

constexpr std::size_t kMostNameBytes = 128;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Percent-encoded text; what is not valid stays as it is.
std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      result += static_cast<char>(16 * hex_digit(text[i + 1]) + hex_digit(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::string make_token() {
  std::array<unsigned char, 32> bits{};
  if (::getentropy(bits.data(), bits.size()) != 0)
    throw Error("The system gives no random numbers for the secret of the studio.");
  std::string token;
  for (const unsigned char byte : bits) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

bool equal_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return difference == 0;
}

std::string plain_name(std::string_view name) {
  if (const std::size_t slash = name.find_last_of("/\\"); slash != std::string_view::npos)
    name.remove_prefix(slash + 1);
  std::string result;
  for (const char c : name)
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F && c != ':') result += c;
  const std::size_t begin = result.find_first_not_of(". ");
  result = begin == std::string::npos ? std::string() : result.substr(begin);
  // The end of a name decides the format.
  if (result.size() > kMostNameBytes) result = result.substr(result.size() - kMostNameBytes);
  return result;
}

std::string without_folder(std::string text, const std::string& folder) {
  if (folder.empty()) return text;
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at)) {
    // The folder, and the one in it of this drop or export.
    std::size_t end = text.find_first_of("/\\", at + folder.size() + 1);
    end = end == std::string::npos ? at + folder.size() : end + 1;
    text.erase(at, end - at);
  }
  return text;
}

Gate::Gate(std::uint16_t port, std::string token) : port_(std::to_string(port)), token_(std::move(token)) {}

bool Gate::is_own_host(std::string_view host) const {
  return host == "127.0.0.1:" + port_ || host == "localhost:" + port_;
}

bool Gate::is_own_origin(std::string_view origin) const {
  constexpr std::string_view scheme = "http://";
  return origin.starts_with(scheme) && is_own_host(origin.substr(scheme.size()));
}

bool Gate::bears_token(const GateRequest& request) const {
  if (request.upgrade) {
    // "sinew, TOKEN": browsers cannot send other headers with a socket.
    const std::size_t comma = request.protocols.find(',');
    if (comma == std::string_view::npos || request.protocols.substr(0, comma) != "sinew") return false;
    std::string_view token = request.protocols.substr(comma + 1);
    while (token.starts_with(' ')) token.remove_prefix(1);
    return equal_secret(token, token_);
  }
  constexpr std::string_view scheme = "Bearer ";
  return request.authorization.starts_with(scheme) && equal_secret(request.authorization.substr(scheme.size()), token_);
}

GateAnswer Gate::judge(const GateRequest& request) const {
  GateAnswer answer;
  if (!is_own_host(request.host)) return answer;
  const auto [path, query] = [&] {
    const std::size_t mark = request.target.find('?');
    return mark == std::string_view::npos ? std::pair{request.target, std::string_view()}
                                          : std::pair{request.target.substr(0, mark), request.target.substr(mark + 1)};
  }();
  const auto allow = [&](GateRoute route, std::string argument = {}) {
    answer.status = 200, answer.route = route, answer.argument = std::move(argument);
    return answer;
  };
  if (request.upgrade) {
    if (request.method != "GET" || path != "/socket") return answer;
    return is_own_origin(request.origin) && bears_token(request) ? allow(GateRoute::kSocket) : answer;
  }
  if (!request.origin.empty() && !is_own_origin(request.origin)) return answer;
  if (request.method == "GET") {
    if (request.body_bytes > 0) return answer.status = 413, answer;
    if (path == "/" || path == "/index.html") return allow(GateRoute::kPage);
    if (path == "/studio.js") return allow(GateRoute::kScript);
    if (path == "/studio.css") return allow(GateRoute::kStyle);
    constexpr std::string_view blob = "/blob/";
    if (!path.starts_with(blob)) return answer.status = 404, answer;
    if (!bears_token(request)) return answer;
    if (!all_digits(path.substr(blob.size()))) return answer.status = 404, answer;
    return allow(GateRoute::kBlob, std::string(path.substr(blob.size())));
  }
  if (request.method != "PUT") return answer.status = 405, answer;
  if (path != "/upload") return answer.status = 404, answer;
  if (!is_own_origin(request.origin) || !bears_token(request)) return answer;
  if (request.body_bytes > kMaxUploadBytes) return answer.status = 413, answer;
  constexpr std::string_view key = "name=";
  const std::string name = query.starts_with(key) ? plain_name(decoded(query.substr(key.size()))) : std::string();
  if (name.empty()) return answer.status = 400, answer;
  return allow(GateRoute::kUpload, name);
}

}  // namespace sinew::studio
