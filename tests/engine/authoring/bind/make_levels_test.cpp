// SPDX-License-Identifier: MIT
// Levels of detail that are made of their skins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>
#include <map>
#include <set>

#include <pelt/linear_blend.h>
#include <pelt/make_levels.h>
#include <pelt/model_of.h>
#include <pelt/pelt_file.h>
#include <pelt/shaders/octahedral.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/character/rows/morphs.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr test::TubeOptions kTube{.around = 24, .along = 48, .joints = 4};
constexpr float kLength = 8;

// Cuts a tube along its length into two parts, of other texture coordinates and materials, which share no vertex.
void cut(Mesh& mesh) {
  Mesh result;
  result.name = mesh.name;
  std::map<std::pair<std::uint32_t, int>, std::uint32_t> known;
  for (int side = 0; side < 2; ++side) {
    const auto first = static_cast<std::uint32_t>(result.triangles.size());
    for (const glm::uvec3 triangle : mesh.triangles) {
      const float height = mesh.positions[triangle.x].z + mesh.positions[triangle.y].z + mesh.positions[triangle.z].z;
      if ((height > 0) != (side == 1)) continue;
      glm::uvec3 corners;
      for (int c = 0; c < 3; ++c) {
        const std::uint32_t v = triangle[c];
        const auto [entry, added] = known.try_emplace({v, side}, static_cast<std::uint32_t>(result.positions.size()));
        corners[c] = entry->second;
        if (!added) continue;
        result.positions.push_back(mesh.positions[v]);
        if (!mesh.normals.empty()) result.normals.push_back(mesh.normals[v]);
        result.uvs.emplace_back(mesh.positions[v].x / kLength, 0.4f * mesh.positions[v].y + static_cast<float>(side));
        result.weights.append_row(mesh.weights.row(v));
      }
      result.triangles.push_back(corners);
    }
    result.parts.push_back({first, static_cast<std::uint32_t>(result.triangles.size()) - first, side});
  }
  mesh = std::move(result);
}

Model cut_tube() {
  Model model = test::make_tube(kTube);
  cut(model.meshes[0]);
  model.materials = {{"below", glm::vec4(1)}, {"above", glm::vec4(1)}};
  return model;
}

LevelsMade made(const Character& character, const LevelOptions& options = {}) {
  Result<LevelsMade> result = make_levels(character, options);
  EXPECT_TRUE(result) << result.error().message;
  return result ? std::move(*result) : LevelsMade{character, {}, {}};
}

void bend_and_morph(const Character& character, Evaluator& evaluator) {
  std::vector<glm::mat4> joints(character->skeleton.joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints[j] = glm::rotate(glm::mat4(1), 0.3f * static_cast<float>(j), glm::vec3(0, 0, 1));
    joints[j][3] = glm::vec4(2.0f * static_cast<float>(j), 0, 0, 1);
  }
  evaluator.pose(joints);
  std::vector<float> inputs(character->input_count);
  rest_inputs(*character, inputs);
  for (const Control& control : character->controls) {
    if (control.kind == ControlKind::kMorphTarget) inputs[control.input] = 0.5f;
  }
  evaluator.inputs(inputs);
  evaluator.evaluate();
}

template <class T>
std::span<const T> of_mesh(std::span<const T> all, const CharacterMesh& mesh) {
  return all.subspan(mesh.first_vertex, mesh.vertex_count());
}

// Returns the edges of a skin with one triangle, over vertices welded at rest, that lie along the tube.
std::size_t cracks(const CharacterMesh& skin) {
  const std::vector<glm::uvec3> triangles = welded_triangles(weld_by_position(skin.binding.points), skin.triangles);
  std::size_t count = 0;
  for (const BorderEdge& edge : border_edges(triangles)) {
    const glm::uvec3 t = triangles[edge.triangle];
    const float a = skin.binding.points[t[edge.corner]].x;
    const float b = skin.binding.points[t[(edge.corner + 1) % 3]].x;
    const bool at_an_end = (a == 0 && b == 0) || (a == kLength && b == kLength);
    count += at_an_end ? 0 : 1;
  }
  return count;
}

// ----------------------------------------------------------------------------------------------------- every deformer

class MadeLevelsOf : public testing::TestWithParam<test::Deformer> {
 protected:
  Character bound(Model model, std::optional<LevelOptions> levels = LevelOptions{}) const {
    const test::Subject subject = test::make_subject(
        GetParam(), std::move(model), test::make_tube_mesh({.around = 8, .along = 24, .radius = 1.1f, .joints = 4}));
    Result<Bound> result = bind(subject.model, subject.rig, {.levels = std::move(levels)});
    if (!result) throw std::runtime_error(result.error().message);
    return result->character;
  }
};
INSTANTIATE_TEST_SUITE_P(All, MadeLevelsOf, testing::ValuesIn(test::deformers()),
                         [](const testing::TestParamInfo<test::Deformer>& deformer) { return deformer.param.name; });

TEST_P(MadeLevelsOf, MoveAsTheFinestLevel) {
  const Character character = bound(cut_tube());
  ASSERT_GE(character->levels.size(), 3u);
  Evaluator fine(character, {.same_everywhere = true});
  bend_and_morph(character, fine);
  for (const SkinLevel& level : character->levels) {
    ASSERT_TRUE(level.made);
    const CharacterMesh& finest = character->meshes[level.of];
    const Character coarse = character.at_level(level.level);
    EXPECT_EQ(coarse->palette_size, character->palette_size);
    Evaluator evaluator(coarse, {.same_everywhere = true});
    bend_and_morph(coarse, evaluator);
    const CharacterMesh& skin = test::mesh_of(coarse, level.skin.name);
    float normals = 0;
    float tangents = 0;
    for (std::uint32_t v = 0; v < skin.vertex_count(); ++v) {
      const std::uint32_t kept = level.made->vertices[v];
      const glm::vec3 got = of_mesh(evaluator.positions(), skin)[v];
      const glm::vec3 wanted = of_mesh(fine.positions(), finest)[kept];
      if (skin.mode == BlendMode::kWires) {  // frames with their gradients are combined, which rounds
        ASSERT_LT(glm::distance(got, wanted), 2e-6f) << level.skin.name << " " << v;
      } else {
        ASSERT_EQ(got, wanted) << level.skin.name << " " << v;
      }
      normals = std::max(normals,
                         glm::distance(of_mesh(evaluator.normals(), skin)[v], of_mesh(fine.normals(), finest)[kept]));
      tangents = std::max(tangents, glm::distance(glm::vec3(of_mesh(evaluator.tangents(), skin)[v]),
                                                  glm::vec3(of_mesh(fine.tangents(), finest)[kept])));
    }
    // Gradients of weights are rounded to the units of other slices.
    EXPECT_LT(normals, 0.04f) << level.skin.name;
    EXPECT_LT(tangents, 0.04f) << level.skin.name;
  }
}

TEST_P(MadeLevelsOf, AreTheSameOnAnyNumberOfThreadsAndFromAFile) {
  const Character plain = bound(cut_tube(), std::nullopt);
  const std::vector<std::byte> bytes = serialize(made(plain, {.threads = 1}).character);
  EXPECT_TRUE(serialize(made(plain, {.threads = 3}).character) == bytes);
  EXPECT_TRUE(serialize(bound(cut_tube())) == bytes) << "bind makes them otherwise";
  const Result<Character> read = deserialize(bytes, "memory");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(serialize(*read) == bytes);
  CharacterData data = **read;
  data.levels.clear();
  EXPECT_TRUE(serialize(*Character::create(data)) == serialize(plain)) << "the finest level has changed";
}

// ------------------------------------------------------------------------------------------------------ what they are

TEST(MadeLevels, HaveTheSharesOfTheTriangles) {
  const Character plain = test::bound_by(cut_tube(), "linear_blend");
  const auto all = static_cast<double>(plain->meshes[0].triangles.size());
  const std::vector<float> shares = {0.6f, 0.3f, 0.2f};
  const LevelsMade levels = made(plain, {.shares = shares});
  ASSERT_EQ(levels.character->levels.size(), 3u);
  ASSERT_EQ(levels.levels.size(), 3u);
  for (std::size_t l = 0; l < 3; ++l) {
    const SkinLevel& level = levels.character->levels[l];
    EXPECT_EQ(level.level, l + 1);
    EXPECT_EQ(level.skin.name, "tube_LOD" + std::to_string(l + 1));
    EXPECT_NEAR(static_cast<double>(level.skin.triangles.size()), shares[l] * all, 4);
    const LevelReport& report = levels.levels[l];
    EXPECT_EQ(report.mesh, "tube");
    EXPECT_EQ(report.level, l + 1);
    EXPECT_EQ(report.vertices, level.skin.vertex_count());
    EXPECT_EQ(report.triangles, level.skin.triangles.size());
    EXPECT_EQ(static_cast<float>(report.rms), level.made->rms);
    EXPECT_EQ(static_cast<float>(report.worst), level.made->worst);
    EXPECT_GT(report.rms, 0);
    EXPECT_LT(report.worst, 0.1 * plain.size());
    EXPECT_LT(report.worst_vertex, plain->meshes[0].vertex_count());
    if (l > 0) {
      EXPECT_GE(report.worst, levels.levels[l - 1].worst);
    }
  }
  EXPECT_TRUE(levels.notes.empty());
}

TEST(MadeLevels, LieOnVerticesOfTheLevelBefore) {
  const Character character = made(test::bound_by(cut_tube(), "linear_blend")).character;
  const CharacterMesh& finest = character->meshes[0];
  std::vector<std::uint32_t> before(finest.vertex_count());
  for (std::uint32_t v = 0; v < before.size(); ++v) before[v] = v;
  for (const SkinLevel& level : character->levels) {
    const std::vector<std::uint32_t>& vertices = level.made->vertices;
    for (std::uint32_t v = 0; v < vertices.size(); ++v) {
      EXPECT_EQ(level.skin.binding.points[v], finest.binding.points[vertices[v]]);
      EXPECT_EQ(level.skin.binding.directions[v], finest.binding.directions[vertices[v]]);
      EXPECT_EQ(level.skin.uvs[v], finest.uvs[vertices[v]]);
      EXPECT_TRUE(std::ranges::equal(level.skin.weights.row(v), finest.weights.row(vertices[v])));
    }
    EXPECT_LT(vertices.size(), before.size());
    EXPECT_TRUE(std::ranges::includes(before, vertices));
    before = vertices;
  }
}

TEST(MadeLevels, KeepSeamsClosedAndPartsApart) {
  const Character character = made(test::bound_by(cut_tube(), "linear_blend")).character;
  ASSERT_EQ(cracks(character->meshes[0]), 0u);
  ASSERT_EQ(character->levels.size(), 3u);
  for (const SkinLevel& level : character->levels) {
    EXPECT_EQ(cracks(level.skin), 0u) << level.skin.name;
    ASSERT_EQ(level.skin.parts.size(), 2u);
    std::uint32_t next = 0;
    for (int side = 0; side < 2; ++side) {
      const MeshPart& part = level.skin.parts[side];
      EXPECT_EQ(part.material, side);
      EXPECT_EQ(part.first_triangle, next);
      next += part.triangle_count;
      for (std::uint32_t t = part.first_triangle; t < next; ++t) {
        for (int c = 0; c < 3; ++c) EXPECT_EQ(level.skin.uvs[level.skin.triangles[t][c]].y > 0.5f, side == 1);
      }
    }
    EXPECT_EQ(next, level.skin.triangles.size());
  }
}

TEST(MadeLevels, KeepSeamsBetweenMeshesClosed) {
  Model model = cut_tube();
  Mesh& whole = model.meshes[0];
  Mesh above = whole;
  above.name = "above";
  above.triangles.assign(whole.triangles.begin() + whole.parts[1].first_triangle, whole.triangles.end());
  above.parts = {{0, static_cast<std::uint32_t>(above.triangles.size()), 1}};
  whole.triangles.resize(whole.parts[1].first_triangle);
  whole.parts.pop_back();
  model.meshes.push_back(above);
  const Character character = made(test::bound_by(model, "linear_blend")).character;
  ASSERT_EQ(character->levels.size(), 6u);
  for (std::uint32_t l = 1; l <= 3; ++l) {
    const Character coarse = character.at_level(l);
    CharacterMesh both = coarse->meshes[0];
    const CharacterMesh& second = coarse->meshes[1];
    for (const glm::uvec3 t : second.triangles) both.triangles.push_back(t + both.vertex_count());
    both.binding.points.insert(both.binding.points.end(), second.binding.points.begin(), second.binding.points.end());
    EXPECT_EQ(cracks(both), 0u) << l;
  }
}

TEST(MadeLevels, NoTriangleIsTurnedOver) {
  const Character character = made(test::bound_by(cut_tube(), "linear_blend")).character;
  for (const SkinLevel& level : character->levels) {
    for (const glm::uvec3 t : level.skin.triangles) {
      const std::vector<glm::vec3>& points = level.skin.binding.points;
      const glm::vec3 out = (points[t.x] + points[t.y] + points[t.z]) * glm::vec3(0, 1, 1);
      EXPECT_GT(glm::dot(glm::cross(points[t.y] - points[t.x], points[t.z] - points[t.x]), out), 0);
    }
  }
}

TEST(MadeLevels, AreMorphedAsTheSkin) {
  Model model = cut_tube();
  test::add_morph_targets(model.meshes[0], 5);
  const Character character = made(test::bound_by(model, "linear_blend")).character;
  const CharacterMesh& finest = character->meshes[0];
  std::map<std::pair<std::size_t, std::size_t>, shared::MorphSum> wanted;  // by target and vertex
  for_each_morph_offset(*finest.morphs, finest.vertex_count(),
                        [&](std::size_t t, std::size_t v, const shared::MorphSum& sum) {
                          wanted[{t, v}] = sum;
                        });
  ASSERT_EQ(character->levels.size(), 3u);
  for (const SkinLevel& level : character->levels) {
    ASSERT_TRUE(level.skin.morphs);
    EXPECT_EQ(level.skin.morphs->first_slot, finest.morphs->first_slot);
    std::map<std::pair<std::size_t, std::size_t>, shared::MorphSum> got;
    for_each_morph_offset(*level.skin.morphs, level.skin.vertex_count(),
                          [&](std::size_t t, std::size_t v, const shared::MorphSum& sum) {
                            got[{t, v}] = sum;
                          });
    for (std::uint32_t v = 0; v < level.skin.vertex_count(); ++v) {
      for (std::size_t t = 0; t < 5; ++t) {
        const shared::MorphSum coarse = got[{t, v}];
        const shared::MorphSum fine = wanted[{t, level.made->vertices[v]}];
        EXPECT_LT(glm::distance(coarse.position, fine.position), 1e-4f);
        EXPECT_EQ(coarse.normal, fine.normal);
        EXPECT_EQ(coarse.tangent, fine.tangent);
      }
    }
  }
}

TEST(MadeLevels, HaveTheFitOfTheSkin) {
  const LinearFitOptions quick{.clip_poses = 1, .random_poses = 8};
  Model model = cut_tube();
  const Result<Bound> together =
      bind(model, test::rig_of(LinearBlendParameters{}), {.linear_fit = quick, .levels = LevelOptions{}});
  ASSERT_TRUE(together) << together.error().message;
  const Result<LinearFitted> fitted = fit_linear_blend(test::bound_by(model, "linear_blend"), quick);
  ASSERT_TRUE(fitted) << fitted.error().message;
  const Character after = made(fitted->character).character;
  for (const Character& character : {together->character, after}) {
    ASSERT_EQ(character->levels.size(), 3u);
    for (const SkinLevel& level : character->levels) {
      ASSERT_TRUE(level.skin.fit);
      const SparseRows coarse = unpack_rows(fit_binding(level.skin));
      const SparseRows fine = unpack_rows(fit_binding(character->meshes[level.of]));
      for (std::uint32_t v = 0; v < level.skin.vertex_count(); ++v) {
        EXPECT_TRUE(std::ranges::equal(coarse.row(v), fine.row(level.made->vertices[v]))) << v;
      }
    }
  }
}

TEST(MadeLevels, AreTheModelAgain) {
  const Character character = made(test::bound_by(cut_tube(), "linear_blend")).character;
  const Result<Model> again = model_of(character);
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->levels.size(), 3u);
  EXPECT_EQ(again->levels[2].mesh.positions, character->levels[2].skin.binding.points);
  EXPECT_EQ(test::bound_by(*again, "linear_blend")->levels.size(), 3u);
}

// ------------------------------------------------------------------------------------------------------ where they end

TEST(MadeLevels, LeaveLevelsOfTheFile) {
  Model model = cut_tube();
  model.meshes.push_back(model.meshes[0]);
  model.meshes[1].name = "other";
  model.levels = {{0, 1, test::make_tube_mesh({.around = 8, .along = 12, .joints = 4})}};
  model.levels[0].mesh.name = "tube_LOD1";
  const LevelsMade levels = made(test::bound_by(model, "linear_blend"), {.shares = {0.5f}});
  ASSERT_EQ(levels.character->levels.size(), 2u);
  EXPECT_EQ(levels.character->levels[0].skin.vertex_count(), model.levels[0].mesh.positions.size());
  EXPECT_FALSE(levels.character->levels[0].made);
  EXPECT_EQ(levels.character->levels[1].skin.name, "other_LOD1");
  EXPECT_TRUE(levels.character->levels[1].made);
  EXPECT_THAT(levels.notes, Contains("'tube' keeps the levels of detail that it has"));
}

TEST(MadeLevels, HaveNamesOfTheirOwn) {
  Model model = cut_tube();
  model.meshes.push_back(test::make_tube_mesh({.around = 8, .along = 12, .joints = 4}));
  model.meshes[1].name = "tube_LOD1";
  const LevelsMade levels = made(test::bound_by(model, "linear_blend"), {.shares = {0.5f}});
  EXPECT_EQ(levels.character->levels[0].skin.name, "tube_LOD1 2");
}

TEST(MadeLevels, EndWithAHundredTriangles) {
  const Character plain = test::bound_by(test::make_tube({.around = 8, .along = 24}), "linear_blend");
  const LevelsMade levels = made(plain);  // of 384 triangles
  EXPECT_EQ(levels.character->coarsest_level(), 1u);
  EXPECT_THAT(levels.notes, Contains("there is no level of detail 2: it would have 96 triangles, and 100 are fewest"));
  EXPECT_EQ(made(plain, {.least_triangles = 90}).character->coarsest_level(), 2u);
}

TEST(MadeLevels, EndWhereMoreWouldShow) {
  const Character plain = test::bound_by(cut_tube(), "linear_blend");
  const LevelsMade levels = made(plain, {.shares = {0.3f, 0.2f}, .most_error = 1e-6f});
  ASSERT_EQ(levels.character->levels.size(), 1u);
  EXPECT_GT(levels.levels[0].triangles, plain->meshes[0].triangles.size() / 2) << "what has no weights to blend";
  EXPECT_LT(levels.levels[0].worst, 1e-3);
  EXPECT_THAT(levels.notes, Contains(HasSubstr("there is no level of detail 2: ")));
}

TEST(MadeLevels, OfSkinsWithoutTrianglesAreNone) {
  const Character plain = test::bound_by(test::make_cloud(65), "linear_blend");
  EXPECT_TRUE(serialize(made(plain).character) == serialize(plain));
}

TEST(MadeLevels, DriversHaveNone) {
  const Character character = made(test::bound_by(test::make_tube_in_cage(kTube), "surface_ffd")).character;
  for (const SkinLevel& level : character->levels) EXPECT_FALSE(character->meshes[level.of].control);
  EXPECT_FALSE(character->levels.empty());
}

TEST(MadeLevels, RefuseOptionsOutOfRange) {
  const auto error = [](const LevelOptions& options) {
    const Result<Bound> result = bind(cut_tube(), test::rig_of(LinearBlendParameters{}), {.levels = options});
    EXPECT_FALSE(result);
    if (result) return std::string("made");
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    return result.error().message;
  };
  EXPECT_EQ(error({.shares = {}}), "levels of detail: 0 levels are not 1 to 63");
  EXPECT_EQ(error(LevelOptions::halves(64)), "levels of detail: 64 levels are not 1 to 63");
  EXPECT_THAT(error({.shares = {0.5f, 0.5f}}), HasSubstr("do not descend, at 0.5 after 0.5"));
  EXPECT_THAT(error({.shares = {0.2f, 0.3f}}), HasSubstr("do not descend, at 0.3 after 0.2"));
  EXPECT_THAT(error({.shares = {1.0f}}), HasSubstr("a share of 1 of the triangles"));
  EXPECT_THAT(error({.shares = {0.5f, 0.0f}}), HasSubstr("a share of 0 of the triangles"));
  EXPECT_THAT(error({.shares = {std::numeric_limits<float>::quiet_NaN()}}), HasSubstr("a share of nan"));
  EXPECT_THAT(error({.most_error = 0}), HasSubstr("an error of at most 0 of the size"));
  EXPECT_THAT(error({.most_error = std::numeric_limits<float>::infinity()}), HasSubstr("an error of at most inf"));
}

TEST(MadeLevels, OfACharacterAreChecked) {
  const Character character = made(test::bound_by(cut_tube(), "linear_blend")).character;
  const auto error = [&](auto change) {
    CharacterData data = *character;
    change(*data.levels[0].made);
    const Result<Character> result = Character::create(std::move(data));
    return result ? std::string("made") : result.error().message;
  };
  EXPECT_EQ(error([](MadeLevel&) {}), "made");
  EXPECT_THAT(error([](MadeLevel& level) { level.vertices.pop_back(); }), HasSubstr("'tube_LOD1' has"));
  EXPECT_THAT(error([](MadeLevel& level) { level.vertices[1] = level.vertices[0]; }), HasSubstr("out of order"));
  EXPECT_THAT(error([](MadeLevel& level) { level.vertices.back() = 1u << 20u; }), HasSubstr("names vertex 1048576"));
  EXPECT_THAT(error([](MadeLevel& level) { level.rms = -1; }), HasSubstr("has errors of -1 m"));
  EXPECT_THAT(error([](MadeLevel& level) { level.worst = std::nanf(""); }), HasSubstr("at most nan m"));
}

}  // namespace
}  // namespace pelt
