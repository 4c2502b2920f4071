// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/slbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/deform/blend/skin_layout.h"
#include "sinew/deform/blend/twist_field.h"
#include "sinew/deform/blend/twist_tree.h"

namespace sinew::deform {
namespace {

// A bone as one skin has it: what all vertices of a group share.
struct BoneRun {
  Index skin = kNone;
  Index bone = kNone;              // A segment.
  Mat3 frame = Mat3::Identity();   // Of the bone at rest, in which the layout has its vertices;
  Vec3 origin_rel = Vec3::Zero();  // that is where it begins, in the layout's units.
};

// m · (a rotation and a translation)⁻¹
Mat4 without(const Mat4& m, const Mat4& rigid) {
  Mat4 result = m;
  result.topLeftCorner<3, 3>().noalias() = m.topLeftCorner<3, 3>() * rigid.topLeftCorner<3, 3>().transpose();
  result.topRightCorner<3, 1>() -= result.topLeftCorner<3, 3>() * rigid.topRightCorner<3, 1>();
  return result;
}

// Axes of a bone as columns: the last along it.
Mat3 bone_frame(const Vec3& axis) {
  Mat3 frame = Mat3::Identity();
  if (axis.isZero()) return frame;
  frame.col(0) = axis.unitOrthogonal();
  frame.col(1) = axis.cross(frame.col(0));
  frame.col(2) = axis;
  return frame;
}

class SlbsDeformer final : public Deformer {
 public:
  SlbsDeformer(const Rig& rig, const Segmentation& segmentation, const SlbsOptions& options, const Progress& progress,
               std::span<const float> twist_factors) {
    check(rig, segmentation);
    trees_ = twist_trees(rig, segmentation, twist_factors, options.spread_twists == SpreadTwists::kLimbs);
    const TwistReach reach = twist_reach(rig, segmentation, trees_);
    const std::vector<Index> groups = group_vertices(rig, segmentation, reach);
    layout_ = make_skin_layout(rig, progress, groups);
    for (const Index group : layout_.groups)
      run_of_block_.push_back(group == kNone ? static_cast<std::uint32_t>(runs_.size()) : group);
    progress.step("spreading twists");
    store(twist_field(rig, segmentation, reach, options, progress));
    go_to_bone_frames();
    join_normals();
  }

  std::unique_ptr<State> make_state() const override { return std::make_unique<SlbsState>(); }

  void deform(State& state, const FrameInput& input, const FrameOutput& output) const override {
    auto& own = static_cast<SlbsState&>(state);
    if (!input.pose.twist_rad.empty() && input.pose.twist_rad.size() != input.pose.joints.size())
      throw Error("The pose does not have one twist for each joint. Use a pose of this character.");
    for (const double twist : input.pose.twist_rad)
      if (!std::isfinite(twist)) throw Error("A twist of the pose is not finite. Correct the pose or the clip.");
    skinning_matrices(layout_, input.pose, own.matrices);
    own.twists.resize(trees_.size());
    for (std::size_t s = 0; s < trees_.size(); ++s) twist_pose(trees_[s], input.pose, own.twists[s]);
    make_palette(own);
    make_runs(own);
    BlendJob job = blend_job(layout_);
    job.rest_positions = morphed_rest(layout_, input.pose.morph_weights, own.rest);
    job.matrices = own.palette.data();
    job.runs = run_of_block_.data();
    job.twists = own.runs.data();
    job.twist_shares = shares_.data();
    job.twist_normals = normals_.data();
    job.positions = reinterpret_cast<float*>(output.positions.data());
    if (!output.normals.empty()) {
      job.normals = reinterpret_cast<float*>(output.normals.data());
      job.cofactor_normals = !std::all_of(own.matrices.begin(), own.matrices.end(), keeps_angles);
    }
    run_blocks(layout_, job, blend_twisted);
    if (output.report) tell(own, *output.report);
  }

  std::vector<Overlay> overlays(State&, const FrameInput&) const override {
    Overlay overlay;
    overlay.name = "twist";
    Overlay::VertexField field{"share of the bone's twist", std::vector<float>(layout_.vertex_count, 0.0F), 0, 1};
    for (std::size_t i = 0; i < layout_.vertices.size(); ++i)
      field.values[layout_.vertices[i]] = shares_[i / kBlockWidth].at[i % kBlockWidth];
    overlay.fields.push_back(std::move(field));
    return {std::move(overlay)};
  }

 private:
  struct SlbsState final : State {
    std::vector<Mat4> matrices;
    std::vector<float> palette;
    std::vector<TwistPose> twists;  // Per skin.
    std::vector<TwistRun> runs;
    MorphedRest rest;
  };

  static void check(const Rig& rig, const Segmentation& segmentation) {
    Segmentation shape = segmentation;
    // A vertex may be owned by none.
    for (Index& owner : shape.owner)
      if (owner == kNone) owner = 0;
    Findings wrong = validate(shape, rig.mesh.vertex_count(), rig.skeleton.size());
    if (segmentation.segments.empty())
      wrong = rig.mesh.vertex_count() == 0 ? Findings{} : Findings{{"segmentation.empty", "", "It has no segments."}};
    if (!wrong.empty())
      throw Error(fmt::format("The segmentation does not fit the character: {} Segment the character again.",
                              wrong.front().text));
  }

  // Per vertex a number of `runs_`, kNone for those that are blended linearly.
  std::vector<Index> group_vertices(const Rig& rig, const Segmentation& segmentation, const TwistReach& reach) {
    std::vector<Index> groups(rig.mesh.vertex_count(), kNone);
    std::vector<Index> number(rig.skins.size() * segmentation.segments.size(), kNone);
    for (const MeshPart& part : rig.mesh.parts) {
      if (part.skin == kNone) continue;
      for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
        if (reach.owner[v] == kNone) continue;
        Index& run = number[part.skin * segmentation.segments.size() + reach.owner[v]];
        if (run == kNone) {
          run = static_cast<Index>(runs_.size());
          runs_.push_back({part.skin, reach.owner[v]});
        }
        groups[v] = run;
      }
    }
    return groups;
  }

  TwistField twist_field(const Rig& rig, const Segmentation& segmentation, const TwistReach& reach,
                         const SlbsOptions& options, const Progress& progress) const {
    if (options.twist_share == TwistShare::kDelta || trees_.empty())
      return delta_twist_field(segmentation, reach.owner, reach.links);
    return harmonic_twist_field(rig.mesh, segmentation, trees_[0], reach.owner, reach.links, progress);
  }

  void store(const TwistField& field) {
    const std::size_t blocks = layout_.blocks.size();
    shares_.resize(blocks);
    gradients_.resize(3 * blocks);
    for (std::size_t i = 0; i < layout_.vertices.size(); ++i) {
      const Index v = layout_.vertices[i];
      const std::size_t block = i / kBlockWidth, lane = i % kBlockWidth;
      shares_[block].at[lane] = field.share[v];
      for (std::size_t c = 0; c < 3; ++c)
        gradients_[3 * block + c].at[lane] =
            static_cast<float>(layout_.size * field.gradient[v][static_cast<Eigen::Index>(c)]);
    }
  }

  void go_to_bone_frames() {
    for (BoneRun& run : runs_) {
      const TwistTree& tree = trees_[run.skin];
      const TwistTree::Bone& bone = tree.bones[run.bone];
      if (bone.end != kNone) run.frame = bone_frame(tree.joints[bone.end].axis);
      run.origin_rel = (tree.joints[bone.start].origin - layout_.center) / layout_.size;
    }
    const auto turn = [](Lanes* lanes, std::size_t lane, const BoneRun& run, bool point) {
      Vec3 v(lanes[0].at[lane], lanes[1].at[lane], lanes[2].at[lane]);
      v = run.frame.transpose() * (point ? Vec3(v - run.origin_rel) : v);
      for (std::size_t c = 0; c < 3; ++c) lanes[c].at[lane] = static_cast<float>(v[static_cast<Eigen::Index>(c)]);
    };
    for (std::size_t b = 0; b < layout_.blocks.size(); ++b) {
      if (layout_.groups[b] == kNone) continue;
      const BoneRun& run = runs_[layout_.groups[b]];
      for (std::size_t lane = 0; lane < kBlockWidth; ++lane) {
        turn(&layout_.positions[3 * b], lane, run, true);
        turn(&layout_.normals[3 * b], lane, run, false);
        turn(&gradients_[3 * b], lane, run, false);
      }
    }
    for (SkinMorph& morph : layout_.morphs)
      for (std::size_t i = 0; i < morph.places.size(); ++i) {
        const Index group = layout_.groups[morph.places[i] / kBlockWidth];
        if (group == kNone) continue;
        morph.deltas[i] = (runs_[group].frame.transpose() * morph.deltas[i].cast<double>()).cast<float>();
      }
  }

  // One table is read faster than two.
  void join_normals() {
    for (std::size_t b = 0; b < layout_.blocks.size(); ++b)
      for (const std::vector<Lanes>* const from : {&layout_.normals, &gradients_})
        normals_.insert(normals_.end(), from->begin() + static_cast<std::ptrdiff_t>(3 * b),
                        from->begin() + static_cast<std::ptrdiff_t>(3 * b + 3));
    layout_.normals = {};
    gradients_ = {};
  }

  void make_palette(SlbsState& own) const {
    own.palette.resize(12 * own.matrices.size());
    for (std::size_t s = 0; s < own.matrices.size(); ++s) {
      const SkinSlot& slot = layout_.slots[s];
      const Index above = slot.grouped ? trees_[slot.skin].of_joint[slot.joint] : kNone;
      const Mat4 m = above == kNone ? own.matrices[s] : without(own.matrices[s], own.twists[slot.skin].twisted[above]);
      store_rows(in_layout_units(layout_, m), &own.palette[12 * s]);
    }
  }

  void make_runs(SlbsState& own) const {
    own.runs.resize(runs_.size() + 1);
    own.runs.back() = {};
    store_rows(Mat4::Identity(), own.runs.back().matrix);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const TwistTree& tree = trees_[runs_[i].skin];
      const TwistPose& twists = own.twists[runs_[i].skin];
      const TwistTree::Bone& bone = tree.bones[runs_[i].bone];
      double angle = 0;
      for (const Index k : bone.twisting) angle += twists.angle_rad[k];
      own.runs[i] = run_of(runs_[i], twists.twisted[bone.start], angle);
    }
  }

  TwistRun run_of(const BoneRun& bone, const Mat4& before, double angle_rad) const {
    TwistRun run{};
    const Mat3 turn = before.topLeftCorner<3, 3>();
    Mat4 m = Mat4::Identity();
    m.topLeftCorner<3, 3>().noalias() = turn * bone.frame;
    m.topRightCorner<3, 1>() =
        turn * bone.origin_rel + (transform_point(before, layout_.center) - layout_.center) / layout_.size;
    store_rows(m, run.matrix);
    const double turns = angle_rad / kTwoPi;
    run.turns = static_cast<float>(turns);
    run.turns_rest = static_cast<float>(turns - static_cast<double>(run.turns));
    run.angle_rad = static_cast<float>(angle_rad);
    return run;
  }

  void tell(const SlbsState& own, FrameReport& report) const {
    for (std::size_t s = 0; s < trees_.size(); ++s)
      for (const Index k : own.twists[s].half_turns)
        report.findings.push_back(
            {"slbs.half_turn", layout_.joint_names[trees_[s].joints[k].joint],
             "The joint swings by half a turn, where its twist is undefined. The skin may jump there."});
  }

  std::vector<TwistTree> trees_;  // Per skin.
  std::vector<BoneRun> runs_;
  SkinLayout layout_;
  std::vector<std::uint32_t> run_of_block_;  // The one after all others moves nothing.
  std::vector<Lanes> shares_;
  std::vector<Lanes> gradients_;  // Until they are joined with
  std::vector<Lanes> normals_;    // the normals: six per block.
};

bool only_limbs(const AnyOptions& options) { return options.as<SlbsOptions>().spread_twists == SpreadTwists::kLimbs; }

}  // namespace

std::unique_ptr<Deformer> bind_slbs(const Rig& rig, const Segmentation& segmentation, const SlbsOptions& options,
                                    const Progress& progress, std::span<const float> twist_factors) {
  return std::make_unique<SlbsDeformer>(rig, segmentation, options, progress, twist_factors);
}

DeformerMethod slbs_method() {
  return {
      .id = "slbs",
      .name = "twist-safe",
      .when =
          "Twists of any number of turns spread along the limb and keep its volume. Bends look the same as with "
          "linear.",
      .options = SlbsOptions{},
      .overlays = {"twist"},
      .corrects = [](const AnyOptions& options) { return std::string(only_limbs(options) ? "lbs" : ""); },
      .limited_by = LimitedBy::kJoints,
      .needs =
          [](const AnyOptions& options) {
            return MethodNeeds{.segmentation = true, .twist_factors = only_limbs(options)};
          },
      .bind =
          [](const Rig& rig, const MethodInputs& inputs, const AnyOptions& options, const Progress& progress) {
            return bind_slbs(rig, *inputs.segmentation, options.as<SlbsOptions>(), progress, inputs.twist_factors);
          },
  };
}

}  // namespace sinew::deform
