// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Methods that transfer weights from one character to another. Each method owns its options and has its own file;
/// `methods()` lists them all.

#include <any>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/method.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/registry.h"
#include "sinew/core/report.h"
#include "sinew/transfer/characters.h"

namespace sinew::transfer {

struct Relation;

/// The options that all methods have.
struct TransferOptions {
  std::optional<int> max_influences;  ///< Absent: 4. 0: no limit.
  int smooth = 0;

  /// The limit that holds: `max_influences`, or 4 if it is absent.
  int influence_limit() const { return max_influences.value_or(4); }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("max_influences", "Maximum number of joints that may move one vertex; 0 for no limit, 4 if absent.")
          .range(0, 64),
      self.max_influences);
    v(Field("smooth", "Number of rounds of smoothing the weights along the surface.").range(0, 1000), self.smooth);
  }
};

/// How a row was made, from best to worst.
enum class Level : std::uint8_t {
  kMatched = 0,    ///< As intended.
  kWidened = 1,    ///< By a cone of twice the angle.
  kInside = 2,     ///< From a position inside the reference, because the bone is outside its skin there.
  kInpainted = 3,  ///< Spread along the target's surface from the rows around.
  kCopied = 4,     ///< From the nearest row of another shell.
};
inline constexpr std::size_t kLevels = 5;

/// Connected vertices of a target that match nothing of the reference; their rows come from around them.
struct UnmatchedRegion {
  Index vertices = 0;
  Vec3 center = Vec3::Zero();
  Index joint = kNone;  ///< The joint of the reference with the most weight there.
};

/// New weights for a target, and how far they can be trusted.
struct WeightTransfer {
  SkinWeights weights;  ///< A row per vertex of the target, of joints of the *reference*: positive, sum 1, capped.
  /// The same rows of joints of the target, from methods that also use joints without a partner; empty from others.
  SkinWeights target_rows;
  std::vector<Level> level;
  std::vector<float> confidence;   ///< 0 to 1; below 0.5 is worth a look.
  std::vector<float> hits;         ///< Per vertex: share of its rays that met something. Empty for methods without.
  std::uint64_t rays = 0;          ///< That were traced, counted by the tracer.
  std::uint64_t vertex_bones = 0;  ///< Pairs of vertex and bone that were looked at by the first cones.
  std::array<Index, kLevels> levels{};   ///< Vertices of each level.
  std::vector<UnmatchedRegion> regions;  ///< The largest first. Empty for methods that match bones.
  std::vector<Fallback> fallbacks;
  Findings warnings;
  std::string choice;  ///< Of a method that chooses another: which one and why, in sentences.
  Json metrics = Json::object();
};

/// Data that methods compute from a reference alone and keep for the next target, by the id of the method. A cache
/// belongs to one reference and to one thread.
using ReferenceCache = std::map<std::string, std::any>;

/// Positions of two characters at binding that correspond, chosen by a person.
struct LandmarkPair {
  std::string name;
  Vec3 reference = Vec3::Zero();
  Vec3 target = Vec3::Zero();
};

/// Keeps prepared data from one run to the next. Keys are 64 hexadecimal digits, made from everything that decides the
/// data.
struct PreparedStore {
  std::function<std::optional<std::vector<std::byte>>(const std::string& key)> load;
  std::function<void(const std::string& key, std::span<const std::byte> bytes)> store;
};

/// Called when a stage begins, to measure times; may be empty.
using StageListener = std::function<void(const char* stage)>;

/// Binds a body anew, without any reference: a row per vertex, of the body's own joints.
using BindAnew = std::function<SkinWeights(const Progress& progress)>;

/// The input of a method.
struct TransferInput {
  const Reference& reference;
  const TransferBody& target;
  const Correspondence& correspondence;
  ReferenceCache* cache = nullptr;
  StageListener on_stage = {};
  const Relation* relation = nullptr;  ///< If it is known already.
  const std::vector<LandmarkPair>* landmarks = nullptr;
  const PreparedStore* store = nullptr;
  /// Per joint of the reference: the target's joint that gets its weight. Null: rows stay on the reference's joints.
  const std::vector<Index>* weight_to = nullptr;
  BindAnew bind_reference = {}, bind_target = {};  ///< Empty: bound to the joints of the pairs.

  void begin(const char* stage) const {
    if (on_stage) on_stage(stage);
  }
};

/// An entry of `methods()`.
struct TransferMethod {
  std::string id;    ///< Short name: "skeleton".
  std::string name;  ///< Plain name: "skeleton-aware".
  std::string when;  ///< One line on when to use it.
  AnyOptions options;
  /// `own` holds an object of the type of `options`. \throws Error if nothing can be transferred, with the reason;
  /// Cancelled.
  std::function<WeightTransfer(const TransferInput& input, const TransferOptions& common, const AnyOptions& own,
                               const Progress& progress)>
      transfer;
};

/// All methods. Programs may add their own before they transfer.
Registry<TransferMethod>& methods();

/// Transfers weights by the chosen method. \throws Error if the value of an option is invalid, or if the method throws.
WeightTransfer transfer(const MethodChoice& method, const TransferInput& input, const TransferOptions& options = {},
                        const Progress& progress = {});

}  // namespace sinew::transfer
