import { counted } from '../lib/counted.js';
import { actionButton, byId, element, say, wordsOf } from './element.js';
import { type Ask, offerSignIn } from './signed-in.js';

/** The page /operate: what waits for the operator, with a button for each thing that can be done about it. */

interface Refusal {
  readonly url: string;
  readonly kind: string;
  readonly reason: string;
  readonly via: string;
  readonly note?: string;
}

interface Source {
  readonly url: string;
  readonly kind: string;
  readonly state: string;
  readonly error?: string;
  readonly failingSince?: string;
  readonly heldUntil?: string;
  readonly shrink?: { readonly from: number; readonly to: number; readonly since: string };
}

interface Status {
  readonly counts: { readonly components: number; readonly failing: number };
  readonly sources: readonly Source[];
  readonly refused: {
    readonly counts: Readonly<Record<string, number>>;
    readonly examples: readonly Refusal[];
  };
  /** Absent while the database does not answer. */
  readonly pins?: {
    readonly changed: number;
    readonly examples: readonly {
      readonly uri: string;
      readonly version?: string;
      readonly changedAt?: string;
    }[];
  };
  /** Only told to the operator. */
  readonly audit?: readonly {
    readonly at: string;
    readonly who: string;
    readonly what: string;
    readonly subjects?: readonly string[];
  }[];
}

/** What refused addresses are refused for, besides waiting for approval; others are meant, and are on /network. */
const REASONS: Readonly<Record<string, string>> = {
  'private-address': 'its address is not public; network.allowPrivate would allow it',
  'over-cap': 'as many as discovery.maxPeers or discovery.maxPods allow are learned already',
  rejected: 'you have rejected it',
};
const DATES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
let ask: Ask;

offerSignIn(async (signedIn) => {
  ask = signedIn;
  await show();
});
onAddress('rehearse', async (url) => {
  const { text } = await ask('POST', '/rehearse', { url }, 'text/plain');
  const place = byId('rehearsal');
  place.hidden = false;
  place.textContent = text;
  return '';
});
onAddress('hint', async (topic) => {
  await ask('POST', '/hint', { topic });
  return 'Taken. If it is read here, it is polled soon, once a minute at most.';
});
onAddress('forget', (uri) => forget(uri));

/** Asks how things are, and shows it. @throws Error when the token is not the operator's */
async function show(): Promise<void> {
  const status = (await ask('GET', '/status')).json as Status;
  if (!status.audit) throw new Error('This is not the operator token of this node.');
  const { sources, refused, pins, audit, counts } = status;
  const polled = sources.filter(({ kind }) => kind === 'pod' || kind === 'peer');
  const fail = counts.failing === 0 ? 'none of them fails' : `${counts.failing} of them fail`;
  say(
    'state',
    `${counted(counts.components, 'component')} from ${counted(polled.length, 'source')}; ${fail}.`,
  );
  const waiting = refused.examples.filter(({ reason }) => reason === 'not-approved');
  list('approval', waiting.map(approval), refused.counts['not-approved']);
  list('removals', sources.flatMap(removal));
  list('modules', (pins?.examples ?? []).map(changedModule), pins?.changed);
  list('failing', sources.flatMap(failingSource));
  list('refused', refused.examples.flatMap(refusal));
  const recorded = audit.map(({ at, who, what, subjects = [] }) =>
    element(
      'li',
      {},
      what,
      element('small', {}, `${dateOf(at)}, ${who}${subjects.length > 0 ? `: ${subjects.join(', ')}` : ''}`),
    ),
  );
  byId('audit').replaceChildren(
    ...(recorded.length > 0 ? recorded : [element('li', {}, element('small', {}, 'Nothing'))]),
  );
}

/** `count`: how many there are, where not all of them are named. */
function list(id: string, rows: readonly HTMLElement[], count = rows.length): void {
  byId(`${id}-count`).textContent = String(count);
  const more = count - rows.length;
  const last = more > 0 ? [element('li', {}, element('small', {}, `and ${more} more`))] : [];
  byId(id).replaceChildren(...rows, ...last);
}

function row(url: string, words: string, ...actions: readonly HTMLElement[]): HTMLElement {
  return element(
    'li',
    {},
    link(url),
    element('small', {}, words),
    element('span', { class: 'actions' }, ...actions),
  );
}

function link(url: string): HTMLElement {
  return /^https?:/i.test(url)
    ? element('a', { href: url, rel: 'noreferrer' }, url)
    : element('span', {}, url);
}

function approval({ url, kind, via }: Refusal): HTMLElement {
  const rehearse = async () => {
    byId<HTMLInputElement>('rehearse-url').value = url;
    byId<HTMLFormElement>('rehearse-form').requestSubmit();
    byId('rehearse-form').scrollIntoView();
  };
  return row(
    url,
    `a ${kind}, told of by ${via}`,
    actionButton(`Approve`, () => decide(url, 'approve')),
    actionButton('Reject', () => decide(url, 'reject')),
    actionButton('Rehearse', rehearse),
  );
}

function removal({ url, shrink }: Source): HTMLElement[] {
  if (!shrink) return [];
  const words = `${shrink.to} of ${shrink.from} components ${shrink.to === 1 ? 'is' : 'are'} left there since ${dateOf(shrink.since)}; the others are served on`;
  return [
    row(
      url,
      words,
      actionButton('Accept the loss', () => poll(url, '&accept=shrink')),
      pollButton(url),
    ),
  ];
}

function failingSource({ url, state, error, failingSince, heldUntil, shrink }: Source): HTMLElement[] {
  if (state === 'held' && !shrink) return [row(url, `paused until ${dateOf(heldUntil)}`, pollButton(url))];
  if (state !== 'failing') return [];
  return [row(url, `failing since ${dateOf(failingSince)}: ${error}`, pollButton(url))];
}

function changedModule({
  uri,
  version,
  changedAt,
}: NonNullable<Status['pins']>['examples'][number]): HTMLElement {
  const words = `other bytes under ${version === undefined ? 'the same description' : `version ${version}`} since ${dateOf(changedAt)}; hosts do not run it`;
  return row(
    uri,
    words,
    actionButton('Forget what was seen', async () => {
      await forget(uri);
    }),
  );
}

function refusal({ url, kind, reason, via, note }: Refusal): HTMLElement[] {
  const why = REASONS[reason];
  if (why === undefined) return [];
  const words = `a ${kind}, told of by ${via}: ${why}${note === undefined ? '' : ` (${note})`}`;
  const actions = reason === 'rejected' ? [actionButton('Take it back', () => decide(url, 'forget'))] : [];
  return [row(url, words, ...actions)];
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

async function forget(uri: string): Promise<string> {
  await ask('DELETE', `/pins?uri=${encodeURIComponent(uri)}`);
  await show();
  return 'Forgotten. What is there at the next look counts as its first bytes.';
}

/** Has the form for one address do something, and say what came of it. */
function onAddress(id: string, act: (url: string) => Promise<string>): void {
  const form = byId<HTMLFormElement>(`${id}-form`);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const said = `${id}-said`;
    say(said, 'One moment …');
    try {
      say(said, await act(byId<HTMLInputElement>(`${id}-url`).value.trim()));
    } catch (error) {
      say(said, wordsOf(error));
    }
  });
}

function dateOf(moment: string | undefined): string {
  return moment === undefined ? 'an unknown moment' : DATES.format(new Date(moment));
}
