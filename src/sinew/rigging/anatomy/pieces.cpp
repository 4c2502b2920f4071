// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "sinew/rigging/anatomy/piece_features.h"

namespace sinew::rigging {
namespace {

constexpr double kSoup = 0.03;        // Of the area: a largest piece below it makes the mesh a soup.
constexpr double kLeastBody = 0.3;    // Of the area.
constexpr double kLargestProp = 0.3;  // Of the area.
constexpr double kUnmirrored = 0.5;   // Of a piece's surface.
constexpr double kMirrored = 0.8;     // Of the surface of a piece in the middle.
constexpr double kMiddle = 0.03;      // Of the longest side, as all lengths.
constexpr double kLimbLength = 0.2;
constexpr double kBladeLength = 0.25, kBladeWidth = 0.35, kBladeFlat = 0.65;  // Sides over the next longer ones.
constexpr double kBladeHollow = 0.85;
constexpr double kSheetHollow = 0.15;  // Of a piece's surface.
constexpr double kSheetLength = 0.06, kSheetPair = 0.02;
constexpr double kArmourArea = 0.02, kArmourLength = 0.12, kArmourCover = 0.5;
constexpr double kEyeRound = 0.1, kEyeCover = 0.35, kLargestBall = 0.1, kSmallestBall = 0.004;

/// Decides what pieces are.
class PieceSorter {
 public:
  explicit PieceSorter(PieceSorting& sorting) : sorting_(sorting), pieces_(sorting.pieces) {}

  void sort() {
    find_main();
    if (pieces_[main_].area_rel < kSoup) return;
    find_eyes();
    for (Index p = 0; p < pieces_.size(); ++p) {
      if (!open(p)) continue;
      if (is_armour(p)) set(p, PieceKind::kArmour, "It is small and lies on a larger piece.");
      else if (is_prop(p)) set(p, PieceKind::kProp, "It has no mirror image on a body that is symmetric.");
      else if (is_blade(p)) set(p, PieceKind::kProp, "It is long and thin, and is not attached to the trunk.");
      else if (is_sheet(p)) set(p, PieceKind::kSheet, "It encloses no space.");
    }
    keep_unlike_limbs();
    add_handles();
    reconnect();
    keep_enough();
  }

 private:
  void set(Index p, PieceKind kind, const char* reason) {
    pieces_[p].kind = kind;
    pieces_[p].reason = reason;
  }

  void keep(Index p) { set(p, PieceKind::kBody, ""); }

  static bool alike(double a, double b, double tolerance) {
    return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
  }

  /// Whether two pieces have the same shape, as far as areas and extents tell.
  static bool same_shape(const Piece& a, const Piece& b) {
    constexpr double kAlike = 0.05;
    if (!alike(a.area_rel, b.area_rel, kAlike)) return false;
    for (int k = 0; k < 3; ++k)
      if (std::abs(a.extents_rel[k] - b.extents_rel[k]) > kAlike * a.extents_rel[0]) return false;
    return true;
  }

  /// The largest piece that lies across the plane of symmetry, or else the largest one. A shield may be larger.
  void find_main() {
    for (const bool any : {false, true}) {
      double most = 0;
      for (Index p = 0; p < pieces_.size(); ++p)
        if (pieces_[p].area_rel > most && (any || in_middle(p))) most = pieces_[p].area_rel, main_ = p;
      if (most >= kSoup) return;
    }
  }

  bool open(Index p) const {
    return p != main_ && pieces_[p].kind == PieceKind::kBody && !pieces_[p].extents_rel.isZero();
  }

  /// On which side of the plane a piece is, in longest sides.
  double side(Index p) const {
    return sorting_.plane->normal.dot(pieces_[p].center - sorting_.plane->point) / sorting_.longest;
  }
  bool in_middle(Index p) const {
    return sorting_.plane && std::abs(side(p)) < kMiddle && pieces_[p].mirrored >= kMirrored;
  }
  bool touches_middle(Index p) const {
    const std::vector<Index>& contacts = pieces_[p].contacts;
    return std::any_of(contacts.begin(), contacts.end(), [&](Index q) { return in_middle(q); });
  }

  /// Whether another piece of the same shape exists, on the other side of the plane if there is one.
  bool has_counterpart(Index p) const {
    for (Index q = 0; q < pieces_.size(); ++q)
      if (q != p && same_shape(pieces_[p], pieces_[q]) && (!sorting_.plane || side(p) * side(q) < 0)) return true;
    return false;
  }

  bool is_ball(const Piece& piece) const {
    return piece.round_miss <= kEyeRound && piece.radius_rel >= kSmallestBall && piece.radius_rel <= kLargestBall &&
           piece.covered >= kEyeCover && piece.extents_rel[2] >= 0.45 * piece.extents_rel[0];
  }

  bool are_eyes(const Piece& a, const Piece& b) const {
    constexpr double kApart = 8, kMiss = 0.34;  // Radii: balls farther apart are hands or wheels.
    if (!is_ball(a) || !is_ball(b) || !same_shape(a, b)) return false;
    const double radius = 0.5 * (a.radius_rel + b.radius_rel) * sorting_.longest;
    if ((a.center - b.center).norm() > kApart * radius) return false;
    return (sorting_.plane->mirrored(a.center) - b.center).norm() <= kMiss * radius;
  }

  void find_eyes() {
    if (!sorting_.plane) return;
    constexpr const char* kWhy = "It is one of two balls that are mostly inside other pieces.";
    for (Index p = 0; p < pieces_.size(); ++p)
      for (Index q = p + 1; q < pieces_.size(); ++q)
        if (p != main_ && q != main_ && are_eyes(pieces_[p], pieces_[q]))
          set(p, PieceKind::kEye, kWhy), set(q, PieceKind::kEye, kWhy);
  }

  bool is_prop(Index p) const {
    const Piece& piece = pieces_[p];
    return sorting_.plane && piece.mirrored < kUnmirrored && piece.area_rel < kLargestProp && !has_counterpart(p);
  }

  /// Limbs are rounder than blades, and wings are attached to the trunk.
  bool is_blade(Index p) const {
    const Piece& piece = pieces_[p];
    const Vec3& e = piece.extents_rel;
    return sorting_.plane && e[0] >= kBladeLength && e[1] < kBladeWidth * e[0] && e[2] < kBladeFlat * e[1] &&
           piece.hollow < kBladeHollow && std::abs(side(p)) > kMiddle && !touches_middle(p);
  }

  /// Two unmirrored pieces on the trunk, one on each side, are limbs that differ.
  void keep_unlike_limbs() {
    if (!sorting_.plane) return;
    std::vector<Index> held;
    for (Index p = 0; p < pieces_.size(); ++p)
      if (pieces_[p].kind == PieceKind::kProp && pieces_[p].extents_rel[0] >= kLimbLength && touches_middle(p))
        held.push_back(p);
    for (const Index p : held)
      if (std::any_of(held.begin(), held.end(), [&](Index q) { return side(p) * side(q) < 0; })) keep(p);
  }

  /// Grips and shafts: long pieces that touch a prop, lie along it, and are smaller.
  void add_handles() {
    constexpr double kParallel_cos = 0.95;
    std::vector<Index> handles;
    for (Index p = 0; p < pieces_.size(); ++p) {
      const Piece& piece = pieces_[p];
      if (!open(p) || touches_middle(p) || piece.extents_rel[1] > 0.5 * piece.extents_rel[0]) continue;
      const bool found = std::any_of(piece.contacts.begin(), piece.contacts.end(), [&](Index q) {
        const Piece& prop = pieces_[q];
        return prop.kind == PieceKind::kProp && prop.area_rel > piece.area_rel &&
               prop.extents_rel[1] < 0.5 * prop.extents_rel[0] && std::abs(prop.axis.dot(piece.axis)) > kParallel_cos;
      });
      if (found) handles.push_back(p);
    }
    for (const Index p : handles) set(p, PieceKind::kProp, "It lies along a prop and touches it.");
  }

  /// Wings, fins and ears come in pairs that are large; capes and brims are alone, hair cards are small.
  bool is_sheet(Index p) const {
    const Piece& piece = pieces_[p];
    if (piece.hollow > kSheetHollow || piece.extents_rel[0] < kSheetLength) return false;
    return piece.area_rel < kSheetPair || !has_counterpart(p);
  }

  bool is_armour(Index p) const {
    const Piece& piece = pieces_[p];
    return piece.area_rel < kArmourArea && piece.extents_rel[0] <= kArmourLength && piece.covered >= kArmourCover;
  }

  bool in_body(Index p) const { return pieces_[p].kind == PieceKind::kBody; }

  /// Where each piece is reached from, starting at the largest one; itself for that, kNone for what is out of reach.
  std::vector<Index> reach(bool body_only) const {
    std::vector<Index> from(pieces_.size(), kNone);
    std::deque<Index> open = {main_};
    from[main_] = main_;
    while (!open.empty()) {
      const Index p = open.front();
      open.pop_front();
      for (const Index q : pieces_[p].contacts) {
        if (from[q] != kNone || (body_only && !in_body(q))) continue;
        from[q] = p;
        open.push_back(q);
      }
    }
    return from;
  }

  /// Pieces that connect others to the body are body.
  void reconnect() {
    const std::vector<Index> all = reach(false), body = reach(true);
    for (Index p = 0; p < pieces_.size(); ++p) {
      if (!in_body(p) || body[p] != kNone || all[p] == kNone) continue;
      for (Index q = p; q != main_; q = all[q])
        if (!in_body(q)) keep(q);
    }
  }

  /// A body of which next to nothing remains was taken for something that it is not.
  void keep_enough() {
    double body = 0;
    for (const Piece& piece : pieces_) body += piece.kind == PieceKind::kBody ? piece.area_rel : 0;
    if (body >= kLeastBody) return;
    for (Index p = 0; p < pieces_.size(); ++p) keep(p);
  }

  PieceSorting& sorting_;
  std::vector<Piece>& pieces_;
  Index main_ = 0;
};

}  // namespace

const char* piece_kind_name(PieceKind kind) {
  switch (kind) {
    case PieceKind::kBody:
      return "body";
    case PieceKind::kSheet:
      return "sheet";
    case PieceKind::kProp:
      return "prop";
    case PieceKind::kEye:
      return "eye";
    case PieceKind::kArmour:
      return "armour";
  }
  return "";
}

Index PieceSorting::count(PieceKind kind) const {
  return static_cast<Index>(
      std::count_if(pieces.begin(), pieces.end(), [&](const Piece& piece) { return piece.kind == kind; }));
}

Json PieceSorting::metrics() const {
  Json told = Json::object();
  for (const PieceKind kind :
       {PieceKind::kBody, PieceKind::kSheet, PieceKind::kProp, PieceKind::kEye, PieceKind::kArmour})
    told[piece_kind_name(kind)] = count(kind);
  double area = 0;
  for (const Piece& piece : pieces) area += piece.kind == PieceKind::kBody ? piece.area_rel : 0;
  told["body_area"] = area;
  return told;
}

PieceSorting sort_pieces(const Mesh& mesh, const Progress& progress) {
  PieceSorting sorting = describe_pieces(mesh, progress);
  if (sorting.pieces.size() > 1) PieceSorter(sorting).sort();
  return sorting;
}

Mesh body_of(const Mesh& mesh, const PieceSorting& sorting) {
  Mesh body;
  std::vector<Index> number(mesh.positions.size(), kNone), corners;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const Index p = sorting.piece_of_face[f];
    if (p == kNone || sorting.pieces[p].kind != PieceKind::kBody) continue;
    corners.clear();
    for (const Index v : mesh.face(f)) {
      if (number[v] == kNone) {
        number[v] = body.vertex_count();
        body.positions.push_back(mesh.positions[v]);
      }
      corners.push_back(number[v]);
    }
    body.add_face(corners);
  }
  return body;
}

std::string describe_others(const PieceSorting& sorting) {
  struct Words {
    PieceKind kind;
    const char *one, *many;
  };
  std::string text;
  Index sum = 0;
  for (const Words& words : {Words{PieceKind::kProp, "prop", "props"}, Words{PieceKind::kSheet, "sheet", "sheets"},
                             Words{PieceKind::kEye, "eye", "eyes"},
                             Words{PieceKind::kArmour, "small piece on the surface", "small pieces on the surface"}}) {
    const Index count = sorting.count(words.kind);
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? words.one : words.many);
    sum += count;
  }
  if (sum == 0) return text;
  return fmt::format("Separate pieces of the mesh are not used to find joints: {}.", text);
}

}  // namespace sinew::rigging
