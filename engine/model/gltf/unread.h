// SPDX-License-Identifier: MIT
// What a glTF document holds and the importer does not look at.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace pelt {

// Says it in a sentence for each kind of thing: channels of clips, extensions, properties of materials, and at last
// what moves and shows no skin (cameras, lights, extras, the copyright). `document`: as it was parsed, with nothing in
// it believed.
std::vector<std::string> describe_unread(const nlohmann::json& document);

}  // namespace pelt
