# SPDX-License-Identifier: MIT
# PELT_SANITIZE=address,undefined or thread: for every target of the build; needs Clang.
if(PELT_SANITIZE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "PELT_SANITIZE needs Clang; use the presets asan and tsan")
  endif()
  add_compile_options(-fsanitize=${PELT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # C programs also link the sanitizers' C++ runtime, which libpelt.so needs.
  add_link_options(-fsanitize=${PELT_SANITIZE} $<$<LINK_LANGUAGE:C>:--driver-mode=g++>)
  # Adds the list of suppressions to every program.
  if(PELT_SANITIZE MATCHES address)
    add_library(pelt_suppressions OBJECT cmake/leaks.cpp)
  elseif(PELT_SANITIZE MATCHES thread)
    add_library(pelt_suppressions OBJECT cmake/races.cpp)
  endif()
  if(TARGET pelt_suppressions)
    link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:pelt_suppressions>>)
  endif()
endif()
if(PELT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # counts the branches that an input takes
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
