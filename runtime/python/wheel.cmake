# SPDX-License-Identifier: MIT
# Script: builds the wheel of the package in SOURCE, with the libraries LIBRARIES and their headers, into the folder
# OUTPUT, offline, with Debian's setuptools and pip. Removes other wheels in OUTPUT. STRIP: a program that strips
# symbols; may be empty.
cmake_policy(VERSION 3.22)
set(stage "${OUTPUT}/stage")
file(REMOVE_RECURSE "${stage}")
file(GLOB old "${OUTPUT}/*.whl")
if(old)
  file(REMOVE ${old})
endif()
file(MAKE_DIRECTORY "${stage}/pelt")
file(GLOB modules "${SOURCE}/pelt/*.py" "${SOURCE}/pelt/py.typed")
file(COPY ${modules} "${SOURCE}/../c/include/pelt/pelt.h" "${SOURCE}/../c/authoring/include/pelt/pelt_binder.h"
     DESTINATION "${stage}/pelt")
file(COPY "${SOURCE}/pyproject.toml" "${SOURCE}/setup.py" "${SOURCE}/../../LICENSE" DESTINATION "${stage}")
file(WRITE "${stage}/VERSION" "${VERSION}\n")
foreach(library IN LISTS LIBRARIES)
  get_filename_component(name "${library}" NAME)
  string(REGEX REPLACE "[.]so.*" ".so" name "${name}")
  file(COPY_FILE "${library}" "${stage}/pelt/${name}")
  if(STRIP)
    execute_process(COMMAND "${STRIP}" --strip-unneeded "${stage}/pelt/${name}" COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
# pip's warnings, about running as root or in a folder of another user, do not matter here.
execute_process(COMMAND "${PYTHON}" -m pip --disable-pip-version-check --no-cache-dir wheel --quiet --no-index --no-deps
                        --no-build-isolation --wheel-dir "${OUTPUT}" "${stage}"
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status)
  message(FATAL_ERROR "pip cannot build the wheel:\n${output}")
endif()
file(REMOVE_RECURSE "${stage}")
file(GLOB made "${OUTPUT}/*.whl")
message(STATUS "${made}")
