# SPDX-License-Identifier: MIT
# Compiles GLSL to SPIR-V and embeds it in a program.
#
#   pelt_embed_shaders(TARGET NAMESPACE name [SCALAR_LAYOUT] SOURCES file...)
#
# compiles each SOURCE (.comp, .vert, .frag; relative to the root of the repository) to SPIR-V 1.3, for Vulkan 1.1;
# optimises it, except in debug builds or without spirv-opt (names of buffers stay for capture tools, those of functions
# do not); checks it with spirv-val for Vulkan 1.1 and 1.3, with SCALAR_LAYOUT for devices whose feature
# scalarBlockLayout is on; and makes it a header for the sources of TARGET:
# samples/renderer/shaders/surface.vert becomes
#
#   #include "samples/renderer/shaders/surface.vert.h"
#   name::surface_vert                                 // inline constexpr std::array<std::uint32_t, N>
#
# TARGET_shaders.h includes them all. Names come from the file's path below its shaders/ folder, with underscores for
# other characters. Shaders include each other relative to themselves or to PELT_SHADER_FOLDERS. All outputs are in the
# build folder. Call the function in the folder that makes TARGET.
if(NOT PELT_SHADER_FOLDERS)
  set(PELT_SHADER_FOLDERS "${pelt_SOURCE_DIR}/shaders" "${pelt_SOURCE_DIR}/shaders/include")
endif()
set(PELT_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/embed.cmake")

function(pelt_embed_shaders target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SCALAR_LAYOUT" "NAMESPACE" "SOURCES")
  if(NOT arg_NAMESPACE OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pelt_embed_shaders(TARGET NAMESPACE name [SCALAR_LAYOUT] SOURCES file...)")
  endif()
  set(output_root "${CMAKE_CURRENT_BINARY_DIR}/embedded")
  set(headers)
  list(TRANSFORM PELT_SHADER_FOLDERS PREPEND "-I" OUTPUT_VARIABLE include_options)
  set(includes "#pragma once\n")
  set(layout)
  if(arg_SCALAR_LAYOUT)
    set(layout --scalar-block-layout)
  endif()
  set(build_optimises)
  if(PELT_SPIRV_OPT AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(build_optimises TRUE)
  endif()
  foreach(source IN LISTS arg_SOURCES)
    set(spirv "${output_root}/${source}.spv")
    set(header "${output_root}/${source}.h")
    string(REGEX REPLACE "^(.*/)?shaders/" "" name "${source}")
    string(MAKE_C_IDENTIFIER "${name}" name)
    get_filename_component(output_folder "${spirv}" DIRECTORY)
    file(MAKE_DIRECTORY "${output_folder}")
    set(optimise)
    if(build_optimises)
      set(optimise COMMAND "${PELT_SPIRV_OPT}" --target-env=vulkan1.1 ${layout} -O "${spirv}" -o "${spirv}")
    endif()
    add_custom_command(
      OUTPUT "${spirv}"
      COMMAND "${PELT_GLSLANG}" --quiet -V --target-env vulkan1.1 ${include_options} --depfile "${spirv}.d"
              -o "${spirv}" "${pelt_SOURCE_DIR}/${source}"
      ${optimise}
      COMMAND "${PELT_SPIRV_VAL}" --target-env vulkan1.1 ${layout} "${spirv}"
      COMMAND "${PELT_SPIRV_VAL}" --target-env vulkan1.3 ${layout} "${spirv}"
      DEPENDS "${pelt_SOURCE_DIR}/${source}"
      DEPFILE "${spirv}.d"
      COMMENT "Shader ${source}"
      VERBATIM)
    add_custom_command(
      OUTPUT "${header}"
      COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${spirv}" "-DHEADER=${header}" "-DNAMESPACE=${arg_NAMESPACE}"
              "-DNAME=${name}" -P "${PELT_EMBED_SCRIPT}"
      DEPENDS "${spirv}" "${PELT_EMBED_SCRIPT}"
      COMMENT "Embedding ${source}"
      VERBATIM)
    list(APPEND headers "${header}")
    string(APPEND includes "#include \"${source}.h\"\n")
  endforeach()
  file(CONFIGURE OUTPUT "${output_root}/${target}_shaders.h" CONTENT "${includes}" @ONLY)
  target_sources(${target} PRIVATE ${headers})
  target_include_directories(${target} PRIVATE "${output_root}")
endfunction()
