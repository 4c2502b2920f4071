// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/contact/flesh_field.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::deform {
namespace {

constexpr double kMostNodes = 9000;    // Per joint.
constexpr double kMargin = 0.25;       // Of the box's middle side.
constexpr float kFade = 2;             // Cells at the border within which the share fades out.
constexpr std::size_t kLeastSkin = 4;  // Vertices.

}  // namespace

bool FleshField::look_up(const Vec3f& point, Sample& sample) const {
  const Vec3f place = (point - lower_) / cell_;
  std::array<int, 3> at;
  Vec3f f;
  float border = kFade;  // How many cells away it is.
  for (int k = 0; k < 3; ++k) {
    if (!(place[k] >= 0) || !(place[k] < static_cast<float>(counts_[static_cast<std::size_t>(k)] - 1))) return false;
    at[static_cast<std::size_t>(k)] = static_cast<int>(place[k]);
    f[k] = place[k] - static_cast<float>(at[static_cast<std::size_t>(k)]);
    border = std::min({border, place[k], static_cast<float>(counts_[static_cast<std::size_t>(k)] - 1) - place[k]});
  }
  const int row = counts_[0], plane = counts_[0] * counts_[1];
  const Node* const corner = nodes_.data() + (at[2] * plane + at[1] * row + at[0]);
  Node sum = Node::Zero();
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y) {
      const Node* const pair = corner + (z * plane + y * row);
      sum += ((y != 0 ? f[1] : 1 - f[1]) * (z != 0 ? f[2] : 1 - f[2])) * ((1 - f[0]) * pair[0] + f[0] * pair[1]);
    }
  sample.distance = sum[3];
  sample.share = sum[4] * std::min(1.0F, border / kFade);
  sample.outward = sum.head<3>();
  return true;
}

class FleshBuilder {
 public:
  FleshBuilder(const Rig& rig, const std::vector<Index>& owner)
      : rig_(rig),
        owner_(owner),
        triangles_(geometry::triangle_vertices(rig.mesh)),
        soup_{rig.mesh.positions, triangles_},
        scene_(soup_),
        winding_(soup_, geometry::solid_facing(soup_).signs) {}

  FleshField field(Index joint) const {
    FleshField field;
    Vec3 sum = Vec3::Zero();
    std::size_t count = 0;
    Box box;
    for (std::size_t v = 0; v < owner_.size(); ++v)
      if (owner_[v] == joint) box.extend(rig_.mesh.positions[v]), sum += rig_.mesh.positions[v], ++count;
    if (count < kLeastSkin || !(box.extent().maxCoeff() > 0)) return field;
    Vec3 sides = box.extent();
    std::sort(sides.data(), sides.data() + 3);
    const Vec3 margin = Vec3::Constant(kMargin * sides[1]);
    const Vec3 lower = box.lower - margin, size = box.extent() + 2 * margin;
    const double cell = std::cbrt(size.prod() / kMostNodes);
    if (!(cell > 0)) return field;
    for (int k = 0; k < 3; ++k)
      field.counts_[static_cast<std::size_t>(k)] = static_cast<int>(std::ceil(size[k] / cell)) + 1;
    std::vector<Vec3> points;
    for (int z = 0; z < field.counts_[2]; ++z)
      for (int y = 0; y < field.counts_[1]; ++y)
        for (int x = 0; x < field.counts_[0]; ++x) points.push_back(lower + cell * Vec3(x, y, z));
    field.nodes_.assign(points.size(), FleshField::Node::Zero());
    double deepest = 0;
    parallel_for(
        points.size(),
        [&](std::size_t i) {
          const geometry::ClosestPoint closest = scene_.closest_point(points[i]);
          const bool inside = std::abs(winding_.at(points[i])) > 0.5;
          field.nodes_[i][3] = static_cast<float>(inside ? -closest.distance : closest.distance);
          field.nodes_[i][4] = static_cast<float>(share(joint, closest));
        },
        64);
    for (const FleshField::Node& node : field.nodes_)
      if (node[4] > 0.5F) deepest = std::max(deepest, static_cast<double>(-node[3]));
    if (!(deepest > 0)) return {};
    field.lower_ = lower.cast<float>();
    field.cell_ = static_cast<float>(cell);
    field.cells_per_length_ = 1 / field.cell_;
    field.middle_ = (sum / static_cast<double>(count)).cast<float>();
    field.radius_ = static_cast<float>(deepest);
    find_gradients(field);
    find_most_shares(field);
    return field;
  }

 private:
  // By differences between the neighbours of a node.
  static void find_gradients(FleshField& field) {
    const auto& counts = field.counts_;
    const std::array<int, 3> strides = {1, counts[0], counts[0] * counts[1]};
    int i = 0;
    for (int z = 0; z < counts[2]; ++z)
      for (int y = 0; y < counts[1]; ++y)
        for (int x = 0; x < counts[0]; ++x, ++i) {
          const std::array<int, 3> at = {x, y, z};
          for (std::size_t k = 0; k < 3; ++k) {
            const int below = at[k] > 0 ? i - strides[k] : i, above = at[k] + 1 < counts[k] ? i + strides[k] : i;
            if (above == below) continue;
            const auto nodes = static_cast<float>((above - below) / strides[k]);
            field.nodes_[static_cast<std::size_t>(i)][static_cast<Eigen::Index>(k)] =
                (field.nodes_[static_cast<std::size_t>(above)][3] - field.nodes_[static_cast<std::size_t>(below)][3]) /
                (nodes * field.cell_);
          }
        }
  }

  static void find_most_shares(FleshField& field) {
    const auto& counts = field.counts_;
    const int row = counts[0], plane = counts[0] * counts[1];
    // A little more, for rounding of what is interpolated.
    const float reach = 1.001F * FleshField::kReach * field.radius_;
    field.most_share_.assign(field.nodes_.size(), 0);
    Eigen::Array3i first(counts[0], counts[1], counts[2]), last = Eigen::Array3i::Zero();
    for (int z = 0; z + 1 < counts[2]; ++z)
      for (int y = 0; y + 1 < counts[1]; ++y)
        for (int x = 0; x + 1 < counts[0]; ++x) {
          const int i = z * plane + y * row + x;
          float nearest = reach, most = 0;
          for (const int corner : {0, 1, row, row + 1, plane, plane + 1, plane + row, plane + row + 1}) {
            const FleshField::Node& node = field.nodes_[static_cast<std::size_t>(i + corner)];
            nearest = std::min(nearest, node[3]), most = std::max(most, node[4]);
          }
          if (!(nearest < reach) || !(most > 0)) continue;
          field.most_share_[static_cast<std::size_t>(i)] =
              static_cast<std::uint8_t>(std::min(255.0F, std::ceil(255 * most + 0.1F)));
          first = first.min(Eigen::Array3i(x, y, z)), last = last.max(Eigen::Array3i(x, y, z));
        }
    field.near_lower_ = field.lower_ + field.cell_ * first.matrix().cast<float>();
    field.near_upper_ = field.lower_ + field.cell_ * (last + 1).matrix().cast<float>();
  }

  double share(Index joint, const geometry::ClosestPoint& closest) const {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      const Index v = triangles_[closest.triangle][static_cast<std::size_t>(k)];
      double all = 0, own = 0;
      for (const Influence& influence : rig_.weights.row(v)) {
        if (!(influence.weight > 0)) continue;
        all += influence.weight;
        if (influence.joint == joint) own += influence.weight;
      }
      if (all > 0) sum += closest.barycentric[k] * own / all;
    }
    return sum;
  }

  const Rig& rig_;
  const std::vector<Index>& owner_;
  std::vector<geometry::TriangleVertices> triangles_;
  geometry::TriangleSoup soup_;
  geometry::RayScene scene_;
  geometry::FastWinding winding_;
};

std::vector<FleshField> make_flesh_fields(const Rig& rig, const std::vector<Index>& owner, const Progress& progress) {
  std::vector<FleshField> fields(rig.skeleton.size());
  if (rig.mesh.face_count() == 0) return fields;
  const FleshBuilder builder(rig, owner);
  for (Index joint = 0; joint < fields.size(); ++joint) {
    progress.step("measuring flesh", static_cast<double>(joint) / static_cast<double>(fields.size()));
    progress.check();
    fields[joint] = builder.field(joint);
  }
  return fields;
}

}  // namespace sinew::deform
