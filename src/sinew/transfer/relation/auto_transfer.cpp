// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/relation/auto_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sinew/transfer/relation/relation.h"

namespace sinew::transfer {
namespace {

struct RelationLook {
  const char* method;
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
  return {"skeleton", "another body"};
}

/// Of the reference's size. A garment with joints of its own has those of its body.
constexpr double kJointsApart = 0.02;
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
  }
  const RelationLook look = look_of(relation.kind);
  const TransferMethod& method = methods().find(look.method);
  AnyOptions options = method.options;
  if (options.is<SkeletonAwareOptions>())
    options = AnyOptions(static_cast<const SkeletonAwareOptions&>(own.as<AutoTransferOptions>()));
  WeightTransfer result = method.transfer(input, common, options, progress);
  result.choice = fmt::format("The method '{}', because the target is {}. {}", look.method, look.what, relation.reason);
  result.metrics["method"] = look.method;
  result.metrics["relation"] = relation.to_json();
  return result;
}

}  // namespace

TransferMethod auto_transfer_method() {
  return {.id = "auto",
          .name = "automatic",
          .when = "Recognises edited meshes, levels of detail, clothes and other bodies, and chooses the method.",
          .options = AutoTransferOptions(),
          .transfer = transfer_automatically};
}

}  // namespace sinew::transfer
