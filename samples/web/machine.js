// SPDX-License-Identifier: MIT
// WebAssembly with a memory of its own, and its errors.

// In the order of pelt::ErrorCode.
const codes = ['invalid_argument', 'not_found', 'read_failed', 'write_failed', 'invalid_file', 'unsupported',
  'device_failed', 'stopped', 'out_of_memory'];

export class PeltError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'PeltError';
    this.code = code;
  }
}

export const fail = (code, message) => {
  throw new PeltError(code, message);
};

export const utf8 = new TextEncoder();

async function fetchBytes(url) {
  try {
    if (url.protocol === 'file:') return await (await import('node:fs/promises')).readFile(url);
    const response = await fetch(url);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    return fail('read_failed', `${url}: the server answers ${response.status} ${response.statusText}`.trimEnd());
  } catch (error) {
    if (error instanceof PeltError) throw error;
    return fail('read_failed', `${url}: cannot be read: ${error.message}`);
  }
}

const toUrl = (address) => new URL(address, globalThis.location?.href ?? import.meta.url);

// Returns the bytes and the name of what a user gives: an address, bytes, or a file.
export async function readSource(source, { name } = {}) {
  if (typeof Blob === 'function' && source instanceof Blob) {
    return { bytes: new Uint8Array(await source.arrayBuffer()), name: name ?? source.name ?? 'memory' };
  }
  if (source instanceof ArrayBuffer) return { bytes: new Uint8Array(source), name: name ?? 'memory' };
  if (ArrayBuffer.isView(source)) {
    return { bytes: new Uint8Array(source.buffer, source.byteOffset, source.byteLength), name: name ?? 'memory' };
  }
  const url = toUrl(source);
  return { bytes: await fetchBytes(url), name: name ?? decodeURI(url.pathname.split('/').pop()) };
}

const wasm = {};  // a module, its bytes or its address, by the file's name
for (const name of ['pelt.wasm', 'pelt_bind.wasm']) wasm[name] = new URL(name, import.meta.url);
const modules = {};  // promises of a WebAssembly.Module

export function useWasm(source, name = 'pelt.wasm') {
  wasm[name] = source;
  delete modules[name];
}

async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  return WebAssembly.compile(source instanceof ArrayBuffer || ArrayBuffer.isView(source) ? source : await fetchBytes(toUrl(source)));
}

// An instance of a WebAssembly file. `imports`: functions that it calls.
export class Machine {
  static async make(name = 'pelt.wasm', imports = {}) {
    modules[name] ??= compile(wasm[name]);
    try {
      return new Machine(await modules[name], imports);
    } catch (error) {
      delete modules[name];  // the next call tries again
      if (error instanceof PeltError) throw error;
      return fail('unsupported', `${name} does not start here: ${error.message}`);
    }
  }

  constructor(compiled, imports) {
    const refuse = () => 52;  // ENOSYS: there are no files
    const wasi = new Proxy({}, { get: () => refuse });
    const { exports } = new WebAssembly.Instance(compiled, { wasi_snapshot_preview1: wasi, pelt: imports });
    this.exports = exports;
    this.memory = exports.memory;
    this.call('_initialize');
  }

  // Calls an exported function. After a trap the memory is not used again.
  call(name, ...numbers) {
    if (this.trap) fail('internal', `an earlier call failed: ${this.trap}`);
    try {
      return this.exports[name](...numbers);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) throw error;
      this.trap = error.message;
      const refused = codes[this.exports.pelt_error_code()] === 'out_of_memory';
      return fail(refused ? 'out_of_memory' : 'internal', refused ? 'out of memory' : `${name}: ${error.message}`);
    }
  }

  // The same; throws the error if the function returns 0.
  need(name, ...numbers) {
    const result = this.call(name, ...numbers);
    if (result === 0) fail(codes[this.call('pelt_error_code')], this.text(this.call('pelt_last_error')));
    return result;
  }

  text(address) {
    const bytes = new Uint8Array(this.memory.buffer, address);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  // Calls the body with the address of a copy of the bytes, which ends with a zero.
  with(bytes, body) {
    const address = this.call('pelt_allocate', bytes.length + 1);
    const copy = new Uint8Array(this.memory.buffer, address, bytes.length + 1);
    copy.set(bytes);
    copy[bytes.length] = 0;
    try {
      return body(address);
    } finally {
      if (!this.trap) this.call('pelt_free', address);
    }
  }

  array(Type, address, length) {
    return new Type(this.memory.buffer, address, length);
  }
}
