// SPDX-License-Identifier: MIT
// glTF files, binary or text: whatever they hold, they are refused, or models that every deformer binds or refuses, and
// that can be written. The rig and the character in them are read as well.
#include <algorithm>
#include <nlohmann/json.hpp>

#include <pelt/bind.h>
#include <pelt/gltf_export.h>
#include <pelt/import.h>
#include <pelt/pelt_gltf.h>
#include <pelt/rig_json.h>

#include "engine/character/glb/container.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/small_model.h"

namespace {

using Bytes = std::span<const std::byte>;

const char* name_of(Bytes file) { return pelt::is_glb(file) ? "x.glb" : "x.gltf"; }

// The size of a model with its levels: an accessor without data may declare any number of elements.
struct Size {
  std::size_t vertices = 0;
  std::size_t triangles = 0;
};

Size size_of(const pelt::Model& model) {
  Size size;
  const auto add = [&](const pelt::Mesh& mesh) {
    size.vertices += mesh.positions.size();
    size.triangles += mesh.triangles.size();
  };
  for (const pelt::Mesh& mesh : model.meshes) add(mesh);
  for (const pelt::MeshLevel& level : model.levels) add(level.mesh);
  return size;
}

void write_and_read(const pelt::Model& model) {
  const auto written = pelt::format_glb(model);
  if (!written) return;
  const auto again = pelt::import_gltf(std::as_bytes(std::span(*written)), "again.glb");
  // A mesh that many nodes show is written as often, which may be more than a file may hold.
  pelt::fuzz::require(again || again.error().code == pelt::ErrorCode::kUnsupported, "a model that was written is read");
}

void bind_and_move(const pelt::Model& model, std::uint64_t choice) {
  constexpr std::size_t kMaxVertices = 300;
  constexpr std::size_t kMaxTriangles = 4000;
  constexpr std::size_t kMaxJoints = 30;
  constexpr float kMaxSeconds =
      60;  // of clips for the check at bind, which poses the model many times per second of a clip
  const Size size = size_of(model);
  if (size.vertices > kMaxVertices || size.triangles > kMaxTriangles) return;
  if (model.skeleton.joints.size() > kMaxJoints) return;
  float seconds = 0;
  for (const pelt::Clip& clip : model.clips) seconds += clip.duration;
  const auto deformers = pelt::deformer_names();
  auto rig = pelt::rig_from_deformer_name(std::string(deformers[choice % deformers.size()]));
  if (!(seconds <= kMaxSeconds)) rig->check = pelt::CheckMode::kNone;
  const auto bound = pelt::bind(model, *rig, {.threads = 1});
  if (bound) pelt::fuzz::move_on_cpu(bound->character, choice);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  const Bytes file = std::as_bytes(std::span(data, size));
  if (!pelt::is_glb(file)) return pelt::fuzz::mutate_json(data, size, max_size, seed);
  pelt::fuzz::Random random(seed);
  const auto container = pelt::open_gltf(file, "x.glb");
  if (!container || random() % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  auto document = pelt::parse_gltf_json(container->json, "x.glb");
  if (!document) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<std::byte> binary;
  if (container->binary) binary.assign(container->binary->begin(), container->binary->end());
  if (random() % 4 != 0 || binary.empty()) {
    pelt::fuzz::change_json(*document, random);
  } else if (random() % 4 != 0) {
    pelt::fuzz::change_words(binary, random);
  } else {
    pelt::fuzz::change_bytes(binary, 64);
  }
  const auto made = pelt::format_glb_container(*document, binary, "x.glb");
  if (!made || made->size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(made->begin(), made->end(), reinterpret_cast<std::byte*>(data));
  return made->size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file = std::as_bytes(std::span(data, size));
  const char* name = name_of(file);
  const std::uint64_t choice = pelt::fuzz::choice_of(file);
  if (const auto deformers = pelt::read_gltf_deformers(file, name); deformers && *deformers) {
    static_cast<void>(pelt::parse_rig((*deformers)->rig, name));
  }
  if (const auto character = pelt::read_character(file, name)) pelt::fuzz::move_on_cpu(*character, choice);
  const pelt::Result<pelt::Model> model = pelt::import_gltf(file, name);
  if (!model) {
    pelt::fuzz::require(model.error().message.starts_with(name), "an error names the file");
    return 0;
  }
  constexpr std::size_t kMaxWritten = 100'000;  // vertices
  if (size_of(*model).vertices <= kMaxWritten) write_and_read(*model);
  bind_and_move(*model, choice);
  return 0;
}
