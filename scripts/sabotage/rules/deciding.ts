/** Decisions: functions from values to values (`src/core/`). */
import { type Broken, breaks } from '../rule.js';

export const DECIDING: Broken = {
  'test/core/precedence.test.ts': breaks<typeof import('../../../src/core/precedence.js')>(
    'core/precedence',
    {
      'a learned source is ranked before a configured one': ({ compareStandings }) => ({
        compareStandings: (one, other) => other.rank - one.rank || compareStandings(one, other),
      }),
      'ties go by arrival': () => ({ compareStandings: (one, other) => one.rank - other.rank }),
    },
  ),
  'test/core/take.test.ts': breaks<typeof import('../../../src/core/take.js')>('core/take', {
    "a peer's peer is believed": ({ takeStatement }) => ({
      takeStatement: (graph, rules) => {
        const taken = takeStatement(graph, rules);
        return taken === 'taken' || taken.address === undefined ? 'taken' : taken;
      },
    }),
  }),
  'test/core/discovery-refusals.test.ts': breaks<typeof import('../../../src/core/take.js')>('core/take', {
    "a private address of a peer's list is taken up": ({ takeAddress }) => ({
      takeAddress: (entry, rules) => takeAddress(entry, { ...rules, network: { allowPrivate: true } }),
    }),
  }),
  'test/core/discovery.test.ts': breaks<typeof import('../../../src/core/discovery.js')>('core/discovery', {
    'hops are not counted': ({ createDiscovery }) => ({
      createDiscovery: (rules) =>
        createDiscovery({ ...rules, discovery: { ...rules.discovery, depth: rules.discovery.depth + 9 } }),
    }),
  }),
  'test/core/pod-roles.test.ts': breaks<typeof import('../../../src/core/pod-roles.js')>('core/pod-roles', {
    'a pod is taken from all peers that read it': ({ podRoles }) => ({
      podRoles: (known) => ({ ...podRoles(known), isFromOthers: () => false }),
    }),
  }),
  'test/sync/push/streams.test.ts': breaks<typeof import('../../../src/core/stream-slots.js')>(
    'core/stream-slots',
    {
      'streams that are refused take the slots of others': ({ chosenStreams }) => ({
        chosenStreams: (wanted, most) => chosenStreams(wanted, most, () => false),
      }),
    },
  ),
  'test/core/host-rules.test.ts': breaks<typeof import('../../../src/core/host-rules.js')>(
    'core/host-rules',
    {
      'what is denied and allowed is allowed': ({ hostJudge }) => ({
        hostJudge: (deny, allow) => hostJudge(allow ? [] : deny, allow),
      }),
    },
  ),
  'test/core/judge.test.ts': [
    breaks<typeof import('../../../src/core/shrink-guard.js')>('core/shrink-guard', {
      'a source that loses most of what it said is believed at once': ({ guardLoss }) => ({
        guardLoss: (changes, parts) => guardLoss(changes, { ...parts, acceptsShrink: true }),
      }),
    }),
    breaks<typeof import('../../../src/core/limits.js')>('core/limits', {
      'what is over a limit is not kept up to date': ({ amountOfAll, isWithin, withinLimit }) => ({
        withinLimit: (changes, parts) =>
          withinLimit(isWithin(amountOfAll(parts.documents), parts.limit) ? changes : [], parts),
      }),
    }),
  ],
  'test/core/pins.test.ts': breaks<typeof import('../../../src/core/pins.js')>('core/pins', {
    'a pin is overwritten by what is seen later': ({ afterLook }) => ({
      afterLook: (_, look) => afterLook(undefined, look),
    }),
    'bytes that contradict a promise are not called changed': ({ pinOf }) => ({
      pinOf: (seen, statement) => {
        const pin = pinOf(seen, statement);
        return pin && { ...pin, changed: undefined };
      },
    }),
  }),
  'test/core/due.test.ts': breaks<typeof import('../../../src/core/due.js')>('core/due', {
    'a server that asks to wait is not waited for': ({ planAfter }) => ({
      planAfter: (plan, event, at) => {
        const failure = event.kind === 'polled' && event.failure;
        if (!failure) return planAfter(plan, event, at);
        const { notBefore: _, ...without } = failure;
        return planAfter(plan, { ...event, failure: without }, at);
      },
    }),
    'hints take the back-off of a failing source away': ({ planAfter }) => ({
      planAfter: (plan, event, at) =>
        event.kind === 'hint' ? { ...plan, due: at.now } : planAfter(plan, event, at),
    }),
  }),
};
