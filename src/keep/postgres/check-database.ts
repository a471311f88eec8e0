import { unusableDatabase } from './advice.js';
import type { Session } from './database.js';
import { type DatabaseOptions, openDatabase } from './open-database.js';
import { hasTables, refuseOtherLayout } from './schema.js';

/** The table of the registry that has a row for each description of a component. */
const DESCRIPTIONS = 'statement';

/**
 * Connects to a database, changes nothing, and says in a few words what is there.
 * @throws KeepUnusable that says what is wrong, and what to do about it
 */
export async function checkDatabase(options: Omit<DatabaseOptions, 'connections'>): Promise<string> {
  const database = await openDatabase({ ...options, connections: 1 });
  const { described } = database;
  try {
    return await database.run((session) => contentOf(session, described));
  } catch (error) {
    throw unusableDatabase(described, error);
  } finally {
    await database.close();
  }
}

async function contentOf(session: Session, place: string): Promise<string> {
  const [server] = await session.query<{ version: string; durability: string | null }>(
    `SELECT version() AS version, current_setting('fsync', true) AS durability`,
  );
  const name = server?.version.split(/[ ,(]/).slice(0, 2).join(' ');
  const isForgetful = server?.durability === 'off';
  const warning = isForgetful ? '; its fsync is off: a crash loses what was acknowledged' : '';
  return `${name} at ${place}, ${await tablesText(session, place)}${warning}`;
}

async function tablesText(session: Session, place: string): Promise<string> {
  if (!(await hasTables(session, place))) return 'no tables yet';
  const layout = await refuseOtherLayout(session, place);
  const [counted] = await session.query<{ count: number }>(
    "SELECT count(*) AS count FROM keep.row WHERE service = 'registry' AND tbl = $1",
    [DESCRIPTIONS],
  );
  return `layout ${layout}, ${counted?.count ?? 0} descriptions of components`;
}
