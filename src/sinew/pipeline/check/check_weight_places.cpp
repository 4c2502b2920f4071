// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/text.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/pipeline/check/check_parts.h"
#include "sinew/pipeline/weights_partners.h"

namespace sinew::pipeline {
namespace {

constexpr double kTouch = 0.03;      // Of the size: pieces that are this near to a skin belong to it.
constexpr double kFarRel = 0.12;     // Of the size, along the skeleton: joints that are farther apart are unrelated.
constexpr double kOtherSide = 0.04;  // Of the size: beyond the middle by this much is the other side.
constexpr double kPieceRelVertices = 0.3;  // A piece has at most this share of the largest shell's vertices.

std::vector<double> depths(const Skeleton& skeleton, const binding::Subject& subject) {
  std::vector<double> depth(skeleton.size(), 0);
  for (Index j = 0; j < skeleton.size(); ++j)
    if (const Index parent = skeleton.joints[j].parent; parent != kNone)
      depth[j] = depth[parent] + (subject.position(j) - subject.position(parent)).norm();
  return depth;
}

// The distance of two joints along the skeleton; 0 if one is above the other.
double apart(const Skeleton& skeleton, const std::vector<double>& depth, Index a, Index b) {
  std::vector<Index> above;
  for (Index j = a; j != kNone; j = skeleton.joints[j].parent) above.push_back(j);
  for (Index j = b; j != kNone; j = skeleton.joints[j].parent)
    if (const auto at = std::find(above.begin(), above.end(), j); at != above.end())
      return j == a || j == b ? 0 : depth[a] + depth[b] - 2 * depth[j];
  return std::numeric_limits<double>::infinity();
}

struct Piece {
  std::vector<Index> vertices;  // Welded.
  Index joint = kNone;          // The one that it follows almost alone.
};

// Small shells that one joint moves.
std::vector<Piece> rigid_pieces(const CheckedSkin& skin, std::vector<char>& small) {
  std::vector<Piece> pieces(skin.surface.shells);
  for (Index v = 0; v < skin.surface.count(); ++v) pieces[skin.surface.shell[v]].vertices.push_back(v);
  std::size_t largest = 0;
  for (const Piece& piece : pieces) largest = std::max(largest, piece.vertices.size());
  small.assign(pieces.size(), 0);
  for (std::size_t s = 0; s < pieces.size(); ++s) {
    Piece& piece = pieces[s];
    small[s] = static_cast<double>(piece.vertices.size()) <= kPieceRelVertices * static_cast<double>(largest) ? 1 : 0;
    if (!small[s]) continue;
    std::map<Index, double> sums;
    for (const Index v : piece.vertices)
      for (const Influence& i : skin.rows.row(v)) sums[i.joint] += static_cast<double>(i.weight);
    for (const auto& [joint, sum] : sums)
      if (sum > 0.8 * static_cast<double>(piece.vertices.size())) piece.joint = joint;
  }
  return pieces;
}

class PieceJudge {
 public:
  PieceJudge(const CheckInput& input, const std::vector<char>& small)
      : input_(input),
        skin_(*input.skin),
        depth_(depths(input.character.rig.skeleton, skin_.subject)),
        scene_(body(skin_, small, triangles_)) {}

  /// Whether the piece touches the skin, and nowhere near the joint that it follows. The joint there goes to `touched`.
  bool misplaced(const Piece& piece, Index& touched) const {
    double nearest = kTouch * input_.size;
    for (const Index v : piece.vertices)
      if (const auto at = scene_.closest_point(skin_.surface.positions[v], nearest)) nearest = at.distance;
    touched = kNone;
    double least = std::numeric_limits<double>::infinity();
    for (const Index v : piece.vertices) {
      const auto at = scene_.closest_point(skin_.surface.positions[v], nearest + 0.01 * input_.size);
      if (!at) continue;
      for (int k = 0; k < 3; ++k)
        for (const Influence& i : skin_.rows.row(triangles_[at.triangle][static_cast<std::size_t>(k)])) {
          if (i.weight < 0.1F) continue;
          const double far = apart(input_.character.rig.skeleton, depth_, piece.joint, i.joint);
          if (far < least) least = far, touched = i.joint;
        }
    }
    return touched != kNone && least > kFarRel * input_.size;
  }

 private:
  static geometry::RayScene body(const CheckedSkin& skin, const std::vector<char>& small,
                                 std::vector<std::array<Index, 3>>& kept) {
    geometry::TriangleSoup soup;
    soup.positions = skin.surface.positions;
    for (const auto& t : skin.surface.triangles)
      if (!small[skin.surface.shell[t[0]]]) kept.push_back(t);
    soup.triangles = kept;
    return geometry::RayScene(soup);
  }

  const CheckInput& input_;
  const CheckedSkin& skin_;
  std::vector<double> depth_;
  std::vector<std::array<Index, 3>> triangles_;
  geometry::RayScene scene_;
};

void check_pieces(const CheckInput& input, CheckRows& rows) {
  const CheckedSkin& skin = *input.skin;
  std::vector<char> small;
  const std::vector<Piece> pieces = rigid_pieces(skin, small);
  const PieceJudge judge(input, small);
  std::vector<char> marked(skin.surface.count(), 0);
  std::size_t count = 0, vertices = 0, largest = 0;
  std::string text = "Every piece follows a joint near the skin that it touches.", where;
  Index joint = kNone;
  for (const Piece& piece : pieces) {
    Index touched = kNone;
    if (piece.joint == kNone || !judge.misplaced(piece, touched)) continue;
    ++count;
    vertices += piece.vertices.size();
    for (const Index v : piece.vertices) marked[v] = 1;
    if (piece.vertices.size() <= largest) continue;
    largest = piece.vertices.size();
    joint = piece.joint;
    where = input.joint_name(piece.joint);
    text = fmt::format("a piece of {} follows '{}' and touches the skin of '{}'.",
                       count_of(piece.vertices.size(), "vertex", "vertices"), where, input.joint_name(touched));
  }
  if (count > 0) text = fmt::format("{} misplaced: {}", count_of(count, "piece is", "pieces are"), text);
  CheckRow& row = rows.add("weights.pieces", static_cast<double>(vertices) / std::max<double>(1, skin.surface.count()),
                           text, where);
  row.vertices = mesh_vertices(skin.surface, marked);
  row.joint = joint;
}

bool is_limb(motion::BodyPart part) { return part >= motion::BodyPart::kUpperArm && part <= motion::BodyPart::kToes; }

// Vertices on one side that joints of arms and legs of the other side move.
void check_sides(const CheckInput& input, CheckRows& rows) {
  const CheckedSkin& skin = *input.skin;
  const Skeleton& skeleton = input.character.rig.skeleton;
  const Vec3 left = input.recognition.left;
  double sum = 0;
  Index pairs = 0;
  for (Index j = 0; j < skeleton.size(); ++j)
    if (const Index other = input.partner[j]; other != kNone && other > j) {
      sum += left.dot(skin.subject.position(j) + skin.subject.position(other)) / 2;
      ++pairs;
    }
  if (pairs == 0) return;
  const double middle = sum / pairs, margin = kOtherSide * input.size;
  std::vector<double> side(skeleton.size(), 0);  // 0: not of a limb.
  for (Index j = 0; j < skeleton.size(); ++j)
    if (input.partner[j] != kNone && input.partner[j] != j && is_limb(input.recognition.roles[j].part))
      side[j] = left.dot(skin.subject.position(j)) - middle;
  std::vector<char> marked(skin.surface.count(), 0);
  std::vector<Index> by(skeleton.size(), 0);
  std::size_t count = 0;
  for (Index v = 0; v < skin.surface.count(); ++v) {
    const double x = left.dot(skin.surface.positions[v]) - middle;
    if (std::abs(x) < margin) continue;
    double wrong = 0;
    Index joint = kNone;
    for (const Influence& i : skin.rows.row(v))
      if (side[i.joint] * x < 0 && std::abs(side[i.joint]) > margin / 2) {
        wrong += static_cast<double>(i.weight);
        if (joint == kNone) joint = i.joint;
      }
    if (wrong <= 0.5) continue;
    marked[v] = 1, ++count, ++by[joint];
  }
  const auto top = static_cast<Index>(std::max_element(by.begin(), by.end()) - by.begin());
  CheckRow& row =
      rows.add("weights.sides", static_cast<double>(count) / std::max<double>(1, skin.surface.count()),
               fmt::format("{} with a limb of the other side.", count_of(count, "vertex moves", "vertices move")),
               count > 0 ? input.joint_name(top) : "");
  row.vertices = mesh_vertices(skin.surface, marked);
  row.joint = count > 0 ? top : kNone;
}

// The share of a row that its mirror image lacks.
double mirrored_difference(std::span<const Influence> row, std::span<const Influence> image,
                           const std::vector<Index>& partner) {
  double common = 0;
  for (const Influence& i : row) {
    const Index other = partner[i.joint] == kNone ? i.joint : partner[i.joint];
    for (const Influence& k : image)
      if (k.joint == other) common += static_cast<double>(std::min(i.weight, k.weight));
  }
  return 1 - common;
}

void check_symmetry(const CheckInput& input, CheckRows& rows) {
  const CheckedSkin& skin = *input.skin;
  MirrorImage image;
  try {
    image = mirror_image(skin.subject, skin.surface);
  } catch (const Error&) {
    return;  // The mesh has no mirror plane.
  }
  if (image.plane.error_rel > 0.01) return;
  geometry::TriangleSoup soup;
  soup.positions = skin.surface.positions;
  soup.triangles = skin.surface.triangles;
  const geometry::RayScene scene(soup);
  std::vector<Vec3> reflected;
  for (const Vec3& p : skin.surface.positions) reflected.push_back(image.plane.reflected(p));
  const auto found = scene.closest_points(reflected, 0.01 * input.size);
  std::vector<char> marked(skin.surface.count(), 0);
  std::size_t count = 0, all = 0;
  for (Index v = 0; v < skin.surface.count(); ++v) {
    if (!found[v] || skin.rows.row(v).empty()) continue;
    ++all;
    double least = 1;
    for (const Index corner : skin.surface.triangles[found[v].triangle])
      least = std::min(least, mirrored_difference(skin.rows.row(v), skin.rows.row(corner), image.partner));
    if (least > 0.3) marked[v] = 1, ++count;
  }
  if (all * 2 < skin.surface.count()) return;
  rows.add("weights.symmetry", static_cast<double>(count) / static_cast<double>(all),
           fmt::format("{} other weights than {} mirror image.", count_of(count, "vertex has", "vertices have"),
                       count == 1 ? "its" : "their"))
      .vertices = mesh_vertices(skin.surface, marked);
}

}  // namespace

void check_weight_places(const CheckInput& input, CheckRows& rows) {
  check_pieces(input, rows);
  check_sides(input, rows);
  check_symmetry(input, rows);
}

}  // namespace sinew::pipeline
