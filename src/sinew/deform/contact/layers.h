// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// Keeps skin below what covers it, such as clothes: a last step after another deformer. Only what is covered moves,
/// inwards, where it is not seen; what covers it stays.
///
/// At binding, a vertex is *covered* if the ray along its normal soon meets another shell that faces the same way. It
/// is paired with the nearest point of that shell, and with the piece of it around that point. In a frame, the nearest
/// point of the piece is searched again. A vertex that is outside, or nearer than a part of the distance at binding,
/// moves in along the shell's normal. The movement fades out towards the rim of the shell, where skin becomes visible,
/// and where the shell has slid away from the vertex. It is evened out along covered skin. Shells that are covered
/// themselves move first. A vertex deep in a closed shell, such as the inner end of an arm in a torso, can come out of
/// any part of it: what is still outside of the whole shell goes back towards where it was relative to it at binding.
///
/// What is outside at binding is left alone. Narrow shells, such as strands of hair, cover nothing, because all of them
/// is near a rim. A frame depends only on its pose, and nothing jumps with it; in the bind pose, and for a mesh
/// without covered vertices, the result is that of the inner deformer, bit for bit. Linear in the covered vertices,
/// each times the triangles of its piece if it comes near the shell.
std::unique_ptr<Deformer> bind_layers(std::unique_ptr<Deformer> inner, const Rig& rig, const Progress& progress = {});

}  // namespace sinew::deform
