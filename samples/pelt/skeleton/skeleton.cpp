// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>
#include <span>
#include <utility>

#include <pelt/gltf_export.h>
#include <pelt/import.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "samples/pelt/commands.h"
#include "samples/pelt/progress_bar.h"

namespace pelt::samples {
namespace {

Result<Skeletonized> skeletonize_with_progress(const SkeletonCommand& command, Model model) {
  ProgressBar bar;
  SkeletonizeOptions options = command.options;
  options.progress = [&](double fraction, const std::string& what) { bar.show(fraction, what); };
  return make_skeleton(std::move(model), options);
}

void print_report(const SkeletonCommand& command, const Skeletonized& made, std::size_t bytes, double seconds) {
  const SkeletonizeReport& report = made.report;
  Json joints = Json::array();
  for (const Joint& joint : made.model.skeleton.joints) joints.push_back(joint.name);
  print_json({{"model", command.model},
              {"output", command.output},
              {"bytes", bytes},
              {"seconds", seconds},
              {"joints", joints},
              {"ends", report.ends},
              {"junctions", report.junctions},
              {"pieces", report.pieces},
              {"voxel_size", report.voxel_size},
              {"voxels", report.voxels},
              {"critical_points", report.critical_points},
              {"seeds", report.seeds},
              {"notes", report.notes},
              {"import_notes", made.model.report.notes}});
}

void print_text(const SkeletonCommand& command, const Skeletonized& made, std::size_t bytes, double seconds) {
  const SkeletonizeReport& report = made.report;
  fmt::print("joints: {}, of these {} ends of limbs and {} junctions, in {} {}\n", report.joints, report.ends,
             report.junctions, report.pieces, report.pieces == 1 ? "piece" : "pieces");
  fmt::print("inside: {} voxels of {:.3g} m; {} critical points, {} seeds\n", report.voxels, report.voxel_size,
             report.critical_points, report.seeds);
  for (const std::string& note : made.model.report.notes) fmt::print("note: {}\n", note);
  for (const std::string& note : report.notes) fmt::print("note: {}\n", note);
  fmt::print("wrote {}, {}, in {:.1f} s\n", command.output, format_bytes(bytes), seconds);
}

}  // namespace

Result<void> run(const SkeletonCommand& command) {
  const auto start = std::chrono::steady_clock::now();
  PELT_ASSIGN(auto model, import_model(command.model, nullptr, command.files));
  PELT_ASSIGN(const auto made, skeletonize_with_progress(command, std::move(model)));
  PELT_ASSIGN(const auto bytes, format_glb(made.model));
  PELT_TRY(write_file(command.output, std::as_bytes(std::span(bytes))));
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  (command.json ? print_report : print_text)(command, made, bytes.size(), spent.count());
  return {};
}

}  // namespace pelt::samples
