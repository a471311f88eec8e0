import { topicsOf } from '../host/graph-shapes.js';
import { HostError } from '../host/host-error.js';
import { kindOf, type ResourceKind } from '../host/shapes.js';
import { PASTED } from '../lib/pasted-url.js';
import { takeDropped } from './dropped-file.js';
import { fetchedPage, say, wordsOf } from './element.js';
import { startFrames } from './live-frames.js';
import { fetchWith, type PastedDocument } from './pasted.js';

/** Characters of the parameters that the page is asked for with. */
const LONGEST = 8000;
/** Bytes of a document that is pasted or dropped. */
const LARGEST = 5_000_000;

/**
 * On the page /data: reads the visitor's data here, in the browser, and asks for the page with the names of the shapes and
 * properties it has. What was pasted or dropped stays here: the list for it is put into this page.
 */
const place = document.getElementById('reading');
if (place) await readFromWeb(place.dataset.url ?? '');
else startFrames();
offerPasting();

async function readFromWeb(url: string): Promise<void> {
  say('progress', `Your browser reads ${url} …`);
  const kind = await readKind(url);
  if (kind) location.replace(`${location.pathname}?${parametersOf(url, kind)}`);
}

/** Undefined where nothing is known; why stands on the page then. */
async function readKind(url: string, read?: typeof fetch): Promise<ResourceKind | undefined> {
  try {
    const kind = await kindOf(url, { fetch: read });
    if (kind.quads ? kind.quads.length > 0 : kind.shapes.length > 0 || kind.mediaType !== '') return kind;
    complain('It was read, and says nothing.');
  } catch (error) {
    complain(`It could not be read: ${error instanceof HostError ? error.message : String(error)}.`);
  }
  return undefined;
}

/** The first shapes are the telling ones; the node answers to addresses of a bounded length only. */
function parametersOf(url: string, { shapes, predicates, mediaType }: ResourceKind): URLSearchParams {
  const parameters = new URLSearchParams({ url, ...(mediaType && { type: mediaType }) });
  for (const [name, iris] of Object.entries({ shapes, predicates })) {
    for (const iri of iris)
      if (String(parameters).length + encodeURIComponent(iri).length < LONGEST) parameters.append(name, iri);
  }
  return parameters;
}

function offerPasting(): void {
  const form = document.querySelector<HTMLFormElement>('#pasting');
  if (!form) return;
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const fields = new FormData(form);
    void showPasted({ text: String(fields.get('text')), type: String(fields.get('type')) });
  });
  takeDropped(LARGEST, {
    refuse: complain,
    take: async (file) => showPasted({ text: await file.text(), type: typeOf(file) }),
  });
}

function typeOf({ name, type }: File): string {
  if (/json/.test(type) || /\.json(ld)?$/i.test(name)) return 'application/ld+json';
  return 'text/turtle';
}

async function showPasted(pasted: PastedDocument): Promise<void> {
  if (pasted.text.length > LARGEST) return complain('It is too large: 5 MB is the most.');
  say('progress', 'Your browser reads it …');
  const kind = await readKind(PASTED, fetchWith(pasted));
  if (!kind) return;
  const address = `${location.pathname}?${parametersOf(topicOf(kind), kind)}`;
  const page = await fetchedPage(address).catch((error) => complain(wordsOf(error)));
  if (!page) return;
  const [found, now] = [page.getElementById('found'), document.getElementById('found')];
  if (!found) return complain('The node finds nothing for it.');
  if (now) now.replaceWith(found);
  else document.querySelector('main')?.append(found);
  say('progress', '');
  startFrames(pasted);
}

/** What the document is about, where that is one thing in it; else the document. */
function topicOf({ quads = [] }: ResourceKind): string {
  const [topic, ...others] = topicsOf(quads, PASTED);
  return others.length === 0 && topic?.startsWith(PASTED) ? topic : PASTED;
}

function complain(text: string): void {
  say('progress', text, true);
}
