// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/parts_json.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "sinew/core/error.h"
#include "sinew/core/json.h"
#include "sinew/io/file.h"

namespace sinew::io {
namespace {

constexpr const char* kOwners = "sinew-owners";
constexpr const char* kSamples = "sinew-samples";
constexpr const char* kMaterials = "sinew-materials";

Json parsed(std::span<const std::byte> bytes, const std::filesystem::path& path, const char* format) {
  Json json = parse_json(bytes, path);
  if (!json.is_object() || !json.contains("format") || json["format"] != format)
    throw Error(fmt::format("{} is not a JSON file of the format '{}'.", path.string(), format));
  return json;
}

Vec3 vector_of(const Json& json, const std::filesystem::path& path) {
  Vec3 v;
  if (!json.is_array() || json.size() != 3)
    throw Error(fmt::format("{}: a point or a normal does not have three numbers.", path.string()));
  for (std::size_t k = 0; k < 3; ++k) {
    if (!json[k].is_number()) throw Error(fmt::format("{}: a coordinate is not a number.", path.string()));
    v[static_cast<Eigen::Index>(k)] = json[k].get<double>();
  }
  if (!v.allFinite()) throw Error(fmt::format("{}: a coordinate is not finite.", path.string()));
  return v;
}

Json json_of(const Vec3& v) { return Json{v.x(), v.y(), v.z()}; }

}  // namespace

std::string owners_json(const Segmentation& segmentation, const Skeleton& skeleton) {
  Json json = {{"format", kOwners}, {"version", 1}};
  Json bones = Json::array(), owners = Json::array(), along = Json::array();
  for (const Segmentation::Segment& segment : segmentation.segments)
    bones.push_back({{"joint", skeleton.joints[segment.joint].name},
                     {"child", segment.child == kNone ? Json() : Json(skeleton.joints[segment.child].name)}});
  for (std::size_t v = 0; v < segmentation.owner.size(); ++v) {
    owners.push_back(segmentation.owner[v] == kNone ? Json() : Json(segmentation.owner[v]));
    along.push_back(segmentation.along[v]);
  }
  json["bones"] = std::move(bones);
  json["owners"] = std::move(owners);
  json["along"] = std::move(along);
  return json.dump() + "\n";
}

std::vector<Index> read_owners_json(std::span<const std::byte> bytes, const std::filesystem::path& path,
                                    const Skeleton& skeleton, Index vertices) {
  const Json json = parsed(bytes, path, kOwners);
  if (!json.contains("bones") || !json["bones"].is_array() || !json.contains("owners") || !json["owners"].is_array())
    throw Error(fmt::format("{} lacks the list 'bones' or the list 'owners'.", path.string()));
  std::vector<Index> joints;
  for (const Json& bone : json["bones"]) {
    if (!bone.is_object() || !bone.contains("joint") || !bone["joint"].is_string())
      throw Error(fmt::format("{}: a bone does not name its joint.", path.string()));
    const auto name = bone["joint"].get<std::string>();
    joints.push_back(skeleton.find(name));
    if (joints.back() == kNone)
      throw Error(fmt::format("{} names the joint '{}', which the skeleton does not have.", path.string(), name));
  }
  if (json["owners"].size() != vertices)
    throw Error(fmt::format("{} has owners for {} vertices, but the mesh has {}.", path.string(), json["owners"].size(),
                            vertices));
  std::vector<Index> owners;
  for (const Json& owner : json["owners"]) {
    if (owner.is_null()) {
      owners.push_back(kNone);
      continue;
    }
    if (!owner.is_number_unsigned() || owner.get<std::uint64_t>() >= joints.size())
      throw Error(fmt::format("{}: an owner is not one of the bones.", path.string()));
    owners.push_back(joints[owner.get<std::size_t>()]);
  }
  return owners;
}

std::string samples_json(const PartSamples& samples) {
  Json parts = Json::object();
  for (const auto& [name, list] : samples) {
    Json points = Json::array(), normals = Json::array();
    for (const SurfaceSample& sample : list)
      points.push_back(json_of(sample.point)), normals.push_back(json_of(sample.normal));
    parts[name] = {{"points", std::move(points)}, {"normals", std::move(normals)}};
  }
  const Json json = {{"format", kSamples}, {"version", 1}, {"parts", std::move(parts)}};
  return json.dump() + "\n";
}

PartSamples read_samples_json(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  const Json json = parsed(bytes, path, kSamples);
  if (!json.contains("parts") || !json["parts"].is_object())
    throw Error(fmt::format("{} lacks the object 'parts'.", path.string()));
  PartSamples samples;
  for (const auto& [name, part] : json["parts"].items()) {
    if (!part.is_object() || !part.contains("points") || !part["points"].is_array() || !part.contains("normals") ||
        !part["normals"].is_array() || part["points"].size() != part["normals"].size())
      throw Error(fmt::format("{}: the part '{}' does not have as many points as normals.", path.string(), name));
    std::vector<SurfaceSample>& list = samples[name];
    for (std::size_t i = 0; i < part["points"].size(); ++i) {
      const Vec3 point = vector_of(part["points"][i], path), normal = vector_of(part["normals"][i], path);
      if (!(normal.norm() > 1e-9))
        throw Error(fmt::format("{}: a normal of the part '{}' has no direction.", path.string(), name));
      list.push_back({point, normal.normalized()});
    }
  }
  return samples;
}

namespace {

/// A preset by its name, or numbers.
Tissue tissue_of(const Json& json, const std::filesystem::path& path) {
  if (json.is_string()) {
    try {
      return tissue(json.get<std::string>());
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", path.string(), error.what()));
    }
  }
  if (!json.is_object())
    throw Error(fmt::format("{}: a material is neither a name nor an object with numbers.", path.string()));
  Tissue result;
  const auto read = [&](const char* key, double least, double most, double& value) {
    if (!json.contains(key)) return;
    if (!json[key].is_number() || !(json[key].get<double>() >= least && json[key].get<double>() <= most))
      throw Error(
          fmt::format("{}: the {} of a material must be a number from {:g} to {:g}.", path.string(), key, least, most));
    value = json[key].get<double>();
  };
  read("stiffness", 1e-6, 1e6, result.stiffness);
  read("damping", 0, 100, result.damping);
  read("rigid", 0, 1, result.rigid);
  return result;
}

}  // namespace

std::vector<std::optional<Tissue>> read_materials_json(std::span<const std::byte> bytes,
                                                       const std::filesystem::path& path, Index vertices) {
  const Json json = parsed(bytes, path, kMaterials);
  if (!json.contains("materials") || !json["materials"].is_array() || !json.contains("vertices") ||
      !json["vertices"].is_array())
    throw Error(fmt::format("{} lacks the list 'materials' or the list 'vertices'.", path.string()));
  std::vector<Tissue> tissues;
  for (const Json& material : json["materials"]) tissues.push_back(tissue_of(material, path));
  if (json["vertices"].size() != vertices)
    throw Error(fmt::format("{} has materials for {} vertices, but the mesh has {}.", path.string(),
                            json["vertices"].size(), vertices));
  std::vector<std::optional<Tissue>> painted;
  for (const Json& vertex : json["vertices"]) {
    painted.emplace_back();
    if (vertex.is_null()) continue;
    if (!vertex.is_number_unsigned() || vertex.get<std::uint64_t>() >= tissues.size())
      throw Error(fmt::format("{}: the material of a vertex is not one of the list.", path.string()));
    painted.back() = tissues[vertex.get<std::size_t>()];
  }
  return painted;
}

}  // namespace sinew::io
