# SPDX-License-Identifier: MIT
# Links with mold if it is installed: the tests are many programs, and mold takes a fifth of the time.
find_program(PELT_MOLD mold)
if(PELT_MOLD AND PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
   CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
  add_link_options(-fuse-ld=mold)
endif()
