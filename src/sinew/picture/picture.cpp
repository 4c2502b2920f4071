// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/picture/browser.h"
#include "sinew/picture/picture_script.h"

#ifdef SINEW_HAS_PAGE
extern "C" const char sinew_picture_page_begin[];
extern "C" const char sinew_picture_page_end[];
#endif

namespace sinew::picture {
namespace {

constexpr std::string_view kBegin = "sinew-result ";
constexpr std::string_view kEnd = " sinew-end";

/// The script built from web/, part of the program.
std::string_view page_script() {
#ifdef SINEW_HAS_PAGE
  return {sinew_picture_page_begin, static_cast<std::size_t>(sinew_picture_page_end - sinew_picture_page_begin)};
#else
  throw Error("This build of sinew has no renderer. Build it with SINEW_WEB=ON, which needs npm.");
#endif
}

void check(const PictureScene& scene) {
  const auto in_bounds = [](int side) { return side >= kLeastPictureSide && side <= kMostPictureSide; };
  if (!in_bounds(scene.width) || !in_bounds(scene.height))
    throw Error(fmt::format("A picture of {}x{} pixels cannot be drawn: each side must have {} to {} pixels.",
                            scene.width, scene.height, kLeastPictureSide, kMostPictureSide));
  static const std::regex hex("#[0-9a-fA-F]{6}");
  if (scene.background != "studio" && scene.background != "transparent" && !std::regex_match(scene.background, hex))
    throw Error(fmt::format("The background '{}' is unknown. Use studio, transparent or a colour such as #ffffff.",
                            scene.background));
  const bool joints = scene.skeleton && !scene.character.rig.skeleton.empty();
  if (scene.character.rig.mesh.positions.empty() && !joints && scene.overlays.empty())
    throw Error(scene.character.rig.skeleton.empty()
                    ? std::string("There is nothing to draw: the file has neither a mesh nor a skeleton.")
                    : std::string("There is nothing to draw: the file has no mesh. Set the option 'show' to skeleton "
                                  "to draw the skeleton."));
}

/// The text entities that a browser writes for the characters of JSON.
std::string unescaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  constexpr std::array<std::pair<std::string_view, char>, 3> kEntities = {
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}}};
  while (!text.empty()) {
    const std::size_t amp = std::min(text.find('&'), text.size());
    result.append(text.substr(0, amp));
    text.remove_prefix(amp);
    if (text.empty()) break;
    const auto* entity =
        std::find_if(kEntities.begin(), kEntities.end(), [&](const auto& e) { return text.starts_with(e.first); });
    result += entity != kEntities.end() ? entity->second : '&';
    text.remove_prefix(entity != kEntities.end() ? entity->first.size() : 1);
  }
  return result;
}

/// The results of a page, one for each picture.
Json read_results(const std::string& page, std::size_t count) {
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.rfind(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw Error("The browser returned no picture. If SINEW_CHROMIUM is set, check that it names a Chromium.");
  const std::string_view inner = std::string_view(page).substr(begin + kBegin.size(), end - begin - kBegin.size());
  Json json = Json::parse(unescaped(inner), nullptr, false);
  if (!json.is_array() || json.size() != count) throw Error("The browser returned something that is not a picture.");
  return json;
}

Picture read_result(const Json& json, const PictureScene& scene) {
  if (!json.is_object()) throw Error("The browser returned something that is not a picture.");
  if (json.contains("error"))
    throw Error(fmt::format("The picture cannot be drawn: {}.", json["error"].get<std::string>()));
  Picture picture;
  const std::string prefix = fmt::format("data:image/{};base64,", scene.webp ? "webp" : "png");
  for (const Json& text : json.value("pictures", Json::array())) {
    const std::string data = text.get<std::string>();
    if (!data.starts_with(prefix))
      throw Error("The browser cannot make a picture of this size. Request a smaller one.");
    picture.frames.push_back(io::base64_decode(std::string_view(data).substr(prefix.size())));
  }
  if (picture.frames.size() != (scene.animated ? scene.cells.size() : 1))
    throw Error("The browser returned something that is not a picture.");
  if (!scene.animated) picture.png = std::exchange(picture.frames, {}).front();
  for (const Json& text : json.value("warnings", Json::array()))
    picture.warnings.push_back({"render.texture", "", text.get<std::string>()});
  return picture;
}

}  // namespace

Vec3 direction_of(PictureView view) {
  double azimuth = 0;
  double elevation = 3.5;
  switch (view) {
    case PictureView::kFront:
      break;
    case PictureView::kSide:
      azimuth = 90;
      break;
    case PictureView::kBack:
      azimuth = 180;
      break;
    case PictureView::kThreeQuarter:
      azimuth = 36, elevation = 13;
      break;
  }
  azimuth *= kPi / 180;
  elevation *= kPi / 180;
  return {std::sin(azimuth) * std::cos(elevation), std::sin(elevation), std::cos(azimuth) * std::cos(elevation)};
}

PictureCamera fit_camera(PictureView view, std::span<const Vec3> points, double aspect, bool titled,
                         double least_distance) {
  return fit_camera(direction_of(view), points, aspect, titled, least_distance);
}

PictureCamera fit_camera(const Vec3& back, std::span<const Vec3> points, double aspect, bool titled,
                         double least_distance) {
  PictureCamera camera;
  camera.tan_y = std::tan(13.0 * kPi / 180);
  camera.back = back;
  const bool steep = std::abs(back.y()) > 0.9;
  camera.right = steep ? (Vec3::UnitX() - back.x() * back).normalized() : Vec3::UnitY().cross(back).normalized();
  camera.up = camera.back.cross(camera.right);
  // A point (x, y, z) in the camera's axes is inside if |x − cx| ≤ (d − z)·tx, and so for y: linear in cx, cy and d.
  const double side = camera.tan_y * aspect * 0.93;
  const double top = camera.tan_y * 0.93;
  const double low = camera.tan_y * (titled ? 0.80 : 0.90);
  constexpr double kFar = std::numeric_limits<double>::infinity();
  double right = -kFar, left = -kFar, above = -kFar, below = -kFar, nearest = -kFar;
  for (const Vec3& p : points) {
    const double x = camera.right.dot(p), y = camera.up.dot(p), z = camera.back.dot(p);
    right = std::max(right, x + z * side);
    left = std::max(left, -x + z * side);
    above = std::max(above, y + z * top);
    below = std::max(below, -y + z * low);
    nearest = std::max(nearest, z);
  }
  if (points.empty()) right = left = above = below = 1, nearest = 0;
  double distance = std::max({(right + left) / (2 * side), (above + below) / (top + low), least_distance});
  // Flat things seen from their edge, and single points.
  distance = std::max(distance, nearest + 1e-3);
  const double cx = (right - left) / 2;
  const double cy = ((above - distance * top) + (distance * low - below)) / 2;
  camera.eye = cx * camera.right + cy * camera.up + distance * camera.back;
  return camera;
}

std::vector<Vec3> outermost(std::span<const Vec3> points) {
  constexpr int kDirections = 320;
  if (points.size() <= kDirections) return {points.begin(), points.end()};
  std::vector<Vec3> result;
  for (int i = 0; i < kDirections; ++i) {
    const double y = 1 - (2 * i + 1.0) / kDirections;
    const double angle = i * 2.399963229728653;
    const double flat = std::sqrt(1 - y * y);
    const Vec3 direction(flat * std::cos(angle), y, flat * std::sin(angle));
    std::size_t best = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double reach = direction.dot(points[k]);
      if (reach > most) most = reach, best = k;
    }
    result.push_back(points[best]);
  }
  return result;
}

Picture draw_picture(const PictureScene& scene, const Progress& progress) {
  const PictureScene* const one = &scene;
  return std::move(draw_pictures(std::span(&one, 1), progress).front());
}

std::vector<Picture> draw_pictures(std::span<const PictureScene* const> scenes, const Progress& progress) {
  for (const PictureScene* scene : scenes) check(*scene);
  if (scenes.empty()) return {};
  const std::string_view script = page_script();
  const std::filesystem::path browser = find_browser();
  progress.step("preparing the picture", 0.3);
  const ScratchFolder scratch;
  double work = 0;
  std::vector<std::vector<std::string>> too_large;
  {
    std::string head, body;
    io::AtomicFiles files;
    for (std::size_t k = 0; k < scenes.size(); ++k) {
      const PictureScript made = make_script(*scenes[k], k);
      work += made.work;
      too_large.push_back(made.too_large);
      const std::string name = fmt::format("scene{}.js", k);
      files.add(scratch.path() / name, made.script);
      head += fmt::format("<script src=\"{}\"></script>", name);
      body += made.images;
    }
    files.add(scratch.path() / "picture.js", script);
    files.add(scratch.path() / "picture.html", "<!DOCTYPE html><html><head><meta charset=\"utf-8\">" + head +
                                                   "<script src=\"picture.js\"></script></head><body hidden>" + body +
                                                   "</body></html>");
    files.commit();
  }
  progress.step("drawing the picture", 0.5);
  const PageRun run{scratch.path() / "picture.html", scratch.path(), std::string(kEnd), 60 + 4e-6 * work};
  const Json results = read_results(run_page(browser, run, progress), scenes.size());
  std::vector<Picture> pictures;
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    pictures.push_back(read_result(results[k], *scenes[k]));
    for (const std::string& name : too_large[k])
      pictures.back().warnings.push_back(
          {"render.texture", name, "The texture has more than 64 million pixels; it is left out."});
  }
  progress.step("drawing the picture", 1.0);
  return pictures;
}

}  // namespace sinew::picture
