import { hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Keep } from '../../keep/keep.js';
import { flushDirectory } from '../../lib/flush-directory.js';
import { jsonValue } from '../../lib/json.js';
import { unlessMissing } from '../../lib/missing-file.js';

/** Name of the key file in the data directory. */
const KEY_FILE = 'connection-key.json';

const fileSchema = z.strictObject({ version: z.literal(1), secret: z.base64url().min(43) });
const newSecret = () => randomBytes(32);

/**
 * Reads the keys of a data directory, by which tokens and invite links are signed, and makes the key file when there is none.
 * None of them can be computed from another. @throws Error that says what to do about a key file that is none
 */
export async function loadKeys(dataDir: string): Promise<Record<'token' | 'invite', Uint8Array>> {
  const secret = await madeSecret(dataDir, newSecret());
  // The purpose is the `info` of HKDF (RFC 5869, section 3.2), so each purpose has a key of its own.
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', secret, '', `component-registry connection ${purpose}`, 32));
  return { token: derive('token'), invite: derive('invite') };
}

/** Makes a key file from a secret whose tokens and links shall stay valid. @throws Error when there is another one */
export async function installKeySecret(dataDir: string, secret: Buffer): Promise<void> {
  if ((await madeSecret(dataDir, secret)).equals(secret)) return;
  throw new Error(
    `${join(dataDir, KEY_FILE)} holds another key: move it away; tokens and invite links made with it then end`,
  );
}

/** The secret of a data directory; undefined when there is no key file. @throws Error for a file that is none */
export async function readKeySecret(dataDir: string): Promise<Buffer | undefined> {
  const path = join(dataDir, KEY_FILE);
  const text = await readFile(path, 'utf8').catch(unlessMissing);
  if (text === undefined) return undefined;
  const parsed = fileSchema.safeParse(jsonValue(text));
  if (parsed.success) return Buffer.from(parsed.data.secret, 'base64url');
  throw new Error(
    `${path} is not a key file; restore it from a backup, or delete it: tokens and invite links made so far then end`,
  );
}

/**
 * The secret of a data directory, which is the one given where there was none.
 * The node and the `token` verb may make the key file at the same time: it is linked into its place when it is complete, which
 * unlike a rename never replaces the one that another process has just made, and the slower process reads that one.
 */
async function madeSecret(dataDir: string, made: Buffer): Promise<Buffer> {
  const known = await readKeySecret(dataDir);
  if (known) return known;
  const path = join(dataDir, KEY_FILE);
  const draft = `${path}.${randomUUID()}`;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ version: 1, secret: made.toString('base64url') })}\n`;
  await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true });
  await link(draft, path).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(draft);
  await flushDirectory(dataDir);
  return (await readKeySecret(dataDir)) ?? made;
}

/** The row of the secret that all nodes have. */
export const SECRET = { table: 'secret', key: 'secret' } as const;

/** The secret that all nodes have, in base64url; undefined where none is stored for all. */
export async function sharedSecret(keep: Pick<Keep, 'get'>): Promise<string | undefined> {
  return (await keep.get(SECRET.table, [SECRET.key])).get(SECRET.key)?.value;
}

/**
 * Tokens and invite links that one node has made are good at all that share its data: the key file of this node gets the secret that
 * is stored there, or else its own secret is stored for all. @throws Error when the key file holds another one
 */
export async function shareKey(keep: Pick<Keep, 'exclusively'>, dataDir: string): Promise<void> {
  const own = (await readKeySecret(dataDir)) ?? newSecret();
  const secret = await keep.exclusively(async (now) => {
    const stored = await sharedSecret(now);
    if (stored !== undefined) return { result: stored };
    const value = own.toString('base64url');
    return { rows: [{ ...SECRET, value }], result: value };
  });
  await installKeySecret(dataDir, Buffer.from(secret, 'base64url'));
}
