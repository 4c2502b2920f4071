// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/ode/ode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/deform/curves/beam_response.h"
#include "sinew/deform/curves/beam_scheme.h"
#include "sinew/deform/curves/curve_motion_options.h"

namespace sinew::lab {

void ode_resonance(Reproduction& result) {
  ResultTable table{
      "resonance",
      "Largest displacement of a mode on its way to 1, by the published scheme",
      "A constant force without damping brings a mode to its end by overshooting, and a mode of 2π not at "
      "all. Few time steps hide it. The driven response never exceeds 1.",
      {"ω", "exact", "5 steps", "10", "100", "1000", "10000", "driven"},
      {}};
  for (const double omega : {3.0, 6.2, 12.5}) {
    double exact = 0, driven = 0;
    for (int i = 1; i <= 20000; ++i) {
      exact = std::max(exact, deform::undamped_response(omega, i / 20000.0));
      if (i % 20 == 0) driven = std::max(driven, deform::driven_response(omega, i / 20000.0));
    }
    std::vector<std::string> row = {fmt::format("{:.1f}", omega), fmt::format("{:.1f}", exact)};
    for (const int steps : {5, 10, 100, 1000, 10000}) {
      const std::vector<double> q = deform::scheme_response(deform::TimeScheme::kImplicit, omega * omega, steps);
      const double peak = *std::max_element(q.begin(), q.end());
      row.push_back(fmt::format("{:.2f}", peak));
      result.metrics["resonance"][fmt::format("{:.1f}", omega)][fmt::format("{}", steps)] = peak;
    }
    row.push_back(fmt::format("{:.2f}", driven));
    table.rows.push_back(std::move(row));
  }
  result.tables.push_back(std::move(table));
}

void ode_materials(Reproduction& result) {
  ResultTable table{"materials",
                    "Progress of the first bending mode of a loop half-way through a segment of one second",
                    "0.500 follows the joints, 0.344 is the softest.",
                    {"material", "0.06 m finger", "0.17 m wrist", "0.3 m forearm", "0.5 m thigh", "0.9 m trunk"},
                    {}};
  constexpr std::array kMaterials = {deform::SkinMaterial::kSkin, deform::SkinMaterial::kFat,
                                     deform::SkinMaterial::kMuscle, deform::SkinMaterial::kRubber};
  const auto words = deform::option_words(deform::SkinMaterial{});
  for (std::size_t m = 0; m < kMaterials.size(); ++m) {
    std::vector<std::string> row = {words[m]};
    for (const double length : {0.06, 0.17, 0.3, 0.5, 0.9}) {
      const double turn = 4 * 9.8696044;  // Of the first mode of a loop of length 1: (2π)².
      const double omega =
          std::sqrt(deform::material_numbers(kMaterials[m]).strip_stiffness()) * turn / length / length;
      row.push_back(fmt::format("{:.3f}", deform::driven_response(omega, 0.5)));
    }
    table.rows.push_back(std::move(row));
  }
  result.tables.push_back(std::move(table));
}

Reproduction ode_experiment(const ReproduceOptions& options, const Progress& progress) {
  Reproduction result;
  ode_resonance(result);
  ode_materials(result);
  ode_random_pairs(options, progress, result);
  ode_held_out(options, progress, result);
  if (options.runs > 0) ode_times(options, progress, result);
  return result;
}

}  // namespace sinew::lab
