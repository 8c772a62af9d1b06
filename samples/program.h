// SPDX-License-Identifier: MIT
// Parses the options of a program, runs it, and reports errors.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>

#include <pelt/result.h>

#include "samples/interrupts.h"

namespace pelt::samples {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUsage = 2, kNoDevice = 3 };

// Checks that `parse`, which returns an optional, accepts a value. `is_not` completes the error "'...' is not ...".
template <class Parse>
CLI::Validator parsed_by(Parse parse, const std::string& is_not) {
  return CLI::Validator(
      [=](const std::string& text) { return parse(text) ? std::string() : "'" + text + "' is not " + is_not; }, "");
}

// Parses the options and calls `run`. Returns the exit code; errors go to standard error.
inline int parse_and_run(CLI::App& app, int argc, char** argv, const std::function<Result<void>()>& run) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::string name = app.get_name();
    for (const CLI::App* chosen : app.get_subcommands()) name += " " + chosen->get_name();
    fmt::print(stderr, "{}: {}\n'{} --help' explains\n", app.get_name(), error.what(), name);
    return kWrongUsage;
  }
  const Result<void> done = run();
  if (!done) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), done.error().message);
    return kFailed;
  }
  if (std::fflush(stdout) != 0) {
    std::perror((app.get_name() + ": standard output").c_str());
    return kFailed;
  }
  return kDone;
}

// The body of main(). `program` makes the options and returns parse_and_run().
inline int run_main(const char* name, int (*program)(int, char**), int argc, char** argv) {
  remove_unfinished_files_on_signals();
  try {
    return program(argc, argv);
  } catch (const std::exception& error) {
    // Out of memory, or standard output that cannot be written.
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return kFailed;
  }
}

}  // namespace pelt::samples
