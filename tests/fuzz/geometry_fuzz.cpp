// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Degenerate, far, huge, tiny, coincident and open characters: everything that `check` measures, or a sentence.

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/pipeline/check/check.h"
#include "tests/fuzz/weird_character.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  sinew::set_thread_count(1);
  const sinew::Character character = sinew::test::weird_character({data, size});
  if (!validate(character).empty()) return 0;
  try {
    sinew::pipeline::check(character, sinew::pipeline::check_profile("game"));
  } catch (const sinew::Error&) {
  }
  return 0;
}
