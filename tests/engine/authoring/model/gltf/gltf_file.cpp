// SPDX-License-Identifier: MIT
#include "tests/engine/authoring/model/gltf/gltf_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <glm/gtc/matrix_transform.hpp>

#include <pelt/gltf_export.h>
#include <pelt/import.h>

#include "tests/support/must.h"

namespace pelt::test {
namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k > bytes.size() ? '=' : kDigits[word >> (18 - 6 * k) & 63];
    }
  }
  return text;
}

std::string u32(std::size_t value) {
  std::string bytes(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (8 * i) & 255);
  return bytes;
}

}  // namespace

int GltfFile::add(const std::vector<glm::vec3>& values) {
  const float* first = values.empty() ? nullptr : &values[0].x;
  return add("VEC3", std::vector<float>(first, first + 3 * values.size()));
}

int GltfFile::add(const std::vector<glm::mat4>& values) {
  const float* first = &values[0][0].x;
  return add("MAT4", std::vector<float>(first, first + 16 * values.size()));
}

int GltfFile::add_view(std::span<const std::byte> bytes) {
  data.resize((data.size() + 3) / 4 * 4);
  json["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", data.size()}, {"byteLength", bytes.size()}});
  data.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return static_cast<int>(json["bufferViews"].size()) - 1;
}

int GltfFile::push(const std::string& array, nlohmann::json entry) {
  json[array].push_back(std::move(entry));
  return static_cast<int>(json[array].size()) - 1;
}

int GltfFile::add_mesh(nlohmann::json attributes, nlohmann::json rest) {
  rest["attributes"] = std::move(attributes);
  return push("meshes", {{"primitives", nlohmann::json::array({rest})}});
}

GltfFile GltfFile::triangle() {
  GltfFile file;
  file.add(std::vector<glm::vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
  file.add_mesh({{"POSITION", 0}});
  file.push("nodes", {{"mesh", 0}});
  return file;
}

GltfFile GltfFile::skinned_triangle() {
  GltfFile file = triangle();
  file.add("VEC4", std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0});
  file.add("VEC4", std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  file.json["meshes"][0]["primitives"][0]["attributes"] = {{"POSITION", 0}, {"JOINTS_0", 1}, {"WEIGHTS_0", 2}};
  file.push("nodes", {{"name", "root"}, {"children", {2}}});
  file.push("nodes", {{"name", "tip"}, {"translation", {0, 1, 0}}});
  const int binds = file.add(std::vector<glm::mat4>{glm::mat4(1.0f), glm::translate(glm::mat4(1.0f), {0, -1, 0})});
  file.push("skins", {{"joints", {1, 2}}, {"inverseBindMatrices", binds}});
  file.json["nodes"][0]["skin"] = 0;
  return file;
}

GltfFile GltfFile::of(const Model& model) {
  const std::string glb = must(format_glb(model));
  std::uint32_t json_bytes = 0;
  std::memcpy(&json_bytes, glb.data() + 12, sizeof json_bytes);
  GltfFile file{.json = nlohmann::json::parse(glb.substr(20, json_bytes)), .data = glb.substr(20 + json_bytes + 8)};
  file.json.erase("buffers");
  return file;
}

std::string GltfFile::text() const {
  nlohmann::json whole = json;
  if (!data.empty() && !whole.contains("buffers")) {
    whole["buffers"] = {{{"byteLength", data.size()}, {"uri", "data:application/octet-stream;base64," + base64(data)}}};
  }
  return whole.dump();
}

std::string GltfFile::glb() const {
  nlohmann::json whole = json;
  whole["buffers"] = {{{"byteLength", data.size()}}};
  std::string document = whole.dump();
  document.resize((document.size() + 3) / 4 * 4, ' ');
  std::string binary = data;
  binary.resize((binary.size() + 3) / 4 * 4, '\0');
  return "glTF" + u32(2) + u32(28 + document.size() + binary.size()) + u32(document.size()) + "JSON" + document +
         u32(binary.size()) + std::string("BIN\0", 4) + binary;
}

Result<Model> GltfFile::import() const {
  const TemporaryFolder folder;
  return import_gltf(folder.write("model.gltf", text()));
}

nlohmann::json& primitive(GltfFile& file, int index) { return file.json["meshes"][0]["primitives"][index]; }

nlohmann::json& attributes(GltfFile& file) { return primitive(file)["attributes"]; }

nlohmann::json node_target(int node, const std::string& path) { return {{"node", node}, {"path", path}}; }

Model imported(const GltfFile& file) {
  Result<Model> model = file.import();
  EXPECT_TRUE(model) << model.error().message;
  return model ? std::move(*model) : Model{.meshes = {Mesh{}}};
}

void expect_refused(const GltfFile& file, const std::string& why, ErrorCode code) {
  const Result<Model> model = file.import();
  ASSERT_FALSE(model) << "expected: " << why;
  EXPECT_EQ(model.error().code, code) << why;
  EXPECT_THAT(model.error().message, testing::HasSubstr("model.gltf"));
  EXPECT_THAT(model.error().message, testing::HasSubstr(why));
}

void expect_each_refused(const GltfFile& file, const std::vector<JsonBreakage>& defects) {
  for (const JsonBreakage& defect : defects) {
    SCOPED_TRACE(defect.place + " = " + defect.value.dump());
    GltfFile changed = file;
    changed.json = nlohmann::json::parse(file.text());
    changed.json[nlohmann::json::json_pointer(defect.place)] = defect.value;
    expect_refused(changed, defect.why, defect.code);
  }
}

}  // namespace pelt::test
