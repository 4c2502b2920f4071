// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/keys/morph_fit.h"

#include <algorithm>

#include "sinew/core/parallel.h"

namespace sinew::motion {
namespace {

constexpr std::size_t kLongestSegment = 512;
constexpr std::size_t kWitnesses = 64;

struct Farthest {
  float squared = 0;
  Index vertex = kNone;
};

class KeySearch {
 public:
  KeySearch(const VertexFrames& motion, double tolerance)
      : motion_(motion), squared_(static_cast<float>(tolerance * tolerance)) {
    for (Index v = 0; v < motion.count; ++v)
      if (moves(v, tolerance)) moving_.push_back(v);
  }

  bool still() const { return moving_.empty(); }

  // Whether all frames between i and j lie near enough to the straight line.
  bool joins(Index i, Index j) {
    for (const Index v : witnesses_)
      for (Index f = i + 1; f < j; ++f)
        if (distance(v, i, f, j) > squared_) return false;
    // The middle first: there a failing segment fails.
    const Index middle = (i + j) / 2;
    for (Index step = 0; step < j - i; ++step) {
      const Index half = (step + 1) / 2;
      const Index f = step % 2 == 1 ? middle - half : middle + half;
      if (f <= i || f >= j) continue;
      const Farthest worst = farthest(i, f, j);
      if (worst.squared <= squared_) continue;
      witnesses_.insert(witnesses_.begin(), worst.vertex);
      if (witnesses_.size() > kWitnesses) witnesses_.pop_back();
      return false;
    }
    return true;
  }

  // Whether two frames show nearly the same.
  bool alike(Index a, Index b, double tolerance) const {
    const auto first = motion_.frame(a), second = motion_.frame(b);
    const auto limit = static_cast<float>(tolerance * tolerance);
    return std::all_of(moving_.begin(), moving_.end(),
                       [&](Index v) { return (first[v] - second[v]).squaredNorm() <= limit; });
  }

 private:
  // A vertex whose places fit into a box smaller than the tolerance cannot be far from any line between them.
  bool moves(Index v, double tolerance) const {
    Vec3f low = motion_.frame(0)[v], high = low;
    for (std::size_t f = 1; f < motion_.times_s.size(); ++f) {
      low = low.cwiseMin(motion_.frame(f)[v]);
      high = high.cwiseMax(motion_.frame(f)[v]);
    }
    return static_cast<double>((high - low).norm()) > 0.5 * tolerance;
  }

  float distance(Index v, Index i, Index f, Index j) const {
    const double span = motion_.times_s[j] - motion_.times_s[i];
    const auto t = static_cast<float>(span > 0 ? (motion_.times_s[f] - motion_.times_s[i]) / span : 0);
    const Vec3f &a = motion_.frame(i)[v], &b = motion_.frame(j)[v];
    return (a + t * (b - a) - motion_.frame(f)[v]).squaredNorm();
  }

  Farthest farthest(Index i, Index f, Index j) const {
    return parallel_reduce(
        moving_.size(), Farthest{},
        [&](std::size_t begin, std::size_t end) {
          Farthest worst;
          for (std::size_t k = begin; k < end; ++k) {
            const float d = distance(moving_[k], i, f, j);
            if (!(d <= worst.squared)) worst = {d, moving_[k]};
          }
          return worst;
        },
        [](const Farthest& a, const Farthest& b) { return b.squared > a.squared ? b : a; });
  }

  const VertexFrames& motion_;
  float squared_;
  std::vector<Index> moving_;
  std::vector<Index> witnesses_;
};

// Frames of a shortest chain from the first to the last.
std::vector<Index> shortest_chain(KeySearch& search, Index frames, const Progress& progress) {
  std::vector<Index> before(frames, kNone);
  std::vector<Index> queue = {0};
  for (std::size_t head = 0; before[frames - 1] == kNone; ++head) {
    progress.check();
    const Index i = queue[head];
    const auto end = static_cast<Index>(std::min<std::size_t>(frames, i + kLongestSegment + 1));
    // The farthest first: if the last frame is met, the search is over.
    for (Index j = end; j-- > i + 1;) {
      if (before[j] != kNone || (j > i + 1 && !search.joins(i, j))) continue;
      before[j] = i;
      queue.push_back(j);
      if (j == frames - 1) break;
    }
  }
  std::vector<Index> chain;
  for (Index f = frames - 1; f != 0; f = before[f]) chain.push_back(f);
  chain.push_back(0);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace

MorphKeys fit_keys(const VertexFrames& motion, double tolerance, const Progress& progress) {
  const auto frames = static_cast<Index>(motion.times_s.size());
  KeySearch search(motion, tolerance);
  MorphKeys keys;
  if (frames == 1 || search.still()) {
    keys.frames = keys.shape_frames = keys.shapes = {0};
    return keys;
  }
  keys.frames = shortest_chain(search, frames, progress);
  for (const Index frame : keys.frames) {
    Index shape = 0;
    while (shape < keys.shape_frames.size() && !search.alike(frame, keys.shape_frames[shape], tolerance / 7)) ++shape;
    if (shape == keys.shape_frames.size()) keys.shape_frames.push_back(frame);
    keys.shapes.push_back(shape);
  }
  return keys;
}

}  // namespace sinew::motion
