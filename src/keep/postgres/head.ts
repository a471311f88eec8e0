import { KeepDamaged } from '../faults.js';
import type { Head } from '../keep.js';
import type { Session } from './database.js';

/** Heads that are remembered, each with the rows that its commit deleted: who is farther behind loads anew. */
const REMEMBERED = 10_000;
/** After so many commits, what is older is forgotten. */
export const FORGETTING = 64;
/** Deleted rows that one statement forgets. */
const PORTION = 1_000;

const HEAD = 'SELECT epoch, version, mark FROM keep.head WHERE service = $1';

export async function readHead(session: Session, service: string): Promise<Head> {
  return only(await session.query<Head & Record<string, unknown>>(HEAD, [service]), session, service);
}

/** The first lock of every transaction that writes: all other commits of the service wait until this one has ended. */
export async function lockHead(session: Session, service: string): Promise<Head> {
  return only(
    await session.query<Head & Record<string, unknown>>(`${HEAD} FOR UPDATE`, [service]),
    session,
    service,
  );
}

function only([head]: readonly Head[], { place }: Session, service: string): Head {
  if (head) return { epoch: head.epoch, version: head.version, mark: head.mark };
  const what = `there is no head of the service "${service}": was a table emptied by hand?`;
  throw new KeepDamaged(place, what, { way: 'restore a backup of the database' });
}

/** Makes the head of a service that has never been here. */
export async function createHead(session: Session, service: string, head: Head): Promise<void> {
  await session.query(
    'INSERT INTO keep.head (service, epoch, version, mark) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [service, head.epoch, head.version, head.mark],
  );
  const { version, mark } = await readHead(session, service);
  await rememberHead(session, service, { version, mark });
}

/** The last statement of a commit. */
export async function moveHead(session: Session, service: string, head: Head): Promise<void> {
  if (head.version % FORGETTING === 0)
    await session.query('DELETE FROM keep.mark WHERE service = $1 AND version <= $2', [
      service,
      head.version - REMEMBERED,
    ]);
  await rememberHead(session, service, head);
  await session.query('UPDATE keep.head SET epoch = $2, version = $3, mark = $4 WHERE service = $1', [
    service,
    head.epoch,
    head.version,
    head.mark,
  ]);
}

/** Forgets some of the deleted rows that are of no head any more; nobody reads them, so nothing has to wait. @returns are there more? */
export async function forgetDeleted(session: Session, service: string): Promise<boolean> {
  const forgotten = await session.query(
    `DELETE FROM keep.gone WHERE service = $1 AND (version, tbl, key) IN
       (SELECT g.version, g.tbl, g.key FROM keep.gone AS g
        WHERE g.service = $1 AND g.version <= (SELECT min(m.version) FROM keep.mark AS m WHERE m.service = $1)
        ORDER BY g.version, g.tbl, g.key LIMIT ${PORTION})
     RETURNING version`,
    [service],
  );
  return forgotten.length === PORTION;
}

async function rememberHead(session: Session, service: string, head: Omit<Head, 'epoch'>): Promise<void> {
  await session.query(
    'INSERT INTO keep.mark (service, version, mark) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [service, head.version, head.mark],
  );
}

/** Where a head that somebody knows lies in the history that the database tells now. */
export type Standing = 'part of it' | 'forgotten' | 'of another history';

export async function standingOf(
  session: Session,
  service: string,
  known: Head,
  now: Head,
): Promise<Standing> {
  if (known.mark === now.mark) return 'part of it';
  const mark = await markOf(session, service, known.version);
  if (mark === known.mark) return 'part of it';
  // Somebody else has noticed already, and begun another epoch.
  if (known.epoch !== now.epoch) return 'forgotten';
  return mark === undefined && known.version < now.version ? 'forgotten' : 'of another history';
}

/** After a lost answer: waits until the transaction that has the lock has ended, then tells whether its head is there. */
export async function hasHead(session: Session, service: string, head: Head): Promise<boolean> {
  await lockHead(session, service);
  return (await markOf(session, service, head.version)) === head.mark;
}

async function markOf(session: Session, service: string, version: number): Promise<string | undefined> {
  const [row] = await session.query<{ mark: string }>(
    'SELECT mark FROM keep.mark WHERE service = $1 AND version = $2',
    [service, version],
  );
  return row?.mark;
}
