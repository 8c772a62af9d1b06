# SPDX-License-Identifier: MIT
# Every library that Pelt depends on, each with its reason. packages.txt lists the packages that hold them.
# pelt-config.cmake.in finds again the libraries that Pelt's static libraries link.

function(pelt_require_library name)
  pelt_find_library(${name})
  if(NOT TARGET pelt_library::${name})
    message(FATAL_ERROR "pelt: the library ${name} is not found; packages.txt lists the packages that Pelt needs")
  endif()
endfunction()

# GLM: vectors and matrices with GLSL's names, so that shared headers compile as both.
find_package(glm REQUIRED)

# tl::expected: std::expected's interface for C++20; every public function that may fail returns it.
find_package(tl-expected REQUIRED)

# xxHash: the checksum of .pelt files; its header alone, compiled in.
find_path(PELT_XXHASH_INCLUDE xxhash.h REQUIRED)
mark_as_advanced(PELT_XXHASH_INCLUDE)
add_library(pelt_library::xxhash INTERFACE IMPORTED)
target_include_directories(pelt_library::xxhash INTERFACE "${PELT_XXHASH_INCLUDE}")

if(PELT_EVALUATION)
  # Highway: SIMD kernels compiled for SSSE3 to AVX-512 and chosen at run time.
  pelt_require_library(hwy)
endif()

if(PELT_GLB)
  # nlohmann/json: characters in glTF files; reads and writes the rig. Headers alone.
  find_package(nlohmann_json REQUIRED)
endif()

# No shipped game links any of these.
if(PELT_AUTHORING)
  # fmt: messages and tables, since this compiler's library has no <format>.
  find_package(fmt REQUIRED)
  # oneTBB: threads; deterministic work is split with it, and nothing else starts threads.
  find_package(TBB REQUIRED)
  # tinygltf: reads glTF; linked, since its header's implementation costs 18 s a compile.
  pelt_require_library(tinygltf)
  # tinyobjloader: reads OBJ with polygons.
  pelt_require_library(tinyobjloader)
  # meshoptimizer: welds and simplifies a skin to its driver, sorts points along a Morton curve, decompresses glTF.
  pelt_require_library(meshoptimizer)
  # Eigen: linear systems, for the spreading of weights over a driver and for key poses.
  find_package(Eigen3 REQUIRED NO_MODULE)
  # OpenSubdiv: limit stencils of Catmull-Clark surfaces, whose cages are control points; its part without a GPU.
  pelt_require_library(osdCPU)
  # OpenVDB: the inside of a skin as voxels, from which a skeleton is made; Imath: the half floats of its headers.
  pelt_require_library(openvdb)
  pelt_require_library(Imath)
endif()

if(PELT_RUNTIME)
  # Vulkan: headers; the loader is opened at run time.
  find_package(Vulkan REQUIRED)
  # glslang and SPIRV-Tools: compile, check and, where spirv-opt is there, optimise the shaders while building.
  find_program(PELT_GLSLANG glslangValidator REQUIRED)
  find_program(PELT_SPIRV_VAL spirv-val REQUIRED)
  find_program(PELT_SPIRV_OPT spirv-opt)
endif()
if(PELT_SAMPLES OR PELT_TESTS)
  # CLI11: the command line, its help and its errors.
  find_package(CLI11 REQUIRED)
endif()
if(PELT_SAMPLES)
  # stb: writes PNG, draws text; its library holds the parts that Dear ImGui does not compile itself.
  find_path(PELT_STB_INCLUDE stb/stb_image_write.h REQUIRED)
  find_library(PELT_STB_LIBRARY stb REQUIRED)
  # zlib: packs PNG better than stb does.
  find_package(ZLIB REQUIRED)
  # DejaVu: the font of labels in pictures and of panels, taken into the program.
  find_file(PELT_LABEL_FONT DejaVuSans.ttf PATHS /usr/share/fonts/truetype/dejavu /usr/share/fonts/TTF REQUIRED)
endif()
if(PELT_VIEWER)
  # GLFW: the viewer's window. Dear ImGui: its panels; its backends of GLFW and Vulkan are in the library.
  find_package(glfw3 REQUIRED)
  find_path(PELT_IMGUI_INCLUDE imgui.h PATH_SUFFIXES imgui REQUIRED)
  find_library(PELT_IMGUI_LIBRARY imgui REQUIRED)
endif()
if(PELT_TESTS)
  # GoogleTest: the tests.
  find_package(GTest REQUIRED)
endif()
