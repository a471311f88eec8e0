import { type FrameNews, sandboxedFrame } from '../../host/invocation/frame.js';
import { element } from './element.js';

/** How long a frame may take to say its first word, and how long it may be silent after that, in ms. */
const PATIENCE = { first: 25_000, later: 6_000 } as const;
const TICK = 1_000;
const SILENT = 'it has stopped answering';
/** An event of an element in which nothing can be shown. */
export const BLANK = 'blank';

/** An element of the page, and what runs in it. */
interface Live {
  readonly container: HTMLElement;
  /** Absent before it begins, and once it has failed. */
  frame?: HTMLIFrameElement | undefined;
  /** When it began, and when it spoke last, on the clock of the page. */
  began: number;
  heard: number;
  /** Has it shown something, or said that it cannot? */
  isSettled: boolean;
}

/**
 * Puts the frames into the page; that of an element with `data-ask` after a click. One in which nothing can be shown says so,
 * and goes below those in which something is; one that stops answering is taken away.
 */
export function startFrames(): void {
  const containers = document.querySelectorAll<HTMLElement>('.live');
  const lives = [...containers].map(
    (container): Live => ({ container, began: 0, heard: 0, isSettled: false }),
  );
  for (const live of lives) {
    const { ask } = live.container.dataset;
    if (ask) offer(live, ask);
    else begin(live);
  }
  if (lives.length > 0) void watch(lives);
}

function offer(live: Live, words: string): void {
  const button = element('button', {}, words);
  button.addEventListener('click', () => {
    begin(live);
    live.frame?.focus();
  });
  live.container.append(button);
}

function begin(live: Live): void {
  const { title = '', frame: src = '' } = live.container.dataset;
  const frame = sandboxedFrame(title, { src }, undefined, (news) => hear(live, frame, news));
  frame.className = 'trial';
  const now = performance.now();
  Object.assign(live, { frame, began: now, heard: now, isSettled: false });
  live.container.replaceChildren(frame);
}

/** What a component has got into its power may say anything. */
function hear(live: Live, frame: HTMLIFrameElement, news: FrameNews): void {
  if (live.frame !== frame) return;
  live.heard = performance.now();
  if ('failed' in news) fail(live, String(news.failed?.message).slice(0, 500));
  else if ('shows' in news && !news.shows) fail(live, 'it stays blank');
  else if ('shows' in news) {
    live.isSettled = true;
    live.container.classList.add('shown');
  }
}

/** Taking the frame away ends what runs in it. */
function end(live: Live): void {
  live.frame = undefined;
  live.container.replaceChildren();
}

function fail(live: Live, why: string): void {
  end(live);
  live.isSettled = true;
  live.container.append(element('p', { class: 'alert' }, `Nothing is shown: ${why}.`));
  live.container.dispatchEvent(new Event(BLANK, { bubbles: true }));
  const entry = live.container.closest('li');
  entry?.parentElement?.append(entry);
}

async function watch(lives: readonly Live[]): Promise<void> {
  for (let last = performance.now(); ; last = performance.now()) {
    await pause(TICK);
    const now = performance.now();
    // Nothing is heard while nobody looks at the page, or while the machine sleeps.
    if (document.hidden || now - last > 3 * TICK) for (const live of lives) live.heard = now;
    if (lives.some(isSilent))
      await separate(lives.filter(({ heard, frame }) => frame && now - heard > 3 * TICK));
  }
}

function isSilent({ frame, began, heard }: Live): boolean {
  const patience = heard === began ? PATIENCE.first : PATIENCE.later;
  return frame !== undefined && performance.now() - heard > patience;
}

/**
 * Browsers run the sandboxed frames of a page in one process, where one that hangs holds up the others until all are gone.
 * Which one that is shows when they begin again one after the other.
 */
async function separate(silent: readonly Live[]): Promise<void> {
  const [only, ...others] = silent;
  if (only && others.length === 0) return fail(only, SILENT);
  const well: Live[] = [];
  for (const one of silent) end(one);
  for (const one of silent) {
    begin(one);
    if (!(await hangs(one))) well.push(one);
    else {
      fail(one, SILENT);
      for (const other of well) end(other);
      for (const other of well) begin(other);
    }
  }
}

/** Waits until a frame has still been heard of some time after it has shown something. */
async function hangs(live: Live): Promise<boolean> {
  while (!live.isSettled && !isSilent(live)) await pause(TICK / 10);
  const until = performance.now() + 2 * TICK;
  while (live.frame && live.heard < until && !isSilent(live)) await pause(TICK / 10);
  return isSilent(live);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
