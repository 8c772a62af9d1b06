// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <span>

#include <pelt/gltf_rig.h>
#include <pelt/import.h>
#include <pelt/pack.h>
#include <pelt/pelt_file.h>
#include <pelt/rig_json.h>
#include <pelt/rig_names.h>
#include <pelt/tools/bind_report.h>
#include <pelt/tools/file_io.h>
#include <pelt/tools/write_out.h>
#include <pelt/try.h>
#include <pelt/typed_name.h>

#include "samples/pelt/commands.h"
#include "samples/pelt/progress_bar.h"

namespace pelt::samples {
namespace {

std::uint64_t file_size(const std::string& path) {
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  return code ? 0 : size;
}

}  // namespace

Result<void> write_rig(const Model& model, Rig rig, const std::filesystem::path& path) {
  PELT_ASSIGN(rig, within(path.string(), write_out(model, rig)));
  for (Layer& layer : rig.layers) {
    for_each_name(layer.deformer, [&](std::string& name, Names names) {
      if (names != Names::kFile && names != Names::kObjFile) return;
      const std::filesystem::path file = std::filesystem::path(rig.directory) / name;
      const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
      std::error_code code;
      const std::filesystem::path relative = std::filesystem::proximate(file, folder, code);
      if (!code) name = relative.generic_string();
    });
  }
  const std::string text = format_rig(rig);
  return write_file(path, std::as_bytes(std::span(text)));
}

namespace {

// Returns how to see the locations of a report.
std::string how_to_see(const BindCommand& command) {
  const std::string& rig = command.write_rig.empty() ? command.binding.rig : command.write_rig;
  std::string shown = command.binding.is_default() ? " " + command.model : "";
  if (!rig.empty()) shown = fmt::format(" {} --model {}", rig, command.model);
  if (is_gltf(command.output)) shown = " " + command.output;
  return fmt::format("see them: pelt_viewer{}, tab Report", shown);
}

// Prints the result of the check, and at most `most` locations: defects, the worst first, then creases and inverted
// triangles. Returns the largest number of lines.
std::size_t print_check(const BindCommand& command, const CheckReport& check, std::size_t most) {
  const auto end = std::ranges::find_if(check.defects, [](const DefectLocation& at) { return at.defect.score < 1; });
  const auto found = static_cast<std::size_t>(end - check.defects.begin());
  const std::string mended =
      check.fallback > 0 ? share_in_words(check.fallback) + " of the skin falls back" : "none mended";
  const std::string text =
      fmt::format("{} defect{}, {}{}{}:", found, found == 1 ? "" : "s", mended,
                  check.fallback > 0 && check.remaining > 1 ? ", some remain" : "", found > most ? "; the worst" : "");
  fmt::print("compared with linear blend in {}: {}\n", poses_in_words(check), found == 0 ? "no defect" : text);
  const std::size_t printed = std::min(most, found);
  for (std::size_t i = 0; i < printed; ++i) fmt::print("  {}\n", in_words(check.defects[i]));
  const std::size_t shapes = std::min(most - printed, check.shapes.size());
  if (shapes > 0) fmt::print("creases to look at; bind changes nothing because of them:\n");
  for (std::size_t i = 0; i < shapes; ++i) fmt::print("  {}\n", in_words(check.shapes[i]));
  if (printed + shapes > 0) fmt::print("{}\n", how_to_see(command));
  return 3 + printed + shapes;
}

// Prints figures of every mesh. `report`: that of format_bind_report().
void print_meshes(const BoundModel& loaded, Json report) {
  for (Json& mesh : report["meshes"]) {
    mesh["dropped"] = mesh["dropped_elements"].get<double>() / std::max(mesh["vertices"].get<double>(), 1.0);
    mesh["repaired"] = mesh["repaired_vertices"].size();
    mesh["deformer"] = typed_name(mesh["deformer"].get<std::string>());
  }
  fmt::print("{}", table_of(report["meshes"], {{"mesh", "mesh"},
                                               {"moved by", "deformer"},
                                               {"vertices", "vertices", "{}"},
                                               {"influences", "mean_influences", "{:.2f}"},
                                               {"most", "max_influences", "{}"},
                                               {"farthest", "worst_distance", "{:.3g} m"},
                                               {"dropped/vertex", "dropped", "{:.0f}"},
                                               {"repaired", "repaired", "{}"},
                                               {"B/vertex", "bytes_per_vertex", "{:.1f}"}}));
  for (const MeshReport& mesh : loaded.bound.report.meshes) {
    std::vector<std::string> remarks;
    for (const auto& [name, count] : remark_counts(mesh)) {
      if (count != 0) remarks.push_back(fmt::format("{} {}", count, name == "unbound" ? "on linear blend" : name));
    }
    if (mesh.cut_error)
      remarks.push_back(fmt::format("at most {:.2g} m from the result of all elements", *mesh.cut_error));
    if (mesh.level_vertices != 0) {
      remarks.push_back(fmt::format("{} of {} control vertices are stored, {} of {}", mesh.vertices,
                                    mesh.level_vertices,
                                    format_bytes(std::llround(mesh.bytes_per_vertex * mesh.vertices)),
                                    format_bytes(std::llround(mesh.bytes_per_vertex * mesh.level_vertices))));
    }
    if (!remarks.empty()) fmt::print("{}: {}\n", mesh.mesh, fmt::join(remarks, ", "));
  }
}

constexpr std::size_t kLines = 10;     // of a report, without --verbose
constexpr std::size_t kLocations = 3;  // of these, the worst of the check

// Prints the report, at most kLines of it unless --verbose.
void print_text(const BindCommand& command, const BoundModel& loaded, const Json& report) {
  if (command.verbose) print_meshes(loaded, report);
  const std::optional<CheckReport>& check = loaded.bound.report.check;
  std::size_t lines = 1;  // the last
  if (check)
    lines += print_check(command, *check, command.verbose ? check->defects.size() + check->shapes.size() : kLocations);
  // The notes of bind come first, since they list what the character lacks.
  std::vector<std::string> notes = loaded.bound.report.notes;
  notes.insert(notes.end(), loaded.import_report.notes.begin(), loaded.import_report.notes.end());
  const std::size_t room = kLines - lines;
  const std::size_t most = command.verbose || notes.size() <= room ? notes.size() : room - 1;
  for (std::size_t n = 0; n < most; ++n) fmt::print("note: {}\n", notes[n]);
  if (most < notes.size()) fmt::print("{} more notes: --verbose prints them\n", notes.size() - most);

  const std::vector<CharacterMesh>& meshes = loaded.bound.character->meshes;
  const auto skin = std::ranges::find_if_not(meshes, &CharacterMesh::control);
  const auto skins = std::ranges::count(meshes, false, &CharacterMesh::control);
  fmt::print("wrote {}, {}, in {:.1f} s: {}\n", command.output, format_bytes(report["bytes"].get<std::uint64_t>()),
             report["seconds"].get<double>(),
             skins == 1 ? fmt::format("'{}', moved by {}", skin->name, typed_name(skin->deformer))
                        : fmt::format("{} skins", skins));
}

Result<BoundModel> bind_with_progress(const BindCommand& command) {
  ProgressBar bar;
  BindOptions options;
  options.progress = [&](double fraction, const std::string& what) { bar.show(fraction, what); };
  return bind_model(command.model, command.binding, options);
}

}  // namespace

Result<void> run(const BindCommand& command) {
  const auto start = std::chrono::steady_clock::now();
  const Result<BoundModel> loaded = bind_with_progress(command);
  if (!loaded) return tl::unexpected(loaded.error());
  // Write the character last: if it is new, all files are new.
  Result<void> saved;
  if (!command.report.empty()) {
    const std::string text = format_vertex_report(command.model, *loaded);
    saved = write_file(command.report, std::as_bytes(std::span(text)));
  }
  if (saved && !command.write_rig.empty()) saved = write_rig(loaded->model, loaded->rig, command.write_rig);
  if (saved) {
    const std::string file = is_gltf(command.model) && !loaded->dressed ? command.model : "";
    saved = is_gltf(command.output)
                ? save_gltf(loaded->bound.character, loaded->model, file, command.output, command.binding.files)
                : save_pelt(loaded->bound.character, command.output);
  }
  if (!saved) return saved;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  const BindReportFacts facts{command.model, command.output, file_size(command.output), spent.count()};
  const Json report = Json::parse(format_bind_report(facts, *loaded));
  command.json ? print_json(report) : print_text(command, *loaded, report);
  return {};
}

}  // namespace pelt::samples
