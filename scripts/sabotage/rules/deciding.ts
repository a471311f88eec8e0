/** Decisions: functions from values to values (`src/core/`). */
import { breaks, type Rule } from '../rule.js';

export const DECIDING: readonly Rule[] = [
  breaks<typeof import('../../../src/core/precedence.js')>({
    name: 'a learned source is ranked before a configured one',
    module: 'core/precedence',
    broken: ({ compareStandings }) => ({
      compareStandings: (one, other) => other.rank - one.rank || compareStandings(one, other),
    }),
    suite: 'test/core/precedence.test.ts',
  }),
  breaks<typeof import('../../../src/core/precedence.js')>({
    name: 'ties go by arrival',
    module: 'core/precedence',
    broken: () => ({ compareStandings: (one, other) => one.rank - other.rank }),
    suite: 'test/core/precedence.test.ts',
  }),
  breaks<typeof import('../../../src/core/take.js')>({
    name: "a peer's peer is believed",
    module: 'core/take',
    broken: ({ takeStatement }) => ({
      takeStatement: (graph, rules) => {
        const taken = takeStatement(graph, rules);
        return taken === 'taken' || taken.address === undefined ? 'taken' : taken;
      },
    }),
    suite: 'test/core/take.test.ts',
  }),
  breaks<typeof import('../../../src/core/take.js')>({
    name: "a private address of a peer's list is taken up",
    module: 'core/take',
    broken: ({ takeAddress }) => ({
      takeAddress: (entry, rules) => takeAddress(entry, { ...rules, network: { allowPrivate: true } }),
    }),
    suite: 'test/core/discovery-refusals.test.ts',
  }),
  breaks<typeof import('../../../src/core/discovery.js')>({
    name: 'hops are not counted',
    module: 'core/discovery',
    broken: ({ createDiscovery }) => ({
      createDiscovery: (rules) =>
        createDiscovery({ ...rules, discovery: { ...rules.discovery, depth: rules.discovery.depth + 9 } }),
    }),
    suite: 'test/core/discovery.test.ts',
  }),
  breaks<typeof import('../../../src/core/pod-roles.js')>({
    name: 'a pod is taken from all peers that read it',
    module: 'core/pod-roles',
    broken: ({ podRoles }) => ({
      podRoles: (known) => ({ ...podRoles(known), isFromOthers: () => false }),
    }),
    suite: 'test/core/pod-roles.test.ts',
  }),
  breaks<typeof import('../../../src/core/stream-slots.js')>({
    name: 'streams that are refused take the slots of others',
    module: 'core/stream-slots',
    broken: ({ chosenStreams }) => ({
      chosenStreams: (wanted, most) => chosenStreams(wanted, most, () => false),
    }),
    suite: 'test/sync/push/streams.test.ts',
  }),
  breaks<typeof import('../../../src/core/host-rules.js')>({
    name: 'what is denied and allowed is allowed',
    module: 'core/host-rules',
    broken: ({ hostJudge }) => ({ hostJudge: (deny, allow) => hostJudge(allow ? [] : deny, allow) }),
    suite: 'test/core/host-rules.test.ts',
  }),
  breaks<typeof import('../../../src/core/shrink-guard.js')>({
    name: 'a source that loses most of what it said is believed at once',
    module: 'core/shrink-guard',
    broken: ({ guardLoss }) => ({
      guardLoss: (changes, parts) => guardLoss(changes, { ...parts, acceptsShrink: true }),
    }),
    suite: 'test/core/judge.test.ts',
  }),
  breaks<typeof import('../../../src/core/pins.js')>({
    name: 'a pin is overwritten by what is seen later',
    module: 'core/pins',
    broken: ({ afterLook }) => ({ afterLook: (_, look) => afterLook(undefined, look) }),
    suite: 'test/core/pins.test.ts',
  }),
  breaks<typeof import('../../../src/core/pins.js')>({
    name: 'bytes that contradict a promise are not called changed',
    module: 'core/pins',
    broken: ({ pinOf }) => ({
      pinOf: (seen, statement) => {
        const pin = pinOf(seen, statement);
        return pin && { ...pin, changed: undefined };
      },
    }),
    suite: 'test/core/pins.test.ts',
  }),
  breaks<typeof import('../../../src/core/due.js')>({
    name: 'a server that asks to wait is not waited for',
    module: 'core/due',
    broken: ({ planAfter }) => ({
      planAfter: (plan, event, at) => {
        const failure = event.kind === 'polled' && event.failure;
        if (!failure) return planAfter(plan, event, at);
        const { notBefore: _, ...without } = failure;
        return planAfter(plan, { ...event, failure: without }, at);
      },
    }),
    suite: 'test/core/due.test.ts',
  }),
  breaks<typeof import('../../../src/core/due.js')>({
    name: 'hints take the back-off of a failing source away',
    module: 'core/due',
    broken: ({ planAfter }) => ({
      planAfter: (plan, event, at) =>
        event.kind === 'hint' ? { ...plan, due: at.now } : planAfter(plan, event, at),
    }),
    suite: 'test/core/due.test.ts',
  }),
  breaks<typeof import('../../../src/core/limits.js')>({
    name: 'what is over a limit is not kept up to date',
    module: 'core/limits',
    broken: ({ amountOfAll, isWithin, withinLimit }) => ({
      withinLimit: (changes, parts) =>
        withinLimit(isWithin(amountOfAll(parts.documents), parts.limit) ? changes : [], parts),
    }),
    suite: 'test/core/judge.test.ts',
  }),
];
