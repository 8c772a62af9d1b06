// SPDX-License-Identifier: MIT
#include "samples/pelt/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <glm/gtc/constants.hpp>
#include <map>
#include <span>
#include <utility>

#include <pelt/import.h>
#include <pelt/linear_blend.h>
#include <pelt/model_of.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/upload.h>
#include <pelt/try.h>

#include "samples/pelt/bind_view.h"
#include "samples/pelt/element_weights.h"
#include "samples/renderer/framing.h"
#include "samples/renderer/image.h"
#include "samples/renderer/renderer.h"
#include "samples/renderer/textures.h"

namespace pelt::samples {
namespace {

// A posed character of the row.
struct Panel {
  Character character;
  std::vector<TimedPose> frames;  // up to the picture, which shows the last
  Bounds bounds;
  BindView view;  // without values: draw the materials' colours
  std::string caption;
};

// Writes each panel's caption below its character's feet, in a size at which all fit side by side.
void draw_captions(Image& image, std::span<const Panel> panels, const Bounds& bounds, std::span<const glm::mat4> worlds,
                   const Camera& camera) {
  const glm::vec4 feet(bounds.center().x, bounds.low.y, bounds.center().z, 1.0f);
  std::vector<glm::vec2> places;
  for (const glm::mat4& world : worlds) {
    places.push_back(project(camera, image.width, image.height, glm::vec3(world * feet)));
  }
  const float height = static_cast<float>(image.height);
  float size = height / 26;
  for (std::size_t p = 1; p < panels.size(); ++p) {
    // Leave a gap of a quarter of the size.
    const float needed = 0.5f * (label_width(panels[p - 1].caption, size) + label_width(panels[p].caption, size));
    size *= std::min(1.0f, std::abs(places[p].x - places[p - 1].x) / (needed + 0.25f * size));
  }
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const float row = std::min(places[p].y + 1.9f * size, height - 0.5f * size);
    draw_label(image, panels[p].caption, places[p].x, row, size);
  }
}

// Returns the caption for a deformer such as "surface_ffd over linear_blend".
std::string caption_of(std::string deformer) {
  deformer = deformer.substr(0, deformer.find(" over "));
  std::replace(deformer.begin(), deformer.end(), '_', ' ');
  for (const auto& [plain, written] :
       {std::pair("ffd", "FFD"), std::pair("bspline", "B-spline"), std::pair("mos", "MOS")}) {
    const std::size_t at = deformer.find(plain);
    if (at != std::string::npos) deformer.replace(at, std::strlen(plain), written);
  }
  return deformer;
}

// Returns the deformer of most vertices. Linear blend, which rigid parts always have, counts only without others.
std::string main_deformer(const Character& character) {
  std::map<std::string, std::uint64_t> vertices;
  for (const CharacterMesh& mesh : character->meshes) {
    if (!mesh.control) vertices[mesh.deformer] += mesh.vertex_count();
  }
  if (vertices.size() > 1) vertices.erase(std::string(LinearBlendParameters::kName));
  return std::max_element(vertices.begin(), vertices.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// `caches`: those of the command that move this character.
Result<Panel> make_panel(const RenderCommand& command, const Character& character,
                         const std::vector<std::string>& caches) {
  PELT_ASSIGN(const auto poser, Poser::create(character, {command.clip, caches, command.fps}));
  Panel panel{.character = character, .frames = poser.way_to(command.time)};
  panel.bounds = posed_bounds(character, panel.frames.back().pose);
  // Masses may have swung outside of the bounds.
  panel.bounds.add(skin_bounds(*character, evaluated(character, panel.frames).positions()));
  if (panel.bounds.empty()) return fail(ErrorCode::kInvalidArgument, "there is no skin to draw");
  if (!command.weights.empty()) {
    PELT_ASSIGN(auto weights, element_weights(character, command.weights));
    panel.view = {std::move(weights), "0", "1"};
  }
  if (!command.show.empty()) {
    PELT_ASSIGN(panel.view, view_of_bind(character, command.show));
  }
  panel.caption = caption_of(main_deformer(character));
  return panel;
}

Result<std::vector<Panel>> make_panels(const RenderCommand& command) {
  PELT_ASSIGN(const auto character, load_character(command.file, command.binding, command.level));
  std::vector<Character> characters;
  for (const std::string& deformer : command.compare) {
    PELT_ASSIGN(const auto rig, rig_from_deformer_name(deformer));
    PELT_ASSIGN(const auto bound,
                within(fmt::format("{}: as {}", command.file, deformer),
                       model_of(character).and_then([&](const Model& model) { return bind(model, rig); })));
    characters.push_back(bound.character);
  }
  std::vector<Panel> panels;
  for (const Character& shown : characters) {
    PELT_ASSIGN(auto panel, within(command.file, make_panel(command, shown, {})));
    panels.push_back(std::move(panel));
  }
  PELT_ASSIGN(auto panel, within(command.file, make_panel(command, character, command.caches)));
  panels.push_back(std::move(panel));
  return panels;
}

// Loads the textures of a model; a .pelt has none.
Result<std::shared_ptr<MaterialTextures>> load_textures(const RenderCommand& command, const runtime::Device& device,
                                                        std::vector<std::string>& notes) {
  if (lower_extension(command.file) == ".pelt") return nullptr;
  PELT_ASSIGN(const auto model, import_model(command.file, nullptr, command.binding.files));
  return make_textures(device, model, notes);
}

struct Picture {
  Image image;
  std::vector<std::string> notes;
  double difference = 0;  // between GPU and CPU, the largest over the panels
};

Result<Picture> draw(const RenderCommand& command, const std::vector<Panel>& panels, const runtime::Device& device) {
  PELT_ASSIGN(auto renderer, Renderer::create(device, {.width = command.width, .height = command.height}));

  std::vector<std::string> notes;
  PELT_ASSIGN(const auto textures, load_textures(command, device, notes));

  std::vector<runtime::GpuCharacters> uploaded;
  std::vector<runtime::Crowd> crowds;
  uploaded.reserve(panels.size());
  crowds.reserve(panels.size());
  Bounds bounds;
  for (const Panel& panel : panels) {
    PELT_ASSIGN(auto character, runtime::upload(device, panel.character));
    uploaded.push_back(std::move(character));
    PELT_ASSIGN(auto crowd, runtime::Crowd::create(device, uploaded.back(), {.outputs = {.control_meshes = true}}));
    crowds.push_back(std::move(crowd));
    for (const TimedPose& frame : panel.frames) {
      pose(crowds.back(), frame);
      if (&frame != &panel.frames.back()) PELT_TRY(runtime::run(device, crowds.back()));
    }
    bounds.add(panel.bounds);
  }

  // A longer row gets a longer lens, so that all characters are seen from similar directions.
  View view{.yaw = glm::radians(command.yaw), .pitch = glm::radians(command.pitch)};
  view.vertical_fov /= static_cast<float>(panels.size());
  const std::vector<glm::mat4> worlds = side_by_side(bounds, static_cast<std::uint32_t>(panels.size()), view.yaw);
  Scene scene;
  scene.ground_height = bounds.low.y;
  std::vector<Bounds> row;
  for (std::size_t p = 0; p < panels.size(); ++p) {
    DrawItem item;
    item.crowd = &crowds[p];
    item.character = &panels[p].character;
    item.bounds = panels[p].bounds;
    item.world = worlds[p];
    item.textures = textures.get();
    item.wire = command.wire;
    item.control_meshes = command.driver;
    item.weights = panels[p].view.values;
    scene.items.push_back(item);
    row.push_back(transform_bounds(worlds[p], bounds));
  }
  // Leave room for captions below the feet.
  const bool captions = panels.size() > 1;
  for (Bounds& box : row) box.low.y -= captions ? 0.1f * box.size().y : 0.0f;
  scene.camera = frame_camera(row, static_cast<float>(command.width) / static_cast<float>(command.height), view);
  PELT_ASSIGN(auto image, renderer.render(scene));
  if (captions) draw_captions(image, panels, bounds, worlds, scene.camera);
  if (const BindView& colours = panels.back().view; !colours.values.empty()) {
    draw_legend(image, colours.least, colours.most);
  }
  Picture picture{.image = std::move(image), .notes = std::move(notes)};
  for (std::size_t p = 0; p < panels.size(); ++p) {
    PELT_ASSIGN(const auto difference, difference_from_cpu(device, crowds[p], panels[p].character, panels[p].frames));
    picture.difference = std::max(picture.difference, difference);
  }
  return picture;
}

}  // namespace

Result<void> run(const RenderCommand& command) {
  PELT_ASSIGN(const auto panels, make_panels(command));
  Picture picture;
  PELT_TRY(with_device(command.gpu, [&](const runtime::Device& device) -> Result<void> {
    PELT_ASSIGN(picture, draw(command, panels, device));
    return {};
  }));
  for (const std::string& note : picture.notes) fmt::print("note: {}\n", note);
  PELT_TRY(write_png(command.output, picture.image));
  fmt::print("wrote {}: {} x {}; the GPU's vertices are within {:.1e} of the size of the CPU's\n", command.output,
             picture.image.width, picture.image.height, picture.difference);
  return {};
}

}  // namespace pelt::samples
