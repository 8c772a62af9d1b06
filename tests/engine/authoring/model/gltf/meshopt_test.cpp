// SPDX-License-Identifier: MIT
// EXT_meshopt_compression: files that meshoptimizer's own encoder has compressed read as those that are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include <pelt/gltf_pack.h>
#include <pelt/import.h>
#include <pelt/pelt_gltf.h>

#include "tests/engine/authoring/model/gltf/gltf_file.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/refused.h"
#include "tests/support/shared_files.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::GltfFile;
using test::imported;

constexpr const char* kName = "EXT_meshopt_compression";

// Returns a file with every feature that has buffer views: weights, targets, clips.
GltfFile plain_file() {
  Model model = test::make_tube({.around = 12, .along = 20, .joints = 3});
  test::add_morph_targets(model.meshes[0], 2);
  model.clips.push_back({.name = "bend", .duration = 2, .channels = {}, .morph_channels = {}});
  model.clips[0].channels.push_back(
      {2, ChannelPath::kRotation, Interpolation::kLinear, {0, 2}, {0, 0, 0, 1, 0, 0, 0.6f, 0.8f}});
  return GltfFile::of(model);
}

std::size_t element_bytes(const json& accessor) {
  const std::string type = accessor["type"];
  const std::size_t components = type == "SCALAR" ? 1 : type == "MAT4" ? 16 : static_cast<std::size_t>(type[3] - '0');
  const int component = accessor["componentType"];
  return components * (component <= 5121 ? 1 : component <= 5123 ? 2 : 4);
}

template <class Encode>
std::string encoded(std::size_t bound, const Encode& encode) {
  std::string bytes(bound, '\0');
  bytes.resize(encode(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()));
  return bytes;
}

// Compresses the views of the file that the extension can store, and wipes their old data. Returns the number of views
// in each mode.
std::map<std::string, int> compress(GltfFile& file, bool triangles) {
  std::set<std::size_t> indices;
  for (const json& mesh : file.json["meshes"]) {
    for (const json& part : mesh["primitives"]) {
      if (part.contains("indices")) indices.insert(part["indices"].get<std::size_t>());
    }
  }
  std::map<std::string, int> modes;
  const std::size_t views = file.json["bufferViews"].size();
  std::vector<bool> done(views, false);
  for (std::size_t a = 0; a < file.json["accessors"].size(); ++a) {
    const json& accessor = file.json["accessors"][a];
    if (!accessor.contains("bufferView") || done[accessor["bufferView"].get<std::size_t>()]) continue;
    json& view = file.json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    const std::size_t stride = element_bytes(accessor);
    const std::size_t length = view["byteLength"];
    const std::size_t count = length / stride;
    char* raw = &file.data[view.value("byteOffset", std::size_t{0})];
    std::string bytes;
    std::string mode = "ATTRIBUTES";
    if (indices.contains(a)) {
      std::vector<unsigned> values(count);
      for (std::size_t i = 0; i < count; ++i) std::memcpy(&values[i], raw + i * stride, stride);
      mode = triangles ? "TRIANGLES" : "INDICES";
      bytes = triangles ? encoded(meshopt_encodeIndexBufferBound(count, 1000),
                                  [&](auto* to, std::size_t size) {
                                    return meshopt_encodeIndexBuffer(to, size, values.data(), count);
                                  })
                        : encoded(meshopt_encodeIndexSequenceBound(count, 1000), [&](auto* to, std::size_t size) {
                            return meshopt_encodeIndexSequence(to, size, values.data(), count);
                          });
    } else if (stride % 4 == 0) {
      bytes = encoded(meshopt_encodeVertexBufferBound(count, stride), [&](auto* to, std::size_t size) {
        return meshopt_encodeVertexBuffer(to, size, raw, count, stride);
      });
    } else {
      continue;
    }
    std::memset(raw, 0xEE, length);
    done[accessor["bufferView"].get<std::size_t>()] = true;
    view["extensions"][kName] = {{"buffer", 0},
                                 {"byteOffset", file.data.size()},
                                 {"byteLength", bytes.size()},
                                 {"byteStride", stride},
                                 {"count", count},
                                 {"mode", mode}};
    file.data += bytes;
    ++modes[mode];
  }
  file.json["extensionsUsed"] = {kName};
  file.json["extensionsRequired"] = {kName};
  return modes;
}

// Moves every view's own range into a buffer that is not there, as gltfpack writes it. Returns the document's text.
std::string with_fallback(const GltfFile& file, const json& extensions) {
  json document = json::parse(file.text());
  document["buffers"].push_back({{"byteLength", file.data.size()}});
  if (!extensions.is_null()) document["buffers"][1]["extensions"] = extensions;
  for (json& view : document["bufferViews"]) {
    if (view.contains("extensions")) view["buffer"] = 1;
  }
  return document.dump();
}

void expect_same(const Model& a, const Model& b) {
  ASSERT_EQ(a.meshes.size(), b.meshes.size());
  EXPECT_EQ(a.meshes[0].positions, b.meshes[0].positions);
  EXPECT_EQ(a.meshes[0].normals, b.meshes[0].normals);
  EXPECT_EQ(a.meshes[0].weights.influences, b.meshes[0].weights.influences);
  ASSERT_EQ(a.meshes[0].morph_targets.size(), b.meshes[0].morph_targets.size());
  EXPECT_EQ(a.meshes[0].morph_targets[1].offsets, b.meshes[0].morph_targets[1].offsets);
  EXPECT_EQ(a.clips[0].channels[0].values, b.clips[0].channels[0].values);
}

TEST(Meshopt, ReadsWhatTheEncoderWrites) {
  const GltfFile plain = plain_file();
  const Model wanted = imported(plain);
  for (const bool triangles : {false, true}) {
    GltfFile file = plain;
    const std::map<std::string, int> modes = compress(file, triangles);
    EXPECT_EQ(modes.at(triangles ? "TRIANGLES" : "INDICES"), 1);
    EXPECT_GE(modes.at("ATTRIBUTES"), 8);
    const Model read = imported(file);
    expect_same(read, wanted);
    // The encoder turns triangles so that another corner is their first.
    ASSERT_EQ(read.meshes[0].triangles.size(), wanted.meshes[0].triangles.size());
    for (std::size_t t = 0; t < read.meshes[0].triangles.size(); ++t) {
      const glm::uvec3 got = read.meshes[0].triangles[t];
      const glm::uvec3 turned[] = {got, {got.y, got.z, got.x}, {got.z, got.x, got.y}};
      EXPECT_NE(std::ranges::find(turned, wanted.meshes[0].triangles[t]), std::end(turned)) << t;
    }
    EXPECT_EQ(read.report.notes, wanted.report.notes);
  }
}

// Marked or not, in .gltf and .glb, also if the extension is not required.
TEST(Meshopt, NeedsNoBytesOfFallbackBuffers) {
  GltfFile file = plain_file();
  const Model wanted = imported(file);
  compress(file, false);
  file.json.erase("extensionsRequired");
  const test::TemporaryFolder folder;
  for (const json& extensions : {json{{kName, {{"fallback", true}}}}, json{{kName, json::object()}}, json()}) {
    const std::filesystem::path path = folder.write("fallback.gltf", with_fallback(file, extensions));
    expect_same(test::must(import_gltf(path)), wanted);
    const std::vector<std::byte> packed = test::must(pack_gltf(path));
    expect_same(test::must(import_gltf(packed, "packed.glb")), wanted);
    const std::vector<std::byte> with_rig = test::must(write_gltf_deformers(packed, "{}", nullptr, "packed.glb"));
    expect_same(test::must(import_gltf(with_rig, "packed.glb")), wanted);
  }
  json read = json::parse(with_fallback(file, {}));
  read["bufferViews"][0].erase("extensions");
  EXPECT_TRUE(test::refused(import_gltf(folder.write("read.gltf", read.dump())), "/buffers/1: has no URI"));
}

TEST(Meshopt, UndoesTheFilters) {
  GltfFile file = GltfFile::triangle();
  file.json["extensionsUsed"] = {kName, "KHR_mesh_quantization"};
  const auto add = [&](const char* filter, std::size_t stride, const std::string& filtered, json accessor) {
    const std::size_t count = filtered.size() / stride;
    const std::string bytes = encoded(meshopt_encodeVertexBufferBound(count, stride), [&](auto* to, std::size_t size) {
      return meshopt_encodeVertexBuffer(to, size, filtered.data(), count, stride);
    });
    const int view = file.push("bufferViews", {{"buffer", 0}, {"byteLength", filtered.size()}, {"byteStride", stride}});
    file.json["bufferViews"][static_cast<std::size_t>(view)]["extensions"][kName] = {{"buffer", 0},
                                                                                     {"byteOffset", file.data.size()},
                                                                                     {"byteLength", bytes.size()},
                                                                                     {"byteStride", stride},
                                                                                     {"count", count},
                                                                                     {"mode", "ATTRIBUTES"},
                                                                                     {"filter", filter}};
    file.data += bytes;
    accessor["bufferView"] = view;
    accessor["count"] = count;
    return file.push("accessors", accessor);
  };
  const float positions[] = {0, 0, 0, 1.5f, 0, 0, 0, 2.25f, 0};
  std::string filtered(sizeof positions, '\0');
  meshopt_encodeFilterExp(filtered.data(), 3, 12, 16, positions);
  test::primitive(file)["attributes"]["POSITION"] =
      add("EXPONENTIAL", 12, filtered, {{"componentType", 5126}, {"type", "VEC3"}});
  const float normals[] = {0, 0, 1, 0, 0.6f, 0, 0.8f, 0, -0.48f, 0.6f, 0.64f, 0};
  filtered.assign(12, '\0');
  meshopt_encodeFilterOct(filtered.data(), 3, 4, 8, normals);
  test::primitive(file)["attributes"]["NORMAL"] =
      add("OCTAHEDRAL", 4, filtered, {{"componentType", 5120}, {"normalized", true}, {"type", "VEC3"}});
  const Model model = imported(file);
  for (std::size_t v = 0; v < 3; ++v) {
    const glm::vec3 position(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
    EXPECT_LT(glm::distance(model.meshes[0].positions[v], position), 1e-4f);
    const glm::vec3 normal(normals[4 * v], normals[4 * v + 1], normals[4 * v + 2]);
    EXPECT_LT(glm::distance(model.meshes[0].normals[v], normal), 0.03f);
  }

  const float rotations[] = {0, 0, 0, 1, 0, 0, 0.6f, 0.8f};
  filtered.assign(16, '\0');
  meshopt_encodeFilterQuat(filtered.data(), 2, 8, 16, rotations);
  const int values = add("QUATERNION", 8, filtered, {{"componentType", 5122}, {"normalized", true}, {"type", "VEC4"}});
  file.add_channel(test::node_target(0, "rotation"), {0, 1}, "VEC4", std::vector<float>(rotations, rotations + 8));
  file.json["animations"][0]["samplers"][0]["output"] = values;
  const Model turning = imported(file);
  ASSERT_EQ(turning.clips.size(), 1u);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(turning.clips[0].channels[0].values[k], rotations[k], 1e-3f) << k;
}

// A box that glTF-Transform has compressed.
TEST(Meshopt, ReadsWhatAnotherProgramWrites) {
  PELT_REQUIRE_SHARED();
  const Model model =
      test::must(import_gltf(*test::shared_folder() / "assets/malformed/gltf-transform/BoxMeshopt/BoxMeshopt.gltf"));
  ASSERT_EQ(model.meshes[0].positions.size(), 24u);
  for (const glm::vec3& p : model.meshes[0].positions) {
    EXPECT_LT(glm::distance(glm::abs(p), glm::vec3(0.5f)), 1e-6f);
  }
}

TEST(Meshopt, ThatIsWrongIsRefused) {
  GltfFile file = plain_file();
  compress(file, true);
  const std::size_t position = test::attributes(file)["POSITION"];
  const std::size_t view = file.json["accessors"][position]["bufferView"];
  const std::string at = "/bufferViews/" + std::to_string(view) + "/extensions/" + kName;
  const int bytes = file.json[json::json_pointer(at)]["byteLength"];
  test::expect_each_refused(file, {{at + "/byteOffset", 1 << 20, "ends at byte"},
                                   {at + "/count", 7, "decompresses to"},
                                   {at + "/count", 1 << 30, "more than the bytes can contain"},
                                   {at + "/byteStride", 6, "must be a multiple of 4"},
                                   {at + "/mode", "POINTS", "mode"},
                                   {at + "/mode", "TRIANGLES", "must be 2 or 4 for indices"},
                                   {at + "/filter", "QUATERNION", "must be 8"},
                                   {at + "/filter", "COLOR", "filter"},
                                   {at + "/buffer", 9, "buffer"},
                                   {at + "/byteLength", bytes - 1, "not data of mode ATTRIBUTES"}});
}

}  // namespace
}  // namespace pelt
