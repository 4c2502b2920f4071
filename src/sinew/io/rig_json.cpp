// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/rig_json.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "sinew/io/driver_words.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io {
namespace {

std::string quoted(const std::string& text) { return Json(to_utf8(text)).dump(); }

// JSON text, number by number: the document of a large character is never held twice.
class RigWriter {
 public:
  std::string run(const Character& character) {
    const Rig& rig = character.rig;
    out_ = "{\n  \"schema\": \"sinew.rig/1\",\n  \"generator\": \"Sinew\",\n";
    out_ += "  \"name\": " + quoted(character.name) + ",\n  \"up\": \"+y\",\n  \"unit\": \"m\",\n";
    section("joints", rig.skeleton.joints.size(), [&](std::size_t i) { joint(rig.skeleton.joints[i]); });
    out_ += ",\n";
    section("skins", rig.skins.size(), [&](std::size_t i) { skin(rig.skins[i]); });
    out_ += ",\n";
    section("meshes", rig.mesh.parts.size(), [&](std::size_t i) { mesh(rig, rig.mesh.parts[i]); });
    out_ += "\n}\n";
    return std::move(out_);
  }

 private:
  template <class Write>
  void section(const char* name, std::size_t count, Write&& write) {
    out_ += fmt::format("  \"{}\": [", name);
    for (std::size_t i = 0; i < count; ++i) {
      out_ += i == 0 ? "\n    {" : ",\n    {";
      write(i);
      out_ += '}';
    }
    out_ += count == 0 ? "]" : "\n  ]";
  }

  template <class Number>
  void list(std::size_t count, Number&& number) {
    out_ += '[';
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ", ";
      append_number(out_, number(i));
    }
    out_ += ']';
  }

  template <class Matrix>
  void numbers(const char* key, const Matrix& values) {
    out_ += fmt::format(", \"{}\": ", key);
    list(static_cast<std::size_t>(values.size()), [&](std::size_t i) { return values.data()[i]; });
  }

  void index(const char* key, Index value) {
    if (value != kNone) out_ += fmt::format(", \"{}\": {}", key, value);
  }

  void joint(const Joint& joint) {
    out_ += "\"name\": " + quoted(joint.name) + ", \"parent\": ";
    out_ += joint.parent == kNone ? "null" : fmt::format("{}", joint.parent);
    numbers("translation", joint.rest.translation);
    numbers("rotation", joint.rest.rotation.coeffs());
    numbers("scale", joint.rest.scale);
    if (joint.shear != Mat3::Identity()) numbers("shear", joint.shear);
    out_ += joint.deforming ? ", \"deforming\": true" : ", \"deforming\": false";
    if (!joint.role.empty()) out_ += ", \"role\": " + quoted(joint.role);
    index("mirror", joint.mirror);
    if (joint.end_local) numbers("end_local", *joint.end_local);
    if (joint.limits) {
      out_ += ", \"limits\": {\"unit\": \"rad\"";
      numbers("lower", joint.limits->lower_rad);
      numbers("upper", joint.limits->upper_rad);
      out_ += '}';
    }
    if (joint.driver) driver(*joint.driver);
  }

  void driver(const Driver& driver) {
    if (driver.kind == Driver::Kind::kOpaque) {
      opaque_driver(driver);
      return;
    }
    out_ += fmt::format(", \"driver\": {{\"kind\": \"{}\", \"source\": {}",
                        kDriverWords[static_cast<std::size_t>(driver.kind)], driver.source);
    numbers("axis", driver.axis);
    out_ += ", \"share\": ";
    append_number(out_, driver.share);
    if (driver.weight != 1) {
      out_ += ", \"weight\": ";
      append_number(out_, driver.weight);
    }
    if (driver.before.coeffs() != Quat::Identity().coeffs()) numbers("before", driver.before.coeffs());
    driver_lists(driver);
    out_ += '}';
  }

  // As it came, with the number that its source has in this file.
  void opaque_driver(const Driver& driver) {
    Json json = parse_json_text(driver.opaque);
    if (!json.is_object()) return;
    const auto source = json.find("source");
    if (source != json.end() && source->is_number() && driver.source != kNone) *source = driver.source;
    out_ += ", \"driver\": " + json.dump();
  }

  void driver_lists(const Driver& driver) {
    if (!driver.coefficients.empty()) {
      out_ += ", \"coefficients\": [";
      for (std::size_t i = 0; i < driver.coefficients.size(); ++i) {
        if (i > 0) out_ += ", ";
        list(driver.coefficients[i].size(), [&](std::size_t k) { return driver.coefficients[i][k]; });
      }
      out_ += ']';
    }
    if (!driver.keys.empty()) {
      out_ += ", \"keys\": [";
      for (std::size_t i = 0; i < driver.keys.size(); ++i) {
        if (i > 0) out_ += ", ";
        list(2, [&](std::size_t k) { return k == 0 ? driver.keys[i].first : driver.keys[i].second; });
      }
      out_ += ']';
    }
  }

  void skin(const Skin& skin) {
    out_ += "\"name\": " + quoted(skin.name) +
            fmt::format(", \"joints\": [{}], \"inverse_bind\": [", fmt::join(skin.joints, ", "));
    for (std::size_t i = 0; i < skin.inverse_bind.size(); ++i) {
      out_ += i == 0 ? "\n      " : ",\n      ";
      list(16, [&](std::size_t k) { return skin.inverse_bind[i].data()[k]; });
    }
    out_ += ']';
  }

  void mesh(const Rig& rig, const MeshPart& part) {
    out_ += "\"name\": " + quoted(part.name) + fmt::format(", \"vertices\": {}", part.vertex_count);
    index("skin", part.skin);
    index("joint", part.joint);
    if (part.to_model != Mat4::Identity()) numbers("to_model", part.to_model);
    if (!rig.weights.empty() && (part.skin != kNone || part.joint != kNone) && !moves_as_one(rig, part))
      weights(rig, part);
  }

  // A rigid mesh needs no list of ones.
  static bool moves_as_one(const Rig& rig, const MeshPart& part) {
    if (part.skin != kNone) return false;
    for (Index v = 0; v < part.vertex_count; ++v) {
      const auto row = rig.weights.row(part.first_vertex + v);
      if (row.size() != 1 || row[0] != Influence{part.joint, 1.0F}) return false;
    }
    return true;
  }

  void weights(const Rig& rig, const MeshPart& part) {
    const auto column = [&](const char* name, auto&& value) {
      out_ += fmt::format("\n      \"{}\": [", name);
      bool first = true;
      for (Index v = 0; v < part.vertex_count; ++v)
        for (const Influence& influence : rig.weights.row(part.first_vertex + v)) {
          if (!first) out_ += ',';
          first = false;
          value(v, influence);
        }
      out_ += ']';
    };
    out_ += ", \"weights\": {";
    column("vertex", [&](Index v, const Influence&) { out_ += fmt::format_int(v).c_str(); });
    out_ += ',';
    column("joint", [&](Index, const Influence& influence) { out_ += fmt::format_int(influence.joint).c_str(); });
    out_ += ',';
    column("weight", [&](Index, const Influence& influence) { append_number(out_, influence.weight); });
    out_ += '}';
  }

  std::string out_;
};

// The mesh of the rig for each part, or kNone.
std::vector<Index> match_meshes(const std::vector<MeshPart>& parts, const std::vector<RigMesh>& meshes) {
  std::vector<Index> match(parts.size(), kNone);
  if (parts.size() == 1 && meshes.size() == 1) return {0};
  std::unordered_map<std::string, std::vector<Index>> by_name;
  for (std::size_t m = meshes.size(); m-- > 0;) by_name[meshes[m].name].push_back(static_cast<Index>(m));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto found = by_name.find(parts[p].name);
    if (found == by_name.end() || found->second.empty()) continue;
    match[p] = found->second.back();
    found->second.pop_back();
  }
  return match;
}

void check_match(const Asset& asset, const RigFile& rig, const std::vector<Index>& match) {
  const std::vector<MeshPart>& parts = asset.character.rig.mesh.parts;
  const std::string file = to_utf8(asset.path.filename().string());
  bool any = false;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (match[p] == kNone) continue;
    any = true;
    const RigMesh& mesh = rig.meshes[match[p]];
    if (mesh.vertex_count != parts[p].vertex_count)
      throw Error(
          fmt::format("The rig was made for a mesh '{}' with {} vertices, but in {} the mesh '{}' has {}. Use the file "
                      "from which the rig was made, or transfer the rig.",
                      mesh.name, mesh.vertex_count, file, parts[p].name, parts[p].vertex_count));
  }
  if (!any && !parts.empty() && !rig.meshes.empty())
    throw Error(fmt::format("No mesh of {} is named in the rig. The file has '{}', the rig '{}'{}.", file,
                            parts[0].name, rig.meshes[0].name,
                            parts.size() + rig.meshes.size() > 2 ? " and others" : ""));
}

void report_unmatched(Asset& asset, const RigFile& rig, const std::vector<Index>& match) {
  std::vector<bool> used(rig.meshes.size(), false);
  for (std::size_t p = 0; p < match.size(); ++p) {
    if (match[p] != kNone) used[match[p]] = true;
    else
      asset.warnings.push_back({"rig.unmatched_mesh", asset.character.rig.mesh.parts[p].name,
                                "The rig does not name this mesh, so no joint moves it."});
  }
  for (std::size_t m = 0; m < used.size(); ++m)
    if (!used[m])
      asset.warnings.push_back({"rig.unmatched_mesh", rig.meshes[m].name,
                                "The rig names this mesh, but the file has no mesh of that name."});
}

void report_opaque_drivers(Asset& asset, const Skeleton& skeleton) {
  for (const Joint& joint : skeleton.joints)
    if (joint.driver && joint.driver->kind == Driver::Kind::kOpaque)
      asset.warnings.push_back({"rig.driver", joint.name, kOpaqueDriver});
}

// Joints of the new skeleton by the old ones, by name; joints of one name in order.
std::vector<Index> map_joints(const Skeleton& from, const Skeleton& to) {
  std::map<std::pair<std::string, int>, Index> by_name;
  std::unordered_map<std::string, int> seen;
  for (Index j = 0; j < to.size(); ++j) by_name[{to.joints[j].name, seen[to.joints[j].name]++}] = j;
  seen.clear();
  std::vector<Index> result(from.joints.size(), kNone);
  for (Index j = 0; j < from.size(); ++j) {
    const auto found = by_name.find({from.joints[j].name, seen[from.joints[j].name]++});
    if (found != by_name.end()) result[j] = found->second;
  }
  return result;
}

void move_clips(Asset& asset, const Skeleton& to) {
  const std::vector<Index> map = map_joints(asset.character.rig.skeleton, to);
  for (Clip& clip : asset.character.clips) {
    std::size_t dropped = 0;
    std::vector<Track> kept;
    for (Track& track : clip.tracks) {
      if (track.path != Track::Path::kMorphWeights) track.target = map[track.target];
      if (track.target == kNone) ++dropped;
      else kept.push_back(std::move(track));
    }
    clip.tracks = std::move(kept);
    if (dropped > 0)
      asset.warnings.push_back({"rig.dropped_tracks", clip.name,
                                fmt::format("{} track(s) move joints that the new rig does not have.", dropped)});
  }
}

void put_part(MeshPart& part, const RigMesh* mesh, const std::vector<Mat4>& rest, SkinWeights& weights) {
  part.skin = mesh ? mesh->skin : kNone;
  part.joint = mesh ? mesh->joint : kNone;
  const bool rigid = part.skin == kNone && part.joint != kNone;
  if (rigid) part.to_model = mesh->to_model ? *mesh->to_model : rest[part.joint];
  std::vector<Influence> row;
  std::size_t at = 0;
  for (Index v = 0; v < part.vertex_count; ++v) {
    row.clear();
    for (; mesh && at < mesh->weights.size() && mesh->weights[at].vertex == v; ++at)
      row.push_back(mesh->weights[at].influence);
    if (rigid && !mesh->has_weights) row.push_back({part.joint, 1.0F});
    weights.add_row(row);
  }
}

// Joints that the file has under the same name, and only once, are those nodes and no new ones.
Skeleton with_sources(Skeleton skeleton, const Skeleton& old) {
  std::map<std::string, int> count;
  for (const Joint& joint : skeleton.joints) ++count[joint.name];
  std::map<std::string, Index> source;
  for (const Joint& joint : old.joints) {
    const auto [entry, fresh] = source.try_emplace(joint.name, joint.source);
    if (!fresh) entry->second = kNone;
  }
  for (Joint& joint : skeleton.joints) {
    const auto found = source.find(joint.name);
    joint.source = found != source.end() && count[joint.name] == 1 ? found->second : kNone;
  }
  return skeleton;
}

}  // namespace

std::string write_rig_json(const Character& character) { return RigWriter().run(character); }

void apply_rig(Asset& asset, const RigFile& rig) {
  Rig& target = asset.character.rig;
  const std::vector<Index> match = match_meshes(target.mesh.parts, rig.meshes);
  check_match(asset, rig, match);
  report_unmatched(asset, rig, match);
  report_opaque_drivers(asset, rig.skeleton);
  move_clips(asset, rig.skeleton);
  target.skeleton = with_sources(rig.skeleton, target.skeleton);
  target.skins = rig.skins;
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  SkinWeights weights;
  bool any = false;
  for (std::size_t p = 0; p < match.size(); ++p) {
    const RigMesh* mesh = match[p] == kNone ? nullptr : &rig.meshes[match[p]];
    any = any || (mesh && (mesh->has_weights || mesh->joint != kNone));
    put_part(target.mesh.parts[p], mesh, rest, weights);
  }
  target.weights = any ? std::move(weights) : SkinWeights();
}

Asset read_rig(const std::filesystem::path& path, Bytes bytes, const Progress& progress) {
  progress.step("reading the rig");
  auto document = std::make_shared<RigDocument>();
  document->rig = read_rig_json(bytes, to_utf8(path.string()));
  document->bytes = std::move(bytes);
  Asset asset;
  asset.path = path;
  asset.format = "rig";
  asset.states_space = true;
  asset.character.name = document->rig.name;
  asset.character.rig.skeleton = document->rig.skeleton;
  asset.character.rig.skins = document->rig.skins;
  report_opaque_drivers(asset, document->rig.skeleton);
  Json meshes = Json::array();
  for (const RigMesh& mesh : document->rig.meshes)
    meshes.push_back({{"name", mesh.name}, {"vertices", mesh.vertex_count}, {"influences", mesh.weights.size()}});
  asset.contents["meshes"] = std::move(meshes);
  asset.document = std::move(document);
  return asset;
}

void write_rig(const Asset& asset, const std::filesystem::path& path, const SaveOptions& options, AtomicFiles& files,
               Report& report) {
  const Character& character = asset.character;
  if (character.rig.skeleton.empty())
    throw Error(fmt::format("{} has no skeleton, so there is no rig to write to {}.", to_utf8(asset.path.string()),
                            to_utf8(path.string())));
  const auto* document = dynamic_cast<const RigDocument*>(asset.document.get());
  if (document && character.rig.mesh.positions.empty() && !options.changes.skeleton && !options.changes.weights &&
      asset.placement == Mat4::Identity()) {
    files.add(path, document->bytes);
    return;
  }
  const std::string text = write_rig_json(character);
  try {
    read_rig_json(as_bytes(text), "the rig");
  } catch (const Error& problem) {
    throw Error(fmt::format("{} cannot be written as a rig file, which holds sound weights and matrices only: {}",
                            to_utf8(asset.path.string()), problem.what()));
  }
  files.add(path, text);
  if (!character.clips.empty())
    report.warn(
        "rig.dropped", to_utf8(path.filename().string()),
        fmt::format("A rig file stores only joints and weights. Left out: {} clip(s).", character.clips.size()));
}

}  // namespace sinew::io
