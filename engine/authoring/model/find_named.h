// SPDX-License-Identifier: MIT
// Finds joints and meshes by the names in a rig.
#pragma once

#include <cstdint>
#include <string>

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

// Errors of both begin with `what`: kNotFound, with the nearest name or all names.
Result<std::uint32_t> find_joint(const Skeleton& skeleton, const std::string& name, const std::string& what);
Result<const Mesh*> find_mesh(const Model& model, const std::string& name, const std::string& what);

}  // namespace pelt
