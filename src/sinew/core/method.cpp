// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/method.h"

namespace sinew {

void MethodChoice::choose(std::string_view word) {
  std::vector<std::string> known;
  for (const Candidate& candidate : candidates_) {
    known.push_back(candidate.id);
    if (candidate.id != word && candidate.name != word) continue;
    id_ = candidate.id;
    return;
  }
  throw Error(unknown_word(kind_, word, known));
}

const MethodChoice::Candidate& MethodChoice::candidate() const {
  for (const Candidate& candidate : candidates_)
    if (candidate.id == id_) return candidate;
  throw Error("No method is selected.");
}

}  // namespace sinew
