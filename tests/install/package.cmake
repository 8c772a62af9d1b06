# SPDX-License-Identifier: MIT
# A script: packs the build folder BUILD with CPACK into the empty folder PACKAGES, and unpacks the packages with
# DPKG_DEB into PACKAGES/root.
cmake_policy(VERSION 3.22)
file(REMOVE_RECURSE "${PACKAGES}")
execute_process(COMMAND "${CPACK}" --config "${BUILD}/CPackConfig.cmake" -G DEB -B "${PACKAGES}"
                COMMAND_ERROR_IS_FATAL ANY)

# fields(PACKAGE VARIABLE): reads the control fields of the only package of that name.
function(fields package variable)
  file(GLOB file "${PACKAGES}/${package}_*.deb")
  execute_process(COMMAND "${DPKG_DEB}" --field "${file}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${DPKG_DEB}" --extract "${file}" "${PACKAGES}/root" COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

string(REGEX MATCH "^[0-9]+\\.[0-9]+" abi "${VERSION}")
fields(libpelt-dev development)
foreach(depends IN ITEMS libglm-dev libexpected-dev libvulkan-dev "libpelt${abi} (= ${VERSION})")
  string(FIND "${development}" "${depends}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "libpelt-dev does not depend on ${depends}:\n${development}")
  endif()
endforeach()
fields("libpelt${abi}" libraries)
foreach(depends IN ITEMS libc6 libhwy)
  if(NOT libraries MATCHES "Depends:[^\n]* ${depends}")
    message(FATAL_ERROR "libpelt${abi} does not depend on ${depends}:\n${libraries}")
  endif()
endforeach()
if(libraries MATCHES "libfmt|libtbb|libxxhash")
  message(FATAL_ERROR "libpelt${abi} depends on what no game needs:\n${libraries}")
endif()
foreach(package IN ITEMS libpelt-dev "libpelt${abi}")
  if(NOT EXISTS "${PACKAGES}/root/usr/share/doc/${package}/copyright")
    message(FATAL_ERROR "${package} has no licence")
  endif()
endforeach()
