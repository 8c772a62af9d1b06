// SPDX-License-Identifier: MIT
// Every option of pelt bind makes characters that the other commands can read: each is drawn.
#include <fmt/format.h>

#include <map>
#include <regex>

#include "tests/samples/pelt/pelt_program.h"

namespace pelt {
namespace {

// An option of the help, and a command that binds with it; without one the option writes no character.
const std::map<std::string, std::string> kBinds{
    {"--help", ""},
    {"--output", "bind builtin:arm -o"},
    {"--rig", "bind builtin:arm --rig rig.json -o"},
    {"--deformer", "bind builtin:arm --deformer mos -o"},
    {"--preset", "bind builtin:limb --preset limb -o"},
    {"--any-file", "bind builtin:arm --any-file -o"},
    {"--no-fallback", "bind builtin:arm --no-fallback -o"},
    {"--no-check", "bind builtin:arm --no-check -o"},
    {"--paint", "bind builtin:arm --paint -o"},
    {"--driver", "bind sleeve.obj --driver builtin:limb -o"},
    {"--weights-of", "bind sleeve.obj --weights-of builtin:limb -o"},
    {"--report", "bind builtin:arm --report report.json -o"},
    {"--write-rig", "bind builtin:arm --write-rig written.json -o"},
    {"--json", "bind builtin:arm --json -o"},
    {"--verbose", "bind builtin:arm --verbose -o"},
};

class BindOptions : public Pelt {
 protected:
  void SetUp() override {
    write("rig.json", R"({"format": "pelt-rig 1", "layers": [{"deformer": "dual_quaternion"}]})");
    write("sleeve.obj", sleeve(8, 12));
  }

  void draw(const std::string& character) {
    const std::string printed = done("render " + character + " --size 32x18 -o drawn.png");
    const std::regex within("differ by at most ([0-9.e+-]+) of the character's size");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(printed, found, within)) << character << ": " << printed;
    EXPECT_LT(std::stod(found[1]), 1e-4) << character;
  }
};

TEST_F(BindOptions, AreAllListedHere) {
  const std::string help = done("bind --help");
  const std::regex option("\n  (?:-[a-z],)?(--[a-z][a-z-]*)");
  std::set<std::string> listed;
  for (const auto& [name, bind] : kBinds) listed.insert(name);
  std::set<std::string> known;
  for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at) known.insert((*at)[1]);
  EXPECT_EQ(known, listed);
}

TEST_F(BindOptions, MakeCharactersThatAreDrawn) {
  for (const auto& [option, bind] : kBinds) {
    if (bind.empty()) continue;
    SCOPED_TRACE(option);
    done(bind + " bound.pelt");
    draw("bound.pelt");
  }
}

}  // namespace
}  // namespace pelt
