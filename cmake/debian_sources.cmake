# SPDX-License-Identifier: MIT
# The libraries of dependencies.cmake for systems that Debian does not build them for. Header-only ones use this
# machine's headers; the others are built from Debian's source packages in PELT_DEBIAN_SOURCES, which `run` fetches.
set(PELT_DEBIAN_SOURCES "" CACHE PATH "Unpacked source packages of Debian: meshoptimizer, onetbb, opensubdiv")

# Other headers of this machine must not be found.
set(headers "${CMAKE_BINARY_DIR}/headers")
file(MAKE_DIRECTORY "${headers}")
foreach(name IN ITEMS CLI fmt glm hwy nlohmann stb tl vk_video vulkan tiny_gltf.h tiny_obj_loader.h xxhash.h
                      eigen3/Eigen eigen3/unsupported)
  get_filename_component(link "${name}" NAME)
  if(NOT EXISTS "/usr/include/${name}")
    message(FATAL_ERROR "pelt: /usr/include/${name} is not found; packages.txt lists the packages that Pelt needs")
  endif()
  file(CREATE_LINK "/usr/include/${name}" "${headers}/${link}" SYMBOLIC)
endforeach()

# Only the headers of these libraries are used. Highway has one set of instructions: WebAssembly has no other, and on
# Windows this compiler does not align the stack for wider ones. Defined for all targets, so that they share precompiled
# headers.
add_compile_definitions(FMT_HEADER_ONLY HWY_COMPILE_ONLY_STATIC)

function(pelt_headers target)
  string(MAKE_C_IDENTIFIER "headers_${target}" name)
  add_library(${name} INTERFACE)
  target_include_directories(${name} SYSTEM INTERFACE "${headers}")
  add_library(${target} ALIAS ${name})
endfunction()
pelt_headers(glm::glm)
pelt_headers(tl::expected)
pelt_headers(fmt::fmt)
pelt_headers(nlohmann_json::nlohmann_json)
pelt_headers(Eigen3::Eigen)
pelt_headers(Vulkan::Headers)
pelt_headers(CLI11::CLI11)
pelt_headers(pelt_library::hwy)
pelt_headers(pelt_library::xxhash)

# pelt_compiled(TARGET FOLDER SOURCES...)
function(pelt_compiled target include)
  string(MAKE_C_IDENTIFIER "compiled_${target}" name)
  add_library(${name} STATIC ${ARGN})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  target_include_directories(${name} SYSTEM PUBLIC "${headers}" "${include}")
  target_compile_features(${name} PRIVATE cxx_std_17)
  add_library(${target} ALIAS ${name})
endfunction()

# pelt_implementation(TARGET TEXT): a library of the functions that headers define when TEXT asks for them.
function(pelt_implementation target text)
  string(MAKE_C_IDENTIFIER "${target}" name)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/implementations/${name}.cpp" CONTENT "${text}" @ONLY)
  pelt_compiled(${target} "${headers}/stb" "${CMAKE_BINARY_DIR}/implementations/${name}.cpp")
endfunction()
# pelt_unpacked(NAME VARIABLE): the folder of a source package.
function(pelt_unpacked name folder)
  file(GLOB found "${PELT_DEBIAN_SOURCES}/${name}-*/CMakeLists.txt")
  if(NOT found)
    message(FATAL_ERROR "pelt: PELT_DEBIAN_SOURCES has no sources of ${name}; run fetches them")
  endif()
  get_filename_component(found "${found}" DIRECTORY)
  set(${folder} "${found}" PARENT_SCOPE)
endfunction()
pelt_unpacked(meshoptimizer folder)
file(GLOB sources "${folder}/src/*.cpp")
file(CREATE_LINK "${folder}/src/meshoptimizer.h" "${headers}/meshoptimizer.h" SYMBOLIC)
pelt_compiled(pelt_library::meshoptimizer "${folder}/src" ${sources})
pelt_unpacked(opensubdiv folder)
file(GLOB sources "${folder}/opensubdiv/*.cpp" "${folder}/opensubdiv/bfr/*.cpp" "${folder}/opensubdiv/far/*.cpp"
     "${folder}/opensubdiv/sdc/*.cpp" "${folder}/opensubdiv/vtr/*.cpp")
file(CREATE_LINK "${folder}/opensubdiv" "${headers}/opensubdiv" SYMBOLIC)
pelt_compiled(pelt_library::osdCPU "${folder}" ${sources})
target_compile_definitions(compiled_pelt_library__osdCPU PUBLIC _USE_MATH_DEFINES)
