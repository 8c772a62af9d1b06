// SPDX-License-Identifier: MIT
#include "samples/pelt/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <pelt/tools/file_io.h>
#include <pelt/try.h>
#include <pelt/version.h>

#include "samples/pelt/bench/bind_bench.h"
#include "samples/pelt/bench/cpu_bench.h"
#include "samples/pelt/bench/crowd_bench.h"
#include "samples/pelt/bench/gpu_bench.h"
#include "samples/pelt/table.h"
#include "samples/pelt/verify.h"

namespace pelt::samples {
namespace {

using Json = nlohmann::ordered_json;

// Vertices of the small mesh, which fits into caches.
constexpr std::uint32_t kSmallMesh = 10'000;

struct Measured {
  std::vector<BenchRow> rows;
  std::vector<KernelRow> kernels;
  std::vector<BindRow> binds;
  std::vector<CrowdRow> crowds;
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
      return "software: its figures say nothing of a GPU";
    default:
      return "other";
  }
}

Json to_json(const Spread& spread) {
  return {{"low_quartile", spread.low}, {"median", spread.median}, {"high_quartile", spread.high}};
}

// Returns a ratio, or null if its rounds disagree too much.
Json ratio_json(const Spread& ratio) { return ratio.steady() ? Json(ratio.median) : Json(); }
std::string ratio_text(const Spread& ratio) {
  return ratio.steady() ? fmt::format("{:.2f}", ratio.median) : "unsteady";
}

Json to_json(const BenchRow& row) {
  Json json{{"backend", row.backend},
            {"method", row.method},
            {"influences", row.influences},
            {"vertices", row.vertices},
            {"instances", row.instances}};
  if (row.threads != 0) json["threads"] = row.threads;
  json.update({{"seconds", to_json(row.seconds)},
               {"vertices_per_second", row.vertices_per_second()},
               {"bytes_in_per_vertex", row.bytes_in},
               {"bytes_out_per_vertex", row.bytes_out},
               {"time_of_linear_blend_4", ratio_json(row.of_yardstick)},
               {"palette_seconds", to_json(row.palette_seconds)}});
  if (row.backend == "gpu") {
    json.update(
        {{"ratio_to_copy", ratio_json(row.copy_share)}, {"resident_bytes", row.resident_bytes}, {"error", row.error}});
  }
  return json;
}

Json to_json(const KernelRow& row) {
  return {{"kernel", row.kernel},
          {"vertices", row.vertices},
          {"seconds", to_json(row.seconds)},
          {"vertices_per_second", row.vertices_per_second()},
          {"ratio_to_128_bit", ratio_json(row.speed)},
          {"error", row.error}};
}

Json to_json(const BindRow& row) {
  return {{"method", row.method},
          {"vertices", row.vertices},
          {"influences", row.influences},
          {"seconds", to_json(row.seconds)},
          {"processor_seconds", row.processor_seconds},
          {"vertices_per_second", row.vertices_per_second()},
          {"peak_bytes_per_vertex", row.peak_bytes ? Json(*row.peak_bytes) : Json()}};
}

Json to_json(const CrowdRow& row) {
  Json json{{"crowd", row.crowd}, {"instances", row.instances}, {"vertices", row.vertices}};
  if (!row.refusal.empty()) {
    json["refusal"] = row.refusal;
    return json;
  }
  json.update({{"dispatches", row.dispatches},
               {"barriers", row.barriers},
               {"seconds", to_json(row.seconds)},
               {"seconds_per_vertex", row.seconds_per_vertex()},
               {"seconds_per_vertex_of_least", ratio_json(row.of_least)},
               {"host_seconds", to_json(row.host_seconds)},
               {"error", row.error}});
  return json;
}

void print_json(const BenchCommand& command, const Measured& measured) {
  Json json{
      {"processor", measured.processor}, {"threads", std::thread::hardware_concurrency()}, {"rounds", command.rounds}};
  if (!measured.device.name.empty()) {
    json["device"] = {
        {"name", measured.device.name}, {"driver", measured.device.driver}, {"type", type_name(measured.device.type)}};
  }
  if (command.bind) {
    for (const BindRow& row : measured.binds) json["bind"].push_back(to_json(row));
    fmt::print("{}\n", json.dump(2));
    return;
  }
  if (command.crowd) {
    for (const CrowdRow& row : measured.crowds) json["crowds"].push_back(to_json(row));
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    return;
  }
  json["rows"] = Json::array();
  for (const BenchRow& row : measured.rows) json["rows"].push_back(to_json(row));
  json["kernels"] = Json::array();
  for (const KernelRow& row : measured.kernels) json["kernels"].push_back(to_json(row));
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string text_of_rows(const std::vector<BenchRow>& rows, const std::string& backend) {
  Table table({{"method", false},
               {"influences"},
               {"vertices"},
               {backend == "cpu" ? "threads" : "instances"},
               {"MB"},
               {"ms"},
               {"Mvert/s"},
               {"B/vertex"},
               {"of copy"},
               {"of linear"},
               {"palettes ms"}});
  for (const BenchRow& row : rows) {
    if (row.backend != backend) continue;
    table.add({row.method, fmt::format("{:.1f}", row.influences), fmt::to_string(row.vertices),
               fmt::to_string(backend == "cpu" ? row.threads : row.instances),
               row.resident_bytes > 0 ? fmt::format("{:.1f}", 1e-6 * row.resident_bytes) : "-",
               fmt::format("{:.3f}", 1e3 * row.seconds.median), fmt::format("{:.1f}", 1e-6 * row.vertices_per_second()),
               fmt::format("{:.1f}", row.bytes_in + row.bytes_out),
               row.backend == "gpu" ? ratio_text(row.copy_share) : "-", ratio_text(row.of_yardstick),
               fmt::format("{:.3f}", 1e3 * row.palette_seconds.median)});
  }
  return table.text();
}

std::string text_of_kernels(const std::vector<KernelRow>& rows) {
  Table table({{"kernel", false}, {"vertices"}, {"ms"}, {"Mvert/s"}, {"of 128-bit"}, {"error"}});
  for (const KernelRow& row : rows) {
    table.add({row.kernel, fmt::to_string(row.vertices), fmt::format("{:.3f}", 1e3 * row.seconds.median),
               fmt::format("{:.1f}", 1e-6 * row.vertices_per_second()), ratio_text(row.speed),
               fmt::format("{:.1e}", row.error)});
  }
  return table.text();
}

std::string text_of_binds(const std::vector<BindRow>& rows) {
  Table table(
      {{"vertices"}, {"method", false}, {"influences"}, {"s"}, {"processor s"}, {"Mvert/s"}, {"peak B/vertex"}});
  for (const BindRow& row : rows) {
    table.add({fmt::to_string(row.vertices), row.method, fmt::format("{:.1f}", row.influences),
               fmt::format("{:.3f}", row.seconds.median), fmt::format("{:.3f}", row.processor_seconds),
               fmt::format("{:.2f}", 1e-6 * row.vertices_per_second()),
               row.peak_bytes ? fmt::format("{:.0f}", *row.peak_bytes) : "-"});
  }
  return table.text();
}

std::string text_of_crowds(const std::vector<CrowdRow>& rows) {
  Table table({{"crowd", false},
               {"instances"},
               {"vertices"},
               {"dispatches"},
               {"barriers"},
               {"ms"},
               {"ns/vertex"},
               {"of least"},
               {"CPU ms"}});
  for (const CrowdRow& row : rows) {
    if (!row.refusal.empty()) continue;
    table.add({row.crowd, fmt::to_string(row.instances), fmt::to_string(row.vertices), fmt::to_string(row.dispatches),
               fmt::to_string(row.barriers), fmt::format("{:.3f}", 1e3 * row.seconds.median),
               fmt::format("{:.3f}", 1e9 * row.seconds_per_vertex()), ratio_text(row.of_least),
               fmt::format("{:.3f}", 1e3 * row.host_seconds.median)});
  }
  std::string text = table.text();
  for (const CrowdRow& row : rows) {
    if (!row.refusal.empty()) text += fmt::format("{}: {}\n", row.crowd, row.refusal);
  }
  return text;
}

void print_text(const BenchCommand& command, const Measured& measured) {
  fmt::print("{} rounds, interleaved; medians. docs/benchmarks.md says what the columns mean.\n", command.rounds);
  if (!measured.binds.empty()) {
    fmt::print("\nBinding: {}, {} threads\n", measured.processor, std::thread::hardware_concurrency());
    fmt::print("{}", text_of_binds(measured.binds));
  }
  if (!measured.kernels.empty()) {
    fmt::print("\nCPU: {}, {} threads\n", measured.processor, std::thread::hardware_concurrency());
    fmt::print("{}", text_of_rows(measured.rows, "cpu"));
    fmt::print("\nCPU, one thread, linear blend of 4 influences, positions and normals\n");
    fmt::print("{}", text_of_kernels(measured.kernels));
  }
  if (!measured.device.name.empty()) {
    fmt::print("\nGPU: {}, {} ({})\n", measured.device.name, measured.device.driver, type_name(measured.device.type));
    if (command.crowd) {
      fmt::print("{}", text_of_crowds(measured.crowds));
    } else {
      fmt::print("{}", text_of_rows(measured.rows, "gpu"));
    }
  }
}

// Times what decides the goals of a device: crowds of a figure of few and one of many vertices, from one instance on.
Result<std::string> text_of_sizes(const runtime::Device& device, std::size_t rounds) {
  constexpr std::uint64_t kMaxOfSoftware = 1'000'000;  // vertices of a frame: more take seconds
  const bool is_software = device.description().type == VK_PHYSICAL_DEVICE_TYPE_CPU;
  std::vector<Method> few = methods();
  std::erase_if(few, [](const Method& method) {
    return method.name != kYardstick && method.name != "surface FFD, default" && method.name != "curve skeleton" &&
           method.name != "mos" && method.name != "hierarchical B-spline";
  });
  std::string text;
  for (const std::uint32_t vertices : {6'000u, 30'000u}) {
    std::vector<BenchRow> rows;
    std::string refusals;
    for (const std::uint32_t instances : {1u, 8u, 64u, 512u}) {
      if (is_software && std::uint64_t{vertices} * instances > kMaxOfSoftware) {
        refusals += fmt::format("{} instances: not measured on a software device\n", instances);
        continue;
      }
      const Result<std::vector<BenchRow>> bench = bench_gpu(device, few, vertices, instances, rounds);
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

// Writes all that a device can tell: what it gets wrong, and how fast it is.
Result<void> write_gpu_report(const BenchCommand& command) {
  const std::filesystem::path folder = std::filesystem::path(command.gpu_report).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {  // said before minutes of measuring
    return fail(ErrorCode::kWriteFailed,
                fmt::format("{}: there is no folder '{}'", command.gpu_report, folder.string()));
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
    PELT_ASSIGN(auto binds,
                bench_bind(std::vector{std::max(1u, command.vertices / 10), command.vertices}, command.rounds));
    measured.binds = std::move(binds);
  }
  if (command.cpu) {
    const std::vector<std::uint32_t> sizes{std::min(kSmallMesh, command.vertices), command.vertices};
    PELT_ASSIGN(auto rows, bench_cpu(sizes, command.rounds));
    PELT_ASSIGN(auto kernels, bench_kernels(sizes, command.rounds));
    measured.rows = std::move(rows);
    measured.kernels = std::move(kernels);
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
  if (command.json) {
    print_json(command, measured);
  } else {
    print_text(command, measured);
  }
  return {};
}

}  // namespace pelt::samples
