// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/heat/heat_factor.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "sinew/core/parallel.h"

namespace sinew::binding {
namespace {

using DenseMatrix = Eigen::MatrixXd;
using BlockRow = HeatFactor::BlockRow;

constexpr Index kSmallestHeatPart = 24;    // Parts of fewer rows are not divided any more: one front.
constexpr Index kSmallestHeatTask = 4000;  // Rows of a part that is worth a task of its own.
constexpr std::size_t kPlanes = 32;        // Across each axis, of which one divides a part.
constexpr double kLeastSideShare = 0.2;    // Of a part's rows on either side.
constexpr std::uint8_t kInDividedPart = 4;
constexpr double kLeastPivotShare = 1e-13;  // Smaller pivots are rounding errors.
constexpr std::size_t kBlockColumns = HeatFactor::kColumns;

void subtract_row(BlockRow& from, double factor, const BlockRow& what) {
  for (std::size_t c = 0; c < kBlockColumns; ++c) from[c] -= factor * what[c];
}

// to_i ← to_i − Σ_j l_ij·x_j over the columns of a matrix of `count` rows, which are `height` apart: four at a time, so
// that every row is fetched a quarter as often.
void subtract_product(const double* l, std::size_t height, std::span<const BlockRow> x, std::span<BlockRow> to) {
  std::size_t j = 0;
  for (; j + 4 <= x.size(); j += 4) {
    const double *l0 = l + j * height, *l1 = l0 + height, *l2 = l1 + height, *l3 = l2 + height;
    for (std::size_t i = 0; i < to.size(); ++i) {
      const double a = l0[i], b = l1[i], c = l2[i], d = l3[i];
      for (std::size_t k = 0; k < kBlockColumns; ++k)
        to[i][k] -= a * x[j][k] + b * x[j + 1][k] + (c * x[j + 2][k] + d * x[j + 3][k]);
    }
  }
  for (; j < x.size(); ++j)
    for (std::size_t i = 0; i < to.size(); ++i) subtract_row(to[i], l[j * height + i], x[j]);
}

// to_j ← to_j − Σ_i l_ij·x_i: the transpose of the above.
void subtract_transposed(const double* l, std::size_t height, std::span<const BlockRow> x, std::span<BlockRow> to) {
  std::size_t j = 0;
  for (; j + 2 <= to.size(); j += 2) {
    const double *l0 = l + j * height, *l1 = l0 + height;
    BlockRow first = to[j], second = to[j + 1];
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double a = l0[i], b = l1[i];
      for (std::size_t k = 0; k < kBlockColumns; ++k) {
        first[k] -= a * x[i][k];
        second[k] -= b * x[i][k];
      }
    }
    to[j] = first;
    to[j + 1] = second;
  }
  for (; j < to.size(); ++j)
    for (std::size_t i = 0; i < x.size(); ++i) subtract_row(to[j], l[j * height + i], x[i]);
}

}  // namespace

// Orders the rows of a part: its halves, then what separates them.
struct HeatFactor::Dissection {
  const geometry::SparseMatrix& a;
  std::span<const Vec3> positions;
  std::vector<std::uint8_t> side;  // Per row, while its part is divided: 1 or 2.
  HeatFactor& factor;

  // The part is rows_[begin, end). Returns its front.
  Index order(Index begin, Index end) {
    const auto subtree = static_cast<Index>(factor.fronts_.size());
    std::array<Index, 2> children = {kNone, kNone};
    Index own = begin;
    if (end - begin > kSmallestHeatPart) {
      const auto [middle, separator] = divide(begin, end);
      if (separator > begin) {
        children[0] = order(begin, middle);
        if (middle < separator) children[1] = order(middle, separator);
        own = separator;
      }
    }
    Front front;
    front.begin = own;
    front.end = end;
    front.first = begin;
    front.subtree = subtree;
    front.children = children;
    factor.fronts_.push_back(std::move(front));
    return static_cast<Index>(factor.fronts_.size()) - 1;
  }

  struct Plane {
    Eigen::Index axis = 0;
    double at = 0;
  };

  // Of some planes across each axis the one that cuts few edges and leaves both sides rows: in a T pose not the one
  // from head to crotch, but one across an arm.
  Plane best_plane(Index begin, Index end) {
    Box box;
    for (Index i = begin; i < end; ++i) box.extend(positions[factor.rows_[i]]);
    Plane best;
    box.extent().maxCoeff(&best.axis);
    best.at = box.center()[best.axis];
    double least = std::numeric_limits<double>::infinity();
    for (Index i = begin; i < end; ++i) side[factor.rows_[i]] = kInDividedPart;
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      const double low = box.lower[axis], width = box.extent()[axis] / static_cast<double>(kPlanes);
      if (!(width > 0)) continue;
      const auto slice = [&](Index row) {
        return std::min<std::size_t>(kPlanes - 1, static_cast<std::size_t>((positions[row][axis] - low) / width));
      };
      std::array<int, kPlanes + 1> cut = {}, before = {};  // Cut edges as differences from plane to plane.
      for (Index i = begin; i < end; ++i) {
        const Index row = factor.rows_[i];
        const std::size_t own = slice(row);
        ++before[own + 1];
        for (Index k = a.offsets[row]; k < a.offsets[row + 1]; ++k)
          if (side[a.columns[k]] == kInDividedPart && positions[a.columns[k]][axis] > positions[row][axis]) {
            ++cut[own + 1];
            --cut[std::min(kPlanes, slice(a.columns[k]) + 1)];
          }
      }
      for (std::size_t plane = 1; plane < kPlanes; ++plane) {
        cut[plane] += cut[plane - 1];
        before[plane] += before[plane - 1];
        const double share = static_cast<double>(before[plane]) / static_cast<double>(end - begin);
        if (std::min(share, 1 - share) < kLeastSideShare) continue;
        const double cost = cut[plane] / std::sqrt(share * (1 - share));
        if (cost >= least) continue;
        least = cost;
        best = {axis, low + width * static_cast<double>(plane)};
      }
    }
    return best;
  }

  // Sorts the part into two halves and the rows between: the halves end at the returned places. An empty first half
  // means that the part cannot be divided.
  std::array<Index, 2> divide(Index begin, Index end) {
    std::vector<Index>& rows = factor.rows_;
    const auto first = rows.begin() + begin, last = rows.begin() + end;
    const Plane plane = best_plane(begin, end);
    const auto is_before = [&](Index row) { return positions[row][plane.axis] < plane.at; };
    auto half = std::stable_partition(first, last, is_before);
    if (half == first || half == last) {
      half = first + (end - begin) / 2;
      std::nth_element(first, half, last, [&](Index r, Index s) {
        const double p = positions[r][plane.axis], q = positions[s][plane.axis];
        return p != q ? p < q : r < s;
      });
    }
    for (auto r = first; r != last; ++r) side[*r] = r < half ? 1 : 2;
    const auto touches = [&](Index row) {
      const auto other = static_cast<std::uint8_t>(3 - side[row]);
      for (Index k = a.offsets[row]; k < a.offsets[row + 1]; ++k)
        if (side[a.columns[k]] == other) return true;
      return false;
    };
    std::array<std::vector<Index>, 2> border;
    for (auto r = first; r != last; ++r)
      if (touches(*r)) border[side[*r] - 1].push_back(*r);
    const std::vector<Index>& separator = border[0].size() <= border[1].size() ? border[0] : border[1];
    for (const Index row : separator) side[row] = 3;
    const auto in_separator = std::stable_partition(first, last, [&](Index row) { return side[row] != 3; });
    const auto in_second = std::stable_partition(first, in_separator, [&](Index row) { return side[row] == 1; });
    for (auto r = first; r != last; ++r) side[*r] = 0;
    const auto middle = static_cast<Index>(in_second - rows.begin());
    const auto between = static_cast<Index>(in_separator - rows.begin());
    if (middle == begin || middle == between) return {begin, begin};
    return {middle, between};
  }
};

// The numbers of the factor.
class HeatFactor::Assembly {
 public:
  Assembly(const geometry::SparseMatrix& a, HeatFactor& factor) : a_(a), factor_(factor) {}

  bool run() {
    if (factor_.fronts_.empty()) return true;
    factorize(static_cast<Index>(factor_.fronts_.size()) - 1);
    return ok_;
  }

 private:
  // Factors a part, and returns what it subtracts from later rows: the lower half.
  DenseMatrix factorize(Index index) {
    const Front& front = factor_.fronts_[index];
    std::array<DenseMatrix, 2> below;
    const auto descend = [&](std::size_t child) {
      if (front.children[child] != kNone && ok_) below[child] = factorize(front.children[child]);
    };
    if (front.end - front.first >= kSmallestHeatTask) {
      parallel_for(2, descend, 1);
    } else {
      descend(0);
      descend(1);
    }
    if (!ok_) return {};
    const auto own = static_cast<Eigen::Index>(front.own());
    const auto rest = static_cast<Eigen::Index>(front.update.size());
    Eigen::Map<DenseMatrix> columns(factor_.values_.data() + front.values, own + rest, own);
    DenseMatrix later = DenseMatrix::Zero(rest, rest);
    const std::vector<double> diagonal = gather(front, columns);
    for (std::size_t child = 0; child < 2; ++child)
      if (front.children[child] != kNone) {
        add(below[child], factor_.fronts_[front.children[child]], front, columns, later);
        below[child].resize(0, 0);
      }
    if (own == 0) return later;  // Halves that nothing connects.
    Eigen::Ref<DenseMatrix> top = columns.topRows(own);
    const Eigen::LLT<Eigen::Ref<DenseMatrix>, Eigen::Lower> llt(top);
    bool good = llt.info() == Eigen::Success;
    for (Eigen::Index i = 0; i < own && good; ++i)
      good = top(i, i) * top(i, i) > kLeastPivotShare * diagonal[static_cast<std::size_t>(i)];
    if (!good) {
      ok_ = false;
      return {};
    }
    if (rest > 0) {
      auto bottom = columns.bottomRows(rest);
      top.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(bottom);
      later.selfadjointView<Eigen::Lower>().rankUpdate(bottom, -1.0);
    }
    return later;
  }

  // Where a row that the front has is in it.
  static Eigen::Index local(const Front& front, Index place) {
    if (place < front.end) return static_cast<Eigen::Index>(place - front.begin);
    const auto found = std::lower_bound(front.update.begin(), front.update.end(), place);
    return static_cast<Eigen::Index>(front.own()) + (found - front.update.begin());
  }

  // The matrix's own entries. Returns the diagonal.
  std::vector<double> gather(const Front& front, Eigen::Map<DenseMatrix>& columns) const {
    std::vector<double> diagonal(front.own(), 0);
    for (Index j = front.begin; j < front.end; ++j) {
      const Index row = factor_.rows_[j];
      const auto column = static_cast<Eigen::Index>(j - front.begin);
      for (Index k = a_.offsets[row]; k < a_.offsets[row + 1]; ++k) {
        const Index place = factor_.place_[a_.columns[k]];
        if (place == j) diagonal[static_cast<std::size_t>(column)] = a_.values[k];
        if (place >= j) columns(local(front, place), column) = a_.values[k];
      }
    }
    return diagonal;
  }

  static void add(const DenseMatrix& below, const Front& child, const Front& front, Eigen::Map<DenseMatrix>& columns,
                  DenseMatrix& later) {
    const auto own = static_cast<Eigen::Index>(front.own());
    std::vector<Eigen::Index> at;
    for (const Index place : child.update) at.push_back(local(front, place));
    for (Eigen::Index j = 0; j < below.cols(); ++j) {
      const Eigen::Index column = at[static_cast<std::size_t>(j)];
      for (Eigen::Index i = j; i < below.rows(); ++i) {
        const Eigen::Index row = at[static_cast<std::size_t>(i)];
        (column < own ? columns(row, column) : later(row - own, column - own)) += below(i, j);
      }
    }
  }

  const geometry::SparseMatrix& a_;
  HeatFactor& factor_;
  std::atomic<bool> ok_ = true;
};

HeatFactor::HeatFactor(const geometry::SparseMatrix& a, std::span<const Vec3> positions) {
  rows_.resize(a.size());
  std::iota(rows_.begin(), rows_.end(), Index{0});
  Dissection dissection{a, positions, std::vector<std::uint8_t>(a.size(), 0), *this};
  if (a.size() > 0) dissection.order(0, a.size());
  place_.resize(a.size());
  for (Index i = 0; i < a.size(); ++i) place_[rows_[i]] = i;
  front_of_.resize(a.size());
  std::size_t values = 0;
  std::vector<Index> all;
  for (Index f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    all.clear();
    for (Index j = front.begin; j < front.end; ++j) {
      front_of_[j] = f;
      for (Index k = a.offsets[rows_[j]]; k < a.offsets[rows_[j] + 1]; ++k)
        if (place_[a.columns[k]] >= front.end) all.push_back(place_[a.columns[k]]);
    }
    for (const Index child : front.children)
      if (child != kNone)
        for (const Index place : fronts_[child].update)
          if (place >= front.end) all.push_back(place);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    front.update = all;
    front.values = values;
    values += front.height() * front.own();
  }
  values_.assign(values, 0.0);
  ok_ = Assembly(a, *this).run();
}

HeatFactor::Work HeatFactor::make_work() const {
  Work work;
  work.x.assign(rows_.size(), BlockRow{});
  work.reached.assign(rows_.size(), 0);
  work.active_.assign(fronts_.size(), 0);
  std::size_t longest = 0;
  for (const Front& front : fronts_) longest = std::max(longest, front.update.size());
  work.update_.resize(longest);
  return work;
}

void HeatFactor::forward(const Front& front, Work& work) const {
  const std::size_t own = front.own(), height = front.height();
  const double* l = values_.data() + front.values;
  const std::span<BlockRow> x(work.x.data() + front.begin, own);
  for (std::size_t j = 0; j < own; ++j) {
    const double inverse = 1 / l[j * height + j];
    for (double& v : x[j]) v *= inverse;
    for (std::size_t i = j + 1; i < own; ++i) subtract_row(x[i], l[j * height + i], x[j]);
  }
  const std::span<BlockRow> later(work.update_.data(), front.update.size());
  for (std::size_t i = 0; i < later.size(); ++i) later[i] = work.x[front.update[i]];
  subtract_product(l + own, height, x, later);
  for (std::size_t i = 0; i < later.size(); ++i) work.x[front.update[i]] = later[i];
}

void HeatFactor::backward(const Front& front, Work& work) const {
  const std::size_t own = front.own(), height = front.height();
  const double* l = values_.data() + front.values;
  const std::span<BlockRow> x(work.x.data() + front.begin, own);
  const std::span<BlockRow> later(work.update_.data(), front.update.size());
  for (std::size_t i = 0; i < later.size(); ++i) later[i] = work.x[front.update[i]];
  subtract_transposed(l + own, height, later, x);
  for (std::size_t j = own; j-- > 0;) {
    for (std::size_t i = j + 1; i < own; ++i) subtract_row(x[j], l[j * height + i], x[i]);
    const double inverse = 1 / l[j * height + j];
    for (double& v : x[j]) v *= inverse;
  }
}

void HeatFactor::solve(std::span<const Index> sources, double least, Work& work) const {
  if (fronts_.empty()) return;
  for (const Index place : sources) work.active_[front_of_[place]] = 1;
  for (Index f = 0; f < fronts_.size(); ++f) {
    const Front& front = fronts_[f];
    for (const Index child : front.children)
      if (child != kNone && work.active_[child] != 0) work.active_[f] = 1;
    if (work.active_[f] != 0) forward(front, work);
  }
  const auto is_reached = [&](const Front& front) {
    for (const Index place : front.update)
      for (const double v : work.x[place])
        if (v >= least) return true;
    return false;
  };
  for (auto f = static_cast<Index>(fronts_.size()); f-- > 0;) {
    const Front& front = fronts_[f];
    if (work.active_[f] == 0 && !is_reached(front)) {
      f = front.subtree;  // All of the part is left out.
      continue;
    }
    work.active_[f] = 0;
    backward(front, work);
    std::fill(work.reached.begin() + front.begin, work.reached.begin() + front.end, char{1});
  }
}

}  // namespace sinew::binding
