// SPDX-License-Identifier: MIT
// node tangents.js IN OUT: the tangents that MikkTSpace gives the corners of triangles.
//
//   IN     for all corners positions, then normals, then UVs, floats
//   OUT    for each corner xyz and handedness, floats, as MikkTSpace gives them: its v rises
import fs from 'node:fs';
import { createRequire } from 'node:module';

const { generateTangents } = createRequire(import.meta.url)('mikktspace');

const [file, out] = process.argv.slice(2);
const values = new Float32Array(new Uint8Array(fs.readFileSync(file)).buffer);
const corners = values.length / 8;
const tangents = generateTangents(
  values.slice(0, 3 * corners), values.slice(3 * corners, 6 * corners), values.slice(6 * corners));
fs.writeFileSync(out, new Uint8Array(tangents.buffer, tangents.byteOffset, tangents.byteLength));
