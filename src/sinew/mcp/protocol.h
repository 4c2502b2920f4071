// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The Model Context Protocol over lines of JSON (JSON-RPC 2.0): what a message is answered with, without any input or
/// output.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/json.h"

namespace sinew::mcp {

/// A piece of an answer.
struct Content {
  std::string text;  ///< Empty for a picture.
  std::string png;   ///< Base64.
};

struct ToolAnswer {
  std::vector<Content> content;
  bool failed = false;
};

/// Something that a client can call.
struct Tool {
  std::string name;
  std::string description;
  Json schema;                                            ///< JSON schema of the arguments.
  std::function<ToolAnswer(const Json& arguments)> call;  ///< May throw Error.
};

class Server {
 public:
  Server(std::string version, std::vector<Tool> tools) : version_(std::move(version)), tools_(std::move(tools)) {}

  /// The answer to one line; nothing for a notification or an answer of the client. Never throws for what the line
  /// says.
  std::optional<std::string> answer(std::string_view line) const;

 private:
  Json result_of(const std::string& method, const Json& params) const;
  Json call(const Json& params) const;

  std::string version_;
  std::vector<Tool> tools_;
};

}  // namespace sinew::mcp
