// SPDX-License-Identifier: MIT
// Finds the box of a record. Whoever includes this defines before it:
//     BoundsWork         first_word: of the character's records; palette_first: palette entry of the instance
//     bounds_word        returns a word of the records and their entries
//     bounds_entry       returns a palette entry
//     has_bounds         false: no record is of that kind
//     morph_reach        returns the farthest that the instance's morph targets may move a vertex of the record

// The entries of a group.
struct Entries {
  uint first_word;
  uint count;
  uint first_entry;  // palette entry that index 0 names
};

PELT_SHARED_FN vec3 bounds_vector(BoundsWork work, uint i) {
  return uintBitsToFloat(uvec3(bounds_word(work, i), bounds_word(work, i + 1u), bounds_word(work, i + 2u)));
}

// `wider`: the farthest that morph targets move local points.
PELT_SHARED_FN Box shares_box(BoundsWork work, Entries entries, float wider, float negative) {
  Box box = box_begin();
  for (uint i = 0u; i < entries.count; ++i) {
    uint word = entries.first_word + kBoundsSharesWords * i;
    Affine entry = bounds_entry(work, entries.first_entry + bounds_word(work, word));
    box = box_with_mapped(box, entry, bounds_vector(work, word + 1u), bounds_vector(work, word + 4u) + wider);
  }
  return box_grown(box, negative * (box.greatest - box.least));
}

PELT_SHARED_FN uint dual_entry_at(BoundsWork work, Entries entries, uint i) {
  return entries.first_entry + bounds_word(work, entries.first_word + kBoundsDualWords * i);
}

// Returns a bit mask of the earlier entries that share a vertex with entry i.
PELT_SHARED_FN uint sharing_at(BoundsWork work, Entries entries, uint i) {
  return bounds_word(work, entries.first_word + kBoundsDualWords * i + 1u);
}

PELT_SHARED_FN DualQuaternion motion_at(BoundsWork work, Entries entries, uint i) {
  Affine entry = bounds_entry(work, dual_entry_at(work, entries, i));
  return DualQuaternion(entry[0], entry[1]);
}

PELT_SHARED_FN Affine rigid_at(BoundsWork work, Entries entries, uint i) {
  DualQuaternion motion = motion_at(work, entries, i);
  return rigid_from_dual_quaternion(motion, motion);
}

// Returns true if three entries that share vertices with each other have no common side.
PELT_SHARED_FN bool any_disagrees(BoundsWork work, Entries entries) {
  for (uint i = 0u; i < entries.count; ++i) {
    vec4 motion = motion_at(work, entries, i).real;
    for (uint left = sharing_at(work, entries, i); left != 0u; left &= left - 1u) {
      uint k = uint(findLSB(left));
      vec4 other = motion_at(work, entries, k).real;
      for (uint thirds = sharing_at(work, entries, i) & sharing_at(work, entries, k); thirds != 0u; thirds &= thirds - 1u) {
        vec4 third = motion_at(work, entries, uint(findLSB(thirds))).real;
        if (sides_disagree(dot(motion, other), dot(other, third), dot(third, motion))) return true;
      }
    }
  }
  return false;
}

// Returns the box of the box middle +- reach under the stretches of the entries.
PELT_SHARED_FN Box stretched_box(BoundsWork work, Entries entries, vec3 middle, vec3 reach) {
  Box box = box_begin();
  for (uint i = 0u; i < entries.count; ++i)
    box = box_with_mapped(box, bounds_entry(work, dual_entry_at(work, entries, i) + 1u), middle, reach);
  return box;
}

// Returns the box for motions that may nearly cancel.
PELT_SHARED_FN Box disagreeing_box(BoundsWork work, Entries entries, uint row_entries, vec3 middle, vec3 reach) {
  Box box = box_begin();
  for (uint i = 0u; i < entries.count; ++i)
    box = box_with(box, transform_point(rigid_at(work, entries, i), middle), vec3(0.0f));
  return box_grown(box, vec3(float(row_entries - 1u) * distance(box.least, box.greatest) + length(reach)));
}

PELT_SHARED_FN Box dual_box(BoundsWork work, Entries entries, uint row_entries, vec3 middle, vec3 reach) {
  Box stretched = stretched_box(work, entries, middle, reach);
  middle = 0.5f * (stretched.least + stretched.greatest);
  reach = 0.5f * (stretched.greatest - stretched.least);
  if (entries.count > kBoundsDualEntries || any_disagrees(work, entries))
    return disagreeing_box(work, entries, row_entries, middle, reach);
  DualPairs pairs = dual_pairs_begin();
  for (uint i = 0u; i < entries.count; ++i) {
    DualQuaternion motion = motion_at(work, entries, i);
    pairs.box = box_with_mapped(pairs.box, rigid_from_dual_quaternion(motion, motion), middle, reach);
    for (uint left = sharing_at(work, entries, i); left != 0u; left &= left - 1u) {
      DualQuaternion other = on_side_of(motion_at(work, entries, uint(findLSB(left))), motion);
      // If they are half a turn apart, rounding decides the side in the blend, so both are added.
      uint sides = dot(motion.real, other.real) > kNearlyHalfATurn ? 1u : 2u;
      for (uint side = 0u; side < sides; ++side) {
        pairs = dual_pairs_add(pairs, motion, other, row_entries, middle, reach);
        other = DualQuaternion(-other.real, -other.dual);
      }
    }
  }
  return dual_pairs_box(pairs, row_entries);
}

PELT_SHARED_FN Box record_box(BoundsWork work, BoundsRecord record) {
  float wider = morph_reach(work, record);
  vec3 reach = unpacked(record.reach) + wider;
  uint first = work.palette_first + record.first_entry;
  Entries entries = Entries(work.first_word + record.first_word, record.entry_count, first);
  if (has_bounds(kBoundsDual) && record.kind == kBoundsDual)
    return dual_box(work, entries, record.row_entries, unpacked(record.middle), reach);
  if (has_bounds(kBoundsShares) && record.kind == kBoundsShares)
    return shares_box(work, entries, wider, record.negative);
  return box_with_mapped(box_begin(), bounds_entry(work, first), unpacked(record.middle), reach);
}
