// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <pelt/try.h>

#include "samples/pelt/commands.h"
#include "samples/pelt/progress_bar.h"

namespace pelt::samples {
namespace {

// `rows`: those of format_model_quality().
void print_text(const ModelQuality& report, Json rows) {
  fmt::print("{}: {} vertices against linear blend, in {}. docs/quality.md explains the columns.\n", report.model,
             report.vertices,
             report.from_clips
                 ? fmt::format("{} frames of {} clip{}", report.frames, report.clips, report.clips == 1 ? "" : "s")
                 : fmt::format("{} sample poses", report.frames));
  std::string refusals;
  for (auto row = rows.begin(); row != rows.end();) {
    if (row->contains("error")) {
      refusals +=
          fmt::format("{}: refused: {}\n", (*row)["deformer"].get<std::string>(), (*row)["error"].get<std::string>());
      row = rows.erase(row);
      continue;
    }
    // Such as "walk at 0.42 s, body at left_forearm".
    const Json& worst = (*row)["worst_stretch"];
    std::string place = fmt::format("{}, {}", worst["pose"].get<std::string>(), worst["mesh"].get<std::string>());
    if (worst["joint"] != "") place += " at " + worst["joint"].get<std::string>();
    (*row)["place"] = (*row)["stretch"] > 0 ? Json(place) : Json();
    ++row;
  }
  fmt::print("{}{}",
             table_of(rows, {{"deformer", "deformer"},
                             {"far", "far", "{:.4f}"},
                             {"stretch", "stretch", "{:.2f}"},
                             {"bad", "bad", "{:.3f}%", 100},
                             {"rigid99", "rigid99", "{:.4f}"},
                             {"rigid_max", "rigid_max", "{:.3f}"},
                             {"drift99", "drift99", "{:.4f}"},
                             {"flips", "flips", "{:.3f}%", 100},
                             {"restored", "restored", "{:.2f}"},
                             {"rigid", "rigid_parts", "{:.1f}%", 100},
                             {"rigid_regions", "rigid_regions", "{:.1f}%", 100},
                             {"fallback", "fallback", "{:.1f}%", 100},
                             {"worst stretch", "place"}}),
             refusals);
}

}  // namespace

Result<void> run(const ModelQualityCommand& command) {
  ModelQuality report;
  {
    ProgressBar bar;
    ModelQualityOptions options = command.options;
    options.progress = [&](double fraction, const std::string& what) { bar.show(fraction, what); };
    PELT_ASSIGN(report, measure_model_quality(command.model, options));
  }
  const Json rows = Json::parse(format_model_quality(report));
  command.json ? print_json(rows) : print_text(report, rows);
  return {};
}

}  // namespace pelt::samples
