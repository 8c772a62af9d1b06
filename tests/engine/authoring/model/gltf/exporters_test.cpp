// SPDX-License-Identifier: MIT
// Files as exporters write them: what nothing reads may be invalid, what can be made is made, and what is read of
// invalid files is noted.
#include <gmock/gmock.h>

#include <functional>
#include <tuple>

#include <pelt/import.h>

#include "tests/engine/authoring/model/gltf/imported.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using nlohmann::json;
using test::attributes;
using test::expect_refused;
using test::GltfFile;
using test::imported;
using test::primitive;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// The skinned triangle with normals and a clip.
GltfFile character() {
  GltfFile file = GltfFile::skinned_triangle();
  attributes(file)["NORMAL"] = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
  file.add_channel(test::node_target(2, "rotation"), {0, 1}, "VEC4", std::vector<float>{0, 0, 0, 1, 1, 0, 0, 0});
  return file;
}

std::vector<float> with_nan(std::size_t count) {
  std::vector<float> values(count, 0.5f);
  values.back() = kNan;
  return values;
}

json& accessor_of(GltfFile& file, const json& index) { return file.json["accessors"][index.get<std::size_t>()]; }

struct Case {
  const char* what;
  std::function<void(GltfFile&)> change;
  const char* note;  // part of one; "": no note is added
};

// Expects that the changed file reads as the unchanged one, with the note.
void expect_same(const GltfFile& file, const std::vector<Case>& cases) {
  const Model wanted = imported(file);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    GltfFile changed = file;
    c.change(changed);
    const Model model = imported(changed);
    ASSERT_EQ(model.meshes.size(), 1u);
    EXPECT_EQ(model.meshes[0].positions, wanted.meshes[0].positions);
    EXPECT_EQ(model.meshes[0].normals, wanted.meshes[0].normals);
    EXPECT_EQ(model.meshes[0].triangles, wanted.meshes[0].triangles);
    EXPECT_EQ(model.meshes[0].weights.influences, wanted.meshes[0].weights.influences);
    EXPECT_EQ(model.bound_joints.size(), wanted.bound_joints.size());
    ASSERT_EQ(model.clips.size(), 1u);
    EXPECT_EQ(model.clips[0].channels.size(), 1u);
    EXPECT_EQ(model.clips[0].channels[0].values, wanted.clips[0].channels[0].values);
    if (*c.note == '\0') {
      EXPECT_EQ(model.report.notes, wanted.report.notes);
    } else {
      EXPECT_THAT(model.report.notes, Contains(HasSubstr(c.note)));
    }
  }
}

std::function<void(GltfFile&)> push(const char* at, const json& value) {
  return [=](GltfFile& file) { file.json[json::json_pointer(at)].push_back(value); };
}

TEST(ExportedGltf, MayHoldAnythingThatIsNotRead) {
  const auto add = [](const char* name, const char* type, std::size_t width) {
    return [=](GltfFile& file) { attributes(file)[name] = file.add(type, with_nan(3 * width)); };
  };
  expect_same(
      character(),
      {{"UVs", add("TEXCOORD_1", "VEC2", 2), "not read: TEXCOORD_1 of 'mesh_0'"},
       {"colours", add("COLOR_1", "VEC3", 3), "not read: COLOR_1 of 'mesh_0'"},
       {"odd colours", add("COLOR_0", "SCALAR", 1), "not read: COLOR_0 of 'mesh_0'"},
       {"odd name", add("TEXCOORD_00", "SCALAR", 1), "not read: TEXCOORD_00 of 'mesh_0'"},
       {"few", add("COLOR_1", "VEC4", 2), "not read: COLOR_1 of 'mesh_0'"},
       {"mask", add("_MASK", "SCALAR", 1), "mesh 'mesh_0': _MASK: invalid values taken as 0: 1"},
       {"mask of doubles",
        [&](GltfFile& file) {
          add("_MASK", "SCALAR", 1)(file);
          accessor_of(file, attributes(file)["_MASK"])["componentType"] = 5130;
        },
        "not read: _MASK of 'mesh_0'"},
       {"target",
        [](GltfFile& file) {
          primitive(file)["targets"] = {{{"COLOR_0", file.add("VEC2", with_nan(2))}}};
        },
        "of morph targets, offsets of positions and of the mesh's normals and tangents are read; not read: "
        "COLOR_0 of 'mesh_0'"},
       {"hidden mesh", push("/meshes", {{"name", "spare"}, {"primitives", {{{"attributes", {{"POSITION", 2}}}}}}}),
        "meshes left out, since the scene does not show them: 'spare'"},
       {"points with indices",
        [](GltfFile& file) {
          json points = primitive(file);
          points["mode"] = 0;
          points["indices"] = 0;
          file.json["meshes"][0]["primitives"].push_back(points);
        },
        ""},
       {"sampler", push("/animations/0/samplers", {{"input", 0}, {"output", 0}}), ""}});
}

TEST(ExportedGltf, HasWeightsWithoutASkin) {
  GltfFile file = GltfFile::skinned_triangle();
  file.json["nodes"][0].erase("skin");
  attributes(file)["JOINTS_0"] = attributes(file)["WEIGHTS_0"] = file.add("VEC4", with_nan(12));
  attributes(file)["WEIGHTS_1"] = 0;
  EXPECT_THAT(imported(file).report.notes,
              Contains("meshes whose weights are not read, since their node names no skin: 'mesh_0'"));
}

TEST(ExportedGltf, GetsDirectionsAndUvsForInvalidOnes) {
  const auto model_with = [](const char* name, const char* type, std::vector<float> values) {
    GltfFile file = character();
    attributes(file)["TEXCOORD_0"] = file.add("VEC2", std::vector<float>{0, 0, 1, 0, 0, 1});
    attributes(file)[name] = file.add(type, std::move(values));
    return imported(file);
  };
  const std::string note = "mesh 'mesh_0': ";
  const float inf = std::numeric_limits<float>::infinity();
  const Model normals = model_with("NORMAL", "VEC3", {0, 0, -1, kNan, 0, 1, inf, 0, 0});
  EXPECT_THAT(normals.meshes[0].normals, ElementsAre(glm::vec3(0, 0, -1), glm::vec3(0, 0, 1), glm::vec3(0, 0, 1)));
  EXPECT_THAT(normals.report.notes, Contains(note + "NORMAL: invalid values made again: 2"));
  EXPECT_THAT(normals.report.notes, Not(Contains(HasSubstr("were not unit"))));
  const Model uvs = model_with("TEXCOORD_0", "VEC2", {0, 0, kNan, 1, 0, 1});
  EXPECT_EQ(uvs.meshes[0].uvs[1], glm::vec2(0));
  EXPECT_THAT(uvs.report.notes, Contains(note + "TEXCOORD_0: invalid values taken as 0: 1"));
  for (const auto& [x, w] : {std::pair(kNan, 1.0f), {1.0f, kNan}, {0.0f, 0.0f}, {0.0f, 1.0f}, {1.0f, 0.0f}}) {
    const Model tangents = model_with("TANGENT", "VEC4", {0, 1, 0, -1, x, 0, 0, w, x, 0, 0, w});
    const glm::vec4 made(1, 0, 0, -1);  // u rises with x, v with y
    EXPECT_THAT(tangents.meshes[0].tangents, ElementsAre(glm::vec4(0, 1, 0, -1), made, made)) << x << ' ' << w;
    EXPECT_THAT(tangents.report.notes, Contains(note + "TANGENT: invalid values made again: 2"));
  }
}

TEST(ExportedGltf, MustBeFiniteWhereItIsNeeded) {
  const auto refuse = [](const std::string& why, const std::function<void(GltfFile&)>& change) {
    GltfFile file = character();
    change(file);
    expect_refused(file, why);
  };
  const std::string mesh = "model.gltf: mesh 'mesh_0': /meshes/0/primitives/0/";
  const std::string element = ": element 2 is not finite";
  refuse(mesh + "attributes/POSITION" + element,
         [](GltfFile& file) { attributes(file)["POSITION"] = file.add("VEC3", with_nan(9)); });
  refuse(mesh + "attributes/WEIGHTS_0" + element,
         [](GltfFile& file) { attributes(file)["WEIGHTS_0"] = file.add("VEC4", with_nan(12)); });
  refuse(mesh + "targets/0/POSITION" + element, [](GltfFile& file) {
    primitive(file)["targets"] = {{{"POSITION", file.add("VEC3", with_nan(9))}}};
  });
  refuse("skin 'skin_0': /skins/0/inverseBindMatrices: element 1 is not finite",
         [](GltfFile& file) { file.json["skins"][0]["inverseBindMatrices"] = file.add("MAT4", with_nan(32)); });
  for (const auto& [end, at, type, width] :
       {std::tuple("input", "samplers/0/input", "SCALAR", 1u), {"output", "channels/0: rotation", "VEC4", 4u}}) {
    refuse(std::string("clip 'clip_0': /animations/0/") + at + ": element 1 is not finite",
           [&, key = end, kind = type, components = width](GltfFile& file) {
             file.json["animations"][0]["samplers"][0][key] = file.add(kind, with_nan(2 * components));
           });
  }
}

// These are legal, or common and harmless.
TEST(ExportedGltf, MayBeOfOldExporters) {
  const auto set = [](const char* at, const json& value) {
    return [=](GltfFile& file) { file.json[json::json_pointer(at)] = value; };
  };
  const auto erase = [](const char* object, const char* key) {
    return [=](GltfFile& file) { file.json[json::json_pointer(object)].erase(key); };
  };
  const char* const unshown = "skins left out, since the scene shows no mesh of theirs: 'skin_1'";
  const char* const blank = "0, '' or null is taken as absent at '/";
  expect_same(
      character(),
      {{"stride 0", set("/bufferViews/0/byteStride", 0), blank},
       {"stride of a vertex", set("/bufferViews/0/byteStride", 12), ""},
       {"stride of indices",
        [](GltfFile& file) {
          primitive(file)["indices"] = file.add("SCALAR", std::vector<std::uint16_t>{0, 1, 2});
          file.json["bufferViews"].back()["byteStride"] = 2;
        },
        ""},
       {"interpolation ''", set("/animations/0/samplers/0/interpolation", ""), blank},
       {"interpolation null", set("/animations/0/samplers/0/interpolation", json()), blank},
       {"interpolation 0", set("/animations/0/samplers/0/interpolation", 0), blank},
       {"interpolation absent", erase("/animations/0/samplers/0", "interpolation"), ""},
       {"sparse of none",
        set("/accessors/0/sparse",
            {{"count", 0}, {"indices", {{"bufferView", 0}, {"componentType", 5125}}}, {"values", {{"bufferView", 0}}}}),
        ""},
       {"sparse indices without a base",
        [](GltfFile& file) {
          const json sparse = accessor_of(file, file.add_sparse(3, {1, 2}, {{}, {}}))["sparse"];
          primitive(file)["indices"] =
              file.push("accessors", {{"componentType", 5125}, {"count", 3}, {"type", "SCALAR"}, {"sparse", sparse}});
          const int values = file.add("SCALAR", std::vector<std::uint32_t>{1, 2});
          accessor_of(file, primitive(file)["indices"])["sparse"]["values"] = {
              {"bufferView", accessor_of(file, values)["bufferView"]}};
        },
        ""},
       {"bytes as indices, and none at all",
        [](GltfFile& file) {
          primitive(file)["indices"] = file.add("SCALAR", std::vector<std::uint8_t>{0, 1, 2});
          json more = primitive(file);
          more["indices"] = file.push("accessors", {{"componentType", 5121}, {"count", 0}, {"type", "SCALAR"}});
          file.json["meshes"][0]["primitives"].push_back(more);
        },
        ""},
       {"primitive without vertices",
        [](GltfFile& file) {
          const int none = file.push("accessors", {{"componentType", 5126}, {"count", 0}, {"type", "VEC3"}});
          file.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", none}}}});
        },
        "1 primitives without positions left out"},
       {"primitive without attributes", push("/meshes/0/primitives", {{"attributes", json::object()}}),
        "1 primitives without positions left out"},
       {"mesh without primitives",
        [](GltfFile& file) {
          file.push("nodes", {{"mesh", file.push("meshes", {{"primitives", json::array()}})}, {"skin", 0}});
        },
        ""},
       {"empty arrays",
        [](GltfFile& file) {
          for (const char* array : {"materials", "textures", "images", "cameras", "extensionsUsed"}) {
            file.json[array] = json::array();
          }
          primitive(file)["targets"] = file.json["nodes"][2]["children"] = json::array();
        },
        ""},
       {"empty names",
        [](GltfFile& file) {
          for (const char* array : {"meshes", "skins", "animations"}) file.json[array][0]["name"] = "";
          file.json["nodes"][0]["name"] = "";
        },
        ""},
       {"clip without channels", [](GltfFile& file) { file.push("animations", json::object()); },
        "clip 'clip_1': left out, since it moves nothing"},
       {"channel without node", push("/animations/0/channels", {{"sampler", 0}, {"target", {{"path", "rotation"}}}}),
        "1 channels that animate neither nodes nor morph targets"},
       {"wrong skeleton", set("/skins/0/skeleton", 99), ""},
       {"another skeleton", set("/skins/0/skeleton", 0), ""},
       {"spare skin without joints", push("/skins", {{"joints", json::array()}}), unshown},
       {"spare skin with a joint twice", push("/skins", {{"joints", {1, 1}}}), unshown},
       {"spare skin of few matrices", push("/skins", {{"joints", {1}}, {"inverseBindMatrices", 0}}), unshown},
       {"compression only used", set("/extensionsUsed", {"EXT_meshopt_compression"}), ""},
       {"spare view outside its buffer", push("/bufferViews", {{"buffer", 0}, {"byteLength", 99999}}), ""}});
}

TEST(ExportedGltf, MayHaveAccessorsOfZeros) {
  GltfFile file = GltfFile::triangle();
  const int zeros = file.push("accessors", {{"componentType", 5126}, {"count", 3}, {"type", "VEC2"}});
  attributes(file)["TEXCOORD_0"] = zeros;
  const int first = file.push("accessors", {{"componentType", 5123}, {"count", 3}, {"type", "SCALAR"}});
  json flat = primitive(file);
  flat["indices"] = first;
  file.json["meshes"][0]["primitives"].push_back(flat);
  const Mesh mesh = imported(file).meshes[0];
  EXPECT_THAT(mesh.uvs, Each(glm::vec2(0)));
  EXPECT_THAT(mesh.triangles, ElementsAre(glm::uvec3(0, 1, 2), glm::uvec3(0)));
}

TEST(ExportedGltf, MayHaveMorphTargetsOfOnePrimitiveOnly) {
  GltfFile file = GltfFile::triangle();
  const int offsets = file.add(std::vector<glm::vec3>(3, {0, 0, 1}));
  const json still = primitive(file);
  json moving = still;
  moving["targets"] = {{{"POSITION", offsets}}, {{"POSITION", offsets}}};
  file.json["meshes"][0]["weights"] = {0, 1};
  for (const bool first : {true, false}) {
    file.json["meshes"][0]["primitives"] = first ? json{moving, still} : json{still, moving};
    const Model model = imported(file);
    ASSERT_EQ(model.meshes[0].morph_targets.size(), 2u);
    EXPECT_EQ(model.meshes[0].morph_targets[1].offsets[first ? 0 : 3], glm::vec3(0, 0, 1));
    EXPECT_EQ(model.meshes[0].morph_targets[1].offsets[first ? 3 : 0], glm::vec3(0));
    EXPECT_THAT(model.report.notes, Contains("mesh 'mesh_0': 1 primitives with fewer morph targets than others do not "
                                             "move by the rest"));
  }
}

// A primitive that is compressed by Draco may have the same data without compression, or have only that.
TEST(ExportedGltf, OfDracoNeedsOtherDataToo) {
  GltfFile file = GltfFile::triangle();
  file.json["extensionsUsed"] = {"KHR_draco_mesh_compression"};
  primitive(file)["extensions"]["KHR_draco_mesh_compression"] = {{"bufferView", 0}, {"attributes", {{"POSITION", 0}}}};
  imported(file);
  const int indices = file.push("accessors", {{"componentType", 5123}, {"count", 3}, {"type", "SCALAR"}});
  for (const auto& [at, value] : {std::pair("indices", json(indices)), {"attributes", {{"POSITION", indices}}}}) {
    GltfFile only = file;
    primitive(only)[at] = value;
    expect_refused(only, "mesh 'mesh_0': /meshes/0/primitives/0: KHR_draco_mesh_compression is not supported; to deco",
                   ErrorCode::kUnsupported);
  }
}

TEST(ExportedGltf, IsReadFromOddTextAndUris) {
  const test::TemporaryFolder folder;
  const GltfFile file = GltfFile::skinned_triangle();
  const std::string plain = file.text();
  const Model wanted = imported(file);
  const Model marked = test::must(import_gltf(folder.write("mark.gltf", "\xEF\xBB\xBF" + plain)));
  EXPECT_EQ(marked.meshes[0].positions, wanted.meshes[0].positions);
  EXPECT_THAT(marked.report.notes, Contains("a byte order mark is ignored"));

  const std::string uri = json::parse(plain)["buffers"][0]["uri"];
  const std::size_t base64 = uri.find(',') + 1;
  std::string lines = uri;
  for (std::size_t at = base64 + 2; at < lines.size(); at += 78) lines.insert(at, at % 4 < 2 ? "\r\n" : "%0A");
  std::string bare = uri;
  bare.erase(bare.find_last_not_of('=') + 1);
  folder.write("a b%.bin", file.data);
  for (const std::string& odd :
       {lines, bare, "data:;base64," + uri.substr(base64), "data:text/plain;charset=utf-8;base64," + uri.substr(base64),
        std::string("a%20b%25.bin"), std::string("a b%.bin")}) {
    json document = json::parse(plain);
    document["buffers"][0]["uri"] = odd;
    const Model model = test::must(import_gltf(folder.write("odd.gltf", document.dump())));
    EXPECT_EQ(model.meshes[0].positions, wanted.meshes[0].positions) << odd;
    EXPECT_EQ(model.bound_joints[1].inverse_bind, wanted.bound_joints[1].inverse_bind) << odd;
  }
}

}  // namespace
}  // namespace pelt
