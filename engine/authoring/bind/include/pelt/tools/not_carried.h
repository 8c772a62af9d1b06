// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/rig.h>

namespace pelt {

// Lists the data of a model that a character bound from it by `rig` does not carry: one entry per kind of data, with
// its meshes, clips and joints; morph targets first. The model's report lists the data that the importer did not read.
std::vector<std::string> not_carried(const Model& model, const Rig& rig);

}  // namespace pelt
