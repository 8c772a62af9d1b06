// SPDX-License-Identifier: MIT
// The commands of the program: their settings, and what they do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/learn.h>
#include <pelt/model.h>
#include <pelt/named_files.h>
#include <pelt/result.h>
#include <pelt/rig.h>
#include <pelt/skeletonize.h>
#include <pelt/tools/model_quality.h>

#include "samples/pelt/gpu.h"
#include "samples/pelt/input.h"
#include "samples/pelt/table.h"

namespace pelt::samples {

struct BenchCommand {
  bool cpu = true;
  bool on_gpu = true;
  std::uint32_t vertices = 200'000;  // of the large mesh
  std::uint32_t instances = 5;       // of the large mesh, on the GPU
  std::uint32_t rounds = 15;
  GpuOptions gpu{.robust = false};  // as in games
  bool bind = false;                // time binding instead
  bool crowd = false;               // time crowds instead: of 1, 10, .. up to `instances`
  bool json = false;
  std::string gpu_report;  // file to write instead: Markdown report on the device; empty: none
};

// Times every deformer, or binding, and prints a table or JSON: docs/benchmarks.md.
Result<void> run(const BenchCommand& command);

struct BindCommand {
  std::string model;
  Binding binding;
  std::string output;     // .pelt, or .glb: the model with rig and character
  std::string report;     // .json: decisions of bind at every vertex; empty: none
  std::string write_rig;  // .json: the rig that was used; empty: none
  bool json = false;
  bool verbose = false;  // prints the figures of every mesh, all defects and all notes
};

Result<void> run(const BindCommand& command);

// First and last frame, both included.
inline constexpr std::int32_t kMaxFrame = 1'000'000;  // of --frames, and of a clip written whole

struct FrameRange {
  std::int32_t first = 0;
  std::int32_t last = 0;
};

// The character and the clip of a command.
struct AnimatedCharacter {
  std::string file;                 // .pelt or a model
  Binding binding;                  // if `file` is a model
  std::string clip;                 // empty: rest pose
  std::vector<std::string> caches;  // Animation::caches
  std::uint32_t level = 0;          // of detail (Character::at_level)
  double fps = 24;                  // of the caches, and of frames that are written
};

struct DeformCommand : AnimatedCharacter {
  std::optional<FrameRange> frames;  // none: the whole clip
  std::optional<float> time;         // seconds, of the only frame; instead of `frames`
  bool on_gpu = true;
  GpuOptions gpu;
  std::string output;  // .pc2, .obj or .glb
};

// Writes the skins, without control meshes, in the model's vertex order, one mesh after the other.
Result<void> run(const DeformCommand& command);

struct InfoCommand {
  std::string file;                        // a model, a rig (.json) or a .pelt
  NamedFiles files = NamedFiles::kFolder;  // those that a model may name
  bool json = false;
};

Result<void> run(const InfoCommand& command);

struct LearnCommand {
  std::string model;
  Binding binding;  // of the base
  LearnOptions learn;
  std::string output;     // .pelt
  std::string write_rig;  // .json: the rig with the learnt correctives; empty: none
  bool json = false;
  bool progress = false;  // prints a line for every percent
};

// Learns from caches, and prints the certificate: docs/learn.md.
Result<void> run(const LearnCommand& command);

Result<void> print_certificate(const std::string& text);

// Writes the rig so that it can be edited from another folder: converts file names, which are relative to the rig's
// folder, and writes out surfaces that bind made from the skin.
Result<void> write_rig(const Model& model, Rig rig, const std::filesystem::path& path);

struct ModelQualityCommand {
  std::string model;  // a file or builtin:NAME
  ModelQualityOptions options;
  bool json = false;
};

// Prints what measure_model_quality finds: docs/quality.md.
Result<void> run(const ModelQualityCommand& command);

struct QualityCommand {
  std::vector<std::string> deformers;      // empty: all deformers
  std::string rig;                         // file, measured after the deformers; empty: none
  NamedFiles files = NamedFiles::kFolder;  // those that the rig may name
  std::vector<double> radii{1, 0.5, 1.5};  // of the limbs
  float blend_length = 2;                  // length over which the weights change from bone to bone, in radii
  std::string folder;                      // for the limbs' meshes; empty: do not keep them
  bool json = false;
};

// Bends and twists limbs of length 8 (make_limb) with each deformer, on the CPU, and prints how well it keeps their
// shape: docs/quality.md.
Result<void> run(const QualityCommand& command);

struct RenderCommand : AnimatedCharacter {
  float time = 0;                    // seconds
  std::vector<std::string> compare;  // deformers that move the skin in panels to the left
  std::vector<std::string> with;     // characters (.pelt or models) to draw too, in the same clip at the same time
  std::string model;                 // with the textures of `file`, if that is a .pelt; empty: plain colours
  std::string frame;                 // joint to show in close-up; empty: the whole character
  bool difference = false;           // the pose and joint that differ most from linear blend, the only `compare`
  bool wire = false;
  bool driver = false;
  std::string weights;  // element_weights; empty: the materials' colours
  std::string show;     // view_of_bind; empty: `weights` decides
  std::uint32_t width = 1280;
  std::uint32_t height = 720;
  std::optional<float> yaw;  // degrees about +y, from the front; none: 25, or chosen for `difference`
  float pitch = 7;           // degrees above the horizon
  GpuOptions gpu;
  std::string output;  // .png
};

Result<void> run(RenderCommand command);

struct SkeletonCommand {
  std::string model;
  std::string output;                      // .glb
  NamedFiles files = NamedFiles::kFolder;  // those that the model may name
  SkeletonizeOptions options;
  bool json = false;
};

Result<void> run(const SkeletonCommand& command);

struct SurfaceCommand : AnimatedCharacter {
  std::optional<std::uint32_t> refine;  // level of the surface to write; none: the finest
  float time = 0;                       // seconds
  std::string output;                   // .obj
};

// Writes the hierarchical B-spline of a rig, posed, as polygons.
Result<void> run(const SurfaceCommand& command);

struct VerifyCommand {
  std::vector<std::string> files;  // .pelt files or models; none: the built-in arm by every deformer
  GpuOptions gpu;
  bool json = false;
};

struct VerifyReport {
  std::string text;                 // a line per comparison
  Json characters = Json::array();  // the same
  std::size_t count = 0;            // comparisons that count: wrong, or not mostly left out
  std::size_t wrong = 0;            // of these
  std::uint64_t left_out = 0;       // numbers and vertices that rounding decides
};

// Compares the built-in arm by every deformer, or a character.
Result<VerifyReport> verify(const runtime::Device& device);
Result<VerifyReport> verify(const runtime::Device& device, const Character& character, const std::string& name);

// Prints a line per pass, mesh and known answer. Errors: one is wrong; rounding decides every comparison.
Result<void> run(const VerifyCommand& command);

}  // namespace pelt::samples
