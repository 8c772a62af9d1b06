// SPDX-License-Identifier: MIT
// The version of Pelt; CMakeLists.txt reads it from here.
#pragma once

#define PELT_VERSION_MAJOR 0
#define PELT_VERSION_MINOR 1
#define PELT_VERSION_PATCH 0

// The version as one number, for comparison: 10203 is 1.2.3.
#define PELT_VERSION (PELT_VERSION_MAJOR * 10000 + PELT_VERSION_MINOR * 100 + PELT_VERSION_PATCH)
