// SPDX-License-Identifier: MIT
// The C API as a sequence of calls, of handles that live or are null, with sizes, indices and numbers at random: each
// call is done or refused with a sentence, and writes no more than the size that it was told.
#include <thread>

#include <pelt/gltf_export.h>
#include <pelt/rig.h>

#include "tests/fuzz/c_api_input.h"
#include "tests/fuzz/seed_characters.h"
#include "tests/fuzz/small_model.h"

namespace pelt::fuzz {
namespace {

pelt_model* small_model() {
  static const Handle<pelt_model, pelt_model_destroy> small([] {
    const InputFile file("small.glb");
    file.write(format_glb(make_small_model()).value());
    pelt_model* made = nullptr;
    require(pelt_model_import(file.path().c_str(), &made) == PELT_OK, "the small model is imported");
    return made;
  }());
  return small.get();
}

// The software device, and the number of crowds made on it. It keeps the pipelines of all of them, so it is replaced
// now and then.
struct SoftwareDevice {
  Handle<pelt_device, pelt_device_destroy> handle{make()};
  int crowds = 0;

  static pelt_device* make() {
    pelt_device_options options{};
    options.struct_size = sizeof options;
    options.select = "llvmpipe";
    pelt_device* made = nullptr;
    static_cast<void>(pelt_device_create(&options, &made));
    return made;
  }
  static SoftwareDevice& get() {
    static SoftwareDevice one;
    return one;
  }
  void renew() {
    constexpr int kMaxCrowds = 64;
    if (crowds < kMaxCrowds) return;
    handle.reset(make());
    crowds = 0;
  }
};

class Caller : Calls {
 public:
  explicit Caller(FuzzedDataProvider& in) : Calls(in) {}

  void run() {
    constexpr int kMaxCalls = 60;
    const bool on_device = one_in(8) && device() != nullptr;
    if (on_device) SoftwareDevice::get().renew();
    load();
    for (int made = 0; made < kMaxCalls && in_.remaining_bytes() > 0; ++made) {
      if (on_device && in_.ConsumeBool()) {
        crowd_ == nullptr ? make_crowd() : (this->*in_.PickValueInArray(kCrowdCalls))();
      } else if (in_.ConsumeBool()) {
        evaluator_ == nullptr ? make_evaluator() : (this->*in_.PickValueInArray(kEvaluatorCalls))();
      } else {
        (this->*in_.PickValueInArray(kCharacterCalls))();
      }
    }
  }

 private:
  static pelt_device* device() { return SoftwareDevice::get().handle.get(); }

  // Loads one of the seeds, now and then cut short.
  void load() {
    static const std::vector<std::vector<std::byte>> files = seed_characters();
    const std::vector<std::byte>& file = files[below(files.size())];
    const std::size_t size = one_in(8) ? in_.ConsumeIntegralInRange<std::size_t>(0, file.size()) : file.size();
    void* const bytes = exact(size);
    std::memcpy(bytes, file.data(), size);
    pelt_character* character = nullptr;
    const pelt_result result = pelt_character_load_memory(or_null(bytes), size, or_null("file"), &character);
    keep(result, character);
  }
  void drop() {
    if (!characters_.empty()) characters_.erase(characters_.begin());
  }
  void retain() {
    pelt_character* const character = any_character();
    if (done(pelt_character_retain(character)) == PELT_OK) pelt_character_destroy(character);
  }
  void at_level() {
    pelt_character* level = nullptr;
    const pelt_result result = pelt_character_at_level(any_character(), index(2), &level);
    keep(result, level);
  }
  void save() {
    std::size_t size = 0;
    const auto write = [](void* to, const void*, std::size_t bytes) { *static_cast<std::size_t*>(to) = bytes; };
    const pelt_result result = done(pelt_character_save_memory(any_character(), &size, or_null(+write)));
    require((result == PELT_OK) == (size > 0), "what is written has bytes");
  }
  void bind() {
    constexpr int kMaxBinds = 8;
    if (++binds_ > kMaxBinds) return;
    const auto names = deformer_names();
    const std::uint32_t which = below(names.size() + 1);
    const std::string deformer(which == names.size() ? "none" : names[which]);
    pelt_rig* rig = nullptr;
    const pelt_result named = pelt_rig_from_deformer(or_null(deformer.c_str()), &rig);
    made(named, rig);
    const Handle<pelt_rig, pelt_rig_destroy> handle(rig);
    pelt_bind_options options{};
    options.threads = 1;
    options.keep_vertex_order = below(3);
    std::uint32_t stop = one_in(16) ? 1 : 0;
    if (in_.ConsumeBool()) options.stop = &stop;
    options.user = &stop;
    if (in_.ConsumeBool()) options.progress = [](void*, double, const char*) {};
    if (one_in(16)) options.progress = [](void* user, double, const char*) { *static_cast<std::uint32_t*>(user) = 1; };
    pelt_character* character = nullptr;
    const pelt_result result = pelt_bind(or_null(small_model()), rig, sized(options), &character);
    keep(result, character);
  }

  void make_evaluator() {
    pelt_evaluator_options options{};
    options.no_normals = below(2);
    options.no_tangents = below(2);
    options.no_morphs = below(2);
    options.same_everywhere = below(2);
    if (in_.ConsumeBool()) {
      options.for_ranges = [](void*, std::size_t count, std::size_t, const void* body, pelt_range_call run_range) {
        if (count == 0) return;
        std::thread other([&] { run_range(body, count / 2, count); });
        run_range(body, 0, count / 2);
        other.join();
      };
    }
    pelt_evaluator* evaluator = nullptr;
    const pelt_result result = pelt_evaluator_create(any_character(), sized(options), &evaluator);
    if (made(result, evaluator)) evaluator_.reset(evaluator);
  }
  void get_vertices() {
    pelt_evaluated evaluated{};
    evaluated.struct_size = sizeof evaluated;
    if (done(pelt_evaluator_get_evaluated(evaluator_.get(), &evaluated)) != PELT_OK) return;
    const std::uint32_t count = count_of(evaluated.vertex_count);
    // An array has space for tight vertices at least: a struct that ends before a stride has a stride of 0.
    const auto array = [&](std::size_t floats) {
      const std::uint32_t stride = in_.ConsumeBool() ? 0 : below(65);
      const std::size_t step = std::max<std::size_t>(floats * sizeof(float), stride);
      const std::size_t bytes = count == 0 ? 0 : (count - 1) * step + floats * sizeof(float);
      return pelt_vertex_array{or_null(static_cast<float*>(exact(bytes))), stride, 0};
    };
    pelt_vertex_arrays arrays{};
    arrays.vertex_count = count;
    arrays.positions = array(3);
    arrays.normals = array(3);
    arrays.tangents = array(4);
    const std::uint32_t mesh = in_.ConsumeBool() ? PELT_NONE : index(3);
    done(pelt_evaluator_get_vertices(evaluator_.get(), mesh, index(1), sized(arrays)));
  }
  void find_points() {
    pelt_skin_hit* const hit = sized(pelt_skin_hit{});
    if (in_.ConsumeBool()) {
      done(pelt_evaluator_find_on_ray(evaluator_.get(), or_null(numbers(3)), or_null(numbers(3)), number(), hit));
    } else {
      done(pelt_evaluator_find_nearest(evaluator_.get(), or_null(numbers(3)), number(), hit));
    }
    pelt_skin_point point{};
    point.mesh = index(3);
    point.triangle = in_.ConsumeBool() ? PELT_NONE : index(64);
    point.vertex = index(64);
    point.barycentric[below(3)] = in_.ConsumeBool() ? 1.0f : number();
    done(pelt_evaluator_get_frame(evaluator_.get(), sized(point), or_null(numbers(12))));
    done(pelt_character_nearest_point(any_character(), or_null(numbers(3)), sized(pelt_skin_point{})));
  }

  void make_crowd() {
    constexpr int kMaxCrowds = 5;  // the device compiles pipelines for most of them
    crowd_.reset();
    if (crowds_ >= kMaxCrowds) return;
    const pelt_character* given[3];
    const std::uint32_t count = below(4);
    for (std::uint32_t i = 0; i < count; ++i) given[i] = any_character();
    pelt_upload_options upload{};
    upload.capacity = below(1u << 20);
    pelt_gpu_characters* gpu = nullptr;
    const pelt_result result = pelt_upload_and_wait(or_null(device()), or_null(given), count, sized(upload), &gpu);
    if (!made(result, gpu)) return;
    gpu_.reset(gpu);
    create_crowd(count);
  }
  // A stride takes memory by every vertex.
  std::uint32_t stride(std::uint32_t count) { return in_.ConsumeBool() ? 0 : index(count) % 257; }
  pelt_vertex_output output() { return {index(4), stride(32), {}}; }
  void create_crowd(std::uint32_t characters) {
    std::uint32_t instances[4] = {};
    for (std::uint32_t& each : instances) each = below(4);
    pelt_crowd_capacity capacity{};
    capacity.struct_size = sizeof capacity;
    for (int i = 0; i < 2; ++i) done(pelt_add_capacity(any_character(), instances[i], nullptr, or_null(&capacity)));
    pelt_crowd_options options{};
    options.character_count = in_.ConsumeBool() ? characters : below(5);
    options.instances = in_.ConsumeBool() ? instances : nullptr;
    options.frames_in_flight = below(5);
    if (in_.ConsumeBool()) {
      for (pelt_vertex_output* each :
           {&options.positions, &options.normals, &options.tangents, &options.previous_positions})
        *each = output();
    }
    options.bounds = below(3);
    options.bounds_stride = stride(64);
    options.control_meshes = below(2);
    options.output_slots = below(5);
    options.capacity = in_.ConsumeBool() ? &capacity : nullptr;
    pelt_crowd* crowd = nullptr;
    const pelt_result result = pelt_crowd_create(device(), gpu_.get(), sized(options), &crowd);
    // A crowd that is refused for its options has compiled nothing.
    if (result != PELT_ERROR_INVALID_ARGUMENT) {
      ++crowds_;
      ++SoftwareDevice::get().crowds;
    }
    if (made(result, crowd)) crowd_.reset(crowd);
  }
  // Any record, or the frame in its two parts, so that most frames are whole.
  void run_frame() {
    parts_ = in_.ConsumeBool();
    const auto run = [](void* user, VkCommandBuffer commands) {
      Caller& caller = *static_cast<Caller*>(user);
      if (!caller.parts_) return static_cast<void>(caller.record_part(commands, caller.below(4)));
      if (caller.record_part(commands, PELT_PART_POSE) == PELT_OK) caller.record_part(commands, PELT_PART_BLEND);
    };
    done(pelt_submit_and_wait(device(), "frame", run, this));
  }
  pelt_result record_part(VkCommandBuffer commands, std::uint32_t part) {
    pelt_record record{};
    record.part = part;
    record.has_list = below(2);
    if (in_.ConsumeBool()) {
      record.count = below(5);
      auto* const entries = static_cast<pelt_list_entry*>(exact(record.count * sizeof(pelt_list_entry)));
      for (std::uint32_t e = 0; e < record.count; ++e) entries[e] = {index(6), in_.ConsumeIntegral<std::uint32_t>()};
      record.entries = or_null(entries);
    }
    return done(pelt_crowd_record(crowd_.get(), commands, sized(record)));
  }
  void add_character() {
    std::uint32_t number = 0;
    if (done(pelt_gpu_characters_add(gpu_.get(), any_character(), or_null(&number))) != PELT_OK) return;
    const auto record = [](void* user, VkCommandBuffer commands) {
      Caller& caller = *static_cast<Caller*>(user);
      caller.done(pelt_gpu_characters_record_upload(caller.gpu_.get(), commands));
    };
    done(pelt_submit_and_wait(device(), "upload", record, this));
    done(pelt_gpu_characters_finish_upload(gpu_.get()));
    done(pelt_crowd_add(crowd_.get(), number));
  }
  void read_vertices() {
    const std::uint32_t instance = index(6);
    pelt_instance_info info{};
    info.struct_size = sizeof info;
    if (done(pelt_crowd_get_instance(crowd_.get(), instance, &info)) != PELT_OK) return;
    pelt_vertices vertices{};
    vertices.vertex_count = count_of(info.vertex_count);
    const std::size_t count = vertices.vertex_count;
    vertices.positions = or_null(numbers(3 * count));
    vertices.normals = or_null(numbers(3 * count));
    vertices.tangents = in_.ConsumeBool() ? numbers(4 * count) : nullptr;
    vertices.previous_positions = in_.ConsumeBool() ? numbers(3 * count) : nullptr;
    done(pelt_crowd_read_vertices(crowd_.get(), instance, sized(vertices)));
  }

  using Call = void (Caller::*)();
  static constexpr Call kCharacterCalls[] = {&Caller::load,
                                             &Caller::drop,
                                             &Caller::retain,
                                             &Caller::at_level,
                                             &Caller::save,
                                             &Caller::bind,
                                             &Caller::call<pelt_character_get_info>,
                                             &Caller::call<pelt_character_get_joint>,
                                             &Caller::call<pelt_character_get_mesh>,
                                             &Caller::call<pelt_character_get_clip>,
                                             &Caller::call<pelt_character_get_stream>,
                                             &Caller::call<pelt_character_get_control>,
                                             &Caller::call<pelt_character_find_joint>,
                                             &Caller::call<pelt_character_find_clip>,
                                             &Caller::call<pelt_character_find_stream>,
                                             &Caller::call<pelt_character_find_control>,
                                             &Caller::call<pelt_character_get_upload_bytes>,
                                             &Caller::call<pelt_character_rest_pose, 16, true>,
                                             &Caller::call<pelt_character_sample_clip, 16, true>,
                                             &Caller::call<pelt_character_rest_transforms, 10, true>,
                                             &Caller::call<pelt_character_sample_transforms, 10, true>,
                                             &Caller::call<pelt_character_place_joints, 16, true>,
                                             &Caller::call<pelt_character_turn_helpers, 16, true>,
                                             &Caller::call<pelt_character_rest_inputs, 1, true>,
                                             &Caller::call<pelt_character_sample_inputs, 1, true>};
  static constexpr Call kEvaluatorCalls[] = {&Caller::make_evaluator,
                                             &Caller::get_vertices,
                                             &Caller::call<pelt_evaluator_pose, 16, true>,
                                             &Caller::call<pelt_evaluator_inputs, 1, true>,
                                             &Caller::call<pelt_evaluator_stream, 3, true>,
                                             &Caller::call<pelt_evaluator_control>,
                                             &Caller::call<pelt_evaluator_detail>,
                                             &Caller::call<pelt_evaluator_advance>,
                                             &Caller::call<pelt_evaluator_teleport>,
                                             &Caller::call<pelt_evaluator_get_evaluated>,
                                             &Caller::call<pelt_evaluator_evaluate_controls>,
                                             &Caller::find_points,
                                             &Caller::call<pelt_evaluator_evaluate>,
                                             &Caller::call<pelt_evaluator_evaluate>};
  static constexpr Call kCrowdCalls[] = {&Caller::make_crowd,
                                         &Caller::add_character,
                                         &Caller::read_vertices,
                                         &Caller::run_frame,
                                         &Caller::run_frame,
                                         &Caller::run_frame,
                                         &Caller::call<pelt_crowd_acquire>,
                                         &Caller::call<pelt_crowd_release>,
                                         &Caller::call<pelt_crowd_set_outputs>,
                                         &Caller::call<pelt_crowd_remove>,
                                         &Caller::call<pelt_crowd_replace>,
                                         &Caller::call<pelt_crowd_pose, 16, true>,
                                         &Caller::call<pelt_crowd_pose_rows, 12, true>,
                                         &Caller::call<pelt_crowd_inputs, 1, true>,
                                         &Caller::call<pelt_crowd_advance>,
                                         &Caller::call<pelt_crowd_get_info>,
                                         &Caller::call<pelt_crowd_get_instance>,
                                         &Caller::call<pelt_crowd_get_outputs>,
                                         &Caller::call<pelt_crowd_get_previous_frame>,
                                         &Caller::call<pelt_crowd_get_mesh_vertex>,
                                         &Caller::call<pelt_crowd_get_rooms>,
                                         &Caller::call<pelt_crowd_get_uses>,
                                         &Caller::call<pelt_crowd_read_bounds, 3>};

  int binds_ = 0;
  int crowds_ = 0;  // made so far
  bool parts_ = false;
};

}  // namespace
}  // namespace pelt::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider in(data, size);
  pelt::fuzz::Caller(in).run();
  return 0;
}
