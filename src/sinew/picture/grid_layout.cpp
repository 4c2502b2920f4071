// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/grid_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include "sinew/core/error.h"

namespace sinew::picture {
namespace {

constexpr int kPanelWidth = 1200, kPanelHeight = 950, kGridSamples = 8;
// Of the page that draws labels: their height relative to the panel's smaller side, and their width per letter.
constexpr double kLetterHeight = 0.018, kLetterWidth = 0.58;
// The share of a panel that the camera of a close-up leaves to its points.
constexpr double kUsedWidth = 0.93, kUsedHeight = 0.86;

const Vec4f kFine(0.2F, 0.25F, 0.3F, 0.16F), kCoarse(0.2F, 0.25F, 0.3F, 0.4F), kLeader(0.1F, 0.3F, 0.7F, 0.45F);

/// What a panel looks at: its axes in the picture by number, and their directions there.
struct Panel {
  const char* name;
  int across;   // Axis to the left or right.
  double sign;  // +1: it points to the right.
  Vec3 back;
};

const Panel kFront = {"front", 0, 1, Vec3::UnitZ()};
const Panel kSide = {"side", 2, -1, Vec3::UnitX()};

std::string metres(double value, double step) {
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
  const std::string text = fmt::format("{:.{}f}", value, digits);
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1) : text;
}

/// Joints that a person would give hints for. Fingers are too many and too near each other.
bool is_labelled(const Skeleton& skeleton, Index j) {
  const Joint& joint = skeleton.joints[j];
  if (!joint.deforming || joint.role == "end" || joint.driver) return false;
  std::string name = joint.name + " " + joint.role;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string_view finger : {"thumb", "index", "middle", "ring", "little", "pinky"})
    if (name.find(finger) != std::string::npos) return false;
  return true;
}

/// Draws one panel.
class GridPanel {
 public:
  GridPanel(const PictureScene& scene, const Panel& panel, double width, double height)
      : scene_(scene), frame_(scene.frames.front()), panel_(panel), width_(width), height_(height) {
    for (const Vec3& p : frame_.positions) box_.extend(p);
    if (box_.empty())
      for (const Mat4& joint : frame_.joints) box_.extend(joint.topRightCorner<3, 1>());
    if (scene.skeleton) find_labels();
    lay_out();
  }

  std::vector<Overlay> overlays() const {
    std::vector<Overlay> all = {grid(false), grid(true)};
    add_axes(all);
    if (labels_.empty()) all.push_back(bounds());
    else all.push_back(joints());
    return all;
  }

  PictureCloseUp close_up() const {
    return {panel_.back, {point(left_, low_), point(right_, low_), point(left_, high_), point(right_, high_)}};
  }

  std::string title() const {
    return fmt::format("{}: {} {}, y upwards; lines every {} m", panel_.name, "xyz"[panel_.across],
                       panel_.sign > 0 ? "to the right" : "to the left", metres(step_, step_));
  }

 private:
  struct Label {
    Vec3 at = Vec3::Zero();
    std::string text;
    double u = 0;  // Where it starts, in the panel's coordinates.
    double v = 0;
    bool on_left = false;
  };

  /// Across the panel, to the right.
  double u_of(const Vec3& p) const { return panel_.sign * p[panel_.across]; }

  /// In the plane through the middle of the body, where the perspective does not shift what is in the middle.
  Vec3 point(double u, double v) const {
    Vec3 p = box_.center();
    p[panel_.across] = panel_.sign * u;
    p.y() = v;
    return p;
  }

  void find_labels() {
    const Skeleton& skeleton = scene_.character.rig.skeleton;
    const double middle = box_.center().x(), size = box_.diagonal();
    for (Index j = 0; j < std::min<std::size_t>(skeleton.size(), frame_.joints.size()); ++j) {
      if (!is_labelled(skeleton, j)) continue;
      Label label;
      label.at = frame_.joints[j].topRightCorner<3, 1>();
      // From the side, the joints of the far side are behind those of the near side.
      if (panel_.across == 2 && (label.at.x() < middle - 0.01 * size || is_behind_partner(j))) continue;
      const double step = grid_step(box_.extent().y()) / 100;
      label.text = fmt::format("{}={},{},{}", skeleton.joints[j].name, metres(label.at.x(), step),
                               metres(label.at.y(), step), metres(label.at.z(), step));
      labels_.push_back(std::move(label));
    }
    std::stable_sort(labels_.begin(), labels_.end(),
                     [](const Label& a, const Label& b) { return a.at.y() > b.at.y(); });
  }

  bool is_behind_partner(Index j) const {
    const Index partner = scene_.character.rig.skeleton.joints[j].mirror;
    return partner != kNone && frame_.joints[partner](0, 3) > frame_.joints[j](0, 3);
  }

  /// Finds the scale at which body and labels fit, and the places of the labels in two columns.
  void lay_out() {
    const double letter = std::round(std::max(8.0, kLetterHeight * std::min(width_, height_)));
    std::size_t longest = 8;
    for (const Label& label : labels_) longest = std::max(longest, label.text.size());
    const double column = labels_.empty() ? 6 * letter : (static_cast<double>(longest) * kLetterWidth + 2) * letter;
    const double across = box_.extent()[panel_.across], tall = box_.extent().y();
    const double room = std::max(kUsedWidth * width_ - 2 * column, 0.2 * width_);
    const double scale = std::max({across / room, 1.12 * tall / (kUsedHeight * height_), 1e-9});
    const double u = u_of(box_.center()), v = box_.center().y();
    left_ = u - 0.5 * kUsedWidth * width_ * scale, right_ = u + 0.5 * kUsedWidth * width_ * scale;
    low_ = v - 0.5 * kUsedHeight * height_ * scale, high_ = v + 0.5 * kUsedHeight * height_ * scale;
    step_ = grid_step(std::max(across, tall));
    letter_ = letter * scale;
    column_ = column * scale;
    place_labels(u);
  }

  void place_labels(double middle) {
    std::size_t left = 0, right = 0;
    const double near = 0.02 * box_.diagonal();
    for (Label& label : labels_) {
      const double side = u_of(label.at) - middle;
      label.on_left = std::abs(side) > near ? side < 0 : left < right;
      ++(label.on_left ? left : right);
    }
    for (const bool on_left : {true, false}) {
      std::vector<double> wanted;
      for (const Label& label : labels_)
        if (label.on_left == on_left) wanted.push_back(label.at.y());
      const std::vector<double> placed = spread_labels(wanted, 1.5 * letter_);
      auto next = placed.begin();
      for (Label& label : labels_) {
        if (label.on_left != on_left) continue;
        label.v = *next++;
        label.u = on_left ? left_ + letter_ : right_ - column_ + letter_;
      }
    }
  }

  /// The fine lines, or every tenth.
  Overlay grid(bool coarse) const {
    Overlay overlay;
    overlay.name = coarse ? "grid" : "fine grid";
    overlay.color = coarse ? kCoarse : kFine;
    if (!(step_ > 0)) return overlay;
    const auto each = [&](double from, double to, const auto& add) {
      const auto first = static_cast<long>(std::ceil(from / step_ - 1e-9));
      const auto last = static_cast<long>(std::floor(to / step_ + 1e-9));
      for (long k = first; k <= last; ++k)
        if ((k % 10 == 0) == coarse) add(static_cast<double>(k) * step_, k);
    };
    const double inner = left_ + column_, outer = right_ - column_;
    const double lines = std::max(outer - inner, high_ - low_) / step_;
    const long labelled = lines > 60 ? 10 : lines > 24 ? 5 : lines > 12 ? 2 : 1;
    each(inner, outer, [&](double u, long k) {
      overlay.lines.push_back({point(u, low_), point(u, high_)});
      if (k % labelled == 0)
        overlay.labels.push_back({point(u - 1.2 * letter_, low_ + 0.6 * letter_), metres(panel_.sign * u, step_)});
    });
    each(low_, high_, [&](double v, long k) {
      overlay.lines.push_back({point(inner, v), point(outer, v)});
      if (k % labelled == 0) overlay.labels.push_back({point(inner - 0.5 * letter_, v), metres(v, step_)});
    });
    return overlay;
  }

  void add_axes(std::vector<Overlay>& all) const {
    const auto add = [&](const char* name, const Vec4f& color, const Vec3& from, const Vec3& to, const Vec3& label) {
      Overlay overlay;
      overlay.name = name;
      overlay.color = color;
      overlay.lines.push_back({from, to});
      overlay.labels.push_back({label, name});
      all.push_back(std::move(overlay));
    };
    const double inner = left_ + column_, outer = right_ - column_;
    const Vec4f red(0.85F, 0.15F, 0.15F, 1), green(0.1F, 0.6F, 0.15F, 1), blue(0.15F, 0.3F, 0.9F, 1);
    const double end = panel_.sign > 0 ? outer - 2 * letter_ : inner;
    if (low_ <= 0 && high_ >= 0)
      add(panel_.across == 0 ? "+x" : "+z", panel_.across == 0 ? red : blue, point(inner, 0), point(outer, 0),
          point(end, 0.8 * letter_));
    if (inner <= 0 && outer >= 0) add("+y", green, point(0, low_), point(0, high_), point(0, high_ - letter_));
  }

  Overlay joints() const {
    Overlay overlay;
    overlay.name = "joints";
    overlay.color = kLeader;
    for (const Label& label : labels_) {
      const double width = kLetterWidth * static_cast<double>(label.text.size()) * letter_;
      overlay.lines.push_back({point(label.on_left ? label.u + width + letter_ : label.u, label.v), label.at});
      overlay.points.push_back(label.at);
      overlay.labels.push_back({point(label.u, label.v), label.text});
    }
    return overlay;
  }

  /// For a mesh without joints: its bounding box, with the coordinates of two corners.
  Overlay bounds() const {
    Overlay overlay;
    overlay.name = "bounds";
    overlay.color = Vec4f(0.1F, 0.3F, 0.7F, 0.9F);
    const double a = std::min(u_of(box_.lower), u_of(box_.upper)), b = std::max(u_of(box_.lower), u_of(box_.upper));
    const std::array<Vec3, 4> corners = {point(a, box_.lower.y()), point(b, box_.lower.y()), point(b, box_.upper.y()),
                                         point(a, box_.upper.y())};
    for (std::size_t k = 0; k < 4; ++k) overlay.lines.push_back({corners[k], corners[(k + 1) % 4]});
    const double step = step_ / 100;
    const auto text = [&](const Vec3& p) {
      return fmt::format("{}={} y={}", "xyz"[panel_.across], metres(p[panel_.across], step), metres(p.y(), step));
    };
    overlay.labels.push_back({corners[0] - Vec3(0, letter_, 0), text(corners[0])});
    overlay.labels.push_back({corners[2] + Vec3(0, letter_, 0), text(corners[2])});
    return overlay;
  }

  const PictureScene& scene_;
  const PictureFrame& frame_;
  const Panel panel_;
  const double width_, height_;  // Pixels.
  Box box_;
  std::vector<Label> labels_;
  double left_ = 0, right_ = 0, low_ = 0, high_ = 0;  // What the panel shows, in metres.
  double step_ = 0, letter_ = 0, column_ = 0;
};

std::vector<Panel> panels_of(const std::string& view) {
  if (view.empty()) return {kFront, kSide};
  if (view == "front") return {kFront};
  if (view == "side") return {kSide};
  throw Error(
      "The option 'grid' draws the front and the side; set the option 'view' to front or side, or leave it out.");
}

}  // namespace

double grid_step(double length) {
  if (!(length > 0) || !std::isfinite(length)) return 0;
  return std::pow(10, std::floor(std::log10(length / 4)));
}

std::vector<double> spread_labels(const std::vector<double>& wanted, double spacing) {
  // Labels that touch form a block around the mean of what they want; a block that reaches the next one takes it in.
  struct Block {
    double sum = 0;  // Of what its labels want for the block's first.
    std::size_t count = 0;
    double first() const { return sum / static_cast<double>(count); }
  };
  std::vector<Block> blocks;
  for (const double want : wanted) {
    blocks.push_back({want, 1});
    while (blocks.size() > 1) {
      Block& upper = blocks[blocks.size() - 2];
      const Block& lower = blocks.back();
      const double offset = spacing * static_cast<double>(upper.count);
      if (lower.first() <= upper.first() - offset) break;
      upper.sum += lower.sum + offset * static_cast<double>(lower.count);
      upper.count += lower.count;
      blocks.pop_back();
    }
  }
  std::vector<double> placed;
  for (const Block& block : blocks)
    for (std::size_t k = 0; k < block.count; ++k) placed.push_back(block.first() - spacing * static_cast<double>(k));
  return placed;
}

void lay_out_grid(PictureScene& scene, const GridLayout& layout) {
  const std::vector<Panel> panels = panels_of(layout.view);
  const auto count = static_cast<int>(panels.size());
  if (layout.choose_size) scene.width = kPanelWidth * count, scene.height = kPanelHeight;
  if (layout.choose_samples) scene.samples = kGridSamples;
  if (layout.add_skeleton && !scene.character.rig.skeleton.empty()) scene.skeleton = true;
  scene.columns = count;
  scene.cells.clear();
  std::vector<PictureFrame> frames;
  for (const Panel& shown : panels) {
    const GridPanel panel(scene, shown, 1.0 * scene.width / count, scene.height);
    scene.cells.push_back({PictureView::kFront, static_cast<Index>(frames.size()), panel.title(), panel.close_up()});
    frames.push_back(scene.frames.front());
    frames.back().overlays = panel.overlays();
  }
  scene.frames = std::move(frames);
}

}  // namespace sinew::picture
