// SPDX-License-Identifier: MIT
// Files to models. Input is hostile until validated; every error names the file and the place in it.
#pragma once

#include <filesystem>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt {

// glTF 2.0, .gltf or .glb, external and embedded buffers. Every node of the default scene that shows a mesh becomes one
// Mesh (its primitives merged into parts), depth first; a mesh without a skin is bound rigidly to its node. A skinned
// node's own transform is ignored (glTF 2.0, 3.7.3.3). Positions are brought to model space at bind: Mesh says what
// that is. Unnamed nodes become "node_<index>"; of equal names the second becomes "name#2".
// Primitives of points and lines are vertices of no triangle. Morph targets line up by their number over the primitives
// of a mesh, only positions are read of them, and a clip has a channel for each; their names come from the mesh's
// extras.targetNames. Extras of nodes under Blender's names of bendy-bone properties become Model::bendy_bones. COLOR_0
// and attributes that begin with an underscore become Mesh::attributes, a component each. Of textures the images of
// base colours are kept as they are (Model::images). Whatever is left out, made up or not looked at is in the report,
// one note a thing with the names of its meshes or clips; docs/cli.md lists the kinds. Errors: whatever breaks the
// format where the model needs it, extensions that are required and unknown, buffers outside the file's folder, and
// (kUnsupported) more than 512 MiB of data or a model of more than 256 MiB beyond what the file holds.
//
// `beside`: where the names of the files that it reads, or looks for, beside this one are added: buffers and images. An
// import that fails adds those it came to.
Result<Model> import_gltf(const std::filesystem::path& path, std::vector<std::filesystem::path>* beside = nullptr);

// Wavefront OBJ: v and f lines, n-gons split (concave ones too). No skeleton; every object or group is kept in one
// Mesh, named after the file. Vertices are those of the v lines, in order, whether faces, lines, points or nothing
// names them; normals are made from the faces. Other lines are named in the report. Errors name the line: coordinates
// that are no numbers or beyond kFarthest, faces of fewer than 3 corners or (kUnsupported) more than 1000, vertices
// that do not exist.
Result<Model> import_obj(const std::filesystem::path& path);

// Whether a file is glTF by its extension, .gltf or .glb.
bool is_gltf(const std::filesystem::path& path);

// By extension (.gltf, .glb, .obj) or by name (builtin:biped, builtin:limb, builtin:tail). Errors: those above,
// kNotFound for another built-in name, kUnsupported for another extension.
Result<Model> import_model(const std::string& path_or_builtin, std::vector<std::filesystem::path>* beside = nullptr);

}  // namespace pelt
