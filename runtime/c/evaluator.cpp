// SPDX-License-Identifier: MIT
#include <cstring>
#include <glm/gtc/type_ptr.hpp>
#include <mutex>
#include <optional>
#include <span>

#include <pelt/anchor.h>
#include <pelt/evaluate.h>
#include <pelt/skin_query.h>

#include "engine/character/base/formatted.h"
#include "runtime/c/handles.h"
#include "runtime/c/support.h"
#include "runtime/plan/joints.h"

using namespace pelt::c;
using pelt::formatted;

// The index of a character, made by the first query.
struct pelt::c::SharedSkinIndex {
  std::once_flag once;
  std::optional<SkinIndex> index{};
};

struct pelt_evaluator {
  pelt::Character character;
  pelt::Evaluator evaluator;
  std::shared_ptr<SharedSkinIndex> index;
  bool evaluated = false;
  std::optional<pelt::SkinQuery> query{};
};

namespace {

// Runs the body of a pelt.h function with an evaluator.
template <class Handle, class Body>
pelt_result on_evaluator(const char* function, Handle* evaluator, const Body& body) {
  return guarded(function, [&] { body(need(evaluator, "evaluator")); });
}

// Throws if a crowd would not accept a joint, point or input.
template <class Value>
void need_usable(const char* what, std::span<const Value> values) {
  const std::size_t bad = pelt::runtime::first_unusable(values);
  if (bad < values.size()) refuse(formatted("{} {} is not finite, or beyond {:g}", what, bad, pelt::kMaxCoordinate));
}

const pelt::CharacterData& character_data(const pelt_evaluator& evaluator) { return *evaluator.character; }

// Writes vertices if `values` is set. `made`: whether the evaluator has this attribute.
template <class T>
void need_array(const pelt_vertex_array& array, const char* name, bool made) {
  if (array.values == nullptr) return;
  if (!made) refuse(formatted("the evaluator was made without {}", name));
  if (array.stride != 0 && array.stride < sizeof(T))
    refuse(formatted("arrays.{}.stride is {}, but a vertex takes {} bytes", name, array.stride, sizeof(T)));
  if (array.stride % sizeof(float) != 0)
    refuse(formatted("arrays.{}.stride is {}, which is not a multiple of 4", name, array.stride));
}

// Writes a mesh's vertices to the array from element `first` on. `places`: the index of each; empty: in packed order.
template <class T>
void write_array(std::span<const T> vertices, std::span<const std::uint32_t> places, std::size_t first,
                 const pelt_vertex_array& array) {
  if (array.values == nullptr || vertices.empty()) return;
  const std::size_t stride = array.stride == 0 ? sizeof(T) : array.stride;
  char* const begin = reinterpret_cast<char*>(array.values) + first * stride;
  if (places.empty() && stride == sizeof(T)) {
    std::memcpy(begin, vertices.data(), vertices.size_bytes());
    return;
  }
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    std::memcpy(begin + (places.empty() ? i : places[i]) * stride, &vertices[i], sizeof(T));
  }
}

glm::vec3 need_vector(const float* numbers, const char* name) {
  need(numbers, name);
  return glm::make_vec3(numbers);
}

pelt::SkinQuery& query_of(pelt_evaluator& handle) {
  std::call_once(handle.index->once,
                 [&] { handle.index->index = value_of(pelt::SkinIndex::create(handle.character)); });
  if (!handle.query) handle.query = value_of(pelt::SkinQuery::create(*handle.index->index, handle.evaluator));
  return *handle.query;
}

pelt_skin_point in_c(const pelt::SkinPoint& point) {
  return {.struct_size = sizeof(pelt_skin_point),
          .mesh = point.mesh,
          .triangle = point.triangle,
          .barycentric = {point.barycentric.x, point.barycentric.y, point.barycentric.z}};
}

void write_hit(const std::optional<pelt::SkinHit>& found, pelt_skin_hit* hit) {
  pelt_skin_hit whole{};
  if (found) {
    const glm::vec3& at = found->position;
    whole = {.found = 1, .point = in_c(found->point), .position = {at.x, at.y, at.z}, .distance = found->distance};
  }
  write_struct(whole, hit, "hit");
}

void write_frame(const pelt_evaluator& handle, const pelt::Anchor& anchor, float* rows) {
  need(rows, "rows");
  if (handle.evaluator.evaluations() == 0) refuse("nothing was evaluated yet");
  const pelt::Affine frame = anchor.frame(handle.evaluator);
  std::memcpy(rows, glm::value_ptr(frame), sizeof frame);
}

}  // namespace

pelt_result pelt_evaluator_create(const pelt_character* character, const pelt_evaluator_options* options,
                                  pelt_evaluator** out) {
  return guarded(__func__, [&] {
    const pelt::Character& bound = need(character, "character").character;
    std::call_once(character->index_once, [&] { character->index = std::make_shared<SharedSkinIndex>(); });
    const auto given = read_options(options, "options");
    pelt_evaluator*& made = need(out, "out");
    const pelt::Evaluator::Options wanted{.jobs = {given.for_ranges, given.for_ranges_user},
                                          .normals = given.no_normals == 0,
                                          .tangents = given.no_normals == 0 && given.no_tangents == 0,
                                          .morphs = given.no_morphs == 0,
                                          .tension = given.tension != 0,
                                          .same_everywhere = given.same_everywhere != 0};
    made = new pelt_evaluator{bound, value_of(pelt::Evaluator::create(bound, wanted)), character->index};
  });
}

void pelt_evaluator_destroy(pelt_evaluator* evaluator) { delete evaluator; }

pelt_result pelt_evaluator_pose(pelt_evaluator* evaluator, const float* joints, uint32_t joint_count) {
  return on_evaluator(__func__, evaluator, [&](pelt_evaluator& handle) {
    need(joints, "joints");
    need_count("joints", joint_count, character_data(handle).skeleton.joints.size());
    const std::span given(reinterpret_cast<const glm::mat4*>(joints), joint_count);
    need_usable("joint", given);
    handle.evaluator.pose(given);
  });
}

pelt_result pelt_evaluator_inputs(pelt_evaluator* evaluator, const float* values, uint32_t input_count) {
  return on_evaluator(__func__, evaluator, [&](pelt_evaluator& handle) {
    need_count("inputs", input_count, character_data(handle).input_count);
    if (input_count == 0) return;
    const std::span given(&need(values, "values"), input_count);
    need_usable("input", given);
    handle.evaluator.inputs(given);
  });
}

pelt_result pelt_evaluator_stream(pelt_evaluator* evaluator, uint32_t stream, const float* positions,
                                  uint32_t vertex_count) {
  return on_evaluator(__func__, evaluator, [&](pelt_evaluator& handle) {
    const pelt::CharacterData& data = character_data(handle);
    need_index("stream", stream, data.streams.size());
    need(positions, "positions");
    need_count("vertices", vertex_count, data.meshes[data.streams[stream].mesh].vertex_count());
    const std::span given(reinterpret_cast<const glm::vec3*>(positions), vertex_count);
    need_usable("position", given);
    handle.evaluator.stream(stream, given);
  });
}

pelt_result pelt_evaluator_control(pelt_evaluator* evaluator, uint32_t control, float value) {
  return on_evaluator(__func__, evaluator, [&](pelt_evaluator& handle) {
    need_index("control", control, character_data(handle).controls.size());
    need_usable<float>("value", {&value, 1});
    handle.evaluator.control(control, value);
  });
}

pelt_result pelt_evaluator_detail(pelt_evaluator* evaluator, uint32_t detail) {
  return on_evaluator(__func__, evaluator,
                      [&](pelt_evaluator& handle) { handle.evaluator.set_detail(to_detail(detail)); });
}

pelt_result pelt_evaluator_advance(pelt_evaluator* evaluator, float seconds) {
  return on_evaluator(__func__, evaluator, [&](pelt_evaluator& handle) { handle.evaluator.advance(seconds); });
}

pelt_result pelt_evaluator_teleport(pelt_evaluator* evaluator) {
  return on_evaluator(__func__, evaluator, [&](pelt_evaluator& handle) { handle.evaluator.teleport(); });
}

pelt_result pelt_evaluator_evaluate(pelt_evaluator* evaluator) {
  return on_evaluator(__func__, evaluator, [&](pelt_evaluator& handle) {
    handle.evaluator.evaluate();
    handle.evaluated = true;
  });
}

pelt_result pelt_evaluator_get_evaluated(const pelt_evaluator* evaluator, pelt_evaluated* evaluated) {
  return on_evaluator(__func__, evaluator, [&](const pelt_evaluator& handle) {
    const auto first = [](const auto& vertices) {
      return vertices.empty() ? nullptr : glm::value_ptr(vertices.front());
    };
    write_struct(pelt_evaluated{.vertex_count = character_data(handle).vertex_count(),
                                .positions = first(handle.evaluator.positions()),
                                .normals = first(handle.evaluator.normals()),
                                .tangents = first(handle.evaluator.tangents()),
                                .tension = first(handle.evaluator.tension())},
                 evaluated, "evaluated");
  });
}

pelt_result pelt_evaluator_get_vertices(const pelt_evaluator* evaluator, uint32_t mesh, uint32_t order,
                                        const pelt_vertex_arrays* arrays) {
  return on_evaluator(__func__, evaluator, [&](const pelt_evaluator& handle) {
    const pelt::CharacterData& data = character_data(handle);
    if (mesh != PELT_NONE) need_index("mesh", mesh, data.meshes.size());
    need_known("order", order, PELT_ORDER_MODEL);
    const pelt_vertex_arrays given = read_struct(arrays, "arrays");
    const std::span<const pelt::CharacterMesh> meshes =
        mesh == PELT_NONE ? std::span(data.meshes) : std::span(data.meshes).subspan(mesh, 1);
    need_count("vertices", given.vertex_count, mesh == PELT_NONE ? data.vertex_count() : meshes[0].vertex_count());
    need_array<glm::vec3>(given.positions, "positions", true);
    need_array<glm::vec3>(given.normals, "normals", !handle.evaluator.normals().empty());
    need_array<glm::vec4>(given.tangents, "tangents", !handle.evaluator.tangents().empty());
    if (!handle.evaluated) refuse("nothing was evaluated yet");
    std::size_t first = 0;
    for (const pelt::CharacterMesh& each : meshes) {
      const std::size_t count = each.vertex_count();
      const auto write = [&]<class T>(std::span<const T> vertices, const pelt_vertex_array& array) {
        if (vertices.empty()) return;
        const std::span<const std::uint32_t> places =
            order == PELT_ORDER_MODEL ? std::span(each.source_vertex) : std::span<const std::uint32_t>();
        write_array(vertices.subspan(each.first_vertex, count), places, first, array);
      };
      write(handle.evaluator.positions(), given.positions);
      write(handle.evaluator.normals(), given.normals);
      write(handle.evaluator.tangents(), given.tangents);
      first += count;
    }
  });
}

pelt_result pelt_evaluator_evaluate_controls(pelt_evaluator* evaluator) {
  return on_evaluator(__func__, evaluator, [&](pelt_evaluator& handle) { handle.evaluator.evaluate_controls(); });
}

pelt_result pelt_character_nearest_point(const pelt_character* character, const float* position,
                                         pelt_skin_point* point) {
  return guarded(__func__, [&] {
    const pelt::Character& bound = need(character, "character").character;
    write_struct(in_c(value_of(pelt::nearest_at_bind(bound, need_vector(position, "position")))), point, "point");
  });
}

pelt_result pelt_evaluator_get_frame(const pelt_evaluator* evaluator, const pelt_skin_point* point, float* rows) {
  return on_evaluator(__func__, evaluator, [&](const pelt_evaluator& handle) {
    const pelt_skin_point given = read_struct(point, "point");
    write_frame(handle,
                value_of(given.triangle == PELT_NONE
                             ? pelt::Anchor::at_vertex(handle.character, given.mesh, given.vertex)
                             : pelt::Anchor::at_point(handle.character,
                                                      {given.mesh, given.triangle, glm::make_vec3(given.barycentric)})),
                rows);
  });
}

pelt_result pelt_evaluator_get_anchor(const pelt_evaluator* evaluator, uint32_t anchor, float* rows) {
  return on_evaluator(__func__, evaluator, [&](const pelt_evaluator& handle) {
    const std::vector<pelt::SkinAnchor>& anchors = handle.character->anchors;
    need_index("anchor", anchor, anchors.size());
    write_frame(handle, pelt::Anchor(anchors[anchor]), rows);
  });
}

pelt_result pelt_evaluator_find_on_ray(pelt_evaluator* evaluator, const float* origin, const float* direction,
                                       float longest, pelt_skin_hit* hit) {
  return on_evaluator(__func__, evaluator, [&](pelt_evaluator& handle) {
    const glm::vec3 from = need_vector(origin, "origin"), along = need_vector(direction, "direction");
    write_hit(value_of(query_of(handle).ray(from, along, longest)), hit);
  });
}

pelt_result pelt_evaluator_find_nearest(pelt_evaluator* evaluator, const float* position, float farthest,
                                        pelt_skin_hit* hit) {
  return on_evaluator(__func__, evaluator, [&](pelt_evaluator& handle) {
    const glm::vec3 near = need_vector(position, "position");
    write_hit(value_of(query_of(handle).nearest(near, farthest)), hit);
  });
}
