// SPDX-License-Identifier: MIT
// Reads files as models. Input is untrusted until validated. Every error names the file and the location in it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include <pelt/model.h>
#include <pelt/named_files.h>
#include <pelt/result.h>

namespace pelt {

// Reads glTF 2.0, .gltf, .glb or .vrm, with external and embedded buffers. Every node of the default scene that shows a
// mesh becomes one Mesh (its primitives merged into parts), depth first; a mesh without a skin is bound rigidly to its
// node. A skinned node's own transform is ignored (glTF 2.0, 3.7.3.3). Positions are brought to model space at bind
// (see Mesh). Unnamed nodes become "node_<index>"; the second of two equal names becomes "name#2". Vertices of point
// and line primitives belong to no triangle. Morph targets of a mesh's primitives correspond by their number. The
// importer reads their offsets of positions, and of the mesh's normals and tangents; a clip has a channel for each
// target; their names come from the mesh's extras.targetNames. Extras of nodes under Blender's names of bendy-bone
// properties become Model::bendy_bones, and those with the extra pelt_anchor Model::anchors. From VRM (docs/cli.md),
// 0.x and 1.0, the bones become Skeleton::human_bones and the morph targets of expressions Model::expressions, whose
// names have no '/'. COLOR_0 and attributes that begin with an underscore become Mesh::attributes, one per component.
// The images of base colour textures stay encoded (Model::images). The report notes everything that is left out, made
// or not read, one note per kind with the names of its meshes or clips; docs/cli.md lists the kinds. Errors: required
// data that violates the format; unknown required extensions; buffers outside the file's folder; and (kUnsupported)
// more than 512 MiB of data, or a model that takes more than 256 MiB beyond the size of the file.
//
// `beside` receives the names of the other files that the import reads, or looks for: buffers and images. If the import
// fails, it has those reached until then. `files`: whether symbolic links may lead out of the folder.
Result<Model> import_gltf(const std::filesystem::path& path, std::vector<std::filesystem::path>* beside = nullptr,
                          NamedFiles files = NamedFiles::kFolder);

// Reads the same from the bytes of such a file, which are not needed afterwards. `path` is the file's name in errors
// and in the model. `files`: buffers and images are read as those of a file at `path`, or with kNone not at all: then
// buffers must be inside (kInvalidFile), and other images are left out and noted.
Result<Model> import_gltf(std::span<const std::byte> file, const std::filesystem::path& path,
                          std::vector<std::filesystem::path>* beside = nullptr, NamedFiles files = NamedFiles::kNone);

// Reads Wavefront OBJ: points, polygons and materials; polygons, including concave ones, are split into triangles.
// There is no skeleton; all objects and groups become one Mesh, named after the file. Its vertices are those of the v
// lines, in order, whether or not a face, line or point names them. A vertex whose corners differ takes the mean of
// their normals and the first of their texture coordinates. Missing normals are made from the faces. The importer reads
// the colour, the opacity and the texture of materials, from files in the OBJ's folder. In names that are not UTF-8,
// U+FFFD replaces invalid bytes. The report counts and names everything made or not read; normals and texture
// coordinates that are NaN or infinite count as missing. Errors name the line: invalid numbers or ones beyond
// kMaxCoordinate, faces of fewer than 3 corners, missing points, and (kUnsupported) faces of more than 1000 corners,
// more than 512 MiB, 16 million points, 32 million corners, 10000 materials or 1000 material files. `beside`, `files`:
// as above, of material files and textures.
Result<Model> import_obj(const std::filesystem::path& path, std::vector<std::filesystem::path>* beside = nullptr,
                         NamedFiles files = NamedFiles::kFolder);

// Returns true if the extension of a file is that of glTF: .gltf, .glb or .vrm.
bool is_gltf(const std::filesystem::path& path);

// Imports by extension (.gltf, .glb, .vrm, .obj) or by name (builtin:biped, builtin:limb, builtin:tail, builtin:arm).
// Errors: those above, kNotFound for another built-in name, kUnsupported for another extension.
Result<Model> import_model(const std::string& path_or_builtin, std::vector<std::filesystem::path>* beside = nullptr,
                           NamedFiles files = NamedFiles::kFolder);

}  // namespace pelt
