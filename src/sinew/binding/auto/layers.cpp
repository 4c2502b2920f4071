// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/layers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/normals.h"

namespace sinew::binding {
namespace {

constexpr double kFacing = 0.25;       // Least cosine between the normals of cloth and skin.
constexpr double kSearchFactor = 4;    // How much farther than the nearest point the one that faces right may be,
constexpr double kSearchSlack = 0.02;  // and this much of the size.
constexpr double kVoteNeeded = 0.3;    // Below this no side of the layer is its outside.
constexpr int kMostRounds = 64;
constexpr float kClearJoint = 0.8F;  // A small shell that hangs so much on one joint follows that alone;
constexpr float kMainJoint = 0.7F;   // a hard piece already if so much,
constexpr double kHardPiece = 0.02;  // as which a shell counts that is so long, of the size. Less is a button.
constexpr float kCentreFactor = 3;   // A snake's eyes need 2.3 to follow its jaw, and a spider's less than 3.6.
constexpr double kBonesVote = 0.5;   // Of the bones nearest to the vertices of a hard piece, beside the skin around it.
constexpr double kMajority = 0.6;    // Of the area of the strips of a part.

// A layer on its own vertices.
struct LayerWork {
  const Shells& shells;
  const Carrier& body;
  std::vector<Index> vertices;  // Clean ones.
  Mesh mesh;
  geometry::Lists rings;
  std::vector<Vec3> normals;
  std::vector<WeightRow> rows;
  std::vector<double> gap;
  std::vector<char> matched;

  LayerWork(const Shells& s, Index shell, const Carrier& carrier) : shells(s), body(carrier) {
    mesh = mesh_of_shells(shells, {shell}, vertices);
    rings = geometry::one_rings(mesh);
    normals = geometry::vertex_normals(mesh);
    rows.resize(vertices.size());
    gap.assign(vertices.size(), 0);
    matched.assign(vertices.size(), 0);
  }

  // Which side is out: +1 as the normals say, −1 the other, 0 unknown.
  double facing(const std::vector<Carrier::Touch>& nearest) const {
    double agree = 0, count = 0;
    for (std::size_t v = 0; v < nearest.size(); ++v) {
      agree += normals[v].dot(nearest[v].normal);
      count += 1;
    }
    if (std::abs(agree) < kVoteNeeded * count) return 0;
    return agree > 0 ? 1 : -1;
  }

  void match() {
    std::vector<Carrier::Touch> nearest(vertices.size());
    parallel_for(
        nearest.size(), [&](std::size_t v) { nearest[v] = body.nearest(mesh.positions[v]); }, 256);
    const double side = facing(nearest);
    parallel_for(
        nearest.size(),
        [&](std::size_t v) {
          Carrier::Touch& touch = nearest[v];
          if (side != 0 && side * normals[v].dot(touch.normal) < kFacing)
            touch = body.nearest_facing(mesh.positions[v], side * normals[v],
                                        kSearchFactor * touch.distance + kSearchSlack * shells.size);
          matched[v] = touch.row.empty() ? 0 : 1;
          rows[v] = std::move(touch.row);
          gap[v] = touch.distance;
        },
        256);
    if (std::find(matched.begin(), matched.end(), 1) != matched.end()) return;
    parallel_for(
        nearest.size(), [&](std::size_t v) { rows[v] = body.nearest(mesh.positions[v]).row; }, 256);
  }

  // Rows spread along the layer to vertices without one, ring by ring.
  void spread() {
    std::vector<Index> empty;
    for (Index v = 0; v < rows.size(); ++v)
      if (rows[v].empty()) empty.push_back(v);
    while (!empty.empty()) {
      std::vector<std::pair<Index, WeightRow>> found;
      std::vector<Index> left;
      for (const Index v : empty) {
        RowSum sum;
        double far = 0;
        for (const Index n : rings[v])
          if (!rows[n].empty()) sum.add(rows[n], 1), far = std::max(far, gap[n]);
        gap[v] = far;
        if (sum.empty()) left.push_back(v);
        else found.emplace_back(v, sum.take());
      }
      for (auto& [v, row] : found) rows[v] = std::move(row);
      if (found.empty()) {  // A piece that only copies of vertices join to the rest.
        for (const Index v : left) rows[v] = body.nearest(mesh.positions[v]).row;
        return;
      }
      empty = std::move(left);
    }
  }

  double edge_length() const {
    double sum = 0, count = 0;
    for (Index v = 0; v < rows.size(); ++v)
      for (const Index n : rings[v]) sum += (mesh.positions[v] - mesh.positions[n]).norm(), count += 1;
    return count > 0 ? sum / count : 1;
  }

  // Rounds double from stage to stage, and only vertices that want as many take part: the square of how many edges the
  // skin is away, since evening out reaches with the root of the rounds.
  void smooth() {
    const double edge = edge_length();
    SkinWeights weights;
    for (const WeightRow& row : rows) weights.add_row(row);
    const auto wanted = [&](Index v) {
      const double steps = gap[v] / edge;
      return matched[v] == 0 ? double{kMostRounds} : steps * steps;
    };
    for (int done = 0, stage = 1; done < kMostRounds; done += stage, stage = done) {
      geometry::Lists some;
      for (Index v = 0; v < rows.size(); ++v) {
        if (wanted(v) >= done + stage) some.items.insert(some.items.end(), rings[v].begin(), rings[v].end());
        some.offsets.push_back(static_cast<Index>(some.items.size()));
      }
      if (some.items.empty()) break;
      weights = smoothed(weights, some, stage);
    }
    for (Index v = 0; v < rows.size(); ++v) rows[v].assign(weights.row(v).begin(), weights.row(v).end());
  }
};

// The mean of what a shell sits on: places near to the carrier count more.
WeightRow seat(const Shells& shells, Index shell, const Carrier& carrier, double breadth_rel) {
  const Shell& s = shells.shells[shell];
  std::vector<Carrier::Touch> touches(s.vertices.size());
  parallel_for(
      touches.size(), [&](std::size_t i) { touches[i] = carrier.nearest(shells.clean.mesh.positions[s.vertices[i]]); },
      256);
  double least = std::numeric_limits<double>::infinity();
  for (const Carrier::Touch& t : touches) least = std::min(least, t.distance);
  const double breadth = breadth_rel * s.extents[0] + 1e-9 * shells.size;
  RowSum sum;
  for (const Carrier::Touch& t : touches) {
    const double x = (t.distance - least) / breadth;
    sum.add(t.row, std::exp(-x * x));
  }
  WeightRow row = sum.take();
  for (Influence& i : row) i.joint = shells.follows[i.joint];
  sum.add(row, 1);
  return sum.take();
}

// A row that is nearly one joint's is made so: an eye is then rigid in truth. Artists attach pouches, plates and horns
// to one joint as well, although the skin under them blends. From 0.5 on, the mean distance from artists falls on one
// half of the test characters and rises on the other; from 0.7 on it rises on neither.
WeightRow settled(WeightRow row, float least) {
  const Index joint = strongest_joint(row);
  for (const Influence& i : row)
    if (i.joint == joint && i.weight >= least) return {{joint, 1.0F}};
  return row;
}

// One joint for a piece that must not be bent, of those that move the skin around it. The one whose bone is nearest to
// its centre counts as if the skin gave it three times as much.
WeightRow voted(const Shells& shells, Index shell, WeightRow seat) {
  for (Influence& i : seat)
    if (i.joint == shells.follows[shells.shells[shell].nearest]) i.weight *= kCentreFactor;
  return {{strongest_joint(seat), 1.0F}};
}

// The row of a small shell from that of the skin around it. For a piece of some length about which the skin is not
// clear, the bones nearest to its vertices count as well, because skin on a trunk blends all limbs around it, and a
// spike on the skin does not. Over 29 characters this lowers the mean distance from artists by 0.0007, that of one with
// many spikes by 0.006 and that of one with many pouches by 0.015. With the bones counting as much as the skin, another
// gets farther by 0.007; if they count where the skin is clear, a tassel of a hood follows the arm below it.
WeightRow settled(const Shells& shells, Index shell, WeightRow row) {
  const Shell& s = shells.shells[shell];
  row = settled(std::move(row), kClearJoint);
  if (row.size() < 2 || s.extents[0] < kHardPiece * shells.size || s.bones.empty()) return row;
  RowSum both;
  both.add(row, 1);
  both.add(s.bones, kBonesVote);
  return settled(both.take(), kMainJoint);
}

void give_row(const Shell& shell, const WeightRow& row, std::vector<WeightRow>& rows) {
  for (const Index v : shell.vertices) rows[v] = row;
}

}  // namespace

Carrier::Carrier(const Shells& shells, const std::vector<Index>& which, const std::vector<WeightRow>& rows)
    : shells_(shells), rows_(rows) {
  const Mesh& mesh = shells.clean.mesh;
  std::vector<Index> faces;
  for (const Index s : which)
    faces.insert(faces.end(), shells.shells[s].triangles.begin(), shells.shells[s].triangles.end());
  std::sort(faces.begin(), faces.end());
  for (const Index f : faces) {
    const auto corners = mesh.face(f);
    triangles_.push_back({corners[0], corners[1], corners[2]});
    const Vec3& a = mesh.positions[corners[0]];
    const Vec3 normal = (mesh.positions[corners[1]] - a).cross(mesh.positions[corners[2]] - a);
    normals_.push_back(normal.norm() > 0 ? Vec3(normal.normalized()) : Vec3(Vec3::Zero()));
  }
  scene_ = std::make_unique<geometry::RayScene>(geometry::TriangleSoup{mesh.positions, triangles_});
}

Carrier::Touch Carrier::touch(const geometry::ClosestPoint& found) const {
  Touch touch;
  if (!found) return touch;
  const geometry::TriangleVertices& corners = triangles_[found.triangle];
  RowSum sum;
  for (int k = 0; k < 3; ++k) sum.add(rows_[corners[static_cast<std::size_t>(k)]], found.barycentric[k]);
  touch.row = sum.take();
  touch.point = found.point;
  touch.normal = normals_[found.triangle];
  touch.distance = found.distance;
  touch.shell = shells_.of[corners[0]];
  return touch;
}

Carrier::Touch Carrier::nearest(const Vec3& p) const { return touch(scene_->closest_point(p)); }

Carrier::Touch Carrier::nearest_facing(const Vec3& p, const Vec3& normal, double reach) const {
  return touch(
      scene_->closest_point(p, reach, [&](Index triangle) { return normals_[triangle].dot(normal) >= kFacing; }));
}

void bind_layer(const Shells& shells, Index shell, const Carrier& body, std::vector<WeightRow>& rows,
                std::vector<char>& doubtful) {
  LayerWork work(shells, shell, body);
  work.match();
  work.spread();
  work.smooth();
  for (std::size_t v = 0; v < work.vertices.size(); ++v) {
    rows[work.vertices[v]] = std::move(work.rows[v]);
    doubtful[work.vertices[v]] = work.matched[v] == 0 ? 1 : 0;
  }
}

void bind_small_shell(const Shells& shells, Index shell, const Carrier& carrier, std::vector<WeightRow>& rows) {
  const Shell& s = shells.shells[shell];
  if (s.holder != kNone && !s.disputed) return give_row(s, {{s.holder, 1.0F}}, rows);
  const WeightRow skin = seat(shells, shell, carrier, 0.2);
  const bool hard = s.disputed || (s.ball && s.extents[0] >= kHardPiece * shells.size);
  give_row(s, hard ? voted(shells, shell, skin) : settled(shells, shell, skin), rows);
}

void bind_strips(const Shells& shells, const std::vector<Index>& strips, const Carrier& carrier,
                 std::vector<WeightRow>& rows) {
  struct Group {
    double area = 0;
    std::map<Index, double> area_of;  // By strongest joint.
    std::map<Index, RowSum> sum_of;
  };
  std::map<Index, Group> groups;  // By part.
  std::vector<WeightRow> roots;
  for (const Index s : strips) {
    const Shell& shell = shells.shells[s];
    roots.push_back(shell.holder != kNone ? WeightRow{{shell.holder, 1.0F}} : seat(shells, s, carrier, 0.1));
    const Index joint = strongest_joint(roots.back());
    Group& group = groups[shell.part];
    group.area += shell.area;
    group.area_of[joint] += shell.area;
    group.sum_of[joint].add(roots.back(), shell.area);
  }
  std::map<Index, WeightRow> common;
  for (auto& [part, group] : groups)
    for (const auto& [joint, area] : group.area_of)
      if (area >= kMajority * group.area) common[part] = settled(group.sum_of[joint].take(), kMainJoint);
  for (std::size_t i = 0; i < strips.size(); ++i) {
    const Shell& shell = shells.shells[strips[i]];
    const auto all = common.find(shell.part);
    const bool together = shell.holder == kNone && all != common.end();
    give_row(shell, together ? all->second : settled(shells, strips[i], roots[i]), rows);
  }
}

void bind_loose(const Shells& shells, Index shell, const Carrier& carrier, std::vector<WeightRow>& rows) {
  const Shell& s = shells.shells[shell];
  Carrier::Touch best;
  for (const Index v : s.vertices) {
    Carrier::Touch touch = carrier.nearest(shells.clean.mesh.positions[v]);
    if (!touch.row.empty() && (best.row.empty() || touch.distance < best.distance)) best = std::move(touch);
  }
  give_row(s, {{shells.follows[strongest_joint(best.row)], 1.0F}}, rows);
}

}  // namespace sinew::binding
