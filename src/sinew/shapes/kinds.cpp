// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sinew/core/error.h"
#include "sinew/shapes/bodies/animals.h"
#include "sinew/shapes/bodies/arm.h"
#include "sinew/shapes/bodies/figure.h"
#include "sinew/shapes/bodies/generated.h"
#include "sinew/shapes/bodies/human.h"
#include "sinew/shapes/surface/limbs.h"
#include "sinew/shapes/surface/triangulated.h"

namespace sinew::shapes {
namespace {

void check_known(std::string_view kind, MakeOptions options) {
  OptionList list(options);
  list.from_json(list.to_json());
  const std::vector<std::string> known = options_of(kind);
  MakeOptions plain;
  const OptionList defaults(plain);
  for (const Option& option : list.options()) {
    if (option.get() == defaults.find(option.field.name)->get()) continue;
    if (std::find(known.begin(), known.end(), option.field.name) != known.end()) continue;
    throw Error(fmt::format("The kind '{}' does not have the option '{}'. Remove it; the kind has {}.", kind,
                            option.field.name, fmt::join(known, ", ")));
  }
}

}  // namespace

const Registry<Registered<Maker>>& kinds() {
  static const Registry<Registered<Maker>> registry = [] {
    Registry<Registered<Maker>> r("kind of character");
    r.add({"human", "human", "A person with fingers, toes and two clips.", human});
    r.add({"hand", "hand", "A left hand with all its fingers.", hand});
    r.add({"quadruped", "quadruped", "An animal on four legs, with a tail.", quadruped});
    r.add({"bird", "bird", "A bird with its wings spread.", bird});
    r.add({"octopus", "octopus", "Eight arms with many joints: chains without a template.", octopus});
    r.add({"bar", "bar", "A square limb that shows how a joint affects volume.", bar});
    r.add({"cylinder", "cylinder", "A round limb for bending and twisting.", cylinder});
    r.add({"arm", "arm", "A procedural arm with helper joints, for transferring weights between shapes.", arm});
    r.add({"figure", "cube figure", "A person made of rounded cubes, with edge loops that can be counted.", figure});
    return r;
  }();
  return registry;
}

std::vector<std::string> options_of(std::string_view kind) {
  static const std::map<std::string, std::vector<std::string>, std::less<>> own = {
      {"bar", {"vertices", "height", "length", "width", "layers", "joint_count", "checkerboard"}},
      {"cylinder", {"vertices", "height", "length", "width", "layers", "joint_count", "checkerboard"}},
      {"arm", {"vertices", "height", "length", "layers", "shape"}},
      {"figure", {"vertices", "height", "vary"}},
      {"human", {"vertices", "height", "vary", "made_pose", "clothes"}},
  };
  const auto found = own.find(kinds().find(kind).id);
  std::vector<std::string> names =
      found != own.end() ? found->second : std::vector<std::string>{"vertices", "height", "vary", "made_pose"};
  for (const char* name : {"triangles", "generated", "seed"}) names.emplace_back(name);
  return names;
}

Finished make(std::string_view kind, const MakeOptions& options, const Progress& progress) {
  const auto& entry = kinds().find(kind);
  check_known(entry.id, options);
  MakeOptions plain = options;
  if (options.generated) {
    plain.vertices = 0;
    plain.height = 0;
  }
  Finished finished;
  finished.made = entry.make(plain, progress);
  if (options.generated) {
    Generated result = generated(finished.made, options, progress);
    finished.made = std::move(result.made);
    finished.specks = std::move(result.specks);
  } else if (options.triangles) {
    finished.made = triangulated(std::move(finished.made));
  }
  return finished;
}

}  // namespace sinew::shapes
