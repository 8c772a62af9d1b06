# SPDX-License-Identifier: MIT
# The warnings that the code must not raise.
add_library(pelt_warnings INTERFACE)
target_compile_options(pelt_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                               -Wno-sign-conversion -Wno-missing-field-initializers
                                               $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(pelt_warnings INTERFACE -Wno-subobject-linkage)  # takes sources for headers
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Headers of libstdc++ 12 use deprecated names, and Boost's use enumerators beyond their range.
  target_compile_options(pelt_warnings INTERFACE -Wno-deprecated-declarations
                                                 $<$<COMPILE_LANGUAGE:CXX>:-Wno-enum-constexpr-conversion>)
endif()
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
  # Counts of files have 64 bits and are checked before they become sizes, which have 32 bits there.
  target_compile_options(pelt_warnings INTERFACE -Wno-shorten-64-to-32)
endif()
if(PELT_WERROR)
  target_compile_options(pelt_warnings INTERFACE -Werror)
endif()
