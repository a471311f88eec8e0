/** Takes a request; `asker` is where it came from, as far as that can be seen from the target. */
type Take = (request: Event, asker: EventTarget) => void;

interface Taker {
  readonly names: readonly string[];
  readonly take: Take;
}

const takers = new WeakMap<EventTarget, readonly Taker[]>();

/**
 * Has `take` called for each data request from at or below `target`, also for those whose events do not bubble: the
 * specification leaves that open. Events that are not composed end at their shadow root; they are heard in open roots that
 * are there already, and in roots below which `target` is. A request goes to the nearest target that takes it, and to no other.
 * @returns stops it
 */
export function takeRequests(target: EventTarget, taker: Taker): () => void {
  const listening = new AbortController();
  const arrive = (request: Event) => {
    const asker = askerOf(request);
    // Somebody who listens at the same place may have stopped it.
    if (!request.cancelBubble && nearestTaker(asker, request.type) === taker) taker.take(request, asker);
  };
  /** One that does not bubble is taken where it came from, behind the listeners that are there: one of them may stop it. */
  const descend = (request: Event) => {
    const asker = askerOf(request);
    if (request.bubbles || asker === target || nearestTaker(asker, request.type) !== taker) return;
    const take = (arrived: Event) => arrived === request && arrive(request);
    asker.addEventListener(request.type, take);
    queueMicrotask(() => asker.removeEventListener(request.type, take));
  };
  const { signal } = listening;
  for (const name of taker.names) {
    target.addEventListener(name, arrive, { signal });
    target.addEventListener(name, descend, { signal, capture: true });
    for (const root of openShadowRoots(target)) {
      // All others come to the target.
      const unlessComposed = (then: (request: Event) => void) => (request: Event) => {
        if (!request.composed) then(request);
      };
      root.addEventListener(name, unlessComposed(arrive), { signal });
      root.addEventListener(name, unlessComposed(descend), { signal, capture: true });
    }
  }
  takers.set(target, [...(takers.get(target) ?? []), taker]);
  return () => {
    listening.abort();
    const others = (takers.get(target) ?? []).filter((one) => one !== taker);
    takers.set(target, others);
  };
}

function nearestTaker(asker: EventTarget, name: string): Taker | undefined {
  for (let place: EventTarget | null = asker; place; place = placeAbove(place)) {
    const taker = takers.get(place)?.find(({ names }) => names.includes(name));
    if (taker) return taker;
  }
  return undefined;
}

/** Known only while the event is on its way. */
function askerOf(request: Event): EventTarget {
  const asker = request.composedPath()[0];
  if (!asker) throw new Error(`${request.type} is not on its way`);
  return asker;
}

/** What an event reaches after a place when it is composed and bubbles (DOM Standard, "get the parent"). */
function placeAbove(place: EventTarget): EventTarget | null {
  if (!isNode(place)) return null;
  if (place.nodeType === 11) return (place as ShadowRoot).host ?? null;
  if (place.nodeType === 9) return (place as Document).defaultView;
  return (place as Element).assignedSlot ?? place.parentNode;
}

/** The shadow roots at or below a place that are there already, as far as they are open. */
function openShadowRoots(place: EventTarget): ShadowRoot[] {
  const top = isNode(place) ? place : (place as Partial<Window>).document;
  if (!top) return [];
  const below = 'querySelectorAll' in top ? [...(top as ParentNode).querySelectorAll('*')] : [];
  const roots = [top as Element, ...below].flatMap(({ shadowRoot }) => shadowRoot ?? []);
  return roots.flatMap((root) => [root, ...openShadowRoots(root)]);
}

/** Nodes of other windows are nodes, too, so `instanceof` does not tell. */
function isNode(place: EventTarget): place is Node {
  return 'nodeType' in place;
}
