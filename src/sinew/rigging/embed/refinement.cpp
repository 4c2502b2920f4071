// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/refinement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/rigging/embed/reduction.h"

namespace sinew::rigging {

namespace {

constexpr int kBonePoints = 10;
constexpr double kDeepEnough = 0.05;  ///< Points so deep in the body are as good as medial ones…
constexpr double kDeepFloor = 0.001;  ///< …but for this.
constexpr double kTolerance = 0.003;  ///< What is nearer to the middle than this costs nothing.
constexpr double kGridCell = 0.025;
constexpr double kFirstStep = 5e-4;

/// Points in cubic cells, for the nearest one.
class PointGrid {
 public:
  explicit PointGrid(const std::vector<MedialSample>& samples) : samples_(samples) {
    Vec3 lower = Vec3::Zero(), upper = Vec3::Zero();
    if (!samples.empty()) lower = upper = samples.front().point;
    for (const MedialSample& sample : samples) {
      lower = lower.cwiseMin(sample.point);
      upper = upper.cwiseMax(sample.point);
    }
    lower_ = lower;
    for (int a = 0; a < 3; ++a) counts_[a] = static_cast<int>((upper[a] - lower[a]) / kGridCell) + 1;
    offsets_.assign(static_cast<std::size_t>(counts_[0]) * counts_[1] * counts_[2] + 1, 0);
    for (const MedialSample& sample : samples) ++offsets_[cell_of(sample.point) + 1];
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    items_.resize(samples.size());
    std::vector<Index> next(offsets_.begin(), offsets_.end() - 1);
    for (Index i = 0; i < samples.size(); ++i) items_[next[cell_of(samples[i].point)]++] = i;
  }

  /// The nearest sample closer than `reach`, which becomes its distance; kNone if there is none.
  Index nearest(const Vec3& p, double& reach) const {
    Index found = kNone;
    if (items_.empty()) return found;
    std::array<int, 3> center = {};
    for (int a = 0; a < 3; ++a) {
      center[a] = std::clamp(static_cast<int>(std::floor((p[a] - lower_[a]) / kGridCell)), 0, counts_[a] - 1);
    }
    const int rings = std::max({counts_[0], counts_[1], counts_[2]});
    double best = reach * reach;
    for (int ring = 0; ring < rings; ++ring) {
      // Cells of this ring lie at least ring − 1 cells away from the point (clamping only brings the centre closer to
      // them).
      const double away = (ring - 1) * kGridCell;
      if (away > 0 && away * away >= best) break;
      look_in_ring(p, center, ring, best, found);
    }
    reach = std::sqrt(best);
    return found;
  }

 private:
  std::size_t cell_of(const Vec3& p) const {
    std::array<int, 3> c = {};
    for (int a = 0; a < 3; ++a) c[a] = std::clamp(static_cast<int>((p[a] - lower_[a]) / kGridCell), 0, counts_[a] - 1);
    return index(c[0], c[1], c[2]);
  }

  std::size_t index(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts_[1]) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(counts_[0]) +
           static_cast<std::size_t>(x);
  }

  void look_in_ring(const Vec3& p, const std::array<int, 3>& center, int ring, double& best, Index& found) const {
    for (int z = std::max(center[2] - ring, 0); z <= std::min(center[2] + ring, counts_[2] - 1); ++z) {
      for (int y = std::max(center[1] - ring, 0); y <= std::min(center[1] + ring, counts_[1] - 1); ++y) {
        const bool face = std::abs(z - center[2]) == ring || std::abs(y - center[1]) == ring;
        for (int x = center[0] - ring; x <= center[0] + ring; x += face || ring == 0 ? 1 : 2 * ring) {
          if (x >= 0 && x < counts_[0]) look_in_cell(p, index(x, y, z), best, found);
        }
      }
    }
  }

  void look_in_cell(const Vec3& p, std::size_t cell, double& best, Index& found) const {
    for (Index k = offsets_[cell]; k < offsets_[cell + 1]; ++k) {
      const double distance = (samples_[items_[k]].point - p).squaredNorm();
      if (distance > best || (distance == best && items_[k] > found)) continue;
      best = distance;
      found = items_[k];
    }
  }

  const std::vector<MedialSample>& samples_;
  Vec3 lower_ = Vec3::Zero();
  std::array<int, 3> counts_ = {1, 1, 1};
  std::vector<Index> offsets_, items_;
};

/// The derivative of `geometry::sample`, within a cell; outside the grid that of the way to it alone along the axes on
/// which the point lies outside.
Vec3 sample_gradient(const DistanceField& field, const Vec3& point) {
  std::array<std::size_t, 3> low = {};
  Vec3 t = Vec3::Zero(), outside = Vec3::Zero();
  for (int a = 0; a < 3; ++a) {
    const double last = static_cast<double>(field.samples[a]) - 1;
    const double at = (point[a] - field.origin[a]) / field.cell;
    const double inside = std::clamp(at, 0.0, last);
    outside[a] = at - inside;
    const double cell = std::clamp(std::floor(inside), 0.0, std::max(last - 1, 0.0));
    low[a] = static_cast<std::size_t>(cell);
    t[a] = inside - cell;
  }
  const std::size_t row = field.samples[0], slice = row * field.samples[1];
  Vec3 gradient = Vec3::Zero();
  for (unsigned corner = 0; corner < 8; ++corner) {
    Vec3 share, slope;
    std::size_t index = 0;
    for (int a = 0; a < 3; ++a) {
      const std::size_t up = (corner >> a) & 1;
      share[a] = up ? t[a] : 1 - t[a];
      slope[a] = up ? 1 : -1;
      const std::size_t c = std::min<std::size_t>(low[a] + up, field.samples[a] - 1);
      index += c * (a == 0 ? 1 : a == 1 ? row : slice);
    }
    const double value = field.values[index];
    for (int a = 0; a < 3; ++a) gradient[a] += value * slope[a] * share[(a + 1) % 3] * share[(a + 2) % 3];
  }
  gradient /= field.cell;
  if (const double way = outside.norm(); way > 0) {
    for (int a = 0; a < 3; ++a) {
      if (outside[a] != 0) gradient[a] = outside[a] / way;
    }
  }
  return gradient;
}

/// A step along a line on which the objective is lower than at `value`; nothing moves if none is found.
template <class Evaluate>
double line_search(double value, double first_step, std::vector<Vec3>& places, std::span<const Index> moved,
                   const std::vector<Vec3>& direction, Evaluate&& evaluate) {
  std::vector<Vec3> start;
  for (const Index j : moved) start.push_back(places[j]);
  const auto go = [&](double step) {
    for (std::size_t k = 0; k < moved.size(); ++k) places[moved[k]] = start[k] + step * direction[moved[k]];
    return evaluate(places);
  };
  double step = first_step, best_step = 0, best = value;
  for (int halvings = 0; halvings < 12 && best_step == 0; ++halvings) {
    if (const double there = go(step); there < best) best = there, best_step = step;
    else step *= 0.5;
  }
  // Doubling has a meaning only if the first step was good: after halving the next larger one is known to be bad.
  for (step = 2 * first_step; best_step * 2 == step && step < 1e6 * first_step; step *= 2) {
    const double there = go(step);
    if (!(there < best)) break;
    best = there, best_step = step;
  }
  for (std::size_t k = 0; k < moved.size(); ++k) {
    places[moved[k]] = best_step > 0 ? Vec3(start[k] + best_step * direction[moved[k]]) : start[k];
  }
  return best;
}

}  // namespace

struct RefinementObjective::Prepared {
  struct Target {
    Vec3 bone = Vec3::Zero();  ///< The template's, in the interior's frame and unit.
    Index partner = kNone;     ///< A bone.
  };

  Prepared(const Interior& body, const std::vector<MedialSample>& samples, const RefinementOptions& o)
      : interior(body), medial(samples), grid(samples), options(o) {}

  const Interior& interior;
  const std::vector<MedialSample>& medial;
  PointGrid grid;
  RefinementOptions options;
  std::vector<Bone> bones;
  std::vector<Target> targets;
  std::vector<Index> all;  ///< 0, 1, 2, … bones.

  /// s² of a point, and its gradient.
  double misplacement(const Vec3& p, Vec3* gradient) const {
    const double depth = -geometry::sample(interior.depth, p);
    const double shallow = kDeepFloor + std::max(0.0, kDeepEnough - depth);
    if (shallow <= kTolerance) return 0;
    double s = shallow;
    const Index nearest = grid.nearest(p, s);
    if (s <= kTolerance) return 0;
    if (gradient && nearest != kNone && s < shallow) *gradient = 2 * (p - medial[nearest].point);
    else if (gradient) *gradient = 2 * s * sample_gradient(interior.depth, p);
    return s * s;
  }

  double along_squared(const std::vector<Vec3>& places, Index b) const {
    const double along = (places[bones[b].joint] - places[bones[b].parent]).dot(targets[b].bone);
    return along * along / targets[b].bone.squaredNorm();
  }

  /// Adds a gradient with respect to the bone's vector.
  void add(std::vector<Vec3>* gradient, Index b, const Vec3& g) const {
    if (!gradient) return;
    (*gradient)[bones[b].joint] += g;
    (*gradient)[bones[b].parent] -= g;
  }

  /// The gradient of `along_squared` with respect to the bone's vector.
  Vec3 along_gradient(const std::vector<Vec3>& places, Index b) const {
    const Vec3& t = targets[b].bone;
    return 2 * (places[bones[b].joint] - places[bones[b].parent]).dot(t) / t.squaredNorm() * t;
  }

  double surface(const std::vector<Vec3>& places, Index b, std::vector<Vec3>* gradient) const {
    double sum = 0;
    for (int k = 0; k < kBonePoints; ++k) {
      const double t = static_cast<double>(k) / (kBonePoints - 1);
      const Vec3 p = (1 - t) * places[bones[b].parent] + t * places[bones[b].joint];
      Vec3 g = Vec3::Zero();
      sum += misplacement(p, gradient ? &g : nullptr);
      if (!gradient) continue;
      const double weight = options.surface / kBonePoints;
      (*gradient)[bones[b].joint] += weight * t * g;
      (*gradient)[bones[b].parent] += weight * (1 - t) * g;
    }
    return options.surface * sum / kBonePoints;
  }

  double length(const std::vector<Vec3>& places, Index b, std::vector<Vec3>* gradient) const {
    const double above = 1e-4 + targets[b].bone.squaredNorm(), below = 1e-4 + along_squared(places, b);
    if (above / below <= 0.5) return options.length * 0.5;
    add(gradient, b, -options.length * above / (below * below) * along_gradient(places, b));
    return options.length * above / below;
  }

  double angle(const std::vector<Vec3>& places, Index b, std::vector<Vec3>* gradient) const {
    const Vec3 e = places[bones[b].joint] - places[bones[b].parent];
    const Vec3& t = targets[b].bone;
    const double theta = std::atan2(e.cross(t).norm(), e.dot(t));
    const double factor = options.angle * (e.dot(t) < 0 ? 10 : 1), base = 0.3 + 0.5 * theta;
    if (gradient && e.squaredNorm() > 0) {
      const Vec3 across = t - e * (e.dot(t) / e.squaredNorm());  // Towards the template's direction.
      if (const double size = across.norm(); size > 0) {
        add(gradient, b, -factor * 1.5 * base * base / (size * e.norm()) * across);
      }
    }
    return factor * base * base * base;
  }

  double symmetry(const std::vector<Vec3>& places, Index b, std::vector<Vec3>* gradient) const {
    const Index s = targets[b].partner;
    if (s == kNone) return 0;
    const double own = along_squared(places, b), other = along_squared(places, s);
    const double longer = own / (1e-3 + other), shorter = other / (1e-3 + own);
    if (std::max(longer, shorter) <= 1.05) return options.symmetry * 1.05;
    if (longer >= shorter) {
      add(gradient, b, options.symmetry / (1e-3 + other) * along_gradient(places, b));
      add(gradient, s, -options.symmetry * longer / (1e-3 + other) * along_gradient(places, s));
      return options.symmetry * longer;
    }
    add(gradient, s, options.symmetry / (1e-3 + own) * along_gradient(places, s));
    add(gradient, b, -options.symmetry * shorter / (1e-3 + own) * along_gradient(places, b));
    return options.symmetry * shorter;
  }

  double sum(const std::vector<Vec3>& places, std::span<const Index> which, std::vector<Vec3>* gradient) const {
    if (gradient) gradient->assign(places.size(), Vec3::Zero());
    double total = 0;
    for (const Index b : which) {
      total += surface(places, b, gradient) + length(places, b, gradient);
      total += angle(places, b, gradient) + symmetry(places, b, gradient);
    }
    return total;
  }

  /// Which bones feel each one's moving.
  void connect() {
    for (Index b = 0; b < bones.size(); ++b) {
      all.push_back(b);
      const auto meets = [&](Index c) {
        return bones[c].joint == bones[b].joint || bones[c].parent == bones[b].joint ||
               bones[c].joint == bones[b].parent || bones[c].parent == bones[b].parent;
      };
      for (Index c = 0; c < bones.size(); ++c) {
        if (meets(c) || (targets[c].partner != kNone && meets(targets[c].partner))) bones[b].touched.push_back(c);
      }
    }
  }
};

RefinementObjective::RefinementObjective(const Template& skeleton_template, const Interior& interior,
                                         const std::vector<MedialSample>& samples, const Mat3& turn,
                                         double template_scale, const RefinementOptions& options)
    : prepared_(std::make_unique<Prepared>(interior, samples, options)) {
  const std::vector<Template::Joint>& joints = skeleton_template.joints;
  std::vector<Index> bone_of(joints.size(), kNone);
  for (Index j = 0; j < joints.size(); ++j) {
    const Index parent = takes_part(joints[j]) ? embedded_parent(skeleton_template, j) : kNone;
    if (parent == kNone) continue;
    bone_of[j] = static_cast<Index>(prepared_->bones.size());
    prepared_->bones.push_back({j, parent, {}});
    const Vec3 bone = template_scale * (joints[j].position - joints[parent].position);
    prepared_->targets.push_back({turn.transpose() * bone, kNone});
  }
  for (std::size_t b = 0; b < prepared_->bones.size(); ++b) {
    const Index partner = joints[prepared_->bones[b].joint].partner;
    if (partner != kNone && partner != prepared_->bones[b].joint) prepared_->targets[b].partner = bone_of[partner];
  }
  prepared_->connect();
}

RefinementObjective::~RefinementObjective() = default;
RefinementObjective::RefinementObjective(RefinementObjective&&) noexcept = default;
RefinementObjective& RefinementObjective::operator=(RefinementObjective&&) noexcept = default;

double RefinementObjective::value(const std::vector<Vec3>& places) const {
  return prepared_->sum(places, prepared_->all, nullptr);
}

double RefinementObjective::value(const std::vector<Vec3>& places, std::vector<Vec3>& gradient) const {
  return prepared_->sum(places, prepared_->all, &gradient);
}

const std::vector<RefinementObjective::Bone>& RefinementObjective::bones() const { return prepared_->bones; }

double RefinementObjective::value(const std::vector<Vec3>& places, std::span<const Index> bones) const {
  return prepared_->sum(places, bones, nullptr);
}

double RefinementObjective::value(const std::vector<Vec3>& places, std::span<const Index> bones,
                                  std::vector<Vec3>& gradient) const {
  return prepared_->sum(places, bones, &gradient);
}

Refined refine(const RefinementObjective& objective, std::vector<Vec3> places, const RefinementOptions& options) {
  std::vector<Index> joints, bones(objective.bones().size());
  std::iota(bones.begin(), bones.end(), Index{0});
  for (const RefinementObjective::Bone& bone : objective.bones()) {
    joints.push_back(bone.joint);
    joints.push_back(bone.parent);
  }
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());

  std::vector<Vec3> gradient;
  const auto descend = [&](std::span<const Index> moved, std::span<const Index> touched) {
    const double value = objective.value(places, touched, gradient);
    double squared = 0;
    for (const Index j : moved) squared += gradient[j].squaredNorm();
    if (!(squared > 0)) return;
    for (const Index j : moved) gradient[j] *= -1 / std::sqrt(squared);
    line_search(value, kFirstStep, places, moved, gradient,
                [&](const std::vector<Vec3>& there) { return objective.value(there, touched); });
  };

  Refined result;
  result.before = objective.value(places);
  const std::vector<Vec3> given = places;
  for (int round = 0; round < options.rounds; ++round) {
    descend(joints, bones);
    descend(joints, bones);
    for (const RefinementObjective::Bone& bone : objective.bones()) {
      descend(std::array<Index, 2>{bone.joint, bone.parent}, bone.touched);
    }
  }
  result.after = objective.value(places);
  result.places = std::move(places);
  if (result.after > result.before) {  // Sums of parts fell, but rounding of the whole did not.
    result.places = given;
    result.after = result.before;
  }
  return result;
}

}  // namespace sinew::rigging
