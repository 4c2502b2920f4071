// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/joint_poses.h"

#include <Eigen/Cholesky>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sinew/deform/bind_frames.h"

namespace sinew::deform {
namespace {

struct Rigid {
  Mat3 rotation = Mat3::Identity();
  Vec3 translation = Vec3::Zero();

  Vec3 operator()(const Vec3& p) const { return rotation * p + translation; }
};

struct JointSkin {
  std::vector<Index> vertices;
  std::vector<double> weights;
};

std::vector<JointSkin> skin_of_joints(const Rig& rig, double least) {
  std::vector<JointSkin> skins(rig.skeleton.size());
  for (const MeshPart& part : rig.mesh.parts)
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      if (part.skin == kNone) {
        if (part.joint != kNone) skins[part.joint].vertices.push_back(v), skins[part.joint].weights.push_back(1);
        continue;
      }
      for (const Influence& influence : rig.weights.row(v))
        if (influence.weight > least) {
          skins[influence.joint].vertices.push_back(v);
          skins[influence.joint].weights.push_back(influence.weight * influence.weight);
        }
    }
  return skins;
}

// The rigid motion nearest to that of some vertices; nothing if they do not define one.
std::optional<Rigid> nearest_motion(const JointSkin& skin, std::span<const Vec3> rest, std::span<const Vec3> posed) {
  if (skin.vertices.size() < 6) return std::nullopt;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  double total = 0;
  for (std::size_t i = 0; i < skin.vertices.size(); ++i) {
    from += skin.weights[i] * rest[skin.vertices[i]];
    to += skin.weights[i] * posed[skin.vertices[i]];
    total += skin.weights[i];
  }
  from /= total, to /= total;
  Mat3 covariance = Mat3::Zero(), spread = Mat3::Zero();
  for (std::size_t i = 0; i < skin.vertices.size(); ++i) {
    const Vec3 a = rest[skin.vertices[i]] - from, b = posed[skin.vertices[i]] - to;
    covariance += skin.weights[i] * b * a.transpose();
    spread += skin.weights[i] * a * a.transpose();
  }
  const Eigen::JacobiSVD<Mat3> shape(spread);
  if (!(shape.singularValues()[1] > 1e-6 * shape.singularValues()[0])) return std::nullopt;
  Rigid motion;
  motion.rotation = polar(covariance).rotation;
  motion.translation = to - motion.rotation * from;
  return motion;
}

// Less weight for vertices that are far from a motion: a belly that swells does not turn the spine. The middle distance
// decides what is far.
JointSkin without_outliers(const JointSkin& skin, const Rigid& motion, std::span<const Vec3> rest,
                           std::span<const Vec3> posed) {
  JointSkin result = skin;
  std::vector<double> distances;
  for (const Index v : skin.vertices) distances.push_back((motion(rest[v]) - posed[v]).norm());
  std::vector<double> sorted = distances;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  const double middle = sorted[sorted.size() / 2];
  if (!(middle > 0)) return result;
  for (std::size_t i = 0; i < distances.size(); ++i) result.weights[i] /= 1 + 4 * std::pow(distances[i] / middle, 2);
  return result;
}

constexpr int kOutlierRounds = 8;

/// Motions of all joints in all poses.
class SkinFollower {
 public:
  SkinFollower(const Rig& rig, std::span<const std::vector<Vec3>> poses, bool robust)
      : rig_(rig), poses_(poses), robust_(robust) {
    const std::vector<JointSkin> close = skin_of_joints(rig, 0.5), wide = skin_of_joints(rig, 0.25);
    const Index joints = rig.skeleton.size();
    fitted.assign(joints, 0);
    motions.assign(poses.size(), std::vector<Rigid>(joints));
    for (Index j = 0; j < joints; ++j)
      for (const JointSkin* skin : {&close[j], &wide[j]})
        if (!fitted[j] && follow(j, *skin)) fitted[j] = 1;
    hand_on();
    measure(close);
  }

  std::vector<char> fitted;
  std::vector<std::vector<Rigid>> motions;  // Per pose and joint.
  double residual = 0;

 private:
  bool follow(Index joint, const JointSkin& skin) {
    for (std::size_t p = 0; p < poses_.size(); ++p) {
      std::optional<Rigid> motion = nearest_motion(skin, rig_.mesh.positions, poses_[p]);
      if (!motion) return false;
      for (int round = 0; robust_ && round < kOutlierRounds; ++round) {
        const JointSkin sure = without_outliers(skin, *motion, rig_.mesh.positions, poses_[p]);
        if (const auto again = nearest_motion(sure, rig_.mesh.positions, poses_[p])) motion = again;
      }
      motions[p][joint] = *motion;
    }
    return true;
  }

  // Joints without skin follow their parent; those above all skin follow the first joint below them that has some.
  void hand_on() {
    std::vector<char> known = fitted;
    const std::vector<Joint>& joints = rig_.skeleton.joints;
    const auto copy = [&](Index to, Index from) {
      for (std::vector<Rigid>& pose : motions) pose[to] = pose[from];
      known[to] = 1;
    };
    for (Index j = 0; j < joints.size(); ++j)
      if (!known[j] && joints[j].parent != kNone && known[joints[j].parent]) copy(j, joints[j].parent);
    for (Index j = rig_.skeleton.size(); j-- > 0;)
      if (known[j] && joints[j].parent != kNone && !known[joints[j].parent]) copy(joints[j].parent, j);
    for (Index j = 0; j < joints.size(); ++j)
      if (!known[j] && joints[j].parent != kNone && known[joints[j].parent]) copy(j, joints[j].parent);
  }

  void measure(const std::vector<JointSkin>& skins) {
    double sum = 0, count = 0;
    for (Index j = 0; j < rig_.skeleton.size(); ++j) {
      if (!fitted[j]) continue;
      for (std::size_t p = 0; p < poses_.size(); ++p)
        for (const Index v : skins[j].vertices) {
          sum += (motions[p][j](rig_.mesh.positions[v]) - poses_[p][v]).squaredNorm();
          ++count;
        }
    }
    residual = count > 0 ? std::sqrt(sum / count) : 0;
  }

  const Rig& rig_;
  std::span<const std::vector<Vec3>> poses_;
  bool robust_;
};

// The rotation about a given point, which goes to a given place, nearest to the motion of some vertices.
Mat3 nearest_turn(const JointSkin& skin, std::span<const Vec3> rest, std::span<const Vec3> posed, const Vec3& from,
                  const Vec3& to) {
  Mat3 covariance = Mat3::Zero();
  for (std::size_t i = 0; i < skin.vertices.size(); ++i)
    covariance += skin.weights[i] * (posed[skin.vertices[i]] - to) * (rest[skin.vertices[i]] - from).transpose();
  return polar(covariance).rotation;
}

// The same poses with bones of fixed length: from the root outwards, each joint turns about where its parent puts it.
// Skin that follows one joint almost alone tells most.
void fix_bones(const Rig& rig, std::span<const std::vector<Vec3>> poses, const std::vector<Mat4>& frames,
               SkinFollower& skin) {
  const std::vector<JointSkin> alone = skin_of_joints(rig, 0.9), close = skin_of_joints(rig, 0.5);
  for (std::size_t p = 0; p < poses.size(); ++p)
    for (Index j = 0; j < rig.skeleton.size(); ++j) {
      const Index parent = rig.skeleton.joints[j].parent;
      Rigid& own = skin.motions[p][j];
      if (parent == kNone) continue;
      const Vec3 from = frames[j].topRightCorner<3, 1>(), to = skin.motions[p][parent](from);
      const JointSkin& follows = alone[j].vertices.size() >= 12 ? alone[j] : close[j];
      const auto turn_to = [&](const Mat3& rotation) { own = {rotation, to - rotation * from}; };
      if (!skin.fitted[j] || follows.vertices.size() < 6) {
        turn_to(skin.motions[p][parent].rotation);
        continue;
      }
      turn_to(nearest_turn(follows, rig.mesh.positions, poses[p], from, to));
      for (int round = 0; round < kOutlierRounds; ++round)
        turn_to(nearest_turn(without_outliers(follows, own, rig.mesh.positions, poses[p]), rig.mesh.positions, poses[p],
                             from, to));
    }
}

// The point about which two pieces of skin turn, near where the joint was: least squares over all poses, with a pull
// towards the old place that decides where the poses do not.
Vec3 turning_point(const SkinFollower& skin, Index joint, Index parent, const Vec3& before) {
  constexpr double kPull = 0.1;
  Mat3 system = kPull * Mat3::Identity();
  Vec3 right = kPull * before;
  for (const std::vector<Rigid>& pose : skin.motions) {
    const Mat3 difference = pose[parent].rotation - pose[joint].rotation;
    system += difference.transpose() * difference;
    right += difference.transpose() * (pose[joint].translation - pose[parent].translation);
  }
  return system.ldlt().solve(right);
}

Transform rigid_local(const Mat4& parent, const Mat4& own) {
  const Mat3 turn = parent.topLeftCorner<3, 3>().transpose();
  Transform local;
  local.rotation = Quat(Mat3(turn * own.topLeftCorner<3, 3>())).normalized();
  local.translation = turn * (own.topRightCorner<3, 1>() - parent.topRightCorner<3, 1>());
  return local;
}

std::vector<Transform> locals(const std::vector<Index>& parents, const std::vector<Mat4>& matrices) {
  std::vector<Transform> local;
  for (Index j = 0; j < parents.size(); ++j)
    local.push_back(rigid_local(parents[j] == kNone ? Mat4(Mat4::Identity()) : matrices[parents[j]], matrices[j]));
  return local;
}

// The rest frames of joints, without scale and shear.
std::vector<Mat4> rest_frames(const Rig& rig) {
  std::vector<Mat4> frames = bind_frames(rig);
  for (Mat4& frame : frames) {
    const Mat3 axes = frame.topLeftCorner<3, 3>();
    Mat3 turn = Mat3::Identity();
    if (axes.allFinite() && std::abs(axes.determinant()) > 1e-12) turn = polar(axes).rotation;
    frame.topLeftCorner<3, 3>() = turn;
    frame.row(3) << 0, 0, 0, 1;
  }
  return frames;
}

Quat nearer(const Quat& q, const Quat& to) { return q.dot(to) < 0 ? Quat(Quat::Coefficients(-q.coeffs())) : q; }

}  // namespace

std::vector<Mat4> JointPoses::matrices(const std::vector<Transform>& local) const {
  std::vector<Mat4> result(size());
  for (Index j = 0; j < size(); ++j)
    result[j] = parents[j] == kNone ? local[j].matrix() : Mat4(result[parents[j]] * local[j].matrix());
  return result;
}

std::vector<Mat4> JointPoses::motions(const std::vector<Transform>& local) const {
  std::vector<Mat4> result = matrices(local);
  const std::vector<Mat4> from = matrices(rest);
  for (Index j = 0; j < size(); ++j) {
    Mat4 inverse = Mat4::Identity();
    inverse.topLeftCorner<3, 3>() = from[j].topLeftCorner<3, 3>().transpose();
    inverse.topRightCorner<3, 1>() = -inverse.topLeftCorner<3, 3>() * from[j].topRightCorner<3, 1>();
    result[j] = result[j] * inverse;
  }
  return result;
}

std::vector<Transform> JointPoses::between(Index from, double progress) const {
  const std::vector<Transform>&a = poses[from], &b = poses[std::min<std::size_t>(from + 1, poses.size() - 1)];
  std::vector<Transform> local(size());
  for (Index j = 0; j < size(); ++j) {
    local[j].rotation = slerp(a[j].rotation, b[j].rotation, progress);
    local[j].translation = (1 - progress) * a[j].translation + progress * b[j].translation;
  }
  return local;
}

std::vector<Transform> JointPoses::through(Index from, double t, std::span<const double> times_s) const {
  const Index last = static_cast<Index>(poses.size() - 1), to = std::min(from + 1, last);
  const auto rate = [&](Index p, auto&& difference) {
    // Catmull–Rom in the time of the segment. At the ends the motion goes on as it begins.
    const double whole = times_s[to] - times_s[from];
    const auto inner = [&](Index q) {
      const double before = times_s[q] - times_s[q - 1], after = times_s[q + 1] - times_s[q];
      return Vec3(whole * (after * difference(q - 1, q) / before + before * difference(q, q + 1) / after) /
                  (before + after));
    };
    if (p > 0 && p < last) return inner(p);
    const Index a = p == 0 ? 0 : last - 1, b = a + 1, neighbour = p == 0 ? b : a;
    const Vec3 mean = whole / (times_s[b] - times_s[a]) * difference(a, b);
    return last < 2 ? mean : Vec3(1.5 * mean - 0.5 * inner(neighbour));
  };
  const double u = 1 - t, h0 = t * u * u, h1 = -u * t * t, s = t * t * (3 - 2 * t);
  std::vector<Transform> local(size());
  for (Index j = 0; j < size(); ++j) {
    const auto at = [&](Index p) -> const Transform& { return poses[p][j]; };
    const auto shift = [&](Index p, Index q) { return Vec3(at(q).translation - at(p).translation); };
    local[j].translation = at(from).translation + s * shift(from, to) + h0 * rate(from, shift) + h1 * rate(to, shift);
    // Rotations the same way, as rotation vectors in the frame of the first pose.
    const auto turn = [&](Index p, Index q) {
      return rotation_log(at(p).rotation.conjugate() * nearer(at(q).rotation, at(p).rotation));
    };
    const Vec3 whole = turn(from, to);
    local[j].rotation =
        (at(from).rotation * rotation_exp(s * whole + h0 * rate(from, turn) + h1 * rate(to, turn))).normalized();
  }
  return local;
}

JointPoses fit_joint_poses(const Rig& rig, std::span<const std::vector<Vec3>> poses, const JointPoseOptions& options) {
  SkinFollower skin(rig, poses, options.fixed_bones);
  JointPoses result;
  result.fitted = skin.fitted;
  result.residual = skin.residual;
  for (const Joint& joint : rig.skeleton.joints) result.parents.push_back(joint.parent);
  std::vector<Mat4> frames = rest_frames(rig);
  for (Index j = 0; j < result.size() && options.move_joints; ++j) {
    const Index parent = result.parents[j];
    if (parent == kNone || !skin.fitted[j] || !skin.fitted[parent]) continue;
    const Vec3 before = frames[j].topRightCorner<3, 1>();
    // A joint stays near: weights were made for the place where it was.
    const double reach = 0.25 * (before - frames[parent].topRightCorner<3, 1>()).norm();
    Vec3 move = turning_point(skin, j, parent, before) - before;
    if (move.norm() > reach) move *= reach / move.norm();
    frames[j].topRightCorner<3, 1>() = before + move;
  }
  if (options.fixed_bones) fix_bones(rig, poses, frames, skin);
  result.rest = locals(result.parents, frames);
  for (std::size_t p = 0; p < poses.size(); ++p) {
    std::vector<Mat4> posed(result.size(), Mat4::Identity());
    for (Index j = 0; j < result.size(); ++j) {
      const Rigid& own = skin.motions[p][j];
      const Vec3 place = frames[j].topRightCorner<3, 1>();
      Vec3 moved = own(place);
      if (result.parents[j] != kNone) moved = 0.5 * (moved + skin.motions[p][result.parents[j]](place));
      posed[j].topLeftCorner<3, 3>() = own.rotation * frames[j].topLeftCorner<3, 3>();
      posed[j].topRightCorner<3, 1>() = moved;
    }
    result.poses.push_back(locals(result.parents, posed));
  }
  for (std::size_t p = 0; p + 1 < poses.size(); ++p)
    for (Index j = 0; j < result.size(); ++j)
      result.largest_turn_rad = std::max(result.largest_turn_rad,
                                         result.poses[p][j].rotation.angularDistance(result.poses[p + 1][j].rotation));
  return result;
}

MotionRows motion_rows(const Rig& rig) {
  const SkinWeights weights = rig.weights.normalized();
  MotionRows rows;
  for (const MeshPart& part : rig.mesh.parts)
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      if (part.skin == kNone) {
        if (part.joint != kNone) rows.influences.push_back({part.joint, 1});
      } else if (v < weights.row_count()) {
        const auto row = weights.row(v);
        rows.influences.insert(rows.influences.end(), row.begin(), row.end());
      }
      rows.offsets.push_back(static_cast<Index>(rows.influences.size()));
    }
  return rows;
}

}  // namespace sinew::deform
