// SPDX-License-Identifier: MIT
#include "runtime/c/handles.h"
#include "runtime/c/support.h"

#ifdef PELT_WITH_AUTHORING

#include <pelt/bind.h>
#include <pelt/gltf_rig.h>
#include <pelt/import.h>
#include <pelt/rig_json.h>

using namespace pelt::c;

struct pelt_model {
  pelt::Model model;
  std::string file;  // the glTF file that it was imported from; empty: not glTF
};

struct pelt_rig {
  pelt::Rig rig;
};

namespace {

pelt::Rig load(const std::string& path) {
  if (!pelt::is_gltf(path)) return value_of(pelt::load_rig(path));
  std::optional<pelt::GltfRig> carried = value_of(pelt::load_gltf_rig(path));
  if (!carried) refuse(path + ": contains no rig", PELT_ERROR_NOT_FOUND);
  return std::move(carried->rig);
}

}  // namespace

pelt_result pelt_model_import(const char* path_or_builtin, pelt_model** out) {
  return guarded(__func__, [&] {
    pelt_model*& made = need(out, "out");
    const std::string name = &need(path_or_builtin, "path_or_builtin");
    made = new pelt_model{value_of(pelt::import_model(name)), pelt::is_gltf(name) ? name : std::string()};
  });
}

void pelt_model_destroy(pelt_model* model) { delete model; }

pelt_result pelt_rig_from_deformer(const char* deformer, pelt_rig** out) {
  return guarded(__func__, [&] {
    pelt_rig*& made = need(out, "out");
    made = new pelt_rig{value_of(pelt::rig_from_deformer_name(&need(deformer, "deformer")))};
  });
}

pelt_result pelt_rig_load(const char* path, pelt_rig** out) {
  return guarded(__func__, [&] {
    pelt_rig*& made = need(out, "out");
    made = new pelt_rig{load(&need(path, "path"))};
  });
}

void pelt_rig_destroy(pelt_rig* rig) { delete rig; }

pelt_result pelt_bind(const pelt_model* model, const pelt_rig* rig, const pelt_bind_options* options,
                      pelt_character** out) {
  return guarded(__func__, [&] {
    const pelt::Model& source = need(model, "model").model;
    pelt::Rig described = need(rig, "rig").rig;
    const auto given = read_options(options, "options");
    if (given.paint != 0) described.paint = pelt::PaintMode::kAlways;
    pelt_character*& made = need(out, "out");
    pelt::BindOptions wanted{.threads = given.threads, .keep_vertex_order = given.keep_vertex_order != 0};
    if (given.progress != nullptr) {
      wanted.progress = [&given](double fraction, const std::string& what) {
        given.progress(given.user, fraction, what.c_str());
      };
    }
    wanted.stop = stop_of(given.stop);
    made = new pelt_character(value_of(pelt::bind(source, described, wanted)).character);
  });
}

pelt_result pelt_character_save_glb(const pelt_character* character, const pelt_model* model, const char* path) {
  return guarded(__func__, [&] {
    const pelt::Character& bound = need(character, "character").character;
    const pelt_model& source = need(model, "model");
    value_of(pelt::save_gltf(bound, source.model, source.file, &need(path, "path")));
  });
}

#else

namespace {

pelt_result without(const char* function) {
  return pelt::c::fail_with(PELT_ERROR_UNSUPPORTED, function, "this library was built without PELT_AUTHORING");
}

}  // namespace

pelt_result pelt_model_import(const char*, pelt_model**) { return without(__func__); }
void pelt_model_destroy(pelt_model*) {}
pelt_result pelt_rig_from_deformer(const char*, pelt_rig**) { return without(__func__); }
pelt_result pelt_rig_load(const char*, pelt_rig**) { return without(__func__); }
void pelt_rig_destroy(pelt_rig*) {}
pelt_result pelt_bind(const pelt_model*, const pelt_rig*, const pelt_bind_options*, pelt_character**) {
  return without(__func__);
}
pelt_result pelt_character_save_glb(const pelt_character*, const pelt_model*, const char*) { return without(__func__); }

#endif
