// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/rig.h>

namespace pelt {

// Names what a model holds and a character that is bound from it by `rig` does not: an entry for each kind of thing,
// with meshes, clips and joints; morph targets first. What the importer did not read is in the model's report.
std::vector<std::string> not_carried(const Model& model, const Rig& rig);

}  // namespace pelt
