// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <pelt/result.h>

#include "samples/pelt/gpu.h"
#include "samples/pelt/input.h"

namespace pelt::samples {

struct RenderCommand {
  std::string file;                  // .pelt or a model
  Binding binding;                   // if `file` is a model
  std::string clip;                  // empty: rest pose
  std::vector<std::string> caches;   // Animation::caches
  std::uint32_t level = 0;           // of detail (Character::at_level)
  double fps = 24;                   // of the caches
  float time = 0;                    // seconds
  std::vector<std::string> compare;  // deformers that move the skin in panels to the left
  std::vector<std::string> with;     // characters (.pelt or models) to draw too, in the same clip at the same time
  std::string model;                 // with the textures of `file`, if that is a .pelt; empty: plain colours
  std::string frame;                 // joint to show in close-up; empty: the whole character
  bool wire = false;
  bool driver = false;
  std::string weights;  // element_weights; empty: the materials' colours
  std::string show;     // unbound, distance or influences; empty: `weights` decides
  std::uint32_t width = 1280;
  std::uint32_t height = 720;
  float yaw = 25;   // degrees about +y, from the front
  float pitch = 7;  // degrees above the horizon
  GpuOptions gpu;
  std::string output;  // .png
};

Result<void> run(const RenderCommand& command);

}  // namespace pelt::samples
