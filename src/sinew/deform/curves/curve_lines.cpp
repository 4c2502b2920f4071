// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/curve_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sinew::deform {
namespace {

/// Nodes of a level set.
constexpr Index kLevelNodes = 32;
/// Most nodes that a piece without curves is compared with.
constexpr Index kMostCompared = 4000;

/// Builds the lines of one set of curves.
class LineBuilder {
 public:
  LineBuilder(const CurveSet& curves, const Mesh& mesh) : set_(curves), mesh_(mesh) {}

  CurveLines build() {
    node_of_.assign(mesh_.vertex_count(), kNone);
    line_of_.assign(set_.curves.size(), kNone);
    size_ = std::max(mesh_.size(), 1e-30);
    for (Index c = 0; c < set_.curves.size(); ++c) add_line(c);
    smooth_lengths();
    assign_vertices();
    return std::move(lines_);
  }

 private:
  static bool on_vertices(std::span<const CurvePoint> points) {
    return std::all_of(points.begin(), points.end(), [](const CurvePoint& p) { return p.a == p.b; });
  }

  void add_line(Index c) {
    const Curve& curve = set_.curves[c];
    const std::span<const CurvePoint> points = set_.of(curve);
    if (points.empty()) return;
    CurveLines::Line line;
    line.first = lines_.node_count();
    line.closed = curve.closed && points.size() > 1;
    if (on_vertices(points)) add_vertices(points, line);
    else add_samples(points, line);
    line.count = lines_.node_count() - line.first;
    if (line.count == 0) return;
    measure(line);
    line_of_[c] = static_cast<Index>(lines_.lines.size());
    lines_.lines.push_back(std::move(line));
  }

  void add_vertices(std::span<const CurvePoint> points, const CurveLines::Line&) {
    for (const CurvePoint& point : points) {
      if (node_of_[point.a] != kNone) continue;  // A vertex moves with the first curve through it.
      node_of_[point.a] = lines_.node_count();
      positions_.push_back(mesh_.positions[point.a]);
      lines_.node_shares.push_back({point.a, 1});
      lines_.node_offsets.push_back(static_cast<Index>(lines_.node_shares.size()));
    }
  }

  // Evenly spaced nodes, each between two points of the curve.
  void add_samples(std::span<const CurvePoint> points, const CurveLines::Line& line) {
    const std::size_t count = points.size(), segments = line.closed ? count : count - 1;
    std::vector<double> along = {0};
    for (std::size_t i = 0; i < segments; ++i)
      along.push_back(along.back() +
                      (points[(i + 1) % count].at(mesh_.positions) - points[i].at(mesh_.positions)).norm());
    const Index nodes = std::min<Index>(kLevelNodes, static_cast<Index>(std::max<std::size_t>(count, 3)));
    std::size_t segment = 0;
    for (Index n = 0; n < nodes; ++n) {
      const double place = along.back() * n / (line.closed ? nodes : nodes - 1);
      while (segment + 1 < segments && along[segment + 1] < place) ++segment;
      const double step = along[segment + 1] - along[segment];
      const double share = step > 0 ? std::clamp((place - along[segment]) / step, 0.0, 1.0) : 0;
      add_node(points[segment], points[(segment + 1) % count], share);
    }
  }

  void add_node(const CurvePoint& a, const CurvePoint& b, double share) {
    const auto add = [&](Index vertex, double weight) {
      if (weight > 0) lines_.node_shares.push_back({vertex, static_cast<float>(weight)});
    };
    for (const auto& [point, part] : {std::pair{a, 1 - share}, std::pair{b, share}}) {
      add(point.a, part * (1 - point.t));
      add(point.b, part * point.t);
    }
    lines_.node_offsets.push_back(static_cast<Index>(lines_.node_shares.size()));
    positions_.push_back((1 - share) * a.at(mesh_.positions) + share * b.at(mesh_.positions));
  }

  void measure(CurveLines::Line& line) {
    const Index segments = line.closed ? line.count : line.count - 1;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (Index i = 0; i < segments; ++i) {
      const Vec3& a = positions_[line.first + i];
      const Vec3& b = positions_[line.first + (i + 1) % line.count];
      const double space = std::max((b - a).norm(), 1e-9 * size_);
      line.spaces.push_back(space);
      line.length += space;
      least = std::min(least, space);
      most = std::max(most, space);
    }
    line.length = std::max(line.length, 1e-6 * size_);
    line.even = !(most > 4 * least);
    if (line.even) line.spaces.clear();
  }

  void smooth_lengths() {
    const auto smooth = [&](const std::vector<Index>& chain) {
      for (int pass = 0; pass < 3; ++pass) {
        std::vector<double> before;
        for (const Index c : chain) before.push_back(line_of_[c] == kNone ? 0 : lines_.lines[line_of_[c]].length);
        for (std::size_t i = 0; i < chain.size(); ++i) {
          if (line_of_[chain[i]] == kNone) continue;
          const double a = before[i > 0 ? i - 1 : i], b = before[i + 1 < chain.size() ? i + 1 : i];
          lines_.lines[line_of_[chain[i]]].length =
              0.25 * (a > 0 ? a : before[i]) + 0.5 * before[i] + 0.25 * (b > 0 ? b : before[i]);
        }
      }
    };
    for (const CurveLimb& limb : set_.limbs) smooth(limb.curves);
    for (const std::vector<Index>& trunk : set_.trunks) smooth(trunk);
  }

  struct Nearest {
    Index node = kNone, next = kNone;
    double share = 0;  // Of `next`.
    double distance = std::numeric_limits<double>::infinity();
  };

  Nearest nearest_on(Index curve, const Vec3& p) const {
    Nearest best;
    if (curve == kNone || line_of_[curve] == kNone) return best;
    const CurveLines::Line& line = lines_.lines[line_of_[curve]];
    const Index segments = line.closed ? line.count : std::max<Index>(line.count, 2) - 1;
    for (Index i = 0; i < segments; ++i) {
      const Index a = line.first + i, b = line.first + (i + 1) % line.count;
      const Vec3 step = positions_[b] - positions_[a];
      const double length = step.squaredNorm();
      const double share = length > 0 ? std::clamp((p - positions_[a]).dot(step) / length, 0.0, 1.0) : 0;
      const double distance = (positions_[a] + share * step - p).norm();
      if (distance < best.distance) best = {a, b, share, distance};
    }
    return best;
  }

  void add_share(Index node, double weight) {
    if (node != kNone && weight > 0) lines_.vertex_shares.push_back({node, static_cast<float>(weight)});
  }

  // Between the curve of a vertex and the nearer of its neighbours along the limb.
  bool between_curves(Index vertex) {
    const Index curve = vertex < set_.curve_of.size() ? set_.curve_of[vertex] : kNone;
    const Vec3& p = mesh_.positions[vertex];
    const Nearest own = nearest_on(curve, p);
    if (own.node == kNone) return false;
    Nearest other;
    for (const Index neighbour : neighbours_of(curve)) {
      const Nearest found = nearest_on(neighbour, p);
      if (found.distance < other.distance) other = found;
    }
    double share = 0;
    if (other.node != kNone && own.distance + other.distance > 0)
      share = own.distance / (own.distance + other.distance);
    for (const auto& [found, part] : {std::pair{own, 1 - share}, std::pair{other, share}}) {
      add_share(found.node, part * (1 - found.share));
      add_share(found.next, part * found.share);
    }
    return true;
  }

  std::vector<Index> neighbours_of(Index curve) const {
    const Curve& c = set_.curves[curve];
    if (c.chain == kNone || c.kind == Curve::Kind::kRest) return {};
    const std::vector<Index>& chain = c.kind == Curve::Kind::kLimb ? set_.limbs[c.chain].curves : set_.trunks[c.chain];
    std::vector<Index> found;
    const auto place = std::find(chain.begin(), chain.end(), curve);
    if (place == chain.end()) return {};
    if (place != chain.begin()) found.push_back(*(place - 1));
    if (place + 1 != chain.end()) found.push_back(*(place + 1));
    return found;
  }

  void assign_vertices() {
    const std::vector<Index> piece = pieces();
    std::vector<Vec3> centre(mesh_.vertex_count(), Vec3::Zero());
    std::vector<double> count(mesh_.vertex_count(), 0);
    for (Index v = 0; v < mesh_.vertex_count(); ++v) centre[piece[v]] += mesh_.positions[v], count[piece[v]] += 1;
    std::vector<Index> node_of_piece(mesh_.vertex_count(), kNone);
    lines_.vertex_offsets = {0};
    for (Index v = 0; v < mesh_.vertex_count(); ++v) {
      if (node_of_[v] != kNone) {
        add_share(node_of_[v], 1);
        ++lines_.covered;
      } else if (between_curves(v)) {
        ++lines_.covered;
      } else {
        Index& node = node_of_piece[piece[v]];
        if (node == kNone) node = nearest_node(centre[piece[v]] / count[piece[v]]);
        add_share(node, 1);
      }
      lines_.vertex_offsets.push_back(static_cast<Index>(lines_.vertex_shares.size()));
    }
  }

  Index nearest_node(const Vec3& p) const {
    const Index step = std::max<Index>(1, lines_.node_count() / kMostCompared);
    Index best = kNone;
    double least = std::numeric_limits<double>::infinity();
    for (Index n = 0; n < lines_.node_count(); n += step)
      if (const double d = (positions_[n] - p).squaredNorm(); d < least) least = d, best = n;
    return best;
  }

  // Per vertex the first vertex of its connected piece.
  std::vector<Index> pieces() const {
    std::vector<Index> root(mesh_.vertex_count());
    std::iota(root.begin(), root.end(), 0u);
    const auto find = [&](Index v) {
      while (root[v] != v) v = root[v] = root[root[v]];
      return v;
    };
    for (Index f = 0; f < mesh_.face_count(); ++f)
      for (const Index v : mesh_.face(f)) {
        const Index a = find(mesh_.face(f)[0]), b = find(v);
        root[std::max(a, b)] = std::min(a, b);
      }
    for (Index v = 0; v < root.size(); ++v) root[v] = find(v);
    return root;
  }

  const CurveSet& set_;
  const Mesh& mesh_;
  CurveLines lines_;
  std::vector<Vec3> positions_;  // Of nodes.
  std::vector<Index> node_of_;   // Per vertex.
  std::vector<Index> line_of_;   // Per curve.
  double size_ = 1;
};

}  // namespace

CurveLines curve_lines(const CurveSet& curves, const Mesh& mesh) { return LineBuilder(curves, mesh).build(); }

}  // namespace sinew::deform
