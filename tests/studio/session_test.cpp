// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <random>
#include <thread>

#include "sinew/io/file.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::studio {
namespace {

/// A page that keeps what it is sent.
class Page : public Peer {
 public:
  void send(std::string text) override {
    const std::lock_guard lock(mutex_);
    texts_.push_back(std::move(text));
    wake_.notify_all();
  }
  void send(io::Bytes bytes) override {
    const std::lock_guard lock(mutex_);
    ++answers;
    if (bytes.size() >= canary.size())
      leaked = leaked || std::search(bytes.begin(), bytes.end(), reinterpret_cast<const std::byte*>(canary.data()),
                                     reinterpret_cast<const std::byte*>(canary.data() + canary.size())) != bytes.end();
  }
  void close() override { closed = true; }

  /// Waits for a message with the value, and returns it; null after 20 s. Messages before it are dropped.
  Json wait(const std::string& key, const Json& value) {
    std::unique_lock lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (;;) {
      while (next_ < texts_.size()) {
        leaked = leaked || texts_[next_].find(canary) != std::string::npos;
        Json message = Json::parse(texts_[next_++]);
        if (message.value("t", "") == "ok" || message.value("t", "") == "answer") ++answers;
        if (message.value(key, Json()) == value) return message;
      }
      if (wake_.wait_until(lock, end) == std::cv_status::timeout) return {};
    }
  }

  inline static const std::string canary = "what lies outside of the given files";
  std::atomic<bool> closed = false, leaked = false;
  std::atomic<int> answers = 0;  ///< That are no errors; also binary ones.

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::string> texts_;
  std::size_t next_ = 0;
};

/// A studio with one small rigged file, a page that is connected, and a file that nobody may read.
struct Studio {
  test::TemporaryFolder folder;
  std::unique_ptr<Session> session;
  std::shared_ptr<Page> page = std::make_shared<Page>();
  int id = 0;

  Studio() {
    std::filesystem::create_directory(folder / "given");
    std::filesystem::create_directory(folder / "scratch");
    test::write(folder / "given/a.glb", test::make_fixture());
    test::write(folder / "given/b.glb", test::make_fixture({.rings = 4}));
    test::write(folder / "canary.glb", test::bytes_of(Page::canary));
    SessionOptions options;
    options.scratch = folder / "scratch";
    options.files = {folder / "given/a.glb", folder / "given/b.glb"};
    session = std::make_unique<Session>(std::move(options));
    session->opened(page);
  }

  /// Sends a message and returns its answer.
  Json ask(Json message) {
    message["id"] = ++id;
    session->received(page, message.dump());
    for (;;) {
      Json answer = page->wait("re", id);
      if (answer.is_null() || answer["t"] != "download") return answer;
    }
  }
};

TEST(Session, AnEarlierStepIsTheOtherSide) {
  Studio studio;
  ASSERT_EQ(studio.ask({{"t", "open"}, {"file", 0}})["t"], "ok");
  ASSERT_EQ(studio.ask({{"t", "do"}, {"step", {{"do", "weights"}, {"options", {{"smooth", 3}}}}}})["t"], "ok");
  ASSERT_EQ(studio.ask({{"t", "show"}, {"slot", 1}, {"method", "lbs"}, {"step", 0}})["t"], "ok");
  studio.session->opened(studio.page);  // A page that comes later is told of it, too.
  const Json other = studio.page->wait("t", "other")["other"];
  EXPECT_TRUE(other["earlier"].get<bool>());
  EXPECT_EQ(other["name"], "Open a.glb");
  EXPECT_TRUE(other["same_skeleton"].get<bool>() && other["same_vertices"].get<bool>());
  EXPECT_EQ(studio.ask({{"t", "show"}, {"slot", 1}, {"method", "lbs"}, {"step", 7}})["t"], "error");
}

TEST(Session, ThePieceThatIsPickedIsTheOneThatAWordSelects) {
  Studio studio;
  ASSERT_EQ(studio.ask({{"t", "open"}, {"file", 0}})["t"], "ok");
  const Json picked = studio.ask({{"t", "ask"}, {"what", "vertex"}, {"vertex", 0}});
  const std::string word = "shell:" + std::to_string(picked["shell"].get<int>());
  const io::Bytes chosen =
      io::base64_decode(studio.ask({{"t", "ask"}, {"what", "piece"}, {"of", word}})["vertices"].get<std::string>());
  ASSERT_FALSE(chosen.empty());
  EXPECT_EQ(chosen.front(), std::byte{1});
  EXPECT_NE(std::count(chosen.begin(), chosen.end(), std::byte{1}), static_cast<std::ptrdiff_t>(chosen.size()))
      << "the box is a piece of its own";
  EXPECT_EQ(studio.ask({{"t", "ask"}, {"what", "piece"}, {"of", "shell:99"}})["t"], "error");
}

TEST(Session, EveryActionHasACommand) {
  Studio studio;
  const std::string file = (studio.folder / "given/a.glb").string();
  ASSERT_EQ(studio.ask({{"t", "open"}, {"file", 0}})["t"], "ok");
  ASSERT_EQ(studio.ask({{"t", "do"}, {"step", {{"do", "weights"}, {"options", {{"smooth", 3}}}}}})["t"], "ok");
  studio.session->received(studio.page, R"({"t":"command","what":"check"})");
  EXPECT_EQ(studio.page->wait("t", "command")["text"],
            "sinew weights " + file + " --smooth 3 -o a_rigged.glb && sinew check a_rigged.glb");
  studio.id = 100;
  studio.session->received(studio.page, R"({"t":"export","id":101,"format":"rig.json"})");
  EXPECT_EQ(
      studio.page->wait("t", "command")["text"],
      "sinew weights " + file + " --smooth 3 -o a_rigged.glb && sinew convert a_rigged.glb -o a_exported.rig.json");
  EXPECT_EQ(studio.page->wait("t", "download")["name"], "a_rigged.rig.json");
}

TEST(Session, AFormatWithSeveralFilesIsSeveralDownloads) {
  Studio studio;
  ASSERT_EQ(studio.ask({{"t", "open"}, {"file", 0}})["t"], "ok");
  studio.session->received(studio.page, R"({"t":"export","id":100,"format":"gltf"})");
  EXPECT_EQ(studio.page->wait("t", "download")["name"], "a.gltf");
  EXPECT_EQ(studio.page->wait("t", "download")["name"], "a.bin");
  EXPECT_EQ(studio.ask({{"t", "export"}, {"format", "../x"}})["t"], "error");
}

/// What a page may send, with values of all kinds at places that matter.
const std::vector<std::string> kSeeds = {
    R"({"t":"draw","seq":1,"clip":0,"time":0.5,"posed":false,"compare":true,"mirror":true,"in_place":true,"arm_space":5})",
    R"({"t":"draw","seq":2,"posed":true,"edit":{"kind":"turn","joint":1,"axis":[0,1,0],"angle":0.5}})",
    R"({"t":"draw","seq":3,"posed":true,"edit":{"kind":"ik","joint":1,"target":[0,1,0]}})",
    R"({"t":"ask","id":9,"what":"snap","origin":[0,1,2],"direction":[0,0,-1],"joint":1,"whole":true})",
    R"({"t":"ask","id":9,"what":"clip","clip":0})",
    R"({"t":"ask","id":9,"what":"vertex","vertex":3})",
    R"({"t":"ask","id":9,"what":"piece","of":"shell:0"})",
    R"({"t":"ask","id":9,"what":"piece","of":"material:skin"})",
    R"({"t":"ask","id":9,"what":"rows","vertices":[0,1,2]})",
    R"({"t":"ask","id":9,"what":"measure","joint":1})",
    R"({"t":"field","field":"joint","joint":1})",
    R"({"t":"field","field":"confidence"})",
    R"({"t":"plot","id":9,"clip":0,"joint":1})",
    R"({"t":"pose","id":9,"edit":{"kind":"twist","joint":1,"angle":9}})",
    R"({"t":"pose","id":9,"edit":{"kind":"standard","pose":"t","joint":0}})",
    R"({"t":"pose","id":9,"pose":{"joints":{"a":{"rotation":[0,0,0,1],"twist_deg":9}}}})",
    R"({"t":"stroke","phase":"begin","mode":"add","joint":1,"radius":0.2,"strength":0.5,"value":1,"lock":["a"],"mirror":true,"normalize":false,"fixed":["material:skin"]})",
    R"({"t":"stroke","phase":"dab","vertex":2})",
    R"({"t":"stroke","phase":"end"})",
    R"({"t":"stroke","phase":"drop"})",
    R"({"t":"do","id":9,"step":{"do":"weights","options":{"smooth":1,"lock":["a"]}}})",
    R"({"t":"do","id":9,"step":{"do":"paint","joint":"a","pins":"AAAAAAAAAD8="}})",
    R"({"t":"do","id":9,"step":{"do":"reset","vertices":"AAAAAA=="}})",
    R"({"t":"do","id":9,"step":{"do":"piece","what":"shell:0","joint":"a"}})",
    R"({"t":"do","id":9,"step":{"do":"skeleton","options":{"preset":"unity"}}})",
    R"({"t":"do","id":9,"step":{"do":"skeleton","options":{"remove":["a"]}}})",
    R"({"t":"do","id":9,"step":{"do":"clip","name":"walk","options":{"arm_space":5}}})",
    R"({"t":"do","id":9,"step":{"do":"rig","options":{"fingers":"3","hint":{"a":[1,2,3]}}}})",
    R"({"t":"undo","id":9})",
    R"({"t":"redo","id":9})",
    R"({"t":"goto","id":9,"cursor":1})",
    R"({"t":"move_joints","id":9,"moves":[{"joint":1,"place":[0,1,0]}],"mirror":true})",
    R"({"t":"show","id":9,"slot":1,"method":"dqs","step":0,"clip":"builtin:walk"})",
    R"({"t":"show","id":9,"slot":1,"method":"lbs","file":1})",
    R"({"t":"show","id":9,"slot":1,"method":"lbs","name":"../canary.glb"})",
    R"({"t":"open","id":9,"file":0})",
    R"({"t":"open","id":9,"name":"../../canary.glb"})",
    R"({"t":"load_recipe","id":9,"name":"../canary.glb"})",
    R"({"t":"add_clips","id":9,"name":"/canary.glb"})",
    R"({"t":"export","id":9,"format":"glb","recipe":true,"locked":["a"]})",
    R"({"t":"export","id":9,"format":"recipe"})",
    R"({"t":"command","what":"colors","show":"weights:a"})",
    R"({"t":"restore","id":9})",
    R"({"t":"drop","id":9})",
    R"({"t":"cancel"})",
    R"({"t":"take_over"})",
};

// Ten thousand messages, from the first moment on, many of them damaged: no crash, nothing of other files is sent, and
// a page that behaves still works.
TEST(Session, TenThousandMutatedMessagesLeaveItWorking) {
  Studio studio;
  std::mt19937 random(30);
  for (int i = 0; i < 10000; ++i) {
    std::string text = kSeeds[random() % kSeeds.size()];
    for (unsigned k = random() % 4; k > 0; --k) {
      const std::size_t at = random() % text.size();
      if (const unsigned kind = static_cast<unsigned>(random() % 4); kind == 0)
        text[at] = static_cast<char>(random() % 128);
      else if (kind == 1) text.insert(at, text.substr(random() % text.size(), random() % 8));
      else if (kind == 2 && text[at] >= '0' && text[at] <= '9') text.replace(at, 1, i % 2 ? "-1" : "4294967295");
      else text.erase(at, 1);
    }
    if (text.find("\"cancel\"") == std::string::npos || random() % 8 == 0) studio.session->received(studio.page, text);
    // Now and then everything is served, so that later messages are not refused for want of room.
    if (i % 25 == 24)
      while (studio.ask({{"t", "undo"}}).value("t", "") == "error") std::this_thread::yield();
    if (i == 2000) studio.session->opened(std::make_shared<Page>());  // A second tab, which is gone at once.
  }
  // Jobs that wait are refused when there are too many; the last ones end soon.
  Json answer;
  for (int i = 0; i < 200; ++i) {
    answer = studio.ask({{"t", "open"}, {"file", 0}});
    if (answer.value("t", "") == "ok" && !answer.value("cancelled", false)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(answer["t"], "ok") << answer.dump();
  EXPECT_EQ(studio.ask({{"t", "do"}, {"step", {{"do", "weights"}, {"options", {{"smooth", 1}}}}}})["t"], "ok");
  EXPECT_FALSE(studio.page->leaked);
  EXPECT_GT(studio.page->answers, 600) << "questions are answered, however many jobs are refused";
}

}  // namespace
}  // namespace sinew::studio
