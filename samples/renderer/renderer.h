// SPDX-License-Identifier: MIT
// Draws crowds offscreen from the vertex buffers that compute wrote, with no copy through the CPU.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/character/character.h"
#include "engine/core/result.h"
#include "runtime/crowd.h"
#include "runtime/device.h"
#include "samples/renderer/framing.h"
#include "samples/renderer/image.h"

namespace pelt::samples {

// One character to draw, from the crowd it was posed in.
struct DrawItem {
  runtime::Crowd* crowd = nullptr;
  std::uint32_t instance = 0;
  const Character* character = nullptr;  // the one the crowd was made of
  Bounds bounds;                         // of the posed character, model space (posed_bounds): lights are aimed by it
  glm::mat4 world{1.0f};                 // model space -> the scene's space; may mirror
  std::optional<glm::vec4> color;        // linear; instead of the materials' base colours
  bool wire = false;                     // edges drawn over the surface
  bool control_meshes = false;           // draw the drivers too, as cages of lines
  std::span<const float> weights;        // one a vertex of the instance, drawn by color_ramp over [0, 1]; empty: none
};

struct Scene {
  Camera camera;
  std::vector<DrawItem> items;
  bool ground = true;  // a floor at y = ground_height that shows shadows and fades into the backdrop
  float ground_height = 0.0f;
};

struct RendererOptions {
  std::uint32_t width = 1280;
  std::uint32_t height = 720;
  std::uint32_t samples = 16;  // pictures that the result is the mean of: edges, penumbras and occlusion get smoother
};

// Move-only; the Device outlives it.
class Renderer {
 public:
  // Errors: sizes or sample counts of 0 or larger than the device draws, out of memory.
  static Result<Renderer> create(const runtime::Device& device, const RendererOptions& options = {});
  ~Renderer();
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;

  // Records the crowds' compute (each crowd once, so pose its instances before) and the drawing, submits, waits, and
  // reads the picture back. The same scene gives the same bytes on the same device. Errors: an item without crowd,
  // character or bounds, an instance the crowd does not have, weights that are not one a vertex, out of memory, a lost
  // device.
  Result<Image> render(const Scene& scene);

 private:
  struct State;
  explicit Renderer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::samples
