// SPDX-License-Identifier: MIT
// Tests pelt verify.
#include <set>
#include <sstream>
#include <string>

#include <pelt/pelt_file.h>
#include <pelt/rig.h>
#include <pelt/typed_name.h>

#include "tests/samples/pelt/pelt_program.h"
#include "tests/support/driven.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using testing::HasSubstr;

// Returns the lines of a character's checks that begin so.
std::vector<Json> lines(const Json& character, const std::string& begin) {
  std::vector<Json> found;
  for (const Json& check : character["checks"]) {
    if (check["what"].get<std::string>().starts_with(begin)) found.push_back(check);
  }
  return found;
}

TEST_F(Pelt, VerifiesADeviceByEveryDeformer) {
  const Json result = json("verify --validate");
  EXPECT_EQ(result["wrong"], 0);
  EXPECT_FALSE(result["device"].get<std::string>().empty());
  std::set<std::string> names;
  for (const Json& character : result["characters"]) {
    names.insert(character["character"]);
    EXPECT_GE(lines(character, "pass ").size(), 1u) << character;
    EXPECT_EQ(lines(character, "known answer: joints").size(), 1u) << character;
    EXPECT_EQ(lines(character, "skin").size(), 3u) << character;
    for (const Json& check : character["checks"]) {
      EXPECT_EQ(check["passed"], true) << check;
      EXPECT_EQ(check["result"], "ok") << check;
      EXPECT_GT(check["compared"], 0) << check;
      EXPECT_LE(check["difference"], check["allowed"]) << check;
    }
  }
  for (const std::string_view deformer : deformer_names()) {
    EXPECT_TRUE(names.contains("builtin:arm by " + typed_name(deformer))) << deformer;
  }
  EXPECT_EQ(lines(result["characters"][0], "known answer: 'flex' in double").size(), 1u);
}

// Normals of a skin whose joints are scaled to nothing have no direction.
TEST_F(Pelt, VerifiesWhatRoundingDecidesAsLeftOut) {
  Model model = test::make_tube({.joints = 2});
  model.skeleton.joints[0].matrix = glm::mat4(glm::mat3(0));
  ASSERT_TRUE(save_pelt(test::bound_by(model, "linear_blend"), folder / "point.pelt"));
  const Json result = json("verify point.pelt");
  std::istringstream text(done("verify point.pelt"));
  std::set<std::string> results;
  for (const Json& check : result["characters"][0]["checks"]) {
    const auto what = check["what"].get<std::string>();
    std::string line;
    while (std::getline(text, line) && line.find(what) == std::string::npos) {
    }
    EXPECT_THAT(line, testing::EndsWith(" " + check["result"].get<std::string>())) << check;
    results.insert(check["result"]);
  }
  EXPECT_THAT(results, testing::ElementsAre("left out", "ok"));
  EXPECT_EQ(lines(result["characters"][0], "tube, normals").at(0)["result"], "left out");
}

// Every clip, and masses that swing over time.
TEST_F(Pelt, VerifiesCharacters) {
  done("bind builtin:tail --deformer mos -o tail.pelt");
  const std::string text = done("verify tail.pelt builtin:limb");
  EXPECT_THAT(text, HasSubstr("\ntail.pelt\n"));
  EXPECT_THAT(text, HasSubstr("\nbuiltin:limb\n"));
  EXPECT_THAT(text, HasSubstr("mos_table"));
  EXPECT_THAT(text, testing::Not(HasSubstr("WRONG")));
  fails("verify none.pelt", "none.pelt: no such file");
}

}  // namespace
}  // namespace pelt
