// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <pelt/character.h>

#include "engine/character/check_records.h"
#include "engine/character/table_reader.h"

namespace pelt::chain {

// Returns the reason why a chain and its anchors (shaders/chain/chain.h) cannot be posed, or nullptr.
const char* check_chain(const TableReader& words, const CharacterData& data, std::uint64_t word);

// Returns the same for a chain whose anchors turn other records. `anchors`: the entries of posed anchors.
const char* check_posed_chain(const TableReader& words, const CharacterData& data, const EntryRuns& anchors,
                              std::uint64_t word);

}  // namespace pelt::chain
