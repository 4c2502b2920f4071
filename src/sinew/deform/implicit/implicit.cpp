// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/implicit.h"

#include <fmt/format.h>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/core/rotation_between.h"
#include "sinew/core/text.h"
#include "sinew/deform/blend/dqs.h"
#include "sinew/deform/blend/lbs.h"
#include "sinew/deform/blend/twist_field.h"
#include "sinew/deform/implicit/implicit_skin.h"
#include "sinew/deform/implicit/implicit_store.h"
#include "sinew/deform/implicit/iso_surface.h"
#include "sinew/deform/implicit/projection.h"
#include "sinew/deform/implicit/tracking.h"
#include "sinew/deform/pbd/far_twist.h"
#include "sinew/deform/pose_limits.h"

namespace sinew::deform {
namespace {

ImplicitBodyOptions body_options(const ImplicitOptions& options) {
  return {options.samples, options.part_weight, options.end_samples, options.grid_nodes};
}

bool spreads_twists(ImplicitBase base) { return base == ImplicitBase::kAuto || base == ImplicitBase::kSlbs; }

Index joint_named(const Skeleton& skeleton, const std::string& name, const char* option) {
  const Index joint = skeleton.find(name);
  if (joint != kNone) return joint;
  std::vector<std::string> names;
  for (const Joint& known : skeleton.joints) names.push_back(known.name);
  throw Error(fmt::format("The option '{}' names the joint '{}', which the skeleton does not have.{}", option, name,
                          did_you_mean(name, names)));
}

JointOperator operator_named(const std::string& word) {
  const auto words = option_words(JointOperator{});
  for (std::size_t i = 0; i < words.size(); ++i)
    if (word == words[i]) return static_cast<JointOperator>(i);
  throw Error(unknown_word("joint operator", word, {words.begin(), words.end()}));
}

constexpr Index kMostBlended = 3;  ///< Bones that begin at a joint that are blended with the one before it.

/// Per part, how it is joined to its parent.
std::vector<FieldOperator> operators_of(const ImplicitBody& body, const Skeleton& skeleton,
                                        const ImplicitOptions& options) {
  std::vector<JointOperator> kinds(skeleton.joints.size(), options.joint_operator);
  std::vector<double> strengths(skeleton.joints.size(), options.bulge);
  for (const auto& [name, word] : options.joint_operators)
    kinds[joint_named(skeleton, name, "joint_operators")] = operator_named(word);
  for (const auto& [name, strength] : options.joint_bulge)
    strengths[joint_named(skeleton, name, "joint_bulge")] = strength;
  std::vector<Index> children(body.parts.size(), 0);
  for (const ImplicitPart& part : body.parts)
    if (part.parent != kNone) ++children[part.parent];
  std::vector<FieldOperator> operators;
  for (const ImplicitPart& part : body.parts) {
    JointOperator kind = kinds[part.joint];
    // Blends would fill the space between the fingers of a hand.
    if (kind == JointOperator::kAuto)
      kind =
          part.parent != kNone && children[part.parent] <= kMostBlended ? JointOperator::kBlend : JointOperator::kUnion;
    if (kind == JointOperator::kUnion) operators.emplace_back();
    else
      operators.emplace_back(kind, kind == JointOperator::kBulge ? bulge_opening() : fold_opening(),
                             strengths[part.joint]);
  }
  return operators;
}

constexpr float kCarried = 0.95F;  ///< Share of a correction that the next step starts with.
constexpr int kTrackingRounds = 3;

/// The prepared body, or a new one where there is none that fits.
ImplicitBody body_of(const Rig& rig, const MethodInputs& inputs, const ImplicitOptions& options,
                     const Progress& progress) {
  if (!inputs.prepared.empty())
    if (auto body = read_implicit_body(inputs.prepared, rig.skeleton.size())) return *std::move(body);
  return make_implicit_body(rig, body_options(options), inputs.owners, inputs.samples ? *inputs.samples : PartSamples{},
                            progress);
}

class Implicit final : public Deformer {
 public:
  Implicit(const Rig& rig, const MethodInputs& inputs, const ImplicitOptions& options, ImplicitBody body,
           const Progress& progress)
      : body_(std::move(body)), tracking_(options.tracking && !inputs.without_correction) {
    bind_base(rig, inputs, options, progress);
    for (const Mat4& frame : body_.bind) inverse_bind_.push_back(frame.inverse());
    for (const Joint& joint : rig.skeleton.joints) parents_.push_back(joint.parent);
    corrects_ = !inputs.without_correction && !body_.parts.empty();
    operators_ = operators_of(body_, rig.skeleton, options);
    if (!corrects_) return;
    skin_ = make_implicit_skin(rig, body_, operators_, options.contact_reach);
    for (const ImplicitPart& part : body_.parts) joined_.push_back(part.parent);
    settings_.steps = options.steps;
    settings_.contact = options.contact;
    settings_.relaxations = options.relaxations;
    settings_.smoothings = options.smoothings;
    if (inputs.limits != nullptr) limits_ = *inputs.limits;
    for (const Vec3f& p : skin_.rest) center_ += p.cast<double>() / static_cast<double>(skin_.size());
    reference_ = busiest_joint();
  }

  struct ImplicitState final : State {
    explicit ImplicitState(const Implicit& of) : projection(of.skin_, of.joined_, of.settings_), relaxation(of.skin_) {}
    std::unique_ptr<State> base;
    Projection projection;
    Vec3f origin = Vec3f::Zero();
    std::vector<Mat4> motions;
    std::vector<PosedPart> parts;
    std::vector<Vec3f> start, moved, flat_before, flat_after;
    std::vector<float> factors, iso;
    PoseLimits::Scratch limits;
    std::vector<Vec3f> unposed;
    ModelPose bound;
    std::vector<std::vector<double>> morphs;
    // Of tracking:
    TangentialRelaxation relaxation;
    bool tracked = false;
    ModelPose last;
    std::vector<Mat4> last_motions;
    std::vector<Vec3f> kept;  ///< Corrections of the frame before.
  };

  std::unique_ptr<State> make_state() const override {
    auto state = std::make_unique<ImplicitState>(*this);
    state->base = base_->make_state();
    return state;
  }

  bool needs_history() const override { return tracking_ || base_->needs_history(); }

  void deform(State& any, const FrameInput& input, const FrameOutput& output) const override {
    auto& state = static_cast<ImplicitState&>(any);
    base_->deform(*state.base, input, output);
    if (!corrects_) return;
    const std::span<const float> iso = target_fields(state, input);
    if (tracking_ && state.tracked) track(state, input, iso);
    place(state, input.pose, output.positions);
    if (tracking_ && state.tracked) {
      follow(state, iso);
    } else {
      state.moved = state.start;
      state.projection.run({state.parts, operators_}, iso, state.moved);
    }
    if (tracking_) keep(state, input.pose);
    finish(state, iso, input, output);
    if (output.report != nullptr) report(state, *output.report);
  }

  std::vector<Overlay> overlays(State& any, const FrameInput& input) const override {
    if (!corrects_) return {};
    auto& state = static_cast<ImplicitState&>(any);
    std::vector<Vec3f> positions(vertex_count());
    FrameReport frame;
    deform(state, input, {positions, {}, &frame});
    Overlay parts{"parts", Vec4f(0.35F, 0.55F, 0.9F, 0.6F), {}, {}, {}, {}, {}};
    Overlay samples{"samples", Vec4f(1, 0.55F, 0.1F, 1), {}, {}, {}, {}, {}};
    Overlay contacts{"contacts", Vec4f(0.9F, 0.15F, 0.1F, 1), {}, {}, {}, {}, {}};
    Overlay status{"status", Vec4f(1, 1, 1, 1), {}, {}, {}, {}, {}};
    for (const ImplicitPart& part : body_.parts) {
      const Mat4& motion = state.motions[part.joint];
      for (const auto& t : iso_triangles(part.grid))
        parts.triangles.push_back(
            {transform_point(motion, t[0]), transform_point(motion, t[1]), transform_point(motion, t[2])});
      for (const SurfaceSample& sample : part.samples) samples.points.push_back(transform_point(motion, sample.point));
    }
    Overlay::VertexField field{"status", {}, 0, 4};
    for (std::size_t v = 0; v < frame.status.size(); ++v) {
      field.values.push_back(static_cast<float>(frame.status[v]));
      if (frame.status[v] == VertexStatus::kContact) contacts.points.push_back(positions[v].cast<double>());
    }
    status.fields.push_back(std::move(field));
    return {std::move(parts), std::move(samples), std::move(contacts), std::move(status)};
  }

 private:
  /// Poses the parts, and takes the vertices of the base method relative to the middle of the character.
  void place(ImplicitState& state, const ModelPose& pose, std::span<const Vec3f> positions) const {
    state.motions.resize(inverse_bind_.size());
    for (std::size_t j = 0; j < inverse_bind_.size(); ++j) state.motions[j] = pose.joints[j] * inverse_bind_[j];
    state.origin = transform_point(state.motions[reference_], center_).cast<float>();
    pose_parts(body_, state.motions, state.origin.cast<double>(), state.parts);
    state.start.resize(skin_.size());
    parallel_for(skin_.size(), [&](std::size_t v) {
      state.start[v] = positions[skin_.copies.items[skin_.copies.offsets[v]]] - state.origin;
    });
  }

  /// Goes from the pose of the frame before to that of this one in small steps, all but the last.
  void track(ImplicitState& state, const FrameInput& input, std::span<const float> iso) const {
    const ModelPose from = state.last;
    const int steps = steps_between(parents_, from, input.pose);
    for (int step = 1; step < steps; ++step) {
      ModelPose between = pose_between(parents_, from, input.pose, static_cast<double>(step) / steps);
      between.morph_weights = input.pose.morph_weights;
      state.unposed.resize(vertex_count());
      base_->deform(*state.base, {between}, {state.unposed, {}, nullptr});
      place(state, between, state.unposed);
      follow(state, iso);
      keep(state, between);
    }
  }

  /// Carries the corrections of the frame before along with the parts that own the vertices, and corrects them.
  void follow(ImplicitState& state, std::span<const float> iso) const {
    std::vector<Eigen::Matrix3f> turns;
    for (const ImplicitPart& part : body_.parts)
      turns.push_back(Mat3(state.motions[part.joint].topLeftCorner<3, 3>() *
                           state.last_motions[part.joint].topLeftCorner<3, 3>().inverse())
                          .cast<float>());
    state.moved = state.start;
    const PosedFields fields{state.parts, operators_};
    // Without the frame before. Vertices that are right by themselves forget it, so that skin returns to where it was.
    state.projection.run(fields, iso, state.moved);
    for (std::size_t v = 0; v < skin_.size(); ++v) {
      if (skin_.owner[v] == kNone) continue;
      const Vec3f carried = state.start[v] + kCarried * (turns[skin_.owner[v]] * state.kept[v]);
      state.moved[v] += state.projection.need(v) * (carried - state.moved[v]);
    }
    state.projection.run(fields, iso, state.moved);
    state.relaxation.run(kTrackingRounds, 0.5F, state.projection.normals(), state.moved);
    state.projection.run(fields, iso, state.moved);
  }

  void keep(ImplicitState& state, const ModelPose& pose) const {
    state.tracked = true;
    state.last = pose;
    state.last_motions = state.motions;
    state.kept.resize(skin_.size());
    for (std::size_t v = 0; v < skin_.size(); ++v) state.kept[v] = state.moved[v] - state.start[v];
  }

  void bind_base(const Rig& rig, const MethodInputs& inputs, const ImplicitOptions& options, const Progress& progress) {
    ImplicitBase base = options.base;
    const bool known = inputs.segmentation != nullptr && !inputs.segmentation->owner.empty();
    if (base == ImplicitBase::kAuto && !known) base = ImplicitBase::kLbs;
    std::vector<float> twists(inputs.twist_factors.begin(), inputs.twist_factors.end());
    if (spreads_twists(base) && twists.empty() && options.slbs.spread_twists == SpreadTwists::kLimbs)
      twists = limb_twists(rig, *inputs.segmentation);
    switch (base) {
      case ImplicitBase::kAuto:
        base_ = bind_far_twist(rig, *inputs.segmentation, options.slbs, body_.bind, progress, twists);
        break;
      case ImplicitBase::kLbs:
        base_ = bind_lbs(rig, progress);
        break;
      case ImplicitBase::kDqs:
        base_ = bind_dqs(rig, progress);
        break;
      case ImplicitBase::kSlbs:
        base_ = bind_slbs(rig, *inputs.segmentation, options.slbs, progress, twists);
        break;
    }
  }

  /// The joint of the part that owns most vertices; of equals the first.
  Index busiest_joint() const {
    std::vector<Index> counts(body_.parts.size(), 0);
    for (const Index part : skin_.owner)
      if (part != kNone) ++counts[part];
    return body_.parts[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin())].joint;
  }

  /// The fields that vertices return to: those at binding, with the morphs of the frame.
  std::span<const float> target_fields(ImplicitState& state, const FrameInput& input) const {
    const auto& morphs = input.pose.morph_weights;
    const bool any = std::any_of(morphs.begin(), morphs.end(), [](const std::vector<double>& weights) {
      return std::any_of(weights.begin(), weights.end(), [](double weight) { return weight != 0; });
    });
    if (!any) return skin_.iso;
    if (state.morphs == morphs && !state.iso.empty()) return state.iso;
    state.morphs = morphs;
    state.bound.joints = body_.bind;
    state.bound.morph_weights = morphs;
    state.unposed.resize(vertex_count());
    base_->deform(*state.base, {state.bound}, {state.unposed, {}, nullptr});
    std::vector<PosedPart> parts;
    pose_parts(body_, std::vector<Mat4>(inverse_bind_.size(), Mat4::Identity()), Vec3::Zero(), parts);
    const PosedFields fields{parts, operators_};
    state.iso.resize(skin_.size());
    parallel_for(skin_.size(), [&](std::size_t v) {
      state.iso[v] =
          fields.evaluate(skin_.families[skin_.family[v]], state.unposed[skin_.copies.items[skin_.copies.offsets[v]]])
              .field;
    });
    return state.iso;
  }

  std::size_t vertex_count() const { return skin_.copies.items.size(); }

  /// Reduces corrections, and adds them to all copies of the vertices.
  void finish(ImplicitState& state, std::span<const float> iso, const FrameInput& input,
              const FrameOutput& output) const {
    if (limits_) {
      state.factors.resize(limits_->vertex_count());
      limits_->evaluate(input.pose.joints, state.limits, state.factors);
    }
    if (!output.normals.empty()) flat_normals(state.start, state.flat_before);
    parallel_for(skin_.size(), [&](std::size_t v) {
      float share = skin_.trust[v];
      if (limits_) share *= state.factors[skin_.copies.items[skin_.copies.offsets[v]]];
      if (share < 0.5F) state.projection.freeze(v);
      state.moved[v] = share * (state.moved[v] - state.start[v]);
    });
    for (const ImplicitSkin::Rider& rider : skin_.riders) {
      Vec3f mean = Vec3f::Zero();
      for (const Index v : rider.carriers) mean += state.moved[v] / static_cast<float>(rider.carriers.size());
      for (const Index v : rider.vertices) state.moved[v] = mean;
    }
    parallel_for(skin_.size(), [&](std::size_t v) {
      for (const Index copy : skin_.copies[v]) output.positions[copy] += state.moved[v];
    });
    if (output.normals.empty() && output.report == nullptr) return;
    for (std::size_t v = 0; v < state.moved.size(); ++v) state.start[v] += state.moved[v];
    if (output.report != nullptr) state.projection.check_fit({state.parts, operators_}, iso, state.start);
    if (output.normals.empty()) return;
    flat_normals(state.start, state.flat_after);
    for (std::size_t v = 0; v < state.moved.size(); ++v)
      for (const Index copy : skin_.copies[v])
        output.normals[copy] =
            (rotation_between_f(state.flat_before[v], state.flat_after[v]) * output.normals[copy]).normalized();
  }

  /// Sums of the faces' normals, weighted by area.
  void flat_normals(std::span<const Vec3f> positions, std::vector<Vec3f>& normals) const {
    normals.assign(skin_.size(), Vec3f::Zero());
    for (const auto& t : skin_.triangles) {
      const Vec3f& a = positions[t[0]];
      const Vec3f normal = (positions[t[1]] - a).cross(positions[t[2]] - a);
      for (const Index v : t) normals[v] += normal;
    }
  }

  void report(const ImplicitState& state, FrameReport& report) const {
    report.status.resize(vertex_count());
    const auto status = state.projection.status();
    for (std::size_t v = 0; v < skin_.size(); ++v)
      for (const Index copy : skin_.copies[v]) report.status[copy] = status[v];
  }

  ImplicitBody body_;
  bool tracking_;
  std::unique_ptr<Deformer> base_;
  std::vector<Index> parents_;
  std::vector<Mat4> inverse_bind_;
  bool corrects_ = false;
  std::vector<FieldOperator> operators_;
  ImplicitSkin skin_;
  std::vector<Index> joined_;
  ProjectionOptions settings_;
  std::optional<PoseLimits> limits_;
  Vec3 center_ = Vec3::Zero();
  Index reference_ = 0;
};

}  // namespace

std::unique_ptr<Deformer> bind_implicit(const Rig& rig, const MethodInputs& inputs, const ImplicitOptions& options,
                                        const Progress& progress) {
  return std::make_unique<Implicit>(rig, inputs, options, body_of(rig, inputs, options, progress), progress);
}

std::unique_ptr<Deformer> bind_implicit(const Rig& rig, ImplicitBody body, const ImplicitOptions& options,
                                        const Progress& progress) {
  return std::make_unique<Implicit>(rig, MethodInputs{}, options, std::move(body), progress);
}

DeformerMethod implicit_method() {
  return {
      .id = "implicit",
      .name = "contact",
      .when =
          "Limbs keep their shape and folds of skin meet in contact. Slower than blending, and played as key shapes.",
      .options = ImplicitOptions{},
      .overlays = {"parts", "samples", "contacts", "status"},
      .corrects =
          [](const AnyOptions& options) {
            return std::string(options.as<ImplicitOptions>().base == ImplicitBase::kDqs ? "dqs" : "lbs");
          },
      .limited_by = LimitedBy::kVertices,
      .needs =
          [](const AnyOptions& options) {
            const auto& own = options.as<ImplicitOptions>();
            const bool spreads = spreads_twists(own.base);
            return MethodNeeds{.segmentation = spreads,
                               .twist_factors = spreads && own.slbs.spread_twists == SpreadTwists::kLimbs,
                               .owners = own.parts_by == PartsBy::kShape,
                               .parts = true};
          },
      .prepare = [](const Rig& rig, const MethodInputs& inputs, const AnyOptions& options,
                    const Progress& progress) -> std::vector<std::byte> {
        if (rig.mesh.positions.empty() || rig.skeleton.empty() || rig.weights.empty()) return {};
        return write_implicit_body(make_implicit_body(rig, body_options(options.as<ImplicitOptions>()), inputs.owners,
                                                      inputs.samples ? *inputs.samples : PartSamples{}, progress));
      },
      .prepare_options = {"parts_by", "part_samples", "part_weight", "end_samples", "grid_nodes"},
      .prepare_version = kImplicitBodyVersion,
      .accepts_prepared =
          [](const Rig& rig, std::span<const std::byte> bytes) {
            return read_implicit_body(bytes, rig.skeleton.size()).has_value();
          },
      .bind =
          [](const Rig& rig, const MethodInputs& inputs, const AnyOptions& options, const Progress& progress) {
            return bind_implicit(rig, inputs, options.as<ImplicitOptions>(), progress);
          },
  };
}

}  // namespace sinew::deform
