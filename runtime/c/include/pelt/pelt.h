/* SPDX-License-Identifier: MIT */
/*
 * Pelt for C, and for everything that calls C: the library libpelt.so. docs/c_api.md is its manual.
 *
 * Results. Every function that can fail returns a pelt_result: PELT_OK, or why not; pelt_last_error() then says it in
 * words. A function that fails leaves its outputs as they were. No exception leaves the library, and a null handle, a
 * null pointer or an index out of range is an error, not the end of the program.
 *
 * Structs. Those that begin with struct_size are given sizeof of theirs there, as the caller was compiled with them:
 *     pelt_crowd_options options = {.struct_size = sizeof options};
 * Fields beyond that size are as if they were 0, and 0 is the default of every field. More than the library knows is an
 * error.
 *
 * Ownership. Who gets a handle destroys it. What is made from something else keeps that alive: handles may be destroyed
 * in any order. Destroying NULL does nothing. Texts and arrays that a function hands out belong to the handle that they
 * came from.
 *
 * Threads. Functions that take a handle as const may run at the same time as each other; any other, of that handle,
 * alone. Different handles have nothing to do with each other. What is said of one instance of a crowd (pelt_crowd_pose
 * to pelt_crowd_detail) may be said of several instances at the same time.
 */
#ifndef PELT_H
#define PELT_H

#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#ifndef PELT_API
#define PELT_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ version, errors */

/* Grows where a program that was compiled with an older header would no longer work. */
#define PELT_ABI_VERSION 1

/* PELT_ABI_VERSION of the library that is loaded. A program works with it where it is its own. */
PELT_API uint32_t pelt_abi_version(void);
/* "0.1.0". */
PELT_API const char* pelt_version_string(void);

typedef int32_t pelt_result;
enum {
  PELT_OK = 0,
  PELT_ERROR_INVALID_ARGUMENT = 1, /* the parameters make no sense together */
  PELT_ERROR_NOT_FOUND = 2,        /* a file, mesh, joint, clip or device that was named does not exist */
  PELT_ERROR_READ_FAILED = 3,      /* the operating system refused to read */
  PELT_ERROR_WRITE_FAILED = 4,     /* the operating system refused to write */
  PELT_ERROR_INVALID_FILE = 5,     /* the file's contents break its format */
  PELT_ERROR_UNSUPPORTED = 6,      /* valid, but needs something that is not here */
  PELT_ERROR_DEVICE_FAILED = 7,    /* Vulkan refused or lost the device */
  PELT_ERROR_OUT_OF_MEMORY = 8,    /* of the host */
  PELT_ERROR_INTERNAL = 9          /* Pelt is at fault, or a callback that threw */
};

/* One sentence on the last function that failed on this thread: it names the function, the file, the place. Empty where
 * none did. Stays until the next one fails here; never NULL. */
PELT_API const char* pelt_last_error(void);

/* ------------------------------------------------------------------------------------------------------ characters */

/* What binding makes and a game loads: immutable, shared by everything that shows it. */
typedef struct pelt_character pelt_character;

/* A .pelt file, or a .glb that carries a character (docs/PELT_deformers/README.md). */
PELT_API pelt_result pelt_character_load(const char* path, pelt_character** out);
/* The bytes of one, which are not needed afterwards. `source` names them in errors; NULL: "memory". */
PELT_API pelt_result pelt_character_load_memory(const void* bytes, size_t size, const char* source,
                                                pelt_character** out);
/* A .pelt file: not one that is called .glb or .gltf (pelt_character_save_glb). */
PELT_API pelt_result pelt_character_save(const pelt_character* character, const char* path);
/* One owner more: each calls pelt_character_destroy once. From any thread. */
PELT_API pelt_result pelt_character_retain(const pelt_character* character);
PELT_API void pelt_character_destroy(pelt_character* character);

#define PELT_NONE 0xFFFFFFFFu

typedef struct pelt_character_info {
  uint32_t struct_size;
  uint32_t joint_count;
  uint32_t mesh_count;
  uint32_t clip_count;
  uint32_t stream_count;
  uint32_t control_count;
  uint32_t input_count;  /* floats an instance takes besides its joint matrices */
  uint32_t vertex_count; /* of all meshes, control meshes too */
  float size;            /* diagonal of the skin's box at bind, metres */
  float least[3];        /* that box, model space, metres */
  float greatest[3];
  uint32_t reserved;
  const char* name;
} pelt_character_info;

typedef struct pelt_joint_info {
  uint32_t struct_size;
  uint32_t parent; /* always less than the joint's own index; PELT_NONE: a root */
  const char* name;
} pelt_joint_info;

typedef struct pelt_mesh_info {
  uint32_t struct_size;
  uint32_t control; /* 1: moves other meshes and is not skin */
  uint32_t vertex_count;
  uint32_t triangle_count;
  const char* name;
  const uint32_t* triangles;     /* 3 vertices of this mesh a triangle */
  const float* uvs;              /* 2 a vertex; NULL: it has none */
  const uint32_t* source_vertex; /* of each vertex its number in the model that was bound */
  float fit_rms;                 /* of its linear-blend fit: metres from the mesh's own deformer, root mean square */
  float fit_worst;               /* and largest; -1 both: it has none */
} pelt_mesh_info;

typedef struct pelt_clip_info {
  uint32_t struct_size;
  float duration; /* seconds */
  const char* name;
} pelt_clip_info;

/* A control mesh whose vertices the caller places. */
typedef struct pelt_stream_info {
  uint32_t struct_size;
  uint32_t mesh;
  uint32_t vertex_count;
  uint32_t first_input; /* x of vertex 0 among the inputs, 3 a vertex */
} pelt_stream_info;

enum { PELT_CONTROL_MORPH_TARGET = 0, PELT_CONTROL_TWIST = 1 };

/* A number that the caller gives: the weight of a morph target, or the twist of a joint in radians. */
typedef struct pelt_control_info {
  uint32_t struct_size;
  uint32_t kind;  /* PELT_CONTROL_... */
  uint32_t input; /* its place among the inputs */
  float rest;
  const char* name; /* "mesh/target", "twist/joint" */
} pelt_control_info;

PELT_API pelt_result pelt_character_get_info(const pelt_character* character, pelt_character_info* info);
PELT_API pelt_result pelt_character_get_joint(const pelt_character* character, uint32_t joint, pelt_joint_info* info);
PELT_API pelt_result pelt_character_get_mesh(const pelt_character* character, uint32_t mesh, pelt_mesh_info* info);
PELT_API pelt_result pelt_character_get_clip(const pelt_character* character, uint32_t clip, pelt_clip_info* info);
PELT_API pelt_result pelt_character_get_stream(const pelt_character* character, uint32_t stream,
                                               pelt_stream_info* info);
PELT_API pelt_result pelt_character_get_control(const pelt_character* character, uint32_t control,
                                                pelt_control_info* info);

/* By name; PELT_ERROR_NOT_FOUND. A stream goes by the name of its mesh. */
PELT_API pelt_result pelt_character_find_joint(const pelt_character* character, const char* name, uint32_t* joint);
PELT_API pelt_result pelt_character_find_clip(const pelt_character* character, const char* name, uint32_t* clip);
PELT_API pelt_result pelt_character_find_stream(const pelt_character* character, const char* mesh, uint32_t* stream);
PELT_API pelt_result pelt_character_find_control(const pelt_character* character, const char* name, uint32_t* control);

/* Joint matrices as pelt_crowd_pose takes them: model space, 16 floats a joint, column-major. joint_count is the
 * character's. A clip is clamped to its first and last key; joints that it does not key are at rest. Neither allocates,
 * but the first time on a thread, and there again for a skeleton that is larger than those before. */
PELT_API pelt_result pelt_character_rest_pose(const pelt_character* character, float* joints, uint32_t joint_count);
PELT_API pelt_result pelt_character_sample_clip(const pelt_character* character, uint32_t clip, float seconds,
                                                float* joints, uint32_t joint_count);
/* The same for inputs, as pelt_crowd_inputs takes them: morph targets and twists as the clip has them, all else at
 * rest. The first call for a clip plays it once, to follow its twists. */
PELT_API pelt_result pelt_character_rest_inputs(const pelt_character* character, float* inputs, uint32_t input_count);
PELT_API pelt_result pelt_character_sample_inputs(const pelt_character* character, uint32_t clip, float seconds,
                                                  float* inputs, uint32_t input_count);

/* --------------------------------------------------------------------------------------------------------- binding */

/* For tools: PELT_ERROR_UNSUPPORTED in a library that was built without PELT_AUTHORING. */
typedef struct pelt_model pelt_model;
typedef struct pelt_rig pelt_rig;

/* A .gltf, .glb or .obj file, or "builtin:biped" and the like. */
PELT_API pelt_result pelt_model_import(const char* path_or_builtin, pelt_model** out);
PELT_API void pelt_model_destroy(pelt_model* model);

/* One layer over all meshes: "linear_blend", "dual_quaternion", "surface_ffd", "curve_skeleton", "mos". */
PELT_API pelt_result pelt_rig_from_deformer(const char* deformer, pelt_rig** out);
/* A rig file (docs/rig.md), or a .gltf or .glb file that carries a rig (docs/PELT_deformers/README.md), which is often
 * the model itself; PELT_ERROR_NOT_FOUND where it carries none. */
PELT_API pelt_result pelt_rig_load(const char* path, pelt_rig** out);
PELT_API void pelt_rig_destroy(pelt_rig* rig);

typedef struct pelt_bind_options {
  uint32_t struct_size;
  uint32_t threads;           /* 0: all cores; the result does not depend on it */
  uint32_t keep_vertex_order; /* 1: vertices stay in the model's order, at a price */
  uint32_t linear_fit;        /* 1: with what PELT_DETAIL_LINEAR_FIT needs (docs/detail.md) */
  void* user;
  void (*progress)(void* user, double fraction, const char* what); /* on the calling thread; may be NULL */
} pelt_bind_options;

/* `options`: NULL for the defaults. */
PELT_API pelt_result pelt_bind(const pelt_model* model, const pelt_rig* rig, const pelt_bind_options* options,
                               pelt_character** out);
/* A .glb of a model with the rig and the character that was bound from it, for pelt_character_load. Of a model that
 * came from glTF all of that file is in it, which is read again and must be as it was. Errors: a rig that names other
 * files. */
PELT_API pelt_result pelt_character_save_glb(const pelt_character* character, const pelt_model* model,
                                             const char* path);

/* ---------------------------------------------------------------------------------------------------------- device */

typedef struct pelt_device pelt_device;

/* Turns on what Pelt needs, beside what the caller has turned on: chain both to VkDeviceCreateInfo. */
PELT_API pelt_result pelt_enable_required_features(VkPhysicalDeviceVulkan12Features* features12,
                                                   VkPhysicalDeviceVulkan13Features* features13);

typedef struct pelt_device_description {
  uint32_t struct_size;
  uint32_t type; /* VkPhysicalDeviceType */
  char name[256];
  char driver[256];
  char missing[512]; /* what Pelt needs and the device lacks, with commas; empty: usable */
} pelt_device_description;

/* What a physical device is, before a device is made on it. Needs Vulkan 1.1 of the instance. */
PELT_API pelt_result pelt_describe_device(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                          VkPhysicalDevice physical, pelt_device_description* description);

/* Device memory of the caller's. */
typedef struct pelt_memory_piece {
  uint32_t struct_size; /* as Pelt has it: fill no more */
  uint32_t coherent;
  VkDeviceMemory memory;
  VkDeviceSize offset;
  void* mapped; /* the piece's first byte, as long as it is held; host-visible pieces are always mapped */
  void* owner;  /* for the caller */
} pelt_memory_piece;

typedef struct pelt_memory_callbacks {
  void* user;
  /* Fills `piece` with memory of a type in requirements->memoryTypeBits that has `required` and, if it can be,
   * `preferred`; with VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT where `device_address` is 1. `name` says for what, during
   * the call. Called from every thread that makes or destroys something of Pelt's, never while a frame is posed or
   * recorded. */
  VkResult (*allocate)(void* user, const VkMemoryRequirements* requirements, VkMemoryPropertyFlags required,
                       VkMemoryPropertyFlags preferred, uint32_t device_address, const char* name,
                       pelt_memory_piece* piece);
  void (*free)(void* user, const pelt_memory_piece* piece);
} pelt_memory_callbacks;

typedef struct pelt_device_handles {
  uint32_t struct_size;
  uint32_t queue_family; /* of the queue that runs what crowds record */
  PFN_vkGetInstanceProcAddr get_instance_proc_addr;
  VkInstance instance; /* of Vulkan 1.3 or later */
  VkPhysicalDevice physical;
  VkDevice device;                /* with the features of pelt_enable_required_features */
  VkQueue queue;                  /* for functions that say that they submit and wait; may be null */
  VkPipelineCache pipeline_cache; /* may be null */
  pelt_memory_callbacks memory;   /* none: blocks of Pelt's own */
  uint32_t debug_utils;           /* 1: VK_EXT_debug_utils is enabled, and objects and commands are named */
  uint32_t reserved;
} pelt_device_handles;

/* Works on the caller's device, which outlives everything made from it: makes what characters and crowds are made of,
 * destroys nothing else, submits only where a function says so. */
PELT_API pelt_result pelt_device_adopt(const pelt_device_handles* handles, pelt_device** out);

typedef struct pelt_device_options {
  uint32_t struct_size;
  uint32_t validation; /* 1: validation with synchronization validation; needs on_validation_message */
  const char* select;  /* index, or part of a name; NULL: as the environment's PELT_DEVICE says, or the most capable */
  void* user;
  void (*on_validation_message)(void* user, const char* message);
} pelt_device_options;

/* An instance and a device of Pelt's own, for tools and tests. `options`: NULL for the defaults. */
PELT_API pelt_result pelt_device_create(const pelt_device_options* options, pelt_device** out);
PELT_API void pelt_device_destroy(pelt_device* device);

PELT_API pelt_result pelt_device_get_description(const pelt_device* device, pelt_device_description* description);
/* All but pipeline_cache, memory and debug_utils, which stay 0. */
PELT_API pelt_result pelt_device_get_handles(const pelt_device* device, pelt_device_handles* handles);

/* For tools and tests: `record` fills commands, which are submitted on the device's queue and waited for. */
PELT_API pelt_result pelt_submit_and_wait(const pelt_device* device, const char* name,
                                          void (*record)(void* user, VkCommandBuffer commands), void* user);

/* ---------------------------------------------------------------------------------------------------------- upload */

/* Characters on a device, in one buffer: a crowd moves all of them by the same dispatches. Shared by crowds. */
typedef struct pelt_gpu_characters pelt_gpu_characters;

typedef struct pelt_upload_options {
  uint32_t struct_size;
  uint32_t normal_rings; /* 1: the triangles round each vertex, for crowds that recompute normals: 32 bytes a vertex */
} pelt_upload_options;

/* Takes the memory and fills staging memory; submits nothing. `options`: NULL for the defaults. Errors: no character,
 * more bytes than the device binds at once or has. */
PELT_API pelt_result pelt_gpu_characters_create(const pelt_device* device, const pelt_character* const* characters,
                                                uint32_t character_count, const pelt_upload_options* options,
                                                pelt_gpu_characters** out);
/* Records the copies, and a barrier from them to reads of compute, outside a render pass. Once, before the first frame
 * of a crowd that shows them runs. */
PELT_API pelt_result pelt_gpu_characters_record_upload(pelt_gpu_characters* characters, VkCommandBuffer commands);
/* Gives the staging memory back. When those commands are done. */
PELT_API pelt_result pelt_gpu_characters_finish_upload(pelt_gpu_characters* characters);
/* All three at once, submitted on the device's queue and waited for: for load time. */
PELT_API pelt_result pelt_upload_and_wait(const pelt_device* device, const pelt_character* const* characters,
                                          uint32_t character_count, const pelt_upload_options* options,
                                          pelt_gpu_characters** out);
PELT_API void pelt_gpu_characters_destroy(pelt_gpu_characters* characters);
/* Of device memory, without staging. */
PELT_API pelt_result pelt_gpu_characters_get_bytes(const pelt_gpu_characters* characters, VkDeviceSize* bytes);

/* ----------------------------------------------------------------------------------------------------------- crowd */

/* Posed instances of some characters: joint matrices in, deformed vertices out. */
typedef struct pelt_crowd pelt_crowd;

typedef uint32_t pelt_vertex_format;
enum {
  PELT_FORMAT_DEFAULT = 0,      /* positions: float; normals, tangents: octahedral, 16 bits; previous positions: none */
  PELT_FORMAT_NONE = 1,         /* not written */
  PELT_FORMAT_FLOAT = 2,        /* positions, normals: 3; tangents: 4, w = handedness */
  PELT_FORMAT_OCTAHEDRAL16 = 3, /* snorm16 x 2; of a tangent the lowest bit is 1 where handedness is -1 */
  PELT_FORMAT_OCTAHEDRAL8 = 4   /* snorm8 x 2 each in one word: normal below, tangent above; the same place for both */
};

/* How normals and tangents of skins are found. */
enum {
  PELT_NORMALS_BLENDED = 0,   /* moved as the frame of the vertex moves */
  PELT_NORMALS_RECOMPUTED = 1 /* of the posed triangles round the vertex; tangents made orthogonal to them */
};

/* In a buffer of the caller's with VK_BUFFER_USAGE_STORAGE_BUFFER_BIT. Null: the crowd has its own. */
typedef struct pelt_buffer_place {
  VkBuffer buffer;
  VkDeviceSize offset; /* bytes */
} pelt_buffer_place;

/* Vertex v of an instance is element first_vertex + v (pelt_instance_info). */
typedef struct pelt_vertex_output {
  pelt_vertex_format format;
  uint32_t stride;         /* bytes, a multiple of 4; 0: tight, or as is best in the crowd's own buffer */
  pelt_buffer_place place; /* offset: a multiple of 4 */
} pelt_vertex_output;

/* An instance that is moved, in a list of the caller's (pelt_crowd_options.visible). */
typedef struct pelt_list_entry {
  uint32_t instance; /* counted from the first of its character */
  uint32_t state;    /* PELT_ENTRY_... | PELT_ENTRY_DETAIL(...); 0: moved in full */
} pelt_list_entry;

enum {
  PELT_ENTRY_TELEPORT = 1, /* previous positions are those of this frame: set it where an instance is moved for the
                              first time, and when it is listed again */
  PELT_ENTRY_HOLD = 2      /* not moved, previous positions become its positions: once where an instance stops */
};

/* `share` of detail `to` (PELT_DETAIL_...), 0 to 255, the rest of detail `from`. */
#define PELT_ENTRY_DETAIL(from, to, share) ((uint32_t)(from) << 2 | (uint32_t)(to) << 4 | (uint32_t)(share) << 8)

typedef struct pelt_crowd_options {
  uint32_t struct_size;
  uint32_t character_count;     /* entries of `instances` */
  const uint32_t* instances;    /* how many of each of the pelt_gpu_characters, in their order; NULL: one of each.
                                   Instances of a character follow each other, the next character's follow those */
  uint32_t frames_in_flight;    /* that may be recorded before the first has finished; 0: 2 */
  uint32_t reduced_influences;  /* of PELT_DETAIL_REDUCED; 0: 4; more than a vertex has: all of them */
  pelt_vertex_output positions; /* model space, metres */
  pelt_vertex_output normals;   /* unit */
  pelt_vertex_output tangents;  /* unit */
  /* Positions of the frame before, for motion vectors: of an instance that was not moved since, of one that has just
   * appeared and after pelt_crowd_teleport those of this frame. Float; needs positions, in a buffer that keeps them
   * from frame to frame. Of skins alone: not with control_meshes. */
  pelt_vertex_output previous_positions;
  pelt_buffer_place bounds_place; /* offset: a multiple of 4 */
  /* 1: a box round each instance's skin, float3 least then float3 greatest, bounds_stride bytes from one to the next:
   * never smaller than the skin, as a rule little larger. Boxes are of the frame that is recorded; one that is not
   * moved keeps its box. */
  uint32_t bounds;
  uint32_t control_meshes; /* 1: writes them too, for tools, and vertices count over all meshes */
  /* Buffers that the device fills, in which every frame reads the same places. Written before its commands run and
   * visible to storage reads of compute; kept until those are done (pelt_crowd_record). Offsets are multiples of
   * minStorageBufferOffsetAlignment. What a buffer gives, no function gives. */
  pelt_buffer_place joints; /* joint matrices of all instances, one after the other, as pelt_crowd_pose takes them */
  pelt_buffer_place inputs; /* input_count floats an instance, one after the other, as pelt_crowd_inputs takes them */
  /* Which instances are moved, and how: a count for each character (uint32_t), then a pelt_list_entry for each instance
   * of the crowd, of which those of a character begin at its first instance, and as many count as its count says. None
   * may be listed twice. What is out of range is left out. */
  pelt_buffer_place visible;
  /* Added to that of the crowd's own vertex buffer: VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT and
   * VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR for builds of acceleration structures. What
   * Vulkan wants enabled for them, the device must have. */
  VkBufferUsageFlags usage;
  uint32_t normal_mode;   /* PELT_NORMALS_...; recomputed: needs positions, and pelt_upload_options.normal_rings */
  uint32_t bounds_stride; /* bytes, a multiple of 4, 24 or more; 0: 24 */
  uint32_t reserved;
} pelt_crowd_options;

/* Takes all memory and makes all pipelines; submits nothing. `options`: NULL for the defaults. Errors: instances not
 * given for every character, none at all; outputs that contradict each other or are misaligned; recomputed normals of
 * characters without rings; outputs or inputs larger than the device's storage buffer range, with how many instances
 * fit; out of memory. */
PELT_API pelt_result pelt_crowd_create(const pelt_device* device, const pelt_gpu_characters* characters,
                                       const pelt_crowd_options* options, pelt_crowd** out);
PELT_API void pelt_crowd_destroy(pelt_crowd* crowd);

/* For the frame that is recorded next: joint matrices of an instance, model space, 16 floats a joint, column-major. One
 * that is not posed again keeps its pose; one that never was stands at rest. An error with a buffer of joints of the
 * caller's, as for inputs and for what is moved. */
PELT_API pelt_result pelt_crowd_pose(pelt_crowd* crowd, uint32_t instance, const float* joints, uint32_t joint_count);
/* The same for what the skeleton does not move: all inputs at once, the vertices of a stream (3 floats each, model
 * space, metres, in the mesh's order), or a control. What was never given is as at rest. */
PELT_API pelt_result pelt_crowd_inputs(pelt_crowd* crowd, uint32_t instance, const float* values, uint32_t input_count);
PELT_API pelt_result pelt_crowd_stream(pelt_crowd* crowd, uint32_t instance, uint32_t stream, const float* positions,
                                       uint32_t vertex_count);
PELT_API pelt_result pelt_crowd_control(pelt_crowd* crowd, uint32_t instance, uint32_t control, float value);

/* 0: culled, is not moved and keeps its vertices. At first all are shown. */
PELT_API pelt_result pelt_crowd_show(pelt_crowd* crowd, uint32_t instance, uint32_t visible);
/* Moves it every n-th frame, instances taking turns; 0: not until this changes. In the first frame in which it is shown
 * an instance is moved, whatever is said here. */
PELT_API pelt_result pelt_crowd_update_every(pelt_crowd* crowd, uint32_t instance, uint32_t frames);
/* Previous positions of the next frame in which it is moved are those of that frame. */
PELT_API pelt_result pelt_crowd_teleport(pelt_crowd* crowd, uint32_t instance);

enum {
  PELT_DETAIL_FULL = 0,
  PELT_DETAIL_REDUCED =
      1, /* linear meshes by their strongest influences alone, normals without gradients; others full */
  PELT_DETAIL_LINEAR_FIT = 2 /* by the linear blend that was fitted to the deformers, which are then not posed; full
                                where there is none */
};
/* Cross-fades to a detail over so many frames in which it is moved; 0: at once. A fade that is turned round goes back
 * from where it is; one to a third detail begins at the detail that was faded to. */
PELT_API pelt_result pelt_crowd_detail(pelt_crowd* crowd, uint32_t instance, uint32_t detail, uint32_t fade_frames);

/* Records the frame, outside a render pass. Never submits, waits or allocates; leaves a pipeline, set 0 and push
 * constants of compute bound. When a frame is posed and recorded, the one frames_in_flight before it must have finished
 * on the device. Its commands are submitted once, in the order of recording: each frame continues what the one before
 * it left.
 *
 * Barriers of the caller's; docs/runtime.md has them to copy, and all names are VK_PIPELINE_STAGE_2_..._BIT and
 * VK_ACCESS_2_..._BIT.
 *
 * On entry, of what compute shaders have not done before it in the same queue, which is ordered and visible already:
 *
 * - Reads of outputs: ordered before COMPUTE_SHADER, no access.
 * - Writes of the caller's to outputs: visible at COMPUTE_SHADER to SHADER_STORAGE_READ | SHADER_STORAGE_WRITE.
 * - The caller's joints, inputs, visible of pelt_crowd_options: visible at COMPUTE_SHADER to SHADER_STORAGE_READ.
 *
 * On exit:
 *
 * - Outputs, wherever they are: written at COMPUTE_SHADER with SHADER_STORAGE_WRITE; a barrier from there to reads.
 * - The caller's joints, inputs, visible: read at COMPUTE_SHADER with SHADER_STORAGE_READ. What writes them next is
 *   ordered behind COMPUTE_SHADER, no access; the host waits for a fence. */
PELT_API pelt_result pelt_crowd_record(pelt_crowd* crowd, VkCommandBuffer commands);
/* Where compute runs in a queue family of its own outputs change owner, there and back: the buffers that hold them, the
 * crowd's and the caller's, as a whole. In the order of a frame, with the same two families in all four, and between
 * the queues a semaphore whose wait covers all commands:
 *
 * - Compute queue: acquire_back (not before the first frame), pelt_crowd_record, release.
 * - Reading queue: acquire, the reads at `reading_stages`, release_back.
 *
 * Without the way back outputs keep no content, which a frame needs where an instance is not moved and for previous
 * positions. Where both families are one, acquire and release_back are the barriers of one queue, and the other two
 * record nothing. Not for buffers of VK_SHARING_MODE_CONCURRENT, which need the semaphores alone. */
PELT_API pelt_result pelt_crowd_record_release(const pelt_crowd* crowd, VkCommandBuffer commands,
                                               uint32_t compute_family, uint32_t reading_family);
PELT_API pelt_result pelt_crowd_record_acquire(const pelt_crowd* crowd, VkCommandBuffer commands,
                                               uint32_t compute_family, uint32_t reading_family,
                                               VkPipelineStageFlags2 reading_stages, VkAccessFlags2 reading_access);
PELT_API pelt_result pelt_crowd_record_release_back(const pelt_crowd* crowd, VkCommandBuffer commands,
                                                    uint32_t compute_family, uint32_t reading_family,
                                                    VkPipelineStageFlags2 reading_stages);
PELT_API pelt_result pelt_crowd_record_acquire_back(const pelt_crowd* crowd, VkCommandBuffer commands,
                                                    uint32_t compute_family, uint32_t reading_family);

typedef struct pelt_crowd_info {
  uint32_t struct_size;
  uint32_t character_count;
  uint32_t instance_count;
  uint32_t dispatch_count; /* that a frame records, */
  uint32_t barrier_count;  /* whatever the number of instances */
} pelt_crowd_info;

typedef struct pelt_instance_info {
  uint32_t struct_size;
  uint32_t character;
  uint32_t first_vertex; /* among the elements of the outputs */
  uint32_t vertex_count;
} pelt_instance_info;

typedef struct pelt_output_place {
  VkBuffer buffer;
  VkDeviceSize offset;       /* bytes to element 0 */
  pelt_vertex_format format; /* PELT_FORMAT_NONE: not written */
  uint32_t stride;           /* bytes */
} pelt_output_place;

typedef struct pelt_crowd_outputs {
  uint32_t struct_size;
  uint32_t reserved;
  pelt_output_place positions;
  pelt_output_place normals;
  pelt_output_place tangents;
  pelt_output_place previous_positions;
  pelt_output_place bounds; /* one element an instance */
} pelt_crowd_outputs;

PELT_API pelt_result pelt_crowd_get_info(const pelt_crowd* crowd, pelt_crowd_info* info);
PELT_API pelt_result pelt_crowd_get_instance(const pelt_crowd* crowd, uint32_t instance, pelt_instance_info* info);
PELT_API pelt_result pelt_crowd_get_outputs(const pelt_crowd* crowd, pelt_crowd_outputs* outputs);
/* Of element 0 of one of these, for shaders and builds of acceleration structures. Needs
 * VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT of the buffer (pelt_crowd_options.usage; of the caller's the caller's own),
 * and bufferDeviceAddress of the device. */
PELT_API pelt_result pelt_crowd_get_device_address(const pelt_crowd* crowd, const pelt_output_place* place,
                                                   VkDeviceAddress* address);
/* Instances of a character follow each other from this one on. */
PELT_API pelt_result pelt_crowd_get_first_instance(const pelt_crowd* crowd, uint32_t character, uint32_t* instance);
/* Vertex 0 of a mesh, from the first vertex of an instance. PELT_ERROR_NOT_FOUND: the mesh is not written. */
PELT_API pelt_result pelt_crowd_get_mesh_vertex(const pelt_crowd* crowd, uint32_t character, uint32_t mesh,
                                                uint32_t* vertex);

/* Arrays of the caller's for vertex_count vertices. NULL: not wanted. */
typedef struct pelt_vertices {
  uint32_t struct_size;
  uint32_t vertex_count;     /* that of the instance */
  float* positions;          /* 3 a vertex */
  float* normals;            /* 3 a vertex */
  float* tangents;           /* 4 a vertex, w = handedness */
  float* previous_positions; /* 3 a vertex */
} pelt_vertices;

/* For tools and tests: copies what the crowd wrote, unpacked, and waits for everything submitted before. Buffers of the
 * caller's need VK_BUFFER_USAGE_TRANSFER_SRC_BIT. An error for what the crowd does not write. */
PELT_API pelt_result pelt_crowd_read_vertices(const pelt_crowd* crowd, uint32_t instance,
                                              const pelt_vertices* vertices);
PELT_API pelt_result pelt_crowd_read_bounds(const pelt_crowd* crowd, uint32_t instance, float least[3],
                                            float greatest[3]);

#ifdef __cplusplus
}
#endif

#endif
