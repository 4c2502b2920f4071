// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/ray_scene.h"

#include <embree3/rtcore.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/copies.h"
#include "sinew/geometry/spatial/embree_configuration.h"

namespace sinew::geometry {
namespace {

// In units of the size: what single precision cannot tell apart, with a margin.
constexpr double kFloatSlack = 1e-6;
// Of closest points in double precision.
constexpr double kTieSlack = 1e-12;
// Closest points get a scene of their own where many triangles lie in the same place. A sample is looked at first.
constexpr std::size_t kSampleStep = 13, kLeastSampled = 4096;

RTCDevice ray_device() {
  static const RTCDevice shared = new_embree_device();
  return shared;
}

// A ray as Embree takes it, and the way back.
struct LocalRay {
  RTCRay ray;
  double t_start = 0;     // t of the caller where the local ray starts.
  double per_length = 0;  // t of the caller per unit of the local ray.
};

// What a function that Embree calls throws. Embree would swallow it and go on with what was found until then.
struct Thrown {
  std::exception_ptr exception = nullptr;

  template <class Body>
  void keep(Body&& body) {
    try {
      if (exception == nullptr) body();
    } catch (...) {
      exception = std::current_exception();
    }
  }
  void again() const {
    if (exception != nullptr) std::rethrow_exception(exception);
  }
};

// Embree hands this back to the filter; the context must come first.
struct FilterContext {
  RTCIntersectContext context;
  Thrown thrown;
  const TriangleFilter* accept = nullptr;
  std::vector<std::pair<Index, float>>* collected = nullptr;  // Hits are kept here and refused, so that all come.
};

void filter_hit(const RTCFilterFunctionNArguments* arguments) {
  auto& context = *reinterpret_cast<FilterContext*>(arguments->context);
  const Index triangle = RTCHitN_primID(arguments->hit, arguments->N, 0);
  bool counts = false;
  context.thrown.keep([&] {
    counts = !*context.accept || (*context.accept)(triangle);
    if (!counts || context.collected == nullptr) return;
    context.collected->emplace_back(triangle, RTCRayN_tfar(arguments->ray, arguments->N, 0));
    counts = false;
  });
  if (!counts) arguments->valid[0] = 0;
}

FilterContext make_context(const TriangleFilter& accept, std::vector<std::pair<Index, float>>* collected) {
  FilterContext result;
  rtcInitIntersectContext(&result.context);
  result.accept = &accept;
  result.collected = collected;
  if (accept || collected != nullptr) result.context.filter = filter_hit;
  return result;
}

// The search for places where rays leave the solid; the context must come first.
struct LeavingContext {
  RTCIntersectContext context;
  Index triangle = kNone;  // Of the nearest so far.
  float t = 0;
  std::span<LeavingHit> room = {};  // For all hits of one ray, by rising t, then index.
  std::size_t count = 0;

  static bool leaves(const RTCFilterFunctionNArguments& a) {
    const float x = RTCRayN_dir_x(a.ray, a.N, 0) * RTCHitN_Ng_x(a.hit, a.N, 0);
    const float y = RTCRayN_dir_y(a.ray, a.N, 0) * RTCHitN_Ng_y(a.hit, a.N, 0);
    const float z = RTCRayN_dir_z(a.ray, a.N, 0) * RTCHitN_Ng_z(a.hit, a.N, 0);
    return x + y + z > 0;
  }

  // Embree calls this in no order of distance, so the rejections of a ray are not limited: a limit would make the
  // result depend on the tree.
  static void keep_nearest(const RTCFilterFunctionNArguments* arguments) {
    auto& self = *reinterpret_cast<LeavingContext*>(arguments->context);
    const Index triangle = RTCHitN_primID(arguments->hit, arguments->N, 0);
    const float t = RTCRayN_tfar(arguments->ray, arguments->N, 0);
    const bool loses_tie = self.triangle != kNone && t == self.t && triangle > self.triangle;
    if (loses_tie || !leaves(*arguments)) {
      arguments->valid[0] = 0;
      return;
    }
    self.triangle = triangle;
    self.t = t;
  }

  static void collect(const RTCFilterFunctionNArguments* arguments) {
    auto& self = *reinterpret_cast<LeavingContext*>(arguments->context);
    arguments->valid[0] = 0;
    if (!leaves(*arguments)) return;
    const LeavingHit hit{RTCHitN_primID(arguments->hit, arguments->N, 0), RTCRayN_tfar(arguments->ray, arguments->N, 0),
                         RTCHitN_u(arguments->hit, arguments->N, 0), RTCHitN_v(arguments->hit, arguments->N, 0)};
    std::size_t place = self.count;
    const auto before = [](const LeavingHit& a, const LeavingHit& b) {
      return a.t != b.t ? a.t < b.t : a.triangle < b.triangle;
    };
    while (place > 0 && before(hit, self.room[place - 1])) --place;
    if (place == self.room.size()) return;
    if (self.count < self.room.size()) ++self.count;
    for (std::size_t k = self.count - 1; k > place; --k) self.room[k] = self.room[k - 1];
    self.room[place] = hit;
  }
};

// Triangles of which one stands for all in the same place. Without it, every search would visit all of them.
struct Places {
  std::vector<Index> firsts;  // Rising; the triangle of smallest index in each place.
  std::vector<Index> begin;   // Per place, of `copies`; one more at the end.
  std::vector<Index> copies;  // All others, by place, rising.
  bool empty() const { return firsts.empty(); }
};

// Empty where there are few copies. A sample rules out most meshes without a look at all triangles.
Places find_places(const std::vector<Vec3>& positions, const std::vector<TriangleVertices>& triangles) {
  Places places;
  if (triangles.size() < kLeastSampled) return places;
  std::vector<TriangleVertices> sample;
  for (std::size_t t = 0; t < triangles.size(); t += kSampleStep) sample.push_back(triangles[t]);
  const auto count_firsts = [](const std::vector<Index>& first) {
    std::size_t count = 0;
    for (std::size_t t = 0; t < first.size(); ++t) count += first[t] == t ? 1 : 0;
    return count;
  };
  if (2 * count_firsts(first_copies(positions, sample)) > sample.size()) return places;
  const std::vector<Index> first = first_copies(positions, triangles);
  const std::size_t count = count_firsts(first);
  if (kManyCopies * count > triangles.size()) return places;
  std::vector<Index> place(triangles.size());
  for (Index t = 0; t < first.size(); ++t)
    if (first[t] == t) place[t] = static_cast<Index>(places.firsts.size()), places.firsts.push_back(t);
  places.begin.assign(count + 1, 0);
  for (Index t = 0; t < first.size(); ++t)
    if (first[t] != t) ++places.begin[place[first[t]] + 1];
  for (std::size_t k = 0; k < count; ++k) places.begin[k + 1] += places.begin[k];
  places.copies.resize(places.begin.back());
  std::vector<Index> next(places.begin.begin(), places.begin.end() - 1);
  for (Index t = 0; t < first.size(); ++t)
    if (first[t] != t) places.copies[next[place[first[t]]]++] = t;
  return places;
}

}  // namespace

struct RayScene::Impl {
  std::vector<Vec3> positions;
  std::vector<TriangleVertices> triangles;
  std::vector<Index> faces;  // Empty for a soup.
  Box box;
  Vec3 center = Vec3::Zero();
  double size = 1;
  RTCScene scene = nullptr;
  Places places;
  RTCScene place_scene = nullptr;  // Of one triangle per place; for closest points, if `places` is not empty.

  Impl(std::vector<Vec3> p, std::vector<TriangleVertices> t) : positions(std::move(p)), triangles(std::move(t)) {
    if (triangles.empty()) return;
    require_solid_input(soup(), "rays and closest points");
    box = bounds(soup());
    center = box.center();
    size = box.diagonal() > 0 ? box.diagonal() : 1;
    places = find_places(positions, triangles);
    scene = build(triangles);
    if (places.empty()) return;
    std::vector<TriangleVertices> one_each;
    for (const Index t : places.firsts) one_each.push_back(triangles[t]);
    place_scene = build(one_each);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (scene != nullptr) rtcReleaseScene(scene);
    if (place_scene != nullptr) rtcReleaseScene(place_scene);
  }

  TriangleSoup soup() const { return {positions, triangles}; }

  RTCScene build(const std::vector<TriangleVertices>& shown) const {
    rtcGetDeviceError(ray_device());  // Forgets what this thread did before.
    const RTCGeometry geometry = rtcNewGeometry(ray_device(), RTC_GEOMETRY_TYPE_TRIANGLE);
    if (geometry == nullptr) throw std::bad_alloc();
    auto* points = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                               3 * sizeof(float), positions.size()));
    auto* indices = static_cast<Index*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(Index), shown.size()));
    if (points == nullptr || indices == nullptr) {
      rtcReleaseGeometry(geometry);
      throw std::bad_alloc();
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const Vec3 local = (positions[i] - center) / size;
      for (std::size_t k = 0; k < 3; ++k) points[3 * i + k] = static_cast<float>(local[static_cast<Eigen::Index>(k)]);
    }
    for (std::size_t i = 0; i < shown.size(); ++i) std::copy_n(shown[i].data(), 3, indices + 3 * i);
    rtcCommitGeometry(geometry);
    const RTCScene made = rtcNewScene(ray_device());
    if (made == nullptr) {
      rtcReleaseGeometry(geometry);
      throw std::bad_alloc();
    }
    // No spatial splits: the filter would see a triangle more than once.
    rtcSetSceneBuildQuality(made, RTC_BUILD_QUALITY_MEDIUM);
    rtcSetSceneFlags(made, static_cast<RTCSceneFlags>(RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION));
    rtcAttachGeometry(made, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(made);
    // Embree reports memory that runs out here alone. The scene is then empty, and nothing would be found in it.
    if (rtcGetDeviceError(ray_device()) != RTC_ERROR_NONE) {
      rtcReleaseScene(made);
      throw std::bad_alloc();
    }
    return made;
  }

  // The part of the ray in the box, a little enlarged; false when there is none. An origin far away would cost digits.
  bool localize(const Ray& ray, LocalRay& local) const {
    const double length = ray.direction.norm();
    if (scene == nullptr || !(length > 0) || !std::isfinite(length) || !ray.origin.allFinite()) return false;
    double enter = ray.t_min, leave = ray.t_max;
    const double margin = 0.01 * size;
    for (int k = 0; k < 3; ++k) {
      const double low = box.lower[k] - margin - ray.origin[k], high = box.upper[k] + margin - ray.origin[k];
      if (ray.direction[k] == 0) {
        if (low > 0 || high < 0) return false;
        continue;
      }
      const double a = low / ray.direction[k], b = high / ray.direction[k];
      enter = std::max(enter, std::min(a, b));
      leave = std::min(leave, std::max(a, b));
    }
    if (!(enter <= leave)) return false;
    const Vec3 origin = (ray.origin + enter * ray.direction - center) / size, direction = ray.direction / length;
    local.t_start = enter;
    local.per_length = size / length;
    local.ray = {};
    local.ray.org_x = static_cast<float>(origin.x());
    local.ray.org_y = static_cast<float>(origin.y());
    local.ray.org_z = static_cast<float>(origin.z());
    local.ray.dir_x = static_cast<float>(direction.x());
    local.ray.dir_y = static_cast<float>(direction.y());
    local.ray.dir_z = static_cast<float>(direction.z());
    local.ray.tfar = static_cast<float>((leave - enter) / local.per_length);
    local.ray.mask = 0xFFFFFFFFU;
    return true;
  }

  // What single precision found, in double.
  RayHit refine(const Ray& ray, const LocalRay& local, Index triangle, float found) const {
    const Vec3 &a = soup().corner(triangle, 0), &b = soup().corner(triangle, 1), &c = soup().corner(triangle, 2);
    RayHit hit{triangle, local.t_start + static_cast<double>(found) * local.per_length, Vec3::Zero()};
    const Vec3 normal = (b - a).cross(c - a);
    const double speed = normal.dot(ray.direction);
    if (speed != 0) {
      const double t = normal.dot(a - ray.origin) / speed;
      // A ray that runs along the triangle gives a plane crossing that is not to be trusted.
      if (std::abs(t - hit.t) <= 1e-4 * local.per_length) hit.t = t;
    }
    hit.barycentric = closest_on_triangle(ray.origin + hit.t * ray.direction, a, b, c).barycentric;
    return hit;
  }

  RTCRayHit intersect(const LocalRay& local, FilterContext& context) const {
    RTCRayHit query{};
    query.ray = local.ray;
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(scene, &context.context, &query);
    context.thrown.again();
    return query;
  }

  // A ray from a place in the scene's own units, along a direction as it is.
  RTCRayHit query(const Vec3f& origin, const Vec3f& direction) const {
    RTCRayHit query;
    query.ray.org_x = origin.x();
    query.ray.org_y = origin.y();
    query.ray.org_z = origin.z();
    query.ray.tnear = 0;
    query.ray.dir_x = direction.x();
    query.ray.dir_y = direction.y();
    query.ray.dir_z = direction.z();
    query.ray.time = 0;
    query.ray.tfar = std::numeric_limits<float>::infinity();
    query.ray.mask = 0xFFFFFFFFU;
    query.ray.id = 0;
    query.ray.flags = 0;
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    return query;
  }

  struct Closest;
};

// The search for one closest point: Embree calls `visit` for triangles that may be near enough.
struct RayScene::Impl::Closest {
  const Impl& impl;
  const TriangleFilter& accept;
  Vec3 point;
  double limit = 0;  // Of the caller.
  double best = 0;   // Nearest distance so far.
  double tie = 0;    // Farther by so much is still a tie.
  float float_slack = 0;
  std::vector<std::pair<double, Index>> candidates = {};  // All within `tie` of the nearest, and some that were.
  Thrown thrown = {};

  float radius() const {
    const double wanted = (std::min(best, limit) + tie) / impl.size;
    return std::isfinite(wanted) ? static_cast<float>(wanted) * (1 + 1e-6F) + float_slack
                                 : std::numeric_limits<float>::infinity();
  }

  // The triangle that counts, of those that Embree's number stands for; kNone if the caller accepts none.
  Index accepted(Index number) const {
    const Places& places = impl.places;
    const Index triangle = places.empty() ? number : places.firsts[number];
    if (!accept || accept(triangle)) return triangle;
    if (places.empty()) return kNone;
    const auto end = places.copies.begin() + places.begin[number + 1];
    const auto copy = std::find_if(places.copies.begin() + places.begin[number], end, accept);
    return copy == end ? kNone : *copy;
  }

  bool visit(Index number, RTCPointQuery& query) {
    const Index shown = impl.places.empty() ? number : impl.places.firsts[number];
    const TriangleSoup soup = impl.soup();
    const PointOnTriangle near =
        closest_on_triangle(point, soup.corner(shown, 0), soup.corner(shown, 1), soup.corner(shown, 2));
    const double distance = (near.point - point).norm();
    if (!(distance <= std::min(best + tie, limit))) return false;
    const Index triangle = accepted(number);
    if (triangle == kNone) return false;
    if (distance < best - tie) candidates.clear();
    candidates.emplace_back(distance, triangle);
    if (distance >= best) return false;
    best = distance;
    query.radius = radius();
    return true;
  }

  static bool callback(RTCPointQueryFunctionArguments* arguments) {
    auto& self = *static_cast<Closest*>(arguments->userPtr);
    bool smaller = false;
    self.thrown.keep([&] { smaller = self.visit(arguments->primID, *arguments->query); });
    return smaller;
  }
};

RayScene::RayScene(const Mesh& mesh) {
  const std::vector<Triangle> triangles = triangulate(mesh);
  std::vector<TriangleVertices> vertices;
  std::vector<Index> faces;
  vertices.reserve(triangles.size());
  faces.reserve(triangles.size());
  for (const Triangle& t : triangles) {
    vertices.push_back(t.vertices);
    faces.push_back(t.face);
  }
  auto impl = std::make_unique<Impl>(mesh.positions, std::move(vertices));
  impl->faces = std::move(faces);
  impl_ = std::move(impl);
}

RayScene::RayScene(const TriangleSoup& soup)
    : impl_(std::make_unique<Impl>(std::vector<Vec3>(soup.positions.begin(), soup.positions.end()),
                                   std::vector<TriangleVertices>(soup.triangles.begin(), soup.triangles.end()))) {}

RayScene::RayScene(RayScene&&) noexcept = default;
RayScene& RayScene::operator=(RayScene&&) noexcept = default;
RayScene::~RayScene() = default;

Index RayScene::triangle_count() const { return static_cast<Index>(impl_->triangles.size()); }

Index RayScene::face(Index triangle) const { return impl_->faces.empty() ? triangle : impl_->faces[triangle]; }

RayHit RayScene::nearest_hit(const Ray& ray, const TriangleFilter& accept) const {
  LocalRay local;
  if (!impl_->localize(ray, local)) return {};
  FilterContext context = make_context(accept, nullptr);
  const RTCRayHit first = impl_->intersect(local, context);
  if (first.hit.geomID == RTC_INVALID_GEOMETRY_ID) return {};
  // Which of several triangles at the same place comes first is Embree's affair; so all near that place are asked.
  std::vector<std::pair<Index, float>> near;
  context = make_context(accept, &near);
  const auto slack = static_cast<float>(kFloatSlack);
  local.ray.tnear = std::max(0.0F, first.ray.tfar - slack);
  local.ray.tfar = first.ray.tfar + slack;
  impl_->intersect(local, context);
  std::pair<Index, float> chosen(first.hit.primID, first.ray.tfar);
  for (const auto& candidate : near)
    if (candidate.first < chosen.first) chosen = candidate;
  return impl_->refine(ray, local, chosen.first, chosen.second);
}

std::vector<RayHit> RayScene::all_hits(const Ray& ray, const TriangleFilter& accept) const {
  LocalRay local;
  if (!impl_->localize(ray, local)) return {};
  std::vector<std::pair<Index, float>> found;
  FilterContext context = make_context(accept, &found);
  impl_->intersect(local, context);
  std::sort(found.begin(), found.end());
  std::vector<RayHit> hits;
  hits.reserve(found.size());
  for (const auto& [triangle, t] : found)
    if (hits.empty() || hits.back().triangle != triangle) hits.push_back(impl_->refine(ray, local, triangle, t));
  std::stable_sort(hits.begin(), hits.end(), [](const RayHit& a, const RayHit& b) { return a.t < b.t; });
  return hits;
}

bool RayScene::occluded(const Ray& ray, const TriangleFilter& accept) const {
  LocalRay local;
  if (!impl_->localize(ray, local)) return false;
  FilterContext context = make_context(accept, nullptr);
  rtcOccluded1(impl_->scene, &context.context, &local.ray);
  context.thrown.again();
  return local.ray.tfar < 0;
}

void RayScene::leaving_hits(const Vec3& origin, std::span<const Vec3f> directions, std::span<LeavingHit> hits) const {
  const bool possible = impl_->scene != nullptr && origin.allFinite();
  const Vec3f local = ((origin - impl_->center) / impl_->size).cast<float>();
  const auto size = static_cast<float>(impl_->size);
  LeavingContext context;
  rtcInitIntersectContext(&context.context);
  context.context.filter = LeavingContext::keep_nearest;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    hits[i] = {};
    if (!possible || !directions[i].allFinite()) continue;
    RTCRayHit query = impl_->query(local, directions[i]);
    context.triangle = kNone;
    rtcIntersect1(impl_->scene, &context.context, &query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) continue;
    hits[i] = {query.hit.primID, query.ray.tfar * size, query.hit.u, query.hit.v};
  }
}

std::size_t RayScene::leaving_hits_along(const Vec3& origin, const Vec3f& direction, std::span<LeavingHit> hits) const {
  if (impl_->scene == nullptr || !origin.allFinite() || !direction.allFinite()) return 0;
  LeavingContext context;
  rtcInitIntersectContext(&context.context);
  context.context.filter = LeavingContext::collect;
  context.room = hits;
  RTCRayHit query = impl_->query(((origin - impl_->center) / impl_->size).cast<float>(), direction);
  rtcIntersect1(impl_->scene, &context.context, &query);
  const auto slack = static_cast<float>(kFloatSlack);
  std::size_t count = 0;
  float last = 0;
  for (std::size_t i = 0; i < context.count; ++i) {
    if (count > 0 && hits[i].t - last <= slack) continue;
    last = hits[i].t;
    hits[count] = hits[i];
    hits[count++].t *= static_cast<float>(impl_->size);
  }
  return count;
}

ClosestPoint RayScene::closest_point(const Vec3& point, double max_distance, const TriangleFilter& accept) const {
  if (impl_->scene == nullptr || !point.allFinite() || !(max_distance >= 0)) return {};
  const Vec3 local = (point - impl_->center) / impl_->size;
  const double reach = 1 + local.norm();
  Impl::Closest search{*impl_,
                       accept,
                       point,
                       max_distance,
                       std::numeric_limits<double>::infinity(),
                       kTieSlack * impl_->size * reach,
                       static_cast<float>(kFloatSlack * reach)};
  RTCPointQuery query{};
  query.x = static_cast<float>(local.x());
  query.y = static_cast<float>(local.y());
  query.z = static_cast<float>(local.z());
  query.radius = search.radius();
  RTCPointQueryContext context;
  rtcInitPointQueryContext(&context);
  rtcPointQuery(impl_->places.empty() ? impl_->scene : impl_->place_scene, &query, &context, Impl::Closest::callback,
                &search);
  search.thrown.again();
  ClosestPoint result;
  for (const auto& [distance, triangle] : search.candidates)
    if (distance <= search.best + search.tie && triangle < result.triangle) result.triangle = triangle;
  if (result.triangle == kNone) return result;
  const TriangleSoup soup = impl_->soup();
  const PointOnTriangle near = closest_on_triangle(point, soup.corner(result.triangle, 0),
                                                   soup.corner(result.triangle, 1), soup.corner(result.triangle, 2));
  result.point = near.point;
  result.barycentric = near.barycentric;
  result.distance = (near.point - point).norm();
  return result;
}

std::vector<std::uint8_t> RayScene::occluded(std::span<const Ray> rays, const TriangleFilter& accept) const {
  std::vector<std::uint8_t> result(rays.size());
  parallel_for(
      rays.size(), [&](std::size_t i) { result[i] = occluded(rays[i], accept) ? 1 : 0; }, 256);
  return result;
}

std::vector<ClosestPoint> RayScene::closest_points(std::span<const Vec3> points, double max_distance,
                                                   const TriangleFilter& accept) const {
  std::vector<ClosestPoint> result(points.size());
  parallel_for(
      points.size(), [&](std::size_t i) { result[i] = closest_point(points[i], max_distance, accept); }, 256);
  return result;
}

}  // namespace sinew::geometry
