import { LeaseLost } from '../faults.js';
import { IMPOSSIBLE_LEASE, LEASE_LIFETIME, type LeaseName } from '../service-keep.js';
import type { Session } from './database.js';

const [LIFETIME, IMPOSSIBLE] = [LEASE_LIFETIME, IMPOSSIBLE_LEASE].map(
  (ms) => `interval '${ms / 1_000} seconds'`,
);

/** Takes a lease; false while somebody else has it. The same again does no harm. */
export async function takeLease(
  session: Session,
  service: string,
  { name, fence }: LeaseName,
): Promise<boolean> {
  const taken = await session.query(
    `INSERT INTO keep.lease AS held (service, name, fence, until) VALUES ($1, $2, $3, now() + ${LIFETIME})
     ON CONFLICT (service, name) DO UPDATE SET fence = excluded.fence, until = excluded.until
     WHERE held.fence = excluded.fence OR held.until <= now() OR held.until > now() + ${IMPOSSIBLE}
     RETURNING name`,
    [service, name, fence],
  );
  return taken.length > 0;
}

export async function renewLeases(
  session: Session,
  service: string,
  leases: readonly LeaseName[],
): Promise<void> {
  await session.query(
    `UPDATE keep.lease SET until = now() + ${LIFETIME} WHERE service = $1 AND fence = ANY($2::text[])`,
    [service, leases.map(({ fence }) => fence)],
  );
}

export async function releaseLease(
  session: Session,
  service: string,
  { name, fence }: LeaseName,
): Promise<void> {
  const values = [service, name, fence];
  await session.query('DELETE FROM keep.lease WHERE service = $1 AND name = $2 AND fence = $3', values);
}

/** Behind the lock of the head: nobody takes the lease until the transaction has ended. @throws LeaseLost */
export async function proveLease(
  session: Session,
  service: string,
  { name, fence }: LeaseName,
): Promise<void> {
  const proven = await session.query(
    'SELECT name FROM keep.lease WHERE service = $1 AND name = $2 AND fence = $3 FOR UPDATE',
    [service, name, fence],
  );
  if (proven.length === 0) throw new LeaseLost(name);
}
