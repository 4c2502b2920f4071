// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/implicit_store.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/deform/byte_stream.h"

namespace sinew::deform {
namespace {

static_assert(sizeof(SurfaceSample) == 6 * sizeof(double) && sizeof(FieldGrid::Node) == 4 * sizeof(float),
              "without gaps");

constexpr int kMostNodes = 100000;  ///< Along one axis.

/// The members of a function and of a table, which their classes keep private.
struct StoredPart {
  Vec3 center = Vec3::Zero();
  double scale = 1;
  std::vector<Vec3> centers;
  std::vector<Vec4> coefficients;
  FieldGrid::Layout layout;
  std::vector<FieldGrid::Node> nodes;
};

template <class Stream, class Part, class Stored>
void pass_part(Stream& stream, Part& part, Stored& stored) {
  stream.number(part.joint), stream.number(part.parent), stream.list(part.samples), stream.number(part.end_samples);
  stream.number(part.radius);
  stream.number(stored.center), stream.number(stored.scale), stream.list(stored.centers);
  stream.list(stored.coefficients);
  stream.number(stored.layout.axes), stream.number(stored.layout.origin), stream.number(stored.layout.cell);
  stream.number(stored.layout.nodes), stream.list(stored.nodes);
}

template <class Stream, class Body>
void pass_joints(Stream& stream, Body& body) {
  stream.list(body.bind), stream.list(body.part_of_joint), stream.list(body.own), stream.list(body.merged);
}

bool sound_part(const ImplicitPart& part, const StoredPart& stored, std::size_t number, Index joints) {
  const auto finite = [](const auto& values) { return values.allFinite(); };
  if (part.joint >= joints || (part.parent != kNone && part.parent >= number)) return false;
  if (part.end_samples > part.samples.size() || !(part.radius > 0) || !std::isfinite(part.radius)) return false;
  for (const SurfaceSample& sample : part.samples)
    if (!sample.point.allFinite() || !sample.normal.allFinite()) return false;
  if (stored.centers.empty() || stored.centers.size() != stored.coefficients.size()) return false;
  if (!(stored.scale > 0) || !std::isfinite(stored.scale) || !stored.center.allFinite()) return false;
  if (!std::all_of(stored.centers.begin(), stored.centers.end(), finite)) return false;
  if (!std::all_of(stored.coefficients.begin(), stored.coefficients.end(), finite)) return false;
  if (!(stored.layout.cell > 0) || !stored.layout.axes.allFinite() || !stored.layout.origin.allFinite()) return false;
  for (const int count : stored.layout.nodes)
    if (count < 2 || count > kMostNodes) return false;
  return stored.nodes.size() == stored.layout.count() && std::all_of(stored.nodes.begin(), stored.nodes.end(), finite);
}

bool sound_joints(const ImplicitBody& body, Index joints) {
  const auto part = [&](Index p) { return p == kNone || p < body.parts.size(); };
  return body.bind.size() == joints && body.part_of_joint.size() == joints && body.own.size() == joints &&
         std::all_of(body.bind.begin(), body.bind.end(), [](const Mat4& frame) { return frame.allFinite(); }) &&
         std::all_of(body.part_of_joint.begin(), body.part_of_joint.end(), part) &&
         std::all_of(body.merged.begin(), body.merged.end(), [&](Index joint) { return joint < joints; });
}

}  // namespace

std::vector<std::byte> write_implicit_body(const ImplicitBody& body) {
  ByteWriter writer;
  writer.number(kImplicitBodyVersion);
  pass_joints(writer, body);
  writer.number(std::uint64_t{body.parts.size()});
  for (const ImplicitPart& part : body.parts) {
    const StoredPart stored{part.function.center(),       part.function.scale(), part.function.centers(),
                            part.function.coefficients(), part.grid.layout(),    part.grid.nodes()};
    pass_part(writer, part, stored);
  }
  return std::move(writer.bytes);
}

std::optional<ImplicitBody> read_implicit_body(std::span<const std::byte> bytes, Index joint_count) {
  ByteReader reader(bytes);
  std::uint32_t version = 0;
  std::uint64_t count = 0;
  reader.number(version);
  if (version != kImplicitBodyVersion) return std::nullopt;
  ImplicitBody body;
  pass_joints(reader, body);
  reader.number(count);
  for (std::uint64_t p = 0; p < count && reader.whole; ++p) {
    ImplicitPart part;
    StoredPart stored;
    pass_part(reader, part, stored);
    if (!reader.whole || !sound_part(part, stored, p, joint_count)) return std::nullopt;
    part.function = Hrbf(stored.center, stored.scale, std::move(stored.centers), std::move(stored.coefficients));
    part.grid = FieldGrid(stored.layout, static_cast<float>(part.radius), std::move(stored.nodes));
    body.parts.push_back(std::move(part));
  }
  if (!reader.at_end() || !sound_joints(body, joint_count)) return std::nullopt;
  return body;
}

}  // namespace sinew::deform
