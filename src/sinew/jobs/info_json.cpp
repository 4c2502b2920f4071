// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/info_report.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

Json vec_json(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

Json names_json(const Skeleton& skeleton, const std::vector<Index>& joints) {
  Json list = Json::array();
  for (const Index j : joints) list.push_back(skeleton.joints[j].name);
  return list;
}

Json index_json(Index i) { return i == kNone ? Json() : Json(i); }

Json counts_json(const geometry::TopologyCounts& c) {
  return {{"render_vertices", c.render_vertices},
          {"welded_vertices", c.vertices},
          {"unreferenced_vertices", c.unreferenced_vertices},
          {"faces", c.faces},
          {"triangles", c.triangles},
          {"quads", c.quads},
          {"ngons", c.ngons},
          {"edges", c.edges},
          {"components", c.components},
          {"boundary_edges", c.boundary_edges},
          {"boundary_loops", c.boundary_loops},
          {"nonmanifold_edges", c.nonmanifold_edges},
          {"nonmanifold_vertices", c.nonmanifold_vertices},
          {"inconsistent_edges", c.inconsistent_edges},
          {"zero_area_faces", c.zero_area_faces},
          {"duplicate_faces", c.duplicate_faces},
          {"manifold", c.manifold()},
          {"watertight", c.watertight()}};
}

Json parts_json(const Mesh& mesh, const MeshHealth& health) {
  Json list = Json::array();
  for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
    const MeshPart& part = mesh.parts[p];
    Json json = {{"name", part.name}, {"skin", index_json(part.skin)}, {"joint", index_json(part.joint)}};
    json["morphs"] = Json::array();
    for (const Morph& morph : part.morphs) json["morphs"].push_back(morph.name);
    json.update(counts_json(health.topology.parts[p]));
    json["volume_m3"] = health.volumes[p].volume;
    json["area_m2"] = health.volumes[p].area;
    list.push_back(std::move(json));
  }
  return list;
}

Json mesh_json(const MeshHealth& health) {
  Json json = counts_json(health.topology.total);
  json["lower_m"] = health.bounds.empty() ? Json() : vec_json(health.bounds.lower);
  json["upper_m"] = health.bounds.empty() ? Json() : vec_json(health.bounds.upper);
  json["size_m"] = health.bounds.diagonal();
  json["volume_m3"] = health.volume.volume;
  json["area_m2"] = health.volume.area;
  json["inside_out_parts"] = health.inside_out;
  if (health.self_intersections) {
    json["self_intersecting_pairs"] = health.self_intersections->inside_parts;
    json["intersecting_pairs_between_parts"] = health.self_intersections->between_parts;
  }
  const SpaceGuess& space = health.space;
  json["likely"] = {{"unit", space.unit},
                    {"unit_confidence", word(space.unit_confidence)},
                    {"up", space.up},
                    {"up_confidence", word(space.up_confidence)},
                    {"side_axis", std::string(1, "xyz"[space.side_axis])},
                    {"symmetry", space.symmetry},
                    {"height", space.height}};
  return json;
}

Json skeleton_json(const Skeleton& skeleton, const SkeletonHealth& health) {
  Json json = {
      {"nodes", skeleton.size()}, {"deforming_joints", health.deforming}, {"joints_with_vertices", health.moving}};
  json["outside_skin"] = names_json(skeleton, health.outside);
  json["zero_length_bones"] = names_json(skeleton, health.zero_length);
  json["scaled"] = names_json(skeleton, health.scaled);
  json["uneven_scale"] = names_json(skeleton, health.uneven_scale);
  json["mirrored"] = names_json(skeleton, health.mirrored);
  json["collapsed"] = names_json(skeleton, health.collapsed);
  json["sheared"] = names_json(skeleton, health.sheared);
  json["bind_differs_joints"] = health.bind_differs;
  json["bind_singular"] = health.bind_singular;
  json["bind_differs_joint_rel"] = health.bind_joint_rel;
  json["bind_differs_skin_rel"] = health.bind_skin_rel;
  json["joints"] = Json::array();
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    json["joints"].push_back({{"name", joint.name},
                              {"parent", index_json(joint.parent)},
                              {"deforming", joint.deforming},
                              {"role", joint.role},
                              {"vertices", health.joints[j].vertices},
                              {"winding_number", health.joints[j].winding}});
  }
  return json;
}

Json weights_json(const Skeleton& skeleton, const WeightHealth& health) {
  return {{"rows", health.rows},
          {"empty_rows", health.empty_rows},
          {"bad_sums", health.bad_sums},
          {"worst_sum", health.worst_sum},
          {"bad_values", health.bad_values},
          {"influence_histogram", health.histogram},
          {"split_differs", health.split_differs},
          {"joints_without_vertices", names_json(skeleton, health.idle_joints)}};
}

Json clips_json(const std::vector<ClipFacts>& clips) {
  Json list = Json::array();
  for (const ClipFacts& clip : clips)
    list.push_back({{"name", clip.name},
                    {"duration_s", clip.duration_s},
                    {"keys", clip.keys},
                    {"joints", clip.joints},
                    {"rotated", clip.rotated},
                    {"translated", clip.translated},
                    {"scaled", clip.scaled},
                    {"morphed_parts", clip.morphed_parts}});
  return list;
}

}  // namespace

const char* word(SpaceGuess::Confidence confidence) {
  switch (confidence) {
    case SpaceGuess::Confidence::kHigh:
      return "high";
    case SpaceGuess::Confidence::kMedium:
      return "medium";
    case SpaceGuess::Confidence::kLow:
      break;
  }
  return "low";
}

Json info_json(const io::Asset& asset, const CharacterFacts& facts) {
  const Character& character = asset.character;
  Json json;
  json["format"] = asset.format;
  json["states_space"] = asset.states_space;
  json["file"] = asset.contents;
  json["materials"] = Json::array();
  for (const Material& material : character.materials) json["materials"].push_back(material.name);
  json["images"] = Json::array();
  for (const Image& image : character.images)
    json["images"].push_back(
        {{"name", image.name}, {"uri", image.uri}, {"type", image.mime_type}, {"bytes", image.bytes.size()}});
  json["skins"] = Json::array();
  for (const Skin& skin : character.rig.skins)
    json["skins"].push_back({{"name", skin.name}, {"joints", skin.joints.size()}});
  json["clips"] = clips_json(facts.clips);
  json["parts"] = parts_json(character.rig.mesh, facts.mesh);
  json["mesh"] = mesh_json(facts.mesh);
  json["mesh"]["morph_splits"] = facts.morph_splits;
  json["skeleton"] = skeleton_json(character.rig.skeleton, facts.skeleton);
  json["weights"] = weights_json(character.rig.skeleton, facts.weights);
  return json;
}

}  // namespace sinew::jobs
