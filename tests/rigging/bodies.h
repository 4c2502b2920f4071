// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Small made characters, and people of capsules in random poses, with their joints.

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/rotation.h"
#include "sinew/core/rotation_between.h"
#include "sinew/rigging/templates/template_file.h"
#include "tests/geometry/field_meshes.h"
#include "tests/rigging/true_plan.h"

namespace sinew::test {

inline shapes::Made small_made(const char* kind, int seed = 0) {
  shapes::MakeOptions options;
  options.vertices = 2500;
  options.seed = seed;
  options.vary = seed == 0 ? 0 : 0.3;
  return shapes::make(kind, options).made;
}

/// A bare mesh as rigging gets it.
inline Mesh bare(const shapes::Made& made) {
  Mesh mesh;
  mesh.positions = made.character.rig.mesh.positions;
  mesh.face_offsets = made.character.rig.mesh.face_offsets;
  mesh.face_vertices = made.character.rig.mesh.face_vertices;
  return mesh;
}

inline Mesh rotated(Mesh mesh, const Mat3& rotation) {
  for (Vec3& p : mesh.positions) p = rotation * p;
  return mesh;
}

/// True places by joints' names.
using Places = std::map<std::string, Vec3>;

inline Places places_of(const shapes::Made& made) {
  Places places;
  const std::vector<Mat4> rest = rest_matrices(made.character.rig.skeleton);
  for (const shapes::Made::TemplateJoint& joint : made.template_joints)
    places[joint.name] = rest[joint.joint].topRightCorner<3, 1>();
  return places;
}

/// The longest side of its box, which is the height of what stands.
inline double height_of(const Mesh& mesh) { return mesh.bounds().extent().maxCoeff(); }

/// How far joints are from their true places, in heights; by name, for those that have one.
inline std::map<std::string, double> errors_of(const rigging::SkeletonPlan& plan, const Places& places, double height) {
  std::map<std::string, double> errors;
  for (const rigging::PlannedJoint& joint : plan.joints)
    if (const auto place = places.find(joint.name); place != places.end())
      errors[joint.name] = (joint.position - place->second).norm() / height;
  return errors;
}

inline double mean_of(const std::map<std::string, double>& errors) {
  double sum = 0;
  for (const auto& [name, error] : errors) sum += error;
  return errors.empty() ? 1 : sum / static_cast<double>(errors.size());
}

inline std::string worst_of(const std::map<std::string, double>& errors) {
  const auto worst =
      std::max_element(errors.begin(), errors.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return worst == errors.end() ? "nothing" : worst->first + " " + std::to_string(worst->second);
}

/// Between two points, closed, of its own.
inline Mesh capsule_between(const Vec3& a, const Vec3& b, double radius) {
  const double length = (b - a).norm();
  const Quat turn = length > 0 ? rotation_between(Vec3::UnitY(), b - a) : Quat::Identity();
  Mesh mesh = capsule(0.5 * length, radius, 12, 16);
  for (Vec3& p : mesh.positions) p = turn * p + 0.5 * (a + b);
  return mesh;
}

/// The human template in a random pose and size, clad in capsules that overlap. Arms turn by up to 25° any way, legs to
/// the front, the back and apart but not across each other; elbows and knees by up to 25° the natural way. Feet stay
/// level.
struct CapsulePerson {
  Places places;
  Mesh mesh;

  explicit CapsulePerson(unsigned seed) : random_(seed) {
    const Template& t = rigging::find_template("human");
    for (const Template::Joint& joint : t.joints)
      if (!joint.optional) places[joint.name] = joint.position;
    for (const Template::Limb& limb : t.limbs) places[limb.name] = *limb.tip;
    const double size = between(0.5, 20), leg_length = between(0.9, 1.1), arm_length = between(0.9, 1.1);
    for (const double side : {1.0, -1.0}) {
      const std::string word = side > 0 ? "Left" : "Right", tip = side > 0 ? "left_" : "right_";
      const std::vector<std::string> arm = {word + "UpperArm", word + "Forearm", word + "Hand", tip + "arm"};
      const std::vector<std::string> leg = {word + "Thigh", word + "Shin", word + "Foot", word + "Toes", tip + "leg"};
      stretch(arm, arm_length);
      stretch(leg, leg_length);
      turn(arm, 0, rotation_exp(radians(25) * Vec3(between(-0.6, 0.6), between(-0.6, 0.6), between(-0.6, 0.6))));
      turn(arm, 1, rotation_exp(Vec3(0, -side * between(0, 25) * kRadPerDegree, 0)));
      const Quat thigh = rotation_exp(Vec3(between(-25, 25) * kRadPerDegree, 0, side * between(0, 15) * kRadPerDegree));
      const Quat shin = rotation_exp(Vec3(between(0, 25) * kRadPerDegree, 0, 0));
      turn(leg, 0, thigh);
      turn(leg, 1, shin);
      turn(leg, 2, (shin * thigh).conjugate());
    }
    clothe();
    for (auto& [name, place] : places) place *= size;
    for (Vec3& p : mesh.positions) p *= size;
  }

 private:
  double between(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }

  void stretch(const std::vector<std::string>& chain, double by) {
    const Vec3 first = places.at(chain[0]);
    for (const std::string& name : chain) places.at(name) = first + by * (places.at(name) - first);
  }

  void turn(const std::vector<std::string>& chain, std::size_t at, const Quat& rotation) {
    const Vec3 pivot = places.at(chain[at]);
    for (std::size_t k = at + 1; k < chain.size(); ++k)
      places.at(chain[k]) = pivot + rotation * (places.at(chain[k]) - pivot);
  }

  void add(const std::string& a, const std::string& b, double radius) {
    const Vec3 from = places.at(a), to = places.at(b);
    mesh = joined(mesh, capsule_between(from, to, radius));
  }

  void clothe() {
    const double stout = between(0.85, 1.2);
    add("Hips", "Chest", 0.13 * stout);
    add("LeftThigh", "RightThigh", 0.09 * stout);
    mesh = joined(mesh, capsule_between(places.at("Chest") + Vec3(0, 0.05, 0), places.at("Chest"), 0.13 * stout));
    add("LeftUpperArm", "RightUpperArm", 0.06 * stout);
    add("Neck", "Head", 0.05);
    mesh = joined(
        mesh, capsule_between(places.at("Head") + Vec3(0, 0.08, 0.01), places.at("head") - Vec3(0, 0.09, 0), 0.095));
    for (const std::string side : {"Left", "Right"}) {
      const std::string tip = side == "Left" ? "left_" : "right_";
      add(side + "UpperArm", side + "Forearm", 0.045 * stout);
      add(side + "Forearm", side + "Hand", 0.038 * stout);
      add(side + "Hand", tip + "arm", 0.034);
      add(side + "Thigh", side + "Shin", 0.07 * stout);
      add(side + "Shin", side + "Foot", 0.05 * stout);
      add(side + "Foot", tip + "leg", 0.035);
    }
  }

  std::mt19937 random_;
};

}  // namespace sinew::test
