// SPDX-License-Identifier: MIT
#include "samples/viewer/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "engine/core/finite.h"
#include "engine/model/pose.h"
#include "samples/viewer/elements.h"

namespace pelt::viewer {
namespace {

// Of the character's size.
constexpr float kAxisLength = 0.045f;
constexpr float kFrameLength = 0.008f;
constexpr float kNormalLength = 0.008f;
constexpr float kSamePlace = 1e-4f;

constexpr std::size_t kMostFrames = 1500;
constexpr std::size_t kMostNormals = 20000;
constexpr std::size_t kMostCageDots = 5000;
constexpr float kLeastShown = 0.002f;  // weight of an influence

constexpr glm::vec4 kBone(0.02f, 0.14f, 0.70f, 1.0f);
constexpr glm::vec4 kCurve(0.0f, 0.38f, 0.30f, 1.0f);
constexpr glm::vec4 kChain(0.30f, 0.02f, 0.70f, 1.0f);
constexpr glm::vec4 kPoint(0.65f, 0.05f, 0.95f, 1.0f);
constexpr glm::vec4 kAnchor(0.0f, 0.60f, 0.48f, 1.0f);
constexpr glm::vec4 kUnseen(0.0f);  // of a cage's vertices, whose lines show them
constexpr glm::vec4 kNormal(0.02f, 0.35f, 0.95f, 0.9f);
constexpr glm::vec3 kInfluence(0.85f, 0.0f, 0.40f);

constexpr glm::vec4 kSelected(kSelectedColor, 1.0f);

// Every n-th of `count`, so that at most `most` remain.
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
    if (shown.frames) draw_frames();
    if (shown.curves) draw_curves();
    if (shown.control_points) draw_control_points();
    if (shown.skeleton) draw_skeleton();
    if (!state_.selection.mesh.empty()) draw_vertex();
    return std::move(overlay_);
  }

 private:
  glm::vec3 to_world(glm::vec3 point) const { return {world_ * glm::vec4(point, 1.0f)}; }

  const std::vector<Element>& elements() {
    if (elements_.empty()) elements_ = posed_elements(actor_.character, evaluator_, actor_.pose);
    return elements_;
  }

  // Points in model space.
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

  // A dot that can be selected. `color`: where it is not; kUnseen: none there.
  void handle(const std::string& name, const Affine& frame, const glm::mat3& from_bind, const std::string& pointer,
              glm::vec4 color, float width) {
    const int known = names_[name]++;
    const std::string unique = known == 0 ? name : fmt::format("{} #{}", name, known + 1);
    const glm::vec3 at = affine_origin(frame);
    if (!is_finite(at)) return;
    glm::mat3 own = glm::mat3(world_) * affine_axes(frame);
    for (int k = 0; k < 3; ++k) own[k] = normalize_or(own[k], glm::mat3(1.0f)[k]);
    overlay_.handles.push_back({unique, to_world(at), own, glm::mat3(world_) * from_bind, pointer});
    const bool selected = state_.selection.point == unique;
    if (selected || color != kUnseen) dot(at, selected ? kSelected : color, selected ? 1.6f * width : width, true);
    if (selected) axes(frame, kAxisLength * size_, 2.0f);
  }

  // A diamond from joint to joint, its widest place near the upper one.
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

  // Whether the model's weights use a joint: a root on the ground is no bone of the body.
  bool moves_skin(std::size_t joint) const {
    return std::ranges::any_of(data_.meshes, [&](const CharacterMesh& mesh) {
      return std::ranges::any_of(mesh.weights.influences, [&](const Influence& own) {
        return own.weight > 0 && data_.bound_joints[own.index].joint == joint;
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
      if (skeleton.joints[above].parent < 0 && !moves_skin(above)) {
        line(glm::vec3(joints[above][3]), glm::vec3(joints[j][3]), glm::vec4(glm::vec3(kBone), 0.5f), 1.2f, true);
        continue;
      }
      bone(glm::vec3(joints[above][3]), glm::vec3(joints[j][3]), leaves ? kSelected : kBone, leaves ? 2.6f : 2.0f);
    }
  }

  void draw_curves() {
    for (const ElementLine& own : element_lines(data_)) {
      const glm::vec4 color = own.kind == ElementKind::kCurveSample ? kCurve : kChain;
      for (std::size_t k = 1; k < own.slots.size(); ++k) {
        line(affine_origin(elements()[own.slots[k - 1]].frame), affine_origin(elements()[own.slots[k]].frame), color,
             3.0f, true);
      }
    }
    std::map<std::uint32_t, std::vector<CurveAnchor>> curves;
    for (const CurveAnchor& anchor : posed_curve_anchors(data_, actor_.pose)) curves[anchor.curve].push_back(anchor);
    std::vector<CurveAnchor> drawn;  // curves share anchors
    for (const auto& [number, anchors] : curves) {
      const std::string pointer = curve_pointer(anchors);
      for (const CurveAnchor& anchor : anchors) {
        const bool known = std::ranges::any_of(drawn, [&](const CurveAnchor& other) {
          return other.joint == anchor.joint && glm::distance(other.position, anchor.position) < kSamePlace * size_;
        });
        if (known) continue;
        drawn.push_back(anchor);
        handle("anchor " + data_.skeleton.joints[anchor.joint].name, frame_at(anchor.joint, anchor.position),
               motion_of(anchor.joint), pointer, kAnchor, 6.0f);
      }
    }
  }

  // The joint's axes at another place.
  Affine frame_at(std::uint32_t joint, glm::vec3 at) const {
    return affine_from_axes(affine_axes(affine_from_mat4(actor_.pose.joints[joint])), at);
  }

  // Of a joint, from bind to its pose.
  glm::mat3 motion_of(std::uint32_t joint) const {
    const auto bound = std::ranges::find(data_.bound_joints, joint, &BoundJoint::joint);
    if (bound == data_.bound_joints.end()) return glm::mat3(1.0f);
    return glm::mat3(actor_.pose.joints[joint] * bound->inverse_bind);
  }

  // The offset of the curve that the rig names over these joints.
  std::string curve_pointer(const std::vector<CurveAnchor>& anchors) const {
    for (std::size_t l = 0; l < rig_.layers.size(); ++l) {
      const auto* own = std::get_if<CurveSkeletonParameters>(&rig_.layers[l].deformer);
      for (std::size_t c = 0; own != nullptr && c < own->curves.size(); ++c) {
        const bool same = std::ranges::equal(own->curves[c].joints, anchors,
                                             [this](const std::string& name, const CurveAnchor& anchor) {
                                               return name == data_.skeleton.joints[anchor.joint].name;
                                             });
        if (same) return fmt::format("/layers/{}/parameters/curves/{}/offset", l, c);
      }
    }
    return {};
  }

  void draw_control_points() {
    for (const ControlPoint& point : posed_control_points(data_, actor_.pose)) {
      std::string name = "point " + data_.skeleton.joints[point.joint].name;
      const std::string pointer = point_pointer(point, name);
      handle(name, point.frame, motion_of(point.joint), pointer, kPoint, 6.0f);
      axes(point.frame, kFrameLength * size_, 1.2f);
    }
  }

  // The offset of the point that the rig gives there. `name`: replaced where the rig gives a name.
  std::string point_pointer(const ControlPoint& point, std::string& name) {
    for (std::size_t l = 0; l < rig_.layers.size(); ++l) {
      const auto* own = std::get_if<MosParameters>(&rig_.layers[l].deformer);
      for (std::size_t c = 0; own != nullptr && c < own->chains.size(); ++c) {
        const std::vector<MosPoint>& points = own->chains[c].points;
        for (std::size_t p = 0; p < points.size(); ++p) {
          if (points[p].joint != data_.skeleton.joints[point.joint].name) continue;
          const glm::vec3 rest = joint_at_bind(point.joint) + points[p].offset;
          if (!(glm::distance(rest, point.rest) < kSamePlace * size_)) continue;
          if (!points[p].name.empty()) name = points[p].name;
          return fmt::format("/layers/{}/parameters/chains/{}/points/{}/offset", l, c, p);
        }
      }
    }
    return {};
  }

  glm::vec3 joint_at_bind(std::uint32_t joint) {
    const auto bound = std::ranges::find(data_.bound_joints, joint, &BoundJoint::joint);
    if (bound != data_.bound_joints.end()) return glm::vec3(glm::inverse(bound->inverse_bind)[3]);
    if (rest_.empty()) {
      rest_.resize(data_.skeleton.joints.size());
      rest_matrices(data_.skeleton, rest_);
    }
    return glm::vec3(rest_[joint][3]);
  }

  void draw_drivers() {
    const std::span<const glm::vec3> positions = evaluator_.positions();
    std::size_t count = 0;
    for (const CharacterMesh& mesh : data_.meshes) count += mesh.control ? mesh.vertex_count() : 0;
    const std::size_t step = stride(count, kMostCageDots);
    for (const CharacterMesh& mesh : data_.meshes) {
      for (std::uint32_t v = 0; mesh.control && v < mesh.vertex_count(); ++v) {
        const std::string name = fmt::format("{} {}", mesh.name, mesh.source_vertex[v]);
        if (v % step != 0 && name != state_.selection.point) continue;
        const glm::mat3 turned =
            mesh.frame_slot ? affine_axes(evaluator_.palette()[*mesh.frame_slot + v]) : glm::mat3(1.0f);
        handle(name, affine_from_axes(turned, positions[mesh.first_vertex + v]), turned, {}, kUnseen, 3.5f);
      }
    }
  }

  void draw_frames() {
    std::size_t count = 0;
    for (const Element& element : elements()) count += element.kind != ElementKind::kNone ? 1 : 0;
    const std::size_t step = stride(count, kMostFrames);
    std::size_t number = 0;
    for (const Element& element : elements()) {
      if (element.kind == ElementKind::kNone || number++ % step != 0) continue;
      axes(element.frame, (element.kind == ElementKind::kJoint ? 4.0f : 1.0f) * kFrameLength * size_, 1.2f);
    }
  }

  void draw_normals() {
    std::size_t count = 0;
    for (const CharacterMesh& mesh : data_.meshes) count += mesh.control ? 0 : mesh.vertex_count();
    const std::size_t step = stride(count, kMostNormals);
    for (const CharacterMesh& mesh : data_.meshes) {
      for (std::size_t v = 0; !mesh.control && v < mesh.vertex_count(); v += step) {
        const glm::vec3 at = evaluator_.positions()[mesh.first_vertex + v];
        line(at, at + kNormalLength * size_ * evaluator_.normals()[mesh.first_vertex + v], kNormal, 1.0f, false);
      }
    }
  }

  // The selected vertex, its normal, and its influences.
  void draw_vertex() {
    const CharacterMesh* mesh = find_mesh(data_, state_.selection.mesh);
    const std::optional<std::uint32_t> packed =
        mesh == nullptr ? std::nullopt : packed_vertex(*mesh, state_.selection.vertex);
    if (!packed) return;
    const glm::vec3 at = evaluator_.positions()[mesh->first_vertex + *packed];
    const std::vector<VertexInfluence> row = influences_of(*mesh, *packed);
    const float most = row.empty() ? 1.0f : std::max(std::abs(row.front().weight), 1e-6f);
    for (const VertexInfluence& influence : row) {
      if (!state_.shown.influences || std::abs(influence.weight) < kLeastShown) continue;
      const Element& element = elements()[influence.slot];
      if (element.kind == ElementKind::kNone) continue;
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
  std::vector<Element> elements_;
  std::vector<glm::mat4> rest_;
  std::map<std::string, int> names_;
  Overlay overlay_;
};

}  // namespace

Overlay make_overlay(Stage& stage, const Actor& actor, const Rig& rig, const ViewState& state) {
  return Drawing(stage, actor, rig, state).draw();
}

}  // namespace pelt::viewer
