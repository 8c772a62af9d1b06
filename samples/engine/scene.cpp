// SPDX-License-Identifier: MIT
#include "samples/engine/scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include <pelt/shaders/frame.h>
#include <pelt/tools/parallel.h>

namespace pelt::samples {
namespace {

constexpr std::uint32_t kFadeFrames = 12;
// The least fraction of the picture's height at which a walker has each level, except the coarsest.
constexpr std::array<float, shared::kLevelCount - 1> kMinShares{0.20f, 0.08f};
constexpr float kMargin = 0.9f;  // factor on these fractions, so that levels do not change back and forth

// Lengths are in heights of the tallest character.
constexpr float kFileSpacing = 0.66f;
constexpr float kRankSpacing = 0.72f;
constexpr float kStray = 0.11f;         // greatest distance from the grid along each axis
constexpr float kWidthOfDepth = 0.75f;  // width of the grid / its depth
constexpr float kSpeed = 0.7f;          // per second, towards +z

const glm::vec3 kSun = glm::normalize(glm::vec3(-0.55f, -0.80f, -0.42f));

Camera place_camera(float height, float half_width) {
  return {.eye = {0.15f * half_width, 1.75f * height, -0.5f * height},
          .target = {0.02f * half_width, 0.1f * height, -7.0f * height},
          .up = {0.0f, 1.0f, 0.0f},
          .vertical_fov = 0.62f};
}

glm::vec3 color_of(const Walking& walking) {
  if (walking.color) return *walking.color;
  const std::vector<Material>& materials = walking.character->materials;
  return materials.empty() ? glm::vec3(0.4f) : glm::vec3(materials.front().base_color);
}

// Returns the height of a length at a point, as a fraction of the picture's height.
float share_of_picture(const Camera& camera, glm::vec3 at, float length) {
  const float depth = glm::dot(glm::normalize(camera.target - camera.eye), at - camera.eye);
  return 0.5f * length / (std::tan(0.5f * camera.vertical_fov) * std::max(depth, length));
}

// Returns a pseudo-random number in [0, 1) for each pair (PCG hash, Jarzynski and Olano 2020).
float chance(std::uint32_t walker, std::uint32_t what) {
  std::uint32_t state = (8 * walker + what) * 747796405u + 2891336453u;
  state = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return static_cast<float>(((state >> 22u) ^ state) >> 8u) * 0x1p-24f;
}

}  // namespace

// Lines the walkers up, nearly in rank and file. All walk in one direction at one speed, so that none walks through
// another.
Scene::Scene(std::uint32_t walkers, float height, float ground, float aspect, bool seldom)
    : lists_(walkers), height_(height), ground_(ground), aspect_(aspect), seldom_(seldom) {
  const float wide = kWidthOfDepth * static_cast<float>(walkers) * kRankSpacing / kFileSpacing;
  const auto files = std::max(1u, static_cast<std::uint32_t>(std::lround(std::sqrt(wide))));
  for (std::uint32_t i = 0; i < walkers; ++i) {
    const glm::vec2 stray(chance(i, 0) - 0.5f, chance(i, 1) - 0.5f);
    const std::uint32_t rank = i / files;
    const glm::vec2 grid(kFileSpacing * (static_cast<float>(i % files) - 0.5f * static_cast<float>(files - 1)),
                         -kRankSpacing * static_cast<float>(rank));
    const glm::vec2 start = height * (grid + 2.0f * kStray * stray);
    depth_ = std::max(depth_, std::abs(start.y));
    half_width_ = std::max(half_width_, std::abs(start.x));
    walkers_.push_back({.start = start, .phase = chance(i, 5), .instance = {}, .level = {}, .previous_world = {}});
  }
  depth_ += 2 * height;
  half_width_ += height;
  camera_ = place_camera(height, half_width_);
}

// Acquires an instance of a kind for a walker. If the crowd has no room for that kind, tries another kind in the next
// frame.
void Scene::come(runtime::Crowd& crowd, Walker& walker) {
  walker.kind = (++arrivals_ * 2654435761u >> 16) % kinds_.size();
  const Result<std::uint32_t> instance = crowd.acquire(kinds_[walker.kind].number);
  if (!instance) {
    ++events_.waited;
    return;
  }
  ++events_.came;
  walker.instance = *instance;
  lists_.reset(*instance);
  walker.level.reset();
  walker.previous_world.reset();
}

void Scene::choose_level(Walker& walker) {
  const glm::vec3 middle(walker.world * glm::vec4(kinds_[walker.kind].walking.bounds.center(), 1.0f));
  const float share = share_of_picture(camera_, middle, height_);
  std::uint32_t level = 0;
  while (level < kMinShares.size() &&
         share < kMinShares[level] * (walker.level && *walker.level <= level ? kMargin : 1.0f))
    ++level;
  if (walker.level == level) return;
  lists_.level(*walker.instance, level, walker.level ? kFadeFrames : 0);
  lists_.update_every(*walker.instance, seldom_ ? level + 1 : 1);
  lists_.detail(*walker.instance, seldom_ && level > 0 ? Detail::kLinearBlend : Detail::kFull);
  walker.level = level;
}

void Scene::step(runtime::Crowd& crowd, float seconds) {
  last_seconds_ = seconds_;
  seconds_ += seconds;
  crowd.advance(seconds);
  for (Walker& walker : walkers_) {
    if (walker.instance) walker.previous_world = walker.world;
    walker.world = world_of(walker);
    if (walker.world[3].z > 0) {
      // The walker has passed the eye: another instance comes from the haze.
      if (walker.instance) {
        crowd.release(*walker.instance);
        ++events_.left;
      }
      walker.instance.reset();
      walker.start.y -= depth_;
      walker.world = world_of(walker);
    }
    if (!walker.instance) come(crowd, walker);
    if (walker.instance) choose_level(walker);
  }
  parallel_for(walkers_.size(), 16, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (walkers_[i].instance) crowd.pose(*walkers_[i].instance, joints_of(walkers_[i]));
    }
  });
}

glm::mat4 Scene::world_of(const Walker& walker) const {
  return glm::translate(glm::mat4(1.0f), {walker.start.x, 0.0f, walker.start.y + kSpeed * height_ * seconds_});
}

std::vector<glm::mat4> Scene::joints_of(const Walker& walker, int back) const {
  const Walking& walking = kinds_[walker.kind].walking;
  std::vector<Transform> local(walking.character->skeleton.joints.size());
  std::vector<glm::mat4> joints(local.size());
  const float duration = walking.clip ? walking.character->clips[*walking.clip].duration : 0.0f;
  const float seconds = back == 0 ? seconds_ : last_seconds_;
  pose_at(walking, seconds + walker.phase * duration, local, joints);
  return joints;
}

void Scene::write_records(shared::WalkerRecord* records) const {
  for (const Walker& walker : walkers_) {
    if (!walker.instance) continue;
    records[*walker.instance] = {
        .world = shared::affine_from_mat4(walker.world),
        .previous_world = shared::affine_from_mat4(walker.previous_world.value_or(walker.world)),
        .color = color_of(kinds_[walker.kind].walking),
        .share = lists_.shown_levels(*walker.instance).share};
  }
}

shared::FrameRecord Scene::frame(glm::vec2 size, std::uint32_t shadow_texels) {
  glm::mat4 projection =
      glm::perspectiveRH_ZO(camera_.vertical_fov, aspect_, 0.1f * height_, 1.5f * (depth_ + half_width_));
  projection[1][1] = -projection[1][1];
  const glm::mat4 clip_from_world = projection * glm::lookAtRH(camera_.eye, camera_.target, camera_.up);

  // The shadow map is fitted to the world, which does not move, so that shadows do not flicker.
  const glm::mat4 sun_view = glm::lookAtRH(glm::vec3(0.0f), kSun, glm::vec3(0.0f, 0.0f, 1.0f));
  const Bounds fit = transform_bounds(
      sun_view, {.low = {-half_width_, ground_, -depth_}, .high = {half_width_, ground_ + 1.1f * height_, 0.0f}});
  const glm::mat4 sun_projection =
      glm::orthoRH_ZO(fit.low.x, fit.high.x, fit.low.y, fit.high.y, -fit.high.z, -fit.low.z);

  const shared::FrameRecord made{.clip_from_world = clip_from_world,
                                 .previous_clip_from_world = previous_clip_from_world_.value_or(clip_from_world),
                                 .sun_from_world = sun_projection * sun_view,
                                 .eye = camera_.eye,
                                 .sun = kSun,
                                 .size = size,
                                 .haze = {0.45f * depth_, depth_ - 1.3f * height_},
                                 .ground = ground_,
                                 .texel = std::max(fit.size().x, fit.size().y) / static_cast<float>(shadow_texels)};
  previous_clip_from_world_ = clip_from_world;
  return made;
}

}  // namespace pelt::samples
