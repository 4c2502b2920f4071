// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What the studio holds: one character, its history, and the pages that show it. Messages of pages come in, answers go
/// out. Long work runs in one lane, frames and queries in another, so that posing never waits for binding.

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/stage_listener.h"
#include "sinew/pipeline/attention.h"
#include "sinew/rigging/limb_scene.h"
#include "sinew/studio/commands.h"
#include "sinew/studio/gauge.h"
#include "sinew/studio/grades.h"
#include "sinew/studio/job_bar.h"
#include "sinew/studio/lane.h"
#include "sinew/studio/pins.h"
#include "sinew/studio/pose_match.h"
#include "sinew/studio/recipe.h"
#include "sinew/studio/scene.h"
#include "sinew/studio/server.h"

namespace sinew::studio {

struct SessionOptions {
  std::filesystem::path scratch;  ///< For uploads and exports.
  std::vector<std::filesystem::path>
      files;                ///< That the user named, or those of a folder. The page knows numbers only.
  bool open_first = false;  ///< The first file is opened at once.
  std::string version;
  std::filesystem::path state;  ///< Where steps are kept for the next time; empty to keep none.
  /// Makes a page of a file, as `sinew report`; empty if there is none.
  std::function<io::Bytes(const std::filesystem::path& file)> report;
};

class Session {
 public:
  explicit Session(SessionOptions options);
  ~Session();

  void opened(const std::shared_ptr<Peer>& peer);
  void received(const std::shared_ptr<Peer>& peer, const std::string& text);
  void closed(const std::shared_ptr<Peer>& peer);
  std::filesystem::path upload_path(const std::string& name);
  std::optional<Blob> blob(std::uint64_t id);

 private:
  /// One entry of the history: everything that undo restores.
  struct Entry {
    std::string label;
    std::shared_ptr<const Json> steps;
    Json pose = Json::object();
    bool posed = false;  ///< Only the pose differs from the entry before.
  };
  struct Sender {
    std::shared_ptr<Peer> peer;
    std::int64_t id = 0;
  };
  struct Client {
    std::shared_ptr<Peer> peer;
    int bad_messages = 0;
    std::optional<Json> draw = {};  ///< The latest request that was not served.
  };
  /// A stroke of the brush that is being drawn.
  struct Stroke {
    /// One side of the body, or all of it.
    struct Half {
      Brush brush;
      std::vector<float> weights;
      std::map<Index, float> pins;
    };
    Half own;
    std::optional<Half> mirrored;  ///< The partner of the joint; absent also where the joint is its own.
    bool both_sides = false;
    bool open = false;        ///< Other weights stay as they are.
    std::vector<char> fixed;  ///< Per vertex: whether it belongs to a locked piece; empty for none.
    std::shared_ptr<const Scene> scene;
  };
  /// Another file that the character is compared with, or an earlier step.
  struct Other {
    std::string name;
    std::string path;  ///< As a user would type it; empty for an earlier step.
    bool earlier = false;
    std::shared_ptr<const Scene> scene;
    std::shared_ptr<const PoseMatch> match;  ///< From the character to it.
    std::vector<Json> images;
  };
  using Work = std::function<void(const Progress&)>;

  void dispatch(const Sender& sender, const Message& message);
  void start_job(const Sender& sender, std::string label, Work work);
  void start_checks();
  void cancel_job();
  /// The file that a message names, by its number in the list or as an upload, and the number; −1 for an upload.
  std::pair<std::filesystem::path, int> given_file(const Json& body);
  void broadcast(const Json& message);
  void fail(const Sender& sender, const std::string& text);

  // In the job lane.
  void open_sample();
  /// `number`: among the listed files; −1 for one that was uploaded.
  void open_file(const std::filesystem::path& path, int number, const Progress& progress);
  void commit(std::shared_ptr<const Built> built, Entry entry, bool fresh);
  void apply_steps(Json steps, std::string label, const Progress& progress);
  void add_step(const Json& step, const Progress& progress);
  void go_to(std::size_t cursor, const Progress& progress);
  void move_joints(const Json& body, const Progress& progress);
  void show(const Json& body, const Progress& progress);
  Other load_other(const Json& body, const Progress& progress);
  void check(const Progress& progress);
  void export_file(const Sender& sender, const Json& body, const Progress& progress);
  void load_recipe(const std::string& name, const Progress& progress);
  void restore(const Progress& progress);
  void forget();
  void add_clips(const Json& body, const Progress& progress);
  void find_carried_recipe(const Progress& progress);
  Json known_file(const std::string& name) const;
  void make_gauge(const std::shared_ptr<const Scene>& scene);
  void send_view(const Json& recipe);
  std::filesystem::path clip_file(const std::string& name);
  std::filesystem::path earlier_path() const;
  Other earlier_step(const Json& body, const Progress& progress);

  /// Moves the bar with the stages of rigging.
  StageListener stages();

  // In the frame lane.
  void draw(const std::shared_ptr<Peer>& peer);
  void edit_pose(const Sender& sender, const Json& body);
  void answer(const Sender& sender, const Json& body);
  void send_field(const std::shared_ptr<Peer>& peer, const Json& body);
  void stroke(const Sender& sender, const Json& body);
  void begin_stroke(const Json& body, const std::shared_ptr<const Scene>& scene);
  void end_stroke(const Sender& sender);
  void plot(const Sender& sender, const Json& body);
  Json measured(const Json& body);
  Json rows(const Json& body) const;
  Json snap(const Json& body);
  Json piece(const Json& body) const;
  Json picked(const Json& body) const;
  /// \throws Error while there is no character yet.
  std::shared_ptr<const Scene> current() const;
  std::vector<float> field_values(const Scene& scene, const Json& body) const;

  /// Shows the command line of what was done last.
  void send_command(const std::string& command);

  // With the lock held.
  CommandSubject subject() const;
  std::string history_command() const;
  std::string show_command(std::size_t slot, const Json& body) const;
  Json state_json() const;
  Json history_json() const;
  void send_all(const std::shared_ptr<Peer>& peer);
  void autosave();
  void find_earlier_work();
  const Entry& now() const { return history_[cursor_]; }
  std::uint64_t add_blob(std::string type, io::Bytes bytes);
  /// Blobs of the pictures of a character; null for those that cannot be shown.
  std::vector<Json> add_images(const Character& character);
  /// `fresh`: of another file, which nothing is compared with yet.
  void put_scene(std::shared_ptr<const Scene> scene, std::shared_ptr<Mover> mover, bool fresh);
  void send_other(const std::shared_ptr<Peer>& peer);

  Json welcome(bool editor) const;

  SessionOptions options_;
  mutable std::mutex mutex_;
  std::vector<Client> clients_;
  std::weak_ptr<Peer> editor_;
  std::vector<Entry> history_;
  std::size_t cursor_ = 0;
  std::unique_ptr<RecipeBuilder> builder_;  ///< Used in the job lane only.
  std::shared_ptr<const Scene> scene_;
  std::array<std::shared_ptr<Mover>, 2> movers_;
  std::array<std::string, 2> methods_ = {"lbs", ""};
  std::optional<Other> other_;  ///< Its mover is the second one.
  std::shared_ptr<const rigging::LimbScene> limbs_;
  std::shared_ptr<const BrushSurface> brush_surface_;
  std::optional<Stroke> stroke_;
  std::shared_ptr<const Gauge> gauge_;
  JobBar bar_;                                               ///< Of the job that runs. Used in the job lane only.
  std::map<std::string, std::filesystem::path> clip_files_;  ///< Used in the job lane only.
  Json carried_recipe_;                                      ///< Of an exported file. Used in the job lane only.
  std::size_t earlier_steps_ = 0;    ///< Of earlier work on the same file, which can be restored.
  std::size_t automatic_steps_ = 0;  ///< Steps that no person made.
  Json attention_ = Json::object();
  std::optional<Progress> job_, checks_;
  std::string job_label_;
  std::uint32_t generation_ = 0;
  std::uint64_t next_blob_ = 1;
  std::map<std::uint64_t, Blob> blobs_;
  std::vector<Json> image_blobs_;
  std::filesystem::path drop_;  ///< Where the files of the current drop are.
  int drops_ = 0;
  int exports_ = 0;
  std::string input_name_ = "sample";
  bool sample_ = true;
  int opened_file_ = -1;  ///< Among the listed files.

  Lane frames_, jobs_;            ///< Behind what they use, so that they end before it.
  std::optional<Grades> grades_;  ///< Of the listed files, if there are several. It asks `jobs_`.
};

}  // namespace sinew::studio
