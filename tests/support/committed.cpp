// SPDX-License-Identifier: MIT
#include "tests/support/committed.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/program.h"

namespace pelt::test {

void expect_committed(const std::string& text, const std::filesystem::path& file) {
  if (std::getenv("PELT_UPDATE_REFERENCE") != nullptr) std::ofstream(file, std::ios::binary) << text;
  EXPECT_TRUE(file_text(file) == text) << file << " is not what the code says; PELT_UPDATE_REFERENCE=1 writes it anew";
}

}  // namespace pelt::test
