/* SPDX-License-Identifier: MIT */
/* A library that says that it is of another ABI than any that was made. */
#include <stdint.h>

uint32_t pelt_abi_version(void) { return 99; }
const char* pelt_version_string(void) { return "99"; }
const char* pelt_last_error(void) { return ""; }
