// SPDX-License-Identifier: MIT
// Tests reading and writing the bases of hierarchical surfaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/hierarchical_bspline.h>

#include "tests/engine/authoring/rig/rig_text.h"
#include "tests/support/must.h"

namespace pelt {
namespace {

using testing::HasSubstr;

std::string surface_layer(const std::string& parameters) {
  return layer(R"("deformer": "hierarchical_bspline", "parameters": {)" + parameters + "}");
}

// Reads a rig of one surface, writes it and reads it again.
HierarchicalBsplineParameters read_surface(const std::string& parameters) {
  const Rig rig = test::must(parse_rig(surface_layer(parameters), "x.json"));
  EXPECT_EQ(test::must(parse_rig(format_rig(rig), "x.json")), rig);
  return rig.layers[0].deformer.get<HierarchicalBsplineParameters>();
}

TEST(ParseRig, ReadsTheBasesOfSurfaces) {
  HierarchicalBsplineParameters inline_faces;
  inline_faces.control = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.5f}, {0, 1, 0}};
  inline_faces.faces = {{0, 1, 2, 3}, {2, 1, 0}};
  inline_faces.creases = {{{{0, 1, 2}, {2, 3}}, 2.5f}, {{{0, 3}}, 10}};
  inline_faces.spread = 1.5f;
  inline_faces.levels = {{.attach = {{.painted = true, .vertices = {{0, 2}}}}}};
  EXPECT_EQ(read_surface(R"("control": [[0, 0, 0], [1, 0, 0], [1, 1, 0.5], [0, 1, 0]],
                            "faces": [[0, 1, 2, 3], [2, 1, 0]],
                            "creases": [{"paths": [[0, 1, 2], [2, 3]], "sharpness": 2.5}, {"paths": [[0, 3]]}],
                            "spread": 1.5,
                            "levels": [{"attach": [{"painted": true, "vertices": [[0, 2]]}]}])"),
            inline_faces);

  HierarchicalBsplineParameters of_the_model;
  of_the_model.mesh = "cage";
  EXPECT_EQ(read_surface(R"("mesh": "cage", "spread": "auto")"), of_the_model);

  HierarchicalBsplineParameters of_a_file;
  of_a_file.file = "base.obj";
  EXPECT_EQ(read_surface(R"("file": "base.obj")"), of_a_file);

  HierarchicalBsplineParameters made;
  made.base_faces = 900;
  made.tolerance = 0.01f;
  EXPECT_EQ(read_surface(R"("base_faces": 900, "tolerance": 0.01)"), made);
}

TEST(ParseRig, WrongValuesOfSurfacesNameThePlaceAndWhatIsWanted) {
  const std::vector<std::pair<std::string, std::string>> defects{
      {R"("mesh": "a", "file": "b.obj")", "set mesh or file, not both"},
      {R"("mesh": "a", "control": [[0, 0, 0]])", "requires faces if mesh is set"},
      {R"("file": "a.obj", "faces": [[0, 1, 2]])", "/faces: belong to a base without file"},
      {R"("file": "a.obj", "control": [[0, 0, 0]])", "/control: belongs to a base without file"},
      {R"("levels": [{}, {}])", "require a base"},
      {R"("faces": [[0, 1, 2]])", "requires control"},
      {R"("creases": [{"paths": [[0, 1]]}])", "belong to a base that is a mesh"},
      {R"("control": [[0, 0, 0]], "faces": [[0, 1, 2]], "shape": [5, 4])", "/shape: belongs to a base grid"},
      {R"("control": [[0, 0, 0]], "faces": [[0, 1, 2]], "closed_u": true)", "/closed_u: belongs to a base grid"},
      {R"("mesh": "a", "closed_v": true)", "/closed_v: belongs to a base grid"},
      {R"("shape": [5, 4], "levels": [])", "/shape: belongs to a base grid"},
      {R"("shape": [4, 4], "control": [[0, 0, 0]], "creases": [{}])", "belong to a base that is a mesh"},
      {R"("faces": [0, 1, 2])", "faces"},
      {R"("mesh": "a", "levels": [{"attach": [{"painted": true, "joint": "hip"}]}])",
       "set exactly one of painted, joint and curve"},
      {R"("mesh": "a", "levels": [{"attach": [{}]}])", "set exactly one of painted, joint and curve"}};
  for (const auto& [parameters, why] : defects) EXPECT_THAT(error_of(surface_layer(parameters)), HasSubstr(why));
}

}  // namespace
}  // namespace pelt
