// SPDX-License-Identifier: MIT
// Lets one header compile as GLSL (std430) and as C++ (GLM). Only this file tests the language.
//
// A shared header wraps its declarations in PELT_SHARED_BEGIN / PELT_SHARED_END, marks functions with PELT_SHARED_FN,
// passes by value and returns structs: text that is valid in both languages. Vectors and frames in records are
// PackedVec3 and PackedAffine: std430 would align a vec3 or vec4 to 16 bytes, and C++ does not.
//
// Files named .inl hold functions of Real, Real3 and so on, marked PELT_LANES_FN. Their header includes them for
// scalars; vector code includes them again, after engine/character/evaluate/real_lanes-inl.h, for one value per lane.
// So they have neither includes nor a namespace, and use choose() if lanes may differ.
#ifndef PELT_SHADERS_INTEROP_H
#define PELT_SHADERS_INTEROP_H

#ifdef __cplusplus

#include <cstdint>
#include <glm/glm.hpp>
#include <glm/packing.hpp>

#define PELT_SHARED_BEGIN     \
  namespace pelt::shared {    \
  using namespace glm;        \
  using uint = std::uint32_t; \
  using std::uint32_t;
#define PELT_SHARED_END }
#define PELT_SHARED_FN inline
#define PELT_LANES_FN inline
namespace pelt::shared {
// As in GLSL, for magnitudes below 2^22: the added constant leaves no bits for fractions.
inline float roundEven(float x) { return (x + 12582912.0f) - 12582912.0f; }
using Integer = int;
using Real = float;
using Real2 = glm::vec2;
using Real3 = glm::vec3;
using Real4 = glm::vec4;
using Real3x3 = glm::mat3;
using Truth = bool;
inline bool any_of(bool is) { return is; }
template <class T>
T choose(bool is, T yes, T no) {
  return is ? yes : no;
}
}  // namespace pelt::shared
#define PELT_SHARED_CONST inline constexpr
#define PELT_SHARED_IN(type) const type&  // for large parameters
// The inputs of one instance for a pose kernel; shaders/pose_pass.glsl has the GLSL half.
#define PELT_SHARED_POSE_WORK                                                                                   \
  struct PoseWork {                                                                                             \
    const uint* table;          /* of the pass */                                                               \
    const mat4* joint_matrices; /* model space */                                                               \
    const vec3* vertices;       /* posed by earlier stages */                                                   \
    const float* inputs;        /* streamed positions, then controls */                                         \
    const float* palette;       /* written by earlier passes */                                                 \
    bool restarts = false;      /* the instance does not go on from the frame before */                         \
  };                                                                                                            \
  inline uint table_word(PoseWork work, uint i) { return work.table[i]; }                                       \
  inline float table_float(PoseWork work, uint i) { return uintBitsToFloat(work.table[i]); }                    \
  inline Affine joint_frame(PoseWork work, uint joint) { return affine_from_mat4(work.joint_matrices[joint]); } \
  inline vec3 posed_vertex(PoseWork work, uint vertex) { return work.vertices[vertex]; }                        \
  inline float input_value(PoseWork work, uint i) { return work.inputs[i]; }                                    \
  inline float palette_float(PoseWork work, uint i) { return work.palette[i]; }                                 \
  inline mat3x4 palette_entry(PoseWork work, uint entry) {                                                      \
    const float* f = work.palette + 12u * entry;                                                                \
    return mat3x4(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11]);                    \
  }
// Checks that the record has the size of its GLSL layout.
#define PELT_SHARED_SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type " must match its GLSL layout")

#else

#define PELT_SHARED_BEGIN
#define PELT_SHARED_END
#define PELT_SHARED_FN
#define PELT_LANES_FN
#define Integer int
#define Real float
#define Real2 vec2
#define Real3 vec3
#define Real4 vec4
#define Real3x3 mat3
#define Truth bool
bool any_of(bool is) { return is; }
float choose(bool is, float yes, float no) { return is ? yes : no; }
vec3 choose(bool is, vec3 yes, vec3 no) { return is ? yes : no; }
vec4 choose(bool is, vec4 yes, vec4 no) { return is ? yes : no; }
#define PELT_SHARED_CONST const
#define PELT_SHARED_IN(type) type
#define PELT_SHARED_SIZE(type, bytes)
#define PELT_SHARED_POSE_WORK

#endif

PELT_SHARED_BEGIN

// An affine frame [a b c | o] stored as its three rows (a_i, b_i, c_i, o_i): 48 bytes, one palette entry. GLSL and GLM
// call a matrix of three columns of four mat3x4; our columns are the frame's rows, so that `vec4(point, 1) * frame`
// maps a point and a palette entry is three aligned 16-byte loads.
#ifdef __cplusplus
using Affine = glm::mat3x4;
using RealAffine = Affine;
#else
#define Affine mat3x4
#define RealAffine mat3x4
#endif

// Members of records: 3 and 12 floats at any multiple of 4 bytes. unpacked() converts them to values.
#ifdef __cplusplus
using PackedVec3 = glm::vec3;
using PackedAffine = Affine;
inline vec3 unpacked(vec3 v) { return v; }
inline Affine unpacked(const Affine& f) { return f; }
#else
struct PackedVec3 {
  float x, y, z;
};
struct PackedAffine {
  float a0, b0, c0, o0, a1, b1, c1, o1, a2, b2, c2, o2;
};
vec3 unpacked(PackedVec3 v) { return vec3(v.x, v.y, v.z); }
Affine unpacked(PackedAffine f) {
  return Affine(f.a0, f.b0, f.c0, f.o0, f.a1, f.b1, f.c1, f.o1, f.a2, f.b2, f.c2, f.o2);
}
#endif

// An index of nothing.
PELT_SHARED_CONST uint kNoIndex = 0xFFFFFFFFu;

PELT_SHARED_END

#endif
