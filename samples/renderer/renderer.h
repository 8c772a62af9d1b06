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

// The side of Scene::split that shows an item.
enum class SplitSide { kBoth, kLeft, kRight };

// Decoded images of a character's materials, by material, and vertex colours. The renderer's user owns them; textures.h
// makes them.
struct MaterialTextures;

// Instances of one character to draw, from the crowd that poses them.
struct DrawItem {
  runtime::Crowd* crowd = nullptr;
  std::uint32_t instance = 0;                  // index of the first instance
  bool restart = false;                        // the crowd's secondary action starts at rest
  const Character* character = nullptr;        // that of the instance, or a copy of it
  Bounds bounds;                               // of the posed characters, model space (posed_bounds); for the lights
  glm::mat4 world{1.0f};                       // of the first instance: model space -> the scene's space; may mirror
  std::span<const glm::mat4> others;           // of the following instances; empty: only one instance
  std::optional<glm::vec4> color;              // linear; instead of the materials' base colours
  const MaterialTextures* textures = nullptr;  // multiplied with the base colours; not drawn with weights
  bool skin = true;                            // false: only its lines are drawn
  bool wire = false;                           // edges drawn over the surface
  bool control_meshes = false;                 // also draw the drivers, as lines; needs CrowdOutputs::control_meshes
  std::span<const float> weights;     // one per vertex of the character, drawn by color_ramp over [0, 1]; empty: none
  SplitSide side = SplitSide::kBoth;  // the side on which it is visible and casts its shadows
};

// A line in the scene's space, without light and shadow. Colours are linear, with opacity; widths are in pixels of a
// picture 720 high. A line of zero length is a dot; a line with a position that is not finite is left out.
struct OverlayLine {
  glm::vec3 from{0.0f};
  glm::vec3 to{0.0f};
  glm::vec4 color{1.0f};
  float width = 1.5f;
  bool through = false;  // shows through the skin, fainter
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
  float split = 0.5f;  // fraction of the picture's width that is its left side
  bool ground = true;  // a floor at y = ground_height that shows shadows and fades into the backdrop
  float ground_height = 0.0f;
};

struct RendererOptions {
  std::uint32_t width = 1280;
  std::uint32_t height = 720;
  std::uint32_t samples = 16;  // pictures whose mean is the result; more make smoother edges and shadows
};

// The device's seconds for one recorded frame.
struct PassSeconds {
  struct Pass {
    std::string name;  // as in Crowd::passes
    double seconds = 0;
  };
  std::vector<std::vector<Pass>> crowds;  // in the order of the scene's items; empty: recorded earlier
  double shadows = 0;
  double surfaces = 0;     // skins and ground
  double lines = 0;        // edges, drivers, points and overlays
  double development = 0;  // adding samples up, and making the picture
};

// Draws scenes into a picture. Move-only; the Device must outlive it.
class Renderer {
 public:
  // Errors: a size or sample count of 0 or larger than the limit, a device that cannot draw, out of memory.
  static Result<Renderer> create(const runtime::Device& device, const RendererOptions& options = {});
  ~Renderer();
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;

  // Draws a whole scene: set_scene, record of all samples, submit, wait, read back. The same scene gives the same bytes
  // on the same device. Errors: an item without crowd, character or bounds; an instance that the crowd does not have,
  // or that is of another character; drivers of a crowd that does not write them; an output format that the shaders do
  // not read; a number of weights other than the character's number of vertices; out of memory; a lost device.
  Result<Image> render(const Scene& scene);

  // Sets the scene, for programs that show pictures while they refine. The scene's spans are copied; its crowds and
  // textures are used until the next scene is set. The device must have finished drawing the previous scene.
  // Characters, textures and buffers that both scenes use stay on the device. Errors: as for render; the scene is then
  // empty.
  Result<void> set_scene(const Scene& scene);

  // Records the crowds' compute (each crowd once, and only the first time after set_scene) and `samples` more samples
  // of the scene, up to RendererOptions::samples in all, and develops the mean of the samples so far into picture().
  // Call it outside a render pass. Afterwards picture() is in VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, visible to copies
  // and blits.
  void record(VkCommandBuffer commands, std::uint32_t samples);
  std::uint32_t recorded_samples() const;  // since set_scene
  VkImage picture() const;                 // RGBA, sRGB values in a UNORM format

  // Returns the times of the last record(), once its commands are done; none if the device has no timestamps.
  std::optional<PassSeconds> seconds() const;

 private:
  struct State;
  explicit Renderer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::samples
