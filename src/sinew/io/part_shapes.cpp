// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/part_shapes.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <memory>
#include <utility>

#include "sinew/core/error.h"
#include "sinew/io/gltf/document.h"
#include "sinew/io/parts_json.h"

namespace sinew::io {
namespace {

constexpr const char* kKey = "part_samples";

SurfaceSample moved_sample(const SurfaceSample& sample, const Mat4& to) {
  const Mat3 linear = to.topLeftCorner<3, 3>();
  return {transform_point(to, sample.point), (linear.inverse().transpose() * sample.normal).normalized()};
}

PartSamples moved_samples(const PartSamples& samples, const Mat4& to) {
  PartSamples moved = samples;
  for (auto& [name, list] : moved)
    for (SurfaceSample& sample : list) sample = moved_sample(sample, to);
  return moved;
}

const Json* stored(const Asset& asset) {
  const auto* document = dynamic_cast<const gltf::GltfDocument*>(asset.document.get());
  if (document == nullptr) return nullptr;
  const Json* at = &document->json();
  for (const char* key : {"extras", "sinew", kKey}) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(key);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

}  // namespace

void store_part_samples(Asset& asset, const PartSamples& samples) {
  const auto document = std::dynamic_pointer_cast<const gltf::GltfDocument>(asset.document);
  if (!document)
    throw Error(
        fmt::format("{} cannot hold the shapes of joints. Convert it to .glb first, or write them to a .json file.",
                    asset.path.string()));
  // The document belongs to the asset; others that share it see the change, too.
  Json& json = std::const_pointer_cast<gltf::GltfDocument>(document)->container.json;
  Json& extras = json["extras"];
  if (!extras.is_object()) extras = extras.is_null() ? Json::object() : Json({{"extras", extras}});
  if (!extras["sinew"].is_object()) extras["sinew"] = Json::object();
  if (samples.empty()) {
    extras["sinew"].erase(kKey);
    if (extras["sinew"].empty()) extras.erase("sinew");
    if (extras.empty()) json.erase("extras");
    return;
  }
  Json own = Json::parse(samples_json(moved_samples(samples, asset.placement.inverse())));
  own["vertices"] = asset.character.rig.mesh.vertex_count();
  extras["sinew"][kKey] = std::move(own);
}

PartSamples stored_part_samples(const Asset& asset, Findings& findings) {
  const Json* json = stored(asset);
  if (json == nullptr) return {};
  const auto warn = [&](const std::string& text) {
    findings.push_back({"gltf.part_samples", asset.path.filename().string(), text});
  };
  if (json->value("vertices", Index{0}) != asset.character.rig.mesh.vertex_count()) {
    warn("It holds shapes of joints for another mesh, which are not used. Run sinew fit-joints again.");
    return {};
  }
  try {
    const std::string text = json->dump();
    PartSamples samples = moved_samples(read_samples_json(std::as_bytes(std::span(text)), asset.path), asset.placement);
    for (auto at = samples.begin(); at != samples.end();) {
      if (asset.character.rig.skeleton.find(at->first) != kNone) {
        ++at;
        continue;
      }
      warn(fmt::format("It holds the shape of the joint '{}', which the skeleton does not have.", at->first));
      at = samples.erase(at);
    }
    return samples;
  } catch (const Error& error) {
    warn(fmt::format("The shapes of joints that it holds cannot be read, and are not used: {}", error.what()));
    return {};
  }
}

}  // namespace sinew::io
