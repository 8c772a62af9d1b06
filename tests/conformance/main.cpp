// SPDX-License-Identifier: MIT
// pelt_conformance: evaluates known-answer cases through the public interface, and reports differences.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include <pelt/tools/file_io.h>

#include "tests/conformance/back_end.h"
#include "tests/conformance/case_file.h"
#include "tests/conformance/evaluate_case.h"

namespace pelt::conformance {
namespace {

constexpr int kSomeFailed = 1;
constexpr int kNotRun = 2;  // bad arguments or files

// Coordinates are written with as many digits as a float needs.
using FloatJson =
    nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

struct Count {
  int passed = 0;
  int failed = 0;
  int unsupported = 0;
};

// Returns the files, and for each folder the .json files in it, sorted.
Result<std::vector<std::filesystem::path>> find_cases(const std::vector<std::string>& arguments) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path path : arguments) {
    std::error_code code;
    if (!std::filesystem::is_directory(path, code)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::filesystem::path> inside;
    for (std::filesystem::directory_iterator entry(path, code), end; !code && entry != end; entry.increment(code)) {
      if (entry->path().extension() == ".json") inside.push_back(entry->path());
    }
    if (code) return fail(ErrorCode::kReadFailed, fmt::format("{}: {}", path.string(), code.message()));
    if (inside.empty()) return fail(ErrorCode::kNotFound, fmt::format("{}: holds no .json files", path.string()));
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

std::filesystem::path output_path(const std::filesystem::path& folder, const std::filesystem::path& case_file) {
  return folder / (case_file.stem().string() + ".json");
}

// Makes the folder. Errors: two cases would be written to one file, or one over a case.
Result<void> prepare_output(const std::filesystem::path& folder, std::span<const std::filesystem::path> case_files) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return fail(ErrorCode::kWriteFailed, fmt::format("{}: {}", folder.string(), code.message()));
  std::set<std::filesystem::path> outputs;
  for (const std::filesystem::path& file : case_files) {
    const std::filesystem::path output = output_path(folder, file);
    if (!outputs.insert(output).second || std::filesystem::equivalent(output, file, code)) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{}: is written twice, or over a case", output.string()));
    }
  }
  return {};
}

FloatJson to_json(const Case& test_case, const Variant& variant, const Evaluation& evaluation) {
  FloatJson poses = FloatJson::array();
  for (std::size_t a = 0; a < variant.answers.size(); ++a) {
    FloatJson positions = FloatJson::array();
    for (const glm::vec3& p : evaluation.positions[a]) positions.push_back({p.x, p.y, p.z});
    poses.push_back({{"pose", test_case.poses[variant.answers[a].pose].name}, {"positions", std::move(positions)}});
  }
  return {{"variant", variant.name}, {"poses", std::move(poses)}};
}

// Runs a case and prints one line a variant. Returns the computed positions of all variants.
FloatJson run_case(const Case& test_case, BackEnd& back_end, Count& count) {
  FloatJson results = FloatJson::array();
  for (const Variant& variant : test_case.variants) {
    const std::string title = fmt::format("{}: {}:", test_case.name, variant.name);
    if (!variant.unsupported.empty()) {
      ++count.unsupported;
      fmt::print("{:<72} unsupported ({})\n", title, variant.unsupported);
      continue;
    }
    const Result<Evaluation> evaluation = evaluate(test_case, variant, back_end);
    if (!evaluation) {
      ++count.failed;
      fmt::print("{:<72} fail ({})\n", title, evaluation.error().message);
      continue;
    }
    const Deviation& deviation = evaluation->deviation;
    ++(deviation.passes() ? count.passed : count.failed);
    fmt::print("{:<72} {:8.2e} {:6.3f} deg {}", title, deviation.position, deviation.normal,
               deviation.passes() ? "pass" : "fail");
    if (!deviation.passes()) {
      fmt::print(" ({}pose {}, vertex {})",
                 deviation.finite ? "" : "not finite: ", test_case.poses[deviation.pose].name, deviation.vertex);
    }
    fmt::print("\n");
    results.push_back(to_json(test_case, variant, *evaluation));
  }
  return results;
}

int complain(const std::string& message) {
  fmt::print(stderr, "pelt_conformance: {}\n", message);
  return kNotRun;
}

struct Options {
  std::vector<std::string> cases;
  std::string back_end;
  std::string write;
  bool validation = false;
};

int run(const Options& options) {
  const auto files = find_cases(options.cases);
  if (!files) return complain(files.error().message);
  if (!options.write.empty()) {
    const Result<void> ready = prepare_output(options.write, *files);
    if (!ready) return complain(ready.error().message);
  }
  std::unique_ptr<BackEnd> back_end;
  if (options.back_end == "cpu") {
    back_end = make_cpu_back_end();
  } else {
    Result<std::unique_ptr<BackEnd>> gpu = make_gpu_back_end(options.validation);
    if (!gpu) return complain(gpu.error().message);
    back_end = *std::move(gpu);
  }
  Count count;
  bool broken = false;
  for (const std::filesystem::path& file : *files) {
    const Result<Case> test_case = load_case(file);
    if (!test_case) {
      complain(test_case.error().message);
      broken = true;
      continue;
    }
    FloatJson results = run_case(*test_case, *back_end, count);
    if (options.write.empty()) continue;
    const FloatJson document = {{"format", "pelt-results 1"},
                                {"name", test_case->name},
                                {"backend", options.back_end},
                                {"results", std::move(results)}};
    const std::string text = document.dump(-1, ' ', false, FloatJson::error_handler_t::replace) + "\n";
    const auto written = write_file(output_path(options.write, file), std::as_bytes(std::span(text)));
    if (!written) return complain(written.error().message);
  }
  fmt::print("{} passed, {} failed, {} unsupported\n", count.passed, count.failed, count.unsupported);
  return broken ? kNotRun : count.failed > 0 ? kSomeFailed : 0;
}

}  // namespace
}  // namespace pelt::conformance

int main(int argc, char** argv) {
  CLI::App app(
      "Evaluates known-answer cases and prints, for every variant, the largest difference of a position\n"
      "relative to the skin's bounding diagonal, and of a normal in degrees.\n"
      "Exit status: 0 where nothing failed, 1 where a variant did, 2 where arguments or files are bad.",
      "pelt_conformance");
  app.allow_windows_style_options(false);  // a path may begin with a slash
  pelt::conformance::Options options;
  app.add_option("CASES", options.cases, "Case files, or folders of them")->required();
  app.add_option("--backend", options.back_end, "Who evaluates")->required()->check(CLI::IsMember({"cpu", "gpu"}));
  app.add_option("--write", options.write, "Folder for the computed positions, one JSON file a case");
  app.add_flag("--validation", options.validation,
               "gpu: run under Vulkan's validation layer; whatever it says is a failure");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : pelt::conformance::kNotRun;
  }
  return pelt::conformance::run(options);
}
