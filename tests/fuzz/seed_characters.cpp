// SPDX-License-Identifier: MIT
#include "tests/fuzz/seed_characters.h"

#include <string>

#include <pelt/bind.h>
#include <pelt/linear_blend.h>
#include <pelt/pelt_file.h>
#include <pelt/surface_ffd.h>

#include "tests/fuzz/small_model.h"
#include "tests/support/driven.h"
#include "tests/support/must.h"
#include "tests/support/tube_surface.h"

namespace pelt::fuzz {

std::vector<std::vector<std::byte>> seed_characters() {
  const Model model = make_small_model();
  std::vector<Rig> rigs;
  for (const std::string_view name : deformer_names()) {
    rigs.push_back(test::must(rig_from_deformer_name(std::string(name))));
  }
  SurfaceFfdParameters streamed = test::by_cage();
  streamed.driver.follow = Follow::kStreamed;
  rigs.push_back(test::rig_of(streamed, "tube"));
  rigs.push_back(test::rig_of(test::by_cage(), "tube"));
  HierarchicalBsplineParameters swinging = test::tube_surface();
  swinging.levels[0].secondary = {{.vertices = {{72, 79}}}};
  rigs.push_back(test::rig_of(swinging, "tube"));
  Rig helped = test::rig_of(LinearBlendParameters{});
  helped.helper_joints = {{.joint = "joint2", .source = "joint1", .twist = 0.5f}};

  std::vector<std::vector<std::byte>> files;
  for (Rig& rig : rigs) {
    rig.check = CheckMode::kNone;
    files.push_back(serialize(test::must(bind(model, rig, {.threads = 1})).character));
  }
  Model forked = model;
  forked.skeleton.joints[2].parent = 0;
  forked.expressions = {{"happy", false, {{"tube", 0, 0.5f}, {"tube", 1, 1}}}, {"blink", true, {{"tube", 1, 1}}}};
  CharacterData learnt = *test::must(bind(forked, helped, {.threads = 1})).character;
  learnt.certificate = {R"({"poses": 9, "regions": [{"joint": "joint1"}]})", 0.5f,
                        std::vector((learnt.vertex_count() + 3) / 4, 0x01020304u)};
  files.push_back(serialize(test::must(Character::create(std::move(learnt)))));
  return files;
}

}  // namespace pelt::fuzz
