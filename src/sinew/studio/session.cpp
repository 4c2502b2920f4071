// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

#include "sinew/core/error.h"
#include "sinew/core/shell_word.h"
#include "sinew/core/text.h"
#include "sinew/motion/pose_file.h"
#include "sinew/pipeline/characters.h"
#include "sinew/pipeline/check/check.h"
#include "sinew/shapes/kinds.h"
#include "sinew/studio/controls.h"
#include "sinew/studio/gate.h"

namespace sinew::studio {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostWaiting = 8;
constexpr std::size_t kMostHistory = 500;
constexpr int kMostBadMessages = 3;
constexpr double kShortestStep = 0.1;  // Seconds between two messages of progress.
// Of opening a file: until it is read, and until its pieces are sorted. The rest is rigging.
constexpr double kReadingShare = 0.1, kPiecesShare = 0.17;

/// Pages send edits; only one page at a time may.
bool is_edit(const std::string& kind) {
  constexpr std::array edits = {"open", "do",          "undo",        "redo",    "goto",   "pose",
                                "show", "move_joints", "check",       "export",  "cancel", "stroke",
                                "drop", "report",      "load_recipe", "restore", "forget", "add_clips"};
  return std::find(edits.begin(), edits.end(), kind) != edits.end();
}

Json attention_json(const pipeline::AttentionItem& item) {
  Json json = {{"id", item.id},
               {"score", item.score},
               {"title", item.title},
               {"text", item.text},
               {"tool", pipeline::tool_name(item.tool)},
               {"joint", item.joint == kNone ? -1 : static_cast<int>(item.joint)}};
  if (item.place) {
    json["place"] = {item.place->x(), item.place->y(), item.place->z()};
    json["radius"] = item.radius;
  }
  if (!item.clip.empty()) json["clip"] = item.clip, json["time"] = item.time_s;
  if (item.pose)
    json["pose"] = {{"kind", "turn"},
                    {"joint", item.pose->joint},
                    {"axis", {item.pose->axis.x(), item.pose->axis.y(), item.pose->axis.z()}},
                    {"angle", item.pose->angle_rad}};
  return json;
}

}  // namespace

Session::Session(SessionOptions options) : options_(std::move(options)) {
  start_job({}, "opening the sample", [this](const Progress&) { open_sample(); });
  if (options_.open_first && !options_.files.empty())
    start_job({}, "opening " + options_.files.front().filename().string(),
              [this, path = options_.files.front()](const Progress& progress) { open_file(path, 0, progress); });
  if (options_.files.size() > 1)
    grades_.emplace(
        options_.files,
        [this](const Json& grade) {
          broadcast({{"t", "grade"}, {"grade", grade}});
        },
        [this] { return jobs_.size() > 0; });
}

Session::~Session() { cancel_job(); }

void Session::opened(const std::shared_ptr<Peer>& peer) {
  const std::lock_guard lock(mutex_);
  clients_.push_back({peer});
  if (editor_.expired()) editor_ = peer;
  peer->send(welcome(editor_.lock() == peer).dump(-1, ' ', false, Json::error_handler_t::replace));
  send_all(peer);
}

void Session::closed(const std::shared_ptr<Peer>& peer) {
  const std::lock_guard lock(mutex_);
  std::erase_if(clients_, [&](const Client& client) { return client.peer == peer; });
  if (editor_.lock() == peer) {
    editor_.reset();
    if (!clients_.empty()) {
      editor_ = clients_.front().peer;
      clients_.front().peer->send(Json{{"t", "role"}, {"editor", true}}.dump());
    }
  }
}

void Session::received(const std::shared_ptr<Peer>& peer, const std::string& text) {
  Sender sender{peer};
  try {
    const Message message = read_message(text);
    sender.id = message.id;
    if (is_edit(message.kind)) {
      const std::lock_guard lock(mutex_);
      if (editor_.lock() != peer) throw Error("Another tab edits this character. Take over to edit it here.");
    }
    dispatch(sender, message);
  } catch (const Error& problem) {
    fail(sender, problem.what());
    const std::lock_guard lock(mutex_);
    for (Client& client : clients_)
      if (client.peer == peer && sender.id == 0 && ++client.bad_messages >= kMostBadMessages) peer->close();
  } catch (const std::exception& problem) {
    fail(sender, fmt::format("Internal error: {}.", problem.what()));
  }
}

void Session::dispatch(const Sender& sender, const Message& message) {
  const Json& body = message.body;
  const std::string& kind = message.kind;
  if (kind == "draw") {
    const std::lock_guard lock(mutex_);
    for (Client& client : clients_) {
      if (client.peer != sender.peer) continue;
      const bool waiting = client.draw.has_value();
      client.draw = body;
      if (!waiting) frames_.post([this, peer = sender.peer] { draw(peer); });
    }
  } else if (kind == "ask") {
    frames_.post([this, sender, body] { answer(sender, body); });
  } else if (kind == "field") {
    frames_.post([this, sender, body] {
      try {
        send_field(sender.peer, body);
      } catch (const std::exception& problem) {
        fail(sender, problem.what());
      }
    });
  } else if (kind == "pose") {
    frames_.post([this, sender, body] { edit_pose(sender, body); });
  } else if (kind == "stroke") {
    frames_.post([this, sender, body] { stroke(sender, body); });
  } else if (kind == "cancel") {
    // Checks go on: nothing waits for them, and nobody would start them again.
    const std::lock_guard lock(mutex_);
    if (job_) job_->cancel();
  } else if (kind == "take_over") {
    const std::lock_guard lock(mutex_);
    editor_ = sender.peer;
    for (const Client& client : clients_)
      client.peer->send(Json{{"t", "role"}, {"editor", client.peer == sender.peer}}.dump());
  } else if (kind == "drop") {
    const std::lock_guard lock(mutex_);
    drop_ = options_.scratch / fmt::format("drop{}", ++drops_);
    fs::create_directory(drop_);
    sender.peer->send(Json{{"t", "ok"}, {"re", sender.id}}.dump());
  } else if (kind == "open") {
    const auto [path, number] = given_file(body);
    cancel_job();
    start_job(sender, "opening " + path.filename().string(),
              [this, path = path, number = number](const Progress& progress) { open_file(path, number, progress); });
  } else if (kind == "do") {
    const auto step = body.find("step");
    if (step == body.end()) throw Error("The message lacks 'step'.");
    check_steps(Json::array({*step}));
    start_job(sender, step_label(*step), [this, step = *step](const Progress& progress) { add_step(step, progress); });
  } else if (kind == "undo" || kind == "redo" || kind == "goto") {
    const std::int64_t to = kind == "goto" ? integer_of(body, "cursor", 0, 1 << 20) : -1;
    start_job(sender, kind, [this, kind, to](const Progress& progress) {
      std::size_t cursor = 0;
      {
        const std::lock_guard lock(mutex_);
        cursor = kind == "undo"   ? (cursor_ == 0 ? 0 : cursor_ - 1)
                 : kind == "redo" ? cursor_ + 1
                                  : static_cast<std::size_t>(to);
        cursor = std::min(cursor, history_.size() - 1);
      }
      go_to(cursor, progress);
    });
  } else if (kind == "restore") {
    start_job(sender, "restoring earlier work", [this](const Progress& progress) { restore(progress); });
  } else if (kind == "forget") {
    start_job(sender, "discarding earlier work", [this](const Progress&) { forget(); });
  } else if (kind == "add_clips") {
    start_job(sender, "adding clips", [this, body](const Progress& progress) { add_clips(body, progress); });
  } else if (kind == "plot") {
    frames_.post([this, sender, body] { plot(sender, body); });
  } else if (kind == "move_joints") {
    start_job(sender, "moving joints", [this, body](const Progress& progress) { move_joints(body, progress); });
  } else if (kind == "show") {
    start_job(sender, "binding the deformer", [this, body](const Progress& progress) { show(body, progress); });
  } else if (kind == "check") {
    start_job(sender, "checking", [this](const Progress& progress) { check(progress); });
  } else if (kind == "export" || kind == "report") {
    start_job(sender, "exporting",
              [this, sender, body](const Progress& progress) { export_file(sender, body, progress); });
  } else if (kind == "command") {
    const std::string what = text_of(body, "what");
    const std::lock_guard lock(mutex_);
    if (!scene_) return;
    const Json answer = {{"t", "command"}, {"text", use_command(subject(), what, body)}};
    sender.peer->send(compact_text(answer));
  } else if (kind == "load_recipe") {
    start_job(sender, "loading the recipe", [this, name = plain_name(text_of(body, "name"))](const Progress& progress) {
      load_recipe(name, progress);
    });
  } else {
    throw Error(fmt::format("The studio knows no message '{}'.", kind));
  }
}

void Session::fail(const Sender& sender, const std::string& text) {
  const Json message = {{"t", "error"}, {"re", sender.id}, {"text", without_folder(text, options_.scratch.string())}};
  const std::string dumped = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (sender.peer) sender.peer->send(dumped);
  else broadcast(message);
}

void Session::broadcast(const Json& message) {
  const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::lock_guard lock(mutex_);
  for (const Client& client : clients_) client.peer->send(text);
}

void Session::cancel_job() {
  const std::lock_guard lock(mutex_);
  if (job_) job_->cancel();
  if (checks_) checks_->cancel();
}

void Session::start_job(const Sender& sender, std::string label, Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (checks_) checks_->cancel();
  }
  if (jobs_.size() >= kMostWaiting) throw Error("The studio is busy. Wait, or press Esc to cancel.");
  jobs_.post([this, sender, label = std::move(label), work = std::move(work)] {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    double last_sent = -1;
    bar_ = {};
    const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    const Progress progress([&](std::string_view stage, double fraction) {
      const double full = bar_.report(fraction);
      if (const double now = seconds(); now - last_sent >= kShortestStep) {
        last_sent = now;
        broadcast({{"t", "job"}, {"label", label}, {"stage", stage}, {"fraction", full}, {"seconds", now}});
      }
    });
    {
      const std::lock_guard lock(mutex_);
      job_ = progress;
    }
    broadcast({{"t", "job"}, {"label", label}, {"stage", ""}, {"fraction", 0}, {"seconds", 0}});
    std::string failure;
    bool cancelled = false;
    try {
      work(progress);
    } catch (const Cancelled&) {
      cancelled = true;
    } catch (const Error& problem) {
      failure = problem.what();
    } catch (const std::bad_alloc&) {
      failure = "There is not enough memory for this.";
    } catch (const std::exception& problem) {
      failure = fmt::format("Internal error: {}.", problem.what());
    }
    {
      const std::lock_guard lock(mutex_);
      job_.reset();
    }
    if (!failure.empty()) fail(sender, failure);
    else if (sender.peer) sender.peer->send(Json{{"t", "ok"}, {"re", sender.id}, {"cancelled", cancelled}}.dump());
    broadcast({{"t", "job"}, {"label", label}, {"done", true}, {"cancelled", cancelled}, {"seconds", seconds()}});
    if (jobs_.size() <= 1) start_checks();
  });
}

// Checks run when nothing else does, and give way to everything.
void Session::start_checks() {
  {
    const std::lock_guard lock(mutex_);
    if (!scene_ || attention_.value("generation", Json()) == scene_->generation()) return;
  }
  jobs_.post([this] {
    const Progress progress;
    {
      const std::lock_guard lock(mutex_);
      checks_ = progress;
    }
    try {
      if (jobs_.size() <= 1) check(progress);
    } catch (const std::exception&) {
      // A check that was cancelled is made again after the next job.
    }
    const std::lock_guard lock(mutex_);
    checks_.reset();
  });
}

void Session::open_sample() {
  auto asset = std::make_shared<io::Asset>();
  asset->character = shapes::make("human", {}).made.character;
  asset->character.name = "Sample";
  asset->path = "sample.glb";
  builder_ = std::make_unique<RecipeBuilder>(asset);
  commit(builder_->build(Json::array()), {"Sample", std::make_shared<const Json>(Json::array())}, true);
}

void Session::open_file(const fs::path& path, int number, const Progress& progress) {
  bar_.enter(0, kReadingShare);
  progress.step("reading");
  auto asset = std::make_shared<io::Asset>(io::load(path, {}, progress));
  if (asset->character.rig.mesh.face_count() == 0)
    throw Error(fmt::format("{} has no mesh to show.", path.filename().string()));
  const bool rigged = pipeline::has_rig(asset->character);
  auto builder = std::make_unique<RecipeBuilder>(asset, [this](const std::string& file) { return clip_file(file); });
  const std::string name = path.filename().string();
  std::shared_ptr<const Built> bare = builder->build(Json::array(), progress);
  builder_ = std::move(builder);
  {
    const std::lock_guard lock(mutex_);
    input_name_ = name;
    sample_ = false;
    opened_file_ = number;
    automatic_steps_ = rigged ? 0 : 1;
    find_earlier_work();
  }
  commit(std::move(bare), {"Open " + name, std::make_shared<const Json>(Json::array())}, true);
  bar_.enter(kReadingShare, kPiecesShare);
  if (!rigged) add_step({{"do", "rig"}, {"options", {{"demo_clip", {"auto"}}}}}, progress);
  find_carried_recipe(progress);
}

void Session::commit(std::shared_ptr<const Built> built, Entry entry, bool fresh) {
  auto scene = std::make_shared<const Scene>(std::move(built), ++generation_);
  auto mover = std::make_shared<Mover>(scene, "lbs", Json::object(), Progress());
  const std::lock_guard lock(mutex_);
  if (fresh) {
    history_.clear();
    image_blobs_.clear();
    blobs_.clear();
    image_blobs_ = add_images(scene->character());
  } else {
    history_.resize(std::min(history_.size(), cursor_ + 1));
    if (history_.size() >= kMostHistory) history_.erase(history_.begin());
  }
  try {
    motion::pose_from_json(entry.pose, scene->character().rig);
  } catch (const Error&) {
    entry.pose = Json::object();  // Of joints that are gone.
  }
  history_.push_back(std::move(entry));
  cursor_ = history_.size() - 1;
  put_scene(std::move(scene), std::move(mover), fresh);
}

void Session::apply_steps(Json steps, std::string label, const Progress& progress) {
  std::shared_ptr<const Built> built = builder_->build(steps, progress, stages());
  Json pose;
  {
    const std::lock_guard lock(mutex_);
    pose = now().pose;
  }
  commit(std::move(built), {std::move(label), std::make_shared<const Json>(std::move(steps)), std::move(pose)}, false);
}

StageListener Session::stages() {
  return [this](const char* stage) { bar_.enter_stage(stage); };
}

void Session::add_step(const Json& step, const Progress& progress) {
  Json steps;
  {
    const std::lock_guard lock(mutex_);
    steps = *now().steps;
  }
  steps.push_back(step);
  apply_steps(std::move(steps), step_label(step), progress);
}

void Session::go_to(std::size_t cursor, const Progress& progress) {
  std::shared_ptr<const Json> steps, current;
  {
    const std::lock_guard lock(mutex_);
    steps = history_[cursor].steps;
    current = now().steps;
  }
  if (*steps == *current) {
    const std::lock_guard lock(mutex_);
    cursor_ = cursor;
    const std::string text = history_json().dump(-1, ' ', false, Json::error_handler_t::replace);
    for (const Client& client : clients_) client.peer->send(text);
    return;
  }
  auto scene = std::make_shared<const Scene>(builder_->build(*steps, progress, stages()), ++generation_);
  auto mover = std::make_shared<Mover>(scene, "lbs", Json::object(), Progress());
  const std::lock_guard lock(mutex_);
  cursor_ = cursor;
  put_scene(std::move(scene), std::move(mover), false);
}

void Session::move_joints(const Json& body, const Progress& progress) {
  std::shared_ptr<const Scene> scene;
  {
    const std::lock_guard lock(mutex_);
    scene = scene_;
  }
  const Built& built = scene->built();
  if (!built.rigged)
    throw Error(
        "This skeleton is that of the file. Only joints that Sinew placed can be moved: replace the rig first.");
  if (built.posed) throw Error("The rest pose was changed by the preset. Rig with another preset to move joints.");
  const auto moves = body.find("moves");
  if (moves == body.end() || !moves->is_array() || moves->empty()) throw Error("The message lacks 'moves'.");
  const bool mirror = flag_of(body, "mirror", true);
  const Mat4 back = built.turn.inverse();
  const std::vector<Mat4> rest = rest_matrices(built.asset.character.rig.skeleton);
  Json hints = Json::object();
  const auto put = [&](Index joint, const Vec3& place) {
    const Vec3 p = transform_point(back, place);
    hints[built.placed[joint].hint] = {p.x(), p.y(), p.z()};
  };
  for (const Json& move : *moves) {
    const auto joint =
        static_cast<Index>(integer_of(move, "joint", 0, static_cast<std::int64_t>(built.placed.size()) - 1));
    const PlacedJoint& placed = built.placed[joint];
    if (placed.hint.empty())
      throw Error(fmt::format("'{}' belongs to no body plan, so its position follows from the mesh alone.",
                              built.asset.character.rig.skeleton.joints[joint].name));
    put(joint, vector_of(move, "place"));
    // The rigger mirrors hints by itself; a partner that must stay gets a hint of its own.
    if (!mirror && placed.partner != kNone && !built.placed[placed.partner].hint.empty())
      put(placed.partner, rest[placed.partner].topRightCorner<3, 1>());
  }
  add_step({{"do", "joints"}, {"hints", std::move(hints)}}, progress);
}

void Session::check(const Progress& progress) {
  std::shared_ptr<const Scene> scene;
  {
    const std::lock_guard lock(mutex_);
    scene = scene_;
  }
  if (!scene) return;
  const Built& built = scene->built();
  const pipeline::CheckResult result =
      pipeline::check(built.asset.character, pipeline::check_profile("game"), progress);
  std::vector<pipeline::JointDoubt> doubts;
  for (Index j = 0; j < built.placed.size(); ++j)
    if (!built.placed[j].origin.empty()) doubts.push_back({j, built.placed[j].confidence, built.placed[j].origin});
  Json message = {{"t", "attention"},
                  {"generation", scene->generation()},
                  {"items", Json::array()},
                  {"verdict", pipeline::verdict_name(result.verdict)},
                  {"rows", Json::array()}};
  for (const pipeline::AttentionItem& item :
       pipeline::attention(built.asset.character, doubts, built.findings, &result))
    message["items"].push_back(attention_json(item));
  for (const pipeline::CheckRow& row : result.rows)
    message["rows"].push_back({{"id", row.kind->id},
                               {"title", row.kind->title},
                               {"verdict", pipeline::verdict_name(row.verdict)},
                               {"value", pipeline::check_value_text(row.value, row.kind->unit)},
                               {"where", row.where},
                               {"text", row.text}});
  {
    const std::lock_guard lock(mutex_);
    if (scene_ != scene) return;
    attention_ = message;
  }
  broadcast(message);
  make_gauge(scene);
}

fs::path Session::upload_path(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return drop_.empty() ? fs::path() : drop_ / name;
}

std::uint64_t Session::add_blob(std::string type, io::Bytes bytes) {
  blobs_[next_blob_] = {std::move(type), std::make_shared<const io::Bytes>(std::move(bytes))};
  return next_blob_++;
}

std::optional<Blob> Session::blob(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = blobs_.find(id);
  return found == blobs_.end() ? std::nullopt : std::optional(found->second);
}

CommandSubject Session::subject() const {
  const bool listed = opened_file_ >= 0;
  return {sample_  ? ""
          : listed ? options_.files.at(static_cast<std::size_t>(opened_file_)).string()
                   : input_name_,
          *now().steps};
}

std::string Session::history_command() const {
  const CommandSubject about = subject();
  if (now().posed) return pose_command(about, methods_[0]);
  if (sample_) return "sinew studio";
  const std::string made = make_command(about);
  return made.empty() ? "sinew studio " + shell_word(about.input) : made;
}

void Session::send_command(const std::string& command) { broadcast({{"t", "command"}, {"text", command}}); }

Json Session::history_json() const {
  Json labels = Json::array();
  for (const Entry& entry : history_) labels.push_back(entry.label);
  return {{"t", "history"},
          {"labels", labels},
          {"cursor", cursor_},
          {"pose", now().pose},
          {"command", history_command()},
          {"steps", now().steps->size()}};
}

Json Session::state_json() const {
  Json json = {{"t", "state"},      {"scene", scene_->describe()}, {"images", image_blobs_}, {"input", input_name_},
               {"sample", sample_}, {"methods", methods_},         {"recipe", *now().steps}};
  // Painted rows are long, and the page does not need them.
  for (Json& step : json["recipe"])
    for (const char* key : {"pins", "mirrored", "vertices"}) step.erase(key);
  json["earlier"] = earlier_steps_;
  json["file"] = opened_file_;
  json["history"] = history_json();
  return json;
}

void Session::send_all(const std::shared_ptr<Peer>& peer) {
  if (!scene_) return;
  peer->send(state_json().dump(-1, ' ', false, Json::error_handler_t::replace));
  peer->send(scene_->surface());
  send_other(peer);
  if (!attention_.empty()) peer->send(attention_.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json Session::welcome(bool editor) const {
  Json files = Json::array();
  for (const fs::path& path : options_.files) files.push_back(path.filename().string());
  Json json = controls_json();
  json["t"] = "welcome";
  json["protocol"] = kProtocol;
  json["version"] = options_.version;
  json["editor"] = editor;
  json["files"] = files;
  json["grades"] = Json::array();
  for (std::size_t i = 0; grades_ && i < grades_->size(); ++i) json["grades"].push_back(grades_->json(i));
  json["report"] = static_cast<bool>(options_.report);
  return json;
}

}  // namespace sinew::studio
