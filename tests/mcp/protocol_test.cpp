// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/mcp/protocol.h"

#include <gtest/gtest.h>

#include "sinew/core/error.h"

namespace sinew::mcp {
namespace {

Server echo_server() {
  return Server("1.0", {{"echo", "Says it again.", {{"type", "object"}}, [](const Json& arguments) -> ToolAnswer {
                           if (arguments.contains("fail")) throw Error("It failed.");
                           return {{{arguments.value("text", ""), ""}, {"", "iVBO"}}, false};
                         }}});
}

Json ask(const Json& message) {
  const auto answer = echo_server().answer(message.dump());
  EXPECT_TRUE(answer.has_value());
  EXPECT_EQ(answer->find('\n'), std::string::npos);
  return Json::parse(*answer);
}

Json request(const std::string& method, const Json& params = Json::object()) {
  return {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", params}};
}

TEST(Mcp, AgreesOnAVersion) {
  EXPECT_EQ(ask(request("initialize", {{"protocolVersion", "2024-11-05"}}))["result"]["protocolVersion"], "2024-11-05");
  EXPECT_EQ(ask(request("initialize", {{"protocolVersion", "1999-01-01"}}))["result"]["protocolVersion"], "2025-06-18");
  EXPECT_EQ(ask(request("initialize"))["result"]["serverInfo"]["name"], "sinew");
}

TEST(Mcp, ListsAndCallsTools) {
  EXPECT_EQ(ask(request("tools/list"))["result"]["tools"][0]["name"], "echo");
  const Json called = ask(request("tools/call", {{"name", "echo"}, {"arguments", {{"text", "hello"}}}}));
  EXPECT_EQ(called["id"], 7);
  EXPECT_EQ(called["result"]["content"][0]["text"], "hello");
  EXPECT_EQ(called["result"]["content"][1]["type"], "image");
  EXPECT_EQ(called["result"]["isError"], false);
  const Json failed = ask(request("tools/call", {{"name", "echo"}, {"arguments", {{"fail", 1}}}}));
  EXPECT_EQ(failed["result"]["isError"], true);
  EXPECT_EQ(failed["result"]["content"][0]["text"], "It failed.");
}

TEST(Mcp, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(ask(request("tools/fly"))["error"]["code"], -32601);
  EXPECT_EQ(ask(request("tools/call", {{"name", "fly"}}))["error"]["code"], -32602);
  EXPECT_EQ(ask(request("tools/call", Json::array()))["error"]["code"], -32602);
  EXPECT_EQ(ask(Json::array())["error"]["code"], -32600);
  EXPECT_EQ(ask({{"jsonrpc", "1.0"}, {"id", 1}, {"method", "ping"}})["error"]["code"], -32600);
  EXPECT_EQ(Json::parse(*echo_server().answer("{"))["error"]["code"], -32700);
  EXPECT_EQ(Json::parse(*echo_server().answer(std::string(100000, '[')))["error"]["code"], -32700);
}

TEST(Mcp, DoesNotAnswerNotifications) {
  EXPECT_FALSE(echo_server().answer(R"({"jsonrpc": "2.0", "method": "notifications/initialized"})").has_value());
  EXPECT_FALSE(echo_server().answer(R"({"jsonrpc": "2.0", "id": 3, "result": {}})").has_value());
}

}  // namespace
}  // namespace sinew::mcp
