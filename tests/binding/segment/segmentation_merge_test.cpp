// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/segment/segmentation_merge.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::binding {
namespace {

// Labels drawn as rows of letters, on a grid of quads.
struct LabelGrid {
  Mesh mesh;
  geometry::Lists rings;
  std::vector<Index> owner, shell;
  std::vector<char> weak;
  std::size_t width = 0;

  explicit LabelGrid(const std::vector<std::string>& rows) : width(rows.front().size()) {
    for (std::size_t y = 0; y < rows.size(); ++y)
      for (std::size_t x = 0; x < width; ++x) {
        mesh.positions.emplace_back(static_cast<double>(x), -static_cast<double>(y), 0);
        owner.push_back(static_cast<Index>(rows[y][x] - 'a'));
      }
    const auto at = [&](std::size_t x, std::size_t y) { return static_cast<Index>(y * width + x); };
    for (std::size_t y = 0; y + 1 < rows.size(); ++y)
      for (std::size_t x = 0; x + 1 < width; ++x)
        mesh.add_face(std::vector<Index>{at(x, y), at(x, y + 1), at(x + 1, y + 1), at(x + 1, y)});
    rings = geometry::one_rings(mesh);
    shell.assign(owner.size(), 0);
    weak.assign(owner.size(), 0);
  }

  Merged merge(std::span<const Index> kin = {}) {
    return merge_fragments(rings, mesh.positions, shell, weak, owner, kin);
  }
  std::vector<std::string> rows() const {
    std::vector<std::string> result;
    for (std::size_t v = 0; v < owner.size(); ++v) {
      if (v % width == 0) result.emplace_back();
      result.back() += static_cast<char>('a' + owner[v]);
    }
    return result;
  }
  // How many connected pieces each label has.
  std::map<Index, std::size_t> pieces() const {
    geometry::UnionFind joined(owner.size());
    for (Index v = 0; v < owner.size(); ++v)
      for (const Index u : rings[v])
        if (owner[u] == owner[v]) joined.join(u, v);
    std::map<Index, std::size_t> count;
    for (Index v = 0; v < owner.size(); ++v) count[owner[v]] += joined.find(v) == v ? 1 : 0;
    return count;
  }
};

using Rows = std::vector<std::string>;

TEST(MergeFragments, AStrayPieceGoesToWhatSurroundsIt) {
  LabelGrid grid({"aaaabbbb",  //
                  "aabaabbb",  //
                  "aaaabbbb"});
  const Merged merged = grid.merge();
  EXPECT_EQ(grid.rows(), Rows({"aaaabbbb", "aaaaabbb", "aaaabbbb"}));
  EXPECT_EQ(merged.fragments, 3U);
  EXPECT_EQ(merged.merged_fragments, 1U);
  EXPECT_EQ(merged.merged_vertices, 1U);
}

TEST(MergeFragments, TheLargestPieceStays) {
  LabelGrid grid({"abbbbaa",  //
                  "abbbbaa",  //
                  "abbbbaa"});
  grid.merge();
  EXPECT_EQ(grid.rows(), Rows({"bbbbbaa", "bbbbbaa", "bbbbbaa"}));
}

TEST(MergeFragments, ChainsOfPiecesEndInWhatStays) {
  // From the left: each single column touches only strays and goes with them, smallest first.
  LabelGrid grid({"bcbcaaaabbbbcccc",  //
                  "bcbcaaaabbbbcccc"});
  grid.merge();
  EXPECT_EQ(grid.rows(), Rows({"aaaaaaaabbbbcccc", "aaaaaaaabbbbcccc"}));
}

TEST(MergeFragments, PiecesThatMeetThroughAMergedOneAreOne) {
  // The b between is smaller than the c on both sides: it joins them, and they leave together.
  LabelGrid grid({"aaaccbccaaaaaaccccccccccc",  //
                  "aaaaaaaaaaaaaaccccccccccc",  //
                  "aaaaaaaaaaabbbccccccccccc"});
  const Merged merged = grid.merge();
  EXPECT_EQ(merged.merged_fragments, 3U);
  EXPECT_EQ(grid.rows()[0], "aaaaaaaaaaaaaaccccccccccc");
}

TEST(MergeFragments, MostEdgesDecideAndWeakOnesCountHalf) {
  const Rows drawn = {"aaacc",  //
                      "aabbc",  //
                      "aaacc",  //
                      "bbbbb"};
  LabelGrid grid(drawn);
  grid.merge();
  EXPECT_EQ(grid.rows()[1], "aaaac");  // 3 edges to a, 3 to c: the lowest.
  LabelGrid doubtful(drawn);
  doubtful.weak[5 + 1] = 1;
  doubtful.merge();
  EXPECT_EQ(doubtful.rows()[1], "aaccc");
}

TEST(MergeFragments, KinComesFirst) {
  LabelGrid grid({"aaaaabbb",  //
                  "aabaacbb",  //
                  "aaaccccb"});
  // The stray b touches three a and one c.
  LabelGrid kin = grid;
  grid.merge();
  EXPECT_EQ(grid.rows()[1][2], 'a');
  kin.owner[2 * 8 + 2] = 2;
  const std::vector<Index> numbers = {0, 1, 1};
  kin.merge(numbers);
  EXPECT_EQ(kin.rows()[1][2], 'c');
}

TEST(MergeFragments, AWholeShellStays) {
  LabelGrid grid({"aaa", "aaa", "aaa"});
  // Two grids that do not touch, both a: each keeps its own.
  LabelGrid two = grid;
  const auto count = static_cast<Index>(two.owner.size());
  for (Index v = 0; v < count; ++v) {
    two.mesh.positions.push_back(two.mesh.positions[v] + Vec3(9, 0, 0));
    two.owner.push_back(0);
    two.shell.push_back(1);
    two.weak.push_back(0);
  }
  const Index faces = two.mesh.face_count();
  for (Index f = 0; f < faces; ++f) {
    std::vector<Index> face(two.mesh.face(f).begin(), two.mesh.face(f).end());
    for (Index& v : face) v += count;
    two.mesh.add_face(face);
  }
  two.rings = geometry::one_rings(two.mesh);
  const Merged merged = two.merge();
  EXPECT_EQ(merged.fragments, 2U);
  EXPECT_EQ(merged.merged_fragments, 0U);
}

TEST(MergeFragments, EveryLabelHangsTogetherAfterwardsWhateverItWas) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 rng(seed);
    Rows rows;
    for (int y = 0; y < 14; ++y) {
      rows.emplace_back();
      for (int x = 0; x < 17; ++x) rows.back() += static_cast<char>('a' + rng() % (2 + seed % 9));
    }
    LabelGrid grid(rows);
    for (char& weak : grid.weak) weak = static_cast<char>(rng() % 2);
    const std::set<Index> before(grid.owner.begin(), grid.owner.end());
    const Merged merged = grid.merge();
    const auto pieces = grid.pieces();
    for (const auto& [owner, count] : pieces) EXPECT_EQ(count, 1U) << "seed " << seed;
    EXPECT_EQ(merged.fragments - merged.merged_fragments, before.size());
    EXPECT_EQ(pieces.size(), before.size());  // No label dies: its largest piece stays.
  }
}

}  // namespace
}  // namespace sinew::binding
