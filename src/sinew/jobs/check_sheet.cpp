// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/check_sheet.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/picture/close_up.h"

namespace sinew::jobs {
namespace {

using pipeline::CheckRow;
using pipeline::CheckVerdict;

constexpr std::size_t kMostTiles = 8;  // Readable on a phone, two beside each other.
constexpr int kTileSide = 540;

// The faces around the vertices of a fault, in red; the joint as a point if there are none.
Overlay mark(const Character& character, const CheckRow& row, const picture::PictureFrame& frame) {
  Overlay overlay;
  overlay.name = row.kind->id;
  overlay.color = Vec4f(0.95F, 0.05F, 0.05F, 0.9F);
  std::vector<char> marked(frame.positions.size(), 0);
  for (const Index v : row.vertices) marked[v] = 1;
  if (!row.vertices.empty())
    for (const Triangle& t : triangulate(character.rig.mesh))
      if (marked[t.vertices[0]] || marked[t.vertices[1]] || marked[t.vertices[2]])
        overlay.triangles.push_back(
            {frame.positions[t.vertices[0]], frame.positions[t.vertices[1]], frame.positions[t.vertices[2]]});
  if (overlay.triangles.empty() && row.joint != kNone)
    overlay.points.push_back(frame.joints[row.joint].topRightCorner<3, 1>());
  return overlay;
}

// The joint whose surroundings show the fault: its own, or the one that owns most of the marked vertices.
Index joint_of(const Rig& rig, const CheckRow& row) {
  if (row.vertices.empty() || row.pose) return row.joint;
  std::vector<Index> votes(rig.skeleton.size(), 0);
  for (const Index v : row.vertices)
    if (!rig.weights.empty() && !rig.weights.row(v).empty()) ++votes[rig.weights.row(v).front().joint];
  const auto top = std::max_element(votes.begin(), votes.end());
  return top == votes.end() || *top == 0 ? row.joint : static_cast<Index>(top - votes.begin());
}

// Is the fault in one place, so that a close-up shows it?
bool is_local(const Rig& rig, const CheckRow& row) {
  if (row.vertices.empty()) return row.pose.has_value();
  Box box;
  for (const Index v : row.vertices) box.extend(rig.mesh.positions[v]);
  return box.diagonal() < 0.35 * rig.mesh.size();
}

}  // namespace

void add_tiles(Character character, const pipeline::CheckResult& result, const std::string& name,
               std::vector<CheckSheetTile>& tiles) {
  const auto kept = std::make_shared<const Character>(std::move(character));
  const Rig& rig = kept->rig;
  const std::size_t before = tiles.size();
  for (const CheckRow& row : result.rows) {
    if (row.verdict == CheckVerdict::kPass || tiles.size() >= kMostTiles) break;
    if (row.vertices.empty() && row.joint == kNone) continue;
    CheckSheetTile tile;
    pipeline::PosedFault posed = pipeline::posed_fault(rig, row);
    tile.frame = {std::move(posed.positions), std::move(posed.joints), kept, {}};
    tile.cell.title = fmt::format("{}: {} {} {}", name, pipeline::verdict_name(row.verdict), row.kind->id,
                                  pipeline::check_value_text(row.value, row.kind->unit));
    const Index joint = joint_of(rig, row);
    if (joint != kNone && is_local(rig, row)) {
      picture::PictureCloseUp near = picture::CloseUpFinder(rig, tile.frame).close_up(joint);
      for (const Index v : row.vertices) near.points.push_back(tile.frame.positions[v]);
      if (!near.points.empty()) tile.cell.close_up = std::move(near);
    }
    tile.frame.overlays.push_back(mark(*kept, row, tile.frame));
    tiles.push_back(std::move(tile));
  }
  if (tiles.size() > before || tiles.size() >= kMostTiles || rig.mesh.positions.empty()) return;
  CheckSheetTile tile;
  tile.frame = {rig.mesh.positions, rest_matrices(rig.skeleton), kept, {}};
  tile.cell.title = fmt::format("{}: {}", name, pipeline::verdict_name(result.verdict));
  tiles.push_back(std::move(tile));
}

io::Bytes draw_tiles(const std::vector<CheckSheetTile>& tiles, Report& report, const Progress& progress) {
  if (tiles.empty()) throw Error("There is no character to draw.");
  picture::PictureScene scene(*tiles.front().frame.character);
  for (const CheckSheetTile& tile : tiles) {
    scene.frames.push_back(tile.frame);
    scene.cells.push_back(tile.cell);
    scene.cells.back().frame = static_cast<Index>(scene.frames.size() - 1);
  }
  scene.columns = tiles.size() > 1 ? 2 : 1;
  const int rows = static_cast<int>((tiles.size() + 1) / 2);
  scene.width = scene.columns * kTileSide;
  scene.height = rows * kTileSide;
  picture::Picture drawn = picture::draw_picture(scene, progress);
  report.warn(drawn.warnings);
  return std::move(drawn.png);
}

}  // namespace sinew::jobs
