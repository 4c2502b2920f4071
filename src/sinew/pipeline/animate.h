// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Clips of other characters for a character.

#include <map>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/json.h"
#include "sinew/motion/retarget/retarget.h"

namespace sinew::pipeline {

struct AnimateOptions {
  motion::RetargetOptions retarget;
  std::map<std::string, std::string> map;  ///< The character's joint by the source's joint; empty for none.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    motion::RetargetOptions::visit(self.retarget, v);
  }
};

/// What one clip became.
struct AnimateResult {
  Index clip = kNone;  ///< Of the character.
  motion::Retargeted motion;
  Findings findings;
};

/// Appends a clip of another character to those of `character`, under a name that no other clip has. See
/// `motion::retarget`. \throws Error as that does.
AnimateResult animate(Character& character, const Character& source, const Clip& clip, const AnimateOptions& options);

/// The same without a character that keeps the clip.
motion::Retargeted retarget_clip(const Rig& source, const Clip& clip, const Rig& target,
                                 const AnimateOptions& options = {});

/// The map of joints and the figures of the feet, for reports.
Json animate_figures(const AnimateResult& result, const Character& character, const Character& source);
std::string animate_text(const AnimateResult& result, const Character& character, const Character& source);

}  // namespace sinew::pipeline
