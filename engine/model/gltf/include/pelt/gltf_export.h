// SPDX-License-Identifier: MIT
// Models to files.
#pragma once

#include <string>

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

// A model as binary glTF 2.0, the bytes of a .glb file: a node a joint, one skin of all bound joints, and a node and a
// mesh for each mesh that has vertices, skinned where it has weights, a primitive a part; points where a mesh has no
// triangles. Positions, normals, tangents, UVs, as many sets of 4 weights as the longest row needs, offsets of morph
// targets, attributes, base colours and their PNG and JPEG images, clips. What import_gltf reads of it is the model
// again, and a joint for each mesh's node. Left out: bendy bones, clips of joints that have a matrix, and of a mesh's
// morph targets those that a clip keys at other times than the first.
// Errors: kUnsupported for more than 65536 bound joints, or more than 4 GiB.
Result<std::string> format_glb(const Model& model);

}  // namespace pelt
