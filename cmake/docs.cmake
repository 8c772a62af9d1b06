# SPDX-License-Identifier: MIT
# The target `docs`: public headers and documents as HTML, in docs/html of the build folder. A warning is an error,
# which the test Doxygen reports. Without Doxygen there is no such target.
find_program(PELT_DOXYGEN doxygen)
if(NOT PELT_DOXYGEN)
  return()
endif()
set(PELT_DOCS_OUTPUT "${pelt_BINARY_DIR}/docs")
get_property(headers GLOBAL PROPERTY PELT_PUBLIC_HEADERS)
set(PELT_DOCS_INPUT)
foreach(file IN LISTS headers ITEMS README.md SECURITY.md docs docs/PELT_deformers
    samples/engine/README.md samples/hello/README.md samples/hello_c/README.md)
  string(APPEND PELT_DOCS_INPUT " \"${pelt_SOURCE_DIR}/${file}\"")
endforeach()
configure_file("${pelt_SOURCE_DIR}/docs/doxygen/Doxyfile.in" "${pelt_BINARY_DIR}/Doxyfile" @ONLY)
add_custom_target(docs COMMAND "${PELT_DOXYGEN}" "${pelt_BINARY_DIR}/Doxyfile" VERBATIM)
if(PELT_TESTS AND NOT CMAKE_CROSSCOMPILING)
  pelt_command_test(Doxygen COMMAND "${PELT_DOXYGEN}" "${pelt_BINARY_DIR}/Doxyfile")
endif()
