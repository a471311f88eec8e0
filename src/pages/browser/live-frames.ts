import { element } from './element.js';
import { frameMessageOf } from './frame-message.js';

/** How long a frame may take to say its first word, and how long it may be silent after that, in ms. */
const PATIENCE = { first: 25_000, later: 6_000 } as const;
/** A frame that has been silent this long (ms) when another one is silent for too long may be held up by that one. */
const HELD_UP = 3_000;
/** After so long another one begins, too: what stays blank says so late. */
const SLOW = 1_500;
const TICK = 1_000;
const SILENT = 'it has stopped answering';

/** An element of the page, and what runs in it. */
interface Live {
  readonly container: HTMLElement;
  /** Absent before it begins, and once it has failed. */
  frame?: HTMLIFrameElement | undefined;
  /** When it spoke last, or began, on the clock of the page. */
  heard: number;
  hasSpoken: boolean;
  /** Has it shown something, or said that it cannot? */
  isSettled: boolean;
  wasHeldUp: boolean;
  hasNext?: boolean;
  /** Those that begin when another one has failed, or is slow. */
  readonly waiting: Live[];
}

/**
 * Puts the frames into the page. One in which nothing can be shown says so, and goes below those in which
 * something is; one that stops answering is taken away. An element that has `data-ask` begins with a click, and one that has
 * `data-later` when another one has failed or is slow.
 */
export function startFrames(): void {
  const containers = document.querySelectorAll<HTMLElement>('.live[data-frame]');
  const waiting: Live[] = [];
  const lives = [...containers].map(
    (container): Live => ({
      container,
      heard: 0,
      hasSpoken: false,
      isSettled: false,
      wasHeldUp: false,
      waiting,
    }),
  );
  if (lives.length === 0) return;
  addEventListener('message', ({ source, data }) => {
    const live = lives.find(({ frame }) => frame && frame.contentWindow === source);
    const message = live && frameMessageOf(data);
    if (!message) return;
    live.heard = performance.now();
    live.hasSpoken = true;
    if (message.what === 'failed') fail(live, message.why);
    if (message.what === 'shown') {
      live.isSettled = true;
      live.container.classList.add('shown');
    }
  });
  for (const live of lives) {
    if (live.container.dataset.ask) offer(live, live.container.dataset.ask);
    else if ('later' in live.container.dataset) waiting.push(live);
    else begin(live);
  }
  void watch(lives);
}

async function watch(lives: readonly Live[]): Promise<void> {
  let last = performance.now();
  while (lives.some(({ container }) => container.isConnected)) {
    await pause(TICK);
    const now = performance.now();
    // Nothing is heard while nobody looks at the page, or while the machine sleeps.
    if (document.hidden || now - last > 3 * TICK) for (const live of lives) live.heard = now;
    if (lives.some(isSilent))
      await separate(lives.filter(({ frame, heard }) => frame && now - heard > HELD_UP));
    last = performance.now();
  }
}

function isSilent({ frame, heard, hasSpoken }: Live): boolean {
  return frame !== undefined && performance.now() - heard > (hasSpoken ? PATIENCE.later : PATIENCE.first);
}

/**
 * Browsers run the sandboxed frames of a page in one process, where one that hangs holds up the others. Which one that is only
 * shows when all are taken away, which ends the process, and begin again one after the other.
 */
async function separate(silent: readonly Live[]): Promise<void> {
  const [only, ...others] = silent;
  if (only && others.length === 0) return fail(only, SILENT);
  const well: Live[] = [];
  for (const one of silent) end(one);
  for (const one of [...silent].sort((a, b) => Number(b.isSettled) - Number(a.isSettled))) {
    if (one.wasHeldUp || (await hangs(one))) {
      fail(one, SILENT);
      for (const other of well) end(other);
      for (const other of well) begin(other);
    } else if (one.frame) well.push(one);
    one.wasHeldUp = true;
  }
}

/** Begins a frame, and waits until it has still been heard of some time after it has shown something. */
async function hangs(live: Live): Promise<boolean> {
  begin(live);
  while (!live.isSettled && !isSilent(live)) await pause(TICK / 10);
  const until = performance.now() + 2 * TICK;
  while (live.frame && live.heard < until && !isSilent(live)) await pause(TICK / 10);
  return isSilent(live);
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
  const { container } = live;
  const { title = '', frame: src = '' } = container.dataset;
  const sandbox = 'allow-scripts allow-forms';
  const frame = element('iframe', { title, class: 'trial', sandbox, referrerpolicy: 'no-referrer', src });
  Object.assign(live, { frame, heard: performance.now(), hasSpoken: false, isSettled: false });
  container.replaceChildren(frame);
  setTimeout(() => live.isSettled || beginNext(live), SLOW);
}

/** For each that fails or is slow, one of those that wait begins, once. */
function beginNext(live: Live): void {
  const next = live.hasNext ? undefined : live.waiting.shift();
  live.hasNext = true;
  if (next) begin(next);
}

/** Taking the frame away ends what runs in it. */
function end(live: Live): void {
  live.frame = undefined;
  live.container.replaceChildren();
}

function fail(live: Live, why: string): void {
  const { container } = live;
  end(live);
  live.isSettled = true;
  container.append(element('p', { class: 'alert' }, `Nothing is shown: ${why}.`));
  const entry = container.closest('li');
  entry?.parentElement?.append(entry);
  beginNext(live);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
