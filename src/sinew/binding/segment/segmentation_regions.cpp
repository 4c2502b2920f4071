// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/segment/segmentation_regions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::binding {
namespace {

using Word = std::uint64_t;
constexpr double kSlant = 0.8;      // How much a slanting normal costs, see `Misfit`.
constexpr double kWrongSide = 1.5;  // What a bone on the wrong side of the skin costs.

// Calls f(bone) for every bit of a mask, rising.
template <class F>
void for_bits(const Word* mask, Index words, F&& f) {
  for (Index w = 0; w < words; ++w)
    for (Word left = mask[w]; left != 0; left &= left - 1)
      f(static_cast<Index>(64 * w + static_cast<Index>(std::countr_zero(left))));
}

// Per vertex a bit for each bone that may own it, and the best of these.
//
// A bone is a candidate where it runs alongside (0 ≤ along ≤ 1, of an end segment 0 ≤ along), and beyond either of its
// joints where no bone that meets it there runs alongside: in the outer wedge of a bend, and behind a root. So every
// vertex has one. Besides, a bone that is one of several of its joint is a candidate wherever it lies behind (1 <
// along): limbs begin inside the body, and the skin round their roots is the body's although the limb runs alongside
// it.
class Candidates {
 public:
  Candidates(const SegmentationSurface& surface, const BoneSet& bones, const Misfit& misfit)
      : surface_(surface),
        bones_(bones),
        misfit_(misfit),
        words_(bones.words()),
        masks_(std::size_t{surface.count()} * words_),
        best_(surface.count()),
        least_(surface.count()) {
    parallel_blocks(surface.count(), kBlock, [&](std::size_t begin, std::size_t end) { fill(begin, end); });
  }

  Index words() const { return words_; }
  const Word* of(std::size_t v) const { return masks_.data() + v * words_; }
  bool same(Index a, Index b) const { return std::equal(of(a), of(a) + words_, of(b)); }
  Index best(Index v) const { return best_[v]; }
  double least_misfit(Index v) const { return least_[v]; }

  // The best of the bones of a mask, kNone for an empty one.
  Index best_of(Index v, const Word* mask) const {
    const Vec3& p = surface_.positions[v];
    BestBone best(kMisfitTie * surface_.size);
    best.start(p);
    for_bits(mask, words_, [&](Index b) {
      const BonePoint at = closest_on_bone(bones_[b], p);
      best.offer(b, bones_[b], at.along, misfit_(p - at.point, at.distance, surface_.normals[v]));
    });
    return best.bone();
  }

 private:
  static constexpr std::size_t kBlock = 256;

  // What a block knows of each of its vertices, bone by bone.
  struct Block {
    std::size_t begin, count;
    std::vector<double> along;    // bone · count + vertex
    std::vector<Word> alongside;  // word · count + vertex; 0 ≤ along ≤ 1, of an end segment 0 ≤ along
    std::vector<Word> behind;     // the same: 1 < along, of an end segment never
  };

  void fill(std::size_t begin, std::size_t end) {
    Block block{begin, end - begin, std::vector<double>((end - begin) * bones_.size()),
                std::vector<Word>((end - begin) * words_), std::vector<Word>((end - begin) * words_)};
    project(block);
    make_masks(block);
    BestBone best(kMisfitTie * surface_.size);
    Index likely = 0;
    for (std::size_t i = 0; i < block.count; ++i) choose(block, i, best, likely);
  }

  void project(Block& block) const {
    const std::size_t count = block.count;
    std::vector<double> x(count), y(count), z(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3& p = surface_.positions[block.begin + i];
      x[i] = p.x(), y[i] = p.y(), z[i] = p.z();
    }
    for (Index b = 0; b < bones_.size(); ++b) {
      const Bone& bone = bones_[b];
      const Vec3 a = bone.a, u = bone.direction / bone.length;
      // A spot of a face owns nothing beyond itself.
      const double limit = bone.is_end() && bone.reach == 0 ? std::numeric_limits<double>::infinity() : 1.0;
      double* const along = block.along.data() + b * count;
      Word* const alongside = block.alongside.data() + (b / 64) * count;
      Word* const behind = block.behind.data() + (b / 64) * count;
      const auto bit = static_cast<int>(b % 64);
      for (std::size_t i = 0; i < count; ++i)
        along[i] = (x[i] - a.x()) * u.x() + (y[i] - a.y()) * u.y() + (z[i] - a.z()) * u.z();
      for (std::size_t i = 0; i < count; ++i) {
        const Word from_joint = along[i] >= 0 ? 1 : 0, to_child = along[i] <= limit ? 1 : 0;
        behind[i] |= (1 - to_child) << bit;
        alongside[i] |= (from_joint & to_child) << bit;
      }
    }
  }

  // Place by place: loops over vertices without branches are several times faster than the other way round.
  void make_masks(const Block& block) {
    const std::size_t count = block.count;
    Word* const masks = masks_.data() + block.begin * words_;
    for (Index w = 0; w < words_; ++w)
      for (std::size_t i = 0; i < count; ++i) masks[i * words_ + w] = block.alongside[w * count + i];
    std::vector<Word> taken(count);
    for (Index place = 0; place < bones_.places(); ++place) {
      const auto meetings = bones_.meetings(place);
      std::fill(taken.begin(), taken.end(), 0);
      for (const BoneSet::Meeting& m : meetings) {
        const Word* const alongside = block.alongside.data() + m.word * count;
        for (std::size_t i = 0; i < count; ++i) taken[i] |= alongside[i] & m.all;
      }
      for (const BoneSet::Meeting& m : meetings) {
        const Word* const behind = block.behind.data() + m.word * count;
        for (std::size_t i = 0; i < count; ++i) {
          const Word in_wedge = (behind[i] & m.ending) | (~behind[i] & m.beginning);
          masks[i * words_ + m.word] |= taken[i] == 0 ? in_wedge : behind[i] & m.branching;
        }
      }
    }
  }

  // The best bone of a vertex. Neighbours in the list are mostly neighbours on the skin: what fits the one before tells
  // how well others have to fit at least.
  void choose(const Block& block, std::size_t i, BestBone& best, Index& likely) {
    const std::size_t v = block.begin + i;
    const Vec3 &p = surface_.positions[v], &normal = surface_.normals[v];
    best.start(p);
    const auto from = [&](Index b) {
      const Bone& bone = bones_[b];
      return Vec3(p - bone.a - std::clamp(block.along[b * block.count + i], 0.0, 1.0) * (bone.b - bone.a));
    };
    double limit = std::numeric_limits<double>::infinity();
    if ((of(v)[likely / 64] >> (likely % 64) & 1) != 0) {
      const Vec3 from_bone = from(likely);
      limit = (1 + 1e-9) * (misfit_(from_bone, from_bone.norm(), normal) + 2 * kMisfitTie * surface_.size);
    }
    for_bits(of(v), words_, [&](Index b) {
      // The misfit is never less than the distance, and that never less than how far the vertex is beyond an end.
      const double along = block.along[b * block.count + i];
      if (std::max(along - 1, -along) * bones_[b].length > limit) return;
      const Vec3 from_bone = from(b);
      const double squared = from_bone.squaredNorm();
      if (squared > limit * limit) return;
      best.offer(b, bones_[b], along, misfit_(from_bone, std::sqrt(squared), normal));
    });
    best_[v] = likely = best.bone();
    least_[v] = best.misfit();
  }

  const SegmentationSurface& surface_;
  const BoneSet& bones_;
  const Misfit& misfit_;
  Index words_;
  std::vector<Word> masks_;
  std::vector<Index> best_;
  std::vector<double> least_;
};

// Connected vertices with the same candidates: what reaches one of them reaches all, so that regions grow from cell to
// cell instead of from vertex to vertex, 64 bones at once.
struct Cells {
  std::vector<Index> of_vertex;
  std::vector<Index> first;  // A vertex of each.
  geometry::Lists neighbours;

  Cells(const SegmentationSurface& surface, const Candidates& candidates) {
    geometry::UnionFind joined(surface.count());
    std::vector<std::pair<Index, Index>> borders;
    for (Index v = 0; v < surface.count(); ++v)
      for (const Index u : surface.rings[v]) {
        if (u >= v) break;
        if (candidates.same(u, v)) joined.join(u, v);
        else borders.emplace_back(u, v);
      }
    of_vertex.resize(surface.count());
    for (Index v = 0; v < surface.count(); ++v) {
      const Index lowest = joined.find(v);
      of_vertex[v] = lowest == v ? static_cast<Index>(first.size()) : of_vertex[lowest];
      if (lowest == v) first.push_back(v);
    }
    join_neighbours(borders);
  }

 private:
  void join_neighbours(const std::vector<std::pair<Index, Index>>& borders) {
    neighbours.offsets.assign(first.size() + 1, 0);
    for (const auto& [u, v] : borders) ++neighbours.offsets[of_vertex[u] + 1], ++neighbours.offsets[of_vertex[v] + 1];
    for (std::size_t c = 0; c < first.size(); ++c) neighbours.offsets[c + 1] += neighbours.offsets[c];
    neighbours.items.resize(2 * borders.size());
    std::vector<Index> next(neighbours.offsets.begin(), neighbours.offsets.end() - 1);
    for (const auto& [u, v] : borders) {
      neighbours.items[next[of_vertex[u]]++] = of_vertex[v];
      neighbours.items[next[of_vertex[v]]++] = of_vertex[u];
    }
  }
};

// Where regions begin: on each shell, for each bone that is the best of some vertex there, the one it fits best. Their
// bits, per cell and word.
std::vector<Word> plant_seeds(const SegmentationSurface& surface, const Candidates& candidates, const Cells& cells,
                              std::vector<char>& seeded) {
  const auto better = [&](Index a, Index b) {
    if (candidates.least_misfit(a) != candidates.least_misfit(b))
      return candidates.least_misfit(a) < candidates.least_misfit(b);
    const Vec3 &p = surface.positions[a], &q = surface.positions[b];
    if (p != q) return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3);
    return a < b;
  };
  std::vector<Word> reached(cells.first.size() * candidates.words());
  std::vector<Index> seed(seeded.size(), kNone), used;
  for (Index shell = 0; shell < surface.shells(); ++shell) {
    used.clear();
    for (Index k = surface.shell_offsets[shell]; k < surface.shell_offsets[shell + 1]; ++k) {
      const Index v = surface.shell_vertices[k], b = candidates.best(v);
      if (seed[b] == kNone) used.push_back(b);
      if (seed[b] == kNone || better(v, seed[b])) seed[b] = v;
    }
    for (const Index b : used) {
      reached[std::size_t{cells.of_vertex[seed[b]]} * candidates.words() + b / 64] |= Word{1} << (b % 64);
      seeded[b] = 1;
      seed[b] = kNone;
    }
  }
  return reached;
}

// Lets all regions grow over cells where their bones are candidates.
void grow(const Cells& cells, const Candidates& candidates, std::vector<Word>& reached) {
  const Index words = candidates.words();
  std::vector<char> waits(cells.first.size());
  for (Index w = 0; w < words; ++w) {
    std::queue<Index> queue;
    for (Index c = 0; c < cells.first.size(); ++c) {
      waits[c] = reached[std::size_t{c} * words + w] != 0 ? 1 : 0;
      if (waits[c] != 0) queue.push(c);
    }
    while (!queue.empty()) {
      const Index c = queue.front();
      queue.pop();
      waits[c] = 0;
      const Word here = reached[std::size_t{c} * words + w];
      for (const Index n : cells.neighbours[c]) {
        Word& there = reached[std::size_t{n} * words + w];
        const Word grown = there | (here & candidates.of(cells.first[n])[w]);
        if (grown == there) continue;
        there = grown;
        if (waits[n] == 0) queue.push(n);
        waits[n] = 1;
      }
    }
  }
}

// What no region reached follows the labelled vertex nearest along edges, of equally near ones the lowest label.
Index spread_labels(const SegmentationSurface& surface, std::vector<Index>& owner) {
  if (std::find(owner.begin(), owner.end(), kNone) == owner.end()) return 0;
  struct Arrival {
    double distance;
    Index owner, vertex;
    bool operator>(const Arrival& other) const {
      if (distance != other.distance) return distance > other.distance;
      return owner != other.owner ? owner > other.owner : vertex > other.vertex;
    }
  };
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> queue;
  const auto leave = [&](const Arrival& from) {
    for (const Index u : surface.rings[from.vertex])
      if (owner[u] == kNone)
        queue.push({from.distance + (surface.positions[u] - surface.positions[from.vertex]).norm(), from.owner, u});
  };
  for (Index v = 0; v < owner.size(); ++v)
    if (owner[v] != kNone) leave({0, owner[v], v});
  Index count = 0;
  while (!queue.empty()) {
    const Arrival top = queue.top();
    queue.pop();
    if (owner[top.vertex] != kNone) continue;
    owner[top.vertex] = top.owner;
    ++count;
    leave(top);
  }
  return count;
}

}  // namespace

BoneSet::BoneSet(const BoneTree& tree) : bones_(tree.bones) {
  std::map<Index, std::map<Index, Meeting>> found;  // By place, then by word.
  const auto meeting = [&](Index joint, Index bone) -> Meeting& {
    Meeting& m = found[tree.place[joint]][bone / 64];
    m.word = bone / 64;
    m.all |= Word{1} << (bone % 64);
    return m;
  };
  for (Index b = 0; b < size(); ++b) {
    meeting(bones_[b].joint, b).beginning |= Word{1} << (b % 64);
    if (bones_[b].is_end()) continue;
    Meeting& m = meeting(bones_[b].child, b);
    m.ending |= Word{1} << (b % 64);
    if (tree.outgoing[bones_[b].joint].size() > 1) m.branching |= Word{1} << (b % 64);
  }
  for (const auto& [place, words] : found) {
    for (const auto& [word, m] : words) meetings_.push_back(m);
    offsets_.push_back(static_cast<Index>(meetings_.size()));
  }
}

Misfit::Misfit(double angle_limit_rad) : least_(std::cos(angle_limit_rad)) {}

double Misfit::operator()(const Vec3& from_bone, double distance, const Vec3& normal) const {
  if (normal.isZero(0)) return distance;
  const double along_normal = normal.dot(from_bone);
  const double slanted = distance + kSlant * (distance - along_normal);
  return along_normal < least_ * distance ? kWrongSide * slanted : slanted;
}

bool Misfit::wrong_side(const Vec3& from_bone, double distance, const Vec3& normal) const {
  return !normal.isZero(0) && normal.dot(from_bone) < least_ * distance;
}

void BestBone::offer(Index index, const Bone& bone, double along, double misfit) {
  if (misfit > misfit_ + tie_) return;
  const Vec3 from_end = p_ - (along > 1 ? bone.b : bone.a);
  const double into = bone.direction.dot(from_end);
  const double towards = along > 1 ? -into : std::min(into, 0.0);
  const bool wins = misfit < misfit_ - tie_ || towards > towards_ + 1e-3 * tie_ ||
                    (towards >= towards_ - 1e-3 * tie_ && index < bone_);
  if (wins) bone_ = index, towards_ = towards;
  misfit_ = std::min(misfit, misfit_);
}

Labels grow_regions(const SegmentationSurface& surface, const BoneSet& bones, const Misfit& misfit,
                    const Progress& progress) {
  const Candidates candidates(surface, bones, misfit);
  progress.step("segmenting", 0.5);
  const Cells cells(surface, candidates);
  std::vector<char> seeded(bones.size());
  std::vector<Word> reached = plant_seeds(surface, candidates, cells, seeded);
  grow(cells, candidates, reached);
  progress.step("segmenting", 0.6);

  Labels labels;
  labels.seedless = static_cast<Index>(std::count(seeded.begin(), seeded.end(), 0));
  labels.owner.resize(surface.count());
  parallel_for(surface.count(), [&](std::size_t i) {
    const auto v = static_cast<Index>(i);
    const Word* const mask = reached.data() + std::size_t{cells.of_vertex[v]} * candidates.words();
    const Index best = candidates.best(v);
    labels.owner[v] = (mask[best / 64] >> (best % 64) & 1) != 0 ? best : candidates.best_of(v, mask);
  });
  labels.spread = spread_labels(surface, labels.owner);
  labels.weak.resize(surface.count());
  parallel_for(surface.count(), [&](std::size_t v) {
    const BonePoint at = closest_on_bone(bones[labels.owner[v]], surface.positions[v]);
    labels.weak[v] = misfit.wrong_side(surface.positions[v] - at.point, at.distance, surface.normals[v]) ? 1 : 0;
  });
  labels.weak_count = static_cast<Index>(std::count(labels.weak.begin(), labels.weak.end(), 1));
  return labels;
}

}  // namespace sinew::binding
