// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/rignet/rignet.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "sinew/core/error.h"
#include "sinew/io/reach.h"
#include "sinew/io/text/obj_reader.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

struct RignetJoint {
  std::string name;
  Vec3 position = Vec3::Zero();
  Index parent = kNone;
};

// The weights of one line.
struct RignetRow {
  std::uint64_t line = 0;
  std::int64_t vertex = 0;
  std::vector<Influence> influences;  // By number in the file.
};

class RignetText {
 public:
  RignetText(std::string_view text, const fs::path& path)
      : scanner_(text, path.filename().string(), {.comments = false}) {
    while (!scanner_.at_end()) {
      read_line();
      scanner_.next_line();
    }
    if (joints.empty()) throw Error("It has no line 'joints NAME x y z': it is not a RigNet rig.");
    if (root == kNone) throw Error("It has no line 'root NAME'.");
    if (joints[root].parent != kNone)
      throw Error(fmt::format("The root '{}' has a parent.", to_utf8(joints[root].name)));
  }

  std::vector<RignetJoint> joints;
  std::vector<RignetRow> rows;
  Index root = kNone;

 private:
  void read_line();
  void read_joint();
  void read_row();
  Index joint(std::string_view name) const {
    const auto found = by_name_.find(std::string(name));
    if (found == by_name_.end()) scanner_.fail(fmt::format("there is no joint '{}' above this line.", to_utf8(name)));
    return found->second;
  }

  TextScanner scanner_;
  std::map<std::string, Index> by_name_;
};

void RignetText::read_line() {
  const std::string_view kind = scanner_.word();
  if (kind.empty()) return;
  if (kind == "joints") return read_joint();
  if (kind == "skin") return read_row();
  if (kind == "root") {
    root = joint(scanner_.word());
    return;
  }
  if (kind != "hier") scanner_.fail("a RigNet rig has only lines that start with 'joints', 'root', 'hier' or 'skin'.");
  const Index parent = joint(scanner_.word()), child = joint(scanner_.word());
  if (joints[child].parent != kNone)
    scanner_.fail(fmt::format("the joint '{}' already has a parent.", to_utf8(joints[child].name)));
  joints[child].parent = parent;
}

void RignetText::read_joint() {
  RignetJoint& joint = joints.emplace_back();
  joint.name = scanner_.word();
  if (joint.name.empty()) scanner_.fail("the joint has no name.");
  for (double& coordinate : joint.position) coordinate = scanner_.number(scanner_.word());
  if (!by_name_.emplace(joint.name, static_cast<Index>(joints.size() - 1)).second)
    scanner_.fail(fmt::format("there are two joints '{}'.", to_utf8(joint.name)));
}

void RignetText::read_row() {
  RignetRow& row = rows.emplace_back();
  row.line = scanner_.line();
  row.vertex = scanner_.integer(scanner_.word());
  for (std::string_view name = scanner_.word(); !name.empty(); name = scanner_.word()) {
    const Index influence = joint(name);
    row.influences.push_back({influence, static_cast<float>(scanner_.number(scanner_.word()))});
  }
}

// The OBJ file that a rig is for.
std::optional<fs::path> mesh_beside(const fs::path& path) {
  const std::string stem = path.stem().string();
  std::vector<std::string> names = {stem};
  if (stem.ends_with("_rig")) names.push_back(stem.substr(0, stem.size() - 4));
  for (const std::string& name : names)
    if (fs::path file = path.parent_path() / (name + ".obj"); may_read_for(path.parent_path(), file)) return file;
  return std::nullopt;
}

// Adds the joints, parents first. Returns their numbers by number in the file. \throws Error if the joints are not one
// tree.
std::vector<Index> add_joints(const RignetText& text, Skeleton& skeleton) {
  std::vector<std::vector<Index>> children(text.joints.size());
  for (Index j = 0; j < text.joints.size(); ++j)
    if (text.joints[j].parent != kNone) children[text.joints[j].parent].push_back(j);
  std::vector<Index> number(text.joints.size(), kNone);
  std::vector<Index> stack = {text.root};
  while (!stack.empty()) {
    const Index j = stack.back();
    stack.pop_back();
    const RignetJoint& from = text.joints[j];
    Joint joint;
    joint.name = to_utf8(from.name);
    joint.source = j;
    joint.rest.translation = from.position;
    if (from.parent != kNone) {
      joint.parent = number[from.parent];
      joint.rest.translation -= text.joints[from.parent].position;
    }
    number[j] = skeleton.size();
    skeleton.joints.push_back(std::move(joint));
    for (std::size_t c = children[j].size(); c-- > 0;) stack.push_back(children[j][c]);
  }
  for (Index j = 0; j < number.size(); ++j)
    if (number[j] == kNone)
      throw Error(fmt::format("The joint '{}' is not connected to the root '{}'.", to_utf8(text.joints[j].name),
                              to_utf8(text.joints[text.root].name)));
  return number;
}

void add_skin(const RignetText& text, const std::vector<Index>& number, const fs::path& mesh_path, Asset& asset) {
  Rig& rig = asset.character.rig;
  const Index count = rig.mesh.vertex_count();
  std::vector<std::vector<Influence>> rows(count);
  for (const RignetRow& row : text.rows) {
    if (row.vertex < 0 || row.vertex >= static_cast<std::int64_t>(count))
      throw Error(fmt::format("Line {} has weights of vertex {}, but {} has {} vertices.", row.line, row.vertex,
                              mesh_path.filename().string(), count));
    for (const Influence& influence : row.influences)
      rows[static_cast<std::size_t>(row.vertex)].push_back({number[influence.joint], influence.weight});
  }
  Index bare = 0;
  for (const auto& row : rows) {
    bare += row.empty() ? 1 : 0;
    rig.weights.add_row(row);
  }
  if (bare > 0)
    asset.warnings.push_back(
        {"rignet.weights", "",
         fmt::format("{} of {} vertices of {} have no weights. The rig may be one of another mesh.", bare, count,
                     mesh_path.filename().string())});
  Skin skin;
  skin.name = "rig";
  for (Index j = 0; j < text.joints.size(); ++j) {
    Mat4 bind = Mat4::Identity();
    bind.topRightCorner<3, 1>() = -text.joints[j].position;
    skin.joints.push_back(number[j]);
    skin.inverse_bind.push_back(bind);
    rig.skeleton.joints[number[j]].deforming = true;
  }
  rig.skins.push_back(std::move(skin));
  for (MeshPart& part : rig.mesh.parts) part.skin = 0;
}

}  // namespace

bool is_other_text(const fs::path& path) {
  std::error_code problem;
  if (!fs::is_regular_file(path, problem)) return false;
  Bytes bytes;
  try {
    bytes = read_file(path);
  } catch (const Error&) {
    return false;  // Who reads it will say why it cannot be read.
  }
  TextScanner scanner(as_text(bytes), "", {.comments = false});
  const std::string_view first = scanner.word_anywhere();
  return first != "joints" && first != "root" && first != "hier" && first != "skin";
}

Asset read_rignet(const fs::path& path, Bytes bytes, const Progress& progress) {
  const RignetText text(as_text(bytes), path);
  const auto mesh_path = mesh_beside(path);
  Asset asset;
  if (mesh_path) {
    Bytes mesh = read_file(*mesh_path);
    const ReportFile description = describe(*mesh_path, mesh);
    asset = read_obj(*mesh_path, std::move(mesh), progress);
    asset.files.insert(asset.files.begin(), description);
    asset.document = nullptr;  // It is the OBJ file's, which has no joints.
  } else {
    asset.warnings.push_back(
        {"rignet.no_mesh", "",
         fmt::format("There is no {}.obj beside it: only the skeleton is read.", to_utf8(path.stem().string()))});
  }
  asset.character.name = to_utf8(path.stem().string());
  const std::vector<Index> number = add_joints(text, asset.character.rig.skeleton);
  if (mesh_path && !text.rows.empty()) add_skin(text, number, *mesh_path, asset);
  return asset;
}

}  // namespace sinew::io
