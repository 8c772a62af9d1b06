// SPDX-License-Identifier: MIT
#include "samples/viewer/handle.h"

#include <glm/gtc/matrix_transform.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/must.h"
#include "tests/support/refused.h"

namespace pelt::viewer {
namespace {

using test::must;
using testing::HasSubstr;
using Json = nlohmann::json;

Json rig() {
  return Json::parse(R"({"layers": [
    {"parameters": {"curves": [{"offset": [0, 0.5, 0]}], "driver": {"offsets": [[2, 0, 0, 1], [7, 1, 0, 0]]}}},
    {"parameters": {"edits": [
      {"operation": "slide", "points": ["arm.2"], "distance": 0, "offset": [1, 0, 0], "share": [], "in_bind": true},
      {"operation": "slide", "points": ["arm.1", "arm.2"], "offset": [1, 0, 0], "in_bind": false},
      {"operation": "scale", "points": ["arm.2"], "scale": [1, 1, 1], "in_bind": false}]}}]})");
}

std::string refusal(const Handle& handle, glm::vec3 way = {1, 0, 0}) {
  return test::error_of(moved_by(rig(), handle, way));
}

TEST(Handles, OfNothingDoNotMove) {
  EXPECT_THAT(refusal({.name = "a point"}), HasSubstr("'a point': nothing in the rig moves it"));
}

TEST(Handles, SayThatTheirPlaceIsGone) {
  for (const HandleKind kind : {HandleKind::kOffset, HandleKind::kPointEdit, HandleKind::kVertexOffset}) {
    Handle handle{.name = "a point", .kind = kind, .places = {"/layers/2/parameters"}};
    EXPECT_THAT(refusal(handle), HasSubstr("no longer has /layers/2/parameters"));
    handle.places = {"/layers/0"};  // a value of another type
    EXPECT_THAT(refusal(handle), HasSubstr("no longer has /layers/0,"));
  }
}

TEST(Handles, DoNotMoveWhereTheirFrameIsFlat) {
  const Handle flat{.name = "a point",
                    .kind = HandleKind::kOffset,
                    .from_rig = glm::mat3(1, 0, 0, 0, 1, 0, 0, 0, 0),
                    .places = {"/layers/0/parameters/curves/0/offset"}};
  EXPECT_THAT(refusal(flat), HasSubstr("'a point': cannot be moved here"));
}

TEST(Handles, MoveAnOffsetInItsOwnSpace) {
  const glm::mat3 turned(glm::rotate(glm::mat4(1), glm::radians(90.0f), glm::vec3(0, 0, 1)));
  const Handle handle{
      .kind = HandleKind::kOffset, .from_rig = 2.0f * turned, .places = {"/layers/0/parameters/curves/0/offset"}};
  const Json moved = must(moved_by(rig(), handle, {0, 4, 0}));
  const Json& offset = moved.at(Json::json_pointer(handle.places[0]));
  EXPECT_NEAR(offset[0].get<float>(), 2, 1e-6);
  EXPECT_NEAR(offset[1].get<float>(), 0.5, 1e-6);
  EXPECT_EQ(offset[2].get<float>(), 0);
}

TEST(Handles, OfAPlacedPointHaveOneEdit) {
  const Handle handle{.kind = HandleKind::kPointEdit, .places = {"/layers/1/parameters/edits"}, .point = "arm.2"};
  const Json once = must(moved_by(rig(), handle, {0, 0.25f, 0}));
  const Json twice = must(moved_by(once, handle, {0, 0, 0.5f}));
  Json expected = rig();
  expected["layers"][1]["parameters"]["edits"].push_back(
      {{"operation", "slide"}, {"points", {"arm.2"}}, {"offset", {0.0, 0.25, 0.5}}, {"in_bind", false}});
  EXPECT_EQ(twice, expected) << "what else slides it stays";
}

TEST(Handles, OfADriverVertexHaveOneOffset) {
  Handle handle{.kind = HandleKind::kVertexOffset, .places = {"/layers/0/parameters/driver/offsets"}, .vertex = 7};
  const auto offsets = [&](const Json& json) { return json.at(Json::json_pointer(handle.places[0])); };
  EXPECT_EQ(offsets(must(moved_by(rig(), handle, {0, 0.5f, 0}))), Json::parse("[[2, 0, 0, 1], [7, 1.0, 0.5, 0.0]]"));
  handle.vertex = 3;
  EXPECT_EQ(offsets(must(moved_by(rig(), handle, {0, 0.5f, 0}))),
            Json::parse("[[2, 0, 0, 1], [3, 0.0, 0.5, 0.0], [7, 1, 0, 0]]"));
  handle.vertex = 9;
  EXPECT_EQ(offsets(must(moved_by(rig(), handle, {0, 0.5f, 0}))).back(), Json::parse("[9, 0.0, 0.5, 0.0]"));
}

}  // namespace
}  // namespace pelt::viewer
