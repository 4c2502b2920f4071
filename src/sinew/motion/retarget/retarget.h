// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Motion of one character for another, which may have other joints, axes, proportions and another rest pose.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/options.h"
#include "sinew/motion/retarget/foot_contacts.h"
#include "sinew/motion/retarget/joint_map.h"

namespace sinew::motion {

/// What becomes of the way that the source covers.
enum class RootMotion {
  kKeep,     ///< The hips travel.
  kInPlace,  ///< The character stays where it is.
  kToRoot,   ///< The topmost joint above the hips travels.
};
constexpr auto option_words(RootMotion) { return std::array{"keep", "in-place", "to-root"}; }

enum class Feet { kOn, kOff };
constexpr auto option_words(Feet) { return std::array{"on", "off"}; }

struct RetargetOptions {
  RootMotion root_motion = RootMotion::kKeep;
  Feet feet = Feet::kOn;
  std::optional<double> fps = {};  ///< Empty: keys where the source has them, at least 30 per second.
  bool loop = false;
  bool mirrored = false;
  std::vector<std::string> trim = {};  ///< Empty, or two times in seconds.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("root_motion",
            "What happens to the distance that the source covers: the hips keep it; it is removed; or the topmost "
            "joint above the hips gets it."),
      self.root_motion);
    v(Field("feet", "Keep feet in place while those of the source stand on the ground."), self.feet);
    v(Field("fps", "Frames per second of the new clip. By default keys where the source has them.").range(0.001, 1000),
      self.fps);
    v(Field("loop", "Blend the end of the clip into its beginning, so that it repeats without a jump."), self.loop);
    v(Field("mirror", "Exchange left and right."), self.mirrored);
    v(Field("trim", "Use only this part of the source, from A to B in seconds.").as("A,B"), self.trim);
  }
};

/// A clip for another character.
struct Retargeted {
  Clip clip;
  JointMap map;
  double scale = 1;  ///< The target's leg length over the source's.
  FootReport feet;
  Findings findings;
};

/// Moves `target` as `clip` moves `source`. Every joint with a source rotates from rest, in model space, as the source
/// does from its own rest, where limbs first point as those of the source at rest: characters that rest in T pose and
/// in A pose therefore agree. Feet keep their own angle to the ground. The hips move as those of the source, scaled by
/// the length of the legs. Where the source's feet stand, those of the target are put to rest by bending the legs; the
/// hips sink where a leg is too short. Weights of morphs are taken by the names of parts. Frames × joints. \throws
/// Error if no joint of the target has a source, if `trim` is not a part of the clip, if the map names unknown joints,
/// or if the root motion is for a joint that does not exist.
Retargeted retarget(const Rig& source, const Clip& clip, const Rig& target,
                    const std::map<std::string, std::string>& map = {}, const RetargetOptions& options = {});

}  // namespace sinew::motion
