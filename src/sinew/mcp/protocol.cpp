// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/mcp/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinew/core/error.h"
#include "sinew/core/text.h"

namespace sinew::mcp {
namespace {

// Codes of JSON-RPC.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kNoMethod = -32601, kBadParams = -32602;

// Versions of the protocol whose messages for tools are the same; the newest first.
constexpr std::array kVersions = {"2025-06-18", "2025-03-26", "2024-11-05"};

struct Refusal {
  int code;
  std::string text;
};

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string error_line(const Json& id, const Refusal& refusal) {
  return line_of({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", refusal.code}, {"message", refusal.text}}}});
}

std::string version_for(const Json& params) {
  const std::string wanted =
      params.is_object() && params.contains("protocolVersion") && params["protocolVersion"].is_string()
          ? params["protocolVersion"].get<std::string>()
          : "";
  return std::find(kVersions.begin(), kVersions.end(), wanted) != kVersions.end() ? wanted : kVersions.front();
}

Json content_json(const std::vector<Content>& content) {
  Json list = Json::array();
  for (const Content& piece : content)
    if (piece.png.empty()) list.push_back({{"type", "text"}, {"text", piece.text}});
    else list.push_back({{"type", "image"}, {"data", piece.png}, {"mimeType", "image/png"}});
  return list;
}

}  // namespace

Json Server::call(const Json& params) const {
  if (!params.is_object() || !params.contains("name") || !params["name"].is_string())
    throw Refusal{kBadParams, "A call needs the name of a tool."};
  const std::string name = params["name"].get<std::string>();
  const auto tool = std::find_if(tools_.begin(), tools_.end(), [&](const Tool& t) { return t.name == name; });
  if (tool == tools_.end()) {
    std::vector<std::string> known;
    for (const Tool& t : tools_) known.push_back(t.name);
    throw Refusal{kBadParams, unknown_word("tool", name, known)};
  }
  const Json arguments = params.value("arguments", Json::object());
  if (!arguments.is_object()) throw Refusal{kBadParams, "The arguments of a tool are an object."};
  ToolAnswer answer;
  try {
    answer = tool->call(arguments);
  } catch (const Error& problem) {
    answer = {{{problem.what(), ""}}, true};
  }
  return {{"content", content_json(answer.content)}, {"isError", answer.failed}};
}

Json Server::result_of(const std::string& method, const Json& params) const {
  if (method == "initialize")
    return {{"protocolVersion", version_for(params)},
            {"capabilities", {{"tools", Json::object()}}},
            {"serverInfo", {{"name", "sinew"}, {"version", version_}}}};
  if (method == "ping") return Json::object();
  if (method == "tools/list") {
    Json list = Json::array();
    for (const Tool& tool : tools_)
      list.push_back({{"name", tool.name}, {"description", tool.description}, {"inputSchema", tool.schema}});
    return {{"tools", std::move(list)}};
  }
  if (method == "tools/call") return call(params);
  throw Refusal{kNoMethod, fmt::format("There is no method '{}'.", method)};
}

std::optional<std::string> Server::answer(std::string_view line) const {
  Json message;
  try {
    message = parse_json_text(line);
  } catch (const Error& problem) {
    return error_line(nullptr, {kParseError, problem.what()});
  }
  if (message.is_discarded()) return error_line(nullptr, {kParseError, "The line is not JSON."});
  if (!message.is_object() || message.value("jsonrpc", Json()) != "2.0")
    return error_line(nullptr, {kInvalidRequest, "The line is no message of JSON-RPC 2.0."});
  const Json id = message.value("id", Json());
  const bool has_id = message.contains("id");
  if (!message.contains("method")) {
    if (has_id && (message.contains("result") || message.contains("error"))) return std::nullopt;  // An answer.
    return error_line(nullptr, {kInvalidRequest, "The message has no method."});
  }
  if (has_id && !id.is_string() && !id.is_number())
    return error_line(nullptr, {kInvalidRequest, "The id of a request is a text or a number."});
  if (!message["method"].is_string()) return error_line(id, {kInvalidRequest, "The method is a text."});
  if (!has_id) return std::nullopt;  // A notification.
  try {
    const Json result = result_of(message["method"].get<std::string>(), message.value("params", Json::object()));
    return line_of({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
  } catch (const Refusal& refusal) {
    return error_line(id, refusal);
  }
}

}  // namespace sinew::mcp
