# SPDX-License-Identifier: MIT
# The warnings that the code is clean of.
add_library(pelt_warnings INTERFACE)
target_compile_options(pelt_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                               -Wno-sign-conversion -Wno-missing-field-initializers
                                               $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
if(PELT_WERROR)
  target_compile_options(pelt_warnings INTERFACE -Werror)
endif()
