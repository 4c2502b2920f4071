// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/biharmonic/landmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::transfer {
namespace {

constexpr std::size_t kEnds = 5, kFewestLandmarks = 4;
/// Ends nearer to each other than this share of the longest way along the skeleton are those of one limb.
constexpr double kSameLimb = 0.25;
constexpr double kDistancesAgree = 0.9;

/// The paired joints as a tree with lengths, of the reference.
class PairTree {
 public:
  PairTree(const TransferBody& body, const Correspondence& correspondence) : pairs_(correspondence.pairs) {
    children_.assign(pairs_.size(), 0);
    for (const JointPair& pair : pairs_) {
      depth_.push_back(pair.parent == kNone
                           ? 0
                           : depth_[pair.parent] +
                                 (body.position(pair.reference) - body.position(pairs_[pair.parent].reference)).norm());
      if (pair.parent != kNone) ++children_[pair.parent];
    }
  }
  bool is_leaf(Index pair) const { return children_[pair] == 0 && pairs_[pair].parent != kNone; }
  double depth(Index pair) const { return depth_[pair]; }
  double way(Index a, Index b) const {
    const double sum = depth_[a] + depth_[b];
    while (a != b) {
      // Parents come first.
      Index& later = a > b ? a : b;
      if (pairs_[later].parent == kNone) return sum;
      later = pairs_[later].parent;
    }
    return sum - 2 * depth_[a];
  }

 private:
  const std::vector<JointPair>& pairs_;
  std::vector<double> depth_;
  std::vector<Index> children_;
};

// The pairs farthest from each other along the skeleton: ends first, then any.
std::vector<Index> spread_pairs(const PairTree& tree, Index pairs, std::size_t count) {
  std::vector<Index> chosen;
  double longest = 0;
  const auto add_farthest = [&](bool ends, double at_least) {
    Index best = kNone;
    double farthest = at_least;
    for (Index p = 0; p < pairs; ++p) {
      if (ends && !tree.is_leaf(p)) continue;
      double nearest = chosen.empty() ? tree.depth(p) : tree.way(p, chosen.front());
      for (const Index c : chosen) nearest = std::min(nearest, tree.way(p, c));
      if (nearest > farthest) farthest = nearest, best = p;
    }
    if (best != kNone) chosen.push_back(best), longest = std::max(longest, chosen.size() == 1 ? 0 : farthest);
    return best != kNone;
  };
  if (!add_farthest(true, 0)) return chosen;
  while (chosen.size() < std::min(kEnds, count) && add_farthest(true, kSameLimb * longest)) {
  }
  while (chosen.size() < count && add_farthest(false, 0)) {
  }
  return chosen;
}

/// Where a direction from a joint leaves a shell, as a vertex of it.
class SkinProbe {
 public:
  explicit SkinProbe(const MainShell& shell)
      : shell_(shell), scene_(geometry::TriangleSoup{shell.surface.positions, shell.surface.triangles}) {}
  Index vertex(const Vec3& origin, const Vec3& direction) const {
    geometry::RayHit hit;
    if (direction.norm() > 0) hit = scene_.nearest_hit({origin, direction.normalized()});
    return hit ? corner(hit.triangle, hit.barycentric) : nearest(origin);
  }
  Index nearest(const Vec3& place) const {
    const geometry::ClosestPoint point = scene_.closest_point(place);
    return corner(point.triangle, point.barycentric);
  }

 private:
  Index corner(Index triangle, const Vec3& barycentric) const {
    int k = 0;
    barycentric.maxCoeff(&k);
    return shell_.surface.triangles[triangle][static_cast<std::size_t>(k)];
  }
  const MainShell& shell_;
  geometry::RayScene scene_;
};

double correlation(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const Eigen::VectorXd x = a.array() - a.mean(), y = b.array() - b.mean();
  const double scale = x.norm() * y.norm();
  return scale > 0 ? x.dot(y) / scale : 1;
}

// One of the other's neighbours in the tree, or both below one joint.
bool near_in_tree(const Correspondence& c, Index a, Index b) {
  return a == b || c.pairs[a].parent == b || c.pairs[b].parent == a;
}

}  // namespace

Landmarks propose_landmarks(const Reference& reference, const MainShell& ours, const TransferBody& target,
                            const MainShell& theirs, const Correspondence& correspondence,
                            const std::vector<std::vector<PairedBone>>& bones, std::size_t count) {
  const PairTree tree(reference, correspondence);
  const SkinProbe our_skin(ours), their_skin(theirs);
  Landmarks landmarks;
  for (const Index p : spread_pairs(tree, static_cast<Index>(correspondence.pairs.size()), count)) {
    const JointPair& pair = correspondence.pairs[p];
    Vec3 here, there;
    if (tree.is_leaf(p)) {
      const JointPair& parent = correspondence.pairs[pair.parent];
      here = reference.position(pair.reference) - reference.position(parent.reference);
      there = target.position(pair.target) - target.position(parent.target);
    } else {
      const PairedBone& bone = bones[p].front();
      const Vec3 axis = (bone.reference_b - bone.reference_a).normalized();
      here = Vec3::UnitZ();
      if (axis.allFinite()) here -= here.dot(axis) * axis;
      there = bone.turn.transpose() * here;
    }
    const Index a = our_skin.vertex(reference.position(pair.reference), here);
    const Index b = their_skin.vertex(target.position(pair.target), there);
    if (std::find(landmarks.reference.begin(), landmarks.reference.end(), a) != landmarks.reference.end() ||
        std::find(landmarks.target.begin(), landmarks.target.end(), b) != landmarks.target.end())
      continue;
    landmarks.reference.push_back(a), landmarks.target.push_back(b);
    landmarks.names.push_back(reference.skeleton.joints[pair.reference].name);
  }
  if (landmarks.size() < kFewestLandmarks)
    throw Error(
        fmt::format("The skeletons suggest only {} landmarks, but at least {} are required. Specify landmarks, or use "
                    "the method 'skeleton'.",
                    landmarks.size(), kFewestLandmarks));
  return landmarks;
}

Landmarks given_landmarks(const std::vector<LandmarkPair>& given, const MainShell& ours, const MainShell& theirs) {
  if (given.size() < kFewestLandmarks)
    throw Error(
        fmt::format("{} landmarks are specified, but at least {} are required.", given.size(), kFewestLandmarks));
  const SkinProbe our_skin(ours), their_skin(theirs);
  Landmarks landmarks;
  for (const LandmarkPair& pair : given) {
    const Index a = our_skin.nearest(pair.reference), b = their_skin.nearest(pair.target);
    for (std::size_t i = 0; i < landmarks.size(); ++i)
      if (landmarks.reference[i] == a || landmarks.target[i] == b)
        throw Error(fmt::format("The landmarks '{}' and '{}' are at the same vertex.", landmarks.names[i], pair.name));
    landmarks.reference.push_back(a), landmarks.target.push_back(b), landmarks.names.push_back(pair.name);
  }
  return landmarks;
}

Findings check_landmarks(const Landmarks& landmarks, const Correspondence& correspondence,
                         const std::vector<NearestBone>& our_bones, const std::vector<NearestBone>& their_bones,
                         const Eigen::MatrixXd& our_distances, const Eigen::MatrixXd& their_distances) {
  Findings findings;
  const std::size_t count = landmarks.size();
  for (std::size_t i = 0; i < count; ++i)
    if (!near_in_tree(correspondence, our_bones[landmarks.reference[i]].pair, their_bones[landmarks.target[i]].pair))
      findings.push_back({"transfer.landmark", landmarks.names[i],
                          fmt::format("The landmark '{}' belongs to different limbs of the two characters. Check "
                                      "whether two landmarks are swapped.",
                                      landmarks.names[i])});
  const std::size_t pairs = count * (count - 1) / 2;
  Eigen::VectorXd ours(static_cast<Eigen::Index>(pairs)), theirs(static_cast<Eigen::Index>(pairs));
  Eigen::Index at = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j, ++at) {
      ours[at] = our_distances(landmarks.reference[i], static_cast<Eigen::Index>(j));
      theirs[at] = their_distances(landmarks.target[i], static_cast<Eigen::Index>(j));
    }
  if (const double agreement = correlation(ours, theirs); !(agreement > kDistancesAgree))
    findings.push_back({"transfer.landmarks", "",
                        fmt::format("The distances between landmarks do not correspond (correlation {:.2f}). Two of "
                                    "them may be swapped, or the bodies differ too much.",
                                    agreement)});
  return findings;
}

}  // namespace sinew::transfer
