// SPDX-License-Identifier: MIT
// Makes characters from glTF files. bind.d.ts describes it.
import { Machine, readSource, utf8 } from './machine.js';

export async function bind(source, { name: given, deformer = '', rig, progress } = {}) {
  const { bytes, name } = await readSource(source, { name: given });
  const machine = await Machine.make('pelt_bind.wasm', {
    progress: (fraction, what) => progress?.(fraction, machine.text(what)),
  });
  const texts = [name, deformer, rig === undefined ? '' : JSON.stringify(rig)].map((text) => utf8.encode(text));
  const bound = machine.with(bytes, (at) => machine.with(texts[0], (named) => machine.with(texts[1], (by) =>
    machine.with(texts[2], (json) => machine.need('pelt_bind', at, bytes.length, named, by, json)))));
  const size = machine.call('pelt_bound_size', bound);
  return {
    bytes: machine.array(Uint8Array, machine.call('pelt_bound_character', bound), size).slice(),
    report: JSON.parse(machine.text(machine.call('pelt_bound_report', bound))),
  };
}
