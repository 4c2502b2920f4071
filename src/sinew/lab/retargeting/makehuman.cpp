// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <Eigen/Geometry>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>

#include "sinew/core/json.h"
#include "sinew/io/asset.h"
#include "sinew/lab/retargeting/real_bodies.h"

namespace sinew::lab {
namespace {

namespace fs = std::filesystem;

/// Vertices around a joint that say where it is in another body.
constexpr std::size_t kAround = 150;

struct RigBone {
  std::string name, parent;
  std::vector<Index> head, tail;  // Vertices of the base mesh whose mean is the position.
};

std::string text_of(const fs::path& path) {
  const io::Bytes bytes = io::read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The vertices of each group of faces of an OBJ file; readers of characters do not keep groups.
std::map<std::string, std::vector<Index>> obj_groups(const std::string& text) {
  std::map<std::string, std::set<Index>> groups;
  std::istringstream lines(text);
  std::string line, group;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "g") words >> group;
    if (word == "f")
      while (words >> word) groups[group].insert(static_cast<Index>(std::stoul(word)) - 1);
  }
  std::map<std::string, std::vector<Index>> result;
  for (const auto& [name, vertices] : groups) result[name].assign(vertices.begin(), vertices.end());
  return result;
}

std::string parent_name(const Json& bone) {
  return bone.contains("parent") && bone["parent"].is_string() ? bone["parent"].get<std::string>() : "";
}

std::vector<RigBone> mixamo_bones(const fs::path& folder) {
  const auto groups = obj_groups(text_of(folder / "makehuman_base.obj"));
  const Json bones = Json::parse(text_of(folder / "rig.mixamo.json"))["bones"];
  std::vector<RigBone> result;
  for (const auto& [name, bone] : bones.items()) {
    const auto vertices = [&](const Json& end) {
      return end["strategy"] == "CUBE" ? groups.at(end["cube_name"].get<std::string>())
                                       : end["vertex_indices"].get<std::vector<Index>>();
    };
    result.push_back({name, parent_name(bone), vertices(bone["head"]), vertices(bone["tail"])});
  }
  return result;
}

std::vector<RigBone> default_bones(const fs::path& folder) {
  const Json file = Json::parse(text_of(folder / "default.mhskel"));
  std::vector<RigBone> result;
  for (const auto& [name, bone] : file["bones"].items()) {
    const auto vertices = [&file, &of = bone](const char* end) {
      return file["joints"][of[end].get<std::string>()].get<std::vector<Index>>();
    };
    result.push_back({name, parent_name(bone), vertices("head"), vertices("tail")});
  }
  return result;
}

// Parents first.
std::vector<RigBone> ordered(std::vector<RigBone> bones) {
  std::vector<RigBone> result;
  std::set<std::string> known = {""};
  while (!bones.empty()) {
    const std::size_t before = bones.size();
    for (auto bone = bones.begin(); bone != bones.end();) {
      if (!known.contains(bone->parent)) {
        ++bone;
        continue;
      }
      known.insert(bone->name);
      result.push_back(std::move(*bone));
      bone = bones.erase(bone);
    }
    if (bones.size() == before) throw Error("The rig has bones whose parents are missing.");
  }
  return result;
}

// Where a point beside one body is beside another: moved, turned and scaled as the surface around it is.
Vec3 carried(const Vec3& point, const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
  std::vector<std::size_t> order(from.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t count = std::min(kAround, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](std::size_t a, std::size_t b) { return (from[a] - point).squaredNorm() < (from[b] - point).squaredNorm(); });
  Eigen::Matrix3Xd x(3, count), y(3, count);
  for (std::size_t i = 0; i < count; ++i) {
    x.col(static_cast<Eigen::Index>(i)) = from[order[i]];
    y.col(static_cast<Eigen::Index>(i)) = to[order[i]];
  }
  const Mat4 fit = Eigen::umeyama(x, y);
  return fit.topLeftCorner<3, 3>() * point + fit.topRightCorner<3, 1>();
}

KnownRig rigged(std::string name, Mesh mesh, const std::vector<RigBone>& bones, const std::vector<Vec3>& heads,
                const std::vector<Vec3>& tails, const Json& rows) {
  KnownRig known{std::move(name), {}};
  known.rig.mesh = std::move(mesh);
  std::vector<std::vector<Influence>> weights(known.rig.mesh.positions.size());
  Skin skin{"skin", {}, {}};
  for (Index j = 0; j < bones.size(); ++j) {
    Joint joint;
    joint.name = bones[j].name;
    joint.parent = known.rig.skeleton.find(bones[j].parent);
    joint.rest.translation = heads[j] - (joint.parent == kNone ? Vec3::Zero() : heads[joint.parent]);
    joint.end_local = tails[j] - heads[j];
    joint.deforming = true;
    known.rig.skeleton.joints.push_back(joint);
    Mat4 bind = Mat4::Identity();
    bind.topRightCorner<3, 1>() = -heads[j];
    skin.joints.push_back(j), skin.inverse_bind.push_back(bind);
    if (!rows.contains(joint.name)) continue;
    for (const Json& entry : rows[joint.name])
      if (const auto v = entry[0].get<std::size_t>(); v < weights.size())
        weights[v].push_back({j, entry[1].get<float>()});
  }
  for (const std::vector<Influence>& row : weights) known.rig.weights.add_row(row);
  known.rig.weights = known.rig.weights.normalized();
  known.rig.skins.push_back(std::move(skin));
  known.rig.mesh.parts[0].skin = 0;
  return known;
}

// The first faces of a mesh, without the vertices that they do not use at the end.
Mesh first_faces(const Mesh& mesh, Index faces) {
  Mesh result;
  Index count = 0;
  for (Index f = 0; f < faces; ++f) {
    result.add_face(mesh.face(f));
    for (const Index v : mesh.face(f)) count = std::max(count, v + 1);
  }
  result.positions.assign(mesh.positions.begin(), mesh.positions.begin() + static_cast<std::ptrdiff_t>(count));
  MeshPart part;
  part.vertex_count = count, part.face_count = faces;
  result.parts = {part};
  return result;
}

}  // namespace

std::string makehuman_name(MakeHumanRig rig) {
  return rig == MakeHumanRig::kMixamo ? "MakeHuman, Mixamo rig" : "MakeHuman, default rig";
}

std::optional<SameFaces> makehuman_pair(const fs::path& folder, MakeHumanRig rig, const Progress& progress) {
  const bool mixamo = rig == MakeHumanRig::kMixamo;
  const fs::path rows_file = folder / (mixamo ? "weights.mixamo.json" : "default_weights.mhw");
  for (const fs::path& file : {folder / "makehuman_base.obj", folder / "human.zae", rows_file})
    if (!fs::exists(file)) return std::nullopt;
  io::PlacementOptions decimetres;
  decimetres.unit = "dm", decimetres.ground = true;
  const Mesh base = io::load(folder / "makehuman_base.obj", decimetres, progress).character.rig.mesh;
  const Mesh export_mesh = io::load(folder / "human.zae", {}, progress).character.rig.mesh;
  const Index faces = export_mesh.parts.at(0).face_count;
  if (base.face_count() < faces) throw Error("The bodies of MakeHuman do not have the same faces.");
  const Mesh body = first_faces(base, faces);
  Mesh other = body;
  std::vector<Index> found(body.positions.size(), kNone);
  for (Index f = 0; f < faces; ++f) {
    const auto ours = body.face(f), theirs = export_mesh.face(f);
    bool same = ours.size() == theirs.size();
    for (std::size_t k = 0; same && k < ours.size(); ++k) {
      same = found[ours[k]] == kNone || found[ours[k]] == theirs[k];
      found[ours[k]] = theirs[k];
      other.positions[ours[k]] = export_mesh.positions[theirs[k]];
    }
    if (!same) throw Error("The bodies of MakeHuman do not have the same faces.");
  }
  const std::vector<RigBone> bones = ordered(mixamo ? mixamo_bones(folder) : default_bones(folder));
  const auto mean = [&](const std::vector<Index>& vertices) {
    Vec3 sum = Vec3::Zero();
    for (const Index v : vertices) sum += base.positions.at(v) / static_cast<double>(vertices.size());
    return sum;
  };
  std::vector<Vec3> heads, tails, other_heads, other_tails;
  for (const RigBone& bone : bones) {
    heads.push_back(mean(bone.head)), tails.push_back(mean(bone.tail));
    other_heads.push_back(carried(heads.back(), body.positions, other.positions));
    other_tails.push_back(carried(tails.back(), body.positions, other.positions));
  }
  const Json rows = Json::parse(text_of(rows_file))["weights"];
  std::vector<Index> same(body.positions.size());
  std::iota(same.begin(), same.end(), Index{0});
  return SameFaces{makehuman_name(rig), rigged("base", body, bones, heads, tails, rows),
                   rigged("human", other, bones, other_heads, other_tails, rows), std::move(same)};
}

}  // namespace sinew::lab
