// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd.h"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"
#include "sinew/deform/blend/dqs.h"
#include "sinew/deform/blend/lbs.h"
#include "sinew/deform/blend/twist_field.h"
#include "sinew/deform/pbd/far_twist.h"
#include "sinew/deform/pbd/joint_options.h"
#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/pbd_paper.h"
#include "sinew/deform/pbd/pbd_store.h"
#include "sinew/deform/pbd/pbd_system.h"
#include "sinew/deform/pbd/rigid_parts.h"
#include "sinew/deform/pbd/skin_fit.h"
#include "sinew/deform/pbd/skin_volume.h"
#include "sinew/deform/pbd/soft_body.h"
#include "sinew/deform/pbd/soft_skin.h"
#include "sinew/deform/pbd/tissues.h"
#include "sinew/deform/pbd/turned_normals.h"
#include "sinew/deform/pose_limits.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/geometry/voxels/tets.h"

namespace sinew::deform {
namespace {

constexpr float kEvenOut = 0.3F;  ///< How far a correction goes towards the mean of its neighbours' in one round.

/// The particles as a rig of their own, so that the base method moves them as it moves the skin.
Rig particle_rig(const Rig& rig, const PbdBody& body) {
  Rig particles;
  particles.skeleton = rig.skeleton;
  particles.mesh.positions = body.tets.positions;
  for (const auto& triangle : geometry::tet_surface(body.tets)) particles.mesh.add_face(triangle);
  MeshPart part;
  part.vertex_count = particles.mesh.vertex_count();
  part.face_count = particles.mesh.face_count();
  part.skin = 0;
  particles.mesh.parts.push_back(part);
  particles.weights = body.weights;
  Skin skin;
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    skin.joints.push_back(j);
    skin.inverse_bind.push_back(body.bind[j].inverse());
  }
  particles.skins.push_back(std::move(skin));
  return particles;
}

/// Particles belong to the bone of the nearest vertex, at their own place along it.
Segmentation particle_owners(const Rig& rig, const PbdBody& body, const Segmentation& skin) {
  Segmentation owners;
  owners.segments = skin.segments;
  const geometry::RayScene scene(rig.mesh);
  const std::vector<Triangle> triangles = triangulate(rig.mesh);
  const std::vector<geometry::ClosestPoint> closest = scene.closest_points(body.tets.positions);
  const auto place = [&](Index j) { return Vec3(body.bind[j].topRightCorner<3, 1>()); };
  for (std::size_t p = 0; p < body.tets.positions.size(); ++p) {
    Eigen::Index nearest = 0;
    closest[p].barycentric.maxCoeff(&nearest);
    const Index vertex = triangles[closest[p].triangle].vertices[static_cast<std::size_t>(nearest)];
    const Index owner = skin.owner[vertex];
    double along = skin.along[vertex];
    if (owner != kNone) {
      const auto& segment = skin.segments[owner];
      if (segment.child != kNone) {
        const Vec3 way = place(segment.child) - place(segment.joint);
        if (way.squaredNorm() > 0) along = (body.tets.positions[p] - place(segment.joint)).dot(way) / way.squaredNorm();
      }
    }
    owners.owner.push_back(owner);
    owners.along.push_back(static_cast<float>(along));
  }
  return owners;
}

/// The joint of the most particles; of equals the first.
Index busiest_joint(const PbdBody& body) {
  std::vector<Index> counts(body.bind.size(), 0);
  for (const Index joint : body.owner)
    if (joint != kNone) ++counts[joint];
  return static_cast<Index>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

/// Factors per joint; empty if no joint is named.
std::vector<double> stiffness_of_joints(const Skeleton& skeleton, const std::map<std::string, double>& by_name) {
  std::vector<double> factors;
  if (by_name.empty()) return factors;
  factors.assign(skeleton.joints.size(), 1.0);
  for (const auto& [name, factor] : by_name) factors[named_joint(skeleton, name, "stiffness")] = factor;
  return factors;
}

/// What the options come to: the paper's mode starts from linear blending and has no last step. \throws Error for an
/// option that it does not have.
PbdOptions chosen_options(PbdOptions options) {
  if (options.mode != PbdMode::kPaper) return options;
  const PbdOptions usual;
  const auto refuse = [](bool given, const char* option) {
    if (given)
      throw Error(
          fmt::format("The option '{}' has no effect in the mode 'paper', which uses the constraints as "
                      "printed, all of them hard. Leave it out, or use the mode 'improved'.",
                      option));
  };
  refuse(options.material != usual.material, "elasticity");
  refuse(options.stretch != usual.stretch, "stretch");
  refuse(options.bone_distance != usual.bone_distance, "bone_distance");
  refuse(options.volume != usual.volume, "volume");
  refuse(options.skin_fit != usual.skin_fit && options.skin_fit != 0, "skin_fit");
  refuse(options.skin_volume != usual.skin_volume && options.skin_volume != 0, "skin_volume");
  refuse(!options.stiffness.empty(), "stiffness");
  refuse(!options.materials.empty(), "materials");
  refuse(options.dynamics, "dynamics");
  if (options.base == PbdBase::kAuto) options.base = PbdBase::kLbs;
  options.skin_fit = 0;
  options.skin_volume = 0;
  return options;
}

bool spreads_twists(PbdBase base) { return base == PbdBase::kAuto || base == PbdBase::kSlbs; }

PbdBodyOptions body_options(const PbdOptions& options) { return {options.tets, options.area == PbdArea::kBody}; }

/// The prepared body, or a new one where there is none that fits.
PbdBody body_of(const Rig& rig, const MethodInputs& inputs, const PbdOptions& options, const Progress& progress) {
  if (!inputs.prepared.empty())
    if (auto body = read_pbd_body(inputs.prepared, rig.mesh.vertex_count(), rig.skeleton.size()))
      return *std::move(body);
  return make_pbd_body(rig, body_options(options), progress);
}

class Pbd : public Deformer {
 public:
  Pbd(const Rig& rig, const MethodInputs& inputs, const PbdOptions& options, const Progress& progress)
      : rounds_(options.even_out), fit_rounds_(options.skin_fit), skin_volume_(options.skin_volume) {
    PbdSettings settings;
    const TissueMap tissues(rig, options.materials, inputs.tissues);
    settings.joint_stiffness = stiffness_of_joints(rig.skeleton, options.stiffness);
    body_ = body_of(rig, inputs, options, progress);
    const bool known = inputs.segmentation != nullptr && !inputs.segmentation->owner.empty();
    const PbdBase base = options.base == PbdBase::kAuto && !known ? PbdBase::kLbs : options.base;
    // Skin and tetrahedra spread the same twists.
    std::vector<float> twist_factors(inputs.twist_factors.begin(), inputs.twist_factors.end());
    if (spreads_twists(base) && twist_factors.empty() && options.slbs.spread_twists == SpreadTwists::kLimbs)
      twist_factors = limb_twists(rig, *inputs.segmentation);
    skin_ = bind_base(base, rig, inputs.segmentation, options.slbs, twist_factors, progress);
    if (body_.tets.tets.empty() || inputs.without_correction) return;
    particles_rig_ = particle_rig(rig, body_);
    Segmentation owners;
    const bool spreads = spreads_twists(base);
    if (spreads) owners = particle_owners(rig, body_, *inputs.segmentation);
    // There is no surface inside on which a harmonic share could be solved.
    particles_ = bind_base(base, particles_rig_, &owners, {TwistShare::kDelta, options.slbs.spread_twists},
                           twist_factors, progress);
    if (spreads)
      twists_ =
          std::make_unique<FarTwists>(rig.skeleton, *inputs.segmentation, body_.bind, rig.mesh.size(), twist_factors);
    spreads_all_ = base == PbdBase::kSlbs;
    settings.material = options.material;
    settings.sweeps = options.sweeps;
    settings.stretch = options.stretch;
    settings.bind = options.bone_distance;
    settings.volume = options.volume;
    settings.energy = options.energy;
    if (!tissues.plain())
      for (const Tissue& tissue : tissues.of_particles(body_)) settings.particle_stiffness.push_back(tissue.stiffness);
    settings.smoothings = 2;  // The last steps of a sweep alternate from particle to particle.
    system_ = std::make_unique<PbdSystem>(body_, settings);
    sweeps_ = options.sweeps;
    energy_ = options.energy;
    if (options.mode == PbdMode::kPaper) paper_ = std::make_unique<PbdPaper>(body_);
    for (const Mat4& frame : body_.bind) inverse_bind_.push_back(frame.inverse());
    reference_ = busiest_joint(body_);
    prepare_skin(rig, spreads ? inputs.segmentation : nullptr);
    if (inputs.limits != nullptr) limits_ = *inputs.limits;
    if (options.dynamics)
      soft_ = std::make_unique<SoftSkin>(rig, body_, tissues.of_particles(body_, bony_by_name(rig.skeleton)), options);
    if (!tissues.plain()) rigid_ = std::make_unique<RigidParts>(rig, tissues);
  }

  bool needs_history() const override { return soft_ != nullptr; }

  class PbdState : public State {
   public:
    std::unique_ptr<State> skin, particles;
    std::vector<Vec3f> predicted, corrections, on_skin, next;
    std::vector<Vec3f> flat_before, flat_after;
    ModelPose pose;             ///< As seen from the reference joint.
    std::vector<Mat4> motions;  ///< From binding to there.
    Mat3 turn;                  ///< And from there to model space.
    Vec3 move;
    PbdSystem::Scratch scratch;
    SkinVolume::Scratch volumes;
    std::vector<Vec3f> unposed;
    SkinFit::Scratch fit;
    FarTwists::Frame twists;
    std::vector<float> all_factors, factors;  ///< Per vertex of the mesh, and per moved one; empty without limits.
    PoseLimits::Scratch limits;
    SoftSkin::State soft;
    RigidParts::Scratch rigid;
    std::vector<Mat4> model_motions;  ///< From binding to model space.
  };

  std::unique_ptr<State> make_state() const override {
    auto state = std::make_unique<PbdState>();
    state->skin = skin_->make_state();
    if (particles_) state->particles = particles_->make_state();
    return state;
  }

  void deform(State& any, const FrameInput& input, const FrameOutput& output) const override {
    auto& state = static_cast<PbdState&>(any);
    skin_->deform(*state.skin, input, output);
    if (!system_) {
      if (output.report)
        output.report->findings.push_back(
            {"pbd.no_inside", "", "The skin encloses no volume to fill. Only the base method deforms it."});
      return;
    }
    if (system_->islands() == 0 && !soft_ && !rigid_) return;
    relax(state, input, output.report);
    if (system_->islands() > 0) correct(state, input, output);
    if (rigid_) stiffen(state, input, output);
    if (soft_) swing(state, input, output);
  }

  std::vector<Overlay> overlays(State& any, const FrameInput& input) const override {
    if (!system_) return {};
    auto& state = static_cast<PbdState&>(any);
    relax(state, input, nullptr);
    const auto place = [&](Index p) {
      return Vec3(state.turn * (state.predicted[p] + state.corrections[p]).cast<double>() + state.move);
    };
    Overlay tets{"tets", Vec4f(0.35F, 0.55F, 0.9F, 1), {}, {}, {}, {}, {}};
    Overlay inverted{"inverted", Vec4f(0.9F, 0.15F, 0.1F, 1), {}, {}, {}, {}, {}};
    Overlay areas{"areas", Vec4f(1, 0.55F, 0.1F, 1), {}, {}, {}, {}, {}};
    for (const auto& t : geometry::tet_surface(body_.tets)) {
      for (std::size_t k = 0; k < 3; ++k)
        if (t[k] < t[(k + 1) % 3]) tets.lines.push_back({place(t[k]), place(t[(k + 1) % 3])});
      if (std::any_of(t.begin(), t.end(), [&](Index p) { return body_.free[p] != 0; }))
        areas.triangles.push_back({place(t[0]), place(t[1]), place(t[2])});
    }
    for (const auto& t : body_.tets.tets) {
      const Vec3 a = place(t[0]);
      if ((place(t[1]) - a).cross(place(t[2]) - a).dot(place(t[3]) - a) > 0) continue;
      inverted.points.push_back(0.25 * (a + place(t[1]) + place(t[2]) + place(t[3])));
    }
    return {std::move(tets), std::move(inverted), std::move(areas)};
  }

 private:
  /// Adds the corrections to what the base method gives.
  void correct(PbdState& state, const FrameInput& input, const FrameOutput& output) const {
    carry(state);
    fit_skin(state);
    limit(state, input);
    keep_volume(state, input, output.positions);
    if (!output.normals.empty()) normals_.measure(output.positions, state.flat_before);
    for (std::size_t w = 0; w < moved_.size(); ++w)
      for (const Index v : copies_[w]) output.positions[v] += state.on_skin[w];
    if (smoothing_) smoothing_->smooth(output.positions, rounds_);
    if (output.normals.empty()) return;
    normals_.measure(output.positions, state.flat_after);
    normals_.turn(state.flat_before, state.flat_after, output.normals);
  }

  /// Parts of bone keep their shape.
  void stiffen(PbdState& state, const FrameInput& input, const FrameOutput& output) const {
    model_motions(state, input);
    unpose(state, input, output.positions.size());
    rigid_->apply(state.rigid, state.unposed, state.model_motions, std::cbrt(state.turn.determinant()),
                  output.positions, output.normals);
  }

  void model_motions(PbdState& state, const FrameInput& input) const {
    state.model_motions.resize(inverse_bind_.size());
    for (std::size_t j = 0; j < inverse_bind_.size(); ++j)
      state.model_motions[j] = input.pose.joints[j] * inverse_bind_[j];
  }

  /// The skin at binding, with the morphs of the frame.
  void unpose(PbdState& state, const FrameInput& input, std::size_t vertices) const {
    state.unposed.resize(vertices);
    state.pose.morph_weights = input.pose.morph_weights;
    state.pose.joints = body_.bind;
    state.pose.twist_rad.clear();
    skin_->deform(*state.skin, {state.pose}, {state.unposed, {}, nullptr});
  }

  /// Adds the secondary motion, in model space.
  void swing(PbdState& state, const FrameInput& input, const FrameOutput& output) const {
    state.soft.targets.resize(state.predicted.size());
    parallel_for(state.predicted.size(), [&](std::size_t p) {
      state.soft.targets[p] = state.turn * (state.predicted[p] + state.corrections[p]).cast<double>() + state.move;
    });
    model_motions(state, input);
    soft_->deform(state.soft, state.model_motions, input.dt_s, output.positions, output.normals);
    if (output.report) output.report->energy_taken_back = state.soft.motion.taken_back;
  }

  std::unique_ptr<Deformer> bind_base(PbdBase base, const Rig& rig, const Segmentation* segmentation,
                                      const SlbsOptions& slbs, std::span<const float> twist_factors,
                                      const Progress& progress) const {
    switch (base) {
      case PbdBase::kAuto:
        return bind_far_twist(rig, *segmentation, slbs, body_.bind, progress, twist_factors);
      case PbdBase::kLbs:
        return bind_lbs(rig, progress);
      case PbdBase::kDqs:
        return bind_dqs(rig, progress);
      case PbdBase::kSlbs:
        return bind_slbs(rig, *segmentation, slbs, progress, twist_factors);
    }
    return nullptr;
  }

  /// Welded vertices that ride on tetrahedra, their neighbours among themselves, and how much of a correction may be
  /// evened out.
  void prepare_skin(const Rig& rig, const Segmentation* spread) {
    const geometry::Welding welding = geometry::weld(rig.mesh);
    std::vector<Index> moved_number(welding.count(), kNone);
    for (const PbdBody::Rider& rider : body_.riders) {
      const Index w = welding.welded[rider.vertex];
      if (moved_number[w] == kNone) {
        moved_number[w] = static_cast<Index>(moved_.size());
        moved_.push_back(rider);
        copies_.emplace_back();
      }
    }
    for (Index v = 0; v < welding.welded.size(); ++v)
      if (moved_number[welding.welded[v]] != kNone) copies_[moved_number[welding.welded[v]]].push_back(v);
    const geometry::Lists rings = geometry::one_rings(rig.mesh, &welding);
    ring_offsets_.push_back(0);
    even_.assign(moved_.size(), 0);
    for (std::size_t m = 0; m < moved_.size(); ++m) {
      const auto ring = rings[welding.welded[moved_[m].vertex]];
      even_[m] = kEvenOut * density(rig.mesh, welding, moved_[m].vertex, ring);
      for (const Index other : ring) {
        if (moved_number[other] == kNone) even_[m] = 0;  // Beside what does not move at all.
        else ring_items_.push_back(moved_number[other]);
      }
      if (ring.empty()) even_[m] = 0;
      ring_offsets_.push_back(static_cast<Index>(ring_items_.size()));
    }
    if (paper_) {
      std::vector<Index> chosen;
      for (const PbdBody::Rider& rider : moved_) chosen.push_back(welding.welded[rider.vertex]);
      smoothing_ = std::make_unique<PbdPaperSmoothing>(rig.mesh, welding, chosen);
    }
    if (fit_rounds_ > 0) fit_ = std::make_unique<SkinFit>(rig, body_, welding, moved_number);
    if (skin_volume_ > 0) volume_ = std::make_unique<SkinVolume>(rig, welding, moved_number, body_.bind, spread);
    normals_ = TurnedNormals(rig.mesh, welding, moved_number);
  }

  /// 1 where the skin's edges are no longer than cells, so that facets of tetrahedra would show on it; falls with the
  /// square of their length beyond: on a coarse skin a ring spans a limb, and evening out would take away what was won.
  float density(const Mesh& mesh, const geometry::Welding& welding, Index vertex, std::span<const Index> ring) const {
    double sum = 0;
    for (const Index other : ring) sum += (mesh.positions[vertex] - mesh.positions[welding.first[other]]).squaredNorm();
    if (!(sum > 0)) return 1;
    return static_cast<float>(std::min(1.0, body_.cell * body_.cell * static_cast<double>(ring.size()) / sum));
  }

  /// Solves as the joint that moves most of the body sees it: where the character stands, how it is turned and how
  /// large it is then makes no difference, and numbers stay small.
  void relax(PbdState& state, const FrameInput& input, FrameReport* report) const {
    state.predicted.resize(body_.tets.positions.size());
    state.corrections.resize(body_.tets.positions.size());
    const Mat4 whole = input.pose.joints[reference_] * inverse_bind_[reference_];
    const double size = std::cbrt(std::abs(whole.topLeftCorner<3, 3>().determinant()));
    state.turn = (size > 0 ? size : 1.0) * polar(whole.topLeftCorner<3, 3>()).rotation;
    state.move = whole.topRightCorner<3, 1>();
    Mat4 back = Mat4::Identity();
    back.topLeftCorner<3, 3>() = state.turn.inverse();
    back.topRightCorner<3, 1>() = -(back.topLeftCorner<3, 3>() * state.move);
    state.pose = input.pose;
    for (Mat4& joint : state.pose.joints) joint = back * joint;
    particles_->deform(*state.particles, {state.pose, input.time_s, input.dt_s}, {state.predicted, {}, nullptr});
    state.motions.resize(inverse_bind_.size());
    for (std::size_t j = 0; j < inverse_bind_.size(); ++j) state.motions[j] = state.pose.joints[j] * inverse_bind_[j];
    if (paper_) {
      state.corrections = paper_->corrections(state.predicted, state.motions, sweeps_, energy_);
      return;
    }
    const PbdSystem::Outcome outcome = system_->solve(state.scratch, state.predicted, state.motions, state.corrections);
    if (report == nullptr || outcome.islands_given_up == 0) return;
    report->fallback_vertices += moved_.size();
    report->findings.push_back(
        {"pbd.given_up", "",
         fmt::format("{} joint areas out of {} did not converge. Only the base method deforms them.",
                     outcome.islands_given_up, system_->islands())});
  }

  /// Corrections of the particles, on the skin, evened out.
  void carry(PbdState& state) const {
    state.on_skin.resize(moved_.size());
    state.next.resize(moved_.size());
    parallel_for(moved_.size(), [&](std::size_t m) {
      Vec3f sum = Vec3f::Zero();
      for (std::size_t k = 0; k < 4; ++k) sum += moved_[m].shares[k] * state.corrections[moved_[m].corners[k]];
      state.on_skin[m] = sum;
    });
    for (int round = 0; round < rounds_ && !smoothing_; ++round) {
      parallel_for(moved_.size(), [&](std::size_t m) {
        const Index begin = ring_offsets_[m], end = ring_offsets_[m + 1];
        state.next[m] = state.on_skin[m];
        if (even_[m] == 0 || begin == end) return;
        Vec3f mean = Vec3f::Zero();
        for (Index i = begin; i < end; ++i) mean += state.on_skin[ring_items_[i]];
        mean /= static_cast<float>(end - begin);
        state.next[m] += even_[m] * (mean - state.on_skin[m]);
      });
      std::swap(state.on_skin, state.next);
    }
  }

  static bool has_morphs(const FrameInput& input) {
    const auto& morphs = input.pose.morph_weights;
    return std::any_of(morphs.begin(), morphs.end(), [](const std::vector<double>& weights) {
      return std::any_of(weights.begin(), weights.end(), [](double weight) { return weight != 0; });
    });
  }

  /// Fits the skin to the surface of the tetrahedra, and turns its corrections to model space.
  void fit_skin(PbdState& state) const {
    if (fit_) fit_->fit(fit_rounds_, state.corrections, state.fit, state.on_skin);
    const Eigen::Matrix3f turn = state.turn.cast<float>();
    for (Vec3f& correction : state.on_skin) correction = turn * correction;
  }

  /// Reduces corrections by the pose. The last step makes up for what the skin then lacks, at the other vertices.
  void limit(PbdState& state, const FrameInput& input) const {
    if (!limits_) return;
    state.all_factors.resize(limits_->vertex_count());
    limits_->evaluate(input.pose.joints, state.limits, state.all_factors);
    state.factors.resize(moved_.size());
    for (std::size_t m = 0; m < moved_.size(); ++m) {
      state.factors[m] = state.all_factors[moved_[m].vertex];
      state.on_skin[m] *= state.factors[m];
    }
  }

  /// Gives the skin back what it lacks of the volume at binding, with the morphs of the frame.
  void keep_volume(PbdState& state, const FrameInput& input, std::span<const Vec3f> positions) const {
    if (!volume_) return;
    state.volumes.targets = volume_->at_binding();
    if (has_morphs(input)) {
      unpose(state, input, positions.size());
      volume_->measure(state.unposed, state.volumes);
    }
    const double scale = state.turn.determinant();
    for (double& target : state.volumes.targets) target *= scale;
    state.volumes.twists.clear();
    if (twists_) {
      twists_->measure(input.pose, state.twists);
      for (std::size_t j = 0; j < state.twists.share.size(); ++j)
        state.volumes.twists.push_back((spreads_all_ ? 1 : state.twists.share[j]) *
                                       SkinVolume::lost_by(state.twists.angle_rad[j]));
    }
    volume_->restore(state.volumes, positions, state.motions, skin_volume_, state.on_skin, state.factors);
  }

  int rounds_, fit_rounds_;
  double skin_volume_;
  std::unique_ptr<Deformer> skin_, particles_;
  PbdBody body_;
  Rig particles_rig_;
  std::unique_ptr<PbdSystem> system_;
  std::unique_ptr<PbdPaper> paper_;  ///< In its own mode.
  std::unique_ptr<PbdPaperSmoothing> smoothing_;
  int sweeps_ = 0;
  double energy_ = 1;
  std::vector<Mat4> inverse_bind_;
  Index reference_ = 0;  ///< The joint that moves most particles.
  std::unique_ptr<SkinFit> fit_;
  std::unique_ptr<SkinVolume> volume_;
  std::unique_ptr<FarTwists> twists_;  ///< If the base spreads them.
  bool spreads_all_ = false;           ///< Not only those that are far.
  std::vector<PbdBody::Rider> moved_;  ///< Per welded vertex that rides.
  std::vector<std::vector<Index>> copies_;
  std::vector<Index> ring_offsets_, ring_items_;
  std::vector<float> even_;
  std::optional<PoseLimits> limits_;
  TurnedNormals normals_;
  std::unique_ptr<SoftSkin> soft_;     ///< With dynamics.
  std::unique_ptr<RigidParts> rigid_;  ///< With materials.
};

}  // namespace

std::unique_ptr<Deformer> bind_pbd(const Rig& rig, const MethodInputs& inputs, const PbdOptions& options,
                                   const Progress& progress) {
  if (options.mode == PbdMode::kPaper && !inputs.tissues.empty())
    throw Error("Materials have no effect in the mode 'paper'. Leave them out, or use the mode 'improved'.");
  return std::make_unique<Pbd>(rig, inputs, chosen_options(options), progress);
}

DeformerMethod pbd_method() {
  return {
      .id = "pbd",
      .name = "volume",
      .when =
          "Bends and twists keep their volume, because the inside is relaxed near joints. Slower, and played as key "
          "shapes.",
      .options = PbdOptions{},
      .overlays = {"tets", "inverted", "areas"},
      .corrects =
          [](const AnyOptions& options) {
            const PbdOptions& own = options.as<PbdOptions>();
            // The paper's own constraints are shown as they are.
            if (own.mode == PbdMode::kPaper) return std::string();
            return std::string(own.base == PbdBase::kDqs ? "dqs" : "lbs");
          },
      .limited_by = LimitedBy::kVertices,
      .unlimited_options = {"dynamics", "gravity", "damping", "loose", "body_height"},
      .needs =
          [](const AnyOptions& options) {
            const PbdOptions own = chosen_options(options.as<PbdOptions>());
            const bool spreads = spreads_twists(own.base);
            return MethodNeeds{.segmentation = spreads,
                               .twist_factors = spreads && own.slbs.spread_twists == SpreadTwists::kLimbs,
                               .tissues = true};
          },
      .prepare = [](const Rig& rig, const MethodInputs&, const AnyOptions& options,
                    const Progress& progress) -> std::vector<std::byte> {
        if (rig.mesh.positions.empty() || rig.skeleton.empty() || rig.weights.empty()) return {};
        return write_pbd_body(make_pbd_body(rig, body_options(options.as<PbdOptions>()), progress));
      },
      .prepare_options = {"tets", "area"},
      .prepare_version = kPbdBodyVersion,
      .accepts_prepared =
          [](const Rig& rig, std::span<const std::byte> bytes) {
            return read_pbd_body(bytes, rig.mesh.vertex_count(), rig.skeleton.size()).has_value();
          },
      .bind = [](const Rig& rig, const MethodInputs& inputs, const AnyOptions& options,
                 const Progress& progress) { return bind_pbd(rig, inputs, options.as<PbdOptions>(), progress); },
  };
}

}  // namespace sinew::deform
