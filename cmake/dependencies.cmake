# SPDX-License-Identifier: MIT
# Every library that Pelt depends on, each with its reason. packages.txt lists the packages that provide them.
# pelt-config.cmake.in finds again the libraries that Pelt's static libraries link.

# pelt_require(TARGET PACKAGE [option...]): finds PACKAGE, which makes TARGET, unless a project that includes Pelt has
# made it.
macro(pelt_require target)
  if(NOT TARGET ${target})
    find_package(${ARGN} REQUIRED)
  endif()
endmacro()

if(WIN32 AND CMAKE_CROSSCOMPILING)
  include(cmake/windows/libraries.cmake)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
  include(cmake/wasm/libraries.cmake)
endif()

function(pelt_require_library name)
  pelt_find_library(${name})
  if(NOT TARGET pelt_library::${name})
    message(FATAL_ERROR "pelt: the library ${name} is not found; packages.txt lists the packages that Pelt needs")
  endif()
endfunction()

# GLM: vectors and matrices with GLSL's names, so that shared headers compile as both.
pelt_require(glm::glm glm)

# tl::expected: std::expected's interface for C++20; every public function that may fail returns it.
pelt_require(tl::expected tl-expected)

# xxHash: the checksum of .pelt files; its header only, compiled in.
if(NOT TARGET pelt_library::xxhash)
  find_path(PELT_XXHASH_INCLUDE xxhash.h REQUIRED)
  mark_as_advanced(PELT_XXHASH_INCLUDE)
  add_library(pelt_library::xxhash INTERFACE IMPORTED)
  target_include_directories(pelt_library::xxhash INTERFACE "${PELT_XXHASH_INCLUDE}")
endif()

if(PELT_EVALUATION)
  # Highway: SIMD kernels compiled for SSSE3 to AVX-512 and chosen at run time.
  pelt_require_library(hwy)
endif()

if(PELT_GLB)
  # nlohmann/json: characters in glTF files; reads and writes the rig. Headers only.
  pelt_require(nlohmann_json::nlohmann_json nlohmann_json)
endif()

# No shipped game links any of these.
if(PELT_AUTHORING)
  # fmt: messages and tables, since this compiler's library has no <format>.
  pelt_require(fmt::fmt fmt)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
    # oneTBB: threads; deterministic work is split with it, and nothing else starts threads.
    pelt_require(TBB::tbb TBB)
    # tinyobjloader: reads OBJ with polygons.
    pelt_require_library(tinyobjloader)
  endif()
  # tinygltf: reads glTF; linked, since its header's implementation costs 18 s per compilation.
  pelt_require_library(tinygltf)
  # meshoptimizer: welds and simplifies a skin to its driver, sorts points along a Morton curve, decompresses glTF.
  pelt_require_library(meshoptimizer)
  # Eigen: linear systems, for the spreading of weights over a driver and for key poses.
  pelt_require(Eigen3::Eigen Eigen3 NO_MODULE)
  # OpenSubdiv: limit stencils of Catmull-Clark surfaces over their control points; only its CPU library.
  pelt_require_library(osdCPU)
endif()
if(PELT_SKELETONIZE)
  # OpenVDB: the inside of a skin as voxels, from which a skeleton is made; Imath: the half floats of its headers.
  pelt_require_library(openvdb)
  pelt_require_library(Imath)
endif()

if(PELT_RUNTIME)
  # Vulkan: headers; the loader is opened at run time.
  pelt_require(Vulkan::Headers Vulkan)
endif()
if(PELT_PLANNER)
  # glslang and SPIRV-Tools: compile, check and, if spirv-opt is installed, optimise the shaders while building.
  find_program(PELT_GLSLANG glslangValidator REQUIRED)
  find_program(PELT_SPIRV_VAL spirv-val REQUIRED)
  find_program(PELT_SPIRV_OPT spirv-opt)
endif()
if(PELT_SAMPLES OR PELT_TESTS)
  # CLI11: the command line, its help and its errors.
  pelt_require(CLI11::CLI11 CLI11)
endif()
if(PELT_SAMPLES)
  # stb: writes PNG, draws text.
  find_path(PELT_STB_INCLUDE stb/stb_image_write.h REQUIRED)
  # zlib: packs PNG better than stb does.
  pelt_require(ZLIB::ZLIB ZLIB)
  # DejaVu: the font of labels in pictures and of panels, embedded in the program.
  find_file(PELT_LABEL_FONT DejaVuSans.ttf PATHS /usr/share/fonts/truetype/dejavu /usr/share/fonts/TTF REQUIRED)
endif()
if(PELT_VIEWER)
  # GLFW: the viewer's window. Dear ImGui: its panels; its backends of GLFW and Vulkan are in the library.
  find_package(glfw3 REQUIRED)
  find_path(PELT_IMGUI_INCLUDE imgui.h PATH_SUFFIXES imgui REQUIRED)
  find_library(PELT_IMGUI_LIBRARY imgui REQUIRED)
  # stb's library has the parts of it that Dear ImGui does not compile itself.
  find_library(PELT_STB_LIBRARY stb REQUIRED)
endif()
if(PELT_TESTS)
  # GoogleTest: the tests.
  pelt_require(GTest::gtest GTest)
endif()
