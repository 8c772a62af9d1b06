/* SPDX-License-Identifier: MIT */
/* A picture of triangles, drawn by the processor: enough to see what a crowd has become. */
#ifndef PELT_SAMPLES_HELLO_C_PICTURE_H
#define PELT_SAMPLES_HELLO_C_PICTURE_H

#include <stdint.h>

typedef struct picture {
  uint32_t width;
  uint32_t height;
  float left; /* metres at the left edge, */
  float low;  /* and at the lower one */
  float pixels_per_metre;
  float* depth;          /* z of what is seen in each pixel, rows from above */
  unsigned char* colors; /* red, green, blue */
} picture;

/* 0 where there is not enough memory. */
int picture_create(picture* made, uint32_t width, uint32_t height, float left, float low, float pixels_per_metre);
void picture_destroy(picture* drawn);

/* Seen along -z, with light from the viewer's side. positions, normals: 3 floats a vertex; triangles: 3 vertices each,
 * counted from `positions`; `right`: metres by which all of it is shifted. */
void picture_draw(picture* onto, const float* positions, const float* normals, const uint32_t* triangles,
                  uint32_t triangle_count, float right);

/* As a binary PPM. 0 where it could not be written. */
int picture_write(const picture* drawn, const char* path);

#endif
