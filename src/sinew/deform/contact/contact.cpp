// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// After the planes of bone pairs in J. Pan, L. Chen, Y. Yang, H. Qin, "Automatic skinning and weight retargeting of
// articulated characters using extended position-based dynamics", 2017, made general. There, the farthest contact
// vertex decides the plane, which then jumps, and bones must not be parallel; here all contact vertices vote.
//
// Tried and rejected: normals of the posed skin for `facing` (in deep folds the skin of the loop is turned over; rigid
// normals of the owner are not), and letting the reach fade out with the distance instead of evening corrections out
// along the skin (made human: 15 % of the pairs left instead of 11 %, and more folds). A softer separation leaves fewer
// pairs (half the depth: human-bunny 7 % instead of 9 %; an eighth: 20 %), but folds stay open.

#include "sinew/deform/contact/contact.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sinew/core/parallel.h"
#include "sinew/deform/bind_frames.h"
#include "sinew/deform/contact/flesh_field.h"
#include "sinew/deform/contact/give_way.h"
#include "sinew/deform/contact/skin_blocks.h"
#include "sinew/deform/contact/turned_normal.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::deform {
namespace {

constexpr std::size_t kHitGrain = 32;                    // Blocks of vertices.
constexpr int kRounds = 16;                              // Of evening out.
constexpr int kRings = 5;                                // How far beyond what moves.
constexpr int kSettle = 3;                               // A vertex may meet several planes.
constexpr float kLeastShare = 0.05F, kFullShare = 0.3F;  // By which flesh belongs more to the joint than the vertex.
constexpr float kFullVote = 0.25F;                       // Of the depth, from which on planes move skin by all of it.
constexpr float kSoft = 0.3F;                            // Of the depth: where vertices begin to give way.
constexpr float kFarthest = 3;                  // Times the depth: a contact that only begins moves nothing far.
constexpr float kGap = 0.1F, kGap_rel = 1e-3F;  // Between two skins: of the depth, and of the size at most.

/// From 0 to 1, smoothly.
float ramp(float x, float from, float to) {
  const float t = std::clamp((x - from) / (to - from), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

using Affine = Eigen::Matrix<float, 3, 4>;

Vec3f apply(const Affine& matrix, const Vec3f& p) { return matrix.leftCols<3>() * p + matrix.col(3); }

class Contact final : public Deformer {
 public:
  Contact(std::unique_ptr<Deformer> inner, const Rig& rig, ContactUse use, const Progress& progress)
      : inner_(std::move(inner)),
        welding_(geometry::weld(rig.mesh)),
        rings_(geometry::one_rings(rig.mesh, &welding_)),
        size_(static_cast<float>(rig.mesh.size())) {
    const std::vector<Index> owner = find_owners(rig);
    fields_ = make_flesh_fields(rig, owner, progress);
    if (use == ContactUse::kLimbs) give_way_ = std::make_unique<GiveWay>(rig, owner, fields_, progress);
    for (const Mat4& frame : bind_frames(rig)) {
      inverse_bind_.push_back(frame.inverse());
      joint_at_.push_back(frame.topRightCorner<3, 1>().cast<float>());
    }
    for (const Joint& joint : rig.skeleton.joints) parent_.push_back(joint.parent);
    const std::vector<Vec3> normals = geometry::vertex_normals(rig.mesh, &welding_);
    for (const Index v : welding_.first) normals_.push_back(normals[v].cast<float>());
    find_triangles(rig.mesh);
    find_rest(rig.mesh);
    std::vector<Vec3f> rest;
    for (const Index v : welding_.first) rest.push_back(rig.mesh.positions[v].cast<float>());
    blocks_ = SkinBlocks(rest, owner_);
  }

  std::unique_ptr<State> make_state() const override {
    auto state = std::make_unique<ContactState>();
    state->inner = inner_->make_state();
    if (give_way_) state->give_way = give_way_->make_scratch();
    return state;
  }

  bool needs_history() const override { return inner_->needs_history(); }

  void deform(State& any, const FrameInput& input, const FrameOutput& output) const override {
    auto& state = static_cast<ContactState&>(any);
    const ModelPose& pose = stopped(input.pose, state);
    inner_->deform(*state.inner, {pose, input.time_s, input.dt_s}, output);
    state.points.resize(welding_.count());
    parallel_for(state.points.size(), [&](std::size_t w) { state.points[w] = output.positions[welding_.first[w]]; });
    pose_fields(pose, state);
    find_hits(state);
    make_planes(state);
    if (state.planes.empty()) return;
    push(state);
    write(state, output);
  }

  std::vector<Overlay> overlays(State& any, const FrameInput& input) const override {
    auto& state = static_cast<ContactState&>(any);
    return inner_->overlays(*state.inner, {stopped(input.pose, state), input.time_s, input.dt_s});
  }

 private:
  /// A vertex in or near the flesh of a joint that is not its owner.
  struct Hit {
    Index vertex = 0, joint = 0;
    float depth = 0;
    float vote = 0;   ///< Depth, as far as it counts.
    float reach = 0;  ///< How far the vertex takes part, from 0 to 1.
    Vec3f outward = Vec3f::Zero();
  };
  /// Between the skins of two joints, a < b.
  struct Plane {
    Index a = 0, b = 0;
    Vec3f sum = Vec3f::Zero(), middle = Vec3f::Zero();
    float votes = 0, squares = 0, depths = 0;
    Vec3f normal = Vec3f::Zero();  ///< From b to a.
    float offset = 0, depth = 0, soft = 0, gap = 0, strength = 0;
  };
  struct Posed {
    Affine to_bind, to_pose;
    Vec3f lower = Vec3f::Zero(), upper = Vec3f::Zero();
    float scale = 1;
    bool used = false;
  };
  /// A vertex in the flesh of another joint at rest.
  struct AtRest {
    Index joint = 0;
    float share = 0, depth = 0;
  };
  /// How far a point is on the side to which two joints are bent that follow one another.
  struct InnerSide {
    Vec3f at = Vec3f::Zero(), inward = Vec3f::Zero();
    float length = 0, radius = 0;

    float of(const Vec3f& p) const {
      if (!(length > 1e-6F)) return 0;
      return ramp((p - at).dot(inward) / length, -0.1F * radius, 0.4F * radius) * ramp(length, 0.3F, 0.8F);
    }
  };
  /// A hit that has a plane.
  struct Constraint {
    Index vertex = 0, plane = 0;
    float side = 1;    ///< −1: below the plane.
    float before = 0;  ///< The height above the plane from which the vertex starts.
    float reach = 0;
  };
  struct ContactState final : State {
    std::unique_ptr<State> inner;
    std::unique_ptr<GiveWay::Scratch> give_way;
    std::vector<Vec3f> points, moved, even;  // Per welded vertex.
    std::vector<Posed> posed;                // Per joint.
    std::vector<Index> used;
    std::vector<std::vector<Hit>> chunks;
    std::vector<Hit> hits;
    std::vector<Plane> planes;
    std::vector<Index> plane_of;  // Per pair of joints.
    std::vector<Constraint> constraints;
    std::vector<Index> active;
    std::vector<char> marked;
  };

  /// The pose in which joints stop where limbs meet.
  const ModelPose& stopped(const ModelPose& pose, ContactState& state) const {
    const ModelPose* const result = give_way_ ? give_way_->apply(pose, *state.give_way) : nullptr;
    return result != nullptr ? *result : pose;
  }

  /// The joint with the largest weight of each vertex of the mesh; keeps that of welded ones, and their weights.
  std::vector<Index> find_owners(const Rig& rig) {
    const SkinWeights rows = rig.weights.normalized();
    std::vector<Index> owner(rig.mesh.positions.size(), kNone);
    for (Index v = 0; v < owner.size() && !rows.empty(); ++v) {
      float best = 0;
      for (const Influence& influence : rows.row(v))
        if (influence.weight > best) best = influence.weight, owner[v] = influence.joint;
    }
    for (const MeshPart& part : rig.mesh.parts)
      if (part.skin == kNone)
        for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) owner[v] = part.joint;
    for (const Index v : welding_.first) {
      owner_.push_back(owner[v]);
      if (!rows.empty())
        for (const Influence& influence : rows.row(v)) weights_.push_back(influence);
      weight_ends_.push_back(static_cast<Index>(weights_.size()));
    }
    return owner;
  }

  float weight_of(Index w, Index joint) const {
    for (Index i = w == 0 ? 0 : weight_ends_[w - 1]; i < weight_ends_[w]; ++i)
      if (weights_[i].joint == joint) return weights_[i].weight;
    return 0;
  }

  void find_triangles(const Mesh& mesh) {
    for (const Triangle& t : triangulate(mesh))
      triangles_.push_back(
          {welding_.welded[t.vertices[0]], welding_.welded[t.vertices[1]], welding_.welded[t.vertices[2]]});
    std::vector<std::vector<Index>> lists(welding_.count());
    for (Index t = 0; t < triangles_.size(); ++t)
      for (const Index w : triangles_[t]) lists[w].push_back(t);
    for (const auto& list : lists) {
      triangles_of_.items.insert(triangles_of_.items.end(), list.begin(), list.end());
      triangles_of_.offsets.push_back(static_cast<Index>(triangles_of_.items.size()));
    }
  }

  void find_rest(const Mesh& mesh) {
    std::vector<std::vector<AtRest>> lists(welding_.count());
    parallel_for(lists.size(), [&](std::size_t w) {
      const Vec3f p = mesh.positions[welding_.first[w]].cast<float>();
      FleshField::Sample sample;
      for (Index j = 0; j < fields_.size(); ++j) {
        if (fields_[j].empty() || !fields_[j].look_up(p, sample)) continue;
        const AtRest rest{j, std::max(0.0F, sample.share - weight_of(static_cast<Index>(w), j)),
                          std::max(0.0F, -sample.distance)};
        if (rest.share > 0 || rest.depth > 0) lists[w].push_back(rest);
      }
    });
    for (const auto& list : lists) {
      rest_.insert(rest_.end(), list.begin(), list.end());
      rest_ends_.push_back(static_cast<Index>(rest_.size()));
    }
  }

  AtRest at_rest(Index w, Index joint) const {
    for (Index i = w == 0 ? 0 : rest_ends_[w - 1]; i < rest_ends_[w]; ++i)
      if (rest_[i].joint == joint) return rest_[i];
    return {};
  }

  void pose_fields(const ModelPose& pose, ContactState& state) const {
    state.posed.resize(fields_.size());
    state.used.clear();
    for (Index j = 0; j < fields_.size(); ++j) {
      Posed& posed = state.posed[j];
      posed.used = false;
      if (fields_[j].empty()) continue;
      const Mat4 matrix = pose.joints[j] * inverse_bind_[j];
      const double scale = std::cbrt(matrix.topLeftCorner<3, 3>().determinant());
      if (!(scale > 1e-6)) continue;
      posed.scale = static_cast<float>(scale);
      posed.to_pose = matrix.topRows<3>().cast<float>();
      posed.to_bind = Mat4(matrix.inverse()).topRows<3>().cast<float>();
      posed.lower = Vec3f::Constant(1e30F), posed.upper = -posed.lower;
      for (int c = 0; c < 8; ++c) {
        const Vec3f corner((c & 1) != 0 ? fields_[j].upper()[0] : fields_[j].lower()[0],
                           (c & 2) != 0 ? fields_[j].upper()[1] : fields_[j].lower()[1],
                           (c & 4) != 0 ? fields_[j].upper()[2] : fields_[j].lower()[2]);
        const Vec3f p = apply(posed.to_pose, corner);
        posed.lower = posed.lower.cwiseMin(p), posed.upper = posed.upper.cwiseMax(p);
      }
      posed.used = true;
      state.used.push_back(j);
    }
  }

  bool adjacent(Index a, Index b) const { return parent_[a] == b || parent_[b] == a; }

  /// Hits are sorted by vertex and joint: sums over them do not depend on blocks.
  void find_hits(ContactState& state) const {
    const std::size_t count = blocks_.blocks().size();
    state.chunks.resize((count + kHitGrain - 1) / kHitGrain);
    parallel_blocks(count, kHitGrain, [&](std::size_t begin, std::size_t end) {
      std::vector<Hit>& hits = state.chunks[begin / kHitGrain];
      hits.clear();
      for (std::size_t b = begin; b < end; ++b) find_hits_of(blocks_.blocks()[b], state, hits);
    });
    state.hits.clear();
    for (const auto& chunk : state.chunks) state.hits.insert(state.hits.end(), chunk.begin(), chunk.end());
    std::sort(state.hits.begin(), state.hits.end(), [](const Hit& x, const Hit& y) {
      return x.vertex != y.vertex ? x.vertex < y.vertex : x.joint < y.joint;
    });
  }

  void find_hits_of(const SkinBlocks::Block& block, const ContactState& state, std::vector<Hit>& hits) const {
    const Index own = block.owner;
    if (!state.posed[own].used) return;
    const std::span<const Index> vertices = blocks_.points_of(block);
    Vec3f lower = state.points[vertices[0]], upper = lower;
    for (const Index w : vertices) lower = lower.cwiseMin(state.points[w]), upper = upper.cwiseMax(state.points[w]);
    const Vec3f center = 0.5F * (lower + upper), half = 0.5F * (upper - lower);
    for (const Index j : state.used) {
      const Posed& posed = state.posed[j];
      if (j == own || (upper.array() < posed.lower.array()).any() || (lower.array() > posed.upper.array()).any())
        continue;
      const Vec3f at = apply(posed.to_bind, center), around = posed.to_bind.leftCols<3>().cwiseAbs() * half;
      if (((at + around).array() < fields_[j].lower().array()).any() ||
          ((at - around).array() > fields_[j].upper().array()).any())
        continue;
      const bool near = adjacent(own, j);
      const InnerSide inner = near ? inner_side(own, j, state) : InnerSide{};
      for (const Index w : vertices) add_hit(w, j, near ? &inner : nullptr, state, hits);
    }
  }

  void add_hit(Index w, Index j, const InnerSide* inner, const ContactState& state, std::vector<Hit>& hits) const {
    const Posed& posed = state.posed[j];
    const Vec3f &p = state.points[w], local = apply(posed.to_bind, p);
    const float most_foreign = fields_[j].most_share(local) + 1e-4F - kLeastShare;  // 1e-4: for rounding.
    if (!(most_foreign > 0)) return;
    const float weight = weight_of(w, j);
    if (!(most_foreign > weight)) return;
    const AtRest rest = at_rest(w, j);
    FleshField::Sample sample;
    if (!(most_foreign > weight + rest.share) || !fields_[j].look_up(local, sample)) return;
    const Index own = owner_[w];
    const float radius = fields_[j].radius();
    const float foreign = ramp(sample.share - weight - rest.share, kLeastShare, kFullShare);
    Hit hit{w, j, 0, 0, 0, Vec3f::Zero()};
    hit.reach = foreign * ramp(FleshField::kReach * radius - sample.distance, 0, FleshField::kReach * radius);
    if (!(hit.reach > 0)) return;
    hit.outward = posed.to_pose.leftCols<3>() * sample.outward;
    if (const float length = hit.outward.norm(); length > 0) hit.outward /= length;
    const Vec3f normal = state.posed[own].to_pose.leftCols<3>() * normals_[w];
    const float facing = ramp(-hit.outward.dot(normal), inner != nullptr ? -0.1F : 0.0F, 0.6F);
    hit.depth = posed.scale * std::max(0.0F, -sample.distance - std::max(rest.depth, at_rest(w, own).depth));
    if (inner != nullptr) {
      const float part = inner->of(p);
      hit.reach *= part;
      hit.depth *= part;
    }
    hit.vote = hit.depth * foreign * facing;
    hits.push_back(hit);
  }

  InnerSide inner_side(Index a, Index b, const ContactState& state) const {
    const Index child = parent_[a] == b ? a : b, parent = child == a ? b : a;
    InnerSide side;
    side.at = apply(state.posed[child].to_pose, joint_at_[child]);
    const Vec3f x = (apply(state.posed[child].to_pose, fields_[child].middle()) - side.at).normalized();
    const Vec3f y = (apply(state.posed[parent].to_pose, fields_[parent].middle()) - side.at).normalized();
    side.inward = x + y;
    side.length = side.inward.norm();
    side.radius = state.posed[child].scale * std::min(fields_[child].radius(), fields_[parent].radius());
    return side;
  }

  Index& plane_of(ContactState& state, Index a, Index b) const {
    return state.plane_of[std::size_t{std::min(a, b)} * fields_.size() + std::max(a, b)];
  }

  void make_planes(ContactState& state) const {
    if (state.plane_of.empty()) state.plane_of.assign(fields_.size() * fields_.size(), kNone);
    for (const Plane& plane : state.planes) plane_of(state, plane.a, plane.b) = kNone;
    state.planes.clear();
    for (const Hit& hit : state.hits) {
      if (!(hit.vote > 0)) continue;
      const Index own = owner_[hit.vertex];
      Index& which = plane_of(state, own, hit.joint);
      if (which == kNone) {
        which = static_cast<Index>(state.planes.size());
        state.planes.emplace_back();
        state.planes.back().a = std::min(own, hit.joint), state.planes.back().b = std::max(own, hit.joint);
      }
      Plane& plane = state.planes[which];
      plane.sum += (own == plane.a ? hit.vote : -hit.vote) * hit.outward;
      plane.middle += hit.vote * (state.points[hit.vertex] + 0.5F * hit.depth * hit.outward);
      plane.votes += hit.vote;
      plane.squares += hit.vote * hit.vote;
      plane.depths += hit.vote * hit.depth;
    }
    for (Plane& plane : state.planes) {
      const float length = plane.sum.norm();
      if (!(length > 0)) continue;
      plane.normal = plane.sum / length;
      plane.offset = plane.normal.dot(plane.middle) / plane.votes;
      // A vertex can begin to vote when it is already deep, as it begins to face the flesh.
      plane.depth = plane.depths / plane.votes * ramp(plane.squares / plane.depths, 0, kFullVote);
      plane.soft = kSoft * plane.depth;
      plane.gap = std::min(kGap * plane.depth, kGap_rel * size_);
      const float radius = std::min(state.posed[plane.a].scale * fields_[plane.a].radius(),
                                    state.posed[plane.b].scale * fields_[plane.b].radius());
      // No clear way out: votes disagree, or a limb is inside as a whole.
      plane.strength =
          ramp(length / plane.votes, 0.3F, 0.6F) * (1 - ramp(plane.depths / plane.votes, 0.8F * radius, 1.2F * radius));
    }
  }

  void push(ContactState& state) const {
    find_constraints(state);
    state.moved = state.points;
    for (int round = 0; round < kSettle; ++round) clamp(state);
    find_active(state);
    state.even.resize(state.points.size());
    for (int round = 0; round < kRounds; ++round) {
      parallel_for(state.active.size(), [&](std::size_t i) {
        const Index w = state.active[i];
        const auto ring = rings_[w];
        Vec3f mean = Vec3f::Zero();
        for (const Index u : ring) mean += state.moved[u] - state.points[u];
        const Vec3f step = state.moved[w] - state.points[w];
        state.even[w] = ring.empty() ? step : Vec3f(0.5F * step + 0.5F / static_cast<float>(ring.size()) * mean);
      });
      for (const Index w : state.active) state.moved[w] = state.points[w] + state.even[w];
      clamp(state);
    }
    clamp(state);
  }

  void find_constraints(ContactState& state) const {
    state.constraints.clear();
    for (const Hit& hit : state.hits) {
      const Index own = owner_[hit.vertex], which = plane_of(state, own, hit.joint);
      if (which == kNone || !(state.planes[which].strength > 0)) continue;
      const Plane& plane = state.planes[which];
      const float side = own == plane.a ? 1.0F : -1.0F;
      const float before = side * (plane.normal.dot(state.points[hit.vertex]) - plane.offset);
      state.constraints.push_back({hit.vertex, which, side, before, hit.reach});
    }
  }

  /// What moved, and a few rings around it.
  void find_active(ContactState& state) const {
    state.marked.resize(state.points.size(), 0);
    for (const Index w : state.active) state.marked[w] = 0;
    state.active.clear();
    const auto add = [&](Index w) {
      if (state.marked[w] == 0) state.marked[w] = 1, state.active.push_back(w);
    };
    for (const Constraint& constraint : state.constraints)
      if (state.moved[constraint.vertex] != state.points[constraint.vertex]) add(constraint.vertex);
    std::size_t begin = 0;
    for (int ring = 0; ring < kRings; ++ring) {
      const std::size_t end = state.active.size();
      for (; begin < end; ++begin)
        for (const Index u : rings_[state.active[begin]]) add(u);
    }
  }

  void clamp(ContactState& state) const {
    for (const Constraint& constraint : state.constraints) {
      const Plane& plane = state.planes[constraint.plane];
      Vec3f& p = state.moved[constraint.vertex];
      const float side = constraint.side;
      const float h = side * (plane.normal.dot(p) - plane.offset), edge = plane.gap + plane.soft;
      if (h >= edge) continue;
      const float wanted = std::min(plane.gap + plane.soft * std::exp((h - edge) / plane.soft),
                                    constraint.before + kFarthest * plane.depth);
      if (wanted > h) p += side * (constraint.reach * plane.strength * (wanted - h)) * plane.normal;
    }
  }

  Vec3f normal_at(Index w, const std::vector<Vec3f>& points) const {
    return normal_around(w, triangles_, triangles_of_, points);
  }

  /// Normals turn as those of the faces around do.
  void write(const ContactState& state, const FrameOutput& output) const {
    parallel_for(output.positions.size(), [&](std::size_t v) {
      const Index w = welding_.welded[v];
      if (state.marked[w] == 0) return;
      output.positions[v] += state.moved[w] - state.points[w];
      if (output.normals.empty()) return;
      const Vec3f before = normal_at(w, state.points), after = normal_at(w, state.moved);
      output.normals[v] = rotation_between_f(before, after) * output.normals[v];
    });
  }

  std::unique_ptr<Deformer> inner_;
  geometry::Welding welding_;
  geometry::Lists rings_;
  float size_ = 1;
  std::vector<std::array<Index, 3>> triangles_;  // Of welded vertices.
  geometry::Lists triangles_of_;
  std::vector<Index> owner_;           // Per welded vertex; kNone.
  std::vector<Influence> weights_;     // Of welded vertices, one after the other,
  std::vector<Index> weight_ends_;     // up to here.
  std::vector<Vec3f> normals_;         // At binding.
  std::vector<FleshField> fields_;     // Per joint.
  SkinBlocks blocks_;                  // Of welded vertices.
  std::unique_ptr<GiveWay> give_way_;  // Null: joints stay.
  std::vector<Mat4> inverse_bind_;
  std::vector<Index> parent_;
  std::vector<Vec3f> joint_at_;   // At binding.
  std::vector<AtRest> rest_;      // Of welded vertices, one after the other,
  std::vector<Index> rest_ends_;  // up to here.
};

}  // namespace

std::unique_ptr<Deformer> bind_contact(std::unique_ptr<Deformer> inner, const Rig& rig, const Progress& progress,
                                       ContactUse use) {
  return std::make_unique<Contact>(std::move(inner), rig, use, progress);
}

}  // namespace sinew::deform
