// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Methods that a user chooses by name, such as binders and deformers, own their options. A registry entry holds a
/// default object of them as `AnyOptions`; a `MethodChoice` among the options of a command holds the chosen id and the
/// options of every method of that kind.

#include <cassert>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "sinew/core/options.h"
#include "sinew/core/registry.h"

namespace sinew {

/// The options of a method that has none.
struct NoOptions {
  template <class Self, class Visitor>
  static void visit(Self&, Visitor&&) {}
};

/// An options object of any type; a value like the object itself.
class AnyOptions {
 public:
  AnyOptions() : AnyOptions(NoOptions{}) {}

  template <class Options>
  requires(!std::same_as<std::remove_cvref_t<Options>, AnyOptions>) AnyOptions(Options options)
      : held_(std::make_unique<Held<Options>>(std::move(options))) {}

  AnyOptions(const AnyOptions& other) : held_(other.held_->clone()) {}
  AnyOptions(AnyOptions&&) noexcept = default;
  AnyOptions& operator=(const AnyOptions& other) {
    held_ = other.held_->clone();
    return *this;
  }
  AnyOptions& operator=(AnyOptions&&) noexcept = default;

  template <class Options>
  bool is() const {
    return held_->type() == typeid(Options);
  }

  bool same_type(const AnyOptions& other) const { return held_->type() == other.held_->type(); }

  /// \pre `is<Options>()`.
  template <class Options>
  const Options& as() const {
    assert(is<Options>());
    return static_cast<const Held<Options>&>(*held_).options;
  }
  template <class Options>
  Options& as() {
    assert(is<Options>());
    return static_cast<Held<Options>&>(*held_).options;
  }

  /// The fields of the held object. Valid as long as this object lives and is not assigned to.
  OptionList list() { return held_->list(); }

  /// \throws Error if a value does not fit its field.
  void validate() const { held_->list().validate(); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::unique_ptr<Base> clone() const = 0;
    virtual const std::type_info& type() const = 0;
    virtual OptionList list() = 0;
  };
  template <class Options>
  struct Held : Base {
    explicit Held(Options value) : options(std::move(value)) {}
    std::unique_ptr<Base> clone() const override { return std::make_unique<Held>(options); }
    const std::type_info& type() const override { return typeid(Options); }
    OptionList list() override { return OptionList(options); }
    Options options;
  };

  std::unique_ptr<Base> held_;
};

/// A method of a registry by its id, with the options of all of them: what a user sets stays with the method it is for.
class MethodChoice {
 public:
  /// One method to choose from.
  struct Candidate {
    std::string id, name, when;
    AnyOptions options;
  };

  MethodChoice() = default;

  /// Chooses the entry `word` of a registry whose entries have `id`, `name`, `when` and `options`. \throws Error if
  /// there is none of that name.
  template <class Entry>
  MethodChoice(const Registry<Entry>& registry, std::string_view word) : kind_(registry.kind()) {
    for (const Entry& entry : registry.entries())
      candidates_.push_back({entry.id, entry.name, entry.when, entry.options});
    choose(word);
  }

  /// The same with the options of the chosen method.
  template <class Entry>
  MethodChoice(const Registry<Entry>& registry, std::string_view word, AnyOptions options)
      : MethodChoice(registry, word) {
    this->options() = std::move(options);
  }

  const std::string& id() const { return id_; }
  const std::vector<Candidate>& candidates() const { return candidates_; }

  /// Chooses by id or plain name. \throws Error that lists the methods.
  void choose(std::string_view word);

  /// The options of the chosen method.
  const AnyOptions& options() const { return candidate().options; }
  AnyOptions& options() { return const_cast<AnyOptions&>(candidate().options); }

 private:
  friend class OptionList;
  const Candidate& candidate() const;

  std::string kind_;
  std::string id_;
  std::vector<Candidate> candidates_;
};

}  // namespace sinew
