// SPDX-License-Identifier: MIT
// Replaces parallel.cpp on systems without threads.
#include <pelt/tools/parallel.h>

namespace pelt {

void detail::parallel_for(std::size_t count, std::size_t /*grain*/, unsigned /*threads*/, const void* body,
                          JobSystem::Call call) {
  if (count != 0) call(body, 0, count);
}

JobSystem thread_jobs(unsigned /*threads*/) { return {}; }

}  // namespace pelt
