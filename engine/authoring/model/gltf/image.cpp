// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/image.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/authoring/model/gltf/member.h"

namespace pelt {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxImageBytes = std::size_t{256} << 20;

// Returns the entry of a document's array at a number; null if it does not exist.
const json& entry(const json& document, const char* array, const json& number) {
  static const json kNone;
  const json& list = member(document, array);
  if (!list.is_array() || !number.is_number()) return kNone;
  const double index = number.get<double>();
  if (!(index >= 0) || index != std::floor(index) || index >= static_cast<double>(list.size())) return kNone;
  return list[static_cast<std::size_t>(index)];
}

// `image`: an entry of the document's images.
std::size_t number_of(const json& document, const json& image) {
  return static_cast<std::size_t>(&image - &member(document, "images")[0]);
}

std::string name_of(const json& document, const json& image) {
  const json& name = member(image, "name");
  if (name.is_string() && name != "") return name.get_ref<const std::string&>().substr(0, 100);
  return fmt::format("image_{}", number_of(document, image));
}

// glTF itself only has PNG and JPEG.
bool is_of_extension(std::string_view type) { return !type.empty() && type != "image/png" && type != "image/jpeg"; }

std::string describe_image(const json& document, const json& image, std::string_view kind) {
  return fmt::format("'{}' (/images/{}) is of {}, and only PNG and JPEG are read", name_of(document, image),
                     number_of(document, image), kind.substr(0, 60));
}

// Describes the image that a texture only names by an extension; empty without one.
std::string describe_extension_image(const json& document, const json& texture) {
  const json& extensions = member(texture, "extensions");
  if (!extensions.is_object()) return {};
  for (const auto& [name, extension] : extensions.items()) {
    const json& image = entry(document, "images", member(extension, "source"));
    if (!image.is_null()) return describe_image(document, image, name);
  }
  return {};
}

std::size_t size_or(const json& number, std::size_t otherwise) {
  return number.is_number() ? number.get<std::size_t>() : otherwise;
}

}  // namespace

std::string_view image_type(std::span<const std::byte> bytes) {
  using namespace std::string_view_literals;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x89PNG\r\n\x1a\n"sv)) return "image/png";
  if (text.starts_with("\xff\xd8\xff"sv)) return "image/jpeg";
  if (text.starts_with("\xabKTX 20\xbb"sv)) return "image/ktx2";
  if (text.starts_with("RIFF"sv) && text.substr(0, 12).ends_with("WEBP"sv)) return "image/webp";
  if (text.substr(0, 12).ends_with("ftypavif"sv)) return "image/avif";
  if (text.starts_with("DDS "sv)) return "image/vnd-ms.dds";
  return {};
}

GltfImages read_images(
    const json& document, std::span<const std::span<const std::byte>> buffers,
    const std::function<Result<std::vector<std::byte>>(const std::string& uri, const std::string& place)>& load) {
  GltfImages made;
  std::size_t bytes_left = kMaxImageBytes;
  std::size_t refused = 0;
  std::vector<std::int32_t> place_of_image(member(document, "images").size(), -2);  // -2: not looked at yet
  const auto refuse = [&](const std::string& why) {
    if (refused++ == 0) made.note = why;
  };
  const auto read = [&](const json& image, const std::string& place) -> Result<std::vector<std::byte>> {
    if (const json& uri = member(image, "uri"); uri.is_string()) return load(uri.get_ref<const std::string&>(), place);
    const json& view = entry(document, "bufferViews", member(image, "bufferView"));
    const auto no_bytes = fail(ErrorCode::kInvalidFile, place + ": names bytes that the file does not have");
    if (view.is_null()) return no_bytes;
    const std::span<const std::byte> buffer = buffers[view.at("buffer").get<std::size_t>()];
    const std::size_t offset = size_or(member(view, "byteOffset"), 0);
    const std::size_t length = view.at("byteLength").get<std::size_t>();
    if (offset > buffer.size() || length > buffer.size() - offset) return no_bytes;
    if (length > bytes_left) return fail(ErrorCode::kUnsupported, place + ": images take too many bytes");
    const auto bytes = buffer.subspan(offset, length);
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  const auto take = [&](const json& texture, const std::string& material) -> std::int32_t {
    if (const json& set = member(texture, "texCoord"); !set.is_null() && set != 0) {
      refuse(material + " uses other texture coordinates than TEXCOORD_0");
      return -1;
    }
    const json& source = entry(document, "textures", member(texture, "index"));
    const json& image = entry(document, "images", member(source, "source"));
    if (image.is_null()) {
      const std::string other = describe_extension_image(document, source);
      refuse(other.empty() ? material + " names no image" : other);
      return -1;
    }
    const std::size_t index = number_of(document, image);
    std::int32_t& found = place_of_image[index];
    if (found == -1) ++refused;
    if (found != -2) return found;
    found = -1;
    auto bytes = read(image, fmt::format("/images/{}", index));
    if (bytes && bytes->size() > bytes_left) {
      bytes = fail(ErrorCode::kUnsupported, fmt::format("/images/{}: images take too many bytes", index));
    }
    if (bytes && is_of_extension(image_type(*bytes))) {
      bytes = fail(ErrorCode::kUnsupported, describe_image(document, image, image_type(*bytes)));
    }
    if (!bytes) {
      refuse(bytes.error().message);
      return -1;
    }
    bytes_left -= bytes->size();
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes->data());
    found = static_cast<std::int32_t>(made.images.size());
    made.images.push_back({.name = name_of(document, image), .bytes = {first, first + bytes->size()}});
    return found;
  };

  const json& materials = member(document, "materials");
  for (std::size_t m = 0; m < materials.size(); ++m) {
    const json& texture = member(member(materials[m], "pbrMetallicRoughness"), "baseColorTexture");
    made.of_material.push_back(texture.is_null() ? -1 : take(texture, fmt::format("/materials/{}", m)));
  }
  if (refused > 0)
    made.note = fmt::format("images of {} material{} are left out: {}", refused, refused == 1 ? "" : "s", made.note);
  return made;
}

}  // namespace pelt
