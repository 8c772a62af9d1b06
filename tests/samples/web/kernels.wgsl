// SPDX-License-Identifier: MIT
// Two kernels of shaders/ by hand, for webgpu.mjs: the pose of linear blend and dual quaternions
// (dual_quaternion/pose.h), and the blend of a mesh with tight positions and octahedral normals (blend/blend.comp).
// Without morph targets, gradients, lists of instances, and what mirrored joints and collapsed frames need. Each
// binding has one type: the bind data are the words of a .pelt file.

override dual: bool;

// Indices count words of the file, entries of the palette or vertices. Constants of pose: those in parentheses.
struct Constants {
  count: u32,       // of vertices (of records)
  points: u32,      // (the first record)
  directions: u32,  // (the first entry)
  slices: u32,
  influences: u32,
  first_entry: u32,
  first_vertex: u32,
}
@group(0) @binding(0) var<uniform> constants: Constants;
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read> joints: array<mat3x4f>;
@group(0) @binding(3) var<storage, read_write> palette: array<mat3x4f>;
@group(0) @binding(4) var<storage, read_write> positions: array<f32>;
@group(0) @binding(5) var<storage, read_write> normals: array<u32>;

fn vector_at(at: u32) -> vec3f { return bitcast<vec3f>(vec3u(words[at], words[at + 1u], words[at + 2u])); }
fn row_at(at: u32) -> vec4f { return vec4f(vector_at(at), bitcast<f32>(words[at + 3u])); }

// ---- pelt/shaders/frame.h, quaternion.h, dual_quaternion/dual_quaternion.h ----

fn axes_of(f: mat3x4f) -> mat3x3f { return transpose(mat3x3f(f[0].xyz, f[1].xyz, f[2].xyz)); }
fn origin_of(f: mat3x4f) -> vec3f { return vec3f(f[0].w, f[1].w, f[2].w); }
fn frame_of(axes: mat3x3f, origin: vec3f) -> mat3x4f {
  let rows = transpose(axes);
  return mat3x4f(vec4f(rows[0], origin.x), vec4f(rows[1], origin.y), vec4f(rows[2], origin.z));
}
fn compose(outer: mat3x4f, inner: mat3x4f) -> mat3x4f {
  return frame_of(axes_of(outer) * axes_of(inner), vec4f(origin_of(inner), 1.0) * outer);
}

fn mirror_sign(m: mat3x3f) -> f32 {
  let largest = max(max(abs(m[0]), abs(m[1])), abs(m[2]));
  let size = max(max(largest.x, largest.y), largest.z);
  return select(1.0, -1.0, dot(m[1], cross(m[2], m[0])) < -5e-6 * max(size * size, 3e-3) * size);
}

fn quaternion_product(a: vec4f, b: vec4f) -> vec4f {
  return vec4f(b.xyz * a.w + a.xyz * b.w + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}
fn rotation_from_quaternion(q: vec4f) -> mat3x3f {
  let twice = q.xyz + q.xyz;
  let s = q.xyz * twice;
  let c = q.xxy * twice.yzz;  // xy, xz, yz
  let w = twice * q.w;
  return mat3x3f(1.0 - s.y - s.z, c.x + w.z, c.y - w.y, c.x - w.z, 1.0 - s.x - s.z, c.z + w.x, c.y + w.y, c.z - w.x,
                 1.0 - s.x - s.y);
}
fn quaternion_from_rotation(r: mat3x3f) -> vec4f {
  let trace = r[0].x + r[1].y + r[2].z;
  if (trace > 0.0) {
    return normalize(vec4f(r[1].z - r[2].y, r[2].x - r[0].z, r[0].y - r[1].x, 1.0 + trace));
  }
  if (r[0].x >= r[1].y && r[0].x >= r[2].z) {
    return normalize(vec4f(1.0 + r[0].x - r[1].y - r[2].z, r[0].y + r[1].x, r[2].x + r[0].z, r[1].z - r[2].y));
  }
  if (r[1].y >= r[2].z) {
    return normalize(vec4f(r[0].y + r[1].x, 1.0 - r[0].x + r[1].y - r[2].z, r[1].z + r[2].y, r[2].x - r[0].z));
  }
  return normalize(vec4f(r[2].x + r[0].z, r[1].z + r[2].y, 1.0 - r[0].x - r[1].y + r[2].z, r[0].y - r[1].x));
}

fn across(x: vec3f, v: vec3f) -> vec3f { return normalize(v - x * dot(x, v)); }
fn orthonormal(m: mat3x3f) -> mat3x3f {
  let x = normalize(m[0]);
  let y = across(x, across(x, m[1]));
  return mat3x3f(x, y, cross(x, y));
}
fn nearest_rotation(m: mat3x3f) -> mat3x3f {
  var r = orthonormal(m);
  for (var step = 0; step < 12; step++) {
    let torque = cross(r[0], m[0]) + cross(r[1], m[1]) + cross(r[2], m[2]);
    let turn = torque / (abs(dot(r[0], m[0]) + dot(r[1], m[1]) + dot(r[2], m[2])) + 1e-20);
    let angle = length(turn);
    if (angle < 1e-6) { break; }
    r = orthonormal(rotation_from_quaternion(vec4f(turn * (sin(0.5 * angle) / angle), cos(0.5 * angle))) * r);
  }
  return r;
}

struct DualQuaternion { real: vec4f, dual: vec4f }

fn frame_of_dual_quaternion(q: DualQuaternion) -> mat3x4f {
  let scale = 1.0 / length(q.real);
  let r = q.real * scale;
  let d = q.dual * scale;
  return frame_of(rotation_from_quaternion(r), (d.xyz * r.w - r.xyz * d.w + cross(r.xyz, d.xyz)) * 2.0);
}

// ---- dual_quaternion/pose.comp ----

@compute @workgroup_size(64)
fn pose(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= constants.count) { return; }
  let record = constants.points + 13u * id.x;
  let inverse_bind = mat3x4f(row_at(record + 1u), row_at(record + 5u), row_at(record + 9u));
  let motion = compose(joints[words[record]], inverse_bind);
  if (!dual) {
    palette[constants.directions + id.x] = motion;
    return;
  }
  let rotation = nearest_rotation(axes_of(motion));
  let real = quaternion_from_rotation(rotation);
  var stretch = transpose(rotation) * axes_of(motion);
  let off = max(max(abs(stretch[0] - vec3f(1, 0, 0)), abs(stretch[1] - vec3f(0, 1, 0))), abs(stretch[2] - vec3f(0, 0, 1)));
  let stretched = max(max(off.x, off.y), off.z) > 4e-6;
  if (!stretched) { stretch = mat3x3f(1, 0, 0, 0, 1, 0, 0, 0, 1); }
  let entry = constants.directions + 2u * id.x;
  palette[entry] = mat3x4f(real, quaternion_product(vec4f(origin_of(motion) * 0.5, 0), real), vec4f(select(0.0, 1.0, stretched), 0, 0, 0));
  palette[entry + 1u] = frame_of(stretch, vec3f(0));
}

// ---- blend/blend.comp ----

fn blended(first: u32, end: u32) -> mat3x4f {
  var frame = mat3x4f();
  var sum = DualQuaternion();
  var pivot = vec4f();
  for (var at = first; at < end; at += 32u) {
    let weight = f32(words[at] >> 16u) * (1.0 / 65535.0);
    let entry = constants.first_entry + (words[at] & 0xFFFFu);
    if (!dual) {
      frame += weight * palette[entry];
      continue;
    }
    let motion = palette[entry];
    if (at == first) { pivot = motion[0]; }
    let side = weight * select(1.0, -1.0, dot(motion[0], pivot) < 0.0);
    sum.real += side * motion[0];
    sum.dual += side * motion[1];
    frame += weight * palette[entry + 1u];
  }
  if (!dual) { return frame; }
  let rigid = frame_of_dual_quaternion(sum);
  return frame_of(axes_of(rigid) * axes_of(frame), origin_of(rigid));
}

// Octahedral words, of directions of any length.
fn fold(p: vec2f, z: f32) -> vec2f { return select(vec2f(max(-z, 0)), vec2f(min(z, 0)), p < vec2f(0)); }
fn unpack_direction(word: u32) -> vec3f {
  let p = unpack2x16snorm(word);
  let z = 1.0 - abs(p.x) - abs(p.y);
  return vec3f(p - fold(p, z), z);
}
fn pack_direction(v: vec3f) -> u32 {
  return pack2x16snorm((v.xy + fold(v.xy, v.z)) / (abs(v.x) + abs(v.y) + abs(v.z)));
}

var<workgroup> staged: array<f32, 384>;

@compute @workgroup_size(128)
fn blend(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let first = 128u * group.x;
  let vertex = first + lane;
  if (vertex < constants.count) {
    let slice = constants.slices + vertex / 32u;
    let row = constants.influences + vertex % 32u;
    let frame = blended(row + words[slice], row + words[slice + 1u]);
    let point = vec4f(vector_at(constants.points + 3u * vertex), 1) * frame;
    staged[3u * lane] = point.x;
    staged[3u * lane + 1u] = point.y;
    staged[3u * lane + 2u] = point.z;
    let axes = axes_of(frame);
    let cofactor = mat3x3f(cross(axes[1], axes[2]), cross(axes[2], axes[0]), cross(axes[0], axes[1]));
    let normal = cofactor * unpack_direction(words[constants.directions + 2u * vertex]);
    normals[constants.first_vertex + vertex] = pack_direction(normal * mirror_sign(axes));
  }
  workgroupBarrier();
  for (var word = lane; word < 3u * min(128u, constants.count - first); word += 128u) {
    positions[3u * (constants.first_vertex + first) + word] = staged[word];
  }
}
