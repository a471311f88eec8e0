import {
  type DataAction,
  type DataResponseDetail,
  type DataType,
  type DataTypes,
  detailOf,
  eventName,
  RESPONSE,
} from './data-events.js';
import { HostError } from './host-error.js';
import { webUrl } from './page-url.js';

/** How long a component waits for its host, in ms: longer than a host waits for a server. */
const PATIENCE_MS = 60_000;

/** Nothing to extend where pages are rendered on a server; importing this module there must not fail. */
const Base = (globalThis.HTMLElement ?? Object) as typeof HTMLElement;

/**
 * A start for authors of components: a custom element with an open shadow root, the `entry` attribute, and the
 * data events as promises. Override `show`; it is called when the element is connected and whenever `entry` changes.
 */
export class ComponentElement extends Base {
  static readonly observedAttributes: readonly string[] = ['entry'];

  readonly root: ShadowRoot = this.attachShadow({ mode: 'open' });
  #due = false;

  /** URL of the data resource to display; empty when the host has set none. A relative one is resolved against the page. */
  get entry(): string {
    const entry = this.getAttribute('entry') ?? '';
    return entry === '' ? '' : (webUrl(entry) ?? entry);
  }

  set entry(uri: string) {
    this.setAttribute('entry', uri);
  }

  /** Displays the data at `entry` in `this.root`. What it throws is handed to `showError`. */
  async show(_entry: string): Promise<void> {
    this.root.replaceChildren();
  }

  /** Tells the user that `show` failed: a paragraph with `role="alert"`. */
  showError(error: unknown): void {
    const message = document.createElement('p');
    message.setAttribute('role', 'alert');
    const words = error instanceof Error ? error.message : String(error);
    message.textContent = error instanceof HostError ? error.userMessage : words;
    this.root.replaceChildren(message);
  }

  /** Asks the host for the data at `uri`, as `type`. @throws HostError when the host cannot, or does not answer */
  readData<T extends DataType>(uri: string, type: T, mime?: string): Promise<DataTypes[T]> {
    return this.#ask('read', { uri, type, mime });
  }

  /** Asks the host to replace the data at `uri`; resolves with what was written. @throws HostError as above */
  writeData<T extends DataType>(uri: string, type: T, data: DataTypes[T]): Promise<DataTypes[T]> {
    return this.#ask('write', { uri, type, data });
  }

  /** Asks the host to add to the data at `uri`; resolves with what was added. @throws HostError as above */
  appendData<T extends DataType>(uri: string, type: T, data: DataTypes[T]): Promise<DataTypes[T]> {
    return this.#ask('append', { uri, type, data });
  }

  connectedCallback(): void {
    this.#refresh();
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#refresh();
  }

  /** Being connected and being given an entry often come together: they are one reason to display it. */
  #refresh(): void {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(async () => {
      this.#due = false;
      const { entry } = this;
      try {
        if (entry !== '') await this.show(entry);
      } catch (error) {
        if (entry === this.entry) this.showError(error);
      }
    });
  }

  async #ask<T extends DataType>(
    action: DataAction,
    detail: { uri: string; type: T; mime?: string; data?: unknown },
  ): Promise<DataTypes[T]> {
    const request = new CustomEvent(eventName(action), { detail, bubbles: true, composed: true });
    const { success, data } = await this.#responseTo(request);
    if (success === true) return data as DataTypes[T];
    throw new HostError('host', `the host could not ${action} ${detail.uri}`);
  }

  /** Sends a request, and waits for its response. @throws HostError `timeout` */
  #responseTo(request: CustomEvent<{ uri: string }>): Promise<Partial<DataResponseDetail>> {
    const listening = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<Partial<DataResponseDetail>>();
    const timer = setTimeout(() => {
      reject(new HostError('timeout', `no host has answered ${request.type} of ${request.detail.uri}`));
    }, PATIENCE_MS);
    const hear = (event: Event) => {
      const response: Partial<DataResponseDetail> = detailOf(event);
      if (response.cause === request) resolve(response);
    };
    this.addEventListener(RESPONSE, hear, { signal: listening.signal });
    this.dispatchEvent(request);
    return promise.finally(() => {
      clearTimeout(timer);
      listening.abort();
    });
  }
}
