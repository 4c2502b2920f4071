// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/rig.h"

namespace sinew::deform {

/// The flesh that one joint moves, at binding: signed distances to the surface of the body on a grid around the skin of
/// the joint, and the share of the joint in the weights of the nearest skin.
class FleshField {
 public:
  struct Sample {
    float distance = 0;             ///< Negative inside the body.
    float share = 0;                ///< Of the joint, from 0 to 1.
    Vec3f outward = Vec3f::Zero();  ///< The gradient of the distance; of about unit length.
  };

  /// False outside of the grid.
  bool look_up(const Vec3f& point, Sample& sample) const;

  /// The share around a point is not larger than this; 0 also where the flesh is farther away than `kReach` radii. Much
  /// cheaper than `look_up`, from a table that is small enough for the processor's cache.
  float most_share(const Vec3f& point) const {
    const Vec3f place = (point - lower_) * cells_per_length_;
    std::size_t at = 0;
    for (std::size_t k = 3; k-- > 0;) {
      const float x = place[static_cast<Eigen::Index>(k)];
      if (!(x >= 0) || !(x < static_cast<float>(counts_[k] - 1))) return 0;
      at = at * static_cast<std::size_t>(counts_[k]) + static_cast<std::size_t>(x);
    }
    return static_cast<float>(most_share_[at]) / 255;
  }

  static constexpr float kReach = 0.2F;

  const Vec3f& lower() const { return near_lower_; }  ///< Of the box outside of which `most_share` is 0.
  const Vec3f& upper() const { return near_upper_; }
  const Vec3f& middle() const { return middle_; }  ///< Mean of the skin that the joint owns.
  float radius() const { return radius_; }         ///< The deepest place.
  bool empty() const { return nodes_.empty(); }

 private:
  friend class FleshBuilder;
  Vec3f lower_ = Vec3f::Zero(), middle_ = Vec3f::Zero();
  Vec3f near_lower_ = Vec3f::Zero(), near_upper_ = Vec3f::Zero();
  float radius_ = 0, cell_ = 1, cells_per_length_ = 1;
  std::array<int, 3> counts_{};
  using Node = Eigen::Matrix<float, 5, 1>;  // The gradient of the distance, the distance, and the share.
  std::vector<Node> nodes_;                 // x fastest.
  std::vector<std::uint8_t> most_share_;    // Of the cell above each node, in 255ths, rounded up.
};

/// One field per joint; empty for joints that own no skin. `owner` is the joint that owns each vertex of the mesh, or
/// kNone. Nodes times log n. \throws Cancelled.
std::vector<FleshField> make_flesh_fields(const Rig& rig, const std::vector<Index>& owner, const Progress& progress);

}  // namespace sinew::deform
