// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What a limit of influences costs, against removing the smallest weights (truncation), on the rows that it shortens:
//
//     cap_bench [--count N] FILE…
//
// change: mean half L1 to the row before. jumps: mean and 99th percentile of half L1 along the edges of such rows.
// posed: RMS distance to the pose before, in thousandths of the size, over 20 poses of random rotations of up to 60°.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/error.h"
#include "sinew/core/joint_steps.h"
#include "sinew/core/weights.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/geometry/mesh/edge_table.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/io/asset.h"
#include "sinew/motion/resolve.h"

namespace {

using namespace sinew;

using Row = std::vector<Influence>;
using Rows = std::vector<Row>;

double half_l1(const Row& a, const Row& b) {
  std::map<Index, double> difference;
  for (const Influence& i : a) difference[i.joint] += static_cast<double>(i.weight);
  for (const Influence& i : b) difference[i.joint] -= static_cast<double>(i.weight);
  double sum = 0;
  for (const auto& [joint, value] : difference) sum += std::abs(value);
  return sum / 2;
}

void scale(Row& row) {
  double sum = 0;
  for (const Influence& i : row) sum += static_cast<double>(i.weight);
  for (Influence& i : row) i.weight = static_cast<float>(static_cast<double>(i.weight) / sum);
}

Row truncated(Row row, std::size_t count) {
  std::sort(row.begin(), row.end(), [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
  if (row.size() > count) row.resize(count);
  scale(row);
  return row;
}

struct Surface {
  geometry::Welding welding;
  std::vector<std::array<Index, 2>> edges;
  std::vector<std::vector<Index>> around;
};

Surface surface_of(const Mesh& mesh) {
  Surface surface{geometry::weld(mesh), {}, {}};
  std::vector<Index> ids(mesh.face_vertices.size());
  for (std::size_t c = 0; c < ids.size(); ++c) ids[c] = surface.welding.welded[mesh.face_vertices[c]];
  surface.edges = geometry::edge_table(mesh.face_offsets, ids, surface.welding.count()).ends;
  surface.around.resize(surface.welding.count());
  for (const auto& [a, b] : surface.edges) {
    surface.around[a].push_back(b);
    surface.around[b].push_back(a);
  }
  return surface;
}

/// A row as the mean of itself and the mean of its neighbours, without new joints.
Rows smoothed(const Rows& rows, const Surface& surface) {
  Rows result = rows;
  for (std::size_t v = 0; v < rows.size(); ++v) {
    if (surface.around[v].empty()) continue;
    for (Influence& i : result[v]) {
      double sum = 0;
      for (const Index u : surface.around[v])
        for (const Influence& k : rows[u])
          if (k.joint == i.joint) sum += static_cast<double>(k.weight);
      i.weight = static_cast<float>(0.5 * static_cast<double>(i.weight) +
                                    0.5 * sum / static_cast<double>(surface.around[v].size()));
    }
  }
  return result;
}

/// The joints of rows of smoothed weights, with the weights of the row itself.
Rows coherent(const Rows& rows, const Surface& surface, std::size_t count) {
  const Rows ranks = smoothed(rows, surface);
  Rows result(rows.size());
  for (std::size_t v = 0; v < rows.size(); ++v) {
    const Row best = truncated(ranks[v], count);
    for (const Influence& i : rows[v])
      if (std::any_of(best.begin(), best.end(), [&](const Influence& b) { return b.joint == i.joint; }))
        result[v].push_back(i);
    if (!result[v].empty()) scale(result[v]);
  }
  return result;
}

struct Figures {
  double change = 0, jumps = 0, worst_jumps = 0, posed = 0;
};

Figures figures_of(const Rig& rig, const Surface& surface, const Rows& before, const Rows& after, std::size_t count) {
  Figures figures;
  std::size_t rows = 0;
  for (std::size_t v = 0; v < before.size(); ++v)
    if (before[v].size() > count) figures.change += half_l1(before[v], after[v]), ++rows;
  figures.change /= static_cast<double>(rows);
  std::vector<double> jumps;
  for (const auto& [a, b] : surface.edges)
    if (before[a].size() > count || before[b].size() > count) jumps.push_back(half_l1(after[a], after[b]));
  std::sort(jumps.begin(), jumps.end());
  for (const double j : jumps) figures.jumps += j / static_cast<double>(jumps.size());
  if (!jumps.empty()) figures.worst_jumps = jumps[jumps.size() * 99 / 100];
  Rig limited = rig;
  limited.weights = {};
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) limited.weights.add_row(after[surface.welding.welded[v]]);
  Rig whole = rig;
  whole.weights = {};
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) whole.weights.add_row(before[surface.welding.welded[v]]);
  Vec3 low = rig.mesh.positions[0], high = low;
  for (const Vec3& p : rig.mesh.positions) low = low.cwiseMin(p), high = high.cwiseMax(p);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(-1, 1);
  double sum = 0;
  std::size_t points = 0;
  for (int k = 0; k < 20; ++k) {
    Pose pose = rest_pose(rig);
    for (Transform& local : pose.local)
      local.rotation =
          local.rotation *
          Quat(Eigen::AngleAxisd(part(random) * 1.0472, Vec3(part(random), part(random), part(random)).normalized()));
    const ModelPose model = motion::resolve(rig.skeleton, pose);
    const auto a = deform::linear_positions(whole, model), b = deform::linear_positions(limited, model);
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
      if (before[surface.welding.welded[v]].size() > count) sum += (a[v] - b[v]).squaredNorm(), ++points;
  }
  figures.posed = 1000 * std::sqrt(sum / static_cast<double>(points)) / (high - low).norm();
  return figures;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 2;
  std::vector<std::string> files;
  for (int a = 1; a < argc; ++a) {
    if (std::string(argv[a]) == "--count" && a + 1 < argc) count = static_cast<std::size_t>(std::atoi(argv[++a]));
    else files.emplace_back(argv[a]);
  }
  const std::vector<std::string> names = {"truncated", "without steps", "with steps", "smoothed ranks"};
  std::vector<Figures> means(names.size());
  int measured = 0;
  for (const std::string& file : files) try {
      const io::Asset asset = io::load(file);
      const Rig& rig = asset.character.rig;
      if (rig.weights.empty()) continue;
      const Surface surface = surface_of(rig.mesh);
      const SkinWeights weights = rig.weights.normalized();
      Rows before(surface.welding.count());
      std::size_t longer = 0;
      for (std::size_t v = 0; v < before.size(); ++v) {
        const auto row = weights.row(surface.welding.first[v]);
        before[v].assign(row.begin(), row.end());
        if (row.size() > count) ++longer;
      }
      if (longer < 20) continue;
      Rows cut(before), capped(before);
      for (Row& row : cut)
        if (row.size() > count) row = truncated(row, count);
      for (Row& row : capped) cap_row(row, static_cast<int>(count));
      const JointSteps steps(rig.skeleton);
      Rows stepped(before);
      for (Row& row : stepped) cap_row(row, static_cast<int>(count), &steps);
      const std::vector<Rows> ways = {cut, capped, stepped, coherent(before, surface, count)};
      fmt::print("{} ({} rows)", file.substr(file.rfind('/') + 1), longer);
      const Figures base = figures_of(rig, surface, before, cut, count);
      for (std::size_t w = 0; w < ways.size(); ++w) {
        const Figures f = figures_of(rig, surface, before, ways[w], count);
        fmt::print(" | {} {:.4f} {:.4f} {:.3f} {:.2f}", names[w], f.change, f.jumps, f.worst_jumps, f.posed);
        means[w].change += f.change / base.change;
        means[w].jumps += f.jumps / base.jumps;
        means[w].worst_jumps += f.worst_jumps / std::max(1e-6, base.worst_jumps);
        means[w].posed += f.posed / base.posed;
      }
      fmt::print("\n");
      ++measured;
    } catch (const Error& error) {
      fmt::print("{}: {}\n", file, error.what());
    }
  for (std::size_t w = 0; w < names.size(); ++w)
    fmt::print("{} of truncation on {} rigs: change {:.3f}, jumps {:.3f}, worst jumps {:.3f}, posed {:.3f}\n", names[w],
               measured, means[w].change / measured, means[w].jumps / measured, means[w].worst_jumps / measured,
               means[w].posed / measured);
  return measured > 0 ? 0 : 1;
}
