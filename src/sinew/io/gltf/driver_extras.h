// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Drivers of helper joints in `extras.sinew.driver` of their nodes. The schema is described in
/// docs/formats/drivers.md.

#include "sinew/io/gltf/scene.h"

namespace sinew::io::gltf {

/// Reads the drivers of all joints. What does not fit is left out, with a finding (gltf.driver); a driver of an unknown
/// kind is carried along (kOpaque), with a finding too.
Findings read_drivers(const GltfDocument& document, const NodeGraph& graph, Character& character);

/// Sets or removes the drivers of all joints' nodes; whatever else is in their extras stays.
void write_drivers(Json& nodes, const Skeleton& skeleton, const std::vector<Index>& node_of_joint);

}  // namespace sinew::io::gltf
