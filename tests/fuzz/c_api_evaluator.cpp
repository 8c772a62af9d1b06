// SPDX-License-Identifier: MIT
#include "tests/fuzz/c_api_evaluator.h"

#include <thread>

namespace pelt::fuzz {

void EvaluatorCalls::make_evaluator() {
  const pelt_character* const character = any(characters_);
  pelt_evaluator_options options{};
  options.normal_mode = in_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
  options.no_normals = in_.ConsumeIntegralInRange<std::uint32_t>(0, 1);
  options.no_tangents = in_.ConsumeIntegralInRange<std::uint32_t>(0, 1);
  options.no_morphs = in_.ConsumeIntegralInRange<std::uint32_t>(0, 1);
  options.same_everywhere = in_.ConsumeIntegralInRange<std::uint32_t>(0, 1);
  if (in_.ConsumeBool()) {
    options.for_ranges = [](void*, std::size_t count, std::size_t, const void* body, pelt_range_call call) {
      if (count == 0) return;
      std::thread other([&] { call(body, count / 2, count); });
      call(body, 0, count / 2);
      other.join();
    };
  }
  pelt_evaluator* evaluator = nullptr;
  pelt_result result = PELT_OK;
  with_struct(options, [&](auto* given) { return result = pelt_evaluator_create(character, given, &evaluator); });
  if (!made(result, evaluator)) return;
  evaluator_.handle.reset(evaluator);
  evaluator_.info = info_of(character);
}

void EvaluatorCalls::call() {
  if (evaluator_.handle == nullptr) return make_evaluator();
  pelt_evaluator* const evaluator = or_null(evaluator_.handle.get());
  const pelt_character_info& info = evaluator_.info;
  switch (in_.ConsumeIntegralInRange(0, 11)) {
    case 0:
      return make_evaluator();
    case 1: {
      const std::uint32_t count = count_of(info.joint_count);
      const Exact<float> joints = numbers(16 * std::size_t{count});
      done(pelt_evaluator_pose(evaluator, or_null(joints.get()), count));
      return;
    }
    case 2: {
      const std::uint32_t count = count_of(info.input_count);
      const Exact<float> inputs = numbers(count);
      done(pelt_evaluator_inputs(evaluator, or_null(inputs.get()), count));
      return;
    }
    case 3: {
      const std::uint32_t count = in_.ConsumeBool() ? in_.ConsumeIntegralInRange<std::uint32_t>(0, 300) : 63;
      const Exact<float> positions = numbers(3 * std::size_t{count});
      done(pelt_evaluator_stream(evaluator, index(info.stream_count), or_null(positions.get()), count));
      return;
    }
    case 4:
      done(pelt_evaluator_control(evaluator, index(info.control_count), number()));
      return;
    case 5:
      done(pelt_evaluator_detail(evaluator, index(2)));
      return;
    case 6:
      done(pelt_evaluator_advance(evaluator, number()));
      return;
    case 7:
      done(pelt_evaluator_teleport(evaluator));
      return;
    case 8:
      with_struct(pelt_evaluated{}, [&](auto* out) { return pelt_evaluator_get_evaluated(evaluator, out); });
      return;
    case 9:
      return get_vertices(evaluator, info);
    default:
      done(pelt_evaluator_evaluate(evaluator));
  }
}

void EvaluatorCalls::get_vertices(const pelt_evaluator* evaluator, const pelt_character_info& info) {
  const std::uint32_t mesh = in_.ConsumeBool() ? PELT_NONE : index(info.mesh_count);
  const std::uint32_t count = count_of(info.vertex_count);
  // An array has space for tight vertices at least: a struct that ends before a stride has a stride of 0.
  const auto array = [&](std::size_t floats) {
    const std::uint32_t stride = in_.ConsumeBool() ? 0 : in_.ConsumeIntegralInRange<std::uint32_t>(0, 64);
    const std::size_t step = std::max<std::size_t>(floats * sizeof(float), stride);
    const std::size_t bytes = count == 0 ? 0 : (count - 1) * step + floats * sizeof(float);
    arrays_.push_back(Exact<std::byte>(bytes));
    return pelt_vertex_array{or_null(reinterpret_cast<float*>(arrays_.back().get())), stride, 0};
  };
  pelt_vertex_arrays arrays{};
  arrays.vertex_count = count;
  arrays.positions = array(3);
  arrays.normals = array(3);
  arrays.tangents = array(4);
  const std::uint32_t order = index(1);
  with_struct(arrays, [&](auto* given) { return pelt_evaluator_get_vertices(evaluator, mesh, order, given); });
  arrays_.clear();
}

}  // namespace pelt::fuzz
