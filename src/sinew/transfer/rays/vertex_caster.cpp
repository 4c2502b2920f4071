// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/vertex_caster.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/core/error.h"
#include "sinew/geometry/mesh/facing.h"

namespace sinew::transfer {
namespace {

using geometry::LeavingHit;

constexpr float kLeastOmega = 1e-3F;     // Joints of less guide weight cast nothing.
constexpr double kLeastMass = 1e-3;      // Bones that together weigh less are left out.
constexpr std::size_t kMostBones = 6;    // That a vertex casts from.
constexpr std::size_t kMostLayers = 16;  // Skins over each other that a ray may meet.
constexpr double kLeastHits = 0.1;       // Share of the rays.
constexpr double kReach = 0.25;          // Of a bone's length, to either side.
constexpr double kDustShare = 1e-6;      // Of a row.

}  // namespace

ReferenceSkin::Faces ReferenceSkin::outward_faces(const Mesh& mesh, const SkinWeights& weights) {
  std::vector<geometry::TriangleVertices> all = geometry::triangle_vertices(mesh);
  std::erase_if(all, [&](const geometry::TriangleVertices& t) {
    return std::all_of(t.begin(), t.end(), [&](Index v) { return weights.row(v).empty(); });
  });
  if (all.empty())
    throw Error("The reference has no faces with weights, so there is nothing to transfer. Bind it first.");
  const geometry::Facing facing = geometry::solid_facing({mesh.positions, all});
  for (std::size_t i = 0; i < all.size(); ++i)
    if (facing.signs[i] < 0) std::swap(all[i][1], all[i][2]);
  return {std::move(all), facing.turned_shells + facing.mended_shells};
}

ReferenceSkin::ReferenceSkin(const Mesh& mesh, const SkinWeights& weights, const SkinWeights& guides,
                             const Faces& faces)
    : scene_(geometry::TriangleSoup{mesh.positions, faces.triangles}),
      weights_(faces.triangles, weights),
      guides_(faces.triangles, guides),
      turned_shells_(faces.turned_shells) {}

ReferenceSkin::ReferenceSkin(const Reference& reference, const SkinWeights& guides)
    : ReferenceSkin(reference.mesh, reference.weights.normalized(), guides,
                    outward_faces(reference.mesh, reference.weights.normalized())) {}

std::vector<std::vector<CastBone>> cast_bones(const Reference& reference, const TransferBody& target,
                                              const Correspondence& correspondence, Directions directions,
                                              const geometry::RayScene& scene) {
  std::vector<std::vector<CastBone>> result;
  for (const std::vector<PairedBone>& bones : paired_bones(reference, target, correspondence, directions)) {
    std::vector<CastBone>& made = result.emplace_back();
    for (const PairedBone& bone : bones) {
      CastBone cast;
      cast.bone = bone;
      cast.target_length = bone.target_length();
      cast.reference_length = bone.reference_length();
      const Index above = correspondence.pairs[bone.pair].parent;
      if (cast.reference_length > 0) cast.beside = (bone.reference_b - bone.reference_a) / cast.reference_length;
      else if (above != kNone)
        cast.beside = (bone.reference_a - reference.position(correspondence.pairs[above].reference)).stableNormalized();
      cast.path = BonePath(scene, bone.reference_a, bone.reference_b, cast.beside);
      made.push_back(std::move(cast));
    }
  }
  return result;
}

VertexCaster::VertexCaster(const ReferenceSkin& skin, const std::vector<std::vector<CastBone>>& bones, Index joints,
                           double target_size, const SkeletonAwareOptions& options)
    : skin_(skin),
      bones_(bones),
      tiny_(std::max(1e-6 * target_size, std::numeric_limits<double>::min())),
      exponent_(options.exponent),
      canberra_(options.similarity == Similarity::kCanberra),
      all_surfaces_(options.surfaces == Surfaces::kAll),
      blend_(options.candidates == Candidates::kBlend),
      limit_bones_(options.cap_reach),
      spiral_(options.rays),
      guide_(static_cast<Index>(bones.size())),
      directions_(spiral_.count()),
      hits_(std::max(spiral_.count(), kMostLayers)),
      sums_(joints, 0.0) {}

void VertexCaster::clear() {
  for (const Index joint : mentioned_) sums_[joint] = 0;
  mentioned_.clear();
  hit_share_ = all_share_ = 0;
  weight_ = alike_ = moved_ = 0;
  best_ = {};
}

// The bones of all joints of the guide row, with ω·β: a joint's share, divided among its bones by their nearness.
void VertexCaster::choose_bones(const CastVertex& vertex) {
  chosen_.clear();
  Index order = 0;
  for (const Influence& influence : vertex.guide) {
    if (influence.weight < kLeastOmega) continue;
    const std::vector<CastBone>& bones = bones_[influence.joint];
    distances_.clear();
    double all = 0;
    for (const CastBone& bone : bones) {
      const Vec3 way = bone.bone.target_b - bone.bone.target_a, from = vertex.position - bone.bone.target_a;
      const double length2 = way.squaredNorm();
      const double along = length2 > 0 ? std::clamp(from.dot(way) / length2, 0.0, 1.0) : 0.0;
      const double distance = std::max((from - along * way).norm(), tiny_);
      distances_.push_back(1 / (distance * distance));
      all += distances_.back();
    }
    for (std::size_t k = 0; k < bones.size(); ++k)
      chosen_.push_back({&bones[k], static_cast<double>(influence.weight) * distances_[k] / all, order++});
  }
  std::sort(chosen_.begin(), chosen_.end(), [](const Chosen& a, const Chosen& b) {
    return a.factor != b.factor ? a.factor > b.factor : a.order < b.order;
  });
  if (!limit_bones_) return;
  double rest = 0;
  while (!chosen_.empty() && rest + chosen_.back().factor < kLeastMass) {
    rest += chosen_.back().factor;
    chosen_.pop_back();
  }
  if (chosen_.size() <= kMostBones) return;
  // The first that is left out is taken from all, so that nothing jumps where two change places.
  const double next = chosen_[kMostBones].factor;
  chosen_.resize(kMostBones);
  if (chosen_.front().factor > next)
    for (Chosen& chosen : chosen_) chosen.factor -= next;
  std::erase_if(chosen_, [](const Chosen& chosen) { return !(chosen.factor > 0); });
}

Cast VertexCaster::cast(const CastVertex& vertex, double cone_rad, bool cap_reach) {
  clear();
  guide_.set(vertex.guide);
  choose_bones(vertex);
  Cast cast;
  for (const Chosen& chosen : chosen_) shoot(vertex, chosen, cone_rad, cap_reach, cast);
  cast.bones = static_cast<std::uint32_t>(chosen_.size());
  if (all_share_ > 0) cast.hits = hit_share_ / all_share_;
  if (!blend_ && best_.similarity > 0) add(best_.hit, 1);
  if (weight_ > 0) cast.similarity = alike_ / weight_;
  cast.moved = moved_ > 0.5 * weight_;
  cast.matched = cast.hits >= kLeastHits && !mentioned_.empty();
  return cast;
}

void VertexCaster::shoot(const CastVertex& vertex, const Chosen& chosen, double cone_rad, bool cap_reach, Cast& cast) {
  const PairedBone& bone = chosen.bone->bone;
  const Vec3 way = bone.target_b - bone.target_a;
  const double length2 = way.squaredNorm();
  const double along = length2 > 0 ? std::clamp((vertex.position - bone.target_a).dot(way) / length2, 0.0, 1.0) : 0.0;
  const Vec3 out = vertex.position - (bone.target_a + along * way);
  const double distance = out.norm();
  Vec3 axis = bone.turn * (distance > tiny_ ? Vec3(out / distance) : vertex.normal);
  if (axis.isZero())
    axis = Vec3::UnitZ();  // A vertex on the bone that has no faces: no direction is better than others.
  axis.normalize();
  const BonePath::Start start = chosen.bone->path.at(along);
  if (cap_reach) cone_rad = capped_cone(*chosen.bone, start.point, axis, distance, cone_rad, cast);
  spiral_.directions(axis, chosen.bone->beside, cone_rad, directions_);
  cast.rays += static_cast<std::uint32_t>(directions_.size());
  double weight = 0;
  int met = 0;
  if (all_surfaces_) {
    for (const Vec3f& direction : directions_) {
      const std::size_t count =
          skin_.scene().leaving_hits_along(start.point, direction, std::span(hits_).first(kMostLayers));
      for (std::size_t i = 0; i < count; ++i) weight += take(hits_[i], chosen.factor);
      met += count > 0 ? 1 : 0;
    }
  } else {
    const std::span<LeavingHit> hits = std::span(hits_).first(directions_.size());
    skin_.scene().leaving_hits(start.point, directions_, hits);
    for (const LeavingHit& hit : hits) {
      if (!hit) continue;
      weight += take(hit, chosen.factor);
      ++met;
    }
  }
  hit_share_ += chosen.factor * met;
  all_share_ += chosen.factor * static_cast<double>(directions_.size());
  if (start.moved) moved_ += weight;
}

// A cone that reaches no farther along the bone than a quarter of its length to either side. One ray measures how far
// the skin is.
double VertexCaster::capped_cone(const CastBone& bone, const Vec3& start, const Vec3& axis, double distance,
                                 double cone_rad, Cast& cast) const {
  if (!(bone.reference_length > 0) || !(cone_rad > 0)) return cone_rad;
  const Vec3f direction = axis.cast<float>();
  LeavingHit hit;
  skin_.scene().leaving_hits(start, std::span(&direction, 1), std::span(&hit, 1));
  ++cast.rays;
  const double radius = hit ? static_cast<double>(hit.t) : distance * bone.reference_length / bone.target_length;
  return std::atan(std::min(std::tan(cone_rad), kReach * bone.reference_length / radius));
}

// Blends what one hit has, or keeps it if it is the best. Returns its weight.
double VertexCaster::take(const LeavingHit& hit, double factor) {
  const auto corners = skin_.guides(hit.triangle);
  const float similarity =
      canberra_ ? guide_.canberra(corners, hit.u, hit.v) : guide_.braycurtis(corners, hit.u, hit.v);
  const auto alike = static_cast<double>(similarity);
  const double weight = factor * (exponent_ == 3 ? alike * alike * alike : std::pow(alike, exponent_));
  weight_ += weight;
  alike_ += weight * alike;
  if (blend_) {
    add(hit, weight);
  } else if (similarity > best_.similarity) {
    best_ = {similarity, hit};
  }
  return weight;
}

void VertexCaster::add(const LeavingHit& hit, double factor) {
  for (const CornerRows::Entry& entry : skin_.weights(hit.triangle)) {
    const double share = factor * static_cast<double>(entry.at(hit.u, hit.v));
    if (!(share > 0)) continue;
    double& sum = sums_[entry.joint];
    if (sum == 0) mentioned_.push_back(entry.joint);
    sum += share;
  }
}

void VertexCaster::append_row(std::vector<Influence>& row) const {
  double all = 0, kept = 0;
  for (const Index joint : mentioned_) all += sums_[joint];
  for (const Index joint : mentioned_)
    if (sums_[joint] >= kDustShare * all) kept += sums_[joint];
  for (const Index joint : mentioned_)
    if (sums_[joint] >= kDustShare * all) row.push_back({joint, static_cast<float>(sums_[joint] / kept)});
}

}  // namespace sinew::transfer
