// SPDX-License-Identifier: MIT
// Reads the meshes of a glTF document: primitives are joined into one set of vertices and triangles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <pelt/model.h>

#include "engine/authoring/base/name_list.h"
#include "engine/authoring/model/gltf/budget.h"
#include "engine/authoring/model/gltf/check.h"
#include "engine/authoring/model/gltf/document.h"
#include "engine/authoring/model/gltf/skin.h"
#include "engine/authoring/model/gltf/weights.h"

namespace pelt {

class GltfMeshReader {
 public:
  GltfMeshReader(const GltfDocument& document, AccessorChecker& accessors, GltfBudget& budget, ImportReport& report)
      : document_(document), checker_(document, accessors), budget_(budget), report_(report), weights_(document) {}

  // Checks the mesh of `node`, and fills `mesh`, whose name is already set, with it, in the space of the file; its
  // weights name joints of `skin`. It stays without vertices if no primitive has positions. Adds the segments that its
  // line primitives draw.
  Result<void> read(const tinygltf::Mesh& source, const tinygltf::Node& node, GltfSkin& skin, Mesh& mesh,
                    std::vector<glm::uvec2>& segments);

  // Adds notes about several meshes to the report, after the last mesh: one sentence per topic, with their names.
  void report_common();

 private:
  struct Gaps;

  void find_unread(const tinygltf::Primitive& primitive, const GltfSkin& skin, Gaps& gaps) const;
  Result<void> append_vertices(const tinygltf::Primitive& primitive, GltfSkin& skin, Mesh& mesh, Gaps& gaps);
  void append_normals(const tinygltf::Primitive& primitive, std::size_t count, Mesh& mesh, Gaps& gaps) const;
  void append_tangents(const tinygltf::Primitive& primitive, std::size_t count, Mesh& mesh, Gaps& gaps) const;
  void append_uvs(const tinygltf::Primitive& primitive, std::size_t count, Mesh& mesh, Gaps& gaps) const;
  Result<void> append_triangles(const tinygltf::Primitive& primitive, std::uint32_t first_vertex, Mesh& mesh,
                                Gaps& gaps);
  Result<void> append_segments(const tinygltf::Primitive& primitive, std::uint32_t first_vertex, const Mesh& mesh,
                               std::vector<glm::uvec2>& segments);
  // Returns the indices of a primitive, or 0, 1, 2 ... Takes `bytes` of the budget for each.
  Result<std::vector<std::uint32_t>> indices_of(const tinygltf::Primitive& primitive, std::size_t bytes,
                                                const Mesh& mesh);
  void report(const Mesh& mesh, const Gaps& gaps);

  // Meshes whose normals or tangents are made, and how many of their vertices take the mean of several.
  struct Made {
    NameList meshes;
    std::size_t averaged = 0;
    void add(const std::string& mesh, std::size_t averaged_vertices);
    std::string averages() const;
  };

  // The names of meshes to report, by reason.
  struct Common {
    Made without_normals;
    Made without_tangents;
    NameList without_some_uvs;
    NameList of_lines;
    NameList weighted_without_skin;
    std::map<std::string, NameList> unread;             // by attribute
    std::map<std::string, NameList> unread_of_targets;  // by attribute
  };

  const GltfDocument& document_;
  MeshChecker checker_;
  GltfBudget& budget_;
  ImportReport& report_;
  GltfWeightReader weights_;
  Common common_;
};

}  // namespace pelt
