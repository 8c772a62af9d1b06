// SPDX-License-Identifier: MIT
// Reads the rig of a case: the layers that its settings mean.
#pragma once

#include <cstdint>
#include <string>

#include "tests/conformance/case_file.h"
#include "tests/conformance/case_node.h"

namespace pelt::conformance {

// Returns the name of a case's joint in the model.
std::string joint_name(std::uint32_t joint);

// Reads the settings `set` of a variant: its rig, or why it is unsupported.
void read_settings(const Node& set, const Node& root, const Case& test_case, Variant& variant);

}  // namespace pelt::conformance
