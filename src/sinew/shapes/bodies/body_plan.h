// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/skeleton.h"
#include "sinew/shapes/surface/cage.h"

namespace sinew::shapes {

/// A frame with +Y along the bone and +Z as near to `bend` as that allows.
Mat3 bone_frame(const Vec3& along, const Vec3& bend);

/// The joints of a character to be: placed in the pose in which it is designed, then turned into the pose in which it
/// is wanted. Axes: +Y along the bone, +Z the axis it bends about, the right side the mirror image of the left with its
/// bend axis turned round, so that equal turns bend both alike.
class BodyPlan {
 public:
  /// A joint at `place` whose bone goes to `end`. `leaf`: nothing follows there.
  Index add(const std::string& name, Index parent, const Vec3& place, const Vec3& end, const Vec3& bend,
            bool leaf = false);
  /// The mirror image of a joint across x = 0.
  Index add_mirrored(const std::string& name, Index parent, Index left);

  /// Sections of a joint are laid out along the axes of its frame, +Z being the bend axis; here along others: +Z as
  /// near to `z` as the bone allows.
  void lay_sections(Index joint, const Vec3& z);

  /// Turns a joint, about axes of its own frame, on top of what it was turned before.
  void turn(Index joint, const Quat& rotation);
  /// The same about the model's axes as they lie in the design, so that a turn of the parent does not matter.
  void turn_model(Index joint, const Vec3& rotation_rad);

  Index size() const { return static_cast<Index>(joints_.size()); }
  Index find(std::string_view name) const;
  double length(Index joint) const { return joints_[joint].length; }
  const std::string& name(Index joint) const { return joints_[joint].name; }

  /// Frames and places in the wanted pose. Cheap: each is worked out on `settle`.
  void settle();
  const Mat3& frame(Index joint) const { return frames_[joint]; }
  const Vec3& place(Index joint) const { return places_[joint]; }
  /// The axes of its sections.
  Mat3 section_frame(Index joint) const { return frames_[joint] * joints_[joint].roll; }

  /// The axes of sections as they would lie if the joint itself had not been turned.
  Mat3 unturned_section_frame(Index joint) const { return before_[joint] * joints_[joint].roll; }

  /// The skeleton whose rest pose is the wanted pose.
  Skeleton skeleton() const;

 private:
  struct Planned {
    std::string name;
    Index parent = kNone;
    Vec3 place;
    Mat3 frame;
    Mat3 roll = Mat3::Identity();  ///< From the frame to the axes of sections.
    double length = 0;
    bool leaf = false;
    Index mirror = kNone;
    Quat turn = Quat::Identity();
  };
  std::vector<Planned> joints_;
  std::vector<Mat3> frames_;
  std::vector<Mat3> before_;  ///< Frames without the joint's own turn.
  std::vector<Vec3> places_;
};

/// Half-widths of a cross-section along the joint's axes for sections: +z, −z, +x, −x.
struct Section {
  double z_plus = 0;
  double z_minus = 0;
  double x_plus = 0;
  double x_minus = 0;
};
inline Section oval(double z, double x) { return {z, z, x, x}; }
inline Section round(double r) { return {r, r, r, r}; }
Section scaled(const Section& section, double factor);

/// Where the vertices of a ring lie, in units of the half-widths: first number along z, second along x.
using Profile = std::vector<Vec2>;

/// `count` points on a circle, counter-clockwise about +y, the first at `first_deg` from +z towards +x.
Profile circle(Index count, double first_deg);
Profile between(const Profile& a, const Profile& b, double t);

/// One ring of a limb.
struct Station {
  Index joint = kNone;
  double t = 0;  ///< Along its bone, in bone lengths.
  Section section;
  Index other = kNone;                    ///< A joint to share the frame and the vertices with.
  double share = 0.5;                     ///< Of the other.
  Vec3 shift = Vec3::Zero();              ///< Of the centre, along the axes of sections.
  std::optional<Mix> mix = std::nullopt;  ///< Shares of joints when they are not those of the frame.
  double lift = 0;                        ///< Raises vertices along +y by this times how far they are out along z.
  std::optional<Profile> profile = std::nullopt;
  double unturned =
      0;  ///< How much of the joint's own turn the ring does not follow: for limbs that grow out of a trunk.
};

/// Adds the ring of a station. Rings are made wider by what subdivision takes off a round of so many corners, so that
/// half-widths are those of the smooth surface. `side` −1 mirrors the local z of a right limb.
Loop add_ring(Cage& cage, const BodyPlan& plan, const Station& station, const Profile& profile, double side = 1);

/// Adds all rings of a limb that grows out of `root` and walls them in. Returns the rings, `root` first.
std::vector<Loop> grow(Cage& cage, const BodyPlan& plan, const Loop& root, const std::vector<Station>& stations,
                       const Profile& profile, double side = 1);

}  // namespace sinew::shapes
