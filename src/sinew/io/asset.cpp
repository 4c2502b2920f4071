// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/asset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/io/assimp/reader.h"
#include "sinew/io/bvh/bvh.h"
#include "sinew/io/fbx/fbx.h"
#include "sinew/io/foreign_file.h"
#include "sinew/io/gltf/gltf.h"
#include "sinew/io/iqm/iqm.h"
#include "sinew/io/rig_json.h"
#include "sinew/io/rignet/rignet.h"
#include "sinew/io/text/obj_reader.h"
#include "sinew/io/text/obj_writer.h"
#include "sinew/io/text/off.h"
#include "sinew/io/text/ply.h"

namespace sinew::io {
namespace {

std::string all_endings(bool writing) {
  std::string list;
  for (const auto& format : formats().entries()) {
    if (writing ? !format.make.write : !format.make.read) continue;
    for (const std::string& ending : format.make.endings) list += (list.empty() ? "" : ", ") + ending;
  }
  return list;
}

void check_valid(const Asset& asset) {
  const Findings found = validate(asset.character);
  if (found.empty()) return;
  const Finding& first = found.front();
  throw Error(first.where.empty() ? first.text : first.where + ": " + first.text);
}

// Formats hold single precision: what is finite in memory can be infinite in the file.
bool fits_float(double x) { return std::abs(x) <= std::numeric_limits<float>::max(); }

template <class Matrix>
bool all_fit(const Matrix& m) {
  for (Eigen::Index i = 0; i < m.size(); ++i)
    if (!fits_float(m.data()[i])) return false;
  return true;
}

void check_writable(const Asset& asset) {
  check_valid(asset);
  const Rig& rig = asset.character.rig;
  const auto fail = [](const std::string& where, const char* what) {
    throw Error(fmt::format("{} has {} that no file format can hold. Nothing was written.", where, what));
  };
  for (std::size_t v = 0; v < rig.mesh.positions.size(); ++v)
    if (!all_fit(rig.mesh.positions[v])) fail(fmt::format("Vertex {}", v), "a coordinate");
  for (const Joint& joint : rig.skeleton.joints)
    if (!all_fit(joint.rest.translation) || !all_fit(joint.rest.scale))
      fail("Joint '" + joint.name + "'", "a rest pose");
  for (const Skin& skin : rig.skins)
    for (const Mat4& bind : skin.inverse_bind)
      if (!all_fit(bind)) fail("Skin '" + skin.name + "'", "a bind matrix");
}

}  // namespace

const Registry<Registered<Format>>& formats() {
  static const Registry<Registered<Format>> registry = [] {
    Registry<Registered<Format>> r("file format");
    r.add({"gltf",
           "glTF 2.0",
           "Whole characters: mesh, skeleton, weights, clips, materials.",
           {{".glb", ".gltf", ".vrm"}, read_gltf, write_gltf}});
    r.add({"vrma", "VRM animation", "Clips of a humanoid, without a mesh.", {{".vrma"}, read_gltf, nullptr}});
    r.add({"obj", "Wavefront OBJ", "Meshes with groups, materials and textures.", {{".obj"}, read_obj, write_obj}});
    r.add({"off", "Object File Format", "Plain meshes, common in research.", {{".off"}, read_off, nullptr}});
    r.add({"ply", "Polygon File Format", "Scans and plain meshes.", {{".ply"}, read_ply, nullptr}});
    const auto assimp = [](const std::filesystem::path& path, Bytes bytes, const Progress& progress) {
      return read_assimp(path, std::move(bytes), progress);
    };
    r.add({"fbx", "Autodesk FBX", "Whole characters from most animation programs.", {{".fbx"}, read_fbx, nullptr}});
    r.add({"dae", "COLLADA", "Whole characters in an older exchange format.", {{".dae", ".zae"}, assimp, nullptr}});
    r.add({"iqm", "Inter-Quake Model", "Whole characters for games.", {{".iqm"}, read_iqm, nullptr}});
    r.add({"bvh",
           "Biovision Hierarchy",
           "A skeleton with one clip, without a mesh: motion capture.",
           {{".bvh"}, read_bvh, write_bvh}});
    r.add({"stl", "STL", "Plain triangles for 3D printers and from scanners.", {{".stl"}, assimp, nullptr}});
    r.add({"older",
           "Older formats",
           "3ds Max, AC3D, Blitz3D, LightWave, Modo, MilkShape, DirectX, Quake, Doom and Half-Life models.",
           {{".3ds", ".ac", ".ase", ".b3d", ".lwo", ".lxo", ".md2", ".md5mesh", ".ms3d", ".smd", ".x"},
            assimp,
            nullptr}});
    r.add({"rig",
           "Sinew rig",
           "Joints and weights only, to apply to a mesh in any program.",
           {{".rig.json"}, read_rig, write_rig}});
    r.add({"rignet",
           "RigNet rig",
           "Joints and weights for the OBJ file of the same name, as neural riggers write them.",
           {{".txt"}, read_rignet, nullptr}});
    return r;
  }();
  return registry;
}

const Registered<Format>& format_of(const std::filesystem::path& path) {
  const std::string name = lower_case(path.filename().string());
  for (const auto& format : formats().entries())
    for (const std::string& ending : format.make.endings)
      if (name.size() > ending.size() && name.ends_with(ending) && !(ending == ".txt" && is_other_text(path)))
        return format;
  throw Error(fmt::format("{}: Unknown file type. Supported for reading: {}. Supported for writing: {}.", path.string(),
                          all_endings(false), all_endings(true)));
}

Asset load(const std::filesystem::path& path, const PlacementOptions& placement, const Progress& progress) {
  format_of(path);
  progress.step("reading");
  return load_bytes(path, read_file(path), placement, progress);
}

Asset load_bytes(const std::filesystem::path& path, Bytes bytes, const PlacementOptions& placement,
                 const Progress& progress) {
  const auto& format = format_of(path);
  if (!format.make.read) throw Error(fmt::format("{} files cannot be read, only written.", format.name));
  if (const std::string kind = foreign_kind(path, bytes); !kind.empty())
    throw Error(fmt::format("{}: It is {}.", path.string(), kind));
  const ReportFile description = describe(path, bytes);
  try {
    Asset asset = format.make.read(path, std::move(bytes), progress);
    asset.path = path;
    asset.format = format.id;
    asset.files.insert(asset.files.begin(), description);
    check_valid(asset);
    if (placement.any()) place(asset, placement);
    return asset;
  } catch (const Error& problem) {
    const std::string text = problem.what();
    if (text.starts_with(path.string())) throw;
    throw Error(fmt::format("{}: {}", path.string(), text));
  }
}

void save(const Asset& asset, const std::filesystem::path& path, const SaveOptions& options, Report& report) {
  const auto& format = format_of(path);
  if (!format.make.write)
    throw Error(fmt::format("{}: {} files can be read but not written. Supported for writing: {}.", path.string(),
                            format.name, all_endings(true)));
  check_writable(asset);
  AtomicFiles files;
  format.make.write(asset, path, options, files, report);
  for (const AtomicFiles::Written& written : files.written())
    report.outputs.push_back({written.target.string(), written.sha256, written.bytes});
  files.commit();
}

}  // namespace sinew::io
