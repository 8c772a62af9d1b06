// SPDX-License-Identifier: MIT
// The commands of the program and their options.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include <pelt/result.h>

namespace pelt::samples {

using Command = std::function<Result<void>()>;

// Adds the commands to `app`. Parsing sets `chosen` to the named one; it must outlive the app.
void add_commands(CLI::App& app, Command& chosen);

}  // namespace pelt::samples
