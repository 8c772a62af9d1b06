// SPDX-License-Identifier: MIT
#include "samples/pelt/quality/model_quality.h"

#include <fmt/format.h>

#include <pelt/try.h>

#include "samples/pelt/progress_bar.h"
#include "samples/pelt/table.h"

namespace pelt::samples {
namespace {

// Describes a place, such as "walk at 0.42 s, body at left_forearm".
std::string text_of(const WorstOfSkin& worst) {
  return fmt::format("{}, {}{}{}", worst.pose.name, worst.mesh, worst.joint.empty() ? "" : " at ", worst.joint);
}

void print_text(const ModelQuality& report) {
  fmt::print("{}: {} vertices against linear blend, in {}. docs/quality.md says what the columns mean.\n", report.model,
             report.vertices,
             report.from_clips
                 ? fmt::format("{} frames of {} clip{}", report.frames, report.clips, report.clips == 1 ? "" : "s")
                 : fmt::format("{} sample poses", report.frames));
  Table table({{"deformer", false},
               {"far"},
               {"stretch"},
               {"bad"},
               {"rigid99"},
               {"rigid_max"},
               {"drift99"},
               {"flips"},
               {"restored"},
               {"rigid"},
               {"cores"},
               {"left"},
               {"worst stretch", false}});
  for (const ModelQualityRow& row : report.rows) {
    if (!row.error.empty()) continue;
    const Figures& f = row.figures;
    table.add({row.deformer, fmt::format("{:.4f}", f.far), fmt::format("{:.2f}", f.stretch),
               fmt::format("{:.3f}%", 100 * f.bad), fmt::format("{:.4f}", f.rigid99),
               fmt::format("{:.3f}", f.rigid_max), fmt::format("{:.4f}", f.drift99),
               fmt::format("{:.3f}%", 100 * f.flips), row.restored ? fmt::format("{:.2f}", *row.restored) : "-",
               fmt::format("{:.1f}%", 100 * row.pieces.rigid_parts), fmt::format("{:.1f}%", 100 * row.pieces.cores),
               fmt::format("{:.1f}%", 100 * row.left), f.stretch > 0 ? text_of(row.stretch) : "-"});
  }
  fmt::print("{}", table.text());
  for (const ModelQualityRow& row : report.rows) {
    if (!row.error.empty()) fmt::print("{}: refused: {}\n", row.deformer, row.error);
  }
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
  if (command.json) {
    fmt::print("{}\n", format_model_quality(report));
  } else {
    print_text(report);
  }
  return {};
}

}  // namespace pelt::samples
