// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <memory>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// Whether skin stops where it would pass through other skin.
enum class ContactUse { kAuto, kOn, kOff };
constexpr auto option_words(ContactUse) { return std::array{"auto", "on", "off"}; }

struct ContactOptions {
  ContactUse use = ContactUse::kAuto;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("contact",
            "Stop skin where it would pass through other skin: on, off, or auto, which is on for implicit skinning and "
            "off for all other methods."),
      self.use);
  }
};

/// Applies contact after another deformer: skin that would pass through the skin of another joint is flattened against
/// it.
///
/// At binding, each joint gets a field of the flesh around it (`flesh_field.h`). In a frame, fields move rigidly with
/// their joints, and every vertex is looked up in the fields of other joints. The vertices of two joints that are
/// inside the flesh of each other vote for one plane between the two: its normal is the mean direction out of the
/// flesh, weighted by depth, and it lies half way out. Vertices of each joint are moved to their own side of it by a
/// monotone function of the distance, so that each side keeps its order. The corrections are evened out along the
/// surface.
///
/// What touches or overlaps at rest is no contact. Two joints that share a bone end meet only on the side to which they
/// are bent. Where limbs pass through each other so far that there is no clear way out, the correction fades out. A
/// frame depends only on its pose, and nothing jumps with it; in the bind pose the result is that of the inner
/// deformer, bit for bit. Linear in the vertices times the joints whose boxes hold them.
std::unique_ptr<Deformer> bind_contact(std::unique_ptr<Deformer> inner, const Rig& rig, const Progress& progress = {});

}  // namespace sinew::deform
