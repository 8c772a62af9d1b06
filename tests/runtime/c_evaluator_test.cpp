// SPDX-License-Identifier: MIT
// Tests that the evaluator of the C API moves vertices like the C++ one, into the caller's arrays.
#include <algorithm>
#include <cstring>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/gtc/type_ptr.hpp>

#include <pelt/anchor.h>
#include <pelt/builtin.h>
#include <pelt/evaluate.h>
#include <pelt/pose.h>
#include <pelt/skin_query.h>

#include "tests/runtime/c_handles.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/swinging.h"

namespace pelt::runtime {
namespace {

EvaluatorHandle evaluator_of(const CharacterHandle& character, const pelt_evaluator_options* options = nullptr) {
  return make_handle<EvaluatorHandle>(pelt_evaluator_create, character.get(), options);
}

// Arrays of some floats per vertex, filled with 7.
struct Arrays {
  Arrays(std::size_t count, std::size_t floats)
      : positions(count * floats, 7), normals(count * floats, 7), tangents(count * floats, 7) {
    const auto stride = static_cast<std::uint32_t>(4 * floats);
    given.struct_size = sizeof(given);
    given.vertex_count = static_cast<std::uint32_t>(count);
    given.positions = {positions.data(), stride, 0};
    given.normals = {normals.data(), stride, 0};
    given.tangents = {tangents.data(), stride, 0};
  }

  std::vector<float> positions, normals, tangents;
  pelt_vertex_arrays given{};
};

TEST(CEvaluators, MoveAsTheEngineDoes) {
  const Character character = make_caged();
  const CharacterData& data = *character;
  const CharacterHandle in_the_library = in_c(character);
  const pelt_evaluator_options options{.struct_size = sizeof options, .tension = 1};
  const EvaluatorHandle handle = evaluator_of(in_the_library, &options);
  Evaluator expected(character, {.tension = true});

  std::vector<glm::mat4> joints(data.skeleton.joints.size());
  rest_matrices(data.skeleton, joints);
  joints[1] = joints[1] * glm::rotate(glm::mat4(1), 0.7f, glm::vec3(0, 0, 1));
  const std::vector<float> inputs = test::inputs_at_rest(data);
  const CharacterMesh& cage = data.meshes[data.streams[0].mesh];
  std::vector<glm::vec3> streamed = cage.binding.points;
  for (glm::vec3& point : streamed) point.y *= 1.5f;

  const auto joint_count = static_cast<std::uint32_t>(joints.size());
  ASSERT_OK(pelt_evaluator_pose(handle.get(), glm::value_ptr(joints[0]), joint_count));
  ASSERT_OK(pelt_evaluator_inputs(handle.get(), inputs.data(), data.input_count));
  ASSERT_OK(pelt_evaluator_stream(handle.get(), 0, glm::value_ptr(streamed[0]), cage.vertex_count()));
  ASSERT_OK(pelt_evaluator_control(handle.get(), 0, 0.5f));
  ASSERT_OK(pelt_evaluator_evaluate(handle.get()));
  expected.pose(joints);
  expected.inputs(inputs);
  expected.stream(0, streamed);
  expected.control(0, 0.5f);
  expected.evaluate();

  const auto evaluated = got<pelt_evaluated>(pelt_evaluator_get_evaluated, handle.get());
  ASSERT_EQ(evaluated.vertex_count, data.vertex_count());
  EXPECT_EQ(std::memcmp(evaluated.positions, expected.positions().data(), expected.positions().size_bytes()), 0);
  EXPECT_EQ(std::memcmp(evaluated.normals, expected.normals().data(), expected.normals().size_bytes()), 0);
  EXPECT_EQ(std::memcmp(evaluated.tangents, expected.tangents().data(), expected.tangents().size_bytes()), 0);
  EXPECT_EQ(std::memcmp(evaluated.tension, expected.tension().data(), expected.tension().size_bytes()), 0);

  // Each mesh in the model's order, five floats per vertex.
  for (std::uint32_t m = 0; m < data.meshes.size(); ++m) {
    const CharacterMesh& mesh = data.meshes[m];
    Arrays arrays(mesh.vertex_count(), 5);
    ASSERT_OK(pelt_evaluator_get_vertices(handle.get(), m, PELT_ORDER_MODEL, &arrays.given));
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      const std::size_t place = mesh.source_vertex[v] * 5;
      EXPECT_EQ(glm::make_vec3(&arrays.positions[place]), expected.positions()[mesh.first_vertex + v]);
      EXPECT_EQ(glm::make_vec3(&arrays.normals[place]), expected.normals()[mesh.first_vertex + v]);
      EXPECT_EQ(glm::make_vec4(&arrays.tangents[place]), expected.tangents()[mesh.first_vertex + v]);
      EXPECT_EQ(arrays.positions[place + 3], 7);  // between the vertices nothing is written
      EXPECT_EQ(arrays.tangents[place + 4], 7);
    }
  }
  // All meshes in the character's order, tight.
  std::vector<glm::vec3> all(data.vertex_count());
  auto given = sized<pelt_vertex_arrays>();
  given.vertex_count = data.vertex_count();
  given.positions.values = glm::value_ptr(all[0]);
  ASSERT_OK(pelt_evaluator_get_vertices(handle.get(), PELT_NONE, PELT_ORDER_CHARACTER, &given));
  EXPECT_EQ(std::memcmp(all.data(), expected.positions().data(), expected.positions().size_bytes()), 0);
}

// Secondary action moves as in the engine, and starts at rest after teleport.
TEST(CEvaluators, LetTimePass) {
  const Character character = test::swinging_tube();
  const CharacterHandle in_the_library = in_c(character);
  const EvaluatorHandle handle = evaluator_of(in_the_library);
  Evaluator expected(character);
  const auto evaluated = got<pelt_evaluated>(pelt_evaluator_get_evaluated, handle.get());
  std::vector<glm::mat4> joints(character->skeleton.joints.size());
  rest_matrices(character->skeleton, joints);
  const auto positions = [&] {
    return std::vector<float>(evaluated.positions, evaluated.positions + 3 * evaluated.vertex_count);
  };
  std::vector<float> swung;
  for (int frame = 0; frame < 4; ++frame) {
    for (glm::mat4& joint : joints) joint = glm::translate(glm::mat4(1), {0, 0.05f, 0}) * joint;
    ASSERT_OK(pelt_evaluator_advance(handle.get(), 1.0f / 60));
    ASSERT_OK(pelt_evaluator_pose(handle.get(), glm::value_ptr(joints[0]), static_cast<std::uint32_t>(joints.size())));
    ASSERT_OK(pelt_evaluator_evaluate(handle.get()));
    expected.advance(1.0f / 60);
    expected.pose(joints);
    expected.evaluate();
    swung = positions();
    EXPECT_EQ(std::memcmp(swung.data(), expected.positions().data(), expected.positions().size_bytes()), 0);
  }
  ASSERT_OK(pelt_evaluator_teleport(handle.get()));
  ASSERT_OK(pelt_evaluator_evaluate(handle.get()));
  EXPECT_NE(positions(), swung);
}

TEST(CEvaluators, WorkByTheJobSystemOfTheGame) {
  const CharacterHandle character = in_c(test::bound_by(make_arm(), "surface_ffd"));
  const auto positions = [](const EvaluatorHandle& evaluator) {
    EXPECT_EQ(pelt_evaluator_evaluate(evaluator.get()), PELT_OK);
    auto evaluated = sized<pelt_evaluated>();
    EXPECT_EQ(pelt_evaluator_get_evaluated(evaluator.get(), &evaluated), PELT_OK);
    return std::vector<float>(evaluated.positions, evaluated.positions + 3 * evaluated.vertex_count);
  };
  std::size_t loops = 0;
  auto options = sized<pelt_evaluator_options>();
  options.for_ranges_user = &loops;
  // From the last range to the first.
  options.for_ranges = [](void* user, size_t count, size_t grain, const void* body, pelt_range_call call) {
    ++*static_cast<std::size_t*>(user);
    for (size_t end = count; end > 0; end -= std::min(grain, end)) call(body, end - std::min(grain, end), end);
  };
  EXPECT_EQ(positions(evaluator_of(character, &options)), positions(evaluator_of(character)));
  EXPECT_GT(loops, 0u);
}

TEST(CEvaluators, RefuseWhatMakesNoSense) {
  const CharacterHandle character = in_c(make_linear());
  const pelt_evaluator_options options{.struct_size = sizeof options, .no_normals = 1};
  const EvaluatorHandle handle = evaluator_of(character, &options);
  const auto evaluated = got<pelt_evaluated>(pelt_evaluator_get_evaluated, handle.get());
  EXPECT_EQ(evaluated.tension, nullptr);
  EXPECT_EQ(evaluated.normals, nullptr);
  EXPECT_EQ(evaluated.tangents, nullptr);
  Arrays arrays(evaluated.vertex_count, 5);
  const auto get = [&](std::uint32_t mesh, std::uint32_t order) {
    return pelt_evaluator_get_vertices(handle.get(), mesh, order, &arrays.given);
  };
  EXPECT_INVALID(get(0, PELT_ORDER_MODEL), "the evaluator was made without normals");
  arrays.given.normals.values = nullptr;
  EXPECT_INVALID(get(0, PELT_ORDER_MODEL), "the evaluator was made without tangents");
  arrays.given.tangents.values = nullptr;
  EXPECT_INVALID(get(0, PELT_ORDER_MODEL), "nothing was evaluated yet");
  ASSERT_OK(pelt_evaluator_evaluate(handle.get()));
  EXPECT_INVALID(get(1, PELT_ORDER_MODEL), "mesh 1 does not exist: there are 1");
  EXPECT_INVALID(get(0, 2), "order has the unknown value 2");
  arrays.given.positions.stride = 8;
  EXPECT_INVALID(get(0, PELT_ORDER_MODEL), "arrays.positions.stride is 8, but a vertex takes 12 bytes");
  arrays.given.positions.stride = 14;
  EXPECT_INVALID(get(0, PELT_ORDER_MODEL), "14, which is not a multiple of 4");
  arrays.given.positions.stride = 12;
  --arrays.given.vertex_count;
  EXPECT_INVALID(get(PELT_NONE, PELT_ORDER_MODEL), "vertices, expected");
  EXPECT_INVALID(pelt_evaluator_get_vertices(handle.get(), 0, 0, nullptr), "arrays is null");
  EXPECT_EQ(arrays.positions, std::vector<float>(arrays.positions.size(), 7));

  float number = 0;
  pelt_evaluator* none = nullptr;
  EXPECT_INVALID(pelt_evaluator_pose(handle.get(), &number, 99), "got 99 joints");
  EXPECT_INVALID(pelt_evaluator_pose(handle.get(), nullptr, 2), "joints is null");
  std::vector<float> bad(32);
  bad[20] = NAN;
  EXPECT_INVALID(pelt_evaluator_pose(handle.get(), bad.data(), 2), "joint 1 is not finite");
  EXPECT_INVALID(pelt_evaluator_inputs(handle.get(), &number, 1), "got 1 inputs, expected 0");
  EXPECT_INVALID(pelt_evaluator_stream(handle.get(), 0, &number, 1), "stream 0 does not exist: there are 0");
  EXPECT_INVALID(pelt_evaluator_control(handle.get(), 0, 1), "control 0 does not exist: there are 0");
  EXPECT_INVALID(pelt_evaluator_detail(handle.get(), 2), "detail has the unknown value 2");
  EXPECT_OK(pelt_evaluator_detail(handle.get(), PELT_DETAIL_LINEAR_BLEND));
  EXPECT_INVALID(pelt_evaluator_create(character.get(), nullptr, nullptr), "out is null");
  EXPECT_EQ(none, nullptr);
  pelt_evaluator_destroy(nullptr);
}

TEST(CEvaluators, FindPointsOfTheSkinAsTheEngineDoes) {
  const SkinAnchor anchor{.name = "button", .vertices = {1, 2, 3}, .shares = {0.25f, 0.25f, 0.5f}};
  const Character character = test::must(with_anchors(make_linear(), {anchor}));
  const CharacterHandle in_the_library = in_c(character);
  const EvaluatorHandle handle = evaluator_of(in_the_library), second = evaluator_of(in_the_library);
  Evaluator evaluator(character);
  evaluator.evaluate_controls();
  SkinQuery query = test::must(SkinQuery::create(test::must(SkinIndex::create(character)), evaluator));
  const glm::vec3 origin(3, 5, 0.1f), down(0, -2, 0);
  auto hit = sized<pelt_skin_hit>();
  const auto ray = [&](const EvaluatorHandle& of, glm::vec3 along, float longest) {
    return pelt_evaluator_find_on_ray(of.get(), &origin.x, &along.x, longest, &hit);
  };
  float rows[12] = {};
  EXPECT_INVALID(ray(handle, down, INFINITY), "nothing was evaluated yet");
  EXPECT_INVALID(pelt_evaluator_get_frame(handle.get(), &hit.point, rows), "point.struct_size is 0");
  hit.point.struct_size = sizeof hit.point;
  hit.point.barycentric[0] = 1;
  EXPECT_INVALID(pelt_evaluator_get_frame(handle.get(), &hit.point, rows), "nothing was evaluated yet");
  for (const EvaluatorHandle* each : {&handle, &second}) {
    ASSERT_OK(pelt_evaluator_evaluate_controls(each->get()));
    ASSERT_OK(ray(*each, down, INFINITY));
    const SkinHit expected = test::must(query.ray(origin, down)).value();
    EXPECT_EQ(hit.found, 1u);
    EXPECT_EQ(hit.point.triangle, expected.point.triangle);
    EXPECT_EQ(glm::make_vec3(hit.point.barycentric), expected.point.barycentric);
    EXPECT_EQ(glm::make_vec3(hit.position), expected.position);
    EXPECT_EQ(hit.distance, expected.distance);
    ASSERT_OK(pelt_evaluator_get_frame(each->get(), &hit.point, rows));
    const Affine frame = test::must(Anchor::at_point(character, expected.point)).frame(evaluator);
    EXPECT_EQ(glm::make_mat3x4(rows), frame);
  }
  ASSERT_OK(ray(handle, down, 1));
  EXPECT_EQ(hit.found, 0u);
  ASSERT_OK(pelt_evaluator_find_nearest(handle.get(), &origin.x, INFINITY, &hit));
  EXPECT_EQ(hit.distance, test::must(query.nearest(origin))->distance);

  auto point = got<pelt_skin_point>(pelt_character_nearest_point, in_the_library.get(), &origin.x);
  EXPECT_EQ(point.triangle, test::must(nearest_at_bind(character, origin)).triangle);
  point.triangle = PELT_NONE;
  point.vertex = 5;
  ASSERT_OK(pelt_evaluator_get_frame(handle.get(), &point, rows));
  EXPECT_EQ(glm::make_mat3x4(rows), test::must(Anchor::at_vertex(character, 0, 5)).frame(evaluator));
  auto info = sized<pelt_character_info>();
  auto known = sized<pelt_anchor_info>();
  std::uint32_t found = 7;
  ASSERT_OK(pelt_character_get_info(in_the_library.get(), &info));
  ASSERT_OK(pelt_character_find_anchor(in_the_library.get(), "button", &found));
  ASSERT_OK(pelt_character_get_anchor(in_the_library.get(), found, &known));
  ASSERT_OK(pelt_evaluator_get_anchor(handle.get(), found, rows));
  EXPECT_EQ(info.anchor_count, 1u);
  EXPECT_EQ(known.vertices[2], 3u);
  EXPECT_EQ(known.shares[2], 0.5f);
  EXPECT_STREQ(known.name, "button");
  EXPECT_EQ(glm::make_mat3x4(rows), Anchor(anchor).frame(evaluator));
  EXPECT_INVALID(pelt_evaluator_get_anchor(handle.get(), 1, rows), "anchor 1 does not exist");
  EXPECT_INVALID(ray(handle, {}, 1), "direction of the ray is 0");
  EXPECT_INVALID(pelt_evaluator_find_nearest(handle.get(), nullptr, 1, &hit), "position is null");
  point.mesh = 7;
  EXPECT_INVALID(pelt_evaluator_get_frame(handle.get(), &point, rows), "mesh 7 does not exist");
}

// An evaluator keeps the character that it was made of.
TEST(CEvaluators, OutliveTheHandleOfTheCharacter) {
  CharacterHandle character = in_c(make_linear());
  const EvaluatorHandle handle = evaluator_of(character);
  character.reset();
  EXPECT_OK(pelt_evaluator_evaluate(handle.get()));
}

}  // namespace
}  // namespace pelt::runtime
