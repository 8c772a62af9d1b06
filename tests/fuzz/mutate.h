// SPDX-License-Identifier: MIT
// Mutations that know a format: by words, by values of JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <span>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace pelt::fuzz {

using Random = std::mt19937;

// Changes a few words of 32 bits: counts, indices and numbers.
void change_words(std::span<std::byte> bytes, Random& random);

// Adds or removes an entry of a possible array of 32-bit words after a count, and updates the count.
void change_count(std::vector<std::byte>& bytes, Random& random);

// Changes bytes as libFuzzer does; their number grows by `room` at most.
void change_bytes(std::vector<std::byte>& bytes, std::size_t room);

// Changes a few values of a document, each in a way that its kind suggests.
void change_json(nlohmann::json& document, Random& random);

// Changes the text of a JSON document by change_json, or like libFuzzer if it is not JSON. Returns the new size.
std::size_t mutate_json(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed);

}  // namespace pelt::fuzz
