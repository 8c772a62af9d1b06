// SPDX-License-Identifier: MIT
// Binds a file for the page, which goes on meanwhile, and ends this worker to stop it.
import { bind } from './bind.js';

self.onmessage = async ({ data: { file, name, options } }) => {
  try {
    const bound = await bind(file, { ...options, name, progress: (fraction, what) => self.postMessage({ fraction, what }) });
    self.postMessage({ bound }, [bound.bytes.buffer]);
  } catch (error) {
    self.postMessage({ error: error.message });
  }
};
