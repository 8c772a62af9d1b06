// SPDX-License-Identifier: MIT
// Tests lights and shadows.
#include <cmath>

#include <pelt/pose.h>

#include "samples/renderer/lighting.h"
#include "tests/samples/renderer/renderers.h"

namespace pelt::samples {
namespace {

TEST_F(Renderers, CastShadowsOnTheGroundAlone) {
  const Image without = render();
  scene_.ground = true;
  scene_.ground_height = -1.0f;
  const Image with = render();
  EXPECT_GT(difference(without, with), 0.03);
  int lighter = 0;
  for (std::uint32_t y = 0; y < with.height; ++y) {
    for (std::uint32_t x = 0; x < with.width; ++x) {
      lighter += pixel(with, {x, y}).g > pixel(without, {x, y}).g + 4 ? 1 : 0;
    }
  }
  EXPECT_EQ(lighter, 0);  // the floor only takes light away
  // and has no visible edge
  for (const glm::vec2 corner : {glm::vec2(0, 0), {159, 0}, {0, 89}, {159, 89}}) {
    const glm::ivec3 change = glm::abs(pixel(with, corner) - pixel(without, corner));
    EXPECT_LE(std::max({change.r, change.g, change.b}), 4);
  }
}

// A convex shape does not shade itself: facing the key light, it is as bright as without shadows.
TEST_F(Renderers, LeaveLitSurfacesFreeOfTheirOwnShadow) {
  scene_.items[0].color = glm::vec4(0.5f, 0.5f, 0.5f, 1.0f);
  const Image image = render({.width = 320, .height = 180, .samples = 8});
  // Along the evenly lit top of the tube, brightness changes slowly.
  const Bounds& box = scene_.items[0].bounds;
  int before = -1;
  for (float x = 1.0f; x < 7.0f; x += 0.05f) {
    const glm::vec3 point(x, box.high.y * std::sqrt(0.75f), box.high.z * 0.5f);
    const int now = pixel(image, project(scene_.camera, image.width, image.height, point)).g;
    if (before >= 0) {
      EXPECT_LE(std::abs(now - before), 4) << "at x = " << x;
    }
    before = now;
  }
  EXPECT_GT(before, 100);
}

// The cosine between a unit normal and the unit vector to the eye may round to more than 1.
TEST_F(Renderers, LeaveNoHolesInWhatFacesTheEye) {
  const glm::vec3 towards_eye = glm::normalize(glm::vec3(0.3f, 0.5f, 0.8f));
  const Model tube = test::make_tube({});
  Mesh mesh{.name = "square", .triangles = {{0, 1, 2}, {0, 2, 3}}, .parts = {{.triangle_count = 2}}};
  const glm::vec3 across = glm::normalize(glm::cross(glm::vec3(0, 1, 0), towards_eye));
  const glm::vec3 up = glm::cross(towards_eye, across);
  for (const glm::vec2 corner : {glm::vec2(-1, -1), {1, -1}, {1, 1}, {-1, 1}}) {
    mesh.positions.push_back(corner.x * across + corner.y * up);
    mesh.normals.push_back(glm::normalize(towards_eye + 5e-4f * (corner.x * across + corner.y * up)));
    mesh.weights.append_row(tube.meshes[0].weights.row(0));
  }
  Model square = tube;
  square.meshes[0] = mesh;
  show(test::bound_by(square, "linear-blend"));
  scene_.camera = {.eye = 100.0f * towards_eye, .target = glm::vec3(0.0f), .vertical_fov = 0.01f};
  const Image image = render();
  int holes = 0;
  for (std::uint32_t y = 0; y < image.height; ++y) {
    for (std::uint32_t x = 0; x < image.width; ++x) holes += pixel(image, {x, y}) == glm::ivec3(0) ? 1 : 0;
  }
  EXPECT_EQ(holes, 0);
  EXPECT_GT(difference(image, backdrop()), 0.9);
}

TEST(Lights, SurroundTheSceneEvenly) {
  Scene scene;
  scene.items.resize(1);
  scene.items[0].bounds.add(glm::vec3(-1, 0, -2));
  scene.items[0].bounds.add(glm::vec3(3, 5, 1));
  const Lighting lighting = make_lighting(scene, {.samples = 16});
  ASSERT_EQ(lighting.samples.size(), 16u);
  glm::vec3 sum(0.0f);
  for (const shared::Sample& sample : lighting.samples) {
    EXPECT_GT(sample.maps[shared::kKeyMap].towards_light.y, 0.3f);
    for (std::uint32_t m = 0; m < shared::kMaps; ++m) {
      const shared::ShadowMap& map = sample.maps[m];
      EXPECT_NEAR(glm::length(map.towards_light), 1.0f, 1e-5f);
      if (m >= shared::kFirstSky) sum += map.towards_light;
      // The map encloses the scene, and its depth grows away from the light.
      for (int corner = 0; corner < 8; ++corner) {
        const glm::vec3 point((corner & 1) != 0 ? -1 : 3, (corner & 2) != 0 ? 0 : 5, (corner & 4) != 0 ? -2 : 1);
        const glm::vec3 at(map.map_from_world * glm::vec4(point, 1.0f));
        const glm::vec3 nearer(map.map_from_world * glm::vec4(point + 0.1f * map.towards_light, 1.0f));
        EXPECT_TRUE(glm::all(glm::greaterThan(at, glm::vec3(-1e-4f))) &&
                    glm::all(glm::lessThan(at, glm::vec3(1.0001f))));
        EXPECT_NEAR(at.z - nearer.z, 0.1f / map.depth, 1e-4f);
        EXPECT_NEAR(at.x, nearer.x, 1e-4f);
      }
    }
  }
  EXPECT_LT(glm::length(sum) / 32.0f, 0.02f);
}

}  // namespace
}  // namespace pelt::samples
