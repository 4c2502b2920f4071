// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// After the description by J. Meredith and S. Maddock, "Motion capture file formats explained", 2001.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/text.h"
#include "sinew/io/bvh/bvh.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io {
namespace {

constexpr double kStillBesideOffset = 0.01;

constexpr std::size_t kMostBvhJoints = 65536;
constexpr std::int64_t kMostBvhChannels = 12;  // Of one joint.

struct BvhChannel {
  bool rotates = false;
  int axis = 0;
};

struct BvhJoint {
  std::vector<BvhChannel> channels;
  std::size_t first = 0;  // Of its channels in a frame.
  bool has_children = false;
};

class BvhParser {
 public:
  BvhParser(std::string_view text, std::string file_name, const Progress& progress)
      : progress_(progress), scan_(text, std::move(file_name), TextRules{false, false}) {}

  void run(Asset& asset) {
    if (lower_case(std::string(scan_.word_anywhere())) != "hierarchy")
      scan_.fail("this is not a BVH file: it does not begin with HIERARCHY.");
    hierarchy();
    motion();
    asset.character.rig.skeleton = std::move(skeleton_);
    if (frames_ > 0 && channel_count_ > 0) asset.character.clips.push_back(make_clip(asset));
    asset.contents["frames"] = frames_;
    asset.contents["frame_time_s"] = frame_time_s_;
    asset.contents["channels"] = channel_count_;
  }

 private:
  // Joints within each other, without recursion: files may be nested to any depth. Ends with the word MOTION.
  void hierarchy() {
    std::vector<Index> open;  // kNone for an end site.
    while (true) {
      const std::string word = lower_case(std::string(scan_.word_anywhere()));
      if (word.empty()) scan_.fail("the file ends within its hierarchy; it was cut short.");
      if (word == "}") {
        if (open.empty()) scan_.fail("there is a closing brace without an opening one.");
        open.pop_back();
      } else if (word == "motion") {
        if (!open.empty()) scan_.fail("a joint is not closed before MOTION.");
        if (skeleton_.empty()) scan_.fail("the hierarchy has no joints.");
        return;
      } else if (word == "root" || word == "joint") {
        if (word == "root" ? !open.empty() : open.empty() || open.back() == kNone)
          scan_.fail(fmt::format("{} is not expected here.", word == "root" ? "ROOT" : "JOINT"));
        add_joint(open.empty() ? kNone : open.back());
        open.push_back(skeleton_.size() - 1);
      } else if (word == "end") {
        if (open.empty() || open.back() == kNone) scan_.fail("an end site must belong to a joint.");
        scan_.word();  // "Site"
        opening_brace();
        open.push_back(kNone);
        end_of_ = static_cast<Index>(open[open.size() - 2]);
      } else if (open.empty()) {
        scan_.fail(fmt::format("ROOT or MOTION is expected, not '{}'.", to_utf8(word.substr(0, 40))));
      } else {
        property(word, open.back());
      }
    }
  }

  void property(const std::string& word, Index joint) {
    if (word == "offset") {
      Vec3 offset;
      for (int i = 0; i < 3; ++i) offset[i] = scan_.number(scan_.word_anywhere());
      if (joint != kNone) skeleton_.joints[joint].rest.translation = offset;
      else if (offset.norm() > 0 && !skeleton_.joints[end_of_].end_local) skeleton_.joints[end_of_].end_local = offset;
    } else if (word == "channels" && joint != kNone) {
      channels(joints_[joint]);
    } else {
      scan_.fail(fmt::format("'{}' is not expected here.", to_utf8(word.substr(0, 40))));
    }
  }

  void channels(BvhJoint& joint) {
    if (!joint.channels.empty()) scan_.fail("a joint has two lists of channels.");
    const std::int64_t count = scan_.integer(scan_.word_anywhere());
    if (count < 0 || count > kMostBvhChannels) scan_.fail(fmt::format("a joint cannot have {} channels.", count));
    joint.first = channel_count_;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string name = lower_case(std::string(scan_.word_anywhere().substr(0, 40)));
      BvhChannel channel;
      channel.rotates = name.ends_with("rotation");
      const bool known = name.size() == 9 && (channel.rotates || name.ends_with("position"));
      if (!known || name[0] < 'x' || name[0] > 'z')
        scan_.fail(fmt::format("'{}' is not a channel. Channels are Xposition, Xrotation and so on.", to_utf8(name)));
      channel.axis = name[0] - 'x';
      joint.channels.push_back(channel);
    }
    channel_count_ += joint.channels.size();
  }

  // A name may contain blanks, and the brace may be on its line.
  void add_joint(Index parent) {
    if (skeleton_.joints.size() >= kMostBvhJoints)
      scan_.fail(fmt::format("the hierarchy has more than {} joints.", kMostBvhJoints));
    std::string_view name = scan_.rest_of_line();
    const bool braced = name.ends_with('{');
    if (braced) name.remove_suffix(1);
    while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.remove_suffix(1);
    Joint joint;
    joint.name = to_utf8(name);
    joint.parent = parent;
    if (joint.name.empty()) joint.name = fmt::format("joint_{}", skeleton_.size());
    skeleton_.joints.push_back(std::move(joint));
    joints_.emplace_back();
    if (parent != kNone) joints_[parent].has_children = true;
    if (!braced) opening_brace();
  }

  void opening_brace() {
    if (scan_.word_anywhere() != "{") scan_.fail("an opening brace is missing.");
  }

  void motion() {
    for (Index j = 0; j < skeleton_.size(); ++j)
      if (joints_[j].has_children) skeleton_.joints[j].end_local.reset();
    frames_ = keyed_integer("frames:");
    if (frames_ < 0) scan_.fail(fmt::format("{} is not a valid number of frames.", frames_));
    keyed("frame");
    keyed("time:");
    frame_time_s_ = scan_.number(scan_.word_anywhere());
    if (frames_ > 1 && !(frame_time_s_ > 0)) scan_.fail("the time of a frame must be positive.");
    // "0" and a blank or the end.
    if (channel_count_ > 0 &&
        static_cast<std::uint64_t>(frames_) > (scan_.remaining() + 1) / (2 * std::uint64_t{channel_count_}))
      scan_.fail(
          fmt::format("the file declares {} frames of {} numbers, but only {} bytes follow. It is damaged or cut "
                      "short.",
                      frames_, channel_count_, scan_.remaining()));
    const std::size_t count = channel_count_ > 0 ? static_cast<std::size_t>(frames_) * channel_count_ : 0;
    values_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 65536 == 0) progress_.step("reading BVH", static_cast<double>(i) / static_cast<double>(count));
      const std::string_view word = scan_.word_anywhere();
      if (word.empty()) scan_.fail(fmt::format("the file ends in frame {} of {}.", i / channel_count_, frames_));
      values_.push_back(scan_.number(word));
    }
  }

  void keyed(std::string_view key) {
    const std::string word = lower_case(std::string(scan_.word_anywhere().substr(0, 40)));
    if (word != key) scan_.fail(fmt::format("'{}' is expected, not '{}'.", key, to_utf8(word)));
  }
  // "Frames: 30" and "Frames:30".
  std::int64_t keyed_integer(std::string_view key) {
    const std::string_view word = scan_.word_anywhere();
    const std::string lower = lower_case(std::string(word.substr(0, 40)));
    if (lower.starts_with(key) && word.size() > key.size()) return scan_.integer(word.substr(key.size()));
    if (lower != key) scan_.fail(fmt::format("'{}' is expected, not '{}'.", key, to_utf8(lower)));
    return scan_.integer(scan_.word_anywhere());
  }

  double value(std::int64_t frame, const BvhJoint& joint, std::size_t channel) const {
    return values_[static_cast<std::size_t>(frame) * channel_count_ + joint.first + channel];
  }

  Clip make_clip(const Asset& asset) const {
    Clip clip;
    clip.name = asset.character.name;
    std::vector<float> times;
    for (std::int64_t f = 0; f < frames_; ++f)
      times.push_back(static_cast<float>(static_cast<double>(f) * (frames_ > 1 ? frame_time_s_ : 1)));
    for (Index j = 0; j < asset.character.rig.skeleton.size(); ++j)
      for (const bool rotates : {false, true}) {
        const BvhJoint& joint = joints_[j];
        const auto is_kind = [&](const BvhChannel& channel) { return channel.rotates == rotates; };
        if (std::none_of(joint.channels.begin(), joint.channels.end(), is_kind)) continue;
        const Positions meaning = rotates ? Positions::kNothing : positions_of(asset.character.rig.skeleton, j);
        if (!rotates && meaning == Positions::kNothing) continue;
        Track track;
        track.target = j;
        track.path = rotates ? Track::Path::kRotation : Track::Path::kTranslation;
        track.times_s = times;
        for (std::int64_t f = 0; f < frames_; ++f) {
          if (rotates) add_rotation(track, f, joint);
          else add_position(track, f, joint, asset.character.rig.skeleton.joints[j].rest.translation, meaning);
        }
        clip.tracks.push_back(std::move(track));
      }
    return clip;
  }

  /// What the position channels of a joint mean.
  enum class Positions { kReplaceOffset, kAddToOffset, kNothing };

  // Below a root, positions that are 0 beside the offset come from a writer that means them to be added to it. Written
  // with rounding errors, as in MakeHuman's files, they are not quite 0.
  Positions positions_of(const Skeleton& skeleton, Index j) const {
    const double offset = skeleton.joints[j].rest.translation.norm();
    if (skeleton.joints[j].parent == kNone || offset == 0) return Positions::kReplaceOffset;
    double largest = 0;
    for (std::int64_t f = 0; f < frames_; ++f)
      for (std::size_t c = 0; c < joints_[j].channels.size(); ++c)
        if (!joints_[j].channels[c].rotates) largest = std::max(largest, std::abs(value(f, joints_[j], c)));
    if (largest == 0) return Positions::kNothing;
    return largest < kStillBesideOffset * offset ? Positions::kAddToOffset : Positions::kReplaceOffset;
  }

  void add_position(Track& track, std::int64_t frame, const BvhJoint& joint, Vec3 position, Positions meaning) const {
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      if (joint.channels[c].rotates) continue;
      double& coordinate = position[joint.channels[c].axis];
      coordinate = value(frame, joint, c) + (meaning == Positions::kAddToOffset ? coordinate : 0);
    }
    for (int i = 0; i < 3; ++i) track.values.push_back(static_cast<float>(position[i]));
  }

  void add_rotation(Track& track, std::int64_t frame, const BvhJoint& joint) const {
    Quat q = Quat::Identity();
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      const BvhChannel& channel = joint.channels[c];
      // Whole turns say nothing, and large angles lose their digits.
      const double angle_deg = std::remainder(value(frame, joint, c), 360.0);
      if (channel.rotates) q = q * rotation_exp(radians(angle_deg) * Vec3::Unit(channel.axis));
    }
    q.normalize();
    double dot = 0;
    for (int i = 0; i < 4 && !track.values.empty(); ++i)
      dot += q.coeffs()[i] * static_cast<double>(track.values[track.values.size() - 4 + static_cast<std::size_t>(i)]);
    for (int i = 0; i < 4; ++i) track.values.push_back(static_cast<float>(dot < 0 ? -q.coeffs()[i] : q.coeffs()[i]));
  }

  const Progress& progress_;
  TextScanner scan_;
  Skeleton skeleton_;
  std::vector<BvhJoint> joints_;
  Index end_of_ = kNone;  // The joint of the end site that is open.
  std::size_t channel_count_ = 0;
  std::int64_t frames_ = 0;
  double frame_time_s_ = 0;
  std::vector<double> values_;
};

}  // namespace

Asset read_bvh(const std::filesystem::path& path, Bytes bytes, const Progress& progress) {
  Asset asset;
  asset.path = path;
  asset.format = "bvh";
  asset.character.name = to_utf8(path.stem().string());
  BvhParser(as_text(bytes), to_utf8(path.string()), progress).run(asset);
  return asset;
}

}  // namespace sinew::io
