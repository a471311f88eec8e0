import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startService, type TestService } from '../acceptance/adapters/connection-app.js';
import { openedIn } from '../keep/level-engine.js';
import { cleanup } from '../support/cleanup.js';
import { change, connect, connectionPath, refreshAll } from '../support/connection-requests.js';
import { fakeServer, inTurtle } from '../support/fake-server.js';
import { tempDir } from '../support/temp-dir.js';

/** The service with its records in files, or again on those of one that is closed. */
async function onFiles(after?: TestService): Promise<TestService> {
  const dataDir = after?.dataDir ?? (await tempDir());
  const place = await openedIn(join(dataDir, 'store'));
  cleanup(() => place.close());
  return startService({ dataDir, place });
}

/** Do the files of a service's records hold a part of this text? Compression may replace a few of its letters. */
async function filesHold(node: TestService, text: string, kind = /./): Promise<boolean> {
  const folder = join(node.dataDir, 'store');
  const names = (await readdir(folder)).filter((name) => kind.test(name));
  const files = await Promise.all(names.map((name) => readFile(join(folder, name)))).catch(isGone);
  // LevelDB has put a file into another one meanwhile, which may not have been among the names.
  if (!files) return filesHold(node, text, kind);
  return files.some((file) => text.match(/.{8}/g)?.some((part) => file.includes(part)));
}

/** Gives nothing where a file has gone between its name and its content. */
function isGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const secret = () => randomBytes(64).toString('base64url');

async function restarted(node: TestService): Promise<TestService> {
  await node.service.close();
  await node.place.close();
  return onFiles(node);
}

const PLACES = ['just made', 'in a table', 'among others in several tables'];

describe('the token of a connection that is replaced, or deleted,', () => {
  it.each(PLACES)('is in no file any more when that is answered: %s', async (where) => {
    let node = await onFiles();
    const made = async () => {
      const token = secret();
      return { token, uri: await connect(node, 'urn:alice', { configuration: { accessToken: token } }) };
    };
    const [kept, replaced, deleted] = [await made(), await made(), await made()];
    if (where !== 'just made') node = await restarted(node);
    for (let round = 0; where.startsWith('among') && round < 3; round++) {
      await made();
      node = await restarted(node);
    }
    const held = (...tokens: string[]) => Promise.all(tokens.map((token) => filesHold(node, token)));
    expect(await held(kept.token, replaced.token, deleted.token)).toEqual([true, true, true]);
    const next = { configuration: { accessToken: secret() } };
    expect((await change(node, connectionPath(replaced.uri), next)).status).toBe(200);
    expect(await held(replaced.token, next.configuration.accessToken)).toEqual([false, true]);
    expect((await node.send(connectionPath(deleted.uri), { method: 'DELETE' })).status).toBe(204);
    expect(await held(kept.token, deleted.token)).toEqual([true, false]);
    node = await restarted(node);
    expect((await node.send(connectionPath(replaced.uri))).json).toMatchObject(next);
    expect((await node.send(connectionPath(kept.uri))).status).toBe(200);
    expect((await node.send(connectionPath(deleted.uri))).status).toBe(404);
  });

  it('goes with what was read through it', async () => {
    const pod = await fakeServer();
    const node = await onFiles();
    const read = secret();
    pod.on('/notes', inTurtle(`<urn:a> <urn:b> "${read}" .`));
    const uri = await connect(node, 'urn:alice', { source: pod.url('/notes') });
    await refreshAll(node);
    expect(await filesHold(node, read)).toBe(true);
    await node.send(connectionPath(uri), { method: 'DELETE' });
    // Beside them, LevelDB notes between which keys its tables lie until it is opened again, and quads are keys.
    expect(await filesHold(node, read, /\.(ldb|log)$/)).toBe(false);
  });
});
