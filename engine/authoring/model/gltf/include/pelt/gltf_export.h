// SPDX-License-Identifier: MIT
// Writes models to files.
#pragma once

#include <string>

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

// Returns a model as binary glTF 2.0, the bytes of a .glb file: one node per joint; one skin of all bound joints, or
// several if a joint is bound in several ways; for each mesh with vertices a node and a mesh, skinned if it has
// weights, with one primitive per part; a mesh without triangles becomes points. It contains positions, normals,
// tangents, UVs, as many sets of 4 weights as the longest row needs, offsets of morph targets, attributes, base colours
// and their PNG and JPEG images, and clips. import_gltf reads the same model from it, with one more joint for each
// mesh's node. If a clip keys morph targets of one mesh at different times or with different interpolation, all get
// keys at all of the times, with the same weights as before. Left out: bendy bones, human bones, expressions, levels,
// channels of joints with a matrix, and further bindings of a joint that move no mesh. Errors: kUnsupported for more
// than 65536 bound joints, a mesh that is bound to one joint in two ways, clips of more than 64 million weights, names
// that are not UTF-8, or more than 4 GiB.
Result<std::string> format_glb(const Model& model);

}  // namespace pelt
