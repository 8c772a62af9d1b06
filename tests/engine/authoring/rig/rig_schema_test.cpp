// SPDX-License-Identifier: MIT
// Compares rig.schema.json with the parameters' own descriptions, and the schema with the parser: documents made from
// the schema, and many small changes of them, go to both, which must agree. The order of keys is an exception, which
// JSON Schema cannot express.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>

#include <pelt/rig.h>
#include <pelt/rig_json.h>

#include "tests/support/program.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

// Returns the schema with examples for properties that need more than one value.
const Json& schema() {
  static const Json json = [] {
    Json made = Json::parse(format_rig_schema());
    Json& types = made["$defs"];
    types["curve_path"]["properties"]["joints"]["examples"] = Json::parse(R"([["x", "y"]])");
    types["curve_bone"]["properties"]["twist"]["examples"] = Json::parse("[[[0, 0], [0.5, 0.25], [1, 1]]]");
    types["curve_joint"]["properties"]["float"]["examples"] = Json::parse("[[[0, 0.02], [90, 0.0625], [135, 0.25]]]");
    types["hierarchical_bspline"]["properties"]["shape"]["examples"] = Json::parse("[[4, 4]]");  // next to faces
    types["mos"]["properties"]["chains"]["examples"] = Json::parse(R"([[
      {"name": "arm", "points": [{"name": "bicep", "joint": "x", "offset": [0.125, 0, 0], "bisecting": false,
                                  "rotation": [0, 30, 0]},
                                 {"name": "", "joint": "y", "offset": [0, 0, 0], "bisecting": true,
                                  "rotation": [0, 0, 0]}], "joints": []},
      {"name": "leg", "points": [], "joints": ["x", "y"]}]])");
    Json edits = Json::array();
    const Json edit = Json::parse(R"({"operation": "", "points": ["bicep", "x*"], "factor": 1, "pivot": "joint",
      "distance": 0, "offset": [0, 0, 0], "scale": [1, 1, 1], "degrees": 0, "share": [], "in_bind": true})");
    for (const char* changes :
         {R"({"operation": "bulge", "factor": 1.5, "pivot": [0, 0.25, 0]})",
          R"({"operation": "bulge", "in_bind": false})",
          R"({"operation": "slide", "distance": 0.25, "offset": [0, 0, 0.5]})",
          R"({"operation": "scale", "scale": [1, 2, 2], "in_bind": false})", R"({"operation": "motion", "factor": -1})",
          R"({"operation": "twist", "degrees": 450, "in_bind": false})"}) {
      edits.push_back(edit);
      edits.back().merge_patch(Json::parse(changes));
    }
    Json driven = edits[0];
    driven.erase("share");
    driven.erase("in_bind");
    driven["driver"] = {{"joint", "x"}, {"axis", {0, 1, 0}}};
    driven["share"] = Json::parse("[[0, 0], [90, 1]]");
    driven["in_bind"] = true;
    edits.push_back(driven);
    types["mos"]["properties"]["edits"]["examples"] = Json::array({edits});
    return made;
  }();
  return json;
}

const Json& resolved(const Json& node) {
  if (!node.contains("$ref")) return node;
  const std::string reference = node.at("$ref");
  return resolved(schema().at(Json::json_pointer(reference.substr(1))));
}

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number() && std::floor(value.get<double>()) == value.get<double>();
  throw std::runtime_error("type " + type);
}

// Checks a value by the part of JSON Schema 2020-12 that the schema uses; any other keyword throws.
bool conforms(const Json& value, const Json& node) {
  for (const auto& [keyword, rule] : node.items()) {
    bool ok = true;
    if (keyword == "$ref") {
      ok = conforms(value, schema().at(Json::json_pointer(rule.get<std::string>().substr(1))));
    } else if (keyword == "type") {
      ok = has_type(value, rule);
    } else if (keyword == "const") {
      ok = value == rule;
    } else if (keyword == "enum") {
      ok = std::find(rule.begin(), rule.end(), value) != rule.end();
    } else if (keyword == "minimum") {
      ok = !value.is_number() || value.get<double>() >= rule.get<double>();
    } else if (keyword == "maximum") {
      ok = !value.is_number() || value.get<double>() <= rule.get<double>();
    } else if (keyword == "exclusiveMinimum") {
      ok = !value.is_number() || value.get<double>() > rule.get<double>();
    } else if (keyword == "minLength") {
      ok = !value.is_string() || value.get<std::string>().size() >= rule.get<std::size_t>();
    } else if (keyword == "minItems") {
      ok = !value.is_array() || value.size() >= rule.get<std::size_t>();
    } else if (keyword == "maxItems") {
      ok = !value.is_array() || value.size() <= rule.get<std::size_t>();
    } else if (keyword == "contains") {
      ok = !value.is_array() ||
           std::any_of(value.begin(), value.end(), [&](const Json& item) { return conforms(item, rule); });
    } else if (keyword == "prefixItems") {
      for (std::size_t i = 0; value.is_array() && i < std::min(rule.size(), value.size()); ++i) {
        ok = ok && conforms(value[i], rule[i]);
      }
    } else if (keyword == "items") {
      const std::size_t first = node.contains("prefixItems") ? node["prefixItems"].size() : 0;
      for (std::size_t i = first; value.is_array() && i < value.size(); ++i) ok = ok && conforms(value[i], rule);
    } else if (keyword == "properties") {
      if (value.is_object()) {
        for (const auto& [key, property] : rule.items())
          ok = ok && (!value.contains(key) || conforms(value[key], property));
      }
    } else if (keyword == "additionalProperties") {
      if (rule != false) throw std::runtime_error("additionalProperties");
      if (value.is_object()) {
        for (const auto& [key, unused] : value.items()) ok = ok && node.at("properties").contains(key);
      }
    } else if (keyword == "required") {
      if (value.is_object()) {
        for (const Json& key : rule) ok = ok && value.contains(key.get<std::string>());
      }
    } else if (keyword == "anyOf") {
      ok = std::any_of(rule.begin(), rule.end(), [&](const Json& one) { return conforms(value, one); });
    } else if (keyword == "allOf") {
      ok = std::all_of(rule.begin(), rule.end(), [&](const Json& one) { return conforms(value, one); });
    } else if (keyword == "not") {
      ok = !conforms(value, rule);
    } else if (keyword == "if") {
      ok = !conforms(value, rule) || conforms(value, node.at("then"));
    } else if (keyword != "$schema" && keyword != "title" && keyword != "description" && keyword != "default" &&
               keyword != "examples" && keyword != "$defs" && keyword != "then" && !keyword.starts_with("x-")) {
      throw std::runtime_error("keyword " + keyword);
    }
    if (!ok) return false;
  }
  return true;
}

bool is_object(const Json& property) { return resolved(property).contains("properties"); }

// Returns true for an object without a default: it may be left out, which differs from an object of defaults.
bool is_optional(const Json& property) {
  return is_object(property) && !property.contains("default") && !resolved(property).contains("default");
}

// Returns the value that the schema gives a property; the properties of objects are filled in likewise.
Json default_of(const Json& property) {
  const Json& node = resolved(property);
  if (!is_object(property)) return property.contains("default") ? property.at("default") : node.at("default");
  Json object = Json::object();
  for (const auto& [key, child] : node.at("properties").items()) {
    if (!is_optional(child)) object[key] = default_of(child);
  }
  return object;
}

// Makes a value with everything in it: one entry in each array, and all optional objects but those that others exclude.
Json example_of(const Json& property) {
  const Json& node = resolved(property);
  if (is_object(property)) {
    Json object = Json::object();
    for (const auto& [key, child] : node.at("properties").items()) object[key] = example_of(child);
    for (const auto& [key, child] : node.at("properties").items()) {
      if (is_optional(child) && !conforms(object, node)) object.erase(key);
    }
    return object;
  }
  if (node.contains("examples")) return node["examples"][0];
  if (node.value("type", "") == "array") {
    Json array = Json::array();
    for (const Json& first : node.value("prefixItems", Json::array())) array.push_back(example_of(first));
    while (array.empty() || array.size() < node.value("minItems", std::size_t{1})) {
      array.push_back(example_of(node.at("items")));
    }
    return array;
  }
  if (property.contains("default")) return property.at("default");
  if (node.contains("default")) return node.at("default");
  if (node.contains("anyOf")) return example_of(node.at("anyOf")[0]);
  return node.value("type", "") == "string" ? Json("x") : Json(1);
}

std::vector<std::string> schema_deformers() {
  return schema().at("/$defs/layer/properties/deformer/enum"_json_pointer);
}

// Makes a rig of one layer with every property at its default.
Json full_document(const std::string& deformer) {
  Json layer;
  for (const auto& [key, property] : schema().at("/$defs/layer/properties"_json_pointer).items()) {
    layer[key] = key == "deformer"     ? Json(deformer)
                 : key == "parameters" ? default_of(schema().at("$defs").at(deformer))
                                       : default_of(property);
  }
  return Json{{"format", schema().at("/properties/format/const"_json_pointer)},
              {"name", ""},
              {"groups", Json::array()},
              {"muscles", Json::array()},
              {"correctives", Json::array()},
              {"joints", Json::array()},
              {"helper_joints", Json::array()},
              {"layers", Json::array({layer})},
              {"check", default_of(schema().at("/properties/check"_json_pointer))},
              {"paint", default_of(schema().at("/properties/paint"_json_pointer))}};
}

// Makes the same with an example of everything that may be left out or repeated.
Json rich_document(const std::string& deformer) {
  Json document = full_document(deformer);
  document["groups"] = Json::array({example_of(schema().at("/$defs/group"_json_pointer))});
  document["muscles"] = Json::array({example_of(schema().at("/$defs/muscle"_json_pointer))});
  document["correctives"] = Json::array({example_of(schema().at("/$defs/corrective"_json_pointer))});
  document["joints"] = Json::array({example_of(schema().at("/$defs/joint"_json_pointer))});
  document["helper_joints"] = Json::array({example_of(schema().at("/$defs/helper_joint"_json_pointer))});
  Json& layer = document["layers"][0];
  layer["mask"] = example_of(schema().at("/$defs/mask"_json_pointer));
  layer["parameters"] = example_of(schema().at("$defs").at(deformer));
  return document;
}

void collect(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& pointers) {
  pointers.push_back(at);
  if (!value.is_structured()) return;
  for (const auto& [key, child] : value.items()) {
    collect(child, value.is_array() ? at / std::stoul(key) : at / key, pointers);
  }
}

// Collects every string that the schema allows anywhere: each is tried everywhere.
void collect_words(const Json& node, std::set<std::string>& words) {
  if (!node.is_structured()) return;
  if (node.is_object() && node.contains("enum")) {
    for (const Json& word : node["enum"]) words.insert(word.get<std::string>());
  }
  if (node.is_object() && node.contains("const") && node["const"].is_string()) {
    words.insert(node["const"].get<std::string>());
  }
  for (const Json& child : node) collect_words(child, words);
}

// Expects the file to hold this text; writes the text if PELT_UPDATE_REFERENCE is set.
void expect_committed(const std::string& text, const fs::path& file) {
  if (std::getenv("PELT_UPDATE_REFERENCE") != nullptr) std::ofstream(file, std::ios::binary) << text;
  EXPECT_TRUE(test::file_text(file) == text) << file << " is out of date; PELT_UPDATE_REFERENCE=1 writes it again";
}

TEST(RigSchema, IsCommittedAsTheParametersSayIt) {
  expect_committed(format_rig_schema(), fs::path(PELT_SOURCE) / "engine/authoring/rig/rig.schema.json");
}

TEST(RigReference, IsCommittedAsTheParametersSayIt) {
  expect_committed(format_rig_reference(), fs::path(PELT_SOURCE) / "docs/rig_reference.md");
}

// A key or word that is not its member's or constant's name would set another, which writing it again does not show.
TEST(RigSchema, KeysAndWordsAreTheNamesOfTheirMembersAndConstants) {
  const std::regex field(
      R"re(fields\.(?!refuse|conflict|at_most_one|exactly_one)\w+\(\{(?:\.name = )?"(\w+)"((?:"(?:\\.|[^"\\])*"|[^"])*?)\);)re");
  const std::regex choice(R"re(\{"(\w+)", \w+::(?:\w+::)*k(\w+)\})re");
  const std::regex text(R"re("(?:\\.|[^"\\])*")re");
  std::size_t keys = 0;
  std::size_t words = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(PELT_SOURCE) / "engine/authoring")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string source = std::regex_replace(test::file_text(entry.path()), std::regex(R"(\s+)"), " ");
    if (source.find("Fields& fields") == std::string::npos) continue;
    for (std::sregex_iterator found(source.begin(), source.end(), field), end; found != end; ++found, ++keys) {
      const std::string member = (*found)[1] == "float" ? "float_distance" : (*found)[1].str();
      const std::string arguments = std::regex_replace((*found)[2].str(), text, "");
      EXPECT_TRUE(std::regex_search(arguments, std::regex("[. ]" + member + "\\b"))) << entry.path() << (*found).str();
    }
    for (std::sregex_iterator found(source.begin(), source.end(), choice), end; found != end; ++found, ++words) {
      EXPECT_STRCASEEQ(std::regex_replace((*found)[1].str(), std::regex("_"), "").c_str(), (*found)[2].str().c_str());
    }
  }
  EXPECT_GT(keys, 150u);
  EXPECT_GT(words, 30u);
}

TEST(RigSchema, NamesTheDeformersOfTheParser) {
  const std::vector<std::string_view> names = deformer_names();
  EXPECT_EQ(schema_deformers(), std::vector<std::string>(names.begin(), names.end()));
}

TEST(RigSchema, DefaultsAreThoseOfTheParser) {
  for (const std::string& deformer : schema_deformers()) {
    const Json full = full_document(deformer);
    ASSERT_TRUE(conforms(full, schema())) << full.dump(2);
    const auto explicit_rig = parse_rig(full.dump(), "full");
    ASSERT_TRUE(explicit_rig) << explicit_rig.error().message << "\n" << full.dump(2);
    const Json minimal{{"format", full["format"]}, {"layers", {{{"deformer", deformer}}}}};
    ASSERT_TRUE(conforms(minimal, schema()));
    const auto implicit_rig = parse_rig(minimal.dump(), "minimal");
    ASSERT_TRUE(implicit_rig) << implicit_rig.error().message;
    EXPECT_EQ(*explicit_rig, *implicit_rig);

    // The parser knows the same keys as the schema, in the same order: the writer writes all of them.
    EXPECT_EQ(Json::parse(format_rig(*implicit_rig)), full) << format_rig(*implicit_rig) << full.dump(2);
  }
}

TEST(RigSchema, AnExampleOfEverythingIsReadAndWrittenAsItIs) {
  for (const std::string& deformer : schema_deformers()) {
    const Json rich = rich_document(deformer);
    ASSERT_TRUE(conforms(rich, schema())) << rich.dump(2);
    const auto rig = parse_rig(rich.dump(), "rich");
    ASSERT_TRUE(rig) << rig.error().message << "\n" << rich.dump(2);
    EXPECT_EQ(Json::parse(format_rig(*rig)), rich);
    EXPECT_EQ(*parse_rig(format_rig(*rig), "again"), *rig);
  }
}

TEST(RigSchema, AcceptsAndRefusesWhatTheParserDoes) {
  std::set<std::string> words = {"", "x", "*"};
  collect_words(schema(), words);
  std::vector<Json> values = Json::parse(R"([null, true, false, 0, 1, -1, 2, 0.5, 1.5, -0.5, 2000.0, 1e38, 1e39, -1e39,
                                             4294967295, 4294967296, 1e300, [], {}, ["x"], [1], [{}], {"x": 1}])");
  values.insert(values.end(), words.begin(), words.end());

  std::size_t accepted = 0;
  std::size_t refused = 0;
  const auto compare = [&](const Json& document) {
    const auto rig = parse_rig(document.dump(), "document");
    const std::string error = rig ? "" : rig.error().message;
    const bool out_of_order = error.find(", the previous key") != std::string::npos ||
                              error.find("must run from") != std::string::npos ||
                              error.find("must never fall") != std::string::npos;
    const bool expected = conforms(document, schema()) && !out_of_order;
    EXPECT_EQ(rig.has_value(), expected) << document.dump() << "\n" << error;
    ++(expected ? accepted : refused);
    return rig.has_value() ? std::optional(Json::parse(format_rig(*rig))) : std::nullopt;
  };
  std::vector<Json> documents;
  for (const std::string& deformer : schema_deformers()) documents.push_back(full_document(deformer));
  for (const char* deformer : {"surface_ffd", "curve_skeleton", "mos"}) documents.push_back(rich_document(deformer));
  for (const Json& full : documents) {
    std::vector<Json::json_pointer> pointers;
    collect(full, Json::json_pointer(), pointers);
    for (const Json::json_pointer& pointer : pointers) {
      for (const Json& value : values) {
        Json changed = full;
        changed[pointer] = value;
        const std::optional<Json> written = compare(changed);
        // The key keeps the value, and no other key takes it. Objects are filled in, and a float cannot be 4294967295.
        const bool is_exact = value != 4294967295u && value.dump().find('{') == std::string::npos;
        if (written && is_exact && pointer.back() != "deformer") {
          EXPECT_EQ(*written, changed) << pointer << value;
        }
        if (pointer.empty() || !full[pointer.parent_pointer()].is_object()) continue;
        // Change a word of a neighbour as well, to test conditions between keys.
        for (const auto& [key, neighbour] : full[pointer.parent_pointer()].items()) {
          if (!neighbour.is_string() || !value.is_string()) continue;
          Json both = changed;
          both[pointer.parent_pointer() / key] = "x";
          compare(both);
        }
      }
      if (full[pointer].is_object()) {
        Json extended = full;
        extended[pointer / "unheard_of"] = 1;
        EXPECT_FALSE(conforms(extended, schema()));
        compare(extended);
      }
      if (!pointer.empty() && full[pointer.parent_pointer()].is_object()) {
        Json reduced = full;
        reduced[pointer.parent_pointer()].erase(pointer.back());
        compare(reduced);
      }
    }
  }
  EXPECT_GT(accepted, 200u);
  EXPECT_GT(refused, 2000u);
}

}  // namespace
}  // namespace pelt
