// SPDX-License-Identifier: MIT
#include "engine/authoring/base/name_list.h"

#include <gtest/gtest.h>

namespace pelt {
namespace {

std::string listed(const std::vector<std::string>& names) {
  NameList list;
  for (const std::string& name : names) list.add(name);
  return list.text();
}

TEST(NameList, ShowsTheFirstAndCountsTheRest) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"arm", "leg"}), "'arm', 'leg'");
  EXPECT_EQ(listed({"a", "b", "c", "d", "e", "f"}), "'a', 'b', 'c', 'd' and 2 more");
}

TEST(NameList, CutsNamesBetweenLetters) {
  EXPECT_EQ(listed({std::string(101, 'a')}), "'" + std::string(100, 'a') + "'");
  EXPECT_EQ(listed({std::string(100, 'a')}), "'" + std::string(100, 'a') + "'");
  // A letter of two bytes, of which the second would be the 101st; one of three, of which the last two would be too
  // many.
  EXPECT_EQ(listed({std::string(99, 'a') + "\u00e4b"}), "'" + std::string(99, 'a') + "'");
  EXPECT_EQ(listed({std::string(98, 'a') + "\u20acb"}), "'" + std::string(98, 'a') + "'");
  EXPECT_EQ(listed({std::string(98, 'a') + "\u00e4b"}), "'" + std::string(98, 'a') + "\u00e4'");
  EXPECT_EQ(listed({std::string(200, '\x80')}), "''") << "which is no text";
}

}  // namespace
}  // namespace pelt
