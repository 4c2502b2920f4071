// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What extensions of a document say about its nodes: the tables of VRM 0.x and 1.0, springs and constraints.
/// Specifications: VRMC_vrm, VRMC_springBone, VRMC_node_constraint and VRM of the VRM Consortium.

#include <functional>
#include <string>
#include <vector>

#include "sinew/io/gltf/editor.h"
#include "sinew/io/gltf/scene.h"

namespace sinew::io::gltf {

/// Names the bones of a humanoid in the table the document has, or in a new VRM 1.0 one if it shall be created. Bones
/// of the table that are not among those given go.
void write_humanoid(DocumentEditor& editor, const Humanoid& humanoid, const std::vector<Index>& node_of_joint);

/// Whether a table of VRM names bones of the document.
bool names_humanoid(const Json& json);

/// Gives joints the roles that the document's table of bones names: that of VRM 0.x or 1.0, or that of a VRM animation
/// (VRMC_vrm_animation).
void read_humanoid_roles(const GltfDocument& document, const NodeGraph& graph, Skeleton& skeleton);

/// Marks joints that springs move: those that VRMC_springBone lists, and all below those that VRM 0.x names. What is
/// not as the specification has it counts as absent.
void read_springs(const GltfDocument& document, const NodeGraph& graph, Skeleton& skeleton);

/// The nodes that the table of a VRM animation names: its skeleton, which no skin tells.
std::vector<Index> animated_humanoid(const Json& json);

/// Takes every mention of nodes that are to go out of the extensions that are known. Returns a phrase for each thing
/// that went.
std::vector<std::string> forget_nodes(Json& json, const std::vector<bool>& gone);

/// Calls `visit` with every number of a node: in scenes, children, skins, animations and the extensions that are known.
void visit_node_numbers(Json& json, const std::function<void(Json& number)>& visit);

/// Whether no extension of the document may name nodes in a way that is not known here.
bool node_numbers_are_known(const Json& json);

}  // namespace sinew::io::gltf
