// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "sinew/io/asset.h"

namespace sinew::test {

/// An IQM file: a triangle on two joints with one clip of two frames.
class IqmFixture {
 public:
  IqmFixture() : bytes_(124, std::byte{0}) {
    std::memcpy(bytes_.data(), "INTERQUAKEMODEL", 16);
    header(0, 2);
    const std::string names("\0root\0tip\0body\0cloth.png\0wave\0", 30);
    header(3, 30), header(4, place(names.data(), names.size()));
    header(8, 3);
    const std::uint32_t positions = floats({0, 0, 0, 1, 0, 0, 0, 1, 0}), uvs = floats({0, 0, 1, 0, 0, 0.25F});
    const std::uint32_t blend = place("\0\0\0\0\1\0\0\0\1\0\0\0", 12),
                        shares = place("\377\0\0\0\377\0\0\0\200\177\0\0", 12);
    header(7, 4);
    header(9, numbers({0, 0, 7, 3, positions, 1, 0, 7, 2, uvs, 4, 0, 1, 4, blend, 5, 0, 1, 4, shares}));
    header(5, 1), header(6, numbers({10, 15, 0, 3, 0, 1}));
    header(10, 1), header(11, numbers({0, 2, 1}));
    header(13, 2);
    const std::uint32_t joints = numbers({1, ~0U});
    floats({0, 0, 0, 0, 0, 0, 1, 1, 1, 1});
    numbers({6, 0});
    floats({0, 1, 0, 0, 0, 0, 1, 1, 1, 1});
    header(14, joints);
    header(15, 2);
    const std::uint32_t poses = numbers({~0U, 0});
    floats({0, 0, 0, 0, 0, 0, 1, 1, 1, 1}), floats(std::vector<float>(10, 0.0F));
    numbers({0, 2});
    floats({0, 1, 0, 0, 0, 0, 1, 1, 1, 1}), floats({0, 0.5F, 0, 0, 0, 0, 0, 0, 0, 0});
    header(16, poses);
    header(17, 1);
    const std::uint32_t clip = numbers({25, 0, 2});
    floats({10}), numbers({0});
    header(18, clip);
    header(19, 2), header(20, 1), header(21, place("\0\0\2\0", 4));
  }
  void header(std::size_t field, std::uint32_t value) { std::memcpy(bytes_.data() + 16 + 4 * field, &value, 4); }
  const io::Bytes& bytes() const { return bytes_; }

 private:
  std::uint32_t place(const void* data, std::size_t size) {
    const auto at = static_cast<std::uint32_t>(bytes_.size());
    bytes_.resize(at + size);
    std::memcpy(bytes_.data() + at, data, size);
    return at;
  }
  std::uint32_t floats(const std::vector<float>& values) { return place(values.data(), 4 * values.size()); }
  std::uint32_t numbers(const std::vector<std::uint32_t>& values) { return place(values.data(), 4 * values.size()); }
  io::Bytes bytes_;
};

}  // namespace sinew::test
