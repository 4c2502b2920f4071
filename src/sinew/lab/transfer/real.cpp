// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "sinew/binding/voxel/voxel.h"
#include "sinew/io/asset.h"
#include "sinew/lab/transfer/known_rigs.h"
#include "sinew/lab/transfer/transfer.h"
#include "sinew/measure/posed_agreement.h"

namespace sinew::lab {

namespace {

constexpr std::array<const char*, 14> kRealFiles = {"rigged/CesiumMan.glb",
                                                    "rigged/human-male.glb",
                                                    "rigged/Knight.glb",
                                                    "rigged/human-bunny.glb",
                                                    "rigged/HVGirl.glb",
                                                    "rigged/100Avatars_002_CoolAlien.vrm",
                                                    "rigged/generic-hand-left.glb",
                                                    "rigged/Fox.glb",
                                                    "rigged/horse-animations.glb",
                                                    "rigged/spider-animations.glb",
                                                    "rigged/lumberjack.glb",
                                                    "rigged-fbx/arnaud.fbx",
                                                    "rigged-fbx/Male_Adult_01.fbx",
                                                    "rigged-fbx/Dog_Beagle_01.fbx"};

SkinWeights by_voxels(const KnownRig& target, const transfer::Correspondence& pairs) {
  std::vector<char> bound(target.rig.skeleton.joints.size(), 0);
  for (const transfer::JointPair& pair : pairs.pairs) bound[pair.target] = 1;
  const binding::Subject subject{target.rig.mesh, target.rig.skeleton, rest_matrices(target.rig.skeleton), bound};
  return binding::bind_by_voxels(subject).weights;
}

struct RealError {
  double tv = 0, posed = 0;
};

RealError real_error(const KnownRig& target, const SkinWeights& weights, const Progress& progress) {
  return {transfer_error(target, weights).mean_tv,
          measure::posed_agreement(target.rig, weights, progress).rms / target.rig.mesh.size()};
}

struct RealMethod {
  const char* name;
  std::optional<MethodChoice> method;  ///< Absent: bound anew by voxels.
};

}  // namespace

void transfer_real(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  namespace fs = std::filesystem;
  const auto& all = transfer::methods();
  const std::array<RealMethod, 6> methods = {
      {{"bound by voxels", std::nullopt},
       {"closest point", MethodChoice(all, "closest")},
       {"inpainting", MethodChoice(all, "inpaint")},
       {"guides", MethodChoice(all, "guides")},
       {"skeleton, published", MethodChoice(all, "skeleton", published_transfer())},
       {"skeleton, shipping", MethodChoice(all, "skeleton")}}};
  for (const bool changed : {false, true}) {
    ResultTable weights{changed ? "real_build_tv" : "real_copy_tv",
                        changed ? "Real characters: copies of other build and pose, mean error of weights"
                                : "Real characters: decimated copies, mean error of weights",
                        "Half the sum of differences of a row; 4 influences.",
                        {"character"},
                        {}};
    ResultTable posed{changed ? "real_build_posed" : "real_copy_posed",
                      changed ? "Real characters: copies of other build and pose, error of posed vertices"
                              : "Real characters: decimated copies, error of posed vertices",
                      "Root mean square in thousandths of the size, each joint turned by 45° about each axis.",
                      {"character"},
                      {}};
    for (const RealMethod& method : methods)
      weights.header.emplace_back(method.name), posed.header.emplace_back(method.name);
    std::vector<double> sums(2 * methods.size(), 0.0);
    int files = 0;
    for (const char* file : kRealFiles) {
      const fs::path path = fs::path(options.data) / file;
      if (!fs::exists(path)) continue;
      progress.check();
      const io::Asset asset = io::load(path, {}, progress);
      const KnownRig reference = bound_alone(asset.character.rig, path.stem().string());
      const KnownRig target = decimated_rig(
          changed ? other_build(reference, static_cast<std::uint64_t>(options.seed), 0.5) : reference, 0.5);
      const transfer::Correspondence pairs = own_pairs(reference, target);
      weights.rows.push_back({reference.name});
      posed.rows.push_back({reference.name});
      for (std::size_t m = 0; m < methods.size(); ++m) {
        const transfer::Reference from = reference.reference();
        const transfer::TransferBody to = target.side();
        const SkinWeights found = methods[m].method
                                      ? transfer::transfer(*methods[m].method, {from, to, pairs}, {}, progress).weights
                                      : by_voxels(target, pairs);
        const RealError error = real_error(target, found, progress);
        weights.rows.back().push_back(fmt::format("{:.3f}", error.tv));
        posed.rows.back().push_back(fmt::format("{:.2f}", 1000 * error.posed));
        sums[2 * m] += error.tv, sums[2 * m + 1] += error.posed;
        result.metrics[weights.id][reference.name][methods[m].name] = {{"mean_tv", error.tv},
                                                                       {"posed_rms", error.posed}};
      }
      ++files;
    }
    if (files == 0) throw Error(fmt::format("{} has none of the characters of this experiment.", options.data));
    weights.rows.push_back({"mean"});
    posed.rows.push_back({"mean"});
    for (std::size_t m = 0; m < methods.size(); ++m) {
      weights.rows.back().push_back(fmt::format("{:.3f}", sums[2 * m] / files));
      posed.rows.back().push_back(fmt::format("{:.2f}", 1000 * sums[2 * m + 1] / files));
    }
    result.tables.push_back(std::move(weights));
    result.tables.push_back(std::move(posed));
  }
}

}  // namespace sinew::lab
