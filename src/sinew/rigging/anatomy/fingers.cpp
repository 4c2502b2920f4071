// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/fingers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/depth_field.h"
#include "sinew/geometry/spatial/segment.h"
#include "sinew/geometry/voxels/voxel_distances.h"
#include "sinew/geometry/voxels/voxel_distances_seeds.h"
#include "sinew/rigging/anatomy/branches.h"

namespace sinew::rigging {
namespace {

constexpr int kHandVoxels = 144;  // Along the piece that is cut out.
constexpr double kMostHandVoxels = 8e5;
constexpr double kBehind = 0.15;       // How much of the forearm stays, of its length;
constexpr double kAhead = 2.5;         // and how far from the wrist the hand may reach.
constexpr double kNearPalm = 0.2;      // Faces so near to the palm's middle are the hand's, of the forearm's length.
constexpr double kLooseReach = 0.8;    // Loose shells that lie so near to it are, too.
constexpr double kLeastFinger = 0.14;  // Of the hand's length.
constexpr double kSlender = 1.3;       // A finger's length over its width (radius).
constexpr double kKnuckle = 0.14;      // How far the knuckle lies beyond the web, of the finger's visible length.
constexpr std::array<double, 3> kFingerShares = {0, 0.46, 0.75};  // Of the way from the knuckle to the tip.
constexpr double kThumbRoot = 0.45;     // Of the way from the wrist to the thumb's web: its first joint;
constexpr double kThumbMiddle = -0.05;  // of the visible length: its second, counted from the web;
constexpr double kThumbLast = 0.48;     // and its third.

const std::array<const char*, 5> kFingerWords = {"Thumb", "Index", "Middle", "Ring", "Little"};
const std::array<const char*, 5> kFingerRoles = {"thumb", "index", "middle", "ring", "little"};

// A fan over each hole, so that the voxels of the cut need no winding number: half of the time. Where edges are shared
// by more than two faces it is left to that.
void close_holes(Mesh& piece) {
  const geometry::HalfEdges edges = geometry::half_edges(piece);
  const geometry::Lists loops = geometry::boundary_loops(edges);
  for (Index l = 0; l < loops.size(); ++l) {
    const std::span<const Index> loop = loops[l];
    if (!std::all_of(loop.begin(), loop.end(), [&](Index h) { return edges.kind[h] == geometry::EdgeKind::kBoundary; }))
      continue;
    Vec3 middle = Vec3::Zero();
    for (const Index h : loop) middle += piece.positions[edges.vertex[h]] / static_cast<double>(loop.size());
    const Index hub = piece.vertex_count();
    piece.positions.push_back(middle);
    for (const Index h : loop) {
      const std::array<Index, 3> fan = {edges.vertex[edges.next[h]], edges.vertex[h], hub};
      piece.add_face(fan);
    }
  }
}

// What both hands need to know of the whole mesh.
struct Surface {
  explicit Surface(const Mesh& whole)
      : mesh(whole), welding(geometry::weld(whole)), shells(geometry::components(whole, &welding)) {}

  const Mesh& mesh;
  geometry::Welding welding;
  geometry::Components shells;
};

// The faces of state 1 that hang together with those in `open` become 2. Only faces of state 1 are looked at, since a
// hand is a small part of a body.
void spread(const Surface& surface, std::vector<Index> open, std::vector<std::uint8_t>& state) {
  const Mesh& mesh = surface.mesh;
  std::vector<Index> first(surface.welding.count() + 1, 0);
  const auto for_corners = [&](auto&& visit) {
    for (Index f = 0; f < mesh.face_count(); ++f)
      if (state[f] == 1)
        for (const Index v : mesh.face(f)) visit(f, surface.welding.welded[v]);
  };
  for_corners([&](Index, Index v) { ++first[v + 1]; });
  for (std::size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
  std::vector<Index> faces(first.back()), next(first.begin(), first.end() - 1);
  for_corners([&](Index f, Index v) { faces[next[v]++] = f; });
  while (!open.empty()) {
    const Index f = open.back();
    open.pop_back();
    for (const Index v : mesh.face(f))
      for (Index k = first[surface.welding.welded[v]]; k < first[surface.welding.welded[v] + 1]; ++k)
        if (state[faces[k]] == 1) {
          state[faces[k]] = 2;
          open.push_back(faces[k]);
        }
  }
}

// Which faces are the hand's: what hangs together with the faces round the palm, beyond a cut through the forearm, and
// loose shells near the palm. Per face: 2 for the hand's.
std::vector<std::uint8_t> hand_faces(const Surface& surface, const Vec3& elbow, const Vec3& wrist,
                                     const Vec3& hand_end) {
  const Mesh& mesh = surface.mesh;
  const geometry::Components& shells = surface.shells;
  const double forearm = (wrist - elbow).norm();
  const Vec3 along = (wrist - elbow) / forearm;
  const double ahead = std::max(kAhead * forearm, 2 * (hand_end - wrist).norm());
  const Vec3 palm = wrist + std::min(0.4 * forearm, (hand_end - wrist).norm()) * (hand_end - wrist).normalized();
  std::vector<std::uint8_t> state(mesh.face_count(), 0);  // 1: beyond the cut.
  std::vector<std::uint8_t> loose(shells.count, 1);       // Shells that lie whole in the hand's reach.
  std::vector<double> distance(mesh.face_count(), std::numeric_limits<double>::infinity());
  double nearest = std::numeric_limits<double>::infinity();
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const std::span<const Index> corners = mesh.face(f);
    if (corners.size() < 3) continue;
    Vec3 middle = Vec3::Zero();
    for (const Index v : corners) middle += mesh.positions[v] / static_cast<double>(corners.size());
    distance[f] = geometry::segment_distance(middle, wrist, palm);
    if (distance[f] > kLooseReach * forearm) loose[shells.of_face[f]] = 0;
    if ((middle - wrist).dot(along) < -kBehind * forearm || (middle - wrist).norm() > ahead) continue;
    state[f] = 1;
    nearest = std::min(nearest, distance[f]);
  }
  const double near = std::max(kNearPalm * forearm, 1.5 * nearest);  // Of a large hand, the surface is farther away.
  std::vector<Index> open;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    if (state[f] == 0 || (distance[f] > near && loose[shells.of_face[f]] == 0)) continue;
    state[f] = 2;
    open.push_back(f);
  }
  spread(surface, std::move(open), state);
  return state;
}

Mesh hand_piece(const Surface& surface, const Vec3& elbow, const Vec3& wrist, const Vec3& hand_end) {
  const Mesh& mesh = surface.mesh;
  const geometry::Welding& welding = surface.welding;
  const std::vector<std::uint8_t> state = hand_faces(surface, elbow, wrist, hand_end);
  Mesh piece;
  std::vector<Index> number(welding.count(), kNone);
  std::vector<Index> corners;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    if (state[f] != 2) continue;
    corners.clear();
    for (const Index v : mesh.face(f)) {
      Index& there = number[welding.welded[v]];
      if (there == kNone) {
        there = piece.vertex_count();
        piece.positions.push_back(mesh.positions[v]);
      }
      corners.push_back(there);
    }
    piece.add_face(corners);
  }
  close_holes(piece);
  MeshPart part;
  part.vertex_count = piece.vertex_count();
  part.face_count = piece.face_count();
  piece.parts.push_back(part);
  return piece;
}

// Turns a piece so that the hand lies along x and flat in x and y, its wrist at the origin: a hand across the axes
// would need many times the voxels, and come out a little different in every pose. Rows of the result are the new axes.
Mat3 lay_flat(Mesh& piece, const Vec3& wrist, const Vec3& along) {
  const Vec3 u = along.unitOrthogonal(), v = along.cross(u);
  Vec3 mean = Vec3::Zero();
  for (Vec3& p : piece.positions) {
    p -= wrist;
    mean += p / static_cast<double>(piece.vertex_count());
  }
  double uu = 0, uv = 0, vv = 0;
  for (const Vec3& p : piece.positions) {
    const double a = (p - mean).dot(u), b = (p - mean).dot(v);
    uu += a * a, uv += a * b, vv += b * b;
  }
  const double angle = 0.5 * std::atan2(2 * uv, uu - vv);
  Mat3 turn;
  turn.row(0) = along;
  turn.row(1) = std::cos(angle) * u + std::sin(angle) * v;
  turn.row(2) = turn.row(0).cross(turn.row(1));
  for (Vec3& p : piece.positions) p = turn * p;
  return turn;
}

// A finger before its joints are placed.
struct Digit {
  BranchLine line;  // From its web to its tip.
  double web = 0;   // Distance of the web from the wrist.
  double thumbness = 0;
};

// Branches that are fingers, each from the web on, where the next one joins it.
std::vector<Digit> digits(const geometry::SolidVoxels& voxels, const DistanceField& depth,
                          const std::vector<Branch>& found, double hand) {
  std::vector<Digit> result;
  for (Index i = 0; i < found.size(); ++i) {
    const Branch& branch = found[i];
    Digit digit;
    digit.web = branch.parent == kNone ? 0 : branch.foot;
    for (const Branch& other : found)
      if (other.parent == i) digit.web = std::max(digit.web, other.foot);
    std::size_t first = 0;
    while (first + 1 < branch.slices.size() && branch.slices[first].d < digit.web) ++first;
    if (first + 3 > branch.slices.size()) continue;
    digit.line = branch_line(voxels, depth, branch, first, 2 * voxels.cell);
    const double width = digit.line.width(0.5 * digit.line.length);
    if (digit.line.length < kLeastFinger * hand || digit.line.length < kSlender * width || digit.web == 0) continue;
    result.push_back(std::move(digit));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Digit& a, const Digit& b) { return a.line.length > b.line.length; });
  if (result.size() > 5) result.resize(5);
  return result;
}

// Fingers of a piece laid flat; the hand's length.
std::vector<Digit> cut_hand(const Mesh& piece, double& length, const Progress& progress) {
  // A fist or a ball is not flat: as many voxels as a flat hand would have are enough to see that.
  const Vec3 extent = piece.bounds().extent();
  const double longest = extent.maxCoeff();
  const double dense = std::cbrt(kMostHandVoxels * longest * longest * longest / std::max(extent.prod(), 1e-300));
  const int resolution = std::max(16, static_cast<int>(std::min<double>(kHandVoxels, dense)));
  const geometry::SolidVoxels voxels = geometry::solid_voxels(piece, {.resolution = resolution}, {}, progress);
  // The cut through the forearm is no finger: only what lies beyond the wrist counts.
  std::vector<std::uint8_t> taken(voxels.solid.size(), 0);
  std::vector<Index> inner;
  for (Index v = 0; v < voxels.solid.size(); ++v) {
    taken[v] = voxels.center(voxels.solid[v]).x() > 0 ? 1 : 0;
    if (voxels.classes[voxels.solid[v]] == geometry::VoxelClass::kInterior) inner.push_back(v);
  }
  if (inner.empty()) return {};
  const DistanceField depth = geometry::depth_field(voxels);
  const geometry::VoxelLeaks leaks(piece, voxels, progress);
  const geometry::VoxelDistances distances(voxels, &leaks, geometry::VoxelMetric::kMarching);
  const Index start = geometry::NearestVoxel(voxels, inner).find(-voxels.origin / voxels.cell).solid;
  const geometry::VoxelSeed seed{start, 0, 0};
  geometry::VoxelField field;
  distances.search(std::span(&seed, 1), field, geometry::VoxelField::kUnreached, false, progress);
  for (Index v = 0; v < voxels.solid.size(); ++v)
    if (taken[v] != 0 && std::isfinite(field.distance[v]))
      length = std::max(length, voxels.cell * static_cast<double>(field.distance[v]));
  const std::vector<Branch> found =
      branches(distances, depth, field.distance, taken, {0.7 * kLeastFinger * length, 0.8 * kSlender, 1.5});
  return digits(voxels, depth, found, length);
}

// The thumb first, then by the way across the palm.
void order_digits(std::vector<Digit>& all, double hand) {
  for (Digit& digit : all) {
    Vec3 others = Vec3::Zero();
    for (const Digit& other : all)
      if (&other != &digit) others += other.line.points.back();
    const Vec3 way = digit.line.direction(0, 0.8 * digit.line.length);
    digit.thumbness = (1 - way.dot(others.normalized())) + 2 * (1 - digit.web / hand);
  }
  const auto thumb = std::max_element(all.begin(), all.end(),
                                      [](const Digit& a, const Digit& b) { return a.thumbness < b.thumbness; });
  std::rotate(all.begin(), thumb, thumb + 1);
  Vec3 along = Vec3::Zero(), roots = Vec3::Zero();
  const auto rest = static_cast<double>(all.size() - 1);
  for (std::size_t i = 1; i < all.size(); ++i) {
    along += all[i].line.direction(0, all[i].line.length);
    roots += all[i].line.points.front() / rest;
  }
  along.normalize();
  Vec3 across = roots - all.front().line.at(0.5 * all.front().line.length);
  across -= across.dot(along) * along;
  std::stable_sort(all.begin() + 1, all.end(), [&](const Digit& a, const Digit& b) {
    return a.line.points.front().dot(across) < b.line.points.front().dot(across);
  });
}

// Joints of ordered digits.
std::vector<FoundFinger> place_joints(const std::vector<Digit>& all, bool left) {
  Vec3 along = Vec3::Zero();
  for (std::size_t i = 1; i < all.size(); ++i) along += all[i].line.direction(0, all[i].line.length);
  along.normalize();
  // To the thumb's side: from the last finger to the first.
  Vec3 thumbwards = all[1].line.points.front() - all.back().line.points.front();
  thumbwards = (thumbwards - thumbwards.dot(along) * along).normalized();
  // Seen from the back of a left hand that points away, the thumb is on the right.
  const Vec3 palm = left ? Vec3(along.cross(thumbwards)) : Vec3(thumbwards.cross(along));
  std::vector<FoundFinger> result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const BranchLine& line = all[i].line;
    const Vec3 web = line.points.front();
    const Vec3 way = line.direction(0, 0.5 * line.length);
    FoundFinger finger;
    finger.tip = line.points.back();
    if (i == 0) {
      finger.joints = {Vec3(kThumbRoot * web), Vec3(web + kThumbMiddle * line.length * way),
                       line.at(kThumbLast * line.length)};
    } else {
      const double inside = kKnuckle * line.length;
      const double whole = line.length + inside;
      for (std::size_t k = 0; k < 3; ++k) {
        const double s = kFingerShares[k] * whole - inside;
        finger.joints[k] = s < 0 ? Vec3(web + s * way) : line.at(s);
      }
    }
    const Vec3 closes = i == 0 ? Vec3(palm - 0.75 * thumbwards) : palm;
    finger.bend_axis = (finger.tip - finger.joints[1]).cross(closes).normalized();
    result.push_back(finger);
  }
  return result;
}

FoundHand find_hand(const Surface& surface, const Vec3& elbow, const Vec3& wrist, const Vec3& hand_end, bool left,
                    const Progress& progress) {
  FoundHand result;
  Mesh piece = hand_piece(surface, elbow, wrist, hand_end);
  if (piece.face_count() == 0) {
    result.why_not = "there is no surface around the palm";
    return result;
  }
  const Mat3 turn = lay_flat(piece, wrist, (hand_end - wrist).normalized());
  std::vector<Digit> all = cut_hand(piece, result.length, progress);
  if (all.size() < 3) {
    result.why_not =
        all.size() < 2 ? "it is in one piece, like a mitten or a fist" : "only two of its parts can be distinguished";
    return result;
  }
  order_digits(all, result.length);
  result.fingers = place_joints(all, left);
  const auto back = [&](Vec3& p) { p = turn.transpose() * p + wrist; };
  for (FoundFinger& finger : result.fingers) {
    for (Vec3& p : finger.joints) back(p);
    back(finger.tip);
    finger.bend_axis = turn.transpose() * finger.bend_axis;
  }
  return result;
}

// Both hands are mirror images of their mean.
void make_mirrored(const SkeletonPlan& plan, FoundHand& left, FoundHand& right) {
  const auto mirrored = [&](const Vec3& p) { return Vec3(p - 2 * (p - plan.mirror_point).dot(plan.left) * plan.left); };
  for (std::size_t f = 0; f < left.fingers.size(); ++f) {
    FoundFinger &a = left.fingers[f], &b = right.fingers[f];
    for (std::size_t k = 0; k < 3; ++k) {
      a.joints[k] = 0.5 * (a.joints[k] + mirrored(b.joints[k]));
      b.joints[k] = mirrored(a.joints[k]);
    }
    a.tip = 0.5 * (a.tip + mirrored(b.tip));
    b.tip = mirrored(a.tip);
    // The image of a turn turns the other way.
    const auto image = [&](const Vec3& axis) { return Vec3(2 * axis.dot(plan.left) * plan.left - axis); };
    a.bend_axis = (a.bend_axis + image(b.bend_axis)).normalized();
    b.bend_axis = image(a.bend_axis);
  }
}

// On a symmetric body a hand without fingers gets the image of the other hand's: joints of one side alone would move
// both sides once weights are mirrored.
void complete(const SkeletonPlan& plan, const std::array<Index, 2>& at, std::array<FoundHand, 2>& hands,
              Findings& findings) {
  for (std::size_t s = 0; s < 2; ++s) {
    if (!hands[s].fingers.empty() || hands[1 - s].fingers.empty()) continue;
    hands[s].fingers = hands[1 - s].fingers;
    for (FoundFinger& finger : hands[s].fingers) {
      const auto mirrored = [&](const Vec3& p) {
        return Vec3(p - 2 * (p - plan.mirror_point).dot(plan.left) * plan.left);
      };
      for (Vec3& joint : finger.joints) joint = mirrored(joint);
      finger.tip = mirrored(finger.tip);
      finger.bend_axis = 2 * finger.bend_axis.dot(plan.left) * plan.left - finger.bend_axis;
    }
    const std::string& name = plan.joints[at[s]].name;
    findings.erase(std::remove_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.where == name; }),
                   findings.end());
  }
}

// The first joint of what was added.
Index add_hand_joints(SkeletonPlan& plan, Index hand, const std::string& side, const FoundHand& found) {
  const auto first = static_cast<Index>(plan.joints.size());
  const std::string role = side == "Left" ? "left" : "right";
  plan.joints[hand].end.reset();
  for (std::size_t f = 0; f < found.fingers.size(); ++f) {
    Index parent = hand;
    for (std::size_t k = 0; k < 3; ++k) {
      PlannedJoint joint;
      joint.name = fmt::format("{}{}{}", side, kFingerWords[f], k + 1);
      joint.role = fmt::format("{}_{}_{}", role, kFingerRoles[f], k + 1);
      joint.parent = parent;
      joint.position = found.fingers[f].joints[k];
      joint.bend_axis = found.fingers[f].bend_axis;
      if (k == 2) joint.end = found.fingers[f].tip;
      joint.origin = "fraction";
      plan.joints.push_back(std::move(joint));
      parent = static_cast<Index>(plan.joints.size() - 1);
    }
  }
  return first;
}

// Both hands at once, the left one first. Empty hands where the plan has none. A listener is called by one thread only,
// so that it does not hear of the steps; each hand has a bounded number of voxels, and who cancels waits for them.
std::array<FoundHand, 2> find_hands(const SkeletonPlan& plan, const std::array<Index, 2>& at, const Mesh& mesh,
                                    const Progress& progress) {
  progress.step("fingers", 0);
  const Surface surface(mesh);
  std::array<FoundHand, 2> hands;
  parallel_for(
      hands.size(),
      [&](std::size_t s) {
        if (at[s] == kNone || plan.joints[at[s]].parent == kNone) return;
        const PlannedJoint& hand = plan.joints[at[s]];
        const Vec3 elbow = plan.joints[hand.parent].position;
        const Vec3 forearm = hand.position - elbow;
        if (!(forearm.norm() > 0)) return;
        const bool ends = hand.end && (*hand.end - hand.position).norm() > 0.05 * forearm.norm();
        const Vec3 end = ends ? *hand.end : Vec3(hand.position + 0.4 * forearm);
        hands[s] = find_hand(surface, elbow, hand.position, end, s == 0, {});
      },
      1);
  progress.check();
  return hands;
}

}  // namespace

FoundHand find_fingers(const Mesh& mesh, const Vec3& elbow, const Vec3& wrist, const Vec3& hand_end, bool left,
                       const Progress& progress) {
  return find_hand(Surface(mesh), elbow, wrist, hand_end, left, progress);
}

Findings add_fingers(SkeletonPlan& plan, const Mesh& mesh, const Progress& progress) {
  Findings findings;
  const std::array<Index, 2> at = {plan.find_role("left_hand"), plan.find_role("right_hand")};
  std::array<FoundHand, 2> hands = find_hands(plan, at, mesh, progress);
  for (std::size_t s = 0; s < 2; ++s) {
    if (hands[s].why_not.empty()) continue;
    const std::string& name = plan.joints[at[s]].name;
    findings.push_back(
        {"rigging.no_fingers", name, fmt::format("{} gets no finger joints: {}.", name, hands[s].why_not)});
  }
  if (plan.symmetric && at[0] != kNone && at[1] != kNone) complete(plan, at, hands, findings);
  const std::size_t count = std::min(hands[0].fingers.size(), hands[1].fingers.size());
  if (count > 0) {
    for (FoundHand& hand : hands) hand.fingers.resize(count);
    if (plan.symmetric) make_mirrored(plan, hands[0], hands[1]);
  }
  std::array<Index, 2> first = {kNone, kNone};
  for (std::size_t s = 0; s < 2; ++s)
    if (!hands[s].fingers.empty()) first[s] = add_hand_joints(plan, at[s], s == 0 ? "Left" : "Right", hands[s]);
  for (Index k = 0; count > 0 && k < 3 * count; ++k) {
    plan.joints[first[0] + k].partner = first[1] + k;
    plan.joints[first[1] + k].partner = first[0] + k;
  }
  return findings;
}

}  // namespace sinew::rigging
