// SPDX-License-Identifier: MIT
#include "tests/fuzz/c_api_crowd.h"

namespace pelt::fuzz {

namespace {

pelt_device* make_device() {
  pelt_device_options options{};
  options.struct_size = sizeof options;
  options.select = "llvmpipe";
  pelt_device* made = nullptr;
  static_cast<void>(pelt_device_create(&options, &made));
  return made;
}

// The software device, and how many crowds were made on it.
struct Software {
  Handle<pelt_device, pelt_device_destroy> device{make_device()};
  int crowds = 0;
};

Software& software() {
  static Software one;
  return one;
}

}  // namespace

CrowdCalls::CrowdCalls(FuzzedDataProvider& in, const CharacterHandles& characters)
    : Calls(in), characters_(characters) {
  constexpr int kMaxCrowdsOfDevice = 64;  // it keeps the pipelines of all of them
  Software& one = software();
  if (one.crowds < kMaxCrowdsOfDevice) return;
  one.device.reset(make_device());
  one.crowds = 0;
}

pelt_device* CrowdCalls::device() { return software().device.get(); }

void CrowdCalls::make_crowd() {
  constexpr int kMaxCrowds = 5;  // the device compiles pipelines for most of them
  crowd_.reset();
  if (crowds_ >= kMaxCrowds) return;
  const pelt_character* given[3];
  const std::uint32_t count = in_.ConsumeIntegralInRange<std::uint32_t>(0, 3);
  for (std::uint32_t i = 0; i < count; ++i) given[i] = any(characters_);
  pelt_upload_options upload{};
  upload.normal_rings = in_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
  upload.capacity = in_.ConsumeIntegralInRange<std::uint32_t>(0, 1u << 20);
  pelt_gpu_characters* gpu = nullptr;
  pelt_result result = PELT_OK;
  with_struct(upload, [&](auto* options) {
    return result = pelt_upload_and_wait(or_null(device()), or_null(given), count, options, &gpu);
  });
  if (!made(result, gpu)) return;
  gpu_.reset(gpu);
  create_crowd(count);
}

void CrowdCalls::create_crowd(std::uint32_t characters) {
  std::uint32_t instances[4] = {};
  for (std::uint32_t& each : instances) each = in_.ConsumeIntegralInRange<std::uint32_t>(0, 3);
  pelt_crowd_capacity capacity{};
  capacity.struct_size = sizeof capacity;
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(done(pelt_add_capacity(any(characters_), instances[i], nullptr, or_null(&capacity))));
  }
  pelt_crowd_options options{};
  options.character_count = in_.ConsumeBool() ? characters : in_.ConsumeIntegralInRange<std::uint32_t>(0, 4);
  options.instances = in_.ConsumeBool() ? instances : nullptr;
  options.frames_in_flight = in_.ConsumeIntegralInRange<std::uint32_t>(0, 4);
  if (in_.ConsumeBool()) {
    options.positions = output();
    options.normals = output();
    options.tangents = output();
    options.previous_positions = output();
  }
  options.bounds = in_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
  options.bounds_stride = stride(64);
  options.control_meshes = in_.ConsumeIntegralInRange<std::uint32_t>(0, 1);
  options.normal_mode = in_.ConsumeIntegralInRange<std::uint32_t>(0, 2);
  options.output_slots = in_.ConsumeIntegralInRange<std::uint32_t>(0, 4);
  options.capacity = in_.ConsumeBool() ? &capacity : nullptr;
  pelt_crowd* crowd = nullptr;
  pelt_result result = PELT_OK;
  with_struct(options, [&](auto* given) { return result = pelt_crowd_create(device(), gpu_.get(), given, &crowd); });
  // What is refused for its options has compiled nothing.
  if (result != PELT_ERROR_INVALID_ARGUMENT) {
    ++crowds_;
    ++software().crowds;
  }
  if (made(result, crowd)) crowd_.reset(crowd);
}

pelt_result CrowdCalls::run_frame() {
  struct Frame {
    pelt_crowd* crowd;
    bool parts;
  } frame{crowd_.get(), in_.ConsumeBool()};
  return pelt_submit_and_wait(
      device(), "frame",
      [](void* user, VkCommandBuffer commands) {
        const Frame& given = *static_cast<Frame*>(user);
        if (!given.parts) {
          done(pelt_crowd_record(given.crowd, commands));
        } else if (done(pelt_crowd_record_pose(given.crowd, commands)) == PELT_OK) {
          done(pelt_crowd_record_blend(given.crowd, commands));
        }
      },
      &frame);
}

void CrowdCalls::call() {
  if (crowd_ == nullptr) return make_crowd();
  constexpr std::uint32_t kInstances = 6;
  const std::uint32_t instance = index(kInstances);
  switch (in_.ConsumeIntegralInRange(0, 5)) {
    case 0:
      return change_crowd(crowd_.get(), instance);
    case 1:
    case 2:
      return change_instance(crowd_.get(), instance);
    case 3:
    case 4:
      return ask_crowd(crowd_.get(), instance);
    default:
      done(run_frame());
  }
}

void CrowdCalls::change_crowd(pelt_crowd* crowd, std::uint32_t instance) {
  std::uint32_t found = 0;
  switch (in_.ConsumeIntegralInRange(0, 6)) {
    case 0:
      return make_crowd();
    case 1:
      done(pelt_crowd_acquire(crowd, index(3), in_.ConsumeIntegralInRange<std::uint32_t>(0, 2), or_null(&found)));
      return;
    case 2:
      done(pelt_crowd_release(crowd, instance));
      return;
    case 3:
      done(pelt_crowd_give_outputs(crowd, instance));
      return;
    case 4:
      done(pelt_crowd_take_outputs(crowd, instance));
      return;
    case 5: {
      if (done(pelt_gpu_characters_add(gpu_.get(), any(characters_), or_null(&found))) != PELT_OK) return;
      const auto record = [](void* gpu, VkCommandBuffer commands) {
        done(pelt_gpu_characters_record_upload(static_cast<pelt_gpu_characters*>(gpu), commands));
      };
      done(pelt_submit_and_wait(device(), "upload", record, gpu_.get()));
      done(pelt_gpu_characters_finish_upload(gpu_.get()));
      done(pelt_crowd_add(crowd, found));
      return;
    }
    default:
      done(pelt_crowd_remove(crowd, index(3)));
  }
}

void CrowdCalls::change_instance(pelt_crowd* crowd, std::uint32_t instance) {
  switch (in_.ConsumeIntegralInRange(0, 9)) {
    case 0: {
      const bool rows = in_.ConsumeBool();
      const std::uint32_t count = count_of(info_of(any(characters_)).joint_count);
      const Exact<float> joints = numbers(std::size_t{rows ? 12u : 16u} * count);
      done((rows ? pelt_crowd_pose_rows : pelt_crowd_pose)(crowd, instance, or_null(joints.get()), count));
      return;
    }
    case 1: {
      const std::uint32_t count = count_of(info_of(any(characters_)).input_count);
      const Exact<float> inputs = numbers(count);
      done(pelt_crowd_inputs(crowd, instance, or_null(inputs.get()), count));
      return;
    }
    case 2: {
      const std::uint32_t count = in_.ConsumeBool() ? in_.ConsumeIntegralInRange<std::uint32_t>(0, 300) : 63;
      const Exact<float> positions = numbers(3 * std::size_t{count});
      done(pelt_crowd_stream(crowd, instance, index(1), or_null(positions.get()), count));
      return;
    }
    case 3:
      done(pelt_crowd_control(crowd, instance, index(4), number()));
      return;
    case 4:
      done(pelt_crowd_show(crowd, instance, index(1)));
      return;
    case 5:
      done(pelt_crowd_update_every(crowd, instance, index(3)));
      return;
    case 6:
      done(pelt_crowd_teleport(crowd, instance));
      return;
    case 7:
      done(pelt_crowd_advance(crowd, number()));
      return;
    case 8:
      done(pelt_crowd_detail(crowd, instance, index(2)));
      return;
    default:
      done(pelt_crowd_level(crowd, instance, index(3), index(3)));
  }
}

void CrowdCalls::ask_crowd(pelt_crowd* crowd, std::uint32_t instance) {
  std::uint32_t found[2] = {};
  float given[6] = {};
  switch (in_.ConsumeIntegralInRange(0, 9)) {
    case 0:
      done(pelt_crowd_get_shown_levels(crowd, instance, or_null(&found[0]), or_null(&found[1]), or_null(given)));
      return;
    case 1:
      with_struct(pelt_crowd_info{}, [&](auto* out) { return pelt_crowd_get_info(crowd, out); });
      return;
    case 2:
      with_struct(pelt_instance_info{}, [&](auto* out) { return pelt_crowd_get_instance(crowd, instance, out); });
      return;
    case 3:
      with_struct(pelt_crowd_outputs{}, [&](auto* out) { return pelt_crowd_get_outputs(crowd, out); });
      with_struct(pelt_crowd_outputs{}, [&](auto* out) { return pelt_crowd_get_slot_outputs(crowd, index(3), out); });
      return;
    case 4:
      done(pelt_crowd_get_previous_slot(crowd, instance, or_null(found)));
      done(pelt_crowd_get_mesh_previous_slot(crowd, instance, index(100), or_null(found)));
      done(pelt_crowd_get_first_instance(crowd, index(3), or_null(found)));
      return;
    case 5:
      done(pelt_crowd_get_mesh_vertex(crowd, index(3), index(3), or_null(found)));
      done(pelt_crowd_get_level_vertex(crowd, index(3), index(2), or_null(found)));
      return;
    case 6:
      with_struct(pelt_crowd_rooms{}, [&](auto* out) { return pelt_crowd_get_rooms(crowd, out); });
      return;
    case 7:
      return read_vertices(instance);
    case 8:
      done(pelt_crowd_read_bounds(crowd, instance, or_null(given), or_null(given + 3)));
      return;
    default: {
      pelt_buffer_use uses[PELT_MAX_BUFFER_USES];
      done(pelt_crowd_get_uses(crowd, index(1), or_null(uses), or_null(found)));
      return;
    }
  }
}

void CrowdCalls::read_vertices(std::uint32_t instance) {
  pelt_instance_info info{};
  info.struct_size = sizeof info;
  if (done(pelt_crowd_get_instance(crowd_.get(), instance, &info)) != PELT_OK) return;
  const std::uint32_t count = count_of(info.vertex_count);
  const Exact<float> arrays[4] = {numbers(3 * count), numbers(3 * count), numbers(4 * count), numbers(3 * count)};
  pelt_vertices vertices{};
  vertices.vertex_count = count;
  vertices.positions = or_null(arrays[0].get());
  vertices.normals = or_null(arrays[1].get());
  vertices.tangents = in_.ConsumeBool() ? arrays[2].get() : nullptr;
  vertices.previous_positions = in_.ConsumeBool() ? arrays[3].get() : nullptr;
  with_struct(vertices, [&](auto* to) { return pelt_crowd_read_vertices(crowd_.get(), instance, to); });
}

}  // namespace pelt::fuzz
