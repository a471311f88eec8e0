import { describe, expect, it } from 'vitest';
import { documentRules, type OperatorRules } from '../../src/core/operator-rules.js';

const rules = (more: Partial<OperatorRules>, discovery: Partial<OperatorRules['discovery']> = {}) => ({
  baseUrl: 'https://me.example',
  network: { allowPrivate: false },
  discovery: { allow: [], deny: [], approve: false, ...discovery },
  pods: [{ url: 'https://configured.spam.example/pod/' }],
  ...more,
});
const DOCUMENT = 'https://pods.spam.example/eve/card.ttl';
const DENIED = { reason: 'denied', address: 'https://pods.spam.example/' };
const NOT_ALLOWED = { ...DENIED, reason: 'not-allowed' };

describe('what the operator has said no to is not wanted from peers either', () => {
  it.each<[string, ReturnType<typeof rules>, object]>([
    ['discovery.deny names its host', rules({}, { deny: ['*.spam.example'] }), DENIED],
    ['discovery.allow does not name its host', rules({}, { allow: ['ann.example'] }), NOT_ALLOWED],
    [
      'its pod was rejected',
      rules({ decisions: new Map([['https://pods.spam.example/eve', 'reject']]) }),
      { reason: 'rejected', address: 'https://pods.spam.example/eve' },
    ],
  ])('%s', (_, given, refused) => {
    const judge = documentRules(given);
    expect(judge(DOCUMENT)).toEqual(refused);
    // The address stands for its documents: it is refused as long as they are.
    expect(judge(judge(DOCUMENT)?.address ?? '')).toEqual(refused);
  });

  it.each<[string, ReturnType<typeof rules>, string]>([
    ['nothing names it', rules({}), DOCUMENT],
    ['it is private', rules({}), 'http://10.0.0.1/card.ttl'],
    ['it was not approved yet', rules({}, { approve: true }), DOCUMENT],
    [
      'another pod of the host was rejected',
      rules({ decisions: new Map([['https://pods.spam.example/ann', 'reject']]) }),
      DOCUMENT,
    ],
    [
      'its pod was approved',
      rules({ decisions: new Map([['https://pods.spam.example/eve', 'approve']]) }),
      DOCUMENT,
    ],
    ['its pod is configured', rules({}, { deny: ['*'] }), 'https://configured.spam.example/pod/card.ttl'],
    ['it is what was posted to the peer', rules({}, { deny: ['*'] }), 'urn:registry:local'],
  ])('but a peer may pass it on when %s', (_, given, document) => {
    expect(documentRules(given)(document)).toBeUndefined();
  });
});
