// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Position-based skinning against a plain scalar loop over the same constraints, in one run on one machine: what eight
// at a time, by colours, are worth.

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bench/timing.h"
#include "sinew/core/angles.h"
#include "sinew/core/hash.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/pbd_system.h"
#include "sinew/geometry/voxels/tets.h"

using namespace sinew;
using namespace sinew::deform;
using bench::best_seconds;

namespace {

constexpr int kSweeps = 10, kTimes = 7;
constexpr double kHalf = 1, kRadius = 0.25, kBlend = 0.3;

// A bar with round ends and two joints in its middle, of about that many tetrahedra; all but its ends may move.
PbdBody bar(double tets) {
  const double volume = kPi * kRadius * kRadius * (2 * kHalf + 4.0 / 3 * kRadius);
  PbdBody body;
  body.cell = std::cbrt(12 * volume / tets);
  const auto field = [](const Vec3& p) { return (p - Vec3(std::clamp(p.x(), -kHalf, kHalf), 0, 0)).norm() - kRadius; };
  Box box;
  box.extend(Vec3(-kHalf - kRadius, -kRadius, -kRadius) - Vec3::Constant(body.cell));
  box.extend(Vec3(kHalf + kRadius, kRadius, kRadius) + Vec3::Constant(body.cell));
  body.tets = geometry::stuff(field, box, body.cell);
  body.bind.assign(2, Mat4::Identity());
  const std::size_t count = body.tets.positions.size();
  body.mass.assign(count, 0.0);
  double sum = 0;
  for (Index t = 0; t < body.tets.tets.size(); ++t)
    for (const Index v : body.tets.tets[t])
      body.mass[v] += geometry::tet_volume(body.tets, t) / 4, sum += geometry::tet_volume(body.tets, t) / 4;
  for (double& m : body.mass) m *= static_cast<double>(count) / sum;
  for (const Vec3& p : body.tets.positions) {
    const double u = std::clamp(0.5 + 0.5 * p.x() / kBlend, 0.0, 1.0), second = u * u * (3 - 2 * u);
    const std::array<Influence, 2> row = {Influence{0, static_cast<float>(1 - second)},
                                          Influence{1, static_cast<float>(second)}};
    body.weights.add_row(row);
    body.owner.push_back(second > 0.5 ? 1 : 0);
    body.free.push_back(std::abs(p.x()) < kHalf ? 1 : 0);
    const double off = Vec3(0, p.y(), p.z()).norm();
    PbdBody::Anchor anchor{body.owner.back(), Vec3(p.x(), 0, 0), off};
    if (off < 0.5 * body.cell || body.free.back() == 0) anchor = {};
    body.anchors.push_back(anchor);
  }
  return body;
}

// The particles as a rig, for linear blending.
Rig rig_of(const PbdBody& body) {
  Rig rig;
  rig.skeleton.joints.resize(2);
  rig.skeleton.joints[0].name = "first";
  rig.skeleton.joints[1].name = "second";
  rig.skeleton.joints[1].parent = 0;
  rig.mesh.positions = body.tets.positions;
  for (const auto& triangle : geometry::tet_surface(body.tets)) rig.mesh.add_face(triangle);
  MeshPart part;
  part.vertex_count = rig.mesh.vertex_count();
  part.face_count = rig.mesh.face_count();
  part.skin = 0;
  rig.mesh.parts = {part};
  rig.weights = body.weights;
  rig.skins = {Skin{"skin", {0, 1}, body.bind}};
  return rig;
}

// What one writes first: one constraint after the other, in single precision, by their numbers.
class ScalarLoop {
 public:
  explicit ScalarLoop(const PbdBody& body) : cell_(static_cast<float>(body.cell)) {
    std::set<std::pair<Index, Index>> seen;
    for (Index t = 0; t < body.tets.tets.size(); ++t) {
      const auto& corners = body.tets.tets[t];
      if (std::none_of(corners.begin(), corners.end(), [&](Index v) { return body.free[v] != 0; })) continue;
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j) {
          const auto ends = std::minmax(corners[i], corners[j]);
          if ((body.free[ends.first] != 0 || body.free[ends.second] != 0) && seen.insert(ends).second)
            edges_.push_back({ends.first, ends.second,
                              static_cast<float>((place(body, ends.first) - place(body, ends.second)).norm())});
        }
      add_tet(body, t);
    }
    for (Index v = 0; v < body.free.size(); ++v) {
      inverse_mass_.push_back(body.free[v] != 0 ? static_cast<float>(1 / body.mass[v]) : 0.0F);
      if (body.anchors[v].joint != kNone)
        binds_.push_back({v, body.anchors[v].joint, body.anchors[v].point,
                          static_cast<float>(body.anchors[v].distance / body.cell)});
    }
    longest_ = 0.2F * static_cast<float>(std::cbrt(6 * std::sqrt(2.0) * volume_ / static_cast<double>(tets_.size())));
    lambda_.resize(tets_.size());
    x_.resize(body.free.size());
  }

  std::size_t constraints() const { return edges_.size() + binds_.size() + 2 * tets_.size(); }

  void run(std::span<const Vec3f> predicted, std::span<const Mat4> motions, std::span<Vec3f> out) {
    for (std::size_t v = 0; v < x_.size(); ++v) x_[v] = predicted[v] / cell_;
    std::fill(lambda_.begin(), lambda_.end(), 0.0F);
    for (Bind& b : binds_) b.at = (transform_point(motions[b.joint], b.point) / cell_).cast<float>();
    const float share = 1 - std::pow(0.1F, 1.0F / kSweeps);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (const Edge& e : edges_) stretch(e, share);
      for (const Bind& b : binds_) {
        const Vec3f way = x_[b.particle] - b.at;
        const float length = way.norm();
        if (length > 1e-9F) x_[b.particle] += share * (b.distance - length) / length * way;
      }
      for (std::size_t t = 0; t < tets_.size(); ++t) {
        springs(tets_[t], lambda_[t]);
        keep_volume(tets_[t]);
      }
    }
    for (std::size_t v = 0; v < x_.size(); ++v) out[v] = x_[v] * cell_;
  }

 private:
  struct Edge {
    Index a, b;
    float length;
  };
  struct Bind {
    Index particle, joint;
    Vec3 point;
    float distance;
    Vec3f at = Vec3f::Zero();
  };
  struct Tet {
    std::array<Index, 4> corners;
    std::array<float, 4> shares, distances;
    float volume;
  };

  static Vec3 place(const PbdBody& body, Index v) { return body.tets.positions[v] / body.cell; }

  void add_tet(const PbdBody& body, Index t) {
    Tet tet;
    tet.corners = body.tets.tets[t];
    double all = 0;
    Vec3 middle = Vec3::Zero();
    for (const Index v : tet.corners) all += body.mass[v], middle += body.mass[v] * place(body, v);
    for (std::size_t c = 0; c < 4; ++c) {
      tet.shares[c] = static_cast<float>(body.mass[tet.corners[c]] / all);
      tet.distances[c] = static_cast<float>((place(body, tet.corners[c]) - middle / all).norm());
    }
    const double volume = geometry::tet_volume(body.tets, t) / std::pow(body.cell, 3);
    tet.volume = static_cast<float>(volume);
    volume_ += volume;
    tets_.push_back(tet);
  }

  void stretch(const Edge& e, float share) {
    const Vec3f way = x_[e.a] - x_[e.b];
    const float length = way.norm(), wa = inverse_mass_[e.a], wb = inverse_mass_[e.b];
    if (length < 1e-9F) return;
    const float s = share * (length - e.length) / (length * (wa + wb));
    x_[e.a] -= wa * s * way;
    x_[e.b] += wb * s * way;
  }

  void move(const Tet& t, const std::array<Vec3f, 4>& g, float s) {
    for (std::size_t c = 0; c < 4; ++c) {
      Vec3f step = inverse_mass_[t.corners[c]] * s * g[c];
      const float length = step.norm();
      if (length > longest_) step *= longest_ / length;
      x_[t.corners[c]] += step;
    }
  }

  float weighted(const Tet& t, const std::array<Vec3f, 4>& g) const {
    float sum = 0;
    for (std::size_t c = 0; c < 4; ++c) sum += inverse_mass_[t.corners[c]] * g[c].squaredNorm();
    return sum;
  }

  void springs(const Tet& t, float& lambda) {
    Vec3f middle = Vec3f::Zero(), all = Vec3f::Zero();
    for (std::size_t c = 0; c < 4; ++c) middle += t.shares[c] * x_[t.corners[c]];
    std::array<Vec3f, 4> g;
    float squares = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      const Vec3f r = x_[t.corners[c]] - middle;
      const float length = std::max(r.norm(), 1e-9F), error = length - t.distances[c];
      squares += error * error;
      g[c] = error / length * r;
      all += g[c];
    }
    const float value = std::sqrt(squares);
    if (value < 1e-6F) return;
    for (std::size_t c = 0; c < 4; ++c) g[c] = (g[c] - t.shares[c] * all) / value;
    const float step = -(value + lambda) / (weighted(t, g) + 1);  // Stiffness 1: compliance 1.
    lambda += step;
    move(t, g, step);
  }

  void keep_volume(const Tet& t) {
    const Vec3f &o = x_[t.corners[0]], a = x_[t.corners[1]] - o, b = x_[t.corners[2]] - o, c = x_[t.corners[3]] - o;
    std::array<Vec3f, 4> g;
    g[1] = b.cross(c) / 6;
    g[2] = c.cross(a) / 6;
    g[3] = a.cross(b) / 6;
    g[0] = -(g[1] + g[2] + g[3]);
    const float masses = weighted(t, g);
    if (masses > 1e-20F) move(t, g, (t.volume - a.dot(g[1])) / masses);
  }

  float cell_, longest_ = 0;
  double volume_ = 0;
  std::vector<Edge> edges_;
  std::vector<Bind> binds_;
  std::vector<Tet> tets_;
  std::vector<float> inverse_mass_, lambda_;
  std::vector<Vec3f> x_;
};

std::string hash_of(const std::vector<Vec3f>& positions) {
  Sha256 sha;
  sha.update(std::as_bytes(std::span(positions)));
  return sha.hex().substr(0, 16);
}

struct Line {
  std::size_t tets, constraints;
  double lbs_s = 0, scalar_s = 0;

  void print(const char* what, int threads, double seconds, const std::vector<Vec3f>& positions) const {
    fmt::print("{},{},{},{:.3f},{:.1f},{:.2f},{:.0f},{}\n", tets, what, threads, 1e3 * seconds,
               1e-6 * kSweeps * static_cast<double>(constraints) / seconds, scalar_s / seconds, seconds / lbs_s,
               hash_of(positions));
    std::fflush(stdout);
  }
};

void run_size(double tets) {
  const PbdBody body = bar(tets);
  const Rig rig = rig_of(body);
  // A bend and a twist together.
  std::vector<Mat4> motions(2, Mat4::Identity());
  motions[1].topLeftCorner<3, 3>() =
      (Eigen::AngleAxisd(0.7, Vec3::UnitZ()) * Eigen::AngleAxisd(1.0, Vec3::UnitX())).toRotationMatrix();
  ModelPose pose;
  pose.joints = motions;
  std::vector<Vec3f> predicted(body.free.size()), corrections(body.free.size()), positions(body.free.size());
  set_thread_count(1);
  const auto lbs = bind("lbs", rig);
  const auto state = lbs->make_state();
  const auto blend = [&] { lbs->deform(*state, {pose}, {predicted, {}, nullptr}); };
  blend();
  ScalarLoop loop(body);
  Line line{body.tets.tets.size(), loop.constraints()};
  line.lbs_s = best_seconds(2 * kTimes, blend);
  line.scalar_s = best_seconds(kTimes, [&] { loop.run(predicted, motions, positions); });
  line.print("scalar loop: four springs", 1, line.scalar_s, positions);
  for (const PbdMaterial material : {PbdMaterial::kSprings, PbdMaterial::kCorotated}) {
    PbdSettings settings;
    settings.material = material;
    settings.sweeps = kSweeps;
    const PbdSystem system(body, settings);
    if (system.constraints() != line.constraints) fmt::print("# the loops do not have the same constraints\n");
    PbdSystem::Scratch scratch;
    for (const int threads : {1, 2}) {
      set_thread_count(threads);
      const double seconds = best_seconds(kTimes, [&] { system.solve(scratch, predicted, motions, corrections); });
      for (std::size_t p = 0; p < positions.size(); ++p) positions[p] = predicted[p] + corrections[p];
      line.print(material == PbdMaterial::kSprings ? "four springs" : "corotated", threads, seconds, positions);
    }
    set_thread_count(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double largest = argc > 1 ? std::atof(argv[1]) : 400'000;
  fmt::print("tets,method,threads,ms_per_frame,million_constraints_per_s,times_scalar,times_lbs,hash\n");
  for (const double tets : {10'000.0, 50'000.0, 100'000.0, 400'000.0})
    if (tets <= largest) run_size(tets);
  return 0;
}
