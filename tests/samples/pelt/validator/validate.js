// SPDX-License-Identifier: MIT
// node validate.js SCHEMAS FILE...: prints a list that has for each file its errors and warnings, as "CODE pointer:
// message", and the errors of its PELT_deformers extension. SCHEMAS is a list of schemas, [[uri, path]...]; the first
// is the extension's own.
'use strict';
const fs = require('fs');
const path = require('path');
const validator = require('gltf-validator');
const Ajv = require('ajv/dist/2020');

const kMaxIssues = 10000;

function extensionValidator(schemas) {
  const ajv = new Ajv({ strict: false });
  const [schema, ...others] = schemas.map(([uri, file]) => ({ $id: uri, ...JSON.parse(fs.readFileSync(file)) }));
  others.forEach((schema) => ajv.addSchema(schema));
  return ajv.compile(schema);
}

function jsonOf(bytes) {
  const text = bytes.toString('latin1', 0, 4) === 'glTF' ? bytes.subarray(20, 20 + bytes.readUInt32LE(12)) : bytes;
  return JSON.parse(text.toString('utf8'));
}

async function describe(file, conforms) {
  const bytes = fs.readFileSync(file);
  const report = await validator.validateBytes(new Uint8Array(bytes), {
    uri: path.basename(file),
    maxIssues: kMaxIssues,
    externalResourceFunction: async (uri) =>
      new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)))),
  });
  const ofSeverity = (severity) =>
    report.issues.messages
      .filter((issue) => issue.severity === severity)
      .map((issue) => `${issue.code} ${issue.pointer || issue.offset}: ${issue.message}`);
  const extension = (jsonOf(bytes).extensions || {}).PELT_deformers;
  const schema = extension && !conforms(extension) ? conforms.errors : [];
  return { errors: ofSeverity(0), warnings: ofSeverity(1), extension: extension !== undefined, schema };
}

async function main() {
  const [schemas, ...files] = process.argv.slice(2);
  const conforms = extensionValidator(JSON.parse(schemas));
  const all = [];
  for (const file of files) all.push(await describe(file, conforms));
  console.log(JSON.stringify(all));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
