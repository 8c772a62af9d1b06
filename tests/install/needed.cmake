# SPDX-License-Identifier: MIT
# A script: checks that the program or shared library FILE needs the shared libraries LIBRARIES, sorted, and no others,
# but for the loader and what older C libraries keep apart, as READELF lists them.
cmake_policy(VERSION 3.22)
execute_process(COMMAND "${READELF}" -d "${FILE}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[][]" "|" text "${text}")  # a list does not divide between brackets
string(REGEX MATCHALL "NEEDED[^\n|]*.[^\n|]+" needed "${text}")
list(TRANSFORM needed REPLACE ".*[|](.*)[.]so.*" "\\1")
list(FILTER needed EXCLUDE REGEX "^ld-linux|^libdl$|^libpthread$")
list(SORT needed)
separate_arguments(LIBRARIES)
if(NOT needed STREQUAL LIBRARIES)
  message(FATAL_ERROR "${FILE} needs ${needed}, and should need ${LIBRARIES}")
endif()
