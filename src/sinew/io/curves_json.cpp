// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/curves_json.h"

#include "sinew/core/curve_measure.h"
#include "sinew/core/json.h"

namespace sinew::io {
namespace {

const char* kind_word(Curve::Kind kind) {
  return kind == Curve::Kind::kLimb ? "limb" : (kind == Curve::Kind::kTrunk ? "trunk" : "rest");
}

Json json_of_curve(const CurveSet& set, const Curve& curve, std::span<const Vec3> positions) {
  Json points = Json::array();
  for (const CurvePoint& p : set.of(curve))
    points.push_back(p.a == p.b ? Json(p.a) : Json{{"from", p.a}, {"to", p.b}, {"at", p.t}});
  Json json = {{"kind", kind_word(curve.kind)}, {"closed", curve.closed}};
  if (curve.chain != kNone) json["chain"] = curve.chain, json["order"] = curve.order;
  json["points"] = std::move(points);
  if (curve.closed) {
    const CurveCentre centre = curve_centre(set.of(curve), positions, true);
    json["centre"] = {centre.position.x(), centre.position.y(), centre.position.z()};
    json["radius"] = centre.radius;
  }
  return json;
}

}  // namespace

std::string curves_json(const CurveSet& set, std::span<const Vec3> positions) {
  Json json = {{"format", "sinew-curves"}, {"version", 1}};
  json["limbs"] = Json::array();
  for (const CurveLimb& limb : set.limbs)
    json["limbs"].push_back({{"tip", limb.tip},
                             {"length", limb.length},
                             {"radius", limb.radius},
                             {"persistence", limb.persistence},
                             {"source", limb.level_sets ? "levels" : "edges"},
                             {"curves", limb.curves}});
  json["trunks"] = set.trunks;
  json["curves"] = Json::array();
  for (const Curve& curve : set.curves) json["curves"].push_back(json_of_curve(set, curve, positions));
  return json.dump() + "\n";
}

}  // namespace sinew::io
