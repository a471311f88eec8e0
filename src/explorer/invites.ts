import { actionButton, byId, element, wordsOf } from './element.js';
import { qrPicture } from './qr-picture.js';
import { type Ask, offerSignIn } from './signed-in.js';

/** The page /invites: somebody who invites makes invites, hands over their links, and sees what became of them. */

interface Invite {
  readonly uri: string;
  readonly holder: string;
  readonly state: string;
  readonly purpose: string;
  readonly created: string;
  readonly expires: string;
  readonly accepted: string | null;
  readonly ended?: string;
}

interface Purpose {
  readonly iri: string;
  readonly name: string;
  readonly sentence?: string;
}

/** Invites that are asked for at once. */
const PAGE = 200;
const DAY_MS = 86_400_000;
const DATES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' });
const mount = byId('desk').dataset.mount ?? '';
const choice = byId<HTMLSelectElement>('purpose');
const names = new Map<string, Purpose>();
/** Newest first. */
let invites: readonly Invite[] = [];
let ask: Ask;

offerSignIn(async (signedIn) => {
  ask = signedIn;
  const purposes = (await ask('GET', `${mount}/invites/purposes`)).json as Purpose[];
  for (const purpose of purposes) names.set(purpose.iri, purpose);
  choice.prepend(...purposes.map(({ iri, name }) => element('option', { value: iri }, name)));
  choice.selectedIndex = 0;
  choosePurpose();
  await loadOlder();
});
choice.addEventListener('change', choosePurpose);
byId<HTMLFormElement>('make').addEventListener('submit', (event) => {
  event.preventDefault();
  void make(event.currentTarget as HTMLFormElement);
});
byId('older').addEventListener('click', () => {
  loadOlder().catch((error) => {
    byId('make-fault').textContent = wordsOf(error);
  });
});
byId('print').addEventListener('click', () => window.print());
byId('copy-link').addEventListener('click', async () => {
  await navigator.clipboard.writeText(byId('link').textContent ?? '');
  byId('copied').textContent = 'Copied';
});
// Pages from plain http have no clipboard.
byId('copy-link').hidden = !navigator.clipboard;

/** The field for another purpose is there when it is needed. */
function choosePurpose(): void {
  const other = byId<HTMLInputElement>('other-purpose');
  other.required = choice.value === '';
  byId('other').hidden = !other.required;
}

async function make(form: HTMLFormElement): Promise<void> {
  const fields = new FormData(form);
  const field = (name: string) => String(fields.get(name) ?? '').trim();
  const holder = asAddress(field('holder'));
  const body = {
    purpose: choice.value || asAddress(field('other-purpose')),
    holder: holder === '' ? null : holder,
    expires: String(Date.now() + Number(field('days')) * DAY_MS),
  };
  byId('make-fault').textContent = '';
  try {
    const { json, headers } = await ask('POST', `${mount}/invite/`, body);
    const invite = json as Invite;
    invites = [invite, ...invites];
    showList();
    showLink(invite, /<([^>]*)>/.exec(headers.get('link') ?? '')?.[1] ?? '');
    form.reset();
    choosePurpose();
  } catch (error) {
    byId('make-fault').textContent = wordsOf(error);
  }
}

/** What people write without a scheme is meant to be a web address. */
function asAddress(written: string): string {
  return written === '' || /^[a-z][a-z0-9+.-]*:/i.test(written) ? written : `https://${written}`;
}

function showLink(invite: Invite, link: string): void {
  const { sentence = '' } = names.get(invite.purpose) ?? {};
  byId('link-purpose').textContent = nameOf(invite.purpose);
  byId('link-sentence').textContent = sentence;
  byId('link-holder').textContent = invite.holder;
  byId('link-until').textContent = dateOf(invite.expires);
  const anchor = byId<HTMLAnchorElement>('link');
  anchor.href = link;
  anchor.textContent = link;
  byId('copied').textContent = '';
  byId('qr').replaceChildren(qrPicture(link, 'The link as a QR code'));
  byId('made').hidden = false;
  byId('made').focus();
}

async function loadOlder(): Promise<void> {
  const last = invites.at(-1);
  const after = last ? `&after=${encodeURIComponent(last.uri)}` : '';
  const { json, headers } = await ask('GET', `${mount}/invite/?limit=${PAGE}${after}`);
  invites = [...invites, ...(json as Invite[])];
  byId('older').hidden = !headers.has('link');
  showList();
}

const GROUPS = [
  { id: 'open', has: (invite: Invite) => fateOf(invite) === 'open' },
  { id: 'accepted', has: (invite: Invite) => fateOf(invite) === 'accepted' },
  { id: 'ended', has: (invite: Invite) => ['ended', 'expired'].includes(fateOf(invite)) },
] as const;

function fateOf({ state, expires, ended }: Invite): 'open' | 'accepted' | 'ended' | 'expired' {
  if (ended !== undefined) return 'ended';
  if (state === 'linked') return 'accepted';
  return Number(expires) > Date.now() ? 'open' : 'expired';
}

function showList(): void {
  for (const { id, has } of GROUPS) {
    const members = invites.filter(has);
    byId(`${id}-count`).textContent = String(members.length);
    const none = element('li', {}, element('small', {}, 'None'));
    byId(id).replaceChildren(...(members.length === 0 ? [none] : members.map(row)));
  }
}

function row(invite: Invite): HTMLElement {
  const fate = fateOf(invite);
  const when = {
    open: `open until ${dateOf(invite.expires)}`,
    accepted: `accepted on ${dateOf(invite.accepted ?? invite.created)}`,
    ended: `the holder or an application ended it on ${dateOf(invite.ended ?? '')}`,
    expired: `not accepted by ${dateOf(invite.expires)}`,
  }[fate];
  const link = async () => {
    const path = `${mount}/invite/${encodeURIComponent(invite.uri)}/link`;
    const { inviteLink } = (await ask('GET', path)).json as { inviteLink: string };
    showLink(invite, inviteLink);
  };
  return element(
    'li',
    {},
    element('strong', {}, nameOf(invite.purpose)),
    ` for ${invite.holder}`,
    element('small', {}, when),
    fate === 'open' ? actionButton('Show its link', link) : undefined,
  );
}

function nameOf(purpose: string): string {
  return names.get(purpose)?.name ?? purpose;
}

function dateOf(moment: string): string {
  return DATES.format(new Date(Number(moment)));
}
