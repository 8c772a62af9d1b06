// SPDX-License-Identifier: MIT
// Handles of the C API that destroy themselves.
#pragma once

#include <memory>

namespace pelt {

template <auto destroy>
struct Destroy {
  void operator()(auto* handle) const { destroy(handle); }
};
template <class T, auto destroy>
using Handle = std::unique_ptr<T, Destroy<destroy>>;

}  // namespace pelt
