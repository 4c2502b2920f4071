// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "memory_end.h"
#include "program.h"
#include "sinew/jobs/reader_process.h"

int main(int argc, char** argv) {
  sinew::jobs::use_own_program_as_reader(argc, argv);
  const int code = sinew::app::program(argc, argv);
  sinew::app::set_finished(code);
  return code;
}
