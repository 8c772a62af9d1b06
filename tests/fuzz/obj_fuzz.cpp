// SPDX-License-Identifier: MIT
// OBJ files, and after the last zero byte a file of materials, "m.mtl": they are refused, or meshes that can be written
// and be a cage.
#include <string_view>

#include <pelt/bind.h>
#include <pelt/gltf_export.h>
#include <pelt/import.h>
#include <pelt/surface_ffd.h>

#include "tests/fuzz/frames.h"
#include "tests/fuzz/small_model.h"

namespace {

void bind_in_cage(pelt::Mesh cage, std::uint64_t choice) {
  constexpr std::size_t kMaxTriangles = 1000;
  if (cage.triangles.size() > kMaxTriangles) return;
  static const pelt::Model small = pelt::fuzz::make_small_model();
  pelt::Model model = small;
  cage.name = "cage";
  model.meshes[1] = std::move(cage);
  pelt::SurfaceFfdParameters parameters;
  parameters.driver.mesh = "cage";
  pelt::Rig rig;
  rig.layers.push_back({"tube", parameters, {}, {}});
  if (const auto bound = pelt::bind(model, rig, {.threads = 1})) pelt::fuzz::move_on_cpu(bound->character, choice);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const pelt::fuzz::InputFile object("x.obj");
  static const pelt::fuzz::InputFile materials(object, "m.mtl");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.rfind('\0');
  object.write(text.substr(0, end));
  materials.write(end == std::string_view::npos ? "" : text.substr(end + 1));
  const auto model = pelt::import_obj(object.path());
  if (!model) {
    pelt::fuzz::require(model.error().message.find(".obj") != std::string::npos ||
                            model.error().message.find(".mtl") != std::string::npos,
                        "an error names the file");
    return 0;
  }
  pelt::fuzz::require(pelt::format_glb(*model).has_value(), "a model can be written");
  const std::uint64_t choice = pelt::fuzz::choice_of(std::as_bytes(std::span(data, size)));
  if (choice % 4 == 0) bind_in_cage(model->meshes[0], choice);
  return 0;
}
