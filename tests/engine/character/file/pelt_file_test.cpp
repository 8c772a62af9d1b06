// SPDX-License-Identifier: MIT
// Tests that .pelt files hold characters exactly, in memory and on disk.
#include <gmock/gmock.h>
#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <algorithm>

#include "tests/engine/character/file/pelt_bytes.h"
#include "tests/support/graded.h"
#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"

namespace pelt {
namespace {

using testing::HasSubstr;

using test::Bytes;
using test::kVersionAt;
using test::put;
using test::sealed;

// Expects that two lists agree in these members.
template <class T, class... Members>
void expect_equal(const std::vector<T>& actual, const std::vector<T>& expected, const Members&... members) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto expect_member = [&](const auto& member) {
      EXPECT_EQ(std::invoke(member, actual[i]), std::invoke(member, expected[i])) << i;
    };
    (expect_member(members), ...);
  }
}

TEST(PeltFile, KeepsEverything) {
  const Character character = make_character();
  const Bytes bytes = serialize(character);
  EXPECT_EQ(bytes.size() % 4, 0u);
  const auto read = test::must(deserialize(bytes, "x.pelt"));
  EXPECT_TRUE(serialize(read) == bytes);
  EXPECT_EQ(read.size(), character.size());
  const CharacterData& a = *character;
  const CharacterData& b = *read;
  EXPECT_EQ(b.name, "test");
  EXPECT_EQ(b.palette_size, a.palette_size);
  EXPECT_EQ(b.stage_count, a.stage_count);
  expect_equal(
      b.skeleton.joints, a.skeleton.joints, &Joint::name, &Joint::parent, &Joint::matrix,
      [](const Joint& joint) { return joint.rest.translation; }, [](const Joint& joint) { return joint.rest.rotation; },
      [](const Joint& joint) { return joint.rest.scale; });
  expect_equal(b.bound_joints, a.bound_joints, &BoundJoint::joint, &BoundJoint::inverse_bind);
  expect_equal(b.materials, a.materials, &Material::name, &Material::base_color);
  EXPECT_EQ(b.materials.at(0).name, "skin");
  expect_equal(b.clips, a.clips, &Clip::name, &Clip::duration);
  ASSERT_EQ(b.clips.size(), 2u);
  for (std::size_t c = 0; c < 2; ++c) {
    expect_equal(b.clips[c].channels, a.clips[c].channels, &Channel::joint, &Channel::path, &Channel::interpolation,
                 &Channel::times, &Channel::values);
  }
  expect_equal(b.passes, a.passes, &PalettePass::kernel, &PalettePass::stage, &PalettePass::first_entry,
               &PalettePass::record_count, &PalettePass::records, &PalettePass::painted);
  EXPECT_TRUE(std::any_of(a.meshes.begin(), a.meshes.end(), [](const CharacterMesh& m) { return !!m.frame_entry; }));
  expect_equal(b.meshes, a.meshes, &CharacterMesh::name, &CharacterMesh::deformer, &CharacterMesh::control,
               &CharacterMesh::mode, &CharacterMesh::stage, &CharacterMesh::first_vertex, &CharacterMesh::first_entry,
               &CharacterMesh::frame_entry, &CharacterMesh::source_vertex, &CharacterMesh::triangles,
               &CharacterMesh::uvs, painted_rows);
  for (std::size_t m = 0; m < a.meshes.size(); ++m) {
    EXPECT_FALSE(a.meshes[m].deformer.empty());
    EXPECT_EQ(b.meshes[m].painted.has_value(), !a.meshes[m].control);
    EXPECT_EQ(b.meshes[m].binding.points, a.meshes[m].binding.points);
    EXPECT_EQ(b.meshes[m].binding.directions, a.meshes[m].binding.directions);
    EXPECT_EQ(b.meshes[m].binding.slices, a.meshes[m].binding.slices);
    EXPECT_EQ(b.meshes[m].binding.influences, a.meshes[m].binding.influences);
    expect_equal(b.meshes[m].parts, a.meshes[m].parts, &MeshPart::first_triangle, &MeshPart::triangle_count,
                 &MeshPart::material);
  }
}

TEST(PeltFile, WhatIsNoPeltFileIsRefused) {
  EXPECT_EQ(error_of({}), "x.pelt: is not a .pelt file");
  EXPECT_EQ(error_of(Bytes(3, std::byte{'P'})), "x.pelt: is not a .pelt file");
  EXPECT_EQ(error_of(Bytes(1000, std::byte{0})), "x.pelt: is not a .pelt file");
  EXPECT_EQ(error_of({std::byte{'g'}, std::byte{'l'}, std::byte{'T'}, std::byte{'F'}}),
            "x.pelt: is a .glb, not a .pelt file");
  Bytes bytes = serialize(make_character());
  EXPECT_EQ(error_of(bytes), "accepted");
  bytes[0] = std::byte{'p'};
  EXPECT_EQ(error_of(sealed(bytes)), "x.pelt: is not a .pelt file");
}

TEST(PeltFile, OtherVersionsAreNamed) {
  Bytes bytes = serialize(make_character());
  put(bytes, kVersionAt, kPeltFileVersion + 1);
  const auto newer = deserialize(bytes, "x.pelt");
  ASSERT_TRUE(test::refused(newer, ErrorCode::kUnsupported));
  EXPECT_EQ(newer.error().message,
            "x.pelt: has format version 9, but this program reads version 8: a newer program is needed");
  put(bytes, kVersionAt, std::uint32_t{7});
  EXPECT_EQ(error_of(bytes), "x.pelt: has format version 7, but this program reads version 8: bind it again");
}

class PeltFileOfGradients : public testing::TestWithParam<test::Graded> {};

TEST_P(PeltFileOfGradients, IsExact) {
  const Character character = test::make_graded(1234, GetParam());
  const Bytes bytes = serialize(character);
  const auto read = test::must(deserialize(bytes, "x.pelt"));
  EXPECT_TRUE(serialize(read) == bytes);
  for (std::size_t m = 0; m < character->meshes.size(); ++m) {
    EXPECT_EQ(read->meshes[m].binding.gradient_units, character->meshes[m].binding.gradient_units);
    EXPECT_EQ(read->meshes[m].binding.gradients, character->meshes[m].binding.gradients);
    EXPECT_EQ(read->meshes[m].binding.local_points, character->meshes[m].binding.local_points);
  }
  EXPECT_FALSE(character->meshes.front().binding.gradients.empty());
}

INSTANTIATE_TEST_SUITE_P(Kinds, PeltFileOfGradients, testing::ValuesIn(test::kGraded));

class PeltFileOnDisk : public testing::Test {
 protected:
  const test::TemporaryFolder folder;
};

TEST_F(PeltFileOnDisk, SavesAndLoads) {
  const Character character = make_character();
  const auto path = folder / "c.pelt";
  test::must(save_pelt(character, path));
  ASSERT_TRUE(save_pelt(character, path)) << "over what was there";
  const auto loaded = test::must(load_pelt(path));
  EXPECT_TRUE(serialize(loaded) == serialize(character));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "something else is left";
}

TEST_F(PeltFileOnDisk, ErrorsNameTheFile) {
  const Character character = make_character();
  EXPECT_TRUE(test::refused(load_pelt(folder / "none.pelt"), ErrorCode::kNotFound, "none.pelt"));
  EXPECT_EQ(load_pelt(folder.path()).error().code, ErrorCode::kReadFailed);

  EXPECT_TRUE(test::refused(save_pelt(character, folder / "none/c.pelt"), ErrorCode::kWriteFailed, "c.pelt"));
  EXPECT_FALSE(save_pelt(character, folder.path())) << "a folder is no file";

  const auto damaged = folder.write("damaged.pelt", "PELT and then some more text");
  EXPECT_THAT(load_pelt(damaged).error().message, HasSubstr("damaged.pelt: "));
}

TEST_F(PeltFileOnDisk, MappedIsTheSameAndRefusedAlike) {
  const Character character = make_character();
  ASSERT_TRUE(save_pelt(character, folder / "c.pelt"));
  const auto mapped = test::must(load_pelt(folder / "c.pelt", FileAccess::kMapped));
  EXPECT_EQ(serialize(mapped), serialize(character));
  // The file is let go of: it may be written again.
  EXPECT_TRUE(save_pelt(mapped, folder / "c.pelt"));

  folder.write("empty.pelt", "");
  folder.write("damaged.pelt", "PELT and then some more text");
  for (const std::string name : {"none.pelt", "empty.pelt", "damaged.pelt", ""}) {
    const auto read = load_pelt(folder / name);
    const auto refused = load_pelt(folder / name, FileAccess::kMapped);
    ASSERT_FALSE(read) << name;
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, read.error().code) << name;
    EXPECT_EQ(refused.error().message, read.error().message);
  }
}

#ifndef _WIN32
TEST_F(PeltFileOnDisk, PermissionsAreRespected) {
  const Character character = make_character();
  ASSERT_TRUE(save_pelt(character, folder / "c.pelt"));
  ::chmod((folder / "c.pelt").c_str(), 0);
  ::chmod(folder.path().c_str(), 0555);
  // Root may do everything: become nobody for a while.
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const auto loaded = load_pelt(folder / "c.pelt");
  const auto saved = save_pelt(character, folder / "d.pelt");
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ::chmod(folder.path().c_str(), 0755);

  EXPECT_TRUE(test::refused(loaded, ErrorCode::kReadFailed, "c.pelt: "));
  EXPECT_TRUE(test::refused(saved, ErrorCode::kWriteFailed, "d.pelt: "));
}
#endif

}  // namespace
}  // namespace pelt
