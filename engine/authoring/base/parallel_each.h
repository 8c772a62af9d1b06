// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <pelt/tools/parallel.h>

namespace pelt {

// Calls body(i) for each of `count` items, as parallel_for does with ranges of at least `grain` items.
template <class Body>
void parallel_each(std::size_t count, std::size_t grain, unsigned threads, const Body& body) {
  parallel_for(count, grain, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace pelt
