// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sinew/binding/auto/auto_body.h"
#include "sinew/binding/auto/ground_roots.h"
#include "sinew/binding/auto/layers.h"
#include "sinew/binding/auto/shells.h"
#include "sinew/binding/distance/distance.h"
#include "sinew/core/parallel.h"

namespace sinew::binding {
namespace {

constexpr std::size_t kMostListed = 12;  // Loose shells with a warning of their own.

enum AutoOrigin : std::uint8_t {  // The first as in `BodyWay`.
  kByHeat,
  kByVoxels,
  kByDistance,
  kOnSkin,
  kOffSkin,
  kOneRow,
  kAtRoot,
  kAlone,
  kUnused,
  kHung
};

std::vector<BindResult::Origin> auto_origins() {
  return {{"heat", "body"},
          {"voxel", "body: the heat method sees no bone"},
          {"distance", "body: no other method gave weights"},
          {"layer", "covers a body and moves with the skin under it"},
          {"layer", "part of a layer with no skin under it"},
          {"rigid", "a small shell: all of it has the same weights"},
          {"rigid", "attached to a body at its root"},
          {"rigid", "a shell that touches nothing: it follows the nearest joint"},
          {"nearest", "no face uses the vertex: it follows the nearest skin"},
          {"rigid", "the file attaches this part to a joint"}};
}

// One run of the binder, on clean vertices until the end.
struct AutoRun {
  const Subject& subject;
  const AutoOptions& options;
  const BindOptions& common;
  const Progress& progress;
  BoneTree tree;
  Shells shells;
  std::vector<WeightRow> rows;
  std::vector<std::uint8_t> origin;
  std::vector<float> confidence;
  BindResult bound;
  bool some_skinned = false;

  AutoRun(const Subject& s, const AutoOptions& o, const BindOptions& c, const Progress& p)
      : subject(s), options(o), common(c), progress(p) {}

  void mark(Index shell, AutoOrigin how, float trust) {
    for (const Index v : shells.shells[shell].vertices) origin[v] = how, confidence[v] = trust;
  }

  // Parts that the file hangs on a joint that may move the skin, beside others that are skinned.
  bool hangs(const MeshPart& part) const {
    return some_skinned && part.skin == kNone && part.joint != kNone && subject.bound[part.joint] != 0;
  }

  void take_apart() {
    tree = bone_tree(subject);
    progress.step("shells", 0);
    const auto& parts = subject.mesh.parts;
    some_skinned = std::any_of(parts.begin(), parts.end(), [](const MeshPart& p) { return p.skin != kNone; });
    if (std::any_of(parts.begin(), parts.end(), [&](const MeshPart& part) { return hangs(part); })) {
      const Mesh rest = without_hung_parts();
      shells = find_shells({rest, subject.skeleton, subject.joints, subject.bound}, tree, progress);
    } else {
      shells = find_shells(subject, tree, progress);
    }
    const std::size_t count = shells.clean.mesh.vertex_count();
    rows.resize(count);
    origin.assign(count, kByHeat);
    confidence.assign(count, 0);
    bound.origins = auto_origins();
  }

  Mesh without_hung_parts() const {
    Mesh mesh;
    mesh.positions = subject.mesh.positions;
    mesh.parts = subject.mesh.parts;
    for (MeshPart& part : mesh.parts) {
      const Index first = part.first_face, end = first + part.face_count;
      part.first_face = mesh.face_count();
      for (Index f = first; f < end && !hangs(part); ++f) mesh.add_face(subject.mesh.face(f));
      part.face_count = mesh.face_count() - part.first_face;
    }
    return mesh;
  }

  void do_bodies() {
    Json told = Json::array();
    for (Index group = 0; group < shells.groups; ++group) {
      std::vector<Index> which = shells.of_kind(ShellKind::kBody), vertices;
      which.erase(std::remove_if(which.begin(), which.end(), [&](Index s) { return shells.shells[s].group != group; }),
                  which.end());
      const Mesh mesh = mesh_of_shells(shells, which, vertices);
      BodyRows made = bind_bodies({mesh, subject.skeleton, subject.joints, subject.bound}, options, common, progress);
      for (std::size_t v = 0; v < vertices.size(); ++v) {
        rows[vertices[v]] = std::move(made.rows[v]);
        confidence[vertices[v]] = made.confidence[v];
        origin[vertices[v]] = static_cast<std::uint8_t>(made.way[v]);
      }
      bound.fallbacks.insert(bound.fallbacks.end(), made.fallbacks.begin(), made.fallbacks.end());
      bound.findings.insert(bound.findings.end(), made.findings.begin(), made.findings.end());
      told.push_back(std::move(made.metrics));
    }
    bound.metrics["bodies"] = std::move(told);
  }

  void do_layers() {
    const std::vector<Index> layers = shells.of_kind(ShellKind::kLayer);
    if (layers.empty()) return;
    progress.step("layers", 0.8);
    const Carrier body(shells, shells.of_kind(ShellKind::kBody), rows);
    std::vector<char> doubtful(rows.size(), 0);
    for (const Index s : layers) {
      progress.check();
      bind_layer(shells, s, body, rows, doubtful);
      for (const Index v : shells.shells[s].vertices) {
        origin[v] = doubtful[v] != 0 ? kOffSkin : kOnSkin;
        confidence[v] = doubtful[v] != 0 ? 0.45F : 0.9F;
      }
    }
  }

  void do_small_shells() {
    std::vector<Index> carriers = shells.of_kind(ShellKind::kBody);
    const std::vector<Index> layers = shells.of_kind(ShellKind::kLayer);
    carriers.insert(carriers.end(), layers.begin(), layers.end());
    const std::vector<Index> rigid = shells.of_kind(ShellKind::kRigid), strips = shells.of_kind(ShellKind::kStrip);
    std::vector<Index> loose = shells.of_kind(ShellKind::kLoose);
    if (rigid.empty() && strips.empty() && loose.empty()) return;
    progress.step("small shells", 0.9);
    const Carrier carrier(shells, carriers, rows);
    for (const Index s : rigid) {
      if (shells.shells[s].holder == kNone && gap_to(carrier, s) > Shells::kTouchGap * shells.size) {
        loose.push_back(s);
        continue;
      }
      bind_small_shell(shells, s, carrier, rows);
      mark(s, kOneRow, 0.9F);
    }
    bind_strips(shells, strips, carrier, rows);
    for (const Index s : strips) mark(s, kAtRoot, 0.7F);
    std::sort(loose.begin(), loose.end());
    for (const Index s : loose) {
      bind_loose(shells, s, carrier, rows);
      mark(s, kAlone, 0.3F);
    }
    tell_loose(loose);
  }

  double gap_to(const Carrier& carrier, Index shell) const {
    double gap = shells.shells[shell].gap;
    for (const Index v : shells.shells[shell].vertices)
      if (gap > Shells::kTouchGap * shells.size)
        gap = std::min(gap, carrier.nearest(shells.clean.mesh.positions[v]).distance);
    return gap;
  }

  void tell_loose(const std::vector<Index>& loose) {
    if (loose.empty()) return;
    std::uint64_t vertices = 0;
    for (std::size_t i = 0; i < loose.size(); ++i) {
      const Shell& shell = shells.shells[loose[i]];
      vertices += shell.vertices.size();
      if (i >= kMostListed) continue;
      const Vec3 c = shell.center;
      const Index joint = strongest_joint(rows[shell.vertices.front()]);
      bound.findings.push_back(
          {"shells.loose", shell.part == kNone ? "" : subject.mesh.parts[shell.part].name,
           fmt::format("A shell of {} vertices at ({:.3g}, {:.3g}, {:.3g}) touches nothing and follows the joint '{}'.",
                       shell.vertices.size(), c.x(), c.y(), c.z(), subject.skeleton.joints[joint].name)});
    }
    if (loose.size() > kMostListed)
      bound.findings.push_back(
          {"shells.loose", "", fmt::format("{} more shells touch nothing.", loose.size() - kMostListed)});
    bound.fallbacks.push_back({"auto.loose", "nearest joint", vertices,
                               "Vertices of shells that touch nothing follow the joint of the nearest skin."});
  }

  // Back to the vertices of the mesh.
  void hand_back() {
    progress.step("rows", 0.95);
    const Mesh& mesh = subject.mesh;
    const Index count = mesh.vertex_count();
    const std::vector<Index>& clean = shells.clean.clean_vertex;
    std::vector<Index> every(shells.shells.size());
    for (Index s = 0; s < every.size(); ++s) every[s] = s;
    const Carrier all(shells, every, rows);
    std::vector<WeightRow> final_rows(count);
    bound.origin.assign(count, kUnused);
    bound.confidence.assign(count, 0.3F);
    parallel_for(
        count,
        [&](std::size_t v) {
          if (clean[v] == kNone) {
            final_rows[v] = all.nearest(mesh.positions[v]).row;
          } else {
            final_rows[v] = rows[clean[v]];
            bound.origin[v] = origin[clean[v]];
            bound.confidence[v] = confidence[clean[v]];
          }
        },
        1024);
    keep_hung_parts(final_rows);
    SkinWeights weights;
    for (const WeightRow& row : final_rows) weights.add_row(row);
    bound.weights = capped_rows(weights, common.influence_limit());
  }

  void keep_hung_parts(std::vector<WeightRow>& final_rows) {
    for (const MeshPart& part : subject.mesh.parts) {
      if (!hangs(part)) continue;
      for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
        final_rows[v] = {{part.joint, 1.0F}};
        bound.origin[v] = kHung;
        bound.confidence[v] = 1;
      }
    }
  }

  void tell() {
    Json counts = Json::object();
    const std::array<std::pair<const char*, ShellKind>, 5> kinds = {{{"bodies", ShellKind::kBody},
                                                                     {"layers", ShellKind::kLayer},
                                                                     {"rigid", ShellKind::kRigid},
                                                                     {"strips", ShellKind::kStrip},
                                                                     {"loose", ShellKind::kLoose}}};
    for (const auto& [name, kind] : kinds) counts[name] = shells.of_kind(kind).size();
    bound.metrics["shells"] = std::move(counts);
    bound.metrics["closed_cracks"] = shells.cracks;
    bound.metrics["in_pieces"] = shells.shattered && shells.shells.size() > 1;
    const auto unused = static_cast<std::uint64_t>(std::count(bound.origin.begin(), bound.origin.end(), kUnused));
    if (unused > 0)
      bound.fallbacks.push_back(
          {"auto.unused_vertices", "nearest skin", unused, "Vertices that no face uses follow the nearest skin."});
  }
};

}  // namespace

BindResult bind_auto(const Subject& given, const AutoOptions& options, const BindOptions& common,
                     const Progress& progress) {
  Subject subject = given;
  const std::vector<Index> grounded = ground_roots(given);
  for (const Index joint : grounded) subject.bound[joint] = 0;
  AutoRun run(subject, options, common, progress);
  for (const Index joint : grounded)
    run.bound.findings.push_back(
        {"auto.ground_root", subject.skeleton.joints[joint].name,
         fmt::format("The joint '{}' and most of its bones are outside the mesh, so it only carries the other joints "
                     "and gets no skin.",
                     subject.skeleton.joints[joint].name)});
  run.take_apart();
  if (run.shells.shells.empty()) return bind_by_distance(subject, {}, common, progress);
  run.do_bodies();
  run.do_layers();
  run.do_small_shells();
  run.hand_back();
  run.tell();
  progress.step("rows", 1);
  return std::move(run.bound);
}

BinderMethod auto_method() {
  return binder_method("auto", "automatic",
                       "Chooses the best of the other methods for each vertex. Handles clothes and loose shells.",
                       bind_auto);
}

}  // namespace sinew::binding
