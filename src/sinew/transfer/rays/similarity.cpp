// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/similarity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/transfer/rays/skeleton_aware.h"

namespace sinew::transfer {
namespace {

// Calls `body(x, y)` for every joint that has a weight in either of two rows sorted by joint.
template <class Body>
void for_all_joints(std::span<const Influence> a, std::span<const Influence> b, Body&& body) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const Index joint = std::min(i < a.size() ? a[i].joint : kNone, j < b.size() ? b[j].joint : kNone);
    const double x = i < a.size() && a[i].joint == joint ? static_cast<double>(a[i++].weight) : 0.0;
    const double y = j < b.size() && b[j].joint == joint ? static_cast<double>(b[j++].weight) : 0.0;
    if (x + y > 0) body(x, y);
  }
}

}  // namespace

double canberra_similarity(std::span<const Influence> a, std::span<const Influence> b) {
  double sum = 0;
  int count = 0;
  for_all_joints(a, b, [&](double x, double y) {
    sum += std::abs(x - y) / (x + y);
    ++count;
  });
  return count > 0 ? 1 - sum / count : 0;
}

double braycurtis_similarity(std::span<const Influence> a, std::span<const Influence> b) {
  double apart = 0, all = 0;
  for_all_joints(a, b, [&](double x, double y) {
    apart += std::abs(x - y);
    all += x + y;
  });
  return all > 0 ? 1 - apart / all : 0;
}

CornerRows::CornerRows(std::span<const geometry::TriangleVertices> triangles, const SkinWeights& rows) {
  offsets_.reserve(triangles.size() + 1);
  std::vector<Entry> merged;
  for (const geometry::TriangleVertices& triangle : triangles) {
    merged.clear();
    for (std::size_t k = 0; k < 3; ++k)
      for (const Influence& influence : rows.row(triangle[k])) {
        auto entry =
            std::find_if(merged.begin(), merged.end(), [&](const Entry& e) { return e.joint == influence.joint; });
        if (entry == merged.end()) entry = merged.insert(merged.end(), Entry{influence.joint, 0, 0, 0});
        (k == 0 ? entry->a : k == 1 ? entry->b : entry->c) += influence.weight;
      }
    std::sort(merged.begin(), merged.end(), [](const Entry& x, const Entry& y) { return x.joint < y.joint; });
    entries_.insert(entries_.end(), merged.begin(), merged.end());
    offsets_.push_back(entries_.size());
  }
}

void SpreadRow::set(std::span<const Influence> row) {
  for (const Index joint : set_) weight_[joint] = 0;
  set_.clear();
  sum_ = 0;
  for (const Influence& influence : row) {
    weight_[influence.joint] = influence.weight;
    set_.push_back(influence.joint);
    sum_ += influence.weight;
  }
}

float SpreadRow::canberra(std::span<const CornerRows::Entry> corners, float u, float v) const {
  float apart = 0;
  int count = 0, common = 0;
  for (const CornerRows::Entry& entry : corners) {
    const float x = weight_[entry.joint], y = entry.at(u, v), both = x + y;
    if (!(both > 0)) continue;
    apart += std::abs(x - y) / both;
    ++count;
    common += x > 0 ? 1 : 0;
  }
  // Joints of the row that no corner has are wholly apart.
  const int alone = static_cast<int>(set_.size()) - common;
  const int all = count + alone;
  return all > 0 ? std::max(0.0F, 1 - (apart + static_cast<float>(alone)) / static_cast<float>(all)) : 0.0F;
}

float SpreadRow::braycurtis(std::span<const CornerRows::Entry> corners, float u, float v) const {
  // min(x, y) = (x + y − |x − y|)/2, and joints that one side alone has give nothing.
  float shared = 0, sum = sum_;
  for (const CornerRows::Entry& entry : corners) {
    const float y = entry.at(u, v);
    shared += std::min(weight_[entry.joint], y);
    sum += y;
  }
  return sum > 0 ? std::clamp(2 * shared / sum, 0.0F, 1.0F) : 0.0F;
}

}  // namespace sinew::transfer
