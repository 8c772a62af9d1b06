// SPDX-License-Identifier: MIT
#include "samples/pelt/bind.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/character/pelt_file.h"
#include "samples/pelt/table.h"

namespace pelt::samples {
namespace {

// One line on stderr that is drawn over and taken away at the end; nothing where stderr is no terminal.
class ProgressBar {
 public:
  ~ProgressBar() {
    if (shown_ >= 0) fmt::print(stderr, "\r\033[K");
  }

  void show(double fraction, const std::string& what) {
    const int percent = static_cast<int>(100 * std::clamp(fraction, 0.0, 1.0));
    if (!terminal_ || percent == shown_) return;
    shown_ = percent;
    constexpr int kWidth = 30;
    const int filled = kWidth * percent / 100;
    fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {:3}%  {}", "", filled, "", kWidth - filled, percent, what);
    std::fflush(stderr);
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  int shown_ = -1;
};

std::uint64_t file_size(const std::string& path) {
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  return code ? 0 : size;
}

void print_json(const BindCommand& command, const Loaded& loaded, double seconds) {
  nlohmann::ordered_json meshes = nlohmann::json::array();
  for (const MeshReport& mesh : loaded.bound.report.meshes) {
    meshes.push_back({{"mesh", mesh.mesh},
                      {"deformer", mesh.deformer},
                      {"vertices", mesh.vertices},
                      {"mean_influences", mesh.mean_influences},
                      {"max_influences", mesh.max_influences},
                      {"worst_distance", mesh.worst_distance},
                      {"worst_vertex", mesh.worst_vertex},
                      {"dropped_elements", mesh.dropped_elements},
                      {"repaired_vertices", mesh.repaired_vertices},
                      {"bytes_per_vertex", mesh.bytes_per_vertex}});
  }
  const nlohmann::ordered_json report{{"model", command.model},
                                      {"output", command.output},
                                      {"bytes", file_size(command.output)},
                                      {"seconds", seconds},
                                      {"meshes", meshes},
                                      {"notes", loaded.bound.report.notes},
                                      {"import_notes", loaded.import_report.notes}};
  fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_text(const BindCommand& command, const Loaded& loaded, double seconds) {
  Table table({{"mesh", false},
               {"moved by", false},
               {"vertices"},
               {"influences"},
               {"most"},
               {"farthest"},
               {"dropped/vertex"},
               {"repaired"},
               {"B/vertex"}});
  for (const MeshReport& mesh : loaded.bound.report.meshes) {
    table.add({mesh.mesh, mesh.deformer, fmt::to_string(mesh.vertices), fmt::format("{:.2f}", mesh.mean_influences),
               fmt::to_string(mesh.max_influences), fmt::format("{:.3g} m", mesh.worst_distance),
               fmt::format("{:.0f}", static_cast<double>(mesh.dropped_elements) / std::max(mesh.vertices, 1u)),
               fmt::to_string(mesh.repaired_vertices.size()), fmt::format("{:.1f}", mesh.bytes_per_vertex)});
  }
  fmt::print("{}", table.text());
  for (const std::string& note : loaded.import_report.notes) fmt::print("note: {}\n", note);
  for (const std::string& note : loaded.bound.report.notes) fmt::print("note: {}\n", note);
  fmt::print("wrote {}, {}, in {:.1f} s\n", command.output, format_bytes(file_size(command.output)), seconds);
}

Result<Loaded> bind_with_progress(const BindCommand& command) {
  ProgressBar bar;
  BindOptions options;
  options.progress = [&](double fraction, const std::string& what) { bar.show(fraction, what); };
  return bind_model(command.model, command.binding, options);
}

}  // namespace

Result<void> run(const BindCommand& command) {
  const auto start = std::chrono::steady_clock::now();
  const Result<Loaded> loaded = bind_with_progress(command);
  if (!loaded) return tl::unexpected(loaded.error());
  const Result<void> saved = save_pelt(loaded->bound.character, command.output);
  if (!saved) return saved;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  if (command.json) {
    print_json(command, *loaded, spent.count());
  } else {
    print_text(command, *loaded, spent.count());
  }
  return {};
}

}  // namespace pelt::samples
