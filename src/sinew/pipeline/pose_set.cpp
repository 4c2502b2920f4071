// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/pose_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/motion/player.h"
#include "sinew/motion/sample.h"

namespace sinew::pipeline {
namespace {

std::vector<Vec3> shown_shape(const Rig& rig, const Pose& pose) {
  return deform::linear_positions(rig, {model_matrices(rig.skeleton, pose.local), {}, pose.morph_weights});
}

void expect_same_mesh(const NamedCharacter& first, const NamedCharacter& other) {
  const Mesh &a = first.character.rig.mesh, &b = other.character.rig.mesh;
  const auto differ = [&](const std::string& how) {
    return Error(fmt::format("{} is not a pose of {}: {}. Poses need the same vertices and faces in the same order.",
                             other.name, first.name, how));
  };
  if (a.vertex_count() != b.vertex_count())
    throw differ(
        fmt::format("it has {} and not {}", count_of(b.vertex_count(), "vertex", "vertices"), a.vertex_count()));
  if (a.face_count() != b.face_count())
    throw differ(fmt::format("it has {} and not {}", count_of(b.face_count(), "face"), a.face_count()));
  for (Index f = 0; f < a.face_count(); ++f)
    if (!std::equal(a.face(f).begin(), a.face(f).end(), b.face(f).begin(), b.face(f).end()))
      throw differ(fmt::format("its face {} has the vertices {} and not {}", f, fmt::join(b.face(f), " "),
                               fmt::join(a.face(f), " ")));
}

}  // namespace

PoseSet poses_of_characters(std::vector<NamedCharacter> characters) {
  PoseSet set;
  for (const NamedCharacter& pose : characters) {
    if (pose.character.rig.mesh.face_count() == 0) throw Error(fmt::format("{} has no mesh.", pose.name));
    expect_same_mesh(characters.front(), pose);
    set.shapes.push_back(shown_shape(pose.character.rig, rest_pose(pose.character.rig)));
    set.names.push_back(pose.name);
  }
  set.character = std::move(characters.front().character);
  return set;
}

PoseSet poses_of_morphs(Character character, const std::vector<std::string>& names) {
  PoseSet set;
  const Rig& rig = character.rig;
  std::vector<std::string> known;
  for (const MeshPart& part : rig.mesh.parts)
    for (const Morph& morph : part.morphs)
      if (std::find(known.begin(), known.end(), morph.name) == known.end()) known.push_back(morph.name);
  if (known.empty())
    throw Error(
        "The file has no morph targets, so it does not hold several poses. Specify a file for each pose, or a clip and "
        "its "
        "times.");
  std::vector<std::string> wanted = names;
  if (wanted.empty()) {
    wanted = known;
    wanted.insert(wanted.begin(), "rest");
  }
  for (const std::string& name : wanted) {
    Pose pose = rest_pose(rig);
    bool found = name == "rest";
    for (std::size_t p = 0; p < rig.mesh.parts.size(); ++p)
      for (std::size_t m = 0; m < rig.mesh.parts[p].morphs.size(); ++m) {
        const bool own = rig.mesh.parts[p].morphs[m].name == name;
        pose.morph_weights[p][m] = own ? 1 : 0;
        found = found || own;
      }
    if (!found)
      throw Error(fmt::format("There is no morph target '{}'. The file has {}.", name, fmt::join(known, ", ")));
    set.shapes.push_back(shown_shape(rig, pose));
    set.names.push_back(name);
  }
  set.character = std::move(character);
  return set;
}

PoseSet poses_of_clip(Character character, const Clip& clip, const std::vector<double>& times_s) {
  if (times_s.size() < 2) throw Error("In-between shapes need at least two times of the clip.");
  PoseSet set;
  for (const double time : times_s) {
    set.shapes.push_back(shown_shape(character.rig, motion::sample(character.rig, clip, time)));
    set.names.push_back(fmt::format("{} s", time));
  }
  set.character = std::move(character);
  return set;
}

}  // namespace sinew::pipeline
