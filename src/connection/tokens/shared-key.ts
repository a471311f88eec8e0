import { randomBytes } from 'node:crypto';
import type { Keep } from '../../keep/keep.js';
import { installKeySecret, KEY_SECRET_BYTES, readKeySecret } from './key-file.js';

const ROW = { table: 'secret', key: 'secret' };

/**
 * Tokens and invite links that one node has made are good at all that share its data: the key file of this node gets the secret that
 * is stored there, or else its own secret is stored for all. @throws UnusableKey when the key file holds another one
 */
export async function shareKey(keep: Pick<Keep, 'exclusively'>, dataDir: string): Promise<void> {
  const own = (await readKeySecret(dataDir)) ?? randomBytes(KEY_SECRET_BYTES);
  const secret = await keep.exclusively(async (now) => {
    const stored = (await now.get(ROW.table, [ROW.key])).get(ROW.key);
    if (stored) return { result: stored.value };
    const value = own.toString('base64url');
    return { rows: [{ ...ROW, value }], result: value };
  });
  await installKeySecret(dataDir, Buffer.from(secret, 'base64url'));
}
