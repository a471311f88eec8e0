import { describe, expect, it } from 'vitest';
import { takenFrom } from '../../src/component/provenance.js';
import { hostJudge } from '../../src/core/host-rules.js';
import {
  type AddressRules,
  type PeerGraph,
  REFUSAL_REASONS,
  type StatementRules,
  takeAddress,
  takeStatement,
} from '../../src/core/take.js';

describe('an address of a peer', () => {
  const rules = (more: Partial<AddressRules> = {}): AddressRules => ({
    ...{ baseUrl: 'https://me.example', hosts: () => undefined, allowPrivate: false, approve: false },
    ...{ decisions: new Map(), ...more },
  });
  const URL = 'https://ann.example/pod/';
  const deny = { hosts: hostJudge(['ann.example'], []) };
  const decided = (decision: 'approve' | 'reject') => ({
    decisions: new Map([['https://ann.example/pod', decision]]),
  });

  it.each<[string, string, AddressRules, ReturnType<typeof takeAddress>]>([
    ['of anybody', URL, rules(), 'taken'],
    ['of this node', 'HTTPS://Me.example/', rules(), { reason: 'own' }],
    ['that is denied', URL, rules(deny), { reason: 'denied' }],
    ['that is denied, though approved', URL, rules({ ...deny, ...decided('approve') }), { reason: 'denied' }],
    [
      'that no rule allows',
      URL,
      rules({ hosts: hostJudge([], ['other.example']) }),
      { reason: 'not-allowed' },
    ],
    ['that is private', 'http://10.0.0.1/', rules(), { reason: 'private-address' }],
    ['that is private and may be', 'http://[::1]/', rules({ allowPrivate: true }), 'taken'],
    ['that was rejected', URL, rules(decided('reject')), { reason: 'rejected' }],
    ['that nobody has approved', URL, rules({ approve: true }), { reason: 'not-approved' }],
    ['that was approved', URL, rules({ approve: true, ...decided('approve') }), 'taken'],
  ])('%s', (_, url, given, verdict) => {
    expect(takeAddress({ url, via: [] }, given)).toEqual(verdict);
    if (verdict !== 'taken') expect(REFUSAL_REASONS).toContain(verdict.reason);
  });

  it('that has come by way of this node leads back to it', () => {
    const entry = { url: URL, via: ['https://other.example', 'https://me.example/'] };
    expect(takeAddress(entry, rules())).toEqual({ reason: 'own' });
  });
});

describe('statements of a peer', () => {
  const among =
    (...pods: string[]) =>
    (document: string) =>
      pods.find((pod) => document.startsWith(pod));
  const [HERE, FAR] = ['https://here.example/', 'https://far.example/'];
  const EVE = { reason: 'denied', note: 'why', address: 'https://eve.example/' } as const;
  const rules: StatementRules = {
    read: among(HERE),
    operator: (document) => (document.startsWith(EVE.address) ? EVE : undefined),
    isFromOthers: (of) => of === `pod ${FAR}`,
  };
  const graph = (name: string, more: Partial<PeerGraph> = {}) => ({ graph: name, ...more });

  it.each<[string, PeerGraph, ReturnType<typeof takeStatement>]>([
    ['that were posted to it', graph('urn:registry:local'), 'taken'],
    [
      'of a pod that nobody else reads',
      graph('https://pod.example/x', { of: 'pod https://pod.example/' }),
      'taken',
    ],
    [
      'that it has from a peer',
      graph(takenFrom('https://b.example', 'urn:registry:local')),
      { reason: 'passed-on' },
    ],
    ['of a pod that is read here', graph(`${HERE}x`), { reason: 'read-here', address: HERE }],
    ['of what the operator denies', graph(`${EVE.address}x`), EVE],
    [
      'that two others say, too',
      graph(`${FAR}x`, { of: `pod ${FAR}` }),
      { reason: 'from-others', address: FAR },
    ],
    ['of the same pod, by its listing', graph(`${FAR}x`), 'taken'],
  ])('%s', (_, given, verdict) => {
    expect(takeStatement(given, rules)).toEqual(verdict);
  });

  it('are taken where nothing is known of pods, but those that the peer passes on', () => {
    const nothing = { read: among() };
    expect(takeStatement(graph(`${FAR}x`, { of: `pod ${FAR}` }), nothing)).toBe('taken');
    expect(takeStatement(graph(takenFrom('https://b.example', `${FAR}x`)), nothing)).toEqual({
      reason: 'passed-on',
    });
  });
});
