// SPDX-License-Identifier: MIT
// Draws crowds offscreen from the vertex buffers that compute wrote, with no copy through the CPU.
#pragma once

#include <glm/glm.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/result.h"
#include "runtime/crowd.h"
#include "runtime/device.h"
#include "samples/renderer/image.h"

namespace pelt::samples {

struct Camera {
  glm::vec3 eye{0.0f, 1.0f, 4.0f};
  glm::vec3 target{0.0f, 1.0f, 0.0f};
  glm::vec3 up{0.0f, 1.0f, 0.0f};
  float vertical_fov = 0.6f;  // radians
};

// One character to draw, from the crowd it was posed in.
struct DrawItem {
  const runtime::Crowd* crowd = nullptr;
  std::uint32_t instance = 0;
  const Character* character = nullptr;
  glm::mat4 world{1.0f};           // model space -> the scene's space
  std::optional<glm::vec4> color;  // instead of the materials' base colours
  bool wire = false;               // edges drawn over the surface
  bool control_meshes = false;     // draw the drivers too, as wire cages
  std::span<const float> weights;  // one a vertex of the instance, drawn as a heat map in [0, 1]; empty: none
};

struct Scene {
  Camera camera;
  std::vector<DrawItem> items;
  bool ground = true;  // a floor at y = ground_height that fades into the background
  float ground_height = 0.0f;
};

// Move-only; the Device outlives it.
class Renderer {
 public:
  static Result<Renderer> create(const runtime::Device& device, std::uint32_t width, std::uint32_t height);
  ~Renderer();
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;

  // Records the crowds' compute (each crowd once) and the drawing, submits, waits, and reads the picture back.
  Result<Image> render(const Scene& scene);

 private:
  struct State;
  explicit Renderer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pelt::samples
