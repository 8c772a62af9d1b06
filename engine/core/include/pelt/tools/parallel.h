// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace pelt {

namespace detail {
// Passes `body` as a plain function and its object, which needs no copy and no allocation.
using RangeFunction = void (*)(const void* body, std::size_t begin, std::size_t end);
void parallel_for(std::size_t count, std::size_t grain, unsigned threads, const void* body, RangeFunction call);
}  // namespace detail

// Calls body(begin, end) over disjoint ranges that cover [0, count), on up to `threads` threads (0: all cores), and
// returns when all are done. Ranges hold at least `grain` items. The split may differ from run to run, so a body must
// write only what belongs to its items: then results do not depend on the thread count. One thread is the caller's and
// allocates nothing.
template <class Body>
void parallel_for(std::size_t count, std::size_t grain, unsigned threads, const Body& body) {
  detail::parallel_for(count, grain, threads, &body, [](const void* object, std::size_t begin, std::size_t end) {
    (*static_cast<const Body*>(object))(begin, end);
  });
}

}  // namespace pelt
