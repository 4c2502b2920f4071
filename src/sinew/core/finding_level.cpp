// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/finding_level.h"

#include <algorithm>
#include <array>

namespace sinew {
namespace {

// Nothing is lost that a character needs, or a method did by itself what it is documented to do.
constexpr std::array kNotes = {
    std::string_view("animate.rest_frame"),
    std::string_view("assimp.clip_speed"),
    std::string_view("assimp.not_a_surface"),
    std::string_view("assimp.opacity"),
    std::string_view("assimp.short_face"),
    std::string_view("assimp.split_vertices"),
    std::string_view("assimp.texture_type"),
    std::string_view("bvh.no_mesh"),
    std::string_view("deform.first_clip"),
    std::string_view("deform.reduced"),
    std::string_view("deform.retargeted"),
    std::string_view("fbx.morph_weights"),
    std::string_view("gltf.dropped_tangents"),
    std::string_view("gltf.empty_part"),
    std::string_view("gltf.extra_chunk"),
    std::string_view("gltf.kept_nodes"),
    std::string_view("gltf.not_a_surface"),
    std::string_view("gltf.trailing_bytes"),
    std::string_view("gltf.triangulated"),
    std::string_view("helpers.reduced"),
    std::string_view("helpers.wide_blend"),
    std::string_view("joints.unsettled"),
    std::string_view("mtl.texture_option"),
    std::string_view("obj.not_read"),
    std::string_view("obj.short_face"),
    std::string_view("obj.texture_type"),
    std::string_view("obj.unknown_statement"),
    std::string_view("off.short_face"),
    std::string_view("ply.not_read"),
    std::string_view("ply.short_face"),
    std::string_view("render.time"),
    std::string_view("rig.gathered"),
    std::string_view("rig.left_out"),
    std::string_view("rig.new_document"),
    std::string_view("rig.not_proven"),
    std::string_view("rig.one_character"),
    std::string_view("rig.pieces"),
    std::string_view("rig.preset_rest"),
    std::string_view("rig.props"),
    std::string_view("rig.turned"),
    std::string_view("rigging.extras_rigid"),
    std::string_view("rigging.no_fingers"),
    std::string_view("shells.loose"),
    std::string_view("skeleton.axes_kept"),
    std::string_view("vertex_order"),
    std::string_view("voxel.undecided"),
    std::string_view("weights.no_partner"),
};

constexpr std::array kDoubts = {
    std::string_view("rig.doubtful"),
    std::string_view("rig.generic_doubtful"),
    std::string_view("transfer.skeleton_doubtful"),
};

}  // namespace

FindingLevel finding_level(std::string_view code) {
  if (std::find(kNotes.begin(), kNotes.end(), code) != kNotes.end()) return FindingLevel::kNote;
  return std::find(kDoubts.begin(), kDoubts.end(), code) != kDoubts.end() ? FindingLevel::kDoubt
                                                                          : FindingLevel::kWarning;
}

std::string_view level_name(FindingLevel level) {
  return level == FindingLevel::kNote ? "note" : level == FindingLevel::kWarning ? "warning" : "doubt";
}

bool has_level(const Findings& findings, FindingLevel least) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& finding) { return finding_level(finding.code) >= least; });
}

}  // namespace sinew
