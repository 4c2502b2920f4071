// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/operators/sparse.h"

namespace sinew::binding {

/// Cholesky factor of a symmetric, positive definite M-matrix whose rows have positions: those of the vertices of a
/// surface, or of voxels.
///
/// The rows are ordered by nested dissection (A. George, "Nested dissection of a regular finite element mesh", 1973):
/// a plane across the longest axis halves them, what touches the other half is the separator and comes last. The factor
/// is multifrontal (J. Liu, "The multifrontal method for sparse matrix solution: theory and practice", 1992): each
/// separator is a dense front, and halves are independent of each other, so they are factored in parallel. About n^1.5
/// operations on surfaces, in dense kernels. The same bytes for any number of threads.
class HeatFactor {
 public:
  static constexpr std::size_t kColumns = 8;  ///< Columns solved together: a line of the cache.
  using BlockRow = std::array<double, kColumns>;

  /// Right-hand sides and solutions of `kColumns` columns, to be used by one thread at a time.
  struct Work {
    std::vector<BlockRow> x;    ///< Per place. All zero at first.
    std::vector<char> reached;  ///< Per place: `solve` gave it a value.

   private:
    friend class HeatFactor;
    std::vector<BlockRow> update_;  // The rows of one front that belong to later ones.
    std::vector<char> active_;      // Per front: its part holds something of the right-hand sides.
  };

  /// \pre `a` is symmetric, with all diagonal entries stored; a position per row.
  HeatFactor(const geometry::SparseMatrix& a, std::span<const Vec3> positions);

  /// Whether no pivot is a rounding error of its diagonal entry. Otherwise nothing can be solved.
  bool ok() const { return ok_; }

  /// The place of a row in the order of the factor.
  Index place(Index row) const { return place_[row]; }
  Work make_work() const;

  /// Solves for the right-hand sides in `work.x`, which are nonzero at `sources` only. Both are by place. Rows that
  /// cannot have a value of `least` in any column may be left out: right-hand sides are not negative, so that, by the
  /// maximum principle, a part without sources is nowhere larger than what surrounds it.
  void solve(std::span<const Index> sources, double least, Work& work) const;

 private:
  struct Front {
    Index begin = 0, end = 0;   // Own rows, in the order of the factor.
    Index first = 0;            // The first row of the part that it separates.
    Index subtree = 0;          // The first front of that part; fronts are in post-order.
    std::vector<Index> update;  // Later rows that it changes, rising.
    std::size_t values = 0;     // Of its columns in `values_`, own rows and then update, column by column.
    std::array<Index, 2> children = {kNone, kNone};

    Index own() const { return end - begin; }
    std::size_t height() const { return own() + update.size(); }
  };
  struct Dissection;
  class Assembly;

  void forward(const Front& front, Work& work) const;
  void backward(const Front& front, Work& work) const;

  std::vector<Index> rows_, place_;
  std::vector<Front> fronts_;
  std::vector<Index> front_of_;  // Per place.
  std::vector<double> values_;
  bool ok_ = true;
};

}  // namespace sinew::binding
