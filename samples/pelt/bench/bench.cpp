// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <thread>

#include <pelt/tools/file_io.h>
#include <pelt/try.h>
#include <pelt/version.h>

#include "samples/pelt/bench/benches.h"
#include "samples/pelt/commands.h"

namespace pelt::samples {
namespace {

// Vertices of the small mesh, which fits in the caches.
constexpr std::uint32_t kSmallMesh = 10'000;

struct Measured {
  Json rows = Json::array();
  Json binds, crowds;
  std::string processor;
  runtime::DeviceDescription device;  // an empty name: no device
};

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

const char* type_name(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "software: its figures do not apply to a GPU";
    default:
      return "other";
  }
}

Column ratio_column(const char* heading, const char* key) { return {heading, key, "{:.2f}", 1, "unsteady"}; }

Json json_of(const BenchCommand& command, const Measured& measured) {
  Json json{
      {"processor", measured.processor}, {"threads", std::thread::hardware_concurrency()}, {"rounds", command.rounds}};
  if (!measured.device.name.empty()) {
    json["device"] = {
        {"name", measured.device.name}, {"driver", measured.device.driver}, {"type", type_name(measured.device.type)}};
  }
  if (command.bind) {
    json["bind"] = measured.binds;
  } else if (command.crowd) {
    json["crowds"] = measured.crowds;
  } else {
    json["rows"] = measured.rows;
  }
  return json;
}

std::string text_of_rows(const Json& rows, const std::string& backend) {
  Json shown = Json::array();
  for (const Json& row : rows) {
    if (row["backend"] == backend) shown.push_back(row);
  }
  const std::string many = backend == "cpu" ? "threads" : "instances";
  return table_of(shown, {{"method", "method"},
                          {"influences", "influences", "{:.1f}"},
                          {"vertices", "vertices", "{}"},
                          {many, many, "{}"},
                          {"MB", "resident_bytes", "{:.1f}", 1e-6},
                          {"ms", "seconds/median", "{:.3f}", 1e3},
                          {"Mvert/s", "vertices_per_second", "{:.1f}", 1e-6},
                          {"B/vertex", "bytes_per_vertex", "{:.1f}"},
                          ratio_column("of copy", "ratio_to_copy"),
                          ratio_column("of linear", "time_of_linear_blend_4"),
                          {"palettes ms", "palette_seconds/median", "{:.3f}", 1e3},
                          {"ray ms", "ray_seconds/median", "{:.3f}", 1e3},
                          ratio_column("of ray", "time_of_ray")});
}

std::string text_of_binds(const Json& rows) {
  return table_of(rows, {{"vertices", "vertices", "{}"},
                         {"method", "method"},
                         {"influences", "influences", "{:.1f}"},
                         {"s", "seconds/median", "{:.3f}"},
                         {"processor s", "processor_seconds", "{:.3f}"},
                         {"Mvert/s", "vertices_per_second", "{:.2f}", 1e-6},
                         {"peak B/vertex", "peak_bytes_per_vertex", "{:.0f}"}});
}

std::string text_of_crowds(const Json& rows) {
  Json measured = Json::array();
  std::string refusals;
  for (const Json& row : rows) {
    if (!row.contains("refusal")) {
      measured.push_back(row);
    } else {
      refusals += fmt::format("{}: {}\n", row["crowd"].get<std::string>(), row["refusal"].get<std::string>());
    }
  }
  return table_of(measured, {{"crowd", "crowd"},
                             {"instances", "instances", "{}"},
                             {"vertices", "vertices", "{}"},
                             {"dispatches", "dispatches", "{}"},
                             {"barriers", "barriers", "{}"},
                             {"ms", "seconds/median", "{:.3f}", 1e3},
                             {"ns/vertex", "seconds_per_vertex", "{:.3f}", 1e9},
                             ratio_column("of least", "seconds_per_vertex_of_least"),
                             {"CPU ms", "host_seconds/median", "{:.3f}", 1e3},
                             {"MB", "bytes", "{:.1f}", 1e-6}}) +
         refusals;
}

void print_text(const BenchCommand& command, const Measured& measured) {
  fmt::print("rounds: {}, interleaved; medians. docs/benchmarks.md explains the columns.\n", command.rounds);
  const std::string processor = fmt::format("{}, {} threads", measured.processor, std::thread::hardware_concurrency());
  if (!measured.binds.empty()) fmt::print("\nBinding: {}\n{}", processor, text_of_binds(measured.binds));
  if (command.cpu) fmt::print("\nCPU: {}\n{}", processor, text_of_rows(measured.rows, "cpu"));
  if (!measured.device.name.empty()) {
    fmt::print("\nGPU: {}, {} ({})\n{}", measured.device.name, measured.device.driver, type_name(measured.device.type),
               command.crowd ? text_of_crowds(measured.crowds) : text_of_rows(measured.rows, "gpu"));
  }
}

// Times the figures for which devices have goals: crowds of a small and a large mesh, from one instance up.
Result<std::string> text_of_sizes(const runtime::Device& device, std::size_t rounds) {
  constexpr std::uint64_t kMaxOfSoftware = 1'000'000;  // vertices per frame: more take seconds
  const bool is_software = device.description().type == VK_PHYSICAL_DEVICE_TYPE_CPU;
  std::vector<Method> few = methods();
  std::erase_if(few, [](const Method& method) {
    return method.name != kYardstick && method.name != "surface FFD, default" && method.name != "curve skeleton" &&
           method.name != "mos" && method.name != "hierarchical B-spline";
  });
  std::string text;
  for (const std::uint32_t vertices : {6'000u, 30'000u}) {
    Json rows = Json::array();
    std::string refusals;
    for (const std::uint32_t instances : {1u, 8u, 64u, 512u}) {
      if (is_software && std::uint64_t{vertices} * instances > kMaxOfSoftware) {
        refusals += fmt::format("{} instances: not measured on a software device\n", instances);
        continue;
      }
      const Result<Json> bench = bench_gpu(device, few, vertices, instances, rounds);
      if (!bench) {
        refusals += fmt::format("{} instances: {}\n", instances, bench.error().message);
        continue;
      }
      rows.insert(rows.end(), bench->begin(), bench->end());
    }
    text += fmt::format("\n{} vertices\n{}{}", vertices, text_of_rows(rows, "gpu"), refusals);
  }
  return text;
}

// Writes a report on a device: its errors and its speed.
Result<void> write_gpu_report(const BenchCommand& command) {
  const std::filesystem::path folder = std::filesystem::path(command.gpu_report).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {  // fails before minutes of measuring
    return fail(ErrorCode::kWriteFailed,
                fmt::format("{}: the folder '{}' does not exist", command.gpu_report, folder.string()));
  }
  std::string text;
  PELT_TRY(with_device(command.gpu, [&](const runtime::Device& device) -> Result<void> {
    const runtime::DeviceDescription& description = device.description();
    text = fmt::format("# Pelt {}.{}.{} on {}\n\n- driver: {}\n- kind: {}\n- processor: {}\n- rounds: {}\n",
                       PELT_VERSION_MAJOR, PELT_VERSION_MINOR, PELT_VERSION_PATCH, description.name, description.driver,
                       type_name(description.type), processor_name(), command.rounds);
    const auto add = [&](const char* heading, const std::string& table) {
      text += fmt::format("\n## {}\n\n```\n{}```\n", heading, table);
    };
    PELT_ASSIGN(const auto verified, verify(device));
    add("pelt verify", verified.text);
    PELT_ASSIGN(const auto all, bench_gpu(device, methods(), command.vertices, command.instances, command.rounds));
    add("pelt bench --backend gpu", text_of_rows(all, "gpu"));
    PELT_ASSIGN(const auto sizes, text_of_sizes(device, command.rounds));
    add("Instances", sizes);
    return {};
  }));
  PELT_TRY(write_file(command.gpu_report, std::as_bytes(std::span(text))));
  fmt::print("wrote {}\n", command.gpu_report);
  return {};
}

}  // namespace

Result<void> run(const BenchCommand& command) {
  if (!command.gpu_report.empty()) return write_gpu_report(command);
  Measured measured;
  measured.processor = processor_name();
  if (command.bind) {
    const std::vector<std::uint32_t> sizes{std::max(1u, command.vertices / 10), command.vertices};
    PELT_ASSIGN(measured.binds, bench_bind(sizes, command.rounds));
  }
  if (command.cpu) {
    const std::vector<std::uint32_t> sizes{std::min(kSmallMesh, command.vertices), command.vertices};
    PELT_ASSIGN(measured.rows, bench_cpu(sizes, command.rounds));
  }
  if (command.on_gpu) {
    PELT_TRY(with_device(command.gpu, [&](const runtime::Device& device) -> Result<void> {
      measured.device = device.description();
      if (command.crowd) {
        PELT_ASSIGN(measured.crowds, bench_crowds(device, command.instances, command.rounds));
        return {};
      }
      PELT_ASSIGN(const auto rows, bench_gpu(device, methods(), command.vertices, command.instances, command.rounds));
      measured.rows.insert(measured.rows.end(), rows.begin(), rows.end());
      return {};
    }));
  }
  command.json ? print_json(json_of(command, measured)) : print_text(command, measured);
  return {};
}

}  // namespace pelt::samples
