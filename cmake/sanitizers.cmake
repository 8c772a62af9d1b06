# SPDX-License-Identifier: MIT
# PELT_SANITIZE=address,undefined or thread: for every target of the build.
if(PELT_SANITIZE)
  add_compile_options(-fsanitize=${PELT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # Instrumented code causes false warnings of these kinds, in the standard library too.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized -Wno-mismatched-new-delete)
  endif()
  add_link_options(-fsanitize=${PELT_SANITIZE})
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
endif()
