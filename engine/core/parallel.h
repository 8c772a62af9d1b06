// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace pelt {

// Calls body(begin, end) over disjoint ranges that cover [0, count), on up to `threads` threads (0: all cores), and
// returns when all are done. Ranges hold at least `grain` items. The split may differ from run to run, so a body must
// write only what belongs to its items: then results do not depend on the thread count.
void parallel_for(std::size_t count, std::size_t grain, unsigned threads,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

}  // namespace pelt
