// SPDX-License-Identifier: MIT
// Maps normals and tangents as mapped_normal and mapped_tangent in blend.h, without making them unit vectors: packing
// needs no length.

// Returns the coordinates of an octahedral word (pelt/shaders/octahedral.h), in steps.
vec2 octahedral_steps(uint word) { return vec2(ivec2(int(word << 16u), int(word)) >> 16); }

// Returns their direction, 18,918 to 32,767 long.
vec3 octahedral_direction(vec2 p) {
  float z = 32767.0f - abs(p.x) - abs(p.y);
  uvec2 signs = floatBitsToUint(p) & 0x80000000u;
  return vec3(p - uintBitsToFloat(floatBitsToUint(max(-z, 0.0f)) | signs), z);
}

// Without its lowest bit, the first coordinate of a tangent may be -32768, which counts as -32767.
vec3 rest_tangent(uvec2 rest) {
  vec2 p = octahedral_steps(rest.y & 0xFFFFFFFEu);
  return octahedral_direction(vec2(max(p.x, -32767.0f), p.y));
}

vec3 rest_normal(uvec2 rest) { return octahedral_direction(octahedral_steps(rest.x)); }

// The normal and the tangent, B t, that a frame makes of those at rest, of any length.
struct MappedDirections {
  vec3 normal;
  vec3 tangent;
  float min_normal;  // squared lengths below this are nothing
  float min_tangent;
};

const float kScale = 32768.0f * 32768.0f;  // squared length of octahedral_direction, about

// Maps by the cofactors of B: (b x c) n.x + (c x a) n.y + (a x b) n.z, for entries from 1e-18 to 1e18.
MappedDirections map_by_axes(mat3 axes, uvec2 rest) {
  float size = largest_entry(axes);
  float by_size = 1.0f / size;
  vec3 n = rest_normal(rest) * (by_size * by_size);
  vec3 normal = cross(axes[1], n.x * axes[2] - n.z * axes[0]) + n.y * cross(axes[2], axes[0]);
  vec3 tangent = axes * rest_tangent(rest);
  return MappedDirections(normal, tangent, kMinDirection * kScale, kMinDirection * kScale * size * size);
}

// The same with the tangential derivative, by a basis e, f of the surface: cofactor(B) (e x f) = B e x B f.
MappedDirections map_by_basis(Moved moved, uvec2 rest) {
  mat3 axes = affine_axes(moved.frame);
  vec3 n = rest_normal(rest);
  vec3 e = abs(n.x) >= float(kTangentTurn) ? vec3(-n.z, 0.0f, n.x) : vec3(0.0f, n.z, -n.y);
  vec3 f = cross(n, e);
  float e_squared = dot(e, e);
  float f_squared = e_squared * dot(n, n);
  float unit_e = moved.unit * inversesqrt(e_squared);
  float unit_f = moved.unit * inversesqrt(f_squared);
  vec3 by_e = axes * e + e_squared * unit_e * moved.derivative.e;
  vec3 by_f = axes * f + f_squared * unit_f * moved.derivative.f;
  float size_e = max(max(abs(by_e.x), abs(by_e.y)), abs(by_e.z)) * 32768.0f;
  float size_f = max(max(abs(by_f.x), abs(by_f.y)), abs(by_f.z));
  float size = max(size_e, size_f);
  float by_size = 1.0f / size;
  vec3 normal = cross(by_e, by_f * (by_size * by_size));
  vec3 t = rest_tangent(rest);
  vec3 tangent = axes * t + dot(t, e) * unit_e * moved.derivative.e + dot(t, f) * unit_f * moved.derivative.f;
  return MappedDirections(normal, tangent, kMinDirection / kScale, kMinDirection / kScale * size * size);
}
