// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <utility>

#include "sinew/core/driver.h"
#include "sinew/transfer/match/joint_turns.h"

namespace sinew::transfer {

/// A driver of the reference for a helper of the target. `source` and `driven` are joints of both skeletons:
/// reference's, target's. `scale` (3×3) acts on translations in the reference's model space.
///
/// The source's axes are taken over as its bones correspond; the driven joint's as its frames do. Translations are
/// turned and scaled, rotations and scales not. Where the source rests otherwise than the reference's,
/// polynomials and keys are evaluated from the reference's rest (`before`), and what they give at the target's rest is
/// taken away; constant terms are dropped, so that the target's rest stays in any case. Bones differ by what turns
/// them from the reference's binding, so the rest poses of the files may be others than those at binding. A share of a
/// rotation becomes a polynomial where the frames of source and driven joint lie otherwise to each other. `aim` gets
/// the axis that keeps the rest. An unknown kind stays as it is.
Driver transferred_driver(const Driver& driver, const TransferBody& reference, const TransferBody& target,
                          const JointTurns& turns, std::pair<Index, Index> source, std::pair<Index, Index> driven,
                          const Mat3& scale);

/// The same with the turns of `paired_bones`.
Driver transferred_driver(const Driver& driver, const TransferBody& reference, const TransferBody& target,
                          const Correspondence& correspondence, std::pair<Index, Index> source,
                          std::pair<Index, Index> driven, const Mat3& scale);

}  // namespace sinew::transfer
