import { counted } from '../lib/counted.js';
import { followHints, hintsCome } from './hints.js';
import { tellTime } from './relative-time.js';
import { fillRow, type SourceReport, sourceKey } from './source-row.js';

/** How often the status is requested while the page is visible, in ms. */
const INTERVAL_MS = 4000;
/** The same while the node tells when something changes: polls that find nothing new change the status, too. */
const HINTED_MS = 20_000;
/** Hints that come faster are taken together, in ms. */
const LEAST_MS = 500;

interface StatusReport {
  readonly counts: Readonly<Record<'components' | 'pods' | 'peers' | 'failing', number>>;
  readonly sources: readonly SourceReport[];
}

/** Keeps the network page up to date. */
export function followStatus(): void {
  const body = document.querySelector<HTMLElement>('#sources tbody');
  const template = document.querySelector<HTMLTemplateElement>('#source-row');
  if (!body || !template) return;
  let timer = setTimeout(refresh, INTERVAL_MS);
  let lastAt = 0;
  followHints(() => {
    clearTimeout(timer);
    timer = setTimeout(refresh, Math.max(0, lastAt + LEAST_MS - performance.now()));
  });

  async function refresh(): Promise<void> {
    lastAt = performance.now();
    if (document.visibilityState === 'visible' && body && template) await showStatus(body, template);
    clearTimeout(timer);
    timer = setTimeout(refresh, hintsCome() ? HINTED_MS : INTERVAL_MS);
  }
}

async function showStatus(body: HTMLElement, template: HTMLTemplateElement): Promise<void> {
  try {
    const answer = await fetch(`${document.body.dataset.root}/status`, {
      headers: { accept: 'application/json' },
    });
    if (!answer.ok) return say(`The node answers ${answer.status}.`);
    const { counts, sources } = (await answer.json()) as StatusReport;
    showRows(body, template, sources);
    showCounts(counts);
    say('Live.');
  } catch {
    say('The node does not answer; what you see is how it was.');
  }
}

function showRows(body: HTMLElement, template: HTMLTemplateElement, sources: readonly SourceReport[]): void {
  const rows = new Map([...body.querySelectorAll('tr')].map((row) => [row.dataset.source, row]));
  const wanted = sources.map((source) => {
    const row = rows.get(sourceKey(source)) ?? newRow(template, source);
    fillRow(row, source);
    return row;
  });
  // Rows are replaced only when sources were added, removed or reordered, so that a selection is not lost.
  const present = [...body.children];
  if (wanted.length !== present.length || wanted.some((row, i) => row !== present[i]))
    body.replaceChildren(...wanted);
  tellTime(body);
}

function newRow(template: HTMLTemplateElement, source: SourceReport): HTMLTableRowElement {
  const row = (template.content.cloneNode(true) as DocumentFragment).querySelector('tr');
  if (!row) throw new Error('the template has no row');
  row.dataset.source = sourceKey(source);
  return row;
}

function showCounts(counts: StatusReport['counts']): void {
  for (const [name, count] of Object.entries(counts)) {
    const place = document.querySelector(`[data-count="${name}"]`);
    if (!place) continue;
    const noun = name === 'failing' ? 'source' : name.replace(/s$/, '');
    const text = counted(count, noun);
    setText(place, name === 'failing' ? (count === 0 ? 'all sources answer' : `${text} failing`) : text);
  }
}

function say(text: string): void {
  const place = document.getElementById('live');
  if (place) setText(place, text);
}

/** Sets a text only if it differs: screen readers read out every text that is set. */
function setText(place: Element, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}
