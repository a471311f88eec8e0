import { LeaseLost } from '../faults.js';
import { IMPOSSIBLE_LEASE, LEASE_LIFETIME } from '../held-leases.js';
import type { Lease } from '../keep.js';
import type { Session } from './database.js';

const SECONDS = LEASE_LIFETIME / 1_000;
const IMPOSSIBLE = IMPOSSIBLE_LEASE / 1_000;

/** Takes a lease; false while somebody else has it. A row that another node is just taking is skipped, not waited for. */
export async function takeLease(
  session: Session,
  service: string,
  { name, fence }: Omit<Lease, 'release'>,
): Promise<boolean> {
  await session.query(
    `INSERT INTO keep.lease (service, name, fence, until) VALUES ($1, $2, '', now()) ON CONFLICT DO NOTHING`,
    [service, name],
  );
  const free = await session.query(
    `SELECT name FROM keep.lease WHERE service = $1 AND name = $2
     AND (until <= now() OR until > now() + $3 * interval '1 second') FOR UPDATE SKIP LOCKED`,
    [service, name, IMPOSSIBLE],
  );
  if (free.length === 0) return false;
  await session.query(
    `UPDATE keep.lease SET fence = $3, until = now() + $4 * interval '1 second' WHERE service = $1 AND name = $2`,
    [service, name, fence, SECONDS],
  );
  return true;
}

export async function renewLeases(
  session: Session,
  service: string,
  leases: readonly Lease[],
): Promise<void> {
  await session.query(
    `UPDATE keep.lease SET until = now() + $3 * interval '1 second' WHERE service = $1 AND fence = ANY($2::text[])`,
    [service, leases.map(({ fence }) => fence), SECONDS],
  );
}

export async function releaseLease(session: Session, service: string, { name, fence }: Lease): Promise<void> {
  await session.query('DELETE FROM keep.lease WHERE service = $1 AND name = $2 AND fence = $3', [
    service,
    name,
    fence,
  ]);
}

/** Behind the lock of the head: nobody takes the lease until the transaction has ended. @throws LeaseLost */
export async function proveLease(session: Session, service: string, { name, fence }: Lease): Promise<void> {
  const proven = await session.query(
    'SELECT name FROM keep.lease WHERE service = $1 AND name = $2 AND fence = $3 FOR UPDATE',
    [service, name, fence],
  );
  if (proven.length === 0) throw new LeaseLost(name);
}
