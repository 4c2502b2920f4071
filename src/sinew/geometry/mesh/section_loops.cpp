// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/section_loops.h"

#include <algorithm>
#include <tuple>

namespace sinew::geometry {
namespace {

constexpr std::size_t kMostPairedChains = 1024;

// End 2s is the start of segment s, end 2s+1 its end.
struct CurveEnd {
  std::uint64_t place;
  std::size_t end;
  bool operator<(const CurveEnd& other) const { return std::tie(place, end) < std::tie(other.place, other.end); }
};

constexpr std::size_t kLoose = static_cast<std::size_t>(-1);

std::vector<std::size_t> pair_ends(const std::vector<CurveSegment>& segments) {
  std::vector<CurveEnd> ends;
  ends.reserve(2 * segments.size());
  for (std::size_t s = 0; s < segments.size(); ++s) {
    ends.push_back({segments[s].from, 2 * s});
    ends.push_back({segments[s].to, 2 * s + 1});
  }
  std::sort(ends.begin(), ends.end());
  std::vector<std::size_t> partner(2 * segments.size(), kLoose);
  const auto match = [&](std::size_t a, std::size_t b) { partner[a] = b, partner[b] = a; };
  std::vector<std::size_t> in, out;
  for (auto run = ends.begin(); run != ends.end();) {
    in.clear(), out.clear();
    auto last = run;
    for (; last != ends.end() && last->place == run->place; ++last)
      (last->end % 2 == 1 ? in : out).push_back(last->end);
    const std::size_t both = std::min(in.size(), out.size());
    for (std::size_t i = 0; i < both; ++i) match(in[i], out[i]);
    const std::vector<std::size_t>& rest = in.size() > out.size() ? in : out;
    for (std::size_t i = both; i + 1 < rest.size(); i += 2) match(rest[i], rest[i + 1]);
    run = last;
  }
  return partner;
}

struct CurveChain {
  std::vector<Vec2> points;
  bool closed = false;
};

class ChainTracer {
 public:
  explicit ChainTracer(const std::vector<CurveSegment>& segments)
      : segments_(segments), partner_(pair_ends(segments)), used_(segments.size(), 0) {}

  std::vector<CurveChain> run() {
    std::vector<CurveChain> chains;
    for (std::size_t end = 0; end < partner_.size(); ++end)
      if (partner_[end] == kLoose && used_[end / 2] == 0) chains.push_back(trace(end));
    for (std::size_t s = 0; s < segments_.size(); ++s)
      if (used_[s] == 0) chains.push_back(trace(2 * s));
    return chains;
  }

 private:
  const Vec2& point(std::size_t end) const { return end % 2 == 0 ? segments_[end / 2].start : segments_[end / 2].end; }

  // Enters segments through the given end until it is back or at a loose one.
  CurveChain trace(std::size_t first) {
    CurveChain chain;
    chain.points.push_back(point(first));
    double forward = 0;
    for (std::size_t entry = first;;) {
      used_[entry / 2] = 1;
      const std::size_t exit = entry ^ 1;
      const double length = (point(exit) - point(entry)).norm();
      forward += entry % 2 == 0 ? length : -length;
      const std::size_t next = partner_[exit];
      if (next == first) {
        chain.closed = true;
        break;
      }
      chain.points.push_back(point(exit));
      if (next == kLoose) break;
      entry = next;
    }
    if (forward < 0) std::reverse(chain.points.begin(), chain.points.end());
    return chain;
  }

  const std::vector<CurveSegment>& segments_;
  std::vector<std::size_t> partner_;
  std::vector<char> used_;
};

// For each open chain the one whose start its end is joined to.
std::vector<std::size_t> follow_ups(const std::vector<CurveChain>& open) {
  std::vector<std::size_t> next(open.size(), kLoose);
  if (open.size() > kMostPairedChains) {
    for (std::size_t i = 0; i < open.size(); ++i) next[i] = i;
    return next;
  }
  struct Link {
    double distance;
    std::size_t from, to;
  };
  std::vector<Link> links;
  for (std::size_t i = 0; i < open.size(); ++i)
    for (std::size_t j = 0; j < open.size(); ++j)
      links.push_back({(open[i].points.back() - open[j].points.front()).norm(), i, j});
  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
    return std::tie(a.distance, a.from, a.to) < std::tie(b.distance, b.from, b.to);
  });
  std::vector<char> taken(open.size(), 0);
  for (const Link& link : links)
    if (next[link.from] == kLoose && taken[link.to] == 0) next[link.from] = link.to, taken[link.to] = 1;
  return next;
}

}  // namespace

std::vector<PlaneLoop> join_segments(const std::vector<CurveSegment>& segments) {
  std::vector<CurveChain> open;
  std::vector<PlaneLoop> loops;
  for (CurveChain& chain : ChainTracer(segments).run()) {
    if (!chain.closed) {
      open.push_back(std::move(chain));
      continue;
    }
    const std::size_t count = chain.points.size();
    loops.push_back({std::move(chain.points), std::vector<char>(count, 0)});
  }
  const std::vector<std::size_t> next = follow_ups(open);
  std::vector<char> used(open.size(), 0);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (used[i] != 0) continue;
    PlaneLoop loop;
    for (std::size_t k = i; used[k] == 0; k = next[k]) {
      used[k] = 1;
      loop.points.insert(loop.points.end(), open[k].points.begin(), open[k].points.end());
      loop.gap.resize(loop.points.size(), 0);
      loop.gap.back() = 1;
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace sinew::geometry
