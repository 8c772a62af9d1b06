// SPDX-License-Identifier: MIT
// xxHash, compiled inline so that no library need be linked.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>
