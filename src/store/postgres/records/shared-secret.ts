import { unusableDatabase } from '../connection/advice.js';
import { only } from '../connection/session.js';
import { openDatabase, type PostgresStoreOptions } from '../open-database.js';
import { makeTables } from '../schema/make-tables.js';
import { RECORD_LAYOUT } from '../schema/record-layout.js';

/**
 * The secret that the nodes of a database sign with: the one that is there, or else this node's own from now on.
 * @throws UnusableData
 */
export async function sharedSecret(options: PostgresStoreOptions, own: Buffer): Promise<Buffer> {
  const database = await openDatabase(options);
  try {
    await makeTables(database, 'connection', RECORD_LAYOUT);
    const rows = await database.write(async (session) => {
      await session.rows('INSERT INTO connection.secret (id, secret) VALUES (1, $1) ON CONFLICT DO NOTHING', [
        own.toString('base64url'),
      ]);
      return session.rows<{ secret: string }>('SELECT secret FROM connection.secret WHERE id = 1');
    });
    return Buffer.from(only(rows, 'secret').secret, 'base64url');
  } catch (error) {
    throw unusableDatabase(database.described, error);
  } finally {
    await database.close();
  }
}
