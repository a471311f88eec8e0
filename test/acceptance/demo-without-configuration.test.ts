import { expect, test } from 'vitest';
import { startProgram } from '../support/run-program.js';
import { tempDir } from '../support/temp-dir.js';

test('the samples are shown where nobody has written a configuration', async () => {
  const cwd = await tempDir();
  const env = { REGISTRY_LISTEN_PORT: '0' };
  const { child, says, exit } = startProgram(['--demo'], { cwd, env });
  const [line = ''] = await says(/^.*"msg":"listening".*$/m);
  const { url } = JSON.parse(line) as { url: string };
  const listed = (await (await fetch(`${url.replace(/\/$/, '')}/component`)).json()) as unknown[];
  expect(listed.length).toBeGreaterThan(2);
  child.kill('SIGTERM');
  expect(await exit).toEqual({ code: 0, signal: null });
});

test('without samples, and with a file that is named, a missing configuration ends the start with the way out', async () => {
  const cwd = await tempDir();
  for (const args of [[], ['--demo', '--config', 'other.json']]) {
    const { exit, ended } = startProgram(args, { cwd });
    expect(await exit).toEqual({ code: 1, signal: null });
    const { stderr } = await ended;
    expect(stderr).toMatch(/there is no such file: name one with --config/);
  }
});
