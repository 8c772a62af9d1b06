# SPDX-License-Identifier: MIT
# PELT_SANITIZE=address,undefined or thread: for every target of the build.
if(PELT_SANITIZE)
  add_compile_options(-fsanitize=${PELT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # Instrumented code makes this warning see what is not so, in the standard library too.
  add_compile_options(-Wno-maybe-uninitialized)
  add_link_options(-fsanitize=${PELT_SANITIZE})
  if(PELT_SANITIZE MATCHES address)
    # Into every program.
    add_library(pelt_leaks OBJECT cmake/leaks.cpp)
    link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:pelt_leaks>>)
  endif()
endif()
