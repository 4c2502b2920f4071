// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>

#include "sinew/io/driver_words.h"
#include "sinew/io/rig_json.h"
#include "sinew/io/text/text_scanner.h"

namespace sinew::io {
namespace {

// Sorted keys: finding one among many takes no longer than it should, whatever a broken file holds.
using Value = nlohmann::json;

class RigReader {
 public:
  explicit RigReader(const std::string& file_name) : file_name_(file_name) {}

  RigFile run(std::span<const std::byte> bytes) {
    const Value document = parse(bytes);
    header(document);
    joints(list(document, "joints", "the file"));
    if (const Value* skins = find(document, "skins"))
      for (std::size_t i = 0; i < array(*skins, "'skins'").size(); ++i) skin((*skins)[i], fmt::format("skin {}", i));
    if (const Value* meshes = find(document, "meshes"))
      for (std::size_t i = 0; i < array(*meshes, "'meshes'").size(); ++i) mesh((*meshes)[i], fmt::format("mesh {}", i));
    make_skins();
    check_weights();
    return std::move(rig_);
  }

 private:
  [[noreturn]] void fail(const std::string& where, const std::string& what) const {
    throw Error(fmt::format("{}, {}: {}", file_name_, where, what));
  }

  // ---- Values.

  Value parse(std::span<const std::byte> bytes) const {
    try {
      const std::string_view text = as_text(bytes);
      check_json_depth(text);
      return Value::parse(text.begin(), text.end());
    } catch (const Value::exception& error) {
      throw Error(fmt::format("{} is not a JSON file: {}.", file_name_, to_utf8(error.what())));
    }
  }

  static const Value* find(const Value& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  const Value& array(const Value& value, const std::string& where) const {
    if (!value.is_array()) fail(where, "it should be a list.");
    return value;
  }

  const Value& list(const Value& object, const char* key, const std::string& where) const {
    const Value* value = find(object, key);
    if (!value || !value->is_array()) fail(where, fmt::format("the list '{}' is missing.", key));
    return *value;
  }

  std::string text(const Value& object, const char* key, const std::string& where) const {
    const Value* value = find(object, key);
    if (!value) return "";
    if (!value->is_string()) fail(where, fmt::format("'{}' should be a string.", key));
    return value->get<std::string>();
  }

  void object(const Value& value, const std::string& where) const {
    if (!value.is_object()) fail(where, "it should be a JSON object.");
  }

  double number(const Value& value, const std::string& where, const char* key) const {
    const double result = value.is_number() ? value.get<double>() : std::nan("");
    if (!std::isfinite(result)) fail(where, fmt::format("'{}' contains a value that is not a number.", key));
    return result;
  }

  // As many numbers as the vector or matrix has, column by column; false if the key is missing.
  template <class Matrix>
  bool numbers(const Value& object, const char* key, Matrix& out, const std::string& where) const {
    const Value* value = find(object, key);
    if (!value) return false;
    const auto size = static_cast<std::size_t>(out.size());
    if (!value->is_array() || value->size() != size)
      fail(where, fmt::format("'{}' should be a list of {} numbers.", key, size));
    for (std::size_t i = 0; i < size; ++i) out.data()[i] = number((*value)[i], where, key);
    return true;
  }

  void affine(const Mat4& matrix, const char* key, const std::string& where) const {
    if (matrix.row(3) != Mat4::Identity().row(3))
      fail(where, fmt::format("the fourth row of '{}' is not 0, 0, 0, 1; matrices are written column by column.", key));
    if (std::abs(matrix.topLeftCorner<3, 3>().determinant()) < 1e-300 || !matrix.inverse().allFinite())
      fail(where, fmt::format("'{}' cannot be inverted.", key));
  }

  std::uint64_t whole(const Value& value, const std::string& where, const char* key) const {
    if (!value.is_number_unsigned()) fail(where, fmt::format("'{}' should be a whole number of at least 0.", key));
    return value.get<std::uint64_t>();
  }

  // An index into a list, or a name that is there once.
  Index reference(const Value& value, const std::unordered_map<std::string, Index>& names, std::size_t count,
                  const std::string& where, const char* kind) const {
    if (value.is_string()) {
      const auto found = names.find(value.get_ref<const std::string&>());
      if (found == names.end())
        fail(where, fmt::format("there is no {} '{}'.", kind, value.get_ref<const std::string&>()));
      if (found->second == kNone)
        fail(where, fmt::format("there are several {}s called '{}'; use its number instead.", kind,
                                value.get_ref<const std::string&>()));
      return found->second;
    }
    const std::uint64_t index = whole(value, where, kind);
    if (index >= count) fail(where, fmt::format("there is no {} {}; the file has {}.", kind, index, count));
    return static_cast<Index>(index);
  }

  static void add_name(std::unordered_map<std::string, Index>& names, const std::string& name, std::size_t index) {
    const auto [entry, added] = names.try_emplace(name, static_cast<Index>(index));
    if (!added) entry->second = kNone;
  }

  // ---- Joints.

  void header(const Value& document) {
    object(document, "the file");
    const std::string schema = text(document, "schema", "the file");
    if (!schema.starts_with("sinew.rig/"))
      throw Error(fmt::format("{} is not a Sinew rig: its 'schema' is not sinew.rig/1.", file_name_));
    if (schema != "sinew.rig/1")
      throw Error(
          fmt::format("{} is a rig of version '{}', but this version of Sinew reads sinew.rig/1. Use a newer Sinew.",
                      file_name_, schema));
    const std::string up = text(document, "up", "the file"), unit = text(document, "unit", "the file");
    if ((!up.empty() && up != "+y") || (!unit.empty() && unit != "m"))
      throw Error(fmt::format("{} does not have +y up and metres as its unit. Convert its values first.", file_name_));
    rig_.name = text(document, "name", "the file");
  }

  void joints(const Value& source) {
    const std::size_t count = source.size();
    std::vector<std::string> wheres;
    for (std::size_t i = 0; i < count; ++i) {
      object(source[i], fmt::format("joint {}", i));
      const std::string name = text(source[i], "name", fmt::format("joint {}", i));
      add_name(joint_names_, name, i);
      wheres.push_back(fmt::format("joint {} '{}'", i, name));
    }
    std::vector<Index> parents(count, kNone);
    for (std::size_t i = 0; i < count; ++i)
      if (const Value* parent = find(source[i], "parent"))
        parents[i] = reference(*parent, joint_names_, count, wheres[i], "joint");
    const std::vector<Index> order = sorted(parents, wheres);
    file_to_rig_.resize(count);
    for (std::size_t i = 0; i < count; ++i) file_to_rig_[order[i]] = static_cast<Index>(i);
    for (const Index i : order) {
      Joint joint = read_joint(source[i], wheres[i]);
      if (parents[i] != kNone) joint.parent = file_to_rig_[parents[i]];
      rig_.skeleton.joints.push_back(std::move(joint));
    }
    pair_mirrors(wheres, order);
  }

  // Parents first, else in the order of the file.
  std::vector<Index> sorted(const std::vector<Index>& parents, const std::vector<std::string>& wheres) const {
    std::vector<std::vector<Index>> children(parents.size());
    std::priority_queue<Index, std::vector<Index>, std::greater<>> ready;
    for (Index i = 0; i < parents.size(); ++i) {
      if (parents[i] == kNone) ready.push(i);
      else children[parents[i]].push_back(i);
    }
    std::vector<Index> order;
    std::vector<bool> done(parents.size(), false);
    while (!ready.empty()) {
      order.push_back(ready.top());
      done[ready.top()] = true;
      ready.pop();
      for (const Index child : children[order.back()]) ready.push(child);
    }
    for (std::size_t i = 0; i < done.size(); ++i)
      if (!done[i]) fail(wheres[i], "its parents form a cycle.");
    return order;
  }

  Joint read_joint(const Value& source, const std::string& where) {
    Joint joint;
    joint.name = text(source, "name", where);
    numbers(source, "translation", joint.rest.translation, where);
    if (numbers(source, "rotation", joint.rest.rotation.coeffs(), where)) {
      const double length = joint.rest.rotation.norm();
      if (!(length > 1e-9)) fail(where, "its 'rotation' is not a quaternion x, y, z, w.");
      if (std::abs(length - 1) > 1e-6) joint.rest.rotation.coeffs() /= length;
    }
    numbers(source, "scale", joint.rest.scale, where);
    numbers(source, "shear", joint.shear, where);
    if (const Value* deforming = find(source, "deforming")) {
      if (!deforming->is_boolean()) fail(where, "'deforming' should be true or false.");
      joint.deforming = deforming->get<bool>();
    }
    joint.role = text(source, "role", where);
    if (const Value* mirror = find(source, "mirror"))
      joint.mirror = file_to_rig_[reference(*mirror, joint_names_, file_to_rig_.size(), where, "joint")];
    Vec3 end;
    if (numbers(source, "end_local", end, where)) joint.end_local = end;
    if (const Value* limits = find(source, "limits")) {
      object(*limits, where + " 'limits'");
      joint.limits.emplace();
      numbers(*limits, "lower", joint.limits->lower_rad, where + " 'limits'");
      numbers(*limits, "upper", joint.limits->upper_rad, where + " 'limits'");
    }
    if (const Value* driver = find(source, "driver")) joint.driver = read_driver(*driver, where + " 'driver'");
    return joint;
  }

  Driver read_driver(const Value& source, const std::string& where) const {
    object(source, where);
    Driver driver;
    const std::string kind = text(source, "kind", where);
    if (kind.empty()) fail(where, "'kind' is missing; it specifies what the driver does.");
    driver.kind = driver_kind(kind);
    if (driver.kind == Driver::Kind::kOpaque) return opaque_driver(source);
    const Value* from = find(source, "source");
    if (!from) fail(where, "'source' is missing; it names the driving joint.");
    driver.source = file_to_rig_[reference(*from, joint_names_, file_to_rig_.size(), where, "joint")];
    numbers(source, "axis", driver.axis, where);
    if (!(driver.axis.norm() > 1e-9)) fail(where, "'axis' has no direction.");
    if (std::abs(driver.axis.norm() - 1) > 1e-9) driver.axis.normalize();
    numbers(source, "before", driver.before.coeffs(), where);
    if (!(driver.before.norm() > 1e-9)) fail(where, "'before' is not a quaternion x, y, z, w.");
    if (std::abs(driver.before.norm() - 1) > 1e-9) driver.before.normalize();
    if (const Value* share = find(source, "share")) driver.share = number(*share, where, "share");
    if (const Value* weight = find(source, "weight")) driver.weight = number(*weight, where, "weight");
    if (!(driver.weight >= 0 && driver.weight <= 1)) fail(where, "'weight' is not between 0 and 1.");
    driver_lists(source, driver, where);
    return driver;
  }

  // What is known of a driver of another kind: all its JSON, and its source if that is a joint.
  Driver opaque_driver(const Value& source) const {
    Driver driver;
    driver.kind = Driver::Kind::kOpaque;
    driver.opaque = source.dump();
    const Value* from = find(source, "source");
    if (from && from->is_string()) {
      const auto found = joint_names_.find(from->get_ref<const std::string&>());
      if (found != joint_names_.end() && found->second != kNone) driver.source = file_to_rig_[found->second];
    } else if (from && from->is_number_unsigned() && from->get<std::uint64_t>() < file_to_rig_.size()) {
      driver.source = file_to_rig_[from->get<std::size_t>()];
    }
    return driver;
  }

  void driver_lists(const Value& source, Driver& driver, const std::string& where) const {
    if (const Value* rows = find(source, "coefficients"))
      for (const Value& row : array(*rows, where + " 'coefficients'")) {
        driver.coefficients.emplace_back();
        for (const Value& value : array(row, where + " 'coefficients'"))
          driver.coefficients.back().push_back(number(value, where, "coefficients"));
      }
    if (const Value* keys = find(source, "keys"))
      for (const Value& key : array(*keys, where + " 'keys'")) {
        if (!key.is_array() || key.size() != 2) fail(where, "each of 'keys' should be an angle and a value.");
        driver.keys.emplace_back(number(key[0], where, "keys"), number(key[1], where, "keys"));
      }
  }

  void pair_mirrors(const std::vector<std::string>& wheres, const std::vector<Index>& order) {
    std::vector<Joint>& joints = rig_.skeleton.joints;
    for (Index j = 0; j < joints.size(); ++j) {
      if (joints[j].mirror == kNone) continue;
      Joint& partner = joints[joints[j].mirror];
      if (partner.mirror == kNone) partner.mirror = j;  // Saying it once is enough.
      if (partner.mirror != j)
        fail(wheres[order[j]], fmt::format("its mirror partner '{}' has another partner.", partner.name));
    }
  }

  // ---- Skins and meshes.

  Index joint(const Value& value, const std::string& where) const {
    return file_to_rig_[reference(value, joint_names_, file_to_rig_.size(), where, "joint")];
  }

  void skin(const Value& source, const std::string& number) {
    object(source, number);
    Skin skin;
    skin.name = text(source, "name", number);
    const std::string where = fmt::format("{} '{}'", number, skin.name);
    for (const Value& value : list(source, "joints", where)) skin.joints.push_back(joint(value, where));
    if (const Value* binds = find(source, "inverse_bind")) {
      if (array(*binds, where + " 'inverse_bind'").size() != skin.joints.size())
        fail(where,
             fmt::format("it has {} joints and {} matrices in 'inverse_bind'.", skin.joints.size(), binds->size()));
      for (const Value& bind : *binds) {
        Mat4& matrix = skin.inverse_bind.emplace_back();
        if (!bind.is_array() || bind.size() != 16)
          fail(where, "each of 'inverse_bind' should be a list of 16 numbers.");
        for (std::size_t i = 0; i < 16; ++i) matrix.data()[i] = this->number(bind[i], where, "inverse_bind");
      }
    } else {
      bind_at_rest(skin, where);
    }
    add_name(skin_names_, skin.name, rig_.skins.size());
    rig_.skins.push_back(std::move(skin));
  }

  void bind_at_rest(Skin& skin, const std::string& where) {
    if (rest_.empty()) rest_ = rest_matrices(rig_.skeleton);
    for (const Index j : skin.joints) {
      skin.inverse_bind.push_back(rest_[j].inverse());
      if (!skin.inverse_bind.back().allFinite())
        fail(where, fmt::format("the joint '{}' has no size at rest, so 'inverse_bind' must be given.",
                                rig_.skeleton.joints[j].name));
    }
  }

  void mesh(const Value& source, const std::string& number) {
    object(source, number);
    RigMesh mesh;
    if (!find(source, "name")) fail(number, "'name' is missing.");
    mesh.name = text(source, "name", number);
    const std::string where = fmt::format("{} '{}'", number, mesh.name);
    const Value* vertices = find(source, "vertices");
    if (!vertices) fail(where, "'vertices' is missing; it specifies how many vertices the mesh has.");
    const std::uint64_t count = whole(*vertices, where, "vertices");
    if (count >= kNone) fail(where, fmt::format("{} vertices are too many.", count));
    mesh.vertex_count = static_cast<Index>(count);
    if (const Value* skin = find(source, "skin"))
      mesh.skin = reference(*skin, skin_names_, rig_.skins.size(), where, "skin");
    if (const Value* rigid = find(source, "joint")) mesh.joint = joint(*rigid, where);
    if (mesh.skin != kNone && mesh.joint != kNone)
      fail(where, "it has both a 'skin' and a 'joint'; a rigid mesh has no skin.");
    Mat4 to_model;
    if (numbers(source, "to_model", to_model, where)) {
      affine(to_model, "to_model", where);
      mesh.to_model = to_model;
    }
    if (const Value* values = find(source, "weights")) weights(*values, mesh, where);
    else if (mesh.skin != kNone) fail(where, "it has a 'skin' but no 'weights'.");
    rig_.meshes.push_back(std::move(mesh));
  }

  void weights(const Value& source, RigMesh& mesh, const std::string& where) const {
    object(source, where + " 'weights'");
    const Value& vertices = list(source, "vertex", where);
    const Value& joints = list(source, "joint", where);
    const Value& values = list(source, "weight", where);
    if (vertices.size() != joints.size() || joints.size() != values.size())
      fail(where, fmt::format("'vertex', 'joint' and 'weight' have {}, {} and {} entries; the numbers should be equal.",
                              vertices.size(), joints.size(), values.size()));
    mesh.has_weights = true;
    mesh.weights.reserve(vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const std::uint64_t vertex = whole(vertices[i], where, "vertex");
      if (vertex >= mesh.vertex_count)
        fail(where,
             fmt::format("a weight is given for vertex {}, but the mesh has {} vertices.", vertex, mesh.vertex_count));
      const auto weight = static_cast<float>(number(values[i], where, "weight"));
      if (!(weight >= 0) || !std::isfinite(weight))
        fail(where, fmt::format("the weight {} of vertex {} is negative or not finite.", weight, vertex));
      mesh.weights.push_back({static_cast<Index>(vertex), {joint(joints[i], where), weight}});
    }
    std::stable_sort(mesh.weights.begin(), mesh.weights.end(),
                     [](const RigMesh::Entry& a, const RigMesh::Entry& b) { return a.vertex < b.vertex; });
  }

  // Meshes with weights and no skin take the only one; if there is none, all joints that have weights become one, bound
  // where they rest.
  void make_skins() {
    std::vector<bool> used(rig_.skeleton.joints.size(), false);
    bool needed = false;
    for (const RigMesh& mesh : rig_.meshes) {
      if (!mesh.has_weights || mesh.skin != kNone || mesh.joint != kNone) continue;
      needed = true;
      if (rig_.skins.size() > 1)
        fail(fmt::format("mesh '{}'", mesh.name),
             "it has weights but does not specify the 'skin' to which they belong.");
      for (const RigMesh::Entry& entry : mesh.weights) used[entry.influence.joint] = true;
    }
    if (!needed) return;
    if (rig_.skins.empty()) {
      Skin skin;
      skin.name = "skin";
      for (Index j = 0; j < used.size(); ++j)
        if (used[j]) skin.joints.push_back(j);
      bind_at_rest(skin, "the skin");
      for (const Index j : skin.joints) rig_.skeleton.joints[j].deforming = true;
      rig_.skins.push_back(std::move(skin));
    }
    for (RigMesh& mesh : rig_.meshes)
      if (mesh.has_weights && mesh.skin == kNone && mesh.joint == kNone) mesh.skin = 0;
  }

  void check_weights() const {
    std::vector<std::vector<Index>> listed;  // Per skin, sorted.
    for (const Skin& skin : rig_.skins) {
      listed.push_back(skin.joints);
      std::sort(listed.back().begin(), listed.back().end());
    }
    for (const RigMesh& mesh : rig_.meshes)
      for (const RigMesh::Entry& entry : mesh.weights) {
        const Index j = entry.influence.joint;
        const bool fits = mesh.skin == kNone
                              ? j == mesh.joint
                              : std::binary_search(listed[mesh.skin].begin(), listed[mesh.skin].end(), j);
        if (!fits)
          fail(fmt::format("mesh '{}'", mesh.name),
               fmt::format("vertex {} has a weight for the joint '{}', which its {} does not list.", entry.vertex,
                           rig_.skeleton.joints[j].name, mesh.skin == kNone ? "joint" : "skin"));
      }
  }

  const std::string& file_name_;
  RigFile rig_;
  std::unordered_map<std::string, Index> joint_names_, skin_names_;  // kNone: there are several.
  std::vector<Index> file_to_rig_;
  std::vector<Mat4> rest_;
};

}  // namespace

RigFile read_rig_json(std::span<const std::byte> bytes, const std::string& file_name) {
  return RigReader(file_name).run(bytes);
}

}  // namespace sinew::io
