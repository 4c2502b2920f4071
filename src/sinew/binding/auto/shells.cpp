// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/shells.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "sinew/binding/auto/shells_cracks.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::binding {
namespace {

constexpr double kWeld = 1e-5;              // Of the size.
constexpr double kHeldWinding = 0.4;        // Sleeves are open at both ends.
constexpr double kNearlyAll = 0.95;         // Of the most a shell holds: as good as all.
constexpr double kEnclosed = 0.97;          // Of the vertices of a shell: all of it.
constexpr double kNewShare = 0.3;           // Of what a shell holds: must be new for it to be a body.
constexpr double kOwnerShare = 0.7;         // Of what a shell holds: belongs to one joint.
constexpr double kAloneShare = 0.9;         // The same for one that is long enough to bend in between.
constexpr double kLargeShare = 0.15;        // Of the largest area: a piece of a body even without a bone in it.
constexpr double kRound = 0.4;              // Shortest side over the longest.
constexpr double kBall = 0.8;               // The same for a ball.
constexpr double kCompact = 0.15;           // Second longest side over the longest.
constexpr double kEyeOutline = 0.6;         // Second longest side of an eyeball over the longest.
constexpr double kEyeOffset = 0.4;          // Of its longest side: from its centre to the joint of the eye,
constexpr double kOtherEye = 0.8;           // and to that of the other eye at least.
constexpr double kLargestEye = 0.25;        // Of the size: eyes of creatures.
constexpr double kMiddle = 0.3;             // Of its longest side: from its centre to the bone that it surrounds.
constexpr double kRingMiddle = 0.2;         // The same for a ring.
constexpr double kCovered = 0.6;            // Of the vertices of a layer: are near a body.
constexpr double kSpanned = 0.5;            // Of its longest side: the bones in a glove.
constexpr double kStripArea = 0.02;         // Of the area of the bodies.
constexpr std::size_t kMostWindings = 256;  // Shells that are asked what they hold: the largest.
constexpr double kShatteredShare = 0.5;
constexpr int kSamplesPerBone = 8;

struct BoneSample {
  Vec3 place = Vec3::Zero();
  Index joint = kNone;
  double length = 0;
};

// Places along bones. How long an end segment is, is often a guess: only its first half counts. Nothing is built around
// a spot of a face; eyes are found by `find_eyes`.
std::vector<BoneSample> bone_samples(const BoneTree& tree) {
  std::vector<BoneSample> samples;
  for (const Bone& bone : tree.bones) {
    if (bone.reach > 0) continue;
    const double reach = bone.is_end() ? 0.5 : 1.0;
    for (int i = 0; i < kSamplesPerBone; ++i)
      samples.push_back({bone.a + reach * (i + 0.5) / kSamplesPerBone * (bone.b - bone.a), bone.joint,
                         reach * bone.length / kSamplesPerBone});
  }
  return samples;
}

geometry::Sanitized clean_mesh(const Mesh& mesh, double& size, Index& cracks) {
  Box used;
  for (const Index v : mesh.face_vertices) used.extend(mesh.positions[v]);
  size = used.diagonal();
  geometry::SanitizeOptions options;
  options.across_parts = true;
  // Tolerances are told relative to the whole mesh, which loose vertices may have blown up.
  const double whole = mesh.size(), ratio = whole > 0 ? size / whole : 1.0;
  options.weld_tolerance_rel = kWeld * ratio;
  options.thin_rel *= ratio;
  geometry::Sanitized clean = geometry::sanitize(mesh, options);
  Mesh mended;
  mended.positions = mesh.positions;
  cracks = close_cracks(clean, size, mended);
  if (cracks == 0) return clean;
  mended.face_offsets = mesh.face_offsets;
  mended.face_vertices = mesh.face_vertices;
  mended.parts = mesh.parts;
  return geometry::sanitize(mended, options);
}

double area_of(const Mesh& mesh, Index triangle) {
  const auto f = mesh.face(triangle);
  const Vec3& a = mesh.positions[f[0]];
  return 0.5 * (mesh.positions[f[1]] - a).cross(mesh.positions[f[2]] - a).norm();
}

// Clean vertices that edges join, or that are copies of one vertex.
std::vector<Index> shell_of_vertices(const geometry::Sanitized& clean, Index& count) {
  const Index n = clean.mesh.vertex_count();
  geometry::UnionFind sets(n);
  for (Index f = 0; f < clean.mesh.face_count(); ++f)
    for (const Index v : clean.mesh.face(f)) sets.join(clean.mesh.face(f)[0], v);
  std::vector<Index> seen(clean.clean_vertex.size(), kNone);
  for (Index v = 0; v < n; ++v)
    for (const Index source : clean.source_vertices[v]) {
      if (seen[source] != kNone) sets.join(seen[source], v);
      seen[source] = v;
    }
  std::vector<Index> of(n), number(n, kNone);
  count = 0;
  for (Index v = 0; v < n; ++v) {
    Index& own = number[sets.find(v)];
    if (own == kNone) own = count++;
    of[v] = own;
  }
  return of;
}

Vec3 principal_extents(const Mesh& mesh, const Shell& shell) {
  Mat3 covariance = Mat3::Zero();
  for (const Index v : shell.vertices) {
    const Vec3 d = mesh.positions[v] - shell.center;
    covariance += d * d.transpose();
  }
  const double scale = covariance.trace();
  if (!(scale > 0)) return Vec3::Zero();
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(covariance / scale);
  Box box;
  for (const Index v : shell.vertices)
    box.extend(solver.eigenvectors().transpose() * (mesh.positions[v] - shell.center));
  Vec3 extents = box.extent();
  std::sort(extents.data(), extents.data() + 3, std::greater<double>());
  return extents;
}

void describe_shells(const Mesh& source, Shells& result) {
  const geometry::Sanitized& clean = result.clean;
  Index count = 0;
  result.of = shell_of_vertices(clean, count);
  result.shells.resize(count);
  for (Index v = 0; v < clean.mesh.vertex_count(); ++v) {
    Shell& shell = result.shells[result.of[v]];
    shell.vertices.push_back(v);
    shell.box.extend(clean.mesh.positions[v]);
    shell.center += clean.mesh.positions[v];
  }
  for (Shell& shell : result.shells) shell.closed = true;
  for (Index f = 0; f < clean.mesh.face_count(); ++f) {
    Shell& shell = result.shells[result.of[clean.mesh.face(f)[0]]];
    shell.triangles.push_back(f);
    shell.area += area_of(clean.mesh, f);
    shell.closed = shell.closed && clean.closed[clean.component[f]] != 0;
  }
  for (Shell& shell : result.shells) {
    shell.center /= static_cast<double>(shell.vertices.size());
    shell.extents = principal_extents(clean.mesh, shell);
    shell.ball = shell.closed && shell.extents[2] >= kBall * shell.extents[0];
    const Index first = clean.source_vertices[shell.vertices.front()].front();
    for (Index p = 0; p < source.parts.size(); ++p)
      if (first >= source.parts[p].first_vertex && first - source.parts[p].first_vertex < source.parts[p].vertex_count)
        shell.part = p;
  }
}

std::vector<geometry::TriangleVertices> triangles_of(const Mesh& mesh, const std::vector<Index>& faces) {
  std::vector<geometry::TriangleVertices> triangles;
  triangles.reserve(faces.size());
  for (const Index f : faces) triangles.push_back({mesh.face(f)[0], mesh.face(f)[1], mesh.face(f)[2]});
  return triangles;
}

std::vector<Index> all_faces(const Mesh& mesh) {
  std::vector<Index> faces(mesh.face_count());
  std::iota(faces.begin(), faces.end(), Index{0});
  return faces;
}

// Decides what each shell is.
struct ShellSorter {
  Shells& result;
  const std::vector<BoneSample> samples;
  std::vector<Index> order;              // By falling area.
  std::vector<std::vector<char>> holds;  // Per shell and sample; empty for shells that were not asked.

  ShellSorter(Shells& r, const BoneTree& tree) : result(r), samples(bone_samples(tree)), holds(r.shells.size()) {
    order.resize(result.shells.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto key = [&](Index s) {
      const Shell& shell = result.shells[s];
      return std::tuple(-shell.area, shell.box.lower.x(), shell.box.lower.y(), shell.box.lower.z(), s);
    };
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
  }

  const Mesh& mesh() const { return result.clean.mesh; }
  bool small(const Shell& shell) const { return shell.extents[0] <= Shells::kSmall * result.size; }
  bool compact(const Shell& shell) const {
    if (shell.closed && shell.extents[0] <= Shells::kSmallBall * result.size &&
        shell.extents[2] >= kRound * shell.extents[0])
      return true;
    return small(shell) && shell.extents[1] >= kCompact * shell.extents[0];
  }

  std::vector<char> held_by(const std::vector<Index>& faces) const {
    const auto triangles = triangles_of(mesh(), faces);
    const geometry::FastWinding winding(geometry::TriangleSoup{mesh().positions, triangles});
    std::vector<char> held(samples.size());
    parallel_for(
        samples.size(), [&](std::size_t i) { held[i] = winding.at(samples[i].place) > kHeldWinding ? 1 : 0; }, 64);
    return held;
  }

  double length_of(const std::vector<char>& held) const {
    double length = 0;
    for (std::size_t i = 0; i < held.size(); ++i) length += held[i] != 0 ? samples[i].length : 0.0;
    return length;
  }

  void ask_shells(const Progress& progress) {
    for (std::size_t i = 0; i < std::min(order.size(), kMostWindings); ++i) {
      progress.check();
      Shell& shell = result.shells[order[i]];
      holds[order[i]] = held_by(shell.triangles);
      shell.held = length_of(holds[order[i]]);
      find_holder(order[i]);
    }
  }

  void find_holder(Index s) {
    Shell& shell = result.shells[s];
    double length = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {  // Samples of a joint come together.
      if (i == 0 || samples[i].joint != samples[i - 1].joint) length = 0;
      if (holds[s][i] != 0) length += samples[i].length;
      if (length > 0 && length >= kOwnerShare * shell.held)
        shell.holder = samples[i].joint, shell.owned = length / shell.held;
    }
  }

  // A round shell about the joint of one eye is its eyeball, however much of the bone to the eye is in it. Many
  // eyeballs are half a ball with the joint behind them. A helmet is about both eyes.
  void find_eyes(const Subject& subject, const BoneTree& tree) {
    for (Shell& shell : result.shells) {
      if (shell.extents[0] > kLargestEye * result.size || shell.extents[1] < kEyeOutline * shell.extents[0]) continue;
      int near = 0;
      Index own = kNone;
      for (const Index eye : tree.eyes) {
        const double d = (subject.position(eye) - shell.center).norm();
        if (d < kOtherEye * shell.extents[0]) ++near;
        if (d < kEyeOffset * shell.extents[0]) own = eye;
      }
      if (own == kNone || near > 1) continue;
      shell.eyeball = true;
      shell.holder = own;
    }
  }

  static Index nearest_joint(const BoneTree& tree, const Vec3& place, double& least) {
    least = std::numeric_limits<double>::infinity();
    Index joint = kNone;
    for (const Bone& bone : tree.bones) {
      const double d = competing_distance(bone, closest_on_bone(bone, place).distance);
      if (d < least) least = d, joint = bone.joint;
    }
    return joint;
  }

  void count_nearest(const BoneTree& tree, Shell& shell) const {
    std::vector<Index> joints(shell.vertices.size());
    parallel_for(
        joints.size(),
        [&](std::size_t i) {
          double least = 0;
          joints[i] = result.follows[nearest_joint(tree, mesh().positions[shell.vertices[i]], least)];
        },
        256);
    std::sort(joints.begin(), joints.end());
    for (std::size_t i = 0; i < joints.size(); ++i) {
      if (i == 0 || joints[i] != joints[i - 1]) shell.bones.push_back({joints[i], 0});
      shell.bones.back().weight += 1 / static_cast<float>(joints.size());
    }
  }

  // The bone nearest to the centre of each shell. It holds a round shell or a ring that has it near its middle, but no
  // bone inside by winding number: a skull with openings, a rib.
  void find_nearest(const BoneTree& tree) {
    for (Shell& shell : result.shells) {
      double least = std::numeric_limits<double>::infinity();
      shell.nearest = nearest_joint(tree, shell.center, least);
      if (shell.extents[0] <= Shells::kStripLength * result.size) count_nearest(tree, shell);
      const bool round = shell.extents[2] >= kRound * shell.extents[0];
      const bool ring = shell.extents[1] >= kEyeOutline * shell.extents[0];
      const double middle = round ? kMiddle : ring ? kRingMiddle : 0;
      if (shell.holder == kNone && !(shell.held > 0) && least <= middle * shell.extents[0])
        shell.holder = result.follows[shell.nearest];
      shell.disputed = !shell.eyeball && shell.holder != kNone && shell.holder != result.follows[shell.nearest];
    }
  }

  Index first_body() const {
    double most = 0;
    for (const Shell& shell : result.shells) most = std::max(most, shell.held);
    Index first = kNone;  // The smallest comes last.
    for (const Index s : order)
      if (result.shells[s].held > 0 && result.shells[s].held >= kNearlyAll * most) first = s;
    return first;
  }

  // Shells that hold as much as the first body and have all of it inside.
  void find_doubles(Index first, std::vector<char>& body) {
    const Shell& inner = result.shells[first];
    for (const Index s : order) {
      Shell& shell = result.shells[s];
      if (s == first || !(shell.held >= kNearlyAll * inner.held)) continue;
      const auto triangles = triangles_of(mesh(), shell.triangles);
      const geometry::FastWinding winding(geometry::TriangleSoup{mesh().positions, triangles});
      std::vector<char> inside(inner.vertices.size());
      parallel_for(
          inside.size(),
          [&](std::size_t i) { inside[i] = winding.at(mesh().positions[inner.vertices[i]]) > 0.5 ? 1 : 0; }, 256);
      const auto count = static_cast<double>(std::count(inside.begin(), inside.end(), 1));
      if (count < kEnclosed * static_cast<double>(inside.size())) continue;
      body[s] = 1;
      shell.group = result.groups++;
    }
  }

  // Marks bodies; the rest stays unmarked.
  std::vector<char> find_bodies() {
    std::vector<char> body(result.shells.size(), 0);
    const Index first = first_body();
    if (first == kNone) return body;
    body[first] = 1;
    find_doubles(first, body);
    std::vector<char> covered = holds[first];
    for (const Index s : order) {
      const Shell& shell = result.shells[s];
      if (body[s] != 0 || !(shell.held > 0) || shell.eyeball ||
          (compact(shell) && shell.holder != kNone && !spans(shell)))
        continue;
      double fresh = 0;
      for (std::size_t i = 0; i < samples.size(); ++i)
        if (holds[s][i] != 0 && covered[i] == 0) fresh += samples[i].length;
      if (!(fresh >= kNewShare * shell.held)) continue;
      body[s] = 1;
      for (std::size_t i = 0; i < samples.size(); ++i) covered[i] |= holds[s][i];
    }
    if (length_of(covered) < kShatteredShare * length_of(held_by(all_faces(mesh())))) body.assign(body.size(), 0);
    return body;
  }

  // How near the shells that are no bodies are to those that are.
  void measure_gaps(const std::vector<char>& body) {
    std::vector<Index> faces;
    for (Index s = 0; s < body.size(); ++s)
      if (body[s] != 0) faces.insert(faces.end(), result.shells[s].triangles.begin(), result.shells[s].triangles.end());
    const auto triangles = triangles_of(mesh(), faces);
    const geometry::RayScene scene(geometry::TriangleSoup{mesh().positions, triangles});
    const double near = Shells::kLayerGap * result.size;
    std::vector<double> distance(mesh().vertex_count(), 0);
    parallel_for(
        distance.size(),
        [&](std::size_t v) {
          if (body[result.of[v]] == 0) distance[v] = scene.closest_point(mesh().positions[v]).distance;
        },
        256);
    const geometry::FastWinding winding(geometry::TriangleSoup{mesh().positions, triangles});
    for (Index s = 0; s < body.size(); ++s) {
      Shell& shell = result.shells[s];
      if (body[s] != 0) continue;
      shell.wraps = winding.at(shell.center) > 0.5;
      shell.gap = distance[shell.vertices.front()];
      Index covered = 0;
      for (const Index v : shell.vertices) {
        shell.gap = std::min(shell.gap, distance[v]);
        if (distance[v] <= near) ++covered;
      }
      shell.cover = static_cast<double>(covered) / static_cast<double>(shell.vertices.size());
    }
  }

  // Bones of several joints run through most of it, such as the fingers in a glove or one finger. A ball with an owner
  // is none of them: those of a mannequin's joints have the end of one bone and the beginning of the next in them.
  bool spans(const Shell& shell) const {
    const bool shared = shell.holder == kNone || (!shell.ball && shell.owned < kAloneShare);
    return shared && shell.held >= kSpanned * shell.extents[0];
  }

  ShellKind kind_of(const Shell& shell, double body_area, double largest_area) const {
    if (shell.eyeball || (compact(shell) && !spans(shell))) return ShellKind::kRigid;
    const bool touches = shell.gap <= Shells::kTouchGap * result.size;
    if (touches && shell.closed && shell.area >= kLargeShare * largest_area && shell.cover < 0.3)
      return ShellKind::kBody;
    const bool slight = shell.area < kStripArea * body_area && shell.extents[0] <= Shells::kStripLength * result.size;
    const bool belt = shell.wraps && !small(shell) && shell.cover >= kCovered;
    if (touches && !(shell.held > 0) && !belt && (small(shell) || slight)) return ShellKind::kStrip;
    if (shell.held > 0 || shell.cover >= kCovered) return ShellKind::kLayer;
    if (!touches) return ShellKind::kLoose;
    return shell.closed ? ShellKind::kStrip : ShellKind::kLayer;
  }

  void sort(const Subject& subject, const BoneTree& tree, const Progress& progress) {
    ask_shells(progress);
    find_eyes(subject, tree);
    find_nearest(tree);
    const std::vector<char> body = find_bodies();
    result.shattered = std::find(body.begin(), body.end(), 1) == body.end();
    if (result.shattered) {  // All of them are bodies.
      for (Shell& shell : result.shells) shell.group = 0;
      result.groups = 1;
      return;
    }
    measure_gaps(body);
    double body_area = 0, largest = 0;
    for (Index s = 0; s < body.size(); ++s)
      if (body[s] != 0) body_area += result.shells[s].area, largest = std::max(largest, result.shells[s].area);
    for (Index s = 0; s < body.size(); ++s)
      if (body[s] == 0) result.shells[s].kind = kind_of(result.shells[s], body_area, largest);
  }
};

}  // namespace

std::vector<Index> Shells::of_kind(ShellKind kind) const {
  std::vector<Index> found;
  for (Index s = 0; s < shells.size(); ++s)
    if (shells[s].kind == kind) found.push_back(s);
  return found;
}

Index Shells::vertex_count(ShellKind kind) const {
  std::size_t count = 0;
  for (const Shell& shell : shells)
    if (shell.kind == kind) count += shell.vertices.size();
  return static_cast<Index>(count);
}

Shells find_shells(const Subject& subject, const BoneTree& tree, const Progress& progress) {
  Shells result;
  result.clean = clean_mesh(subject.mesh, result.size, result.cracks);
  progress.check();
  describe_shells(subject.mesh, result);
  result.follows.resize(tree.parent.size());
  std::iota(result.follows.begin(), result.follows.end(), Index{0});
  for (const Bone& bone : tree.bones)
    if (bone.reach > 0 && tree.parent[bone.joint] != kNone) result.follows[bone.joint] = tree.parent[bone.joint];
  if (!result.shells.empty()) ShellSorter(result, tree).sort(subject, tree, progress);
  return result;
}

Mesh mesh_of_shells(const Shells& shells, const std::vector<Index>& which, std::vector<Index>& vertices) {
  const Mesh& clean = shells.clean.mesh;
  std::vector<char> chosen(shells.shells.size(), 0);
  for (const Index s : which) chosen[s] = 1;
  Mesh mesh;
  vertices.clear();
  std::vector<Index> number(clean.vertex_count(), kNone);
  for (Index v = 0; v < clean.vertex_count(); ++v) {
    if (chosen[shells.of[v]] == 0) continue;
    number[v] = static_cast<Index>(vertices.size());
    vertices.push_back(v);
    mesh.positions.push_back(clean.positions[v]);
  }
  for (Index f = 0; f < clean.face_count(); ++f) {
    const auto corners = clean.face(f);
    if (number[corners[0]] == kNone) continue;
    const std::array<Index, 3> face = {number[corners[0]], number[corners[1]], number[corners[2]]};
    mesh.add_face(face);
  }
  MeshPart part;
  part.name = "shells";
  part.vertex_count = mesh.vertex_count();
  part.face_count = mesh.face_count();
  mesh.parts.push_back(std::move(part));
  return mesh;
}

}  // namespace sinew::binding
