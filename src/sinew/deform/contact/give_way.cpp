// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Tried and rejected: rotating joints by the least angles that separate the limbs along the way out (for crossed legs
// there is no clear way out, and joints were turned the wrong way: 45 % of the pairs left on RiggedFigure instead of
// 7 %, and 39 % instead of 3 % on Animated_Human). Counting skin nearer to the other limb (0.5 to 1.5 radii) leaves
// fewer pairs (arnaud 1 %, made human 3 %), but raises hanging arms by more than 20°; leaving half a radius to the skin
// keeps them down, but crossed legs then stay inside each other.

#include "sinew/deform/contact/give_way.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "sinew/deform/bind_frames.h"
#include "sinew/deform/contact/skin_points.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::deform {
namespace {

constexpr int kRounds = 12;
constexpr float kGap = 0.05F;                            // Of the smaller radius: stays between limbs.
constexpr float kLeastShare = 0.05F, kFullShare = 0.3F;  // By which flesh belongs more to the joint than the point.
constexpr float kSoft = 0.1F;               // Of the smaller radius: depth that is left to skin with many vertices.
constexpr float kNear = 1.5F, kFar = 4.5F;  // Of the smaller radius, along the surface: from where on skin counts.
constexpr double kAnyway = 0.2;             // Share of a movement that counts although it is not along the way out.
constexpr double kMostBack = 0.2;           // Of a joint's rotation in one round.

float ramp(float x, float from, float to) {
  const float t = std::clamp((x - from) / (to - from), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

using Affine = Eigen::Matrix<float, 3, 4>;

Vec3f transform(const Affine& matrix, const Vec3f& p) { return matrix.leftCols<3>() * p + matrix.col(3); }

Mat3 rotation_of(const Mat4& matrix) {
  Mat3 rotation = matrix.topLeftCorner<3, 3>();
  for (int k = 0; k < 3; ++k) rotation.col(k).normalize();
  return rotation;
}

Vec3 position_of(const Mat4& matrix) { return matrix.topRightCorner<3, 1>(); }

/// A point of one joint and how it is to the flesh of another at binding.
struct Candidate {
  Index point = 0;
  float apart = 0;  ///< From 0 to 1: how far the skin of the other joint is along the surface.
  float share = 0;  ///< Of the other joint in the point, and in the flesh there.
  float depth = 0;  ///< In its own flesh and in that of the other joint.
};

/// Points of one joint that can meet the field of another.
struct Couple {
  Index a = 0, b = 0;
  float soft = 0;  ///< Depth that is left to the skin.
  std::vector<Candidate> candidates;
};

struct Posed {
  Affine to_bind, to_pose;
  Vec3f lower = Vec3f::Zero(), upper = Vec3f::Zero();  // Of the field.
  Vec3f lower_points = Vec3f::Zero(), upper_points = Vec3f::Zero();
  float scale = 1;
  bool used = false;
};

/// What the points of two joints say, a < b.
struct Meeting {
  Index a = 0, b = 0;
  double votes = 0, squares = 0, cubes = 0;
  Vec3 outward = Vec3::Zero();  ///< Of b.
  Vec3 middle = Vec3::Zero();
};

struct Memory final : GiveWay::Scratch {
  ModelPose pose;
  std::vector<Affine> matrices;
  std::vector<Mat4> turns;  // Model space.
  std::vector<Vec3> delta;  // Rotation from what joints go back to, in model space.
  std::vector<double> kept, back, weight;
  std::vector<Posed> posed;
  std::vector<Vec3f> at;  // Per point.
  std::vector<Meeting> meetings;
};

/// Lengths of ways along edges from the skin of a joint, up to a limit, by welded vertex.
std::vector<float> ways_from(const Mesh& mesh, const geometry::Welding& welding, const geometry::Lists& rings,
                             const std::vector<Index>& owner, Index joint, float limit) {
  std::vector<float> ways(welding.count(), std::numeric_limits<float>::max());
  using Step = std::pair<float, Index>;
  std::priority_queue<Step, std::vector<Step>, std::greater<>> queue;
  for (Index v = 0; v < owner.size(); ++v)
    if (owner[v] == joint && ways[welding.welded[v]] > 0)
      ways[welding.welded[v]] = 0, queue.push({0, welding.welded[v]});
  while (!queue.empty()) {
    const auto [length, w] = queue.top();
    queue.pop();
    if (length > ways[w] || length > limit) continue;
    for (const Index u : rings[w]) {
      const Vec3 edge = mesh.positions[welding.first[u]] - mesh.positions[welding.first[w]];
      const float next = length + static_cast<float>(edge.norm());
      if (next < ways[u]) ways[u] = next, queue.push({next, u});
    }
  }
  return ways;
}

}  // namespace

class GiveWay::Solver {
 public:
  Solver(const Rig& rig, const std::vector<Index>& owner, const std::vector<FleshField>& fields,
         const Progress& progress)
      : fields_(fields), points_(skin_points(rig, owner, fields)) {
    const std::vector<Mat4> bound = bind_frames(rig);
    for (const Mat4& frame : bound) inverse_bind_.push_back(frame.inverse());
    for (const Joint& joint : rig.skeleton.joints) {
      parent_.push_back(joint.parent);
      level_.push_back(joint.parent == kNone ? 0 : level_[joint.parent] + 1);
    }
    first_point_.assign(fields.size() + 1, 0);
    for (const SkinPoint& point : points_) ++first_point_[point.owner + 1];
    for (std::size_t j = 0; j < fields.size(); ++j) first_point_[j + 1] += first_point_[j];
    find_stiffness(rig, owner);
    find_softness(rig, owner);
    find_couples(rig.mesh, owner, progress);
    choose_start(rig, bound);
  }

  const ModelPose* apply(const ModelPose& pose, Memory& memory) const {
    begin(pose, memory);
    bool any = false;
    for (int round = 0; round < kRounds; ++round) {
      place(memory);
      meet(memory);
      if (memory.meetings.empty()) break;
      any = true;
      go_back(memory);
      turn(pose, memory);
    }
    return any ? &memory.pose : nullptr;
  }

 private:
  bool adjacent(Index a, Index b) const { return parent_[a] == b || parent_[b] == a; }

  /// The share of the skin that each joint carries: what carries much gives way less.
  void find_stiffness(const Rig& rig, const std::vector<Index>& owner) {
    stiffness_.assign(rig.skeleton.size(), 0);
    double all = 0;
    for (const Triangle& t : triangulate(rig.mesh)) {
      const auto& p = rig.mesh.positions;
      const auto& v = t.vertices;
      const double area = (p[v[1]] - p[v[0]]).cross(p[v[2]] - p[v[0]]).norm();
      all += area;
      if (owner[v[0]] != kNone) stiffness_[owner[v[0]]] += area;
    }
    for (Index j = rig.skeleton.size(); j-- > 0;)
      if (parent_[j] != kNone) stiffness_[parent_[j]] += stiffness_[j];
    for (double& s : stiffness_) s = std::max(1e-4, all > 0 ? s / all : 0);
  }

  /// Skin can give way by itself where it has many vertices: from 0 for edges as long as the radius of the flesh, to 1.
  void find_softness(const Rig& rig, const std::vector<Index>& owner) {
    std::vector<double> lengths(rig.skeleton.size(), 0), counts(rig.skeleton.size(), 0);
    for (const Triangle& t : triangulate(rig.mesh))
      for (std::size_t k = 0; k < 3; ++k) {
        const Index v = t.vertices[k], u = t.vertices[(k + 1) % 3];
        if (owner[v] == kNone) continue;
        lengths[owner[v]] += (rig.mesh.positions[u] - rig.mesh.positions[v]).norm();
        counts[owner[v]] += 1;
      }
    for (Index j = 0; j < fields_.size(); ++j) {
      const double edges = lengths[j] > 0 ? fields_[j].radius() * counts[j] / lengths[j] : 0;  // Per radius.
      softness_.push_back(ramp(static_cast<float>(edges), 1, 2.5F));
    }
  }

  void find_couples(const Mesh& mesh, const std::vector<Index>& owner, const Progress& progress) {
    const geometry::Welding welding = geometry::weld(mesh);
    const geometry::Lists rings = geometry::one_rings(mesh, &welding);
    for (Index b = 0; b < fields_.size(); ++b) {
      progress.check();
      if (fields_[b].empty()) continue;
      const std::vector<float> ways = ways_from(mesh, welding, rings, owner, b, kFar * fields_[b].radius());
      for (Index a = 0; a < fields_.size(); ++a) {
        if (a == b || adjacent(a, b)) continue;
        Couple couple{
            a, b, kSoft * std::min(softness_[a] * fields_[a].radius(), softness_[b] * fields_[b].radius()), {}};
        const float radius = std::min(fields_[a].radius(), fields_[b].radius());
        for (Index i = first_point_[a]; i < first_point_[a + 1]; ++i) {
          Candidate candidate{i, ramp(ways[welding.welded[points_[i].vertex]], kNear * radius, kFar * radius),
                              points_[i].weight_of(b), 0};
          if (!(candidate.apart > 0)) continue;
          FleshField::Sample sample;
          if (fields_[b].look_up(points_[i].at, sample)) {
            candidate.share = std::max(candidate.share, sample.share);
            candidate.depth = std::max(0.0F, -sample.distance + kGap * radius);
          }
          if (fields_[a].look_up(points_[i].at, sample)) candidate.depth = std::max(candidate.depth, -sample.distance);
          couple.candidates.push_back(candidate);
        }
        if (!couple.candidates.empty()) couples_.push_back(std::move(couple));
      }
    }
    // Both directions of a pair follow one another.
    std::sort(couples_.begin(), couples_.end(), [](const Couple& x, const Couple& y) {
      const auto key = [](const Couple& c) { return std::array{std::min(c.a, c.b), std::max(c.a, c.b), c.a}; };
      return key(x) < key(y);
    });
  }

  /// Joints go back to the pose in which the skin was bound or, if the joints do not fit together there, to the rest
  /// pose.
  void choose_start(const Rig& rig, const std::vector<Mat4>& bound) {
    const ModelPose rest{rest_matrices(rig.skeleton), {}, {}};
    const auto locals = [&](const std::vector<Mat4>& frames) {
      std::vector<Mat3> rotations;
      for (Index j = 0; j < frames.size(); ++j)
        rotations.push_back(parent_[j] == kNone
                                ? rotation_of(frames[j])
                                : Mat3(rotation_of(frames[parent_[j]]).transpose() * rotation_of(frames[j])));
      return rotations;
    };
    Memory memory;
    const auto votes = [&](double kept) {
      begin(rest, memory);
      memory.kept.assign(memory.kept.size(), kept);
      turn(rest, memory);
      place(memory);
      meet(memory);
      double sum = 0;
      for (const Meeting& meeting : memory.meetings) sum += meeting.votes;
      return sum;
    };
    start_ = locals(bound);
    if (votes(0) > votes(1)) start_ = locals(rest.joints);
  }

  void begin(const ModelPose& pose, Memory& m) const {
    const std::size_t count = fields_.size();
    m.pose = pose;
    m.matrices.resize(count), m.posed.resize(count), m.at.resize(points_.size());
    m.turns.assign(count, Mat4::Identity());
    m.delta.assign(count, Vec3::Zero());
    m.kept.assign(count, 1);
    for (Index j = 0; j < count; ++j) {
      const Index p = parent_[j];
      if (p == kNone) continue;
      const Mat3 local = rotation_of(pose.joints[p]).transpose() * rotation_of(pose.joints[j]);
      const Eigen::AngleAxisd delta(Quat(Mat3(start_[j].transpose() * local)).normalized());
      m.delta[j] = rotation_of(pose.joints[j]) * (delta.angle() * delta.axis());
    }
  }

  /// Moves fields and points with the pose.
  void place(Memory& m) const {
    for (Index j = 0; j < fields_.size(); ++j) {
      const Mat4 matrix = m.pose.joints[j] * inverse_bind_[j];
      m.matrices[j] = matrix.topRows<3>().cast<float>();
      Posed& posed = m.posed[j];
      const double scale = std::cbrt(matrix.topLeftCorner<3, 3>().determinant());
      posed.used = !fields_[j].empty() && scale > 1e-6;
      if (!posed.used) continue;
      posed.scale = static_cast<float>(scale);
      posed.to_pose = m.matrices[j];
      posed.to_bind = Mat4(matrix.inverse()).topRows<3>().cast<float>();
      const Vec3f center = transform(posed.to_pose, 0.5F * (fields_[j].lower() + fields_[j].upper()));
      const Vec3f half = posed.to_pose.leftCols<3>().cwiseAbs() * (0.5F * (fields_[j].upper() - fields_[j].lower()));
      posed.lower = center - half, posed.upper = center + half;
    }
    for (Index j = 0; j < fields_.size(); ++j) {
      Posed& posed = m.posed[j];
      posed.lower_points = Vec3f::Constant(std::numeric_limits<float>::max()), posed.upper_points = -posed.lower_points;
      for (Index i = first_point_[j]; i < first_point_[j + 1]; ++i) {
        Vec3f p = Vec3f::Zero();
        for (const Influence& influence : points_[i].weights)
          if (influence.weight > 0) p += influence.weight * transform(m.matrices[influence.joint], points_[i].at);
        m.at[i] = p;
        posed.lower_points = posed.lower_points.cwiseMin(p), posed.upper_points = posed.upper_points.cwiseMax(p);
      }
    }
  }

  void meet(Memory& m) const {
    m.meetings.clear();
    for (const Couple& couple : couples_) {
      const Posed &own = m.posed[couple.a], &other = m.posed[couple.b];
      if (!own.used || !other.used || (own.lower_points.array() > other.upper.array()).any() ||
          (own.upper_points.array() < other.lower.array()).any())
        continue;
      Meeting meeting{std::min(couple.a, couple.b), std::max(couple.a, couple.b)};
      for (const Candidate& candidate : couple.candidates) vote(couple, candidate, m, meeting);
      if (!(meeting.votes > 0)) continue;
      if (m.meetings.empty() || m.meetings.back().a != meeting.a || m.meetings.back().b != meeting.b) {
        m.meetings.push_back(meeting);
        continue;
      }
      Meeting& both = m.meetings.back();
      both.votes += meeting.votes, both.squares += meeting.squares, both.cubes += meeting.cubes;
      both.outward += meeting.outward, both.middle += meeting.middle;
    }
  }

  void vote(const Couple& couple, const Candidate& candidate, const Memory& m, Meeting& meeting) const {
    const Posed &own = m.posed[couple.a], &other = m.posed[couple.b];
    const Vec3f& p = m.at[candidate.point];
    if ((p.array() < other.lower.array()).any() || (p.array() > other.upper.array()).any()) return;
    const Vec3f local = transform(other.to_bind, p);
    FleshField::Sample sample;
    // 1e-4: for rounding.
    if (!(fields_[couple.b].most_share(local) + 1e-4F - kLeastShare > candidate.share) ||
        !fields_[couple.b].look_up(local, sample))
      return;
    const float gap = kGap * std::min(fields_[couple.a].radius(), fields_[couple.b].radius());
    const float depth = candidate.apart * other.scale * (gap - sample.distance - candidate.depth - couple.soft);
    const float foreign = ramp(sample.share - candidate.share, kLeastShare, kFullShare);
    if (!(depth > 0) || !(foreign > 0)) return;
    const Vec3f outward = (other.to_pose.leftCols<3>() * sample.outward).normalized();
    const Vec3f normal = (own.to_pose.leftCols<3>() * points_[candidate.point].normal).normalized();
    const double vote = depth * foreign * ramp(-outward.dot(normal), 0.0F, 0.6F);
    if (!(vote > 0)) return;
    meeting.votes += vote, meeting.squares += vote * depth, meeting.cubes += vote * depth * depth;
    meeting.outward += (couple.a == meeting.a ? vote : -vote) * outward.cast<double>();
    meeting.middle += vote * p.cast<double>();
  }

  /// Visits the joints from each of two up to what both hang on, with 1 for the first and −1 for the second.
  template <class Visit>
  void walk(Index a, Index b, Visit&& visit) const {
    while (a != b) {
      const bool first = b == kNone || (a != kNone && level_[a] >= level_[b]);
      Index& joint = first ? a : b;
      visit(joint, first ? 1.0 : -1.0);
      joint = parent_[joint];
    }
  }

  void go_back(Memory& m) const {
    m.back.assign(fields_.size(), 0);
    m.weight.assign(fields_.size(), 0);
    for (const Meeting& meeting : m.meetings) {
      const Vec3 at = meeting.middle / meeting.votes, way = meeting.outward.normalized();
      // How fast the limbs come apart if a joint goes back.
      const auto speed = [&](Index joint, double side) {
        Vec3 axis = m.delta[joint];
        if (parent_[joint] != kNone) axis = m.turns[parent_[joint]].topLeftCorner<3, 3>() * axis;
        const Vec3 movement = -side * axis.cross(Vec3(at - position_of(m.pose.joints[joint])));
        return std::max(0.0, movement.dot(way)) + kAnyway * movement.norm();
      };
      const double radius = std::min(double{m.posed[meeting.a].scale * fields_[meeting.a].radius()},
                                     double{m.posed[meeting.b].scale * fields_[meeting.b].radius()});
      double sum = 0, softest = 0;
      walk(meeting.a, meeting.b, [&](Index joint, double side) {
        const double v = speed(joint, side);
        sum += v * v / stiffness_[joint];
        softest = std::max(softest, 1 / stiffness_[joint]);
      });
      // Movements that are small against the limbs are of no use.
      sum += radius * radius * softest;
      const double depth = meeting.cubes / meeting.squares;
      walk(meeting.a, meeting.b, [&](Index joint, double side) {
        m.back[joint] += meeting.squares * depth * speed(joint, side) / (sum * stiffness_[joint]);
        m.weight[joint] += meeting.squares;
      });
    }
    for (Index j = 0; j < fields_.size(); ++j)
      if (m.weight[j] > 0) m.kept[j] = std::max(0.0, m.kept[j] - std::min(kMostBack, m.back[j] / m.weight[j]));
  }

  void turn(const ModelPose& pose, Memory& m) const {
    for (Index j = 0; j < fields_.size(); ++j) {
      const Vec3 back = (m.kept[j] - 1) * m.delta[j], at = position_of(pose.joints[j]);
      Mat4 own = Mat4::Identity();
      if (const double angle = back.norm(); angle > 0) {
        own.topLeftCorner<3, 3>() = Eigen::AngleAxisd(angle, back / angle).toRotationMatrix();
        own.topRightCorner<3, 1>() = at - own.topLeftCorner<3, 3>() * at;
      }
      m.turns[j] = parent_[j] == kNone ? own : Mat4(m.turns[parent_[j]] * own);
      m.pose.joints[j] = m.turns[j] * pose.joints[j];
    }
  }

  const std::vector<FleshField>& fields_;
  std::vector<SkinPoint> points_;
  std::vector<Index> first_point_;  // Per joint, and the end.
  std::vector<Couple> couples_;
  std::vector<Mat4> inverse_bind_;
  std::vector<Index> parent_, level_;
  std::vector<double> stiffness_;
  std::vector<float> softness_;
  std::vector<Mat3> start_;  // Local rotations to which joints go back.
};

GiveWay::GiveWay(const Rig& rig, const std::vector<Index>& owner, const std::vector<FleshField>& fields,
                 const Progress& progress)
    : solver_(std::make_unique<Solver>(rig, owner, fields, progress)) {}

GiveWay::~GiveWay() = default;

std::unique_ptr<GiveWay::Scratch> GiveWay::make_scratch() const { return std::make_unique<Memory>(); }

const ModelPose* GiveWay::apply(const ModelPose& pose, Scratch& scratch) const {
  return solver_->apply(pose, static_cast<Memory&>(scratch));
}

}  // namespace sinew::deform
