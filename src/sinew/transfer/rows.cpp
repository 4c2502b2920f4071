// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rows.h"

#include <algorithm>

#include "sinew/transfer/method.h"

namespace sinew::transfer {
namespace {

void add_to(std::vector<Influence>& row, Index joint, float weight) {
  for (Influence& influence : row)
    if (influence.joint == joint) {
      influence.weight += weight;
      return;
    }
  row.push_back({joint, weight});
}

}  // namespace

SkinWeights with_joints(const SkinWeights& rows, const std::vector<Index>& joint_of) {
  SkinWeights result;
  result.reserve(rows.row_count(), rows.influence_count());
  std::vector<Influence> row;
  for (Index v = 0; v < rows.row_count(); ++v) {
    row.clear();
    for (const Influence& influence : rows.row(v)) add_to(row, joint_of[influence.joint], influence.weight);
    result.add_row(row);
  }
  return result;
}

SkinWeights blended_rows(const SkinWeights& made, const SkinWeights& before, const std::vector<char>& taken, int most) {
  SkinWeights result;
  result.reserve(made.row_count(), made.influence_count() + before.influence_count());
  std::vector<Influence> row;
  for (Index v = 0; v < made.row_count(); ++v) {
    row.clear();
    double share = 0, others = 0;
    bool had = false;
    for (const Influence& influence : made.row(v))
      if (taken[influence.joint] != 0) {
        row.push_back(influence);
        share += static_cast<double>(influence.weight);
      }
    for (const Influence& influence : before.row(v)) {
      if (taken[influence.joint] != 0) had = true;
      else others += static_cast<double>(std::max(influence.weight, 0.0F));
    }
    if ((row.empty() && !had) || (row.empty() && !(others > 0))) {
      result.add_row(before.row(v));
      continue;
    }
    if (others > 0)
      for (const Influence& influence : before.row(v))
        if (taken[influence.joint] == 0 && influence.weight > 0)
          add_to(row, influence.joint,
                 static_cast<float>(static_cast<double>(influence.weight) * std::max(0.0, 1 - share) / others));
    cap_row(row, most);
    result.add_row(row);
  }
  return result;
}

}  // namespace sinew::transfer
