# SPDX-License-Identifier: MIT
# A script: writes the words of the SPIR-V file SPIRV to the C++ header HEADER as NAMESPACE::NAME.
file(READ "${SPIRV}" bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR count "${digits} / 8")
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${bytes}")
string(REGEX REPLACE "(0x........,0x........,0x........,0x........,0x........,0x........,0x........,0x........,)"
                     "\\1\n" words "${words}")
file(WRITE "${HEADER}" "// Made from a shader while building.
#pragma once
#include <array>
#include <cstdint>
namespace ${NAMESPACE} {
inline constexpr std::array<std::uint32_t, ${count}> ${NAME} = {
${words}};
}
")
