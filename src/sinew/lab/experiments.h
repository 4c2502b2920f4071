// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/registry.h"
#include "sinew/core/report.h"
#include "sinew/core/result_table.h"

namespace sinew::lab {

struct ReproduceOptions {
  int runs = 200;
  int seed = 1;
  bool with_times = false;
  int characters = 200;
  std::string data;
  std::vector<std::string> only;
  bool one_hint = false;
  bool remeshed = false;
  bool all = false;
  std::string picture_folder;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("runs", "Number of timed runs; 0 measures no times.").range(0, 1000000), self.runs);
    v(Field("seed", "Seed of the random cases that are tried besides the published ones.").range(0, 2147483647),
      self.seed);
    v(Field("with_times", "Also write the times to the output; they differ from run to run."), self.with_times);
    v(Field("characters",
            "Number of synthetic characters of each kind; 0 tries only real ones (embedding, retargeting).")
          .range(0, 100000),
      self.characters);
    v(Field("data",
            "Folder of real characters. Without it, only synthetic ones are tried (embedding, curve-rigging, ode, "
            "transfer, retargeting, pbd, implicit, joint-shape).")
          .as("FOLDER"),
      self.data);
    v(Field("only",
            "Real characters to try, by name or class, or 'development' or 'held-out' for one group; all if empty "
            "(embedding; curve-rigging, ode, implicit, joint-shape and retargeting by name, implicit and "
            "joint-shape also by the path of any file in the folder); or sections (pbd).")
          .as("NAME,…"),
      self.only);
    v(Field("one_hint",
            "Try real characters that are not right again, with the true position of one joint (embedding)."),
      self.one_hint);
    v(Field("remeshed", "Also try some real characters remeshed like the output of a generative model (embedding)."),
      self.remeshed);
    v(Field("all", "Also try what takes minutes (joint-shape: a whole person and an animal)."), self.all);
    v(Field("picture_folder", "Folder for pictures of the paper's figures, as PNG files (joint-shape).").as("FOLDER"),
      self.picture_folder);
  }
};

/// A character in one pose, by one method.
struct FigurePanel {
  std::string title;
  std::vector<Vec3> positions;  ///< One per vertex.
};
/// Methods beside each other.
struct FigureRow {
  std::shared_ptr<const Character> character;
  Index joint = kNone;       ///< What is shown from near.
  std::vector<Mat4> joints;  ///< Joint space to model space.
  std::vector<FigurePanel> panels;
};
/// A figure of a paper, on our characters.
struct Figure {
  std::string id, title;
  std::vector<FigureRow> rows;
};

/// What an experiment found.
struct Reproduction {
  std::vector<ResultTable> tables;
  std::vector<ResultTable> times;  ///< Tables of times, which differ from run to run.
  std::vector<Figure> figures;
  Json metrics = Json::object();
  Json timing = Json::object();
  Findings misses;  ///< Where our figures are not what they should be.
};

using Experiment = Reproduction (*)(const ReproduceOptions& options, const Progress& progress);

/// All experiments, by name.
const Registry<Registered<Experiment>>& experiments();

}  // namespace sinew::lab
