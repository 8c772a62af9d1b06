// SPDX-License-Identifier: MIT
// Binds a character once, moves a crowd of it for a second, like a game, and draws the result. Usage:
// pelt_hello [MODEL [CLIP]].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pelt/bind.h>
#include <pelt/import.h>
#include <pelt/pelt_file.h>
#include <pelt/pose.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/device.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/transfer.h>
#include <pelt/runtime/upload.h>

#include "samples/renderer/renderer.h"

namespace {

// Returns the value, or ends the program with the reason.
template <class T>
T need(pelt::Result<T> result) {
  if (!result) {
    fmt::print(stderr, "hello: {}\n", result.error().message);
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Draws the crowd in a row, in its last pose. `pose`: of one instance, for its size.
pelt::samples::Image draw(const pelt::runtime::Device& device, pelt::runtime::Crowd& crowd,
                          const pelt::Character& character, const pelt::samples::InstancePose& pose) {
  using namespace pelt::samples;
  const RendererOptions options{.width = 1280, .height = 360, .samples = 8};
  const View view{.yaw = 0.5f, .vertical_fov = 0.15f};
  DrawItem item;
  item.crowd = &crowd;
  item.character = &character;
  item.bounds = posed_bounds(character, pose);
  const std::vector<glm::mat4> worlds = side_by_side(item.bounds, crowd.instance_count(), view.yaw);
  item.world = worlds.front();
  item.others = std::span(worlds).subspan(1);
  std::vector<Bounds> row;
  for (const glm::mat4& world : worlds) row.push_back(transform_bounds(world, item.bounds));
  Scene scene;
  scene.ground_height = item.bounds.low.y;
  scene.camera = frame_camera(row, static_cast<float>(options.width) / static_cast<float>(options.height), view);
  scene.items = {item};
  Renderer renderer = need(Renderer::create(device, options));
  return need(renderer.render(scene));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "builtin:biped";
  const std::string clip_name = argc > 2 ? argv[2] : "walk";

  // In the tool chain: bind a model once, by a rig, and save the character.
  const pelt::Model model = need(pelt::import_model(file));
  const pelt::Rig rig = need(pelt::rig_from_deformer_name("surface_ffd"));
  need(pelt::save_pelt(need(pelt::bind(model, rig)).character, "hello.pelt"));

  // [in a game]
  // At load: upload the character, and make a crowd of ten instances. `need` ends the program if there is an error.
  const pelt::Character character = need(pelt::load_pelt("hello.pelt"));
  const pelt::runtime::Device device = need(pelt::runtime::Device::create());
  const pelt::runtime::GpuCharacters uploaded = need(pelt::runtime::upload(device, character));
  pelt::runtime::Crowd crowd = need(pelt::runtime::Crowd::create(device, uploaded, {.instances = {10}}));

  // Every frame: joint matrices in, vertices out.
  std::vector<pelt::Transform> local(character->skeleton.joints.size());
  std::vector<glm::mat4> joints(local.size());
  const pelt::Clip* clip = pelt::find_clip(character->clips, clip_name);
  for (std::uint32_t frame = 0; frame < 60; ++frame) {
    for (std::uint32_t i = 0; i < crowd.instance_count(); ++i) {
      pelt::rest_pose(character->skeleton, local);
      const float seconds = static_cast<float>(frame + 6 * i) / 60.0f;
      if (clip != nullptr) pelt::sample_clip(*clip, std::fmod(seconds, std::max(clip->duration, 0.01f)), local);
      pelt::model_matrices(character->skeleton, local, joints);
      crowd.pose(i, joints);
    }
    // A game records into the command buffer of its frame, adds a barrier from compute writes to vertex reads, and
    // draws from the buffers of crowd.outputs().
    need(pelt::runtime::submit_and_wait(device, "frame", [&](VkCommandBuffer commands) { crowd.record(commands); }));
  }
  // [in a game]

  const pelt::runtime::InstanceVertices vertices = need(pelt::runtime::read_vertices(device, crowd, 0));
  const glm::vec3 first = vertices.positions.front();
  fmt::print("{}: {} vertices of {} instances moved on {}; the first one at {:.3f} {:.3f} {:.3f}\n", file,
             vertices.positions.size(), crowd.instance_count(), device.description().name, first.x, first.y, first.z);

  std::vector<float> inputs(character->input_count);
  pelt::rest_inputs(*character, inputs);
  need(pelt::samples::write_png("hello.png", draw(device, crowd, character, {joints, inputs})));
  return 0;
}
