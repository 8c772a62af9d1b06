// SPDX-License-Identifier: MIT
#include <limits>

#include <pelt/character.h>
#include <pelt/dual_quaternion.h>

#include "engine/character/check_palette.h"
#include "tests/support/breakage.h"
#include "tests/support/driven.h"
#include "tests/support/graded.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Makes a skin by dual quaternion over a control mesh: two stages, every kind of palette entry.
CharacterData make_data() {
  Model model = test::make_tube();
  Mesh second = model.meshes[0];
  second.name = "second";
  model.meshes.push_back(second);
  model.materials.push_back({"skin"});
  Clip clip;
  clip.name = "wave";
  clip.duration = 1;
  clip.channels.push_back({0, ChannelPath::kTranslation, Interpolation::kLinear, {0, 1}, {0, 0, 0, 1, 0, 0}});
  model.clips.push_back(clip);
  Rig rig;
  rig.layers.push_back({"second", DualQuaternionParameters{}, {}});
  return *test::bound(model, rig).character;
}

TEST(Character, KnowsItsSize) {
  const Character character = test::must(Character::create(make_data()));
  EXPECT_NEAR(character.size(), std::sqrt(8.0f * 8 + 2 * 2 + 2 * 2), 1e-5f);
}

const test::Breakage kBreakages[] = {
    {"JointParentAfterIt", [](auto& d) { d.skeleton.joints[0].parent = 1; }},
    {"JointParentItself", [](auto& d) { d.skeleton.joints[1].parent = 1; }},
    {"JointParentNegative", [](auto& d) { d.skeleton.joints[1].parent = -2; }},
    {"JointNotFinite", [](auto& d) { d.skeleton.joints[1].rest.rotation.w = kNan; }},
    {"JointMatrixNotFinite", [](auto& d) { d.skeleton.joints[1].matrix = glm::mat4(kNan); }},
    {"JointRotationNotUnit", [](auto& d) { d.skeleton.joints[1].rest.rotation *= 2.0f; }},
    {"JointRotationZero", [](auto& d) { d.skeleton.joints[1].rest.rotation = glm::quat(0, 0, 0, 0); }},
    {"JointMatrixNotAffine", [](auto& d) { d.skeleton.joints[1].matrix = glm::mat4(2.0f); }},
    {"JointNamesRepeat", [](auto& d) { d.skeleton.joints[1].name = d.skeleton.joints[0].name; }},
    {"BoundJointMissing", [](auto& d) { d.bound_joints[1].joint = 2; }},
    {"InverseBindNotFinite", [](auto& d) { d.bound_joints[1].inverse_bind[3].x = kNan; }},
    {"InverseBindNotAffine", [](auto& d) { d.bound_joints[1].inverse_bind[0].w = 0.5f; }},
    {"WeightsOfNoBoundJoint", [](auto& d) { d.bound_joints.pop_back(); }},
    {"PaintedFromBehindTheJoints", [](auto& d) { d.meshes.back().painted->first_joint = 3; }},
    {"PaintedFromTheLastJoint", [](auto& d) { d.meshes.back().painted->first_joint = 2; }},
    {"PaintedToNoJoint", [](auto& d) { d.meshes.back().painted->influences[0] |= 0xFFFFu; }},
    {"PaintedWeightsDoNotSum", [](auto& d) { d.meshes.back().painted->influences[0] ^= 0x10000u; }},
    {"PaintedWithoutSlices", [](auto& d) { d.meshes.back().painted->slices.clear(); }},
    {"PaintedSlicesDescend", [](auto& d) { d.meshes.back().painted->slices[1] = 0xFFFFFFFFu; }},
    {"PaintedInfluencesAreCutOff", [](auto& d) { d.meshes.back().painted->influences.pop_back(); }},
    {"PaintedPassTwice", [](auto& d) { d.passes[0].painted = d.passes[1].painted = true; }},
    {"PaintedPassOfAnotherKernel", [](auto& d) { std::swap(d.passes[0].painted, d.passes[1].painted); }},
    {"PaintedPassIsNotMarked", [](auto& d) { d.passes[0].painted = d.passes[1].painted = false; }},
    {"NoJoints", [](auto& d) { d.skeleton.joints.clear(); }},
    {"ClipJoint", [](auto& d) { d.clips[0].channels[0].joint = 2; }},
    {"ClipPath", [](auto& d) { d.clips[0].channels[0].path = static_cast<ChannelPath>(3); }},
    {"ClipValues", [](auto& d) { d.clips[0].channels[0].values.pop_back(); }},
    {"ClipNoKeys", [](auto& d) { d.clips[0].channels[0].times.clear(), d.clips[0].channels[0].values.clear(); }},
    {"ClipTimesRepeat", [](auto& d) { d.clips[0].channels[0].times[1] = d.clips[0].channels[0].times[0]; }},
    {"ClipTimeNotFinite", [](auto& d) { d.clips[0].channels[0].times[1] = kNan; }},
    {"ClipTimePastTheEnd", [](auto& d) { d.clips[0].channels[0].times[1] = 2; }},
    {"ClipValueNotFinite", [](auto& d) { d.clips[0].channels[0].values[4] = kNan; }},
    {"ClipDuration", [](auto& d) { d.clips[0].duration = std::numeric_limits<float>::infinity(); }},
    {"MaterialNotFinite", [](auto& d) { d.materials[0].base_color.y = kNan; }},
    {"MeshNamesRepeat", [](auto& d) { d.meshes[1].name = d.meshes[0].name; }},
    {"FirstVertex", [](auto& d) { d.meshes[1].first_vertex += 1; }},
    {"FirstEntry", [](auto& d) { d.meshes[1].first_entry = d.palette_size + 1; }},
    {"OddEntryOfADualQuaternion", [](auto& d) { d.meshes[1].first_entry += 1; }},
    {"LinearEntryOfADualQuaternion", [](auto& d) { d.meshes[1].mode = BlendMode::kLinear; }},
    {"BlendMode", [](auto& d) { d.meshes[0].mode = static_cast<BlendMode>(7); }},
    {"MeshStage", [](auto& d) { d.meshes[0].stage = 1; }},
    {"StageCountTooLarge", [](auto& d) { d.stage_count = 0xFFFFFFFFu; }},
    {"StageCountZero", [](auto& d) { d.stage_count = 0; }},
    {"NoSkin", [](auto& d) { d.meshes[0].control = d.meshes[1].control = true; }},
    {"ControlMeshInTheLastStage", [](auto& d) { d.meshes[0].control = true; },
     "mesh 'tube' is a control mesh, but moved in stage 0 of 1"},
    {"SkinBeforeTheLastStage", [](auto& d) { d.stage_count = 2, d.meshes[1].stage = 1; },
     "mesh 'tube' is skin, but moved in stage 0 of 2"},
    {"SourceRepeats", [](auto& d) { d.meshes[0].source_vertex[1] = d.meshes[0].source_vertex[0]; }},
    {"SourceRange", [](auto& d) { d.meshes[0].source_vertex[1] = 1u << 30; }},
    {"SourceCount", [](auto& d) { d.meshes[0].source_vertex.pop_back(); }},
    {"TriangleRange", [](auto& d) { d.meshes[0].triangles[3].z = d.meshes[0].vertex_count(); }},
    {"UvCount", [](auto& d) { d.meshes[0].uvs.emplace_back(0, 0); }},
    {"PartsDoNotCover", [](auto& d) { d.meshes[0].parts.clear(); }},
    {"PartsOverlap",
     [](CharacterData& d) {
       d.meshes[0].parts.push_back({0, 0, -1});
     }},
    {"PartMaterial", [](auto& d) { d.meshes[0].parts[0].material = 1; }},
    {"Binding", [](auto& d) { d.meshes[0].binding.influences[0] ^= 0x10000u; }},
    {"PointNotFinite", [](auto& d) { d.meshes[0].binding.points[5].z = kNan; }},
    {"PassKernel", [](auto& d) { d.passes[0].kernel = static_cast<PoseKernel>(99); }},
    {"PassStage", [](auto& d) { d.passes[0].stage = d.stage_count; }},
    {"PassRecordCount", [](auto& d) { d.passes[0].record_count = 0xFFFFFFFFu; }},
    {"PassRecords", [](auto& d) { d.passes[0].records.pop_back(); }},
    {"PassEntryRange", [](auto& d) { d.passes[0].first_entry = d.palette_size; }},
    {"PassEntryOverflow", [](auto& d) { d.passes[0].first_entry = 0xFFFFFFFFu; }},
    {"EntriesWrittenTwice", [](auto& d) { d.passes[1].first_entry = d.passes[0].first_entry; }},
    {"EntryNotWritten", [](auto& d) { d.palette_size += 1; }},
    {"PaletteSize", [](auto& d) { d.palette_size = 0xFFFFFFFFu; }},
    {"RecordJoint", [](auto& d) { d.passes[0].records[0] = 2; }},
    {"RecordNotFinite", [](auto& d) { d.passes[1].records[5] = 0x7F800000u; }},
    {"FramesOfSkin", [](auto& d) { d.meshes[0].frame_entry = 0; }},
};

TEST(Character, WithAFaultIsRefused) { test::expect_refused(kBreakages, make_data()); }

struct GradientBreakage {
  const char* name;
  test::Graded kind;
  const char* error;
  void (*change)(CharacterMesh&);  // changes the first mesh
};

void set_entries(CharacterMesh& mesh, std::uint32_t entry) {
  for (std::uint32_t& word : mesh.binding.influences) word = (word & 0xFFFF0000u) | (entry - mesh.first_entry);
}

const GradientBreakage kGradientBreakages[] = {
    {"SumOfARowWithPoints", test::Graded::kOffsets, "do not sum to 0",
     [](CharacterMesh& m) { m.binding.gradients.front() ^= 0x0100u; }},
    {"LocalPointsOfAnotherMode", test::Graded::kOffsets, "is not blended with them",
     [](CharacterMesh& m) { m.mode = BlendMode::kLinear; }},
    {"GroupsWithoutLocalPoints", test::Graded::kPartly, "0 local points",
     [](CharacterMesh& m) { m.mode = BlendMode::kOffsets; }},
    {"WiresOfLocalPoints", test::Graded::kOffsets, "exactly the blend mode kWires has Wires parameters",
     [](CharacterMesh& m) { m.wires = Wires{}; }},
    {"WrittenLater", test::Graded::kDriver, "written later", [](CharacterMesh& m) { set_entries(m, *m.frame_entry); }},
    {"OfOffsets", test::Graded::kDriver, "does not hold", [](CharacterMesh& m) { set_entries(m, *m.offset_entry); }},
};

TEST(Character, WithFaultyGradientsIsRefused) {
  for (const GradientBreakage& breakage : kGradientBreakages) {
    SCOPED_TRACE(breakage.name);
    CharacterData data = *test::make_graded(200, breakage.kind);
    EXPECT_EQ(test::create_error(data), "made");
    breakage.change(data.meshes.front());
    EXPECT_THAT(test::create_error(data), testing::HasSubstr(breakage.error));
  }
}

TEST(Character, WeighsMorphTargetsInStage0) {
  CharacterMesh skin;
  skin.stage = 1;
  skin.morphs = PackedMorphs{.target_count = 1, .slices = {0}};
  std::vector<PaletteEntry> entries = {{EntryContent::kWeights, 0}};
  std::uint32_t entries_read = 0;
  EXPECT_TRUE(check_morphs(skin, entries, entries_read));
  entries[0].first_stage = 1;
  EXPECT_FALSE(check_morphs(skin, entries, entries_read)) << "for they are posed before any driver moves";
}

// Character::at_level moves anchors to the nearest triangle of a level, or to its nearest vertex.
TEST(Character, HasLevelsForItsAnchors) {
  CharacterData data = make_data();
  data.anchors.push_back({.name = "0"});
  data.levels = {{0, 1, data.meshes[0]}};
  CharacterMesh& coarse = data.levels[0].skin;
  coarse.name = "coarse";
  coarse.triangles.resize(1 << 20);
  coarse.parts = {{0, 1 << 20, -1}};
  while (data.anchors.size() < 255) data.anchors.push_back({.name = std::to_string(data.anchors.size())});
  EXPECT_EQ(test::create_error(data), "made");
  data.anchors.push_back({.name = "255"});
  EXPECT_THAT(test::create_error(data), testing::HasSubstr("too many triangles for the 256 anchors"));
  coarse = {};
  coarse.name = "coarse";
  coarse.binding.slices = {0};
  EXPECT_THAT(test::create_error(data), testing::HasSubstr("has no vertices"));
  data.anchors.clear();
  EXPECT_EQ(test::create_error(data), "made");
}

}  // namespace
}  // namespace pelt
