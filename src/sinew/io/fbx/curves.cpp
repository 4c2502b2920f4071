// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/fbx/curves.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sinew::io::fbx {
namespace {

// Bits of a key's flags.
constexpr std::uint32_t kConstant = 0x2, kStraight = 0x4, kCubicBit = 0x8;
constexpr std::uint32_t kAuto = 0x100;  // Of a constant key: it has the next value at once.
constexpr std::uint32_t kUser = 0x400, kClamp = 0x1000, kClampProgressive = 0x4000;
constexpr std::uint32_t kRightWeighted = 0x01000000, kNextLeftWeighted = 0x02000000;
constexpr double kWeightUnit = 9999;  // Tangent lengths are stored as whole numbers of this share.

// How all keys of a run leave and arrive, as the file has it.
struct Attribute {
  std::uint32_t flags = kStraight;
  double slope = 0, next_slope = 0;
  std::uint32_t lengths = 0;  // Two numbers of 16 bits.
};

std::vector<Attribute> read_attributes(const Record& record, std::size_t count, Arrays& arrays) {
  const std::vector<std::int64_t> flags = arrays.integers(record.child_value("KeyAttrFlags"));
  const std::vector<std::int64_t> runs = arrays.integers(record.child_value("KeyAttrRefCount"));
  // The third number of four is two whole numbers in the bits of a float.
  const std::vector<double> data = arrays.reals(record.child_value("KeyAttrDataFloat"));
  std::vector<Attribute> result;
  for (std::size_t a = 0; a < flags.size() && result.size() < count; ++a) {
    Attribute attribute;
    attribute.flags = static_cast<std::uint32_t>(flags[a]);
    if (data.size() >= 4 * a + 4) {
      attribute.slope = data[4 * a];
      attribute.next_slope = data[4 * a + 1];
      attribute.lengths = std::bit_cast<std::uint32_t>(static_cast<float>(data[4 * a + 2]));
    }
    const std::int64_t run = a < runs.size() ? runs[a] : 1;
    for (std::int64_t i = 0; i < run && result.size() < count; ++i) result.push_back(attribute);
  }
  result.resize(count, result.empty() ? Attribute{} : result.back());
  return result;
}

// The slope of a key whose tangent the program chose: towards its neighbours, flat at the ends and, if clamped, at
// extremes and where it would overshoot.
double automatic_slope(const std::vector<Curve::Key>& keys, std::size_t k, std::uint32_t flags) {
  if (k == 0 || k + 1 >= keys.size()) return 0;
  const Curve::Key &before = keys[k - 1], &here = keys[k], &after = keys[k + 1];
  double slope = (after.value - before.value) / (after.time_s - before.time_s);
  if ((flags & (kClamp | kClampProgressive)) == 0) return slope;
  const double in = here.value - before.value, out = after.value - here.value;
  if (in * out <= 0) return 0;
  const double limit = 3 * std::min(std::abs(in) / (here.time_s - before.time_s),  // No handle passes its neighbour.
                                    std::abs(out) / (after.time_s - here.time_s));
  return std::clamp(slope, -limit, limit);
}

double tangent_length(std::uint32_t stored, bool weighted) {
  return weighted ? std::clamp(stored / kWeightUnit, 1e-4, 0.9999) : Curve::kUsualLength;
}

void set_segments(const std::vector<Attribute>& attributes, std::vector<Curve::Key>& keys) {
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const Attribute& attribute = attributes[k];
    Curve::Key& key = keys[k];
    if ((attribute.flags & kCubicBit) != 0) key.kind = Curve::Kind::kCubic;
    else if ((attribute.flags & kStraight) != 0) key.kind = Curve::Kind::kLinear;
    else if ((attribute.flags & kConstant) != 0)
      key.kind = (attribute.flags & kAuto) != 0 ? Curve::Kind::kStepNext : Curve::Kind::kStep;
    if (key.kind != Curve::Kind::kCubic || k + 1 == keys.size()) continue;
    const bool chosen = (attribute.flags & kUser) != 0;
    key.slope = chosen ? attribute.slope : automatic_slope(keys, k, attribute.flags);
    // The arriving slope is stored with the key before; it is the next key's own choice unless that is a user's.
    const std::uint32_t next = attributes[k + 1].flags;
    const bool next_automatic = (next & kCubicBit) != 0 && (next & kUser) == 0;
    key.next_slope = next_automatic ? automatic_slope(keys, k + 1, next) : attribute.next_slope;
    key.length = tangent_length(attribute.lengths & 0xFFFFU, (attribute.flags & kRightWeighted) != 0);
    key.next_length = tangent_length(attribute.lengths >> 16U, (attribute.flags & kNextLeftWeighted) != 0);
    if (!std::isfinite(key.slope) || !std::isfinite(key.next_slope)) key.kind = Curve::Kind::kLinear;
  }
}

double bezier(double a, double b, double c, double d, double u) {
  const double v = 1 - u;
  return v * v * v * a + 3 * v * v * u * b + 3 * v * u * u * c + u * u * u * d;
}

double cubic_value(const Curve::Key& key, const Curve::Key& next, double share) {
  const double span = next.time_s - key.time_s;
  const double x1 = key.length, x2 = 1 - key.next_length;
  double u = share;
  if (x1 != Curve::kUsualLength || key.next_length != Curve::kUsualLength) {
    // Time grows with the parameter because no handle is longer than the segment.
    double low = 0, high = 1;
    for (int i = 0; i < 50; ++i) {
      u = 0.5 * (low + high);
      (bezier(0, x1, x2, 1, u) < share ? low : high) = u;
    }
  }
  return bezier(key.value, key.value + key.slope * key.length * span,
                next.value - key.next_slope * key.next_length * span, next.value, u);
}

}  // namespace

double Curve::at(double time_s) const {
  if (keys_.empty()) return 0;
  const auto after =
      std::upper_bound(keys_.begin(), keys_.end(), time_s, [](double t, const Key& key) { return t < key.time_s; });
  if (after == keys_.begin()) return keys_.front().value;
  if (after == keys_.end()) return keys_.back().value;
  const Key &key = *(after - 1), &next = *after;
  const double share = (time_s - key.time_s) / (next.time_s - key.time_s);
  switch (key.kind) {
    case Kind::kStep:
      return key.value;
    case Kind::kStepNext:
      return share > 0 ? next.value : key.value;
    case Kind::kLinear:
      return key.value + share * (next.value - key.value);
    case Kind::kCubic:
      break;
  }
  return cubic_value(key, next, share);
}

Curve read_curve(const Record& record, Arrays& arrays, std::uint64_t& dropped) {
  const std::vector<std::int64_t> times = arrays.integers(record.child_value("KeyTime"));
  const std::vector<double> values = arrays.reals(record.child_value("KeyValueFloat"));
  const std::size_t count = std::min(times.size(), values.size());
  const std::vector<Attribute> attributes = read_attributes(record, count, arrays);
  std::vector<Curve::Key> keys;
  std::vector<Attribute> kept;
  for (std::size_t k = 0; k < count; ++k) {
    const double time = static_cast<double>(times[k]) / kTicksPerSecond;
    if (!std::isfinite(values[k]) || (!keys.empty() && !(time > keys.back().time_s))) {
      ++dropped;
      continue;
    }
    keys.emplace_back().time_s = time;
    keys.back().value = values[k];
    kept.push_back(attributes[k]);
  }
  dropped += std::max(times.size(), values.size()) - count;
  set_segments(kept, keys);
  return Curve(std::move(keys));
}

}  // namespace sinew::io::fbx
