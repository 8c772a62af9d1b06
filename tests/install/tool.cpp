// SPDX-License-Identifier: MIT
// A tool outside of Pelt's build: binds a built-in character and writes it.
#include <cstdio>

#include <pelt/bind.h>
#include <pelt/import.h>
#include <pelt/pelt_file.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const pelt::Result<pelt::Model> model = pelt::import_model("builtin:arm");
  const pelt::Result<pelt::Rig> rig = pelt::rig_from_deformer_name("surface_ffd");
  if (!model || !rig) return 1;
  const pelt::Result<pelt::Bound> bound = pelt::bind(*model, *rig);
  if (!bound) {
    std::fprintf(stderr, "%s\n", bound.error().message.c_str());
    return 1;
  }
  return pelt::save_pelt(bound->character, argv[1]) ? 0 : 1;
}
