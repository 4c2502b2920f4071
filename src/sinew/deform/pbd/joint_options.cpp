// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/joint_options.h"

#include <fmt/format.h>

#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/text.h"

namespace sinew::deform {

Index named_joint(const Skeleton& skeleton, const std::string& name, std::string_view option) {
  const Index joint = skeleton.find(name);
  if (joint != kNone) return joint;
  std::vector<std::string> names;
  for (const Joint& known : skeleton.joints) names.push_back(known.name);
  throw Error(fmt::format("The option '{}' names the joint '{}', which the skeleton does not have.{}", option, name,
                          did_you_mean(name, names)));
}

}  // namespace sinew::deform
