// SPDX-License-Identifier: MIT
// Tests pelt verify.
#include <pelt/rig.h>

#include "tests/samples/pelt/pelt_program.h"

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
  const Json result = Json::parse(done("verify --validate --json"));
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
      EXPECT_GT(check["compared"], 0) << check;
      EXPECT_LE(check["difference"], check["allowed"]) << check;
    }
  }
  for (const std::string_view deformer : deformer_names()) {
    EXPECT_TRUE(names.contains("builtin:arm by " + std::string(deformer))) << deformer;
  }
  EXPECT_EQ(lines(result["characters"][0], "known answer: 'flex' in double").size(), 1u);
}

// Every clip, and masses that swing over time.
TEST_F(Pelt, VerifiesCharacters) {
  done("bind builtin:tail --deformer mos -o tail.pelt");
  const std::string text = done("verify tail.pelt builtin:limb");
  EXPECT_THAT(text, HasSubstr("\ntail.pelt\n"));
  EXPECT_THAT(text, HasSubstr("\nbuiltin:limb\n"));
  EXPECT_THAT(text, HasSubstr("mos_table"));
  EXPECT_THAT(text, testing::Not(HasSubstr("WRONG")));
  EXPECT_THAT(failure("verify none.pelt"), HasSubstr("none.pelt: no such file"));
}

}  // namespace
}  // namespace pelt
