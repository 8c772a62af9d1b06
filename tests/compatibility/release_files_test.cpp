// SPDX-License-Identifier: MIT
// Files of every release are read for good (docs/pelt_file.md, Changing it), and move their skins as they did then.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <pelt/bind.h>
#include <pelt/gltf_rig.h>
#include <pelt/import.h>
#include <pelt/pelt_file.h>
#include <pelt/pelt_gltf.h>
#include <pelt/rig_json.h>
#include <pelt/tools/file_io.h>
#include <pelt/version.h>

#include "engine/character/file/pelt_format.h"
#include "engine/character/pose_kernels.h"
#include "tests/compatibility/posed_results.h"
#include "tests/compatibility/release_characters.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/sealed.h"

namespace pelt {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAreArray;

// Largest distance from the committed positions, as a share of the character's size, and from committed unit normals.
constexpr float kTolerance = 1e-5f;
constexpr float kNormalTolerance = 5e-3f;

struct Release {
  const char* folder;
  std::vector<std::string> files;
  std::vector<std::string> chunks;  // types and versions that occur in them
  std::uint32_t kernels;            // all numbers below this one do
};

void PrintTo(const Release& release, std::ostream* out) { *out << release.folder; }

// Every release. One is never changed or taken out; a new one is added here.
const std::vector<Release>& releases() {
  static const std::vector<Release> all{
      {"release_0_1",
       {"curve_skeleton.pelt", "curve_skeleton_tangent.pelt", "dual_quaternion.pelt", "hierarchical_bspline.pelt",
        "hierarchical_bspline_mesh.pelt", "linear_blend.pelt", "mos.pelt", "mos_radial_basis.pelt", "muscle.pelt",
        "surface_ffd.glb", "surface_ffd_morph_targets.pelt", "surface_ffd_patch.pelt", "surface_ffd_quadratic.pelt",
        "surface_ffd_streamed.pelt", "surface_ffd_wires.pelt"},
       {"BONE 1", "CHAR 1", "CLIP 1", "LEVL 3", "MATL 1", "MESH 4", "PASS 3", "RIG  1", "SKEL 2"},
       22},
  };
  return all;
}

fs::path folder_of(const Release& release) { return fs::path(PELT_COMPATIBILITY) / release.folder; }

// Returns the .pelt file, which a .glb holds.
test::Bytes pelt_bytes(const fs::path& path) {
  test::Bytes bytes = test::must(read_file(path));
  if (path.extension() != ".glb") return bytes;
  const auto inside = test::must(find_gltf_character(bytes, path.string()));
  return {inside.begin(), inside.end()};
}

// What occurs in files.
struct Contents {
  std::set<std::string> chunks;
  std::set<PoseKernel> kernels;
  std::set<BlendMode> modes;
  std::set<ControlKind> controls;
  std::set<std::string> parts;  // other members that most characters have not

  void add(const Character& character, const test::Bytes& bytes) {
    for (const test::FileChunk& chunk : test::chunks_of(bytes)) {
      chunks.insert(fmt::format("{} {}", chunk.type, chunk.version));
    }
    for (const PalettePass& pass : character->passes) kernels.insert(pass.kernel);
    for (const Control& control : character->controls) controls.insert(control.kind);
    const auto has = [&](bool present, const char* part) {
      if (present) parts.insert(part);
    };
    for (const CharacterMesh& mesh : character->meshes) {
      modes.insert(mesh.mode);
      has(mesh.frame_slot.has_value(), "frame slot");
      has(mesh.offset_slot.has_value(), "offset slot");
      has(mesh.wires.has_value(), "wires");
      has(mesh.morphs.has_value(), "morphs");
      has(mesh.fit.has_value(), "fit");
      has(!mesh.binding.gradients.empty(), "gradients");
      has(!mesh.binding.local_points.empty(), "local points");
      has(!mesh.uvs.empty(), "texture coordinates");
    }
    for (const SkinLevel& level : character->levels) has(true, level.made ? "made level" : "level of the model");
    for (const Clip& clip : character->clips) has(!clip.morph_channels.empty(), "morph channel");
    has(!character->streams.empty(), "stream");
    has(!character->skeleton.helpers.empty(), "helper joint");
    has(!character->skeleton.human_bones.empty(), "human bone");
  }

  // Expects the kernels below a number, every blend mode, every kind of control and all other parts.
  void expect_all(std::uint32_t kernel_count) const {
    for (std::uint32_t k = 0; k < kernel_count; ++k) {
      EXPECT_TRUE(kernels.contains(PoseKernel{k})) << "no file has kernel " << k;
    }
    for (std::uint32_t m = 0; m < 4; ++m) EXPECT_TRUE(modes.contains(BlendMode{m})) << "no mesh has mode " << m;
    for (std::uint32_t c = 0; c < 4; ++c) EXPECT_TRUE(controls.contains(ControlKind{c})) << "no control has kind " << c;
    EXPECT_THAT(parts,
                testing::UnorderedElementsAre("fit", "frame slot", "gradients", "helper joint", "human bone",
                                              "level of the model", "local points", "made level", "morph channel",
                                              "morphs", "offset slot", "stream", "texture coordinates", "wires"));
  }
};

class ReleaseFiles : public testing::TestWithParam<Release> {
 protected:
  // Calls a function with each character file of the release.
  template <class Function>
  void for_files(const Function& function) {
    for (const std::string& file : GetParam().files) {
      SCOPED_TRACE(file);
      function(folder_of(GetParam()) / file);
    }
  }
};

TEST_P(ReleaseFiles, MoveTheirSkinsAsTheyDid) {
  for_files([](const fs::path& path) {
    const Result<Character> character = load_character(path);
    ASSERT_TRUE(character) << character.error().message;
    test::StrongPose pose;
    test::PosedResults expected;
    test::parse_posed(test::file_text(fs::path(path).replace_extension(".json")), pose, expected);
    ASSERT_EQ(pose.joints.size(), (*character)->skeleton.joints.size());
    ASSERT_EQ(pose.inputs.size(), (*character)->input_count);
    const test::PosedResults results = test::posed_results(*character, pose);
    ASSERT_EQ(results.size(), expected.size());
    for (const auto& [name, points] : expected) {
      SCOPED_TRACE(name);
      ASSERT_TRUE(results.contains(name));
      ASSERT_GT(points.size(), 0u);
      ASSERT_EQ(results.at(name).size(), points.size());
      EXPECT_LE(test::farthest(results.at(name), points),
                name == "normals" ? kNormalTolerance : kTolerance * character->size());
    }
  });
}

TEST_P(ReleaseFiles, HoldEveryChunkAndKernel) {
  Contents contents;
  for_files([&](const fs::path& path) { contents.add(test::must(load_character(path)), pelt_bytes(path)); });
  EXPECT_THAT(contents.chunks, ElementsAreArray(GetParam().chunks));
  contents.expect_all(GetParam().kernels);
}

// The rig in a file is text of its own, which `--transfer` and programs that bind a .glb read.
TEST_P(ReleaseFiles, HaveRigsThatAreRead) {
  for_files([](const fs::path& path) {
    const Character character = test::must(load_character(path));
    const Result<Rig> rig = parse_rig(character->rig, path.string());
    ASSERT_TRUE(rig) << rig.error().message;
    EXPECT_FALSE(rig->layers.empty());
  });
}

TEST_P(ReleaseFiles, AreReadAsGltfWithRigAndCharacter) {
  std::size_t count = 0;
  for_files([&](const fs::path& path) {
    if (path.extension() != ".glb") return;
    ++count;
    const auto carried = test::must(load_gltf_rig(path));
    ASSERT_TRUE(carried);
    EXPECT_EQ(carried->note, "");
    ASSERT_TRUE(carried->character) << "the hash of the model has another value now";
    const Model model = test::must(import_model(path.string()));
    const Result<Bound> bound = bind(model, carried->rig);
    ASSERT_TRUE(bound) << bound.error().message;
  });
  EXPECT_GT(count, 0u);
}

TEST_P(ReleaseFiles, AreAllNamedHere) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_of(GetParam()))) {
    if (entry.path().extension() != ".json") files.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(files, testing::UnorderedElementsAreArray(GetParam().files));
}

INSTANTIATE_TEST_SUITE_P(All, ReleaseFiles, testing::ValuesIn(releases()),
                         [](const testing::TestParamInfo<Release>& release) { return release.param.folder; });

// Writes the characters of release_characters() into a folder. Returns false if it exists.
bool write_release(const fs::path& folder) {
  if (fs::exists(folder)) return false;
  const std::vector<test::ReleaseCharacter> characters = test::release_characters();
  const fs::path unfinished = folder.string() + ".unfinished";
  fs::remove_all(unfinished);
  fs::create_directories(unfinished);
  for (const auto& [file, model, character] : characters) {
    const fs::path path = unfinished / file;
    test::must(path.extension() == ".glb" ? save_gltf(character, model, {}, path) : save_pelt(character, path));
    const test::StrongPose pose = test::strong_pose(character);
    const std::string posed = test::format_posed(pose, test::posed_results(character, pose));
    test::must(write_file(fs::path(path).replace_extension(".json"), std::as_bytes(std::span(posed))));
  }
  fs::rename(unfinished, folder);
  return true;
}

// With PELT_UPDATE_REFERENCE the files of this version are written into a folder of their own.
TEST(NewRelease, IsNeverWrittenOverAnOldOne) {
  if (std::getenv("PELT_UPDATE_REFERENCE") != nullptr) {
    const fs::path folder =
        fs::path(PELT_COMPATIBILITY) / fmt::format("release_{}_{}", PELT_VERSION_MAJOR, PELT_VERSION_MINOR);
    EXPECT_TRUE(write_release(folder)) << folder << " holds the files of a release, which stay as they are; a new "
                                       << "release has another version in pelt/version.h, and so another folder";
  }
  for (const Release& release : releases()) EXPECT_FALSE(write_release(folder_of(release)));
}

// Notes the chunks that this version writes.
struct KnownChunks {
  std::set<std::string> names;

  template <class... T>
  void chunk(pelt_file::ChunkKind kind, const T&...) {
    names.insert(fmt::format("{} {}", kind.type, kind.version));
  }
  template <class T>
  void chunk_each(pelt_file::ChunkKind kind, const T&) {
    chunk(kind);
  }
  template <class T>
  void optional_chunk(pelt_file::ChunkKind kind, const T&) {
    chunk(kind);
  }
};

// A chunk or kernel that is new since the last release needs a character in release_characters() that has it.
TEST(NewRelease, WouldHoldEveryChunkAndKernel) {
  Contents contents;
  for (const test::ReleaseCharacter& made : test::release_characters()) {
    contents.add(made.character, serialize(made.character));
  }
  KnownChunks known;
  const CharacterData none;
  pelt_file::describe(known, none);
  EXPECT_EQ(contents.chunks, known.names);
  contents.expect_all(kPoseKernelCount);
}

}  // namespace
}  // namespace pelt
