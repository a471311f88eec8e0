import type { Source } from '../../src/component/source.js';
import { type Authority, type ConfiguredSources, precedenceOf } from '../../src/core/precedence.js';

/** The sources of the contract suites: two configured pods, a learned one, a configured peer. */
export const POD_A: Source = { kind: 'pod', url: 'https://a.example/' };
export const POD_B: Source = { kind: 'pod', url: 'https://b.example/' };
export const LEARNED: Source = { kind: 'pod', url: 'https://learned.example/' };
export const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
export const ORDER: ConfiguredSources = { pods: [POD_A.url, POD_B.url], peers: [PEER.url] };
export const precedence = precedenceOf(ORDER);

/** Whose document it is at an upstream, as a mirror remembers it; the lower place is served. */
export const authority = (place: number): Authority => ({
  ...{ kind: 'pod', url: 'https://far.example/', class: 'configured-pod', place },
});

/** What is remembered of a source that was read without trouble. */
export const OK = { failures: 0 };
