// SPDX-License-Identifier: MIT
#version 460

layout(location = 0) in vec4 vertex_color;
layout(location = 1) in vec2 at_dot;
layout(location = 0) out vec4 color;

void main() {
  if (dot(at_dot, at_dot) > 1.0) discard;
  color = vertex_color;
}
