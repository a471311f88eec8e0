import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  acceptInvite,
  type ChangedInvite,
  changeInvite,
} from '../../../src/connection/invites/invite-state.js';
import type { Connection } from '../../../src/connection/records/connection.js';
import { INVITE_STATES, type Invite, newInvite } from '../../../src/connection/records/invite.js';
import { Problem } from '../../../src/lib/http/problem.js';

const NOW = 1_700_000_000_000;
const HOLDER = 'https://alice.example/card#me';
const connection: Connection = {
  uri: 'https://node.example/connection/1',
  configuration: {},
  state: 'CONNECTED',
  source: 'https://pod.example/data',
  holder: HOLDER,
};

const fresh = (more: Partial<Invite> = {}): Invite => ({
  ...newInvite({ holder: HOLDER, purpose: 'urn:purpose:1' }, { uri: 'urn:invite:1', now: NOW }),
  ...more,
});

const change = (current: Invite, wanted: Partial<Invite>, now = NOW): ChangedInvite => {
  const { connection: named, holder } = { ...current, ...wanted };
  return changeInvite(
    current,
    { ...current, ...wanted },
    {
      now,
      exchangeUri: 'urn:exchange:1',
      connection: named === connection.uri && holder === HOLDER ? connection : undefined,
    },
  );
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

const linking = change(fresh(), { state: 'linking' }).invite;
const linked = change(linking, { state: 'linked', connection: connection.uri }).invite;
const STATES = { 'not linked': fresh(), linking, linked };

describe('a new invite', () => {
  test('is assigned what it leaves out', () => {
    expect(fresh()).toEqual({
      uri: 'urn:invite:1',
      exchange: null,
      holder: HOLDER,
      state: 'not linked',
      purpose: 'urn:purpose:1',
      connection: null,
      created: String(NOW),
      expires: String(NOW + 30 * 86_400_000),
      accepted: null,
    });
  });

  test.each([
    { state: 'linked' },
    { state: 'linking' },
    { connection: connection.uri },
    { accepted: '1' },
  ] as const)('cannot begin with %j', (more) => {
    const wanted = { holder: HOLDER, purpose: 'urn:purpose:1', ...more };
    expect(statusOf(() => newInvite(wanted, { uri: 'urn:i', now: NOW }))).toBe(409);
  });
});

describe('the states of an invite', () => {
  const POSSIBLE = ['not linked > linking', 'linking > not linked', 'linking > linked'];
  const moves = INVITE_STATES.flatMap((from) => INVITE_STATES.map((to) => [from, to] as const));

  test.each(moves.filter(([from, to]) => from !== to))('%s > %s', (from, to) => {
    const wanted: Partial<Invite> =
      to === 'linked'
        ? { state: to, connection: connection.uri }
        : { state: to, connection: null, accepted: null };
    const possible = POSSIBLE.includes(`${from} > ${to}`);
    expect(statusOf(() => change(STATES[from], wanted))).toBe(possible ? 200 : 409);
  });

  test('stay as they are when nothing changes', () => {
    for (const invite of Object.values(STATES)) expect(change(invite, {})).toEqual({ invite });
  });

  test('linked needs a connection of the same holder, and ties all four together', () => {
    expect(statusOf(() => change(linking, { state: 'linked' }))).toBe(409);
    expect(statusOf(() => change(linking, { state: 'linked', connection: 'urn:other' }))).toBe(409);
    expect(
      statusOf(() => change(linking, { state: 'linked', connection: connection.uri, holder: 'urn:bob' })),
    ).toBe(409);
    expect(change(linking, { state: 'linked', connection: connection.uri }, NOW + 5).exchange).toEqual({
      uri: 'urn:exchange:1',
      invite: 'urn:invite:1',
      purpose: 'urn:purpose:1',
      holder: HOLDER,
      source: connection.source,
      connection: connection.uri,
      accepted: String(NOW + 5),
    });
  });

  test('a linked invite is settled', () => {
    for (const wanted of [
      { purpose: 'urn:other' },
      { expires: '1' },
      { connection: null },
      { accepted: '1' },
    ]) {
      expect(statusOf(() => change(linked, wanted))).toBe(409);
    }
  });

  test('an expired one goes on only when it gets more time', () => {
    const expired = fresh({ expires: String(NOW) });
    expect(statusOf(() => change(expired, { state: 'linking' }))).toBe(409);
    expect(change(expired, { state: 'linking', expires: String(NOW + 1) }).invite.state).toBe('linking');
  });

  test('uri and created never change', () => {
    expect(() => change(fresh(), { uri: 'urn:invite:2' })).toThrow('not valid');
    expect(() => change(fresh(), { created: '1' })).toThrow('not valid');
  });
});

describe('acceptance', () => {
  const assigned = { now: NOW + 1, connectionUri: 'urn:connection:9', exchangeUri: 'urn:exchange:9' };
  const accept = (invite: Invite) => acceptInvite(invite, 'https://pod.example/x', assigned);

  test('makes a connection and an exchange, and links the invite', () => {
    const result = accept(fresh());
    expect(result.connection).toEqual({
      uri: 'urn:connection:9',
      configuration: {},
      state: 'CONNECTED',
      source: 'https://pod.example/x',
      holder: HOLDER,
    });
    expect(result.invite).toMatchObject({
      state: 'linked',
      connection: 'urn:connection:9',
      exchange: 'urn:exchange:9',
      accepted: String(NOW + 1),
    });
    expect(result.exchange).toMatchObject({
      source: 'https://pod.example/x',
      connection: 'urn:connection:9',
    });
    expect(accept(linking).invite.state).toBe('linked');
  });

  test('happens once, and in time', () => {
    expect(statusOf(() => accept(linked))).toBe(409);
    expect(statusOf(() => accept(accept(fresh()).invite))).toBe(409);
    expect(statusOf(() => accept(fresh({ expires: String(NOW + 1) })))).toBe(410);
  });

  test('whatever is tried, a linked invite has a connection and is never unlinked again', () => {
    const wanted = fc.record({
      state: fc.constantFrom(...INVITE_STATES),
      connection: fc.constantFrom(null, connection.uri, 'urn:other'),
      accepted: fc.constantFrom(null, '5'),
      expires: fc.constantFrom('0', String(NOW + 9)),
    });
    fc.assert(
      fc.property(fc.array(wanted, { maxLength: 12 }), (tries) => {
        let current = fresh();
        for (const one of tries) {
          const before = current;
          if (statusOf(() => (current = change(before, one).invite)) !== 200) continue;
          if (before.state === 'linked') expect(current).toEqual(before);
          const settled = current.state === 'linked';
          expect([current.accepted !== null, current.exchange !== null]).toEqual([settled, settled]);
          if (settled) expect(current.connection).toBe(connection.uri);
        }
      }),
    );
  });
});
