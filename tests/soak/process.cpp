// SPDX-License-Identifier: MIT
#include "tests/soak/process.h"

#include <malloc.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

#ifdef PELT_SANITIZED
#include <sanitizer/allocator_interface.h>
#endif

namespace pelt::test {
namespace {

std::size_t heap_in_use() {
#ifdef PELT_SANITIZED
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

std::size_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace

ProcessCounts process_counts() {
  return {.heap = heap_in_use(), .files = entries_of("/proc/self/fd"), .threads = entries_of("/proc/self/task")};
}

ProcessCounts process_counts(std::size_t threads) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  ProcessCounts counts = process_counts();
  while (counts.threads > threads && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    counts = process_counts();
  }
  return counts;
}

std::string to_string(const ProcessCounts& counts) {
  return std::to_string(counts.heap) + " bytes of heap, " + std::to_string(counts.files) + " files, " +
         std::to_string(counts.threads) + " threads";
}

}  // namespace pelt::test
