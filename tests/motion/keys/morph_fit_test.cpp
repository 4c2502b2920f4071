// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/keys/morph_fit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"

namespace sinew::motion {
namespace {

using Frames = std::vector<std::vector<Vec3f>>;

VertexFrames view(const Frames& frames, const std::vector<double>& times) {
  return {times, &frames, 0, static_cast<Index>(frames.front().size())};
}

std::vector<double> even_times(std::size_t count) {
  std::vector<double> times;
  for (std::size_t f = 0; f < count; ++f) times.push_back(static_cast<double>(f) / 30);
  return times;
}

// The largest distance at any frame.
double error_of(const Frames& frames, const std::vector<double>& times, const MorphKeys& keys) {
  double worst = 0;
  std::size_t k = 0;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    while (k + 2 < keys.frames.size() && keys.frames[k + 1] <= f) ++k;
    const std::size_t next = std::min(k + 1, keys.frames.size() - 1);
    const double from = times[keys.frames[k]], to = times[keys.frames[next]];
    const auto t = static_cast<float>(to > from ? (times[f] - from) / (to - from) : 0.0);
    for (std::size_t v = 0; v < frames[f].size(); ++v) {
      const Vec3f &a = frames[keys.shape_frames[keys.shapes[k]]][v],
                  &b = frames[keys.shape_frames[keys.shapes[next]]][v];
      worst = std::max(worst, static_cast<double>((a + t * (b - a) - frames[f][v]).norm()));
    }
  }
  return worst;
}

// The fewest keys by trying all sets of them.
std::size_t fewest(const Frames& frames, const std::vector<double>& times, double tolerance) {
  const std::size_t inner = frames.size() - 2;
  std::size_t best = frames.size();
  for (std::size_t set = 0; set < (std::size_t{1} << inner); ++set) {
    MorphKeys keys;
    keys.frames = {0};
    for (std::size_t i = 0; i < inner; ++i)
      if ((set >> i & 1) != 0) keys.frames.push_back(static_cast<Index>(i + 1));
    keys.frames.push_back(static_cast<Index>(frames.size() - 1));
    for (Index k = 0; k < keys.frames.size(); ++k) keys.shapes.push_back(k);
    keys.shape_frames = keys.frames;
    if (error_of(frames, times, keys) <= tolerance) best = std::min(best, keys.frames.size());
  }
  return best;
}

TEST(MorphFit, AStraightMotionNeedsItsEndsOnly) {
  Frames frames;
  for (int f = 0; f < 50; ++f) frames.push_back({Vec3f(0.1F * static_cast<float>(f), 0, 0), Vec3f::Zero()});
  const std::vector<double> times = even_times(frames.size());
  const MorphKeys keys = fit_keys(view(frames, times), 1e-4);
  EXPECT_EQ(keys.frames, (std::vector<Index>{0, 49}));
  EXPECT_EQ(keys.shape_frames, (std::vector<Index>{0, 49}));
}

TEST(MorphFit, WhatStandsStillHasOneKey) {
  const Frames frames(20, {Vec3f(1, 2, 3)});
  const std::vector<double> times = even_times(20);
  EXPECT_EQ(fit_keys(view(frames, times), 1e-4).frames, std::vector<Index>{0});
  const Frames one(1, {Vec3f(1, 2, 3)});
  const std::vector<double> zero = {0};
  EXPECT_EQ(fit_keys(view(one, zero), 1e-4).shapes, std::vector<Index>{0});
}

TEST(MorphFit, AMotionThatComesBackUsesItsShapesAgain) {
  Frames frames;
  for (int f = 0; f <= 60; ++f) {
    const double angle = kTwoPi * f / 60;
    frames.push_back({Vec3f(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)), 0)});
  }
  const std::vector<double> times = even_times(frames.size());
  const MorphKeys keys = fit_keys(view(frames, times), 0.05);
  EXPECT_EQ(keys.shapes.back(), keys.shapes.front());
  EXPECT_EQ(keys.shape_frames.size(), keys.frames.size() - 1);
  EXPECT_LE(error_of(frames, times, keys), 0.05 * 8 / 7);
  // The height of a chord above its arc is 1 − cos(half the angle).
  const double widest = 2 * std::acos(1 - 0.05);
  EXPECT_LE(keys.frames.size() - 1, static_cast<std::size_t>(std::ceil(kTwoPi / (widest - 0.11))));
}

RC_GTEST_PROP(MorphFit, NoSmallerSetOfKeysKeepsTheTolerance, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(3, 10);
  Frames frames(count);
  for (auto& frame : frames)
    for (int v = 0; v < 3; ++v) {
      const auto number = [] { return static_cast<float>(*rc::gen::inRange(-100, 101)) / 100; };
      const float x = number(), y = number();
      frame.emplace_back(x, y, 0.0F);
    }
  const double tolerance = 0.0503 * *rc::gen::inRange(1, 30);
  const std::vector<double> times = even_times(count);
  const MorphKeys keys = fit_keys(view(frames, times), tolerance);
  RC_ASSERT(error_of(frames, times, keys) <= tolerance * 8 / 7 + 1e-6);
  if (keys.frames.size() > 1) RC_ASSERT(keys.frames.size() == fewest(frames, times, tolerance));
}

TEST(MorphFit, KeysAreTheSameForAnyNumberOfThreads) {
  Frames frames;
  for (int f = 0; f < 40; ++f) {
    auto& frame = frames.emplace_back();
    for (int v = 0; v < 9000; ++v)
      frame.emplace_back(static_cast<float>(std::sin(0.2 * f + 0.001 * v)), static_cast<float>(std::cos(0.13 * f)),
                         0.0F);
  }
  const std::vector<double> times = even_times(frames.size());
  set_thread_count(1);
  const MorphKeys one = fit_keys(view(frames, times), 0.01);
  set_thread_count(2);
  const MorphKeys two = fit_keys(view(frames, times), 0.01);
  set_thread_count(0);
  EXPECT_EQ(one.frames, two.frames);
  EXPECT_EQ(one.shapes, two.shapes);
}

}  // namespace
}  // namespace sinew::motion
