/** Decisions: functions from values to values (`src/core/`). */

import { isWithin } from '../../../src/core/amount.js';
import type * as discovery from '../../../src/core/discovery.js';
import type * as due from '../../../src/core/due.js';
import type * as hostRules from '../../../src/core/host-rules.js';
import type * as limits from '../../../src/core/limits.js';
import type * as pins from '../../../src/core/pins.js';
import type * as podRoles from '../../../src/core/pod-roles.js';
import type * as precedence from '../../../src/core/precedence.js';
import type * as shrinkGuard from '../../../src/core/shrink-guard.js';
import type * as streamSlots from '../../../src/core/stream-slots.js';
import type * as take from '../../../src/core/take.js';
import { breaks } from '../rule.js';

export const DECIDING = [
  breaks<typeof precedence>('core/precedence', 'test/core/precedence.test.ts', {
    'a learned source is ranked before a configured one': ({ compareStandings }) => ({
      compareStandings: (one, other) => other.rank - one.rank || compareStandings(one, other),
    }),
    'ties go by arrival': () => ({ compareStandings: (one, other) => one.rank - other.rank }),
  }),
  breaks<typeof take>('core/take', 'test/core/take.test.ts', {
    "a peer's peer is believed": ({ takeStatement }) => ({
      takeStatement(graph, rules) {
        const taken = takeStatement(graph, rules);
        return taken === 'taken' || taken.address === undefined ? 'taken' : taken;
      },
    }),
    "a private address of a peer's list is taken up": ({ takeAddress }) => ({
      takeAddress: (entry, rules) => takeAddress(entry, { ...rules, network: { allowPrivate: true } }),
    }),
  }),
  breaks<typeof discovery>('core/discovery', 'test/core/discovery.test.ts', {
    'hops are not counted': ({ createDiscovery }) => ({
      createDiscovery: (rules) =>
        createDiscovery({ ...rules, discovery: { ...rules.discovery, depth: rules.discovery.depth + 9 } }),
    }),
  }),
  breaks<typeof podRoles>('core/pod-roles', 'test/core/pod-roles.test.ts', {
    'a pod is taken from all peers that read it': ({ podRoles }) => ({
      *podRoles(known) {
        return { ...(yield* podRoles(known)), isFromOthers: () => false };
      },
    }),
  }),
  breaks<typeof streamSlots>('core/stream-slots', 'test/sync/push/streams.test.ts', {
    'streams that are refused take the slots of others': ({ chosenStreams }) => ({
      chosenStreams: (wanted, most) => chosenStreams(wanted, most, () => false),
    }),
  }),
  breaks<typeof hostRules>('core/host-rules', 'test/core/host-rules.test.ts', {
    'what is denied and allowed is allowed': ({ hostJudge }) => ({
      hostJudge: (deny, allow) => hostJudge(allow ? [] : deny, allow),
    }),
  }),
  breaks<typeof shrinkGuard>('core/shrink-guard', 'test/core/shrink-guard.test.ts', {
    'a source that loses most of what it said is believed at once': ({ guardLoss }) => ({
      guardLoss: (changes, parts) => guardLoss(changes, { ...parts, acceptsShrink: true }),
    }),
  }),
  breaks<typeof limits>('core/limits', 'test/core/limits.test.ts', {
    'what is over a limit is not kept up to date': ({ amountOfAll, withinLimit }) => ({
      withinLimit: (changes, parts) =>
        withinLimit(isWithin(amountOfAll(parts.documents), parts.limit) ? changes : [], parts),
    }),
  }),
  breaks<typeof pins>('core/pins', 'test/core/pins.test.ts', {
    'a pin is overwritten by what is seen later': ({ afterLook }) => ({
      afterLook: (_, look) => afterLook(undefined, look),
    }),
    'bytes that contradict a promise are not called changed': ({ pinOf }) => ({
      pinOf(seen, statement) {
        const pin = pinOf(seen, statement);
        return pin && { ...pin, changed: undefined };
      },
    }),
  }),
  breaks<typeof due>('core/due', 'test/core/due.test.ts', {
    'a server that asks to wait is not waited for': ({ planAfter }) => ({
      planAfter(plan, event, at) {
        if (event.kind !== 'polled' || !event.failure) return planAfter(plan, event, at);
        const { notBefore: _, ...failure } = event.failure;
        return planAfter(plan, { ...event, failure }, at);
      },
    }),
    'hints take the back-off of a failing source away': ({ planAfter }) => ({
      planAfter: (plan, event, at) =>
        event.kind === 'hint' ? { ...plan, due: at.now } : planAfter(plan, event, at),
    }),
  }),
];
