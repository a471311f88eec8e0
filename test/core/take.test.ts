import { describe, expect, it } from 'vitest';
import { takenFrom } from '../../src/component/provenance.js';
import { REFUSAL_REASONS } from '../../src/core/refusal.js';
import {
  documentName,
  documentRules,
  graphOf,
  type OperatorRules,
  type PeerGraph,
  type StatementRules,
  takeAddress,
  takeStatement,
} from '../../src/core/take.js';

type Given = Partial<OperatorRules['discovery']> &
  Pick<OperatorRules, 'decisions'> & { readonly allowPrivate?: boolean };

describe('an address of a peer', () => {
  const rules = ({
    allowPrivate = false,
    decisions = new Map(),
    ...discovery
  }: Given = {}): OperatorRules => ({
    ...{ baseUrl: 'https://me.example', network: { allowPrivate }, decisions },
    discovery: { allow: [], deny: [], approve: false, ...discovery },
  });
  const URL = 'https://ann.example/pod/';
  const deny = { deny: ['ann.example'] };
  const decided = (decision: 'approve' | 'reject') => ({
    decisions: new Map([['https://ann.example/pod', decision]]),
  });

  it.each<[string, string, OperatorRules, ReturnType<typeof takeAddress>]>([
    ['of anybody', URL, rules(), 'taken'],
    ['that is no IRI', 'https://{ann}.example/', rules(), { reason: 'no-iri' }],
    ['that has no scheme', 'ann.example', rules(), { reason: 'no-iri' }],
    ['that has another scheme', 'ftp://ann.example/a b', rules(), { reason: 'no-address' }],
    ['that has a fragment', 'https://ann.example/#pod', rules(), { reason: 'no-address' }],
    ['that has a user name', 'https://…@ann.example/', rules(), { reason: 'no-address' }],
    ['that was cut, because it is too long', 'https://ann.example/aaa …', rules(), { reason: 'no-address' }],
    ['of this node', 'HTTPS://Me.example/', rules(), { reason: 'own' }],
    ['that is denied', URL, rules(deny), { reason: 'denied' }],
    ['that is denied, though approved', URL, rules({ ...deny, ...decided('approve') }), { reason: 'denied' }],
    ['that no rule allows', URL, rules({ allow: ['other.example'] }), { reason: 'not-allowed' }],
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
  type N = [string, string, string, string];
  const [HERE, FAR, EVE, POD] = ['here', 'far', 'eve', 'pod'].map((name) => `https://${name}.example/`) as N;
  const LOCAL = 'urn:registry:local';
  const rules: StatementRules = {
    read: (document) => (document.startsWith(HERE) ? HERE : undefined),
    operator: (document) => (document.startsWith(EVE) ? EVE : undefined),
    isFromOthers: (of) => of === `pod ${FAR}`,
  };

  it.each<[string, PeerGraph, ReturnType<typeof takeStatement>]>([
    ['that were posted to it', { graph: LOCAL }, 'taken'],
    ['of a pod that nobody else reads', { graph: `${POD}x`, of: `pod ${POD}` }, 'taken'],
    ['that it has from a peer', { graph: takenFrom('https://b.example', LOCAL) }, {}],
    ['of a pod that is read here', { graph: `${HERE}x` }, { address: HERE }],
    ['of what the operator denies', { graph: `${EVE}x` }, { address: EVE }],
    ['that two others say, too', { graph: `${FAR}x`, of: `pod ${FAR}` }, { address: FAR }],
    ['of the same pod, by its listing', { graph: `${FAR}x` }, 'taken'],
  ])('%s', (_, given, verdict) => {
    expect(takeStatement(given, rules)).toEqual(verdict);
  });
});

const operator = (more: Partial<OperatorRules>, discovery: Partial<OperatorRules['discovery']> = {}) => ({
  baseUrl: 'https://me.example',
  network: { allowPrivate: false },
  discovery: { allow: [], deny: [], approve: false, ...discovery },
  pods: [{ url: 'https://configured.spam.example/pod/' }],
  ...more,
});
const DOCUMENT = 'https://pods.spam.example/eve/card.ttl';
const HOST = 'https://pods.spam.example/';

describe('the document as which a graph of a peer is stored', () => {
  const [peer, graph] = ['https://peer.example', 'https://pod.example/x'];

  it.each([
    [false, takenFrom(peer, graph)],
    [true, graph],
  ])('says from whom it is taken, but on a mirror (%s)', (isMirror, name) => {
    expect(documentName(graph, { peer, isMirror })).toBe(name);
    expect(graphOf(name, { isMirror })).toBe(graph);
  });

  it('says on a mirror what the upstream has it from', () => {
    const passedOn = takenFrom(peer, graph);
    expect(graphOf(passedOn, { isMirror: true })).toBe(passedOn);
  });

  it('has the key of its source before its name where two sources have a graph in common', () => {
    const second = takenFrom('pod https://a.example/', takenFrom('pod https://b.example/', graph));
    expect(graphOf(takenFrom(peer, second), { isMirror: false })).toBe(graph);
    expect(graphOf(takenFrom(peer, takenFrom('https://far.example', graph)), { isMirror: false })).toBe(
      takenFrom('https://far.example', graph),
    );
  });
});

describe('what the operator has said no to is not wanted from peers either', () => {
  it.each<[string, ReturnType<typeof operator>, string]>([
    ['discovery.deny names its host', operator({}, { deny: ['*.spam.example'] }), HOST],
    ['discovery.allow does not name its host', operator({}, { allow: ['ann.example'] }), HOST],
    [
      'its pod was rejected',
      operator({ decisions: new Map([['https://pods.spam.example/eve', 'reject']]) }),
      'https://pods.spam.example/eve',
    ],
  ])('%s', (_, given, refused) => {
    const judge = documentRules(given);
    expect(judge(DOCUMENT)).toEqual(refused);
    // The address stands for its documents: it is refused as long as they are.
    expect(judge(judge(DOCUMENT) ?? '')).toEqual(refused);
  });

  it('whether or not it is sent over TLS', () => {
    const judge = documentRules(operator({}, { deny: ['*.spam.example'] }));
    expect(judge(DOCUMENT.replace('https:', 'http:'))).toBe(HOST.replace('https:', 'http:'));
  });

  const decided = (pod: string, decision: 'approve' | 'reject') =>
    operator({ decisions: new Map([[`https://pods.spam.example/${pod}`, decision]]) });
  const denying = operator({}, { deny: ['*'] });
  it.each<[string, ReturnType<typeof operator>, string]>([
    ['nothing names it', operator({}), DOCUMENT],
    ['it is private', operator({}), 'http://10.0.0.1/card.ttl'],
    ['it was not approved yet', operator({}, { approve: true }), DOCUMENT],
    ['another pod of the host was rejected', decided('ann', 'reject'), DOCUMENT],
    ['its pod was approved', decided('eve', 'approve'), DOCUMENT],
    ['its pod is configured', denying, 'https://configured.spam.example/pod/card.ttl'],
    ['it has no address', denying, 'urn:https://pods.spam.example/x'],
    ['it is what was posted to the peer', denying, 'urn:registry:local'],
  ])('but a peer may pass it on when %s', (_, given, document) => {
    expect(documentRules(given)(document)).toBeUndefined();
  });
});
