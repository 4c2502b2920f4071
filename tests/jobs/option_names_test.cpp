// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// One option name has one meaning in all commands and methods: the same type, unit, range and choices.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sinew/jobs/job.h"

namespace sinew::jobs {
namespace {

struct Use {
  std::string where;
  std::string shape;
};
using Uses = std::map<std::string, std::vector<Use>>;

std::string shape_of(const Option& option) {
  if (option.chooses_method) return "method";
  std::string shape = std::to_string(static_cast<int>(option.type)) + " " + option.field.unit + " " +
                      std::to_string(option.field.minimum) + " " + std::to_string(option.field.maximum);
  for (const std::string& word : option.field.choices) shape += " " + word;
  return shape;
}

void collect(const OptionList& list, const std::string& where, Uses& uses) {
  for (const Option& option : list.options()) uses[option.field.name].push_back({where, shape_of(option)});
  for (const OptionGroup& group : list.groups()) collect(group.list, where + " " + group.id, uses);
}

/// Names that have more than one shape, with where they have which.
std::vector<std::string> conflicts(const Uses& uses) {
  std::vector<std::string> found;
  for (const auto& [name, list] : uses)
    for (const Use& use : list)
      // Methods have modes of their own. What they share is the published one. A sheet is the picture that `render`
      // writes anyway; `check` has to be told where. A clip is mirrored as a whole, weights from one side to the other.
      if (use.shape != list.front().shape && !(name == "mode" && use.shape.ends_with(" paper")) && name != "sheet" &&
          name != "mirror")
        found.push_back(name + ": " + list.front().where + " (" + list.front().shape + "), " + use.where + " (" +
                        use.shape + ")");
  return found;
}

struct Count {
  int joints = 0;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("joints", "A number of joints."), self.joints);
  }
};

struct Names {
  std::vector<std::string> joints;
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("joints", "Names of joints."), self.joints);
  }
};

TEST(OptionNames, HaveOneMeaningInAllCommandsAndMethods) {
  Uses uses;
  for (const auto& command : commands().entries()) {
    const auto bound = command.make.bind();
    collect(bound->options(), command.id, uses);
  }
  EXPECT_GT(uses.size(), 50u);
  for (const std::string& conflict : conflicts(uses)) ADD_FAILURE() << conflict;
}

TEST(OptionNames, OfMethodsAreNotThoseOfTheCommand) {
  for (const auto& command : commands().entries()) {
    const auto bound = command.make.bind();
    const OptionList list = bound->options();
    for (const Option& option : list.options())
      for (const OptionGroup& group : list.groups()) {
        EXPECT_NE(option.field.name, group.id) << command.id << ": an option and the JSON group of a method";
        for (const Option& inner : group.list.options())
          EXPECT_NE(inner.field.name, option.field.name) << command.id << " " << group.id;
      }
  }
}

TEST(OptionNames, AConflictIsFound) {
  Count count;
  Names names;
  Uses uses;
  collect(OptionList(count), "make", uses);
  collect(OptionList(names), "bind", uses);
  EXPECT_EQ(conflicts(uses).size(), 1u);
}

}  // namespace
}  // namespace sinew::jobs
