// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Joint names by program and standard, as data.

#include <span>
#include <string_view>

#include "sinew/motion/names/joint_names.h"

namespace sinew::motion {

/// A name; '*' stands for the table's word for the side. Several names of one role: the first is the usual one.
struct TableName {
  const char* name;
  BodyPart part;
  int number = 1;
};

struct JointTable {
  const char* id;
  const char* left;
  const char* right;
  const char* prefix;  ///< What all names of the table begin with in files; empty for none.
  std::span<const TableName> names;
};

std::span<const JointTable> joint_tables();

}  // namespace sinew::motion
