import { unusableDatabase } from '../connection/advice.js';
import { only } from '../connection/session.js';
import { openDatabase, type PostgresStoreOptions } from '../open-database.js';
import { migrate } from '../schema/migrate.js';
import { RECORD_MIGRATIONS } from '../schema/record-migrations.js';

/**
 * The secret that the nodes of a database sign with: the one that is there, or else this node's own from now on.
 * @throws UnusableData
 */
export async function sharedSecret(options: PostgresStoreOptions, own: Buffer): Promise<Buffer> {
  const database = await openDatabase(options);
  try {
    await migrate(database, 'connection', RECORD_MIGRATIONS);
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
