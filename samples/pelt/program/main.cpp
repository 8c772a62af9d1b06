// SPDX-License-Identifier: MIT
// The command line: help and exit codes.
#include <fmt/format.h>

#include <pelt/version.h>

#include "samples/pelt/gpu.h"
#include "samples/pelt/program/commands.h"
#include "samples/program.h"

namespace pelt::samples {
namespace {

int run_program(int argc, char** argv) {
  CLI::App app("Pelt binds skins to film-grade deformers and moves them on the GPU.", "pelt");
  app.allow_windows_style_options(false);  // a path may begin with a slash
  app.require_subcommand(1);
  app.set_version_flag("--version",
                       fmt::format("pelt {}.{}.{}", PELT_VERSION_MAJOR, PELT_VERSION_MINOR, PELT_VERSION_PATCH));
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no usable Vulkan device. 'pelt COMMAND --help' explains a "
      "command.\n\n"
      "Example:\n"
      "  pelt bind builtin:biped -o biped.pelt\n"
      "  pelt render biped.pelt --clip flex --time 1 --compare linear-blend -o biped.png");
  Command command;
  add_commands(app, command);
  try {
    return parse_and_run(app, argc, argv, [&] { return command(); });
  } catch (const NoDevice& error) {
    fmt::print(stderr, "pelt: {}\n", error.what());
    return kNoDevice;
  }
}

}  // namespace
}  // namespace pelt::samples

int main(int argc, char** argv) { return pelt::samples::run_main("pelt", pelt::samples::run_program, argc, argv); }
