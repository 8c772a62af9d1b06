// SPDX-License-Identifier: MIT
#include "engine/core/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace pelt {

void parallel_for(std::size_t count, std::size_t grain, unsigned threads,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  if (threads == 1 || count <= grain) {
    body(0, count);
    return;
  }
  const auto run = [&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                      [&](const tbb::blocked_range<std::size_t>& range) { body(range.begin(), range.end()); });
  };
  if (threads == 0) {
    run();
  } else {
    tbb::task_arena(static_cast<int>(threads)).execute(run);
  }
}

}  // namespace pelt
