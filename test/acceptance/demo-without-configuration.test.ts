import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { bareEnv, exitOf } from '../support/child.js';
import { MAIN } from '../support/node/node-process.js';
import { tempDir } from '../support/temp-dir.js';

test('the samples are shown where nobody has written a configuration', async () => {
  const cwd = await tempDir();
  const env = bareEnv({ REGISTRY_LISTEN_PORT: '0' });
  const child = spawn(process.execPath, [MAIN, '--demo'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = exitOf(child);
  let url = '';
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, url: told } = JSON.parse(line) as { msg: string; url?: string };
    if (msg !== 'listening' || told === undefined) continue;
    url = told;
    break;
  }
  const listed = (await (await fetch(`${url.replace(/\/$/, '')}/component`)).json()) as unknown[];
  expect(listed.length).toBeGreaterThan(2);
  child.kill('SIGTERM');
  expect(await exit).toEqual({ code: 0, signal: null });
});

test('without samples, and with a file that is named, a missing configuration ends the start with the way out', async () => {
  const cwd = await tempDir();
  for (const args of [[], ['--demo', '--config', 'other.json']]) {
    const child = spawn(process.execPath, [MAIN, ...args], { cwd, env: bareEnv() });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    expect(await exitOf(child)).toEqual({ code: 1, signal: null });
    expect(text).toMatch(/there is no such file: name one with --config/);
  }
});
