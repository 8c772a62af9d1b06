// SPDX-License-Identifier: MIT
#include "samples/pelt/mesh_file.h"

#include <fmt/format.h>
#include <tiny_gltf.h>

#include <cctype>
#include <cstring>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "engine/character/evaluate.h"
#include "engine/core/file_io.h"

namespace pelt::samples {
namespace {

std::string without_spaces(std::string name) {
  for (char& c : name) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) c = '_';
  }
  return name;
}

// Fills one buffer, and describes it to a tinygltf::Model.
class GlbBuilder {
 public:
  explicit GlbBuilder(tinygltf::Model& gltf) : gltf_(gltf) { gltf_.buffers.emplace_back(); }

  // Floats of 1 to 4 components: returns the accessor.
  template <glm::length_t n>
  int add(const std::vector<glm::vec<n, float>>& values, int type, bool bounds) {
    tinygltf::Accessor accessor = describe(std::as_bytes(std::span(values)), TINYGLTF_TARGET_ARRAY_BUFFER);
    accessor.componentType = TINYGLTF_COMPONENT_TYPE_FLOAT;
    accessor.type = type;
    accessor.count = values.size();
    if (bounds) {
      glm::vec<n, float> low = values.front();
      glm::vec<n, float> high = values.front();
      for (const glm::vec<n, float>& value : values) {
        low = glm::min(low, value);
        high = glm::max(high, value);
      }
      for (glm::length_t c = 0; c < n; ++c) {
        accessor.minValues.push_back(low[c]);
        accessor.maxValues.push_back(high[c]);
      }
    }
    return keep(std::move(accessor));
  }

  int add_indices(std::span<const glm::uvec3> triangles) {
    tinygltf::Accessor accessor = describe(std::as_bytes(triangles), TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER);
    accessor.componentType = TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT;
    accessor.type = TINYGLTF_TYPE_SCALAR;
    accessor.count = 3 * triangles.size();
    return keep(std::move(accessor));
  }

 private:
  // Appends the bytes, whole words, as a buffer view.
  tinygltf::Accessor describe(std::span<const std::byte> bytes, int target) {
    std::vector<unsigned char>& data = gltf_.buffers.front().data;
    tinygltf::BufferView view;
    view.buffer = 0;
    view.byteOffset = data.size();
    view.byteLength = bytes.size();
    view.target = target;
    const auto* first = reinterpret_cast<const unsigned char*>(bytes.data());
    data.insert(data.end(), first, first + bytes.size());
    gltf_.bufferViews.push_back(std::move(view));
    tinygltf::Accessor accessor;
    accessor.bufferView = static_cast<int>(gltf_.bufferViews.size()) - 1;
    return accessor;
  }

  int keep(tinygltf::Accessor accessor) {
    gltf_.accessors.push_back(std::move(accessor));
    return static_cast<int>(gltf_.accessors.size()) - 1;
  }

  tinygltf::Model& gltf_;
};

tinygltf::Mesh add_mesh(GlbBuilder& builder, const PosedMesh& mesh) {
  tinygltf::Mesh result;
  result.name = mesh.name;
  tinygltf::Primitive shared;
  shared.mode = TINYGLTF_MODE_TRIANGLES;
  shared.attributes["POSITION"] = builder.add(mesh.positions, TINYGLTF_TYPE_VEC3, true);
  shared.attributes["NORMAL"] = builder.add(mesh.normals, TINYGLTF_TYPE_VEC3, false);
  if (!mesh.uvs.empty()) shared.attributes["TEXCOORD_0"] = builder.add(mesh.uvs, TINYGLTF_TYPE_VEC2, false);
  for (const MeshPart& part : mesh.parts) {
    if (part.triangle_count == 0) continue;
    tinygltf::Primitive primitive = shared;
    primitive.indices =
        builder.add_indices(std::span(mesh.triangles).subspan(part.first_triangle, part.triangle_count));
    primitive.material = part.material;
    result.primitives.push_back(std::move(primitive));
  }
  if (result.primitives.empty()) {
    shared.mode = TINYGLTF_MODE_POINTS;
    result.primitives.push_back(std::move(shared));
  }
  return result;
}

}  // namespace

std::vector<PosedMesh> posed_skins(const Character& character, std::span<const glm::vec3> positions,
                                   std::span<const glm::vec3> normals) {
  std::vector<PosedMesh> skins;
  for (const CharacterMesh& mesh : character->meshes) {
    if (mesh.control) continue;
    PosedMesh skin;
    skin.name = mesh.name;
    skin.parts = mesh.parts;
    skin.positions.resize(mesh.vertex_count());
    skin.normals.resize(mesh.vertex_count());
    skin.uvs.resize(mesh.uvs.size());
    to_source_order<glm::vec3>(mesh, positions, skin.positions);
    to_source_order<glm::vec3>(mesh, normals, skin.normals);
    for (std::size_t i = 0; i < mesh.uvs.size(); ++i) skin.uvs[mesh.source_vertex[i]] = mesh.uvs[i];
    for (const glm::uvec3 triangle : mesh.triangles) {
      skin.triangles.emplace_back(mesh.source_vertex[triangle.x], mesh.source_vertex[triangle.y],
                                  mesh.source_vertex[triangle.z]);
    }
    skins.push_back(std::move(skin));
  }
  return skins;
}

Result<void> write_obj(const std::filesystem::path& path, std::span<const PosedMesh> meshes) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return tl::unexpected(file.error());
  // Indices count over the whole file, from 1; vertices without texture coordinates use none.
  std::size_t first_vertex = 1;
  std::size_t first_uv = 1;
  for (const PosedMesh& mesh : meshes) {
    fmt::memory_buffer text;
    const auto out = std::back_inserter(text);
    const std::string name = without_spaces(mesh.name);
    fmt::format_to(out, "o {}\n", name);
    for (const glm::vec3& p : mesh.positions) fmt::format_to(out, "v {} {} {}\n", p.x, p.y, p.z);
    for (const glm::vec2& uv : mesh.uvs) fmt::format_to(out, "vt {} {}\n", uv.x, 1 - uv.y);
    for (const glm::vec3& n : mesh.normals) fmt::format_to(out, "vn {} {} {}\n", n.x, n.y, n.z);
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
      const MeshPart& part = mesh.parts[p];
      fmt::format_to(out, "g {}_{}\n", name, p);
      for (const glm::uvec3 triangle : std::span(mesh.triangles).subspan(part.first_triangle, part.triangle_count)) {
        fmt::format_to(out, "f");
        for (int corner = 0; corner < 3; ++corner) {
          const std::size_t vertex = first_vertex + triangle[corner];
          const std::string uv = mesh.uvs.empty() ? "" : fmt::to_string(first_uv + triangle[corner]);
          fmt::format_to(out, " {}/{}/{}", vertex, uv, vertex);
        }
        fmt::format_to(out, "\n");
      }
    }
    if (mesh.triangles.empty()) {
      for (std::size_t v = 0; v < mesh.positions.size(); ++v) fmt::format_to(out, "p {}\n", first_vertex + v);
    }
    first_vertex += mesh.positions.size();
    first_uv += mesh.uvs.size();
    const Result<void> written = file->write(std::as_bytes(std::span(text.data(), text.size())));
    if (!written) return written;
  }
  return file->commit();
}

Result<void> write_glb(const std::filesystem::path& path, std::span<const PosedMesh> meshes,
                       std::span<const Material> materials) {
  tinygltf::Model gltf;
  gltf.asset.version = "2.0";
  gltf.asset.generator = "pelt";
  for (const Material& material : materials) {
    tinygltf::Material result;
    result.name = material.name;
    const glm::vec4& color = material.base_color;
    result.pbrMetallicRoughness.baseColorFactor = {color.x, color.y, color.z, color.w};
    result.pbrMetallicRoughness.metallicFactor = 0;
    gltf.materials.push_back(std::move(result));
  }
  GlbBuilder builder(gltf);
  tinygltf::Scene scene;
  for (const PosedMesh& mesh : meshes) {
    if (mesh.positions.empty()) continue;
    tinygltf::Node node;
    node.name = mesh.name;
    node.mesh = static_cast<int>(gltf.meshes.size());
    scene.nodes.push_back(static_cast<int>(gltf.nodes.size()));
    gltf.nodes.push_back(std::move(node));
    gltf.meshes.push_back(add_mesh(builder, mesh));
  }
  if (gltf.meshes.empty()) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: there are no vertices to write", path.string()));
  }
  gltf.scenes.push_back(std::move(scene));
  gltf.defaultScene = 0;

  std::ostringstream stream;
  if (!tinygltf::TinyGLTF().WriteGltfSceneToStream(&gltf, stream, false, true)) {
    return fail(ErrorCode::kWriteFailed, fmt::format("{}: cannot be put together", path.string()));
  }
  const std::string bytes = std::move(stream).str();
  return write_file(path, std::as_bytes(std::span(bytes)));
}

}  // namespace pelt::samples
