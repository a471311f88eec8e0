import { describe, expect, it } from 'vitest';
import type { LearningRules } from '../../../src/sync/discovery/admission.js';
import { denialBy } from '../../../src/sync/discovery/denial.js';

const rules = (more: Partial<LearningRules>, discovery: Partial<LearningRules['discovery']> = {}) => ({
  baseUrl: 'https://me.example',
  network: { allowPrivate: false },
  discovery: { allow: [], deny: [], approve: false, ...discovery },
  pods: [{ url: 'https://configured.spam.example/pod/' }],
  ...more,
});
const DOCUMENT = 'https://pods.spam.example/eve/card.ttl';
const ORIGIN = 'https://pods.spam.example/';

describe('what the operator has said no to is not wanted from peers either', () => {
  it.each<[string, ReturnType<typeof rules>, string]>([
    ['discovery.deny names its host', rules({}, { deny: ['*.spam.example'] }), ORIGIN],
    [
      'the deny list does',
      rules({ lists: { deny: [{ pattern: '*.spam.example', note: 'sells' }] } }),
      ORIGIN,
    ],
    ['discovery.allow does not name its host', rules({}, { allow: ['ann.example'] }), ORIGIN],
    ['the allow list does not', rules({ lists: { deny: [], allow: [{ pattern: 'ann.example' }] } }), ORIGIN],
    [
      'its pod was rejected',
      rules({ decisions: new Map([['https://pods.spam.example/eve', 'reject']]) }),
      'https://pods.spam.example/eve',
    ],
  ])('%s', (_, given, address) => {
    const denial = denialBy(given);
    expect(denial(DOCUMENT)).toBe(address);
    // The address stands for its documents: it is denied as long as they are.
    expect(denial(address)).toBe(address);
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
    [
      'the list could not be read yet',
      rules({ lists: { deny: [{ pattern: '*' }], allow: [], unread: ['deny', 'allow'] } }),
      DOCUMENT,
    ],
    [
      'the allow list could not be read yet',
      rules({ lists: { deny: [], allow: [], unread: ['allow'] } }, { allow: ['a.example'] }),
      DOCUMENT,
    ],
  ])('but a peer may pass it on when %s', (_, given, document) => {
    expect(denialBy(given)(document)).toBeUndefined();
  });

  it('and is looked up once for each host, however many rules there are', () => {
    const deny = Array.from({ length: 20_000 }, (_, i) => ({ pattern: `h${i}.spam.example` }));
    const denial = denialBy(rules({ lists: { deny } }));
    const answers = Array.from({ length: 20_000 }, (_, i) => denial(`https://pods.other.example/${i}.ttl`));
    expect(new Set(answers)).toEqual(new Set([undefined]));
  });
});
