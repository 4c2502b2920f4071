// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sinew/core/method.h"
#include "sinew/core/progress.h"
#include "sinew/core/surface_sample.h"
#include "sinew/deform/blend/delta_mush.h"
#include "sinew/deform/contact/contact.h"
#include "sinew/deform/deformer.h"
#include "sinew/pipeline/prepared_store.h"

namespace sinew::pipeline {

/// How the skin follows the joints.
struct DeformerOptions {
  MethodChoice method{deform::deformers(), "lbs"};
  deform::DeltaMushOptions delta_mush;
  deform::ContactOptions contact;
  bool never_worse = true;
  std::vector<Index> owners;  ///< By hand: the joint that owns each vertex of the mesh, or kNone. Empty: none.
  PartSamples samples;        ///< By hand: samples of the shapes that joints move.

  std::vector<std::vector<Vec3>> examples;  ///< By hand: shapes of the mesh in poses.

  std::vector<std::optional<Tissue>> tissues;  ///< By hand: what each vertex is made of, where painted. Empty: none.

  std::shared_ptr<PreparedStore> prepared;  ///< Where prepared data is found and kept. Null: the user's cache.

  /// Whether engines produce the same result by themselves, so that nothing has to be baked.
  bool plain() const;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("method", "How the skin follows the joints.").as("METHOD"), self.method);
    deform::DeltaMushOptions::visit(self.delta_mush, v);
    deform::ContactOptions::visit(self.contact, v);
    v(Field("never_worse",
            "Reduce the corrections of a method, of delta mush and of contact where they would make the surface worse "
            "than "
            "that of the base method."),
      self.never_worse);
  }
};

/// A method with options set in code: `deformer("pbd", pbd_options)`. `NoOptions` selects the method's defaults.
/// \throws Error if the deformer is unknown.
DeformerOptions deformer(std::string_view method, AnyOptions options = {});

/// Whether the method divides the skin into parts, whose owners and samples a person may give.
bool uses_parts(const DeformerOptions& options);

/// Binds a deformer to a rig, with everything that the method requires. The segmentation is computed here. Data that
/// the method prepares is read from `prepared` or the user's cache if present; otherwise it is computed and stored
/// there
/// (`PreparedStore`). So are the limits that keep a corrected method, delta mush and contact from making the surface
/// worse than its base does (`limit_correction`), unless `never_worse` is off. Problems, and the joints where a
/// correction is reduced, are appended to `findings`. \throws Error as `deform::bind`, or if there are owners, samples,
/// tissues or examples by hand that the method does not use or that do not fit the rig; Cancelled.
std::unique_ptr<deform::Deformer> bind_deformer(const Rig& rig, const DeformerOptions& options, Findings& findings,
                                                const Progress& progress = {});

}  // namespace sinew::pipeline
