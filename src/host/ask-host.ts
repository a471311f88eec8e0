import {
  type DataAction,
  type DataRequestDetail,
  type DataResponseDetail,
  detailOf,
  eventName,
  type Naming,
} from './data-events.js';
import { HostError } from './host-error.js';

/** Nothing to extend where pages are rendered on a server; importing this module there must not fail. */
const Base = (globalThis.CustomEvent ?? Object) as typeof CustomEvent<DataRequestDetail | null>;

/** The first event of a pair that a host has taken. */
interface Claim {
  taken?: Event;
}

/**
 * A request under one of its two names. A host takes the request when it looks at the detail; from then on the event with the
 * other name has no detail, so that no second host can do the same once more.
 */
class RequestEvent extends Base {
  readonly #claim: Claim;

  constructor(name: string, detail: DataRequestDetail, claim: Claim) {
    super(name, { detail, bubbles: true, composed: true });
    this.#claim = claim;
  }

  override get detail(): DataRequestDetail | null {
    this.#claim.taken ??= this;
    return this.#claim.taken === this ? super.detail : null;
  }
}

/**
 * Sends a request from an element and waits for the response. The event has the name of the specification, and when no
 * host takes it, a second one has the name of the earlier draft, which hosts with the earlier SDK listen to.
 * @throws HostError `timeout` when no host has answered after `patienceMs`
 */
export function askHost(
  element: EventTarget,
  action: DataAction,
  detail: DataRequestDetail,
  patienceMs: number,
): Promise<Partial<DataResponseDetail>> {
  const claim: Claim = {};
  const event = (naming: Naming) => new RequestEvent(eventName(action, naming), detail, claim);
  const [own, earlier] = [event('component'), event('semcom')];
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      stop();
      settle();
    };
    const timer = setTimeout(() => {
      finish(() => reject(new HostError('timeout', `no host has answered the ${action} of ${detail.uri}`)));
    }, patienceMs);
    const stop = listenForResponses(element, (response) => {
      if (response.cause === own || response.cause === earlier) finish(() => resolve(response));
    });
    element.dispatchEvent(own);
    if (!claim.taken) element.dispatchEvent(earlier);
  });
}

/** Other hosts respond where they saw the request come from: that is an outer element, when the asker is in a shadow root. */
function listenForResponses(
  element: EventTarget,
  hear: (response: Partial<DataResponseDetail>) => void,
): () => void {
  const listen = (event: Event) => hear(detailOf(event));
  const listened = [element, globalThis.window].filter((place) => place !== undefined);
  const names = [eventName('response'), eventName('response', 'semcom')];
  const options = { capture: true };
  for (const place of listened) for (const name of names) place.addEventListener(name, listen, options);
  return () => {
    for (const place of listened) for (const name of names) place.removeEventListener(name, listen, options);
  };
}
