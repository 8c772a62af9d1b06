# SPDX-License-Identifier: MIT
# cpack -G DEB: libpelt-dev, and, if they are built, the shared libraries and the programs.
set(library_package "libpelt${pelt_VERSION_MAJOR}.${pelt_VERSION_MINOR}")
set(CPACK_COMPONENTS_ALL development)
set(development_depends libglm-dev libexpected-dev)
if(PELT_RUNTIME)
  list(APPEND development_depends libvulkan-dev)
endif()
if(BUILD_SHARED_LIBS OR PELT_RUNTIME)  # the library for C is always shared
  list(APPEND CPACK_COMPONENTS_ALL libraries)
  list(APPEND development_depends "${library_package} (= ${pelt_VERSION})")
endif()
if(NOT BUILD_SHARED_LIBS)
  if(PELT_EVALUATION)
    list(APPEND development_depends libhwy-dev)
  endif()
  if(PELT_AUTHORING)
    list(APPEND development_depends libfmt-dev libtbb-dev libtinygltf-dev libtinyobjloader-dev libmeshoptimizer-dev
                                    libosd-dev)
  endif()
  if(PELT_SKELETONIZE)
    list(APPEND development_depends libopenvdb-dev)
  endif()
endif()
if(PELT_SAMPLES)
  list(APPEND CPACK_COMPONENTS_ALL tools)
endif()

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpelt-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
list(JOIN development_depends ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers and libraries to build programs with Pelt.")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME "${library_package}")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SHLIBDEPS ON)
# Updates the loader's cache once, after all packages that are installed together.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/debian/triggers" "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_BINARY_DIR}/debian/triggers")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENT_LIBRARIES_DESCRIPTION "Shared libraries of programs that use Pelt.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME pelt)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "The pelt command line, the viewer and rigs to start from.")

# Debian looks here for a package's licence.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" upper)
  install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}"
    RENAME copyright
    COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Pelt authors")
# Debian requires an address; .invalid belongs to nobody (RFC 2606).
set(CPACK_PACKAGE_CONTACT "The Pelt authors <authors@pelt.invalid>")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_CURRENT_BINARY_DIR}/engine"
  "${CMAKE_CURRENT_BINARY_DIR}/runtime")
include(CPack)
