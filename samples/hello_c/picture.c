/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float kClay[3] = {214.0f, 140.0f, 110.0f};
static const unsigned char kBackdrop = 60;

int picture_create(picture* made, uint32_t width, uint32_t height, float left, float low, float pixels_per_metre) {
  const size_t pixels = (size_t)width * height;
  *made = (picture){.width = width,
                    .height = height,
                    .left = left,
                    .low = low,
                    .pixels_per_metre = pixels_per_metre,
                    .depth = malloc(pixels * sizeof(float)),
                    .colors = malloc(pixels * 3)};
  if (made->depth == NULL || made->colors == NULL) {
    picture_destroy(made);
    return 0;
  }
  for (size_t i = 0; i < pixels; ++i) made->depth[i] = -INFINITY;
  memset(made->colors, kBackdrop, pixels * 3);
  return 1;
}

void picture_destroy(picture* drawn) {
  free(drawn->depth);
  free(drawn->colors);
  *drawn = (picture){0};
}

/* Returns twice the area of a triangle, positive if it turns counter-clockwise. */
static float area(const float a[3], const float b[3], const float c[3]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static uint32_t clamped(float at, uint32_t most) { return at < 0 ? 0 : at > (float)most ? most : (uint32_t)at; }

/* Fills a triangle. Corners: x and y in pixels, y downwards; z in metres. `light`: of each corner, 0 to 1. */
static void fill(picture* onto, const float corners[3][3], const float light[3]) {
  const float whole = area(corners[0], corners[1], corners[2]);
  if (!(fabsf(whole) > 0)) return;
  const float left = fminf(corners[0][0], fminf(corners[1][0], corners[2][0]));
  const float right = fmaxf(corners[0][0], fmaxf(corners[1][0], corners[2][0]));
  const float top = fminf(corners[0][1], fminf(corners[1][1], corners[2][1]));
  const float bottom = fmaxf(corners[0][1], fmaxf(corners[1][1], corners[2][1]));
  const uint32_t end_x = clamped(right + 1, onto->width);
  const uint32_t end_y = clamped(bottom + 1, onto->height);
  for (uint32_t y = clamped(top, onto->height); y < end_y; ++y) {
    for (uint32_t x = clamped(left, onto->width); x < end_x; ++x) {
      const float here[3] = {(float)x + 0.5f, (float)y + 0.5f, 0};
      const float a = area(corners[1], corners[2], here) / whole;
      const float b = area(corners[2], corners[0], here) / whole;
      const float c = 1 - a - b;
      if (a < 0 || b < 0 || c < 0) continue;
      const float z = a * corners[0][2] + b * corners[1][2] + c * corners[2][2];
      const size_t pixel = (size_t)y * onto->width + x;
      if (z <= onto->depth[pixel]) continue;
      onto->depth[pixel] = z;
      const float shade = a * light[0] + b * light[1] + c * light[2];
      for (int i = 0; i < 3; ++i) onto->colors[3 * pixel + (size_t)i] = (unsigned char)(kClay[i] * shade);
    }
  }
}

void picture_draw(picture* onto, const float* positions, const float* normals, const uint32_t* triangles,
                  uint32_t triangle_count, float right) {
  for (uint32_t t = 0; t < triangle_count; ++t) {
    float corners[3][3];
    float light[3];
    for (int k = 0; k < 3; ++k) {
      const size_t vertex = 3 * (size_t)triangles[3 * (size_t)t + (size_t)k];
      const float* p = positions + vertex;
      const float* n = normals + vertex;
      corners[k][0] = (p[0] + right - onto->left) * onto->pixels_per_metre;
      corners[k][1] = (float)onto->height - (p[1] - onto->low) * onto->pixels_per_metre;
      corners[k][2] = p[2];
      const float facing = 0.4f * n[0] + 0.5f * n[1] + 0.77f * n[2];
      light[k] = 0.35f + 0.65f * fminf(fmaxf(facing, 0), 1);
    }
    fill(onto, (const float(*)[3])corners, light);
  }
}

int picture_write(const picture* drawn, const char* path) {
  FILE* file = fopen(path, "wb");
  if (file == NULL) return 0;
  const size_t bytes = (size_t)drawn->width * drawn->height * 3;
  const int written = fprintf(file, "P6\n%u %u\n255\n", (unsigned)drawn->width, (unsigned)drawn->height) > 0 &&
                      fwrite(drawn->colors, 1, bytes, file) == bytes;
  return fclose(file) == 0 && written;
}
