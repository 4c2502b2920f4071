// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/gate.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

namespace sinew::studio {
namespace {

const std::string kToken(64, 'a');

GateRequest page() {
  GateRequest request;
  request.method = "GET";
  request.target = "/";
  request.host = "127.0.0.1:8080";
  return request;
}

GateRequest socket(const std::string& protocols) {
  GateRequest request = page();
  request.target = "/socket";
  request.upgrade = true;
  request.origin = "http://127.0.0.1:8080";
  request.protocols = protocols;
  return request;
}

TEST(Gate, OwnPageAndSocketAreAllowed) {
  const Gate gate(8080, kToken);
  EXPECT_TRUE(gate.judge(page()));
  const std::string protocols = "sinew, " + kToken;
  const GateAnswer answer = gate.judge(socket(protocols));
  EXPECT_TRUE(answer);
  EXPECT_EQ(answer.route, GateRoute::kSocket);
}

TEST(Gate, OtherHostsAreRefusedAlsoIfTheOriginAgreesWithThem) {
  const Gate gate(8080, kToken);
  const std::string protocols = "sinew, " + kToken;
  for (const char* const host : {"evil.example:8080", "127.0.0.1:8081", "127.0.0.1", "localhost", "", "[::1]:8080",
                                 "127.0.0.1:8080.evil.example", "LOCALHOST:8080"}) {
    GateRequest request = page();
    request.host = host;
    EXPECT_EQ(gate.judge(request).status, 403) << host;
    GateRequest asks = socket(protocols);
    const std::string origin = std::string("http://") + host;
    asks.host = host;
    asks.origin = origin;
    EXPECT_EQ(gate.judge(asks).status, 403) << host;
  }
}

TEST(Gate, SocketsNeedTheTokenAndTheOrigin) {
  const Gate gate(8080, kToken);
  const std::string good = "sinew, " + kToken, short_one = "sinew, " + kToken.substr(1), swapped = kToken + ", sinew";
  for (const std::string& protocols : {std::string(), std::string("sinew"), short_one, swapped, good + "b"})
    EXPECT_EQ(gate.judge(socket(protocols)).status, 403) << protocols;
  for (const char* const origin :
       {"", "null", "http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:80"}) {
    GateRequest request = socket(good);
    request.origin = origin;
    EXPECT_EQ(gate.judge(request).status, 403) << origin;
  }
}

TEST(Gate, BlobsAndUploadsNeedTheToken) {
  const Gate gate(8080, kToken);
  const std::string bearer = "Bearer " + kToken;
  GateRequest blob = page();
  blob.target = "/blob/12";
  EXPECT_EQ(gate.judge(blob).status, 403);
  blob.authorization = bearer;
  EXPECT_TRUE(gate.judge(blob));
  for (const char* const target : {"/blob/../x", "/blob/", "/blob/-1", "/blob/99999999999", "/blob/1/2"}) {
    blob.target = target;
    EXPECT_EQ(gate.judge(blob).status, 404) << target;
  }
  GateRequest upload = page();
  upload.method = "PUT";
  upload.target = "/upload?name=hero.obj";
  upload.authorization = bearer;
  EXPECT_EQ(gate.judge(upload).status, 403) << "no origin";
  upload.origin = "http://localhost:8080";
  EXPECT_EQ(gate.judge(upload).argument, "hero.obj");
  upload.body_bytes = kMaxUploadBytes + 1;
  EXPECT_EQ(gate.judge(upload).status, 413);
}

TEST(Gate, NamesOfUploadsAreNeverPaths) {
  EXPECT_EQ(plain_name("../../etc/passwd"), "passwd");
  EXPECT_EQ(plain_name("..\\..\\boot.ini"), "boot.ini");
  EXPECT_EQ(plain_name(".hidden"), "hidden");
  EXPECT_EQ(plain_name(std::string_view("a\0b\n", 4)), "ab");
  EXPECT_EQ(plain_name("..."), "");
  EXPECT_EQ(plain_name("dir/"), "");
  EXPECT_LE(plain_name(std::string(1000, 'x') + ".glb").size(), 128U);
  EXPECT_TRUE(plain_name(std::string(1000, 'x') + ".glb").ends_with(".glb"));
}

TEST(Gate, TextsDoNotNameTheFoldersOfTheProgram) {
  EXPECT_EQ(without_folder("/scratch/drop1/a.obj: broken; /scratch/drop12/b.mtl is missing.", "/scratch"),
            "a.obj: broken; b.mtl is missing.");
  EXPECT_EQ(without_folder("/given/a.obj: broken", "/scratch"), "/given/a.obj: broken");
  EXPECT_EQ(without_folder("See /scratch", "/scratch"), "See ");
  EXPECT_EQ(without_folder("/scratch/drop1/a.obj", ""), "/scratch/drop1/a.obj");
}

TEST(Gate, TokensHave256BitsAndDiffer) {
  const std::string a = make_token(), b = make_token();
  EXPECT_EQ(a.size(), 64U);
  EXPECT_NE(a, b);
  EXPECT_TRUE(equal_secret(a, std::string(a)));
  EXPECT_FALSE(equal_secret(a, b));
}

// Whatever else a request holds, without the token it gets nothing but the empty page.
TEST(Gate, MutatedRequestsWithoutTheTokenGetNothing) {
  const Gate gate(8080, kToken);
  std::mt19937 random(1);
  const auto mutated = [&](std::string text) {
    const int edits = static_cast<int>(random() % 3);
    for (int i = 0; i < edits && !text.empty(); ++i) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, 1);
          break;
        default:
          text.insert(at, 1, static_cast<char>(random() % 256));
      }
    }
    return text;
  };
  const std::string wrong(64, 'b');
  for (int i = 0; i < 10000; ++i) {
    const std::string method = mutated(random() % 2 ? "GET" : "PUT"), host = mutated("127.0.0.1:8080"),
                      origin = mutated("http://127.0.0.1:8080"), bearer = mutated("Bearer " + wrong),
                      protocols = mutated("sinew, " + wrong),
                      target = mutated(std::array{"/", "/socket", "/blob/1", "/upload?name=a%2Fb.obj"}[random() % 4]);
    GateRequest request;
    request.method = method, request.target = target, request.host = host, request.origin = origin;
    request.authorization = bearer, request.protocols = protocols;
    request.upgrade = random() % 2 == 0;
    const GateAnswer answer = gate.judge(request);
    if (!answer) continue;
    EXPECT_TRUE(answer.route == GateRoute::kPage || answer.route == GateRoute::kScript ||
                answer.route == GateRoute::kStyle);
    EXPECT_TRUE(host == "127.0.0.1:8080" || host == "localhost:8080");
  }
}

}  // namespace
}  // namespace sinew::studio
