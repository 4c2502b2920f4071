// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Figs. 1 and 8 to 10 of the paper on made characters, and the limits that it states, as pictures and numbers.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/lab/implicit/limb.h"
#include "sinew/lab/joint_shape/joint_shape.h"
#include "sinew/lab/joint_shape/trial.h"

namespace sinew::lab {
namespace {

/// A bent joint of a figure.
struct FigureBend {
  const char* figure;
  const char* title;
  const char* character;
  const char* joint;
  double degrees;
  std::vector<const char*> methods;
};

const std::vector<FigureBend>& figure_bends() {
  static const std::vector<FigureBend> bends = {
      {"fig_1", "A shoulder", "human", "LeftUpperArm", 110, {"lbs", "dqs", "raw", "default", "adjusted", "edited"}},
      {"fig_8", "A thumb and a wrist", "hand", "Thumb2", 85, {"raw", "default", "adjusted", "edited"}},
      {"fig_8", "A thumb and a wrist", "human", "LeftHand", 75, {"raw", "default", "adjusted", "edited"}},
      {"fig_9", "An elbow and a knee", "human", "LeftForearm", 120, {"pbd", "raw", "default", "adjusted", "edited"}},
      {"fig_9", "An elbow and a knee", "human", "LeftShin", 120, {"pbd", "raw", "default", "adjusted", "edited"}},
      {"fig_10", "A shoulder, an elbow and a finger", "human", "LeftUpperArm", 90, {"lbs", "pbd", "raw", "adjusted"}},
      {"fig_10", "A shoulder, an elbow and a finger", "human", "LeftForearm", 140, {"lbs", "pbd", "raw", "adjusted"}},
      {"fig_10", "A shoulder, an elbow and a finger", "human", "LeftIndex2", 90, {"lbs", "pbd", "raw", "adjusted"}},
  };
  return bends;
}

std::size_t trial_method(const std::string& name) {
  return static_cast<std::size_t>(std::find(kTrialMethods.begin(), kTrialMethods.end(), name) - kTrialMethods.begin());
}

const deform::JointShapeReport* report_of(const JointTrial& trial, const std::string& joint) {
  for (const deform::JointShapeReport& report : trial.fitted().shapes.reports)
    if (trial.rig().skeleton.joints[report.joint].name == joint && report.radius > 0) return &report;
  return nullptr;
}

class FigureMaker {
 public:
  explicit FigureMaker(Reproduction& result) : result_(result) {}

  void add(const std::string& id, const std::string& title, const std::string& subject, const JointTrial& trial,
           const deform::JointShapeReport& report, double degrees, const std::vector<const char*>& methods) {
    Figure& figure = figure_of(id, title);
    FigureRow row;
    row.character = trial.character();
    row.joint = report.joint;
    const BentSkin edited = trial.bend(report, trial_method("edited"), degrees);
    row.joints = edited.pose.joints;
    const std::string& name = trial.rig().skeleton.joints[report.joint].name;
    for (const char* method : methods) {
      const BentSkin skin = trial.bend(report, trial_method(method), degrees);
      FigurePanel panel{fmt::format("{} · {}", name, method), {}};
      for (const Vec3f& p : skin.positions) panel.positions.push_back(p.cast<double>());
      row.panels.push_back(std::move(panel));
      const SkinDistance from = skin_distance(skin, edited, report.joint, report.radius);
      const auto number = [](double value) { return fmt::format("{:.3f}", value); };
      table_.rows.push_back({id, subject, name, fmt::format("{:.0f}", degrees), method, number(skin.depth),
                             skin.outlined ? number(skin.thickness) : "–", skin.outlined ? number(skin.contour) : "–",
                             number(from.mean), number(from.largest)});
    }
    figure.rows.push_back(std::move(row));
  }

  void finish() { result_.tables.push_back(std::move(table_)); }

 private:
  Figure& figure_of(const std::string& id, const std::string& title) {
    for (Figure& figure : result_.figures)
      if (figure.id == id) return figure;
    return result_.figures.emplace_back(Figure{id, title, {}});
  }

  Reproduction& result_;
  ResultTable table_{"figures",
                     "Figs. 1 and 8 to 10 of the paper, and its limits, on made characters",
                     "Depth, thickness and contour as in the claims. Distance: of the skin within two radii of the "
                     "joint from that with the edited joint, mean and largest, in radii.",
                     {"figure", "character", "joint", "degrees", "method", "depth", "thickness", "contour", "distance",
                      "largest distance"},
                     {}};
};

}  // namespace

Rig detailed_limb() {
  Rig rig = tapered_limb();
  // A ring that is as high as a third of the limb, and begins where the forearm does.
  for (Vec3& p : rig.mesh.positions) {
    const double at = (p.x() - 0.35) / 0.3, share = 1 + 0.35 * std::exp(-at * at * at * at);
    p.y() *= share, p.z() *= share;
  }
  return rig;
}

void joint_shape_figures(bool whole, JointTrials& trials, const Progress& progress, Reproduction& result) {
  FigureMaker maker(result);
  for (const FigureBend& bend : figure_bends()) {
    if (!whole && std::string(bend.character) != "hand") continue;
    const JointTrial& trial = trials.of(bend.character);
    const deform::JointShapeReport* report = report_of(trial, bend.joint);
    if (report == nullptr)
      result.misses.push_back({"reproduce.out_of_bounds", bend.figure,
                               fmt::format("The joint {} of the made {} has no shape.", bend.joint, bend.character)});
    else maker.add(bend.figure, bend.title, bend.character, trial, *report, bend.degrees, bend.methods);
  }
  auto detailed = std::make_shared<Character>(elbow_character());
  detailed->rig.mesh = detailed_limb().mesh;
  const JointTrial limit(detailed, {"lower"}, progress);
  const std::vector<const char*> methods = {"raw", "default", "adjusted", "edited"};
  if (const auto joints = limit.joints(); !joints.empty())
    maker.add("limit_detail", "A large detail beside the joint", "limb with a ring", limit, *joints.front(), 110,
              methods);
  const JointTrial& elbow = trials.of("elbow");
  if (const auto joints = elbow.joints(); !joints.empty())
    maker.add("limit_bone", "A bent elbow without the shape of its bone", "elbow", elbow, *joints.front(), 120,
              methods);
  maker.finish();
}

}  // namespace sinew::lab
