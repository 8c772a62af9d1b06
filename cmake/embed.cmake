# SPDX-License-Identifier: MIT
# A script: writes the words of the file SOURCE, little-endian and padded with zeros, to the C++ header HEADER as
# NAMESPACE::NAME.
file(READ "${SOURCE}" bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR count "(${digits} + 7) / 8")
math(EXPR missing "8 * ${count} - ${digits}")
string(REPEAT "0" ${missing} zeros)
string(APPEND bytes "${zeros}")
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${bytes}")
string(REGEX REPLACE "(0x........,0x........,0x........,0x........,0x........,0x........,0x........,0x........,)"
                     "\\1\n" words "${words}")
file(WRITE "${HEADER}" "// Made while building.
#pragma once
#include <array>
#include <cstdint>
namespace ${NAMESPACE} {
inline constexpr std::array<std::uint32_t, ${count}> ${NAME} = {
${words}};
}
")
