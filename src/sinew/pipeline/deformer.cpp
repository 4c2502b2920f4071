// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/deformer.h"

#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/workable.h"
#include "sinew/deform/blend/slbs.h"
#include "sinew/deform/blend/twist_field.h"
#include "sinew/deform/contact/layers.h"
#include "sinew/deform/contact/shared_motion.h"
#include "sinew/deform/implicit/implicit.h"
#include "sinew/deform/limited.h"
#include "sinew/io/cache.h"
#include "sinew/pipeline/never_worse.h"
#include "sinew/pipeline/range_of_motion.h"
#include "sinew/pipeline/segment_rig.h"

namespace sinew::pipeline {
namespace {

/// What a key is made of. Numbers of vectors and matrices count one after the other.
class RigHasher {
 public:
  template <class T>
  void list(const std::vector<T>& values) {
    static_assert(sizeof(T) % sizeof(Index) == 0);
    hasher_.add(std::as_bytes(std::span(values)));
  }
  template <class Matrix>
  void matrix(const Matrix& values) {
    hasher_.add(std::as_bytes(std::span(values.data(), static_cast<std::size_t>(values.size()))));
  }
  template <class T>
  void number(const T& value) {
    hasher_.add(value);
  }

  void mesh(const Mesh& mesh) {
    list(mesh.positions), list(mesh.face_offsets), list(mesh.face_vertices);
    number(mesh.parts.size());
    for (const MeshPart& part : mesh.parts) {
      number(part.first_vertex), number(part.vertex_count), number(part.first_face), number(part.face_count);
      number(part.skin);
    }
  }

  void skeleton(const Skeleton& skeleton) {
    number(skeleton.size());
    for (const Joint& joint : skeleton.joints) {
      number(joint.parent), matrix(joint.rest.matrix()), matrix(joint.shear);
      number(joint.end_local.has_value()), matrix(joint.end_local.value_or(Vec3::Zero()));
    }
  }

  void weights(const SkinWeights& weights) {
    std::vector<Index> lengths;
    std::vector<Influence> influences;
    for (Index v = 0; v < weights.row_count(); ++v) {
      lengths.push_back(static_cast<Index>(weights.row(v).size()));
      influences.insert(influences.end(), weights.row(v).begin(), weights.row(v).end());
    }
    list(lengths), list(influences);
  }

  void skins(const std::vector<Skin>& skins) {
    number(skins.size());
    for (const Skin& skin : skins) list(skin.joints), list(skin.inverse_bind);
  }

  /// Nothing if there is nothing.
  void by_hand(std::span<const Index> owners, const PartSamples* samples,
               std::span<const std::optional<Tissue>> tissues = {}) {
    for (const std::optional<Tissue>& tissue : tissues) {
      const Tissue value = tissue.value_or(Tissue{-1, -1, -1});
      number(value.stiffness), number(value.damping), number(value.rigid);
    }
    if (!owners.empty()) hasher_.add(std::as_bytes(owners));
    if (samples == nullptr) return;
    for (const auto& [name, list] : *samples) {
      hasher_.add(std::string_view(name));
      for (const SurfaceSample& sample : list) matrix(sample.point), matrix(sample.normal);
    }
  }

  std::string key() { return hasher_.key(); }

 private:
  io::KeyHasher hasher_;
};

/// Names prepared bytes by all that they are made from.
std::string key_of(const deform::DeformerMethod& method, const Rig& rig, const deform::MethodInputs& inputs,
                   const AnyOptions& options) {
  RigHasher hasher;
  hasher.number(std::string_view(method.id));
  hasher.number(method.prepare_version);
  AnyOptions copy = options;
  const OptionList list = copy.list();
  for (const std::string& name : method.prepare_options)
    hasher.number(std::string_view(name)), hasher.number(std::string_view(list.find(name)->get().dump()));
  hasher.mesh(rig.mesh), hasher.skeleton(rig.skeleton), hasher.weights(rig.weights), hasher.skins(rig.skins);
  hasher.by_hand(inputs.owners, inputs.samples);
  return hasher.key();
}

/// The user's cache alone, unless the caller brings more.
std::shared_ptr<PreparedStore> store_of(const DeformerOptions& options) {
  return options.prepared ? options.prepared : std::make_shared<PreparedStore>();
}

/// What the method prepares, from the store, else made and kept there.
std::vector<std::byte> prepared(const deform::DeformerMethod& method, const Rig& rig,
                                const deform::MethodInputs& inputs, const AnyOptions& options, PreparedStore& store,
                                const Progress& progress) {
  if (!method.prepare) return {};
  if (!store.active()) return method.prepare(rig, inputs, options, progress);
  const std::string key = key_of(method, rig, inputs, options);
  if (auto bytes = store.find(method.id, key, [&](std::span<const std::byte> found) {
        return !method.accepts_prepared || method.accepts_prepared(rig, found);
      }))
    return *std::move(bytes);
  std::vector<std::byte> bytes = method.prepare(rig, inputs, options, progress);
  progress.check();
  if (!bytes.empty()) store.add(method.id, key, bytes);
  return bytes;
}

/// A deformer that others use as well.
class Borrowed final : public deform::Deformer {
 public:
  explicit Borrowed(std::shared_ptr<const Deformer> deformer) : deformer_(std::move(deformer)) {}
  std::unique_ptr<State> make_state() const override { return deformer_->make_state(); }
  bool needs_history() const override { return deformer_->needs_history(); }
  void deform(State& state, const deform::FrameInput& input, const deform::FrameOutput& output) const override {
    deformer_->deform(state, input, output);
  }
  std::vector<Overlay> overlays(State& state, const deform::FrameInput& input) const override {
    return deformer_->overlays(state, input);
  }

 private:
  std::shared_ptr<const Deformer> deformer_;
};

constexpr std::uint32_t kLimitsVersion = 8;

/// With a margin for poses between those that are tried.
measure::SurfaceLimits limits_with_margin() {
  measure::SurfaceLimits limits;
  limits.stretch = 1.05;
  return limits;
}

/// Keeps limits as prepared data: by what they are for, the method and its options, and the rig.
class LimitStore {
 public:
  LimitStore(const Rig& rig, const DeformerOptions& options)
      : rig_(rig), options_(options), store_(store_of(options)) {}

  /// What was kept, if `read` can use it, else what `find` makes.
  template <class Result, class Read, class Find>
  Result get(std::string_view what, std::string_view settings, const Read& read, const Find& find) const {
    if (!store_->active()) return find();
    RigHasher hasher;
    hasher.number(std::string_view("limits")), hasher.number(kLimitsVersion);
    hasher.number(what), hasher.number(settings);
    hasher.mesh(rig_.mesh), hasher.skeleton(rig_.skeleton), hasher.weights(rig_.weights), hasher.skins(rig_.skins);
    hasher.by_hand(options_.owners, &options_.samples, options_.tissues);
    const std::string key = hasher.key(), method = options_.method.id();
    std::optional<Result> kept;
    store_->find(method, key, [&](std::span<const std::byte> bytes) { return (kept = read(bytes)).has_value(); });
    if (kept) return *std::move(kept);
    Result found = find();
    store_->add(method, key, to_bytes(found));
    return found;
  }

  CorrectionLimits correction(std::string_view what, const std::function<CorrectionLimits()>& find) const {
    return get<CorrectionLimits>(
        what, settings(), [&](std::span<const std::byte> bytes) { return read_correction(bytes); }, find);
  }

  TwistLimits twists(const std::function<TwistLimits()>& find) const {
    return get<TwistLimits>(
        "twists", "", [&](std::span<const std::byte> bytes) { return read_twists(bytes); }, find);
  }

 private:
  /// The method with its options and the version of its data, as text.
  std::string settings() const {
    DeformerOptions copy = options_;
    const deform::DeformerMethod& method = deform::deformers().find(options_.method.id());
    Json json = OptionList(copy).to_json();
    for (const std::string& name : method.unlimited_options) json[method.id].erase(name);
    return std::to_string(method.prepare_version) + json.dump();
  }

  static std::vector<double> numbers_of(std::span<const std::byte> bytes) {
    std::vector<double> numbers(bytes.size() / sizeof(double));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
    return numbers;
  }

  static std::vector<std::byte> bytes_of(const std::vector<double>& numbers) {
    const auto raw = std::as_bytes(std::span(numbers));
    return {raw.begin(), raw.end()};
  }

  /// How many joints are reduced, each with what it keeps; then the rest.
  static std::vector<double> reduced_numbers(const std::vector<ReducedJoint>& reduced) {
    std::vector<double> numbers = {static_cast<double>(reduced.size())};
    for (const ReducedJoint& joint : reduced) {
      numbers.push_back(static_cast<double>(joint.joint));
      numbers.push_back(joint.kept);
    }
    return numbers;
  }

  /// The numbers that `reduced_numbers` made, from the front of a list; false if they are damaged.
  bool take_reduced(std::vector<double>& numbers, std::vector<ReducedJoint>& reduced) const {
    if (numbers.empty() || !(numbers[0] >= 0 && numbers[0] <= rig_.skeleton.size())) return false;
    const auto count = static_cast<std::size_t>(numbers[0]);
    if (numbers.size() < 1 + 2 * count) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (!(numbers[1 + 2 * i] >= 0 && numbers[1 + 2 * i] < rig_.skeleton.size())) return false;
      reduced.push_back({static_cast<Index>(numbers[1 + 2 * i]), numbers[2 + 2 * i]});
    }
    numbers.erase(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(1 + 2 * count));
    return true;
  }

  static std::vector<std::byte> to_bytes(const CorrectionLimits& limits) {
    std::vector<std::byte> bytes = bytes_of(reduced_numbers(limits.reduced));
    const std::vector<std::byte> more = limits.limits.bytes();
    bytes.insert(bytes.end(), more.begin(), more.end());
    return bytes;
  }

  static std::vector<std::byte> to_bytes(const TwistLimits& limits) {
    std::vector<double> numbers = reduced_numbers(limits.reduced);
    numbers.insert(numbers.end(), limits.factors.begin(), limits.factors.end());
    return bytes_of(numbers);
  }

  std::optional<CorrectionLimits> read_correction(std::span<const std::byte> bytes) const {
    std::vector<double> numbers = numbers_of(bytes);
    std::vector<ReducedJoint> reduced;
    if (!take_reduced(numbers, reduced)) return std::nullopt;
    auto limits = deform::PoseLimits::read(rig_.skeleton, RangePoses(rig_).start().joints, rig_.mesh.vertex_count(),
                                           bytes_of(numbers));
    if (!limits) return std::nullopt;
    return CorrectionLimits{*std::move(limits), std::move(reduced)};
  }

  std::optional<TwistLimits> read_twists(std::span<const std::byte> bytes) const {
    std::vector<double> numbers = numbers_of(bytes);
    TwistLimits limits;
    if (!take_reduced(numbers, limits.reduced) || numbers.size() != rig_.skeleton.size()) return std::nullopt;
    for (const double number : numbers) {
      if (!(number >= 0 && number <= 1)) return std::nullopt;
      limits.factors.push_back(static_cast<float>(number));
    }
    return limits;
  }

  const Rig& rig_;
  const DeformerOptions& options_;
  std::shared_ptr<PreparedStore> store_;
};

void add(Findings& findings, const Findings& more) { findings.insert(findings.end(), more.begin(), more.end()); }

/// How much of the twists of joints may be spread.
std::vector<float> twist_limits(const Rig& rig, const DeformerOptions& options, const Segmentation& segmentation,
                                Findings& findings, const Progress& progress) {
  TwistLimits limits = LimitStore(rig, options).twists([&] {
    const auto base = deform::bind("lbs", rig, {}, progress);
    return limit_twists(
        rig, *base, deform::limb_twists(rig, segmentation),
        [&](std::span<const float> factors) { return deform::bind_slbs(rig, segmentation, {}, progress, factors); },
        progress);
  });
  add(findings, describe(limits.reduced, rig.skeleton, "twists"));
  return std::move(limits.factors);
}

using Bind =
    std::function<std::unique_ptr<deform::Deformer>(const deform::PoseLimits* limits, bool without_correction)>;

std::unique_ptr<deform::Deformer> guard_method(const Rig& rig, const DeformerOptions& options,
                                               const std::string& base_id, const Bind& bind, Findings& findings,
                                               const Progress& progress) {
  const deform::DeformerMethod& method = deform::deformers().find(options.method.id());
  if (method.limited_by == deform::LimitedBy::kJoints) return bind(nullptr, false);
  const LimitStore store(rig, options);
  const auto base = deform::bind(base_id, rig, {}, progress);
  std::unique_ptr<deform::Deformer> bound;
  if (method.limited_by == deform::LimitedBy::kVertices) {
    const CorrectionLimits inside = store.correction("inside", [&] {
      return limit_correction(rig, *base, *bind(nullptr, true), *bind(nullptr, false), limits_with_margin(), progress,
                              true, false);
    });
    add(findings, describe(inside.reduced, rig.skeleton, method.id));
    bound = bind(&inside.limits, false);
  } else {
    bound = bind(nullptr, false);
  }
  // At twists, what the method starts from is not the base, and mixing with the base would collapse the skin.
  const bool starts_elsewhere = method.limited_by == deform::LimitedBy::kVertices;
  std::unique_ptr<deform::Deformer> from = starts_elsewhere ? bind(nullptr, true) : nullptr;
  // Limits are found for what the guard leaves, so that they hold for the result.
  bound = deform::bind_guarded(
      std::move(bound), starts_elsewhere ? bind(nullptr, true) : deform::bind(base_id, rig, {}, progress), rig.mesh);
  CorrectionLimits outside = store.correction("outside", [&] {
    return limit_correction(rig, *base, starts_elsewhere ? *from : *base, *bound, limits_with_margin(), progress);
  });
  if (!outside.limits.any()) return bound;
  if (!starts_elsewhere) {
    add(findings, describe(outside.reduced, rig.skeleton, method.id));
    from = deform::bind(base_id, deform::rig_of_vertices(rig, outside.limits.vertices()), {}, progress);
  }
  return deform::bind_limited(std::move(bound), std::move(from), std::move(outside.limits), starts_elsewhere);
}

std::optional<deform::PoseLimits> mush_limits(const Rig& rig, const DeformerOptions& options,
                                              const deform::Deformer& bound, Findings& findings,
                                              const Progress& progress) {
  CorrectionLimits limits = LimitStore(rig, options).correction("delta mush", [&] {
    const auto whole =
        bind_delta_mush(std::make_unique<Borrowed>(std::shared_ptr<const deform::Deformer>(&bound, [](const auto*) {})),
                        rig, options.delta_mush, progress);
    return limit_correction(rig, bound, bound, *whole, limits_with_margin(), progress);
  });
  add(findings, describe(limits.reduced, rig.skeleton, "delta mush"));
  return std::move(limits.limits);
}

/// Contact flattens skin and sharpens creases, and takes the volume away that two skins have in common. So only more
/// stretched edges, skin that is turned over, and more intersections make it worse.
measure::SurfaceLimits contact_limits() {
  measure::SurfaceLimits limits;
  limits.stretch = 1.3;
  limits.free_stretch = limits.free_near_stretch = 2;
  limits.fold_rad = 0.95 * kPi;
  limits.roughness = limits.near_roughness = 1e6;
  return limits;
}

/// Implicit skinning has a contact of its own.
bool has_own_contact(const DeformerOptions& options) { return options.method.options().is<deform::ImplicitOptions>(); }

bool needs_contact(const DeformerOptions& options) {
  return options.contact.after_method() && !has_own_contact(options);
}

bool needs_layers(const DeformerOptions& options) {
  return options.contact.use == deform::ContactUse::kLayers || needs_contact(options);
}

/// Skin that meets skin first, so that what it moves stays below clothes as well.
std::unique_ptr<deform::Deformer> contact_stages(const Rig& rig, const DeformerOptions& options,
                                                 std::unique_ptr<deform::Deformer> bound, const Progress& progress) {
  if (needs_contact(options)) {
    bound = deform::bind_contact(std::move(bound), rig, progress, options.contact.use);
    bound = deform::bind_shared_motion(std::move(bound), rig, progress);
  }
  return deform::bind_layers(std::move(bound), rig, progress);
}

std::unique_ptr<deform::Deformer> guard_contact(const Rig& rig, const DeformerOptions& options,
                                                std::unique_ptr<deform::Deformer> bound, Findings& findings,
                                                const Progress& progress) {
  std::shared_ptr<deform::Deformer> base = std::move(bound);
  auto stage = contact_stages(rig, options, std::make_unique<Borrowed>(base), progress);
  CorrectionLimits limits = LimitStore(rig, options).correction("contact 6", [&] {
    return limit_correction(rig, *base, *base, *stage, contact_limits(), progress, false, false);
  });
  add(findings, describe(limits.reduced, rig.skeleton, "contact"));
  if (!limits.limits.any()) return stage;
  return deform::bind_limited(std::move(stage), std::make_unique<Borrowed>(base), std::move(limits.limits), true);
}

}  // namespace

bool DeformerOptions::plain() const {
  return deform::deformers().find(method.id()).in_engines && !delta_mush.enabled && !needs_layers(*this);
}

bool uses_parts(const DeformerOptions& options) {
  const deform::DeformerMethod& method = deform::deformers().find(options.method.id());
  return method.needs && method.needs(options.method.options()).parts;
}

DeformerOptions deformer(std::string_view method, AnyOptions options) {
  DeformerOptions chosen;
  chosen.method.choose(method);
  if (!options.is<NoOptions>()) chosen.method.options() = std::move(options);
  return chosen;
}

namespace {

/// \throws Error if there is something by hand that the method cannot use.
void check_by_hand(const Rig& rig, const DeformerOptions& options, bool uses_parts, bool uses_examples,
                   bool uses_tissues) {
  if (!options.tissues.empty() && !uses_tissues)
    throw Error("The method '" + options.method.id() + "' does not use materials; the method 'pbd' does.");
  if (!options.examples.empty() && !uses_examples)
    throw Error("The method '" + options.method.id() + "' does not use example shapes; the method 'ode' does.");
  for (const std::vector<Vec3>& shape : options.examples)
    if (shape.size() != rig.mesh.positions.size())
      throw Error("An example shape has " + std::to_string(shape.size()) + " vertices, but the mesh has " +
                  std::to_string(rig.mesh.positions.size()) + ".");
  if (options.owners.empty() && options.samples.empty()) return;
  if (!uses_parts)
    throw Error("The method '" + options.method.id() +
                "' does not divide the skin into parts. Owners and samples are for the method 'implicit'.");
  if (!options.owners.empty() && options.owners.size() != rig.mesh.positions.size())
    throw Error("There are owners for " + std::to_string(options.owners.size()) + " vertices, but the mesh has " +
                std::to_string(rig.mesh.positions.size()) + ".");
  for (const Index joint : options.owners)
    if (joint != kNone && joint >= rig.skeleton.size()) throw Error("An owner is not a joint of the skeleton.");
}

/// The joint whose bone owns each vertex by the shape of the skin.
std::vector<Index> owners_by_shape(const Rig& rig, Findings& findings, const Progress& progress) {
  progress.step("segmenting");
  const Segmentation segmentation = segment_rig(rig, findings, progress);
  std::vector<Index> owners;
  for (const Index owner : segmentation.owner)
    owners.push_back(owner == kNone ? kNone : segmentation.segments[owner].joint);
  return owners;
}

}  // namespace

std::unique_ptr<deform::Deformer> bind_deformer(const Rig& rig, const DeformerOptions& options, Findings& findings,
                                                const Progress& progress) {
  const deform::DeformerMethod& method = deform::deformers().find(options.method.id());
  AnyOptions own = options.method.options();
  if (has_own_contact(options) && options.contact.use == deform::ContactUse::kOff)
    own.as<deform::ImplicitOptions>().contact = false;
  own.validate();
  // Without a mesh or joints there is nothing to segment, and every method does the same.
  const bool anything = !rig.mesh.positions.empty() && !rig.skeleton.empty();
  // Plain blends need no surface, and work on whatever is finite.
  if (anything &&
      (method.needs || method.corrects || method.prepare || options.delta_mush.enabled || needs_layers(options)))
    require_workable(rig);
  Segmentation segmentation;
  deform::MethodInputs inputs;
  if (method.needs && method.needs(own).segmentation) {
    if (anything) {
      progress.step("segmenting");
      segmentation = segment_by_weights(rig, findings, progress);
    }
    inputs.segmentation = &segmentation;
  }
  const deform::MethodNeeds needs = method.needs ? method.needs(own) : deform::MethodNeeds{};
  check_by_hand(rig, options, needs.parts, method.uses_examples, needs.tissues);
  inputs.examples = options.examples;
  inputs.tissues = options.tissues;
  std::vector<Index> owners = options.owners;
  if (owners.empty() && needs.owners && anything) owners = owners_by_shape(rig, findings, progress);
  inputs.owners = owners;
  inputs.samples = options.samples.empty() ? nullptr : &options.samples;
  const bool guarded = anything && options.never_worse && !rig.weights.empty();
  std::vector<float> twist_factors;
  if (guarded && method.needs && method.needs(own).twist_factors)
    twist_factors = twist_limits(rig, options, segmentation, findings, progress);
  inputs.twist_factors = twist_factors;
  const std::vector<std::byte> bytes = prepared(method, rig, inputs, own, *store_of(options), progress);
  inputs.prepared = bytes;
  const Bind bind = [&](const deform::PoseLimits* limits, bool without_correction) {
    deform::MethodInputs limited = inputs;
    limited.limits = limits;
    limited.without_correction = without_correction;
    return deform::bind(method.id, rig, own, progress, limited);
  };
  const std::string base = method.corrects ? method.corrects(own) : "";
  std::unique_ptr<deform::Deformer> bound =
      guarded && !base.empty() ? guard_method(rig, options, base, bind, findings, progress) : bind(nullptr, false);
  if (options.delta_mush.enabled) {
    std::optional<deform::PoseLimits> limits;
    if (guarded) limits = mush_limits(rig, options, *bound, findings, progress);
    bound = bind_delta_mush(std::move(bound), rig, options.delta_mush, progress, std::move(limits));
  }
  if (!anything || !needs_layers(options)) return bound;
  if (guarded) return guard_contact(rig, options, std::move(bound), findings, progress);
  return contact_stages(rig, options, std::move(bound), progress);
}

}  // namespace sinew::pipeline
