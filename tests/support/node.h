// SPDX-License-Identifier: MIT
// Programs in JavaScript that tests compare with.
#pragma once

#include <filesystem>
#include <string>

namespace pelt::test {

// Runs a command of the shell; returns whether it succeeds.
bool runs(const std::string& command);

// Copies the folder `scripts` to `work` and installs there what its package.json names. Returns why it cannot, or "".
std::string install_packages(const std::filesystem::path& scripts, const std::filesystem::path& work);

}  // namespace pelt::test
