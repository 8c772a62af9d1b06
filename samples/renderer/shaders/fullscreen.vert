// SPDX-License-Identifier: MIT
// Covers the picture with one triangle.
#version 460

void main() {
  gl_Position = vec4(4.0 * float(gl_VertexIndex & 1) - 1.0, 2.0 * float(gl_VertexIndex & 2) - 1.0, 1.0, 1.0);
}
