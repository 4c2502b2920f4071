// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// A skeleton of known roles as a body that takes gestures, whatever its rest pose, its joints' axes and its size.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sinew/core/clip.h"
#include "sinew/core/skeleton.h"
#include "sinew/motion/names/joint_names.h"

namespace sinew::motion {

/// A turn and a shift.
struct Rigid {
  Quat rotation = Quat::Identity();
  Vec3 translation = Vec3::Zero();

  Vec3 operator*(const Vec3& p) const { return rotation * p + translation; }
  Rigid operator*(const Rigid& other) const {
    return {(rotation * other.rotation).normalized(), *this * other.translation};
  }
  Rigid inverse() const { return {rotation.conjugate(), -(rotation.conjugate() * translation)}; }
  /// A turn about a point.
  static Rigid about(const Quat& rotation, const Vec3& point) { return {rotation, point - rotation * point}; }
};

/// What a body does at one moment. Axes are the body's: x to its left, y up, z forward.
struct Gesture {
  /// Turns as rotation vectors in degrees, by role: about axes that go along with the part the joint hangs on.
  std::map<std::string, Vec3> turns;
  Vec3 shift = Vec3::Zero();  ///< Of the hips, in leg lengths.
  /// Feet that are put somewhere, by the role of the last joint of a leg: the leg bends as it must.
  struct Step {
    Vec3 shift = Vec3::Zero();  ///< Of the foot from where it stands at rest, in leg lengths.
    Vec3 turn = Vec3::Zero();   ///< Of the foot against the ground, in degrees.
  };
  std::map<std::string, Step> steps;
  bool grounded = true;  ///< The body is raised or lowered until its lowest foot touches the ground.
  double lift = 0;       ///< And then raised by this, in leg lengths.
};

/// Points of a foot in the stance, from its joint, in the body's axes and leg lengths.
struct FootShape {
  Vec3 place = Vec3::Zero();  ///< Of the joint, from the hips.
  Vec3 heel = Vec3::Zero();   ///< On the ground.
  Vec3 ball = Vec3::Zero();   ///< On the ground; the tip of the foot if the toes have no joint.
  bool toes = false;          ///< The toes have a joint of their own.
};

/// One turn after another, as one, in degrees.
Vec3 then(const Vec3& first_degrees, const Vec3& second_degrees);

class Body {
 public:
  /// `spread_wings`: the stance of a bird has its wings spread. \pre the build is known.
  Body(const Skeleton& skeleton, const Recognition& recognition, bool spread_wings = true);

  bool has(const std::string& role) const { return node_of_.count(role) > 0; }
  /// From the hips' joints to the ground, in model space.
  double leg_length() const { return leg_length_; }
  double ground() const { return ground_; }
  const Vec3& up() const { return recognition_.up; }
  /// The way a bone points in the stance, in the body's axes.
  Vec3 direction(const std::string& role) const;
  /// Joints of a leg or an arm from the body outwards, by role: those a step bends.
  std::vector<std::string> limb(bool front, Side side) const;

  /// A foot by its role: "left_foot". \pre the body has it, with a sole.
  FootShape foot(const std::string& role) const;

  /// Keys a gesture that changes over time, at an even rate.
  Clip record(const std::string& name, double duration_s, const std::function<Gesture(double)>& at) const;

  /// Height of the lowest point of all soles above the ground of the rest pose, for local transforms of all joints.
  double clearance(const std::vector<Transform>& local) const;

 private:
  struct Node {
    Index joint = kNone;
    Index parent = kNone;  // Of the nodes; the part it hangs on, which need not be its joint's parent.
    std::string role;
    Vec3 place;    // At rest.
    Vec3 child;    // Where its bone ends at rest.
    Rigid stance;  // From rest to the stance.
    Vec3 stance_place;
  };
  struct Sole {
    Index node;
    std::vector<Vec3> points;  // At rest.
  };

  void add_nodes();
  Index parent_node(Index joint, const JointRole& role) const;
  void find_soles();
  void find_stance();
  void find_anchors();
  Quat to_model(const Vec3& degrees) const;
  std::vector<Rigid> posed(const Gesture& gesture) const;
  void step(const std::string& role, const Gesture& gesture, std::vector<Rigid>& moved) const;
  void follow(Index node, const Gesture& gesture, std::vector<Rigid>& moved) const;
  double lowest(const std::vector<Rigid>& whole) const;
  bool keep_limits(std::vector<Transform>& local) const;
  void settle(std::vector<Transform>& local, double height) const;
  std::vector<Transform> locals(const std::vector<Rigid>& whole) const;

  const Skeleton& skeleton_;
  const Recognition& recognition_;
  std::vector<Mat4> rest_;
  bool spread_wings_ = true;
  Quat axes_;                // From the body's axes to the model's.
  std::vector<Node> nodes_;  // Parents first.
  std::map<std::string, Index> node_of_;
  std::vector<Sole> soles_;
  std::vector<Index> anchor_;  // Per joint: the node that carries it, or kNone.
  double leg_length_ = 1;
  double ground_ = 0;
};

}  // namespace sinew::motion
