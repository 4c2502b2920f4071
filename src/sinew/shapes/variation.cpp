// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/variation.h"

#include <cmath>

namespace sinew::shapes {
namespace {

/// Mixes the bits of a number so that near ones end far apart.
std::uint64_t scattered(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

std::uint64_t hashed(std::uint64_t seed, std::string_view name) {
  std::uint64_t h = scattered(seed + 0x9e3779b97f4a7c15ULL);
  for (const char c : name) h = scattered(h ^ static_cast<unsigned char>(c));
  return h;
}

}  // namespace

double Variation::uniform(std::string_view name) const { return unit(hashed(seed_, name)); }

double Variation::value(std::string_view name) const {
  const std::uint64_t h = hashed(seed_, name);
  return (unit(scattered(h + 1)) + unit(scattered(h + 2)) + unit(scattered(h + 3))) * (2.0 / 3) - 1;
}

double Variation::factor(std::string_view name, double spread) const {
  return std::exp(amount_ * std::log(spread) * value(name));
}

}  // namespace sinew::shapes
