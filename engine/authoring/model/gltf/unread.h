// SPDX-License-Identifier: MIT
// Describes the contents of a glTF document that the importer does not read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace pelt {

// Returns one sentence per topic: channels of clips, extensions, properties of materials, and last the things that
// neither move nor show a skin (cameras, lights, extras, the copyright). `document`: parsed, not yet checked.
std::vector<std::string> describe_unread(const nlohmann::json& document);

}  // namespace pelt
