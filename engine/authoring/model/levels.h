// SPDX-License-Identifier: MIT
// Finds the levels of detail among the meshes that a file holds.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <pelt/model.h>

namespace pelt {

// A mesh that a file declares to be a level of another.
struct DeclaredLevel {
  std::string of;
  std::uint32_t level = 1;
};

// Moves meshes from Model::meshes to Model::levels: those that are `declared`, by name, and those whose names end with
// _LOD1, _LOD2 and so on, in any case, where another mesh has the same name with a lower number, or without one (Unity
// and Unreal name them so). The mesh with the lowest number stays, and its level is 0. What clips and expressions
// do to a level is left out: its mesh's weights move it. A level of a mesh without triangles is a mesh of its own.
// Notes what was found.
void gather_levels(const std::map<std::string, DeclaredLevel>& declared, Model& model);

}  // namespace pelt
