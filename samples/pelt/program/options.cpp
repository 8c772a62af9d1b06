// SPDX-License-Identifier: MIT
#include "samples/pelt/program/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include <pelt/mos_presets.h>

namespace pelt::samples {

CLI::Validator finite_in(double least, double most) {
  return CLI::Validator(
      [=](const std::string& text) {
        return parse_number(text, least, most) ? std::string() : fmt::format("must be from {} to {}", least, most);
      },
      "");
}

CLI::Validator extension_in(const std::vector<std::string>& extensions) {
  return CLI::Validator(
      [=](const std::string& text) {
        for (const std::string& extension : extensions) {
          if (lower_extension(text) == extension) return std::string();
        }
        return fmt::format("'{}' must end in {}", text, fmt::join(extensions, " or "));
      },
      "");
}

CLI::Validator a_deformer() {
  return CLI::Validator(
      [](const std::string& text) {
        const Result<Rig> rig = rig_from_deformer_name(text);
        return rig ? std::string() : rig.error().message;
      },
      "");
}

void add_any_file(CLI::App& app, NamedFiles& files) {
  app.add_flag_callback(
      "--any-file", [&] { files = NamedFiles::kAnywhere; },
      "Read the files that a rig or model names anywhere: outside of its folder, by the rig in a character, by "
      "symbolic links. Only for rigs and models that you trust");
}

void add_binding_options(CLI::App& app, Binding& binding) {
  CLI::Option* rig = app.add_option("--rig", binding.rig, "Rig, which assigns deformers to meshes (docs/rig.md)");
  CLI::Option* deformer = app.add_option(
      "--deformer", binding.deformer,
      "Without a rig: one deformer over all: linear-blend, dual-quaternion, surface-ffd, curve-skeleton, mos or "
      "hierarchical-bspline (default: the rig in a glTF model; else surface-ffd, or linear-blend if that does better "
      "on a tenth of the skin)");
  deformer->check(a_deformer())->excludes(rig);
  const std::span<const std::string_view> presets = preset_names();
  app.add_option(
         "--preset", binding.preset,
         fmt::format("Without a rig: MOS along chains found by the names of joints: {}", fmt::join(presets, ", ")))
      ->check(CLI::IsMember(std::vector<std::string>(presets.begin(), presets.end())))
      ->excludes(rig)
      ->excludes(deformer)
      ->type_name("NAME");
  rig->type_name("RIG.json");
  add_any_file(app, binding.files);
  app.add_flag_callback(
      "--no-fallback", [&] { binding.check = CheckMode::kReport; },
      "Keep the deformer on the whole skin, even if it is worse than linear blend");
  const auto no_check = [&] { binding.check = CheckMode::kNone; };
  app.add_flag_callback("--no-check", no_check,
                        "Do not compare the deformer with linear blend; keep it on the whole skin");
  app.add_flag_callback(
      "--paint", [&] { binding.paint = PaintMode::kAlways; },
      "Make the weights of all meshes but props, by ways inside the skin to the bones; else only of unpainted ones");
  app.add_flag_callback("--no-judge", no_check)->group("");  // its former name, for scripts
}

void add_gpu_options(CLI::App& app, GpuOptions& gpu) {
  app.add_option("--device", gpu.device,
                 "Index or part of the name of the Vulkan device (default: $PELT_DEVICE, else the most capable)")
      ->type_name("NAME");
  app.add_flag("--validate", gpu.validate, "Turn the Vulkan validation layer on; any message fails the command");
}

void add_model(CLI::App& app, std::string& model) {
  app.add_option("model", model,
                 "Model: .gltf, .glb, .vrm, .obj, builtin:arm, builtin:biped, builtin:limb or builtin:tail")
      ->required()
      ->type_name("MODEL");
}

}  // namespace pelt::samples
