// SPDX-License-Identifier: MIT
// Finds the texts in a deformer's parameters that name something: files, groups, meshes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <pelt/deformer_parameters.h>

namespace pelt {

// The kind of thing that a text names.
enum class Names : std::uint8_t {
  kNothing,
  kFile,         // a glTF or OBJ file
  kObjFile,      // an OBJ file
  kMeshOrAny,    // a mesh of the model, or * for any
  kNear,         // a mesh of the model, or a muscle
  kDriver,       // a mesh of the model, or a muscle, that carries skin
  kCage,         // a mesh of the model that carries skin
  kLine,         // a mesh of lines of the model, which a curve follows
  kMuscleMesh,   // a mesh of the model that a muscle moves
  kGroup,        // a group of the rig
  kJoint,        // a joint of the skeleton
  kPoint,        // a control point of MOS, or a joint
  kAttribute,    // a vertex attribute of the model
  kMesh,         // a mesh of the model
  kMorphTarget,  // a morph target of the driver's mesh, or of the corrected skin
};

using VisitName = std::function<void(std::string& name, Names names)>;

// Calls visit(name, kind) for every text in the parameters that is not empty and names something.
void for_each_name(DeformerParameters& parameters, const VisitName& visit);
void for_each_name(const DeformerParameters& parameters, const std::function<void(const std::string&, Names)>& visit);

}  // namespace pelt
