// SPDX-License-Identifier: MIT
// Drives headless Chromium through the pipe of its debugging protocol, and serves a folder to it.
import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';

const kinds = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

// Serves the first of these folders that has a file; a function instead of a folder returns bytes, or nothing.
export async function serve(...folders) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname.replace(/\/$/, '/index.html');
    for (const folder of folders) {
      const bytes = typeof folder === 'function' ? await folder(path) : await readFile(folder + path).catch(() => undefined);
      if (!bytes) continue;
      response.writeHead(200, { 'content-type': kinds[extname(path)] ?? 'application/octet-stream', 'content-length': bytes.length });
      response.end(bytes);
      return;
    }
    response.writeHead(404).end();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

export const programs = ['chromium-headless-shell', 'chromium'];
export const program = programs.find((name) => spawnSync(name, ['--version']).status === 0);

export class Browser {
  #child;
  #calls = new Map();
  #last = 0;
  #listeners = [];

  static async start() {
    const browser = new Browser();
    // As root there is no sandbox; the pages are this folder's own.
    browser.#child = spawn(program, ['--headless', '--no-sandbox', '--remote-debugging-pipe', '--enable-unsafe-swiftshader',
      '--use-angle=swiftshader', '--disable-dev-shm-usage', 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    let rest = '';
    browser.#child.stdio[4].setEncoding('utf8').on('data', (text) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop();
      messages.forEach((message) => browser.#receive(JSON.parse(message)));
    });
    return browser;
  }

  #receive({ id, result, error, method, params, sessionId }) {
    if (id === undefined) {
      this.#listeners.forEach((listener) => listener(method, params, sessionId));
      return;
    }
    const { done, failed } = this.#calls.get(id);
    this.#calls.delete(id);
    if (error) failed(new Error(error.message));
    else done(result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#last;
    this.#child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((done, failed) => this.#calls.set(id, { done, failed }));
  }

  listen(listener) {
    this.#listeners.push(listener);
  }

  async open(url, { width = 1000, height = 600, scale = 1, mobile = false } = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', width, height });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    await page.send('Page.enable');
    await page.send('Runtime.enable');
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile });
    if (mobile) await page.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await page.send('Page.navigate', { url });
    await page.until("location.protocol === 'http:' && document.readyState === 'complete'");
    return page;
  }

  async close() {
    const ended = new Promise((done) => this.#child.once('exit', done));
    await this.send('Browser.close').catch(() => {});
    await ended;
  }
}

class Page {
  errors = [];  // what the page threw or logged as an error

  constructor(browser, session, target) {
    this.send = (method, params) => browser.send(method, params, session);
    this.close = () => browser.send('Target.closeTarget', { targetId: target });
    browser.listen((method, params, from) => {
      if (from !== session) return;
      if (method === 'Runtime.exceptionThrown') this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === 'Runtime.consoleAPICalled' && params.type === 'error') {
        this.errors.push(params.args.map((arg) => arg.description ?? arg.value).join(' '));
      }
    });
  }

  // Returns the value of an expression, awaited, as JSON carries it.
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async until(expression, seconds = 60) {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end;) {
      // A page that is not loaded yet lacks what the expression names.
      if (await this.evaluate(expression).catch(() => false)) return;
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`not within ${seconds} s: ${expression}; errors of the page: ${this.errors.join('; ') || 'none'}`);
  }

  async key(key, code = key) {
    const text = key === ' ' ? ' ' : undefined;
    await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', key, code, text });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code });
  }

  async drag(from, to) {
    const event = (type, [x, y], buttons) => this.send('Input.dispatchMouseEvent', { type, x, y, buttons, button: 'left', clickCount: 1 });
    await event('mousePressed', from, 1);
    for (let i = 1; i <= 4; ++i) await event('mouseMoved', from.map((start, c) => start + (to[c] - start) * i / 4), 1);
    await event('mouseReleased', to, 0);
  }

  // Returns a PNG.
  async picture() {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }
}
