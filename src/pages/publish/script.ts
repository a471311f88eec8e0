import { integrityOf } from '../../component/integrity.js';
import type { Metadata } from '../../component/metadata.js';
import { cautionOf, podDocument, proofOf, type Stored, type Target } from '../../publish/document.js';
import { type Draft, error as errorFinding, type Finding, isError } from '../../publish/finding.js';
import type { Expected } from '../../publish/receipt.js';
import { attempt, byId, say, wordsOf } from '../browser/element.js';
import { beginSignIn, draftBefore, finishSignIn, storagesOf } from './script/account.js';
import { fieldOf, fillForm, readForm } from './script/form.js';
import { type Known, showMine } from './script/mine.js';
import { currentListings, follow } from './script/nodes.js';
import { askOwnNode, inTime, showFindings, strangersFetch } from './script/own-node.js';
import type { SignIn } from './script/sign-in.js';

// On the page /publish: what the visitor fills in and clicks, and what follows.

/** How long nothing must have been typed before the node is asked, in ms. */
const PAUSE_MS = 300;

/** What a visitor has filled in, while they are at their provider. */
interface Filled {
  readonly description: Metadata;
  readonly address: string;
}

/** A document of the visitor's, and what has been read of it. */
interface Opened {
  readonly target: Target;
  readonly stored: Stored;
}

const address = byId<HTMLInputElement>('address');
let signedIn: SignIn | undefined;
let storages: readonly string[] = [];
let opened: Opened | undefined;
/** What can be written: undefined while the description breaks a rule. */
let turtle: string | undefined;
/** What is wrong with the module. */
let unreadable: readonly Finding[] = [];
let pause: ReturnType<typeof setTimeout> | undefined;
/** Ends the waiting for nodes. */
let following = new AbortController();

byId('publish').hidden = false;
byId('description').addEventListener('submit', (event) => event.preventDefault());
byId('description').addEventListener('input', previewSoon);
fieldOf('uri').addEventListener('change', hash);
address.addEventListener('change', () => doing(preview));
byId('signing').addEventListener('submit', (event) => {
  event.preventDefault();
  const filled: Filled = { description: readForm(), address: address.value };
  const { value } = byId<HTMLInputElement>('issuer');
  void attempt('signed', () => beginSignIn(value, byId('publish').dataset.client ?? '', filled));
});
byId('write').addEventListener('click', () => doing(write));
byId('check').addEventListener('click', () => doing(look));

const filled = draftBefore<Filled>();
if (filled) {
  fillForm(filled.description);
  address.value = filled.address;
}
await attempt('signed', async () => {
  signedIn = await finishSignIn();
  if (!signedIn) return;
  await welcome(signedIn);
  // Who comes back goes on where they went, below all that is theirs.
  address.focus();
});
await doing(preview);

/** What goes wrong is said below the buttons. */
function doing(action: () => Promise<void>): Promise<void> {
  return attempt('written', action);
}

/** Somebody has signed in: where can they write, and what have they published? */
async function welcome(visitor: SignIn): Promise<void> {
  say('signed', `Signed in as ${visitor.webId}.`);
  byId('sign-out').hidden = false;
  storages = await storagesOf(visitor);
  if (storages.length === 0)
    say('signed', 'Your profile names no storage: name the URL of the document yourself.');
  await showKnown();
}

function showKnown(): Promise<void> {
  return showMine(
    storages,
    (known) => doing(() => edit(known)),
    (known) => doing(() => withdraw(known)),
  );
}

/** Hosts run nothing but what the description promises, so the hash is that of the module as it is now. */
async function hash(): Promise<void> {
  const uri = fieldOf('uri').value;
  unreadable = [];
  say('hashed', '');
  previewSoon();
  if (!URL.canParse(uri)) return;
  const found = await hashOf(uri).catch((error: unknown) => {
    const fix = 'put it where browsers can read it from pages of all sites: until then no host can run it';
    return errorFinding('moduleAway', { why: wordsOf(error), fix });
  });
  // The author may have named another one meanwhile.
  if (fieldOf('uri').value !== uri) return;
  if (typeof found === 'string') {
    fieldOf('integrity').value = found;
    say('hashed', 'The module can be read, and this is its hash.');
  } else unreadable = [found];
  previewSoon();
}

async function hashOf(uri: string): Promise<string> {
  const module = await strangersFetch(uri, { credentials: 'omit' });
  if (!module.ok) throw new Error(`its server answers ${module.status}`);
  return integrityOf(await module.arrayBuffer());
}

function previewSoon(): void {
  clearTimeout(pause);
  pause = setTimeout(() => doing(preview), PAUSE_MS);
}

/** Shows what would be written, and what is wrong with it. */
async function preview(): Promise<void> {
  clearTimeout(pause);
  const put = readForm();
  if (put.uri === '' && put.label === '') return;
  const [storage] = storages;
  if (address.value === '' && storage !== undefined)
    address.value = `${storage}components/${nameFor(put)}.ttl`;
  const before = await documentNow();
  const draft = await draftOf(before, { put });
  const { findings } = draft;
  turtle = findings.some(isError) ? undefined : draft.turtle;
  showFindings('findings', [...findings, ...unreadable]);
  byId('turtle').textContent = draft.turtle ?? '';
  byId<HTMLButtonElement>('write').disabled = turtle === undefined || before === undefined;
  if (before?.stored.text === undefined) return;
  const change = turtle === undefined ? '' : changeText(draft.changes);
  say('written', [change, cautionOf(before.stored)].filter(Boolean).join(' '));
}

/** The document at the address, as its owner sees it; undefined before they have signed in and named one. */
async function documentNow(): Promise<Opened | undefined> {
  if (!signedIn || address.value === '') return undefined;
  if (opened?.target.address !== address.value) opened = await open(address.value, signedIn);
  return opened;
}

async function write(): Promise<void> {
  begin();
  await preview();
  const before = await documentNow();
  if (!before || !signedIn || turtle === undefined) throw new Error('there is nothing to write yet');
  const { target, stored } = before;
  const { uri, version } = readForm();
  const listings = await currentListings(target.address, uri);
  await target.write(turtle, stored);
  opened = await open(target.address, signedIn);
  say('written', `Written: ${target.address}`);
  await prove({ document: target.address, components: [{ uri, version }], gone: [], before: listings });
}

/** What was said of an earlier change is over. */
function begin(): void {
  following.abort();
  showFindings('proof', []);
  say('listing', 'Writing …');
}

/** For a document that the visitor has put on a server by other means, or opened to everybody since. */
async function look(): Promise<void> {
  const { uri, version } = readForm();
  if (!URL.canParse(address.value) || uri === '')
    throw new Error('name the URL of the document, and that of the module');
  await prove({ document: new URL(address.value).href, components: [{ uri, version }], gone: [] });
}

/** Can everyone read it? Then nodes are told; else its owner is told how to open it. */
async function prove(expected: Expected): Promise<void> {
  const { finding, etag } = await proofOf(expected.document, strangersFetch);
  showFindings('proof', [finding]);
  if (finding.level === 'ok') return tell({ ...expected, etag });
  say('listing', 'Nodes are told once everyone can read it: then press "It is there: look at it".');
}

/** Tells the nodes that the document has changed, and watches who takes it up. */
async function tell(expected: Expected): Promise<void> {
  following.abort();
  following = new AbortController();
  await follow(expected, following.signal);
  await showKnown();
}

async function edit({ document: at, uri }: Known): Promise<void> {
  address.value = at;
  const { components } = await draftOf(await documentNow(), {});
  const component = components.find((one) => one.uri === uri);
  if (!component) throw new Error(`${at} describes ${uri} no more`);
  fillForm(component);
  void hash();
  await preview();
  fieldOf('label').focus();
}

async function withdraw({ document: at, uri }: Known): Promise<void> {
  if (!signedIn) return;
  begin();
  const before = await open(at, signedIn);
  const draft = await draftOf(before, { remove: uri });
  if (draft.turtle !== undefined || before.stored.text !== undefined)
    await before.target.write(draft.turtle, before.stored);
  opened = undefined;
  say('written', draft.turtle === undefined ? `Deleted: ${at}` : `Taken out of ${at}`);
  await tell({ document: at, components: [], gone: [uri] });
}

/** @throws Error when the document is there and cannot be edited */
async function open(url: string, { fetch }: SignIn): Promise<Opened> {
  const target = podDocument(new URL(url).href, inTime(fetch), 'sign in again, as its owner');
  return { target, stored: await target.read() };
}

/** The document as it would be: this node writes its Turtle, and stores nothing. */
function draftOf(of: Opened | undefined, change: { put?: Metadata; remove?: string }): Promise<Draft> {
  return askOwnNode('/publish/draft', { document: of?.target.address, before: of?.stored.text, ...change });
}

/** What an edit does to the component, and to its other versions, which come after it. */
function changeText([change, ...others]: Draft['changes']): string {
  if (!change) return '';
  const words = [change.kind, change.fields.join(', ')].filter(Boolean).join(': ');
  const versions = others.map(({ uri }) => `; ${uri} is not the latest any more`);
  return `There is a document already; of it, this component is ${words}${versions.join('')}.`;
}

/** A name for the document, made of that of the component. */
function nameFor({ label }: Metadata): string {
  return (label.toLowerCase().match(/[a-z0-9]+/g) ?? ['component']).join('-');
}
