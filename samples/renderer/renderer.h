// SPDX-License-Identifier: MIT
// Draws crowds offscreen from the vertex buffers that compute wrote, with no copy through the CPU.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pelt/character.h>
#include <pelt/result.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/device.h>

#include "samples/renderer/framing.h"
#include "samples/renderer/image.h"

namespace pelt::samples {

// Which side of Scene::split an item is drawn on.
enum class SplitSide { kBoth, kLeft, kRight };

// Decoded images of a character's materials, by material; held by the renderer's user. textures.h makes them.
struct MaterialTextures;

// Instances of one character to draw, from the crowd they were posed in.
struct DrawItem {
  runtime::Crowd* crowd = nullptr;
  std::uint32_t instance = 0;            // the first
  const Character* character = nullptr;  // the one the crowd was made of
  Bounds bounds;                         // of the posed characters, model space (posed_bounds): lights are aimed by it
  glm::mat4 world{1.0f};                 // of the first: model space -> the scene's space; may mirror
  std::span<const glm::mat4> others;     // of the instances that follow it, none: it alone
  std::optional<glm::vec4> color;        // linear; instead of the materials' base colours
  const MaterialTextures* textures = nullptr;  // times the base colours; not where weights are drawn
  bool skin = true;                            // false: its lines alone
  bool wire = false;                           // edges drawn over the surface
  bool control_meshes = false;     // draw the drivers too, as cages of lines: CrowdOutputs::control_meshes writes them
  std::span<const float> weights;  // one a vertex of the character, drawn by color_ramp over [0, 1]; empty: none
  SplitSide side = SplitSide::kBoth;  // the side it is seen on and casts its shadows on
};

// In the scene's space; colours linear, with opacity; widths in pixels of a picture 720 high. Not lit, no shadow. A
// line of no length is a dot; what has no finite place is left out.
struct OverlayLine {
  glm::vec3 from{0.0f};
  glm::vec3 to{0.0f};
  glm::vec4 color{1.0f};
  float width = 1.5f;
  bool through = false;  // seen through the skin, fainter where it is behind
};
struct OverlayDot {
  glm::vec3 at{0.0f};
  glm::vec4 color{1.0f};
  float width = 6.0f;
  bool through = false;
};

struct Scene {
  Camera camera;
  std::vector<DrawItem> items;
  std::span<const OverlayLine> lines;
  std::span<const OverlayDot> dots;
  float split = 0.5f;  // of the picture's width, for items of one side
  bool ground = true;  // a floor at y = ground_height that shows shadows and fades into the backdrop
  float ground_height = 0.0f;
};

struct RendererOptions {
  std::uint32_t width = 1280;
  std::uint32_t height = 720;
  std::uint32_t samples = 16;  // pictures that the result is the mean of: edges, penumbras and occlusion get smoother
};

// Seconds on the device of one recorded frame.
struct PassSeconds {
  struct Pass {
    std::string name;  // of Crowd::passes
    double seconds = 0;
  };
  std::vector<std::vector<Pass>> crowds;  // in the order in which items have them first; none: all were recorded before
  double shadows = 0;
  double surfaces = 0;     // skins and ground
  double lines = 0;        // edges, cages, points and overlays
  double development = 0;  // samples added up, and made the picture
};

// Move-only; the Device outlives it.
class Renderer {
 public:
  // Errors: sizes or sample counts of 0 or larger than the device draws, out of memory.
  static Result<Renderer> create(const runtime::Device& device, const RendererOptions& options = {});
  ~Renderer();
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;

  // set_scene, record of all samples, submit, wait, and the picture read back. The same scene gives the same bytes on
  // the same device. Errors: an item without crowd, character or bounds, an instance the crowd does not have, drivers
  // of a crowd that does not write them, weights that are not one a vertex of the character, out of memory, a lost
  // device.
  Result<Image> render(const Scene& scene);

  // For programs that show pictures as they come. The scene's spans are copied; its crowds and textures are used until
  // the next scene is set. What the device still draws of the scene before must be done. What characters, textures and
  // sizes have in common with the scene before is kept on the device. Errors: as render; nothing is shown then.
  Result<void> set_scene(const Scene& scene);

  // Records the crowds' compute (each crowd once, and only the first time after set_scene) and `samples` more samples
  // of the scene, up to RendererOptions::samples in all, and develops the mean of those so far into picture(). Outside
  // a render pass; leaves picture() in VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, written before copies and blits.
  void record(VkCommandBuffer commands, std::uint32_t samples);
  std::uint32_t recorded_samples() const;  // since set_scene
  VkImage picture() const;                 // RGBA, sRGB values in a UNORM format

  // Of the last record(), when its commands are done; none where the device has no timestamps.
  std::optional<PassSeconds> seconds() const;

 private:
  struct State;
  explicit Renderer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::samples
