// SPDX-License-Identifier: MIT
#include "tests/support/committed.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace pelt::test {

void expect_committed(const std::string& text, const std::filesystem::path& file) {
  if (std::getenv("PELT_UPDATE_REFERENCE") != nullptr) std::ofstream(file, std::ios::binary) << text;
  std::ifstream stream(file, std::ios::binary);
  const std::string committed{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_TRUE(committed == text) << file << " is not what the code says; PELT_UPDATE_REFERENCE=1 writes it anew";
}

}  // namespace pelt::test
