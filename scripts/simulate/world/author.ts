import type { Truth } from '../model/truth.js';
import type { LdpServer } from '../pods/ldp-server.js';

const VOCABULARY = 'http://semcom.digita.ai/voc#';
/** One document in so many describes a component that the pod before it describes, too. */
const CONTESTED_EVERY = 4;

/** Writes in a pod, and knows what is true. Each document describes one component. */
export class Author {
  readonly #server: LdpServer;
  readonly #truth: Truth;
  #written = 0;

  constructor(server: LdpServer, truth: Truth) {
    this.#server = server;
    this.#truth = truth;
  }

  /** URLs of the documents that there are. */
  get documents(): readonly string[] {
    return [...(this.#truth.pods.get(this.#server.url)?.keys() ?? [])];
  }

  /** What a document describes, or did when it was last written. */
  uriOf(document: string): string {
    const said = this.#truth.pods.get(this.#server.url)?.get(document);
    const { host, pathname } = new URL(document);
    return said?.uri ?? `https://modules.example/${host}${pathname.replace(/\.ttl$/, '.js')}`;
  }

  async furnish(place: number, components: number): Promise<void> {
    for (let i = 0; i < components; i++) {
      const isContested = (place + i) % CONTESTED_EVERY === 0 && i === 0;
      const uri = isContested ? `https://modules.example/contested/${Math.floor(place / 2)}.js` : undefined;
      await this.write(`${this.#server.url}${i}.ttl`, uri);
    }
  }

  /** Writes a document, new or not, with a label that was never used before. */
  async write(document: string, uri = this.uriOf(document)): Promise<void> {
    this.#written += 1;
    const label = `${new URL(document).host} ${this.#written}`;
    const body = `<${uri}> a <${VOCABULARY}component> ; <${VOCABULARY}label> "${label}" .\n`;
    await this.#ask('PUT', document, body);
    this.#truth.write(this.#server.url, document, { uri, label });
  }

  async erase(document: string): Promise<void> {
    await this.#ask('DELETE', document, null);
    this.#truth.erase(this.#server.url, document);
  }

  async #ask(method: string, document: string, body: string | null): Promise<void> {
    const { origin, pathname: target } = new URL(document);
    const headers = { 'content-type': 'text/turtle' };
    const answer = await this.#server.answer({ from: '', method, origin, target, headers, body });
    if (answer.status >= 300) throw new Error(`${method} ${document} answered ${answer.status}`);
  }
}
