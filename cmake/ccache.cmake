# SPDX-License-Identifier: MIT
# Compiles through ccache if it is installed. ccache must be told that precompiled headers may be trusted, and that
# comments count: a precompiled header knows the files it was made of by their bytes, and one that was made before a
# comment changed would let the compiler read its headers twice.
find_program(PELT_CCACHE ccache)
if(PELT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_COMMENTS=1
      "${PELT_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(PELT_PRECOMPILED_OPTIONS -fpch-preprocess)  # for targets with a precompiled header
  endif()
endif()
