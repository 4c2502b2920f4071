// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/quick_picture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/error.h"
#include "sinew/picture/png.h"

namespace sinew::picture {
namespace {

constexpr int kSupersampling = 2;
constexpr float kBackground = 0.93F;  // sRGB.

// Pixels with their depth, `kSupersampling` times as many in each direction as the picture has.
struct Canvas {
  Canvas(int w, int h)
      : width(w),
        height(h),
        color(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), Vec3f::Constant(kBackground)),
        depth(color.size(), std::numeric_limits<float>::infinity()) {}

  int width, height;
  std::vector<Vec3f> color;
  std::vector<float> depth;
};

struct Rectangle {
  int x = 0, y = 0, width = 0, height = 0;
};

// A corner on the canvas.
struct Projected {
  double x = 0, y = 0, depth = 0;
};

void fill(Canvas& canvas, const Rectangle& area, const std::array<Projected, 3>& t, const Vec3f& color) {
  const double signed_area = (t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[2].x - t[0].x) * (t[1].y - t[0].y);
  if (!(std::abs(signed_area) > 1e-12)) return;
  const auto bounds = [](double a, double b, double c, int low, int high) {
    const double least =
        std::clamp(std::floor(std::min({a, b, c})), static_cast<double>(low), static_cast<double>(high));
    const double most = std::clamp(std::ceil(std::max({a, b, c})), static_cast<double>(low), static_cast<double>(high));
    return std::pair(static_cast<int>(least), static_cast<int>(most));
  };
  const auto [x0, x1] = bounds(t[0].x, t[1].x, t[2].x, area.x, area.x + area.width);
  const auto [y0, y1] = bounds(t[0].y, t[1].y, t[2].y, area.y, area.y + area.height);
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) {
      const double px = x + 0.5, py = y + 0.5;
      const double a = ((t[1].x - px) * (t[2].y - py) - (t[2].x - px) * (t[1].y - py)) / signed_area;
      const double b = ((t[2].x - px) * (t[0].y - py) - (t[0].x - px) * (t[2].y - py)) / signed_area;
      const double c = 1 - a - b;
      if (a < 0 || b < 0 || c < 0) continue;
      const auto depth = static_cast<float>(1 / (a / t[0].depth + b / t[1].depth + c / t[2].depth));
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(canvas.width) + static_cast<std::size_t>(x);
      if (depth >= canvas.depth[at]) continue;
      canvas.depth[at] = depth;
      canvas.color[at] = color;
    }
}

float to_srgb(float linear) { return std::pow(std::clamp(linear, 0.0F, 1.0F), 1 / 2.2F); }

// The colour of a face that turns `facing` (0 to 1) towards the light.
Vec3f shaded(const Character& character, Index face, double facing) {
  Vec3f base = Vec3f::Constant(0.6F);
  const auto& materials = character.rig.mesh.face_materials;
  if (face < materials.size() && materials[face] != kNone) {
    const Material& material = character.materials[materials[face]];
    base = material.base_color_image == kNone ? Vec3f(material.base_color.head<3>()) : Vec3f(0.62F, 0.58F, 0.54F);
  }
  const auto light = static_cast<float>(0.25 + 0.75 * facing);
  return {to_srgb(base.x() * light), to_srgb(base.y() * light), to_srgb(base.z() * light)};
}

void draw_cell(Canvas& canvas, const Rectangle& area, const PictureScene& scene, const PictureCell& cell) {
  const PictureFrame& frame = scene.frames[cell.frame];
  const Character& character = frame.character ? *frame.character : scene.character;
  const double aspect = static_cast<double>(area.width) / area.height;
  std::vector<Vec3> points = frame.positions;
  points.insert(points.end(), scene.also_fit.begin(), scene.also_fit.end());
  const PictureCamera camera = cell.close_up && !cell.close_up->points.empty()
                                   ? fit_camera(cell.close_up->back, cell.close_up->points, aspect, false)
                                   : fit_camera(cell.view, points, aspect, false);
  const Vec3 light = (camera.back + 0.6 * camera.up - 0.4 * camera.right).normalized();
  std::vector<Projected> projected(frame.positions.size());
  for (std::size_t v = 0; v < projected.size(); ++v) {
    const Vec3 d = frame.positions[v] - camera.eye;
    const double depth = -d.dot(camera.back);
    const double scale = 1 / (std::max(depth, 1e-12) * camera.tan_y);
    projected[v] = {area.x + area.width * (0.5 + 0.5 * d.dot(camera.right) * scale / aspect),
                    area.y + area.height * (0.5 - 0.5 * d.dot(camera.up) * scale), depth};
  }
  for (const Triangle& t : triangulate(character.rig.mesh)) {
    const auto& [a, b, c] = t.vertices;
    if (projected[a].depth <= 0 || projected[b].depth <= 0 || projected[c].depth <= 0) continue;
    const Vec3 normal = (frame.positions[b] - frame.positions[a]).cross(frame.positions[c] - frame.positions[a]);
    if (!(normal.norm() > 0)) continue;
    const double side = normal.dot(frame.positions[a] - camera.eye) > 0 ? -1 : 1;
    const double facing = std::max(0.0, side * normal.normalized().dot(light));
    fill(canvas, area, {projected[a], projected[b], projected[c]}, shaded(character, t.face, facing));
  }
}

io::Bytes reduced(const Canvas& canvas, int width, int height) {
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      Vec3f sum = Vec3f::Zero();
      for (int k = 0; k < kSupersampling * kSupersampling; ++k) {
        const int cx = kSupersampling * x + k % kSupersampling, cy = kSupersampling * y + k / kSupersampling;
        sum += canvas.color[static_cast<std::size_t>(cy) * static_cast<std::size_t>(canvas.width) +
                            static_cast<std::size_t>(cx)];
      }
      sum /= static_cast<float>(kSupersampling * kSupersampling);
      for (int k = 0; k < 3; ++k) pixels.push_back(static_cast<std::uint8_t>(std::lround(255 * sum[k])));
    }
  return write_png({width, height, 3, std::move(pixels)});
}

}  // namespace

Picture draw_quick_picture(const PictureScene& scene, const Progress& progress) {
  if (scene.cells.empty() || scene.frames.empty()) throw Error("There is nothing to draw.");
  if (scene.width < kLeastPictureSide || scene.height < kLeastPictureSide || scene.width > kMostPictureSide ||
      scene.height > kMostPictureSide)
    throw Error("The size of the picture is out of bounds.");
  const Canvas empty(scene.width * kSupersampling, scene.height * kSupersampling);
  Canvas canvas = empty;
  const int in_picture = scene.animated ? 1 : static_cast<int>(scene.cells.size());
  const int columns = std::min(scene.columns, in_picture), rows = (in_picture + columns - 1) / columns;
  Picture picture;
  for (std::size_t i = 0; i < scene.cells.size(); ++i) {
    progress.check();
    const int cell = static_cast<int>(i) % in_picture, column = cell % columns, row = cell / columns;
    const int w = canvas.width / columns, h = canvas.height / rows;
    draw_cell(canvas, {column * w, row * h, w, h}, scene, scene.cells[i]);
    if (!scene.animated) continue;
    picture.frames.push_back(reduced(canvas, scene.width, scene.height));
    canvas = empty;
  }
  if (!scene.animated) picture.png = reduced(canvas, scene.width, scene.height);
  return picture;
}

}  // namespace sinew::picture
