# SPDX-License-Identifier: MIT
# The libraries of dependencies.cmake for WebAssembly. Its C++ library has no exceptions: libraries that would throw end
# in a trap.
add_compile_definitions(EIGEN_NO_IO TINYGLTF_NOEXCEPTION TINYGLTF_NO_FS TINYGLTF_NO_STB_IMAGE
                        TINYGLTF_NO_STB_IMAGE_WRITE)
include(cmake/debian_sources.cmake)
# Its functions that write files, which nothing calls, need the class std::ofstream.
pelt_implementation(pelt_library::tinygltf "#include <__config>
#undef _LIBCPP_HAS_NO_FILESYSTEM
#include <fstream>
#define TINYGLTF_IMPLEMENTATION
#include <tiny_gltf.h>\n")
