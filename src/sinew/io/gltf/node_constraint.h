// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Drivers as other programs know them: the extension VRMC_node_constraint 1.0 of VRM, which turns a node by its *roll*
/// (kTwistShare), *aim* (kAim) or *rotation* (kRotationShare) constraint. docs/formats/drivers.md says which drivers it
/// can express.

#include "sinew/io/gltf/editor.h"
#include "sinew/io/gltf/scene.h"

namespace sinew::io::gltf {

inline constexpr const char* kNodeConstraint = "VRMC_node_constraint";

/// The extension's object for the driver of a joint, or null where it cannot express the driver to 1e-9 as long as the
/// source twists by less than half a turn.
Json constraint_json(const Skeleton& skeleton, Index joint, const std::vector<Index>& node_of_joint);

/// Gives a driver to every joint that has none and whose node has a constraint. What cannot be understood, or would
/// close a circle, gets a finding (gltf.constraint) and no driver.
Findings read_constraints(const GltfDocument& document, const NodeGraph& graph, Character& character);

/// Brings the constraints of all joints' nodes to their drivers: sets them where they can be expressed, removes those
/// that hold no longer, and leaves alone those whose drivers are as they were read. Whatever constraints could not be
/// understood stay until their joints get drivers. `document` is what the editor edits; a fresh one had no joints.
void write_constraints(DocumentEditor& editor, const GltfDocument& document, const Skeleton& skeleton,
                       const std::vector<Index>& node_of_joint, bool fresh);

}  // namespace sinew::io::gltf
