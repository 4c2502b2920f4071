// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What a request says about some vertices of a character: `--rigid` and `--exclude`.

#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/pipeline/bind_parts.h"

namespace sinew::jobs {

using namespace pipeline;

/// Per vertex of the mesh whether a word means it: the name of a mesh node, `material:NAME`, or `shell:N`, where shells
/// are pieces that hang together by shared or welded vertices of one part, numbered from 0 in order of their first
/// faces. Of a material, all corners of its faces. \throws Error for a name or number that is not there, with the
/// nearest that is.
std::vector<char> select_vertices(const Character& character, const std::string& word);

/// What is asked of single vertices.
struct Wishes {
  std::vector<char> excluded;  ///< Per vertex: keeps its row.
  std::vector<Index> rigid;    ///< Per vertex: the joint it hangs on wholly; kNone for none.

  Index excluded_count() const;
  Index rigid_count() const;
};

/// Reads words of `--rigid`, each WHAT=JOINT, and of `--exclude`, each WHAT, as `select_vertices` has it. Of two words
/// of `rigid` that mean a vertex the later holds. \throws Error for a word without a joint, names that are not there,
/// and vertices that both lists mean.
Wishes read_wishes(const Character& character, const std::vector<std::string>& rigid,
                   const std::vector<std::string>& exclude);

/// Brings a plan in line with wishes: a part with vertices that shall hang on a joint is bound, one whose vertices are
/// all excluded is kept. Other vertices of a part that was kept are excluded. Returns per vertex whether the method
/// leaves it out. \throws Error if an excluded vertex has no weights to keep, but others of its part get a skin.
std::vector<char> heed_wishes(const Rig& rig, Wishes& wishes, std::vector<PartPlan>& plan);

}  // namespace sinew::jobs
