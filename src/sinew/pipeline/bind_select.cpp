// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bind_select.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/mesh/weld_positions.h"
#include "sinew/pipeline/bind_subject.h"

namespace sinew::pipeline {
namespace {

constexpr std::string_view kMaterialWord = "material:";
constexpr std::string_view kShellWord = "shell:";

// Whether a part has that name; marks their vertices.
bool select_parts(const Mesh& mesh, const std::string& name, std::vector<char>& chosen) {
  bool found = false;
  for (const MeshPart& part : mesh.parts) {
    if (part.name != name) continue;
    found = true;
    std::fill_n(chosen.begin() + part.first_vertex, part.vertex_count, char{1});
  }
  return found;
}

void select_material(const Character& character, const std::string& name, std::vector<char>& chosen) {
  const Mesh& mesh = character.rig.mesh;
  std::vector<std::string> known;
  bool found = false;
  for (const Material& material : character.materials) {
    known.push_back(material.name);
    found = found || material.name == name;
  }
  if (!found)
    throw Error(fmt::format("There is no material '{}'.{}{}", name, did_you_mean(name, known),
                            known.empty() ? " The file has no materials." : ""));
  for (Index f = 0; f < mesh.face_materials.size(); ++f) {
    const Index material = mesh.face_materials[f];
    if (material == kNone || character.materials[material].name != name) continue;
    for (const Index v : mesh.face(f)) chosen[v] = 1;
  }
}

void select_shell(const Mesh& mesh, const std::string& number, std::vector<char>& chosen) {
  const geometry::Components shells = shells_of(mesh);
  Index wanted = kNone;
  const auto [stop, problem] = std::from_chars(number.data(), number.data() + number.size(), wanted);
  if (problem != std::errc() || stop != number.data() + number.size() || wanted >= shells.count)
    throw Error(fmt::format("There is no shell '{}': the mesh has {}{}.", number, shells.count,
                            shells.count == 0 ? "" : fmt::format(", 0 to {}", shells.count - 1)));
  for (Index v = 0; v < mesh.vertex_count(); ++v) chosen[v] = shells.of_vertex[v] == wanted ? 1 : 0;
}

Index joint_named(const Skeleton& skeleton, const std::string& name) {
  for (Index j = 0; j < skeleton.size(); ++j)
    if (skeleton.joints[j].name == name) return j;
  throw unknown_joint(skeleton, name);
}

void check_rows_to_keep(const Rig& rig, const MeshPart& part, const VertexSelection& selection) {
  if (part.skin != kNone || part.joint != kNone) return;
  for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
    if (selection.excluded[v] != 0 && (rig.weights.empty() || rig.weights.row(v).empty()))
      throw Error(
          fmt::format("Some of '{}' is excluded and some is not, but it has no weights that could be kept. "
                      "Exclude all of it, or attach that piece to a joint with the option 'rigid'.",
                      part.name));
}

}  // namespace

geometry::Components shells_of(const Mesh& mesh) {
  const geometry::Welding welding = geometry::weld_positions(mesh, geometry::weld(mesh));
  return geometry::components(mesh, &welding);
}

std::vector<char> vertices_of_word(const Character& character, const std::string& word) {
  const Mesh& mesh = character.rig.mesh;
  std::vector<char> chosen(mesh.positions.size(), 0);
  if (select_parts(mesh, word, chosen)) return chosen;
  if (word.starts_with(kMaterialWord)) {
    select_material(character, word.substr(kMaterialWord.size()), chosen);
  } else if (word.starts_with(kShellWord)) {
    select_shell(mesh, word.substr(kShellWord.size()), chosen);
  } else {
    std::vector<std::string> known;
    for (const MeshPart& part : mesh.parts) known.push_back(part.name);
    throw Error(fmt::format("There is no mesh node '{}'.{} Specify materials as material:NAME and shells as shell:N.",
                            word, did_you_mean(word, known)));
  }
  return chosen;
}

Index VertexSelection::excluded_count() const {
  return static_cast<Index>(std::count(excluded.begin(), excluded.end(), char{1}));
}

Index VertexSelection::rigid_count() const {
  return static_cast<Index>(rigid.size()) - static_cast<Index>(std::count(rigid.begin(), rigid.end(), kNone));
}

VertexSelection select_vertices(const Character& character, const std::vector<std::string>& rigid,
                                const std::vector<std::string>& exclude) {
  const std::size_t count = character.rig.mesh.positions.size();
  VertexSelection selection{std::vector<char>(count, 0), std::vector<Index>(count, kNone)};
  for (const std::string& word : exclude) {
    const std::vector<char> chosen = vertices_of_word(character, word);
    for (std::size_t v = 0; v < count; ++v)
      selection.excluded[v] = selection.excluded[v] != 0 || chosen[v] != 0 ? 1 : 0;
  }
  for (const std::string& word : rigid) {
    const std::size_t sign = word.rfind('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == word.size())
      throw Error(fmt::format("The option 'rigid' takes NODE=JOINT, not '{}'.", word));
    const std::string what = word.substr(0, sign);
    const Index joint = joint_named(character.rig.skeleton, word.substr(sign + 1));
    const std::vector<char> chosen = vertices_of_word(character, what);
    for (std::size_t v = 0; v < count; ++v) {
      if (chosen[v] == 0) continue;
      if (selection.excluded[v] != 0)
        throw Error(
            fmt::format("Vertices of '{}' are selected by both the option 'rigid' and the option 'exclude'. Select "
                        "them with only one.",
                        what));
      selection.rigid[v] = joint;
    }
  }
  return selection;
}

std::vector<char> apply_selection(const Rig& rig, VertexSelection& selection, std::vector<PartPlan>& plan) {
  std::vector<char> left_out(rig.mesh.positions.size(), 0);
  for (std::size_t p = 0; p < plan.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    const bool kept = plan[p].treatment == PartTreatment::kKeep;
    Index hung = 0, excluded = 0;
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      hung += selection.rigid[v] != kNone ? 1 : 0;
      excluded += selection.excluded[v] != 0 ? 1 : 0;
    }
    if (kept && hung > 0) {
      plan[p] = {};
      for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
        selection.excluded[v] = selection.rigid[v] == kNone ? 1 : 0;
    }
    if (!kept && excluded > 0 && excluded == part.vertex_count) plan[p] = {PartTreatment::kKeep, kExcludedPart};
    if (plan[p].treatment == PartTreatment::kBind) check_rows_to_keep(rig, part, selection);
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
      left_out[v] = selection.excluded[v] != 0 || selection.rigid[v] != kNone ? 1 : 0;
  }
  return left_out;
}

}  // namespace sinew::pipeline
