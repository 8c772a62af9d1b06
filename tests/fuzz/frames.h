// SPDX-License-Identifier: MIT
// The harnesses' use of a character: whatever its file was, it can be moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <pelt/character.h>

namespace pelt::fuzz {

// Ends the program if `holds` is false: libFuzzer then keeps the input.
void require(bool holds, const char* what);

// Returns a number that depends only on the bytes, by which a harness chooses its calls.
std::uint64_t choice_of(std::span<const std::byte> bytes);

// Moves a character by its clips, by matrices and inputs at random, also such as are none, at its levels and by linear
// blend. Requires that the rest pose is the same before and after.
void move_on_cpu(const Character& character, std::uint64_t seed);

// Uploads a character and moves it on Mesa's software device; does nothing without that device.
void move_on_device(const Character& character, std::uint64_t seed);

}  // namespace pelt::fuzz
