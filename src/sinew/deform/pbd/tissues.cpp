// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/tissues.h"

#include <fmt/format.h>

#include <cmath>

#include "sinew/core/error.h"
#include "sinew/deform/pbd/joint_options.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::deform {
namespace {

/// A mean of tissues: stiffness by its logarithm, as it spans orders of magnitude.
class TissueMean {
 public:
  void add(double weight, const Tissue& tissue) {
    log_stiffness_ += weight * std::log(tissue.stiffness);
    damping_ += weight * tissue.damping;
    rigid_ += weight * tissue.rigid;
    weight_ += weight;
  }
  Tissue get() const {
    if (!(weight_ > 0)) return {};
    return {std::exp(log_stiffness_ / weight_), damping_ / weight_, rigid_ / weight_};
  }

 private:
  double weight_ = 0, log_stiffness_ = 0, damping_ = 0, rigid_ = 0;
};

}  // namespace

TissueMap::TissueMap(const Rig& rig, const std::map<std::string, std::string>& by_name,
                     std::span<const std::optional<Tissue>> painted)
    : rig_(rig), painted_(painted) {
  for (const auto& [name, material] : by_name)
    by_joint_[named_joint(rig.skeleton, name, "materials")] = tissue(material);
  if (!painted.empty() && painted.size() != rig.mesh.positions.size())
    throw Error(fmt::format("There are materials for {} vertices, but the mesh has {}.", painted.size(),
                            rig.mesh.positions.size()));
}

std::vector<Tissue> TissueMap::of_particles(const PbdBody& body, std::span<const double> unnamed) const {
  std::vector<Tissue> tissues(body.tets.positions.size());
  const auto of_joint = [&](Index joint) {
    if (const auto named = by_joint_.find(joint); named != by_joint_.end()) return named->second;
    Tissue usual;
    if (!unnamed.empty()) usual.stiffness *= unnamed[joint];
    return usual;
  };
  for (std::size_t i = 0; i < tissues.size(); ++i) {
    TissueMean mean;
    for (const Influence& influence : body.weights.row(static_cast<Index>(i)))
      mean.add(static_cast<double>(influence.weight), of_joint(influence.joint));
    tissues[i] = mean.get();
  }
  if (painted_.empty() || tissues.empty()) return tissues;
  const geometry::RayScene scene(rig_.mesh);
  const std::vector<Triangle> triangles = triangulate(rig_.mesh);
  const std::vector<geometry::ClosestPoint> closest = scene.closest_points(body.tets.positions);
  for (std::size_t i = 0; i < tissues.size(); ++i) {
    TissueMean mean;
    for (int c = 0; c < 3; ++c) {
      const auto& own = painted_[triangles[closest[i].triangle].vertices[static_cast<std::size_t>(c)]];
      mean.add(closest[i].barycentric[c], own ? *own : tissues[i]);
    }
    tissues[i] = mean.get();
  }
  return tissues;
}

}  // namespace sinew::deform
