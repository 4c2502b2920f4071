// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// After the description of the format by Lee Salzman, http://sauerbraten.org/iqm/iqm.txt.

#include "sinew/io/iqm/iqm.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <cstring>

#include "sinew/io/assimp/build.h"

namespace sinew::io {
namespace {

using assimp::Scene;
using assimp::SceneBone;
using assimp::SceneChannel;
using assimp::SceneClip;
using assimp::SceneMesh;
using assimp::SceneNode;

constexpr std::string_view kIqmMagic("INTERQUAKEMODEL\0", 16);
constexpr std::size_t kIqmHeaderBytes = 124;

// Numbers of the header that are of use here, by their place after the magic.
enum IqmHeader {
  kIqmVersion = 0,
  kIqmTextCount = 3,
  kIqmTextAt = 4,
  kIqmMeshCount = 5,
  kIqmMeshesAt = 6,
  kIqmArrayCount = 7,
  kIqmVertexCount = 8,
  kIqmArraysAt = 9,
  kIqmTriangleCount = 10,
  kIqmTrianglesAt = 11,
  kIqmJointCount = 13,
  kIqmJointsAt = 14,
  kIqmPoseCount = 15,
  kIqmPosesAt = 16,
  kIqmAnimationCount = 17,
  kIqmAnimationsAt = 18,
  kIqmFrameCount = 19,
  kIqmFrameChannels = 20,
  kIqmFramesAt = 21
};

enum IqmArray {
  kIqmPosition = 0,
  kIqmTexcoord = 1,
  kIqmNormal = 2,
  kIqmBlendIndices = 4,
  kIqmBlendWeights = 5,
  kIqmColor = 6
};
enum IqmType {
  kIqmSignedByte,
  kIqmByte,
  kIqmShort,
  kIqmUnsignedShort,
  kIqmInt,
  kIqmUnsignedInt,
  kIqmHalf,
  kIqmFloat,
  kIqmDouble
};

constexpr std::array<std::size_t, 9> kIqmTypeBytes = {1, 1, 2, 2, 4, 4, 2, 4, 8};

// Bytes at places, checked.
class IqmFile {
 public:
  explicit IqmFile(const Bytes& bytes) : bytes_(bytes) {}

  std::span<const std::byte> at(std::uint64_t offset, std::uint64_t count, std::uint64_t size, const char* what) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / size)
      throw Error(fmt::format("Its {} extend beyond the end of the file.", what));
    return {bytes_.data() + offset, static_cast<std::size_t>(count * size)};
  }
  std::uint32_t header(IqmHeader field) const { return number(bytes_, kIqmMagic.size() + 4 * std::size_t{field}); }
  std::string text(std::uint32_t offset) const {
    const std::span<const std::byte> all = at(header(kIqmTextAt), header(kIqmTextCount), 1, "names");
    if (offset >= all.size()) return "";
    const std::string_view rest = as_text(all.subspan(offset));
    return std::string(rest.substr(0, rest.find('\0')));
  }

  static std::uint32_t number(std::span<const std::byte> bytes, std::size_t offset) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }
  static float real(std::span<const std::byte> bytes, std::size_t offset) {
    float value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }

 private:
  const Bytes& bytes_;
};

template <class T>
float read_iqm_as(const std::byte* from, double divisor) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<float>(static_cast<double>(value) / divisor);
}

// Whole numbers stand for shares of 1 in all arrays but the joints' numbers.
float read_iqm_component(const std::byte* from, std::uint32_t type, bool shares) {
  switch (type) {
    case kIqmSignedByte:
      return read_iqm_as<std::int8_t>(from, shares ? 127 : 1);
    case kIqmByte:
      return read_iqm_as<std::uint8_t>(from, shares ? 255 : 1);
    case kIqmShort:
      return read_iqm_as<std::int16_t>(from, shares ? 32767 : 1);
    case kIqmUnsignedShort:
      return read_iqm_as<std::uint16_t>(from, shares ? 65535 : 1);
    case kIqmInt:
      return read_iqm_as<std::int32_t>(from, 1);
    case kIqmUnsignedInt:
      return read_iqm_as<std::uint32_t>(from, 1);
    case kIqmFloat:
      return read_iqm_as<float>(from, 1);
    default:
      return read_iqm_as<double>(from, 1);
  }
}

// One property of all vertices: `width` numbers each; missing ones are 0.
struct IqmVertices {
  std::size_t width = 0;
  std::vector<float> values;
  bool there() const { return width > 0; }
  float get(std::size_t vertex, std::size_t k) const { return k < width ? values[vertex * width + k] : 0.0F; }
};

class IqmReader {
 public:
  explicit IqmReader(const Bytes& bytes) : file_(bytes) {}

  Scene read() {
    read_joints();
    read_meshes();
    read_clips();
    return std::move(scene_);
  }

 private:
  IqmVertices find_array(IqmArray wanted) const;
  void read_joints();
  void read_meshes();
  void read_bones(std::size_t first, std::size_t count, SceneMesh& mesh) const;
  void read_clips();
  std::vector<float> read_frames() const;

  IqmFile file_;
  Scene scene_;
  std::vector<Mat4> bind_;  // Inverse, per joint.
  IqmVertices positions_, uvs_, normals_, indices_, weights_, colors_;
};

IqmVertices IqmReader::find_array(IqmArray wanted) const {
  IqmVertices array;
  const std::size_t count = file_.header(kIqmVertexCount);
  const auto list = file_.at(file_.header(kIqmArraysAt), file_.header(kIqmArrayCount), 20, "vertex arrays");
  for (std::size_t a = 0; a < list.size(); a += 20) {
    const std::uint32_t type = IqmFile::number(list, a + 8), width = IqmFile::number(list, a + 12);
    if (IqmFile::number(list, a) != wanted || type == kIqmHalf) continue;
    if (type > kIqmDouble || width == 0 || width > 16) throw Error("One of its vertex arrays has an unknown type.");
    const std::size_t size = kIqmTypeBytes[type];
    const auto bytes = file_.at(IqmFile::number(list, a + 16), count, width * size, "vertices");
    array.width = width;
    array.values.reserve(count * width);
    for (std::size_t i = 0; i < count * width; ++i)
      array.values.push_back(read_iqm_component(bytes.data() + i * size, type, wanted != kIqmBlendIndices));
    return array;
  }
  return array;
}

void IqmReader::read_joints() {
  scene_.nodes.emplace_back().name = "root";
  const auto list = file_.at(file_.header(kIqmJointsAt), file_.header(kIqmJointCount), 48, "joints");
  std::vector<Mat4> world;
  for (std::size_t j = 0; j < list.size() / 48; ++j) {
    const std::size_t at = 48 * j;
    const auto real = [&](std::size_t k) { return static_cast<double>(IqmFile::real(list, at + 8 + 4 * k)); };
    const auto parent = static_cast<std::int32_t>(IqmFile::number(list, at + 4));
    if (parent >= static_cast<std::int64_t>(j))
      throw Error(fmt::format("Joint {} comes before its parent, which IQM does not allow.", j));
    Transform t;
    t.translation = {real(0), real(1), real(2)};
    const Quat q(real(6), real(3), real(4), real(5));
    if (q.norm() > 1e-12) t.rotation = q.normalized();
    t.scale = {real(7), real(8), real(9)};
    SceneNode& node = scene_.nodes.emplace_back();
    node.name = file_.text(IqmFile::number(list, at));
    node.parent = parent < 0 ? 0 : static_cast<Index>(parent) + 1;
    node.local = t.matrix();
    if (!node.local.allFinite()) throw Error(fmt::format("The transform of joint {} is not finite.", j));
    world.push_back(parent < 0 ? node.local : Mat4(world[static_cast<std::size_t>(parent)] * node.local));
    const Mat4 inverse = world.back().inverse();
    bind_.push_back(inverse.allFinite() ? inverse : Mat4(Mat4::Identity()));
    bind_.back().row(3) << 0, 0, 0, 1;
  }
}

void IqmReader::read_bones(std::size_t first, std::size_t count, SceneMesh& mesh) const {
  if (!indices_.there() || !weights_.there() || bind_.empty()) return;
  std::vector<SceneBone> bones(bind_.size());
  for (std::size_t v = 0; v < count; ++v)
    for (std::size_t k = 0; k < std::min(indices_.width, weights_.width); ++k) {
      const float joint = indices_.get(first + v, k), weight = weights_.get(first + v, k);
      if (!(weight != 0) || !(joint >= 0) || joint >= static_cast<float>(bones.size())) continue;
      SceneBone& bone = bones[static_cast<std::size_t>(joint)];
      bone.vertices.push_back(static_cast<Index>(v));
      bone.weights.push_back(weight);
    }
  for (std::size_t j = 0; j < bones.size(); ++j) {
    bones[j].node = static_cast<Index>(j + 1);
    bones[j].offset = bind_[j];
  }
  mesh.bones = std::move(bones);
}

void IqmReader::read_meshes() {
  positions_ = find_array(kIqmPosition);
  uvs_ = find_array(kIqmTexcoord);
  normals_ = find_array(kIqmNormal);
  indices_ = find_array(kIqmBlendIndices);
  weights_ = find_array(kIqmBlendWeights);
  colors_ = find_array(kIqmColor);
  const auto meshes = file_.at(file_.header(kIqmMeshesAt), file_.header(kIqmMeshCount), 24, "meshes");
  const auto triangles = file_.at(file_.header(kIqmTrianglesAt), file_.header(kIqmTriangleCount), 12, "triangles");
  const std::uint64_t vertex_count = file_.header(kIqmVertexCount), triangle_count = file_.header(kIqmTriangleCount);
  if (!meshes.empty() && positions_.width < 3) throw Error("Its meshes have no positions.");
  std::uint64_t covered = 0;
  for (std::size_t at = 0; at < meshes.size(); at += 24) {
    const std::uint32_t first = IqmFile::number(meshes, at + 8), count = IqmFile::number(meshes, at + 12),
                        first_face = IqmFile::number(meshes, at + 16), faces = IqmFile::number(meshes, at + 20);
    if (first > vertex_count || count > vertex_count - first || first_face > triangle_count ||
        faces > triangle_count - first_face)
      throw Error(fmt::format("Its mesh {} refers to vertices or triangles that do not exist.", at / 24));
    // Meshes share nothing in this format; a file in which they do could ask for any amount of memory.
    covered += count + faces;
    if (covered > vertex_count + triangle_count) throw Error("Its meshes overlap, which IQM does not allow.");
    SceneMesh& mesh = scene_.meshes.emplace_back();
    mesh.name = file_.text(IqmFile::number(meshes, at));
    for (std::size_t v = first; v < std::size_t{first} + count; ++v) {
      mesh.positions.emplace_back(positions_.get(v, 0), positions_.get(v, 1), positions_.get(v, 2));
      if (normals_.there()) mesh.normals.emplace_back(normals_.get(v, 0), normals_.get(v, 1), normals_.get(v, 2));
      if (uvs_.there()) mesh.uvs.emplace_back(uvs_.get(v, 0), 1 - uvs_.get(v, 1));
      if (colors_.width >= 3)
        mesh.colors.emplace_back(colors_.get(v, 0), colors_.get(v, 1), colors_.get(v, 2),
                                 colors_.width > 3 ? colors_.get(v, 3) : 1.0F);
    }
    mesh.face_offsets.push_back(0);
    for (std::size_t t = first_face; t < std::size_t{first_face} + faces; ++t) {
      // IQM's front faces turn clockwise.
      for (const std::size_t corner : {0U, 2U, 1U}) {
        const std::uint32_t vertex = IqmFile::number(triangles, 12 * t + 4 * corner);
        if (vertex < first || vertex - first >= count)
          throw Error(fmt::format("Triangle {} uses a vertex that its mesh does not have.", t));
        mesh.face_vertices.push_back(vertex - first);
      }
      mesh.face_offsets.push_back(static_cast<Index>(mesh.face_vertices.size()));
    }
    read_bones(first, count, mesh);
    const std::string material = file_.text(IqmFile::number(meshes, at + 4));
    if (!material.empty()) {
      mesh.material = static_cast<Index>(scene_.materials.size());
      assimp::SceneMaterial& look = scene_.materials.emplace_back();
      look.name = material;
      // By custom the name of the material is the file of its texture.
      if (material.find('.') != std::string::npos) look.base_color.path = material;
    }
    SceneNode& node = scene_.nodes.emplace_back();
    node.name = mesh.name;
    node.parent = 0;
    node.meshes.push_back(static_cast<Index>(scene_.meshes.size() - 1));
  }
}

// All frames as ten numbers per joint: translation, rotation, scale.
std::vector<float> IqmReader::read_frames() const {
  const auto poses = file_.at(file_.header(kIqmPosesAt), file_.header(kIqmPoseCount), 88, "poses");
  const std::size_t joints = poses.size() / 88, frames = file_.header(kIqmFrameCount);
  const auto data =
      file_.at(file_.header(kIqmFramesAt), frames, 2 * std::uint64_t{file_.header(kIqmFrameChannels)}, "frames");
  std::size_t channels = 0;
  for (std::size_t j = 0; j < joints; ++j)
    for (std::uint32_t c = 0; c < 10; ++c) channels += (IqmFile::number(poses, 88 * j + 4) >> c) & 1U;
  if (channels != file_.header(kIqmFrameChannels))
    throw Error("The channels of its frames do not match those of its poses.");
  std::vector<float> values;
  values.reserve(frames * joints * 10);
  std::size_t at = 0;
  for (std::size_t f = 0; f < frames; ++f)
    for (std::size_t j = 0; j < joints; ++j) {
      const std::uint32_t mask = IqmFile::number(poses, 88 * j + 4);
      for (std::size_t c = 0; c < 10; ++c) {
        float value = IqmFile::real(poses, 88 * j + 8 + 4 * c);
        if ((mask >> c) & 1U) {
          value += read_iqm_as<std::uint16_t>(data.data() + at, 1) * IqmFile::real(poses, 88 * j + 48 + 4 * c);
          at += 2;
        }
        values.push_back(value);
      }
    }
  return values;
}

void IqmReader::read_clips() {
  const auto list = file_.at(file_.header(kIqmAnimationsAt), file_.header(kIqmAnimationCount), 20, "animations");
  if (list.empty()) return;
  const std::size_t joints = file_.header(kIqmPoseCount);
  if (joints != bind_.size()) throw Error("It has a different number of poses than joints.");
  if (joints == 0 || file_.header(kIqmFrameChannels) == 0) return;
  const std::vector<float> values = read_frames();
  const std::uint64_t all = file_.header(kIqmFrameCount);
  std::uint64_t covered = 0;
  for (std::size_t at = 0; at < list.size(); at += 20) {
    const std::uint32_t first = IqmFile::number(list, at + 4), count = IqmFile::number(list, at + 8);
    if (first > all || count > all - first) throw Error("One of its animations refers to frames that do not exist.");
    covered += count;
    if (covered > 16 * all) throw Error("Its animations share frames more often than those of any real file.");
    SceneClip& clip = scene_.clips.emplace_back();
    clip.name = file_.text(IqmFile::number(list, at));
    clip.ticks_per_second = static_cast<double>(IqmFile::real(list, at + 12));
    for (std::size_t j = 0; j < joints; ++j) {
      SceneChannel& channel = clip.channels.emplace_back();
      channel.node = static_cast<Index>(j + 1);
      for (std::size_t f = 0; f < count; ++f) {
        const float* frame = values.data() + ((first + f) * joints + j) * 10;
        for (assimp::SceneKeys* keys : {&channel.translation, &channel.rotation, &channel.scale})
          keys->times.push_back(static_cast<double>(f));
        channel.translation.values.insert(channel.translation.values.end(), frame, frame + 3);
        channel.rotation.values.insert(channel.rotation.values.end(), frame + 3, frame + 7);
        channel.scale.values.insert(channel.scale.values.end(), frame + 7, frame + 10);
      }
    }
  }
}

}  // namespace

Asset read_iqm(const std::filesystem::path& path, Bytes bytes, const Progress& progress) {
  if (bytes.size() < kIqmHeaderBytes || !as_text(bytes).starts_with(kIqmMagic))
    throw Error("It is not an Inter-Quake Model.");
  if (const std::uint32_t version = IqmFile(bytes).header(kIqmVersion); version != 2)
    throw Error(fmt::format("It is an IQM file of version {}; only version 2 can be read.", version));
  Scene scene = IqmReader(bytes).read();
  check_scene(scene);
  progress.step("scene");
  return assimp::build_asset(std::move(scene), path, progress);
}

}  // namespace sinew::io
