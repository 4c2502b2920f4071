// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/binding/auto/layers_rows.h"
#include "sinew/binding/subject.h"

namespace sinew::binding {

/// Takes weights away from joints that lie near straight across, but not inside the body: an arm's weight on the flank
/// it hangs beside, a finger's on the next. A joint whose nearest point a vertex sees through the body is fine. Else
/// the way inside is estimated by one corner: straight to a place on a bone that the vertex sees, of that joint or of
/// one that moves the vertex at least a third as much as the strongest, and from there along the skeleton. That is
/// never too short as long as bones lie inside, and close to the truth, since what moves a vertex is near it. From 1.4
/// to 1.8 times the straight distance, after 0.004 of the size has been allowed for, the weight fades out; the rest is
/// scaled to sum 1. The strongest joint of a row stays, and so does all where no bone is in sight (bones outside the
/// body). Of the joint that `owners` names for a vertex, if any, at least that share stays, too: the segmentation grows
/// inside the body. Without that, a flat body, in which rays hit the other side, loses the weights of its head.
///
/// A ray for each weight, and some dozens for those in doubt. The same for any number of threads. Returns how many
/// rows changed by more than 0.01. \pre the mesh faces outwards where it is closed.
Index guard_rows(const Subject& body, const BoneTree& tree, std::vector<WeightRow>& rows,
                 const std::vector<Influence>& owners);

}  // namespace sinew::binding
