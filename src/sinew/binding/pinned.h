// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Rows that are given, such as weights painted by hand, as boundary values of new weights. Some binders can take them:
/// those have an entry here beside the one in `binders()`, from the method's own folder.

#include <functional>
#include <string>
#include <vector>

#include "sinew/binding/binder.h"
#include "sinew/binding/subject.h"
#include "sinew/core/weights.h"

namespace sinew::binding {

/// A row that is given. The weights around it are computed so that they fit it.
struct PinnedRow {
  Index vertex = kNone;
  std::vector<Influence> row;  ///< Of bound joints, sum 1.
};

using PinnedBinder = std::function<BindResult(const Subject& subject, const AnyOptions& own, const BindOptions& common,
                                              const std::vector<PinnedRow>& pins, const Progress& progress)>;

/// A binder that takes given rows.
struct PinnedBinderMethod {
  std::string id;  ///< That of the binder.
  PinnedBinder bind;
};

/// All binders that take given rows. Programs can add their own before they bind, as in `binders()`.
std::vector<PinnedBinderMethod>& pinned_binders();

/// Whether the chosen method takes given rows.
bool takes_pins(const MethodChoice& method);

/// Binds with the chosen method, given rows as boundary values. \pre `takes_pins(method)`. \throws as `bind`.
BindResult bind(const MethodChoice& method, const Subject& subject, const std::vector<PinnedRow>& pins,
                const BindOptions& common = {}, const Progress& progress = {});

}  // namespace sinew::binding
