// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The options `rigid` and `exclude` of a request to bind, applied to the vertices of a character.

#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/pipeline/bind_parts.h"

namespace sinew::geometry {
struct Components;
}

namespace sinew::pipeline {

/// Why `apply_selection` keeps a part all of whose vertices are excluded: `PartPlan::reason`.
inline constexpr const char* kExcludedPart = "excluded";

/// The pieces of a mesh that `shell:N` numbers.
geometry::Components shells_of(const Mesh& mesh);

/// Returns per vertex of the mesh whether a word selects it. A word is the name of a mesh node, `material:NAME`, or
/// `shell:N`, where shells are pieces that are connected by shared or welded vertices of one part, numbered from 0 in
/// order of their first faces. A material selects all corners of its faces. \throws Error for an unknown name or
/// number; the text suggests the nearest known one.
std::vector<char> vertices_of_word(const Character& character, const std::string& word);

/// Vertices that the binder leaves out.
struct VertexSelection {
  std::vector<char> excluded;  ///< Per vertex: whether it keeps its row.
  std::vector<Index> rigid;    ///< Per vertex: the joint that alone moves it; kNone for none.

  Index excluded_count() const;
  Index rigid_count() const;
};

/// Reads the words of `rigid`, each WHAT=JOINT, and of `exclude`, each WHAT, where WHAT is as for `vertices_of_word`.
/// If two words of `rigid` select the same vertex, the later one wins. \throws Error for a word without a joint,
/// unknown names, and vertices that both lists select.
VertexSelection select_vertices(const Character& character, const std::vector<std::string>& rigid,
                                const std::vector<std::string>& exclude);

/// Adapts a plan of parts to a selection: a part with vertices that are attached to a joint is bound, one whose
/// vertices are all excluded is kept. Other vertices of a part that was kept become excluded. Returns per vertex
/// whether the method leaves it out. \throws Error if an excluded vertex has no weights to keep, but others of its part
/// get a skin.
std::vector<char> apply_selection(const Rig& rig, VertexSelection& selection, std::vector<PartPlan>& plan);

}  // namespace sinew::pipeline
