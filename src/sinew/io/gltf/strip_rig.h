// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Removes the skeleton from a glTF document, so that another one can be added.

#include "sinew/io/asset.h"

namespace sinew::io {

struct StrippedRig {
  Asset asset;                       ///< As if read from a file that never had the skeleton. Nothing is written yet.
  std::vector<Index> parts;          ///< Per part of it: the part of the given asset that it is.
  std::vector<Index> node_of_joint;  ///< Per joint of the given asset: the node that was kept for it, or kNone.
  std::vector<Index> lost_clips;     ///< Clips of the given asset that moved what is gone: no longer in the document.
};

/// Removes skins, weights and joints from a document. Meshes, cameras and lights that were attached to joints stay
/// where they are in model space; skinned meshes are located where the skin was bound, with vertices and `to_model` as
/// the given asset has them. Nodes of joints to `keep` stay, at the scene's root and bare, so that what names them
/// (tables and springs of VRM) still does when a new skeleton takes them as the `source` of its joints; all other nodes
/// of the skeleton go, with whatever names them, and the report lists that. Clips that move any of these nodes go as
/// well. \pre `asset.document` is a glTF document; one flag per joint.
StrippedRig strip_rig(const Asset& asset, const std::vector<char>& keep, Report& report);

}  // namespace sinew::io
