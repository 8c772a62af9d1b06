# SPDX-License-Identifier: MIT
# Compiles through ccache where it is installed.
find_program(PELT_CCACHE ccache)
if(PELT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PELT_CCACHE}")
endif()
