// SPDX-License-Identifier: MIT
// The functions that pelt.js calls: those of pelt.h, with numbers as arguments. Texts are UTF-8 with a final zero. A
// function that may fail returns 0, and pelt_error_code and pelt_last_error tell why. Nothing can be thrown: if memory
// is refused, the call ends in a trap, and the memory with all that is in it must not be used again.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <glm/gtc/type_ptr.hpp>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/clip_twists.h>
#include <pelt/evaluate.h>
#include <pelt/finite.h>
#include <pelt/pelt_file.h>
#include <pelt/pose.h>
#include <pelt/version.h>

#ifdef PELT_WEB_BIND
#include <pelt/rig_json.h>
#include <pelt/tools/bind_model.h>
#include <pelt/tools/bind_report.h>
#endif

#define PELT_EXPORT(type, name) extern "C" __attribute__((export_name(#name))) type name

namespace {

struct {
  pelt::ErrorCode code = pelt::ErrorCode::kInvalidArgument;
  std::string message;
} last_error;

void* need_memory(void* memory) {
  if (memory != nullptr) return memory;
  last_error.code = pelt::ErrorCode::kOutOfMemory;
  __builtin_trap();
}

bool fail(pelt::Error error) {
  last_error.code = error.code;
  last_error.message = std::move(error.message);
  return false;
}

// Writes JSON: keys and texts are escaped, arrays are addresses in this memory.
class Json {
 public:
  std::string text;

  void value(std::string_view of) {
    separate();
    text += '"';
    for (const char letter : of) {
      if (letter == '"' || letter == '\\') text += '\\';
      if (static_cast<unsigned char>(letter) < 0x20) {
        constexpr const char* kDigits = "0123456789abcdef";
        (((text += "\\u00") += kDigits[letter >> 4]) += kDigits[letter & 15]);
      } else {
        text += letter;
      }
    }
    text += '"';
  }
  void value(const char* of) { value(std::string_view(of)); }
  void value(bool of) {
    separate();
    text += of ? "true" : "false";
  }
  template <class T>
  requires(std::is_arithmetic_v<T>) void value(T of) {
    separate();
    char digits[64];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, of).ptr);
  }
  template <class T>
  void value(const T* array) {
    value(reinterpret_cast<std::uintptr_t>(array));
  }

  template <class T>
  void member(std::string_view key, const T& of) {
    value(key);
    text += ':';
    value(of);
  }
  // Writes what the function writes between brackets.
  template <class Body>
  void inside(std::string_view key, std::string_view brackets, const Body& body) {
    if (key.empty()) {
      separate();
    } else {
      value(key);
      text += ':';
    }
    text += brackets[0];
    body();
    text += brackets[1];
  }
  template <class Things, class Body>
  void each(std::string_view key, const Things& things, const Body& body) {
    inside(key, "[]", [&] {
      for (const auto& thing : things) inside("", "{}", [&] { body(thing); });
    });
  }

 private:
  void separate() {
    if (!text.empty() && std::string_view("{[:,").find(text.back()) == std::string_view::npos) text += ',';
  }
};

std::string described(const pelt::Character& character) {
  const pelt::CharacterData& data = *character;
  Json json;
  json.inside("", "{}", [&] {
    json.member("name", data.name);
    json.member("size", character.size());
    json.member("vertexCount", data.vertex_count());
    json.member("inputCount", data.input_count);
    json.member("hasLinearBlend", data.has_linear_blend());
    json.each("joints", data.skeleton.joints, [&](const pelt::Joint& joint) {
      json.member("name", joint.name);
      json.member("parent", joint.parent);
    });
    json.each("clips", data.clips, [&](const pelt::Clip& clip) {
      json.member("name", clip.name);
      json.member("duration", clip.duration);
    });
    json.each("controls", data.controls, [&](const pelt::Control& control) {
      constexpr const char* kKinds[] = {"morph", "twist", "expression", "clock"};
      json.member("kind", kKinds[static_cast<std::size_t>(control.kind)]);
      json.member("name", control.name);
      json.member("mesh", control.mesh);
      json.member("target", control.target);
      json.member("rest", control.rest);
      json.member("input", control.input);
    });
    json.each("streams", data.streams, [&](const pelt::Stream& stream) {
      json.member("mesh", data.meshes[stream.mesh].name);
      json.member("vertexCount", data.meshes[stream.mesh].vertex_count());
      json.member("firstInput", stream.first_input);
    });
    json.each("materials", data.materials, [&](const pelt::Material& material) {
      json.member("name", material.name);
      json.inside("baseColor", "[]", [&] {
        for (int c = 0; c < 4; ++c) json.value(material.base_color[c]);
      });
    });
    json.each("meshes", data.meshes, [&](const pelt::CharacterMesh& mesh) {
      json.member("name", mesh.name);
      json.member("deformer", mesh.deformer);
      json.member("control", mesh.control);
      json.member("firstVertex", mesh.first_vertex);
      json.member("vertexCount", mesh.vertex_count());
      json.member("triangleCount", mesh.triangles.size());
      json.member("triangles", mesh.triangles.data());
      json.member("sourceVertex", mesh.source_vertex.data());
      json.member("uvs", mesh.uvs.empty() ? nullptr : mesh.uvs.data());
      json.each("parts", mesh.parts, [&](const pelt::MeshPart& part) {
        json.member("firstTriangle", part.first_triangle);
        json.member("triangleCount", part.triangle_count);
        json.member("material", part.material);
      });
    });
  });
  return std::move(json.text);
}

}  // namespace

void* operator new(std::size_t size) { return need_memory(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return need_memory(std::aligned_alloc(step, (size + step) / step * step));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

struct pelt_character {
  const pelt::Character character;
  const std::string described;
  std::vector<std::unique_ptr<const pelt::ClipTwists>> twists{};  // of each clip, from its first use
};

struct pelt_evaluator {
  pelt_character& of;
  pelt::Evaluator evaluator;
  std::vector<glm::mat4> joints{};
  std::vector<float> inputs{};
  std::vector<pelt::Transform> local{};
};

PELT_EXPORT(const char*, pelt_version_string)() {
  static const std::string text = std::to_string(PELT_VERSION_MAJOR) + "." + std::to_string(PELT_VERSION_MINOR) + "." +
                                  std::to_string(PELT_VERSION_PATCH);
  return text.c_str();
}
PELT_EXPORT(pelt::ErrorCode, pelt_error_code)() { return last_error.code; }
PELT_EXPORT(const char*, pelt_last_error)() { return last_error.message.c_str(); }

PELT_EXPORT(void*, pelt_allocate)(std::size_t size) { return need_memory(std::malloc(size + 1)); }
PELT_EXPORT(void, pelt_free)(void* memory) { std::free(memory); }

PELT_EXPORT(pelt_character*, pelt_character_load_memory)(const std::byte* bytes, std::size_t size, const char* source) {
  auto loaded = pelt::deserialize({bytes, size}, source);
  if (!loaded) {
    fail(std::move(loaded.error()));
    return nullptr;
  }
  auto* character = new pelt_character{*loaded, described(*loaded)};
  character->twists.resize((*loaded)->clips.size());
  return character;
}

PELT_EXPORT(void, pelt_character_destroy)(pelt_character* character) { delete character; }

// Returns the description of a character, which pelt.d.ts has.
PELT_EXPORT(const char*, pelt_character_describe)(const pelt_character* character) {
  return character->described.c_str();
}

PELT_EXPORT(pelt_evaluator*, pelt_evaluator_create)
(pelt_character* character, bool normals, bool tangents, bool same_everywhere) {
  const pelt::Evaluator::Options options{.normals = normals, .tangents = tangents, .same_everywhere = same_everywhere};
  auto* made = new pelt_evaluator{*character, pelt::Evaluator(character->character, options)};
  const pelt::CharacterData& data = *character->character;
  made->joints.resize(data.skeleton.joints.size());
  made->local.resize(data.skeleton.joints.size());
  made->inputs.resize(data.input_count);
  pelt::rest_matrices(data.skeleton, made->joints);
  pelt::rest_inputs(data, made->inputs);
  return made;
}

PELT_EXPORT(void, pelt_evaluator_destroy)(pelt_evaluator* evaluator) { delete evaluator; }

// The next pose, which the caller may write: matrices by columns, and CharacterData::input_count numbers.
PELT_EXPORT(float*, pelt_evaluator_joints)(pelt_evaluator* evaluator) {
  return glm::value_ptr(*evaluator->joints.data());
}
PELT_EXPORT(float*, pelt_evaluator_inputs)(pelt_evaluator* evaluator) { return evaluator->inputs.data(); }

PELT_EXPORT(void, pelt_evaluator_rest)(pelt_evaluator* evaluator) {
  const pelt::CharacterData& data = *evaluator->of.character;
  pelt::rest_matrices(data.skeleton, evaluator->joints);
  pelt::rest_inputs(data, evaluator->inputs);
}

// Sets the next pose. Precondition: the clip exists.
PELT_EXPORT(void, pelt_evaluator_sample_clip)(pelt_evaluator* evaluator, std::uint32_t clip, float seconds) {
  const pelt::CharacterData& data = *evaluator->of.character;
  const pelt::Clip& played = data.clips[clip];
  pelt::rest_pose(data.skeleton, evaluator->local);
  pelt::sample_clip(played, seconds, evaluator->local);
  pelt::model_matrices(data.skeleton, evaluator->local, evaluator->joints);
  pelt::rest_inputs(data, evaluator->inputs);
  pelt::sample_morph_targets(data, played, seconds, evaluator->inputs);
  std::unique_ptr<const pelt::ClipTwists>& twists = evaluator->of.twists[clip];
  if (twists == nullptr) twists = std::make_unique<const pelt::ClipTwists>(data, played);
  twists->sample(seconds, evaluator->inputs);
}

PELT_EXPORT(void, pelt_evaluator_advance)(pelt_evaluator* evaluator, float seconds) {
  evaluator->evaluator.advance(seconds);
}
PELT_EXPORT(void, pelt_evaluator_teleport)(pelt_evaluator* evaluator) { evaluator->evaluator.teleport(); }

// Moves all vertices to the next pose, at a pelt::Detail.
PELT_EXPORT(bool, pelt_evaluator_evaluate)(pelt_evaluator* evaluator, pelt::Detail detail) {
  const auto refuse = [](std::string what) {
    return fail({pelt::ErrorCode::kInvalidArgument, std::move(what) + " is not finite, or too large"});
  };
  const pelt::CharacterData& data = *evaluator->of.character;
  for (std::size_t j = 0; j < evaluator->joints.size(); ++j) {
    if (!pelt::is_near(glm::mat4x3(evaluator->joints[j]))) {
      return refuse("the matrix of joint '" + data.skeleton.joints[j].name + "'");
    }
  }
  for (std::size_t i = 0; i < evaluator->inputs.size(); ++i) {
    if (!pelt::is_near(evaluator->inputs[i])) return refuse("input " + std::to_string(i));
  }
  evaluator->evaluator.pose(evaluator->joints);
  evaluator->evaluator.inputs(evaluator->inputs);
  evaluator->evaluator.set_detail(detail);
  evaluator->evaluator.evaluate();
  return true;
}

// Vertices in the character's order; null: the evaluator does not make them.
PELT_EXPORT(const void*, pelt_evaluator_positions)(const pelt_evaluator* evaluator) {
  return evaluator->evaluator.positions().data();
}
PELT_EXPORT(const void*, pelt_evaluator_normals)(const pelt_evaluator* evaluator) {
  return evaluator->evaluator.normals().data();
}
PELT_EXPORT(const void*, pelt_evaluator_tangents)(const pelt_evaluator* evaluator) {
  return evaluator->evaluator.tangents().data();
}

#ifdef PELT_WEB_BIND

// bind.js receives how far pelt_bind is.
extern "C" __attribute__((import_module("pelt"), import_name("progress"))) void pelt_progress(double fraction,
                                                                                              const char* what);

struct pelt_bound {
  const std::vector<std::byte> character;
  const std::string report;
};

// Reads a glTF file and binds it like `pelt bind`. `deformer` and `rig`, a JSON text, may be empty.
PELT_EXPORT(pelt_bound*, pelt_bind)
(const std::byte* bytes, std::size_t size, const char* name, const char* deformer, const char* rig) {
  pelt::Binding binding{.file = {bytes, size}, .deformer = deformer, .files = pelt::NamedFiles::kNone};
  if (*rig != '\0') {
    auto parsed = pelt::parse_rig(rig, "rig");
    if (!parsed) {
      fail(std::move(parsed.error()));
      return nullptr;
    }
    binding.given_rig = std::move(*parsed);
  }
  pelt::BindOptions options;
  options.progress = [](double fraction, const std::string& what) { pelt_progress(fraction, what.c_str()); };
  auto bound = pelt::bind_model(name, binding, options);
  if (!bound) {
    fail(std::move(bound.error()));
    return nullptr;
  }
  std::vector<std::byte> character = pelt::serialize(bound->bound.character);
  std::string report = pelt::format_bind_report({.model = name, .output = {}, .bytes = character.size()}, *bound);
  return new pelt_bound{std::move(character), std::move(report)};
}

PELT_EXPORT(const std::byte*, pelt_bound_character)(const pelt_bound* bound) { return bound->character.data(); }
PELT_EXPORT(std::size_t, pelt_bound_size)(const pelt_bound* bound) { return bound->character.size(); }
PELT_EXPORT(const char*, pelt_bound_report)(const pelt_bound* bound) { return bound->report.c_str(); }
PELT_EXPORT(void, pelt_bound_destroy)(pelt_bound* bound) { delete bound; }

#endif

// The hash of docs/PELT_deformers/README.md.
PELT_EXPORT(std::uint64_t, pelt_hash)(const void* bytes, std::size_t size) { return XXH3_64bits(bytes, size); }
