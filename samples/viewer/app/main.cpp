// SPDX-License-Identifier: MIT
// The command line of the viewer: options, help and exit codes.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "samples/pelt/program/options.h"
#include "samples/program.h"
#include "samples/renderer/image.h"
#include "samples/viewer/app/run.h"

namespace pelt::viewer {
namespace {

// Reads "WxH"; none if the text is not of that form.
std::optional<samples::ImageSize> window_size(std::string_view text) { return samples::parse_size(text, 64, 16384); }

CLI::Validator number_in(double least, double most) {
  return samples::parsed_by([=](std::string_view text) { return samples::parse_number(text, least, most); },
                            fmt::format("a number from {} to {}", least, most));
}

// Reads a font file. Errors: those of read_file; another kind of file.
Result<std::vector<std::byte>> read_font(const std::string& path) {
  using namespace std::string_view_literals;
  PELT_ASSIGN(auto bytes, read_file(path));
  const std::string_view tag(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 4));
  if (tag == "ttcf" || tag == "OTTO" || tag == "true" || tag == "\0\1\0\0"sv) return bytes;
  return fail(ErrorCode::kInvalidFile, path + ": is no TrueType or OpenType font");
}

int run_program(int argc, char** argv) {
  CLI::App app("Shows how a character deforms, and why.", "pelt_viewer");
  app.allow_windows_style_options(false);  // a path may begin with a slash
  RunOptions options;
  HeadlessOptions headless;
  std::string size = "1280x720";
  float scale = 1;
  std::string font;
  bool without_window = false;
  app.add_option("file", options.file,
                 "Model (.gltf, .glb, .vrm, .obj, builtin:NAME), character (.pelt) or rig (.json)")
      ->capture_default_str()
      ->type_name("FILE");
  app.add_option("--model", options.model, "Model for the rig")->type_name("FILE");
  app.add_option("--with", options.with, "Another character or model, drawn there in the same clip, such as a garment")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag_callback(
      "--any-file", [&] { options.files = NamedFiles::kAnywhere; },
      "Read the files that a rig or model names anywhere: outside of its folder, by the rig in a character, by "
      "symbolic links. Only for rigs and models that you trust");
  app.add_option("--device", options.device,
                 "Index or part of the name of the Vulkan device (default: $PELT_DEVICE, else the most capable)")
      ->type_name("NAME");
  app.add_flag("--validate", options.validate, "Turn the Vulkan validation layer on; any message fails the program");
  app.add_option("--size", size, "Pixels")
      ->check(samples::parsed_by(window_size, "WxH, 64 to 16384 pixels each"))
      ->capture_default_str()
      ->type_name("WxH");
  CLI::Option* scale_option = app.add_option("--scale", scale, "Scale of texts and panels (default: the screen's)")
                                  ->check(number_in(0.5, 4))
                                  ->type_name("S");
  app.add_option("--font", font, "Font for Chinese, Japanese and Korean names (.ttf, .otf, .ttc)")->type_name("FILE");
  CLI::Option* headless_option =
      app.add_flag("--headless", without_window, "Write pictures without a window or a display");
  CLI::Option* frames_option =
      app.add_option("--frames", headless.frames,
                     "Number of pictures of the playing clip to write after the script (default: 1 without a script)")
          ->check(number_in(0, 100'000))
          ->needs(headless_option)
          ->type_name("N");
  CLI::Option* script_option = app.add_option("--script", headless.script, "Script of steps to run (docs/viewer.md)")
                                   ->needs(headless_option)
                                   ->type_name("FILE");
  app.add_option("--fps", headless.fps, "Frames per second")
      ->check(number_in(0.1, 1000))
      ->needs(headless_option)
      ->capture_default_str()
      ->type_name("F");
  CLI::Option* output_option = app.add_option("-o,--output", headless.output, "Folder for written files")
                                   ->needs(headless_option)
                                   ->type_name("DIR");
  headless_option->needs(output_option);
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong usage.\n\n"
      "Example:\n"
      "  pelt_viewer hero.glb\n"
      "  pelt_viewer hero.glb --headless --frames 24 --fps 24 -o frames");
  return samples::parse_and_run(app, argc, argv, [&]() -> Result<void> {
    if (!font.empty()) {
      PELT_ASSIGN(options.font, read_font(font));
    }
    const samples::ImageSize pixels = *window_size(size);
    options.size = {pixels.width, pixels.height};
    if (scale_option->count() != 0) options.scale = scale;
    if (frames_option->count() == 0 && script_option->count() == 0) headless.frames = 1;
    return without_window ? run_headless(options, headless) : run_window(options);
  });
}

}  // namespace
}  // namespace pelt::viewer

int main(int argc, char** argv) {
  return pelt::samples::run_main("pelt_viewer", pelt::viewer::run_program, argc, argv);
}
