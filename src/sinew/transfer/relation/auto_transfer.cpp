// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/relation/auto_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sinew/transfer/choice/blend.h"
#include "sinew/transfer/choice/candidates.h"
#include "sinew/transfer/relation/relation.h"

namespace sinew::transfer {
namespace {

struct RelationLook {
  const char* method;  // None: several are blended.
  const char* what;
};

RelationLook look_of(RelationKind kind) {
  switch (kind) {
    case RelationKind::kUpdate:
      return {"update", "an edited mesh of the same character"};
    case RelationKind::kDetail:
      return {"detail", "a level of detail or remeshed copy"};
    case RelationKind::kGarment:
      return {"garment", "a garment on the reference's body"};
    case RelationKind::kBody:
      break;
  }
  return {nullptr, "another body"};
}

/// Of the reference's size. A garment with joints of its own has those of its body.
constexpr double kJointsApart = 0.005;
/// A target with joints of its own that covers more of the reference is a body, however near it is.
constexpr double kWholeBody = 0.85;
constexpr std::size_t kFewestPairs = 3;

// The median distance between joints that correspond, in sizes of the reference.
double joints_apart(const TransferInput& input) {
  std::vector<double> apart;
  for (const JointPair& pair : input.correspondence.pairs)
    apart.push_back((input.reference.position(pair.reference) - input.target.position(pair.target)).norm());
  if (apart.size() < kFewestPairs) return 0;
  std::nth_element(apart.begin(), apart.begin() + static_cast<std::ptrdiff_t>(apart.size() / 2), apart.end());
  return apart[apart.size() / 2] / input.reference.mesh.size();
}

WeightTransfer transfer_automatically(const TransferInput& input, const TransferOptions& common, const AnyOptions& own,
                                      const Progress& progress) {
  input.begin("relation");
  Relation relation = input.relation != nullptr ? *input.relation : relate(input.reference.mesh, input.target.mesh);
  if (const double apart = joints_apart(input); relation.kind == RelationKind::kGarment && apart > kJointsApart) {
    relation.kind = RelationKind::kBody;
    relation.reason = fmt::format(
        "The surfaces are near each other, but joints that correspond are {:.1f} % of the size apart in the median.",
        100 * apart);
  } else if (relation.kind == RelationKind::kGarment && input.relation == nullptr && relation.covered > kWholeBody) {
    relation.kind = RelationKind::kBody;
    relation.reason =
        fmt::format("It has joints of its own and covers {:.1f} % of the reference.", 100 * relation.covered);
  }
  const RelationLook look = look_of(relation.kind);
  const auto& casts = static_cast<const SkeletonAwareOptions&>(own.as<AutoTransferOptions>());
  WeightTransfer result;
  if (look.method == nullptr) {
    result = blend_candidates(input, transfer_candidates(input, casts, common, progress), common, progress);
    result.choice =
        fmt::format("A blend of {}, because the target is {}. {}", result.choice, look.what, relation.reason);
    result.metrics["method"] = "blend";
  } else {
    const TransferMethod& method = methods().find(look.method);
    result = method.transfer(input, common, method.options, progress);
    result.choice =
        fmt::format("The method '{}', because the target is {}. {}", look.method, look.what, relation.reason);
    result.metrics["method"] = look.method;
  }
  result.metrics["relation"] = relation.to_json();
  return result;
}

}  // namespace

TransferMethod auto_transfer_method() {
  return {.id = "auto",
          .name = "automatic",
          .when = "Recognises edited meshes, levels of detail and clothes. Blends several methods for other bodies.",
          .options = AutoTransferOptions(),
          .transfer = transfer_automatically};
}

}  // namespace sinew::transfer
