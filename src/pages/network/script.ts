import { actionButton, byId, element, say, wordsOf } from '../browser/element.js';
import { type Ask, offerSignIn } from '../browser/signed-in.js';

interface Refusal {
  readonly url: string;
  readonly kind: string;
  readonly reason: string;
  readonly via: string;
}

interface Source {
  readonly url: string;
  readonly kind: string;
  readonly state: string;
  readonly error?: string;
  readonly failingSince?: string;
  readonly shrink?: { readonly from: number; readonly to: number; readonly since: string };
}

interface Pin {
  readonly uri: string;
  readonly version?: string;
  readonly changedAt?: string;
}

interface Status {
  readonly sources: readonly Source[];
  readonly refused: {
    readonly counts: Readonly<Record<string, number>>;
    readonly examples: readonly Refusal[];
  };
  /** Absent while the database does not answer. */
  readonly pins?: { readonly changed: number; readonly examples: readonly Pin[] };
}

/** What refused addresses are refused for, besides waiting for approval; the others are meant to be refused. */
const REASONS: Readonly<Record<string, string>> = {
  'private-address': 'its address is not public; network.allowPrivate would allow it',
  'over-cap': 'as many as discovery.maxPeers or discovery.maxPods allow are learned already',
  rejected: 'you have rejected it',
};
const DATES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
let ask: Ask;

// On the page /network: what waits for the operator, with a button for each thing that can be done about it.
offerSignIn(async (signedIn) => {
  ask = signedIn;
  await show();
});
byId('rehearse').addEventListener('submit', async (event) => {
  event.preventDefault();
  say('rehearse-said', 'One moment …');
  try {
    await rehearse(byId<HTMLInputElement>('rehearse-url').value.trim());
    say('rehearse-said', '');
  } catch (error) {
    say('rehearse-said', wordsOf(error));
  }
});

async function rehearse(url: string): Promise<void> {
  const { text } = await ask('POST', '/rehearse', { url }, 'text/plain');
  const place = byId('rehearsal');
  place.hidden = false;
  place.textContent = text;
}

/** Asks how things are, and shows what waits. @throws Error when the token is not the operator's */
async function show(): Promise<void> {
  const { sources, refused, pins } = (await ask('GET', '/status')).json as Status;
  const waiting = refused.examples.filter(({ reason }) => reason === 'not-approved');
  const lists = [
    list('approval', waiting.map(approval), refused.counts['not-approved']),
    list('removals', sources.flatMap(removal)),
    list('modules', (pins?.examples ?? []).map(changedModule), pins?.changed),
    list('polled', sources.flatMap(failingSource)),
    list('unread', refused.examples.flatMap(refusal)),
  ];
  say('state', lists.every((count) => count === 0) ? 'Nothing waits for you.' : '');
}

/** @param count how many there are, where not all of them are named @returns the same */
function list(id: string, rows: readonly HTMLElement[], count = rows.length): number {
  const section = byId(id);
  section.hidden = count === 0;
  section.querySelector('.count')?.replaceChildren(String(count));
  const more = count - rows.length;
  const last = more > 0 ? [element('li', {}, element('small', {}, `and ${more} more`))] : [];
  section.querySelector('ul')?.replaceChildren(...rows, ...last);
  return count;
}

function row(url: string, words: string, ...actions: readonly HTMLElement[]): HTMLElement {
  const address = /^https?:/i.test(url)
    ? element('a', { href: url, rel: 'noreferrer' }, url)
    : element('span', {}, url);
  const doable = element('span', { class: 'actions' }, ...actions);
  return element('li', {}, address, element('small', {}, words), doable);
}

function approval({ url, kind, via }: Refusal): HTMLElement {
  const fillIn = async () => {
    byId<HTMLInputElement>('rehearse-url').value = url;
    byId<HTMLFormElement>('rehearse').requestSubmit();
    byId('rehearse').scrollIntoView();
  };
  return row(
    url,
    `a ${kind}, told of by ${via}`,
    actionButton('Approve', () => decide(url, 'approve')),
    actionButton('Reject', () => decide(url, 'reject')),
    actionButton('Rehearse', fillIn),
  );
}

function removal({ url, shrink }: Source): HTMLElement[] {
  if (!shrink) return [];
  const words = `${shrink.to} of ${shrink.from} components ${shrink.to === 1 ? 'is' : 'are'} left there since ${dateOf(shrink.since)}; the others are served on`;
  const accept = actionButton('Accept the loss', () => poll(url, '&accept=shrink'));
  return [row(url, words, accept, pollButton(url))];
}

function failingSource({ url, state, error, failingSince }: Source): HTMLElement[] {
  if (state !== 'failing') return [];
  return [row(url, `failing since ${dateOf(failingSince)}: ${error}`, pollButton(url))];
}

function changedModule({ uri, version, changedAt }: Pin): HTMLElement {
  const under = version === undefined ? 'the same description' : `version ${version}`;
  const words = `other bytes under ${under} since ${dateOf(changedAt)}; hosts do not run it`;
  const forget = async () => {
    await ask('DELETE', `/pins?uri=${encodeURIComponent(uri)}`);
    await show();
  };
  return row(uri, words, actionButton('Forget what was seen', forget));
}

function refusal({ url, kind, reason, via }: Refusal): HTMLElement[] {
  const why = REASONS[reason];
  if (why === undefined) return [];
  const actions = reason === 'rejected' ? [actionButton('Take it back', () => decide(url, 'forget'))] : [];
  return [row(url, `a ${kind}, told of by ${via}: ${why}`, ...actions)];
}

function pollButton(url: string): HTMLElement {
  return actionButton('Poll it now', () => poll(url));
}

async function decide(url: string, decision: 'approve' | 'reject' | 'forget'): Promise<void> {
  await ask('POST', '/discovery', { url, decision });
  await show();
}

async function poll(url: string, accept = ''): Promise<void> {
  const { json } = await ask('POST', `/sync?source=${encodeURIComponent(url)}${accept}`);
  const failed = (json as { ok: boolean; error?: string }[]).find(({ ok }) => !ok);
  await show();
  if (failed) say('state', `${url} could not be read: ${failed.error}.`);
}

function dateOf(moment: string | undefined): string {
  return moment === undefined ? 'an unknown moment' : DATES.format(new Date(moment));
}
