// SPDX-License-Identifier: MIT
// Makes the files that the harnesses start from: fuzz_seeds FOLDER writes FOLDER/HARNESS/NUMBER.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>

#include <pelt/bind.h>
#include <pelt/builtin.h>
#include <pelt/gltf_export.h>
#include <pelt/pelt_file.h>
#include <pelt/pelt_gltf.h>
#include <pelt/point_cache.h>
#include <pelt/rig_json.h>
#include <pelt/tools/file_io.h>

#include "tests/engine/authoring/model/gltf/gltf_file.h"
#include "tests/fuzz/seed_characters.h"
#include "tests/fuzz/small_model.h"
#include "tests/support/deformer_list.h"
#include "tests/support/graded.h"
#include "tests/support/must.h"
#include "tests/support/shared_files.h"
#include "tests/support/tube.h"

namespace pelt::fuzz {
namespace {

class Folder {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) { std::filesystem::create_directories(path_); }

  void add(std::string_view contents) {
    std::ofstream file(path_ / std::to_string(count_++), std::ios::binary);
    file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
    if (!file) throw std::runtime_error(path_.string() + ": cannot be written");
  }
  void add(std::span<const std::byte> bytes) { add({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); }

 private:
  std::filesystem::path path_;
  std::size_t count_ = 0;
};

void add_characters_and_rigs(Folder files, Folder rigs) {
  for (const test::Deformer& deformer : test::deformers()) {
    const test::Subject subject = test::make_subject(deformer);
    files.add(serialize(test::must(bind(subject.model, subject.rig, {.threads = 1})).character));
    rigs.add(format_rig(subject.rig));
  }
  for (const test::Graded kind : test::kGraded) files.add(serialize(test::make_graded(20, kind)));
  for (const auto& file : seed_characters()) files.add(file);
  for (const std::string_view name : deformer_names()) {
    rigs.add(format_rig(test::must(rig_from_deformer_name(std::string(name)))));
  }
}

void add_gltf(Folder files) {
  for (const test::GltfFile& file : {test::GltfFile::triangle(), test::GltfFile::skinned_triangle()}) {
    files.add(file.text());
    files.add(file.glb());
  }
  files.add(test::must(format_glb(make_limb({.around = 4, .along = 4}))));
  const Model model = make_small_model();
  const std::string glb = test::must(format_glb(model));
  files.add(glb);
  for (const char* deformer : {"linear_blend", "mos"}) {
    const Rig rig = test::must(rig_from_deformer_name(deformer));
    const Character character = test::must(bind(model, rig, {.threads = 1})).character;
    files.add(test::must(write_gltf_deformers(std::as_bytes(std::span(glb)), format_rig(rig), &character, "x.glb")));
  }
  if (!test::shared_folder()) return;
  for (const auto& path : test::shared_files("assets/malformed", {".gltf", ".glb"})) {
    const std::vector<std::byte> file = test::must(read_file(path));
    constexpr std::size_t kLongest = 32768;
    if (file.size() <= kLongest) files.add(file);
  }
}

void add_obj(Folder files) {
  using namespace std::string_view_literals;
  files.add("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\nf 1 2 3 4\n"sv);
  files.add(
      "mtllib m.mtl\no a\ng b\nv 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nvn 0 0 1\nvn 1 0 0\n"
      "s 1\nusemtl red\nf 1/1/1 2/2/1 3/3/2\nf 1//1 3//1 4//2\nusemtl blue\nf -4/-3 -1/-1 -2/-2\nl 1 2 3\np 4\n"
      "\0newmtl red\nKd 1 0 0\nd 0.5\nmap_Kd red.png\nnewmtl blue\nTr 0.25\nillum 2\n"sv);
  files.add(
      "v 0 0 0\nv 4 0 0\nv 4 3 0\nv 3 3 0\nv 3 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nvn nan 0 1\nf 1 2 3 4 5 6 7 8 \\\n\n"sv);
}

void add_pc2(Folder files) {
  std::vector<glm::vec3> skins;
  for (const Mesh& mesh : make_small_model().meshes) {
    skins.insert(skins.end(), mesh.positions.begin(), mesh.positions.end());
  }
  for (const std::int32_t samples : {1, 3, 8}) {
    const std::vector<glm::vec3> sample = samples < 8 ? std::vector(2, glm::vec3(0.25f)) : skins;
    const Pc2Header header{.points = static_cast<std::int32_t>(sample.size()),
                           .first_frame = 1,
                           .frames_a_sample = 0.5f,
                           .samples = samples};
    std::string file(reinterpret_cast<const char*>(&header), sizeof header);
    for (int i = 0; i < samples; ++i)
      file.append(reinterpret_cast<const char*>(sample.data()), sample.size() * sizeof sample[0]);
    files.add(file);
  }
}

void add_calls(Folder files) {
  std::mt19937 random(1);
  for (const std::size_t size : {16, 64, 200, 200, 600, 600, 600, 2000, 2000}) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 256);
    files.add(bytes);
  }
}

void add_scripts(Folder files) {
  for (const char* path : {PELT_VIEWER_SCRIPTS}) {
    std::ifstream file(path);
    const nlohmann::json script = nlohmann::json::parse(file);
    for (const nlohmann::json& step : script.at("steps")) {
      nlohmann::json one = script;
      one["steps"] = nlohmann::json::array({step});
      files.add(one.dump());
    }
  }
}

}  // namespace
}  // namespace pelt::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
    return 2;
  }
  try {
    using pelt::fuzz::Folder;
    const std::filesystem::path to(argv[1]);
    pelt::fuzz::add_characters_and_rigs(Folder(to / "pelt"), Folder(to / "rig"));
    pelt::fuzz::add_gltf(Folder(to / "glb"));
    pelt::fuzz::add_obj(Folder(to / "obj"));
    pelt::fuzz::add_pc2(Folder(to / "pc2"));
    pelt::fuzz::add_calls(Folder(to / "c_api"));
    pelt::fuzz::add_scripts(Folder(to / "script"));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz_seeds: %s\n", error.what());
    return 1;
  }
  return 0;
}
