# SPDX-License-Identifier: MIT
# PELT_SANITIZE=address,undefined or thread: for every target of the build.
if(PELT_SANITIZE)
  add_compile_options(-fsanitize=${PELT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PELT_SANITIZE})
endif()
