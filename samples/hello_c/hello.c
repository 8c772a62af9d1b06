/* SPDX-License-Identifier: MIT */
/* samples/hello in C: binds a character once, then moves a crowd of it for a second, as a game would. Usage:
 * pelt_hello_c [MODEL [CLIP]]. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pelt/pelt.h>

/* Ends the program with the reason if a call failed. */
static void need(pelt_result result) {
  if (result == PELT_OK) return;
  fprintf(stderr, "hello_c: %s\n", pelt_last_error());
  exit(1);
}

static float* floats(size_t count) {
  float* made = calloc(count, sizeof(float));
  if (made == NULL) abort();
  return made;
}

static void record_crowd(void* crowd, VkCommandBuffer commands) { need(pelt_crowd_record(crowd, commands, NULL)); }

/* Once, in the tool chain: a model and a rig become a character, a file that the game loads. */
static void make_file(const char* model_file, const char* path) {
  pelt_model* model = NULL;
  pelt_rig* rig = NULL;
  pelt_character* bound = NULL;
  need(pelt_model_import(model_file, &model));
  need(pelt_rig_from_deformer("surface_ffd", &rig));
  need(pelt_bind(model, rig, NULL, &bound));
  need(pelt_character_save(bound, path));
  pelt_character_destroy(bound);
  pelt_rig_destroy(rig);
  pelt_model_destroy(model);
}

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "builtin:biped";
  const char* clip_name = argc > 2 ? argv[2] : "walk";
  if (pelt_abi_version() != PELT_ABI_VERSION) {
    fprintf(stderr, "hello_c: compiled for version %u of the interface, but libpelt.so has %u\n",
            (unsigned)PELT_ABI_VERSION, (unsigned)pelt_abi_version());
    return 1;
  }

  make_file(file, "hello_c.pelt");

  /* At load: the character goes to the device; a crowd holds its instances. */
  pelt_character* character = NULL;
  pelt_device* device = NULL;
  pelt_gpu_characters* uploaded = NULL;
  pelt_crowd* crowd = NULL;
  need(pelt_character_load("hello_c.pelt", &character));
  need(pelt_device_create(NULL, &device));
  const pelt_character* const characters[] = {character};
  need(pelt_upload_and_wait(device, characters, 1, NULL, &uploaded));
  const uint32_t instances[] = {10};
  const pelt_crowd_options options = {.struct_size = sizeof(options), .instances = instances, .character_count = 1};
  need(pelt_crowd_create(device, uploaded, &options, &crowd));

  /* Every frame: joint matrices in, compute passes recorded, vertices out. */
  pelt_character_info info = {.struct_size = sizeof(info)};
  need(pelt_character_get_info(character, &info));
  uint32_t clip = PELT_NONE; /* PELT_NONE: no clip has that name */
  const pelt_result found = pelt_character_find_clip(character, clip_name, &clip);
  if (found != PELT_ERROR_NOT_FOUND) need(found);
  pelt_clip_info played = {.struct_size = sizeof(played), .duration = 0};
  if (clip != PELT_NONE) need(pelt_character_get_clip(character, clip, &played));
  const float period = played.duration > 0 ? played.duration : 1;
  float* joints = floats((size_t)16 * info.joint_count);
  for (uint32_t frame = 0; frame < 60; ++frame) {
    for (uint32_t i = 0; i < instances[0]; ++i) {
      if (clip == PELT_NONE) {
        need(pelt_character_rest_pose(character, joints, info.joint_count));
      } else {
        const float seconds = fmodf((float)(frame + 6 * i) / 60.0f, period);
        need(pelt_character_sample_clip(character, clip, seconds, joints, info.joint_count));
      }
      need(pelt_crowd_pose(crowd, i, joints, info.joint_count));
    }
    /* A game records into its own command buffer, submits it with its frame and draws from where
     * pelt_crowd_get_outputs says, behind a barrier from compute writes to vertex reads. */
    need(pelt_submit_and_wait(device, "frame", record_crowd, crowd));
  }

  pelt_instance_info instance = {.struct_size = sizeof(instance)};
  pelt_device_description description = {.struct_size = sizeof(description)};
  need(pelt_crowd_get_instance(crowd, 0, &instance));
  need(pelt_device_get_description(device, &description));
  float* positions = floats((size_t)3 * instance.vertex_count);
  const pelt_vertices vertices = {
      .struct_size = sizeof(vertices), .vertex_count = instance.vertex_count, .positions = positions};
  need(pelt_crowd_read_vertices(crowd, 0, &vertices));
  printf("%s: %u vertices of %u instances moved on %s; the first one at %.3f %.3f %.3f\n", file,
         (unsigned)instance.vertex_count, (unsigned)instances[0], description.name, (double)positions[0],
         (double)positions[1], (double)positions[2]);

  free(positions);
  free(joints);
  pelt_crowd_destroy(crowd);
  pelt_gpu_characters_destroy(uploaded);
  pelt_device_destroy(device);
  pelt_character_destroy(character);
  return 0;
}
