// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/accessor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <span>

#include <pelt/try.h>

namespace pelt {
namespace {

// Accessors may overlap, and need no bytes at all, so the file's size does not bound the size that they decode to.
constexpr std::uint64_t kMaxDecodedBytes = std::uint64_t{512} << 20;

using Bytes = std::span<const std::byte>;

std::size_t component_size(int component_type) {
  return static_cast<std::size_t>(tinygltf::GetComponentSizeInBytes(static_cast<std::uint32_t>(component_type)));
}

// Columns of matrices start at multiples of four bytes (glTF 2.0, section 3.6.2.4).
std::size_t element_size(const tinygltf::Accessor& accessor) {
  const std::size_t size = component_size(accessor.componentType);
  const auto columns = [&](std::size_t n) { return n * ((n * size + 3) / 4 * 4); };
  switch (accessor.type) {
    case TINYGLTF_TYPE_MAT2:
      return columns(2);
    case TINYGLTF_TYPE_MAT3:
      return columns(3);
    case TINYGLTF_TYPE_MAT4:
      return columns(4);
    default:
      return components_of(accessor) * size;
  }
}

Bytes view_bytes(const GltfDocument& document, int view_index) {
  const tinygltf::BufferView& view = document.gltf.bufferViews[static_cast<std::size_t>(view_index)];
  return document.buffers[static_cast<std::size_t>(view.buffer)].subspan(view.byteOffset, view.byteLength);
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

std::uint32_t load_unsigned(const std::byte* from, int component_type) {
  switch (component_type) {
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
      return load<std::uint8_t>(from);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
      return load<std::uint16_t>(from);
    default:
      assert(component_type == TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT);
      return load<std::uint32_t>(from);
  }
}

float load_float(const std::byte* from, int component_type, bool normalized) {
  const auto scaled = [&](float value, float most) { return normalized ? std::max(value / most, -1.0f) : value; };
  switch (component_type) {
    case TINYGLTF_COMPONENT_TYPE_BYTE:
      return scaled(load<std::int8_t>(from), 127.0f);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
      return scaled(load<std::uint8_t>(from), 255.0f);
    case TINYGLTF_COMPONENT_TYPE_SHORT:
      return scaled(load<std::int16_t>(from), 32767.0f);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
      return scaled(load<std::uint16_t>(from), 65535.0f);
    case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
      return static_cast<float>(load<std::uint32_t>(from));
    default:
      assert(component_type == TINYGLTF_COMPONENT_TYPE_FLOAT);
      return load<float>(from);
  }
}

// The bytes of the elements of an accessor or of its sparse values.
struct Elements {
  Bytes bytes;  // from the first element on
  std::size_t stride = 0;
  std::size_t count = 0;

  const std::byte* operator[](std::size_t i) const { return bytes.data() + i * stride; }
};

Elements base_elements(const GltfDocument& document, const tinygltf::Accessor& accessor) {
  if (accessor.bufferView < 0 || accessor.count == 0) return {};
  const auto& view = document.gltf.bufferViews[static_cast<std::size_t>(accessor.bufferView)];
  const std::size_t stride = view.byteStride > 0 ? view.byteStride : element_size(accessor);
  return {view_bytes(document, accessor.bufferView).subspan(accessor.byteOffset), stride, accessor.count};
}

Elements sparse_indices(const GltfDocument& document, const tinygltf::Accessor& accessor) {
  const auto& indices = accessor.sparse.indices;
  return {view_bytes(document, indices.bufferView).subspan(static_cast<std::size_t>(indices.byteOffset)),
          component_size(indices.componentType), static_cast<std::size_t>(accessor.sparse.count)};
}

Elements sparse_values(const GltfDocument& document, const tinygltf::Accessor& accessor) {
  const auto& values = accessor.sparse.values;
  return {view_bytes(document, values.bufferView).subspan(static_cast<std::size_t>(values.byteOffset)),
          element_size(accessor), static_cast<std::size_t>(accessor.sparse.count)};
}

// Decodes in element order: first the base elements, or zeros without any, then the sparse ones over them.
template <class T, class Load>
std::vector<T> read(const GltfDocument& document, const tinygltf::Accessor& accessor, const Load& load_component) {
  const std::size_t width = components_of(accessor);
  const std::size_t size = component_size(accessor.componentType);
  assert(!is_matrix(accessor) || size == sizeof(float));  // others have padded columns, and no use in glTF
  std::vector<T> values(accessor.count * width);
  const auto decode = [&](const std::byte* element, std::size_t to) {
    for (std::size_t c = 0; c < width; ++c) values[to * width + c] = load_component(element + c * size);
  };
  const Elements base = base_elements(document, accessor);
  for (std::size_t i = 0; i < base.count; ++i) decode(base[i], i);
  if (accessor.sparse.isSparse && accessor.sparse.count > 0) {
    const Elements indices = sparse_indices(document, accessor);
    const Elements sparse = sparse_values(document, accessor);
    for (std::size_t i = 0; i < sparse.count; ++i) {
      decode(sparse[i], load_unsigned(indices[i], accessor.sparse.indices.componentType));
    }
  }
  return values;
}

// No number here exceeds 31 bits, so nothing overflows in 64.
Result<void> check_range(const GltfDocument& document, const tinygltf::Accessor& accessor, int view_index,
                         std::size_t offset, std::size_t count, std::size_t stride, std::size_t size,
                         std::size_t alignment, const std::string& place) {
  if (count == 0) return {};
  const auto& view = document.gltf.bufferViews[static_cast<std::size_t>(view_index)];
  const std::size_t view_end = view.byteOffset + view.byteLength;
  const std::size_t bytes = document.buffers[static_cast<std::size_t>(view.buffer)].size();
  if (view_end > bytes) {
    return fail_at(document, place,
                   fmt::format("buffer view {} ends at byte {} of buffer {}, which has {}", view_index, view_end,
                               view.buffer, bytes));
  }
  const std::size_t end = offset + (count - 1) * stride + size;
  if (end > view.byteLength) {
    return fail_at(
        document, place,
        fmt::format("{} elements need {} bytes, but buffer view {} has {}", count, end, view_index, view.byteLength));
  }
  if (stride < size) {
    return fail_at(document, place, fmt::format("elements of {} bytes overlap at a stride of {}", size, stride));
  }
  const std::size_t wanted = is_matrix(accessor) ? std::max<std::size_t>(alignment, 4) : alignment;
  if (offset % wanted != 0 || (view.byteOffset + offset) % wanted != 0 || stride % alignment != 0) {
    return fail_at(document, place, fmt::format("elements are not aligned to {} bytes", wanted));
  }
  return {};
}

Result<void> check_sparse(const GltfDocument& document, const tinygltf::Accessor& accessor, const std::string& place) {
  const auto& sparse = accessor.sparse;
  const auto count = static_cast<std::size_t>(sparse.count);
  if (count > accessor.count) {
    return fail_at(document, place, fmt::format("overrides {} of {} elements", count, accessor.count));
  }
  const int type = sparse.indices.componentType;
  if (type != TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE && type != TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT &&
      type != TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT) {
    return fail_at(document, place + "/indices", "indices are not unsigned integers");
  }
  const std::size_t index_size = component_size(type);
  PELT_TRY(check_range(document, accessor, sparse.indices.bufferView,
                       static_cast<std::size_t>(sparse.indices.byteOffset), count, index_size, index_size, index_size,
                       place + "/indices"));
  const std::size_t size = element_size(accessor);
  PELT_TRY(check_range(document, accessor, sparse.values.bufferView, static_cast<std::size_t>(sparse.values.byteOffset),
                       count, size, size, component_size(accessor.componentType), place + "/values"));
  if (count == 0) return {};
  const Elements indices = sparse_indices(document, accessor);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t at = load_unsigned(indices[i], type);
    if (at >= accessor.count) {
      return fail_at(document, place + "/indices",
                     fmt::format("entry {} is {}, but the number of elements is {}", i, at, accessor.count));
    }
    if (i > 0 && at <= load_unsigned(indices[i - 1], type)) {
      return fail_at(document, place + "/indices", fmt::format("entry {} does not ascend", i));
    }
  }
  return {};
}

}  // namespace

std::size_t components_of(const tinygltf::Accessor& accessor) {
  return static_cast<std::size_t>(tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(accessor.type)));
}

bool is_matrix(const tinygltf::Accessor& accessor) {
  return accessor.type == TINYGLTF_TYPE_MAT2 || accessor.type == TINYGLTF_TYPE_MAT3 ||
         accessor.type == TINYGLTF_TYPE_MAT4;
}

std::string describe(const tinygltf::Accessor& accessor) {
  const auto type_name = [&] {
    switch (accessor.type) {
      case TINYGLTF_TYPE_SCALAR:
        return "SCALAR";
      case TINYGLTF_TYPE_VEC2:
        return "VEC2";
      case TINYGLTF_TYPE_VEC3:
        return "VEC3";
      case TINYGLTF_TYPE_VEC4:
        return "VEC4";
      case TINYGLTF_TYPE_MAT2:
        return "MAT2";
      case TINYGLTF_TYPE_MAT3:
        return "MAT3";
      default:
        return "MAT4";
    }
  };
  const auto component_name = [&] {
    switch (accessor.componentType) {
      case TINYGLTF_COMPONENT_TYPE_BYTE:
        return "BYTE";
      case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
        return "UNSIGNED_BYTE";
      case TINYGLTF_COMPONENT_TYPE_SHORT:
        return "SHORT";
      case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
        return "UNSIGNED_SHORT";
      case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
        return "UNSIGNED_INT";
      case TINYGLTF_COMPONENT_TYPE_FLOAT:
        return "FLOAT";
      default:
        return "an unknown component type";
    }
  };
  return fmt::format("{} of {}{}", type_name(), accessor.normalized ? "normalised " : "", component_name());
}

bool has_known_type(const tinygltf::Accessor& accessor) {
  const int type = accessor.componentType;
  return type >= TINYGLTF_COMPONENT_TYPE_BYTE && type <= TINYGLTF_COMPONENT_TYPE_FLOAT &&
         type != TINYGLTF_COMPONENT_TYPE_INT;
}

Result<void> AccessorChecker::check(int index, const std::string& place) {
  const auto i = static_cast<std::size_t>(index);
  const tinygltf::Accessor& accessor = document_.gltf.accessors[i];
  if (checked_[i]) return {};
  if (!has_known_type(accessor)) {
    return fail_at(document_, place, fmt::format("unknown component type: {}", accessor.componentType));
  }
  const std::uint64_t decoded = decoded_bytes_ + accessor.count * components_of(accessor) * sizeof(float);
  if (decoded > kMaxDecodedBytes) {
    return fail_at(document_, place, fmt::format("accessors exceed {} MiB in total", kMaxDecodedBytes >> 20),
                   ErrorCode::kUnsupported);
  }
  if (accessor.bufferView >= 0) {
    const auto& view = document_.gltf.bufferViews[static_cast<std::size_t>(accessor.bufferView)];
    const std::size_t stride = view.byteStride > 0 ? view.byteStride : element_size(accessor);
    PELT_TRY(check_range(document_, accessor, accessor.bufferView, accessor.byteOffset, accessor.count, stride,
                         element_size(accessor), component_size(accessor.componentType), place));
  }
  if (accessor.sparse.isSparse) PELT_TRY(check_sparse(document_, accessor, place + ": sparse"));
  decoded_bytes_ = decoded;
  checked_[i] = true;
  return {};
}

Result<void> AccessorChecker::check_finite(int index, const std::string& place) {
  PELT_TRY(check(index, place));
  const auto i = static_cast<std::size_t>(index);
  const tinygltf::Accessor& accessor = document_.gltf.accessors[i];
  if (finite_[i] || accessor.componentType != TINYGLTF_COMPONENT_TYPE_FLOAT) return {};
  const std::vector<float> values = read_floats(document_, index);
  const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  if (bad != values.end()) {
    const std::size_t element = static_cast<std::size_t>(bad - values.begin()) / components_of(accessor);
    return fail_at(document_, place, fmt::format("element {} is not finite", element));
  }
  finite_[i] = true;
  return {};
}

std::vector<float> read_floats(const GltfDocument& document, int index) {
  const tinygltf::Accessor& accessor = accessor_at(document, index);
  return read<float>(document, accessor, [&](const std::byte* component) {
    return load_float(component, accessor.componentType, accessor.normalized);
  });
}

std::vector<float> read_finite(const GltfDocument& document, int index, std::size_t& replaced) {
  std::vector<float> values = read_floats(document, index);
  const std::size_t width = components_of(accessor_at(document, index));
  for (std::size_t first = 0; first < values.size(); first += width) {
    const std::span<float> element(&values[first], width);
    if (std::ranges::all_of(element, [](float value) { return std::isfinite(value); })) continue;
    std::ranges::fill(element, 0.0f);
    ++replaced;
  }
  return values;
}

std::vector<std::uint32_t> read_integers(const GltfDocument& document, int index) {
  const tinygltf::Accessor& accessor = accessor_at(document, index);
  return read<std::uint32_t>(
      document, accessor, [&](const std::byte* component) { return load_unsigned(component, accessor.componentType); });
}

}  // namespace pelt
