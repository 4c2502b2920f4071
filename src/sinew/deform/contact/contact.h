// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <memory>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// Whether skin stops where it would pass through other skin.
enum class ContactUse { kAuto, kOn, kLimbs, kLayers, kOff };
constexpr auto option_words(ContactUse) { return std::array{"auto", "on", "limbs", "layers", "off"}; }

struct ContactOptions {
  ContactUse use = ContactUse::kAuto;

  /// Whether skin meets skin after any method; a method with a contact of its own does not get another.
  bool after_method() const { return use == ContactUse::kOn || use == ContactUse::kLimbs; }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("contact",
            "Stop skin where it would pass through other skin or through clothes above it: on; limbs, which also stops "
            "joints where limbs meet; layers, which only keeps skin below clothes; off; or auto, which is on for "
            "implicit "
            "skinning and off for all other methods."),
      self.use);
  }
};

/// Applies contact to another deformer: skin that would pass through the skin of another joint is flattened against it.
/// With `kLimbs`, joints stop before that where limbs would pass through each other.
///
/// At binding, each joint gets a field of the flesh around it (`flesh_field.h`). In a frame, fields move rigidly with
/// their joints. With `kLimbs`, joints whose limbs meet first take back a part of their rotation (`give_way.h`), and
/// the inner deformer gets the pose that comes of that. Then every vertex is looked up in the fields of other joints.
/// The vertices of two joints that are inside the flesh of each other vote for one plane between the two: its normal is
/// the mean direction out of the flesh, weighted by depth, and it lies half way out. Vertices of each joint are moved
/// to their own side of it by a monotone function of the distance, so that each side keeps its order. The corrections
/// are evened out along the surface.
///
/// What touches or overlaps at rest is no contact. Two joints that share a bone end meet only on the side to which they
/// are bent. Where skin passes so far through skin that there is no clear way out, its
/// correction fades out. A frame depends only on its pose, and nothing jumps with it; in the bind pose the result is
/// that of the inner deformer, bit for bit. Linear in the vertices times the joints whose boxes hold them.
std::unique_ptr<Deformer> bind_contact(std::unique_ptr<Deformer> inner, const Rig& rig, const Progress& progress = {},
                                       ContactUse use = ContactUse::kOn);

}  // namespace sinew::deform
