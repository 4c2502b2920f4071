// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Binders compute weights. Each binder has its own options and its own folder, with a function that returns its entry
/// in the registry. A program can add binders:
///
///     BindResult bind_to_root(const Subject&, const NoOptions&, const BindOptions&, const Progress&);
///     binders().add(binder_method("root", "root-only", "Everything follows the root.", bind_to_root));

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/core/error.h"
#include "sinew/core/method.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/registry.h"
#include "sinew/core/report.h"
#include "sinew/core/weights.h"

namespace sinew::binding {

/// Options that all binders have.
struct BindOptions {
  static constexpr int kUsualInfluences = 4;

  std::optional<int> max_influences;  ///< 0: no limit. Empty: `kUsualInfluences`.
  std::optional<int> smooth;          ///< Rounds. Empty: as many as the method needs.

  /// The limit as `cap_row` takes it: 0 for none.
  int influence_limit() const { return max_influences.value_or(kUsualInfluences); }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("max_influences", "Maximum number of joints that move one vertex (0 = no limit). The default is 4.")
          .range(0, 64),
      self.max_influences);
    v(Field("smooth", "Rounds of smoothing of the weights along the surface. The default depends on the method.")
          .range(0, 1000),
      self.smooth);
  }
};

/// The weights of a whole subject, and how they were computed.
struct BindResult {
  SkinWeights weights;  ///< A row for every vertex: of bound joints, positive, at most `max_influences`, sum 1.

  /// How a set of rows was computed: by which method, and why by that one.
  struct Origin {
    std::string method;  ///< Id of a binder, "rigid", "layer", ….
    std::string reason;  ///< A short phrase: "requested", "no face uses the vertex", ….
  };
  std::vector<Origin> origins;
  std::vector<std::uint8_t> origin;  ///< Per vertex: index into `origins`.
  std::vector<float> confidence;     ///< Per vertex, 0 to 1; below 0.5 is worth a look.

  std::vector<Fallback> fallbacks;
  Findings findings;
  Json metrics = Json::object();
};

/// Binds with the options of the method and those that all binders share. \throws Error with the reason if nothing can
/// be bound; Cancelled.
using Binder = std::function<BindResult(const Subject& subject, const AnyOptions& own, const BindOptions& common,
                                        const Progress& progress)>;

/// A binder in the registry.
struct BinderMethod {
  std::string id;      ///< Short name: "voxel".
  std::string name;    ///< Plain name: "geodesic-voxel".
  std::string when;    ///< One line on when to use it.
  AnyOptions options;  ///< The method's own options, with their defaults.
  Binder bind;
};

/// The entry of a binder whose own options are of the type `Options`.
template <class Options>
BinderMethod binder_method(std::string id, std::string name, std::string when,
                           BindResult (*bind)(const Subject&, const Options&, const BindOptions&, const Progress&)) {
  Binder binder = [id, bind](const Subject& subject, const AnyOptions& own, const BindOptions& common,
                             const Progress& progress) {
    if (!own.is<Options>()) throw Error("The options given to the binder '" + id + "' are those of another method.");
    return bind(subject, own.as<Options>(), common, progress);
  };
  return {std::move(id), std::move(name), std::move(when), Options{}, std::move(binder)};
}

/// All binders. Programs can add their own before they bind. Adding one while another thread binds is not safe.
Registry<BinderMethod>& binders();

/// Binds with the chosen method: `bind(MethodChoice(binders(), "auto"), subject)`. \throws Error for an option out of
/// range, and whatever the binder throws.
BindResult bind(const MethodChoice& method, const Subject& subject, const BindOptions& common = {},
                const Progress& progress = {});

}  // namespace sinew::binding
