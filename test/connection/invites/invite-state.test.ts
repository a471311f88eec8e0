import { describe, expect, test } from 'vitest';
import { changeInvite, newInvite } from '../../../src/connection/invites/invite-state.js';
import type { Connection } from '../../../src/connection/records/connection.js';
import { type Invite, inviteBody, inviteSchema } from '../../../src/connection/records/invite.js';
import { Problem } from '../../../src/lib/http/problem.js';

const NOW = 1_700_000_000_000;
const HOLDER = 'https://alice.example/card#me';
const CONNECTION: Connection = {
  ...{ uri: 'urn:connection:1', configuration: {}, source: 'https://pod.example/data', holder: HOLDER },
  state: 'CONNECTED',
};
const connection = CONNECTION.uri;
const FRESH = newInvite({ holder: HOLDER, purpose: 'urn:purpose:1' }, { uri: 'urn:invite:1', now: NOW });

/** What comes of a change; `CONNECTION` is the only one that there is. */
const change = (current: Invite, wanted: Partial<Invite>, now = NOW) => {
  const next = { ...current, ...wanted };
  const isThere = next.connection === connection && next.holder === HOLDER;
  const assigned = { now, uri: 'urn:exchange:1', connection: isThere ? CONNECTION : undefined };
  return changeInvite(current, next, assigned);
};

const statusOf = (act: () => unknown): number => {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem) return error.status;
    throw error;
  }
  return 200;
};

const LINKING = change(FRESH, { state: 'linking' });
const LINKED = change(LINKING, { state: 'linked', connection });
const EXPIRED = { ...FRESH, expires: String(NOW) };

describe('an invite', () => {
  test.each<[string, Invite, Partial<Invite>, number]>([
    ['not linked > linking', FRESH, { state: 'linking' }, 200],
    ['linking > not linked', LINKING, { state: 'not linked' }, 200],
    ['linking > linked', LINKING, { state: 'linked', connection }, 200],
    ['not linked > linked', FRESH, { state: 'linked', connection }, 409],
    ['linked > linking', LINKED, { state: 'linking', connection: null, accepted: null }, 409],
    ['linked > not linked', LINKED, { state: 'not linked', connection: null, accepted: null }, 409],
    ['linked, without a connection', LINKING, { state: 'linked' }, 409],
    ['linked, with one that is not there', LINKING, { state: 'linked', connection: 'urn:other' }, 409],
    ["linked, with another's", LINKING, { state: 'linked', connection, holder: 'urn:bob' }, 409],
    ['not linked, with a connection', FRESH, { connection }, 409],
    ['linking, and accepted', LINKING, { accepted: '1' }, 409],
    ['linked, with another purpose', LINKED, { purpose: 'urn:other' }, 409],
    ['linked, with another end', LINKED, { expires: '1' }, 409],
    ['expired > linking', EXPIRED, { state: 'linking' }, 409],
    ['expired > linking, with more time', EXPIRED, { state: 'linking', expires: String(NOW + 1) }, 200],
    ['not linked, unchanged', FRESH, {}, 200],
    ['linking, unchanged', LINKING, {}, 200],
    ['linked, unchanged', LINKED, {}, 200],
  ])('%s', (_, current, wanted, status) => {
    expect(statusOf(() => change(current, wanted))).toBe(status);
    if (status === 200) expect(change(current, wanted)).toMatchObject(wanted);
  });

  test('of version 0.2.0 keeps what only that version knew, and can be sent back as it is answered', () => {
    for (const current of [LINKED, LINKING]) {
      const imported = { ...current, inviter: null, linksEnded: 1 };
      const wanted = { ...inviteSchema.parse(inviteBody(imported)), holder: HOLDER };
      const assigned = { now: NOW, uri: 'urn:exchange:2', connection: CONNECTION };
      expect(changeInvite(imported, wanted, assigned)).toEqual(imported);
    }
  });
});
