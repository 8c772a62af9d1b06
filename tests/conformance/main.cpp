// SPDX-License-Identifier: MIT
// pelt_conformance: evaluates known-answer cases through the public interface, and reports differences.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tests/conformance/back_end.h"
#include "tests/conformance/case_file.h"
#include "tests/conformance/evaluate_case.h"

namespace pelt::conformance {
namespace {

constexpr int kSomeFailed = 1;
constexpr int kNotRun = 2;  // bad arguments or files

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

// Runs a case and prints one line per variant.
void run_case(const Case& test_case, BackEnd& back_end, Count& count) {
  for (const Variant& variant : test_case.variants) {
    const std::string title = fmt::format("{}: {}:", test_case.name, variant.name);
    if (!variant.unsupported.empty()) {
      ++count.unsupported;
      fmt::print("{:<72} unsupported ({})\n", title, variant.unsupported);
      continue;
    }
    const Result<Deviation> deviation = evaluate(test_case, variant, back_end);
    if (!deviation) {
      ++count.failed;
      fmt::print("{:<72} fail ({})\n", title, deviation.error().message);
      continue;
    }
    ++(deviation->passes() ? count.passed : count.failed);
    fmt::print("{:<72} {:8.2e} {:6.3f} deg {}", title, deviation->position, deviation->normal,
               deviation->passes() ? "pass" : "fail");
    if (!deviation->passes()) {
      fmt::print(" ({}pose {}, vertex {})",
                 deviation->finite ? "" : "not finite: ", test_case.poses[deviation->pose].name, deviation->vertex);
    }
    fmt::print("\n");
  }
}

int complain(const std::string& message) {
  fmt::print(stderr, "pelt_conformance: {}\n", message);
  return kNotRun;
}

struct Options {
  std::vector<std::string> cases;
  std::string back_end;
  bool validation = false;
};

int run(const Options& options) {
  const auto files = find_cases(options.cases);
  if (!files) return complain(files.error().message);
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
    run_case(*test_case, *back_end, count);
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
  app.add_flag("--validation", options.validation,
               "gpu: run under Vulkan's validation layer; whatever it says is a failure");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : pelt::conformance::kNotRun;
  }
  return pelt::conformance::run(options);
}
