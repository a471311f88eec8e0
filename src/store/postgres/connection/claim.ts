import { StoreUnavailable } from '../../../lib/faults.js';
import { UnusableData } from '../../unusable-data.js';
import type { Session } from './session.js';
import type { Transaction } from './transaction.js';

/** After so many seconds without a sign of life a node counts as gone, and so does who has claimed the database. */
export const NODE_LIFETIME = 15;

/** Who may change the database alone, for a while: an import. One row at most. */
export const CLAIM_TABLE = `CREATE TABLE IF NOT EXISTS registry.claim (
  id smallint PRIMARY KEY,
  holder text NOT NULL,
  until timestamptz NOT NULL
)`;

/** With the last statement of a transaction. So whoever was silent for so long that a claim was granted cannot write, either. */
const TOKEN = `INSERT INTO registry.commit_token (token)
  SELECT $1::text WHERE NOT EXISTS (SELECT 1 FROM registry.claim WHERE holder <> $2 AND until > now()) RETURNING token`;

const CLAIMED = 'An import into the database is going on';

/** Notes that a transaction commits, which fails with StoreUnavailable while somebody else has claimed the database. */
export function writeToken(transaction: Transaction, token: string, holder: string): void {
  const check = (written: number) => {
    if (written > 0) return;
    throw new StoreUnavailable(`${CLAIMED}: nothing else can be stored until it has ended`);
  };
  transaction.later(TOKEN, [token, holder], { check });
}

/** Behind the lock of the head, as nodes join: either they see the claim, or it is refused. @throws UnusableData */
export async function takeClaim(session: Session, holder: string): Promise<void> {
  const nodes = await session.rows<{ base_url: string }>('SELECT base_url FROM registry.node');
  const [node] = nodes;
  if (node) {
    throw new UnusableData(
      `The database is used by ${nodes.length === 1 ? 'a node' : `${nodes.length} nodes`} of ${node.base_url}: stop all of them, and import again. Nodes that were killed count for ${NODE_LIFETIME} seconds more`,
    );
  }
  const taken = await session.rows(
    `INSERT INTO registry.claim AS c (id, holder, until) VALUES (1, $1, now() + $2 * interval '1 second')
     ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE c.until <= now()
     RETURNING id`,
    [holder, NODE_LIFETIME],
  );
  if (taken.length === 0) throw new UnusableData(`${CLAIMED} already: wait until it has ended`);
}

/** @throws UnusableData while somebody else has claimed the database */
export async function refuseClaimed(session: Session): Promise<void> {
  const claims = await session.rows('SELECT id FROM registry.claim WHERE until > now()');
  if (claims.length > 0) throw new UnusableData(`${CLAIMED}: start again when it has ended`);
}

export async function renewClaim(session: Session, holder: string): Promise<void> {
  await session.rows(`UPDATE registry.claim SET until = now() + $2 * interval '1 second' WHERE holder = $1`, [
    holder,
    NODE_LIFETIME,
  ]);
}

export async function dropClaim(session: Session, holder: string): Promise<void> {
  await session.rows('DELETE FROM registry.claim WHERE holder = $1', [holder]);
}
