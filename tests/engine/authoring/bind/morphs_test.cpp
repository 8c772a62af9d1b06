// SPDX-License-Identifier: MIT
// Morph targets of skins: they move the rest shape before every deformer.
#include "engine/character/rows/morphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include <pelt/model_of.h>

#include "engine/character/pose_kernels.h"
#include "tests/support/breakage.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/refused.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

constexpr std::uint32_t kTargets = 14;  // more than an entry of weights holds
constexpr float kWeights[kTargets] = {0.7f, 0, 0, -0.4f, 0, 1.3f, 0, 0, 0, 0, 0, 0.5f, 0, 1};

// The offsets that make_morphing_tube adds are at most 0.05 of 8 m and are stored in 16 bits each.
constexpr float kQuantisation = 1e-4f;

test::Subject make_morphing_tube(const test::Deformer& deformer) {
  Model model = test::make_tube({.around = 12, .along = 33, .joints = 4});
  test::add_morph_targets(model.meshes[0], kTargets);
  return test::make_subject(deformer, std::move(model),
                            test::make_tube_mesh({.around = 8, .along = 24, .radius = 1.1f, .joints = 4}));
}

// Sets the weights of a mesh's targets.
void set_weights(const Character& character, const std::string& mesh, const float* weights, Evaluator& evaluator) {
  for (std::size_t c = 0; c < character->controls.size(); ++c) {
    const Control& control = character->controls[c];
    if (control.kind == ControlKind::kMorphTarget && control.mesh == mesh)
      evaluator.control(c, weights[control.target]);
  }
}

class MorphedSkin : public testing::TestWithParam<test::Deformer> {};

TEST_P(MorphedSkin, HasItsTargetsShapeAtRest) {
  if (!GetParam().rests) return;
  const test::Subject subject = make_morphing_tube(GetParam());
  const Mesh& mesh = subject.model.meshes[0];
  const Character character = test::bound(subject.model, subject.rig).character;
  ASSERT_TRUE(test::mesh_of(character, mesh.name).morphs);
  Evaluator evaluator(character);
  set_weights(character, mesh.name, kWeights, evaluator);
  evaluator.evaluate();
  const Mesh wanted = test::morphed(mesh, kWeights);
  const CharacterMesh& packed = test::mesh_of(character, mesh.name);
  float worst = 0;
  float least_cosine = 1;
  for (std::uint32_t i = 0; i < packed.vertex_count(); ++i) {
    const std::uint32_t v = packed.source_vertex[i];
    worst = std::max(worst, glm::distance(evaluator.positions()[packed.first_vertex + i], wanted.positions[v]));
    least_cosine = std::min(least_cosine, glm::dot(evaluator.normals()[packed.first_vertex + i], wanted.normals[v]));
  }
  EXPECT_LT(worst, kQuantisation + test::kTubeTolerance);
  EXPECT_GT(least_cosine, 0.9998f);  // a degree
}

TEST_P(MorphedSkin, WithoutWeightsMovesAsWithoutTargets) {
  const test::Subject subject = make_morphing_tube(GetParam());
  Model plain = subject.model;
  plain.meshes[0].morph_targets.clear();
  std::vector<std::vector<glm::vec3>> positions, normals;
  for (const Model& model : {plain, subject.model}) {
    const Character character = test::bound(model, subject.rig).character;
    Evaluator evaluator(character);
    evaluator.pose(std::vector(character->skeleton.joints.size(), test::rigid_motion()));
    evaluator.evaluate();
    positions.emplace_back(evaluator.positions().begin(), evaluator.positions().end());
    normals.emplace_back(evaluator.normals().begin(), evaluator.normals().end());
  }
  EXPECT_EQ(positions[0], positions[1]);
  EXPECT_EQ(normals[0], normals[1]);
}

INSTANTIATE_TEST_SUITE_P(All, MorphedSkin, testing::ValuesIn(test::deformers()), testing::PrintToStringParamName());

Model linear_tube() {
  Model model = test::make_tube({.around = 12, .along = 33, .joints = 4});
  test::add_morph_targets(model.meshes[0], kTargets);
  return model;
}

// Returns the largest distance of the tube, evaluated as its controls are, from its shape at rest with these weights.
float off_shape(Evaluator& evaluator, const Character& character, const Mesh& mesh, const float* weights) {
  evaluator.evaluate();
  return test::farthest(test::morphed(mesh, weights).positions, test::positions_of(evaluator, character, mesh.name));
}

TEST(MorphTargets, MoveWhatLinearBlendMoves) {
  const Model model = linear_tube();
  const Character character = test::bound_by(model, "surface_ffd");
  Evaluator evaluator(character);
  evaluator.set_detail(Detail::kLinearBlend);
  set_weights(character, model.meshes[0].name, kWeights, evaluator);
  EXPECT_LT(off_shape(evaluator, character, model.meshes[0], kWeights), kQuantisation);
}

// A character stores only vertices that its targets move, a model an offset of every vertex per target.
TEST(MorphTargets, ComeBackInBounds) {
  const Model model = linear_tube();
  const Character character = test::bound_by(model, "linear_blend");
  const std::uint64_t offsets = kTargets * model.meshes[0].positions.size() * sizeof(glm::vec3);
  EXPECT_TRUE(test::refused(model_of(character, offsets), ErrorCode::kUnsupported,
                            "mesh '" + model.meshes[0].name + "' has 14 morph targets of"));
  EXPECT_TRUE(model_of(character, 4 * offsets + 10'000));
}

// Vertices far from each other in size keep their precision: each slice counts in units of its own.
TEST(MorphTargets, OfOneSliceDoNotCoarsenAnother) {
  std::vector<glm::vec3> offsets(64, glm::vec3(1e-4f, -2e-4f, 3e-4f));
  offsets[63] = glm::vec3(100, 0, 0);
  const PackedMorphs packed = pack_morphs(std::vector<MorphOffsets>{{offsets, {}, {}}}, offsets.size(), {});
  EXPECT_EQ(packed.columns.size(), 2u);
  for_each_morph_offset(packed, offsets.size(), [&](std::size_t, std::size_t row, const shared::MorphSum& sum) {
    if (row < 32) {
      EXPECT_LT(glm::distance(sum.position, offsets[row]), 1e-8f);
    }
  });
}

// More than a word of bits holds, and more at a vertex than are added up at once. Every third is not active. Nobody
// sets a weight: each is at rest.
TEST(MorphTargets, MayBeManyAtOnce) {
  constexpr std::uint32_t kMany = 200;
  Model model = test::make_tube({.around = 12, .along = 33, .joints = 4});
  test::add_morph_targets(model.meshes[0], kMany);
  std::vector<float> weights(kMany);
  for (std::uint32_t t = 0; t < kMany; ++t) {
    weights[t] = t % 3 == 0 ? 0.0f : 0.05f * std::cos(static_cast<float>(t));
    model.meshes[0].morph_targets[t].weight = weights[t];
  }
  const Character character = test::bound_by(model, "linear_blend");
  Evaluator evaluator(character);
  EXPECT_LT(off_shape(evaluator, character, model.meshes[0], weights.data()), 2 * kQuantisation);
}

// The error that pelt/morphs.h states, over offsets of all sizes.
TEST(MorphTargets, AreOffByHalfAUnitAtMost) {
  std::vector<glm::vec3> positions;
  std::vector<glm::vec3> normals;
  std::vector<glm::vec3> tangents;
  for (std::size_t v = 0; v < 1000; ++v) {
    const auto number = static_cast<float>(v);
    const glm::vec3 way(std::sin(number), std::sin(1.7f * number), std::cos(2.3f * number));
    positions.push_back(std::pow(10.0f, number / 100 - 6) * way);  // micrometres to kilometres
    normals.push_back(2.0f * glm::vec3(way.y, way.z, way.x));
    tangents.push_back(0.1f * glm::vec3(way.z, way.x, way.y));
  }
  const PackedMorphs packed =
      pack_morphs(std::vector<MorphOffsets>{{positions, normals, tangents}}, positions.size(), {});
  const auto largest = [](glm::vec3 v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); };
  std::size_t rows = 0;
  for_each_morph_offset(packed, positions.size(), [&](std::size_t, std::size_t row, const shared::MorphSum& sum) {
    ++rows;
    float column = 0;
    for (std::size_t v = row / 32 * 32; v < std::min(row / 32 * 32 + 32, positions.size()); ++v) {
      column = std::max(column, largest(positions[v]));
    }
    EXPECT_LE(largest(sum.position - positions[row]), column / 65534 * 1.01f) << row;  // and what floats round
    EXPECT_LE(largest(sum.normal - normals[row]), 0.5f * shared::kMorphDirectionUnit * 1.001f) << row;
    EXPECT_LE(largest(sum.tangent - tangents[row]), 0.5f * shared::kMorphDirectionUnit * 1.001f) << row;
  });
  EXPECT_EQ(rows, positions.size());
}

// A mesh pays only for the slices that a target moves.
TEST(MorphTargets, TakeRoomWhereTheyMoveAlone) {
  std::vector<glm::vec3> offsets(32 * 10, glm::vec3(0));
  offsets[70] = glm::vec3(0, 1, 0);
  const PackedMorphs packed = pack_morphs(std::vector<MorphOffsets>{{offsets, {}, {}}}, offsets.size(), {});
  EXPECT_EQ(packed.columns.size(), 1u);
  EXPECT_EQ(packed.offsets.size(), 64u);
}

TEST(MorphTargets, ThatAreWrongAreRefused) {
  const Character character = test::bound_by(linear_tube(), "linear_blend");
  const test::Breakage breakages[] = {
      {"no targets", [](CharacterData& d) { d.meshes[0].morphs->target_count = 0; }, "there are no morph targets"},
      {"slices", [](CharacterData& d) { d.meshes[0].morphs->slices.pop_back(); }, "do not cover"},
      {"descending slices",
       [](CharacterData& d) { std::swap(d.meshes[0].morphs->slices[1], d.meshes[0].morphs->slices[2]); },
       "do not cover"},
      {"offsets", [](CharacterData& d) { d.meshes[0].morphs->offsets.pop_back(); }, "words of offsets"},
      {"too few words", [](CharacterData& d) { d.meshes[0].morphs->row_words = 2; }, "words of offsets"},
      {"five words", [](CharacterData& d) { d.meshes[0].morphs->row_words = 5; }, "5 words per row"},
      {"one word", [](CharacterData& d) { d.meshes[0].morphs->row_words = 1; }, "1 words per row"},
      {"place", [](CharacterData& d) { d.meshes[0].morphs->columns[0].x = 12; }, "do not ascend"},
      {"far place", [](CharacterData& d) { d.meshes[0].morphs->columns.back().x = 4000000000u; }, "do not ascend"},
      {"unit", [](CharacterData& d) { d.meshes[0].morphs->columns[0].y = std::bit_cast<std::uint32_t>(NAN); },
       "count in"},
      {"entry", [](CharacterData& d) { d.meshes[0].morphs->first_entry = 0; }, "does not hold what"},
      {"far entry", [](CharacterData& d) { d.meshes[0].morphs->first_entry = 4000000000u; }, "uses palette entry"},
      {"more targets", [](CharacterData& d) { d.meshes[0].morphs->target_count = 65536; }, "uses palette entry"},
      {"too many targets", [](CharacterData& d) { d.meshes[0].morphs->target_count = 65537; }, "65536 at most"},
      {"clock", [](CharacterData& d) { d.controls[0] = {ControlKind::kClock, "clock", "", 0, 0, d.controls[0].input}; },
       "takes the clock for a weight"},
  };
  test::expect_refused(breakages, *character);
}

}  // namespace
}  // namespace pelt
