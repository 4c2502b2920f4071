// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/bvh.h"

#include <embree3/rtcore.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <new>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/embree_configuration.h"

namespace sinew::geometry {
namespace {

// Nodes as Embree's builder makes them, on its own arena.
struct BuildNode {
  std::array<BuildNode*, 2> children = {nullptr, nullptr};  // Null for a leaf.
  std::array<BoxF, 2> boxes;                                // Of the children.
  const Index* primitives = nullptr;
  Index count = 0;
};

void* create_node(RTCThreadLocalAllocator allocator, unsigned int, void*) {
  return new (rtcThreadLocalAlloc(allocator, sizeof(BuildNode), 16)) BuildNode;
}

void set_children(void* node, void** children, unsigned int count, void*) {
  assert(count == 2);
  for (unsigned int i = 0; i < count; ++i)
    static_cast<BuildNode*>(node)->children[i] = static_cast<BuildNode*>(children[i]);
}

void set_bounds(void* node, const RTCBounds** bounds, unsigned int count, void*) {
  for (unsigned int i = 0; i < count; ++i) {
    const RTCBounds& b = *bounds[i];
    static_cast<BuildNode*>(node)->boxes[i] = {{b.lower_x, b.lower_y, b.lower_z}, {b.upper_x, b.upper_y, b.upper_z}};
  }
}

void* create_leaf(RTCThreadLocalAllocator allocator, const RTCBuildPrimitive* primitives, std::size_t count, void*) {
  auto* leaf = new (rtcThreadLocalAlloc(allocator, sizeof(BuildNode), 16)) BuildNode;
  auto* list = static_cast<Index*>(rtcThreadLocalAlloc(allocator, count * sizeof(Index), 16));
  for (std::size_t i = 0; i < count; ++i) list[i] = primitives[i].primID;
  std::sort(list, list + count);
  leaf->primitives = list;
  leaf->count = static_cast<Index>(count);
  return leaf;
}

// One device for the life of the program: making one starts threads.
RTCDevice device() {
  static const RTCDevice shared = new_embree_device();
  return shared;
}

class Tree {
 public:
  explicit Tree(std::vector<RTCBuildPrimitive>& primitives) : bvh_(rtcNewBVH(device())) {
    if (bvh_ == nullptr) throw std::bad_alloc();
    RTCBuildArguments arguments = rtcDefaultBuildArguments();
    arguments.buildQuality = RTC_BUILD_QUALITY_MEDIUM;
    arguments.maxBranchingFactor = 2;
    arguments.maxDepth = 64;
    arguments.minLeafSize = 1;
    arguments.maxLeafSize = 4;
    arguments.sahBlockSize = 1;
    arguments.bvh = bvh_;
    arguments.primitives = primitives.data();
    arguments.primitiveCount = primitives.size();
    arguments.primitiveArrayCapacity = primitives.size();
    arguments.createNode = create_node;
    arguments.setNodeChildren = set_children;
    arguments.setNodeBounds = set_bounds;
    arguments.createLeaf = create_leaf;
    root_ = static_cast<const BuildNode*>(rtcBuildBVH(&arguments));
    if (root_ == nullptr) {
      rtcReleaseBVH(bvh_);
      throw std::bad_alloc();
    }
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() { rtcReleaseBVH(bvh_); }
  const BuildNode* root() const { return root_; }

 private:
  RTCBVH bvh_;
  const BuildNode* root_ = nullptr;
};

float round_down(double x) {
  const auto f = static_cast<float>(x);
  return f <= x ? f : std::nextafter(f, -std::numeric_limits<float>::infinity());
}

float round_up(double x) {
  const auto f = static_cast<float>(x);
  return f >= x ? f : std::nextafter(f, std::numeric_limits<float>::infinity());
}

BoxF united(std::span<const BoxF> boxes) {
  BoxF all = boxes.front();
  for (const BoxF& b : boxes)
    for (std::size_t k = 0; k < 3; ++k) {
      all.lower[k] = std::min(all.lower[k], b.lower[k]);
      all.upper[k] = std::max(all.upper[k], b.upper[k]);
    }
  return all;
}

BoxF scaled(BoxF box, int exponent) {
  if (exponent == 0) return box;
  for (std::size_t k = 0; k < 3; ++k) {
    box.lower[k] = std::ldexp(box.lower[k], exponent);
    box.upper[k] = std::ldexp(box.upper[k], exponent);
  }
  return box;
}

// A power of two that brings boxes to where products of their sides are numbers in single precision: Embree's builder
// stops the program otherwise. 2⁰ for anything of a usual size, so that its tree is the same as ever.
int build_exponent(const BoxF& all) {
  double extent = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!std::isfinite(all.lower[k]) || !std::isfinite(all.upper[k]))
      throw Error("The surface has coordinates that are not finite, or too large for single precision.");
    extent = std::max(extent, double{all.upper[k]} - double{all.lower[k]});
  }
  constexpr double kUsual = 1e9;
  if (extent == 0 || (extent > 1 / kUsual && extent < kUsual)) return 0;
  return -std::ilogb(extent);
}

std::vector<RTCBuildPrimitive> build_primitives(std::span<const BoxF> boxes, int exponent) {
  std::vector<RTCBuildPrimitive> primitives(boxes.size());
  parallel_for(
      boxes.size(),
      [&](std::size_t i) {
        const BoxF b = scaled(boxes[i], exponent);
        primitives[i] = {b.lower[0], b.lower[1], b.lower[2], 0,
                         b.upper[0], b.upper[1], b.upper[2], static_cast<unsigned>(i)};
      },
      16384);
  return primitives;
}

}  // namespace

BoxF box_around(std::span<const Vec3> points) {
  Vec3 lower = points.front(), upper = points.front();
  for (const Vec3& p : points.subspan(1)) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  return {{round_down(lower.x()), round_down(lower.y()), round_down(lower.z())},
          {round_up(upper.x()), round_up(upper.y()), round_up(upper.z())}};
}

Bvh::Bvh(std::span<const BoxF> boxes) {
  if (boxes.empty()) return;
  const BoxF all = united(boxes);
  const int exponent = build_exponent(all);
  std::vector<RTCBuildPrimitive> build = build_primitives(boxes, exponent);
  const Tree tree(build);
  primitives_.reserve(boxes.size());
  nodes_.reserve(boxes.size());
  nodes_.push_back({all, 0, 0});
  struct Pending {
    const BuildNode* node;
    Index slot;
    std::size_t depth;
  };
  std::vector<Pending> stack = {{tree.root(), 0, 1}};
  while (!stack.empty()) {
    const auto [node, slot, depth] = stack.back();
    stack.pop_back();
    assert(depth < kMaxDepth);
    if (node->children[0] == nullptr) {
      nodes_[slot].first = static_cast<Index>(primitives_.size());
      nodes_[slot].count = node->count;
      primitives_.insert(primitives_.end(), node->primitives, node->primitives + node->count);
      continue;
    }
    const auto first = static_cast<Index>(nodes_.size());
    nodes_[slot].first = first;
    for (std::size_t i = 0; i < 2; ++i) nodes_.push_back({scaled(node->boxes[i], -exponent), 0, 0});
    stack.push_back({node->children[1], first + 1, depth + 1});
    stack.push_back({node->children[0], first, depth + 1});
  }
}

}  // namespace sinew::geometry
