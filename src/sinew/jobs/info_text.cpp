// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sinew/core/text.h"
#include "sinew/jobs/info_columns.h"
#include "sinew/jobs/info_report.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

constexpr std::size_t kJointLines = 40;
constexpr std::size_t kListLines = 12;

std::string amount(std::uint64_t n, const char* one, const char* many) {
  return group(n) + " " + (n == 1 ? one : many);
}

// "a, b, c and 4 more".
std::string names(const Skeleton& skeleton, const std::vector<Index>& joints, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < joints.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + shorten(skeleton.joints[joints[i]].name, 28);
  if (joints.size() > most) text += fmt::format(" and {} more", joints.size() - most);
  return text;
}

std::string faces_text(const geometry::TopologyCounts& c) {
  std::string text;
  const auto add = [&](std::uint64_t n, const char* one, const char* many) {
    if (n > 0) text += (text.empty() ? "" : ", ") + amount(n, one, many);
  };
  add(c.triangles, "triangle", "triangles");
  add(c.quads, "quad", "quads");
  add(c.ngons, "larger polygon", "larger polygons");
  return text.empty() ? "no faces" : text;
}

class Writer {
 public:
  Writer(const io::Asset& asset, const CharacterFacts& facts, bool full, const std::optional<HeatLikeness>& heat)
      : asset_(asset), character_(asset.character), facts_(facts), full_(full), heat_(heat) {}

  std::string run() {
    heading();
    contents();
    mesh();
    if (!character_.rig.skeleton.empty()) skeleton();
    if (facts_.weights.rows > 0) weights();
    if (!character_.rig.skeleton.empty()) tree();
    return out_.text();
  }

 private:
  std::size_t most(std::size_t short_list) const { return full_ ? std::size_t{1} << 30 : short_list; }

  void heading() {
    std::uint64_t bytes = 0;
    for (const ReportFile& file : asset_.files) bytes += file.bytes;
    std::string text =
        fmt::format("{}   {}, {}", shorten(asset_.path.filename().string(), 60), asset_.format, bytes_text(bytes));
    if (const auto vrm = asset_.contents.find("vrm"); vrm != asset_.contents.end() && vrm->is_string())
      text += ", VRM " + vrm->get<std::string>();
    out_.plain(text);
    if (const auto generator = asset_.contents.find("generator");
        generator != asset_.contents.end() && generator->is_string())
      out_.plain("made by " + shorten(generator->get<std::string>(), 80));
  }

  void contents() {
    out_.section("Contents");
    const geometry::TopologyCounts& total = facts_.mesh.topology.total;
    const Mesh& mesh = character_.rig.mesh;
    out_.line(
        ' ', "mesh",
        fmt::format("{}, {} ({} welded), {}", amount(std::max<std::size_t>(mesh.parts.size(), 1), "part", "parts"),
                    amount(total.render_vertices, "vertex", "vertices"), group(total.vertices), faces_text(total)));
    if (mesh.parts.size() > 1) list_parts();
    if (!character_.materials.empty() || !character_.images.empty())
      out_.line(' ', "look",
                amount(character_.materials.size(), "material", "materials") + ", " +
                    amount(character_.images.size(), "image", "images") + missing_images());
    std::uint64_t morphs = 0;
    for (const MeshPart& part : mesh.parts) morphs += part.morphs.size();
    if (morphs > 0) out_.line(' ', "morphs", group(morphs));
    if (!character_.rig.skeleton.empty())
      out_.line(' ', "skeleton",
                fmt::format("{}, {} in {}", amount(character_.rig.skeleton.size(), "node", "nodes"),
                            amount(facts_.skeleton.deforming, "joint", "joints"),
                            amount(character_.rig.skins.size(), "skin", "skins")));
    list_clips();
    list_extensions();
  }

  std::string missing_images() const {
    std::uint64_t missing = 0;
    for (const Image& image : character_.images) missing += image.bytes.empty();
    return missing == 0 ? "" : fmt::format(" ({} missing)", missing);
  }

  void list_parts() {
    const Mesh& mesh = character_.rig.mesh;
    const std::size_t shown = std::min(most(kListLines), mesh.parts.size());
    for (std::size_t p = 0; p < shown; ++p) {
      const MeshPart& part = mesh.parts[p];
      std::string hangs;
      if (part.skin == kNone && part.joint != kNone)
        hangs = ", attached rigidly to " + shorten(character_.rig.skeleton.joints[part.joint].name, 24);
      out_.item(fmt::format("{}  {}, {}{}", pad(shorten(part.name, 28), 28),
                            amount(part.vertex_count, "vertex", "vertices"), faces_text(facts_.mesh.topology.parts[p]),
                            hangs));
    }
    if (shown < mesh.parts.size())
      out_.item(fmt::format("… {} more parts (--full shows all)", mesh.parts.size() - shown));
  }

  void list_clips() {
    if (facts_.clips.empty()) return;
    out_.line(' ', "clips", group(facts_.clips.size()));
    const std::size_t shown = std::min(most(kListLines), facts_.clips.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const ClipFacts& clip = facts_.clips[i];
      std::string moves = "moves " + amount(clip.joints, "joint", "joints");
      if (clip.morphed_parts > 0)
        moves += fmt::format(" and the morphs of {}", amount(clip.morphed_parts, "part", "parts"));
      out_.item(fmt::format("{}  {:7.2f} s, {}", pad(shorten(clip.name.empty() ? "(no name)" : clip.name, 28), 28),
                            clip.duration_s, moves));
    }
    if (shown < facts_.clips.size())
      out_.item(fmt::format("… {} more clips (--full shows all)", facts_.clips.size() - shown));
  }

  void list_extensions() {
    const auto used = asset_.contents.find("extensions_used");
    if (used == asset_.contents.end() || !used->is_array() || used->empty()) return;
    std::string text;
    for (const Json& name : *used)
      if (name.is_string()) text += (text.empty() ? "" : ", ") + shorten(name.get<std::string>(), 60);
    out_.line(' ', "extensions", text);
  }

  void mesh() {
    out_.section("Mesh");
    const geometry::TopologyCounts& c = facts_.mesh.topology.total;
    if (c.faces == 0) return out_.line('!', "surface", "the file has none");
    surface(c);
    out_.check(c.manifold(), "manifold",
               c.manifold() ? "every edge and vertex is manifold"
                            : fmt::format("{} with more than two faces, {} where surfaces only touch",
                                          amount(c.nonmanifold_edges, "edge", "edges"),
                                          amount(c.nonmanifold_vertices, "vertex", "vertices")));
    const bool turned = c.inconsistent_edges > 0 || !facts_.mesh.inside_out.empty();
    std::string facing = "neighbouring faces are oriented consistently";
    if (c.inconsistent_edges > 0)
      facing = amount(c.inconsistent_edges, "edge", "edges") + " between faces of opposite orientation";
    if (!facts_.mesh.inside_out.empty())
      facing +=
          fmt::format("; {} inside out", amount(facts_.mesh.inside_out.size(), "closed part is", "closed parts are"));
    out_.check(!turned, "facing", facing);
    const bool clean = c.zero_area_faces == 0 && c.duplicate_faces == 0;
    out_.check(
        clean, "faces",
        clean ? "none with zero area, no duplicates"
              : fmt::format("{} with zero area, {} duplicates", group(c.zero_area_faces), group(c.duplicate_faces)));
    if (c.unreferenced_vertices > 0)
      out_.line(' ', "unused", amount(c.unreferenced_vertices, "vertex belongs", "vertices belong") + " to no face");
    if (facts_.morph_splits > 0)
      out_.line('!', "morphs",
                amount(facts_.morph_splits, "vertex has", "vertices have") + " copies that morphs move apart");
    crossings();
    size();
  }

  void surface(const geometry::TopologyCounts& c) {
    std::string text = amount(c.components, "component", "components");
    if (c.watertight()) text = "closed (watertight), " + text;
    else if (c.boundary_edges > 0)
      text = fmt::format("open: {}, {}; {}", amount(c.boundary_loops, "hole or rim", "holes or rims"),
                         amount(c.boundary_edges, "boundary edge", "boundary edges"), text);
    else text = "without holes, but not closed; " + text;
    out_.check(c.watertight(), "surface", text);
  }

  void crossings() {
    if (!facts_.mesh.self_intersections) return;
    const auto& found = *facts_.mesh.self_intersections;
    const bool several = character_.rig.mesh.parts.size() > 1;
    std::string text = found.inside_parts == 0 ? "no triangles intersect each other"
                                               : amount(found.inside_parts, "pair of triangles intersects",
                                                        "pairs of triangles intersect") +
                                                     " each other";
    if (several) text += fmt::format("; {} between parts", group(found.between_parts));
    out_.check(found.inside_parts == 0, "crossings", text);
  }

  void size() {
    const Vec3 e = facts_.mesh.bounds.extent();
    const SpaceGuess& space = facts_.mesh.space;
    out_.line(' ', "size",
              fmt::format("{:.4g} × {:.4g} × {:.4g} m (x, y, z), volume {}{:.4g} m³, area {:.4g} m²", e.x(), e.y(),
                          e.z(), facts_.mesh.topology.total.encloses() ? "" : "about ", facts_.mesh.volume.volume,
                          facts_.mesh.volume.area));
    using Confidence = SpaceGuess::Confidence;
    if (space.unit_confidence == Confidence::kLow)
      out_.line(' ', "unit",
                fmt::format("{:.4g} m tall as read; the unit cannot be guessed from the shape", space.height));
    else if (space.unit == "m")
      out_.check(true, "unit",
                 fmt::format("metres fit: {:.4g} m tall ({} confidence)", space.height, word(space.unit_confidence)));
    else
      out_.check(false, "unit",
                 fmt::format("probably {0}: {1:.4g} {0} tall ({2} confidence); read it with --unit {0}", space.unit,
                             space.height, word(space.unit_confidence)));
    if (space.up_confidence == Confidence::kLow) out_.line(' ', "up", "cannot be guessed from the shape");
    else
      out_.check(space.up == "+y", "up",
                 fmt::format("probably {}, left and right along {} ({} confidence){}", space.up, "xyz"[space.side_axis],
                             word(space.up_confidence), space.up == "+y" ? "" : "; read it with --up=" + space.up));
  }

  void problem(const std::vector<Index>& joints, const char* label, const char* fine, const char* what) {
    out_.check(joints.empty(), label,
               joints.empty() ? fine
                              : fmt::format("{} {}: {}", group(joints.size()), what,
                                            names(character_.rig.skeleton, joints, most(4))));
  }

  void skeleton() {
    out_.section("Skeleton");
    const SkeletonHealth& s = facts_.skeleton;
    if (s.moving > 0) problem(s.outside, "inside", "every joint with vertices is inside the skin", "outside the skin");
    problem(s.zero_length, "bones", "none of length zero", "of length zero");
    if (s.scaled.empty()) out_.check(true, "scale", "all 1");
    else {
      std::string text = fmt::format("{} not of scale 1", amount(s.scaled.size(), "joint is", "joints are"));
      if (!s.uneven_scale.empty()) text += fmt::format(", {} stretched unevenly", group(s.uneven_scale.size()));
      if (!s.mirrored.empty()) text += fmt::format(", {} mirrored", group(s.mirrored.size()));
      if (!s.collapsed.empty()) text += fmt::format(", {} with a scale of zero", group(s.collapsed.size()));
      out_.check(s.uneven_scale.empty() && s.mirrored.empty() && s.collapsed.empty(), "scale", text);
    }
    problem(s.sheared, "shear", "none", "sheared");
    if (character_.rig.skins.empty()) return;
    out_.check(
        s.bind_differs == 0, "bind",
        s.bind_differs == 0
            ? "the bind pose is the rest pose"
            : fmt::format("{} in a pose other than the rest pose: vertices move by up to {:.2g} % of the size",
                          amount(s.bind_differs, "joint was bound", "joints were bound"), 100 * s.bind_skin_rel));
  }

  void weights() {
    out_.section("Weights");
    const WeightHealth& w = facts_.weights;
    out_.check(w.bad_sums == 0, "sums",
               w.bad_sums == 0 ? "the weights of every vertex sum to 1"
                               : fmt::format("{} not sum to 1, the worst to {:.3g}",
                                             amount(w.bad_sums, "vertex does", "vertices do"), w.worst_sum));
    out_.check(w.empty_rows == 0, "empty",
               w.empty_rows == 0 ? "every vertex has a joint"
                                 : amount(w.empty_rows, "vertex has", "vertices have") + " no joint");
    if (w.bad_values > 0)
      out_.line('!', "values", amount(w.bad_values, "vertex has", "vertices have") + " negative or non-finite weights");
    std::string histogram;
    for (std::size_t n = 1; n < w.histogram.size(); ++n)
      if (w.histogram[n] > 0)
        histogram += fmt::format("{}{}: {}", histogram.empty() ? "" : ", ", n, group(w.histogram[n]));
    out_.line(' ', "influences", "vertices by number of joints: " + histogram);
    if (heat_ && heat_->looks_like_heat())
      out_.line(' ', "origin", "they look like plain bone heat: " + heat_->sentence());
    if (w.split_differs > 0)
      out_.line('!', "seams",
                amount(w.split_differs, "split vertex has", "split vertices have") + " copies with different weights");
    if (!w.idle_joints.empty())
      out_.line(' ', "idle",
                fmt::format("{} without vertices: {}", amount(w.idle_joints.size(), "joint", "joints"),
                            names(character_.rig.skeleton, w.idle_joints, most(4))));
  }

  void tree() {
    out_.section("Joints and the vertices they move");
    const Skeleton& skeleton = character_.rig.skeleton;
    const std::vector<Index> order = depth_first(skeleton);
    const std::size_t shown =
        order.size() <= kJointLines + 4 ? order.size() : std::min(most(kJointLines), order.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const Joint& joint = skeleton.joints[order[i]];
      const JointFacts& joint_facts = facts_.skeleton.joints[order[i]];
      const std::size_t indent = std::min<std::size_t>(2 * joint_facts.depth, 40);
      const std::string name =
          std::string(indent, ' ') + shorten(joint.name.empty() ? "(no name)" : joint.name, 76 - indent);
      std::string note = joint_facts.vertices > 0 ? group(joint_facts.vertices) : (joint.deforming ? "0" : "");
      out_.item(note.empty() ? name : pad(name, 64) + "  " + note + (joint_facts.outside ? "  outside" : ""));
    }
    if (shown < order.size()) out_.item(fmt::format("… {} more (--full shows all)", order.size() - shown));
  }

  static std::vector<Index> depth_first(const Skeleton& skeleton) {
    const std::vector<std::vector<Index>> children = skeleton.children();
    std::vector<Index> stack, order;
    for (Index j = skeleton.size(); j-- > 0;)
      if (skeleton.joints[j].parent == kNone) stack.push_back(j);
    while (!stack.empty()) {
      const Index j = stack.back();
      stack.pop_back();
      order.push_back(j);
      stack.insert(stack.end(), children[j].rbegin(), children[j].rend());
    }
    return order;
  }

  const io::Asset& asset_;
  const Character& character_;
  const CharacterFacts& facts_;
  bool full_;
  const std::optional<HeatLikeness>& heat_;
  TextColumns out_;
};

}  // namespace

std::string info_text(const io::Asset& asset, const CharacterFacts& facts, bool full,
                      const std::optional<HeatLikeness>& heat) {
  return Writer(asset, facts, full, heat).run();
}

}  // namespace sinew::jobs
