// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// transfer_a_rig REFERENCE TARGET OUTPUT: gives a character the weights, helper joints and drivers of another, prints
// findings about the result, and saves it. Copy it as a starting point.

#include <sinew/core/error.h>
#include <sinew/core/report.h>
#include <sinew/io/asset.h>
#include <sinew/pipeline/transfer.h>

#include <cstdio>
#include <utility>

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::fprintf(stderr, "usage: transfer_a_rig REFERENCE TARGET OUTPUT\n");
    return 2;
  }
  const sinew::io::Asset reference = sinew::io::load(argv[1]);
  sinew::io::Asset target = sinew::io::load(argv[2]);

  sinew::pipeline::TransferOptions options;  // The defaults of `sinew transfer`.
  options.clips = true;
  sinew::pipeline::TransferResult result = sinew::pipeline::transfer(reference.character, target.character, options);

  for (const sinew::Finding& finding : result.findings) std::fprintf(stderr, "%s\n", finding.text.c_str());
  const char* const levels[] = {"matched", "widened", "inside", "inpainted", "copied"};
  for (std::size_t level = 0; level < sinew::transfer::kLevels; ++level)
    std::printf("%s %u\n", levels[level], static_cast<unsigned>(result.weights.levels[level]));

  target.character = std::move(result.character);
  sinew::io::SaveOptions save;
  save.changes.weights = true;
  save.changes.skeleton = result.skeleton_changed || !result.new_clips.empty();
  save.new_clips = result.new_clips;
  sinew::Report report;
  sinew::io::save(target, argv[3], save, report);
} catch (const sinew::Error& problem) {
  std::fprintf(stderr, "%s\n", problem.what());
  return 2;
}
