import type { Config } from '../../config.js';
import { UnusableData } from '../unusable-data.js';
import { unusableDatabase } from './connection/advice.js';
import { only, type Session } from './connection/session.js';
import { openDatabase, type PostgresStoreOptions } from './open-database.js';
import { REGISTRY_LAYOUT } from './schema/layout.js';
import { otherLayout } from './schema/make-tables.js';

interface ServerRow {
  readonly version: string;
  readonly encoding: string;
  readonly may_create: boolean;
  readonly durability: string | null;
  readonly has_tables: boolean;
}

const SERVER = `SELECT version() AS version, current_setting('server_encoding') AS encoding,
  has_database_privilege(current_database(), 'CREATE') AS may_create,
  current_setting('fsync', true) AS durability,
  EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = 'registry' AND table_name = 'node') AS has_tables`;

/**
 * Connects to the database of a configuration, changes nothing, and says in a few words what is there.
 * @throws UnusableData that says what is wrong, and what to do about it
 */
export async function checkDatabase(
  options: PostgresStoreOptions,
  { baseUrl }: Pick<Config, 'baseUrl'>,
): Promise<string> {
  const database = await openDatabase(options);
  try {
    return await database.readConsistently(async (session) => {
      const server = only(await session.rows<ServerRow>(SERVER), 'settings');
      refuseServer(server, database.described);
      const name = server.version.split(/[ ,(]/).slice(0, 2).join(' ');
      const durability =
        server.durability === 'off' ? '; its fsync is off: a crash loses what was acknowledged' : '';
      const held = server.has_tables
        ? await contentOf(session, database.described, baseUrl)
        : 'no tables yet';
      return `${name} at ${database.described}, ${held}${durability}`;
    });
  } catch (error) {
    throw unusableDatabase(database.described, error);
  } finally {
    await database.close();
  }
}

function refuseServer({ encoding, may_create, has_tables }: ServerRow, place: string): void {
  if (encoding !== 'UTF8') {
    throw new UnusableData(
      `The database ${place} has the encoding ${encoding}; make one with createdb --encoding=UTF8`,
    );
  }
  if (!may_create && !has_tables) {
    throw new UnusableData(
      `The user of the database ${place} may not make tables there: GRANT CREATE ON DATABASE … TO …, or make the user its owner`,
    );
  }
}

interface ContentRow {
  readonly version: number;
  readonly components: number | null;
}

/** @throws UnusableData for a newer schema, or nodes of another registry */
async function contentOf(session: Session, place: string, baseUrl: string): Promise<string> {
  const { version, components } = only(
    await session.rows<ContentRow>(
      `SELECT version, (SELECT components FROM registry.head WHERE id = 1) AS components
       FROM registry.schema_version WHERE area = 'registry'`,
    ),
    'version of its tables',
  );
  if (version !== REGISTRY_LAYOUT.version) throw otherLayout(place, version, REGISTRY_LAYOUT.version);
  const nodes = await session.rows<{ base_url: string }>(
    `SELECT base_url FROM registry.node WHERE seen > now() - 15 * interval '1 second'`,
  );
  const other = nodes.find(({ base_url }) => base_url !== baseUrl);
  if (other) {
    throw new UnusableData(
      `The database ${place} is in use by the registry at ${other.base_url}, and baseUrl here is ${baseUrl}: nodes that share a database have the same baseUrl`,
    );
  }
  return `schema version ${version}, ${components ?? 0} components, ${nodes.length} nodes running`;
}
