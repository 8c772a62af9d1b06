// SPDX-License-Identifier: MIT
#include <utility>

#include <pelt/rig_json.h>
#include <pelt/tools/file_io.h>
#include <pelt/try.h>
#include <pelt/typed_name.h>

#include "engine/authoring/rig/check_rig.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/authoring/rig/json_schema.h"
#include "engine/character/base/invalid.h"
#include "engine/character/model/helper_joint.h"

namespace pelt {
namespace {

using json_fields::OrderedJson;

constexpr std::string_view kFormat = "pelt-rig 1";
constexpr std::string_view kFormatFamily = "pelt-rig ";
constexpr Choice<PaintMode> kPaintModes[] = {
    {"auto", PaintMode::kAuto}, {"always", PaintMode::kAlways}, {"never", PaintMode::kNever}};

constexpr Choice<CheckMode> kCheckModes[] = {
    {"fallback", CheckMode::kFallback}, {"report", CheckMode::kReport}, {"none", CheckMode::kNone}};

}  // namespace

static void describe(Fields& fields, Layer& layer) {
  fields.about("layer", "A deformer for one mesh or all.");
  fields.name({"target", "Name of a mesh, or * for all meshes that no layer uses as its driver."}, layer.target,
              Names::kMeshOrAny);
  fields.deformer({.name = "deformer", .meaning = "The deformer's name.", .required = true},
                  {"parameters", "Parameters of the deformer."}, layer.deformer);
  fields.object({"mask", "How much of the layer shows."}, layer.mask);
  fields.number_or({"wires",
                    "Exponent m with which the layer combines with the layers below instead of hiding them, as in "
                    "Wires (Singh & Fiume 1998)."},
                   "none", layer.wires, {.least = 0, .most = 64});
}

static void describe(Fields& fields, Attachment& attachment) {
  fields.about("attachment", "A point that moves rigidly with a joint.");
  fields.text({.name = "joint", .meaning = "The joint.", .required = true}, attachment.joint, Names::kJoint);
  fields.vector({"offset", "Offset from the joint, metres, model space at bind."}, attachment.offset);
}

static void describe(Fields& fields, LinePoint& point) {
  fields.about("line_point", "A point that pulls a muscle's line aside.");
  fields.number({"at", "Position between the attachments, above 0 and below 1."}, point.at, kUnitInterval);
  fields.vector({"offset", "Offset from that position, metres, model space at bind."}, point.offset);
}

static void describe(Fields& fields, Muscle& muscle) {
  fields.about("muscle",
               "A mesh on an action line (Yang, Somasekharan & Zhang 2006): a control mesh that swells as the line "
               "shortens.");
  fields.name({.name = "name", .meaning = "The muscle's name, and its mesh's unless mesh is set.", .required = true},
              muscle.name);
  fields.object({.name = "from", .meaning = "Start of the line.", .required = true}, muscle.from);
  fields.object({.name = "to", .meaning = "End of the line.", .required = true}, muscle.to);
  fields.objects({"points", "Points that pull the line aside, in ascending order, at most 6; none: it is straight."},
                 muscle.points);
  fields.text({"mesh", "A mesh of the model, which is then no skin; none: a spindle round the line."}, muscle.mesh,
              Names::kMuscleMesh);
  fields.number({"radius", "Radius of the spindle in its middle, metres; must be above 0 without mesh."}, muscle.radius,
                kNotNegative);
  fields.number({"tendon", "Fraction of the line at either end that is thin and keeps its length."}, muscle.tendon,
                {.least = 0, .most = 0.4f});
  fields.integer({"resolution", "Quads round the spindle."}, muscle.resolution, {.least = 4, .most = 128});
  fields.number({"volume", "Fraction of its volume that the muscle keeps."}, muscle.volume, kUnitInterval);
  fields.number({"bulge", "Further swelling of the middle as it shortens."}, muscle.bulge, {.least = 0, .most = 2});
  fields.flag(
      {"wring", "Whether its section at the end turns with the joint there, up to half a turn, evenly along it."},
      muscle.wring);
}

static void describe(Fields& fields, ExtraJoint& joint) {
  fields.about("joint", "A joint that the model lacks, such as a handle of a face. It rests in its parent.");
  fields.name({.name = "name", .meaning = "Its name, for attachments.", .required = true}, joint.name);
  fields.text({.name = "parent", .meaning = "A joint of the model, or an earlier one of these.", .required = true},
              joint.parent, Names::kJoint);
  fields.vector({"offset", "From the parent, metres, model space at bind."}, joint.offset);
}

static void describe(Fields& fields, HelperTurn& turn) {
  fields.about("helper_joint",
               "A joint that turns by fractions of another joint's turn: half a hand's twist, half a knee's bend.");
  fields.text({.name = "joint", .meaning = "The helper joint. Its own animation is ignored.", .required = true},
              turn.joint, Names::kJoint);
  fields.text({.name = "source",
               .meaning = "The joint whose turn it follows. It must not be below the helper joint.",
               .required = true},
              turn.source, Names::kJoint);
  fields.vector({"axis", "Axis of the twist in the source's space, of any length; 0: along the source's bone."},
                turn.axis);
  fields.number({"twist", "Fraction of the twist about the axis."}, turn.twist,
                {.least = -kMaxTurnShare, .most = kMaxTurnShare});
  fields.number({"swing", "Fraction of the rest of the turn."}, turn.swing,
                {.least = -kMaxTurnShare, .most = kMaxTurnShare});
}

static void describe(Fields& fields, RigAnchor& anchor) {
  fields.about("anchor", "A named point of a skin, with a position and a frame in every pose.");
  fields.name({.name = "name", .meaning = "The anchor's name.", .required = true}, anchor.name);
  fields.text({"mesh", "The mesh of vertex and triangle; with near and node, none: any skin."}, anchor.mesh,
              Names::kMesh);
  fields.integer_or({"vertex", "A vertex of the mesh."}, "none", anchor.vertex, {.least = 0});
  fields.integer_or({"triangle", "A triangle of the mesh."}, "none", anchor.triangle, {.least = 0});
  fields.vector({"barycentric", "Shares of the triangle's corners, with the sum 1."}, anchor.barycentric,
                kUnitInterval);
  fields.vector_or({"near", "The nearest point of the skin to this position, metres, model space at bind."}, "none",
                   anchor.near);
  fields.text({"node", "The nearest point of the skin to this node's position at bind."}, anchor.node, Names::kJoint);
  const Given vertex{"vertex", anchor.vertex.has_value()}, triangle{"triangle", anchor.triangle.has_value()};
  fields.exactly_one({vertex, triangle, {"near", anchor.near.has_value()}, {"node", !anchor.node.empty()}},
                     "set exactly one of vertex, triangle, near and node");
  for (const Given& given : {vertex, triangle})
    fields.conflict("mesh", {given}, {{"mesh", !anchor.mesh.empty()}}, "vertex and triangle need a mesh");
}

// Describes a rig without its format.
static void describe(Fields& fields, Rig& rig) {
  fields.about("rig", "Assigns deformers to meshes. docs/rig_reference.md lists every key, docs/rig.md explains them.");
  fields.text({"name", "The rig's name, for display and reports."}, rig.name);
  fields.objects({"groups", "Named vertices and triangles, for masks, exclusions and refinements."}, rig.groups);
  fields.objects({"muscles", "Meshes on lines between joints. Layers name them as their driver."}, rig.muscles);
  fields.objects({"correctives", "Morph targets and offsets of skins that follow angles of joints."}, rig.correctives);
  fields.objects({"joints", "Joints that the model lacks, after its own."}, rig.joints);
  fields.objects({"helper_joints", "Joints that turn by fractions of other joints' turns."}, rig.helper_joints);
  // Left out without anchors, so that characters from older rigs keep their bytes.
  if (const Field anchors{"anchors", "Named points of skins."}; fields.is_there(anchors, !rig.anchors.empty()))
    fields.objects(anchors, rig.anchors);
  fields.objects(
      {.name = "layers",
       .meaning = "Stacked in order: where a layer's mask is 1, it hides those before it. Linear blend moves "
                  "a mesh that no layer names.",
       .required = true},
      rig.layers);
  fields.choice({"check",
                 "Whether bind poses the character, by its clips and by poses of its own, and compares the deformers "
                 "with linear blend; fallback: skin with a defect falls back to linear blend; report: defects are only "
                 "reported."},
                rig.check, kCheckModes);
  fields.choice(
      {"paint",
       "Whether bind makes weights, from ways inside the skin to the bones; auto: for meshes without any, in a "
       "skin or next to the skeleton; always: for all but rigid props."},
      rig.paint, kPaintModes);
}

static void describe(Fields& fields, DeformerParameters& parameters) { parameters.describe_to(fields); }

// Writes a struct and reads it back, over its defaults in `read`, so that forbidden values are refused.
template <class T>
static Result<void> check_described(const std::string& what, T written, T read) {
  OrderedJson json;
  json_fields::Writer writer(json);
  describe(writer, written);
  json_fields::Problem problem{what, std::nullopt};
  const json_fields::Json file = json;
  json_fields::Reader reader(file, "", problem);
  describe(reader, read);
  if (!problem.error) return {};
  return fail(ErrorCode::kInvalidArgument, problem.error->message);
}

Result<void> check_rig(const Rig& rig) {
  Rig all_but_parameters = rig;
  for (std::size_t l = 0; l < rig.layers.size(); ++l) {
    const DeformerParameters& deformer = rig.layers[l].deformer;
    if (deformer.name().empty()) return invalid("layer {} has no deformer", l);
    const DeformerParameters& defaults = deformer_entry(deformer).defaults;
    PELT_TRY(check_described(fmt::format("layer {} ({})", l, typed_name(deformer.name())), deformer, defaults));
    all_but_parameters.layers[l].deformer = defaults;
  }
  return check_described("the rig", std::move(all_but_parameters), Rig{});
}

Result<Rig> parse_rig(std::string_view json, const std::string& source) {
  PELT_ASSIGN(const auto parsed, json_fields::parse_json(json, source));
  json_fields::Problem problem{source, std::nullopt};
  Rig rig;
  json_fields::Reader reader(parsed, "", problem);
  reader.format("format", kFormat, kFormatFamily);
  describe(reader, rig);
  reader.finish();
  if (problem.error) return tl::unexpected(*std::move(problem.error));
  return rig;
}

Result<Rig> load_rig(const std::filesystem::path& path) {
  PELT_ASSIGN(const auto bytes, read_file(path, json_fields::kMaxBytes));
  Result<Rig> rig =
      parse_rig(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), path.string());
  if (rig) rig->directory = path.parent_path().string();
  return rig;
}

std::string format_rig(const Rig& rig) {
  Rig copy = rig;  // describe reads into its argument as well as from it
  OrderedJson json;
  json_fields::Writer writer(json);
  writer.format("format", kFormat);
  describe(writer, copy);
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string format_rig_schema() {
  OrderedJson definitions;
  OrderedJson body;
  json_fields::SchemaWriter writer(body, definitions);
  Rig rig;
  describe(writer, rig);
  OrderedJson properties{{"format", {{"const", kFormat}, {"description", "This format and its version."}}}};
  properties.update(body["properties"]);
  OrderedJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                     {"title", "Pelt rig"},
                     {"description", body["description"]},
                     {"type", "object"},
                     {"required", {"format", "layers"}},
                     {"additionalProperties", false},
                     {"properties", std::move(properties)},
                     {"$defs", std::move(definitions)}};
  return json_fields::to_text(schema) + "\n";
}

}  // namespace pelt
