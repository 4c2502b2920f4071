// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/implicit_body.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/core/text.h"
#include "sinew/deform/bind_frames.h"
#include "sinew/deform/implicit/part_bones.h"
#include "sinew/deform/implicit/part_samples.h"
#include "sinew/deform/implicit/partition.h"
#include "sinew/deform/implicit/skin_surface.h"

namespace sinew::deform {
namespace {

constexpr double kNarrowest = 0.6, kWidest = 1.5;  ///< Support, in median distances from the bone.
constexpr double kEndDepth = 0.25;                 ///< Of the limb's radius, that the end of a bone lies inside.
constexpr double kFurtherEnd = 1.5;
constexpr double kEnvelope = 1.3;  ///< Of the distance of the farthest sample from the bones, within which parts end.
constexpr double kEndRoom = 1.05;  ///< Of the distance of the skin from a joint, within which parts end there.
constexpr double kClosedBy = 2;    ///< Of the limb's radius, beyond the end of a bone, where a part has ended.
constexpr int kEndTries = 3;
constexpr double kBelowSkin = 0.9;    ///< Of the way to the skin, at most, for a sample beyond an end.
constexpr std::size_t kLeastFit = 8;  ///< Samples below which no function is fitted.

/// The end of a bone where two parts meet.
struct BoneEnd {
  Vec3 point, outward;
  double radius;  ///< Of the limb there.
};

class BodyMaker {
 public:
  BodyMaker(const Rig& rig, const ImplicitBodyOptions& options, const PartSamples& given, const PartFunctions& fitted)
      : rig_(rig), options_(options), given_(given), fitted_(fitted), surface_(make_skin_surface(rig)) {}

  ImplicitBody run(std::span<const Index> owners, const Progress& progress) {
    check_names();
    body_.bind = bind_frames(rig_);
    std::vector<Index> of_surface;
    if (!owners.empty())
      for (Index v = 0; v < surface_.size(); ++v) of_surface.push_back(owners[surface_.copies[v].front()]);
    partition_ = make_partition(surface_, rig_.skeleton, options_.threshold, of_surface);
    const SkinLayers layers(surface_);
    bones_ = bones_of_parts(partition_, surface_, rig_.skeleton, body_.bind);
    measure_joints();
    std::vector<ImplicitPart> parts(partition_.parts.size());
    progress.step("implicit surfaces", 0.1);
    parallel_for(
        parts.size(),
        [&](std::size_t p) {
          progress.check();
          parts[p] = make_part(static_cast<Index>(p), layers);
        },
        1);
    keep(std::move(parts));
    return std::move(body_);
  }

 private:
  Vec3 place(Index joint) const { return body_.bind[joint].topRightCorner<3, 1>(); }

  void check_names() const {
    for (const auto& [name, samples] : given_)
      if (rig_.skeleton.find(name) == kNone) {
        std::vector<std::string> names;
        for (const Joint& joint : rig_.skeleton.joints) names.push_back(joint.name);
        throw Error(fmt::format("The samples name the joint '{}', which the skeleton does not have.{}", name,
                                did_you_mean(name, names)));
      }
  }

  /// The mean distance of the skin that two parts share from the joint where they meet.
  void measure_joints() {
    std::vector<double> sums(partition_.parts.size(), 0), weights(partition_.parts.size(), 0);
    for (Index v = 0; v < surface_.size(); ++v)
      for (const Influence& below : surface_.rows[v]) {
        if (partition_.own[below.joint] == 0) continue;
        const Index part = partition_.part_of_joint[below.joint], above = partition_.parts[part].parent;
        if (above == kNone) continue;
        for (const Influence& other : surface_.rows[v]) {
          if (partition_.part_of_joint[other.joint] != above) continue;
          const double weight = static_cast<double>(below.weight) * static_cast<double>(other.weight);
          sums[part] += weight * (surface_.positions[v] - place(below.joint)).norm();
          weights[part] += weight;
        }
      }
    joint_radius_.resize(sums.size());
    for (std::size_t p = 0; p < sums.size(); ++p) joint_radius_[p] = weights[p] > 0 ? sums[p] / weights[p] : 0;
  }

  /// Where a part meets its parent and its children.
  std::vector<BoneEnd> ends_of(Index p) const {
    std::vector<BoneEnd> ends;
    const Index joint = partition_.parts[p].joint;
    const auto add = [&](const Vec3& at, const Vec3& direction, double radius) {
      if (radius > 0 && direction.norm() > 1e-9) ends.push_back({at, direction.normalized(), radius});
    };
    if (partition_.parts[p].parent != kNone) {
      Vec3 mean = Vec3::Zero();
      for (const auto& [a, b] : bones_[p].segments) mean += b - a;
      add(place(joint), -mean, joint_radius_[p]);
    }
    for (Index child = 0; child < partition_.parts.size(); ++child)
      if (partition_.parts[child].parent == p) {
        const Vec3 at = place(partition_.parts[child].joint);
        add(at, at - place(joint), joint_radius_[child]);
      }
    return ends;
  }

  double support_radius(Index p) const {
    std::vector<double> distances;
    for (const Index v : partition_.parts[p].vertices)
      distances.push_back((surface_.positions[v] - bones_[p].closest(surface_.positions[v])).norm());
    std::sort(distances.begin(), distances.end());
    const double median = distances[distances.size() / 2];
    return std::clamp(distances.back(), kNarrowest * median, kWidest * median);
  }

  ImplicitPart make_part(Index p, const SkinLayers& layers) const {
    const Partition::Part& from = partition_.parts[p];
    ImplicitPart part;
    part.joint = from.joint;
    part.parent = from.parent;
    part.radius = support_radius(p);
    if (!(part.radius > 0)) return part;
    const auto given = given_.find(rig_.skeleton.joints[from.joint].name);
    if (given != given_.end()) part.samples = given->second;
    else
      part.samples =
          poisson_samples(surface_, from.vertices, bones_[p], layers, part.radius, options_.samples, from.joint);
    if (part.samples.size() < kLeastFit) return part;
    const auto known = given != given_.end() ? fitted_.find(given->first) : fitted_.end();
    part.function = known != fitted_.end() ? known->second : Hrbf::fit(part.samples);
    if (given == given_.end() && part.function.ok()) close_ends(part, ends_of(p), layers);
    if (!part.function.ok()) return part;
    std::vector<Vec3> points;
    for (const SurfaceSample& sample : part.samples) points.push_back(sample.point);
    part.grid =
        FieldGrid::sample(part.function, points, axes_of(p), part.radius, static_cast<std::size_t>(options_.grid_nodes),
                          envelope_of(p, part, given == given_.end()));
    return part;
  }

  /// Parts end at their joints, as far as their skin does. Without that, the function of a short piece of skin, such as
  /// that of a collar bone, goes on into the arm, and sticks out of the shoulder when the arm is lowered. Balls of the
  /// limb's own thickness, which is less than the distance from the joint, let a limb bent by 120° in by 0.034 radii
  /// instead of 0.005.
  PartEnvelope envelope_of(Index p, const ImplicitPart& part, bool with_ends) const {
    PartEnvelope envelope{bones_[p].segments, 0};
    for (const SurfaceSample& sample : part.samples)
      envelope.radius = std::max(envelope.radius, kEnvelope * (sample.point - bones_[p].closest(sample.point)).norm());
    if (!with_ends) return envelope;
    for (const BoneEnd& from : ends_of(p)) {
      PartEnvelope::End end{from.point, from.outward, 0};
      double room = from.radius;
      for (const SurfaceSample& sample : std::span(part.samples).first(part.samples.size() - part.end_samples))
        room = std::max(room, end.outside(sample.point));
      end.radius = kEndRoom * room;
      envelope.ends.push_back(end);
    }
    return envelope;
  }

  /// Adds samples beyond ends that are not deep enough inside, or beyond which the part goes on: a short band of skin
  /// does not close by itself.
  void close_ends(ImplicitPart& part, const std::vector<BoneEnd>& ends, const SkinLayers& layers) const {
    if (options_.end_samples == EndSamples::kNever) return;
    for (const BoneEnd& end : ends) {
      const auto deep = [&] { return part.function.evaluate(end.point).value <= -kEndDepth * end.radius; };
      const auto closed = [&] {
        return part.function.evaluate(end.point + kClosedBy * end.radius * end.outward).value > 0;
      };
      if (options_.end_samples == EndSamples::kNeeded && deep() && closed()) continue;
      const double room = kBelowSkin * layers.way_out(end.point, end.outward);
      double offset = end.radius;
      part.samples.emplace_back();
      ++part.end_samples;
      for (int tried = 0; tried < kEndTries; ++tried, offset *= kFurtherEnd) {
        part.samples.back() = {end.point + std::min(offset, room) * end.outward, end.outward};
        Hrbf refit = Hrbf::fit(part.samples);
        if (refit.ok()) part.function = std::move(refit);
        if (deep()) break;
      }
    }
  }

  /// The first axis along the bone.
  Mat3 axes_of(Index p) const {
    const auto& [a, b] = bones_[p].segments.front();
    const Vec3 along = (b - a).norm() > 1e-9 ? Vec3((b - a).normalized()) : Vec3(Vec3::UnitX());
    Eigen::Index least = 0;
    along.cwiseAbs().minCoeff(&least);
    const Vec3 side = along.cross(Vec3::Unit(least)).normalized();
    Mat3 axes;
    axes << along, side, along.cross(side);
    return axes;
  }

  /// Parts without a function go to the part above.
  void keep(std::vector<ImplicitPart> parts) {
    std::vector<Index> kept(parts.size(), kNone);
    body_.own = partition_.own;
    body_.merged = partition_.merged;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Index above = parts[p].parent == kNone ? kNone : kept[parts[p].parent];
      if (parts[p].grid.empty()) {
        kept[p] = above;
        body_.own[parts[p].joint] = 0;
        body_.merged.push_back(parts[p].joint);
        continue;
      }
      kept[p] = static_cast<Index>(body_.parts.size());
      parts[p].parent = above;
      body_.parts.push_back(std::move(parts[p]));
    }
    std::sort(body_.merged.begin(), body_.merged.end());
    for (const Index part : partition_.part_of_joint) body_.part_of_joint.push_back(part == kNone ? kNone : kept[part]);
  }

  const Rig& rig_;
  const ImplicitBodyOptions& options_;
  const PartSamples& given_;
  const PartFunctions& fitted_;
  SkinSurface surface_;
  Partition partition_;
  std::vector<PartBones> bones_;
  std::vector<double> joint_radius_;
  ImplicitBody body_;
};

}  // namespace

ImplicitBody make_implicit_body(const Rig& rig, const ImplicitBodyOptions& options, std::span<const Index> owners,
                                const PartSamples& samples, const Progress& progress, const PartFunctions& fitted) {
  if (rig.weights.empty()) throw Error("Implicit skinning needs weights. Bind the character first.");
  return BodyMaker(rig, options, samples, fitted).run(owners, progress);
}

}  // namespace sinew::deform
