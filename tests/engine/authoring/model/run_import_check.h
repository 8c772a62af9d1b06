// SPDX-License-Identifier: MIT
// Imports a hostile file in a process of its own, with bounds on its time and memory.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>

namespace pelt::test {

struct CheckOutcome {
  int status = -1;  // exit status of pelt_import_check; above 2: it ran out of time or crashed
  std::string output;
};

// Runs pelt_import_check; `option`: "--mutate", or empty. It may use the processor for so many seconds, and for five
// times as many under sanitizers; on a busy machine ten times as many may pass.
inline CheckOutcome run_check(const std::string& option, const std::filesystem::path& path, int seconds) {
#ifdef PELT_SANITIZED
  seconds *= 5;
#endif
  std::ostringstream command;
  command << "ulimit -t " << seconds
          << "; ASAN_OPTIONS=hard_rss_limit_mb=1024:quarantine_size_mb=16:allocator_may_return_null=0 "
          << "UBSAN_OPTIONS=print_stacktrace=1 timeout " << 10 * seconds << " '" PELT_IMPORT_CHECK "' " << option
          << " '" << path.string() << "' 2>&1";
  std::FILE* pipe = ::popen(command.str().c_str(), "r");
  CheckOutcome outcome;
  std::array<char, 4096> buffer;
  for (std::size_t read = 0; (read = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    outcome.output.append(buffer.data(), read);
  }
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  return outcome;
}

}  // namespace pelt::test
