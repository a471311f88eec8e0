import { attempt, byId, say, wordsOf } from '../../browser/element.js';
import { integrityAt } from '../../browser/integrity.js';
import type { Description } from './description.js';
import { askOwnNode, type Draft, draftOf, showFindings } from './draft.js';
import { DescriptionForm } from './form.js';
import { readManifests } from './manifest.js';
import { type Known, showMine } from './mine.js';
import { type Places, placesOf } from './profile.js';
import { Publisher } from './publisher.js';
import { currentListings, type Expected, follow } from './receipt.js';
import { beginSignIn, draftBefore, finishSignIn } from './session.js';
import type { SignIn } from './sign-in.js';

/** How long nothing must have been typed before the node is asked, in ms. */
const PAUSE_MS = 300;

/** What a visitor has filled in, while they are at their provider. */
interface Filled {
  readonly description: Description;
  readonly address: string;
  readonly issuer: string;
}

/** The page /publish: what the visitor fills in and clicks, and what follows. */
export class PublishPage {
  readonly #form = new DescriptionForm(() => this.#previewSoon());
  readonly #address = byId<HTMLInputElement>('address');
  readonly #issuer = byId<HTMLInputElement>('issuer');
  #signIn: SignIn | undefined;
  #places: Places = { storages: [], container: undefined };
  #publisher: Publisher | undefined;
  #turtle: string | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** What is waited for, and what ends the waiting. */
  #expected: Expected | undefined;
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
      const { value } = this.#issuer;
      const filled: Filled = { description: this.#form.read(), address: this.#address.value, issuer: value };
      void attempt('signed', () => beginSignIn(value, byId('publish').dataset.client ?? '', filled));
    });
    byId('write').addEventListener('click', () => attempt('written', () => this.#write()));
    byId('check').addEventListener('click', () => attempt('written', () => this.#look()));
  }

  /** Somebody has signed in: where can they write, and what have they published? */
  async #welcome({ webId = '', fetch }: SignIn): Promise<void> {
    say('signed', `Signed in as ${webId}.`);
    this.#places = await placesOf(webId, byId('publish').dataset.component ?? '', fetch);
    if (this.#places.storages.length === 0)
      say(
        'signed',
        `Signed in as ${webId}. Your profile names no storage: name the URL of the document yourself.`,
      );
    await this.#showMine();
  }

  #showMine(): Promise<void> {
    return attempt('signed', () =>
      showMine(this.#places.storages, {
        edit: (known) => attempt('written', () => this.#edit(known)),
        withdraw: (known) => attempt('written', () => this.#withdraw(known)),
      }),
    );
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
    if (this.#address.value === '' && this.#places.container)
      this.#address.value = proposed(this.#places.container, put);
    const publisher = await this.#opened();
    const draft = publisher ? await publisher.draft({ put }) : await draftOf({ put });
    this.#show(draft, publisher);
  }

  #show({ turtle, findings, changes }: Draft, publisher: Publisher | undefined): void {
    this.#turtle = turtle;
    showFindings('findings', findings);
    byId('turtle').textContent = turtle ?? '';
    const save = byId<HTMLAnchorElement>('save');
    URL.revokeObjectURL(save.href);
    save.href = URL.createObjectURL(new Blob([turtle ?? ''], { type: 'text/turtle' }));
    byId<HTMLButtonElement>('write').disabled = turtle === undefined || publisher === undefined;
    if (!publisher?.isThere) return;
    say('written', [changeText(changes), publisher.caution].filter(Boolean).join(' '));
  }

  /** The document at the address, as its owner sees it; undefined before they have signed in and named one. */
  async #opened(): Promise<Publisher | undefined> {
    const { value } = this.#address;
    if (!this.#signIn || value === '') return undefined;
    if (this.#publisher?.document !== value)
      this.#publisher = await Publisher.open(new URL(value).href, this.#signIn.fetch);
    return this.#publisher;
  }

  async #write(): Promise<void> {
    this.#begin();
    await this.#preview();
    const publisher = await this.#opened();
    if (!publisher || this.#turtle === undefined) throw new Error('there is nothing to write yet');
    const { uri } = this.#form.read();
    const before = await currentListings(uri);
    await publisher.write(this.#turtle);
    say('written', `Written: ${publisher.document}`);
    this.#expected = { uri, document: publisher.document, before, isGone: false };
    await this.#prove(publisher);
  }

  /** What was said of an earlier change is over. */
  #begin(): void {
    this.#following.abort();
    showFindings('proof', []);
    say('listing', 'Writing …');
  }

  /** For a document that the visitor has put on a server by other means. */
  async #look(): Promise<void> {
    const { uri } = this.#form.read();
    const { value } = this.#address;
    if (value === '' || uri === '') throw new Error('name the URL of the document, and that of the module');
    const publisher = (await this.#opened()) ?? Publisher.elsewhere(new URL(value).href);
    this.#expected = { uri, document: publisher.document, before: new Map(), isGone: false };
    await this.#prove(publisher);
  }

  /** Can everyone read it? Then nodes are told; else the visitor is told how to open it. */
  async #prove(publisher: Publisher): Promise<void> {
    const { findings, isClosed } = await publisher.prove(this.#places.storages);
    showFindings('proof', findings);
    if (!isClosed) return this.#tell();
    say('listing', 'Nodes are told once everyone can read it: then press "It is there: look at it".');
  }

  /** Tells this node that the document has changed, and watches who takes it up. */
  async #tell(): Promise<void> {
    const expected = this.#expected;
    if (!expected) return;
    this.#following.abort();
    this.#following = new AbortController();
    const { signal } = this.#following;
    await askOwnNode('/hint', { topic: expected.document });
    await follow(expected, signal);
    await this.#showMine();
  }

  async #edit({ document: at, uri }: Known): Promise<void> {
    this.#address.value = at;
    const publisher = await this.#opened();
    const { components } = (await publisher?.draft({})) ?? { components: [] };
    const component = components.find((one) => one.uri === uri);
    if (!component) throw new Error(`${at} describes ${uri} no more`);
    this.#fill(component);
    byId('f-label').focus();
  }

  async #withdraw({ document: at, uri }: Known): Promise<void> {
    if (!this.#signIn) return;
    this.#begin();
    const publisher = await Publisher.open(at, this.#signIn.fetch);
    const { turtle } = await publisher.draft({ remove: uri });
    const before = await currentListings(uri);
    await publisher.write(turtle);
    this.#publisher = undefined;
    say('written', turtle === undefined ? `Deleted: ${at}` : `Taken out of ${at}`);
    this.#expected = { uri, document: at, before, isGone: true };
    await this.#tell();
  }
}

/** What an edit does to the component, and to its other versions, which come after it. */
function changeText([change, ...others]: Draft['changes']): string {
  if (!change) return '';
  const words = [change.kind, change.fields.join(', ')].filter(Boolean).join(': ');
  const versions = others.map(({ uri }) => `; ${uri} is not the latest any more`);
  return `There is a document already; of it, this component is ${words}${versions.join('')}.`;
}

/** A name for the document, made of that of the component. */
function proposed(container: string, { label, tag: [tag = ''] }: Description): string {
  const words = (label || tag).toLowerCase().match(/[a-z0-9]+/g) ?? ['component'];
  return `${container}${words.join('-')}.ttl`;
}
