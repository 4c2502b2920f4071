// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What glTF has no words for, in `extras.sinew` of the joints' nodes: `driver` of helper joints
/// (docs/formats/drivers.md), and `joint` with the role, the mirror partner and the limits (docs/formats/gltf.md).

#include "sinew/io/gltf/scene.h"

namespace sinew::io::gltf {

/// Reads the drivers of all joints. What does not fit is left out, with a finding (gltf.driver); a driver of an unknown
/// kind is carried along (kOpaque), with a finding too.
Findings read_drivers(const GltfDocument& document, const NodeGraph& graph, Character& character);

/// Sets or removes the drivers of all joints' nodes; whatever else is in their extras stays.
void write_drivers(Json& nodes, const Skeleton& skeleton, const std::vector<Index>& node_of_joint);

/// Reads roles, mirror partners and limits of all joints. What does not fit is left out, with a finding (gltf.joint).
Findings read_joint_extras(const GltfDocument& document, const NodeGraph& graph, Character& character);

/// Sets or removes them; whatever else is in the nodes' extras stays.
void write_joint_extras(Json& nodes, const Skeleton& skeleton, const std::vector<Index>& node_of_joint);

}  // namespace sinew::io::gltf
