// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <pelt/frame.h>
#include <pelt/import.h>
#include <pelt/model_of.h>
#include <pelt/nearest_name.h>
#include <pelt/rig_names.h>
#include <pelt/runtime/crowd.h>
#include <pelt/runtime/read_back.h>
#include <pelt/runtime/upload.h>
#include <pelt/tools/clip_poses.h>
#include <pelt/tools/inspect.h>
#include <pelt/tools/linear_comparison.h>
#include <pelt/tools/sample_poses.h>
#include <pelt/try.h>

#include "samples/pelt/bind_view.h"
#include "samples/pelt/commands.h"
#include "samples/pelt/element_weights.h"
#include "samples/renderer/framing.h"
#include "samples/renderer/image.h"
#include "samples/renderer/renderer.h"
#include "samples/renderer/textures.h"

namespace pelt::samples {
namespace {

// A posed character.
struct Figure {
  Character character;
  std::vector<TimedPose> frames;  // up to the picture, which shows the last
  float duration = 0;             // of the clip and the caches, seconds
  Bounds bounds;
  std::string textured_by;  // the model with its textures; empty: no textures
};

// A part of the picture: figures in one scene, and their caption.
struct Panel {
  std::vector<Figure> figures;
  BindView view;  // of the first figure; without values: draw the materials' colours
  std::string caption;
  Bounds differs{};  // LargestDifference::bounds
};

// Writes the caption of each panel into the picture, in a size at which all fit.
void draw_captions(Image& image, std::span<const Panel> panels, std::span<const std::uint32_t> columns) {
  const float height = static_cast<float>(image.height);
  float size = height / 26;
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const auto width = static_cast<float>(columns[p + 1] - columns[p]);
    size *= std::min(1.0f, 0.9f * width / label_width(panels[p].caption, size));
  }
  for (std::size_t p = 0; p < panels.size(); ++p) {
    draw_label(image, panels[p].caption, 0.5f * static_cast<float>(columns[p] + columns[p + 1]), height - size, size);
  }
}

// The pose in which a character differs most from linear blend, and how to look at it.
struct LargestDifference {
  CheckPose pose;
  std::uint32_t joint = 0;  // the one with the largest weight there
  double distance = 0;      // of a vertex from itself by linear blend, over the skin's diagonal at rest
  Bounds bounds;            // of the vertices that differ at least half as far, as they move and by linear blend
  float yaw = 0;            // degrees, of a camera that sees the distance and the joint's bone from the side
};

// Returns a pose of the check for a character, which may have other inputs than the one next to it.
InstancePose pose_for(const CharacterData& character, const CheckPose& pose) {
  PosePlayer player(character);
  player.pose(pose);
  return {.joints = {player.joints().begin(), player.joints().end()},
          .inputs = {player.inputs().begin(), player.inputs().end()}};
}

// Returns true if joints move all skins directly, with nothing but their weights.
bool is_linear_blend(const CharacterData& data) {
  return data.certificate.empty() &&
         std::ranges::all_of(data.passes, [](const auto& pass) { return pass.kernel == PoseKernel::kLinearBlend; }) &&
         std::ranges::all_of(data.meshes, [](const auto& mesh) { return mesh.mode == BlendMode::kLinear; });
}

// Searches frames of the clips and turns of single joints. `linear_blend`: the same skins, bound by linear blend.
Result<LargestDifference> largest_difference(const Character& character, const Character& linear_blend) {
  const auto none =
      fail(ErrorCode::kInvalidArgument, "moves as by linear blend in every pose, so there is no difference to show");
  if (is_linear_blend(*character)) return none;
  std::vector<CheckPose> poses = clip_poses(*linear_blend);
  std::ranges::move(sample_poses(linear_blend), std::back_inserter(poses));
  PELT_ASSIGN(const auto comparison, LinearComparison::create(linear_blend, std::move(poses)));
  PELT_ASSIGN(const auto figures, comparison.measure(character));
  if (!(figures.far > 1e-4)) return none;
  const SkinLocation location = comparison.location_of(figures.far_at.from);
  LargestDifference found{.pose = comparison.pose_at(figures.far_at.frame, figures.far_at.from),
                          .joint = character->skeleton.find(location.joint).value_or(0),
                          .distance = figures.far,
                          .bounds = {}};
  const auto posed = [&](const Character& moved) {  // positions of the mesh in the model's order
    const CharacterMesh& mesh = *std::ranges::find_if(
        moved->meshes, [&](const CharacterMesh& skin) { return !skin.control && skin.name == location.mesh; });
    const TimedPose frame{pose_for(*moved, found.pose), 0};
    const Evaluator evaluator = evaluated(moved, {&frame, 1});
    std::vector<glm::vec3> positions(mesh.vertex_count());
    to_source_order(mesh, evaluator.positions(), std::span(positions));
    return positions;
  };
  const std::vector<glm::vec3> all_linear = posed(linear_blend), all = posed(character);
  const glm::vec3 linear = all_linear[location.vertex], at = all[location.vertex];
  for (std::size_t v = 0; v < all.size(); ++v) {
    if (glm::distance(all[v], all_linear[v]) < 0.5f * glm::distance(at, linear)) continue;
    found.bounds.add(all[v]);
    found.bounds.add(all_linear[v]);
  }
  const std::vector<glm::mat4> joints = pose_for(*character, found.pose).joints;
  const auto origin = [&](std::uint32_t joint) { return glm::vec3(joints[joint][3]); };
  glm::vec3 middle(0);
  for (const glm::mat4& joint : joints) middle += glm::vec3(joint[3]) / static_cast<float>(joints.size());
  // The camera is rather outside of the body than on its other side.
  const glm::vec3 bone = origin(found.joint) - origin(character->skeleton.parent_of(found.joint).value_or(found.joint));
  float best = 0;
  for (int degrees = -180; degrees < 180; degrees += 15) {
    const float yaw = glm::radians(static_cast<float>(degrees));
    const glm::vec3 camera(std::sin(yaw), 0, std::cos(yaw));
    const float seen = glm::length(glm::cross(at - linear, camera)) * glm::length(glm::cross(bone, camera));
    const float score = seen * (1.5f + glm::dot(camera, normalize_or(at - middle, camera)));
    if (score > best) best = score, found.yaw = static_cast<float>(degrees);
  }
  return found;
}

// `caches`: those of the command that move this character. `posed`: the pose, instead of the command's; may be null.
// With `may_rest`, a character without the command's clip is at rest.
Result<Figure> make_figure(const RenderCommand& command, const Character& character,
                           const std::vector<std::string>& caches, std::string textured_by, const CheckPose* posed,
                           bool may_rest = false) {
  const bool rests = may_rest && find_clip(character->clips, command.clip) == nullptr;
  PELT_ASSIGN(const auto poser, Poser::create(character, {rests ? "" : command.clip, caches, command.fps}));
  Figure figure{.character = character,
                .frames = posed == nullptr ? poser.way_to(command.time)
                                           : std::vector<TimedPose>{{pose_for(*character, *posed), 0}},
                .duration = poser.duration(),
                .bounds = {},
                .textured_by = std::move(textured_by)};
  figure.bounds = posed_bounds(character, figure.frames.back().pose);
  // Masses may have swung outside of the bounds.
  figure.bounds.add(skin_bounds(*character, evaluated(character, figure.frames).positions()));
  if (figure.bounds.empty()) return fail(ErrorCode::kInvalidArgument, "there is no skin to draw");
  return figure;
}

Result<Panel> make_panel(const RenderCommand& command, const Character& character,
                         const std::vector<std::string>& caches, const CheckPose* posed) {
  Panel panel;
  const bool is_model = lower_extension(command.file) != ".pelt";
  PELT_ASSIGN(auto figure, make_figure(command, character, caches, is_model ? command.file : command.model, posed));
  panel.figures.push_back(std::move(figure));
  if (!command.weights.empty()) {
    PELT_ASSIGN(auto weights, element_weights(character, command.weights));
    panel.view = {std::move(weights), "0", "1"};
  }
  if (command.show.starts_with("tension")) {
    const Evaluator moved = evaluated(character, panel.figures[0].frames);
    panel.view = view_of_tension(*character, moved.positions(), command.show == "tension" ? 0 : 1);
  } else if (!command.show.empty()) {
    PELT_ASSIGN(panel.view, view_of_bind(character, command.show));
  }
  panel.caption = caption_of(*character);
  return panel;
}

// Sets joint and angle of the command for RenderCommand::difference.
Result<std::vector<Panel>> make_panels(RenderCommand& command) {
  PELT_ASSIGN(const auto character, load_character(command.file, command.binding, command.level));
  PELT_ASSIGN(command.clip,
              within(command.file, clip_of(character, command.clip, !command.caches.empty(), command.time)));
  std::vector<Character> characters;
  for (const std::string& deformer : command.compare) {
    PELT_ASSIGN(const auto rig, rig_from_deformer_name(deformer));
    PELT_ASSIGN(const auto bound,
                within(fmt::format("{}: as {}", command.file, deformer),
                       model_of(character).and_then([&](const Model& model) { return bind(model, rig); })));
    characters.push_back(bound.character);
  }
  std::optional<CheckPose> posed;
  Bounds differs;
  if (command.difference) {
    PELT_ASSIGN(const auto found, within(command.file, largest_difference(character, characters.front())));
    posed = found.pose;
    differs = found.bounds;
    command.frame = character->skeleton.joints[found.joint].name;
    if (!command.yaw) command.yaw = found.yaw;
    fmt::print("pose '{}', at joint '{}': {:.1f}% of its size from linear blend\n", posed->name, command.frame,
               100 * found.distance);
  }
  characters.push_back(character);
  std::vector<Panel> panels;
  for (const Character& shown : characters) {
    const bool last = &shown == &characters.back();
    PELT_ASSIGN(auto panel,
                within(command.file, make_panel(command, shown, last ? command.caches : std::vector<std::string>(),
                                                posed ? &*posed : nullptr)));
    panel.differs = differs;
    panels.push_back(std::move(panel));
  }
  for (const std::string& file : command.with) {
    PELT_ASSIGN(const auto other, load_character(file, command.binding, command.level));
    const std::string textured_by = lower_extension(file) == ".pelt" ? "" : file;
    PELT_ASSIGN(const auto figure, within(file, make_figure(command, other, {}, textured_by, nullptr, true)));
    for (Panel& panel : panels) panel.figures.push_back(figure);
  }
  return panels;
}

// Returns the box for a picture of a joint: half of each bone that meets there.
Result<Bounds> box_of_joint(const Figure& figure, const std::string& name) {
  const Skeleton& skeleton = figure.character->skeleton;
  const std::optional<std::uint32_t> joint = skeleton.find(name);
  if (!joint) return tl::unexpected(unknown_name("joint", "joints", name, skeleton.joints, &Joint::name));
  const std::vector<glm::mat4>& joints = figure.frames.back().pose.joints;
  const auto position = [&](std::uint32_t of) { return glm::vec3(joints[of][3]); };
  float radius = 0.04f * glm::length(figure.bounds.size());
  for (std::uint32_t other = 0; other < skeleton.joints.size(); ++other) {
    const bool meets = skeleton.joints[other].parent == static_cast<std::int32_t>(*joint) ||
                       skeleton.joints[*joint].parent == static_cast<std::int32_t>(other);
    if (meets) radius = std::max(radius, 0.5f * glm::distance(position(other), position(*joint)));
  }
  Bounds box;
  box.add(position(*joint) - radius);
  box.add(position(*joint) + radius);
  return box;
}

// The textures of models, by file.
using Textures = std::map<std::string, std::shared_ptr<MaterialTextures>>;

Result<Textures> load_textures(const RenderCommand& command, std::span<const Panel> panels,
                               const runtime::Device& device, std::vector<std::string>& notes) {
  Textures textures;
  for (const Panel& panel : panels) {
    for (const Figure& figure : panel.figures) {
      if (figure.textured_by.empty() || textures.contains(figure.textured_by)) continue;
      PELT_ASSIGN(const auto model, import_model(figure.textured_by, nullptr, command.binding.files));
      if (model.materials.size() != figure.character->materials.size()) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("{}: has {} materials, but the character has {}: it was not bound from this model",
                                figure.textured_by, model.materials.size(), figure.character->materials.size()));
      }
      PELT_ASSIGN(textures[figure.textured_by], make_textures(device, model, notes));
    }
  }
  return textures;
}

struct Picture {
  Image image;
  std::vector<std::string> notes;
  double difference = 0;  // between GPU and CPU, the largest over the figures
};

// Draws a panel, and raises `difference` to its own.
Result<Image> draw_panel(const RenderCommand& command, const Panel& panel, const Textures& textures,
                         const Camera& camera, float ground, const runtime::Device& device, Renderer& renderer,
                         double& difference) {
  std::vector<runtime::GpuCharacters> uploaded;
  std::vector<runtime::Crowd> crowds;
  uploaded.reserve(panel.figures.size());
  crowds.reserve(panel.figures.size());
  Scene scene{.camera = camera, .ground = command.frame.empty(), .ground_height = ground};
  for (const Figure& figure : panel.figures) {
    PELT_ASSIGN(auto character, runtime::upload(device, figure.character));
    uploaded.push_back(std::move(character));
    PELT_ASSIGN(auto crowd, runtime::Crowd::create(device, uploaded.back(), {.outputs = {.control_meshes = true}}));
    crowds.push_back(std::move(crowd));
    for (const TimedPose& frame : figure.frames) {
      pose(crowds.back(), frame);
      if (&frame != &figure.frames.back()) PELT_TRY(runtime::run(device, crowds.back()));
    }
    DrawItem item;
    item.crowd = &crowds.back();
    item.character = &figure.character;
    item.bounds = figure.bounds;
    const auto textured = textures.find(figure.textured_by);
    item.textures = textured == textures.end() ? nullptr : textured->second.get();
    item.wire = command.wire;
    item.control_meshes = command.driver;
    if (&figure == &panel.figures.front()) item.weights = panel.view.values;
    scene.items.push_back(item);
  }
  PELT_ASSIGN(auto image, renderer.render(scene));
  for (std::size_t f = 0; f < panel.figures.size(); ++f) {
    const Figure& figure = panel.figures[f];
    PELT_ASSIGN(const auto found, difference_from_cpu(device, crowds[f], figure.character, figure.frames));
    difference = std::max(difference, found);
  }
  return image;
}

Result<Picture> draw(const RenderCommand& command, const std::vector<Panel>& panels, const runtime::Device& device) {
  Picture picture;
  PELT_ASSIGN(const auto textures, load_textures(command, panels, device, picture.notes));

  // Use one camera for all panels.
  Bounds shown;
  for (const Panel& panel : panels) {
    for (const Figure& figure : panel.figures) shown.add(figure.bounds);
  }
  const float ground = shown.low.y - 2e-4f * glm::length(shown.size());  // not in a flat skin
  if (const Bounds& differs = panels.back().differs; !differs.empty()) {
    const float radius = std::max(0.07f * glm::length(shown.size()), 0.6f * glm::length(differs.size()));
    shown = {differs.center() - radius, differs.center() + radius};
  } else if (!command.frame.empty()) {
    PELT_ASSIGN(shown, within(command.file, box_of_joint(panels.back().figures.front(), command.frame)));
  }
  const bool captions = panels.size() > 1;
  if (captions) shown.low.y -= 0.1f * shown.size().y;  // room for the caption
  const auto count = static_cast<std::uint32_t>(panels.size());
  std::vector<std::uint32_t> columns;
  for (std::uint32_t p = 0; p <= count; ++p) columns.push_back(command.width * p / count);
  const View view{.yaw = glm::radians(command.yaw.value_or(25)), .pitch = glm::radians(command.pitch)};
  const std::uint32_t widest = (command.width + count - 1) / count;
  const float aspect = static_cast<float>(widest) / static_cast<float>(command.height);
  const Camera camera = frame_camera({&shown, 1}, aspect, view);
  PELT_ASSIGN(auto renderer, Renderer::create(device, {.width = widest, .height = command.height}));

  picture.image = {.width = command.width, .height = command.height, .pixels = {}};
  picture.image.pixels.resize(std::size_t{4} * command.width * command.height);
  for (std::uint32_t p = 0; p < count; ++p) {
    PELT_ASSIGN(const auto image,
                draw_panel(command, panels[p], textures, camera, ground, device, renderer, picture.difference));
    for (std::uint32_t y = 0; y < command.height; ++y) {
      std::copy_n(&image.pixels[std::size_t{4} * y * widest], std::size_t{4} * (columns[p + 1] - columns[p]),
                  &picture.image.pixels[std::size_t{4} * (std::size_t{y} * command.width + columns[p])]);
    }
  }
  if (captions) draw_captions(picture.image, panels, columns);
  if (const BindView& colours = panels.back().view; !colours.values.empty()) {
    draw_legend(picture.image, colours.least, colours.most, colours.first);
  }
  return picture;
}

}  // namespace

Result<void> run(RenderCommand command) {
  PELT_ASSIGN(const auto panels, make_panels(command));
  note_end(panels.back().figures.front().duration, command.time);
  Picture picture;
  PELT_TRY(with_device(command.gpu, [&](const runtime::Device& device) -> Result<void> {
    PELT_ASSIGN(picture, draw(command, panels, device));
    return {};
  }));
  for (const std::string& note : picture.notes) fmt::print("note: {}\n", note);
  PELT_TRY(write_png(command.output, picture.image));
  fmt::print("wrote {}: {} x {}; GPU and CPU differ by at most {:.1e} of the character's size\n", command.output,
             picture.image.width, picture.image.height, picture.difference);
  return {};
}

}  // namespace pelt::samples
