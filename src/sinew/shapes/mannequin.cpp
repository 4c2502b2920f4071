// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/mannequin.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/shapes/mannequin_body.h"
#include "sinew/shapes/mannequin_clips.h"
#include "sinew/shapes/surface_nets.h"

namespace sinew::shapes {
namespace {

constexpr double kCellArea = 2.33;  ///< Square metres: vertices times the square of the cell's edge, measured.
constexpr int kRelaxRounds = 8;
constexpr Index kMaxInfluences = 4;

/// Takes the built figure to the wanted height, on the ground.
struct Placement {
  double scale = 1;
  double drop = 0;
  Vec3 operator()(const Vec3& p) const { return {scale * p.x(), scale * (p.y() - drop), scale * p.z()}; }
};

/// A frame with +Y along the bone and +Z as near to `bend` as that allows.
Mat3 bone_frame(const Vec3& along, const Vec3& bend) {
  const Vec3 y = along.normalized();
  const Vec3 x = y.cross(bend).normalized();
  Mat3 frame;
  frame << x, y, x.cross(y);
  return frame;
}

/// Builds the skeleton from places in model space.
class SkeletonBuilder {
 public:
  explicit SkeletonBuilder(const Placement& placement) : placement_(placement) {}

  /// A joint at `place` whose bone goes to `end`; a leaf ends there.
  Index add(const std::string& name, Index parent, const Vec3& place, const Vec3& end, const Vec3& bend,
            bool leaf = false) {
    return add_frame(name, parent, placement_(place), bone_frame(end - place, bend),
                     placement_.scale * (end - place).norm(), leaf);
  }

  /// The same on the right: a true mirror, so that equal turns about the left's axes and the right's are mirror images.
  Index add_mirrored(const std::string& name, Index parent, Index left) {
    const Mat3 flip = Vec3(-1, 1, 1).asDiagonal();
    const Joint& source = skeleton_.joints[left];
    const Vec3 place(-places_[left].x(), places_[left].y(), places_[left].z());
    const double length = source.end_local ? source.end_local->y() : 0;
    const Index joint =
        add_frame(name, parent, place, flip * frames_[left] * flip, length, source.end_local.has_value());
    skeleton_.joints[joint].mirror = left;
    skeleton_.joints[left].mirror = joint;
    return joint;
  }

  Skeleton take() { return std::move(skeleton_); }

 private:
  Index add_frame(const std::string& name, Index parent, const Vec3& place, const Mat3& frame, double length,
                  bool leaf) {
    Joint joint;
    joint.name = name;
    joint.parent = parent;
    joint.deforming = true;
    const Mat3 above = parent == kNone ? Mat3(Mat3::Identity()) : frames_[parent];
    const Vec3 origin = parent == kNone ? Vec3(Vec3::Zero()) : places_[parent];
    joint.rest.translation = above.transpose() * (place - origin);
    joint.rest.rotation = Quat(Mat3(above.transpose() * frame)).normalized();
    if (leaf) joint.end_local = Vec3(0, length, 0);
    skeleton_.joints.push_back(joint);
    places_.push_back(place);
    frames_.push_back(frame);
    return skeleton_.size() - 1;
  }

  Placement placement_;
  Skeleton skeleton_;
  std::vector<Vec3> places_;
  std::vector<Mat3> frames_;
};

Skeleton make_skeleton(const Placement& placement) {
  using namespace landmark;
  SkeletonBuilder b(placement);
  const Vec3 side = Vec3::UnitX();  // Trunk, knees and feet bend about the side-to-side axis.
  const Index hips = b.add("Hips", kNone, kHips, kSpine, side);
  const Index spine = b.add("Spine", hips, kSpine, kChest, side);
  const Index chest = b.add("Chest", spine, kChest, kNeck, side);
  const Index neck = b.add("Neck", chest, kNeck, kHead, side);
  b.add("Head", neck, kHead, kHeadEnd, side, true);
  // An elbow bends in the plane of upper arm and forearm.
  const Vec3 elbow = (kForearm - kUpperArm).cross(kHand - kForearm).normalized();
  const Index shoulder = b.add("LeftShoulder", chest, kShoulder, kUpperArm, elbow);
  const Index upper_arm = b.add("LeftUpperArm", shoulder, kUpperArm, kForearm, elbow);
  const Index forearm = b.add("LeftForearm", upper_arm, kForearm, kHand, elbow);
  const Index hand = b.add("LeftHand", forearm, kHand, kHandEnd, elbow, true);
  const Index right_shoulder = b.add_mirrored("RightShoulder", chest, shoulder);
  const Index right_upper_arm = b.add_mirrored("RightUpperArm", right_shoulder, upper_arm);
  const Index right_forearm = b.add_mirrored("RightForearm", right_upper_arm, forearm);
  b.add_mirrored("RightHand", right_forearm, hand);
  const Index thigh = b.add("LeftThigh", hips, kThigh, kShin, side);
  const Index shin = b.add("LeftShin", thigh, kShin, kFoot, side);
  const Index foot = b.add("LeftFoot", shin, kFoot, kFootEnd, side, true);
  const Index right_thigh = b.add_mirrored("RightThigh", hips, thigh);
  const Index right_shin = b.add_mirrored("RightShin", right_thigh, shin);
  b.add_mirrored("RightFoot", right_shin, foot);
  return b.take();
}

/// A place on a chain of joints where one hands over to the next: across a plane, over a passage of a certain width.
struct Passage {
  Vec3 place;
  Vec3 direction;
  double half_width;

  /// 0 on the near side, 1 on the far side.
  double far_side(const Vec3& p) const {
    const double x = std::clamp(((p - place).dot(direction) / half_width + 1) / 2, 0.0, 1.0);
    return x * x * (3 - 2 * x);
  }
};

/// One passage fewer than joints.
struct LimbChain {
  std::vector<std::string> joints;
  std::vector<Passage> passages;

  void add_weights(const Vec3& p, double share, const Skeleton& skeleton, std::vector<double>& weights) const {
    double left = share;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const double further = i < passages.size() ? passages[i].far_side(p) : 0;
      weights[skeleton.find(joints[i])] += left * (1 - further);
      left *= further;
    }
  }
};

Passage at_joint(const Vec3& before, const Vec3& joint, const Vec3& after, double half_width) {
  return {joint, ((joint - before).normalized() + (after - joint).normalized()).normalized(), half_width};
}

LimbChain torso_chain() {
  using namespace landmark;
  const Vec3 up = Vec3::UnitY();
  return {{"Hips", "Spine", "Chest", "Neck", "Head"},
          {{kSpine, up, 0.065},
           {kChest, up, 0.075},
           {kNeck, Vec3(0, 1, 0.25).normalized(), 0.035},
           {kHead, Vec3(0, 1, 0.6).normalized(), 0.034}}};
}

LimbChain arm_chain(const std::string& side) {
  using namespace landmark;
  return {{"Chest", side + "Shoulder", side + "UpperArm", side + "Forearm", side + "Hand"},
          {{Vec3(0.075, 1.42, 0), Vec3::UnitX(), 0.060},
           at_joint(kShoulder, kUpperArm, kForearm, 0.062),
           at_joint(kUpperArm, kForearm, kHand, 0.048),
           at_joint(kForearm, kHand, kHandEnd, 0.026)}};
}

LimbChain leg_chain(const std::string& side) {
  using namespace landmark;
  return {{"Hips", side + "Thigh", side + "Shin", side + "Foot"},
          {{Vec3(kThigh - Vec3(0, 0.012, 0)), -Vec3::UnitY(), 0.085},
           at_joint(kThigh, kShin, kFoot, 0.052),
           {kFoot, Vec3(0, -1, 0.55).normalized(), 0.034}}};
}

/// Weights of all joints for a point of the built figure: each limb's share of the point, handed along its chain.
class Weighter {
 public:
  Weighter(const BodyField& field, const Skeleton& skeleton) : field_(field), skeleton_(skeleton) {}

  std::vector<Influence> row(const Vec3& p) const {
    constexpr double kSoftness = 0.020;
    const std::array<double, kLimbCount> share = field_.shares(p, kSoftness);
    const Vec3 mirrored(-p.x(), p.y(), p.z());
    std::vector<double> weights(skeleton_.size(), 0.0);
    torso_.add_weights(p, share[kTorso], skeleton_, weights);
    left_arm_.add_weights(p, share[kLeftArm], skeleton_, weights);
    right_arm_.add_weights(mirrored, share[kRightArm], skeleton_, weights);
    left_leg_.add_weights(p, share[kLeftLeg], skeleton_, weights);
    right_leg_.add_weights(mirrored, share[kRightLeg], skeleton_, weights);
    return strongest(weights);
  }

 private:
  /// The largest weights, less what the first one left out has: then none appears or vanishes with a jump.
  std::vector<Influence> strongest(const std::vector<double>& weights) const {
    constexpr double kFloor = 0.004;
    std::vector<double> sorted = weights;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const double floor = std::max(kFloor, sorted[kMaxInfluences]);
    double sum = 0;
    for (const double weight : weights) sum += std::max(0.0, weight - floor);
    std::vector<Influence> row;
    for (Index joint = 0; joint < skeleton_.size(); ++joint) {
      const double weight = std::max(0.0, weights[joint] - floor) / sum;
      if (weight > 0) row.push_back({joint, static_cast<float>(weight)});
    }
    return row;
  }

  const BodyField& field_;
  const Skeleton& skeleton_;
  LimbChain torso_ = torso_chain();
  LimbChain left_arm_ = arm_chain("Left");
  LimbChain right_arm_ = arm_chain("Right");
  LimbChain left_leg_ = leg_chain("Left");
  LimbChain right_leg_ = leg_chain("Right");
};

QuadSurface make_surface(const BodyField& field, int vertices) {
  // A grid can cut a thin spot so that two sheets share an edge or a thumb comes off; a slightly finer one does not.
  // A closed surface of quads has two edges per quad, so one without handles has two vertices more than quads.
  const auto is_whole = [](const QuadSurface& s) {
    return s.positions.size() == s.quads.size() + 2 && is_closed_manifold(s);
  };
  double cell = std::sqrt(kCellArea / vertices);
  QuadSurface surface = surface_nets(field, field.bounds(), cell);
  for (int attempt = 0; attempt < 20 && !is_whole(surface); ++attempt) {
    cell *= 0.985;
    surface = surface_nets(field, field.bounds(), cell);
  }
  assert(is_whole(surface));
  relax(surface, field, cell, kRelaxRounds);
  return surface;
}

/// Unit normals by the faces' areas; the right takes them from the left.
std::vector<Vec3f> make_normals(const QuadSurface& surface) {
  std::vector<Vec3> sums(surface.positions.size(), Vec3::Zero());
  for (const std::array<Index, 4>& quad : surface.quads) {
    const Vec3 across = surface.positions[quad[2]] - surface.positions[quad[0]];
    const Vec3 normal = across.cross(surface.positions[quad[3]] - surface.positions[quad[1]]);
    for (const Index vertex : quad) sums[vertex] += normal;
  }
  std::vector<Vec3f> normals(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const bool right = surface.positions[i].x() < 0;
    normals[i] = sums[right ? surface.mirror[i] : i].normalized().cast<float>();
    if (right) normals[i].x() = -normals[i].x();
  }
  return normals;
}

Mesh make_mesh(const QuadSurface& surface, const Placement& placement) {
  Mesh mesh;
  for (const Vec3& p : surface.positions) mesh.positions.push_back(placement(p));
  for (const std::array<Index, 4>& quad : surface.quads) mesh.add_face(quad);
  mesh.face_materials.assign(surface.quads.size(), 0);
  mesh.normals.values = make_normals(surface);
  MeshPart part;
  part.name = "Body";
  part.vertex_count = mesh.vertex_count();
  part.face_count = mesh.face_count();
  part.skin = 0;
  mesh.parts.push_back(std::move(part));
  return mesh;
}

Material clay() {
  Material material;
  material.name = "Clay";
  material.base_color = {0.62F, 0.36F, 0.25F, 1.0F};
  material.roughness = 0.8F;
  return material;
}

}  // namespace

Character mannequin(const MannequinOptions& options) {
  MannequinOptions checked = options;
  OptionList(checked).from_json(OptionList(checked).to_json());
  const BodyField field;
  const QuadSurface surface = make_surface(field, options.vertices);
  Box box;
  for (const Vec3& p : surface.positions) box.extend(p);
  const Placement placement{options.height / box.extent().y(), box.lower.y()};

  Character character;
  character.name = "mannequin";
  character.rig.mesh = make_mesh(surface, placement);
  character.rig.skeleton = make_skeleton(placement);
  const Skeleton& skeleton = character.rig.skeleton;
  const Weighter weighter(field, skeleton);
  std::vector<std::vector<Influence>> rows(surface.positions.size());
  parallel_for(
      rows.size(), [&](std::size_t i) { rows[i] = weighter.row(surface.positions[i]); }, 256);
  for (const std::vector<Influence>& row : rows) character.rig.weights.add_row(row);

  Skin skin;
  skin.name = "Body";
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  for (Index joint = 0; joint < skeleton.size(); ++joint) {
    skin.joints.push_back(joint);
    skin.inverse_bind.push_back(Eigen::Isometry3d(rest[joint]).inverse().matrix());
  }
  character.rig.skins.push_back(std::move(skin));
  character.materials.push_back(clay());
  character.clips = mannequin_clips(skeleton, placement.scale);
  return character;
}

}  // namespace sinew::shapes
