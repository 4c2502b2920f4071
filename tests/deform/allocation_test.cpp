// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Counts memory asked for by the whole program, so that a deformer that takes more of it after its first frame is found
// out.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/deform/twist_rigs.h"

namespace {

std::atomic<std::size_t> largest{0};

void* counted(std::size_t size, std::size_t alignment) {
  std::size_t seen = largest.load();
  while (size > seen && !largest.compare_exchange_weak(seen, size)) {
  }
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace sinew::deform {
namespace {

using namespace testing;

TEST(Deformers, AfterTheFirstFrameNoMemoryIsTakenThatGrowsWithTheMesh) {
  constexpr Index kVertices = 50000;
  const TwistSubject subject = random_subject(1, kVertices);
  std::mt19937 rng(2);
  const ModelPose pose = in_model_space(subject.rig.skeleton, random_local_pose(rng, subject.rig.skeleton, 1));
  std::vector<Vec3f> positions(kVertices), normals(kVertices);
  for (const auto& entry : deformers().entries()) {
    const auto deformer = deform::bind(entry.id, subject.rig, {}, {}, subject.knowledge());
    const auto state = deformer->make_state();
    deformer->deform(*state, {pose}, {positions, normals});
    largest = 0;
    deformer->deform(*state, {pose}, {positions, normals});
    EXPECT_LT(largest.load(), kVertices / 2) << entry.id;
  }
}

}  // namespace
}  // namespace sinew::deform
