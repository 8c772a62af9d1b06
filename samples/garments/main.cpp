// SPDX-License-Identifier: MIT
// The command line of pelt_garments, which makes garments, cages and cloth and measures them: docs/garments.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/import.h>
#include <pelt/pelt_gltf.h>
#include <pelt/point_cache.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>

#include "samples/garments/drape.h"
#include "samples/garments/poke.h"
#include "samples/garments/shirt.h"
#include "samples/garments/wrap.h"
#include "samples/pelt/mesh_file.h"
#include "samples/pelt/pc2.h"
#include "samples/program.h"

namespace pelt::samples {
namespace {

// ------------------------------------------------------------------------------------------------------------- files

PosedMesh as_posed(const Mesh& mesh) {
  PosedMesh posed{.name = mesh.name,
                  .positions = mesh.positions,
                  .normals = mesh.normals,
                  .uvs = {},
                  .triangles = mesh.triangles,
                  .parts = {{.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size())}}};
  return posed;
}

Result<void> write_quads(const std::filesystem::path& path, const Cloth& cloth) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (const glm::vec3& p : cloth.positions) fmt::format_to(out, "v {} {} {}\n", p.x, p.y, p.z);
  for (const glm::uvec4 q : cloth.quads()) fmt::format_to(out, "f {} {} {} {}\n", q.x + 1, q.y + 1, q.z + 1, q.w + 1);
  return write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

Result<void> write_cache(const std::filesystem::path& path, const std::vector<std::vector<glm::vec3>>& frames) {
  Pc2Header header;
  header.points = static_cast<std::int32_t>(frames[0].size());
  header.samples = static_cast<std::int32_t>(frames.size());
  PELT_ASSIGN(auto writer, Pc2Writer::create(path, header));
  for (const std::vector<glm::vec3>& frame : frames) {
    PELT_TRY(writer.append(frame));
  }
  return writer.commit();
}

// Loads a cache that another program wrote; it must have `count` points and `frames` samples.
Result<PointCache> load_result(const std::string& file, std::size_t count, std::size_t frames) {
  Result<PointCache> cache = load_pc2(file);
  if (cache && (cache->count != count || cache->frames != frames)) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: has {} points in {} frames, not {} in {}", file,
                                                         cache->count, cache->frames, count, frames));
  }
  return cache;
}

// Loads all meshes of a model as one.
Result<Mesh> load_mesh(const std::string& file) {
  PELT_ASSIGN(const auto model, import_model(file));
  Mesh mesh = concatenate(model.meshes);
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  mesh.name = model.name;
  return mesh;
}

// ---------------------------------------------------------------------------------------------------------- commands

struct ShirtCommand {
  std::string body;
  std::string output = "shirt.obj";
  ShirtOptions options;
};

Result<void> run(const ShirtCommand& command) {
  PELT_ASSIGN(const auto body, import_model(command.body));
  PELT_ASSIGN(const auto shirt, make_shirt(body, command.options));
  const PosedMesh posed = as_posed(shirt);
  PELT_TRY(write_obj(command.output, std::span(&posed, 1)));
  fmt::print("wrote {}: {} vertices, {} triangles\n", command.output, shirt.positions.size(), shirt.triangles.size());
  return {};
}

struct PokeCommand {
  std::string garment;
  std::string body;
  std::vector<std::string> clips;
  std::uint32_t frames = 24;
};

Result<void> run(const PokeCommand& command) {
  PELT_ASSIGN(const auto garment, pelt::load_character(command.garment));
  PELT_ASSIGN(const auto body, pelt::load_character(command.body));
  PELT_ASSIGN(const auto poke, measure_poke(garment, body, command.clips, command.frames));
  fmt::print("{} points beneath the garment, {} frames a clip; size {:.3f} m\n", poke.points, command.frames,
             poke.size);
  for (const ClipPoke& clip : poke.clips) {
    fmt::print("{}: pokes through by {:.3f}% of the size at most ({:.2f} mm, {:.2f} s, at {:.3f} {:.3f} {:.3f})\n",
               clip.clip, 100 * clip.deepest / poke.size, 1e3 * clip.deepest, clip.seconds, clip.place.x, clip.place.y,
               clip.place.z);
  }
  return {};
}

struct WrapCommand {
  std::string skin;
  std::string cage;
  std::string folder;  // empty: nothing is written
  std::string result;  // empty: there is no result of another program
};

void print_wrap(const std::string& what, const Motion& motion, const WrapError& error, float size) {
  fmt::print("{:36} {:8} {:.3f}% {:.3f}%\n", what, motion.name, 100 * error.rms / size, 100 * error.worst / size);
}

Result<void> run(const WrapCommand& command) {
  PELT_ASSIGN(const auto skin, load_mesh(command.skin));
  PELT_ASSIGN(const auto cage, load_mesh(command.cage));
  glm::vec3 low = skin.positions.at(0);
  glm::vec3 high = low;
  for (const glm::vec3& p : skin.positions) {
    low = glm::min(low, p);
    high = glm::max(high, p);
  }
  const float size = glm::distance(low, high);
  std::optional<PointCache> other;
  if (!command.result.empty()) {
    PELT_ASSIGN(other, load_result(command.result, skin.positions.size(), 1 + kMotions.size()));
  }
  std::vector<std::vector<glm::vec3>> caged = {cage.positions};
  fmt::print("{:36} {:8} rms, worst of the size, {:.3f} m\n", "", "", size);
  for (std::size_t m = 0; m < kMotions.size(); ++m) {
    const Motion& motion = kMotions[m];
    for (const Precision precision : {Precision::kLinear, Precision::kQuadratic}) {
      SurfaceFfdParameters parameters;
      parameters.precision = precision;
      PELT_ASSIGN(auto wrapped, wrap(skin, cage, motion, parameters));
      const bool linear = precision == Precision::kLinear;
      print_wrap(linear ? "surface FFD" : "surface FFD, precision quadratic", motion,
                 wrap_error(skin.positions, wrapped.ideal, wrapped.skin, motion), size);
      if (!linear) continue;
      if (other) {
        print_wrap(command.result, motion,
                   wrap_error(skin.positions, wrapped.ideal, other->frame(static_cast<std::uint32_t>(m) + 1), motion),
                   size);
      }
      caged.push_back(std::move(wrapped.cage));
    }
  }
  if (command.folder.empty()) return {};
  const std::filesystem::path folder = command.folder;
  std::filesystem::create_directories(folder);
  const PosedMesh posed = as_posed(skin);
  const Result<void> written = write_obj(folder / "skin.obj", std::span(&posed, 1));
  return written ? write_cache(folder / "cage.pc2", caged) : written;
}

struct DrapeCommand {
  std::string folder = ".";
  std::string result;  // empty: there is no result of another program
};

Result<void> run(const DrapeCommand& command) {
  constexpr std::uint32_t kFrames = 49;
  constexpr std::string_view kRig = R"({
  "format": "pelt-rig 1",
  "layers": [{ "deformer": "surface_ffd", "parameters": { "driver": { "file": "cage.obj", "follow": "streamed" } } }]
}
)";
  const Cloth cage = make_cloth(12, 20);
  const Cloth cloth = make_cloth(72, 120);
  const std::vector<std::vector<glm::vec3>> frames = simulate(cage, kFrames);
  if (!command.result.empty()) {
    PELT_ASSIGN(const auto result, load_result(command.result, cloth.positions.size(), kFrames));
    const std::vector<float> off = heights(cage, frames.back(), cloth, result.frame(kFrames - 1));
    double squared = 0;
    float worst = 0;
    for (const float height : off) {
      squared += double{height} * double{height};
      worst = std::max(worst, std::abs(height));
    }
    fmt::print("{}: off the cylinder by {:.4f} radii (root mean square), {:.4f} at most; {} vertices on it\n",
               command.result, std::sqrt(squared / static_cast<double>(off.size())) / double{kCylinderRadius},
               worst / kCylinderRadius, off.size());
    return {};
  }
  const std::filesystem::path folder = command.folder;
  std::filesystem::create_directories(folder);
  Result<void> written = write_quads(folder / "cage.obj", cage);
  if (written) written = write_quads(folder / "cloth.obj", cloth);
  if (written) written = write_quads(folder / "cylinder.obj", make_cylinder());
  if (written) written = write_file(folder / "cloth.json", std::as_bytes(std::span(kRig)));
  if (written) written = write_cache(folder / "cage.pc2", frames);
  if (written)
    fmt::print("wrote cage.obj, cloth.obj, cylinder.obj, cloth.json and cage.pc2, {} frames at 24 a second\n", kFrames);
  return written;
}

// ------------------------------------------------------------------------------------------------------ command line

int run_program(int argc, char** argv) {
  CLI::App app("Garments, cages and cloth on bodies, and how well they do: docs/garments.md.", "pelt_garments");
  app.allow_windows_style_options(false);  // a path may begin with a slash
  app.require_subcommand(1);
  ShirtCommand shirt;
  CLI::App* shirt_app = app.add_subcommand("shirt", "makes a T-shirt for a body with named joints");
  shirt_app->add_option("BODY", shirt.body, ".gltf, .glb, .vrm or builtin:NAME")->required();
  shirt_app->add_option("-o,--output", shirt.output, "OBJ file")->capture_default_str();
  shirt_app->add_option("--offset", shirt.options.offset, "from the body, as a share of its size")
      ->check(CLI::Range(0.002, 0.1))
      ->capture_default_str();
  shirt_app->add_option("--span", shirt.options.span, "radius of hollows that it spans, as a share of the size")
      ->check(CLI::Range(0.001, 0.1))
      ->capture_default_str();
  shirt_app->add_option("--sleeve", shirt.options.sleeve, "where sleeves end, as a share of the upper arm")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  shirt_app->add_option("--hem", shirt.options.hem, "how far below the hip joints it ends, as a share of the thigh")
      ->check(CLI::Range(-0.5, 0.5))
      ->capture_default_str();
  PokeCommand poke;
  CLI::App* poke_app = app.add_subcommand("poke", "measures how far a body pokes through its garment");
  poke_app->add_option("GARMENT", poke.garment, ".pelt")->required();
  poke_app->add_option("BODY", poke.body, ".pelt")->required();
  poke_app->add_option("--clip", poke.clips, "name; may be given several times")->required();
  poke_app->add_option("--frames", poke.frames, "a clip")->check(CLI::Range(1, 10000))->capture_default_str();
  WrapCommand wrap;
  CLI::App* wrap_app = app.add_subcommand("wrap", "measures how near a skin in a cage comes to the cage's motion");
  wrap_app->add_option("SKIN", wrap.skin, ".gltf, .glb, .vrm, .obj or builtin:NAME")->required();
  wrap_app->add_option("CAGE", wrap.cage, "the same")->required();
  wrap_app->add_option("-o,--output", wrap.folder, "folder for skin.obj and cage.pc2, for other programs");
  wrap_app->add_option("--result", wrap.result, ".pc2: the skin as another program moves it, to measure it too");
  DrapeCommand drape;
  CLI::App* drape_app = app.add_subcommand("drape", "lets a coarse cloth fall onto a cylinder");
  drape_app->add_option("-o,--output", drape.folder, "folder")->capture_default_str();
  drape_app->add_option("--result", drape.result, ".pc2: the fine cloth, to measure how far it is off the cylinder");
  return parse_and_run(app, argc, argv, [&] {
    return *shirt_app ? run(shirt) : *poke_app ? run(poke) : *wrap_app ? run(wrap) : run(drape);
  });
}

}  // namespace
}  // namespace pelt::samples

int main(int argc, char** argv) {
  return pelt::samples::run_main("pelt_garments", pelt::samples::run_program, argc, argv);
}
