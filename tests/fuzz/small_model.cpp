// SPDX-License-Identifier: MIT
#include "tests/fuzz/small_model.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/fuzz/frames.h"
#include "tests/support/morphs.h"
#include "tests/support/tube.h"

namespace pelt::fuzz {

Model make_small_model() {
  Model model = test::make_tube({.around = 4, .along = 6, .joints = 3});
  test::add_morph_targets(model.meshes[0], 2);
  model.meshes.push_back(test::make_tube_mesh({.around = 6, .along = 8, .radius = 1.2f, .joints = 3}));
  model.meshes[1].name = "cage";
  test::add_morph_targets(model.meshes[1], 2);
  model.levels = {{0, 1, test::make_tube_mesh({.around = 3, .along = 3, .joints = 3})}};
  model.levels[0].mesh.name = "coarse";
  Clip& clip = model.clips.emplace_back();
  clip.name = "clip";
  clip.duration = 1;
  clip.channels = {{1, ChannelPath::kRotation, Interpolation::kLinear, {0, 1}, {0, 0, 0, 1, 0, 0, 0.7f, 0.7f}}};
  clip.morph_channels = {{"tube", 1, Interpolation::kLinear, {0, 1}, {0, 1}}};
  return model;
}

InputFile::InputFile(std::string_view name) {
  std::string folder = std::filesystem::temp_directory_path() / "pelt_fuzz_XXXXXX";
  require(mkdtemp(folder.data()) != nullptr, "a folder for inputs can be made");
  folder_ = folder;
  path_ = folder_ + "/" + std::string(name);
}

InputFile::InputFile(const InputFile& beside, std::string_view name)
    : path_(beside.folder_ + "/" + std::string(name)) {}

InputFile::~InputFile() {
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

void InputFile::write(std::string_view contents) const {
  std::ofstream(path_, std::ios::binary).write(contents.data(), static_cast<std::streamsize>(contents.size()));
}

}  // namespace pelt::fuzz
