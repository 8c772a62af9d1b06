// SPDX-License-Identifier: MIT
// The command line: help and exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "samples/interrupts.h"
#include "samples/pelt/program/commands.h"

namespace pelt::samples {
namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUsage = 2 };

int run_program(int argc, char** argv) {
  CLI::App app("Pelt binds skins to film-grade deformers and moves them on the GPU.", "pelt");
  app.allow_windows_style_options(false);  // a path may begin with a slash
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong usage. 'pelt COMMAND --help' explains a command.\n\n"
      "Example:\n"
      "  pelt bind builtin:biped -o biped.pelt\n"
      "  pelt render biped.pelt --clip flex --time 1 --compare linear-blend -o biped.png");
  Command command;
  add_commands(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::string name = "pelt";
    for (const CLI::App* chosen : app.get_subcommands()) name += " " + chosen->get_name();
    fmt::print(stderr, "pelt: {}\n'{} --help' explains\n", error.what(), name);
    return kWrongUsage;
  }
  const Result<void> done = command();
  if (!done) {
    fmt::print(stderr, "pelt: {}\n", done.error().message);
    return kFailed;
  }
  if (std::fflush(stdout) != 0) {
    std::perror("pelt: standard output");
    return kFailed;
  }
  return kDone;
}

}  // namespace
}  // namespace pelt::samples

int main(int argc, char** argv) {
  pelt::samples::remove_unfinished_files_on_signals();
  try {
    return pelt::samples::run_program(argc, argv);
  } catch (const std::exception& error) {
    // Out of memory, or standard output that cannot be written.
    std::fprintf(stderr, "pelt: %s\n", error.what());
    return pelt::samples::kFailed;
  }
}
