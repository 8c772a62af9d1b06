// SPDX-License-Identifier: MIT
// xxHash compiled in, so that nothing links it.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>
