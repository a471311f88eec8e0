/** The shadow roots at or below a place that are there already, as far as they are open. */
export function openShadowRoots(place: EventTarget): ShadowRoot[] {
  if (isWindow(place)) return openShadowRoots(place.document);
  const self = isElement(place) ? [place] : [];
  const below =
    isElement(place) || isDocument(place) || isShadowRoot(place) ? place.querySelectorAll('*') : [];
  const roots = [...self, ...below].flatMap(({ shadowRoot }) => shadowRoot ?? []);
  return roots.flatMap((root) => [root, ...openShadowRoots(root)]);
}

/** What an event reaches after a place when it is composed and bubbles (DOM Standard, "get the parent"). */
export function placeAbove(place: EventTarget): EventTarget | null {
  if (isShadowRoot(place)) return place.host;
  if (isDocument(place)) return place.defaultView;
  if (isElement(place) && place.assignedSlot) return place.assignedSlot;
  return isNode(place) ? place.parentNode : null;
}

export function isShadowRoot(place: EventTarget): place is ShadowRoot {
  return isNode(place) && place.nodeType === 11 && 'host' in place;
}

function isElement(place: EventTarget): place is Element {
  return isNode(place) && place.nodeType === 1;
}

function isDocument(place: EventTarget): place is Document {
  return isNode(place) && place.nodeType === 9;
}

/** Nodes of other windows are nodes, too, so `instanceof` does not tell. */
function isNode(place: EventTarget): place is Node {
  return 'nodeType' in place;
}

function isWindow(place: EventTarget): place is Window {
  return 'window' in place && 'document' in place;
}
