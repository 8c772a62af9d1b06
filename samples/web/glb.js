// SPDX-License-Identifier: MIT
// Finds the character in a .glb, as docs/PELT_deformers/README.md specifies.

// What the hash is made of, in order.
const hashed = ['accessors', 'animations', 'bufferViews', 'meshes', 'nodes', 'scene', 'scenes', 'skins'];

const utf8 = new TextEncoder();

function compareBytes(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; ++i) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

// Bytes of JSON values in the encoding of the hash.
class Encoded {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;

  get bytes() {
    return this.#bytes.subarray(0, this.#length);
  }

  #room(size) {
    if (this.#length + size > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#length + size));
      larger.set(this.bytes);
      this.#bytes = larger;
    }
    this.#length += size;
    return this.#length - size;
  }

  add(bytes) {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
  }

  #head(tag, number, isFloat = false) {
    const at = this.#room(9);
    const view = new DataView(this.#bytes.buffer, at);
    view.setUint8(0, tag.charCodeAt(0));
    if (isFloat) view.setFloat64(1, number, true);
    else view.setBigUint64(1, BigInt(number), true);
  }

  #text(bytes) {
    this.#head('s', bytes.length);
    this.add(bytes);
  }

  value(of) {
    if (of === null || of === undefined) this.add(utf8.encode('n'));
    else if (typeof of === 'boolean') this.add(utf8.encode(of ? 't' : 'f'));
    else if (typeof of === 'number') this.#head('d', of + 0, true);
    else if (typeof of === 'string') this.#text(utf8.encode(of));
    else if (Array.isArray(of)) {
      this.#head('a', of.length);
      for (const entry of of) this.value(entry);
    } else {
      const members = Object.entries(of).map(([key, member]) => [utf8.encode(key), member]);
      this.#head('o', members.length);
      for (const [key, member] of members.sort(([a], [b]) => compareBytes(a, b))) {
        this.#text(key);
        this.value(member);
      }
    }
  }
}

const isGlb = (file) => file.length >= 12 && file[0] === 0x67 && file[1] === 0x6c && file[2] === 0x54 && file[3] === 0x46;

// Returns the bytes of the character, which are the whole file if it is no .glb. `hash`: XXH3-64 of bytes, a BigInt.
export function characterOf(file, name, hash, fail) {
  if (!isGlb(file)) return file;
  const invalid = (why) => fail('invalid_file', `${name}: ${why}`);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const chunks = [];
  for (let at = 12; at + 8 <= file.length && chunks.length < 2;) {
    const length = view.getUint32(at, true);
    if (length > file.length - at - 8) invalid(`/: a chunk of ${length} bytes ends beyond the file`);
    chunks.push({ kind: view.getUint32(at + 4, true), bytes: file.subarray(at + 8, at + 8 + length) });
    at += 8 + length + (-length & 3);
  }
  const [json, binary] = chunks;
  if (json?.kind !== 0x4e4f534a) invalid('/: has no JSON');
  let root;
  try {
    root = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json.bytes));
  } catch (error) {
    invalid(`/: is not JSON: ${error.message}`);
  }
  const place = '/extensions/PELT_deformers';
  const extension = root?.extensions?.PELT_deformers;
  if (!extension?.character) {
    fail('unsupported', `${name}: has no character; \`pelt bind ${name} -o ${name}\` adds one`);
  }
  if (extension.version !== 1) fail('unsupported', `${name}: ${place}/version: is ${extension.version}, but this program reads 1`);
  const index = extension.character.bufferView;
  const where = root.bufferViews?.[index];
  const size = root.buffers?.[0]?.byteLength;
  if (!where || where.buffer !== 0) invalid(`${place}/character/bufferView: names no buffer view of buffer 0`);
  if (binary?.kind !== 0x004e4942 || !(size <= binary.bytes.length)) invalid('/buffers/0: is not the binary chunk');
  const { byteOffset: first = 0, byteLength: length } = where;
  if (!(Number.isInteger(first) && Number.isInteger(length) && first >= 0 && length >= 0 && first + length <= size)) {
    invalid(`/bufferViews/${index}: must be within the ${size} bytes of its buffer`);
  }
  const encoded = new Encoded();
  encoded.value(extension.rig);
  for (const key of hashed) {
    encoded.value(key === 'bufferViews' ? root[key].filter((_, i) => i !== index) : root[key]);
  }
  encoded.add(binary.bytes.subarray(0, first));
  encoded.add(binary.bytes.subarray(first + length, size));
  if (hash(encoded.bytes).toString(16).padStart(16, '0') !== extension.character.hash) {
    fail('unsupported', `${name}: was edited after its character was bound; \`pelt bind ${name} -o ${name}\` binds it again`);
  }
  return binary.bytes.subarray(first, first + length);
}
