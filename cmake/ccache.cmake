# SPDX-License-Identifier: MIT
# Compiles through ccache if it is installed. ccache must trust precompiled headers and hash comments: a precompiled
# header records the bytes of its sources, so one from before a comment changed would let the compiler read its headers
# twice.
find_program(PELT_CCACHE ccache)
if(PELT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_COMMENTS=1
      "${PELT_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(PELT_PRECOMPILED_OPTIONS -fpch-preprocess)  # for targets with a precompiled header
  endif()
endif()
