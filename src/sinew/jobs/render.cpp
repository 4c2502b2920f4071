// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/jobs/render_compare.h"
#include "sinew/jobs/render_film.h"
#include "sinew/picture/close_up.h"
#include "sinew/picture/grid_layout.h"
#include "sinew/picture/quick_picture.h"
#include "sinew/pipeline/curves.h"
#include "sinew/pipeline/find_joints.h"
#include "sinew/pipeline/segment_colors.h"
#include "sinew/pipeline/surface_distance.h"

namespace sinew::jobs {
namespace {

/// Times at which a clip is looked at to find a camera that holds all of it.
constexpr int kFramingTimes = 24;
constexpr std::string_view kWeights = "weights:";
constexpr std::string_view kSegments = "segments";
constexpr std::string_view kRegions = "regions";
constexpr std::string_view kCurves = "curves";
constexpr std::string_view kDistance = "distance:";
constexpr std::size_t kMostCloseUps = 24;
constexpr std::size_t kMostRows = 12;
constexpr int kPanelSide = 600;

/// "Did you mean 'a', 'b'?" and what there is, for a name that is not there.
[[noreturn]] void unknown(const char* kind, const std::string& word, const std::string& where,
                          const std::vector<std::string>& known) {
  if (known.empty()) throw Error(fmt::format("{} has no {}s, so there is none called '{}'.", where, kind, word));
  std::string text = fmt::format("{} has no {} called '{}'.", where, kind, word);
  std::vector<std::string> left;
  for (const std::string& name : known) left.push_back(lower_case(name));
  // First names that hold the word ("Head" in "b_Head_05"), then those a few letters away.
  const std::string sought = lower_case(word);
  const auto next = [&] {
    for (const std::string& name : left)
      if (sought.size() > 1 && name.find(sought) != std::string::npos) return name;
    return closest_word(sought, left);
  };
  std::vector<std::string> near;
  for (std::string name = next(); !name.empty() && near.size() < 3; name = next()) {
    const auto at = std::find(left.begin(), left.end(), name);
    near.push_back("'" + known[static_cast<std::size_t>(at - left.begin())] + "'");
    std::replace(left.begin(), left.end(), name, std::string());
  }
  if (!near.empty()) text += fmt::format(" Did you mean {}?", fmt::join(near, " or "));
  constexpr std::size_t kListed = 12;
  const std::vector<std::string> listed(known.begin(),
                                        known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kListed)));
  text += fmt::format(" It has {}{}.", fmt::join(listed, ", "),
                      known.size() > kListed ? fmt::format(" and {} more", known.size() - kListed) : "");
  throw Error(text);
}

std::vector<std::string> joint_names(const Skeleton& skeleton) {
  std::vector<std::string> names;
  for (const Joint& joint : skeleton.joints) names.push_back(joint.name);
  return names;
}

void set_size(picture::PictureScene& scene, const RenderOptions& options) {
  if (options.size.empty()) {
    scene.width = options.sheet ? 1600 : 1024;
    scene.height = options.sheet ? 900 : 1024;
    return;
  }
  const std::string& text = options.size;
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, scene.width);
  const bool cross = width.ec == std::errc() && width.ptr != end && (*width.ptr == 'x' || *width.ptr == 'X');
  const auto height = cross ? std::from_chars(width.ptr + 1, end, scene.height) : width;
  if (!cross || height.ec != std::errc() || height.ptr != end)
    throw Error(fmt::format("The option 'size' takes width and height in pixels, such as 1024x768, not '{}'.", text));
  const auto in_bounds = [](int side) {
    return side >= picture::kLeastPictureSide && side <= picture::kMostPictureSide;
  };
  if (!in_bounds(scene.width) || !in_bounds(scene.height))
    throw Error(fmt::format("The size {} is out of range: each side must have {} to {} pixels.", text,
                            picture::kLeastPictureSide, picture::kMostPictureSide));
}

/// Colours by the distance along the surface from a vertex.
Overlay distance_overlay(const Mesh& mesh, const std::string& word, const Progress& progress) {
  const std::string text = word.substr(kDistance.size());
  Index vertex = kNone;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), vertex);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    throw Error(
        fmt::format("'{}' of the option 'show' does not name a vertex by its number, such as distance:120.", word));
  const std::vector<double> distances = pipeline::surface_distances(mesh, vertex, progress);
  Overlay::VertexField field{.name = word, .values = {}};
  double most = 0;
  for (const double d : distances)
    if (std::isfinite(d)) most = std::max(most, d);
  for (const double d : distances) field.values.push_back(static_cast<float>(std::isfinite(d) ? d : most));
  field.high = static_cast<float>(most);
  Overlay overlay;
  overlay.name = word;
  overlay.fields.push_back(std::move(field));
  return overlay;
}

/// Sets what the character itself shows; returns the words that are left, which must be the method's.
std::vector<std::string> set_show(picture::PictureScene& scene, const RenderOptions& options, const std::string& where,
                                  const Progress& progress) {
  std::vector<std::string> of_method;
  const Rig& rig = scene.character.rig;
  scene.skin = false;
  for (const std::string& word : options.show) {
    if (word == "skin") {
      scene.skin = true;
    } else if (word == "wire") {
      scene.wire = true;
    } else if (word == "skeleton") {
      if (rig.skeleton.empty())
        throw Error(fmt::format("{} has no skeleton to show. Remove 'skeleton' from the option 'show'.", where));
      scene.skeleton = true;
    } else if (word.starts_with(kWeights)) {
      const std::string name = word.substr(kWeights.size());
      scene.chosen_joint = rig.skeleton.find(name);
      if (scene.chosen_joint == kNone) unknown("joint", name, where, joint_names(rig.skeleton));
      scene.skin = true;
      scene.overlays.push_back(weights_overlay(rig, scene.chosen_joint));
    } else if (word.starts_with(kDistance)) {
      scene.skin = true;
      scene.overlays.push_back(distance_overlay(rig.mesh, word, progress));
    } else if (word == kSegments || word == kRegions) {
      if (rig.skeleton.empty())
        throw Error(
            fmt::format("{} has no skeleton, so it has no {}. Remove '{}' from the option 'show'.", where, word, word));
      scene.skin = true;
    } else if (word != kCurves) {
      of_method.push_back(word);
    }
  }
  if (options.show.empty()) scene.skin = true;
  return of_method;
}

/// The method that can draw an overlay of that name; null if there is none.
const deform::DeformerMethod* method_with_overlay(const std::string& word) {
  for (const deform::DeformerMethod& method : deform::deformers().entries())
    if (std::find(method.overlays.begin(), method.overlays.end(), word) != method.overlays.end()) return &method;
  return nullptr;
}

[[noreturn]] void not_shown(const std::string& word, const RenderOptions& options, const std::vector<Overlay>& drawn) {
  const std::string& method = options.deformer.method.id();
  std::vector<std::string> names = {"skin",    "wire",   "skeleton",      "segments",
                                    "regions", "curves", "weights:JOINT", "distance:VERTEX"};
  for (const Overlay& overlay : drawn) names.push_back(overlay.name);
  std::string text = fmt::format("The option 'show' cannot draw '{}' with the method {}; available: {}.", word, method,
                                 fmt::join(names, ", "));
  const deform::DeformerMethod* other = method_with_overlay(word);
  if (other && other->id == method) text += " The skin may not enclose a volume; check it with `sinew info`.";
  else if (other) text += fmt::format(" Set the option 'method' to {}, which draws '{}'.", other->id, word);
  throw Error(text);
}

/// Adds the overlays that the words name. Returns whether one of them holds for this pose only.
bool add_overlays(picture::PictureScene& scene, const RenderOptions& options, const std::vector<std::string>& words,
                  const MomentMaker& moments, std::optional<double> time_s) {
  if (words.empty()) return false;
  bool posed = false;
  const std::vector<Overlay> there = moments.overlays(time_s);
  for (const std::string& word : words) {
    const auto found = std::find_if(there.begin(), there.end(), [&](const Overlay& o) { return o.name == word; });
    if (found == there.end()) not_shown(word, options, there);
    if (!found->fields.empty()) scene.skin = true;  // They are its colours.
    posed = posed || !found->points.empty() || !found->lines.empty() || !found->triangles.empty();
    scene.overlays.push_back(*found);
  }
  return posed;
}

picture::PictureView view_of(const std::string& word) {
  if (word == "front") return picture::PictureView::kFront;
  if (word == "side") return picture::PictureView::kSide;
  if (word == "back") return picture::PictureView::kBack;
  return picture::PictureView::kThreeQuarter;
}

/// A grid: four views of one frame, and below them four times of the clip, unless something shown holds for one only.
void lay_out_sheet(picture::PictureScene& scene, const MomentMaker& moments, bool with_times) {
  scene.columns = 4;
  scene.cells = {{picture::PictureView::kFront, 0, "front"},
                 {picture::PictureView::kSide, 0, "side"},
                 {picture::PictureView::kBack, 0, "back"},
                 {picture::PictureView::kThreeQuarter, 0, "three-quarter"}};
  const Clip* const clip = moments.clip();
  if (clip == nullptr || !with_times) return;
  for (int k = 0; k < 4; ++k) {
    const double time = clip->duration_s() * k / 4;
    scene.frames.push_back(moments.at(time));
    scene.cells.push_back({picture::PictureView::kThreeQuarter, static_cast<Index>(scene.frames.size() - 1),
                           fmt::format("{} {:.2f} s", clip->name, time)});
  }
}

/// The joints of the close-ups.
std::vector<Index> focus_joints(const Rig& rig, const RenderOptions& options) {
  if (options.sheet && !options.compare.empty())
    throw Error("The option 'sheet' cannot be combined with the option 'compare'.");
  if (options.focus.empty()) return {};
  if (options.sheet) throw Error("The option 'sheet' cannot be combined with the option 'focus'.");
  std::vector<Index> joints = pipeline::find_joints(rig, options.focus, "focus");
  const std::size_t most = options.compare.empty() ? kMostCloseUps : kMostRows;
  if (joints.size() > most)
    throw Error(fmt::format("The option 'focus' names {} joints; at most {} fit in one picture.", joints.size(), most));
  return joints;
}

/// A row for each joint, or one of the whole character: the frames beside each other, with one camera. Without a
/// comparison close-ups form a grid.
void lay_out_panels(picture::PictureScene& scene, const std::vector<Index>& joints, const RenderOptions& options,
                    const ComparedMoments* other, const pipeline::ShapeDifference* difference, Report& report) {
  const Rig& rig = scene.character.rig;
  const picture::PictureView view = view_of(options.view.value_or(""));
  const auto add_row = [&](const std::string& name, const std::optional<picture::PictureCloseUp>& close_up,
                           double most) {
    const auto add = [&](const std::string& title) {
      const char* const dot = name.empty() || title.empty() ? "" : " · ";
      scene.cells.push_back(
          {view, static_cast<Index>(scene.cells.size() % scene.frames.size()), name + dot + title, close_up});
    };
    add(other != nullptr ? other->own_name() : "");
    if (other != nullptr) add(other->name());
    if (difference != nullptr) add(fmt::format("difference ≤ {:.3g} %", most));
  };
  if (joints.empty()) add_row("", std::nullopt, difference != nullptr ? difference->max_percent : 0);
  double scale = difference != nullptr && joints.empty() ? difference->max_percent : 0;
  if (!joints.empty()) {
    const auto finder = difference != nullptr ? picture::CloseUpFinder(rig, scene.frames[0], difference->percent)
                                              : picture::CloseUpFinder(rig, scene.frames[0]);
    for (const Index joint : joints) {
      const std::string& name = rig.skeleton.joints[joint].name;
      picture::PictureCloseUp close_up =
          finder.close_up(joint, difference != nullptr ? scene.frames[1].positions : std::vector<Vec3>());
      if (close_up.points.empty())
        report.warn("render.focus", name, "No skin follows this joint; the picture shows the whole character.");
      if (options.view) close_up.back = picture::direction_of(view);
      const double most = difference != nullptr ? difference->max_percent_of(finder.region(joint)) : 0;
      scale = std::max(scale, most);
      add_row(name, close_up, most);
    }
  }
  if (difference != nullptr) set_difference_scale(scene, scale);
  const int count = static_cast<int>(joints.size());
  scene.columns = other != nullptr ? static_cast<int>(scene.frames.size())
                                   : (count < 4    ? std::max(count, 1)
                                      : count < 5  ? 2
                                      : count < 10 ? 3
                                                   : 4);
}

/// The size of a grid of square panels, unless the user gives another.
void set_grid_size(picture::PictureScene& scene, const RenderOptions& options) {
  const int rows = (static_cast<int>(scene.cells.size()) + scene.columns - 1) / scene.columns;
  if (!options.size.empty() || scene.cells.size() < 2) return;
  const int side = std::min(kPanelSide, picture::kMostPictureSide / std::max(rows, scene.columns));
  scene.width = side * scene.columns, scene.height = side * rows;
}

picture::GridLayout grid_layout(const RenderOptions& options) {
  for (const auto& [set, name] : {std::pair(options.sheet, "sheet"), std::pair(!options.focus.empty(), "focus"),
                                  std::pair(!options.compare.empty(), "compare")})
    if (set) throw Error(fmt::format("The option 'grid' cannot be combined with the option '{}'.", name));
  const bool plain = options.show.empty() || options.show == std::vector<std::string>{"skin"};
  return {options.view.value_or(""), options.size.empty(), options.samples == 0, plain};
}

/// A character on its way to a picture.
struct Drawing {
  std::filesystem::path input, output;
  io::Asset asset;
  FilmPlan plan;
};

/// Pictures that are drawn by one browser: their characters are in memory together.
constexpr std::size_t kMostTogether = 16;

/// The pictures of all inputs: one file, or with several inputs one for each, in a folder or beside the inputs.
std::vector<std::filesystem::path> picture_paths(const JobRequest& request) {
  const bool several = request.inputs.size() > 1;
  std::error_code problem;
  if (several && request.output && !std::filesystem::is_directory(*request.output, problem))
    throw Error(fmt::format("{} is not a folder. With several inputs the output is a folder for their pictures.",
                            request.output->string()));
  std::vector<std::filesystem::path> paths;
  for (const std::filesystem::path& input : request.inputs) {
    JobRequest one{{input}, request.output, request.force};
    if (several && request.output) {
      one.inputs = {*request.output / input.filename()};
      one.output.reset();
    }
    paths.push_back(output_path(one, several && request.output ? "" : "picture", ".png"));
    if (lower_case(paths.back().extension().string()) != ".png" && !picture::animation_format(paths.back()))
      throw Error(fmt::format(
          "{} cannot be written: pictures are PNG files, whose names end in .png, and animations are .webp, "
          ".gif or .apng files.",
          paths.back().string()));
    const auto same = std::find(paths.begin(), paths.end() - 1, paths.back());
    if (same != paths.end() - 1)
      throw Error(fmt::format("{} and {} would both be drawn to {}. Rename one of them.",
                              request.inputs[static_cast<std::size_t>(same - paths.begin())].string(), input.string(),
                              paths.back().string()));
  }
  return paths;
}

/// Reads characters and sets their scenes.
void prepare(std::vector<Drawing>& drawings, const RenderOptions& options, Report& report, const Progress& progress) {
  for (Drawing& drawing : drawings) {
    {
      const StageTimer timer(report, "read");
      progress.step("reading", 0.0);
      drawing.asset = io::load(drawing.input, options.placement, progress);
      report.inputs.insert(report.inputs.end(), drawing.asset.files.begin(), drawing.asset.files.end());
      report.warn(drawing.asset.warnings);
    }
    const StageTimer timer(report, "draw");
    progress.step("posing", 0.2);
    Character& character = drawing.asset.character;
    const auto shows = [&](std::string_view word) {
      return std::find(options.show.begin(), options.show.end(), word) != options.show.end() &&
             !character.rig.skeleton.empty();
    };
    if (shows(kSegments)) pipeline::paint_segments(character, report.warnings, progress);
    else if (shows(kRegions)) pipeline::paint_regions(character, report.warnings);
    if (const auto format = picture::animation_format(drawing.output))
      drawing.plan = plan_film(drawing.asset, options, *format, report, progress);
    else drawing.plan.scenes.push_back(picture_scene(drawing.asset, options, report, progress));
  }
}

std::vector<picture::Picture> draw(const std::vector<Drawing>& drawings, bool quick, const Progress& progress) {
  std::vector<picture::Picture> pictures;
  std::vector<const picture::PictureScene*> scenes;
  for (const Drawing& drawing : drawings)
    for (const picture::PictureScene& scene : drawing.plan.scenes) {
      scenes.push_back(&scene);
      if (quick) pictures.push_back(picture::draw_quick_picture(scene, progress));
    }
  return quick ? pictures : picture::draw_pictures(scenes, progress);
}

/// Adds the file of a character, and what the report says of it.
void add_file(const Drawing& drawing, std::span<const picture::Picture> pictures, io::AtomicFiles& files,
              Report& report) {
  const picture::PictureScene& scene = drawing.plan.scenes.front();
  const auto format = picture::animation_format(drawing.output);
  for (const picture::Picture& picture : pictures) report.warn(picture.warnings);
  const io::Bytes bytes = format ? film_file(drawing.plan, *format, pictures) : pictures.front().png;
  files.add(drawing.output, bytes);
  report.outputs.push_back(io::describe(drawing.output, bytes));
  report.metrics["width"] = scene.width;
  report.metrics["height"] = scene.height;
  const std::size_t count = format ? drawing.plan.shown.size() : scene.cells.size();
  report.metrics[format ? "frames" : "views"] = count;
  report.text += fmt::format("wrote      {}: {} × {} pixels, {}\n", drawing.output.string(), scene.width, scene.height,
                             count_of(count, format ? "frame" : "view"));
}

}  // namespace

picture::PictureScene picture_scene(const io::Asset& asset, const RenderOptions& options, Report& report,
                                    const Progress& progress) {
  return scene_of_moments(asset, options, MomentMaker(asset, options, report, progress), report, progress);
}

picture::PictureScene scene_of_moments(const io::Asset& asset, const RenderOptions& options, const MomentMaker& moments,
                                       Report& report, const Progress& progress) {
  picture::PictureScene scene(asset.character);
  set_size(scene, options);
  const std::vector<Index> focus = focus_joints(asset.character.rig, options);
  const std::vector<std::string> of_method = set_show(scene, options, asset.path.string(), progress);
  scene.background = options.background;
  scene.samples = options.samples;
  const Clip* const clip = moments.clip();
  const double time = options.time.value_or(0);
  if (clip != nullptr && time > clip->duration_s())
    report.warn("render.time", clip->name,
                fmt::format("The clip '{}' ends at {:.3f} s; the picture shows its last pose.", clip->name,
                            clip->duration_s()));
  const bool posed = clip != nullptr && (!options.sheet || options.time);
  scene.frames.push_back(posed ? moments.at(time) : moments.still());
  if (std::find(options.show.begin(), options.show.end(), kCurves) != options.show.end())
    for (Overlay& overlay :
         pipeline::curve_overlays(pipeline::find_curves(asset.character, {}, progress), scene.frames.front().positions))
      scene.overlays.push_back(std::move(overlay));
  const std::optional<double> shown_time = posed ? std::optional<double>(time) : std::nullopt;
  const bool one_pose = add_overlays(scene, options, of_method, moments, shown_time);
  std::unique_ptr<const ComparedMoments> other;
  if (!options.compare.empty()) other = std::make_unique<ComparedMoments>(asset, options, moments, report, progress);
  std::optional<pipeline::ShapeDifference> difference;
  if (other) difference = add_compared_frames(scene, *other, shown_time, report);
  if (options.grid) {
    picture::lay_out_grid(scene, grid_layout(options));
  } else if (options.sheet) {
    lay_out_sheet(scene, moments, !one_pose);
  } else {
    lay_out_panels(scene, focus, options, other.get(), difference ? &*difference : nullptr, report);
    set_grid_size(scene, options);
  }
  if (clip != nullptr && focus.empty())
    for (int k = 0; k <= kFramingTimes; ++k) {
      const double at = clip->duration_s() * k / kFramingTimes;
      std::vector<picture::PictureFrame> frames = {moments.at(at)};
      if (other) frames.push_back(other->at(at));
      for (const picture::PictureFrame& frame : frames) {
        const std::vector<Vec3> points = picture::outermost(frame.positions);
        scene.also_fit.insert(scene.also_fit.end(), points.begin(), points.end());
      }
    }
  return scene;
}

Report render(const JobRequest& request, const RenderOptions& options, const Progress& progress) {
  Report report;
  report.command = "render";
  const std::vector<std::filesystem::path> outputs = picture_paths(request);
  if (options.quick && !options.show.empty() && options.show != std::vector<std::string>{"skin"})
    throw Error("A quick picture draws the skin alone. Omit the option 'show' or the option 'quick'.");
  check_film_options(outputs.front(), options);
  io::AtomicFiles files;
  for (std::size_t first = 0; first < outputs.size(); first += kMostTogether) {
    std::vector<Drawing> drawings;
    for (std::size_t k = first; k < std::min(first + kMostTogether, outputs.size()); ++k)
      drawings.push_back({request.inputs[k], outputs[k], {}, {}});
    prepare(drawings, options, report, progress);
    const StageTimer timer(report, "draw");
    const std::vector<picture::Picture> pictures = draw(drawings, options.quick, progress);
    std::size_t done = 0;
    for (const Drawing& drawing : drawings) {
      const std::size_t count = drawing.plan.scenes.size();
      add_file(drawing, std::span(pictures).subspan(done, count), files, report);
      done += count;
    }
  }
  {
    const StageTimer timer(report, "write");
    files.commit();
  }
  if (outputs.size() > 1) report.metrics["pictures"] = outputs.size();
  const std::filesystem::path& input = request.inputs.front();
  report.next =
      options.sheet
          ? "sinew info " + shell_word(input)
          : fmt::format("sinew render {} --sheet -o {}", shell_word(input),
                        shell_word(outputs.front().parent_path() / (outputs.front().stem().string() + "_sheet.png")));
  return report;
}

}  // namespace sinew::jobs
