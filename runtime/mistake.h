// SPDX-License-Identifier: MIT
#pragma once

#include <pelt/runtime/mistake.h>

namespace pelt::runtime {

// Reports a mistake; the arguments are those of printf. Allocates nothing.
#if defined(__GNUC__) && !defined(_WIN32)  // there printf is taken for an older one
__attribute__((format(printf, 1, 2)))
#endif
void report_mistake(const char* format, ...);

}  // namespace pelt::runtime
