// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/find_joints.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/pipeline/helpers_select.h"

namespace sinew::pipeline {

std::vector<Index> find_joints(const Rig& rig, const std::vector<std::string>& words, const std::string& option) {
  if (rig.skeleton.empty())
    throw Error(fmt::format("The option '{}' names joints, but the character has no skeleton.", option));
  const motion::Recognition recognition = motion::recognize(rig.skeleton);
  std::vector<Index> result;
  for (const std::string& word : words)
    for (const Index joint : joints_of_words(rig, recognition, {word}, option))
      if (std::find(result.begin(), result.end(), joint) == result.end()) result.push_back(joint);
  return result;
}

}  // namespace sinew::pipeline
