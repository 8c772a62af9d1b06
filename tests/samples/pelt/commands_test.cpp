// SPDX-License-Identifier: MIT
// Tests the help, the errors and the pictures of the program.
#include <fmt/format.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <regex>

#include <pelt/import.h>

#include "tests/samples/pelt/pelt_program.h"
#include "tests/samples/read_png.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using testing::HasSubstr;

using test::file_text;

const char* const kCommands[] = {"info",  "bind",    "learn",    "deform", "render",
                                 "bench", "quality", "skeleton", "surface"};

std::set<std::string> long_options(const std::string& text) {
  std::set<std::string> options;
  const std::regex option("--[a-z][a-z-]*");
  for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at) options.insert(at->str());
  return options;
}

TEST_F(Pelt, HelpsAndIsDocumented) {
  const std::string document = file_text(std::filesystem::path(PELT_SOURCE) / "docs/cli.md");
  const std::string usage = done("--help");
  std::set<std::string> in_help = long_options(usage);
  EXPECT_THAT(usage, HasSubstr("Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no usable Vulkan device"));
  for (const std::string command : kCommands) {
    const std::string help = done(command + " --help");
    EXPECT_THAT(help, HasSubstr("Example:\n  pelt " + command));
    EXPECT_THAT(document, HasSubstr("## pelt " + command));
    in_help.merge(long_options(help));
  }
  EXPECT_EQ(long_options(document), in_help);
}

TEST_F(Pelt, SaysHowItIsUsed) {
  fails("", "'pelt --help' explains", 2);
  fails("bnid x", "'pelt --help' explains", 2);
  fails("bind builtin:limb", "--output is required", 2);
  fails("bind builtin:limb -o x.obj", ".pelt", 2);
  fails("bind builtin:limb --deformer surface-fdf -o x.pelt", "surface-ffd", 2);
  fails("bind builtin:limb --rig r.json --deformer linear-blend -o x.pelt", "excludes", 2);
  fails("deform builtin:limb --frames 4:2 -o x.pc2", "4:2", 2);
  fails("deform builtin:limb --frames 0:2 -o x.obj", "one frame", 2);
  fails("deform builtin:limb --frames 0:2 --time 1 -o x.pc2", "excludes", 2);
  fails("deform builtin:limb --fps 0 -o x.pc2", "--fps", 2);
  fails("deform builtin:limb --fps nan -o x.pc2", "--fps", 2);
  fails("render builtin:limb --size 0x9 -o x.png", "0x9", 2);
  fails("render builtin:limb --size 20000x9 -o x.png", "20000x9", 2);
  fails("bench --rounds 0", "--rounds", 2);
  const std::string deform = "deform --deformer linear-blend --no-check --backend cpu -o x.obj builtin:";
  fails(deform + "limb --time 1", "--time: needs --clip NAME; there are: bend, twist");
  EXPECT_THAT(done(deform + "tail --time 99"), HasSubstr("note: the animation ends at"));
}

TEST_F(Pelt, RefusesOptionsThatDoNotGoTogether) {
  done("bind builtin:limb --deformer linear-blend -o old.pelt");
  write("r.json", R"({"format": "pelt-rig 1", "layers": []})");
  const std::string bind = "bind builtin:limb -o x.pelt ";
  fails(bind + "--preset limb --rig r.json", "excludes", 2);
  fails(bind + "--preset limb --deformer mos", "excludes", 2);
  fails(bind + "--preset limb --driver builtin:limb", "excludes", 2);
  fails(bind + "--preset limbs", "biped", 2);
  fails(bind + "--preset biped", "preset biped finds no chain");
  fails(bind + "--report r.txt", "must end in .json", 2);
  fails(bind + "--write-rig r.txt", "must end in .json", 2);
  fails(bind + "--write-rig out.json --report out.json", "out.json", 2);
  fails(bind + "--driver", "--driver", 2);
  fails("render old.pelt --show unbound --weights 0 -o x.png", "excludes", 2);
  fails("render old.pelt --show weights -o x.png", "weights", 2);
  fails("deform old.pelt -o x.pc2 --cache", "--cache", 2);
}

TEST_F(Pelt, GivesASkinASkeleton) {
  write("sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string arguments = "skeleton builtin:biped --resolution 96 ";
  const Json report = Json::parse(done(arguments + "--json -o first.glb"));
  EXPECT_EQ(report["ends"], 5u);
  EXPECT_EQ(report["bytes"], std::filesystem::file_size(folder / "first.glb"));
  EXPECT_THAT(done(arguments + "-o text.glb"), HasSubstr("note: its skeleton of 59 joints"));
  const Model model = test::must(import_model((folder / "first.glb").string()));
  EXPECT_EQ(model.bound_joints.size(), report["joints"].size());
  done("bind first.glb --deformer linear-blend -o first.pelt");

  fails("skeleton none.obj -o x.glb", "none.obj: no such file");
  fails("skeleton sheet.obj -o x.glb", "is open at the edge from vertex 0 to 1");
  fails("skeleton sheet.obj", "--output is required", 2);
  fails("skeleton sheet.obj -o x.obj", ".glb", 2);
  fails("skeleton sheet.obj --resolution 1000 -o x.glb", "--resolution", 2);
  fails("skeleton sheet.obj --detail nan -o x.glb", "--detail", 2);
  fails("skeleton sheet.obj --bone-length 0 -o x.glb", "--bone-length", 2);
}

TEST_F(Pelt, RefusesARigWithItsPlace) {
  write("rig.json", R"({"format": "pelt-rig 1", "layers": [{"deformer": "surface_ffd", "parameters": {"locl": 4}}]})");
  const std::string error = failure("bind builtin:limb --rig rig.json -o x.pelt");
  EXPECT_THAT(error, HasSubstr("rig.json: /layers/0/parameters/locl"));
  EXPECT_THAT(error, HasSubstr("did you mean 'local'"));
}

TEST_F(Pelt, RefusesADamagedCharacter) {
  done("bind builtin:limb --deformer linear-blend -o limb.pelt");
  const std::string whole = file_text(folder / "limb.pelt");
  write("cut.pelt", whole.substr(0, whole.size() / 2));
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 4;
  write("flipped.pelt", flipped);
  for (const std::string name : {"cut.pelt", "flipped.pelt"}) {
    for (const std::string& command : {"info " + name, "deform " + name + " --backend cpu -o x.obj"}) {
      fails(command, name + ": ");
    }
  }
}

TEST_F(Pelt, LeavesNothingWhereItCannotWrite) {
  write("file", "");
  std::filesystem::create_directory(folder / "taken.pelt");
  for (const std::string output : {"none/x.pelt", "file/x.pelt", "taken.pelt"}) {
    fails("bind builtin:limb --deformer linear-blend -o " + output, output + ": ");
  }
  std::filesystem::create_directory(folder / "taken.pc2");
  fails("deform builtin:limb --deformer linear-blend --backend cpu -o taken.pc2", "taken.pc2: ");
  const std::string bind = "bind builtin:limb --deformer linear-blend -o x.pelt ";
  fails(bind + "--report none/r.json", "none/r.json: ");
  fails(bind + "--write-rig none/r.json", "none/r.json: ");
}

TEST_F(Pelt, DrawsWhatIsAsked) {
  done("bind builtin:limb -o limb.pelt");
  const std::string small = " --validate --size 160x90 -o ";
  EXPECT_THAT(done("render limb.pelt" + small + "plain.png"),
              testing::ContainsRegex("differ by at most [0-9.]+e-0[6-9] of the character's size"));
  const std::string plain = file_text(folder / "plain.png");
  ASSERT_GT(plain.size(), 24u);
  EXPECT_EQ(plain.substr(16, 8), std::string("\0\0\0\xA0\0\0\0\x5A", 8));  // width and height of the header
  const Json info = json("info limb.pelt");
  const std::string joint = info["joints"].back();
  std::set<std::string> pictures{plain};
  EXPECT_THAT(done("render limb.pelt --difference" + small + "other.png"), HasSubstr("pose 'bend at"));
  EXPECT_TRUE(pictures.insert(file_text(folder / "other.png")).second);
  for (const std::string& option :
       {std::string("--wire"), std::string("--driver"), std::string("--yaw 90"), std::string("--pitch 60"),
        "--frame " + joint, std::string("--with builtin:arm"), std::string("--compare linear-blend")}) {
    done("render limb.pelt " + option + small + "other.png");
    EXPECT_TRUE(pictures.insert(file_text(folder / "other.png")).second) << option << " changes nothing";
  }
  done("render limb.pelt --weights " + joint + small + "other.png");
  EXPECT_TRUE(pictures.insert(file_text(folder / "other.png")).second);
  done("render limb.pelt --weights 0" + small + "other.png");
  EXPECT_TRUE(pictures.insert(file_text(folder / "other.png")).second);
  for (const std::string what : {"unbound", "distance", "influences"}) {
    done("render limb.pelt --show " + what + small + "other.png");
    EXPECT_TRUE(pictures.insert(file_text(folder / "other.png")).second) << what;
  }
  done("bind builtin:limb --deformer linear-blend -o blend.pelt");
  fails("render blend.pelt --show distance -o x.png", "blend.pelt: there is no driver");
  fails("render blend.pelt --difference -o x.png", "blend.pelt: moves as by linear blend");
  fails("render limb.pelt --difference --clip bend -o x.png", "excludes", 2);
  fails("render limb.pelt --weights none -o x.png", "there is no joint 'none'");
  fails("render limb.pelt --weights 999999 -o x.png", "999999");
  fails("render limb.pelt --frame none -o x.png", "limb.pelt: there is no joint 'none'");
  fails("render limb.pelt --with none.glb -o x.png", "none.glb");
  fails("render limb.pelt --model none.glb -o x.png", "none.glb");
  fails("render builtin:limb --model builtin:limb -o x.png", "--model", 2);
  // Without a device the exit code tells callers that it is not the file that is wrong.
  for (const std::string command :
       {"render limb.pelt -o x.png", "deform limb.pelt --time 0 -o x.obj", "verify limb.pelt"})
    fails(command + " --device none", "none", 3);
}

TEST_F(Pelt, ReportsABindOnOneScreen) {
  const std::string brief = done("bind builtin:biped -o a.pelt");
  EXPECT_LE(std::count(brief.begin(), brief.end(), '\n'), 10) << brief;
  EXPECT_THAT(brief, HasSubstr("wrote a.pelt, "));
  const std::string whole = done("bind builtin:biped --verbose -o b.pelt");
  EXPECT_GT(std::count(whole.begin(), whole.end(), '\n'), 10) << whole;
  EXPECT_EQ(file_text(folder / "a.pelt"), file_text(folder / "b.pelt"));
}

// The panels of a comparison have one camera: equal motion looks equal.
TEST_F(Pelt, ComparesFromOneSide) {
  done("render builtin:limb --deformer surface-ffd --compare surface-ffd --size 240x90 -o pair.png");
  const std::optional<samples::Image> pair = test::read_png(folder / "pair.png");
  ASSERT_TRUE(pair);
  int far = 0;  // the two panels take their samples from one pattern, so that only captions may differ
  for (std::size_t y = 0; y < 75; ++y) {
    for (std::size_t x = 0; x < std::size_t{4} * 120; ++x) {
      const std::size_t left = std::size_t{4} * 240 * y + x;
      far += std::abs(pair->pixels[left] - pair->pixels[left + std::size_t{4} * 120]) > 2 ? 1 : 0;
    }
  }
  EXPECT_EQ(far, 0);
}

// Runs a command on a terminal, presses Ctrl-C when its progress bar appears, and returns how it ended.
int interrupted(const std::filesystem::path& folder, const std::string& arguments) {
  int terminal = -1;
  const ::pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    const std::string command = fmt::format("exec {} {}", PELT_PROGRAM, arguments);
    if (::chdir(folder.c_str()) == 0) ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  std::string shown;
  bool pressed = false;
  char bytes[256];
  for (::ssize_t count; (count = ::read(terminal, bytes, sizeof(bytes))) > 0;) {
    shown.append(bytes, static_cast<std::size_t>(count));
    if (pressed || shown.find("%  ") == std::string::npos) continue;
    pressed = ::write(terminal, "\x03", 1) == 1;
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  EXPECT_TRUE(pressed) << shown;
  return status;
}

// Ctrl-C ends a program by its signal, which a shell shows as 130, and leaves no file, whole or half.
TEST_F(Pelt, IsInterruptedByCtrlC) {
  done("deform builtin:biped --deformer surface-ffd --clip flex --fps 4 --backend cpu -o flex.pc2");
  const std::set<std::string> before = files();
  for (const std::string command :
       {"learn builtin:biped --cache flex.pc2 --poses flex --fps 4 --write-rig rig.json -o x.pelt",
        "bind builtin:biped --report r.json --write-rig rig.json -o x.pelt", "bind builtin:biped -o x.glb",
        "quality --model builtin:biped", "skeleton builtin:biped -o x.glb"}) {
    SCOPED_TRACE(command);
    const int status = interrupted(folder.path(), command);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
    EXPECT_EQ(files(), before);
  }
}

}  // namespace
}  // namespace pelt
