// SPDX-License-Identifier: MIT
// Puts the images of a model's base colours on the device, and gathers its vertex colours.
#pragma once

#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>
#include <pelt/runtime/device.h>

#include "samples/renderer/gpu_objects.h"
#include "samples/renderer/image.h"

namespace pelt::samples {

// Decoded images with mip maps, 8-bit sRGB with alpha, in VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL. The Device must
// outlive them.
struct MaterialTextures {
  struct OfMaterial {
    std::int32_t image = -1;  // index in `images`; -1: only the material's colour
    bool alpha_mask = false;  // true: pixels that are less than half opaque are not drawn
  };
  std::vector<Texture> images;
  std::vector<OfMaterial> materials;  // numbered as in the model and its characters
  // COLOR_0, linear with alpha, in the model's order: of the meshes that have any, by name.
  std::map<std::string, std::vector<glm::vec4>> colors;
};

// Uploads an image with its mip maps and waits for the device. Errors: out of memory, a lost device.
Result<Texture> upload_image(const runtime::Device& device, const Image& image, const std::string& name);

// Decodes Model::images and uploads them; waits for the device. An image that is not PNG or JPEG, is broken, or would
// take too much memory (16384 pixels per side, 64 Mi pixels, 256 Mi pixels in all) is left out with a note, and its
// materials show their plain colour. `goes_on` is called before each image with the fraction done; if it returns false,
// the remaining images are left out. Errors: out of memory, a lost device.
Result<std::shared_ptr<MaterialTextures>> make_textures(const runtime::Device& device, const Model& model,
                                                        std::vector<std::string>& notes,
                                                        const std::function<bool(double fraction)>& goes_on = {});

}  // namespace pelt::samples
