// SPDX-License-Identifier: MIT
// Files of the repository that are made from the code.
#pragma once

#include <filesystem>
#include <string>

namespace pelt::test {

// Expects the file to hold this text; writes it where PELT_UPDATE_REFERENCE is set.
void expect_committed(const std::string& text, const std::filesystem::path& file);

}  // namespace pelt::test
