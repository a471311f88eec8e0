import { randomBytes } from 'node:crypto';
import type { Keep } from '../../keep/keep.js';
import { installKeySecret, KEY_SECRET_BYTES, readKeySecret } from './key-file.js';

/** The row of the secret that all nodes have. */
export const SECRET = { table: 'secret', key: 'secret' } as const;

/**
 * Tokens and invite links that one node has made are good at all that share its data: the key file of this node gets the secret that
 * is stored there, or else its own secret is stored for all. @throws UnusableKey when the key file holds another one
 */
export async function shareKey(keep: Pick<Keep, 'exclusively'>, dataDir: string): Promise<void> {
  const own = (await readKeySecret(dataDir)) ?? randomBytes(KEY_SECRET_BYTES);
  const secret = await keep.exclusively(async (now) => {
    const stored = (await now.get(SECRET.table, [SECRET.key])).get(SECRET.key);
    if (stored) return { result: stored.value };
    const value = own.toString('base64url');
    return { rows: [{ ...SECRET, value }], result: value };
  });
  await installKeySecret(dataDir, Buffer.from(secret, 'base64url'));
}
