# SPDX-License-Identifier: MIT
# The files that cmake --install copies, in three components: `development` (headers, static libraries, files for CMake
# and pkg-config), `libraries` (shared ones) and `tools` (programs, pages and samples). Nothing if PELT_INSTALL is off.
#
#   pelt_install_library(NAME HEADERS file...     # pelt::NAME and its public headers, of the folder that calls it:
#                             SHADERS file...)    # FOLDER/include/pelt/x.h is included as <pelt/x.h>; of shaders/, too
#   pelt_install_program(TARGET)
#
# Headers keep their paths below the first include/, the include directory of all installed targets.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(PELT_PACKAGE_FOLDER "${CMAKE_INSTALL_LIBDIR}/cmake/pelt")
set(PELT_TEMPLATES "${CMAKE_CURRENT_LIST_DIR}")

function(pelt_install_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;SHADERS")
  file(RELATIVE_PATH folder "${pelt_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  list(TRANSFORM arg_HEADERS PREPEND "${folder}/")
  list(TRANSFORM arg_SHADERS PREPEND "shaders/include/pelt/shaders/")
  list(APPEND arg_HEADERS ${arg_SHADERS})
  set_property(GLOBAL APPEND PROPERTY PELT_PUBLIC_HEADERS ${arg_HEADERS})  # docs.cmake
  foreach(header IN LISTS arg_HEADERS)
    string(REGEX REPLACE "/include/.*" "/include" folder "${header}")
    target_include_directories(pelt_${name} PUBLIC "$<BUILD_INTERFACE:${pelt_SOURCE_DIR}/${folder}>")
  endforeach()
  if(NOT PELT_INSTALL)
    return()
  endif()
  target_include_directories(pelt_${name} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  install(TARGETS pelt_${name} EXPORT pelt-${name}
    ARCHIVE COMPONENT development
    LIBRARY COMPONENT libraries NAMELINK_COMPONENT development
    RUNTIME COMPONENT libraries)
  install(EXPORT pelt-${name} NAMESPACE pelt:: FILE pelt-${name}-targets.cmake DESTINATION "${PELT_PACKAGE_FOLDER}"
    COMPONENT development)
  foreach(header IN LISTS arg_HEADERS)
    get_filename_component(folder "${header}" DIRECTORY)
    string(REGEX REPLACE "^.*/include/" "" folder "${folder}")
    install(FILES "${pelt_SOURCE_DIR}/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}"
      COMPONENT development)
  endforeach()
endfunction()

function(pelt_install_program target)
  if(NOT PELT_INSTALL)
    return()
  endif()
  file(RELATIVE_PATH libraries "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  if(BUILD_SHARED_LIBS)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
  endif()
  install(TARGETS ${target} RUNTIME COMPONENT tools)
endfunction()

# Installs pelt-NAME.pc for pelt::NAME, whose library is OUTPUT_NAME (default: pelt_NAME). If the libraries are static,
# the file also names the libraries outside Pelt that they need.
function(pelt_install_pc name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION;OUTPUT_NAME" "LIBRARIES;REQUIRES")
  set(folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  file(RELATIVE_PATH PC_PREFIX "${CMAKE_INSTALL_PREFIX}/${folder}" "${CMAKE_INSTALL_PREFIX}")
  set(PC_NAME ${name})
  set(PC_OUTPUT_NAME pelt_${name})
  if(arg_OUTPUT_NAME)
    set(PC_OUTPUT_NAME ${arg_OUTPUT_NAME})
  endif()
  set(PC_DESCRIPTION "${arg_DESCRIPTION}")
  list(JOIN arg_REQUIRES " " PC_REQUIRES)
  set(PC_LIBRARIES)
  if(NOT BUILD_SHARED_LIBS)
    list(TRANSFORM arg_LIBRARIES PREPEND " -l" OUTPUT_VARIABLE PC_LIBRARIES)
    list(JOIN PC_LIBRARIES "" PC_LIBRARIES)
  endif()
  configure_file("${PELT_TEMPLATES}/pelt.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/pelt-${name}.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/pelt-${name}.pc" DESTINATION "${folder}" COMPONENT development)
endfunction()

if(PELT_INSTALL)
  pelt_install_pc(character
    DESCRIPTION "Characters: reading, inputs, clips and poses of skeletons")
  if(PELT_EVALUATION)
    pelt_install_pc(evaluation
      DESCRIPTION "Characters moved on the CPU"
      REQUIRES "pelt-character = ${pelt_VERSION}"
      LIBRARIES hwy)
  endif()
  if(PELT_GLB)
    pelt_install_pc(glb
      DESCRIPTION "Characters in .glb files"
      REQUIRES "pelt-character = ${pelt_VERSION}")
  endif()
  if(PELT_AUTHORING)
    set(voxels)
    if(PELT_SKELETONIZE)
      set(voxels openvdb Imath)
    endif()
    pelt_install_pc(authoring
      DESCRIPTION "Reading models and binding them"
      REQUIRES "pelt-evaluation = ${pelt_VERSION}" "pelt-glb = ${pelt_VERSION}"
      LIBRARIES fmt hwy tinygltf tinyobjloader meshoptimizer osdCPU ${voxels} tbb)
  endif()
  if(PELT_PLANNER)
    pelt_install_pc(planner
      DESCRIPTION "Frames of crowds of characters, for any graphics API"
      REQUIRES "pelt-character = ${pelt_VERSION}")
  endif()
  if(PELT_RUNTIME)
    pelt_install_pc(runtime
      DESCRIPTION "Characters moved by Vulkan"
      REQUIRES "pelt-planner = ${pelt_VERSION}"
      LIBRARIES ${CMAKE_DL_LIBS})
    pelt_install_pc(c OUTPUT_NAME pelt DESCRIPTION "Characters moved by Vulkan, for C")
    if(PELT_AUTHORING)
      pelt_install_pc(binder DESCRIPTION "Reading models and binding them, for C")
    endif()
  endif()

  configure_package_config_file("${PELT_TEMPLATES}/pelt-config.cmake.in" "${CMAKE_CURRENT_BINARY_DIR}/pelt-config.cmake"
    INSTALL_DESTINATION "${PELT_PACKAGE_FOLDER}" NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/pelt-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES README.md CHANGELOG.md LICENSE SECURITY.md packages.txt
    DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT tools)
  install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT tools
    FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.json" PATTERN "doxygen" EXCLUDE)
  install(FILES engine/authoring/rig/rig.schema.json
    DESTINATION "${CMAKE_INSTALL_DOCDIR}/engine/authoring/rig" COMPONENT tools)
  install(DIRECTORY samples/engine samples/garments samples/hello samples/hello_c samples/rigs
    DESTINATION "${CMAKE_INSTALL_DOCDIR}/samples" COMPONENT tools)
  install(FILES
      "${CMAKE_CURRENT_BINARY_DIR}/pelt-config.cmake"
      "${CMAKE_CURRENT_BINARY_DIR}/pelt-config-version.cmake"
      "${PELT_TEMPLATES}/libraries.cmake"
    DESTINATION "${PELT_PACKAGE_FOLDER}" COMPONENT development)
endif()
