// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "sinew/core/text.h"
#include "sinew/core/workable.h"
#include "sinew/measure/shape.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/player.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/retarget/joint_matching.h"
#include "sinew/pipeline/play.h"
#include "sinew/pipeline/same_vertices.h"

namespace sinew::pipeline {
namespace {

// One frame to play.
struct FrameRequest {
  std::string name;
  double time_s = 0;
  bool bind = false;     // The mesh as it was bound, without a pose.
  bool measured = true;  // False for frames that are only played because a method needs history.
};

std::vector<FrameRequest> frames_of(const MeasureMotion& motion, double duration_s, bool needs_history) {
  if (!motion.clip && !motion.pose) return {{"rest", 0, false, true}, {"bind", 0, true, true}};
  if (!motion.clip) return {{motion.name, 0, false, true}};
  const FrameRange range = frame_range(duration_s, motion.fps, motion.frames);
  std::vector<FrameRequest> frames;
  const auto add = [&](const FrameRange& some, bool measured) {
    for (std::size_t f = 0; f < some.times_s.size(); ++f)
      frames.push_back({fmt::format("{}", some.first + f), some.times_s[f], false, measured});
  };
  if (needs_history && range.first > 0)
    add(frame_range(duration_s, motion.fps, std::pair<std::size_t, std::size_t>(0, range.first - 1)), false);
  add(range, true);
  return frames;
}

// Poses of one character, deformed by one method.
class PosedCharacter {
 public:
  PosedCharacter(const Rig& rig, const deform::Deformer& deformer, const Clip* clip, const Pose* pose)
      : rig_(rig), deformer_(deformer), drivers_(rig.skeleton), state_(deformer.make_state()) {
    if (clip != nullptr) player_.emplace(rig, *clip);
    else if (pose != nullptr) pose_ = *pose;
    buffer_.resize(rig.mesh.positions.size());
  }

  const Rig& rig() const { return rig_; }
  double duration_s() const { return player_ ? player_->duration_s() : 0; }

  // Before drivers.
  Pose pose(const FrameRequest& frame) const {
    if (player_) return player_->at(frame.time_s);
    return pose_ ? *pose_ : rest_pose(rig_);
  }

  measure::Shape shape(const FrameRequest& frame) {
    return frame.bind ? measure::bound_shape(rig_) : shape(frame, pose(frame));
  }

  measure::Shape shape(const FrameRequest& frame, const Pose& pose) {
    const ModelPose model = motion::resolve(rig_.skeleton, pose, drivers_);
    const double dt_s = std::max(0.0, frame.time_s - last_time_s_);
    last_time_s_ = frame.time_s;
    deformer_.deform(*state_, {model, frame.time_s, dt_s}, {buffer_, {}, nullptr});
    measure::Shape shape;
    shape.joints = model.joints;
    shape.positions.reserve(buffer_.size());
    for (const Vec3f& p : buffer_) shape.positions.push_back(p.cast<double>());
    return shape;
  }

 private:
  const Rig& rig_;
  const deform::Deformer& deformer_;
  motion::Drivers drivers_;
  std::optional<motion::Player> player_;
  std::optional<Pose> pose_;
  std::unique_ptr<deform::Deformer::State> state_;
  double last_time_s_ = 0;
  std::vector<Vec3f> buffer_;
};

// The reference in each frame of the character that is measured.
class ReferenceFrames {
 public:
  ReferenceFrames(const MeasureReference& reference, const PosedCharacter& subject, const MeasureMotion& motion)
      : subject_(subject), partners_(same_vertices(subject.rig().mesh, reference.character.rig.mesh)) {
    const Rig& rig = reference.character.rig;
    const bool moves = (motion.clip || motion.pose) && !rig.skeleton.empty();
    const auto& clips = reference.character.clips;
    const auto own =
        std::find_if(clips.begin(), clips.end(), [&](const Clip& clip) { return clip.name == motion.name; });
    const bool has_own = moves && motion.clip && !motion.name.empty() && own != clips.end();
    reference_.emplace(rig, reference.deformer, has_own ? &*own : nullptr, nullptr);
    by_names_ = moves && !has_own;
    if (by_names_ && !pose_by_names(rest_pose(subject.rig()), subject.rig(), rig))
      throw Error(fmt::format(
          "The character to compare with has neither a clip '{}' nor joints of the same names, so it cannot "
          "be posed like the other.",
          motion.name));
  }

  // In the order of the subject's vertices.
  std::vector<Vec3> positions(const FrameRequest& frame) {
    const measure::Shape shape = shape_of(frame);
    std::vector<Vec3> positions;
    positions.reserve(partners_.size());
    for (const Index v : partners_) positions.push_back(shape.positions[v]);
    return positions;
  }

  const std::vector<Index>& partners() const { return partners_; }

 private:
  measure::Shape shape_of(const FrameRequest& frame) {
    if (!by_names_ || frame.bind) return reference_->shape(frame);
    return reference_->shape(frame, *pose_by_names(subject_.pose(frame), subject_.rig(), reference_->rig()));
  }

  const PosedCharacter& subject_;
  std::vector<Index> partners_;
  std::optional<PosedCharacter> reference_;
  bool by_names_ = false;
};

// How many joints have weight that are not among the first `own`.
Index foreign_joints(const SkinWeights& weights, Index own) {
  std::set<Index> foreign;
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& influence : weights.row(v))
      if (influence.joint >= own) foreign.insert(influence.joint);
  return static_cast<Index>(foreign.size());
}

std::optional<WeightAgreementFigures> compare_weights(const Rig& rig, const Rig& other,
                                                      const std::vector<Index>& partners, Findings& findings,
                                                      const Progress& progress) {
  if (rig.weights.empty() || other.weights.empty()) return std::nullopt;
  WeightAgreementFigures comparison;
  const SkinWeights weights = matched_rows(motion::weights_by_name(other, rig.skeleton), partners);
  comparison.unmatched = foreign_joints(weights, rig.skeleton.size());
  comparison.weights = measure::weight_agreement(rig.weights, weights);
  if (comparison.unmatched == 0) comparison.posed = measure::posed_agreement(rig, weights, progress);
  else
    findings.push_back(
        {"measure.joints_differ", "",
         fmt::format(
             "{} no partner of the same name, although vertices of the character to compare with follow {}. The "
             "weights are compared, but not the poses that they cause.",
             count_of(comparison.unmatched, "joint has", "joints have"), comparison.unmatched == 1 ? "it" : "them")});
  return comparison;
}

std::vector<JointWorst> worst_of_joints(const std::vector<FrameMeasurement>& frames, Index joint_count) {
  std::vector<JointWorst> joints(joint_count);
  for (Index f = 0; f < frames.size(); ++f) {
    for (const measure::JointSection& s : frames[f].figures.sections) {
      JointWorst& joint = joints[s.joint];
      if (s.compared > 0 && (joint.section_frame == kNone || s.thinnest < joint.thinnest_section))
        joint.joint = s.joint, joint.thinnest_section = s.thinnest, joint.section_frame = f;
    }
    for (const measure::JointBulge& b : frames[f].figures.bulges) {
      JointWorst& joint = joints[b.joint];
      if (joint.bulge_frame == kNone || b.bulge > joint.bulge)
        joint.joint = b.joint, joint.bulge = b.bulge, joint.bulge_frame = f;
    }
  }
  joints.erase(std::remove_if(joints.begin(), joints.end(), [](const JointWorst& j) { return j.joint == kNone; }),
               joints.end());
  return joints;
}

}  // namespace

std::optional<Pose> pose_by_names(const Pose& pose, const Rig& from, const Rig& to) {
  Pose result = rest_pose(to);
  result.twist_rad.assign(pose.twist_rad.empty() ? 0 : to.skeleton.size(), 0);
  bool any = false;
  const std::vector<Index> partners = motion::partners_by_name(from.skeleton, to.skeleton);
  for (Index j = 0; j < from.skeleton.size(); ++j) {
    const Index partner = partners[j];
    if (partner == kNone) continue;
    any = true;
    result.local[partner] = pose.local[j];
    if (!pose.twist_rad.empty()) result.twist_rad[partner] = pose.twist_rad[j];
  }
  for (std::size_t p = 0; p < result.morph_weights.size() && p < pose.morph_weights.size(); ++p)
    if (result.morph_weights[p].size() == pose.morph_weights[p].size()) result.morph_weights[p] = pose.morph_weights[p];
  return any ? std::optional<Pose>(std::move(result)) : std::nullopt;
}

void require_comparable(const Rig& rig, const Rig& reference) { same_vertices(rig.mesh, reference.mesh); }

MeasureResult measure(const Character& character, const deform::Deformer& deformer, const MeasureMotion& motion,
                      const std::optional<MeasureReference>& reference, const measure::MeterOptions& options,
                      const Progress& progress) {
  require_workable(character.rig);
  const Rig& rig = character.rig;
  if (rig.mesh.vertex_count() == 0) throw Error("There is no mesh to measure.");
  if (reference) require_comparable(rig, reference->character.rig);
  PosedCharacter subject(rig, deformer, motion.clip ? &*motion.clip : nullptr, motion.pose ? &*motion.pose : nullptr);
  const std::vector<FrameRequest> frames = frames_of(motion, subject.duration_s(), deformer.needs_history());
  std::optional<ReferenceFrames> other;
  if (reference) other.emplace(*reference, subject, motion);
  MeasureResult result;
  const measure::Meter meter(rig, options, progress);
  result.findings = meter.findings();
  result.size = meter.size();
  result.parts = meter.enclosed().parts();
  result.bound = meter.measure(meter.bound(), progress);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    progress.step("measuring", static_cast<double>(i) / static_cast<double>(frames.size()));
    const measure::Shape shape = subject.shape(frames[i]);
    std::vector<Vec3> target;
    if (other) target = other->positions(frames[i]);
    if (!frames[i].measured) continue;
    result.frames.push_back({frames[i].name, frames[i].time_s, meter.measure(shape, progress), std::nullopt});
    if (other) result.frames.back().distance = measure::shape_distance(shape.positions, target);
  }
  result.joints = worst_of_joints(result.frames, rig.skeleton.size());
  if (reference)
    result.agreement = compare_weights(rig, reference->character.rig, other->partners(), result.findings, progress);
  return result;
}

}  // namespace sinew::pipeline
