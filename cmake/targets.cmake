# SPDX-License-Identifier: MIT
# Properties that every target of Pelt shares: the language, include paths from the root of the repository, warnings.
#
# With CMAKE_UNITY_BUILD, as in the preset `release`, up to PELT_UNITY_SIZE sources of a folder compile as one, in a
# third of the time. If two sources of a folder define the same name, pelt_compile_alone(file...) compiles one of them
# separately.
set(PELT_UNITY_SIZE 10)
function(pelt_target name)
  get_target_property(sources ${name} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder "${source}" DIRECTORY)
    string(MAKE_C_IDENTIFIER "${name}_${folder}" folder)
    math(EXPR count_${folder} "${count_${folder}} + 1")
    math(EXPR batch "${count_${folder}} / ${PELT_UNITY_SIZE}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The compiler collects its own garbage less often: saves a tenth of its time, for up to 200 MB.
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=262144>)
  endif()
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} PRIVATE "${pelt_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:pelt_warnings>)
endfunction()

# pelt_precompile(TARGET [HEADER...]): precompiles these headers and the most used ones for the whole target. Sources
# with options of their own do not use them. Without unity builds nothing is precompiled, so that each source shows that
# it includes what it needs.
function(pelt_precompile name)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  target_precompile_headers(${name} PRIVATE <algorithm> <functional> <map> <optional> <string> <vector>
    <glm/glm.hpp> <glm/gtc/quaternion.hpp> <tl/expected.hpp> ${ARGN})
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${PELT_PRECOMPILED_OPTIONS}>)
  get_target_property(sources ${name} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(options "${source}" COMPILE_OPTIONS)
    if(options)
      set_source_files_properties("${source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

function(pelt_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# pelt_library(NAME): the target pelt_NAME as a library for others, pelt::NAME both here and installed.
# BUILD_SHARED_LIBS makes it shared or static; both are compiled the same way. Until 1.0 every minor version is an ABI
# of its own.
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
    # Keeps the symbols of other static libraries out of the shared library.
    target_link_options(${target} PRIVATE LINKER:--exclude-libs,ALL)
  endif()
endfunction()
