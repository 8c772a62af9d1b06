// SPDX-License-Identifier: MIT
// Tests whether boxes are in view or cast a shadow into it.
#ifndef PELT_SAMPLES_ENGINE_CULLING_H
#define PELT_SAMPLES_ENGINE_CULLING_H

#include "pelt/shaders/frame.h"
#include "records.h"

PELT_SHARED_BEGIN

// A box in world space: its centre, and half of each of its edges.
struct OrientedBox {
  vec3 middle;
  mat3 edges;
};

PELT_SHARED_FN OrientedBox oriented_box(PELT_SHARED_IN(Affine) world, vec3 least, vec3 greatest) {
  OrientedBox box;
  box.middle = transform_point(world, (least + greatest) * 0.5f);
  mat3 axes = affine_axes(world);
  vec3 extent = (greatest - least) * 0.5f;
  box.edges = mat3(axes[0] * extent.x, axes[1] * extent.y, axes[2] * extent.z);
  return box;
}

// Returns how far a box reaches along a direction, from its centre.
PELT_SHARED_FN float box_reach(PELT_SHARED_IN(OrientedBox) box, vec3 direction) {
  return abs(dot(box.edges[0], direction)) + abs(dot(box.edges[1], direction)) + abs(dot(box.edges[2], direction));
}

// Returns false only if a box and its whole path along `sweep` are outside one of the planes of the view.
PELT_SHARED_FN bool box_seen(PELT_SHARED_IN(CullConstants) view, PELT_SHARED_IN(OrientedBox) box, vec3 sweep) {
  for (int i = 0; i < 6; ++i) {
    vec3 inwards = vec3(view.planes[i].x, view.planes[i].y, view.planes[i].z);
    float farthest = dot(inwards, box.middle) + view.planes[i].w + box_reach(box, inwards);
    if (farthest + max(dot(inwards, sweep), 0.0f) < 0.0f) return false;
  }
  return true;
}

// Returns the path of a box's shadow: along the light until its top reaches the ground, at height 0.
PELT_SHARED_FN vec3 shadow_sweep(PELT_SHARED_IN(CullConstants) view, PELT_SHARED_IN(OrientedBox) box) {
  float top = box.middle.y + box_reach(box, vec3(0.0f, 1.0f, 0.0f));
  return view.sun * (max(top, 0.0f) / -view.sun.y);
}

PELT_SHARED_END

#endif
