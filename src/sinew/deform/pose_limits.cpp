// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pose_limits.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "sinew/core/rotation.h"

namespace sinew::deform {
namespace {

constexpr double kNear_rad = 0.1;     // ε of the kernel.
constexpr double kLeastShare = 1e-3;  // Samples of less weight are left out, gently.
constexpr double kSame_rad = 0.02;    // Rotations closer than this are the same.
constexpr float kWhole = 1.02F;       // Factor on reductions, so that those near a sample reach what it says.

// Unites two sorted lists of vertices, with the larger reduction where both have one.
void take_larger(std::vector<Index>& vertices, std::vector<float>& reductions, const std::vector<Index>& more,
                 const std::vector<float>& by) {
  std::vector<Index> all;
  std::vector<float> larger;
  std::size_t a = 0, b = 0;
  while (a < vertices.size() || b < more.size()) {
    const bool first = b == more.size() || (a < vertices.size() && vertices[a] <= more[b]);
    const bool second = a == vertices.size() || (b < more.size() && more[b] <= vertices[a]);
    all.push_back(first ? vertices[a] : more[b]);
    larger.push_back(std::max(first ? reductions[a] : 0.0F, second ? by[b] : 0.0F));
    a += first ? 1 : 0, b += second ? 1 : 0;
  }
  vertices = std::move(all), reductions = std::move(larger);
}

double kernel(double squared) { return 1 / ((squared + kNear_rad * kNear_rad) * (squared + kNear_rad * kNear_rad)); }

}  // namespace

PoseLimits::PoseLimits(const Skeleton& skeleton, std::vector<Mat4> start, Index vertices) : vertex_count_(vertices) {
  for (const Joint& joint : skeleton.joints) parents_.push_back(joint.parent);
  for (const Mat4& frame : start) {
    const Mat4 inverse = frame.inverse();
    inverse_start_.push_back(inverse.allFinite() ? inverse : Mat4(Mat4::Identity()));
  }
}

void PoseLimits::find_rotations(const std::vector<Mat4>& pose, std::vector<Mat3>& rotations) const {
  rotations.resize(parents_.size());
  for (std::size_t j = 0; j < parents_.size(); ++j) {
    const Mat3 motion = (pose[j] * inverse_start_[j]).topLeftCorner<3, 3>();
    rotations[j] = polar(motion).rotation;
  }
}

Vec3 PoseLimits::rotation_of(Index joint, const std::vector<Mat3>& rotations) const {
  const Index parent = parents_[joint];
  const Mat3 relative = parent == kNone ? rotations[joint] : Mat3(rotations[parent].transpose() * rotations[joint]);
  return rotation_log(Quat(relative).normalized());
}

void PoseLimits::add(Index joint, const std::vector<Mat4>& pose, std::vector<Index> vertices,
                     std::vector<float> reductions) {
  std::vector<Mat3> rotations;
  find_rotations(pose, rotations);
  Sample sample{joint, rotation_of(joint, rotations), std::move(vertices), std::move(reductions)};
  for (Sample& other : samples_)
    if (other.joint == joint && (other.rotation - sample.rotation).norm() < kSame_rad) {
      take_larger(other.vertices, other.reductions, sample.vertices, sample.reductions);
      return;
    }
  const auto after = std::upper_bound(samples_.begin(), samples_.end(), joint,
                                      [](Index j, const Sample& other) { return j < other.joint; });
  samples_.insert(after, std::move(sample));
}

bool PoseLimits::any() const {
  return std::any_of(samples_.begin(), samples_.end(), [](const Sample& sample) { return !sample.vertices.empty(); });
}

std::vector<Index> PoseLimits::vertices() const {
  std::vector<Index> all;
  for (const Sample& sample : samples_) all.insert(all.end(), sample.vertices.begin(), sample.vertices.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void PoseLimits::evaluate(const std::vector<Mat4>& pose, Scratch& scratch, std::span<float> factors) const {
  std::fill(factors.begin(), factors.end(), 1.0F);
  find_rotations(pose, scratch.rotations);
  scratch.reductions.assign(factors.size(), 0.0F);
  for (std::size_t begin = 0, end = 0; begin < samples_.size(); begin = end) {
    const Index joint = samples_[begin].joint;
    bool reduces = false;
    while (end < samples_.size() && samples_[end].joint == joint) reduces |= !samples_[end++].vertices.empty();
    if (!reduces) continue;
    const Vec3 rotation = rotation_of(joint, scratch.rotations);
    double sum = kernel(rotation.squaredNorm());
    scratch.weights.clear();
    for (std::size_t k = begin; k < end; ++k) {
      scratch.weights.push_back(kernel((samples_[k].rotation - rotation).squaredNorm()));
      sum += scratch.weights.back();
    }
    for (std::size_t k = begin; k < end; ++k) {
      const auto share = static_cast<float>(std::max(0.0, scratch.weights[k - begin] / sum - kLeastShare));
      if (share == 0) continue;
      const Sample& sample = samples_[k];
      for (std::size_t i = 0; i < sample.vertices.size(); ++i)
        scratch.reductions[sample.vertices[i]] += share * sample.reductions[i];
    }
    for (std::size_t k = begin; k < end; ++k)
      for (const Index v : samples_[k].vertices) {
        if (scratch.reductions[v] == 0) continue;
        factors[v] *= 1 - std::min(kWhole * scratch.reductions[v], 1.0F);
        scratch.reductions[v] = 0;
      }
  }
}

std::vector<std::byte> PoseLimits::bytes() const {
  std::vector<double> numbers = {static_cast<double>(vertex_count_), static_cast<double>(parents_.size()),
                                 static_cast<double>(samples_.size())};
  for (const Sample& sample : samples_) {
    numbers.insert(numbers.end(), {static_cast<double>(sample.joint), sample.rotation.x(), sample.rotation.y(),
                                   sample.rotation.z(), static_cast<double>(sample.vertices.size())});
    for (std::size_t i = 0; i < sample.vertices.size(); ++i) {
      numbers.push_back(static_cast<double>(sample.vertices[i]));
      numbers.push_back(static_cast<double>(sample.reductions[i]));
    }
  }
  const auto raw = std::as_bytes(std::span(numbers));
  return {raw.begin(), raw.end()};
}

std::optional<PoseLimits> PoseLimits::read(const Skeleton& skeleton, std::vector<Mat4> start, Index vertices,
                                           std::span<const std::byte> bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (bytes.size() % sizeof(double) != 0 || numbers.size() < 3) return std::nullopt;
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  std::size_t at = 0;
  const auto next = [&](double below, Index& value) {
    if (at >= numbers.size() || !(numbers[at] >= 0 && numbers[at] < below)) return false;
    value = static_cast<Index>(numbers[at++]);
    return true;
  };
  Index vertex_count = 0, joints = 0, samples = 0;
  if (!next(4e9, vertex_count) || !next(4e9, joints) || !next(4e9, samples)) return std::nullopt;
  if (vertex_count != vertices || joints != skeleton.size()) return std::nullopt;
  PoseLimits limits(skeleton, std::move(start), vertices);
  for (Index s = 0; s < samples; ++s) {
    Sample sample;
    Index count = 0;
    if (!next(joints, sample.joint) || at + 4 > numbers.size()) return std::nullopt;
    sample.rotation = Vec3(numbers[at], numbers[at + 1], numbers[at + 2]);
    at += 3;
    if (!sample.rotation.allFinite() || !next(4e9, count) || (numbers.size() - at) / 2 < count) return std::nullopt;
    for (Index i = 0; i < count; ++i) {
      Index vertex = 0;
      if (!next(vertices, vertex) || !(numbers[at] >= 0 && numbers[at] <= 1)) return std::nullopt;
      sample.vertices.push_back(vertex);
      sample.reductions.push_back(static_cast<float>(numbers[at++]));
    }
    limits.samples_.push_back(std::move(sample));
  }
  return limits;
}

}  // namespace sinew::deform
