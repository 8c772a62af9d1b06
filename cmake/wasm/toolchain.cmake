# SPDX-License-Identifier: MIT
# Debian's clang 19, libc++ and WASI's C library: builds for 32-bit WebAssembly with SIMD. Its C++ library has neither
# exceptions nor threads nor files. Header-only libraries are those of this machine.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_FLAGS_INIT "-msimd128 -fno-exceptions")
set(CMAKE_EXE_LINKER_FLAGS_INIT -mexec-model=reactor)
set(CMAKE_SYSTEM_PREFIX_PATH /usr)
