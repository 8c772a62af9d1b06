/* SPDX-License-Identifier: MIT */
/* Draws triangles on the CPU: enough to see the result of a crowd. */
#ifndef PELT_SAMPLES_HELLO_C_PICTURE_H
#define PELT_SAMPLES_HELLO_C_PICTURE_H

#include <stdint.h>

typedef struct picture {
  uint32_t width;
  uint32_t height;
  float left; /* x of the left edge, metres */
  float low;  /* y of the lower edge, metres */
  float pixels_per_metre;
  float* depth;          /* z of the visible point in each pixel, rows from above */
  unsigned char* colors; /* red, green, blue */
} picture;

/* Makes an empty picture. Returns 0 if there is not enough memory. */
int picture_create(picture* made, uint32_t width, uint32_t height, float left, float low, float pixels_per_metre);
void picture_destroy(picture* drawn);

/* Draws triangles seen along -z, with light from the viewer's side. positions, normals: 3 floats a vertex; triangles: 3
 * indices each into `positions`; `right`: shift of all positions along x, metres. */
void picture_draw(picture* onto, const float* positions, const float* normals, const uint32_t* triangles,
                  uint32_t triangle_count, float right);

/* Writes a binary PPM. Returns 0 if it cannot be written. */
int picture_write(const picture* drawn, const char* path);

#endif
