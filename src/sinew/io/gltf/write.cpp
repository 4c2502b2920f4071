// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <cstring>

#include "sinew/io/gltf/build.h"
#include "sinew/io/gltf/gltf.h"
#include "sinew/io/gltf/humanoid.h"
#include "sinew/io/gltf/json_access.h"
#include "sinew/io/gltf/node_constraint.h"
#include "sinew/io/gltf/write_prepared.h"
#include "sinew/io/gltf/write_rig.h"
#include "sinew/io/reach.h"

namespace sinew::io {
namespace {

using namespace gltf;

bool has_outside_files(const Json& json) {
  for (const char* list : {"buffers", "images"})
    for (const Json& element : array_at(json, list, "file")) {
      const std::string uri = element.value("uri", "");
      if (!uri.empty() && !uri.starts_with("data:")) return true;
    }
  return false;
}

bool same_folder(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code problem;
  const auto folder = [](const std::filesystem::path& p) { return std::filesystem::absolute(p).parent_path(); };
  return std::filesystem::equivalent(folder(a), folder(b), problem);
}

// Files the glTF refers to go along when it moves to another folder.
void copy_outside_files(const GltfDocument& document, const Json& json, const char* list,
                        const std::filesystem::path& path, AtomicFiles& files, Report& report) {
  if (document.path.empty() || same_folder(document.path, path)) return;  // A new document refers to nothing outside.
  for (const Json& element : array_at(json, list, "file")) {
    const std::string uri = element.value("uri", "");
    if (uri.empty() || uri.starts_with("data:") || uri.find("://") != std::string::npos) continue;
    std::vector<ReportFile> read;
    const auto bytes = resolve_uri(document.path, uri, read);
    if (!bytes) {
      report.warn("gltf.missing_file", uri, "It is missing and was not copied.");
      continue;
    }
    const std::filesystem::path name(unescape_uri(uri));
    const bool picture = list == std::string_view("images");
    if (!is_safe_name(name) ||
        !(picture ? is_picture_name(name) && !sniff_image_type(*bytes).empty() : is_buffer_name(name))) {
      report.warn("gltf.not_copied", uri, "It is not a picture or buffer under a plain name, so it was not copied.");
      continue;
    }
    const std::filesystem::path target = path.parent_path() / name;
    std::error_code problem;
    std::filesystem::create_directories(target.parent_path(), problem);
    if (std::filesystem::exists(target)) {
      if (read_file(target) == *bytes) continue;
      throw Error(fmt::format("{} already exists with different contents; choose another folder.", target.string()));
    }
    files.add(target, *bytes);
  }
}

// Buffers whose names a copy cannot keep are joined into one of our own.
bool has_unsafe_buffers(const Json& json) {
  for (const Json& buffer : array_at(json, "buffers", "file")) {
    const std::string uri = buffer.value("uri", "");
    if (uri.empty() || uri.starts_with("data:")) continue;
    const std::filesystem::path name(unescape_uri(uri));
    if (!is_safe_name(name) || !is_buffer_name(name)) return true;
  }
  return false;
}

// The buffer that only the replaced document used: one that has a name as `buffer_path` gives.
std::filesystem::path buffer_of_replaced(const std::filesystem::path& path) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) return {};
  Json json;
  try {
    json = parse_json_text(as_text(read_file(path)));
  } catch (const Error&) {
    return {};
  }
  if (!json.is_object() || !json.contains("buffers") || !json["buffers"].is_array() || json["buffers"].size() != 1)
    return {};
  const Json& buffer = json["buffers"][0];
  if (!buffer.is_object() || !buffer.contains("uri") || !buffer["uri"].is_string()) return {};
  const std::string name = unescape_uri(buffer["uri"].get<std::string>()), stem = path.stem().string();
  const bool ours = name == stem + ".bin" || (name.starts_with(stem + "_") && name.ends_with(".bin"));
  if (!ours || !is_safe_name(name)) return {};
  return path.parent_path() / name;
}

// NAME.bin beside NAME.gltf, or NAME_2.bin, … where another file has that name: also the buffer of the document that is
// replaced, which must stay as it is until the new document is in its place.
struct BufferPath {
  std::filesystem::path path;
  bool is_new = true;  // False: the same bytes are there already.
};
BufferPath buffer_path(const std::filesystem::path& path, const Bytes& bytes) {
  const auto holds_them = [&](const std::filesystem::path& file) {
    std::error_code problem;
    return std::filesystem::is_regular_file(std::filesystem::symlink_status(file, problem)) &&
           std::filesystem::file_size(file, problem) == bytes.size() && read_file(file) == bytes;
  };
  if (const auto old = buffer_of_replaced(path); !old.empty() && holds_them(old)) return {old, false};
  std::filesystem::path bin = std::filesystem::path(path).replace_extension(".bin");
  for (int number = 2;; ++number) {
    std::error_code problem;
    const auto status = std::filesystem::symlink_status(bin, problem);
    if (status.type() == std::filesystem::file_type::not_found) return {bin, true};
    if (holds_them(bin)) return {bin, false};
    bin.replace_filename(fmt::format("{}_{}.bin", path.stem().string(), number));
  }
}

// Bit by bit, so that a file with colours that are no numbers counts as it came.
bool same_colors(const std::vector<Vec4f>& a, const std::vector<Vec4f>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec4f)) == 0);
}

// A rewritten document that this program would refuse is not written. Large ones are not read again: they take as long
// as the first time, and damaged files are small.
void check_readable(Json json, const Bytes& bytes, const std::filesystem::path& path) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  if (bytes.size() > kMostBytes) return;
  if (!bytes.empty()) json["buffers"][0].erase("uri");
  try {
    const Asset again = read_gltf(path, make_glb(json, !bytes.empty(), bytes, {}), {});
    const Findings found = validate(again.character);
    if (!found.empty()) throw Error(found.front().text);
  } catch (const Error& problem) {
    throw Error(fmt::format("The result would not be a valid file, so nothing was written: {}", problem.what()));
  }
}

void write_document(const GltfDocument& document, DocumentEditor& editor, const std::filesystem::path& path,
                    AtomicFiles& files, Report& report) {
  const bool text = path.extension() == ".gltf";
  if (text) {
    const Bytes bytes = editor.join_buffers("buffer.bin");
    const auto [bin, is_new] = buffer_path(path, bytes);
    if (!bytes.empty()) editor.json["buffers"][0]["uri"] = bin.filename().string();
    check_readable(editor.json, bytes, document.path.empty() ? path : document.path);
    copy_outside_files(document, editor.json, "images", path, files, report);
    if (!document.container.others.empty())
      report.warn("gltf.dropped_chunks", "", "Chunks of the GLB that a .gltf cannot store were left out.");
    if (!bytes.empty() && is_new) files.add(bin, bytes);
    files.add(path, editor.json.dump(2) + "\n");
    if (const auto old = buffer_of_replaced(path); !old.empty() && old.filename() != bin.filename())
      files.remove_afterwards(old);
  } else {
    editor.embed_images(document, report);
    const Bytes bytes = editor.join_buffers("");
    check_readable(editor.json, bytes, path);
    files.add(path, make_glb(editor.json, !bytes.empty(), bytes, document.container.others));
  }
}

}  // namespace

namespace gltf {

void write_all(DocumentEditor& editor, const Asset& asset, const GltfDocument& document, const SaveOptions& options,
               Report& report) {
  const Rig& rig = asset.character.rig;
  if (rig.skeleton.empty() && rig.skins.empty()) return;
  separate_instances(editor, asset, document.parts, false);
  if (!rig.skeleton.empty()) {
    const std::vector<Index> node_of_joint = write_joints(editor, asset, kNone, true);
    write_constraints(editor, document, rig.skeleton, node_of_joint, true);
    write_skins(editor, asset, document.parts, node_of_joint);
    hang_rigid_parts(editor, asset, document, node_of_joint, true);
    write_clips(editor, asset, document.parts, node_of_joint);
    if (options.humanoid) write_humanoid(editor, *options.humanoid, node_of_joint);
  }
  write_weights(editor, asset, document.parts, options, report);
}

}  // namespace gltf

namespace {

void write_checked(const Asset& asset, const std::filesystem::path& path, const SaveOptions& options,
                   AtomicFiles& files, Report& report) {
  const auto document = std::dynamic_pointer_cast<const GltfDocument>(asset.document);
  const Rig& rig = asset.character.rig;
  if (!document) {
    if (rig.mesh.parts.empty() && rig.skeleton.empty())
      throw Error(fmt::format("{}: there is nothing to write.", path.string()));
    const std::shared_ptr<GltfDocument> fresh = build_document(asset, report);
    DocumentEditor editor(*fresh);
    write_all(editor, asset, *fresh, options, report);
    write_prepared(editor, options.prepared);
    write_document(*fresh, editor, path, files, report);
    return;
  }
  const Changes& changes = options.changes;
  const bool text = path.extension() == ".gltf";
  const bool colors = !rig.mesh.colors.empty() && !same_colors(rig.mesh.colors, document->colors);
  const bool changed = colors || changes.positions || changes.shape || changes.morphs || changes.weights ||
                       changes.skeleton || changes.extras || !options.longer_clips.empty() ||
                       !options.prepared.empty() || !options.new_clips.empty() || asset.placement != Mat4::Identity();
  if (!changed && !has_unsafe_buffers(document->json()) && document->container.binary != text &&
      (text || !has_outside_files(document->json()))) {
    // Nothing to do: the file as it came.
    if (text) {
      copy_outside_files(*document, document->json(), "buffers", path, files, report);
      copy_outside_files(*document, document->json(), "images", path, files, report);
    }
    files.add(path, document->file);
    return;
  }
  DocumentEditor editor(*document);
  const Index placement = write_placement(editor, asset);
  if (colors || changes.positions || changes.shape || changes.morphs || changes.weights || changes.skeleton)
    separate_instances(editor, asset, document->parts, colors);
  if (colors) write_colors(editor, asset, document->parts);
  if (changes.positions || changes.shape) write_positions(editor, asset, document->parts);
  if (changes.shape) write_shape(editor, asset, *document, report);
  if (changes.morphs) write_new_morphs(editor, asset, *document);
  std::vector<Index> node_of_joint;
  if (changes.skeleton) {
    node_of_joint = write_joints(editor, asset, placement, false);
    write_constraints(editor, *document, rig.skeleton, node_of_joint, false);
    write_skins(editor, asset, document->parts, node_of_joint);
    hang_rigid_parts(editor, asset, *document, node_of_joint, false);
  } else {
    for (const Joint& joint : rig.skeleton.joints) node_of_joint.push_back(joint.source);
  }
  write_longer_clips(editor, asset, options.longer_clips, document->parts, node_of_joint);
  write_some_clips(editor, asset, options.new_clips, document->parts, node_of_joint);
  if (changes.skeleton && options.humanoid) write_humanoid(editor, *options.humanoid, node_of_joint);
  if (changes.weights || changes.skeleton) write_weights(editor, asset, document->parts, options, report);
  write_prepared(editor, options.prepared);
  write_document(*document, editor, path, files, report);
}

}  // namespace

void write_gltf(const Asset& asset, const std::filesystem::path& path, const SaveOptions& options, AtomicFiles& files,
                Report& report) {
  // Reading looks at what belongs to the character. Parts of the document that nothing uses may be damaged.
  const auto fail = [&](const std::exception& problem) {
    throw Error(fmt::format("{} cannot be rewritten, because an unused part of its glTF document is damaged ({}).",
                            asset.path.string(), problem.what()));
  };
  try {
    write_checked(asset, path, options, files, report);
  } catch (const Json::exception& problem) {
    fail(problem);
  } catch (const std::out_of_range& problem) {
    fail(problem);
  }
}

}  // namespace sinew::io
