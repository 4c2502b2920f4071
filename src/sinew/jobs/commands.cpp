// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/convert.h"
#include "sinew/jobs/info.h"
#include "sinew/jobs/job.h"
#include "sinew/jobs/make.h"
#include "sinew/jobs/render.h"

namespace sinew::jobs {
namespace {

std::string kind_names() {
  std::string names;
  for (const auto& kind : shapes::kinds().entries()) names += (names.empty() ? "" : ", ") + kind.id;
  return names;
}

}  // namespace

const Registry<Command>& commands() {
  static const Registry<Command> registry = [] {
    Registry<Command> r("command");
    r.add({"info", "info", "Show what is in a file and how healthy it is.",
           {.group = "Start",
            .arguments = "FILE",
            .examples = {"sinew info hero.glb", "sinew info hero.obj --unit cm --deep", "sinew info hero.glb --json"},
            .bind = binder(info)}});
    r.add({"convert", "convert", "Write a character in another format, with nothing lost.",
           {.group = "Deliver",
            .arguments = "IN -o OUT",
            .has_output = true,
            .examples = {"sinew convert hero.obj -o hero.glb --unit cm",
                         "sinew convert hero.glb -o hero_4.glb --max-influences 4",
                         "sinew convert hero.obj -o hero.glb --rig hero.rig.json"},
            .bind = binder(convert)}});
    r.add({"render", "render", "Take a picture of a character.",
           {.group = "Deliver",
            .arguments = "FILE [-o PICTURE.png]",
            .has_output = true,
            .examples = {"sinew render hero.glb -o hero.png", "sinew render hero.glb -o arm.png --show weights:LeftArm",
                         "sinew render hero.glb -o walk.png --clip walk --sheet"},
            .bind = binder(render)}});
    r.add({"make", "make", "Make a character with known truth: " + kind_names() + ".",
           {.group = "Lab",
            .arguments = "KIND [-o OUT]",
            .has_output = true,
            .examples = {"sinew make figure -o figure.glb", "sinew make bar --joints 5 --checkerboard -o bar.obj",
                         "sinew make arm --shape slender -o arm.glb --truth arm.truth.json"},
            .bind = binder(make)}});
    return r;
  }();
  return registry;
}

}  // namespace sinew::jobs
