# SPDX-License-Identifier: MIT
# A script: compiles SOURCE with COMPILER and the flags that PKG_CONFIG gives for PACKAGE in the folder LIBRARIES, into
# PROGRAM, and runs it on CHARACTER.
cmake_policy(VERSION 3.22)
set(ENV{PKG_CONFIG_PATH} "${LIBRARIES}/pkgconfig")
execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs "${PACKAGE}" OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND "${COMPILER}" "${STANDARD}" "${SOURCE}" ${flags} -o "${PROGRAM}" COMMAND_ERROR_IS_FATAL ANY)
set(ENV{LD_LIBRARY_PATH} "${LIBRARIES}")
execute_process(COMMAND "${PROGRAM}" "${CHARACTER}" COMMAND_ERROR_IS_FATAL ANY)
