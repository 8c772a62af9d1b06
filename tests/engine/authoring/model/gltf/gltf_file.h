// SPDX-License-Identifier: MIT
// Small glTF files made in tests.
#pragma once

#include <glm/glm.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

#include "tests/support/program.h"

namespace pelt::test {

// Component types of glTF, which are OpenGL's constants.
template <class T>
constexpr int kComponentType = 0;
template <>
inline constexpr int kComponentType<std::int8_t> = 5120;
template <>
inline constexpr int kComponentType<std::uint8_t> = 5121;
template <>
inline constexpr int kComponentType<std::int16_t> = 5122;
template <>
inline constexpr int kComponentType<std::uint16_t> = 5123;
template <>
inline constexpr int kComponentType<std::uint32_t> = 5125;
template <>
inline constexpr int kComponentType<float> = 5126;

// A document being made: JSON to edit freely, and the bytes of its only buffer.
struct GltfFile {
  nlohmann::json json{{"asset", {{"version", "2.0"}}}};
  std::string data;

  // Appends values as a buffer view, and adds an accessor of that type ("VEC3") to it. Returns the accessor.
  template <class T>
  int add(const std::string& type, const std::vector<T>& values, bool normalized = false) {
    const std::size_t components = type == "SCALAR" ? 1 : type == "MAT4" ? 16 : static_cast<std::size_t>(type[3] - '0');
    nlohmann::json accessor{{"bufferView", add_view(std::as_bytes(std::span(values)))},
                            {"componentType", kComponentType<T>},
                            {"count", values.size() / components},
                            {"type", type}};
    if (normalized) accessor["normalized"] = true;
    json["accessors"].push_back(accessor);
    return static_cast<int>(json["accessors"].size()) - 1;
  }
  int add(const std::vector<glm::vec3>& values);
  int add(const std::vector<glm::mat4>& values);
  int add_view(std::span<const std::byte> bytes);

  // Adds an entry to an array of the root and returns its index.
  int push(const std::string& array, nlohmann::json entry);

  // Adds an accessor of zeros but for these elements.
  template <class Index = std::uint32_t>
  int add_sparse(std::size_t count, const std::vector<Index>& elements, const std::vector<glm::vec3>& values) {
    const int indices = add_view(std::as_bytes(std::span(elements)));
    const nlohmann::json sparse{{"count", elements.size()},
                                {"indices", {{"bufferView", indices}, {"componentType", kComponentType<Index>}}},
                                {"values", {{"bufferView", add_view(std::as_bytes(std::span(values)))}}}};
    return push("accessors",
                {{"componentType", kComponentType<float>}, {"count", count}, {"type", "VEC3"}, {"sparse", sparse}});
  }

  // Adds a channel with a sampler of its own to the only animation. `target`: as node_target() makes it.
  template <class T = float>
  void add_channel(const nlohmann::json& target, const std::vector<float>& times, const std::string& type,
                   const std::vector<T>& values, const std::string& interpolation = "LINEAR", bool normalized = false) {
    const int input = add("SCALAR", times);
    const int output = add(type, values, normalized);
    nlohmann::json& animation = json["animations"][0];
    animation["samplers"].push_back({{"input", input}, {"output", output}, {"interpolation", interpolation}});
    animation["channels"].push_back({{"sampler", animation["samplers"].size() - 1}, {"target", target}});
  }

  // Adds a mesh of one primitive.
  int add_mesh(nlohmann::json attributes, nlohmann::json rest = nlohmann::json::object());

  // Returns mesh 0 with the triangle (0,0,0), (1,0,0), (0,1,0) as accessor 0, at node 0.
  static GltfFile triangle();

  // The triangle under a skin of the joints root (node 1, at 0 0 0) and tip (node 2, its child, at 0 1 0), bound by the
  // inverses of their rest matrices. Vertices follow root, root, tip. Accessors: 0 positions, 1 joints, 2 weights.
  static GltfFile skinned_triangle();

  // Returns the document that format_glb() writes.
  static GltfFile of(const Model& model);

  // Return the text of the .gltf, with its buffer as a data URI, and the bytes of the .glb.
  std::string text() const;
  std::string glb() const;

  Result<Model> import() const;
};

// Return a primitive of mesh 0, and its attributes.
nlohmann::json& primitive(GltfFile& file, int index = 0);
nlohmann::json& attributes(GltfFile& file);

// Returns the target of an animation's channel.
nlohmann::json node_target(int node, const std::string& path);

// Returns the imported model; if the import fails, fails the test and returns a model of one empty mesh.
Model imported(const GltfFile& file);

// Fails the test unless the import is refused with a message that names the file and contains `why`.
void expect_refused(const GltfFile& file, const std::string& why, ErrorCode code = ErrorCode::kInvalidFile);

// A JSON pointer, and a value that a document cannot have there.
struct JsonBreakage {
  std::string place;
  nlohmann::json value;
  std::string why;
  ErrorCode code = ErrorCode::kInvalidFile;
};

// Fails the test unless the file is refused with each of the defects.
void expect_each_refused(const GltfFile& file, const std::vector<JsonBreakage>& defects);

}  // namespace pelt::test
