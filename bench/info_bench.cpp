// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// How long `info` takes, as a ratio to one sort of the mesh's half-edges in the same run, and how much memory, as a
// ratio to the file. Each measurement runs in a process of its own, so that making the file does not count.
//
//     info_bench                 all measurements
//     info_bench --time FILE     time of one file
//     info_bench --memory FILE   memory of one file

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/topology.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/self_intersection.h"
#include "sinew/jobs/info.h"

namespace {

using namespace sinew;
using bench::best_seconds;
using bench::half_edge_keys;
using bench::seconds;

// A bumpy sphere of about `vertices` vertices and twice as many triangles.
Mesh bumpy_sphere(Index vertices) {
  const auto rings = static_cast<Index>(std::sqrt(vertices / 2.0));
  const Index segments = 2 * rings;
  Mesh mesh;
  const auto add = [&](double t, double u) {
    const Vec3 direction(std::sin(t) * std::cos(u), std::cos(t), std::sin(t) * std::sin(u));
    mesh.positions.push_back((1 + 0.1 * std::sin(7 * u) * std::sin(5 * t)) * direction);
    mesh.normals.values.push_back(direction.cast<float>());
    mesh.uvs.values.push_back(Vec2f(static_cast<float>(u / kTwoPi), static_cast<float>(t / kPi)));
  };
  add(0, 0);
  for (Index r = 1; r < rings; ++r)
    for (Index s = 0; s < segments; ++s) add(kPi * r / rings, kTwoPi * s / segments);
  add(kPi, 0);
  const Index south = mesh.vertex_count() - 1;
  const auto at = [&](Index r, Index s) { return 1 + (r - 1) * segments + s % segments; };
  const auto face = [&](Index a, Index b, Index c) { mesh.add_face(std::array<Index, 3>{a, b, c}); };
  for (Index r = 0; r < rings; ++r)
    for (Index s = 0; s < segments; ++s) {
      if (r == 0) face(0, at(1, s + 1), at(1, s));
      else if (r + 1 == rings) face(south, at(r, s), at(r, s + 1));
      else face(at(r, s), at(r, s + 1), at(r + 1, s)), face(at(r, s + 1), at(r + 1, s + 1), at(r + 1, s));
    }
  mesh.parts.resize(1);
  mesh.parts[0].name = "sphere";
  mesh.parts[0].vertex_count = mesh.vertex_count();
  mesh.parts[0].face_count = mesh.face_count();
  mesh.parts[0].skin = 0;
  return mesh;
}

io::Asset skinned_sphere(Index vertices, Index joints = 60) {
  io::Asset asset;
  Rig& rig = asset.character.rig;
  rig.mesh = bumpy_sphere(vertices);
  rig.skins.resize(1);
  for (Index j = 0; j < joints; ++j) {
    Joint joint;
    joint.name = fmt::format("joint_{}", j);
    joint.parent = j == 0 ? kNone : j - 1;
    joint.deforming = true;
    joint.rest.translation = Vec3(0, j == 0 ? -0.8 : 1.6 / joints, 0);
    rig.skeleton.joints.push_back(joint);
    rig.skins[0].joints.push_back(j);
    Mat4 bind = Mat4::Identity();
    bind(1, 3) = 0.8 - 1.6 / joints * j;
    rig.skins[0].inverse_bind.push_back(bind);
  }
  rig.weights.reserve(rig.mesh.vertex_count(), 4 * std::size_t{rig.mesh.vertex_count()});
  for (const Vec3& p : rig.mesh.positions) {
    const auto first = static_cast<Index>(std::clamp((p.y() + 1.1) / 2.2, 0.0, 1.0) * (joints - 4));
    rig.weights.add_row({{first, 0.4F}, {first + 1, 0.3F}, {first + 2, 0.2F}, {first + 3, 0.1F}});
  }
  return asset;
}

Report run_info(const std::string& file) { return jobs::info({.inputs = {file}, .output = {}}, {}, {}); }

int measure_time(const std::string& file) {
  const io::Asset asset = io::load(file);
  const Mesh& mesh = asset.character.rig.mesh;
  const std::vector<std::uint64_t> keys = half_edge_keys(mesh);
  double sort = 1e30, info = 1e30;
  for (int i = 0; i < 7; ++i) {
    std::vector<std::uint64_t> copy = keys;
    sort = std::min(sort, seconds([&] { std::sort(copy.begin(), copy.end()); }));
    info = std::min(info, seconds([&] { run_info(file); }));
  }
  const Report report = run_info(file);
  fmt::print("  {:7} vertices: sort {:6.1f} ms, info {:6.1f} ms, ratio {:.2f}; stages {}\n", mesh.vertex_count(),
             1e3 * sort, 1e3 * info, info / sort, report.timing.dump());
  return 0;
}

// The largest memory this program has held since it began, in bytes. (getrusage also counts what its parent held.)
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return 1024 * std::stod(line.substr(6));
  return 0;
}

int measure_memory(const std::string& file) {
  const double before = peak_bytes();
  const Report report = run_info(file);
  const auto bytes = static_cast<double>(report.inputs.front().bytes);
  fmt::print("  file {:.1f} MB, peak {:.1f} MB ({:.1f} MB before), ratio {:.2f}\n", bytes / 1e6, peak_bytes() / 1e6,
             before / 1e6, peak_bytes() / bytes);
  return 0;
}

// Runs this program again with one argument more.
void again(const char* what, const std::string& file) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "info_bench", what, file.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
}

void measure_geometry() {
  fmt::print("parts of the surface, 200k vertices, {} threads\n", thread_count());
  const Mesh mesh = bumpy_sphere(200'000);
  const std::vector<std::uint64_t> keys = half_edge_keys(mesh);
  std::vector<std::uint64_t> copy;
  double sort = 1e30;
  for (int i = 0; i < 7; ++i) {
    copy = keys;
    sort = std::min(sort, seconds([&] { std::sort(copy.begin(), copy.end()); }));
  }
  geometry::Welding welding;
  const double weld = best_seconds(5, [&] { welding = geometry::weld(mesh); });
  const double topology = best_seconds(5, [&] { geometry::topology(mesh, welding); });
  const double volume = best_seconds(5, [&] { geometry::volume(mesh); });
  fmt::print("  sort {:.1f} ms; weld {:.2f}, topology {:.2f}, volume {:.2f} of it\n", 1e3 * sort, weld / sort,
             topology / sort, volume / sort);

  const Mesh half = bumpy_sphere(100'000);  // 200k triangles.
  geometry::SelfIntersections found;
  const double deep = best_seconds(3, [&] { found = geometry::self_intersections(half); });
  fmt::print("  self-intersections of {} triangles: {:.2f} s, {} pairs\n", half.face_count(), deep, found.inside_parts);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 3 && std::string(argv[1]) == "--time") return measure_time(argv[2]);
  if (argc == 3 && std::string(argv[1]) == "--memory") return measure_memory(argv[2]);
  measure_geometry();
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("sinew_info_bench_{}", getpid());
  std::filesystem::create_directories(folder);
  fmt::print("info, file to report (wanted: ratio at most 4)\n");
  std::string file;
  for (const Index vertices : {5'000u, 20'000u, 80'000u, 200'000u}) {
    file = (folder / fmt::format("sphere_{}.glb", vertices)).string();
    io::Asset asset = skinned_sphere(vertices);
    io::SaveOptions options;
    options.changes = {.positions = true, .weights = true, .skeleton = true};
    Report report;
    io::save(asset, file, options, report);
    again("--time", file);
  }
  fmt::print("memory (wanted: ratio at most 6)\n");
  again("--memory", file);
  std::filesystem::remove_all(folder);
  return 0;
} catch (const std::exception& problem) {
  fmt::print(stderr, "{}\n", problem.what());
  return 1;
}
