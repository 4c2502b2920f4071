// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/curves.h"

#include <fmt/format.h>

#include <array>

#include "sinew/core/workable.h"
#include "sinew/pipeline/characters.h"
#include "sinew/rigging/curves/curve_template.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::pipeline {
namespace {

constexpr std::array<std::array<float, 3>, 8> kCurveColors = {{{0.70F, 0.05F, 0.05F},
                                                               {0.05F, 0.30F, 0.85F},
                                                               {0.05F, 0.45F, 0.08F},
                                                               {0.80F, 0.45F, 0.02F},
                                                               {0.40F, 0.06F, 0.60F},
                                                               {0.02F, 0.50F, 0.50F},
                                                               {0.75F, 0.10F, 0.45F},
                                                               {0.30F, 0.16F, 0.03F}}};
constexpr std::array<float, 3> kTrunkColor = {0.55F, 0.50F, 0.05F};
constexpr std::array<float, 3> kRestColor = {0.45F, 0.45F, 0.45F};

Vec4f color_of(const Curve& curve) {
  const auto& c = !curve.closed                       ? kRestColor
                  : curve.kind == Curve::Kind::kLimb  ? kCurveColors[curve.chain % kCurveColors.size()]
                  : curve.kind == Curve::Kind::kTrunk ? kTrunkColor
                                                      : kRestColor;
  return {c[0], c[1], c[2], 1};
}

void add_lines(Overlay& overlay, std::span<const CurvePoint> points, bool closed, std::span<const Vec3> positions) {
  const std::size_t pieces = points.empty() ? 0 : points.size() - (closed ? 0 : 1);
  for (std::size_t i = 0; i < pieces; ++i)
    overlay.lines.push_back({points[i].at(positions), points[(i + 1) % points.size()].at(positions)});
}

void add_middle_line(Overlay& overlay, const rigging::CurveChain& chain) {
  for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
    overlay.points.push_back(chain.nodes[i].position);
    if (i > 0) overlay.lines.push_back({chain.nodes[i - 1].position, chain.nodes[i].position});
  }
}

/// Appends the nodes of a chain as joints, each the parent of the next.
void add_joints(Skeleton& skeleton, const rigging::CurveChain& chain, Index root, const Vec3& origin,
                const std::string& name) {
  Index parent = root;
  Vec3 from = origin;
  for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
    Joint joint;
    joint.name = fmt::format("{}_{}", name, i + 1);
    joint.parent = parent;
    joint.rest.translation = chain.nodes[i].position - from;
    from = chain.nodes[i].position;
    parent = skeleton.size();
    skeleton.joints.push_back(std::move(joint));
  }
}

}  // namespace

CurvesResult find_curves(const Character& character, const CurvesOptions& options, const Progress& progress) {
  require_workable(character.rig);
  if (character.rig.mesh.face_count() == 0) throw Error("There is no mesh to find curves on.");
  CurvesResult result;
  result.curves = geometry::find_curves(character.rig.mesh, options.curves, progress);
  result.skeleton = rigging::curve_skeleton(result.curves, character.rig.mesh.positions);
  for (const rigging::CurveChain& chain : result.skeleton.limbs)
    result.bends.push_back(rigging::find_bends(chain, options.bends));
  if (const auto match = rigging::choose_template(result.skeleton, rigging::templates())) {
    result.template_name = rigging::templates()[match->index].name;
    result.template_cost = match->cost;
  }
  return result;
}

std::vector<Overlay> curve_overlays(const CurvesResult& result, std::span<const Vec3> positions) {
  std::vector<Overlay> overlays;
  const auto overlay_of = [&](const Curve& curve) -> Overlay& {
    const Vec4f color = color_of(curve);
    for (Overlay& overlay : overlays)
      if (overlay.color == color) return overlay;
    overlays.push_back({});
    overlays.back().name = "curves";
    overlays.back().color = color;
    return overlays.back();
  };
  for (const Curve& curve : result.curves.curves)
    if (curve.count > 1) add_lines(overlay_of(curve), result.curves.of(curve), curve.closed, positions);
  const rigging::CurveSkeleton skeleton = rigging::curve_skeleton(result.curves, positions);
  Overlay middle;
  middle.name = "curves";
  middle.color = Vec4f(0.02F, 0.02F, 0.02F, 1);
  for (const auto* chains : {&skeleton.limbs, &skeleton.trunks})
    for (const rigging::CurveChain& chain : *chains) add_middle_line(middle, chain);
  overlays.push_back(std::move(middle));
  return overlays;
}

void paint_curves(Character& character, const CurvesResult& result) {
  remove_rig(character);
  character.clips.clear();
  character.materials.clear();
  character.images.clear();
  Rig& rig = character.rig;
  rig.mesh.face_materials.clear();
  rig.mesh.colors.assign(rig.mesh.vertex_count(), Vec4f(kRestColor[0], kRestColor[1], kRestColor[2], 1));
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    if (result.curves.curve_of[v] == kNone) continue;
    const Curve& curve = result.curves.curves[result.curves.curve_of[v]];
    Vec4f color = color_of(curve);
    if (curve.closed && curve.order % 2 == 1) color.head<3>() = 0.35F * color.head<3>() + Vec3f::Constant(0.6F);
    rig.mesh.colors[v] = color;
  }
  Joint root;
  root.name = "Curves";
  rig.skeleton.joints = {root};
  Index count = 0;
  for (const rigging::CurveChain& chain : result.skeleton.limbs)
    add_joints(rig.skeleton, chain, 0, Vec3::Zero(), fmt::format("Limb{}", ++count));
  count = 0;
  for (const rigging::CurveChain& chain : result.skeleton.trunks)
    add_joints(rig.skeleton, chain, 0, Vec3::Zero(), fmt::format("Trunk{}", ++count));
}

}  // namespace sinew::pipeline
