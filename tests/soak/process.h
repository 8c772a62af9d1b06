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

// The same, once there are no more than so many threads, or after a second: a thread that was joined may be counted for
// a moment.
ProcessCounts process_counts(std::size_t threads);
std::string to_string(const ProcessCounts& counts);

}  // namespace pelt::test
