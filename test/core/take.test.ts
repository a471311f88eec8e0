import { expect, it } from 'vitest';
import { takenFrom } from '../../src/component/provenance.js';
import * as take from '../../src/core/take.js';

type Rules = take.OperatorRules & { readonly pods: readonly { readonly url: string }[] };
type Discovery = take.OperatorRules['discovery'];
/** Of a node that has learned of the pods of Ann, Eve and others. */
function rules(
  discovery: Partial<Discovery> = {},
  decided: Record<string, 'approve' | 'reject'> = {},
): Rules {
  return {
    ...{ baseUrl: 'https://me.example', network: { allowPrivate: false } },
    discovery: { allow: [], deny: [], approve: false, ...discovery },
    decisions: new Map(Object.entries(decided)),
    pods: [{ url: 'https://named.example/pod/' }],
  };
}
const [ANN, HOST] = ['https://ann.example/pod/', 'https://ann.example/'];
const KEY = 'https://ann.example/pod';
const [denying, allowing] = [rules({ deny: ['*.example'] }), rules({ allow: ['other.example'] })];
const rejecting = rules({}, { [KEY]: 'reject' });
const [asking, approved] = [rules({ approve: true }), rules({ approve: true }, { [KEY]: 'approve' })];
const open: Rules = { ...rules(), network: { allowPrivate: true } };

it.each<[what: string, url: string, Rules, verdict: string]>([
  ['of anybody', ANN, rules(), 'taken'],
  ['that is no IRI', 'https://{ann}.example/', rules(), 'no-iri'],
  ['that has no scheme', 'ann.example', rules(), 'no-iri'],
  ['that has another scheme', 'ftp://ann.example/a b', rules(), 'no-address'],
  ['that has a fragment', 'https://ann.example/#pod', rules(), 'no-address'],
  ['that has a user name', 'https://…@ann.example/', rules(), 'no-address'],
  ['that was cut, because it is too long', 'https://ann.example/aaa …', rules(), 'no-address'],
  ['of this node', 'HTTPS://Me.example/', rules(), 'own'],
  ['that is denied', ANN, denying, 'denied'],
  ['that is denied, though approved', ANN, rules({ deny: ['*'] }, { [KEY]: 'approve' }), 'denied'],
  ['that no rule allows', ANN, allowing, 'not-allowed'],
  ['that is private', 'http://10.0.0.1/', rules(), 'private-address'],
  ['that is private and may be', 'http://[::1]/', open, 'taken'],
  ['that was rejected', ANN, rejecting, 'rejected'],
  ['that nobody has approved', ANN, asking, 'not-approved'],
  ['that was approved', ANN, approved, 'taken'],
])('an address of a peer %s', (_, url, given, verdict) => {
  expect(take.takeAddress({ url, via: ['https://other.example'] }, given)).toBe(verdict);
});

it('an address that has come by way of this node leads back to it', () => {
  const entry = { url: ANN, via: ['https://other.example', 'https://me.example/'] };
  expect(take.takeAddress(entry, rules())).toBe('own');
});

it.each<[what: string, Rules, document: string, refused?: string]>([
  ['refused where its host is denied', denying, `${ANN}d`, HOST],
  ['refused where its host is not allowed', allowing, `${ANN}d`, HOST],
  ['refused where its pod was rejected', rejecting, `${ANN}d`, KEY],
  ['refused without TLS, too', denying, 'HTTP://ann.example/d', 'http://ann.example/'],
  ['wanted where nothing names it', rules(), `${ANN}d`],
  ['wanted where it is private', rules(), 'http://10.0.0.1/d'],
  ['wanted where it was not approved yet', asking, `${ANN}d`],
  ['wanted where another pod of the host was rejected', rejecting, `${HOST}other/d`],
  ['wanted where its pod was approved', approved, `${ANN}d`],
  ['wanted where its pod is configured', denying, 'https://named.example/pod/d'],
  ['wanted where it has no address', rules({ deny: ['*'] }), 'urn:https://ann.example/x'],
  ['wanted where it was posted to the peer', denying, 'urn:registry:local'],
  ['wanted where nobody decides', { ...rules(), decisions: undefined } as never, `${ANN}d`],
])('a document of a pod that a peer reads is %s', (_, given, document, refused) => {
  const judge = take.documentRules(given);
  expect(judge(document)).toBe(refused);
  // The address stands for its documents: it is refused as long as they are.
  if (refused !== undefined) expect(judge(refused)).toBe(refused);
});

const [HERE, FAR, EVE] = ['https://here.example/', 'https://far.example/', 'https://eve.example/'];
const statementRules: take.StatementRules = {
  read: (document) => (document.startsWith(HERE) ? HERE : undefined),
  operator: (document) => (document.startsWith(EVE) ? EVE : undefined),
  isFromOthers: (of) => of === `pod ${FAR}`,
};
it.each<[what: string, graph: string, of: string | undefined, verdict: 'taken' | { address?: string }]>([
  ['what was posted to it', 'urn:registry:local', undefined, 'taken'],
  ['a pod that nobody else reads', `${ANN}x`, `pod ${ANN}`, 'taken'],
  ['what it has from a peer', takenFrom('https://b.example', 'urn:registry:local'), undefined, {}],
  ['a pod that is read here', `${HERE}x`, undefined, { address: HERE }],
  ['what the operator denies', `${EVE}x`, undefined, { address: EVE }],
  ['a pod that is taken from others', `${FAR}x`, `pod ${FAR}`, { address: FAR }],
  ['the same pod, by a listing', `${FAR}x`, undefined, 'taken'],
])('of a peer, %s: %s', (_, graph, of, verdict) => {
  expect(take.takeStatement({ graph, of }, statementRules)).toEqual(verdict);
  expect(take.takeStatement({ graph, of }, { ...statementRules, isMirror: true })).toBe('taken');
});

const [PEER, GRAPH] = ['https://peer.example', 'https://pod.example/x'];
const PASSED_ON = takenFrom('https://far.example', GRAPH);
const SHARED = takenFrom('pod https://a.example/', takenFrom('pod https://b.example/', GRAPH));
it.each<[what: string, graph: string, isMirror: boolean, document: string, read?: string]>([
  ['from whom it is taken', GRAPH, false, takenFrom(PEER, GRAPH)],
  ['also what that has from others', PASSED_ON, false, takenFrom(PEER, PASSED_ON)],
  ['nothing but itself on a mirror', GRAPH, true, GRAPH],
  ['there what the upstream has it from', PASSED_ON, true, PASSED_ON],
  ['the keys of sources that have it in common', SHARED, false, takenFrom(PEER, SHARED), GRAPH],
])('the name of a document says %s', (_, graph, isMirror, document, read = graph) => {
  expect(take.documentName(graph, { peer: PEER, isMirror })).toBe(document);
  expect(take.graphOf(document, { isMirror })).toBe(read);
});
