// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/gltf_export.h>
#include <pelt/gltf_rig.h>
#include <pelt/import.h>
#include <pelt/pelt_file.h>
#include <pelt/pelt_gltf.h>
#include <pelt/rig_json.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/file_io.h>

#include "engine/character/base/hash.h"
#include "engine/character/glb/container.h"
#include "tests/engine/character/largest_allocation.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;
using Bytes = std::vector<std::byte>;

Bytes to_bytes(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// A model as a file, the character that was bound from it, and the file that carries the character.
struct Subject {
  Bytes plain;
  Rig rig;
  Character character;
  Bytes carrying;
};

Subject make_subject(const Model& model = test::make_tube({.around = 5, .along = 4}),
                     const char* deformer = "surface_ffd") {
  const Bytes plain = to_bytes(format_glb(model).value());
  const Rig rig = rig_from_deformer_name(deformer).value();
  const Character character = bind(model, rig).value().character;
  return {plain, rig, character, write_gltf_deformers(plain, format_rig(rig), &character, "x.glb").value()};
}

// Return the error of reading, or "".
std::string gltf_error_of(const Bytes& file, const std::string& source = "x.glb") {
  return test::error_of(read_gltf_deformers(file, source));
}
std::string load_error_of(const Bytes& file) { return test::error_of(read_character(file, "x.glb")); }

json document_of(const Bytes& file) { return parse_gltf_json(open_gltf(file, "x.glb")->json, "x.glb").value(); }

Bytes with_document(const Bytes& file, const json& document) {
  return format_glb_container(document, open_gltf(file, "x.glb")->binary.value(), "x.glb").value();
}

// Returns the file after a change of its JSON.
template <class Change>
Bytes changed(const Bytes& file, const Change& change) {
  json document = document_of(file);
  change(document);
  return with_document(file, document);
}

json& extension_of(json& document) { return document["extensions"]["PELT_deformers"]; }

TEST(PeltGltf, CarriesRigAndCharacter) {
  for (const char* deformer : {"linear_blend", "surface_ffd", "curve_skeleton", "mos"}) {
    const Subject subject = make_subject(make_limb({.around = 8, .along = 8}), deformer);
    const auto read = test::must(read_gltf_deformers(subject.carrying, "x.glb"));
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->current);
    EXPECT_EQ(parse_rig(read->rig, "x").value(), subject.rig);
    EXPECT_TRUE(std::ranges::equal(read->character, serialize(subject.character)));
    const auto character = test::must(read_character(subject.carrying, "x.glb"));
    EXPECT_TRUE(serialize(character) == serialize(subject.character)) << deformer;
  }
}

TEST(PeltGltf, CarriesMorphTargets) {
  Model model = test::make_tube({.around = 5, .along = 4});
  test::add_morph_targets(model.meshes[0], 3);
  const Subject subject = make_subject(model, "linear_blend");
  ASSERT_TRUE(subject.character->meshes[0].morphs);
  const auto character = test::must(read_character(subject.carrying, "x.glb"));
  EXPECT_TRUE(serialize(character) == serialize(subject.character));

  // The hash holds the targets, too: their names and the bytes of their offsets.
  EXPECT_EQ(load_error_of(changed(subject.carrying,
                                  [](json& document) { document["meshes"][0]["extras"]["targetNames"][0] = "other"; })),
            "x.glb: was changed since its character was bound: bind it");
  Bytes moved = subject.carrying;
  const json document = document_of(moved);
  const json& accessor =
      document["accessors"].at(document["meshes"][0]["primitives"][0]["targets"][1]["POSITION"].get<std::size_t>());
  const json& view = document["bufferViews"].at(accessor["bufferView"].get<std::size_t>());
  const auto binary = static_cast<std::size_t>(open_gltf(moved, "x.glb")->binary->data() - moved.data());
  moved[binary + view["byteOffset"].get<std::size_t>()] ^= std::byte{1};
  EXPECT_EQ(load_error_of(moved), "x.glb: was changed since its character was bound: bind it");
}

TEST(PeltGltf, LeavesTheRestOfTheFileAlone) {
  const Subject subject = make_subject();
  json before = document_of(subject.plain);
  json after = document_of(subject.carrying);
  EXPECT_EQ(after["extensionsUsed"], json({"PELT_deformers"}));
  EXPECT_FALSE(after.contains("extensionsRequired"));
  after.erase("extensions");
  after.erase("extensionsUsed");
  after["bufferViews"].erase(after["bufferViews"].size() - 1);
  const std::size_t length = before["buffers"][0]["byteLength"];
  before.erase("buffers");
  after.erase("buffers");
  EXPECT_EQ(after, before);
  const auto was = open_gltf(subject.plain, "x")->binary->first(length);
  EXPECT_TRUE(std::ranges::equal(open_gltf(subject.carrying, "x")->binary->first(length), was));

  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "before.glb", subject.plain));
  ASSERT_TRUE(write_file(folder / "after.glb", subject.carrying));
  const Model source = import_gltf(folder / "before.glb").value();
  const Model other = import_gltf(folder / "after.glb").value();
  ASSERT_EQ(other.meshes.size(), source.meshes.size());
  EXPECT_EQ(other.meshes[0].positions, source.meshes[0].positions);
  EXPECT_EQ(other.meshes[0].weights, source.meshes[0].weights);
  EXPECT_EQ(other.clips.size(), source.clips.size());
}

TEST(PeltGltf, IsReplacedAndDoesNotGrow) {
  const Subject subject = make_subject();
  const auto again =
      write_gltf_deformers(subject.carrying, format_rig(subject.rig), &subject.character, "x.glb").value();
  EXPECT_TRUE(again == subject.carrying);
  const Rig other = rig_from_deformer_name("mos").value();
  const Bytes replaced = write_gltf_deformers(subject.carrying, format_rig(other), nullptr, "x.glb").value();
  EXPECT_EQ(document_of(replaced)["bufferViews"], document_of(subject.plain)["bufferViews"]);
  EXPECT_EQ(parse_rig((*read_gltf_deformers(replaced, "x.glb"))->rig, "x").value(), other);
}

TEST(PeltGltf, ARigAloneIsEnoughToBind) {
  const Subject subject = make_subject();
  const Bytes file = write_gltf_deformers(subject.plain, format_rig(subject.rig), nullptr, "x.glb").value();
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "rig.glb", file));
  const auto carried = test::must(load_gltf_rig(folder / "rig.glb"));
  ASSERT_TRUE(carried);
  EXPECT_EQ(carried->rig, subject.rig);
  EXPECT_FALSE(carried->character);
  EXPECT_EQ(carried->note, "");
  EXPECT_EQ(load_error_of(file), "x.glb: has a rig, but no character: bind it");

  // A text file can carry a rig, but not a character.
  std::string text = document_of(file).dump();
  ASSERT_TRUE(write_file(folder / "rig.gltf", std::as_bytes(std::span(text))));
  EXPECT_EQ((*load_gltf_rig(folder / "rig.gltf"))->rig, subject.rig);
  text = document_of(subject.carrying).dump();
  EXPECT_THAT(gltf_error_of(to_bytes(text), "x.gltf"),
              HasSubstr("/buffers: a character needs the binary chunk of a .glb"));
}

TEST(PeltGltf, FilesWithoutItHaveNone) {
  const Subject subject = make_subject();
  const auto read = test::must(read_gltf_deformers(subject.plain, "x.glb"));
  EXPECT_FALSE(read);
  EXPECT_EQ(load_error_of(subject.plain), "x.glb: is a model without a rig: bind it");
}

TEST(PeltGltf, WhatWasEditedSinceIsNotCurrent) {
  const Subject subject = make_subject();
  const auto is_current = [&](const Bytes& file) {
    const auto read = test::must(read_gltf_deformers(file, "x.glb"));
    return read && read->current;
  };
  const auto current_after = [&](const auto& change) { return is_current(changed(subject.carrying, change)); };
  EXPECT_TRUE(current_after([](json&) {}));
  EXPECT_TRUE(current_after([](json& document) { document["asset"]["generator"] = "another"; }));
  EXPECT_TRUE(current_after([](json& document) { document["materials"] = json::array({json::object()}); }));
  EXPECT_FALSE(current_after([](json& document) { document["nodes"][0]["name"] = "renamed"; }));
  EXPECT_FALSE(current_after([](json& document) { document["nodes"][0]["translation"] = {0, 0, 1}; }));
  EXPECT_FALSE(current_after([](json& document) { document["animations"] = json::array(); }));
  EXPECT_FALSE(current_after([](json& document) { document["accessors"][0]["count"] = 3; }));
  EXPECT_FALSE(current_after([](json& document) { extension_of(document)["rig"]["name"] = "edited"; }));
  EXPECT_FALSE(current_after([](json& document) { extension_of(document)["character"]["hash"] = ""; }));
  EXPECT_FALSE(current_after([](json& document) {
    document["bufferViews"].insert(document["bufferViews"].begin(), {{"buffer", 0}, {"byteLength", 4}});
    json& view = extension_of(document)["character"]["bufferView"];
    view = view.get<int>() + 1;
  }));

  // Change a bit of a position.
  Bytes moved = subject.carrying;
  const auto binary = *open_gltf(moved, "x.glb")->binary;
  moved[static_cast<std::size_t>(binary.data() - moved.data()) + 2] ^= std::byte{1};
  EXPECT_FALSE(is_current(moved));
  EXPECT_EQ(load_error_of(moved), "x.glb: was changed since its character was bound: bind it");
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "moved.glb", moved));
  const auto carried = test::must(load_gltf_rig(folder / "moved.glb"));
  EXPECT_FALSE(carried->character);
  EXPECT_EQ(carried->note, "it was changed since its character was bound");
}

// Computes the hash of the specification step by step.
TEST(PeltGltf, HashesWhatTheSpecificationSays) {
  const Bytes file = format_glb_container(json{{"scene", 0}, {"asset", {{"version", "2.0"}}}}, {}, "x.glb").value();
  const Subject subject = make_subject();
  const Bytes carrying =
      write_gltf_deformers(file, R"({"b": "two", "a": [1, -0.0, true, false, null]})", &subject.character, "x.glb")
          .value();
  std::string hashed;
  const auto add = [&](char tag, auto value) {
    hashed += tag;
    hashed.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto add_text = [&](const std::string& text) {
    add('s', std::uint64_t{text.size()});
    hashed += text;
  };
  add('o', std::uint64_t{2});
  add_text("a");
  add('a', std::uint64_t{5});
  add('d', 1.0);
  add('d', 0.0);
  hashed += "tfn";
  add_text("b");
  add_text("two");
  hashed += "nn";  // accessors, animations
  add('a', std::uint64_t{0});
  hashed += "nn";  // meshes, nodes
  add('d', 0.0);   // scene
  hashed += "nn";  // scenes, skins
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(hashed.data(), hashed.size())));
  json document = document_of(carrying);
  EXPECT_EQ(extension_of(document)["character"]["hash"], digits);
}

TEST(PeltGltf, EveryWayToBreakItIsRefusedWithItsPlace) {
  const Subject subject = make_subject();
  const auto error_after = [&](const auto& change) { return gltf_error_of(changed(subject.carrying, change)); };
  const std::string at = "x.glb: /extensions/PELT_deformers";
  EXPECT_EQ(error_after([](json& d) { d["extensions"] = 1; }), "x.glb: /extensions: must be an object");
  EXPECT_EQ(error_after([](json& d) { extension_of(d) = json::array(); }), at + ": must be an object");
  EXPECT_EQ(error_after([](json& d) { extension_of(d).erase("version"); }), at + "/version: must be a version number");
  EXPECT_EQ(error_after([](json& d) { extension_of(d)["version"] = -1; }), at + "/version: must be a version number");
  EXPECT_EQ(error_after([](json& d) { extension_of(d)["version"] = 2; }),
            at + "/version: is 2, but this program reads 1");
  EXPECT_EQ(error_after([](json& d) { extension_of(d).erase("rig"); }), at + "/rig: must be an object");
  EXPECT_EQ(error_after([](json& d) { extension_of(d)["rig"] = "rig.json"; }), at + "/rig: must be an object");
  EXPECT_EQ(error_after([](json& d) { extension_of(d)["character"] = 1; }), at + "/character: must be an object");
  for (const json& index : {json(), json(-1), json(1000), json(0.5), json("0")}) {
    EXPECT_EQ(error_after([&](json& d) { extension_of(d)["character"]["bufferView"] = index; }),
              at + "/character/bufferView: names a buffer view that does not exist");
  }
  EXPECT_EQ(error_after([](json& d) { extension_of(d)["character"]["hash"] = 1; }),
            at + "/character/hash: must be text");
  const auto view_error = [&](const char* key, const json& value) {
    return error_after([&](json& d) { d["bufferViews"].back()[key] = value; });
  };
  EXPECT_THAT(view_error("buffer", 1), HasSubstr("/buffer: must be 0"));
  EXPECT_THAT(view_error("byteStride", 4), HasSubstr("not have a stride"));
  for (const json& number : {json(-8), json(1e300), json(18446744073709551615u), json(1u << 31)}) {
    EXPECT_THAT(view_error("byteOffset", number), HasSubstr("must be within the")) << number;
    EXPECT_THAT(view_error("byteLength", number), HasSubstr("must be within the")) << number;
    EXPECT_THAT(error_after([&](json& d) { d["buffers"][0]["byteLength"] = number; }),
                HasSubstr("/buffers/0/byteLength: must be"))
        << number;
  }
  EXPECT_THAT(error_after([](json& d) { d["buffers"][0]["uri"] = "a.bin"; }), HasSubstr("/buffers: a character"));
  const auto with_buffer = [](const json& buffer) { return [=](json& d) { d["buffers"].push_back(buffer); }; };
  EXPECT_THAT(error_after(with_buffer({{"byteLength", 1}, {"uri", "a.bin"}})), HasSubstr("/buffers: a character"));
  EXPECT_EQ(error_after(with_buffer({{"byteLength", 1}})), "") << "a placeholder of an extension";
  EXPECT_THAT(gltf_error_of(to_bytes("{"), "x.gltf"), HasSubstr("no valid JSON"));
  EXPECT_EQ(gltf_error_of(to_bytes("[]"), "x.gltf"), "x.gltf: /: must be an object");
  EXPECT_EQ(gltf_error_of(to_bytes("{}")), "x.glb: byte 0: does not start with 'glTF' as a .glb does");
}

// Returns the first byte of the character, whose bytes are not hashed.
std::byte& first_of_character(Bytes& file) {
  const std::size_t offset = document_of(file)["bufferViews"].back()["byteOffset"];
  const std::byte* binary = open_gltf(file, "x.glb")->binary->data();
  return file[static_cast<std::size_t>(binary - file.data()) + offset];
}

TEST(PeltGltf, AFileInsideAFileIsNoCharacter) {
  Subject subject = make_subject();
  std::memcpy(&first_of_character(subject.carrying), "glTF", 4);
  EXPECT_EQ(load_error_of(subject.carrying), "x.glb: its character: is not a .pelt file");
}

TEST(PeltGltf, WritingRefusesWhatItCannotWrite) {
  const Subject subject = make_subject();
  const auto error_of_rig = [&](const char* rig) {
    return write_gltf_deformers(subject.plain, rig, nullptr, "x.glb").error().message;
  };
  EXPECT_EQ(error_of_rig("[]"), "x.glb: the rig must be an object");
  EXPECT_THAT(error_of_rig("{"), StartsWith("x.glb: the rig: "));
  const Bytes outside = changed(subject.plain, [](json& document) { document["buffers"][0]["uri"] = "a.bin"; });
  EXPECT_TRUE(test::refused(write_gltf_deformers(outside, "{}", nullptr, "x.glb"), ErrorCode::kInvalidArgument));
}

TEST(PeltGltf, ARigInsideNamesNoFiles) {
  const Subject subject = make_subject();
  Rig rig = subject.rig;
  rig.layers[0].deformer.get<SurfaceFfdParameters>().driver.file = "../cage.obj";
  const test::TemporaryFolder folder;
  ASSERT_TRUE(
      write_file(folder / "rig.glb", write_gltf_deformers(subject.plain, format_rig(rig), nullptr, "x.glb").value()));
  EXPECT_TRUE(test::refused(load_gltf_rig(folder / "rig.glb"), ErrorCode::kUnsupported,
                            "/extensions/PELT_deformers/rig: layer 0: names the file '../cage.obj'"));
}

// A character of another version of .pelt is bound again by programs that can bind, and refused by others.
TEST(PeltGltf, OtherVersionsOfTheCharacterAreBoundAgain) {
  Subject subject = make_subject();
  (&first_of_character(subject.carrying))[4] ^= std::byte{64};
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "x.glb", subject.carrying));
  const auto carried = test::must(load_gltf_rig(folder / "x.glb"));
  EXPECT_FALSE(carried->character);
  EXPECT_THAT(carried->note, HasSubstr("has format version"));
  EXPECT_TRUE(test::refused(load_character(folder / "x.glb"), ErrorCode::kUnsupported));
}

// Whatever the bytes are, reading gives an error that names the file, or a character that can be moved.
TEST(PeltGltf, MutantsAreRefusedOrRead) {
  const Subject subject = make_subject();
  std::mt19937 random(1);
  const auto below = [&](std::size_t count) { return random() % count; };
  const std::size_t json_end = 20 + open_gltf(subject.carrying, "x.glb")->json.size();
  constexpr char kLetters[] = "0123456789-.eE{}[]\",: \\\0n";
  std::size_t read = 0;
  std::size_t refused = 0;
  test::forget_allocations();
  for (int mutant = 0; mutant < 20000; ++mutant) {
    Bytes bytes = subject.carrying;
    // Mostly change the headers and the JSON; pelt_file_test covers the other bytes.
    const std::size_t end = mutant % 8 == 0 ? bytes.size() : json_end;
    for (std::size_t change = 0; change < 1 + below(3); ++change) {
      const std::size_t at = below(std::min(end, bytes.size()));
      const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      switch (below(4)) {
        case 0:
          bytes[at] = static_cast<std::byte>(kLetters[below(sizeof kLetters)]);
          break;
        case 1:
          bytes[at] ^= std::byte{1} << below(8);
          break;
        case 2:
          bytes.resize(at + 1);
          break;
        default:
          std::rotate(place, place + static_cast<std::ptrdiff_t>(below(bytes.size() - at)), bytes.end());
          break;
      }
    }
    const auto character = read_character(bytes, "x.glb");
    ++(character ? read : refused);
    if (!character) {
      EXPECT_THAT(character.error().message, StartsWith("x.glb: "));
      continue;
    }
    EXPECT_TRUE(serialize(*character) == serialize(subject.character)) << "mutant " << mutant;
  }
  EXPECT_LE(test::largest_allocation(), 32 * subject.carrying.size());
  EXPECT_GT(read, 50u);  // a letter that is not hashed, a digit that rounds away
  EXPECT_GT(refused, 10000u);
}

}  // namespace
}  // namespace pelt
