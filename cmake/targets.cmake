# SPDX-License-Identifier: MIT
# What every target of Pelt shares: the language, include paths from the root of the repository, warnings.
function(pelt_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${pelt_SOURCE_DIR}>")
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:pelt_warnings>)
endfunction()

# pelt_library(NAME): the target pelt_NAME as a library that others link, pelt::NAME here and where it is installed.
# Shared or static as BUILD_SHARED_LIBS says, compiled the same way for both; until 1.0 every minor version is an ABI of
# its own.
function(pelt_library name)
  set(target pelt_${name})
  pelt_target(${target})
  add_library(pelt::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    DEFINE_SYMBOL ""
    VERSION ${pelt_VERSION}
    SOVERSION ${pelt_VERSION_MAJOR}.${pelt_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY" AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
    # Static libraries of others are not for those who link Pelt.
    target_link_options(${target} PRIVATE LINKER:--exclude-libs,ALL)
  endif()
endfunction()
