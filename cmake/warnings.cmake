# SPDX-License-Identifier: MIT
# The warnings that the code is clean of; errors where the project is built for itself.
add_library(pelt_warnings INTERFACE)
target_compile_options(pelt_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wconversion
                                               -Wno-sign-conversion -Wno-missing-field-initializers)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(pelt_warnings INTERFACE -Werror)
endif()
