// SPDX-License-Identifier: MIT
// Tests of committed files that are made from the code.
#pragma once

#include <filesystem>
#include <string>

namespace pelt::test {

// Expects the file to hold this text; writes the text if PELT_UPDATE_REFERENCE is set.
void expect_committed(const std::string& text, const std::filesystem::path& file);

}  // namespace pelt::test
