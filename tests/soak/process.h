// SPDX-License-Identifier: MIT
// What this process holds.
#pragma once

#include <cstddef>
#include <string>

namespace pelt::test {

struct ProcessCounts {
  std::size_t heap = 0;  // bytes in use
  std::size_t files = 0;
  std::size_t threads = 0;
};
ProcessCounts process_counts();
std::string to_string(const ProcessCounts& counts);

}  // namespace pelt::test
