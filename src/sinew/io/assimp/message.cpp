// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "sinew/core/error.h"
#include "sinew/io/assimp/scene.h"

namespace sinew::io::assimp {
namespace {

// One list of fields serves both ways: `Archive` writes or fills them.
template <class A>
void fields(A& a, SceneNode& n) {
  a(n.name), a(n.parent), a(n.local), a(n.meshes);
}
template <class A>
void fields(A& a, SceneBone& b) {
  a(b.node), a(b.offset), a(b.vertices), a(b.weights);
}
template <class A>
void fields(A& a, SceneMorph& m) {
  a(m.name), a(m.weight), a(m.positions);
}
template <class A>
void fields(A& a, SceneMesh& m) {
  a(m.name), a(m.material), a(m.positions), a(m.normals), a(m.uvs), a(m.colors), a(m.face_offsets);
  a(m.face_vertices), a(m.bones), a(m.morphs), a(m.relative_morphs);
}
template <class A>
void fields(A& a, SceneTextureUse& t) {
  a(t.path), a(t.embedded);
}
template <class A>
void fields(A& a, SceneMaterial& m) {
  a(m.name), a(m.diffuse), a(m.emissive), a(m.opacity), a(m.shininess), a(m.roughness), a(m.metallic);
  a(m.two_sided), a(m.base_color), a(m.normal), a(m.emission), a(m.alpha);
}
template <class A>
void fields(A& a, SceneTexture& t) {
  a(t.name), a(t.bytes);
}
template <class A>
void fields(A& a, SceneKeys& k) {
  a(k.times), a(k.values);
}
template <class A>
void fields(A& a, SceneChannel& c) {
  a(c.node), a(c.translation), a(c.rotation), a(c.scale);
}
template <class A>
void fields(A& a, SceneMorphChannel& c) {
  a(c.target), a(c.weights);
}
template <class A>
void fields(A& a, SceneClip& c) {
  a(c.name), a(c.ticks_per_second), a(c.channels), a(c.morphs);
}
template <class A>
void fields(A& a, SceneFacts& f) {
  a(f.generator), a(f.format_version), a(f.unit_scale), a(f.up), a(f.up_sign), a(f.front), a(f.front_sign);
  a(f.right), a(f.right_sign), a(f.cameras), a(f.lights);
}
template <class A>
void fields(A& a, Scene& s) {
  a(s.facts), a(s.nodes), a(s.meshes), a(s.materials), a(s.textures), a(s.clips);
}

// Values whose bytes are their meaning.
template <class T>
constexpr bool kPlain = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Vec2f> ||
                        std::is_same_v<T, Vec3f> || std::is_same_v<T, Vec4f> || std::is_same_v<T, Mat4>;

class Writer {
 public:
  template <class T>
  void operator()(T& value) {
    if constexpr (kPlain<T>) raw(&value, sizeof value);
    else fields(*this, value);
  }
  void operator()(std::string& text) { bulk(text.data(), text.size(), 1); }
  template <class T>
  void operator()(std::vector<T>& list) {
    if constexpr (kPlain<T>) {
      bulk(list.data(), list.size(), sizeof(T));
    } else {
      bulk(nullptr, list.size(), 0);
      for (T& element : list) fields(*this, element);
    }
  }
  Bytes take() { return std::move(out_); }

 private:
  void raw(const void* data, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    out_.insert(out_.end(), begin, begin + size);
  }
  void bulk(const void* data, std::uint64_t count, std::size_t size) {
    raw(&count, sizeof count);
    if (count * size > 0) raw(data, count * size);
  }
  Bytes out_;
};

[[noreturn]] void broken() {
  throw Error("The process that reads this format returned inconsistent data. The file may be damaged.");
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      raw(&byte, 1);
      value = byte != 0;
    } else if constexpr (kPlain<T>) {
      raw(&value, sizeof value);
    } else {
      fields(*this, value);
    }
  }
  void operator()(std::string& text) {
    text.resize(count(1));
    raw(text.data(), text.size());
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    if constexpr (kPlain<T>) {
      list.resize(count(sizeof(T)));
      raw(list.data(), list.size() * sizeof(T));
    } else {
      // Grown one by one: a count that lies runs out of bytes before it runs out of memory.
      const std::size_t size = count(1);
      for (std::size_t i = 0; i < size; ++i) fields(*this, list.emplace_back());
    }
  }
  bool at_end() const { return rest_.empty(); }

 private:
  void raw(void* target, std::size_t size) {
    if (size > rest_.size()) broken();
    if (size > 0) std::memcpy(target, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }
  std::size_t count(std::size_t element_bytes) {
    std::uint64_t value = 0;
    raw(&value, sizeof value);
    if (value > rest_.size() / element_bytes || value >= kNone) broken();
    return static_cast<std::size_t>(value);
  }
  std::span<const std::byte> rest_;
};

void require(bool holds) {
  if (!holds) broken();
}

void check_mesh(const SceneMesh& mesh, const Scene& scene) {
  const std::size_t vertices = mesh.positions.size();
  const auto fits = [&](std::size_t size) { return size == 0 || size == vertices; };
  const auto layer_fits = [&](std::size_t size, const std::vector<Index>& corners) {
    if (corners.empty()) return fits(size);
    return corners.size() == mesh.face_vertices.size() &&
           std::all_of(corners.begin(), corners.end(), [&](Index at) { return at == kNone || at < size; });
  };
  require(mesh.material == kNone || mesh.material < scene.materials.size());
  require(layer_fits(mesh.normals.size(), mesh.normal_corners) && layer_fits(mesh.uvs.size(), mesh.uv_corners));
  require(layer_fits(mesh.colors.size(), mesh.color_corners));
  require(!mesh.face_offsets.empty() && mesh.face_offsets.front() == 0 &&
          mesh.face_offsets.back() == mesh.face_vertices.size());
  require(mesh.face_materials.empty() || mesh.face_materials.size() + 1 == mesh.face_offsets.size());
  for (const Index material : mesh.face_materials) require(material == kNone || material < scene.materials.size());
  for (std::size_t f = 1; f < mesh.face_offsets.size(); ++f) require(mesh.face_offsets[f - 1] <= mesh.face_offsets[f]);
  for (const Index vertex : mesh.face_vertices) require(vertex < vertices);
  for (const SceneBone& bone : mesh.bones) {
    if (!bone.offset.allFinite()) throw Error("The bind matrix of one of its bones is not finite.");
    require(bone.node < scene.nodes.size() && bone.vertices.size() == bone.weights.size());
    require(bone.offset.row(3) == Eigen::RowVector4d(0, 0, 0, 1));
    for (const Index vertex : bone.vertices) require(vertex < vertices);
  }
  for (const SceneMorph& morph : mesh.morphs) require(fits(morph.positions.size()));
}

void check_keys(const SceneKeys& keys, std::size_t width) { require(keys.values.size() == width * keys.times.size()); }

}  // namespace

void check_scene(const Scene& scene) {
  require(!scene.nodes.empty());
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    const SceneNode& node = scene.nodes[n];
    require(n == 0 ? node.parent == kNone : node.parent < n);
    if (!node.local.allFinite()) throw Error("The transform of one of its nodes is not finite.");
    require(node.local.row(3) == Eigen::RowVector4d(0, 0, 0, 1));
    for (const Index mesh : node.meshes) require(mesh < scene.meshes.size());
  }
  for (const SceneMesh& mesh : scene.meshes) check_mesh(mesh, scene);
  for (const SceneMaterial& material : scene.materials)
    for (const SceneTextureUse* use : {&material.base_color, &material.normal, &material.emission, &material.alpha})
      require(use->embedded == kNone || use->embedded < scene.textures.size());
  for (const SceneClip& clip : scene.clips) {
    for (const SceneChannel& channel : clip.channels) {
      require(channel.node < scene.nodes.size());
      check_keys(channel.translation, 3);
      check_keys(channel.rotation, 4);
      check_keys(channel.scale, 3);
    }
    for (const SceneMorphChannel& channel : clip.morphs) {
      const std::size_t keys = channel.weights.times.size();
      require(keys == 0 ? channel.weights.values.empty() : channel.weights.values.size() % keys == 0);
    }
  }
}

Bytes encode(const Scene& scene) {
  Writer writer;
  // The writer only reads; `fields` takes a reference that the reader can fill.
  fields(writer, const_cast<Scene&>(scene));
  return writer.take();
}

Scene decode(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Scene scene;
  fields(reader, scene);
  require(reader.at_end());
  check_scene(scene);
  return scene;
}

}  // namespace sinew::io::assimp
