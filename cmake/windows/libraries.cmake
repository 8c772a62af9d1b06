# SPDX-License-Identifier: MIT
# The libraries of dependencies.cmake for Windows, which Debian does not build.
include(cmake/debian_sources.cmake)
pelt_implementation(pelt_library::tinyobjloader "#define TINYOBJLOADER_IMPLEMENTATION\n#include <tiny_obj_loader.h>\n")
pelt_implementation(pelt_library::tinygltf "#define TINYGLTF_IMPLEMENTATION
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <tiny_gltf.h>\n")
set(PELT_STB_INCLUDE "${headers}" CACHE PATH "")
pelt_unpacked(onetbb folder)
# oneTBB's CMake is too old for options set by plain variables: only the cache counts. Its warnings are its own.
set(TBB_TEST OFF CACHE BOOL "" FORCE)
set(TBB_STRICT OFF CACHE BOOL "" FORCE)
add_subdirectory("${folder}" "${CMAKE_BINARY_DIR}/onetbb" EXCLUDE_FROM_ALL)
set_target_properties(tbb PROPERTIES UNITY_BUILD OFF)
get_target_property(include tbb INTERFACE_INCLUDE_DIRECTORIES)
set_target_properties(tbb PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${include}")

if(PELT_TESTS)
  set(INSTALL_GTEST OFF CACHE BOOL "" FORCE)
  add_subdirectory(/usr/src/googletest "${CMAKE_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL)
  set_target_properties(gtest gtest_main gmock gmock_main PROPERTIES UNITY_BUILD OFF)
endif()
