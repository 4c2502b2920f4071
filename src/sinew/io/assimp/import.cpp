// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// The only file that knows Assimp. It runs in the worker.

#include <assimp/DefaultIOSystem.h>
#include <assimp/MemoryIOWrapper.h>
#include <assimp/commonMetaData.h>
#include <assimp/config.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <assimp/Importer.hpp>
#include <map>
#include <new>

#include "sinew/core/error.h"
#include "sinew/io/assimp/build.h"
#include "sinew/io/assimp/collada_text.h"
#include "sinew/io/reach.h"

namespace sinew::io::assimp {
namespace {

namespace fs = std::filesystem;

// Serves the file from memory, and other files only where they lie beside it or below.
class ModelFiles : public Assimp::DefaultIOSystem {
 public:
  ModelFiles(const fs::path& path, const Bytes& bytes)
      : name_(path.string()), folder_(fs::absolute(path).lexically_normal().parent_path()), bytes_(bytes) {}

  bool Exists(const char* name) const override { return name_ == name || may_open(name); }
  Assimp::IOStream* Open(const char* name, const char* mode) override {
    if (name_ == name)
      return new Assimp::MemoryIOStream(reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size());
    return may_open(name) ? DefaultIOSystem::Open(name, mode) : nullptr;
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

 private:
  bool may_open(const char* name) const { return may_read_for(folder_, name); }
  std::string name_;
  fs::path folder_;
  const Bytes& bytes_;
};

Mat4 to_matrix(const aiMatrix4x4& m) {
  Mat4 result;
  result << m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2, m.c3, m.c4, 0, 0, 0, 1;
  return result;
}

Vec3f to_vec(const aiVector3D& v) { return {v.x, v.y, v.z}; }
std::string to_text(const aiString& s) { return {s.data, std::min<std::size_t>(s.length, sizeof s.data)}; }

struct NodeTable {
  std::map<const aiNode*, Index> index;
  std::map<std::string, Index> by_name;  // The first of each name, as Assimp finds them.

  Index find(const std::string& name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? kNone : found->second;
  }
};

// Depth first, children in order.
NodeTable import_nodes(const aiScene& source, Scene& scene) {
  NodeTable table;
  std::vector<std::pair<const aiNode*, Index>> stack = {{source.mRootNode, kNone}};
  while (!stack.empty()) {
    const auto [from, parent] = stack.back();
    stack.pop_back();
    const auto number = static_cast<Index>(scene.nodes.size());
    SceneNode& node = scene.nodes.emplace_back();
    node.name = to_text(from->mName);
    node.parent = parent;
    node.local = to_matrix(from->mTransformation);
    node.meshes.assign(from->mMeshes, from->mMeshes + from->mNumMeshes);
    table.index.emplace(from, number);
    table.by_name.emplace(node.name, number);
    for (unsigned c = from->mNumChildren; c-- > 0;) stack.emplace_back(from->mChildren[c], number);
  }
  return table;
}

SceneBone import_bone(const aiBone& from, const NodeTable& nodes) {
  SceneBone bone;
  bone.node = nodes.find(to_text(from.mName));
  bone.offset = to_matrix(from.mOffsetMatrix);
  for (unsigned w = 0; w < from.mNumWeights; ++w) {
    bone.vertices.push_back(from.mWeights[w].mVertexId);
    bone.weights.push_back(from.mWeights[w].mWeight);
  }
  return bone;
}

SceneMesh import_mesh(const aiMesh& from, const NodeTable& nodes, bool collada) {
  SceneMesh mesh;
  mesh.name = to_text(from.mName);
  mesh.material = from.mMaterialIndex;
  const std::size_t count = from.HasPositions() ? from.mNumVertices : 0;
  for (std::size_t i = 0; i < count; ++i) {
    mesh.positions.push_back(to_vec(from.mVertices[i]));
    if (from.HasNormals()) mesh.normals.push_back(to_vec(from.mNormals[i]));
    if (from.HasTextureCoords(0)) mesh.uvs.emplace_back(from.mTextureCoords[0][i].x, from.mTextureCoords[0][i].y);
    if (from.HasVertexColors(0)) {
      const aiColor4D& c = from.mColors[0][i];
      mesh.colors.emplace_back(c.r, c.g, c.b, c.a);
    }
  }
  mesh.face_offsets.push_back(0);
  for (unsigned f = 0; f < from.mNumFaces; ++f) {
    const aiFace& face = from.mFaces[f];
    mesh.face_vertices.insert(mesh.face_vertices.end(), face.mIndices, face.mIndices + face.mNumIndices);
    mesh.face_offsets.push_back(static_cast<Index>(mesh.face_vertices.size()));
  }
  for (unsigned b = 0; b < from.mNumBones; ++b) {
    SceneBone bone = import_bone(*from.mBones[b], nodes);
    if (bone.node != kNone) mesh.bones.push_back(std::move(bone));
  }
  mesh.relative_morphs = collada && from.mMethod == aiMorphingMethod_MORPH_RELATIVE;
  for (unsigned m = 0; m < from.mNumAnimMeshes; ++m) {
    const aiAnimMesh& shape = *from.mAnimMeshes[m];
    SceneMorph& morph = mesh.morphs.emplace_back();
    morph.name = to_text(shape.mName);
    morph.weight = shape.mWeight;
    if (shape.HasPositions() && shape.mNumVertices == count)
      for (std::size_t i = 0; i < count; ++i) morph.positions.push_back(to_vec(shape.mVertices[i]));
  }
  return mesh;
}

SceneTextureUse texture_use(const aiScene& scene, const aiMaterial& material,
                            std::initializer_list<aiTextureType> kinds) {
  SceneTextureUse use;
  for (const aiTextureType kind : kinds) {
    aiString path;
    if (material.GetTexture(kind, 0, &path) != aiReturn_SUCCESS || path.length == 0) continue;
    use.path = to_text(path);
    const auto [texture, number] = scene.GetEmbeddedTextureAndIndex(path.C_Str());
    if (texture != nullptr) use.embedded = static_cast<Index>(number);
    break;
  }
  return use;
}

SceneMaterial import_material(const aiScene& scene, const aiMaterial& from) {
  SceneMaterial material;
  aiString name;
  if (from.Get(AI_MATKEY_NAME, name) == aiReturn_SUCCESS) material.name = to_text(name);
  aiColor4D color;
  if (from.Get(AI_MATKEY_BASE_COLOR, color) == aiReturn_SUCCESS ||
      from.Get(AI_MATKEY_COLOR_DIFFUSE, color) == aiReturn_SUCCESS)
    material.diffuse = {color.r, color.g, color.b, color.a};
  aiColor3D glow;
  if (from.Get(AI_MATKEY_COLOR_EMISSIVE, glow) == aiReturn_SUCCESS) material.emissive = {glow.r, glow.g, glow.b};
  from.Get(AI_MATKEY_OPACITY, material.opacity);
  from.Get(AI_MATKEY_SHININESS, material.shininess);
  from.Get(AI_MATKEY_ROUGHNESS_FACTOR, material.roughness);
  from.Get(AI_MATKEY_METALLIC_FACTOR, material.metallic);
  int two_sided = 0;
  if (from.Get(AI_MATKEY_TWOSIDED, two_sided) == aiReturn_SUCCESS) material.two_sided = two_sided != 0 ? 1 : 0;
  material.base_color = texture_use(scene, from, {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE});
  material.normal = texture_use(scene, from, {aiTextureType_NORMALS, aiTextureType_NORMAL_CAMERA});
  material.emission = texture_use(scene, from, {aiTextureType_EMISSION_COLOR, aiTextureType_EMISSIVE});
  material.alpha = texture_use(scene, from, {aiTextureType_OPACITY});
  return material;
}

SceneTexture import_texture(const aiTexture& from) {
  SceneTexture texture;
  texture.name = to_text(from.mFilename);
  // A height of 0 marks a picture as it lies in its file; all others are bare pixels.
  if (from.mHeight == 0 && from.pcData != nullptr) {
    const auto* begin = reinterpret_cast<const std::byte*>(from.pcData);
    texture.bytes.assign(begin, begin + from.mWidth);
  }
  return texture;
}

SceneKeys import_vectors(const aiVectorKey* keys, unsigned count) {
  SceneKeys result;
  for (unsigned k = 0; k < count; ++k) {
    result.times.push_back(keys[k].mTime);
    for (const float value : {keys[k].mValue.x, keys[k].mValue.y, keys[k].mValue.z}) result.values.push_back(value);
  }
  return result;
}

SceneKeys import_rotations(const aiQuatKey* keys, unsigned count) {
  SceneKeys result;
  for (unsigned k = 0; k < count; ++k) {
    const aiQuaternion& q = keys[k].mValue;
    result.times.push_back(keys[k].mTime);
    for (const float value : {q.x, q.y, q.z, q.w}) result.values.push_back(value);
  }
  return result;
}

SceneMorphChannel import_morph_channel(const aiMeshMorphAnim& from) {
  SceneMorphChannel channel;
  channel.target = to_text(from.mName);
  std::size_t width = 0;
  for (unsigned k = 0; k < from.mNumKeys; ++k)
    for (unsigned v = 0; v < from.mKeys[k].mNumValuesAndWeights; ++v)
      width = std::max<std::size_t>(width, std::size_t{from.mKeys[k].mValues[v]} + 1);
  for (unsigned k = 0; k < from.mNumKeys; ++k) {
    const aiMeshMorphKey& key = from.mKeys[k];
    channel.weights.times.push_back(key.mTime);
    std::vector<float> row(width, 0.0F);
    for (unsigned v = 0; v < key.mNumValuesAndWeights; ++v) row[key.mValues[v]] = static_cast<float>(key.mWeights[v]);
    channel.weights.values.insert(channel.weights.values.end(), row.begin(), row.end());
  }
  return channel;
}

SceneClip import_clip(const aiAnimation& from, const NodeTable& nodes) {
  SceneClip clip;
  clip.name = to_text(from.mName);
  clip.ticks_per_second = from.mTicksPerSecond;
  for (unsigned c = 0; c < from.mNumChannels; ++c) {
    const aiNodeAnim& source = *from.mChannels[c];
    SceneChannel channel;
    channel.node = nodes.find(to_text(source.mNodeName));
    if (channel.node == kNone) continue;
    channel.translation = import_vectors(source.mPositionKeys, source.mNumPositionKeys);
    channel.rotation = import_rotations(source.mRotationKeys, source.mNumRotationKeys);
    channel.scale = import_vectors(source.mScalingKeys, source.mNumScalingKeys);
    clip.channels.push_back(std::move(channel));
  }
  for (unsigned c = 0; c < from.mNumMorphMeshChannels; ++c)
    clip.morphs.push_back(import_morph_channel(*from.mMorphMeshChannels[c]));
  return clip;
}

SceneFacts import_facts(const aiScene& source) {
  SceneFacts facts;
  facts.cameras = source.mNumCameras;
  facts.lights = source.mNumLights;
  const aiMetadata* data = source.mMetaData;
  if (data == nullptr) return facts;
  aiString text;
  if (data->Get(AI_METADATA_SOURCE_GENERATOR, text)) facts.generator = to_text(text);
  if (data->Get(AI_METADATA_SOURCE_FORMAT_VERSION, text)) facts.format_version = to_text(text);
  float scale = 0;
  double precise_scale = 0;
  if (data->Get("UnitScaleFactor", precise_scale)) facts.unit_scale = precise_scale;
  else if (data->Get("UnitScaleFactor", scale)) facts.unit_scale = static_cast<double>(scale);
  const auto axis = [&](const char* name, const char* sign_name, std::int32_t& number, std::int32_t& sign) {
    data->Get(name, number);
    data->Get(sign_name, sign);
  };
  axis("UpAxis", "UpAxisSign", facts.up, facts.up_sign);
  axis("FrontAxis", "FrontAxisSign", facts.front, facts.front_sign);
  axis("CoordAxis", "CoordAxisSign", facts.right, facts.right_sign);
  return facts;
}

void configure(Assimp::Importer& importer) {
  // One node for each of the file's. With the helper nodes kept, Assimp 5.2.5 plays clips of nodes that have a
  // pre-rotation wrongly; without them the first key of such a clip meets the rest pose to 5e-6.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
  importer.SetPropertyInteger(AI_CONFIG_GLOB_MEASURE_TIME, 0);
}

}  // namespace

Scene import_scene(const fs::path& path, const Bytes& bytes) {
  Assimp::Importer importer;
  // A .zae is an archive, which begins with "PK".
  const bool archive = bytes.size() >= 2 && bytes[0] == std::byte{'P'} && bytes[1] == std::byte{'K'};
  const Bytes plain = traits_of(path).collada && !archive ? plain_collada(bytes) : Bytes();
  importer.SetIOHandler(new ModelFiles(path, plain.empty() ? bytes : plain));  // The importer owns it.
  configure(importer);
  const aiScene* source = importer.ReadFile(path.string(), 0);
  if (source == nullptr || source->mRootNode == nullptr) {
    if (const std::exception_ptr& problem = importer.GetException(); problem != nullptr) {
      try {
        std::rethrow_exception(problem);
      } catch (const std::bad_alloc&) {
        throw;
      } catch (...) {
      }
    }
    std::string reason = importer.GetErrorString();
    while (!reason.empty() && (reason.back() == '.' || reason.back() == '\n' || reason.back() == ' '))
      reason.pop_back();
    throw Error(fmt::format("Assimp, which reads this format, rejects the file: {}.",
                            reason.empty() ? "it gives no reason" : reason));
  }
  Scene scene;
  scene.facts = import_facts(*source);
  const NodeTable nodes = import_nodes(*source, scene);
  const bool collada = traits_of(path).collada;
  for (unsigned m = 0; m < source->mNumMeshes; ++m)
    scene.meshes.push_back(import_mesh(*source->mMeshes[m], nodes, collada));
  for (unsigned m = 0; m < source->mNumMaterials; ++m)
    scene.materials.push_back(import_material(*source, *source->mMaterials[m]));
  for (unsigned t = 0; t < source->mNumTextures; ++t) scene.textures.push_back(import_texture(*source->mTextures[t]));
  for (unsigned a = 0; a < source->mNumAnimations; ++a)
    scene.clips.push_back(import_clip(*source->mAnimations[a], nodes));
  return scene;
}

}  // namespace sinew::io::assimp
