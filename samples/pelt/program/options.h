// SPDX-License-Identifier: MIT
// Options that several commands share, and checks of their values.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "samples/pelt/commands.h"

namespace pelt::samples {

// Checks that a value is a number from `least` to `most`.
CLI::Validator finite_in(double least, double most);
// Checks that a file's name ends in one of the extensions, such as ".pelt".
CLI::Validator extension_in(const std::vector<std::string>& extensions);
CLI::Validator a_deformer();

// Adds an option for a number from `least` to `most`, whose default the help shows.
template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& name, T& number, double least, double most,
                        const std::string& what, const std::string& unit = "N") {
  return app.add_option(name, number, what)->check(finite_in(least, most))->capture_default_str()->type_name(unit);
}

// Adds an option for a file to write, whose name ends in one of the extensions.
inline CLI::Option* add_file(CLI::App& app, const std::string& name, std::string& file, const std::string& what,
                             const std::vector<std::string>& extensions, const std::string& type) {
  return app.add_option(name, file, what)->check(extension_in(extensions))->type_name(type);
}

void add_any_file(CLI::App& app, NamedFiles& files);
void add_binding_options(CLI::App& app, Binding& binding);
void add_gpu_options(CLI::App& app, GpuOptions& gpu);

// Adds a model, which is read without a rig.
void add_model(CLI::App& app, std::string& model);

// Adds a character and its animation, without `fps`.
inline void add_animated_character(CLI::App& app, AnimatedCharacter& command) {
  app.add_option("file", command.file, ".pelt, or a model, which is bound first")->required()->type_name("FILE");
  add_binding_options(app, command.binding);
  app.add_option("--level", command.level, "Level of detail, if the character has several; 0 is the finest")
      ->check(CLI::Range(0U, kMaxLevel))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--clip", command.clip, "Animation (default: the rest pose or, at a time, the only clip)")
      ->type_name("NAME");
  app.add_option("--cache", command.caches, "Point cache of a streamed driver; MESH= if there are several")
      ->type_name("[MESH=]FILE.pc2");
}

}  // namespace pelt::samples
