// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/primitive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pelt/try.h>

#include "engine/authoring/model/gltf/accessor.h"
#include "engine/authoring/model/gltf/directions.h"
#include "engine/authoring/model/gltf/morph.h"
#include "engine/authoring/model/mesh_weights.h"

namespace pelt {
namespace {

// Returns a list such as "TEXCOORD_1 of 'body', COLOR_1 of 'hair', 'hat'".
std::string list_attributes(const std::map<std::string, NameList>& meshes_of) {
  std::vector<std::string> parts;
  for (const auto& [name, meshes] : meshes_of) {
    constexpr std::size_t kMaxParts = 8;
    if (parts.size() < kMaxParts) parts.push_back(fmt::format("{} of {}", name.substr(0, 100), meshes.text()));
  }
  const std::string more =
      meshes_of.size() > parts.size() ? fmt::format(" and {} more attributes", meshes_of.size() - parts.size()) : "";
  return fmt::format("{}{}", fmt::join(parts, ", "), more);
}

// Reads COLOR_0 and attributes that begin with an underscore; each component becomes an attribute of the mesh: "_MASK",
// "_AXIS.x", "COLOR_0.r". Use one reader per mesh.
class GltfAttributeReader {
 public:
  GltfAttributeReader(const GltfDocument& document, GltfBudget& budget, Mesh& mesh)
      : document_(document), budget_(budget), mesh_(mesh) {}

  // Reads the attributes of a primitive's vertices, which are the last `count` of the mesh.
  Result<void> append(const tinygltf::Primitive& primitive, std::size_t count, InvalidCounts& invalid);

  // Sets missing values of vertices to 0.
  void complete();

 private:
  Result<std::size_t> find_or_add(const std::string& name);

  const GltfDocument& document_;
  GltfBudget& budget_;
  Mesh& mesh_;
  std::unordered_map<std::string, std::size_t> index_of_;  // index in Mesh::attributes
};

Result<void> GltfAttributeReader::append(const tinygltf::Primitive& primitive, std::size_t count,
                                         InvalidCounts& invalid) {
  PELT_TRY(budget_.take(mesh_.attributes.size() * count * sizeof(float), mesh_.name));
  for (const auto& [name, index] : primitive.attributes) {
    const bool is_color = name == "COLOR_0";
    if ((!is_color && !name.starts_with('_')) || !is_read(document_, primitive, name, false)) continue;
    const std::size_t width = components_of(accessor_at(document_, index));
    const std::vector<float> values = read_finite(document_, index, invalid[name]);
    for (std::size_t c = 0; c < width; ++c) {
      constexpr std::string_view kAxes = "xyzw";
      constexpr std::string_view kColors = "rgba";
      PELT_ASSIGN(const auto at, find_or_add(width == 1 ? name : name + '.' + (is_color ? kColors : kAxes)[c]));
      std::vector<float>& to = mesh_.attributes[at].values;
      to.resize(mesh_.positions.size(), 0.0f);
      float* last = to.data() + to.size() - count;
      for (std::size_t v = 0; v < count; ++v) last[v] = values[width * v + c];
    }
  }
  return {};
}

void GltfAttributeReader::complete() {
  for (VertexAttribute& attribute : mesh_.attributes) attribute.values.resize(mesh_.positions.size(), 0.0f);
}

Result<std::size_t> GltfAttributeReader::find_or_add(const std::string& name) {
  const auto [found, is_new] = index_of_.try_emplace(name, mesh_.attributes.size());
  if (is_new) {
    const std::size_t bytes = mesh_.positions.size() * sizeof(float) + sizeof(VertexAttribute) + 4 * name.size();
    PELT_TRY(budget_.take(bytes, mesh_.name));
    mesh_.attributes.push_back({.name = name, .values = {}});
  }
  return found->second;
}

}  // namespace

// Gaps in the data of a mesh's primitives; all must be known before its vertices can be completed.
struct GltfMeshReader::Gaps {
  std::vector<bool> normals;   // for each vertex: true if it will be made from the triangles
  std::vector<bool> tangents;  // likewise
  std::size_t averaged_normals = 0;
  std::size_t averaged_tangents = 0;
  bool some_tangents = false;
  bool all_tangents = true;  // in primitives of triangles; points may lack them
  bool some_uvs = false;
  bool all_uvs = true;                      // in primitives of triangles
  bool all_normals = true;                  // in primitives of triangles
  bool lines = false;                       // true: there are primitives of lines, strips or loops
  bool unread_weights = false;              // true: there are weights, but the node has no skin
  std::set<std::string> unread;             // names of attributes
  std::set<std::string> unread_of_targets;  // names of attributes
  std::uint32_t primitives_left_out = 0;
  std::uint32_t primitives_with_fewer_targets = 0;
  std::size_t odd_normals = 0;
  InvalidCounts invalid;
  WeightFlaws weights;
  bool cut_triangle = false;
};

Result<void> GltfMeshReader::read(const tinygltf::Mesh& source, const tinygltf::Node& node, GltfSkin& skin, Mesh& mesh,
                                  std::vector<glm::uvec2>& segments) {
  PELT_TRY(checker_.check(source, node, mesh.name));
  Gaps gaps;
  PELT_TRY(name_targets(source, node, budget_, mesh));
  GltfAttributeReader attributes(document_, budget_, mesh);
  // Primitives with the same data are parts of one set of vertices.
  using Accessors = std::map<std::string, int>;
  std::map<std::pair<Accessors, std::vector<Accessors>>, std::uint32_t> first_vertex_of;
  for (const tinygltf::Primitive& primitive : source.primitives) {
    const int positions_at = attribute(primitive, "POSITION");
    if (positions_at < 0 || accessor_at(document_, positions_at).count == 0) {
      ++gaps.primitives_left_out;
      continue;
    }
    if (primitive.targets.size() < mesh.morph_targets.size()) ++gaps.primitives_with_fewer_targets;
    const bool has_tangents = gives_direction(primitive, "TANGENT");
    const bool has_triangles = primitive.mode >= TINYGLTF_MODE_TRIANGLES;
    if (has_tangents) gaps.some_tangents = true;
    if (has_triangles && !has_tangents) gaps.all_tangents = false;
    if (has_triangles && attribute(primitive, "NORMAL") < 0) gaps.all_normals = false;
    if (has_triangles && attribute(primitive, "TEXCOORD_0") < 0) gaps.all_uvs = false;
    if (primitive.mode > TINYGLTF_MODE_POINTS && !has_triangles) gaps.lines = true;
    const auto [found, is_new] = first_vertex_of.try_emplace({primitive.attributes, primitive.targets},
                                                             static_cast<std::uint32_t>(mesh.positions.size()));
    if (is_new) {
      find_unread(primitive, skin, gaps);
      const std::size_t count = accessor_at(document_, positions_at).count;
      PELT_TRY(append_vertices(primitive, skin, mesh, gaps));
      PELT_TRY(append_offsets(document_, primitive, count, budget_, mesh, gaps.invalid));
      PELT_TRY(attributes.append(primitive, count, gaps.invalid));
    }
    if (!has_triangles) {
      if (primitive.mode != TINYGLTF_MODE_POINTS) PELT_TRY(append_segments(primitive, found->second, mesh, segments));
      continue;
    }
    PELT_TRY(append_triangles(primitive, found->second, mesh, gaps));
  }
  attributes.complete();
  PELT_TRY(weights_.complete(gaps.weights.unweighted, skin, mesh));
  PELT_ASSIGN(gaps.averaged_normals, make_normals(gaps.normals, budget_, mesh));
  if ((gaps.some_uvs && !mesh.triangles.empty()) || (gaps.some_tangents && gaps.all_tangents)) {
    gaps.averaged_tangents = make_tangents(gaps.tangents, gaps.some_uvs, mesh);
  } else {
    mesh.tangents.clear();
    for (MorphTarget& target : mesh.morph_targets) target.tangents.clear();
  }
  if (!gaps.some_uvs) mesh.uvs.clear();
  report(mesh, gaps);
  return {};
}

void GltfMeshReader::find_unread(const tinygltf::Primitive& primitive, const GltfSkin& skin, Gaps& gaps) const {
  for (const auto& [name, index] : primitive.attributes) {
    if (is_read(document_, primitive, name, !skin.rigid)) continue;
    if (is_read(document_, primitive, name, true)) {
      gaps.unread_weights = true;
    } else {
      gaps.unread.insert(name);
    }
  }
  for (const auto& target : primitive.targets) {
    for (const auto& [name, index] : target) {
      const bool is_direction = name == "NORMAL" || name == "TANGENT";
      const bool is_read = is_direction ? gives_direction(primitive, name) : name == "POSITION";
      if (!is_read) gaps.unread_of_targets.insert(name);
    }
  }
}

Result<void> GltfMeshReader::append_vertices(const tinygltf::Primitive& primitive, GltfSkin& skin, Mesh& mesh,
                                             Gaps& gaps) {
  const int at = attribute(primitive, "POSITION");
  const std::size_t count = accessor_at(document_, at).count;
  constexpr std::size_t kBytes =
      sizeof(Mesh::positions[0]) + sizeof(Mesh::normals[0]) + sizeof(Mesh::tangents[0]) + sizeof(Mesh::uvs[0]) + 8;
  PELT_TRY(budget_.take(count * (kBytes + 4 * weight_sets(primitive) * sizeof(Influence)), mesh.name));

  const std::vector<float> positions = read_floats(document_, at);
  for (std::size_t v = 0; v < count; ++v) {
    mesh.positions.emplace_back(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
  }
  append_normals(primitive, count, mesh, gaps);
  append_uvs(primitive, count, mesh, gaps);
  append_tangents(primitive, count, mesh, gaps);
  return weights_.append(primitive, count, skin, mesh, gaps.weights);
}

void GltfMeshReader::append_normals(const tinygltf::Primitive& primitive, std::size_t count, Mesh& mesh,
                                    Gaps& gaps) const {
  const int at = attribute(primitive, "NORMAL");
  const std::size_t first = mesh.normals.size();
  mesh.normals.resize(first + count, glm::vec3(0.0f));
  gaps.normals.resize(first + count, true);
  if (at < 0) return;
  std::size_t not_finite = 0;
  const std::vector<float> normals = read_finite(document_, at, not_finite);
  for (std::size_t v = 0; v < count; ++v) {
    const glm::dvec3 normal(normals[3 * v], normals[3 * v + 1], normals[3 * v + 2]);
    const double length = glm::length(normal);
    if (std::abs(length - 1) > 0.01) ++gaps.odd_normals;
    if (!(length > 1e-12)) continue;
    mesh.normals[first + v] = glm::vec3(normal / length);
    gaps.normals[first + v] = false;
  }
  gaps.odd_normals -= not_finite;
  gaps.invalid["NORMAL"] += not_finite;
}

void GltfMeshReader::append_tangents(const tinygltf::Primitive& primitive, std::size_t count, Mesh& mesh,
                                     Gaps& gaps) const {
  const std::size_t first = mesh.tangents.size();
  mesh.tangents.resize(first + count, glm::vec4(0.0f, 0.0f, 0.0f, 1.0f));
  gaps.tangents.resize(first + count, true);
  if (!gives_direction(primitive, "TANGENT")) return;
  std::size_t not_finite = 0;  // these get the handedness 0, which is invalid too
  const std::vector<float> tangents = read_finite(document_, attribute(primitive, "TANGENT"), not_finite);
  for (std::size_t v = 0; v < count; ++v) {
    const glm::dvec3 tangent(tangents[4 * v], tangents[4 * v + 1], tangents[4 * v + 2]);
    const float handedness = tangents[4 * v + 3];
    const double length = glm::length(tangent);
    const bool is_valid = length > 1e-12 && std::abs(std::abs(handedness) - 1) < 0.01f;
    mesh.tangents[first + v] =
        glm::vec4(is_valid ? glm::vec3(tangent / length) : glm::vec3(0.0f), handedness < 0 ? -1.0f : 1.0f);
    gaps.tangents[first + v] = !is_valid;
    gaps.invalid["TANGENT"] += is_valid ? 0 : 1;
  }
}

void GltfMeshReader::append_uvs(const tinygltf::Primitive& primitive, std::size_t count, Mesh& mesh, Gaps& gaps) const {
  const std::size_t first = mesh.uvs.size();
  mesh.uvs.resize(first + count, glm::vec2(0.0f));
  const int at = attribute(primitive, "TEXCOORD_0");
  if (at < 0) return;
  gaps.some_uvs = true;
  const std::vector<float> uvs = read_finite(document_, at, gaps.invalid["TEXCOORD_0"]);
  for (std::size_t v = 0; v < count; ++v) mesh.uvs[first + v] = {uvs[2 * v], uvs[2 * v + 1]};
}

Result<std::vector<std::uint32_t>> GltfMeshReader::indices_of(const tinygltf::Primitive& primitive, std::size_t bytes,
                                                              const Mesh& mesh) {
  std::size_t count = accessor_at(document_, attribute(primitive, "POSITION")).count;
  if (primitive.indices >= 0) count = accessor_at(document_, primitive.indices).count;
  PELT_TRY(budget_.take(count * bytes, mesh.name));
  if (primitive.indices >= 0) return read_integers(document_, primitive.indices);
  std::vector<std::uint32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0u);
  return indices;
}

Result<void> GltfMeshReader::append_segments(const tinygltf::Primitive& primitive, std::uint32_t first_vertex,
                                             const Mesh& mesh, std::vector<glm::uvec2>& segments) {
  PELT_ASSIGN(const auto indices, indices_of(primitive, 3 * sizeof(std::uint32_t), mesh));
  const std::size_t step = primitive.mode == TINYGLTF_MODE_LINE ? 2 : 1;
  for (std::size_t i = 0; i + 1 < indices.size(); i += step) {
    segments.push_back(first_vertex + glm::uvec2(indices[i], indices[i + 1]));
  }
  if (primitive.mode == TINYGLTF_MODE_LINE_LOOP && indices.size() > 2) {
    segments.push_back(first_vertex + glm::uvec2(indices.back(), indices.front()));
  }
  return {};
}

Result<void> GltfMeshReader::append_triangles(const tinygltf::Primitive& primitive, std::uint32_t first_vertex,
                                              Mesh& mesh, Gaps& gaps) {
  const std::size_t corners = primitive.mode == TINYGLTF_MODE_TRIANGLES ? 1 : 3;  // per index
  PELT_ASSIGN(const auto indices, indices_of(primitive, (1 + corners) * sizeof(std::uint32_t), mesh));
  const std::size_t count = indices.size();
  MeshPart part{.first_triangle = static_cast<std::uint32_t>(mesh.triangles.size()), .material = primitive.material};
  const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
    mesh.triangles.push_back(first_vertex + glm::uvec3(indices[a], indices[b], indices[c]));
  };
  // glTF 2.0, section 3.7.2.1.
  switch (primitive.mode) {
    case TINYGLTF_MODE_TRIANGLE_STRIP:
      for (std::size_t i = 0; i + 2 < count; ++i) {
        // Strips contain triangles with two equal corners, as jumps.
        if (indices[i] == indices[i + 1] || indices[i + 1] == indices[i + 2] || indices[i] == indices[i + 2]) continue;
        add(i, i + 1 + i % 2, i + 2 - i % 2);
      }
      break;
    case TINYGLTF_MODE_TRIANGLE_FAN:
      for (std::size_t i = 0; i + 2 < count; ++i) add(i + 1, i + 2, 0);
      break;
    default:
      for (std::size_t i = 0; i + 2 < count; i += 3) add(i, i + 1, i + 2);
      if (count % 3 != 0) gaps.cut_triangle = true;
      break;
  }
  part.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size()) - part.first_triangle;
  if (part.triangle_count > 0) mesh.parts.push_back(part);
  return {};
}

void GltfMeshReader::report(const Mesh& mesh, const Gaps& gaps) {
  report_.renormalised_vertices += gaps.weights.renormalised;
  report_.unweighted_vertices += gaps.weights.unweighted;
  const auto note = [&](const std::string& what) {
    report_.notes.push_back(fmt::format("mesh '{}': {}", mesh.name, what));
  };
  if (gaps.primitives_left_out > 0) {
    note(fmt::format("{} primitives without positions left out", gaps.primitives_left_out));
  }
  if (gaps.primitives_with_fewer_targets > 0) {
    note(fmt::format("{} primitives with fewer morph targets than others do not move by the rest",
                     gaps.primitives_with_fewer_targets));
  }
  for (const auto& [name, count] : gaps.invalid) {
    const bool made = name == "NORMAL" || name == "TANGENT";
    if (count > 0) note(fmt::format("{}: invalid values {}: {}", name, made ? "made again" : "taken as 0", count));
  }
  if (gaps.weights.renormalised > 0)
    note(fmt::format("the weights of {} vertices did not sum to 1, and are divided by their sum",
                     gaps.weights.renormalised));
  if (gaps.weights.unweighted > 0 && gaps.weights.unweighted == mesh.positions.size()) {
    report_.notes.push_back(unweighted_note(mesh));
  } else if (gaps.weights.unweighted > 0) {
    note(fmt::format("{} vertices have no weights and take those of the skin around them", gaps.weights.unweighted));
  }
  if (gaps.weights.negative > 0) note(fmt::format("{} weights below 0 taken as 0", gaps.weights.negative));
  if (gaps.odd_normals > 0) note(fmt::format("{} normals were not unit vectors, and are normalised", gaps.odd_normals));
  if (gaps.some_tangents && !gaps.all_tangents && !gaps.some_uvs) {
    note("tangents left out, since not all primitives have them or texture coordinates");
  }
  if (gaps.cut_triangle) note("an incomplete triangle at the end of a primitive left out");
  if (gaps.unread_weights) common_.weighted_without_skin.add(mesh.name);
  if (!gaps.all_normals) common_.without_normals.add(mesh.name, gaps.averaged_normals);
  if (!gaps.all_tangents && gaps.some_uvs) common_.without_tangents.add(mesh.name, gaps.averaged_tangents);
  if (gaps.some_uvs && !gaps.all_uvs) common_.without_some_uvs.add(mesh.name);
  if (gaps.lines) common_.of_lines.add(mesh.name);
  for (const std::string& name : gaps.unread) common_.unread[name].add(mesh.name);
  for (const std::string& name : gaps.unread_of_targets) common_.unread_of_targets[name].add(mesh.name);
}

void GltfMeshReader::Made::add(const std::string& mesh, std::size_t averaged_vertices) {
  meshes.add(mesh);
  averaged += averaged_vertices;
}

std::string GltfMeshReader::Made::averages() const {
  return averaged == 0 ? "" : fmt::format("; {} vertices take the average of their faces", averaged);
}

void GltfMeshReader::report_common() {
  const auto note = [&](const NameList& meshes, std::string_view what) {
    if (!meshes.empty()) report_.notes.push_back(fmt::format("{}: {}", what, meshes.text()));
  };
  note(common_.weighted_without_skin, "meshes whose weights are not read, since their node names no skin");
  if (!common_.unread_of_targets.empty()) {
    report_.notes.push_back(fmt::format(
        "of morph targets, offsets of positions and of the mesh's normals and tangents are read; not read: {}",
        list_attributes(common_.unread_of_targets)));
  }
  if (!common_.unread.empty()) {
    report_.notes.push_back(fmt::format("vertex attributes that are not read: {}", list_attributes(common_.unread)));
  }
  note(common_.without_normals.meshes,
       fmt::format("meshes without normals, which get flat ones{}", common_.without_normals.averages()));
  note(common_.without_tangents.meshes,
       fmt::format("meshes without tangents, which get those of MikkTSpace{}", common_.without_tangents.averages()));
  note(common_.without_some_uvs, "meshes with parts without texture coordinates, which get 0");
  note(common_.of_lines, "meshes with lines, which move as points unless they are lines of curves");
}

}  // namespace pelt
