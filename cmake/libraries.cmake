# SPDX-License-Identifier: MIT
# Makes targets of libraries that have no CMake package on some systems.
# Installed too: Pelt's static libraries link them.
#
#   pelt_find_library(NAME)    # makes the target pelt_library::NAME for the library NAME, unless it is not found
function(pelt_find_library name)
  if(TARGET pelt_library::${name})
    return()
  endif()
  find_library(PELT_LIBRARY_${name} ${name})
  mark_as_advanced(PELT_LIBRARY_${name})
  if(PELT_LIBRARY_${name})
    add_library(pelt_library::${name} UNKNOWN IMPORTED)
    set_target_properties(pelt_library::${name} PROPERTIES IMPORTED_LOCATION "${PELT_LIBRARY_${name}}")
  endif()
endfunction()
