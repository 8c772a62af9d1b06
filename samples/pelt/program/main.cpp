// SPDX-License-Identifier: MIT
// The command line: commands with their options, help and exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string_view>

#include <pelt/version.h>

#include "samples/pelt/commands.h"
#include "samples/pelt/program/options.h"
#include "samples/program.h"
#include "samples/renderer/image.h"

namespace pelt::samples {
namespace {

using Command = std::function<Result<void>()>;

// Reads "A:B", or "A" for one frame.
std::optional<FrameRange> parse_frames(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto first = parse_number<std::int32_t>(text.substr(0, colon), 0, kMaxFrame);
  if (!first || colon == std::string_view::npos)
    return first ? std::optional(FrameRange{*first, *first}) : std::nullopt;
  const auto last = parse_number<std::int32_t>(text.substr(colon + 1), *first, kMaxFrame);
  return last ? std::optional(FrameRange{*first, *last}) : std::nullopt;
}

std::optional<ImageSize> picture_size(std::string_view text) { return parse_size(text, 1, 16384); }

void add_info(CLI::App& app, Command& chosen) {
  auto command = std::make_shared<InfoCommand>();
  CLI::App* info = app.add_subcommand("info", "Describe a model, a rig or a .pelt file");
  info->add_option("file", command->file,
                   "Model (.gltf, .glb, .vrm, .obj, builtin:arm, builtin:biped, builtin:limb, builtin:tail), rig "
                   "(.json) or .pelt")
      ->required()
      ->type_name("FILE");
  add_any_file(*info, command->files);
  info->add_flag("--json", command->json, "Print JSON");
  info->footer("Example:\n  pelt info builtin:biped");
  info->callback([command, &chosen] { chosen = [command] { return run(*command); }; });
}

void add_bind(CLI::App& app, Command& chosen) {
  auto command = std::make_shared<BindCommand>();
  CLI::App* bind = app.add_subcommand("bind", "Bind a model by a rig and write the character that games load");
  add_model(*bind, command->model);
  add_binding_options(*bind, command->binding);
  add_file(*bind, "-o,--output", command->output,
           "Character to write: .pelt, or .glb: the model with rig and character", {".pelt", ".glb"}, "X.pelt")
      ->required();
  bind->add_option(
          "--driver", command->binding.body,
          "Body that drives the model, a garment. Its skeleton and clips become the character's, and --deformer "
          "moves it")
      ->excludes("--preset")
      ->type_name("MODEL");
  bind->add_option("--weights-of", command->binding.weights_of,
                   "Body that wears the model, a garment. Its skeleton and clips become the character's. A garment "
                   "without weights gets those of the skin that it lies on, filled in smoothly elsewhere")
      ->excludes("--driver")
      ->type_name("MODEL");
  add_file(*bind, "--report", command->report, "Write the decisions of bind at every vertex", {".json"}, "OUT.json");
  add_file(*bind, "--write-rig", command->write_rig, "Write the rig that was used, with every parameter", {".json"},
           "RIG.json");
  bind->add_flag("--json", command->json, "Print the report as JSON");
  bind->add_flag("--verbose", command->verbose, "Print the whole report")->excludes("--json");
  bind->footer(
      "With --verbose the report lists for each mesh: palette entries per vertex (mean and most), the greatest "
      "distance\n"
      "of a vertex from its driver, the elements that the cut dropped, the number of repaired vertices, and the bytes\n"
      "that moving a vertex reads and writes.\n\n"
      "Example:\n  pelt bind hero.glb --deformer surface-ffd -o hero.pelt");
  bind->callback([=, &chosen] {
    if (!command->report.empty() && command->report == command->write_rig) {
      throw CLI::ValidationError("--write-rig", fmt::format("--report also writes {}", command->report));
    }
    chosen = [command] { return run(*command); };
  });
}

// Reads a length: "1mm", "0.2cm" or metres.
std::optional<double> parse_length(std::string_view text) {
  double unit = 1;
  for (const auto& [name, metres] : {std::pair("mm", 1e-3), std::pair("cm", 1e-2), std::pair("m", 1.0)}) {
    if (!text.ends_with(name)) continue;
    text.remove_suffix(std::string_view(name).size());
    unit = metres;
    break;
  }
  const auto number = parse_number(text, 1e-9, 1e9);
  return number ? std::optional(*number * unit) : std::nullopt;
}

void add_learn(CLI::App& app, Command& chosen) {
  auto command = std::make_shared<LearnCommand>();
  CLI::App* learn = app.add_subcommand("learn", "Learn how a skin moves from cached vertices (docs/learn.md)");
  add_model(*learn, command->model);
  add_binding_options(*learn, command->binding);
  auto caches = std::make_shared<std::vector<std::string>>(), poses = std::make_shared<std::vector<std::string>>();
  learn->add_option("--cache", *caches, "Vertices of all skins in poses, in the model's order: as pelt deform writes")
      ->required()
      ->check(extension_in({".pc2"}))
      ->type_name("X.pc2");
  learn->add_option("--poses", *poses, "The clip that a cache shows, or a list of poses; one per --cache, in its order")
      ->required()
      ->type_name("CLIP|POSES.json");
  add_number(*learn, "--fps", command->learn.fps, 1e-3, 1e6, "Frames per second of the caches", "F");
  auto within = std::make_shared<std::string>();
  learn->add_option("--within", *within, "Largest error to reach: 1mm, 0.2cm or metres (default: 1/2000 of the size)")
      ->check(parsed_by(parse_length, "a length, such as 1mm"))
      ->type_name("LENGTH");
  learn->add_option("--budget", command->learn.budget, "Most bytes to add (default: a quarter of the base's)")
      ->type_name("BYTES");
  add_file(*learn, "-o,--output", command->output, "Character to write", {".pelt"}, "X.pelt")->required();
  add_file(*learn, "--write-rig", command->write_rig, "Write the rig with the learnt shapes as correctives", {".json"},
           "RIG.json");
  learn->add_flag("--json", command->json, "Print the certificate as JSON");
  learn->add_flag("--progress", command->progress, "Print a line for every percent to standard error, for programs");
  learn->footer("Example:\n  pelt learn hero.glb --cache walk.pc2 --poses walk --within 1mm -o hero.pelt");
  learn->callback([=, &chosen] {
    if (caches->size() != poses->size()) {
      throw CLI::ValidationError("--poses", fmt::format("{} for {} --cache", poses->size(), caches->size()));
    }
    for (std::size_t i = 0; i < caches->size(); ++i) command->learn.sequences.push_back({(*caches)[i], (*poses)[i]});
    if (!within->empty()) command->learn.within = parse_length(*within);
    command->learn.weights = command->write_rig.empty();  // a rig has none
    chosen = [command] { return run(*command); };
  });
}

void add_deform(CLI::App& app, Command& chosen) {
  auto command = std::make_shared<DeformCommand>();
  CLI::App* deform = app.add_subcommand("deform", "Write deformed skins: a point cache, or the meshes of one frame");
  add_animated_character(*deform, *command);
  auto frames = std::make_shared<std::string>();
  CLI::Option* frames_option =
      deform->add_option("--frames", *frames, "First and last frame, A:B, or one frame, A (default: the whole clip)")
          ->check(parsed_by(parse_frames, "A:B with A <= B"))
          ->type_name("A:B");
  add_number(*deform, "--fps", command->fps, 1e-3, 1e6, "Frames per second", "F");
  deform->add_option("--time", command->time, "Instead of frames: seconds into the clip")
      ->check(finite_in(0, 1e6))
      ->excludes(frames_option)
      ->type_name("T");
  auto backend = std::make_shared<std::string>("gpu");
  deform->add_option("--backend", *backend, "gpu or cpu")
      ->check(CLI::IsMember({"gpu", "cpu"}))
      ->capture_default_str()
      ->type_name("NAME");
  add_gpu_options(*deform, command->gpu);
  add_file(*deform, "-o,--output", command->output, "File to write: .pc2 for frames, .obj or .glb for one",
           {".pc2", ".obj", ".glb"}, "OUT")
      ->required();
  deform->footer(
      "Vertices have the model's order, one mesh after the other; drivers are left out. Before and after a clip,\n"
      "its first and last pose are written.\n\n"
      "Example:\n  pelt deform hero.pelt --clip walk --frames 0:24 --fps 24 -o hero.pc2");
  deform->callback([=, &chosen] {
    command->on_gpu = *backend == "gpu";
    if (!frames->empty()) command->frames = parse_frames(*frames);
    const bool one_frame = lower_extension(command->output) != ".pc2";
    if (one_frame && command->frames && command->frames->first != command->frames->last) {
      throw CLI::ValidationError("--frames", fmt::format("{} can have one frame, not {}", command->output, *frames));
    }
    chosen = [command] { return run(*command); };
  });
}

void add_render(CLI::App& app, Command& chosen) {
  auto command = std::make_shared<RenderCommand>();
  CLI::App* render = app.add_subcommand("render", "Draw a character, deformed on the GPU, into a picture");
  add_animated_character(*render, *command);
  add_number(*render, "--fps", command->fps, 1e-3, 1e6, "Frames per second of the caches", "F");
  add_number(*render, "--time", command->time, 0, 1e6, "Seconds into the clip and the caches", "T");
  render->add_option("--compare", command->compare, "Show the same skin moved by these, in panels on the left")
      ->delimiter(',')
      ->check(a_deformer())
      ->type_name("DEFORMER,...");
  render->add_option("--with", command->with, "Draw another character in the same clip, such as a garment")
      ->type_name("FILE");
  render
      ->add_option("--model", command->model,
                   "The model that a .pelt was bound from, for its textures and vertex colours")
      ->type_name("FILE");
  render->add_option("--frame", command->frame, "Show this joint in close-up")->type_name("JOINT");
  render
      ->add_flag_callback(
          "--difference", [command] { command->difference = true, command->compare = {"linear-blend"}; },
          "Show the pose and the joint at which the skin differs most from linear blend, next to linear blend")
      ->excludes("--clip", "--time", "--cache", "--compare", "--with", "--frame");
  render->add_flag("--wire", command->wire, "Draw the edges of the skin");
  render->add_flag("--driver", command->driver, "Draw the drivers as lines, muscles in blue");
  render
      ->add_option(
          "--weights", command->weights,
          "Colour the skin by how much a joint (name), a palette entry (number) or a vertex of a driver (\"MESH "
          "vertex N\") moves it")
      ->type_name("ELEMENT");
  render
      ->add_option(
          "--show", command->show,
          "Colour the skin by a result of bind: unbound (no driver moves it), distance (to the driver), influences, "
          "levels (of a surface), segments (joints and their parts), learnt (errors of pelt learn); or by its tension "
          "along tangents (tension) or bitangents (tension-across)")
      ->excludes("--weights")
      ->check(CLI::IsMember(
          {"unbound", "distance", "influences", "levels", "segments", "learnt", "tension", "tension-across"}))
      ->type_name("WHAT");
  auto size = std::make_shared<std::string>("1280x720");
  render->add_option("--size", *size, "Pixels")
      ->check(parsed_by(picture_size, "WxH, 1 to 16384 pixels each"))
      ->capture_default_str()
      ->type_name("WxH");
  render->add_option("--yaw", command->yaw, "Degrees from the front to the camera, to the side (default: 25)")
      ->check(finite_in(-360, 360))
      ->type_name("DEGREES");
  add_number(*render, "--pitch", command->pitch, -89, 89, "Degrees of the camera above the horizon", "DEGREES");
  add_gpu_options(*render, command->gpu);
  add_file(*render, "-o,--output", command->output, "Picture to write", {".png"}, "OUT.png")->required();
  render->footer("Example:\n  pelt render hero.pelt --clip walk --time 0.5 --compare linear-blend -o hero.png");
  render->callback([=, &chosen] {
    const std::optional<ImageSize> parsed = picture_size(*size);
    if (!command->model.empty() && lower_extension(command->file) != ".pelt") {
      throw CLI::ValidationError("--model", fmt::format("{} has its textures itself", command->file));
    }
    command->width = parsed->width;
    command->height = parsed->height;
    chosen = [command] { return run(*command); };
  });
}

void add_bench(CLI::App& app, Command& chosen) {
  auto command = std::make_shared<BenchCommand>();
  CLI::App* bench = app.add_subcommand("bench", "Time every deformer on the CPU and the GPU (docs/benchmarks.md)");
  auto backend = std::make_shared<std::string>("all");
  CLI::Option* backends = bench->add_option("--backend", *backend, "gpu, cpu or all");
  backends->check(CLI::IsMember({"gpu", "cpu", "all"}))->capture_default_str()->type_name("NAME");
  CLI::Option* vertices =
      add_number(*bench, "--vertices", command->vertices, 128, 4'000'000, "Vertices of the large mesh");
  CLI::Option* instances =
      add_number(*bench, "--instances", command->instances, 1, 10'000, "Instances of it that the GPU moves");
  add_number(*bench, "--rounds", command->rounds, 1, 1000, "Rounds; each times everything once");
  CLI::Option* bind =
      bench->add_flag("--bind", command->bind,
                      "Time binding instead, and its memory: --vertices (default: 1000000) and a tenth of them");
  bind->excludes(backends);
  bench
      ->add_flag("--crowd", command->crowd,
                 "Time crowds of the built-in biped on the GPU instead: 1, 10, ... up to --instances (default: 1000)")
      ->excludes(backends)
      ->excludes(vertices)
      ->excludes(bind);
  add_file(*bench, "--gpu-report", command->gpu_report,
           "Write a report on the device instead: comparisons with the CPU, times of every deformer, and 1 to 512 "
           "characters of 6,000 and 30,000 vertices",
           {".md"}, "OUT.md")
      ->excludes(backends)
      ->excludes(bind)
      ->excludes("--crowd");
  add_gpu_options(*bench, command->gpu);
  bench->add_flag("--json", command->json, "Print JSON");
  bench->footer("Example:\n  pelt bench --backend cpu");
  bench->callback([=, &chosen] {
    command->cpu = !command->bind && !command->crowd && *backend != "gpu";
    command->on_gpu = !command->bind && *backend != "cpu";
    if (command->crowd && instances->count() == 0) command->instances = 1000;
    if (command->bind && vertices->count() == 0) command->vertices = 1'000'000;
    chosen = [command] { return run(*command); };
  });
}

void add_verify(CLI::App& app, Command& chosen) {
  auto command = std::make_shared<VerifyCommand>();
  CLI::App* verify =
      app.add_subcommand("verify", "Compare a device with the CPU, pass by pass, and with known answers (docs/cli.md)");
  verify
      ->add_option("files", command->files,
                   ".pelt, or models, which are bound first (default: the built-in arm by every deformer)")
      ->type_name("FILE");
  add_gpu_options(*verify, command->gpu);
  verify->add_flag("--json", command->json, "Print JSON");
  verify->footer("Example:\n  pelt verify --device 1 hero.pelt");
  verify->callback([=, &chosen] { chosen = [command] { return run(*command); }; });
}

void add_quality(CLI::App& app, Command& chosen) {
  auto command = std::make_shared<QualityCommand>();
  auto of_model = std::make_shared<ModelQualityCommand>();
  CLI::App* quality = app.add_subcommand(
      "quality",
      "Measure how well each deformer keeps the shape of limbs that bend and twist, or compare a character moved by "
      "each with linear blend (docs/quality.md)");
  CLI::Option* model =
      quality
          ->add_option(
              "--model", of_model->model,
              "Measure a character instead of limbs: in frames of its clips or, without clips, with its joints turned "
              "one by one")
          ->type_name("MODEL");
  quality
      ->add_option("--deformer", command->deformers,
                   "Deformers to measure (default: all; for a character all but linear-blend)")
      ->delimiter(',')
      ->check(a_deformer())
      ->type_name("NAME,...");
  quality
      ->add_option("--radius", command->radii,
                   "Radii of the limbs, which are 8 long (default: 1, the built-in limb, then a thin and a thick one)")
      ->delimiter(',')
      ->check(finite_in(0.1, 4))
      ->excludes(model)
      ->type_name("RADIUS,...");
  quality->add_option("--rig", command->rig, "Also measure this rig of the limb or of the character")
      ->type_name("RIG.json");
  add_any_file(*quality, command->files);
  add_number(*quality, "--blend-length", command->blend_length, 0, 8,
             "Length over which the weights change from bone to bone, in radii", "RADII")
      ->excludes(model);
  quality->add_option("--write", command->folder, "Keep rest.obj and the deformed meshes, DEFORMER_MOTION_DEGREES.obj")
      ->excludes(model)
      ->type_name("DIR");
  auto poses = std::make_shared<std::string>();
  quality->add_option("--poses", *poses, "Poses of a character: clips, or samples, its joints turned one by one")
      ->check(CLI::IsMember({"clips", "samples"}))
      ->needs(model)
      ->type_name("WHAT");
  add_number(*quality, "--frames", of_model->options.frames, 1, 1000, "Frames per clip; long clips have one per second")
      ->needs(model);
  add_number(*quality, "--clips", of_model->options.clips, 1, 10'000,
             "Greatest number of clips; the first ones are used")
      ->needs(model);
  quality
      ->add_flag("--no-fallback", of_model->options.no_fallback,
                 "For a character: keep each deformer on the whole skin, even if it is worse than linear blend")
      ->needs(model);
  quality->add_flag("--json", command->json, "Print JSON");
  quality->footer(
      "Example:\n"
      "  pelt quality --deformer dual-quaternion,surface-ffd --blend-length 4\n"
      "  pelt quality --model hero.glb");
  quality->callback([=, &chosen] {
    if (model->count() == 0) {
      chosen = [command] { return run(*command); };
      return;
    }
    of_model->options.deformers = command->deformers;
    of_model->options.rig = command->rig;
    of_model->options.files = command->files;
    of_model->json = command->json;
    if (!poses->empty()) of_model->options.poses = *poses == "clips" ? PoseSource::kClips : PoseSource::kSamples;
    chosen = [of_model] { return run(*of_model); };
  });
}

void add_skeleton(CLI::App& app, Command& chosen) {
  auto command = std::make_shared<SkeletonCommand>();
  SkeletonizeOptions& options = command->options;
  CLI::App* skeleton =
      app.add_subcommand("skeleton", "Give a mesh a skeleton and weights made from its shape (docs/skeletonize.md)");
  add_model(*skeleton, command->model);
  add_any_file(*skeleton, command->files);
  add_file(*skeleton, "-o,--output", command->output, "glTF to write, with a skin", {".glb"}, "X.glb")->required();
  add_number(*skeleton, "--resolution", options.resolution, SkeletonizeOptions::kMinResolution,
             SkeletonizeOptions::kMaxResolution,
             "Voxels along the longest side: limbs should be two or more thick; time grows with the cube");
  add_number(*skeleton, "--detail", options.detail, 0, 1,
             "Least length of a limb beyond the body it grows from, as a fraction of the model's diagonal", "SHARE");
  add_number(*skeleton, "--bone-length", options.bone_length, 1, 1e6, "Greatest length of a bone, in radii of its limb",
             "RADII");
  skeleton->add_flag("--json", command->json, "Print the report as JSON");
  skeleton->footer("Example:\n  pelt skeleton statue.obj -o statue.glb");
  skeleton->callback([command, &chosen] { chosen = [command] { return run(*command); }; });
}

void add_surface(CLI::App& app, Command& chosen) {
  auto command = std::make_shared<SurfaceCommand>();
  CLI::App* surface = app.add_subcommand(
      "surface", "Write the hierarchical B-spline of a rig as a mesh (docs/hierarchical_bspline.md)");
  add_animated_character(*surface, *command);
  surface->add_option("--refine", command->refine, "Level of the surface to write (default: the finest of the rig)")
      ->check(CLI::Range(0U, 12U))
      ->type_name("N");
  add_number(*surface, "--fps", command->fps, 1e-3, 1e6, "Frames per second of the caches", "F");
  add_number(*surface, "--time", command->time, 0, 1e6, "Seconds into the clip and the caches", "T");
  add_file(*surface, "-o,--output", command->output, "Polygons to write", {".obj"}, "X.obj")->required();
  surface->footer("Example:\n  pelt surface hero.glb --rig surface.json --refine 2 -o surface.obj");
  surface->callback([command, &chosen] { chosen = [command] { return run(*command); }; });
}

int run_program(int argc, char** argv) {
  CLI::App app("Pelt binds skins to film-grade deformers and moves them on the GPU.", "pelt");
  app.allow_windows_style_options(false);  // a path may begin with a slash
  app.require_subcommand(1);
  app.set_version_flag("--version",
                       fmt::format("pelt {}.{}.{}", PELT_VERSION_MAJOR, PELT_VERSION_MINOR, PELT_VERSION_PATCH));
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no usable Vulkan device. 'pelt COMMAND --help' explains a "
      "command.\n\n"
      "Example:\n"
      "  pelt bind builtin:biped -o biped.pelt\n"
      "  pelt render biped.pelt --clip flex --time 1 --compare linear-blend -o biped.png");
  Command command;
  for (const auto add : {add_info, add_bind, add_learn, add_deform, add_render, add_bench, add_verify, add_quality,
                         add_skeleton, add_surface}) {
    add(app, command);
  }
  try {
    return parse_and_run(app, argc, argv, [&] { return command(); });
  } catch (const NoDevice& error) {
    fmt::print(stderr, "pelt: {}\n", error.what());
    return kNoDevice;
  }
}

}  // namespace
}  // namespace pelt::samples

int main(int argc, char** argv) { return pelt::samples::run_main("pelt", pelt::samples::run_program, argc, argv); }
