// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/segment_colors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "sinew/binding/distance/distance.h"
#include "sinew/binding/segment/segmentation.h"
#include "sinew/core/error.h"
#include "sinew/pipeline/bind_parts.h"
#include "sinew/pipeline/bind_subject.h"

namespace sinew::pipeline {

namespace {

// sRGB. Hues all round the circle, light and dark by turns, so that neighbours on the circle differ in two ways.
constexpr std::array<std::array<int, 3>, 14> kPalette = {{{214, 48, 49},
                                                          {64, 156, 255},
                                                          {247, 202, 62},
                                                          {30, 132, 73},
                                                          {240, 128, 200},
                                                          {120, 66, 18},
                                                          {94, 53, 177},
                                                          {139, 220, 112},
                                                          {240, 120, 30},
                                                          {16, 160, 170},
                                                          {196, 160, 255},
                                                          {25, 60, 140},
                                                          {150, 30, 90},
                                                          {150, 150, 40}}};

float linear_light(int value) {
  const float c = static_cast<float>(value) / 255;
  return c <= 0.04045F ? c / 12.92F : std::pow((c + 0.055F) / 1.055F, 2.4F);
}

// How different two colours look, roughly: the eye sees green best and blue worst.
double difference(std::size_t a, std::size_t b) {
  constexpr std::array<double, 3> kShare = {2, 4, 1.5};
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) sum += kShare[k] * std::pow(kPalette[a][k] - kPalette[b][k], 2);
  return std::sqrt(sum);
}

std::vector<std::vector<char>> touching_segments(const Segmentation& segmentation, const geometry::Lists& rings) {
  const std::size_t count = segmentation.segments.size();
  std::vector<std::vector<char>> touch(count, std::vector<char>(count, 0));
  for (std::size_t v = 0; v < segmentation.owner.size(); ++v)
    for (const Index other : rings[v]) touch[segmentation.owner[v]][segmentation.owner[other]] = 1;
  const auto ends = [&](std::size_t s) {
    return std::array<Index, 2>{segmentation.segments[s].joint, segmentation.segments[s].child};
  };
  for (std::size_t s = 0; s < count; ++s)
    for (std::size_t t = 0; t < count; ++t)
      for (const Index a : ends(s))
        for (const Index b : ends(t))
          if (s != t && a == b && a != kNone) touch[s][t] = 1;
  return touch;
}

}  // namespace

std::vector<Vec3f> segment_colors(const Segmentation& segmentation, const geometry::Lists& rings) {
  const auto touch = touching_segments(segmentation, rings);
  const std::size_t count = segmentation.segments.size();
  std::vector<std::size_t> chosen(count, kPalette.size());
  std::array<int, kPalette.size()> used = {};
  for (std::size_t s = 0; s < count; ++s) {
    std::size_t best = 0;
    double best_score = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < kPalette.size(); ++c) {
      // Beyond this, colours are different enough and should take turns.
      double nearest = 250;
      for (std::size_t t = 0; t < count; ++t)
        if (touch[s][t] != 0 && chosen[t] < kPalette.size()) nearest = std::min(nearest, difference(c, chosen[t]));
      const double score = nearest - 40 * used[c];
      if (score > best_score && nearest > 0) best = c, best_score = score;
    }
    chosen[s] = best;
    ++used[best];
  }
  std::vector<Vec3f> colors;
  for (const std::size_t c : chosen)
    colors.emplace_back(linear_light(kPalette[c][0]), linear_light(kPalette[c][1]), linear_light(kPalette[c][2]));
  return colors;
}

namespace {

/// The mesh with a vertex of its own for every colour that the faces around it have, so that colours do not run into
/// each other. `color` has a number per face; `sources` gets the old vertex of each new one.
Mesh split_at_colors(const Mesh& mesh, const std::vector<Index>& color, std::vector<Index>& sources,
                     std::vector<Index>& color_of_vertex) {
  Mesh split;
  split.face_offsets = mesh.face_offsets;
  split.face_vertices = mesh.face_vertices;
  split.normals = mesh.normals;
  split.uvs = mesh.uvs;
  if (!split.normals.empty() && split.normals.corners.empty()) split.normals.corners = mesh.face_vertices;
  if (!split.uvs.empty() && split.uvs.corners.empty()) split.uvs.corners = mesh.face_vertices;
  for (MeshPart part : mesh.parts) {
    const Index first = part.first_vertex;
    part.first_vertex = static_cast<Index>(sources.size());
    std::map<std::pair<Index, Index>, Index> number;
    for (Index f = part.first_face; f < part.first_face + part.face_count; ++f)
      for (Index c = mesh.face_offsets[f]; c < mesh.face_offsets[f + 1]; ++c) {
        const auto [place, added] = number.try_emplace({mesh.face_vertices[c], color[f]}, sources.size());
        if (added) {
          sources.push_back(mesh.face_vertices[c]);
          color_of_vertex.push_back(color[f]);
        }
        split.face_vertices[c] = place->second;
      }
    part.vertex_count = static_cast<Index>(sources.size()) - part.first_vertex;
    for (Morph& morph : part.morphs) {
      std::vector<Vec3f> deltas;
      for (Index v = part.first_vertex; v < sources.size(); ++v) deltas.push_back(morph.deltas[sources[v] - first]);
      morph.deltas = std::move(deltas);
    }
    split.parts.push_back(std::move(part));
  }
  for (const Index v : sources) split.positions.push_back(mesh.positions[v]);
  return split;
}

/// The owner that most corners of a face have; of several the one with the smallest region, so that none is painted
/// over.
Index owner_of_face(std::span<const Index> face, const std::vector<Index>& owner, const std::vector<Index>& region) {
  Index best = kNone;
  std::ptrdiff_t most = 0;
  const auto size = [&](Index s) { return s == kNone ? kNone : region[s]; };
  for (const Index v : face) {
    const Index s = owner[v];
    const auto votes = std::count_if(face.begin(), face.end(), [&](Index other) { return owner[other] == s; });
    if (votes < most || (votes == most && size(s) >= size(best))) continue;
    most = votes;
    best = s;
  }
  return best;
}

}  // namespace

namespace {

/// Paints faces by the owners of their corners. `region` has the number of vertices of each owner.
void paint_owners(Character& character, const std::vector<Index>& owner, const std::vector<Vec3f>& colors,
                  const std::vector<Index>& region) {
  Rig& rig = character.rig;
  std::vector<Index> face_owner, sources, vertex_owner;
  for (Index f = 0; f < rig.mesh.face_count(); ++f)
    face_owner.push_back(owner_of_face(rig.mesh.face(f), owner, region));
  rig.mesh = split_at_colors(rig.mesh, face_owner, sources, vertex_owner);
  SkinWeights weights;
  if (!rig.weights.empty())
    for (const Index v : sources) weights.add_row(rig.weights.row(v));
  rig.weights = std::move(weights);
  for (const Index s : vertex_owner) {
    const Vec3f color = s == kNone ? Vec3f(Vec3f::Constant(0.5F)) : colors[s];
    rig.mesh.colors.emplace_back(color.x(), color.y(), color.z(), 1.0F);
  }
  character.materials.clear();
}

}  // namespace

namespace {

// Paints the regions that a function finds on what joints move, in the bind pose.
template <class Function>
void paint_found(Character& character, Findings& warnings, const Function& find) {
  Rig& rig = character.rig;
  if (rig.skeleton.empty()) throw Error("There is no skeleton, so there are no segments or regions to show.");
  const binding::Subject whole = bind_subject(rig, {}, warnings);
  const Skeleton skeleton = with_leaf_ends(rig, whole.joints, whole.bound);
  const ChosenParts chosen = chosen_parts(rig.mesh, plan_parts(rig, whole.bound));
  std::vector<Index> owner(rig.mesh.positions.size(), kNone);
  std::vector<Vec3f> colors;
  std::vector<Index> region;
  if (!chosen.vertices.empty()) {
    const binding::Subject subject{chosen.mesh, skeleton, whole.joints, whole.bound};
    const Segmentation segmentation = find(subject);
    colors = segment_colors(segmentation, geometry::one_rings(chosen.mesh));
    for (std::size_t i = 0; i < chosen.vertices.size(); ++i) owner[chosen.vertices[i]] = segmentation.owner[i];
    region.assign(segmentation.segments.size(), 0);
    for (const Index s : segmentation.owner) ++region[s];
  }
  paint_owners(character, owner, colors, region);
}

}  // namespace

void paint_segments(Character& character, Findings& warnings, const Progress& progress) {
  paint_found(character, warnings,
              [&](const binding::Subject& subject) { return binding::segment(subject, {}, progress); });
}

Segmentation published_regions(const binding::Subject& subject) {
  const binding::BoneTree tree = binding::bone_tree(subject);
  const std::vector<binding::JointRegion> balls = binding::joint_regions(subject.mesh, tree, subject);
  Segmentation regions;
  for (const binding::Bone& bone : tree.bones) regions.segments.push_back({bone.joint, bone.child});
  for (const Index joint : tree.joints) regions.segments.push_back({joint, kNone});
  for (const Vec3& p : subject.mesh.positions) {
    Index owner = 0;
    double nearest = std::numeric_limits<double>::infinity(), inmost = 1;
    for (std::size_t b = 0; b < tree.bones.size(); ++b)
      if (const double d = binding::closest_on_bone(tree.bones[b], p).distance; d < nearest)
        nearest = d, owner = static_cast<Index>(b);
    regions.along.push_back(static_cast<float>(binding::closest_on_bone(tree.bones[owner], p).along));
    for (std::size_t j = 0; j < balls.size(); ++j)
      if (const double d = (p - balls[j].center).norm(); d < inmost * balls[j].radius)
        inmost = d / balls[j].radius, owner = static_cast<Index>(tree.bones.size() + j);
    regions.owner.push_back(owner);
  }
  return regions;
}

void paint_regions(Character& character, Findings& warnings) { paint_found(character, warnings, published_regions); }

void paint_segments(Character& character, const Segmentation& segmentation) {
  std::vector<Index> region(segmentation.segments.size(), 0);
  for (const Index s : segmentation.owner)
    if (s != kNone) ++region[s];
  const std::vector<Vec3f> colors = segment_colors(segmentation, geometry::one_rings(character.rig.mesh));
  paint_owners(character, segmentation.owner, colors, region);
}

}  // namespace sinew::pipeline
