// SPDX-License-Identifier: MIT
#include "samples/viewer/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <pelt/evaluate.h>
#include <pelt/finite.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/pose.h>
#include <pelt/tools/curve_offset_pointer.h>
#include <pelt/tools/index_ranges.h>
#include <pelt/tools/inspect.h>

#include "samples/pelt/element_weights.h"
#include "samples/viewer/surface_net.h"

namespace pelt::viewer {
namespace {

// Lengths as fractions of the character's size.
constexpr float kAxisLength = 0.045f;
constexpr float kFrameLength = 0.008f;
constexpr float kNormalLength = 0.008f;
constexpr float kSamePlace = 1e-4f;

constexpr std::size_t kMaxFrames = 1500;
constexpr std::size_t kMaxNormals = 20000;
constexpr std::size_t kMaxCageDots = 5000;
constexpr float kMinShown = 0.002f;  // least weight of an influence that is drawn

constexpr glm::vec4 kBone(0.02f, 0.14f, 0.70f, 1.0f);
constexpr glm::vec4 kCurve(0.0f, 0.38f, 0.30f, 1.0f);
constexpr glm::vec4 kChain(0.30f, 0.02f, 0.70f, 1.0f);
constexpr glm::vec4 kPoint(0.65f, 0.05f, 0.95f, 1.0f);
constexpr glm::vec4 kAnchor(0.0f, 0.60f, 0.48f, 1.0f);
constexpr glm::vec4 kUnseen(0.0f);  // vertices of a driver, which its lines already show
constexpr glm::vec4 kNormal(0.02f, 0.35f, 0.95f, 0.9f);
// Distinct for the colour-blind (Okabe & Ito 2008), and from selected points.
constexpr std::array kNets{glm::vec3(0.0f, 0.17f, 0.45f), glm::vec3(0.0f, 0.34f, 0.17f), glm::vec3(0.36f, 0.03f, 0.30f),
                           glm::vec3(0.09f, 0.46f, 0.81f), glm::vec3(0.87f, 0.78f, 0.05f)};
constexpr glm::vec4 kAttached(1.0f, 1.0f, 1.0f, 1.0f);
constexpr glm::vec3 kInfluence(0.85f, 0.0f, 0.40f);

constexpr glm::vec4 kSelected(kSelectedColor, 1.0f);

// Returns n so that every n-th of `count` leaves at most `most`.
std::size_t stride(std::size_t count, std::size_t most) { return count / (most + 1) + 1; }

class Drawing {
 public:
  Drawing(Stage& stage, const Actor& actor, const Rig& rig, const ViewState& state)
      : actor_(actor),
        data_(*actor.character),
        rig_(rig),
        state_(state),
        evaluator_(stage.evaluated(actor)),
        world_(actor.worlds.front()),
        size_(actor.character.size() > 0 ? actor.character.size() : 1.0f) {}

  Overlay draw() {
    const Shown& shown = state_.shown;
    if (shown.normals) draw_normals();
    if (shown.drivers) draw_drivers();
    if (shown.control_nets || state_.surfaces.points) draw_nets();
    if (shown.frames) draw_frames();
    if (shown.curves) draw_curves();
    if (shown.control_points) draw_control_points();
    if (shown.skeleton) draw_skeleton();
    if (!state_.selection.mesh.empty()) draw_vertex();
    return std::move(overlay_);
  }

 private:
  glm::vec3 to_world(glm::vec3 point) const { return {world_ * glm::vec4(point, 1.0f)}; }

  const std::vector<PosedEntry>& elements() {
    if (elements_.empty()) elements_ = posed_entries(actor_.character, evaluator_, actor_.pose.joints);
    return elements_;
  }

  // Draws a line; points are in model space.
  void line(glm::vec3 from, glm::vec3 to, glm::vec4 color, float width, bool through) {
    if (is_finite(from) && is_finite(to))
      overlay_.lines.push_back({to_world(from), to_world(to), color, width, through});
  }

  void dot(glm::vec3 at, glm::vec4 color, float width, bool through) {
    if (is_finite(at)) overlay_.dots.push_back({to_world(at), color, width, through});
  }

  void axes(const Affine& frame, float length, float width) {
    const glm::vec3 origin = affine_origin(frame);
    for (int k = 0; k < 3; ++k) {
      const glm::vec3 axis = normalize_or(affine_axes(frame)[k], glm::vec3(0.0f));
      line(origin, origin + length * axis, glm::vec4(kAxisColors[k], 1.0f), width, true);
    }
  }

  // Adds a selectable dot, posed by `frame`; its from_rig leads to model space. `color`: of a dot that is not selected;
  // kUnseen: only a selected one is drawn.
  void handle(Handle handle, const Affine& frame, glm::vec4 color, float width) {
    const int known = names_[handle.name]++;
    if (known > 0) handle.name += fmt::format(" #{}", known + 1);
    const glm::vec3 at = affine_origin(frame);
    if (!is_finite(at)) return;
    handle.position = to_world(at);
    handle.from_rig = glm::mat3(world_) * handle.from_rig;
    handle.motion = glm::mat3(world_) * handle.motion;
    const bool active = state_.selection.point == handle.name;
    const bool selected = state_.selection.has(handle.name);
    overlay_.handles.push_back(std::move(handle));
    if (selected || color != kUnseen) dot(at, selected ? kSelected : color, selected ? 1.6f * width : width, true);
    if (active) axes(frame, kAxisLength * size_, 2.0f);
  }

  // Draws a diamond from joint to joint, widest near the upper joint.
  void bone(glm::vec3 from, glm::vec3 to, glm::vec4 color, float width) {
    const float length = glm::distance(from, to);
    if (!(length > 1e-4f * size_)) return;
    const glm::vec3 along = (to - from) / length;
    const glm::vec3 other = std::abs(along.y) < 0.8f ? glm::vec3(0, 1, 0) : glm::vec3(1, 0, 0);
    const float half = std::min(0.07f * length, 0.012f * size_);
    const glm::vec3 side = half * glm::normalize(glm::cross(along, other));
    const glm::vec3 up = half * glm::normalize(glm::cross(side, along));
    const glm::vec3 middle = from + 0.14f * length * along;
    const std::array<glm::vec3, 4> ring{middle + side, middle + up, middle - side, middle - up};
    for (std::size_t k = 0; k < ring.size(); ++k) {
      line(from, ring[k], color, width, true);
      line(ring[k], ring[(k + 1) % ring.size()], color, width, true);
      line(ring[k], to, color, width, true);
    }
  }

  // Returns true if the model's weights use a joint: a root on the ground is not a bone of the body.
  bool moves_skin(std::size_t joint) const {
    return std::ranges::any_of(data_.meshes, [&](const CharacterMesh& mesh) {
      return mesh.painted && std::ranges::any_of(mesh.painted->influences, [&](std::uint32_t word) {
               return word >> 16 != 0 && data_.bound_joints[mesh.painted->first_joint + (word & 0xFFFF)].joint == joint;
             });
    });
  }

  void draw_skeleton() {
    const Skeleton& skeleton = data_.skeleton;
    const std::vector<glm::mat4>& joints = actor_.pose.joints;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const std::int32_t parent = skeleton.joints[j].parent;
      const bool selected = skeleton.joints[j].name == state_.selection.joint;
      dot(glm::vec3(joints[j][3]), selected ? kSelected : kBone, selected ? 10.0f : 6.0f, true);
      if (selected) axes(affine_from_mat4(joints[j]), kAxisLength * size_, 2.5f);
      if (parent < 0) continue;
      const auto above = static_cast<std::size_t>(parent);
      const bool leaves = skeleton.joints[above].name == state_.selection.joint;
      if (skeleton.joints[above].parent < 0 && !moves_skin(above)) continue;
      bone(glm::vec3(joints[above][3]), glm::vec3(joints[j][3]), leaves ? kSelected : kBone, leaves ? 2.6f : 2.0f);
    }
  }

  void draw_curves() {
    for (const EntryLine& drawn : entry_lines(data_)) {
      const glm::vec4 color = drawn.kind == EntryKind::kCurveSample ? kCurve : kChain;
      for (std::size_t k = 1; k < drawn.entries.size(); ++k) {
        line(affine_origin(elements()[drawn.entries[k - 1]].frame), affine_origin(elements()[drawn.entries[k]].frame),
             color, 3.0f, true);
      }
    }
    std::map<std::uint32_t, std::vector<PosedHandle>> curves;
    for (const PosedHandle& handle : posed_handles(data_, actor_.pose.joints, actor_.pose.inputs)) {
      if (handle.kind == EntryKind::kCurveSample) curves[handle.line].push_back(handle);
    }
    std::vector<PosedHandle> drawn;  // curves share anchors
    for (const auto& [number, anchors] : curves) {
      std::vector<std::string> joints;
      for (const PosedHandle& anchor : anchors) joints.push_back(data_.skeleton.joints[anchor.joint].name);
      const auto [tips, end] = std::ranges::unique(joints);  // a tip moves with the joint next to it
      joints.erase(tips, end);
      const std::string place = curve_offset_pointer(rig_, joints);
      for (const PosedHandle& anchor : anchors) {
        const glm::vec3 at = affine_origin(anchor.frame);
        const bool known = std::ranges::any_of(drawn, [&](const PosedHandle& other) {
          return other.joint == anchor.joint && glm::distance(affine_origin(other.frame), at) < kSamePlace * size_;
        });
        if (known) continue;
        drawn.push_back(anchor);
        Handle made{.name = "anchor " + data_.skeleton.joints[anchor.joint].name, .from_rig = motion_of(anchor.joint)};
        if (!place.empty()) {
          made.kind = HandleKind::kOffset;
          made.places = {place};
        }
        handle(std::move(made), frame_at(anchor.joint, at), kAnchor, 6.0f);
      }
    }
  }

  // Returns the joint's axes at another position.
  Affine frame_at(std::uint32_t joint, glm::vec3 at) const {
    return affine_from_axes(affine_axes(affine_from_mat4(actor_.pose.joints[joint])), at);
  }

  // Returns the motion of a joint from bind to its pose.
  glm::mat3 motion_of(std::uint32_t joint) {
    return glm::mat3(actor_.pose.joints[joint]) * glm::inverse(axes_at_bind(joint));
  }

  glm::mat3 axes_at_bind(std::uint32_t joint) {
    const auto bound = std::ranges::find(data_.bound_joints, joint, &BoundJoint::joint);
    if (bound != data_.bound_joints.end()) return glm::inverse(glm::mat3(bound->inverse_bind));
    if (rest_.empty()) {
      rest_.resize(data_.skeleton.joints.size());
      rest_matrices(data_.skeleton, rest_);
    }
    return glm::mat3(rest_[joint]);
  }

  void draw_control_points() {
    const std::vector<PointReport>& reports = actor_.report.points;
    std::vector<bool> taken(reports.size(), false);
    std::size_t next = 0;  // the report has the order of the tables, except for points that move nothing
    for (const PosedHandle& point : posed_handles(data_, actor_.pose.joints, actor_.pose.inputs)) {
      if (point.kind != EntryKind::kControlPoint) continue;
      Handle made{.name = "point " + data_.skeleton.joints[point.joint].name};
      for (std::size_t k = 0; k < reports.size(); ++k) {
        const std::size_t r = (next + k) % reports.size();
        // Two points may have the same joint and position.
        if (taken[r] || reports[r].joint != point.joint || reports[r].rest != point.rest) continue;
        place_point(reports[r], made);
        taken[r] = true;
        next = r + 1;
        break;
      }
      handle(std::move(made), point.frame, kPoint, 6.0f);
      axes(point.frame, kFrameLength * size_, 1.2f);
    }
  }

  // Fills in the point's location in the rig, by the layer that bound it, if that still exists.
  void place_point(const PointReport& point, Handle& handle) {
    if (point.layer >= rig_.layers.size()) return;
    handle.places = {fmt::format("/layers/{}/parameters{}", point.layer, point.place)};
    if (point.listed) {
      handle.kind = HandleKind::kOffset;
      handle.from_rig = motion_of(point.joint);
    } else {
      handle.kind = HandleKind::kPointEdit;
      handle.point = point.name;
      // Edits use the joint's axes without the lengths that its scale gives them.
      const glm::mat3 at_bind = axes_at_bind(point.joint);
      handle.from_rig = glm::mat3(actor_.pose.joints[point.joint]);
      for (int k = 0; k < 3; ++k) handle.from_rig[k] /= glm::length(at_bind[k]);
    }
    if (!point.name.empty()) handle.name = point.name;
  }

  void draw_drivers() {
    const std::span<const glm::vec3> positions = evaluator_.positions();
    std::size_t count = 0;
    for (const CharacterMesh& mesh : data_.meshes) count += mesh.control ? mesh.vertex_count() : 0;
    const std::size_t step = stride(count, kMaxCageDots);
    for (const CharacterMesh& mesh : data_.meshes) {
      if (mesh.deformer == HierarchicalBsplineParameters::kName) continue;  // draw_nets
      const std::vector<std::string> places = driver_places(mesh.name);
      for (std::uint32_t v = 0; mesh.control && v < mesh.vertex_count(); ++v) {
        Handle made{.name = fmt::format("{} {}", mesh.name, mesh.source_vertex[v])};
        const bool selected = state_.selection.has(made.name);
        if (v % step != 0 && !selected) continue;
        if (selected) {
          made.kind = places.empty() ? HandleKind::kFixed : HandleKind::kVertexOffset;
          made.places = places;
          made.vertex = mesh.source_vertex[v];
          made.from_rig = vertex_motion(mesh, evaluator_, v);
        }
        handle(made, affine_from_axes(made.from_rig, positions[mesh.first_vertex + v]), kUnseen, 3.5f);
      }
    }
  }

  void draw_nets() {
    for (const Net& net : nets_of(data_, actor_.report, rig_)) {
      const auto& parameters = rig_.layers[net.layer].deformer.get<HierarchicalBsplineParameters>();
      for (const NetLevel& level : net.levels) draw_level(net, level, parameters);
    }
  }

  // Draws a level's net; vertices of the chosen level can be selected.
  void draw_level(const Net& net, const NetLevel& level, const HierarchicalBsplineParameters& parameters) {
    const std::vector<glm::vec3> posed = samples::shifted_positions(data_, *level.mesh, evaluator_.positions());
    std::map<std::uint32_t, std::size_t> index;  // by number
    for (std::size_t k = 0; k < posed.size(); ++k) index.emplace(level.vertices[k].number, k);
    const bool chosen = level.level == state_.surfaces.level;
    const glm::vec4 color(net_color(level.level), chosen ? 1.0f : 0.85f);
    const bool seen = state_.shown.control_nets;
    for (const auto& [from, to] : net.surface.grids[level.level].edges) {
      if (seen) line(posed[index.at(from)], posed[index.at(to)], color, chosen ? 2.4f : 1.4f, chosen);
    }
    const std::size_t step = stride(posed.size(), kMaxCageDots);
    for (std::size_t k = 0; chosen && k < posed.size(); ++k) {
      const bool is_drawn = seen && k % step == 0;
      const Affine frame = affine_from_axes(glm::mat3(1.0f), posed[k]);
      handle(net_handle(net, level, k), frame, is_drawn ? color : kUnseen, 6.0f);
      if (is_drawn && is_attached(parameters, level.vertices[k])) dot(posed[k], kAttached, 2.5f, true);
    }
  }

  static bool is_attached(const HierarchicalBsplineParameters& parameters,
                          const hierarchical_bspline::SurfaceVertex& vertex) {
    if (vertex.level >= parameters.levels.size()) return false;
    return std::ranges::any_of(parameters.levels[vertex.level].attach, [&](const SurfaceAttachment& attachment) {
      return contains(attachment.vertices, vertex.number);
    });
  }

  Handle net_handle(const Net& net, const NetLevel& level, std::size_t k) const {
    const hierarchical_bspline::SurfaceVertex& vertex = level.vertices[k];
    Handle made{.name = net_vertex_name(level.mesh->name, vertex.number)};
    made.surface = {net.layer, vertex.level, vertex.number};
    made.kind = HandleKind::kVertexOffset;
    made.vertex = vertex.number;
    const std::string place = fmt::format("/layers/{}/parameters", net.layer);
    const bool fit = state_.surfaces.fit;
    made.places = {fmt::format("{}/levels/{}/{}", place, vertex.level, fit ? "offsets" : "moves")};
    if (fit && vertex.level == 0) {
      made.kind = HandleKind::kOffset;
      made.places = {fmt::format("{}/control/{}", place, vertex.number)};
    }
    const std::optional<std::uint32_t> packed = packed_vertex(*level.mesh, static_cast<std::uint32_t>(k));
    if (packed) made.motion = vertex_motion(*level.mesh, evaluator_, *packed);
    made.instance_vertex = level.mesh->first_vertex + packed.value_or(0);
    made.from_rig = made.motion * vertex.axes;
    made.rest = vertex.rest;
    made.element = net_vertex_name(level.mesh->name, static_cast<std::uint32_t>(k));
    return made;
  }

  std::vector<glm::vec3> in_source_order(const CharacterMesh& mesh) const {
    std::vector<glm::vec3> positions(mesh.vertex_count());
    to_source_order<glm::vec3>(mesh, evaluator_.positions(), positions);
    return positions;
  }

  // Returns the driver's offsets in every layer that it drives; none if it is streamed.
  std::vector<std::string> driver_places(const std::string& mesh) const {
    std::vector<std::string> places;
    if (data_.find_stream(mesh)) return places;
    for (const MeshReport& report : actor_.report.meshes) {
      for (const std::uint32_t layer : report.drives) {
        if (report.mesh == mesh) places.push_back(fmt::format("/layers/{}/parameters/driver/offsets", layer));
      }
    }
    return places;
  }

  void draw_frames() {
    std::size_t count = 0;
    for (const PosedEntry& element : elements()) count += has_frame(element.kind) ? 1 : 0;
    const std::size_t step = stride(count, kMaxFrames);
    std::size_t number = 0;
    for (const PosedEntry& element : elements()) {
      if (!has_frame(element.kind) || number++ % step != 0) continue;
      axes(element.frame, (element.kind == EntryKind::kJoint ? 4.0f : 1.0f) * kFrameLength * size_, 1.2f);
    }
  }

  void draw_normals() {
    std::size_t count = 0;
    for (const CharacterMesh& mesh : data_.meshes) count += mesh.control ? 0 : mesh.vertex_count();
    const std::size_t step = stride(count, kMaxNormals);
    for (const CharacterMesh& mesh : data_.meshes) {
      for (std::size_t v = 0; !mesh.control && v < mesh.vertex_count(); v += step) {
        const glm::vec3 at = evaluator_.positions()[mesh.first_vertex + v];
        line(at, at + kNormalLength * size_ * evaluator_.normals()[mesh.first_vertex + v], kNormal, 1.0f, false);
      }
    }
  }

  // Draws the selected vertex, its normal, and its influences.
  void draw_vertex() {
    const CharacterMesh* mesh = find_mesh(data_, state_.selection.mesh);
    const std::optional<std::uint32_t> packed =
        mesh == nullptr ? std::nullopt : packed_vertex(*mesh, state_.selection.vertex);
    if (!packed) return;
    const glm::vec3 at = evaluator_.positions()[mesh->first_vertex + *packed];
    const std::vector<VertexInfluence> row = influences_of(*mesh, *packed);
    const float most = row.empty() ? 1.0f : std::max(std::abs(row.front().weight), 1e-6f);
    for (const VertexInfluence& influence : row) {
      if (!state_.shown.influences || std::abs(influence.weight) < kMinShown) continue;
      const PosedEntry& element = elements()[influence.entry];
      if (!has_frame(element.kind)) continue;
      const float share = std::abs(influence.weight) / most;
      const glm::vec3 there = affine_origin(element.frame);
      const glm::vec3 color = influence.weight < 0 ? glm::vec3(0.2f, 0.4f, 1.0f) : kInfluence;
      line(at, there, glm::vec4(color, 0.25f + 0.75f * share), 1.0f + 3.0f * share, true);
      dot(there, glm::vec4(color, 0.3f + 0.7f * share), 3.0f + 4.0f * share, true);
    }
    line(at, at + 2.5f * kNormalLength * size_ * evaluator_.normals()[mesh->first_vertex + *packed], kNormal, 2.0f,
         true);
    dot(at, kSelected, 8.0f, true);
  }

  const Actor& actor_;
  const CharacterData& data_;
  const Rig& rig_;
  const ViewState& state_;
  const Evaluator& evaluator_;
  glm::mat4 world_;
  float size_;  // metres
  std::vector<PosedEntry> elements_;
  std::vector<glm::mat4> rest_;
  std::map<std::string, int> names_;
  Overlay overlay_;
};

}  // namespace

const Handle* Overlay::find(std::string_view name) const {
  const auto found = std::ranges::find(handles, name, &Handle::name);
  return found == handles.end() ? nullptr : &*found;
}

std::vector<Handle> Overlay::selected(const Selection& selection) const {
  std::vector<Handle> selected;
  for (const Handle& handle : handles) {
    if (!selection.has(handle.name)) continue;
    selected.insert(handle.name == selection.point ? selected.begin() : selected.end(), handle);
  }
  return selected;
}

glm::vec3 net_color(std::uint32_t level) { return kNets[level % kNets.size()]; }

Overlay make_overlay(Stage& stage, const Actor& actor, const Rig& rig, const ViewState& state) {
  return Drawing(stage, actor, rig, state).draw();
}

}  // namespace pelt::viewer
