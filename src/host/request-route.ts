import { REQUESTS } from './data-events.js';
import { isShadowRoot, openShadowRoots, placeAbove } from './shadow-roots.js';

/** Takes a request; `asker` is where it really came from. */
export type Take = (request: Event, asker: EventTarget) => void;

interface Taker {
  readonly names: readonly string[];
  readonly take: Take;
}

const takers = new WeakMap<EventTarget, readonly Taker[]>();
/** Where each request under way came from: a listener inside of a closed root sees more of its path than one outside. */
const askers = new WeakMap<Event, EventTarget>();
/** Ends waiting for a request at the end of its path. */
const waiting = new WeakMap<Event, () => void>();
const listening = new WeakSet<EventTarget>();
let active = 0;

/**
 * Has `take` called for each data request from at or below `target`, also for those whose events do not bubble: the
 * specification leaves that open. Events that are not composed end at their shadow root; they are heard in open roots that
 * are there already, and in roots below which `target` is. A request goes to the nearest target that takes it, and to no other.
 * @returns stops it
 */
export function takeRequests(target: EventTarget, taker: Taker): () => void {
  const arrive = (request: Event) => {
    if (!isTaken(request)) taker.take(request, askers.get(request) ?? askerOf(request));
  };
  for (const name of taker.names) target.addEventListener(name, arrive);
  takers.set(target, [...(takers.get(target) ?? []), taker]);
  active += 1;
  for (const place of [target, ...openShadowRoots(target)]) listenAt(place);
  return once(() => {
    for (const name of taker.names) target.removeEventListener(name, arrive);
    takers.set(
      target,
      (takers.get(target) ?? []).filter((one) => one !== taker),
    );
    active -= 1;
  });
}

/** Sees all requests on their way down, those that do not bubble too. */
function listenAt(place: EventTarget): void {
  if (listening.has(place)) return;
  listening.add(place);
  for (const name of REQUESTS) place.addEventListener(name, route, { capture: true });
}

/**
 * Finds out who takes a request. One that will arrive there by itself is let go. For any other, the taker waits at the
 * end of its path, behind the listeners that are there: one of them may take the request and stop it.
 */
function route(request: Event): void {
  if (active === 0) return;
  waiting.get(request)?.();
  const path = request.composedPath();
  const asker = askerOf(request);
  askers.set(request, asker);
  // Roots that came with the document, and were never attached by a script.
  for (const place of path) if (isShadowRoot(place)) listenAt(place);
  const nearest = nearestTaker(asker, request.type);
  if (!nearest || nearest.target === asker || (request.bubbles && path.includes(nearest.target))) return;
  waitAt(request.bubbles ? (path.at(-1) ?? asker) : asker, request, nearest.take);
}

function waitAt(place: EventTarget, request: Event, take: Take): void {
  const arrive = (arrived: Event) => {
    if (arrived !== request) return;
    leave();
    if (!isTaken(request)) take(request, askers.get(request) ?? place);
  };
  const leave = () => place.removeEventListener(request.type, arrive);
  place.addEventListener(request.type, arrive);
  waiting.set(request, leave);
  // The request may be stopped before it comes here.
  queueMicrotask(leave);
}

function nearestTaker(asker: EventTarget, name: string): { target: EventTarget; take: Take } | undefined {
  for (let target: EventTarget | null = asker; target; target = placeAbove(target)) {
    const taker = takers.get(target)?.find(({ names }) => names.includes(name));
    if (taker) return { target, take: taker.take };
  }
  return undefined;
}

/** Has another host, which listens at the same place, stopped it? */
function isTaken(request: Event): boolean {
  return request.cancelBubble;
}

/** Known only while the event is on its way. */
function askerOf(request: Event): EventTarget {
  const asker = request.composedPath()[0] ?? request.target;
  if (!asker) throw new Error(`${request.type} is not on its way`);
  return asker;
}

function once(stop: () => void): () => void {
  let stopped = false;
  return () => {
    if (!stopped) stop();
    stopped = true;
  };
}
