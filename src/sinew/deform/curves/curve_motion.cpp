// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/curve_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/parallel.h"
#include "sinew/deform/curves/beam_response.h"
#include "sinew/deform/curves/beam_scheme.h"
#include "sinew/deform/curves/curve_lines.h"
#include "sinew/deform/curves/vertex_motion.h"

namespace sinew::deform {

MaterialNumbers material_numbers(SkinMaterial material) {
  switch (material) {
    case SkinMaterial::kFat:
      return {2e3, 920, 0.005};
    case SkinMaterial::kMuscle:
      return {5e4, 1060, 0.010};
    case SkinMaterial::kRubber:
      return {1e6, 1200, 0.003};
    case SkinMaterial::kSkin:
      break;
  }
  return {0.2e6, 1100, 0.002};
}

double metres_per_unit(const Mesh& mesh, double body_height) {
  const double own = mesh.bounds().extent().maxCoeff();
  if (!(own > 0)) return 1;
  if (body_height > 0) return body_height / own;
  return own > 10 || own < 0.1 ? 1.75 / own : 1;
}

MaterialNumbers CurveMotionOptions::numbers() const {
  MaterialNumbers result = material_numbers(material);
  if (youngs > 0) result.youngs_pa = youngs;
  if (density > 0) result.density = density;
  if (thickness > 0) result.thickness_m = thickness;
  return result;
}

namespace {

/// Stiffer modes would snap where motion flows through its keys.
constexpr double kMostFlow = 3;

/// The modes of one line: shapes of the kept ones, and what they turn in one second.
struct LineModes {
  Index basis = 0;
  Index kept = 0;
  std::size_t first = 0;  // Of its rates, and of its coefficients in each segment.
};

/// Displacements between two poses.
struct Segment {
  double duration_s = 1;
  std::vector<Vec3f> step;               // Per kept mode: coefficients of the step,
  std::vector<Vec3f> rate_in, rate_out;  // and of the rates at its ends if it flows.
};

}  // namespace

struct CurveMotion::Data {
  CurveMotionOptions options;
  std::vector<Vec3f> rest;
  CurveLines lines;
  JointPoses joints;
  std::vector<double> times_s;
  std::vector<std::vector<Vec3f>> shapes;  // Per pose: displacement of each vertex at rest.
  std::vector<std::vector<Vec3f>> rates;   // Per pose, per second, if motion flows.
  std::vector<Eigen::MatrixXf> bases;
  std::vector<LineModes> modes;
  std::vector<double> rates_of_modes;  // Radians per second.
  std::vector<Segment> segments;
  MotionRows rows;
  DrivenTable table = DrivenTable(50);
  CurveMotionFigures figures;

  bool flows() const {
    const bool wanted = options.join == KeyJoin::kFlow || (options.join == KeyJoin::kAuto && times_s.size() > 2);
    return wanted && options.mode == InbetweenMode::kDriven;
  }

  void find_displacements(std::span<const std::vector<Vec3>> poses);
  void find_rates();
  void find_modes(double metres);
  Index basis_of(const CurveLines::Line& line, Index most, std::map<std::pair<Index, bool>, Index>& known,
                 std::vector<BeamModes>& all) const;
  void project(const std::vector<BeamModes>& all);
  void count_bytes();
  std::vector<double> deviations_of_modes(const Segment& segment, double t) const;
  std::vector<Vec3f> node_deviations(const CurveMotion::Place& place) const;
  void displace(const CurveMotion::Place& place, std::span<Vec3f> out) const;
  double progress(double t) const { return options.mode == InbetweenMode::kPaper ? t : smooth_step(t); }
};

namespace {

std::vector<FloatMotion> dual_motions(const std::vector<Mat4>& motions) {
  std::vector<FloatMotion> result;
  for (const Mat4& motion : motions) result.push_back(float_motion(motion));
  return result;
}

}  // namespace

void CurveMotion::Data::find_displacements(std::span<const std::vector<Vec3>> poses) {
  double sum = 0;
  for (std::size_t p = 0; p < poses.size(); ++p) {
    std::vector<FloatMotion> motions;
    if (!joints.empty()) motions = dual_motions(joints.motions(joints.poses[p]));
    std::vector<Vec3f>& shape = shapes.emplace_back(rest.size());
    parallel_for(rest.size(), [&](std::size_t v) {
      Vec3f moved = poses[p][v].cast<float>();
      if (!motions.empty()) moved = VertexMotion(rows.of(v), motions).undo(moved);
      shape[v] = moved - rest[v];
    });
    for (const Vec3f& d : shape) sum += d.cast<double>().squaredNorm();
  }
  figures.residual_rms = std::sqrt(sum / std::max<double>(1, static_cast<double>(rest.size() * poses.size())));
}

// Catmull–Rom rates, limited so that no component turns back between two keys. At the ends the motion goes on as it
// begins.
void CurveMotion::Data::find_rates() {
  const std::size_t count = shapes.size();
  rates.assign(count, std::vector<Vec3f>(rest.size(), Vec3f::Zero()));
  const auto end_rates = [&](std::size_t end, std::size_t a, std::size_t inner) {
    const auto duration = static_cast<float>(times_s[a + 1] - times_s[a]);
    parallel_for(rest.size(), [&](std::size_t v) {
      for (int i = 0; i < 3; ++i) {
        const float mean = (shapes[a + 1][v][i] - shapes[a][v][i]) / duration;
        const float rate = count < 3 ? mean : 1.5F * mean - 0.5F * rates[inner][v][i];
        const float most = 3 * std::abs(mean);
        rates[end][v][i] = rate * mean > 0 ? std::clamp(rate, -most, most) : 0;
      }
    });
  };
  for (std::size_t p = 1; p + 1 < count; ++p) {
    const double before = times_s[p] - times_s[p - 1], after = times_s[p + 1] - times_s[p];
    parallel_for(rest.size(), [&](std::size_t v) {
      for (int i = 0; i < 3; ++i) {
        const double a = (shapes[p][v][i] - shapes[p - 1][v][i]) / before;
        const double b = (shapes[p + 1][v][i] - shapes[p][v][i]) / after;
        if (!(a * b > 0)) continue;
        const double mean = (after * a + before * b) / (before + after);
        const double most = 3 * std::min(std::abs(a), std::abs(b));
        rates[p][v][i] = static_cast<float>(std::clamp(mean, -most, most));
      }
    });
  }
  end_rates(0, 0, 1);
  end_rates(count - 1, count - 2, count - 2);
}

Index CurveMotion::Data::basis_of(const CurveLines::Line& line, Index most,
                                  std::map<std::pair<Index, bool>, Index>& known, std::vector<BeamModes>& all) const {
  if (!line.even) {
    all.push_back(uneven_modes(line.spaces, line.closed));
    return static_cast<Index>(all.size() - 1);
  }
  const auto [entry, fresh] = known.try_emplace({line.count, line.closed}, static_cast<Index>(all.size()));
  if (fresh) all.push_back(line.closed ? closed_modes(line.count, most) : open_modes(line.count, options.ends));
  return entry->second;
}

void CurveMotion::Data::find_modes(double metres) {
  std::map<std::pair<Index, bool>, Index> known;
  std::vector<BeamModes> all;
  double shortest = std::numeric_limits<double>::infinity();
  for (const Segment& segment : segments) shortest = std::min(shortest, segment.duration_s);
  const double strip = options.numbers().strip_stiffness();
  // Only the driven mode has a limit to which stiff modes converge.
  double largest = std::numeric_limits<double>::infinity();
  if (options.mode == InbetweenMode::kDriven) largest = flows() ? kMostFlow : options.cutoff;
  figures.slowest_rad = std::numeric_limits<double>::infinity();
  const auto root_of = [&](const CurveLines::Line& line) {
    return std::sqrt(strip) / std::pow(line.length * metres, 2);
  };
  // Loops with as many nodes share their modes: as many as the one with most of them needs, and one to tell the end.
  std::map<Index, Index> needed;
  for (const CurveLines::Line& line : lines.lines) {
    if (!line.closed || !line.even) continue;
    Index& most = needed[line.count];
    most = std::max(most, closed_modes_below(line.count, largest / (root_of(line) * shortest)) + 2);
  }
  for (const CurveLines::Line& line : lines.lines) {
    LineModes own;
    own.basis = basis_of(line, line.closed && line.even ? needed[line.count] : kNone, known, all);
    own.first = rates_of_modes.size();
    const double root = root_of(line);
    const Eigen::VectorXd& turns = all[own.basis].rates;
    for (Eigen::Index k = 0; k < turns.size() && root * turns[k] * shortest < largest; ++k) {
      rates_of_modes.push_back(root * turns[k]);
      ++own.kept;
    }
    for (Eigen::Index k = 0; k < turns.size(); ++k)
      if (turns[k] > 1e-6) {
        figures.slowest_rad = std::min(figures.slowest_rad, root * turns[k] * shortest);
        break;
      }
    modes.push_back(own);
  }
  project(all);
  figures.modes = rates_of_modes.size();
}

void CurveMotion::Data::project(const std::vector<BeamModes>& all) {
  std::vector<Index> most(all.size(), 0);
  for (const LineModes& own : modes) most[own.basis] = std::max(most[own.basis], own.kept);
  for (std::size_t b = 0; b < all.size(); ++b) bases.push_back(all[b].shapes.leftCols(most[b]).cast<float>());
  const auto coefficients = [&](const std::vector<Vec3f>& of, const std::vector<Vec3f>* minus, double scale,
                                std::vector<Vec3f>& out) {
    out.resize(rates_of_modes.size());
    parallel_for(
        modes.size(),
        [&](std::size_t l) {
          const CurveLines::Line& line = lines.lines[l];
          Eigen::MatrixXd d(line.count, 3);
          for (Index i = 0; i < line.count; ++i) {
            Vec3 sum = Vec3::Zero();
            for (Index s = lines.node_offsets[line.first + i]; s < lines.node_offsets[line.first + i + 1]; ++s) {
              const Share& share = lines.node_shares[s];
              Vec3 value = of[share.of].cast<double>();
              if (minus) value -= (*minus)[share.of].cast<double>();
              sum += static_cast<double>(share.weight) * value;
            }
            d.row(i) = scale * sum.transpose();
          }
          const BeamModes& basis = all[modes[l].basis];
          if (!line.closed && line.even && options.ends == CurveEnds::kClamped && line.count >= 3) d -= end_lift(d);
          const Index kept = modes[l].kept;
          const Eigen::MatrixXd c = basis.shapes.leftCols(kept).transpose() * (basis.mass.asDiagonal() * d);
          for (Index k = 0; k < kept; ++k) out[modes[l].first + k] = c.row(k).transpose().cast<float>();
        },
        16);
  };
  for (std::size_t p = 0; p < segments.size(); ++p) {
    coefficients(shapes[p + 1], &shapes[p], 1, segments[p].step);
    if (!flows()) continue;
    coefficients(rates[p], nullptr, segments[p].duration_s, segments[p].rate_in);
    coefficients(rates[p + 1], nullptr, segments[p].duration_s, segments[p].rate_out);
  }
}

void CurveMotion::Data::count_bytes() {
  const auto add = [&](const auto& list) { figures.bytes += list.size() * sizeof(list[0]); };
  for (const auto& shape : shapes) add(shape);
  for (const auto& rate : rates) add(rate);
  for (const Eigen::MatrixXf& basis : bases) figures.bytes += static_cast<std::size_t>(basis.size()) * sizeof(float);
  for (const Segment& segment : segments) add(segment.step), add(segment.rate_in), add(segment.rate_out);
  add(modes), add(rates_of_modes), add(rows.influences), add(lines.vertex_shares), add(lines.node_shares), add(rest);
}

// Per kept mode: how far it is from the common progress, as a share of the step.
std::vector<double> CurveMotion::Data::deviations_of_modes(const Segment& segment, double t) const {
  std::vector<double> result(rates_of_modes.size());
  std::vector<double> values;
  if (options.mode == InbetweenMode::kDriven && options.cutoff <= 50) {
    values.resize(static_cast<std::size_t>(table.size()));
    table.evaluate(t, values);
  }
  const double progress_now = progress(t);
  parallel_for(
      result.size(),
      [&](std::size_t k) {
        const double omega = rates_of_modes[k] * segment.duration_s;
        switch (options.mode) {
          case InbetweenMode::kDriven:
            result[k] = values.empty() ? driven_response(omega, t) - progress_now : table.look_up(values, omega);
            break;
          case InbetweenMode::kDamped:
            result[k] = damped_response(omega, t) - progress_now;
            break;
          case InbetweenMode::kPaper: {
            const std::vector<double> levels = scheme_response(TimeScheme::kImplicit, omega * omega, options.steps);
            const double place = t * options.steps;
            const auto level = std::min(static_cast<std::size_t>(place), levels.size() - 2);
            const double share = place - static_cast<double>(level);
            result[k] = (1 - share) * levels[level] + share * levels[level + 1] - progress_now;
            break;
          }
        }
      },
      256);
  return result;
}

std::vector<Vec3f> CurveMotion::Data::node_deviations(const CurveMotion::Place& place) const {
  std::vector<Vec3f> result(lines.node_count(), Vec3f::Zero());
  const Segment& segment = segments[place.from];
  std::vector<double> shares;
  if (!flows()) shares = deviations_of_modes(segment, place.t);
  const FlowShares common = flows() ? flow_response(kMostFlow, place.t) : FlowShares{};
  parallel_for(
      lines.lines.size(),
      [&](std::size_t l) {
        const CurveLines::Line& line = lines.lines[l];
        const LineModes& own = modes[l];
        const Eigen::MatrixXf& basis = bases[own.basis];
        for (Index k = 0; k < own.kept; ++k) {
          const std::size_t mode = own.first + k;
          Vec3f moved;
          if (flows()) {
            const FlowShares flow =
                flow_response(std::min(rates_of_modes[mode] * segment.duration_s, kMostFlow), place.t);
            moved = static_cast<float>(flow.step - common.step) * segment.step[mode] +
                    static_cast<float>(flow.rate_in - common.rate_in) * segment.rate_in[mode] +
                    static_cast<float>(flow.rate_out - common.rate_out) * segment.rate_out[mode];
          } else {
            moved = static_cast<float>(shares[mode]) * segment.step[mode];
          }
          const float* shape = basis.data() + static_cast<std::size_t>(k) * line.count;
          for (Index i = 0; i < line.count; ++i) result[line.first + i] += shape[i] * moved;
        }
      },
      32);
  return result;
}

void CurveMotion::Data::displace(const CurveMotion::Place& place, std::span<Vec3f> out) const {
  const std::vector<Vec3f> deviations = node_deviations(place);
  const std::vector<Vec3f>&from = shapes[place.from], &to = shapes[place.from + 1];
  const auto progress_now = static_cast<float>(progress(place.t));
  const FlowShares common = flows() ? flow_response(kMostFlow, place.t) : FlowShares{};
  const auto duration = static_cast<float>(segments[place.from].duration_s);
  parallel_for(out.size(), [&](std::size_t v) {
    Vec3f q = from[v];
    if (flows())
      q += static_cast<float>(common.step) * (to[v] - from[v]) +
           duration * (static_cast<float>(common.rate_in) * rates[place.from][v] +
                       static_cast<float>(common.rate_out) * rates[place.from + 1][v]);
    else q += progress_now * (to[v] - from[v]);
    for (Index s = lines.vertex_offsets[v]; s < lines.vertex_offsets[v + 1]; ++s)
      q += lines.vertex_shares[s].weight * deviations[lines.vertex_shares[s].of];
    out[v] = q;
  });
}

CurveMotion::CurveMotion(const Rig& rig, const CurveSet& curves, const JointPoses& joints, const ExamplePoses& poses,
                         const CurveMotionOptions& options)
    : data_(std::make_unique<Data>()) {
  if (poses.positions.size() < 2) throw Error("In-between shapes need at least two poses.");
  for (std::size_t p = 0; p < poses.positions.size(); ++p) {
    if (poses.positions[p].size() != rig.mesh.positions.size())
      throw Error(fmt::format("Pose {} has {} vertices, and the first has {}.", p, poses.positions[p].size(),
                              rig.mesh.positions.size()));
    for (const Vec3& v : poses.positions[p])
      if (!v.allFinite()) throw Error(fmt::format("Pose {} has positions that are not finite.", p));
    if (p > 0 && !(poses.times_s[p] > poses.times_s[p - 1])) throw Error("The times of poses must rise.");
  }
  data_->options = options;
  data_->times_s.assign(poses.times_s.begin(), poses.times_s.end());
  for (const Vec3& v : rig.mesh.positions) data_->rest.push_back(v.cast<float>());
  if (options.mode != InbetweenMode::kPaper) data_->joints = joints;
  data_->rows = motion_rows(rig);
  data_->lines = curve_lines(curves, rig.mesh);
  data_->find_displacements(poses.positions);
  for (std::size_t p = 0; p + 1 < poses.times_s.size(); ++p)
    data_->segments.push_back({poses.times_s[p + 1] - poses.times_s[p], {}, {}, {}});
  if (data_->flows()) data_->find_rates();
  data_->find_modes(poses.metres);
  CurveMotionFigures& figures = data_->figures;
  figures.curves = static_cast<Index>(data_->lines.lines.size());
  figures.nodes = data_->lines.node_count();
  figures.covered = data_->lines.covered;
  data_->count_bytes();
}

CurveMotion::~CurveMotion() = default;
CurveMotion::CurveMotion(CurveMotion&&) noexcept = default;
CurveMotion& CurveMotion::operator=(CurveMotion&&) noexcept = default;

double CurveMotion::start_s() const { return data_->times_s.front(); }
double CurveMotion::end_s() const { return data_->times_s.back(); }
const CurveMotionFigures& CurveMotion::figures() const { return data_->figures; }

CurveMotion::Place CurveMotion::place(double time_s) const {
  const std::vector<double>& times = data_->times_s;
  const auto next = std::upper_bound(times.begin() + 1, times.end() - 1, time_s);
  const auto from = static_cast<Index>(next - times.begin() - 1);
  return {from, std::clamp((time_s - times[from]) / (times[from + 1] - times[from]), 0.0, 1.0)};
}

std::vector<Transform> CurveMotion::joints_at(double time_s) const {
  const Place now = place(time_s);
  if (data_->joints.empty()) return {};
  if (data_->flows()) return data_->joints.through(now.from, now.t, data_->times_s);
  return data_->joints.between(now.from, smooth_step(now.t));
}

std::vector<Vec3f> CurveMotion::displacements(double time_s) const {
  std::vector<Vec3f> result(data_->rest.size());
  data_->displace(place(time_s), result);
  return result;
}

void CurveMotion::evaluate(double time_s, std::span<Vec3f> positions) const {
  const Data& data = *data_;
  data.displace(place(time_s), positions);
  std::vector<FloatMotion> motions;
  if (!data.joints.empty()) motions = dual_motions(data.joints.motions(joints_at(time_s)));
  parallel_for(positions.size(), [&](std::size_t v) {
    const Vec3f moved = data.rest[v] + positions[v];
    positions[v] = motions.empty() ? moved : VertexMotion(data.rows.of(v), motions).apply(moved);
  });
}

}  // namespace sinew::deform
