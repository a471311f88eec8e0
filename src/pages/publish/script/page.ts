import { cautionOf, podDocument, proofOf, type Stored, type Target } from '../../../publish/document.js';
import type { Expected } from '../../../publish/receipt.js';
import { attempt, byId, say, wordsOf } from '../../browser/element.js';
import { integrityAt } from '../../browser/integrity.js';
import { beginSignIn, draftBefore, finishSignIn, storagesOf } from './account.js';
import { DescriptionForm } from './form.js';
import { readManifests } from './manifest.js';
import { type Known, showMine } from './mine.js';
import { currentListings, follow } from './nodes.js';
import {
  askOwnNode,
  type Description,
  type Draft,
  inTime,
  showFindings,
  strangersFetch,
} from './own-node.js';
import type { SignIn } from './sign-in.js';

/** How long nothing must have been typed before the node is asked, in ms. */
const PAUSE_MS = 300;

/** What a visitor has filled in, while they are at their provider. */
interface Filled {
  readonly description: Description;
  readonly address: string;
  readonly issuer: string;
}

/** A document of the visitor's, and what has been read of it. */
interface Opened {
  readonly target: Target;
  readonly stored: Stored;
}

/** The page /publish: what the visitor fills in and clicks, and what follows. */
export class PublishPage {
  readonly #form = new DescriptionForm(() => this.#previewSoon());
  readonly #address = byId<HTMLInputElement>('address');
  readonly #issuer = byId<HTMLInputElement>('issuer');
  #signIn: SignIn | undefined;
  #storages: readonly string[] = [];
  #opened: Opened | undefined;
  #turtle: string | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** Ends the waiting for nodes. */
  #following = new AbortController();

  async start(): Promise<void> {
    byId('publish').hidden = false;
    readManifests((component) => this.#fill(component));
    this.#listen();
    const filled = draftBefore<Filled>();
    if (filled) {
      this.#form.fill(filled.description);
      [this.#address.value, this.#issuer.value] = [filled.address, filled.issuer];
    }
    await attempt('signed', async () => {
      this.#signIn = await finishSignIn();
      if (this.#signIn) await this.#welcome(this.#signIn);
    });
    await attempt('written', () => this.#preview());
  }

  #listen(): void {
    const uri = byId<HTMLInputElement>('f-uri');
    uri.addEventListener('change', () => this.#hash(uri.value));
    this.#address.addEventListener('change', () => attempt('written', () => this.#preview()));
    byId('signing').addEventListener('submit', (event) => {
      event.preventDefault();
      const { value: issuer } = this.#issuer;
      const filled: Filled = { description: this.#form.read(), address: this.#address.value, issuer };
      void attempt('signed', () => beginSignIn(issuer, byId('publish').dataset.client ?? '', filled));
    });
    byId('write').addEventListener('click', () => attempt('written', () => this.#write()));
    byId('check').addEventListener('click', () => attempt('written', () => this.#look()));
  }

  /** Somebody has signed in: where can they write, and what have they published? */
  async #welcome({ webId = '', fetch }: SignIn): Promise<void> {
    say('signed', `Signed in as ${webId}.`);
    this.#storages = await storagesOf(webId, inTime(fetch));
    if (this.#storages.length === 0)
      say(
        'signed',
        `Signed in as ${webId}. Your profile names no storage: name the URL of the document yourself.`,
      );
    await this.#showMine();
  }

  #showMine(): Promise<void> {
    const edit = (known: Known) => attempt('written', () => this.#edit(known));
    const withdraw = (known: Known) => attempt('written', () => this.#withdraw(known));
    return attempt('signed', () => showMine(this.#storages, edit, withdraw));
  }

  #fill(description: Description): void {
    this.#form.fill(description);
    void this.#hash(description.uri);
    void attempt('written', () => this.#preview());
  }

  /** Hosts run nothing but what the description promises, so the hash is that of the module as it is now. */
  async #hash(uri: string): Promise<void> {
    try {
      this.#form.integrity = await integrityAt(uri);
      say('hashed', 'The module can be read, and this is its hash.');
      this.#previewSoon();
    } catch (error) {
      say('hashed', `Browsers cannot read the module, and no host could: ${wordsOf(error)}.`);
    }
  }

  #previewSoon(): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => attempt('written', () => this.#preview()), PAUSE_MS);
  }

  /** Shows what would be written, and what is wrong with it. */
  async #preview(): Promise<void> {
    clearTimeout(this.#pause);
    const put = this.#form.read();
    if (put.uri === '' && put.label === '') return;
    const [storage] = this.#storages;
    if (this.#address.value === '' && storage !== undefined)
      this.#address.value = `${storage}components/${nameFor(put)}.ttl`;
    const opened = await this.#document();
    this.#show(await draftOf(opened, { put }), opened);
  }

  #show({ turtle, findings, changes }: Draft, opened: Opened | undefined): void {
    this.#turtle = turtle;
    showFindings('findings', findings);
    byId('turtle').textContent = turtle ?? '';
    const save = byId<HTMLAnchorElement>('save');
    URL.revokeObjectURL(save.href);
    save.href = URL.createObjectURL(new Blob([turtle ?? ''], { type: 'text/turtle' }));
    byId<HTMLButtonElement>('write').disabled = turtle === undefined || opened === undefined;
    if (opened?.stored.text === undefined) return;
    say('written', [changeText(changes), cautionOf(opened.stored)].filter(Boolean).join(' '));
  }

  /** The document at the address, as its owner sees it; undefined before they have signed in and named one. */
  async #document(): Promise<Opened | undefined> {
    const { value } = this.#address;
    if (!this.#signIn || value === '') return undefined;
    if (this.#opened?.target.address !== value) this.#opened = await open(value, this.#signIn);
    return this.#opened;
  }

  async #write(): Promise<void> {
    this.#begin();
    await this.#preview();
    const opened = await this.#document();
    if (!opened || !this.#signIn || this.#turtle === undefined)
      throw new Error('there is nothing to write yet');
    const { uri, version } = this.#form.read();
    const { address } = opened.target;
    const before = await currentListings(address, uri);
    await opened.target.write(this.#turtle, opened.stored);
    this.#opened = await open(address, this.#signIn);
    say('written', `Written: ${address}`);
    await this.#prove({ document: address, components: [{ uri, version }], gone: [], before });
  }

  /** What was said of an earlier change is over. */
  #begin(): void {
    this.#following.abort();
    showFindings('proof', []);
    say('listing', 'Writing …');
  }

  /** For a document that the visitor has put on a server by other means, or opened to everybody since. */
  async #look(): Promise<void> {
    const { uri, version } = this.#form.read();
    const { value } = this.#address;
    if (value === '' || uri === '') throw new Error('name the URL of the document, and that of the module');
    await this.#prove({ document: new URL(value).href, components: [{ uri, version }], gone: [] });
  }

  /** Can everyone read it, and the container that nodes find it by? Then nodes are told; else its owner is told how to open it. */
  async #prove(expected: Expected): Promise<void> {
    const own = await proofOf(expected.document, 'the document', strangersFetch);
    const container = new URL('.', expected.document).href;
    // A server without pods need not list its folders, nor everybody a whole storage.
    const isFound = this.#signIn && !this.#storages.includes(container);
    const around = isFound
      ? [await proofOf(container, 'its container, where nodes find it', strangersFetch)]
      : [];
    showFindings('proof', [own.finding, ...around.map(({ finding }) => finding)]);
    if (![own, ...around].some(({ isClosed }) => isClosed))
      return this.#tell({ ...expected, etag: own.etag });
    say('listing', 'Nodes are told once everyone can read it: then press "It is there: look at it".');
  }

  /** Tells the nodes that the document has changed, and watches who takes it up. */
  async #tell(expected: Expected): Promise<void> {
    this.#following.abort();
    this.#following = new AbortController();
    await follow(expected, this.#following.signal);
    await this.#showMine();
  }

  async #edit({ document: at, uri }: Known): Promise<void> {
    this.#address.value = at;
    const { components } = await draftOf(await this.#document(), {});
    const component = components.find((one) => one.uri === uri);
    if (!component) throw new Error(`${at} describes ${uri} no more`);
    this.#fill(component);
    byId('f-label').focus();
  }

  async #withdraw({ document: at, uri }: Known): Promise<void> {
    if (!this.#signIn) return;
    this.#begin();
    const { target, stored } = await open(at, this.#signIn);
    const { turtle } = await draftOf({ target, stored }, { remove: uri });
    if (turtle !== undefined || stored.text !== undefined) await target.write(turtle, stored);
    this.#opened = undefined;
    say('written', turtle === undefined ? `Deleted: ${at}` : `Taken out of ${at}`);
    await this.#tell({ document: at, components: [], gone: [uri] });
  }
}

/** @throws Error when the document is there and cannot be edited */
async function open(url: string, { fetch }: SignIn): Promise<Opened> {
  const target = podDocument(new URL(url).href, inTime(fetch), 'sign in again, as its owner');
  return { target, stored: await target.read() };
}

/** The document as it would be: this node writes its Turtle, and stores nothing. */
function draftOf(
  opened: Opened | undefined,
  edit: { readonly put?: Description; readonly remove?: string },
): Promise<Draft> {
  return askOwnNode('/publish/draft', {
    ...{ document: opened?.target.address, before: opened?.stored.text },
    ...edit,
  });
}

/** What an edit does to the component, and to its other versions, which come after it. */
function changeText([change, ...others]: Draft['changes']): string {
  if (!change) return '';
  const words = [change.kind, change.fields.join(', ')].filter(Boolean).join(': ');
  const versions = others.map(({ uri }) => `; ${uri} is not the latest any more`);
  return `There is a document already; of it, this component is ${words}${versions.join('')}.`;
}

/** A name for the document, made of that of the component. */
function nameFor({ label, tag: [tag = ''] }: Description): string {
  return ((label || tag).toLowerCase().match(/[a-z0-9]+/g) ?? ['component']).join('-');
}
